package booster

import (
	"encoding/json"
	"math"
	"runtime/debug"

	"boost/booster/internal/sampling"
	"boost/booster/model"
)

// finish makes the model of the best round, and completes the report.
func (b *boosting) finish() (*Model, error) {
	if b.baseModel != nil && b.best == b.first {
		b.log.Warn("no new round was better than the base model: none is kept", "rounds", b.done-b.first)
	}
	b.settle()
	m, err := b.model()
	if err == nil && b.reported {
		b.fillReport()
	}
	return m, err
}

// settle gives the leaves of kept trees the values that they have in the model, where these depend on later rounds.
func (b *boosting) settle() {
	for round := b.first; round < b.best; round++ {
		for i := range b.outputs {
			switch t := &b.trees[round*b.outputs+i]; {
			case b.dart != nil:
				t.Scale(b.dart.Best(round - b.first))
			case b.forest():
				t.Divide(float64(b.best))
			}
		}
	}
}

// model hands everything that was learned to package model.
func (b *boosting) model() (*Model, error) {
	params, err := b.p.ModelParams()
	if err != nil {
		return nil, err
	}
	origin, segments, err := b.origin(params)
	if err != nil {
		return nil, err
	}
	c := model.Contents{
		Objective: b.objective.Name(), Link: b.objective.Link(), Outputs: b.outputs,
		BaseScore: b.base, Classes: b.classes, NumericClasses: b.numeric,
		Params: params, Schema: b.data.schema, Cuts: b.data.cuts,
		Trees: b.trees[:b.best*b.outputs], BestRound: b.best, WideRounds: b.wide,
		Fingerprint: b.data.fingerprint, ValidPrints: b.data.validPrints, NumericsVersion: NumericsVersion,
		Origin: origin, Segments: segments,
	}
	if b.baseModel != nil {
		c.Derived = b.baseModel.Derived()
	}
	for _, s := range b.data.sets {
		for i, m := range b.judge.metrics {
			c.History = append(c.History, model.History{Set: s.name, Metric: m.Name(), Values: s.history[i]})
		}
	}
	return model.New(c)
}

// origin returns what the model was trained from, nil for nothing.
func (r *run) origin(params json.RawMessage) (*model.Origin, []model.Segment, error) {
	if r.baseModel == nil {
		return nil, nil, nil
	}
	return r.baseModel.Continuation(params)
}

// fillReport completes the report of a run that made a model.
func (b *boosting) fillReport() {
	r := b.report
	r.Rounds, r.BestRound, r.Stopped = b.done, b.best, b.stopped
	r.Metrics = map[string]map[string]float64{"train": b.trainMetrics()}
	// A round whose metrics were passed over (Params.MetricsEvery) can be the last one, where training ended before its time.
	passedOver := b.best == b.done && len(b.judge.evals) == 0
	if passedOver && b.forest() {
		b.meanScores()
	}
	for _, s := range b.data.sets {
		values := map[string]float64{}
		for i, m := range b.judge.metrics {
			values[m.Name()] = math.NaN()
			if v := s.history[i][b.best-1]; v != nil {
				values[m.Name()] = *v
			}
		}
		if passedOver {
			for i, v := range b.judge.evaluateSet(s) {
				values[b.judge.metrics[i].Name()] = v
			}
		}
		r.Metrics[s.name] = values
	}
}

// trainMetrics computes the metrics of the kept trees on the training rows.
func (b *boosting) trainMetrics() map[string]float64 {
	s := &evalSet{n: b.n, first: b.First, labels: b.whole.answers, weights: b.whole.tableWeights, queries: b.whole.Queries, raw: b.backToBest()}
	if b.plan.inFiles { // a metric may take more memory than is left beside what the rounds held
		b.data.matrix, b.lanes, b.buffer, b.sampler = nil, lanes{}, nil, sampling.Sampler{}
		debug.FreeOSMemory()
	}
	s.values = make([]float64, b.outputs*b.whole.n)
	values := map[string]float64{}
	for i, v := range b.judge.evaluateSet(s) {
		values[b.judge.metrics[i].Name()] = v
	}
	return values
}
