package grow

import (
	"boost/binning"
	"boost/internal/kernel/scan"
	"boost/tree"
	"boost/tree/worth"
)

// worth returns what the parameters say that splits count for beside their gain.
func (p *Params) worth(features []binning.Feature) worth.Rules {
	r := worth.Rules{
		Factor: p.FeaturePenalty, Cost: p.FeatureCost, RowCost: p.FeatureRowCost, SplitCost: p.SplitCost, Tradeoff: p.CostTradeoff,
		Directions: directionsOf(p, features),
	}
	if len(p.Monotone) > 0 {
		r.Penalty = p.MonotonePenalty
	}
	return r
}

// rowCost returns what a split of a node on a feature costs for the rows that have not looked it up.
func (g *Grower) rowCost(f, at int) float64 {
	cost := g.worth.RowCost(f)
	if cost == 0 {
		return 0
	}
	for up := g.nodes[at].up; up != noNode; up = g.nodes[up].up {
		if g.worth.Same(g.nodes[up].best.feature, f) {
			return 0
		}
	}
	first := 0 // rows that look it up now
	for _, run := range g.rows.runs(at) {
		first += g.worth.Unseen(f, run.First, run.Entries)
	}
	return float64(cost * float64(first))
}

// Reuse takes the features and cuts of trees as used: of those that training goes on from,
// and of each round once all its trees are grown. Where Params say nothing of reuse it does
// nothing.
func (g *Grower) Reuse(trees ...tree.Tree) {
	for i := range trees {
		if g.reuse != nil {
			g.reuse.Add(&trees[i])
		}
		if g.worth != nil {
			g.worth.Add(&trees[i], g.config.Pool)
		}
	}
}

// preferUsed puts the best split at a used cut in the place of a feature's best split, where
// that is at another cut and counts for less. Among used cuts, and among the others, a split
// counts for the more the more it gains, so that the best of each are all that has to be
// compared; and where the best of all is at a used cut, none counts for more.
func preferUsed[G scan.Grad, H scan.Hess](q *search, f int, h *scan.Feature[G, H], c *candidate) {
	if q.reuse == nil || !c.found || !q.reuse.CutIsNew(f, c.code, c.categorical) || len(q.reuse.Cuts(f)) == 0 {
		return
	}
	var used candidate
	fill(q, &used, f, scan.Among(h, &q.rule, q.reuse.Cuts(f)), 0)
	// Where the one cut that is tried leaves a side too few rows, there is no split on the feature.
	used.unproven = used.unproven || c.unproven && q.config.Params.ExtraTrees
	if used.found && (used.score > c.score || used.score == c.score && used.code < c.code) {
		*c = used
	}
}
