package booster

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	"boost/binning"
	"boost/booster/cache"
	"boost/booster/internal/dropout"
	"boost/booster/internal/earlystop"
	"boost/booster/internal/labels"
	"boost/booster/internal/scores"
	"boost/booster/internal/share"
	"boost/booster/internal/source"
	"boost/dataset"
	"boost/internal/comm"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/parallel"
)

// evalSet is a set of rows that metrics are computed on after every round.
type evalSet struct {
	name    string
	n       int // rows, those of this rank; labels, weights and queries are of all ranks
	first   int // of these, among those of all ranks
	matrix  *binning.Matrix
	floats  [][]float32 // by feature, of trees with linear leaves; nil else
	labels  dataset.Labels
	weights []float64
	queries []int     // nil where no metric needs them
	initial []float64 // output-major; nil without
	raw     []float64 // outputs × n
	all     []float64 // raw of all ranks, where there are others
	sum     []float64 // of a random forest: what its trees add up to, outputs × n; nil otherwise
	values  []float64
	numbers *dropout.LeafNumbers // of boosting with dropout; nil where there is no room for them
	history [][]*float64         // by metric, then round; nil = not evaluated or undefined
}

// newEvalSet bins a validation set with the training cuts.
func (r *run) newEvalSet(ctx context.Context, v validSet, ex *examples, data *binned, out *cache.Output) (*evalSet, error) {
	from, err := v.source.As(data.schema)
	if err != nil {
		return nil, err
	}
	if t, inMemory := from.(source.InMemory); inMemory && r.judgesQueries {
		from, _ = t.ByQuery()
	}
	table := from.MetaColumns()
	if table.LabelColumn() == nil {
		return nil, fmt.Errorf("%w: the label column is missing", dataset.ErrTable)
	}
	s := &evalSet{name: v.name, n: table.NumRows()}
	if s.n == 0 {
		return nil, fmt.Errorf("%w: no rows", dataset.ErrTable)
	}
	if s.labels, err = ex.labels(table); err != nil {
		return nil, err
	}
	if s.weights, err = labels.Judged(table, s.labels, ex.objective, r.p.Loss, r.p.Metrics); err != nil {
		return nil, err
	}
	if s.queries, err = r.queriesOf(table); err != nil {
		return nil, err
	}
	if ex.initial != nil {
		if s.initial, err = labels.InitScores(table, r.p.Objective, ex.outputs); err != nil {
			return nil, err
		}
		if s.initial == nil {
			r.log.Warn("training starts from init scores, and this set has none: its scores start from 0", "set", s.name)
		}
	}
	codes, err := r.codesOf(ctx, from, data, out)
	if err != nil {
		return nil, err
	}
	if data.coding != nil {
		codes = data.coding.Recode(codes)
	}
	rows := s.n
	part, err := share.Of(r.holders(), from, rows, s.queries)
	if err != nil {
		return nil, err
	}
	codes, s.initial, s.n, s.first = part.Codes(codes), share.Outputs(part, s.initial, rows), part.Len(), part.Lo
	if s.matrix, err = r.layOut(ctx, codes, r.p.scoringLayout()); err != nil {
		return nil, err
	}
	if s.floats, err = r.floats(from); err != nil {
		return nil, err
	}
	s.raw, s.values = make([]float64, ex.outputs*s.n), make([]float64, ex.outputs*rows)
	if r.p.Boosting == RandomForest {
		s.sum = make([]float64, len(s.raw))
	}
	return s, nil
}

// queriesOf returns the queries of a table that metrics are computed on, nil where none needs them.
func (r *run) queriesOf(table *dataset.Table) ([]int, error) {
	if !r.judgesQueries && len(r.metrics[0])+len(r.metrics[1]) == 0 {
		return nil, nil
	}
	queries, err := table.Groups()
	switch {
	case !r.judgesQueries && err != nil: // the caller's metrics may do without
		return nil, nil
	case r.judgesQueries && err == nil && queries == nil:
		return nil, fmt.Errorf("%w: metrics: %w", dataset.ErrTable, objectives.ErrNoQueries)
	}
	return queries, err
}

// ofTrees returns the scores that new trees are added to.
func (s *evalSet) ofTrees() []float64 {
	if s.sum != nil {
		return s.sum
	}
	return s.raw
}

// chooseMetrics chooses the metrics: those of the parameters, else the objective's
// own, and the caller's after them.
func (r *run) chooseMetrics(objective objectives.Objective) ([]metrics.Metric, error) {
	defaults, err := objectives.DefaultMetrics(objective.Name(), objective.Link(), r.p.Loss)
	if err != nil {
		return nil, fmt.Errorf("%w: objective %s: %w", ErrParams, objective.Name(), err)
	}
	names := slices.Clone(r.p.Metrics)
	r.p.Metrics = names // in canonical form
	if len(names) == 0 {
		names = defaults
	}
	r.judgesQueries = metrics.NeedQueries(names)
	var list []metrics.Metric
	for i, name := range names {
		m, err := metrics.NewCanonical(name)
		if err != nil {
			return nil, fmt.Errorf("%w: metrics.names: %w", ErrParams, err)
		}
		if link := objectives.MetricLink(objective.Name(), objective.Link()); !metrics.Fits(name, link, defaults...) {
			return nil, fmt.Errorf("%w: metrics.names: %s is not defined for objective %s (there are %s)",
				ErrParams, name, r.p.Objective, strings.Join(metrics.Fitting(link, defaults...), ", "))
		}
		names[i] = m.Name()
		list = append(list, m)
	}
	list = slices.Concat(r.metrics[0], list, r.metrics[1])
	for i, m := range list {
		if slices.ContainsFunc(list[:i], func(before metrics.Metric) bool { return before.Name() == m.Name() }) {
			return nil, fmt.Errorf("%w: two metrics are called %s: give your own another name", ErrParams, m.Name())
		}
	}
	return list, nil
}

// judge evaluates the model on the validation sets, and decides early stopping.
type judge struct {
	ranks   *comm.Ranks
	link    objectives.Link
	outputs int
	gains   []float64 // of labels, in ndcg
	times   *metrics.Survival
	pool    *parallel.Pool
	metrics []metrics.Metric
	sets    []*evalSet
	evals   []Eval // of the last round; empty if it was not evaluated

	early     bool // early stopping is on
	stop      earlystop.Rule
	undefined bool // the metric that leads early stopping was, which has been logged
}

func (r *run) newJudge(ex *examples, sets []*evalSet, list []metrics.Metric) judge {
	for _, s := range sets {
		s.history = make([][]*float64, len(list))
	}
	return judge{
		ranks: ex.ranks, link: ex.objective.Link(), outputs: ex.outputs, gains: objectives.GainsOf(ex.objective),
		times: (*metrics.Survival)(objectives.SurvivalOf(ex.objective)), pool: r.pool, metrics: list, sets: sets,
		early: r.p.EarlyStopping > 0 && len(sets) > 0, stop: earlystop.Rule{Rounds: r.p.EarlyStopping, MinDelta: r.p.MinDelta, Higher: list[0].HigherIsBetter()},
	}
}

// evaluate computes the metrics of the validation sets after a round, or records that it was
// passed over.
func (j *judge) evaluate(due bool) {
	j.evals = j.evals[:0]
	for _, s := range j.sets {
		var values []float64
		if due {
			values = j.evaluateSet(s)
		}
		for i, m := range j.metrics {
			var value *float64
			if due {
				v := values[i]
				j.evals = append(j.evals, Eval{s.name, m.Name(), v})
				if !math.IsNaN(v) && !math.IsInf(v, 0) {
					value = &v
				}
			}
			s.history[i] = append(s.history[i], value)
		}
	}
}

// evaluateSet returns each metric of a set's raw scores.
func (j *judge) evaluateSet(s *evalSet) []float64 {
	in := metrics.Input{
		Outputs: j.outputs, Raw: s.raw, Values: s.values, Labels: s.labels.Columns[0], Targets: s.labels.Several(), Upper: s.labels.Upper, Weights: s.weights, Queries: s.queries, Gains: j.gains,
		Survival: j.times, Pool: j.pool,
	}
	if j.ranks.Shared() {
		j.shareInput(s, &in)
	}
	return metrics.Evaluate(in, j.link, j.metrics)
}

// best returns the rounds of the best model after some rounds, and whether early stopping ends training.
func (j *judge) best(rounds int, log *slog.Logger) (best int, stop bool) {
	if !j.early {
		return rounds, false
	}
	if len(j.evals) > 0 {
		lead := j.evals[0]
		if math.IsNaN(lead.Value) && !j.undefined {
			j.undefined = true
			log.Warn("the metric that early stopping goes by is undefined, and counts as no better", "set", lead.Set, "metric", lead.Metric)
		}
		stop = j.stop.See(rounds, lead.Value)
	}
	if j.stop.BestRound > 0 {
		return j.stop.BestRound, stop
	}
	return rounds, stop
}

// backToBest drops the rounds after the best one and returns the scores without them.
func (b *boosting) backToBest() []float64 {
	if b.best == b.done && !b.forest() {
		return b.scores
	}
	b.trees = b.trees[:b.best*b.outputs]
	if b.saved != nil {
		b.scores, b.saved = b.saved, nil
		return b.scores
	}
	scores.Start(b.scores, b.initial, b.base)
	b.addAll(b.trees, b.data.coded(), b.scores)
	return b.scores
}
