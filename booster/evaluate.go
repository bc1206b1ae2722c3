package booster

import (
	"context"
	"fmt"
	"math"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/objectives/metrics"
	"boost/parallel"
	"boost/tree"
)

// evalSet is a set of rows that metrics are computed on after every round.
type evalSet struct {
	name    string
	n       int
	matrix  *binning.Matrix
	labels  []float64
	weights []float64
	initial []float64 // output-major; nil without
	raw     []float64 // outputs × n
	values  []float64
	history [][]*float64 // by metric, then round; nil = not evaluated or undefined
}

// newEvalSet bins a validation set with the training cuts.
func (t *trainer) newEvalSet(ctx context.Context, v validSet, out *cacheOutput) (*evalSet, error) {
	source, err := v.source.as(t.schema)
	if err != nil {
		return nil, err
	}
	table := source.rest()
	if table.LabelColumn() == nil {
		return nil, fmt.Errorf("%w: the label column is missing", dataset.ErrTable)
	}
	s := &evalSet{name: v.name, n: table.NumRows(), history: make([][]*float64, len(t.metrics))}
	if s.n == 0 {
		return nil, fmt.Errorf("%w: no rows", dataset.ErrTable)
	}
	if s.labels, err = t.target.labels(table); err != nil {
		return nil, err
	}
	if s.weights, err = table.Weights(); err != nil {
		return nil, err
	}
	if err = t.setInitScores(s, table); err != nil {
		return nil, err
	}
	if s.matrix, err = t.matrixOf(ctx, source, t.p.scoringLayout(), out); err != nil {
		return nil, err
	}
	s.raw, s.values = make([]float64, t.outputs*s.n), make([]float64, t.outputs*s.n)
	return s, nil
}

// treeTask adds one tree to the raw scores of one output, by blocks of rows.
type treeTask struct {
	t      *tree.Tree
	cuts   *binning.Cuts
	matrix *binning.Matrix
	scores []float64
	rows   []uint32 // nil: all rows
}

// treeBlock is the number of rows of one piece of a treeTask.
const treeBlock = 4096

func (a *treeTask) pieces() int {
	if a.rows != nil {
		return parallel.Blocks(len(a.rows), treeBlock)
	}
	return parallel.Blocks(len(a.scores), treeBlock)
}

func (a *treeTask) Run(_, block int) {
	if a.rows != nil {
		lo, hi := parallel.Block(block, len(a.rows), treeBlock)
		model.AddScoresRows(a.t, a.cuts, a.matrix, a.rows[lo:hi], a.scores)
		return
	}
	lo, hi := parallel.Block(block, len(a.scores), treeBlock)
	model.AddScores(a.t, a.cuts, a.matrix, lo, hi, a.scores)
}

// evaluate computes the metrics of the validation sets for the round just done, or
// records that it was passed over.
func (t *trainer) evaluate(round int) {
	t.evaluateSets((round+1)%t.p.MetricsEvery == 0 || round+1 == t.first+t.p.Rounds)
}

func (t *trainer) evaluateSets(due bool) {
	t.evals = t.evals[:0]
	for _, s := range t.sets {
		if due {
			t.target.objective.Link().Apply(t.outputs, s.raw, s.values, 0, s.n, s.n)
		}
		for i, m := range t.metrics {
			var value *float64
			if due {
				v := m.Eval(s.input(t))
				t.evals = append(t.evals, Eval{s.name, m.Name(), v})
				if !math.IsNaN(v) && !math.IsInf(v, 0) {
					value = &v
				}
			}
			s.history[i] = append(s.history[i], value)
		}
	}
}

func (s *evalSet) input(t *trainer) metrics.Input {
	return metrics.Input{
		Outputs: t.outputs, Raw: s.raw, Values: s.values, Labels: s.labels, Weights: s.weights, Pool: t.pool,
	}
}

// stopper decides early stopping by the first metric of the first validation set.
type stopper struct {
	patience  int
	higher    bool
	bestValue float64
	bestRound int // rounds of the best model; 0 = none yet
	first     int // rounds before the first that is seen
}

func newStopper(patience int, list []metrics.Metric) stopper {
	return stopper{patience: patience, higher: list[0].HigherIsBetter()}
}

// see takes the leading metric after some rounds and reports whether to stop. Only a
// strictly better value counts, NaN never (docs/architecture.md, Numerics 8).
func (s *stopper) see(rounds int, value float64) (stop bool) {
	better := s.bestRound == 0 || value < s.bestValue
	if s.higher {
		better = s.bestRound == 0 || value > s.bestValue
	}
	if !math.IsNaN(value) && better {
		s.bestValue, s.bestRound = value, rounds
	}
	return rounds-max(s.bestRound, s.first) >= s.patience
}
