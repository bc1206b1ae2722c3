package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"boost/benchmarks/real"
	"boost/booster"
	"boost/dataset"
)

// realTraining is boost's side of `real`, in a process of its own.
type realTraining struct {
	folder string
	budget float64
	params booster.Params
	chosen chosen
}

func realTrainCommand() *cobra.Command {
	t := realTraining{params: booster.Defaults()}
	p := &t.params
	p.LearningRate, p.Tree.MinDataInLeaf, p.Binning.MaxBin = 0.1, 20, 255
	c := &cobra.Command{
		Use:   "real-train",
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
	f.StringVar(&t.folder, "folder", "", "folder of "+real.TextFile+" and "+real.MetaFile)
	f.IntVar(&p.Threads, "threads", 2, "threads")
	f.IntVar(&p.Rounds, "rounds", 60, "boosting rounds")
	f.IntVar(&p.Tree.Leaves, "leaves", 31, "leaves of a tree")
	f.Float64Var(&t.budget, "budget", 0.5, "seconds to repeat each part for")
	_ = c.MarkFlagRequired("folder")
	return c
}

// run reads the table and trains on it, each part until its time is over; last it does both in
// one go, from the file to the model.
func (t *realTraining) run(ctx context.Context) (*real.Process, error) {
	meta, err := real.ReadMeta(t.folder)
	if err != nil {
		return nil, err
	}
	options, err := meta.Options()
	if err != nil {
		return nil, err
	}
	t.params.Objective = meta.Task
	options = append(options, dataset.Threads(t.params.Threads))
	process := &real.Process{Version: "boost (" + runtime.Version() + ")"}
	var table *dataset.Table
	process.Read, _, err = real.Repeat(t.budget/2, func() (float64, error) {
		begin := time.Now()
		var err error
		table, err = dataset.Open(ctx, t.text(), options...)
		return time.Since(begin).Seconds(), err
	})
	if err != nil {
		return nil, err
	}
	process.Rows, process.Columns = table.NumRows(), len(table.Features())
	if err := t.boosting(ctx, table, process); err != nil {
		return nil, err
	}
	process.File, _, err = real.Repeat(t.budget, func() (float64, error) {
		begin := time.Now()
		table, err := dataset.Open(ctx, t.text(), options...)
		if err != nil {
			return 0, err
		}
		_, err = booster.Train(ctx, t.params, table)
		return time.Since(begin).Seconds(), err
	})
	return process, err
}

func (t *realTraining) text() string { return filepath.Join(t.folder, real.TextFile) }

// boosting trains on a table in memory: a tenth of the rounds first, then all of them.
func (t *realTraining) boosting(ctx context.Context, table *dataset.Table, process *real.Process) error {
	warm := t.params
	warm.Rounds = max(1, warm.Rounds/10)
	var report booster.Report
	if _, err := booster.Train(ctx, warm, table, booster.WithReport(&report)); err != nil {
		return err
	}
	timed := real.Timed{Way: "default", Warm: report.TrainSeconds}
	var model *booster.Model
	var err error
	timed.Seconds, timed.Repeats, err = real.Repeat(t.budget, func() (float64, error) {
		begin := time.Now()
		var err error
		model, err = booster.Train(ctx, t.params, table, booster.WithReport(&report), booster.Logger(slog.New(&t.chosen)))
		least(&process.Call, time.Since(begin).Seconds())
		least(&process.Bin, report.BinSeconds)
		return report.TrainSeconds, err
	})
	if err != nil {
		return err
	}
	process.Ways = []real.Timed{timed}
	process.Layout, process.Builder, process.Plan, process.Gradients = t.chosen.layout, report.Builder, t.chosen.plan, report.Gradients
	process.Model, err = sumOfModel(model)
	return err
}

// least keeps the lesser of what is known, if anything is, and a further value.
func least(known *float64, value float64) {
	if *known == 0 || value < *known {
		*known = value
	}
}

// sumOfModel returns the sha256 of a model's file.
func sumOfModel(model *booster.Model) (string, error) {
	folder, err := os.MkdirTemp("", "real")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(folder) }() // nothing in it is wanted
	path := filepath.Join(folder, "model.boost")
	if err := model.Save(path); err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// chosen is a handler of log records that keeps what a training chose by itself.
type chosen struct{ layout, plan string }

func (*chosen) Enabled(context.Context, slog.Level) bool { return true }

func (c *chosen) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		switch {
		case r.Message == "bin matrix" && a.Key == "layout":
			c.layout = a.Value.String()
		case r.Message == "histogram builder" && a.Key == "plan":
			c.plan = a.Value.String()
		}
		return true
	})
	return nil
}

func (c *chosen) WithAttrs([]slog.Attr) slog.Handler { return c }

func (c *chosen) WithGroup(string) slog.Handler { return c }
