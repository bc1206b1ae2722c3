package worth

import (
	"boost/binning"
	"boost/internal/kernel/hist"
	"boost/parallel"
	"boost/tree"
)

// rowCosts are what features cost for each row that looks them up for the first time (LightGBM's cegb_penalty_feature_lazy, CatBoost's
// per_object_feature_penalties). A row has looked up what the splits on its way through a tree are on, also in trees of rounds before.
//
// Rows count as they are met in prediction, sampled or not. What they have looked up thus follows from the trees alone, and training that
// goes on from a model or a checkpoint has the same costs.
type rowCosts struct {
	costs    []float64  // by feature
	seen     [][]uint64 // by original that costs something: a bit for each row that has looked it up in a tree of the rounds before
	original []int      // by feature: what it is a copy of
	matrix   *binning.Matrix
	features []binning.Feature
	tree     *tree.Tree // whose splits are noted
}

// newRowCosts makes the costs of columns those of features.
func newRowCosts(costs []float64, tradeoff float64, original []int, features []binning.Feature, m *binning.Matrix) *rowCosts {
	r := &rowCosts{costs: costs, seen: make([][]uint64, len(features)), original: original, matrix: m, features: features}
	for f := range features {
		if costs[f] = float64(tradeoff * costs[f]); costs[f] > 0 && r.seen[original[f]] == nil {
			r.seen[original[f]] = make([]uint64, (m.NRows()+63)/64)
		}
	}
	return r
}

// RowCost returns what a split on a feature costs for each row that has not looked it up.
func (w *Worth) RowCost(f int) float64 {
	if w.rows == nil {
		return 0
	}
	return w.rows.costs[f]
}

// Same reports whether looking up a feature is looking up another.
func (w *Worth) Same(f, other int) bool { return w.original[f] == w.original[other] }

// Unseen returns how many of the rows of a run, which begin at first, have not looked up a feature that has a cost by row.
func (w *Worth) Unseen(f, first int, entries []uint64) int {
	seen, n := w.rows.seen[w.original[f]][first/64:], 0
	for _, e := range entries {
		row := hist.Row(e)
		n += int(^seen[row/64] >> (row % 64) & 1)
	}
	return n
}

// add notes what rows look up in a tree.
func (r *rowCosts) add(t *tree.Tree, pool *parallel.Pool) {
	for _, f := range t.Feature {
		if r.seen[r.original[f]] != nil {
			r.tree = t
			pool.Do(parallel.Blocks(r.matrix.NRows(), rowCostBlock), r)
			r.tree = nil
			return
		}
	}
}

// rowCostBlock is the number of rows of a block: no two blocks share a word of rowCosts.seen.
const rowCostBlock = 4096

// Run notes what the rows of a block look up; it makes rowCosts a parallel.Task.
func (r *rowCosts) Run(_, block int) {
	lo, hi := parallel.Block(block, r.matrix.NRows(), rowCostBlock)
	for row := lo; row < hi; row++ {
		for at := int32(0); at >= 0; {
			f := int(r.tree.Feature[at])
			if seen := r.seen[r.original[f]]; seen != nil {
				seen[row/64] |= 1 << (row % 64)
			}
			if r.tree.GoesLeft(int(at), r.matrix.Bin(f, row), r.features[f].Regular) {
				at = r.tree.Left[at]
			} else {
				at = r.tree.Right[at]
			}
		}
	}
}
