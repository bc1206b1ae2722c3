package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/machine"
	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
)

func peersCommand() *cobra.Command {
	var name, python, script, cache, results, document string
	var most, rows, test, minutes int
	var strict, fresh bool
	c := &cobra.Command{
		Use:   "peers",
		Short: "Times boost beside other trainers: one row of the table of targets",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			row, err := rowHere(name)
			if err != nil {
				return err
			}
			command := "make peers ROW=" + name
			if rows > 0 || test > 0 { // another size of the same: for a try, kept nowhere
				row.Rows, row.Test, results, document = max(rows, 1), max(test, 1), "", ""
			}
			self, build, err := program()
			if err != nil {
				return err
			}
			folder, err := generated(cmd, self, cache, row)
			if err != nil {
				return err
			}
			if results == "" {
				temporary, err := os.MkdirTemp("", "peers")
				if err != nil {
					return err
				}
				defer func() { _ = os.RemoveAll(temporary) }() // nothing in it is wanted
				results = filepath.Join(temporary, "peers")
			}
			history, err := peers.Open(results, name)
			if err != nil {
				return err
			}
			s, resumed := history.Begin(&peers.Session{Machine: machine.This(), Build: build, Row: row, Command: command}, fresh)
			if resumed {
				fmt.Fprintf(cmd.ErrOrStderr(), "going on after %d runs\n", len(s.Runs))
			}
			err = s.Measure(cmd.Context(), &peers.Plan{
				Contenders: peers.Contenders(row, self, python, script), Folder: folder, Most: most,
				Budget: time.Duration(minutes) * time.Minute, Words: cmd.ErrOrStderr(), Save: history.Save,
			})
			if err != nil {
				return err
			}
			return publish(s, results, document, strict, cmd.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&name, "row", "dense", "the row: "+strings.Join(rowNames(), ", "))
	f.IntVar(&most, "turns", 5, fmt.Sprintf("turns to take while the time lasts; at least %d are taken", peers.Least))
	f.IntVar(&minutes, "minutes", 20, "time of the row")
	f.IntVar(&rows, "rows", 0, "train on another number of rows, and keep nothing")
	f.IntVar(&test, "test", 0, "test on another number of rows, and keep nothing")
	f.BoolVar(&fresh, "fresh", false, "begin anew where a measurement was interrupted")
	f.StringVar(&python, "python", "python3", "interpreter of the environment with the peers")
	f.StringVar(&script, "script", "benchmarks/python/peer.py", "the peers' side")
	f.StringVar(&cache, "cache", "", "folder that generated tables are kept in (default: the user's cache)")
	f.StringVar(&results, "results", "benchmarks/results/peers", "folder for the sessions, with all figures in a .md file beside it; empty to keep none")
	f.StringVar(&document, "document", "benchmarks/results/README.md", "document to put the summary into; empty for none")
	f.BoolVar(&strict, "strict", false, "fail where a target is missed")
	return c
}

func rowNames() []string {
	var names []string
	for _, r := range peers.Rows() {
		names = append(names, r.Name)
	}
	return names
}

// program returns the path of this program, and what tells it from others.
func program() (self, build string, err error) {
	if self, err = os.Executable(); err == nil {
		build, err = sumOf(self)
	}
	return self, build, err
}

// rowHere returns a row that this machine has processors for.
func rowHere(name string) (peers.Row, error) {
	row, err := peers.RowNamed(name)
	if err == nil && row.Threads > runtime.NumCPU() {
		err = fmt.Errorf("row %s needs %d logical processors, there are %d", name, row.Threads, runtime.NumCPU())
	}
	return row, err
}

// sumOf returns the sha256 of a file.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read from
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// filesVersion changes with the files that a table has.
const filesVersion = "2"

// generated returns the folder of the row's table, making it if it is not there. Another
// process makes it: this one must stay small, see peers.PeakOf.
func generated(cmd *cobra.Command, self, cache string, r peers.Row) (string, error) {
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no place for the generated table, name one with --cache: %w", err)
		}
		cache = filepath.Join(user, "boost", "tables")
	}
	g, err := synth.New(r.Kind, r.Seed, r.Columns)
	if err != nil {
		return "", err
	}
	version := g.Fingerprint() + " " + filesVersion
	text := r.Task == peers.Text
	withText := version + " with text"
	folder := filepath.Join(cache, fmt.Sprintf("%s-%dx%d-%d-seed%d", r.Kind, r.Rows, r.Columns, r.Test, r.Seed))
	stamp := filepath.Join(folder, "made-by")
	if made, err := os.ReadFile(stamp); err == nil && (string(made) == withText || string(made) == version && !text) {
		return folder, nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "making the table in", folder)
	make := exec.CommandContext(cmd.Context(), self, "generate", "--out", folder, "--kind", r.Kind,
		"--rows", strconv.Itoa(r.Rows), "--test", strconv.Itoa(r.Test), "--cols", strconv.Itoa(r.Columns),
		"--seed", strconv.FormatUint(r.Seed, 10), "--threads", strconv.Itoa(r.Threads), "--text="+strconv.FormatBool(text))
	make.Stderr = cmd.ErrOrStderr()
	if err := make.Run(); err != nil {
		return "", fmt.Errorf("generate: %w", err)
	}
	if text {
		version = withText
	}
	return folder, os.WriteFile(stamp, []byte(version), 0o666)
}

// publish shows a session and puts it into the document.
func publish(s *peers.Session, results, document string, strict bool, out io.Writer) error {
	s.Table(out)
	v := s.Verdict()
	fmt.Fprintf(out, "\n%s\n", v.String())
	if document != "" {
		if err := s.UpdateDocument(document, results); err != nil {
			return err
		}
		fmt.Fprintln(out, "written:", document)
	}
	if strict && !v.Passes() {
		return errors.New(v.String())
	}
	return nil
}
