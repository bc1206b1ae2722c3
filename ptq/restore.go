package ptq

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Stored is a version as a file holds it.
type Stored struct {
	DType DType
	Len   int // values
	// Calibration has the groups; what weights there were is not kept.
	Calibration Calibration
	// Scales and Offsets are those of Version.
	Scales, Offsets []float64
	// Native is what AppendNative wrote.
	Native []byte
}

// Restore returns the version that was stored. It refuses whatever Quantize and
// AppendNative never make: ErrNative for lengths that do not fit together, spare bits that
// are set, scales and offsets that are not finite, negative, missing or not those given,
// and for codes that are not 0 where the scale is; ErrCode for codes beyond the type's
// numbers, the NaN and infinities of F16 and narrower types among them; ErrNotFinite for
// those of F64 and F32; ErrOverflow for a value beyond float64; and the errors of
// Calibration.Resolve. It takes at most 8 times as much memory as s.Native.
func Restore(s Stored) (*Version, error) {
	if err := s.DType.check(); err != nil {
		return nil, err
	}
	if s.Len < 0 || s.Len > 8*len(s.Native) || StorageBytes(s.DType, int64(s.Len)) != int64(len(s.Native)) {
		return nil, ErrNative{fmt.Sprintf("%d bytes for %d values of %s, %d bits each", len(s.Native), s.Len, s.DType, s.DType.Bits())}
	}
	c, err := s.Calibration.Resolve(s.DType, s.Len)
	if err != nil {
		return nil, err
	}
	v := &Version{dtype: s.DType, n: s.Len, calibration: c, scales: slices.Clone(s.Scales), offsets: slices.Clone(s.Offsets)}
	if err := v.checkScales(); err != nil {
		return nil, err
	}
	if err := v.read(s.Native); err != nil {
		return nil, err
	}
	if err := v.checkCodes(); err != nil {
		return nil, err
	}
	if err := v.checkValues(); err != nil {
		return nil, err
	}
	return v, nil
}

// checkScales reports whether the numbers are there that the type and calibration need.
func (v *Version) checkScales() error {
	c := v.calibration
	scales, offsets := 0, 0
	if c.Method != None {
		scales = c.Groups.Count()
		if v.dtype.Unsigned() {
			offsets = scales
		}
	}
	if len(v.scales) != scales || len(v.offsets) != offsets {
		return ErrNative{fmt.Sprintf("%d scales and %d offsets for %s, %s: expected %d and %d",
			len(v.scales), len(v.offsets), v.dtype, c, scales, offsets)}
	}
	if scales == 0 {
		v.scales, v.offsets = nil, nil
	}
	for g, scale := range v.scales {
		switch {
		case !(scale >= 0 && scale <= math.MaxFloat64) || math.Signbit(scale):
			return ErrNative{fmt.Sprintf("group %d has the scale %v: expected a finite number that is not negative", g, scale)}
		case c.Float32Scales && float64(float32(scale)) != scale:
			return ErrNative{fmt.Sprintf("group %d has the scale %v: expected a float32", g, scale)}
		case c.Method == Given && scale != c.Scale:
			return ErrNative{fmt.Sprintf("group %d has the scale %v: expected the one given, %v", g, scale, c.Scale)}
		}
	}
	for g, offset := range v.offsets {
		switch {
		case math.IsNaN(offset) || math.IsInf(offset, 0):
			return ErrNative{fmt.Sprintf("group %d has the offset %v: expected a finite number", g, offset)}
		case c.Method == Given && offset != c.Offset:
			return ErrNative{fmt.Sprintf("group %d has the offset %v: expected the one given, %v", g, offset, c.Offset)}
		}
	}
	return nil
}

// read fills the codes from bytes, whose length is right.
func (v *Version) read(native []byte) error {
	switch v.dtype {
	case F64:
		codes := make([]float64, v.n)
		for i := range codes {
			codes[i] = math.Float64frombits(binary.LittleEndian.Uint64(native[8*i:]))
		}
		v.codes = codes
	case F32:
		codes := make([]float32, v.n)
		for i := range codes {
			codes[i] = math.Float32frombits(binary.LittleEndian.Uint32(native[4*i:]))
		}
		v.codes = codes
	case F16, BF16, U16:
		v.codes = get[uint16](native, v.n)
	case I16:
		v.codes = get[int16](native, v.n)
	case U32:
		v.codes = get[uint32](native, v.n)
	case I32:
		v.codes = get[int32](native, v.n)
	case U64:
		v.codes = get[uint64](native, v.n)
	case I64:
		v.codes = get[int64](native, v.n)
	default:
		return v.readBits(native)
	}
	return nil
}

// get reads words of 2, 4 or 8 bytes.
func get[T int16 | uint16 | int32 | uint32 | int64 | uint64](native []byte, n int) []T {
	codes := make([]T, n)
	if n == 0 {
		return codes
	}
	size := len(native) / n
	for i := range codes {
		word := uint64(0)
		for b := range size {
			word |= uint64(native[size*i+b]) << (8 * b)
		}
		codes[i] = T(word)
	}
	return codes
}

// readBits reads codes of 8 bits and fewer and refuses spare bits that are set.
func (v *Version) readBits(native []byte) error {
	bits := v.dtype.Bits()
	if used := v.n * bits % 8; used != 0 && native[len(native)-1]<<used != 0 {
		return ErrNative{fmt.Sprintf("the last byte is %#02x, but %s values use only its %d highest bits: the others have to be 0", native[len(native)-1], v.dtype, used)}
	}
	switch v.dtype {
	case FP8E4M3, FP8E5M2, FP4, U8, U4, U2:
		codes := make([]uint8, v.n)
		for i := range codes {
			codes[i] = bitsAt(native, i, bits) >> (8 - bits)
		}
		v.codes = codes
	case Binary:
		codes := make([]int8, v.n)
		for i := range codes {
			codes[i] = int8(native[i/8]>>(7-i%8)&1)*2 - 1
		}
		v.codes = codes
	default:
		codes := make([]int8, v.n)
		for i := range codes {
			codes[i] = int8(bitsAt(native, i, bits)) >> (8 - bits)
		}
		v.codes = codes
	}
	return nil
}

// bitsAt returns code i of 2, 4 or 8 bits in the high end of a byte whose other bits are
// of no meaning.
func bitsAt(native []byte, i, bits int) uint8 {
	each := 8 / bits
	return native[i/each] << (i % each * bits)
}

// checkCodes refuses codes that no value has.
func (v *Version) checkCodes() error {
	switch codes := v.codes.(type) {
	case []float64:
		return finite(codes)
	case []float32:
		for i, x := range codes {
			if wide := float64(x); math.IsNaN(wide) || math.IsInf(wide, 0) {
				return ErrNotFinite{i, wide}
			}
		}
		return nil
	case []uint16:
		return checkFormat(v.dtype, codes)
	case []uint8:
		return checkFormat(v.dtype, codes)
	case []int8:
		for i, c := range codes {
			if v.dtype == Ternary && c == -2 {
				return ErrCode{Ternary, i, 2}
			}
		}
	case []int64:
		for i, c := range codes {
			if c > 1<<53 || c < -1<<53 {
				return ErrCode{I64, i, uint64(c)}
			}
		}
	case []uint64:
		for i, c := range codes {
			if c > 1<<53 {
				return ErrCode{U64, i, c}
			}
		}
	}
	return nil
}

// checkFormat refuses infinities and NaN in codes of floating-point types.
func checkFormat[T uint8 | uint16](d DType, codes []T) error {
	format := types[d].format
	if format == nil {
		return nil
	}
	for i, c := range codes {
		if !format.finite(uint64(c)) {
			return ErrCode{d, i, uint64(c)}
		}
	}
	return nil
}

// checkValues refuses values beyond float64 where there are scales, and codes that stand
// for anything where the scale is 0.
func (v *Version) checkValues() error {
	if v.scales == nil {
		return nil
	}
	nothing := 0.0
	if v.dtype == Binary {
		nothing = -1
	}
	var err error
	var buffer [256]float64
	v.each(func(from, to int, t fit) {
		zero := t.scale == 0
		if zero {
			t = fit{scale: 1}
		}
		for ; from < to && err == nil; from += len(buffer) {
			run := buffer[:min(len(buffer), to-from)]
			v.decode(run, from, t)
			for i, x := range run {
				switch {
				case zero && math.Float64bits(x) != math.Float64bits(nothing):
					err = ErrNative{fmt.Sprintf("the scale of value %d is 0, but its code is not: it stands for %v scales", from+i, x)}
				case math.IsInf(x, 0):
					err = ErrOverflow{v.Form(), from + i, x}
				default:
					continue
				}
				return
			}
		}
	})
	return err
}
