package ptq

import "math"

// encode returns the codes of values under the version's scales, as Codes says.
func (v *Version) encode(values []float64) (any, error) {
	switch v.dtype {
	case F64:
		return append(make([]float64, 0, len(values)), values...), nil
	case F32:
		return narrow(values)
	case F16, BF16:
		return v.halves(values)
	case FP8E4M3, FP8E5M2, FP4:
		return v.floats(values), nil
	case I64:
		return whole[int64](v, values), nil
	case I32:
		return whole[int32](v, values), nil
	case I16:
		return whole[int16](v, values), nil
	case I8, I4, I2, Ternary:
		return whole[int8](v, values), nil
	case U64:
		return whole[uint64](v, values), nil
	case U32:
		return whole[uint32](v, values), nil
	case U16:
		return whole[uint16](v, values), nil
	case U8, U4, U2:
		return whole[uint8](v, values), nil
	}
	return v.signs(values), nil
}

// narrow rounds values to float32.
func narrow(values []float64) ([]float32, error) {
	small := make([]float32, len(values))
	for i, x := range values {
		small[i] = float32(x)
		if math.IsInf(float64(small[i]), 0) {
			return nil, ErrOverflow{FormOf(F32), i, x}
		}
	}
	return small, nil
}

func (v *Version) halves(values []float64) ([]uint16, error) {
	format := types[v.dtype].format
	codes := make([]uint16, len(values))
	for i, x := range values {
		code, ok := format.code(x)
		if !ok {
			return nil, ErrOverflow{v.Form(), i, x}
		}
		codes[i] = code
	}
	return codes, nil
}

// each calls f for every run of values that share a scale, from first to last.
func (v *Version) each(f func(from, to int, t fit)) {
	groups := v.calibration.Groups
	from := 0
	for span := range groups.spans() {
		to := groups.end(span, v.n)
		f(from, to, v.group(groups.Of(span)))
		from = to
	}
}

// floats returns the codes of FP8 and FP4. A scale of 0 makes them 0.
func (v *Version) floats(values []float64) []uint8 {
	format := types[v.dtype].format
	codes := make([]uint8, len(values))
	v.each(func(from, to int, t fit) {
		if t.scale == 0 {
			return
		}
		for i := from; i < to; i++ {
			codes[i] = format.saturated(values[i] / t.scale)
		}
	})
	return codes
}

// whole returns the codes of integers: clamped while they are floats, then converted. A
// scale of 0 makes them 0.
func whole[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](v *Version, values []float64) []T {
	codes := make([]T, len(values))
	low, high := types[v.dtype].lowest, types[v.dtype].highest
	v.each(func(from, to int, t fit) {
		if t.scale == 0 {
			return
		}
		for i := from; i < to; i++ {
			codes[i] = T(min(max(math.Round((values[i]-t.offset)/t.scale), low), high))
		}
	})
	return codes
}

// signs returns 1 for values above 0 and −1 for others.
func (v *Version) signs(values []float64) []int8 {
	codes := make([]int8, len(values))
	v.each(func(from, to int, t fit) {
		for i := from; i < to; i++ {
			codes[i] = -1
			if values[i] > 0 && t.scale > 0 {
				codes[i] = 1
			}
		}
	})
	return codes
}
