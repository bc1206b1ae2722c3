package grow

import (
	"math"
	"slices"

	"boost/tree/forced"
)

// forcedSplit is the split that Config.Forced has for a node: its number plus 1, 0 for none.
type forcedSplit int32

// below returns those of the children of a node whose split it is.
func (s forcedSplit) below(all []forced.Node) (left, right forcedSplit) {
	return forcedSplit(all[s-1].Left + 1), forcedSplit(all[s-1].Right + 1)
}

// takeForced makes the split that Config.Forced has for the node its best one, and reports whether there is one that divides
// the node and gains enough.
func (q *search) takeForced() bool {
	n := q.node
	if n.forced == 0 {
		return false
	}
	spec := &q.config.Forced[n.forced-1]
	f := spec.Feature
	if _, active := slices.BinarySearch(q.active, f); !active || len(q.restrict([]int{f}, n)) == 0 {
		return false
	}
	if q.sparse != nil {
		if _, kept := slices.BinarySearch(n.sums.Features, int32(f)); !kept { // a side has too few rows
			return false
		}
	}
	n.set = append(n.set[:0], spec.Set...)
	best := candidate{}
	for _, missingLeft := range [...]bool{true, false} {
		c := candidate{feature: f, code: int(spec.Code), categorical: spec.Categorical, missingLeft: missingLeft, forced: true}
		if q.dividesBy(&c, q.codesThatStay(n.set, &c, false), false) && c.gain > max(0, q.config.Params.MinGain) && (!best.found || c.gain > best.gain) {
			best = c
			best.found, best.score = true, math.Inf(1)
		}
	}
	if !best.found {
		return false
	}
	q.take(&best)
	return true
}
