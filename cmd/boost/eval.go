package main

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"boost/dataset"
	"boost/internal/format"
	"boost/objectives/metrics"
)

// evalFlags is the command line of eval.
type evalFlags struct {
	reading
	stages
	loading
	unseenFlag
	decisions
	metrics []string
	json    bool
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
		Args: argumentsAndMore("MODEL", "TABLE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.stages.given(cmd)
			for _, check := range []error{f.unseenFlag.check(), f.stages.check(),
				f.loading.check(), f.loading.refuse("--staged", f.staged)} {
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
	f.stages.add(cmd, "the metrics")
	f.unseenFlag.add(cmd)
	f.loading.add(cmd)
	f.decisions.add(cmd)
	f.addSet(cmd, readingKeys)
	offer(cmd, "metric", metrics.Names()...)
	return cmd
}

func (a *app) eval(ctx context.Context, modelFile string, tables []string, f *evalFlags) error {
	c, err := f.config(a, readingKeys)
	if err != nil {
		return err
	}
	m, err := f.loading.open(a, modelFile)
	if err != nil {
		return err
	}
	if err := f.stages.fit(m, modelFile); err != nil {
		return err
	}
	if err := f.decisions.fit(m, modelFile); err != nil {
		return err
	}
	names, err := metricsOf(m, f.metrics)
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
	byStage, last, err := evaluateStages(ctx, m, t, names, &f.stages, pool)
	if err != nil {
		return err
	}
	var confusion *confusionMatrix
	if f.confusion {
		confusion = confusionOf(m, last)
	}
	var thresholds *thresholdTable
	if f.thresholds {
		thresholds = thresholdsOf(m, last)
	}
	return a.writeOutput("", func(w *bufio.Writer) error {
		if f.json {
			return writeEvaluation(w, t.NumRows(), byStage, f.every > 0, confusion, thresholds)
		}
		rows := [][]string{{"rows", format.Count(t.NumRows())}}
		for _, c := range t.Columns() {
			if c.Role() == dataset.WeightRole {
				rows = append(rows, []string{"weighted by", c.Name()})
			}
		}
		if f.every == 0 {
			for _, f := range byStage[0].figures {
				rows = append(rows, []string{f.name, format.People(f.value)})
			}
		}
		err := format.Table(w, rows, "lr")
		if err == nil && f.every > 0 {
			err = writeStages(w, names, byStage)
		}
		if err == nil && confusion != nil {
			err = confusion.write(w, last.Weights != nil)
		}
		if err == nil && thresholds != nil {
			err = thresholds.write(w)
		}
		return err
	})
}

// writeEvaluation writes the metrics after the last round, and what else was asked for, as JSON.
func writeEvaluation(w io.Writer, rows int, byStage []evaluation, staged bool, confusion *confusionMatrix, thresholds *thresholdTable) error {
	type stage struct {
		Rounds  int                 `json:"rounds"`
		Metrics map[string]*float64 `json:"metrics"`
	}
	out := struct {
		Rows    int                 `json:"rows"`
		Metrics map[string]*float64 `json:"metrics"`
		Staged  []stage             `json:"staged,omitempty"`

		Confusion  *confusionMatrix `json:"confusion,omitempty"`
		Thresholds *thresholdTable  `json:"thresholds,omitempty"`
	}{Rows: rows, Metrics: figuresJSON(byStage[len(byStage)-1].figures), Confusion: confusion, Thresholds: thresholds}
	if staged {
		for _, e := range byStage {
			out.Staged = append(out.Staged, stage{e.rounds, figuresJSON(e.figures)})
		}
	}
	return format.JSON(w, out)
}

// writeStages writes a line for each stage.
func writeStages(w io.Writer, names []string, byStage []evaluation) error {
	lines, align := [][]string{append([]string{"rounds"}, names...)}, "r"
	for range names {
		align += "r"
	}
	for _, e := range byStage {
		line := []string{format.Count(e.rounds)}
		for _, f := range e.figures {
			line = append(line, format.People(f.value))
		}
		lines = append(lines, line)
	}
	return section(w, lines, align)
}
