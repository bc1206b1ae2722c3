package scan

// Among is Numeric for some of the splits only: those into codes ≤ c for a c of the given
// codes, which ascend. A code without rows counts: that the split before it is the same one is
// of no use where that is not among them.
//
// Bound: the sums are added up code by code, 1 ns each; a split takes two or four divisions.
func Among[G Grad, H Hess](f *Feature[G, H], r *Rule, codes []uint32) Split[G, H] {
	best := Split[G, H]{Gain: Refused}
	missing, anyMissing := f.missing()
	// Two sums, so that floats are added in Numeric's order.
	var without Sums[G, H]
	with := missing
	next := 0
	for _, code := range codes {
		for ; next <= int(code); next++ {
			at := f.at(next)
			without, with = without.plus(at), with.plus(at)
		}
		if anyMissing {
			if gain, unproven := consider(f, r, with, r.L2); gain > best.Gain {
				best = Split[G, H]{true, gain, int(code), true, unproven, with}
			}
		}
		if gain, unproven := consider(f, r, without, r.L2); gain > best.Gain {
			best = Split[G, H]{true, gain, int(code), false, unproven, without}
		}
	}
	return best
}
