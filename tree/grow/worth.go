package grow

import (
	"boost/binning"
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
