package ptq

import (
	"cmp"
	"math"
	"slices"

	"boost/internal/detmath"
)

// fit is the scale of the values that share it, and their offset where the type is affine.
type fit struct{ scale, offset float64 }

// fitter chooses the scales of one type and calibration.
type fitter struct {
	levels
	c Calibration
	// Scratch of percentiles.
	keys  []float64
	order []int
}

// fit chooses the scale of values, all finite; weights may be nil.
func (f *fitter) fit(values, weights []float64) fit {
	if total(weights) == 0 {
		weights = nil
	}
	switch f.c.Method {
	case Given:
		return fit{f.c.Scale, f.c.Offset}
	case Percentile:
		return f.percentile(values, weights)
	case MSE:
		return f.search(values, weights)
	}
	return f.absMax(values)
}

// absMax is the fit that clamps nothing.
func (f *fitter) absMax(values []float64) fit {
	switch f.kind {
	case affine:
		low, high := bounds(values)
		return f.between(low, high)
	case signs:
		return f.upTo(meanMagnitude(values, nil))
	}
	low, high := bounds(values)
	return f.upTo(max(high, -low))
}

// upTo is the fit of magnitudes up to peak.
func (f *fitter) upTo(peak float64) fit { return fit{scale: f.rounded(peak / f.largest)} }

// between is the fit of an affine type for values from low to high. Roundings do not bring
// its largest value beyond float64.
func (f *fitter) between(low, high float64) fit {
	t := fit{f.rounded((high - low) / f.largest), low}
	for high-low <= math.MaxFloat64 && math.IsInf(f.top(t), 0) {
		t.scale = math.Nextafter(t.scale, 0)
	}
	return t
}

// top is what the largest code stands for.
func (f *fitter) top(t fit) float64 { return float64(f.largest*t.scale) + t.offset }

// rounded returns the scale as it is kept: in float32 where the calibration says so, and
// so that its product with the largest number of the type stays finite where rounding up
// made it infinite.
func (f *fitter) rounded(scale float64) float64 {
	if !f.c.Float32Scales {
		if math.IsInf(f.largest*scale, 0) {
			return math.Nextafter(scale, 0)
		}
		return scale
	}
	small := float32(scale)
	if math.IsInf(float64(float32(f.largest)*small), 0) && small <= math.MaxFloat32 {
		small = math.Nextafter32(small, 0)
	}
	return float64(small)
}

// percentile is absMax of the values within the percentile. Where all magnitudes within
// it are 0, but not all beyond, it clamps nothing.
func (f *fitter) percentile(values, weights []float64) fit {
	f.keys = append(f.keys[:0], values...)
	if f.kind == affine {
		tail := f.c.Percent + float64((100-f.c.Percent)/2)
		high := f.rank(weights, tail)
		for i, v := range values {
			f.keys[i] = -v
		}
		low := -f.rank(weights, tail)
		if low >= high {
			return f.absMax(values)
		}
		return f.between(low, high)
	}
	for i, v := range values {
		f.keys[i] = math.Abs(v)
	}
	peak := f.rank(weights, f.c.Percent)
	if peak == 0 {
		return f.absMax(values)
	}
	return f.upTo(peak)
}

// rank returns the smallest of f.keys up to which they have percent of the weight: the
// inverse of their cumulative distribution, without interpolation. It is 0 of none.
func (f *fitter) rank(weights []float64, percent float64) float64 {
	f.order = f.order[:0]
	for i := range f.keys {
		f.order = append(f.order, i)
	}
	slices.SortFunc(f.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(f.keys[a], f.keys[b]), cmp.Compare(a, b))
	})
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	all, sum := 0.0, 0.0
	for _, i := range f.order {
		all += weight(i)
	}
	// The same additions in the same order, so that 100 percent is reached at the end.
	limit := percent / 100 * all
	for k, i := range f.order {
		if sum += weight(i); sum >= limit || k == len(f.order)-1 {
			return f.keys[i]
		}
	}
	return 0
}

// bounds returns the smallest and the largest value, 0 and 0 of none.
func bounds(values []float64) (low, high float64) {
	if len(values) == 0 {
		return 0, 0
	}
	low, high = values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// meanMagnitude returns the mean of |v|, weighted if weights are given; 0 of no values.
func meanMagnitude(values, weights []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	var sum detmath.Sum
	if weights == nil {
		for _, v := range values {
			sum.Add(math.Abs(v))
		}
		return sum.Round() / float64(len(values))
	}
	for i, v := range values {
		sum.AddWeighted(weights[i], math.Abs(v))
	}
	return sum.Round() / total(weights)
}

func total(weights []float64) float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	return sum
}
