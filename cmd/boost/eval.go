package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"boost/cmd/boost/internal/complete"
	"boost/cmd/boost/internal/evaluation"
	"boost/cmd/boost/internal/exit"
	"boost/cmd/boost/internal/keyflags"
	"boost/cmd/boost/internal/usage"
	"boost/dataset"
	"boost/internal/report"
	"boost/objectives/metrics"
)

// evalFlags is the command line of eval.
type evalFlags struct {
	reading
	evaluation.Stages
	loading
	unseenFlag
	metrics               []string
	confusion, thresholds bool
	json                  bool
}

func (a *app) evalCommand() *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval MODEL TABLE…",
		Short: "Compare a model's predictions with a table's labels",
		Long: `Compare a model's predictions with the labels of a table. Several tables are read as one.

Rows count by the model's weight column if the table has it. Without --metric those of its
objective are printed. --rounds K uses only the first K rounds, and --staged N prints the
metrics after every N rounds and after the last. --load compact needs little more memory than the
file of a compressed model.

--confusion counts the rows of classes by label and predicted class. --thresholds prints, for two
classes, what thresholds of the probability make of the rows, and which give the best f1 and mcc.`,
		Example: `  boost eval price.boost test.csv
  boost eval price.boost test.csv --metric rmse --json`,
		Args: usage.AtLeast("MODEL", "TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Stages.Given(cmd)
			for _, check := range []error{f.unseenFlag.check(), f.Stages.Check(),
				f.loading.check(), f.loading.refuse("--staged", f.Staged)} {
				if check != nil {
					return check
				}
			}
			if err := checkSides(cmd, args[0], args[1:]); err != nil {
				return err
			}
			return a.eval(cmd.Context(), args[0], args[1:], &f)
		},
	}
	cmd.Flags().StringArrayVar(&f.metrics, "metric", nil, "metric by `NAME`; repeatable")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	f.Stages.Add(cmd, "the metrics")
	f.unseenFlag.add(cmd)
	f.loading.add(cmd)
	cmd.Flags().BoolVar(&f.confusion, "confusion", false, "count the rows by label and predicted class")
	cmd.Flags().BoolVar(&f.thresholds, "thresholds", false, "for two classes: what thresholds of the probability make of the rows, and the best ones")
	f.addSet(cmd, keyflags.Reading)
	complete.With(cmd, "metric", metrics.Offers()...)
	return cmd
}

func (a *app) eval(ctx context.Context, modelFile string, tables []string, f *evalFlags) error {
	c, err := f.config(a, keyflags.Reading)
	if err != nil {
		return err
	}
	m, err := f.loading.open(a, modelFile)
	if err != nil {
		return err
	}
	if err := f.Stages.Fit(m, modelFile); err != nil {
		return err
	}
	if err := f.fit(m, modelFile); err != nil {
		return err
	}
	if err := f.FitTrust(m, modelFile, "class"); err != nil {
		return err
	}
	names, err := evaluation.MetricsOf(m, f.metrics)
	if err != nil {
		return err
	}
	t, err := a.openLabelled(ctx, tables, m, c, f.onUnseen)
	if err != nil {
		return err
	}
	a.reportInitScores(m.LacksInitScores(t), strings.Join(tables, " "))
	pool := a.pool(0)
	defer pool.Close()
	byStage, last, err := evaluation.ByStage(ctx, m, t, names, &f.Stages, pool)
	if err != nil {
		return err
	}
	found := report.Evaluation{Rows: t.NumRows(), Stages: byStage, Staged: f.Every > 0}
	for _, c := range t.Columns() {
		if c.Role() == dataset.WeightRole {
			found.WeightedBy = c.Name()
		}
	}
	if f.confusion {
		found.Confusion = report.NewConfusion(m.Classes(), last)
	}
	if f.thresholds {
		found.Thresholds = report.NewThresholds(m.Classes(), last)
	}
	return a.answer(f.json, found.JSON(), found.Write)
}

// fit refuses a model that predicts no classes where these are to be compared with labels.
func (f *evalFlags) fit(m evaluation.Model, file string) error {
	classes := len(m.Classes())
	switch {
	case f.confusion && classes == 0:
		return exit.Usagef("--confusion needs classes, and %s predicts numbers: leave it out", file)
	case f.thresholds && (classes != 2 || m.Outputs() != 1):
		return exit.Usagef("--thresholds needs a model of two classes, and %s is none: leave it out", file)
	}
	return nil
}
