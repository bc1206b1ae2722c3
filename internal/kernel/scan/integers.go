package scan

// integerPrefixes is prefixes for sums of integers under a plain rule, where nearly all of a search's
// time goes. Where rows are counted, those codes that leave both sides enough are neighbours, because
// rows only grow from code to code: these are searched as without counts.
func integerPrefixes(f *Feature[int64, uint64], r *Rule, start Sums[int64, uint64], last int) (s Split[int64, uint64]) {
	s.Gain = Refused
	first, end := 0, max(last+1, 0)
	look := lookup{start: start, least: int64(r.LeastSide), always: start.Grad != 0 || start.Hess != 0, bar: barOf(f.Least)}
	if f.Count != nil {
		first, end = between(f.Count[:end], start.Rows, f.Total.Rows, r.MinRows)
		for code := range first {
			look.start = look.start.plus(f.at(code))
		}
		look.least, look.always = 0, true
	}
	if first >= end {
		return s
	}
	var best found
	if f.Words != nil {
		best = f.Node.find(f.Words[first:end], &look)
	} else {
		grad, hess := f.Grad[first:end], f.Hess[first:end]
		var ok bool
		if best, ok = vectorLoop(grad, hess, &f.Total, r, &look); !ok {
			best = plainLoop(grad, hess, &f.Total, r, &look)
		}
	}
	if best.code < 0 {
		return s
	}
	s.Found, s.Gain, s.Code, s.Left.Grad, s.Left.Hess = true, best.gain, first+best.code, best.grad, best.hess
	if f.Count == nil {
		s.Unproven = !r.Proven(s.Left, f.Total)
		return s
	}
	s.Left.Rows = look.start.Rows
	for _, n := range f.Count[first : s.Code+1] {
		s.Left.Rows += uint64(n)
	}
	return s
}

// lookup is what a loop over the sums of some codes is to find.
type lookup struct {
	start  Sums[int64, uint64] // what is on the left before the first code
	least  int64               // hessian sum of a side that is not refused outright
	always bool                // the first code is a candidate even without sums
	bar    float64             // what a gain has to exceed
}

// found is what a loop has found: the gain, its code counted from the first or -1, and the sums on its left.
type found struct {
	gain float64
	code int
	grad int64
	hess uint64
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

// plainLoop is the loop of prefixes and gain, written out for a plain rule so that nothing is called
// in it and the divisions of neighbouring codes overlap. Sums convert as signed numbers, in one
// instruction; they stay below 2⁶³ (2³¹ rows of 32-bit codes).
func plainLoop(grad []int64, hess []uint64, total *Sums[int64, uint64], r *Rule, look *lookup) found {
	hess = hess[:len(grad)]
	totalGrad, totalHess, atLeast := total.Grad, int64(total.Hess), look.least
	gradScale, hessScale, l2, minChild := r.GradScale, r.HessScale, r.L2, r.MinChild
	leftGrad, leftHess := look.start.Grad, int64(look.start.Hess)
	best, code := look.bar, -1
	var bestGrad, bestHess int64
	for c, g := range grad {
		h := hess[c]
		if g == 0 && h == 0 && (c > 0 || !look.always) {
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
		gain := gl*gl/(hl+l2) + gr*gr/(hr+l2)
		if !(gain > best) { // left so, since an if around the rest swaps all registers twice
			continue
		}
		best, code, bestGrad, bestHess = gain, c, leftGrad, leftHess
	}
	return found{best, code, bestGrad, uint64(bestHess)}
}
