package compression

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"boost/benchmarks/harness"
)

// Record is one run of `benchmarks compression`.
type Record struct {
	Machine harness.Machine `json:"machine"`
	Sets    []SetFigures    `json:"sets"`
}

// SetFigures are those of one set's model.
type SetFigures struct {
	Set          string   `json:"set"`
	Metric       string   `json:"metric"`
	Trees        int      `json:"trees"`
	Leaves       int      `json:"leaves"`
	Loss         float64  `json:"loss"`
	Forms        []Figure `json:"forms"`
	Calibrations []Figure `json:"calibrations"`
	Feedback     []Figure `json:"feedback"`
}

// Save writes the record as JSON.
func (r *Record) Save(path string) error {
	head, err := json.Marshal(r.Machine)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("{\"machine\": %s,\n\"sets\": [", head)
	for i := range r.Sets { // a line for each: thousands of figures
		b, err := json.Marshal(&r.Sets[i])
		if err != nil {
			return err
		}
		if i > 0 {
			text += ","
		}
		text += "\n" + string(b)
	}
	return os.WriteFile(path, []byte(text+"\n]}\n"), 0o666)
}

// seedCosines are those that the source document gives.
var seedCosines = map[string]string{
	"F64": "1.000", "BF16": ".999+", "I8": ".998+", "I4": ".99+", "FP4": ".99+", "I2": ".97+", "Ternary": ".96+", "Binary": ".90+",
}

// UpdateDocument puts the record's tables into the Markdown file at path.
func (r *Record) UpdateDocument(path string) error {
	var b strings.Builder
	r.writeForms(&b)
	r.writeCalibrations(&b)
	r.writeFeedback(&b)
	return harness.ReplaceSection(path, "leaves", b.String())
}

func (r *Record) writeForms(w io.Writer) {
	fmt.Fprintf(w, `## Leaves by type

`+"`make compression`"+`, %s. Models of 200 rounds of 31 leaves, settings of `+"`reference.json`"+`; change of the loss on
test rows in percent, the loss itself in the last line. Default scales: by the largest leaf of an output, those of Q4_0 and of the
tiers by block. "seed" is the cosine that the source document gives; "cosine" the lowest of these models', each leaf counted
once; "bytes" is for a leaf, with scales, the mean of the models. "Bound" is the largest that raw scores can change by,
from the leaves alone, as a multiple of what they change by at most on the test rows, the median of the models. The seed's
cosines suit values that are spread evenly; leaves are few large ones and many small ones, which one scale of 4 bits or fewer
makes 0. Where all outputs share a scale, even I8 falls below the seed: see "I8 absmax, model" further down.

A cosine never stands alone. It is blind to a common factor, and a leaf that one training row reached counts in it like one
that half of them reached: models can have a cosine of .999 and predict badly. What the loss on test rows changes by decides,
and where there are no rows the bound on raw scores.

`, r.Machine)
	r.table(w, func(s *SetFigures) []Figure { return s.Forms }, true)
	line := "| loss | | | | | |"
	for i := range r.Sets {
		line += fmt.Sprintf(" %.5g |", r.Sets[i].Loss)
	}
	fmt.Fprintln(w, line)
}

func (r *Record) writeCalibrations(w io.Writer) {
	fmt.Fprint(w, `
## Ways to choose a scale

The same models and figures. "percentile" clamps leaves beyond it; "mse" takes the scale with the least squared error, "covers"
with leaves weighed by their hessians in training and "rows" by the training rows that reach them. A scale is that of an
output's leaves unless "model" or "tree" is said; it takes 8 bytes.

`)
	r.table(w, func(s *SetFigures) []Figure { return s.Calibrations }, false)
}

func (r *Record) writeFeedback(w io.Writer) {
	fmt.Fprint(w, `
## Error feedback

The same models, stored in Q4_0 (4 bits), warm5 (5) and cold (3), which have scales for each tree. "rows": what the trees
stored so far leave at the training rows is pushed forward to the leaves of the next ones, and "hessians" weighs rows by the
second derivative of their loss there. "refit": leaves are refitted to the training rows while they are stored, without the
old values or with half of them. "training": another model, whose trees are grown on the scores of stored leaves
(`+"`quantize.error_feedback`"+`), so that its changes are also those of any other model.

Feedback makes predictions better and single leaves worse: cosines fall, and so does what the bound is worth.

`)
	r.table(w, func(s *SetFigures) []Figure { return s.Feedback }, false)
}

// table writes a line for each way and a column for each set.
func (r *Record) table(w io.Writer, of func(*SetFigures) []Figure, seed bool) {
	head, rule := "| |", "|---|"
	if seed {
		head, rule = head+" seed |", rule+"--:|"
	}
	head, rule = head+" cosine | bytes | bound | mean |", rule+"--:|--:|--:|--:|"
	for i := range r.Sets {
		head, rule = head+" "+r.Sets[i].Set+" |", rule+"--:|"
	}
	fmt.Fprintf(w, "%s\n%s\n", head, rule)
	for i, first := range of(&r.Sets[0]) {
		var cosines, bounds []float64
		bytes, mean, cells := 0.0, 0.0, ""
		for k := range r.Sets {
			f := of(&r.Sets[k])[i]
			cosines = append(cosines, f.Cosine)
			if f.Raw > 0 {
				bounds = append(bounds, f.Bound/f.Raw)
			}
			bytes += f.Bytes / float64(len(r.Sets))
			mean += 100 * f.Change / float64(len(r.Sets))
			cells += " " + percent(100*f.Change) + " |"
		}
		fmt.Fprintf(w, "| %s |", first.Way)
		if seed {
			fmt.Fprintf(w, " %s |", seedCosines[first.Way])
		}
		fmt.Fprintf(w, " %s | %.3f | %s | %s |%s\n", cosineText(slices.Min(cosines)), bytes, median(bounds), percent(mean), cells)
	}
}

func percent(x float64) string {
	switch {
	case x > -0.0005 && x < 0.0005:
		return "0"
	case x > -10 && x < 10:
		return fmt.Sprintf("%+.3f", x)
	}
	return fmt.Sprintf("%+.0f", x)
}

// cosineText is empty for 0: leaves that cannot be compared.
func cosineText(c float64) string {
	switch {
	case c == 0:
		return ""
	case c > 0.999995:
		return "1.00000"
	}
	return fmt.Sprintf("%.5f", c)
}

// median returns the middle of ratios, the lower one of two; nothing for none.
func median(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	slices.Sort(values)
	return fmt.Sprintf("%.1f", values[(len(values)-1)/2])
}
