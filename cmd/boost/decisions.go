package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"boost/internal/format"
	"boost/objectives/metrics"
)

// decisions are the flags that say how classes that are predicted are compared with labels.
type decisions struct {
	confusion  bool
	thresholds bool
}

func (d *decisions) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&d.confusion, "confusion", false, "count the rows by label and predicted class")
	cmd.Flags().BoolVar(&d.thresholds, "thresholds", false, "for two classes: what thresholds of the probability make of the rows, and the best ones")
}

// fit refuses models that predict no classes.
func (d *decisions) fit(m predictor, file string) error {
	classes := len(m.Classes())
	switch {
	case d.confusion && classes == 0:
		return usagef("--confusion needs classes, and %s predicts numbers: leave it out", file)
	case d.thresholds && (classes != 2 || m.Outputs() != 1):
		return usagef("--thresholds needs the probability of one of two classes, and %s predicts %s: leave it out", file, predicted(classes))
	}
	return nil
}

func predicted(classes int) string {
	if classes == 0 {
		return "numbers"
	}
	return fmt.Sprintf("%d classes", classes)
}

// confusionMatrix is the weight of the rows by label and predicted class.
type confusionMatrix struct {
	Classes []string    `json:"classes"`
	Rows    [][]float64 `json:"rows"` // by label, then predicted class
}

func confusionOf(m predictor, in metrics.Input) *confusionMatrix {
	weights, _ := metrics.Confusion(in, 0.5)
	return &confusionMatrix{m.Classes(), slices.Collect(slices.Chunk(weights, len(m.Classes())))}
}

func (c *confusionMatrix) write(w io.Writer, weighted bool) error {
	count := func(x float64) string {
		if weighted {
			return format.People(x)
		}
		return format.Count(int(x))
	}
	names := make([]string, len(c.Classes))
	for k, class := range c.Classes {
		names[k] = format.OneLine(class)
	}
	lines := [][]string{slices.Concat([]string{`label \ predicted`}, names, []string{"recall"})}
	columns := make([]float64, len(names))
	for i, row := range c.Rows {
		line, sum := []string{names[i]}, 0.0
		for k, x := range row {
			line = append(line, count(x))
			sum += x
			columns[k] += x
		}
		lines = append(lines, append(line, format.People(row[i]/sum)))
	}
	last := []string{"precision"}
	for k, sum := range columns {
		last = append(last, format.People(c.Rows[k][k]/sum))
	}
	return section(w, append(lines, append(last, "")), "l"+strings.Repeat("r", len(names)+1))
}

// tableThresholds are the thresholds that everybody looks at.
var tableThresholds = []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}

// thresholdTable is what thresholds make of the rows of two classes.
type thresholdTable struct {
	Positive string     `json:"positive"`
	At       []decision `json:"at"`
	BestF1   *decision  `json:"best_f1"`
	BestMCC  *decision  `json:"best_mcc"`
}

// decision is what one threshold makes of the rows; undefined figures are null.
type decision struct {
	Threshold float64  `json:"threshold"`
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	F1        *float64 `json:"f1"`
	MCC       *float64 `json:"mcc"`
	Predicted *float64 `json:"predicted"`
}

func newDecision(d metrics.Decision) decision {
	return decision{
		d.Threshold, format.Finite(d.Precision), format.Finite(d.Recall), format.Finite(d.F1), format.Finite(d.MCC), format.Finite(d.Predicted),
	}
}

func thresholdsOf(m predictor, in metrics.Input) *thresholdTable {
	t := &thresholdTable{Positive: m.Classes()[1]}
	for _, at := range tableThresholds {
		t.At = append(t.At, newDecision(metrics.Decide(in, at)))
	}
	if byF1, byMCC, ok := metrics.BestDecisions(in); ok {
		f1, mcc := newDecision(byF1), newDecision(byMCC)
		t.BestF1, t.BestMCC = &f1, &mcc
	}
	return t
}

func (t *thresholdTable) write(w io.Writer) error {
	lines := [][]string{{"", "threshold", "precision", "recall", "f1", "mcc", "predicted " + format.OneLine(t.Positive)}}
	add := func(name string, d decision) {
		line := []string{name, format.People(d.Threshold)}
		for _, figure := range []*float64{d.Precision, d.Recall, d.F1, d.MCC, d.Predicted} {
			line = append(line, figureText(figure))
		}
		lines = append(lines, line)
	}
	for _, d := range t.At {
		add("", d)
	}
	if t.BestF1 != nil {
		add("best f1", *t.BestF1)
		add("best mcc", *t.BestMCC)
	}
	return section(w, lines, "lrrrrrr")
}

// figureText words a figure that may be undefined.
func figureText(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return format.People(*v)
}

// section writes an empty line and a table.
func section(w io.Writer, lines [][]string, align string) error {
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return format.Table(w, lines, align)
}
