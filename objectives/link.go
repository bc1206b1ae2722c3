package objectives

import (
	"fmt"

	"boost/internal/detmath"
	"boost/internal/kernel/loss"
)

// ParseLink returns the link of that name.
func ParseLink(name string) (Link, error) {
	switch l := Link(name); l {
	case Identity, Logistic, Softmax, Exp:
		return l, nil
	}
	return "", fmt.Errorf("unknown link %q (there are identity, logistic, softmax, exp)", name)
}

// Apply writes the predictions of rows lo … hi-1. raw and values are output-major,
// k outputs of n rows: entry output*n + row. They may be the same slice. Only
// Softmax looks at a row's outputs together. It panics on a link that ParseLink
// would refuse.
func (l Link) Apply(k int, raw, values []float64, lo, hi, n int) {
	if l == Softmax {
		loss.SoftmaxValues(values, raw, k, n, lo, hi)
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
		default:
			panic(fmt.Sprintf("objectives: link %q", string(l)))
		}
	}
}
