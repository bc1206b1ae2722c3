package main

import (
	"context"
	"io"
	"time"

	"boost/booster/model"
	"boost/cmd/boost/internal/evaluation"
	"boost/cmd/boost/internal/filename"
	"boost/dataset/write"
	"boost/internal/peakmemory"
	"boost/internal/predictions"
	"boost/internal/report"
)

// finish looks at the test sets, writes their predictions and prints the summary.
func (r *trainRun) finish(ctx context.Context, m *model.Model, path string, interrupted bool) error {
	sha, err := m.SHA256()
	if err != nil {
		return err
	}
	s := report.Training{
		Model: path, Objective: r.report.Objective, Rounds: r.report.Rounds, BestRound: r.report.BestRound,
		Stopped: r.report.Stopped, Metrics: report.MetricsJSON(r.report.Metrics), ModelBytes: filename.Size(path), SHA256: sha,
		Threads: r.report.Threads, Builder: r.report.Builder, Gradients: r.report.Gradients,
		Seconds: report.TrainingSeconds{Load: r.loading.Seconds(), Bin: r.report.BinSeconds, Train: r.report.TrainSeconds,
			Score: r.report.ScoreSeconds, Save: r.saving.Seconds()},
		Retrained: r.report.Retrained, Bagged: r.report.Bagged, Blended: r.report.Blended,
		TrainingText: report.TrainingText{Sets: max(1, len(r.config.Data.Valid), len(r.tests)), HeldOut: len(r.report.HeldOut), Details: r.a.verbose},
	}
	if r.small != nil {
		s.Quantized = &report.Compressed{Model: r.config.Quantize.Output, Format: r.small.Chosen().Name(), Bytes: r.small.Bytes, Certificate: &r.small.Certificate}
	}
	if r.comm != nil {
		trees := max(1, r.report.Rounds*max(1, m.Outputs()))
		s.Ranks = &report.Ranks{Count: r.comm.Size(), Calls: r.sent.Calls, Sent: r.sent.Sent, Received: r.sent.Received,
			SentPerTree: r.sent.Sent / int64(trees), SecondsWaited: r.sent.Waited.Seconds(), Overlapped: r.sent.Overlapped.Seconds()}
	}
	names := r.config.Params.Metrics
	if len(names) == 0 {
		var err error
		if names, err = m.DefaultMetrics(); err != nil {
			return err
		}
	}
	if !interrupted {
		start := time.Now()
		if err := r.test(ctx, m, names, &s); err != nil {
			return err
		}
		s.Seconds.Score += time.Since(start).Seconds()
	}
	s.PeakMemory, s.Seconds.Total = peakmemory.Bytes(), time.Since(r.a.started).Seconds()
	if r.a.quiet && !r.json {
		return nil
	}
	return r.a.answer(r.json, s, func(w io.Writer) error { return s.Write(w, names) })
}

// test evaluates the test sets and writes their predictions.
func (r *trainRun) test(ctx context.Context, m *model.Model, names []string, s *report.Training) error {
	if len(r.tests) == 0 {
		return nil
	}
	pool := r.a.pool(r.config.Params.Threads)
	defer pool.Close()
	for i, t := range r.tests {
		r.a.reportInitScores(m.LacksInitScores(t), r.config.Data.Test[i])
		if t.LabelColumn() == nil {
			continue
		}
		figures, err := evaluation.Whole(ctx, m, t, names, pool)
		if err != nil {
			return err
		}
		s.Metrics[report.SetName("test", i)] = figures.JSON()
	}
	if s.Predictions = r.config.Output.Predictions; s.Predictions == "" {
		return nil
	}
	p := predictions.Predictions{Model: m, Kinds: []string{"value"}, Format: write.FormatOf(s.Predictions), Pool: pool}
	return r.a.writePacked(s.Predictions, func(w io.Writer) error { return p.Write(ctx, w, r.tests...) })
}
