package objectives

import (
	"fmt"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
)

// ParseLink returns the link of that name.
func ParseLink(name string) (Link, error) {
	switch l := Link(name); l {
	case Identity, Logistic, Softmax, OneVsAll, Exp, Expm1, Softplus, Sorted:
		return l, nil
	}
	return "", fmt.Errorf("unknown link %q (there are identity, logistic, softmax, one_vs_all, exp, expm1, softplus, sorted)", name)
}

// Apply writes the predictions of rows lo … hi-1. raw and values are output-major,
// k outputs of n rows: entry output*n + row. They may be the same slice. Only
// Softmax, OneVsAll and Sorted look at a row's outputs together. It panics on a link that ParseLink
// would refuse.
func (l Link) Apply(k int, raw, values []float64, lo, hi, n int) {
	switch l {
	case Softmax:
		loss.SoftmaxValues(values, raw, k, n, lo, hi)
		return
	case OneVsAll:
		shares(k, raw, values, lo, hi, n)
		return
	case Sorted:
		sortOutputs(k, raw, values, lo, hi, n)
		return
	}
	for output := range k {
		from, to := raw[output*n+lo:output*n+hi], values[output*n+lo:output*n+hi]
		switch l {
		case Identity:
			copy(to, from)
		case Logistic:
			detmath.SigmoidBlock(to, from)
		case Exp:
			loss.ExpValues(to, from)
		case Softplus:
			loss.SoftplusValues(to, from)
		case Expm1:
			loss.ExpValues(to, from)
			for i := range to {
				to[i]--
			}
		default:
			panic(fmt.Sprintf("objectives: link %q", string(l)))
		}
	}
}

// shares writes each output's chance over the sum of the row's; where all are 0, they are taken as equal.
func shares(k int, raw, values []float64, lo, hi, n int) {
	for output := range k {
		detmath.SigmoidBlock(values[output*n+lo:output*n+hi], raw[output*n+lo:output*n+hi])
	}
	for row := lo; row < hi; row++ {
		sum := 0.0
		for output := range k {
			sum += values[output*n+row]
		}
		for output := range k {
			if v := &values[output*n+row]; sum > 0 {
				*v /= sum
			} else {
				*v = 1 / float64(k)
			}
		}
	}
}

// sortOutputs writes each row's raw scores in ascending order, by insertion: they are few, and nearly in order.
func sortOutputs(k int, raw, values []float64, lo, hi, n int) {
	for row := lo; row < hi; row++ {
		for output := range k {
			score, at := raw[output*n+row], output
			for ; at > 0 && values[(at-1)*n+row] > score; at-- {
				values[at*n+row] = values[(at-1)*n+row]
			}
			values[at*n+row] = score
		}
	}
}
