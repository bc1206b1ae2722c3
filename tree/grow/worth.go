package grow

import (
	"math"

	"boost/binning"
	"boost/internal/detmath"
	"boost/parallel"
	"boost/tree"
)

// worth says what a split counts for beside its gain: factors and costs of features. Candidates are compared by that, and one that
// counts for nothing is none. Gains that are stored stay as they are.
//
// In a node, all splits on a feature have the same factor and the same cost, so that the one that gains most counts for most.
type worth struct {
	factors    []float64 // by feature (LightGBM's feature_contri)
	costs      []float64 // by feature, of its first split in the model (LightGBM's cegb_penalty_feature_coupled)
	used       []bool    // features of trees of rounds before
	rows       *rowCosts // nil: no feature costs anything by row
	perRow     float64   // cost of a split for each row of the node (LightGBM's cegb_penalty_split)
	directions []int8    // of monotone constraints
	penalty    float64   // of splits on features that have one (LightGBM's monotone_penalty)
}

// newWorth returns nil where every split counts for its gain.
func newWorth(p *Params, features []binning.Feature, m *binning.Matrix) *worth {
	rows := newRowCosts(p, features, m)
	if len(p.FeaturePenalty) == 0 && len(p.FeatureCost) == 0 && p.SplitCost == 0 && rows == nil && (p.MonotonePenalty == 0 || len(p.Monotone) == 0) {
		return nil
	}
	w := &worth{
		factors: make([]float64, len(features)), costs: make([]float64, len(features)), used: make([]bool, len(features)),
		rows: rows, perRow: float64(p.CostTradeoff * p.SplitCost), directions: directionsOf(p, features), penalty: p.MonotonePenalty,
	}
	for f := range features {
		w.factors[f] = 1
		if factor, ok := p.FeaturePenalty[features[f].Name]; ok {
			w.factors[f] = factor
		}
		w.costs[f] = float64(p.CostTradeoff * p.FeatureCost[features[f].Name])
	}
	return w
}

// of returns what a split on a feature counts for, that gains so much in nodes of a depth with so many rows in all, of which those that
// look the feature up for the first time cost rowCost.
func (w *worth) of(f int, gain float64, depth, rows int, rowCost float64) float64 {
	gain = float64(gain*w.factors[f]) - float64(w.perRow*float64(rows)) - rowCost
	if !w.used[f] {
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

// add takes what a tree splits on as used.
func (w *worth) add(t *tree.Tree, pool *parallel.Pool) {
	if w.rows != nil {
		w.rows.add(t, pool)
	}
	for _, f := range t.Feature {
		w.used[f] = true
	}
}
