package linear

import (
	"boost/binning"
	"boost/parallel"
	"boost/tree"
)

// Config is what a Fitter works on.
type Config struct {
	Pool *parallel.Pool
	// Columns are the values by feature, one per row; nil of a feature that is not numeric.
	Columns [][]float32
	Cuts    *binning.Cuts
	Rows    int
	Leaves  int     // of a tree, at most
	Lambda  float64 // ridge penalty on coefficients, ≥ 0
	MaxStep float64 // a model that gives one of its rows a larger value is not used; 0 = no bound
}

// MaxFeatures is how many features the model of a leaf may have: those that the path to the leaf splits on last.
const MaxFeatures = 32

// noLeaf is the number of the leaf of a row that the tree was not grown on.
const noLeaf = ^uint32(0)

// Fitter fits the leaves of the trees of one training run, one tree at a time, and reuses its memory.
//
// For a leaf with rows i, whose values of d features are x, gradients g and hessians h, it minimizes
//
//	Σ (g·f(x) + h/2·f(x)²) + Lambda/2·Σ c²  over  f(x) = a + Σ c·x
//
// The constant a has no penalty. So values may be shifted: each feature by a cut in the middle of the codes that reach the
// leaf, then by the weighted mean. That keeps the digits of a narrow range far from 0, and leaves the result as it is.
//
// Sums over rows are taken by units of at least 4,096 consecutive rows and merged in the order of units. The size of a unit follows
// from the number of leaves alone.
type Fitter struct {
	config  Config
	leaf    []uint32  // by row: its leaf
	order   []uint32  // rows by unit, then by leaf
	begins  []int32   // by unit and leaf: where its rows begin in the unit's order; two more for each unit
	largest []float64 // by feature: the largest size of a finite value, where MaxStep is set

	pass
	ptrs     []int32 // by leaf: its features in the next two
	features []int32
	shifts   []float64
	at       []int // by leaf: its sums
	totals   []float64
	parts    [][]float64 // by unit of a wave: its sums
	models   []model     // by leaf
	exceeds  []bool      // by leaf: the model may be too steep

	path    path
	workers []worker
}

// pass is what a Fitter works on.
type pass struct {
	tree       *tree.Tree
	grad, hess []float32
	scores     []float64
	unit       int // rows
	first      int // unit of the wave
}

// model is the linear model of a leaf: coefficients of its features, of which the ones that are 0 are left out of the tree.
type model struct {
	coef     []float64
	constant float64
	used     bool
}

// wave is how many units are summed up before they are merged.
const wave = 16

// New returns a Fitter.
func New(c Config) *Fitter {
	f := &Fitter{
		config: c, leaf: make([]uint32, c.Rows), order: make([]uint32, c.Rows), ptrs: make([]int32, c.Leaves+1), at: make([]int, c.Leaves+1),
		parts: make([][]float64, min(wave, parallel.Blocks(c.Rows, unitRows(1)))), models: make([]model, c.Leaves), exceeds: make([]bool, c.Leaves),
		workers: make([]worker, c.Pool.Threads()),
	}
	f.path.init(c)
	if c.MaxStep > 0 {
		f.largest = make([]float64, len(c.Columns))
		c.Pool.Do(len(c.Columns), (*largestTask)(f))
	}
	return f
}

// Bytes returns about what a Fitter takes: the leaf and the place of each row, and sums of leaves with some eight features.
func Bytes(rows, leaves, threads int) int64 {
	const features = 8
	units := int64(min(wave, parallel.Blocks(rows, unitRows(leaves)))) + 1
	return 8*int64(rows) + 8*units*int64(leaves)*int64(sumsOf(features)) + int64(threads)*8*chunk*MaxFeatures
}

// Leaf returns where the leaf of each row stands. Fill it before Fit, after Reset if not all rows are in a leaf.
func (f *Fitter) Leaf() []uint32 { return f.leaf }

// Reset says that no row is in a leaf.
func (f *Fitter) Reset() {
	for i := range f.leaf {
		f.leaf[i] = noLeaf
	}
}

// unitRows returns the number of rows of a unit: at least 4,096, and 32 for each leaf, so that merging costs little.
func unitRows(leaves int) int { return parallel.Blocks(max(32*leaves, 4096), 4096) * 4096 }

func (f *Fitter) units() int { return parallel.Blocks(f.config.Rows, f.unit) }

// Fit gives the tree linear models in those leaves that have enough rows for one, in which none of the leaf's features is missing:
// one more than features. Gradients and hessians are by row. Leaf must be filled.
func (f *Fitter) Fit(t *tree.Tree, grad, hess []float32) {
	f.tree, f.grad, f.hess = t, grad, hess
	f.unit = unitRows(t.NumLeaves())
	f.findFeatures()
	if len(f.features) > 0 {
		f.sum()
		f.config.Pool.Do(t.NumLeaves(), (*solveTask)(f))
		f.checkSteps()
		f.build()
	}
	f.tree, f.grad, f.hess = nil, nil, nil
}

// findFeatures finds the features of all leaves, and where their sums are.
func (f *Fitter) findFeatures() {
	f.path.begin(f.tree)
	f.features, f.shifts = f.features[:0], f.shifts[:0]
	size := 0
	for l := range f.tree.NumLeaves() {
		f.ptrs[l], f.at[l] = int32(len(f.features)), size
		f.features, f.shifts = f.path.features(f.tree, l, f.features, f.shifts)
		f.ptrs[l+1] = int32(len(f.features))
		if d := int(f.ptrs[l+1] - f.ptrs[l]); d > 0 {
			size += sumsOf(d)
		}
		f.at[l+1] = size
		f.models[l] = model{coef: f.models[l].coef}
	}
}

func (f *Fitter) featuresOf(leaf int) (features []int32, shifts []float64) {
	lo, hi := f.ptrs[leaf], f.ptrs[leaf+1]
	return f.features[lo:hi], f.shifts[lo:hi]
}

// sum takes the sums of all leaves, in waves of units.
func (f *Fitter) sum() {
	leaves := f.tree.NumLeaves()
	size := f.at[leaves]
	f.totals, f.begins = sized(f.totals, size), sized(f.begins, f.units()*(leaves+2))
	clear(f.totals)
	for f.first = 0; f.first < f.units(); f.first += wave {
		n := min(wave, f.units()-f.first)
		for i := range n {
			f.parts[i] = sized(f.parts[i], size)
		}
		f.config.Pool.Do(n, (*sumTask)(f))
		if blocks := parallel.Blocks(size, mergeBlock); blocks > 1 {
			f.config.Pool.Do(blocks, (*mergeTask)(f))
		} else if blocks == 1 {
			(*mergeTask)(f).Run(0, 0)
		}
	}
}

// mergeBlock is the number of sums that are merged together.
const mergeBlock = 4096

type mergeTask Fitter

func (m *mergeTask) Run(_, block int) {
	lo, hi := parallel.Block(block, len(m.totals), mergeBlock)
	n := min(wave, (*Fitter)(m).units()-m.first)
	to := m.totals[lo:hi]
	for _, part := range m.parts[:n] {
		for i, v := range part[lo:hi] {
			to[i] += v
		}
	}
}

// solveTask finds the model of a leaf from its sums.
type solveTask Fitter

func (s *solveTask) Run(worker, leaf int) {
	f := (*Fitter)(s)
	features, shifts := f.featuresOf(leaf)
	if len(features) > 0 {
		f.workers[worker].solver.solve(&f.models[leaf], f.totals[f.at[leaf]:f.at[leaf+1]], shifts, f.config.Lambda)
	}
}

// build puts the models into the tree.
func (f *Fitter) build() {
	n := 0
	for l := range f.tree.NumLeaves() {
		if m := &f.models[l]; m.used {
			for _, c := range m.coef {
				if c != 0 {
					n++
				}
			}
		}
	}
	if n == 0 {
		return
	}
	leaves := f.tree.NumLeaves()
	linear := &tree.Linear{Ptrs: make([]uint32, 1, leaves+1), Feature: make([]int32, 0, n), Coef: make([]float64, 0, n), Const: make([]float64, leaves)}
	for l := range leaves {
		if m := &f.models[l]; m.used {
			features, _ := f.featuresOf(l)
			for i, c := range m.coef {
				if c != 0 {
					linear.Feature, linear.Coef, linear.Const[l] = append(linear.Feature, features[i]), append(linear.Coef, c), m.constant
				}
			}
		}
		linear.Ptrs = append(linear.Ptrs, uint32(len(linear.Feature)))
	}
	f.tree.Linear = linear
}

// sized returns a list of n elements, in the memory of the given one where there is enough.
func sized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	return list[:n]
}
