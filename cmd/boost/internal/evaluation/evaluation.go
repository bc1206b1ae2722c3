package evaluation

import (
	"context"

	"boost/booster/model"
	"boost/cmd/boost/internal/exit"
	"boost/configs"
	"boost/dataset"
	"boost/internal/report"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/parallel"
)

// MetricsOf is configs.ChooseMetrics for a model.
func MetricsOf(m Model, asked []string) ([]string, error) {
	defaults, err := m.DefaultMetrics()
	if err != nil {
		return nil, err
	}
	return configs.ChooseMetrics(asked, defaults, objectives.MetricLink(m.Objective(), m.Link()))
}

// Whole computes the metrics on a table that was read with the model's schema
// and has the label. Rows count by the weight column where the table has it.
func Whole(ctx context.Context, m Model, t *dataset.Table, names []string, pool *parallel.Pool) (report.Figures, error) {
	byStage, _, err := ByStage(ctx, m, t, names, &Stages{}, pool)
	if err != nil {
		return nil, err
	}
	return byStage[0].Figures, nil
}

// ByStage is Whole for the rounds that s names: at least one evaluation, in order. It also
// returns what the metrics of the last were computed from.
func ByStage(ctx context.Context, m Model, t *dataset.Table, names []string, s *Stages, pool *parallel.Pool) (all []report.Stage, last metrics.Input, err error) {
	if metrics.NeedQueries(names) {
		t, _ = t.ByQuery()
	}
	in, err := m.MetricInput(t, names)
	if err != nil {
		return nil, last, err
	}
	list, err := metrics.List(names)
	if err != nil {
		return nil, last, exit.Usagef("%v", err)
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
	opts := append(s.Options(), model.Pool(pool))
	if s.Every == 0 {
		rowMajor, err := m.PredictRaw(ctx, t, opts...)
		if err != nil {
			return nil, last, err
		}
		return []report.Stage{judge(s.Trees(m)/k, rowMajor)}, in, nil
	}
	whole, ok := m.(*model.Model)
	if !ok {
		return nil, last, exit.Usagef("stages need all trees at once")
	}
	for stage, err := range whole.Staged(ctx, t, s.Every, opts...) {
		if err != nil {
			return nil, last, err
		}
		all = append(all, judge(stage.Rounds(), stage.Raw()))
	}
	return all, in, nil
}
