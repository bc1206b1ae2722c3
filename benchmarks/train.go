package main

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/harness"
	"boost/benchmarks/peers"
	"boost/benchmarks/synth"
	"boost/booster"
	"boost/dataset"
)

// ours is boost's side of `peers` and of `scaling`, in a process of its own.
type ours struct {
	folder, profile string
	budget          float64
	once            bool
	params          booster.Params
}

func trainCommand() *cobra.Command {
	t := ours{params: booster.Defaults()}
	p := &t.params
	c := &cobra.Command{
		Use:   "train",
		Short: "Trains boost on a table of text again and again and prints one line of JSON",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			runtime.GOMAXPROCS(p.Threads) // the collector of garbage counts as one of the threads
			process, err := t.run(cmd.Context())
			if err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(process)
		},
	}
	f := c.Flags()
	f.StringVar(&t.folder, "folder", "", "folder of "+synth.TrainCSV+" and "+harness.MetaFile)
	f.StringVar(&t.profile, "profile", "", "file for a processor profile of the training (go tool pprof)")
	f.IntVar(&p.Threads, "threads", 2, "threads")
	f.IntVar(&p.Rounds, "rounds", 60, "boosting rounds")
	f.IntVar(&p.Tree.Leaves, "leaves", 31, "leaves of a tree")
	f.StringVar(&p.Gradients, "gradients", p.Gradients, "as in train.gradients")
	f.Float64Var(&t.budget, "budget", 0.5, "seconds to repeat each part for")
	f.BoolVar(&t.once, "once", false, "read and train once, without a part of the rounds before and without the way from file to model")
	_ = c.MarkFlagRequired("folder")
	return c
}

// run reads the table and trains on it, each part until its time is over; last it does both in
// one go, from the file to the model.
func (t *ours) run(ctx context.Context) (*peers.Process, error) {
	meta, err := harness.ReadMeta(t.folder)
	if err != nil {
		return nil, err
	}
	options, err := meta.Options()
	if err != nil {
		return nil, err
	}
	t.params.Objective = meta.Task
	if t.once {
		t.budget = math.SmallestNonzeroFloat64
	}
	open := func() (*dataset.Table, error) {
		return dataset.Open(ctx, filepath.Join(t.folder, synth.TrainCSV), append(options, dataset.Threads(t.params.Threads))...)
	}
	process := &peers.Process{Version: "boost (" + runtime.Version() + ")"}
	var table *dataset.Table
	process.Read, _, err = peers.Repeat(t.budget/2, func() (float64, error) {
		begin := time.Now()
		var err error
		table, err = open()
		return time.Since(begin).Seconds(), err
	})
	if err != nil {
		return nil, err
	}
	process.Rows, process.Columns = table.NumRows(), len(table.Features())
	if err := t.boosting(ctx, table, process); err != nil || t.once {
		return process, err
	}
	process.File, _, err = peers.Repeat(t.budget, func() (float64, error) {
		begin := time.Now()
		table, err := open()
		if err != nil {
			return 0, err
		}
		_, err = booster.Train(ctx, t.params, table)
		return time.Since(begin).Seconds(), err
	})
	return process, err
}

// boosting trains on a table in memory: a tenth of the rounds first, then all of them.
func (t *ours) boosting(ctx context.Context, table *dataset.Table, process *peers.Process) error {
	warm := t.params
	warm.Rounds = max(1, warm.Rounds/10)
	var report booster.Report
	timed := peers.Timed{Way: "default"}
	if !t.once {
		if _, err := booster.Train(ctx, warm, table, booster.WithReport(&report)); err != nil {
			return err
		}
		timed.Warm = report.TrainSeconds
	}
	stop, err := startProfile(t.profile)
	if err != nil {
		return err
	}
	var model *booster.Model
	var bins []float64
	timed.Seconds, timed.Repeats, err = peers.Repeat(t.budget, func() (float64, error) {
		var err error
		model, err = booster.Train(ctx, t.params, table, booster.WithReport(&report))
		bins = append(bins, report.BinSeconds)
		return report.TrainSeconds, err
	})
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	process.Bin, process.Ways = slices.Min(bins), []peers.Timed{timed}
	process.Gradients = report.Gradients
	process.Model, err = model.SHA256()
	return err
}

// startProfile writes a processor profile to path, if there is one, until stop.
func startProfile(path string) (stop func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

// clock tells the seconds since its start or last lap, of the wall and of the processors.
type clock struct {
	wall time.Time
	cpu  float64
}

func startClock() *clock { return &clock{wall: time.Now(), cpu: harness.ProcessorSeconds()} }

func (c *clock) lap() (wall, cpu float64) {
	now, used := time.Now(), harness.ProcessorSeconds()
	wall, cpu = now.Sub(c.wall).Seconds(), used-c.cpu
	c.wall, c.cpu = now, used
	return wall, cpu
}
