package worth

import (
	"slices"

	"boost/binning"
	"boost/tree"
)

// Reuse knows what the model's trees split on, and makes splits on other features and at
// other cuts count for less than they gain (docs/design/062-training-for-size.md).
type Reuse struct {
	features []bool
	// cuts lists, per numeric feature, the codes after which a tree splits, ascending. The
	// last code of a feature with missing values is always there: it names no cut.
	cuts [][]uint32

	// The share of its gain that a split counts for: on another feature, at another cut, both.
	newFeature, newCut, newBoth float64
}

// NewReuse returns nil where every split counts for what it gains. feature and cut are the shares, from 0 on and below 1, of its gain that a split
// on another feature, or at another cut, loses.
func NewReuse(feature, cut float64, features []binning.Feature) *Reuse {
	if feature == 0 && cut == 0 {
		return nil
	}
	u := &Reuse{features: make([]bool, len(features)), cuts: make([][]uint32, len(features)), newFeature: 1 - feature, newCut: 1 - cut}
	u.newBoth = u.newFeature * u.newCut
	for f := range features {
		if feature := &features[f]; !feature.BySets() && feature.HasMissing {
			u.cuts[f] = append(u.cuts[f], feature.Regular-1)
		}
	}
	return u
}

// Add takes what a tree splits on as used.
func (u *Reuse) Add(t *tree.Tree) {
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

// Cuts returns the codes after which trees split on a numeric feature, ascending.
func (u *Reuse) Cuts(feature int) []uint32 { return u.cuts[feature] }

// CutIsNew reports whether a split on a feature is at a cut that is not used yet, and counts for less.
func (u *Reuse) CutIsNew(feature, code int, categorical bool) bool {
	if categorical || u.newCut == 1 {
		return false
	}
	_, found := slices.BinarySearch(u.cuts[feature], uint32(code))
	return !found
}

// Share returns the share of its gain that a split counts for.
func (u *Reuse) Share(feature, code int, categorical bool) float64 {
	newFeature, newCut := !u.features[feature], u.CutIsNew(feature, code, categorical)
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
