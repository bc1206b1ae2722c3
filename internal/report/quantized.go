package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"boost/internal/format"
	"boost/ptq/compress"
)

// Candidate is one candidate as JSON; null where there is no figure.
type Candidate struct {
	Format   string   `json:"format"`
	Kept     float64  `json:"kept"`   // share of the leaves
	Leaves   int      `json:"leaves"` // in the file
	Merged   int      `json:"merged"` // that it leaves out, as no prediction needs them
	Bytes    int64    `json:"bytes"`
	Loss     *float64 `json:"loss"`
	Bound    *float64 `json:"loss_bound"`
	RawBound *float64 `json:"raw_bound"`
	Best     bool     `json:"best"`
	Chosen   bool     `json:"chosen"`
}

// MarkedLevels says which levels have marks in the place of names, "" for none.
func MarkedLevels(c *compress.Certificate) string {
	if len(c.Marked) == 0 {
		return ""
	}
	return fmt.Sprintf("some levels of %s are without names: one in 4,096 that training did not have is taken for one of them", strings.Join(c.Marked, ", "))
}

// Quantized writes what was tried and what was chosen; leaves compares those of the two models, nil where
// one has others, and before is the size of the full model.
func Quantized(w io.Writer, r *compress.Result, leaves *compress.Comparison, before int64) error {
	rows := [][]string{{"", "leaf values", "bytes", "a leaf", "loss", "at most", "raw score"}}
	withData := false
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if !c.Best && !c.Chosen {
			continue
		}
		mark := ""
		if c.Chosen {
			mark = "→"
		}
		withData = withData || !math.IsNaN(c.Loss)
		rows = append(rows, []string{
			mark, c.Name(), format.Count(int(c.Bytes)), fmt.Sprintf("%.2f", float64(c.Bytes)/float64(max(c.Leaves+c.Merged, 1))),
			format.Share(c.Loss), format.Share(c.Bound), "± " + format.Significant(c.RawBound, 3),
		})
	}
	if err := format.Table(w, rows, "llrrrrr"); err != nil || r.Model == nil {
		return err
	}
	text := fmt.Sprintf("\n%s of %s: %.1f × smaller\n", format.Bytes(r.Bytes), format.Bytes(before), float64(before)/float64(r.Bytes))
	if leaves != nil {
		text += fmt.Sprintf("leaves: cosine %s, mean squared difference %s, largest difference %s\n",
			format.Cosine(leaves.Cosine), format.SixDigits(leaves.MSE), format.SixDigits(leaves.MaxLeaf))
	}
	if c := &r.Certificate; c.Method == compress.ByBootstrap {
		text += fmt.Sprintf("%s on %s that the search did not see: %s, before %s (%s; at most %s with %.4g %% confidence)\n",
			c.Metric, format.Counted(c.Rows, "row"), format.Metric(c.After), format.Metric(c.Before), format.Share(c.Loss()), format.Share(c.LossBound), 100*c.Confidence)
		text += fmt.Sprintf("no prediction of these rows changes by more than %s\n", format.Significant(c.MaxPrediction, 3))
		if c.TrainingData {
			text += "these are rows that the model was trained on: they say nothing of others\n"
		}
	} else {
		text += "what the metric loses is not known: rows with labels tell (--data)\n"
	}
	if words := MarkedLevels(&r.Certificate); words != "" {
		text += words + " (--keep-levels keeps all names)\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// QuantizedJSON returns what quantize prints as JSON; output is the file that was written.
func QuantizedJSON(output string, r *compress.Result, leaves *compress.Comparison, before int64) any {
	out := struct {
		Output      string                `json:"output,omitempty"`
		Before      int64                 `json:"bytes_before"`
		Bytes       int64                 `json:"bytes,omitempty"`
		Certificate *compress.Certificate `json:"certificate,omitempty"`
		Leaves      *Compared             `json:"leaves,omitempty"`
		Candidates  []Candidate           `json:"candidates"`
	}{Before: before}
	if leaves != nil {
		c := NewCompared(leaves)
		out.Leaves = &c
	}
	if r.Model != nil {
		out.Output, out.Bytes, out.Certificate = output, r.Bytes, &r.Certificate
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		out.Candidates = append(out.Candidates, Candidate{
			c.Name(), c.Kept, c.Leaves, c.Merged, c.Bytes, format.Finite(c.Loss), format.Finite(c.Bound), format.Finite(c.RawBound), c.Best, c.Chosen,
		})
	}
	return out
}
