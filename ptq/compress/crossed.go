package compress

import (
	"cmp"
	"context"
	"math"
	"slices"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/rng"
	"boost/parallel"
	"boost/ptq"
)

// fitted is a model whose leaves are put into formats, and the rows over which errors are pushed
// forward.
type fitted struct {
	rows *dataset.Table
	pool *parallel.Pool

	narrow *model.Model
	tensor *Tensor
	// What pushing errors forward in narrow takes, whatever the format; nil before it is asked for.
	sample  *sample
	weights [][]float64
}

// take goes over to another model, which is narrowed.
func (f *fitted) take(narrow *model.Model) (err error) {
	f.narrow, f.sample, f.weights = narrow, nil, nil
	f.tensor, err = Open(narrow)
	return err
}

// leaves returns those of the model in a candidate's format.
func (f *fitted) leaves(ctx context.Context, of *Candidate) (*Leaves, error) {
	c := of.Format.Calibration
	if c.Weights != nil && len(c.Weights) != len(f.narrow.Leaves()) {
		c.Weights = nil
		if f.narrow.HasStatistics() {
			weights, err := CoverWeights(f.narrow)
			if err != nil {
				return nil, err
			}
			c.Weights = weights
		}
	}
	if !of.Feedback {
		return f.tensor.Morph(of.Format.Form, c)
	}
	return f.fed(ctx, of.Format.Form, c)
}

// fed returns the leaves in a form as MorphWithFeedback does.
func (f *fitted) fed(ctx context.Context, form ptq.Form, c Calibration) (*Leaves, error) {
	e, plain, err := f.tensor.startFeedback(form, c)
	if err != nil || e == nil {
		return plain, err
	}
	if f.sample == nil {
		s, err := newSample(ctx, f.narrow, f.rows, []Option{Pool(f.pool)}) // nothing to be closed
		if err != nil {
			return nil, err
		}
		if f.weights, err = s.weightsOf(ctx, f.narrow, ByHessian); err != nil {
			return nil, err
		}
		if 2*s.n*len(s.trees) <= s.mostPlaces {
			s.places, s.kept = make([]placesOf, len(s.trees)), make([][]float64, len(s.trees)) // each tree is visited again and again
		}
		f.sample = s
	}
	if err := e.pushForward(ctx, f.sample, f.weights); err != nil {
		return nil, err
	}
	return f.tensor.finishFeedback(e)
}

// crossing is the rows of the search in parts. What learns from rows is made for each of them
// without it, and judged on it: so all rows judge, and none judges what it taught.
type crossing struct {
	half  *half
	folds []*fitted
	// By fold: the rows to judge on, and their places in the half.
	tables []*dataset.Table
	places [][]int32
}

// newCrossing divides the rows of a half. most is how many rows a fold learns from at most.
func newCrossing(h *half, most int) (*crossing, error) {
	units, err := unitsOf(h.judge.table)
	if err != nil {
		return nil, err
	}
	x := &crossing{half: h}
	parts := partsOf(units)
	for i := range parts {
		others := thinned(slices.Concat(slices.Delete(slices.Clone(parts), i, i+1)...), most)
		rows := thinned(parts[i], math.MaxInt)
		x.folds = append(x.folds, &fitted{rows: h.judge.table.Take(others), pool: parallel.NewPool(1)})
		x.tables, x.places = append(x.tables, h.judge.table.Take(rows)), append(x.places, rows)
	}
	return x, nil
}

func (x *crossing) close() {
	for _, f := range x.folds {
		f.pool.Close()
	}
}

// each does something for each fold, on one thread.
func (x *crossing) each(do func(fold int) error) error {
	return x.half.judge.each(len(x.folds), do)
}

// verdict judges models by fold on the rows that their folds were made without.
func (x *crossing) verdict(ctx context.Context, of func(*fitted) (*model.Model, error)) (verdict, error) {
	n := len(x.half.weight)
	raw := make([]float64, n*x.half.judge.in.Outputs)
	err := x.each(func(fold int) error {
		m, err := of(x.folds[fold])
		if err != nil {
			return err
		}
		scores, err := m.PredictRaw(ctx, x.tables[fold], model.Pool(x.folds[fold].pool))
		if err != nil {
			return err
		}
		outputs := m.Outputs()
		for at, row := range x.places[fold] {
			for k := range outputs {
				raw[k*n+int(row)] = scores[at*outputs+k]
			}
		}
		return nil
	})
	if err != nil {
		return verdict{}, err
	}
	return x.half.verdict(x.half.judge.of(x.folds[0].narrow, raw), 1-confidence), nil
}

// judge judges a format.
func (x *crossing) judge(ctx context.Context, c *Candidate) (verdict, error) {
	return x.verdict(ctx, func(f *fitted) (*model.Model, error) {
		leaves, err := f.leaves(ctx, c)
		if err != nil {
			return nil, err
		}
		return leaves.Apply(f.narrow)
	})
}

// unit is rows that stay together, from lo up to but not including hi: a row, or those of a query.
type unit struct{ lo, hi int32 }

// unitsOf returns the rows of a table in units.
func unitsOf(t *dataset.Table) ([]unit, error) {
	groups, err := t.Groups()
	if err != nil {
		return nil, err
	}
	var units []unit
	if groups == nil {
		for row := range int32(t.NumRows()) {
			units = append(units, unit{row, row + 1})
		}
		return units, nil
	}
	for q := range len(groups) - 1 {
		units = append(units, unit{int32(groups[q]), int32(groups[q+1])})
	}
	return units, nil
}

// partsOf divides units into folds.
func partsOf(units []unit) [][]unit {
	parts := make([][]unit, folds)
	key := rng.Key(0, rng.Halves, 1, 0)
	for i, u := range units {
		part := rng.Draw(key, uint64(i)) % folds
		parts[part] = append(parts[part], u)
	}
	return parts
}

// thinned returns the rows of some units, ascending: of all where they have at most so many
// rows, else of every so many.
func thinned(units []unit, most int) []int32 {
	units = slices.Clone(units)
	slices.SortFunc(units, func(a, b unit) int { return cmp.Compare(a.lo, b.lo) })
	n := 0
	for _, u := range units {
		n += int(u.hi - u.lo)
	}
	var out []int32
	for i, u := range units {
		if n > most && int64(i)*int64(most)/int64(n) == int64(i+1)*int64(most)/int64(n) {
			continue
		}
		for row := u.lo; row < u.hi; row++ {
			out = append(out, row)
		}
	}
	return out
}
