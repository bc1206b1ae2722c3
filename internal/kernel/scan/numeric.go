package scan

// Numeric returns the best split of a numeric feature into codes ≤ c and the others,
// with the missing code tried on both sides. Of equal gains the lowest code wins,
// and on it the missing code on the left.
//
// Codes without rows are passed over: they repeat the candidate before them, which
// wins the tie. Only code 0 has none before it: with the missing code on the left it
// is a candidate even without rows. With Sides every code is one, on both sides of the missing code: what bounds the sides differs.
func Numeric[G Grad, H Hess](f *Feature[G, H], r *Rule) Split[G, H] {
	missing, anyMissing := f.missing()
	if !anyMissing && (f.Sides == nil || len(f.Grad) <= f.Regular) {
		return prefixes(f, r, Sums[G, H]{}, f.Regular-2, false)
	}
	right := prefixes(f, r, Sums[G, H]{}, f.Regular-1, false) // the last: present against missing
	return better(prefixes(f, r, missing, f.Regular-2, true), right)
}

// better returns the better of the best splits with the missing code on the left and on
// the right.
func better[G Grad, H Hess](left, right Split[G, H]) Split[G, H] {
	left.MissingLeft = true
	if left.Found && (!right.Found || left.Gain > right.Gain || left.Gain == right.Gain && left.Code <= right.Code) {
		return left
	}
	return right
}

// prefixes returns the best split into codes ≤ c, for c up to last, with the sums of
// start on the left from the beginning: those of the missing code, or none.
func prefixes[G Grad, H Hess](f *Feature[G, H], r *Rule, start Sums[G, H], last int, missingLeft bool) Split[G, H] {
	if whole, ok := any(f).(*Feature[int64, uint64]); ok && r.Plain() {
		s := integerPrefixes(whole, r, Sums[int64, uint64]{Grad: int64(start.Grad), Hess: uint64(start.Hess), Rows: start.Rows}, last)
		return Split[G, H]{Found: s.Found, Gain: s.Gain, Code: s.Code, Unproven: s.Unproven,
			Left: Sums[G, H]{Grad: G(s.Left.Grad), Hess: H(s.Left.Hess), Rows: s.Left.Rows}}
	}
	best := Split[G, H]{Gain: barOf(f.Least)}
	left, isStart := start, start != Sums[G, H]{}
	skips := f.Sides == nil
	for c := 0; c <= last; c++ {
		grad, hess := f.Grad[c], f.Hess[c]
		if f.Count != nil {
			if skips && f.Count[c] == 0 && (c > 0 || !isStart) {
				continue
			}
			left.Rows += uint64(f.Count[c])
		} else if skips && grad == 0 && hess == 0 && (c > 0 || !isStart) {
			continue
		}
		left.Grad, left.Hess = left.Grad+grad, left.Hess+hess
		f.lookAt(c, missingLeft)
		if gain, unproven := gain(f, r, left, r.L2, best.Gain); gain > best.Gain {
			best = Split[G, H]{Found: true, Gain: gain, Code: c, Unproven: unproven, Left: left}
		}
	}
	if !best.Found {
		best.Gain = Refused
	}
	return best
}

// Among is Numeric for some of the splits only: those into codes ≤ c for a c of the given
// codes, which ascend. A code without rows counts, because the split before it, which is the same
// one, may not be among them.
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
		if anyMissing || f.Sides != nil && len(f.Grad) > f.Regular {
			f.lookAt(int(code), true)
			if gain, unproven := gain(f, r, with, r.L2, best.Gain); gain > best.Gain {
				best = Split[G, H]{true, gain, int(code), true, unproven, with}
			}
		}
		f.lookAt(int(code), false)
		if gain, unproven := gain(f, r, without, r.L2, best.Gain); gain > best.Gain {
			best = Split[G, H]{true, gain, int(code), false, unproven, without}
		}
	}
	return best
}
