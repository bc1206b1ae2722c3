package report

import (
	"fmt"
	"io"

	"boost/booster/search"
	"boost/internal/format"
)

// CrossValidation is what cv found.
type CrossValidation struct {
	*search.Result
	Repeats     int
	Strict      bool
	Confidence  float64
	Seconds     float64
	Predictions string // file; "" for none
	Model       string // file of the averaged model; "" for none
	Command     string // trains with the best number of rounds; "" where none is
}

// by are the words for how rows were divided.
var by = map[string]string{
	search.ByRows: "rows at random", search.ByClass: "classes spread evenly", search.ByGroup: "groups kept together",
	search.ByTime: "in the order of time, on all rows before", search.BySliding: "in the order of time, on the block before",
}

// JSON returns what is printed as JSON.
func (c *CrossValidation) JSON() any {
	type metric struct {
		Mean   *float64   `json:"mean"`
		SD     *float64   `json:"sd"`
		Folds  []*float64 `json:"folds"`
		Pooled *float64   `json:"pooled"`
		Low    *float64   `json:"low"`
		High   *float64   `json:"high"`
	}
	type curve struct {
		Mean []*float64 `json:"mean"`
		SD   []*float64 `json:"sd"`
	}
	type rows struct {
		Train int `json:"train"`
		Valid int `json:"valid"`
	}
	out := struct {
		Objective   string            `json:"objective"`
		By          string            `json:"by"`
		Folds       []rows            `json:"folds"`
		Repeats     int               `json:"repeats"`
		Strict      bool              `json:"strict"`
		Rounds      int               `json:"rounds"`
		BestRound   int               `json:"best_round"`
		TimedOut    bool              `json:"timed_out"`
		Metrics     map[string]metric `json:"metrics"`
		Curve       map[string]curve  `json:"curve"`
		Confidence  float64           `json:"confidence"`
		Resamples   int               `json:"resamples"`
		Seconds     float64           `json:"seconds"`
		Predictions string            `json:"predictions,omitempty"`
		Model       string            `json:"model,omitempty"`
		Command     string            `json:"command,omitempty"`
	}{
		Objective: c.Objective, By: c.By, Repeats: c.Repeats, Strict: c.Strict, Rounds: c.Rounds, BestRound: c.Best, TimedOut: c.TimedOut,
		Metrics: map[string]metric{}, Curve: map[string]curve{}, Confidence: c.Confidence, Resamples: c.Resamples, Seconds: c.Seconds,
		Predictions: c.Predictions, Model: c.Model, Command: c.Command,
	}
	for _, fold := range c.Folds {
		out.Folds = append(out.Folds, rows{len(fold.Train), len(fold.Valid)})
	}
	for _, m := range c.Metrics {
		out.Metrics[m.Name] = metric{format.Finite(m.Mean), format.Finite(m.Deviation), finite(m.Folds), format.Finite(m.Pooled), format.Finite(m.Low), format.Finite(m.High)}
		out.Curve[m.Name] = curve{finite(m.MeanByRound), finite(m.DeviationByRound)}
	}
	return out
}

func finite(values []float64) []*float64 {
	out := make([]*float64, len(values))
	for i, v := range values {
		out[i] = format.Finite(v)
	}
	return out
}

// Write writes the report for people.
func (c *CrossValidation) Write(w io.Writer) error {
	folds := fmt.Sprintf("%d folds", len(c.Folds)/c.Repeats)
	if c.Repeats > 1 {
		folds += fmt.Sprintf(", %d times", c.Repeats)
	}
	if c.Strict {
		folds += ", cuts of their own"
	}
	ended := ""
	if c.TimedOut {
		ended = ", ended by train.time_limit"
	}
	if _, err := fmt.Fprintf(w, "%s (%s), %s, best after %s%s\n", folds, by[c.By], format.Counted(c.Rounds, "round"), format.Count(c.Best), ended); err != nil {
		return err
	}
	rows := [][]string{{"", "mean", "sd", "all rows", "from", "to", fmt.Sprintf("(%g %%)", 100*c.Confidence)}}
	for _, m := range c.Metrics {
		row := []string{m.Name}
		for _, v := range []float64{m.Mean, m.Deviation, m.Pooled, m.Low, m.High} {
			row = append(row, orUndefined(format.Finite(v)))
		}
		rows = append(rows, append(row, ""))
	}
	if err := format.Table(w, rows, "lrrrrrl"); err != nil {
		return err
	}
	facts := [][]string{{"time", format.Seconds(c.Seconds)}}
	if c.Predictions != "" {
		facts = append(facts, []string{"predictions", format.OneLine(c.Predictions)})
	}
	if c.Model != "" {
		facts = append(facts, []string{"model", format.OneLine(c.Model)})
	}
	if c.Command != "" {
		facts = append(facts, []string{"train", c.Command})
	}
	return format.Table(w, facts, "ll")
}
