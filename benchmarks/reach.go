package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/benchmarks/accuracy"
	"boost/benchmarks/machine"
	"boost/benchmarks/peers"
	"boost/benchmarks/reach"
	"boost/benchmarks/synth"
	"boost/booster"
	"boost/dataset"
)

// reachDense is the generated table beside the real ones.
const reachDense = "dense"

// reachLeast is the number of rows, of both parts together, from which a real set is taken.
const reachLeast = 50_000

// reaching is what the flags of `reach` say.
type reaching struct {
	data, python, script, cache, results, document string
	names                                          []string
	threads                                        int
}

func reachCommand() *cobra.Command {
	var r reaching
	c := &cobra.Command{
		Use:   "reach",
		Short: "Times how long boost trains until it is as good as LightGBM with its defaults",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return r.run(cmd) },
	}
	f := c.Flags()
	f.StringVar(&r.data, "data", filepath.Join(os.Getenv("BOOST_SHARED"), "data"), "folder of the real data sets")
	f.StringSliceVar(&r.names, "sets", nil, "these tables only; the generated one is called "+reachDense)
	f.IntVar(&r.threads, "threads", 2, "threads")
	f.StringVar(&r.python, "python", "python3", "interpreter of the environment with the peers")
	f.StringVar(&r.script, "script", "benchmarks/python/reach.py", "LightGBM's side")
	f.StringVar(&r.cache, "cache", "", "folder that arrays are kept in (default: the user's cache)")
	f.StringVar(&r.results, "results", "benchmarks/results/reach.json", "JSON file for the record")
	f.StringVar(&r.document, "document", "benchmarks/results/README.md", "document to put the table into; empty for none")
	return c
}

func (r *reaching) run(cmd *cobra.Command) error {
	self, build, err := program()
	if err != nil {
		return err
	}
	record, err := reach.Open(r.results, reach.Record{Machine: machine.This(), Build: build, Command: "make time-to-metric", Threads: r.threads})
	if err != nil {
		return err
	}
	sets, err := r.sets()
	if err != nil {
		return err
	}
	for _, s := range sets {
		plan := r.plan(cmd, self, func() error { return record.Save(r.results) })
		table, err := r.prepare(cmd, self, record, s, plan)
		if err != nil {
			return err
		}
		if err := table.Measure(cmd.Context(), plan); err != nil {
			return fmt.Errorf("%s: %w", table.Name, err)
		}
	}
	record.Write(cmd.OutOrStdout())
	if r.document == "" {
		return nil
	}
	return record.UpdateDocument(r.document)
}

// sets lists the real sets with enough rows, or those that are named; nil stands for the
// generated table.
func (r *reaching) sets() ([]*accuracy.Set, error) {
	real := slices.DeleteFunc(slices.Clone(r.names), func(name string) bool { return name == reachDense })
	var sets []*accuracy.Set
	if len(r.names) == 0 || len(real) > 0 {
		all, err := accuracy.Sets(r.data, real...)
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			if len(real) > 0 || s.TrainRows+s.TestRows >= reachLeast {
				sets = append(sets, s)
			}
		}
	}
	if len(r.names) == 0 || slices.Contains(r.names, reachDense) {
		sets = append(sets, nil)
	}
	return sets, nil
}

// plan names the commands that train.
func (r *reaching) plan(cmd *cobra.Command, self string, save func() error) *reach.Plan {
	var modes []reach.Contender
	for _, mode := range []string{"lightgbm", "lightgbm-row", "lightgbm-col", "lightgbm-quantized-row", "lightgbm-quantized-col"} {
		name := mode
		if mode == "lightgbm" {
			name = "lightgbm-default"
		}
		for _, wait := range peers.Waits() {
			modes = append(modes, reach.Contender{Name: name + "-" + wait, Command: []string{r.python, r.script, mode}, Wait: wait})
		}
	}
	return &reach.Plan{
		Default: modes[0],
		Modes:   modes[1:],
		Ways: []reach.Contender{
			{Name: "boost", Command: []string{self, "reach-train"}},
			{Name: "preset fast", Command: []string{self, "reach-train", "--preset", "fast"}},
		},
		Threads: r.threads, Words: cmd.ErrOrStderr(), Save: save,
	}
}

// prepare makes the arrays of a set and says in the plan where they are.
func (r *reaching) prepare(cmd *cobra.Command, self string, record *reach.Record, s *accuracy.Set, plan *reach.Plan) (*reach.Table, error) {
	const lightGBMRounds = 100
	if s == nil {
		row, err := peers.RowNamed("dense")
		if err != nil {
			return nil, err
		}
		folder, err := generated(cmd, self, r.cache, row)
		if err != nil {
			return nil, err
		}
		plan.PeerArgs, plan.OurArgs = []string{"--data", folder}, []string{"--table", folder}
		return record.Table(row.Title, "binary_logloss", lightGBMRounds), nil
	}
	cache := r.cache
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no place for arrays, name one with --cache: %w", err)
		}
		cache = filepath.Join(user, "boost", "tables")
	}
	folder := filepath.Join(cache, "real-"+s.Name)
	if _, err := os.Stat(filepath.Join(folder, "about.json")); err != nil { // written last
		make := exec.CommandContext(cmd.Context(), r.python, r.script, "prepare", "--set", s.Folder, "--data", folder)
		make.Stderr = cmd.ErrOrStderr()
		if err := make.Run(); err != nil {
			return nil, fmt.Errorf("arrays of %s: %w", s.Name, err)
		}
	}
	plan.PeerArgs, plan.OurArgs = []string{"--data", folder}, []string{"--data", r.data, "--set", s.Name}
	return record.Table(s.Name, s.Metric(), min(lightGBMRounds, s.Rounds)), nil
}

// reachTraining is boost's side of `reach`, in a process of its own.
type reachTraining struct {
	data, set, table string
	preset           string
	until            float64
	params           booster.Params
}

func reachTrainCommand() *cobra.Command {
	t := reachTraining{params: booster.Defaults()}
	c := &cobra.Command{
		Use:   "reach-train",
		Short: "Trains boost for so many rounds, or until a loss on the test rows, and prints one line of JSON",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runtime.GOMAXPROCS(t.params.Threads)
			if t.preset != "" {
				rounds := t.params.Rounds
				if err := t.params.UsePreset(t.preset); err != nil {
					return err
				}
				t.params.Rounds = rounds
			}
			run, err := t.run(cmd.Context())
			if err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(run)
		},
	}
	f := c.Flags()
	f.StringVar(&t.data, "data", "", "folder of the real data sets")
	f.StringVar(&t.set, "set", "", "one of them")
	f.StringVar(&t.table, "table", "", "or a folder that `benchmarks generate` wrote to")
	f.StringVar(&t.preset, "preset", "", "preset of parameters: "+strings.Join(booster.Presets(), ", "))
	f.IntVar(&t.params.Rounds, "rounds", 100, "boosting rounds, at most")
	f.IntVar(&t.params.Threads, "threads", 2, "threads")
	f.Float64Var(&t.until, "until", 0, "loss on the test rows to stop at; 0 = train for all rounds and do not look at them")
	c.MarkFlagsOneRequired("set", "table")
	c.MarkFlagsMutuallyExclusive("set", "table")
	return c
}

func (t *reachTraining) run(ctx context.Context) (*reach.Run, error) {
	train, test, err := t.tables(ctx)
	if err != nil {
		return nil, err
	}
	var report booster.Report
	run := &reach.Run{Version: "boost (" + runtime.Version() + ")", Rows: train.NumRows(), Columns: len(train.Features())}
	opts := []booster.Option{booster.WithReport(&report)}
	limited, stop := context.WithCancel(ctx)
	defer stop()
	if t.until > 0 {
		opts = append(opts, booster.Valid("test", test), booster.OnRound(func(r booster.Round) {
			if run.Loss = r.Evals[0].Value; run.Loss <= t.until {
				stop()
			}
		}))
	}
	_, err = booster.Train(limited, t.params, train, opts...)
	if err != nil && !(errors.Is(err, booster.ErrInterrupted) && ctx.Err() == nil) {
		return nil, err
	}
	run.Bin, run.Train, run.Rounds = report.BinSeconds, report.TrainSeconds, report.Rounds
	return run, nil
}

// tables reads both parts and settles objective and loss.
func (t *reachTraining) tables(ctx context.Context) (train, test *dataset.Table, err error) {
	p := &t.params
	if t.table != "" {
		p.Objective, p.Metrics = "binary", []string{"logloss"}
		generated := training{folder: t.table, params: *p}
		if train, err = generated.rows(ctx, synth.TrainX, synth.TrainY, "", nil); err == nil {
			test, err = generated.rows(ctx, synth.TestX, synth.TestY, "", nil)
		}
		return train, test, err
	}
	sets, err := accuracy.Sets(t.data, t.set)
	if err != nil {
		return nil, nil, err
	}
	s := sets[0]
	p.Objective = s.Task
	p.Metrics = []string{strings.TrimPrefix(strings.TrimSuffix(s.Metric(), "_weighted"), "binary_")}
	if train, err = s.Open(ctx); err == nil {
		test, err = dataset.Open(ctx, s.Test(), dataset.As(train.Schema()), dataset.Missing(""))
	}
	return train, test, err
}
