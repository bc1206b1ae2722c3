// Package worth says what splits count for beside their gain: factors and costs of features.
//
// In: parameters by column, the trees of rounds before. Out: a number for a gain. It must not know how splits are found.
package worth

import (
	"math"

	"boost/binning"
	"boost/internal/detmath"
	"boost/parallel"
	"boost/tree"
	"boost/tree/allowed"
)

// Rules are what parameters say of it. What they say of a column holds for its copies too.
type Rules struct {
	Factor     map[string]float64 // by column
	Cost       map[string]float64 // by column, of its first split in the model
	RowCost    map[string]float64 // by column, of each row that looks it up for the first time
	SplitCost  float64            // of a split, for each row of the node
	Tradeoff   float64            // factor of all costs
	Directions []int8             // by feature: of its monotone constraint
	Penalty    float64            // of splits on features that have one, 0 for none
}

// Worth says what a split counts for beside its gain. Candidates are compared by that, and one that
// counts for nothing is none. Gains that are stored stay as they are.
//
// In a node, all splits on a feature have the same factor and the same cost, so that the one that gains most counts for most.
// A feature and its copies cost once.
type Worth struct {
	factors    []float64 // by feature (LightGBM's feature_contri)
	costs      []float64 // by feature, of its first split in the model (LightGBM's cegb_penalty_feature_coupled)
	used       []bool    // features of trees of rounds before, by original
	original   []int     // by feature: what it is a copy of
	rows       *rowCosts // nil: no feature costs anything by row
	perRow     float64   // cost of a split for each row of the node (LightGBM's cegb_penalty_split)
	directions []int8    // of monotone constraints
	penalty    float64   // of splits on features that have one (LightGBM's monotone_penalty)
}

// New returns nil where every split counts for its gain.
func New(r Rules, copies *allowed.Copies, features []binning.Feature, m *binning.Matrix) *Worth {
	if len(r.Factor) == 0 && len(r.Cost) == 0 && len(r.RowCost) == 0 && r.SplitCost == 0 && r.Penalty == 0 {
		return nil
	}
	w := &Worth{
		factors: allowed.ByFeature(copies, r.Factor, 1), costs: allowed.ByFeature(copies, r.Cost, 0), used: make([]bool, len(features)),
		original: copies.Original, perRow: float64(r.Tradeoff * r.SplitCost), directions: r.Directions, penalty: r.Penalty,
	}
	for f := range w.costs {
		w.costs[f] = float64(r.Tradeoff * w.costs[f])
	}
	if len(r.RowCost) > 0 {
		w.rows = newRowCosts(allowed.ByFeature(copies, r.RowCost, 0), r.Tradeoff, copies.Original, features, m)
	}
	return w
}

// Of returns what a split on a feature counts for, that gains so much in nodes of a depth with so many rows in all, of which those that
// look the feature up for the first time cost rowCost.
func (w *Worth) Of(f int, gain float64, depth, rows int, rowCost float64) float64 {
	gain = float64(gain*w.factors[f]) - float64(w.perRow*float64(rows)) - rowCost
	if !w.used[w.original[f]] {
		gain -= w.costs[f]
	}
	if w.penalty > 0 && w.directions[f] != 0 {
		gain = float64(gain * monotoneShare(w.penalty, depth))
	}
	return gain
}

// monotoneShare returns the share of its gain that a split on a constrained feature counts for. With a penalty of p none counts for
// more than a trace on the first ⌊p⌋ levels (LightGBM's monotone_penalty).
func monotoneShare(penalty float64, depth int) float64 {
	const trace = 1e-15
	if penalty >= float64(depth)+1 {
		return trace
	}
	if penalty <= 1 {
		return 1 - math.Ldexp(penalty, -depth) + trace
	}
	power := penalty - 1 - float64(depth)
	whole := math.Floor(power)
	return 1 - math.Ldexp(detmath.Exp((power-whole)*math.Ln2), int(whole)) + trace
}

// Add takes what a tree splits on as used.
func (w *Worth) Add(t *tree.Tree, pool *parallel.Pool) {
	if w.rows != nil {
		w.rows.add(t, pool)
	}
	for _, f := range t.Feature {
		w.used[w.original[f]] = true
	}
}
