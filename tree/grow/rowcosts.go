package grow

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
	seen     [][]uint64 // by feature that costs something: a bit for each row that has looked it up in a tree of the rounds before
	matrix   *binning.Matrix
	features []binning.Feature
	tree     *tree.Tree // whose splits are noted
}

// newRowCosts returns nil where no feature costs anything.
func newRowCosts(p *Params, features []binning.Feature, m *binning.Matrix) *rowCosts {
	if len(p.FeatureRowCost) == 0 {
		return nil
	}
	r := &rowCosts{costs: make([]float64, len(features)), seen: make([][]uint64, len(features)), matrix: m, features: features}
	for f := range features {
		if r.costs[f] = float64(p.CostTradeoff * p.FeatureRowCost[features[f].Name]); r.costs[f] > 0 {
			r.seen[f] = make([]uint64, (m.NRows()+63)/64)
		}
	}
	return r
}

// rowCost returns what a split of a node on a feature costs for the rows that have not looked it up.
func (g *Grower) rowCost(f, at int) float64 {
	r := g.worth.rows
	if r == nil || r.costs[f] == 0 {
		return 0
	}
	for up := g.nodes[at].up; up != noNode; up = g.nodes[up].up {
		if g.nodes[up].best.feature == f {
			return 0
		}
	}
	first := 0 // rows that look it up now
	for _, run := range g.rows.runs(at) {
		seen := r.seen[f][run.First/64:]
		for _, e := range run.Entries {
			row := hist.Row(e)
			first += int(^seen[row/64] >> (row % 64) & 1)
		}
	}
	return float64(r.costs[f] * float64(first))
}

// add notes what rows look up in a tree.
func (r *rowCosts) add(t *tree.Tree, pool *parallel.Pool) {
	for _, f := range t.Feature {
		if r.seen[f] != nil {
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
			if seen := r.seen[f]; seen != nil {
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
