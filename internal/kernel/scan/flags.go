package scan

// Flags writes the best gains of features of two codes each and no missing one, whose sums
// follow each other: gains[i] is Codes' for the sums grad[2*i : 2*i+2], and Refused where that
// finds none. MinRows is heeded only as far as Codes does without a count: where EqualHess is not
// set and Proven denies it, a gain is an upper bound.
//
// Bound: two divisions a feature, 8 cycles on one core; with all around it 3 to 4 ns.
func Flags(gains []float64, grad []int64, hess []uint64, total Sums[int64, uint64], r *Rule) {
	grad, hess = grad[:2*len(gains)], hess[:2*len(gains)]
	atLeast := int64(r.LeastSide)
	totalGrad, totalHess := total.Grad, int64(total.Hess)
	gradScale, hessScale, l2, minChild := r.GradScale, r.HessScale, r.L2, r.MinChild
	for i := range gains {
		leftGrad, leftHess := grad[2*i], int64(hess[2*i])
		rightHess := totalHess - leftHess
		gains[i] = Refused
		if leftGrad == 0 && leftHess == 0 || leftHess < atLeast || rightHess < atLeast {
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
		if gain := gl*gl/dl + gr*gr/dr; gain > Refused { // not NaN
			gains[i] = gain
		}
	}
}

// Proven says that both sides of a split have MinRows rows for certain.
func (r *Rule) Proven(left, total Sums[int64, uint64]) bool {
	return r.EqualHess || left.Hess > r.ProofHess && total.Hess-left.Hess > r.ProofHess
}

// Provable reports whether a split of a node of so much hessian can be proven (see Proven).
func (r *Rule) Provable(total uint64) bool { return r.EqualHess || total/2 > r.ProofHess }
