package compress

import (
	"errors"
	"fmt"
	"math"

	"boost/booster/model"
	"boost/ptq"
)

// Leaves is the leaf tensor of a model in a form. Immutable; safe for concurrent use.
type Leaves struct {
	// Values are the leaves, in the order of model.Model.Leaves.
	Values ptq.Values
	// Grouping says which of them share a scale, as model.Compression does.
	Grouping string
	// Trees is the largest |leaf − stored leaf| of each tree, never below the true one.
	Trees []float64
	// Squared is the sum of the squares of these differences over all leaves.
	Squared float64
	// Bound is for each output what no raw score changes by more than, whatever the row,
	// where scores are sums of real numbers (S3.60): the sum of Trees over the output's
	// trees, rounded up. ScoreBound is the like for scores as they are computed.
	Bound []float64

	rounds     int
	linear     bool // some leaves add what no bound holds for
	base       []float64
	magnitudes []float64 // by output: Σ over its trees of max|leaf| + max|stored leaf|, rounded up
}

// newLeaves measures values that stand for the tensor's leaves.
func (t *Tensor) newLeaves(values ptq.Values, by Granularity) (*Leaves, error) {
	originals := t.model.Leaves()
	moved, err := values.Measure(originals, t.trees)
	if err != nil {
		return nil, err
	}
	outputs := t.model.Outputs()
	l := &Leaves{
		Values: values, Grouping: by.grouping(t.model, values.Form()), Squared: moved.Squared, Bound: make([]float64, outputs),
		rounds: t.model.Rounds(), linear: t.model.HasLinear(), base: t.model.Contents().BaseScore, magnitudes: make([]float64, outputs),
	}
	if t.trees == nil {
		return l, nil
	}
	l.Trees = moved.ByGroup
	stored := make([]float64, 0, 256)
	from := 0
	for i, end := range t.trees.Ends() {
		k := i % outputs
		if n := end - from; n > cap(stored) {
			stored = make([]float64, 0, n)
		}
		stored = stored[:end-from]
		values.DecodeRange(stored, from)
		l.Bound[k] = addUp(l.Bound[k], l.Trees[i])
		l.magnitudes[k] = addUp(l.magnitudes[k], addUp(largest(originals[from:end]), largest(stored)))
		from = end
	}
	return l, nil
}

// largest returns the largest magnitude.
func largest(values []float64) float64 {
	most := 0.0
	for _, v := range values {
		most = max(most, math.Abs(v))
	}
	return most
}

// ScoreBound returns what no raw score of an output, as it is computed, changes by more than,
// for rows whose scores start from a number of magnitude start: the model's base score, or an
// init score of the table. +Inf says that float64 cannot hold the bound, or that the model has linear leaves, which may add anything.
//
// A score is start and then every tree's leaf, added in float64 one after the other: n
// additions, each of which is off by at most u = 2⁻⁵³ of its result. Such a sum differs from that
// of real numbers by at most γ = nu/(1−nu) times the sum of the terms' magnitudes (Higham,
// Accuracy and Stability of Numerical Algorithms, 2002, §4.2), and this holds for both models:
//
//	|computed − computed'| ≤ Bound + γ·(2·|start| + Σ (max|leaf| + max|stored leaf|))
//
// with every operation rounded up. Where Bound is 0, no leaf has changed and neither has any
// score.
func (l *Leaves) ScoreBound(output int, start float64) float64 {
	if l.Bound[output] == 0 {
		return 0
	}
	if l.linear {
		return math.Inf(1)
	}
	nu := math.Ldexp(float64(l.rounds), -53) // exact
	gamma := up(nu / math.Nextafter(1-nu, 0))
	terms := addUp(float64(2*math.Abs(start)), l.magnitudes[output])
	return addUp(l.Bound[output], up(gamma*terms))
}

// Bytes is what a file needs for the leaves: codes, and scales that lie apart from them.
func (l *Leaves) Bytes() int64 { return l.Values.NativeBytes() + l.Values.ScaleBytes() }

// Apply returns the model with these leaves in place of its own, and nothing else changed. The
// model must have as many leaves. The error is a model.ErrOrder where they break constraints.monotone.
func (l *Leaves) Apply(m *model.Model) (*model.Model, error) {
	values := make([]float64, l.Values.Len())
	l.Values.DecodeRange(values, 0)
	out, err := m.WithLeaves(values)
	if errors.As(err, new(model.ErrOrder)) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("leaves of another model: %w", err)
	}
	return out, nil
}

// addUp returns a + b for numbers from 0 on, rounded up: what the sum lost in rounding is
// exact (Knuth, The Art of Computer Programming 2, §4.2.2).
func addUp(a, b float64) float64 {
	s := a + b
	back := s - a
	if lost := (a - (s - back)) + (b - back); lost > 0 {
		return up(s)
	}
	return s
}

// up returns a number that is not below what a rounded result from 0 on stands for.
func up(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
