package compress

import (
	"context"

	"boost/binning"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/cpu"
	"boost/internal/detmath"
	"boost/parallel"
	"boost/tree"
)

// Option says how work over a table runs. None changes a result.
type Option func(*options)

type options struct {
	pool       *parallel.Pool
	mostPlaces int // bytes that the leaves of rows take at most that are kept
	manyLeaves int // beyond so many a model is large; see search
}

// Pool runs the work on a pool of the caller's, which serves nobody else meanwhile.
func Pool(p *parallel.Pool) Option { return func(o *options) { o.pool = p } }

func optionsOf(opts []Option) options {
	o := options{mostPlaces: 256 << 20, manyLeaves: 400_000}
	for _, set := range opts {
		set(&o)
	}
	return o
}

// threadsFor returns how many threads are of use for rows of a model.
func threadsFor(rows int, m *model.Model) int {
	return min(cpu.Threads(), 1+rows*m.NumTrees()/100_000)
}

// sampleBlock is the number of rows of one piece of work.
const sampleBlock = 4096

// placesOf is the leaf of each row in a tree; nil if it is found anew each time.
type placesOf []uint16

// sample is rows of a table coded with a model's cuts, and sums over them by leaf. Sums are
// exact until one rounding, so that neither threads nor the order of rows shows in them.
type sample struct {
	table      *dataset.Table
	n          int
	outputs    int
	trees      []tree.Tree
	cuts       *binning.Cuts
	matrix     *binning.Matrix
	rowWeights []float64 // nil: each row once
	options
	own bool

	leaf    []float64       // by row: number of the leaf in the tree that was visited
	places  []placesOf      // by tree: the leaf of each row, where trees are visited again and again
	workers [][]detmath.Sum // sums by leaf
	kept    [][]float64     // by tree, like places; see hits
	sums    []float64       // of the last tree
}

func newSample(ctx context.Context, m *model.Model, t *dataset.Table, opts []Option) (*sample, error) {
	t, err := t.As(m.Schema())
	if err != nil {
		return nil, err
	}
	c := m.Contents()
	s := &sample{table: t, n: t.NumRows(), outputs: c.Outputs, trees: c.Trees, cuts: c.Cuts, options: optionsOf(opts)}
	if s.rowWeights, err = t.Weights(); err != nil {
		return nil, err
	}
	if s.pool == nil {
		s.pool, s.own = parallel.NewPool(threadsFor(s.n, m)), true
	}
	p := binning.Defaults()
	p.Layout, p.Bundle, p.BundleConflicts, p.MissingAs = binning.Auto, binning.BundleOff, 0, binning.Sentinel
	if s.matrix, err = binning.Build(ctx, s.cuts, t, p, s.pool); err != nil {
		s.close()
		return nil, err
	}
	s.leaf = make([]float64, s.n)
	s.workers = make([][]detmath.Sum, s.pool.Threads())
	return s, nil
}

// close ends a pool that is the sample's own.
func (s *sample) close() {
	if s.own {
		s.pool.Close()
	}
}

// each does a piece of work for every block of rows.
func (s *sample) each(do func(worker, lo, hi int)) {
	s.pool.Do(parallel.Blocks(s.n, sampleBlock), parallel.Func(func(worker, block int) {
		lo, hi := parallel.Block(block, s.n, sampleBlock)
		do(worker, lo, hi)
	}))
}

// visit finds the leaf of every row in a tree.
func (s *sample) visit(t *tree.Tree) {
	numbered := t.Constant()
	numbered.Leaf = make([]float64, t.NumLeaves())
	for i := range numbered.Leaf {
		numbered.Leaf[i] = float64(i)
	}
	s.each(func(_, lo, hi int) {
		clear(s.leaf[lo:hi])
		model.AddScores(numbered, model.Coded{Cuts: s.cuts, Matrix: s.matrix}, lo, hi, s.leaf)
	})
}

// again is visit for a tree of the sample that may have been visited before.
func (s *sample) again(i int) {
	switch {
	case s.places == nil:
		s.visit(&s.trees[i])
	case s.places[i] == nil:
		s.note(i)
	default:
		s.each(func(_, lo, hi int) {
			for row := lo; row < hi; row++ {
				s.leaf[row] = float64(s.places[i][row])
			}
		})
	}
}

// note visits a tree of the sample and keeps the leaf of each row, if it can be numbered.
func (s *sample) note(i int) {
	s.visit(&s.trees[i])
	if s.trees[i].NumLeaves() > 1<<16 {
		return
	}
	s.places[i] = make(placesOf, s.n)
	s.each(func(_, lo, hi int) {
		for row := lo; row < hi; row++ {
			s.places[i][row] = uint16(s.leaf[row])
		}
	})
}

// sum appends the sums of weight·value over the rows of each leaf of the tree that was visited. nil values are all 1, and so are nil
// weights.
func (s *sample) sum(to []float64, leaves int, values, weights []float64) []float64 {
	for w := range s.workers {
		s.workers[w] = reuse(s.workers[w], leaves)
	}
	s.each(func(worker, lo, hi int) {
		sums := s.workers[worker]
		for row := lo; row < hi; row++ {
			value, weight := 1.0, 1.0
			if values != nil {
				value = values[row]
			}
			if weights != nil {
				weight = weights[row]
			}
			sums[int(s.leaf[row])].AddWeighted(weight, value)
		}
	})
	for leaf := range leaves {
		all := &s.workers[0][leaf]
		for _, other := range s.workers[1:] {
			all.Merge(&other[leaf])
		}
		to = append(to, all.Round())
	}
	return to
}

// hits returns the sums of the rows' weights by leaf of tree i, which was visited, valid until the next tree. They are kept where trees
// are visited again and again, always with the same weights.
func (s *sample) hits(i int, weights []float64) []float64 {
	if s.kept == nil {
		s.sums = s.sum(s.sums[:0], s.trees[i].NumLeaves(), nil, weights)
		return s.sums
	}
	if s.kept[i] == nil {
		s.kept[i] = s.sum(nil, s.trees[i].NumLeaves(), nil, weights)
	}
	return s.kept[i]
}

// reuse returns n empty sums.
func reuse(sums []detmath.Sum, n int) []detmath.Sum {
	if cap(sums) < n {
		return make([]detmath.Sum, n)
	}
	sums = sums[:n]
	clear(sums)
	return sums
}
