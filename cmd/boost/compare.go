package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"boost/booster/model"
	"boost/cmd/boost/internal/badcells"
	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/evaluation"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/regdir"
	"boost/cmd/boost/internal/usage"
	"boost/dataset"
	"boost/internal/report"
	"boost/objectives/metrics"
	"boost/ptq/compress"
)

// compareFlags is the command line of compare.
type compareFlags struct {
	reading
	unseenFlag
	metrics []string
	json    bool
}

func (a *app) compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare A B [TABLE]",
		Short: "Compare the leaves of two models, and their predictions for a table",
		Long: `Compare two models of the same shape leaf by leaf, such as a model and its quantized or refitted
form: the cosine of their leaf vectors, overall and by tree, and the mean squared and the largest
difference of two leaves.

A TABLE adds the largest differences of raw scores and predictions and, with labels, the metrics
of both models. Models of different shapes, as after pruning, are compared only by these. Trust
these figures more than the cosine: a common factor does not change it, and a leaf that no row
reaches counts in it like one that all rows reach.`,
		Example: `  boost compare price.boost price.q.boost
  boost compare price.boost price.q.boost test.csv --metric rmse --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 3 {
				return usage.Arguments("A", "B")(cmd, args)
			}
			return usage.Arguments("A", "B", "TABLE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && (f.metrics != nil || f.sets != nil) {
				return exit.Usagef("--metric and --set need a table: boost %s", cmd.Use)
			}
			if err := f.unseenFlag.check(); err != nil {
				return err
			}
			return a.compare(cmd.Context(), args, &f)
		},
	}
	cmd.Flags().StringArrayVar(&f.metrics, "metric", nil, "metric by `NAME`; repeatable")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	f.addSet(cmd, keyflags.Reading)
	f.unseenFlag.add(cmd)
	complete.With(cmd, "metric", metrics.Offers()...)
	return cmd
}

func (a *app) compare(ctx context.Context, args []string, f *compareFlags) error {
	var models [2]*model.Model
	for i := range models {
		var err error
		if models[i], err = regdir.Load(args[i]); err != nil {
			return err
		}
	}
	var table *dataset.Table
	var names []string
	if len(args) == 3 {
		var err error
		if table, names, err = a.openCompared(ctx, models, args[2], f); err != nil {
			return err
		}
	}
	pool := a.pool(0)
	defer pool.Close()
	if models[0].Trust().ChangesValues() || models[1].Trust().ChangesValues() {
		a.log.Info("predictions and metrics are compared as they are without a calibration (boost calibrate)")
	}
	c, err := compress.Compare(ctx, models[0], models[1], table, names, compress.Pool(pool))
	if shape := (compress.ErrShape{}); errors.As(err, &shape) {
		return exit.Usagef("%s and %s cannot be compared: %s", args[0], args[1], shape.Text)
	}
	if err != nil {
		return err
	}
	return a.answer(f.json, report.NewCompared(c), func(w io.Writer) error { return report.Comparison(w, c, args[0], args[1]) })
}

// openCompared reads the table that two models are compared on, and chooses the metrics.
func (a *app) openCompared(ctx context.Context, models [2]*model.Model, file string, f *compareFlags) (*dataset.Table, []string, error) {
	c, err := f.config(a, keyflags.Reading)
	if err != nil {
		return nil, nil, err
	}
	names, err := evaluation.MetricsOf(models[0], f.metrics)
	if err != nil {
		return nil, nil, err
	}
	table, err := a.openAs(ctx, models[0].Schema(), c, file)
	if err != nil {
		return nil, nil, badcells.AtCommandLine(err)
	}
	if f.metrics != nil {
		if err := needLabel(table, file, models[0].Schema()); err != nil {
			return nil, nil, err
		}
	} else if table.LabelColumn() == nil {
		a.log.Info(file + " has no labels: predictions are compared, not metrics")
	}
	if err := a.reportUnseen(table, models[0], f.onUnseen, file); err != nil {
		return nil, nil, err
	}
	a.reportInitScores(models[0].LacksInitScores(table), file)
	return table, names, nil
}
