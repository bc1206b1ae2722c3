package scan

// Numeric returns the best split of a numeric feature into codes ≤ c and the rest,
// with the missing code tried on both sides. Of equal gains the lowest code wins,
// and on it the missing code on the left.
//
// Codes without rows are passed over: they repeat the candidate before them, which
// wins the tie. Only code 0 has none before it: with the missing code on the left it
// is a candidate even without rows.
func Numeric[G Grad, H Hess](f *Feature[G, H], r *Rule) Split[G, H] {
	best := Split[G, H]{Gain: -1}
	missing, anyMissing := f.missing()
	last := f.Regular - 1 // present against missing only where there is something missing
	if !anyMissing {
		last--
	}
	grad, hess := f.Grad[:f.Regular], f.Hess[:f.Regular]
	var left Sums[G, H]
	for c := 0; c <= last; c++ {
		g, h := grad[c], hess[c]
		empty := g == 0 && h == 0
		if f.Count != nil {
			left.Rows += uint64(f.Count[c])
			empty = f.Count[c] == 0
		}
		if empty && (c > 0 || !anyMissing) {
			continue
		}
		left.Grad += g
		left.Hess += h
		if anyMissing && c < f.Regular-1 {
			with := Sums[G, H]{left.Grad + missing.Grad, left.Hess + missing.Hess, left.Rows + missing.Rows}
			if gain, unproven := consider(f, r, with, r.L2); gain > best.Gain {
				best = Split[G, H]{true, gain, c, true, unproven, with}
			}
		}
		if gain, unproven := consider(f, r, left, r.L2); gain > best.Gain {
			best = Split[G, H]{true, gain, c, false, unproven, left}
		}
	}
	return best
}

// refused is the gain of a candidate that breaks a rule.
const refused = -1

// consider returns the gain of sending left to the left, refused if a rule forbids
// it, and whether MinRows remains to be proven.
func consider[G Grad, H Hess](f *Feature[G, H], r *Rule, left Sums[G, H], l2 float64) (gain float64, unproven bool) {
	rightHess := f.Total.Hess - left.Hess
	if f.Count != nil {
		if left.Rows < r.MinRows || f.Total.Rows-left.Rows < r.MinRows {
			return refused, false
		}
	} else if uint64(left.Hess) <= r.ProofHess || uint64(rightHess) <= r.ProofHess {
		if r.EqualHess {
			return refused, false
		}
		unproven = true
	}
	hl := float64(float64(left.Hess) * r.HessScale)
	hr := float64(float64(rightHess) * r.HessScale)
	if hl < r.MinChild || hr < r.MinChild {
		return refused, false
	}
	gl := float64(float64(left.Grad) * r.GradScale)
	gr := float64(float64(f.Total.Grad-left.Grad) * r.GradScale)
	return r.Part(gl, hl, l2) + r.Part(gr, hr, l2), unproven
}
