package main

import (
	"context"

	"boost/booster/model"
	"boost/configs"
	"boost/dataset"
	"boost/internal/report"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/parallel"
)

// metricsOf is configs.ChooseMetrics for a model.
func metricsOf(m predictor, asked []string) ([]string, error) {
	defaults, err := m.DefaultMetrics()
	if err != nil {
		return nil, err
	}
	return configs.ChooseMetrics(asked, defaults, objectives.MetricLink(m.Objective(), m.Link()))
}

// evaluate computes the metrics on a table that was read with the model's schema
// and has the label. Rows count by the weight column where the table has it.
func evaluate(ctx context.Context, m predictor, t *dataset.Table, names []string, pool *parallel.Pool) (report.Figures, error) {
	byStage, _, err := evaluateStages(ctx, m, t, names, &stages{}, pool)
	if err != nil {
		return nil, err
	}
	return byStage[0].Figures, nil
}

// evaluateStages is evaluate for the rounds that s names: at least one evaluation, in order. It also
// returns what the metrics of the last were computed from.
func evaluateStages(ctx context.Context, m predictor, t *dataset.Table, names []string, s *stages, pool *parallel.Pool) (all []report.Stage, last metrics.Input, err error) {
	if metrics.NeedQueries(names) {
		t, _ = t.ByQuery()
	}
	in, err := m.MetricInput(t, names)
	if err != nil {
		return nil, last, err
	}
	list, err := metrics.List(names)
	if err != nil {
		return nil, last, usagef("%v", err)
	}
	n, k := t.NumRows(), m.Outputs()
	in.Raw, in.Values, in.Pool, in.Threshold = make([]float64, n*k), make([]float64, n*k), pool, m.Trust().PositiveAbove()
	judge := func(rounds int, rowMajor []float64) report.Stage {
		metrics.OutputMajor(rowMajor, k, in.Raw)
		e := report.Stage{Rounds: rounds, Figures: make(report.Figures, len(names))}
		for i, value := range metrics.Evaluate(in, m.Mapping(), list) {
			e.Figures[i] = report.Figure{Name: names[i], Value: value}
		}
		for i := range list {
			for target := range in.Targets {
				e.Figures = append(e.Figures, report.Figure{Name: names[i] + "/" + m.Labels()[target], Value: list[i].Eval(in.Target(target))})
			}
		}
		return e
	}
	opts := append(s.options(), model.Pool(pool))
	if s.every == 0 {
		rowMajor, err := m.PredictRaw(ctx, t, opts...)
		if err != nil {
			return nil, last, err
		}
		return []report.Stage{judge(s.trees(m)/k, rowMajor)}, in, nil
	}
	whole, ok := m.(*model.Model)
	if !ok {
		return nil, last, usagef("stages need all trees at once")
	}
	for stage, err := range whole.Staged(ctx, t, s.every, opts...) {
		if err != nil {
			return nil, last, err
		}
		all = append(all, judge(stage.Rounds(), stage.Raw()))
	}
	return all, in, nil
}
