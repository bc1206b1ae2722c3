package report

import (
	"fmt"
	"io"
	"strconv"

	"boost/booster"
	"boost/internal/format"
	"boost/ptq/compress"
)

// Training is what train prints as JSON.
type Training struct {
	Model       string                         `json:"model"`
	Objective   string                         `json:"objective"`
	Rounds      int                            `json:"rounds"`
	BestRound   int                            `json:"best_round"`
	Stopped     string                         `json:"stopped"`
	Metrics     map[string]map[string]*float64 `json:"metrics"`
	Seconds     TrainingSeconds                `json:"seconds"`
	PeakMemory  int64                          `json:"peak_memory"`
	ModelBytes  int64                          `json:"model_bytes"`
	SHA256      string                         `json:"sha256"`
	Threads     int                            `json:"threads"`
	Builder     string                         `json:"builder"`
	Gradients   string                         `json:"gradients"`
	Predictions string                         `json:"predictions,omitempty"`
	Quantized   *Compressed                    `json:"quantized,omitempty"`
	Sets        int                            `json:"-"` // of one kind, at most
}

// Compressed is the compressed model beside the full one.
type Compressed struct {
	Model       string                `json:"model"`
	Format      string                `json:"format"`
	Bytes       int64                 `json:"bytes"`
	Certificate *compress.Certificate `json:"certificate"`
}

// TrainingSeconds says what the time went to.
type TrainingSeconds struct {
	Load  float64 `json:"load"`
	Bin   float64 `json:"bin"`
	Train float64 `json:"train"`
	Total float64 `json:"total"`
}

// cost says what the compressed model loses.
func (q *Compressed) cost() string {
	c := q.Certificate
	if c.Method != compress.ByBootstrap {
		return "what the metric loses is not known: rows with labels tell (boost quantize --data)"
	}
	return fmt.Sprintf("%s %s on %s that no tree was grown on, at most %s with %.4g %% confidence",
		c.Metric, format.Share(c.Loss()), format.Counted(c.Rows, "row"), format.Share(c.LossBound), 100*c.Confidence)
}

// Write writes the report for people: a table of the metrics by set, then the facts.
func (t *Training) Write(w io.Writer, names []string) error {
	rows := [][]string{append([]string{""}, names...)}
	align := "l"
	for range names {
		align += "r"
	}
	for _, kind := range []string{"train", "valid", "test"} {
		for i := range t.Sets {
			values, ok := t.Metrics[SetName(kind, i)]
			if !ok {
				continue
			}
			row := []string{SetName(kind, i)}
			for _, name := range names {
				text := "undefined"
				if v := values[name]; v != nil {
					text = format.Metric(*v)
				}
				row = append(row, text)
			}
			rows = append(rows, row)
		}
	}
	if err := format.Table(w, rows, align); err != nil {
		return err
	}
	facts := [][]string{
		{"model", fmt.Sprintf("%s  %s", format.OneLine(t.Model), format.Bytes(t.ModelBytes))},
		{"sha256", t.SHA256},
		{"rounds", t.roundsText()},
		{"time", fmt.Sprintf("load %s, bin %s, train %s, total %s", format.Seconds(t.Seconds.Load), format.Seconds(t.Seconds.Bin),
			format.Seconds(t.Seconds.Train), format.Seconds(t.Seconds.Total))},
		{"memory", format.Bytes(t.PeakMemory) + " at most"},
	}
	if q := t.Quantized; q != nil {
		facts = append(facts, []string{"compressed", fmt.Sprintf("%s  %s, %.1f × smaller, %s", format.OneLine(q.Model), format.Bytes(q.Bytes),
			float64(t.ModelBytes)/float64(q.Bytes), q.Format)}, []string{"", q.cost()})
	}
	if t.Predictions != "" {
		facts = append(facts, []string{"predictions", format.OneLine(t.Predictions)})
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return format.Table(w, facts, "ll")
}

func (t *Training) roundsText() string {
	why := map[string]string{
		booster.StoppedRounds:      "all rounds done",
		booster.StoppedEarly:       "stopped early",
		booster.StoppedTimeLimit:   "time limit reached",
		booster.StoppedInterrupted: "interrupted",
	}[t.Stopped]
	return fmt.Sprintf("%s kept of %s trained, %s", format.Count(t.BestRound), format.Count(t.Rounds), why)
}

// SetName numbers sets in the order given: valid, valid2, ….
func SetName(kind string, i int) string {
	if i == 0 {
		return kind
	}
	return kind + strconv.Itoa(i+1)
}
