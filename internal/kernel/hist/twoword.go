package hist

// Slot is one bin of a two-word histogram: sums of gradients and hessians.
type Slot[G int64 | float64, H uint64 | float64] struct {
	Grad G
	Hess H
}

// GradValue and HessValue are the types of the gradients and hessians that two-word
// loops read, one per row.
type (
	GradValue interface{ int16 | int32 | float32 }
	HessValue interface{ uint16 | uint32 | float32 }
)

// TwoWordColumn adds every entry's row to sums[codes[row]], with gradient
// grad[row] and hessian hess[row]: integer codes into 64-bit sums, or float32
// values into float64 sums, one accumulator per slot, in the order of the entries.
// codes, grad and hess hold the block's rows. counts[codes[row]] gains 1, unless
// counts is nil; it is as long as sums.
func TwoWordColumn[C Code, VG GradValue, VH HessValue, G int64 | float64, H uint64 | float64](
	sums []Slot[G, H], counts []uint32, codes []C, grad []VG, hess []VH, entries []uint64,
) {
	grad, hess = grad[:len(codes)], hess[:len(codes)]
	if counts == nil {
		for _, e := range entries {
			row := int(uint16(e >> rowShift))
			s := &sums[codes[row]]
			s.Grad += G(grad[row])
			s.Hess += H(hess[row])
		}
		return
	}
	counts = counts[:len(sums)]
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		c := codes[row]
		g, h := G(grad[row]), H(hess[row])
		s := &sums[c]
		s.Grad += g
		s.Hess += h
		counts[c]++
	}
}

// TwoWordNibbles is TwoWordColumn for a column of packed 4-bit codes.
func TwoWordNibbles[VG GradValue, VH HessValue, G int64 | float64, H uint64 | float64](
	sums []Slot[G, H], counts []uint32, codes []byte, grad []VG, hess []VH, entries []uint64,
) {
	hess = hess[:len(grad)]
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		c := codes[row>>1] >> (row & 1 << 2) & 15
		s := &sums[c]
		s.Grad += G(grad[row])
		s.Hess += H(hess[row])
		if counts != nil {
			counts[c]++
		}
	}
}

// TwoWordRows adds every entry's row to one slot per feature of a row-major
// matrix: slot f*Slots + code. codes starts at the block's first row, a row's codes at row*stride,
// which is at least features. The entries' rows ascend strictly, as for OneWordRows. used is about how
// many slots have codes; only the speed depends on it.
//
// Bound: integer codes without counts go both in one vector; an update writes one, one a cycle, and
// is four instructions. A row has a dozen besides, and the cache lines of its codes and values.
func TwoWordRows[VG GradValue, VH HessValue, G int64 | float64, H uint64 | float64](
	sums []Slot[G, H], counts []uint32, codes []uint8, stride, features, used int, grad []VG, hess []VH, entries []uint64,
) {
	if counts == nil && pairsAhead(sums, codes, stride, features, used, grad, hess, entries) {
		return
	}
	hess = hess[:len(grad)]
	for _, e := range entries {
		row := int(uint16(e >> rowShift))
		g, h := G(grad[row]), H(hess[row])
		at := 0
		for _, c := range codes[row*stride:][:features] {
			s := &sums[at+int(c)]
			s.Grad += g
			s.Hess += h
			if counts != nil {
				counts[at+int(c)]++
			}
			at += Slots
		}
	}
}
