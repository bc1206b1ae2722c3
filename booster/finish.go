package booster

import (
	"math"

	"boost/booster/model"
)

// model hands everything that was learned to package model.
func (t *trainer) model() (*Model, error) {
	params, err := t.p.ModelParams()
	if err != nil {
		return nil, err
	}
	origin, segments, err := t.origin(params)
	if err != nil {
		return nil, err
	}
	c := model.Contents{
		Objective: t.target.objective.Name(), Link: t.target.objective.Link(), Outputs: t.outputs,
		BaseScore: t.base, Classes: t.target.classes, NumericClasses: t.target.numeric,
		Params: params, Schema: t.schema, Cuts: t.cuts,
		Trees: t.trees[:t.best*t.outputs], BestRound: t.best, WideRounds: t.wide,
		Fingerprint: t.fingerprint, ValidPrints: t.validPrints, NumericsVersion: NumericsVersion,
		Origin: origin, Segments: segments,
	}
	for _, s := range t.sets {
		for i, m := range t.metrics {
			c.History = append(c.History, model.History{Set: s.name, Metric: m.Name(), Values: s.history[i]})
		}
	}
	return model.New(c)
}

// fillReport completes the report of a run that made a model.
func (t *trainer) fillReport() {
	r := t.report
	r.Rounds, r.BestRound, r.Stopped = t.done, t.best, t.stopped
	r.Metrics = map[string]map[string]float64{"train": t.trainMetrics()}
	for _, s := range t.sets {
		values := map[string]float64{}
		for i, m := range t.metrics {
			values[m.Name()] = math.NaN()
			if v := s.history[i][t.best-1]; v != nil {
				values[m.Name()] = *v
			}
		}
		r.Metrics[s.name] = values
	}
}

// trainMetrics computes the metrics of the kept trees on the training rows.
func (t *trainer) trainMetrics() map[string]float64 {
	s := &evalSet{n: t.n, labels: t.rows.Labels, weights: t.rows.Weights, raw: t.backToBest()}
	if t.inFiles { // a metric may take more memory than is left beside what the rounds held
		t.matrix, t.whole, t.lanes, t.buffer, t.bag = nil, lane{}, nil, nil, nil
		letGo()
	}
	s.values = make([]float64, len(s.raw))
	t.target.objective.Link().Apply(t.outputs, s.raw, s.values, 0, s.n, s.n)
	values := map[string]float64{}
	for _, m := range t.metrics {
		values[m.Name()] = m.Eval(s.input(t))
	}
	return values
}
