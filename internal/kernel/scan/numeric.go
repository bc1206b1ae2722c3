package scan

// Numeric returns the best split of a numeric feature into codes ≤ c and the rest,
// with the missing code tried on both sides. Of equal gains the lowest code wins,
// and on it the missing code on the left.
//
// Codes without rows are passed over: they repeat the candidate before them, which
// wins the tie. Only code 0 has none before it: with the missing code on the left it
// is a candidate even without rows.
func Numeric[G Grad, H Hess](f *Feature[G, H], r *Rule) Split[G, H] {
	if plain, ok := any(f).(*Feature[int64, uint64]); ok && f.Count == nil {
		s := Codes(plain, r)
		return Split[G, H]{Found: s.Found, Gain: s.Gain, Code: s.Code, MissingLeft: s.MissingLeft, Unproven: s.Unproven,
			Left: Sums[G, H]{Grad: G(s.Left.Grad), Hess: H(s.Left.Hess)}}
	}
	missing, anyMissing := f.missing()
	if !anyMissing {
		return pass(f, r, Sums[G, H]{}, f.Regular-2)
	}
	right := pass(f, r, Sums[G, H]{}, f.Regular-1) // the last: present against missing
	return better(pass(f, r, missing, f.Regular-2), right)
}

// Codes is Numeric for integer sums without counts of rows.
func Codes(f *Feature[int64, uint64], r *Rule) Split[int64, uint64] {
	missing, anyMissing := f.missing()
	if !anyMissing {
		return plainPass(f, r, Sums[int64, uint64]{}, f.Regular-2)
	}
	right := plainPass(f, r, Sums[int64, uint64]{}, f.Regular-1)
	return better(plainPass(f, r, missing, f.Regular-2), right)
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

// pass returns the best split into codes ≤ c, for c up to last, with the sums of
// start on the left from the beginning.
func pass[G Grad, H Hess](f *Feature[G, H], r *Rule, start Sums[G, H], last int) Split[G, H] {
	if plain, ok := any(f).(*Feature[int64, uint64]); ok && r.GradOffset == 0 {
		s := countedPass(plain, r, Sums[int64, uint64]{Grad: int64(start.Grad), Hess: uint64(start.Hess), Rows: start.Rows}, last)
		return Split[G, H]{Found: s.Found, Gain: s.Gain, Code: s.Code, Unproven: s.Unproven,
			Left: Sums[G, H]{Grad: G(s.Left.Grad), Hess: H(s.Left.Hess), Rows: s.Left.Rows}}
	}
	best := Split[G, H]{Gain: Refused}
	left := start
	for c := 0; c <= last; c++ {
		if f.Count[c] == 0 && (c > 0 || start.Rows == 0) {
			continue
		}
		left = left.plus(f.at(c))
		if gain, unproven := consider(f, r, left, r.L2); gain > best.Gain {
			best = Split[G, H]{Found: true, Gain: gain, Code: c, Unproven: unproven, Left: left}
		}
	}
	return best
}

// countedPass is pass for integer sums with counts. Rows only grow from code to code, so
// those that leave both sides enough are neighbours: they are searched as without counts.
func countedPass(f *Feature[int64, uint64], r *Rule, start Sums[int64, uint64], last int) Split[int64, uint64] {
	first, end := between(f.Count[:last+1], start.Rows, f.Total.Rows, r.MinRows)
	for code := range first {
		start.Grad, start.Hess, start.Rows = start.Grad+f.Grad[code], start.Hess+f.Hess[code], start.Rows+uint64(f.Count[code])
	}
	if first >= end {
		return Split[int64, uint64]{Gain: Refused}
	}
	best, code, left, ok := plainVectors(f.Grad[first:end], f.Hess[first:end], f.Total, start, r, 0, true, Refused)
	if !ok {
		best, code, left = plainLoop(f.Grad[first:end], f.Hess[first:end], f.Total, start, r, 0, true, Refused)
	}
	if code < 0 {
		return Split[int64, uint64]{Gain: best}
	}
	left.Rows = start.Rows
	for _, n := range f.Count[first : first+code+1] {
		left.Rows += uint64(n)
	}
	return Split[int64, uint64]{Found: true, Gain: best, Code: first + code, Left: left}
}

// between returns the first of the codes that, with those before it, leaves both sides at least so many rows of all, and the
// first one after it that does not. start rows are on the left from the beginning.
func between(counts []uint32, start, all, least uint64) (first, end int) {
	rows := start
	for ; first < len(counts); first++ {
		if rows += uint64(counts[first]); rows >= least {
			break
		}
	}
	for end = first; end < len(counts) && all-rows >= least; {
		if end++; end < len(counts) {
			rows += uint64(counts[end])
		}
	}
	return first, end
}

// plainPass is pass for integer sums without counts, where nearly all of a search's
// time goes.
func plainPass(f *Feature[int64, uint64], r *Rule, start Sums[int64, uint64], last int) Split[int64, uint64] {
	if last < 0 {
		return Split[int64, uint64]{Gain: Refused}
	}
	grad, hess := f.Grad[:last+1], f.Hess[:last+1]
	atLeast := int64(r.LeastSide) // hessian sum of a side that is not refused outright
	anyStart, bar := start.Grad != 0 || start.Hess != 0, f.bar()
	best, code, left, ok := plainVectors(grad, hess, f.Total, start, r, atLeast, anyStart, bar)
	if !ok {
		best, code, left = plainLoop(grad, hess, f.Total, start, r, atLeast, anyStart, bar)
	}
	if code < 0 {
		return Split[int64, uint64]{Gain: Refused}
	}
	return Split[int64, uint64]{Found: true, Gain: best, Code: code, Left: left, Unproven: !r.Proven(left, f.Total)}
}

// plainLoop returns the best gain of a plainPass above a bar, its code or -1, and the sums on
// its left; always says that the first code is a candidate even without sums: consider, written out so that nothing is called in the loop and the divisions of
// neighbouring codes overlap. Sums convert as signed numbers, in one instruction; they
// stay below 2⁶³ (2³¹ rows of 32-bit codes).
func plainLoop(grad []int64, hess []uint64, total, start Sums[int64, uint64], r *Rule, atLeast int64, always bool, bar float64) (best float64, code int, left Sums[int64, uint64]) {
	hess = hess[:len(grad)]
	totalGrad, totalHess := total.Grad, int64(total.Hess)
	gradScale, hessScale, l2, minChild := r.GradScale, r.HessScale, r.L2, r.MinChild
	leftGrad, leftHess := start.Grad, int64(start.Hess)
	best, code = bar, -1
	var bestGrad, bestHess int64
	for c, g := range grad {
		h := hess[c]
		if g == 0 && h == 0 && (c > 0 || !always) {
			continue
		}
		leftGrad += g
		leftHess += int64(h)
		rightHess := totalHess - leftHess
		if leftHess < atLeast || rightHess < atLeast {
			continue
		}
		hl := float64(float64(leftHess) * hessScale)
		hr := float64(float64(rightHess) * hessScale)
		if hl < minChild || hr < minChild {
			continue
		}
		gl := float64(float64(leftGrad) * gradScale)
		gr := float64(float64(totalGrad-leftGrad) * gradScale)
		if r.L1 != 0 {
			gl, gr = r.Shrink(gl), r.Shrink(gr)
		}
		dl, dr := hl+l2, hr+l2
		if dl <= 0 || dr <= 0 {
			gl, dl = zeroOver(gl, dl)
			gr, dr = zeroOver(gr, dr)
		}
		gain := gl*gl/dl + gr*gr/dr
		if !(gain > best) { // left so, since an if around the rest swaps all registers twice
			continue
		}
		best, code, bestGrad, bestHess = gain, c, leftGrad, leftHess
	}
	return best, code, Sums[int64, uint64]{Grad: bestGrad, Hess: uint64(bestHess)}
}

// zeroOver returns a fraction g²/d that is 0 where d is not positive, as Part is.
func zeroOver(g, d float64) (float64, float64) {
	if d > 0 {
		return g, d
	}
	return 0, 1
}

// Refused is the gain of a candidate that breaks a rule.
const Refused = -1.0

// consider returns the gain of sending left to the left, Refused if a rule forbids
// it, and whether MinRows remains to be proven.
func consider[G Grad, H Hess](f *Feature[G, H], r *Rule, left Sums[G, H], l2 float64) (gain float64, unproven bool) {
	rightHess := f.Total.Hess - left.Hess
	if f.Count != nil {
		if left.Rows < r.MinRows || f.Total.Rows-left.Rows < r.MinRows {
			return Refused, false
		}
	} else if uint64(left.Hess) <= r.ProofHess || uint64(rightHess) <= r.ProofHess {
		if left.Hess < H(r.LeastSide) || rightHess < H(r.LeastSide) {
			return Refused, false
		}
		unproven = true
	}
	hl := float64(float64(left.Hess) * r.HessScale)
	hr := float64(float64(rightHess) * r.HessScale)
	if hl < r.MinChild || hr < r.MinChild {
		return Refused, false
	}
	gl := float64(float64(left.Grad)*r.GradScale) + float64(float64(left.Rows)*r.GradOffset)
	gr := float64(float64(f.Total.Grad-left.Grad)*r.GradScale) + float64(float64(f.Total.Rows-left.Rows)*r.GradOffset)
	return r.Part(gl, hl, l2) + r.Part(gr, hr, l2), unproven
}
