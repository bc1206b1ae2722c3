package ptq

import "math"

// levels are the numbers that the codes of a type with a scale stand for before scale and
// offset: the values of a floating-point format, or the whole numbers lowest … highest.
type levels struct {
	traits
	values *[256]float64 // of a floating-point format's codes
}

func levelsOf(d DType) levels {
	l := levels{traits: types[d]}
	switch d {
	case FP8E4M3:
		l.values = &e4m3Values
	case FP8E5M2:
		l.values = &e5m2Values
	case FP4:
		l.values = &e2m1Values
	}
	return l
}

// squares returns the weighted sum of the squared errors of values under a fit whose scale
// is not 0, added in their order.
func (l *levels) squares(values, weights []float64, t fit) float64 {
	sum := 0.0
	for i, v := range values {
		level := l.level(v, t)
		d := v - (float64(level*t.scale) + t.offset)
		d = float64(d * d)
		if weights != nil {
			d = float64(weights[i] * d)
		}
		sum += d
	}
	return sum
}

// leastSquares returns the fit of the least squared error for the levels that values have
// under t, scale 0 where there is none.
func (l *levels) leastSquares(values, weights []float64, t fit) fit {
	meanValue, meanLevel := 0.0, 0.0
	if l.kind == affine {
		all := 0.0
		for i, v := range values {
			w := 1.0
			if weights != nil {
				w = weights[i]
			}
			all += w
			meanValue += float64(w * v)
			meanLevel += float64(w * l.level(v, t))
		}
		meanValue, meanLevel = float64(meanValue/all), float64(meanLevel/all)
	}
	both, square := 0.0, 0.0
	for i, v := range values {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		level := l.level(v, t) - meanLevel
		both += float64(w * float64(level*(v-meanValue)))
		square += float64(w * float64(level*level))
	}
	if square == 0 {
		return fit{}
	}
	scale := both / square
	if l.kind != affine {
		return fit{scale: scale}
	}
	return fit{scale, meanValue - float64(scale*meanLevel)}
}

// level returns the level nearest to a value, clamped while it is a float.
func (l *levels) level(v float64, t fit) float64 {
	x := (v - t.offset) / t.scale
	if l.values != nil {
		return l.values[l.format.saturated(x)]
	}
	return min(max(math.Round(x), l.lowest), l.highest)
}
