package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

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
	Retrained   bool                           `json:"retrained,omitempty"` // on all rows, after that
	Blended     int                            `json:"blend,omitempty"`     // models whose mean it is, of which these are the first's rounds
	Bagged      int                            `json:"bag_folds,omitempty"` // models whose mean it is
	Predictions string                         `json:"predictions,omitempty"`
	Quantized   *Compressed                    `json:"quantized,omitempty"`
	Ranks       *Ranks                         `json:"ranks,omitempty"`
	TrainingText
}

// TrainingText is what only the text says.
type TrainingText struct {
	Sets    int  `json:"-"` // of one kind, at most
	HeldOut int  `json:"-"` // rows
	Details bool `json:"-"` // the sum of the model and the memory too
}

// Compressed is the compressed model beside the full one.
type Compressed struct {
	Model       string                `json:"model"`
	Format      string                `json:"format"`
	Bytes       int64                 `json:"bytes"`
	Certificate *compress.Certificate `json:"certificate"`
}

// Ranks says what the first of several processes that trained together has sent to the others.
type Ranks struct {
	Count         int     `json:"count"`
	Calls         int     `json:"calls"` // in which all took part
	Sent          int64   `json:"sent_bytes"`
	Received      int64   `json:"received_bytes"`
	SentPerTree   int64   `json:"sent_bytes_per_tree"` // of the trees that were grown
	SecondsWaited float64 `json:"seconds_waited"`      // in calls
	// Overlapped is the time of calls while which this rank computed.
	Overlapped float64 `json:"seconds_overlapped"`
}

// TrainingSeconds says what the time went to.
type TrainingSeconds struct {
	Load  float64 `json:"load"`
	Bin   float64 `json:"bin"`
	Train float64 `json:"train"`
	Score float64 `json:"score"` // metrics of the rounds that are kept, and of test sets with their predictions
	Save  float64 `json:"save"`
	Total float64 `json:"total"`
}

// MetricsJSON maps the metrics of sets to values, undefined ones to null.
func MetricsJSON(sets map[string]map[string]float64) map[string]map[string]*float64 {
	out := map[string]map[string]*float64{}
	for set, values := range sets {
		out[set] = map[string]*float64{}
		for name, v := range values {
			out[set][name] = format.Finite(v)
		}
	}
	return out
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

// Write writes the report for people: how long training went on and why, a table of the metrics by
// set, then the facts.
func (t *Training) Write(w io.Writer, names []string) error {
	if _, err := fmt.Fprintln(w, t.roundsText(names[0])); err != nil {
		return err
	}
	rows := [][]string{append([]string{""}, names...)}
	for _, kind := range []string{"train", "valid", "test"} {
		for i := range t.Sets {
			values, ok := t.Metrics[SetName(kind, i)]
			if !ok {
				continue
			}
			row := []string{SetName(kind, i)}
			for _, name := range names {
				row = append(row, orUndefined(values[name]))
			}
			rows = append(rows, row)
		}
	}
	if err := format.Table(w, rows, "l"+strings.Repeat("r", len(names))); err != nil {
		return err
	}
	facts := [][]string{
		{"model", fmt.Sprintf("%s, %s", format.OneLine(t.Model), format.Bytes(t.ModelBytes))},
		{"time", t.Seconds.text()},
	}
	if t.Details {
		facts = append(facts, []string{"sha256", t.SHA256}, []string{"memory", format.Bytes(t.PeakMemory) + " at most"})
	}
	if r := t.Ranks; r != nil && t.Details {
		facts = append(facts, []string{"ranks", fmt.Sprintf("%d: the first sent %s, %s a tree, waited %s, and sent and computed at once for %s", r.Count, format.Bytes(r.Sent), format.Bytes(r.SentPerTree), format.Seconds(r.SecondsWaited), format.Seconds(r.Overlapped))})
	}
	if q := t.Quantized; q != nil {
		facts = append(facts, []string{"compressed", fmt.Sprintf("%s  %s, %.1f × smaller, %s", format.OneLine(q.Model), format.Bytes(q.Bytes),
			float64(t.ModelBytes)/float64(q.Bytes), q.Format)}, []string{"", q.cost()})
	}
	if t.Predictions != "" {
		facts = append(facts, []string{"predictions", format.OneLine(t.Predictions)})
	}
	return format.Table(w, facts, "ll")
}

// text says what the time went to. What is in no stage is said where it counts.
func (s *TrainingSeconds) text() string {
	text, other := "", s.Total
	for _, stage := range []struct {
		name    string
		seconds float64
	}{{"load", s.Load}, {"bin", s.Bin}, {"train", s.Train}, {"score", s.Score}, {"save", s.Save}} {
		text += ", " + stage.name + " " + format.Seconds(stage.seconds)
		other -= stage.seconds
	}
	if other > 0.05*s.Total {
		text += ", other " + format.Seconds(other)
	}
	return format.Seconds(s.Total) + ": " + text[2:]
}

// roundsText says how many rounds there are and why no more; lead is the metric of early stopping.
func (t *Training) roundsText(lead string) string {
	text := t.stoppedText(lead)
	if t.Bagged > 0 {
		text += fmt.Sprintf("; the mean of %d models, each of these rounds on all rows but a part", t.Bagged)
	}
	if t.Retrained {
		text += "; then trained on all rows"
	}
	if t.Blended > 0 {
		text += fmt.Sprintf("; metrics are of this model, the first of %d that are averaged", t.Blended)
	}
	return text
}

func (t *Training) stoppedText(lead string) string {
	text := format.Counted(t.BestRound, "round")
	if t.BestRound < t.Rounds {
		text = fmt.Sprintf("%s of %s kept", format.Count(t.BestRound), format.Counted(t.Rounds, "round"))
	}
	on := "valid"
	if t.Bagged > 0 {
		on = "rows left out"
	}
	if t.HeldOut > 0 {
		on = format.Counted(t.HeldOut, "row") + " held out"
	}
	switch t.Stopped {
	case booster.StoppedEarly:
		return fmt.Sprintf("%s: %s more gave no better %s on %s", text, format.Count(t.Rounds-t.BestRound), lead, on)
	case booster.StoppedTimeLimit:
		text += ": the time limit was reached"
	case booster.StoppedInterrupted:
		text += ": interrupted"
	case booster.StoppedUnsplit:
		text += ": no tree has a split"
	default:
		if t.BestRound < t.Rounds {
			return fmt.Sprintf("%s: the best %s on %s", text, lead, on)
		}
	}
	if t.HeldOut > 0 {
		text += "; " + on
	}
	return text
}

// SetName numbers sets in the order given: valid, valid2, ….
func SetName(kind string, i int) string {
	if i == 0 {
		return kind
	}
	return kind + strconv.Itoa(i+1)
}
