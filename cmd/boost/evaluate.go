package main

import (
	"context"
	"fmt"

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
	labels, err := t.EncodeLabels(m.Classes(), m.NumericClasses())
	if err != nil {
		return nil, last, err
	}
	weights, err := t.Weights()
	if err != nil {
		return nil, last, err
	}
	queries, gains, err := queriesOf(m, t, names)
	if err != nil {
		return nil, last, err
	}
	list, err := metrics.List(names)
	if err != nil {
		return nil, last, usagef("%v", err)
	}
	n, k := t.NumRows(), m.Outputs()
	survival, err := m.Survival()
	if err != nil {
		return nil, last, err
	}
	in := metrics.Input{
		Outputs: k, Raw: make([]float64, n*k), Values: make([]float64, n*k),
		Labels: labels, Weights: weights, Queries: queries, Gains: gains, Survival: survival, Pool: pool,
	}
	judge := func(rounds int, rowMajor []float64) report.Stage {
		metrics.OutputMajor(rowMajor, k, in.Raw)
		e := report.Stage{Rounds: rounds, Figures: make(report.Figures, len(names))}
		for i, value := range metrics.Evaluate(in, m.Link(), list) {
			e.Figures[i] = report.Figure{Name: names[i], Value: value}
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

// queriesOf returns the queries of a table and the gains of labels if a metric of these names needs them.
func queriesOf(m predictor, t *dataset.Table, names []string) (queries []int, gains []float64, err error) {
	if !metrics.NeedQueries(names) {
		return nil, nil, nil
	}
	if queries, err = t.Groups(); err != nil {
		return nil, nil, err
	}
	if queries == nil {
		return nil, nil, fmt.Errorf("%w: metrics of queries: %w", dataset.ErrTable, objectives.ErrNoQueries)
	}
	gains, err = m.LabelGains()
	return queries, gains, err
}
