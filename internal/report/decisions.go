package report

import (
	"io"
	"slices"
	"strings"

	"boost/booster/trust"
	"boost/internal/format"
	"boost/objectives/metrics"
)

// Confusion is the weight of the rows by label and predicted class.
type Confusion struct {
	Classes []string    `json:"classes"`
	Rows    [][]float64 `json:"rows"` // by label, then predicted class
}

// NewConfusion counts the rows that metrics are computed from.
func NewConfusion(classes []string, in metrics.Input) *Confusion {
	threshold := in.Threshold
	if threshold == 0 {
		threshold = trust.Half
	}
	weights, _ := metrics.Confusion(in, threshold)
	return &Confusion{classes, slices.Collect(slices.Chunk(weights, len(classes)))}
}

func (c *Confusion) write(w io.Writer, weighted bool) error {
	count := func(x float64) string {
		if weighted {
			return format.People(x)
		}
		return format.Count(int(x))
	}
	names := oneLines(c.Classes)
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

// Thresholds is what thresholds make of the rows of two classes.
type Thresholds struct {
	Positive string     `json:"positive"`
	At       []Decision `json:"at"`
	BestF1   *Decision  `json:"best_f1"`
	BestMCC  *Decision  `json:"best_mcc"`
}

// Decision is what one threshold makes of the rows; undefined figures are null.
type Decision struct {
	Threshold float64  `json:"threshold"`
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	F1        *float64 `json:"f1"`
	MCC       *float64 `json:"mcc"`
	Predicted *float64 `json:"predicted"`
}

func newDecision(d metrics.Decision) Decision {
	return Decision{
		d.Threshold, format.Finite(d.Precision), format.Finite(d.Recall), format.Finite(d.F1), format.Finite(d.MCC), format.Finite(d.Predicted),
	}
}

// NewThresholds tries thresholds on the rows that metrics are computed from.
func NewThresholds(classes []string, in metrics.Input) *Thresholds {
	t := &Thresholds{Positive: classes[1]}
	for _, at := range tableThresholds {
		t.At = append(t.At, newDecision(metrics.Decide(in, at)))
	}
	if byF1, byMCC, ok := metrics.BestDecisions(in); ok {
		f1, mcc := newDecision(byF1), newDecision(byMCC)
		t.BestF1, t.BestMCC = &f1, &mcc
	}
	return t
}

func (t *Thresholds) write(w io.Writer) error {
	lines := [][]string{{"", "threshold", "precision", "recall", "f1", "mcc", "predicted " + format.OneLine(t.Positive)}}
	add := func(name string, d Decision) {
		line := []string{name, format.People(d.Threshold)}
		for _, figure := range []*float64{d.Precision, d.Recall, d.F1, d.MCC, d.Predicted} {
			line = append(line, orUndefined(figure))
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

// orUndefined words a figure that may be undefined.
func orUndefined(v *float64) string {
	if v == nil {
		return "undefined"
	}
	return format.People(*v)
}
