package grow

import (
	"slices"

	"boost/binning"
	"boost/internal/kernel/scan"
	"boost/tree"
)

// reuse knows what the model's trees split on, and makes splits on other features and at
// other cuts count for less than they gain (docs/design/062-training-for-size.md).
type reuse struct {
	features []bool
	// cuts lists, per numeric feature, the codes after which a tree splits, ascending. The
	// last code of a feature with missing values is always there: it names no cut.
	cuts [][]uint32

	// The share of its gain that a split counts for: on another feature, at another cut, both.
	newFeature, newCut, newBoth float64
}

// newReuse returns nil where every split counts for what it gains.
func newReuse(p *Params, features []binning.Feature) *reuse {
	if p.ReuseFeature == 0 && p.ReuseCut == 0 {
		return nil
	}
	u := &reuse{
		features: make([]bool, len(features)), cuts: make([][]uint32, len(features)),
		newFeature: 1 - p.ReuseFeature, newCut: 1 - p.ReuseCut,
	}
	u.newBoth = u.newFeature * u.newCut
	for f := range features {
		if feature := &features[f]; !feature.BySets() && feature.HasMissing {
			u.cuts[f] = append(u.cuts[f], feature.Regular-1)
		}
	}
	return u
}

// add takes what a tree splits on as used.
func (u *reuse) add(t *tree.Tree) {
	for node, f := range t.Feature {
		u.features[f] = true
		if t.Categorical[node] {
			continue
		}
		if at, found := slices.BinarySearch(u.cuts[f], t.Code[node]); !found {
			u.cuts[f] = slices.Insert(u.cuts[f], at, t.Code[node])
		}
	}
}

// cutIsNew reports whether a candidate is at a cut that is not used yet, and counts for less.
func (u *reuse) cutIsNew(c *candidate) bool {
	if c.categorical || u.newCut == 1 {
		return false
	}
	_, found := slices.BinarySearch(u.cuts[c.feature], uint32(c.code))
	return !found
}

// share returns the share of its gain that a candidate counts for.
func (u *reuse) share(c *candidate) float64 {
	newFeature, newCut := !u.features[c.feature], u.cutIsNew(c)
	switch {
	case newFeature && newCut:
		return u.newBoth
	case newFeature:
		return u.newFeature
	case newCut:
		return u.newCut
	}
	return 1
}

// Reuse takes the features and cuts of trees as used: of those that training goes on from,
// and of each round once all its trees are grown. Where Params say nothing of reuse it does
// nothing.
func (g *Grower) Reuse(trees ...tree.Tree) {
	for i := range trees {
		if g.reuse != nil {
			g.reuse.add(&trees[i])
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
	if q.reuse == nil || !c.found || !q.reuse.cutIsNew(c) || len(q.reuse.cuts[f]) == 0 {
		return
	}
	var used candidate
	fill(q, &used, f, scan.Among(h, &q.rule, q.reuse.cuts[f]), 0)
	// Where the one cut that is tried leaves a side too few rows, there is no split on the feature.
	used.unproven = used.unproven || c.unproven && q.config.Params.ExtraTrees
	if used.found && (used.score > c.score || used.score == c.score && used.code < c.code) {
		*c = used
	}
}
