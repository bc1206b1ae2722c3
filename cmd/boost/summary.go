package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset/write"
	"boost/internal/format"
	"boost/objectives"
	"boost/ptq/compress"
)

// summary is what train prints as JSON.
type summary struct {
	Model       string                         `json:"model"`
	Objective   string                         `json:"objective"`
	Rounds      int                            `json:"rounds"`
	BestRound   int                            `json:"best_round"`
	Stopped     string                         `json:"stopped"`
	Metrics     map[string]map[string]*float64 `json:"metrics"`
	Seconds     seconds                        `json:"seconds"`
	PeakMemory  int64                          `json:"peak_memory"`
	ModelBytes  int64                          `json:"model_bytes"`
	SHA256      string                         `json:"sha256"`
	Threads     int                            `json:"threads"`
	Builder     string                         `json:"builder"`
	Gradients   string                         `json:"gradients"`
	Predictions string                         `json:"predictions,omitempty"`
	Quantized   *quantizedSummary              `json:"quantized,omitempty"`
	sets        int                            // of one kind, at most
}

// quantizedSummary is the compressed model beside the full one.
type quantizedSummary struct {
	Model       string                `json:"model"`
	Format      string                `json:"format"`
	Bytes       int64                 `json:"bytes"`
	Certificate *compress.Certificate `json:"certificate"`
}

type seconds struct {
	Load  float64 `json:"load"`
	Bin   float64 `json:"bin"`
	Train float64 `json:"train"`
	Total float64 `json:"total"`
}

// finish looks at the test sets, writes their predictions and prints the summary.
func (r *trainRun) finish(ctx context.Context, m *model.Model, path string, interrupted bool) error {
	sha, err := m.SHA256()
	if err != nil {
		return err
	}
	s := summary{
		Model: path, Objective: r.report.Objective, Rounds: r.report.Rounds, BestRound: r.report.BestRound,
		Stopped: r.report.Stopped, Metrics: map[string]map[string]*float64{}, ModelBytes: modelSize(path), SHA256: sha,
		Threads: r.report.Threads, Builder: r.report.Builder, Gradients: r.report.Gradients,
		sets:    max(1, len(r.config.Data.Valid), len(r.tests)),
		Seconds: seconds{Load: r.loading.Seconds(), Bin: r.report.BinSeconds, Train: r.report.TrainSeconds},
	}
	for set, values := range r.report.Metrics {
		s.Metrics[set] = map[string]*float64{}
		for name, v := range values {
			s.Metrics[set][name] = format.Finite(v)
		}
	}
	if r.small != nil {
		s.Quantized = &quantizedSummary{r.config.Quantize.Output, r.small.Chosen().Name(), r.small.Bytes, &r.small.Certificate}
	}
	names := r.config.Params.Metrics
	if len(names) == 0 {
		var err error
		if names, err = objectives.DefaultMetrics(m.Contents().Objective, m.Link()); err != nil {
			return err
		}
	}
	if !interrupted {
		if err := r.test(ctx, m, names, &s); err != nil {
			return err
		}
	}
	s.PeakMemory, s.Seconds.Total = peakMemory(), time.Since(r.a.started).Seconds()
	switch {
	case r.json:
		return r.a.writeOutput("", func(w *bufio.Writer) error { return format.JSON(w, s) })
	case r.a.quiet:
		return nil
	}
	if r.a.terminal.interactive {
		_, _ = r.a.terminal.Write([]byte("\n")) // parts the messages from the table
	}
	return r.a.writeOutput("", func(w *bufio.Writer) error { return s.write(w, names) })
}

// test evaluates the test sets and writes their predictions.
func (r *trainRun) test(ctx context.Context, m *model.Model, names []string, s *summary) error {
	if len(r.tests) == 0 {
		return nil
	}
	pool := r.a.pool(r.config.Params.Threads)
	defer pool.Close()
	for i, t := range r.tests {
		r.a.reportInitScores(t, m, r.config.Data.Test[i])
		if t.LabelColumn() == nil {
			continue
		}
		figures, err := evaluate(ctx, m, t, names, pool)
		if err != nil {
			return err
		}
		s.Metrics[setName("test", i)] = figuresJSON(figures)
	}
	if s.Predictions = r.config.Output.Predictions; s.Predictions == "" {
		return nil
	}
	p := predictions{model: m, kind: "value", format: write.FormatOf(s.Predictions), pool: pool}
	return r.a.writeOutput(s.Predictions, func(w *bufio.Writer) error {
		return write.Packed(w, s.Predictions, func(w io.Writer) error { return p.write(ctx, w, r.tests...) })
	})
}

// cost says what the compressed model loses.
func (q *quantizedSummary) cost() string {
	c := q.Certificate
	if c.Method != compress.ByBootstrap {
		return "what the metric loses is not known: rows with labels tell (boost quantize --data)"
	}
	return fmt.Sprintf("%s %s on %s that no tree was grown on, at most %s with %.4g %% confidence",
		c.Metric, format.Share(c.Loss()), format.Counted(c.Rows, "row"), format.Share(c.LossBound), 100*c.Confidence)
}

// write prints the summary for people: a table of the metrics by set, then the facts.
func (s *summary) write(w *bufio.Writer, names []string) error {
	rows := [][]string{append([]string{""}, names...)}
	align := "l"
	for range names {
		align += "r"
	}
	for _, kind := range []string{"train", "valid", "test"} {
		for i := range s.sets {
			values, ok := s.Metrics[setName(kind, i)]
			if !ok {
				continue
			}
			row := []string{setName(kind, i)}
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
		{"model", fmt.Sprintf("%s  %s", format.OneLine(s.Model), format.Bytes(s.ModelBytes))},
		{"sha256", s.SHA256},
		{"rounds", s.roundsText()},
		{"time", fmt.Sprintf("load %s, bin %s, train %s, total %s", format.Seconds(s.Seconds.Load), format.Seconds(s.Seconds.Bin),
			format.Seconds(s.Seconds.Train), format.Seconds(s.Seconds.Total))},
		{"memory", format.Bytes(s.PeakMemory) + " at most"},
	}
	if q := s.Quantized; q != nil {
		facts = append(facts, []string{"compressed", fmt.Sprintf("%s  %s, %.1f × smaller, %s", format.OneLine(q.Model), format.Bytes(q.Bytes),
			float64(s.ModelBytes)/float64(q.Bytes), q.Format)}, []string{"", q.cost()})
	}
	if s.Predictions != "" {
		facts = append(facts, []string{"predictions", format.OneLine(s.Predictions)})
	}
	if _, err := w.WriteString("\n"); err != nil {
		return err
	}
	return format.Table(w, facts, "ll")
}

func (s *summary) roundsText() string {
	why := map[string]string{
		booster.StoppedRounds:      "all rounds done",
		booster.StoppedEarly:       "stopped early",
		booster.StoppedTimeLimit:   "time limit reached",
		booster.StoppedInterrupted: "interrupted",
	}[s.Stopped]
	return fmt.Sprintf("%s kept of %s trained, %s", format.Count(s.BestRound), format.Count(s.Rounds), why)
}
