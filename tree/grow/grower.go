package grow

import (
	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/comm"
	"boost/internal/kernel/scan"
	"boost/parallel"
	"boost/tree"
	"boost/tree/allowed"
	"boost/tree/colsample"
	"boost/tree/forced"
	"boost/tree/leafquantile"
	"boost/tree/worth"
)

// Config is what a Grower works on.
type Config struct {
	Matrix   *binning.Matrix
	RowMajor *binning.RowMajor // may be nil
	Lists    *histogram.Lists  // of the row-major copy, may be nil
	Features []binning.Feature // of the matrix, in its order
	Of       [][]string        // by feature: the names of those that it is made of; nil where none is
	Pool     *parallel.Pool
	Strategy histogram.Strategy
	// SparseSums keeps sums of the features that can be split only: the matrix is in the
	// layout "csr" and gradients are integers. See histogram.PreferSparse.
	SparseSums bool
	Params     Params
	Forced     []forced.Node // of Params.ForcedSplits
	// LearningRate scales leaf values, after MaxStep has bounded them; 0 = no bound.
	LearningRate float64
	MaxStep      float64
	Seed         uint64
	// Renew takes leaf values from the gradients themselves instead of their codes.
	Renew bool
	// Quantiles makes room for QuantileLeaves.
	Quantiles bool
	// AnyUnit is set for hessians of any unit: categorical.smooth and categorical.l2, which are meant for hessians of about 1, are then
	// multiplied by the mean hessian of the tree's rows.
	AnyUnit bool
	// Ranks is where other rows are; nil for none. The matrix has this rank's rows. Splits are those of the rows of all ranks.
	Ranks *comm.Ranks
	// Searchers are the ranks that search some of the features each: Ranks, or some that have the same rows; nil for none.
	Searchers *comm.Ranks
	// Verify checks at every node that the sums of its histogram are those of its rows, and fails on the first difference.
	Verify bool
}

// Grower grows the trees of one training run, one at a time, and reuses its memory:
// 8 bytes per row, one histogram per leaf, per worker 512 KiB, and what its splitters take.
//
// Nodes with many rows are split by all workers together, in passes over rows and features
// (splitter all); those with few side by side, each by one worker that others help (frontier).
type Grower struct {
	config  Config
	offsets []uint32
	shapes  []shape     // of the features
	spans   []scan.Span // of their sums
	vectors bool        // packed sums are searched with vectors: all ranks have these
	widest  int         // codes of the feature that has the most
	hists   *histogram.Pool
	rows    rowSets
	columns colsample.Sampler
	constraints
	renewal   *renewal              // nil: leaf values come from codes
	quantiles *leafquantile.Renewer // nil: no leaf values are quantiles
	levels    *levels               // nil: trees are not symmetric
	ofRanks   shares                // memory of the growth's
	scoring   scoreTask
	all       *splitter
	frontier  frontier
	batch     batch
	growing   bool // a panic has left a tree half grown: its sums would be added to the next one's

	growth
}

// constraints say what splits may be, and what they count for.
type constraints struct {
	limits   *limits           // nil: no value is limited
	together *allowed.Together // nil: any features may be split on one path
	depths   *allowed.Depths   // nil: features may be split on at any depth
	reuse    *worth.Reuse      // nil: what trees before have used makes no difference
	worth    *worth.Worth      // nil: splits count for their gain
}

// growth is the tree that is grown.
type growth struct {
	storage *gradients.Storage
	rule    scan.Rule
	hessian float64 // what categorical.smooth and categorical.l2 are multiplied by
	round   int
	output  int
	active  []int   // its features
	codes   int     // of these
	shares  *shares // nil: each rank searches all features
	nodes   []node  // the root is the first
	nNodes  int
	leaves  []int32 // nodes by leaf number
	again   []int   // nodes that are to be searched again, because their bounds have changed
	made    tree.Tree
	sizes   sums // of the root's floats, where they are verified
	err     error
}

// New returns a Grower.
func New(c Config) *Grower {
	c.resolve()
	g := &Grower{config: c, offsets: c.Matrix.Offsets()}
	for f := range c.Matrix.NFeatures() {
		g.widest = max(g.widest, int(g.offsets[f+1]-g.offsets[f]))
	}
	g.shapes, g.spans = shapesOf(c.Features, c.Matrix)
	g.agree()
	g.hists = histogram.NewPool()
	g.limits = newLimits(&c.Params, c.Features, c.maxNodes(c.Pool.Threads()))
	names := make([]string, len(c.Features))
	for f := range names {
		names[f] = c.Features[f].Name
	}
	copies := allowed.NewCopies(names, c.Of)
	g.columns = newColumns(&c, copies)
	g.together, g.depths = allowed.NewTogether(c.Params.Interaction, names, c.Of), allowed.NewDepths(c.Params.FirstLevel, c.Params.LastLevel, copies)
	g.worth = worth.New(c.Params.worth(c.Features), copies, c.Features, c.Matrix)
	g.reuse = worth.NewReuse(c.Params.ReuseFeature, c.Params.ReuseCut, c.Features)
	g.leaves = make([]int32, 0, c.Params.Leaves)
	if c.Params.tightens() {
		g.again = make([]int, 0, c.Params.Leaves)
	}
	g.nodes = make([]node, c.maxNodes(c.Pool.Threads()))
	g.rows.init(c.Matrix.NRows(), len(g.nodes), c.Pool.Threads())
	g.all = newSplitter(g, c.Pool.Nested(), c.Strategy)
	if c.Renew {
		g.renewal = newRenewal(g, c.Params.Leaves, c.Pool.Threads())
	}
	if c.Quantiles {
		span := func(run int) (lo, hi int) {
			lo = g.rows.byNode[0][run].First
			return lo, g.rows.end(lo)
		}
		g.quantiles = leafquantile.New(c.Pool, c.Ranks, c.Matrix.NRows(), c.Params.Leaves, g.rows.nRuns, span, func(leaf, run int) []uint64 {
			return g.rows.byNode[g.leaves[leaf]][run].Entries
		})
	}
	g.frontier.init(g)
	g.batch.init(g)
	if c.Params.Growth == Symmetric {
		g.levels = newLevels(g)
	}
	return g
}

// resolve sets what follows from other fields.
func (c *Config) resolve() {
	p := &c.Params
	if p.tightens() || c.Searchers.Shared() {
		c.SparseSums = false // nodes are searched again, or histograms added up over ranks
	}
	if p.Growth != Symmetric {
		return
	}
	// Every leaf has MinDataInLeaf rows.
	p.MaxDepth, p.Leaves = p.Depth(), max(2, min(p.MostLeaves(), c.allRows()/max(p.MinDataInLeaf, 1)))
	c.SparseSums = false // all nodes of a level are searched together
}

// allRows returns the number of rows of all ranks.
func (c *Config) allRows() int { return c.Ranks.Rows(c.Matrix.NRows()) }

// Grow returns the tree of one round and output. bag may be nil for all rows. The
// tree's leaf values are scaled by the learning rate.
func (g *Grower) Grow(st *gradients.Storage, bag *gradients.Bag, round, output int) (tree.Tree, error) {
	if g.growing {
		panic("grow: a tree after one that a panic has left half grown")
	}
	g.growth = growth{
		storage: st, rule: g.ruleOf(st), round: round, output: output, active: g.columns.Tree(round, output),
		nodes: g.nodes, leaves: g.leaves[:0], again: g.again[:0], made: tree.WithRoom(g.config.Params.Leaves),
	}
	g.codes = g.slotsOf(g.active)
	g.share()
	g.growing = true
	g.frontier.begin()
	g.levels.begin()
	g.all.begin(bag)
	g.all.beginRoot()
	g.config.Pool.DoSeries((*leafwise)(g))
	g.growing = false
	g.all.end()
	g.frontier.end()
	if g.err != nil {
		return tree.Tree{}, g.err
	}
	t := g.finish()
	g.storage = nil
	return t, nil
}

// ruleOf translates the parameters to the storage's codes.
func (g *Grower) ruleOf(st *gradients.Storage) scan.Rule {
	p, scales := g.config.Params, st.Params()
	r := scan.Rule{
		L1: p.LambdaL1, L2: p.LambdaL2, MinChild: p.MinChildWeight,
		GradScale: scales.GradScale, GradOffset: scales.GradOffset, HessScale: scales.HessScale,
		MinRows: uint64(max(p.MinDataInLeaf, 1)),
	}
	if st.Mode() != gradients.F32 {
		r.ProofHess = (r.MinRows - 1) * st.Mode().MaxHessCode()
		if r.EqualHess = st.EqualHessians(); r.EqualHess {
			r.LeastSide = r.ProofHess + 1
		}
	}
	return r
}

// slotsOf returns how many codes the features have.
func (g *Grower) slotsOf(features []int) int {
	n := 0
	for _, f := range features {
		n += int(g.offsets[f+1] - g.offsets[f])
	}
	return n
}
