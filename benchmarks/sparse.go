package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
	"boost/booster"
	"boost/dataset"
)

func peersSparseCommand() *cobra.Command {
	s := peers.Settings{}
	var python, script, cache, results, document string
	var only []string
	var strict bool
	c := &cobra.Command{
		Use:   "peers-sparse",
		Short: "Times boost beside LightGBM and XGBoost on a sparse table: from files to predictions",
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
			if err := keepCSR(cmd, python, script, folder); err != nil {
				return err
			}
			contenders, err := peers.SparseContenders(self, python, script, only)
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
			record.Command = fmt.Sprintf("make peers-sparse KIND=%s ROWS=%d COLS=%d THREADS=%d ROUNDS=%d REPEATS=%d LIMIT=%d",
				s.Kind, s.Rows, s.Columns, s.Threads, s.Rounds, s.Repeats, s.Limit)
			return publish(record, results, document, strict, cmd.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&s.Kind, "kind", synth.OneHot, "the table: "+strings.Join(synth.SparseKinds(), ", "))
	f.IntVar(&s.Rows, "rows", 1_000_000, "rows for training")
	f.IntVar(&s.Test, "test", 100_000, "rows for testing")
	f.IntVar(&s.Columns, "cols", 1000, "feature columns")
	f.IntVar(&s.Threads, "threads", 2, "threads for every trainer")
	f.IntVar(&s.Rounds, "rounds", 100, "boosting rounds")
	f.IntVar(&s.Repeats, "repeats", 3, "runs of each trainer, in turn; the smallest time counts")
	f.IntVar(&s.Limit, "limit", 900, "seconds that one run may take; 0 = any")
	f.Uint64Var(&s.Seed, "seed", 1, "seed of the table")
	f.StringSliceVar(&only, "only", nil, "run only these and write no record: "+strings.Join(peers.SparseNames(), ", "))
	f.StringVar(&python, "python", "python3", "interpreter of the environment with the peers")
	f.StringVar(&script, "script", "benchmarks/python/sparse_peer.py", "the peers' side")
	f.StringVar(&cache, "cache", "", "folder that generated tables are kept in (default: the user's cache)")
	f.StringVar(&results, "results", "benchmarks/results", "folder for the JSON record")
	f.StringVar(&document, "document", "docs/performance.md", "document to put the table into; empty for none")
	f.BoolVar(&strict, "strict", false, "fail where boost is slower than LightGBM that reads the files itself")
	return c
}

// keepCSR has the matrices made that the "-csr" contenders start from. Without the
// peers there is nothing to keep them for.
func keepCSR(cmd *cobra.Command, python, script, folder string) error {
	if _, err := os.Stat(filepath.Join(folder, "test_y.npy")); err == nil {
		return nil
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "making SciPy matrices in", folder)
	keep := exec.CommandContext(cmd.Context(), python, script, "keep", "--data", folder)
	keep.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var exit *exec.ExitError
	out, err := keep.CombinedOutput()
	if errors.As(err, &exit) && exit.ExitCode() == peers.NotInstalled || errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("keep: %w\n%s", err, out)
	}
	return nil
}

// trainSparseCommand is boost's side of `peers-sparse`; python/sparse_peer.py is the others'.
func trainSparseCommand() *cobra.Command {
	var folder, out, layout, bundle, profile string
	var threads, rounds int
	c := &cobra.Command{
		Use:   "train-sparse",
		Short: "Trains boost on a generated LibSVM table and prints one line of JSON about it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runtime.GOMAXPROCS(threads)
			run := peers.Run{Version: "boost (" + runtime.Version() + ")", BaseBytes: peers.PeakOfThis()}
			var report booster.Report
			p := booster.Defaults()
			p.Objective, p.Rounds, p.LearningRate, p.Threads = "binary", rounds, 0.1, threads
			p.Tree.Leaves, p.Tree.MinDataInLeaf, p.Binning.MaxBin = 31, 20, 255
			p.Binning.Layout, p.Binning.Bundle = layout, bundle

			clock := startClock()
			train, err := dataset.Open(cmd.Context(), filepath.Join(folder, synth.TrainSVM), dataset.Threads(threads))
			if err != nil {
				return err
			}
			run.Load, run.LoadCPU = clock.lap()
			stop, err := startProfile(profile)
			if err != nil {
				return err
			}
			model, err := booster.Train(cmd.Context(), p, train, booster.WithReport(&report))
			if e := stop(); err == nil {
				err = e
			}
			if err != nil {
				return err
			}
			both, cpu := clock.lap()
			run.Bin, run.Train = report.BinSeconds, report.TrainSeconds
			run.BinCPU, run.TrainCPU = cpu*report.BinSeconds/both, cpu*report.TrainSeconds/both
			run.Notes = fmt.Sprintf("%s builder, %s gradients", report.Builder, report.Gradients)
			test, err := dataset.Open(cmd.Context(), filepath.Join(folder, synth.TestSVM), dataset.As(train.Schema()), dataset.Threads(threads))
			if err != nil {
				return err
			}
			values, err := model.Predict(cmd.Context(), test)
			if err != nil {
				return err
			}
			run.Predict, run.PredictCPU = clock.lap()
			if out != "" {
				if err := writePredictions(out, values); err != nil {
					return err
				}
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(run)
		},
	}
	f := c.Flags()
	f.StringVar(&folder, "data", "", "folder that `benchmarks generate` wrote to")
	f.StringVar(&out, "out", "", "NumPy file for the predictions of the test rows")
	f.StringVar(&layout, "layout", "auto", "layout of the matrix")
	f.StringVar(&bundle, "bundle", "auto", "auto, on or off")
	f.StringVar(&profile, "profile", "", "file for a processor profile of the training (go tool pprof)")
	f.IntVar(&threads, "threads", 2, "threads")
	f.IntVar(&rounds, "rounds", 100, "boosting rounds")
	_ = c.MarkFlagRequired("data")
	return c
}

func loadSparseCommand() *cobra.Command {
	var folder string
	var threads int
	c := &cobra.Command{
		Use:   "load-sparse",
		Short: "Reads a generated LibSVM file and prints one line of JSON about it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runtime.GOMAXPROCS(threads)
			run := peers.Run{Version: "boost (" + runtime.Version() + ")", BaseBytes: peers.PeakOfThis()}
			clock := startClock()
			if _, err := dataset.Open(cmd.Context(), filepath.Join(folder, synth.TrainSVM), dataset.Threads(threads)); err != nil {
				return err
			}
			run.Load, run.LoadCPU = clock.lap()
			return json.NewEncoder(cmd.OutOrStdout()).Encode(run)
		},
	}
	c.Flags().StringVar(&folder, "data", "", "folder that `benchmarks generate` wrote to")
	c.Flags().IntVar(&threads, "threads", 2, "threads")
	_ = c.MarkFlagRequired("data")
	return c
}

// tableFolder names the place of a generated table below the cache.
func tableFolder(s peers.Settings) string {
	name := fmt.Sprintf("%dx%d-%d-seed%d", s.Rows, s.Columns, s.Test, s.Seed)
	if s.Kind != "" {
		name = s.Kind + "-" + name
	}
	return name
}

// generateArgs are those of the `generate` command for the table.
func generateArgs(folder string, s peers.Settings) []string {
	args := []string{"generate", "--out", folder,
		"--rows", strconv.Itoa(s.Rows), "--test", strconv.Itoa(s.Test), "--cols", strconv.Itoa(s.Columns),
		"--seed", strconv.FormatUint(s.Seed, 10), "--threads", strconv.Itoa(s.Threads)}
	if s.Kind != "" {
		args = append(args, "--kind", s.Kind)
	}
	return args
}
