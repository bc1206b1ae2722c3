package ptq

import (
	"fmt"
	"math"
)

// Version is a set of values in one data type, with the scales that its codes are
// multiples of. Immutable; safe for concurrent use. What it returns must not be changed.
type Version struct {
	dtype       DType
	n           int
	calibration Calibration // resolved
	scales      []float64   // of the groups; nil: none
	offsets     []float64   // of the groups, where the type is affine
	codes       any         // see Codes
	errors      *Errors     // nil: unknown
}

// Quantize makes a version of values; Master's own types, F64 and F32, are copies. Rounding
// (S4.7, S4.8, S4.10 to S4.13): whole numbers to the nearest, halves away from zero,
// clamped; floating-point types to the nearest, halves to the even code, once. Errors: those
// of Calibration.Resolve; ErrNotFinite; ErrOverflow for a value beyond F32, F16 or BF16, or
// one that a scale brings beyond float64.
func Quantize(d DType, c Calibration, values []float64) (*Version, error) {
	c, err := c.Resolve(d, len(values))
	if err != nil {
		return nil, err
	}
	if err := finite(values); err != nil {
		return nil, err
	}
	v := &Version{dtype: d, n: len(values), calibration: c}
	v.fit(values)
	if v.codes, err = v.encode(values); err != nil {
		return nil, err
	}
	e, err := v.Measure(values, c.Groups)
	if err != nil {
		return nil, err
	}
	v.errors = &e
	return v, nil
}

// With returns a version of other values, as many, under this one's scales: values that they are
// too small for are clamped. Errors: ErrGroups for another number of values, and those of
// Quantize.
func (v *Version) With(values []float64) (*Version, error) {
	if len(values) != v.n {
		return nil, ErrGroups{fmt.Sprintf("with: %d values for the scales of %d", len(values), v.n)}
	}
	if err := finite(values); err != nil {
		return nil, err
	}
	w := &Version{dtype: v.dtype, n: v.n, calibration: v.calibration, scales: v.scales, offsets: v.offsets}
	var err error
	if w.codes, err = w.encode(values); err != nil {
		return nil, err
	}
	e, err := w.Measure(values, w.calibration.Groups)
	if err != nil {
		return nil, err
	}
	w.errors = &e
	return w, nil
}

func finite(values []float64) error {
	for i, x := range values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return ErrNotFinite{Index: i, Value: x}
		}
	}
	return nil
}

// fit chooses the scale of each group.
func (v *Version) fit(values []float64) {
	if v.calibration.Method == None {
		return
	}
	f := fitter{levels: levelsOf(v.dtype), c: v.calibration}
	groups := v.calibration.Groups
	v.scales = make([]float64, groups.Count())
	if f.kind == affine {
		v.offsets = make([]float64, groups.Count())
	}
	var scratch, weightScratch, weights []float64
	if groups != nil && groups.of != nil {
		scratch = make([]float64, 0, len(values))
		weightScratch = make([]float64, 0, len(values))
	}
	for g := range v.scales {
		if v.calibration.Weights != nil {
			weights = groups.gather(weightScratch, v.calibration.Weights.of, g)
		}
		t := f.fit(groups.gather(scratch, values, g), weights)
		v.scales[g] = t.scale
		if v.offsets != nil {
			v.offsets[g] = t.offset
		}
	}
}

// group returns the fit of a group.
func (v *Version) group(g int) fit {
	switch {
	case v.scales == nil:
		return fit{scale: 1}
	case v.offsets == nil:
		return fit{scale: v.scales[g]}
	}
	return fit{v.scales[g], v.offsets[g]}
}

// DType is the version's data type.
func (v *Version) DType() DType { return v.dtype }

// Len is the number of values.
func (v *Version) Len() int { return v.n }

// Calibration returns how the scales were chosen, as Resolve names it.
func (v *Version) Calibration() Calibration { return v.calibration }

// Scales returns the scale of each group, nil where there is none.
func (v *Version) Scales() []float64 { return v.scales }

// Offsets returns the value of code 0 in each group, nil for types that are not unsigned.
func (v *Version) Offsets() []float64 { return v.offsets }

// Codes returns the stored numbers (S4.6): []float64 for F64, []float32 for F32,
// []uint16 for F16 and BF16, []uint8 for FP8, the slice of their own type for integers of
// 8 bits and more; one value to an element of []int8 for I4, I2, Ternary and Binary, of
// []uint8 for U4, U2 and FP4.
func (v *Version) Codes() any { return v.codes }

// NativeBytes is how many bytes AppendNative adds.
func (v *Version) NativeBytes() int64 { return StorageBytes(v.dtype, int64(v.n)) }

// ScaleBytes is how many bytes a file needs for scales and offsets: 8 for each number, 4
// for scales of float32.
func (v *Version) ScaleBytes() int64 {
	each := int64(8)
	if v.calibration.Float32Scales {
		each = 4
	}
	return each*int64(len(v.scales)) + 8*int64(len(v.offsets))
}

// At returns value i. It panics if there is none.
func (v *Version) At(i int) float64 {
	var one [1]float64
	v.DecodeRange(one[:], i)
	return one[0]
}

// DecodeRange writes the values first, first + 1, … into dst, as many as it has. It
// allocates nothing and panics if there are not so many. A value is code·scale + offset in
// float64, or what the code of a floating-point type without a scale stands for.
func (v *Version) DecodeRange(dst []float64, first int) {
	if first < 0 || first > v.n || len(dst) > v.n-first {
		panic(fmt.Sprintf("ptq: values %d to %d of %d", first, first+len(dst), v.n))
	}
	groups := v.calibration.Groups
	if v.scales == nil {
		groups = nil
	}
	for span := groups.at(first); len(dst) > 0; span++ {
		run := min(len(dst), groups.end(span, v.n)-first)
		v.decode(dst[:run], first, v.group(groups.Of(span)))
		dst, first = dst[run:], first+run
	}
}

// decode writes values that share a scale.
func (v *Version) decode(dst []float64, first int, t fit) {
	switch codes := v.codes.(type) {
	case []float64:
		copy(dst, codes[first:])
	case []float32:
		for i, x := range codes[first : first+len(dst)] {
			dst[i] = float64(x)
		}
	case []uint16:
		switch codes = codes[first : first+len(dst)]; v.dtype {
		case F16:
			for i, c := range codes {
				dst[i] = f16Value(c)
			}
		case BF16:
			for i, c := range codes {
				dst[i] = float64(math.Float32frombits(uint32(c) << 16))
			}
		default:
			affines(dst, codes, t)
		}
	case []uint8:
		switch codes = codes[first : first+len(dst)]; v.dtype {
		case FP8E4M3:
			lookup(dst, codes, &e4m3Values, t.scale)
		case FP8E5M2:
			lookup(dst, codes, &e5m2Values, t.scale)
		case FP4:
			lookup(dst, codes, &e2m1Values, t.scale)
		default:
			affines(dst, codes, t)
		}
	case []uint32:
		affines(dst, codes[first:first+len(dst)], t)
	case []uint64:
		affines(dst, codes[first:first+len(dst)], t)
	case []int8:
		multiples(dst, codes[first:first+len(dst)], t.scale)
	case []int16:
		multiples(dst, codes[first:first+len(dst)], t.scale)
	case []int32:
		multiples(dst, codes[first:first+len(dst)], t.scale)
	case []int64:
		multiples(dst, codes[first:first+len(dst)], t.scale)
	}
}

// multiples writes code·scale.
func multiples[T int8 | int16 | int32 | int64](dst []float64, codes []T, scale float64) {
	dst = dst[:len(codes)]
	for i, c := range codes {
		dst[i] = float64(c) * scale
	}
}

// affines writes code·scale + offset.
func affines[T uint8 | uint16 | uint32 | uint64](dst []float64, codes []T, t fit) {
	dst = dst[:len(codes)]
	for i, c := range codes {
		dst[i] = float64(float64(c)*t.scale) + t.offset
	}
}

// lookup writes the values of codes times scale.
func lookup(dst []float64, codes []uint8, values *[256]float64, scale float64) {
	dst = dst[:len(codes)]
	for i, c := range codes {
		dst[i] = values[c] * scale
	}
}
