package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/peers"
)

func peersCommand() *cobra.Command {
	var s peers.Settings
	var python, script, cache, results, document string
	var only []string
	var strict bool
	c := &cobra.Command{
		Use:   "peers",
		Short: "Times boost beside LightGBM, XGBoost and scikit-learn",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.Repeats < 1 || s.Rows < 1 || s.Test < 1 {
				return errors.New("--rows, --test and --repeats must be at least 1")
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			folder, err := generated(cmd, self, cache, s)
			if err != nil {
				return err
			}
			contenders, err := peers.Contenders(self, python, script, only)
			if err != nil {
				return err
			}
			record, err := peers.Measure(cmd.Context(), contenders, s, folder, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if len(only) > 0 {
				record.Table(cmd.OutOrStdout())
				return nil
			}
			record.Command = fmt.Sprintf("make peers ROWS=%d COLS=%d THREADS=%d ROUNDS=%d REPEATS=%d",
				s.Rows, s.Columns, s.Threads, s.Rounds, s.Repeats)
			return publish(record, results, document, strict, cmd.OutOrStdout())
		},
	}
	f := c.Flags()
	f.IntVar(&s.Rows, "rows", 1_000_000, "rows for training")
	f.IntVar(&s.Test, "test", 200_000, "rows for testing")
	f.IntVar(&s.Columns, "cols", 28, "feature columns")
	f.IntVar(&s.Threads, "threads", 2, "threads for every trainer")
	f.IntVar(&s.Rounds, "rounds", 100, "boosting rounds")
	f.IntVar(&s.Repeats, "repeats", 5, "runs of each trainer, in turn; the smallest time counts")
	f.Uint64Var(&s.Seed, "seed", 1, "seed of the table")
	f.StringSliceVar(&only, "only", nil, "run only these and write no record: "+strings.Join(peers.Names(), ", "))
	f.StringVar(&python, "python", "python3", "interpreter of the environment with the peers")
	f.StringVar(&script, "script", "benchmarks/python/peer.py", "the peers' side")
	f.StringVar(&cache, "cache", "", "folder that generated tables are kept in (default: the user's cache)")
	f.StringVar(&results, "results", "benchmarks/results", "folder for the JSON record")
	f.StringVar(&document, "document", "docs/performance.md", "document to put the table into; empty for none")
	f.BoolVar(&strict, "strict", false, "fail where boost is slower or larger than LightGBM's quantized mode")
	return c
}

// generated returns the folder of the table, making it if it is not there. Another
// process makes it: this one must stay small, see peers.Run.PeakBytes.
func generated(cmd *cobra.Command, self, cache string, s peers.Settings) (string, error) {
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no place for the generated table, name one with --cache: %w", err)
		}
		cache = filepath.Join(user, "boost", "tables")
	}
	kind := s.Kind
	if kind == "" {
		kind = denseKind
	}
	g, err := newTable(kind, s.Seed, s.Columns)
	if err != nil {
		return "", err
	}
	version := g.Fingerprint()
	folder := filepath.Join(cache, tableFolder(s))
	stamp := filepath.Join(folder, "made-by")
	if made, err := os.ReadFile(stamp); err == nil && string(made) == version {
		return folder, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "making the table in", folder)
	make := exec.CommandContext(cmd.Context(), self, generateArgs(folder, s)...)
	make.Stderr = cmd.ErrOrStderr()
	if err := make.Run(); err != nil {
		return "", fmt.Errorf("generate: %w", err)
	}
	return folder, os.WriteFile(stamp, []byte(version), 0o666)
}

// publish shows and stores a record.
func publish(r *peers.Record, results, document string, strict bool, out io.Writer) error {
	r.Table(out)
	verdict, ok := r.Target()
	fmt.Fprintf(out, "\n%s\n", verdict)
	path, err := r.Save(results)
	if err != nil {
		return err
	}
	written := []string{path}
	if document != "" {
		if err := r.UpdateDocument(document); err != nil {
			return err
		}
		written = append(written, document)
	}
	fmt.Fprintln(out, "written:", strings.Join(written, ", "))
	if strict && !ok {
		return errors.New("the first target is missed: " + verdict)
	}
	return nil
}
