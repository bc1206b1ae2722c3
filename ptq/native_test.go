package ptq_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"boost/ptq"
)

// unit gives whole numbers their own codes; unsigned types count from 0.
func unit(d ptq.DType) ptq.Calibration {
	switch d {
	case ptq.F64, ptq.F32, ptq.F16, ptq.BF16, ptq.FP8E4M3, ptq.FP8E5M2, ptq.FP4:
		return none
	}
	return given(1)
}

// stored is what a file keeps of a version.
func stored(v *ptq.Version) ptq.Stored {
	return ptq.Stored{DType: v.DType(), Len: v.Len(), Calibration: v.Calibration(), Scales: v.Scales(), Offsets: v.Offsets(), Native: v.AppendNative(nil)}
}

func TestNativePacking(t *testing.T) {
	for _, c := range []struct {
		d      ptq.DType
		values []float64
		want   string
	}{
		{ptq.I4, []float64{1, -1, 2}, "1f 20"},
		{ptq.U4, []float64{1, 15, 2}, "1f 20"},
		{ptq.FP4, []float64{.5, -6, 1}, "1f 20"},
		{ptq.I2, []float64{1, -1, 0, -2}, "72"},
		{ptq.U2, []float64{3, 0, 1, 2, 1}, "c6 40"},
		{ptq.Ternary, []float64{1, -1, 0, 1, -1}, "71 c0"},
		{ptq.Binary, []float64{1, -1, 1}, "a0"},
		{ptq.FP8E4M3, []float64{1, -1}, "38 b8"},
		{ptq.F16, []float64{1, .437}, "003c fe36"},
		{ptq.BF16, []float64{-3.14159}, "49c0"},
		{ptq.F32, []float64{1}, "0000803f"},
		{ptq.F64, []float64{-2}, "00000000000000c0"},
		{ptq.I8, []float64{-1, 127, -128}, "ff 7f 80"},
		{ptq.I16, []float64{-2, 258}, "feff 0201"},
		{ptq.I32, []float64{-2}, "feffffff"},
		{ptq.I64, []float64{-2, 1 << 40}, "feffffffffffffff 0000000000010000"},
		{ptq.U8, []float64{255}, "ff"},
		{ptq.U16, []float64{258}, "0201"},
		{ptq.U32, []float64{1 << 24}, "00000001"},
		{ptq.U64, []float64{1 << 40}, "0000000000010000"},
	} {
		t.Run("S4.21/golden/"+c.d.String(), func(t *testing.T) {
			v := quantize(t, c.d, unit(c.d), c.values)
			want := bytesOf(t, c.want)
			if got := v.AppendNative([]byte("head")); !bytes.Equal(got, append([]byte("head"), want...)) {
				t.Fatalf("packed as %x, want %x after the head", got, want)
			}
			back, err := ptq.Restore(stored(v))
			if err != nil {
				t.Fatal(err)
			}
			if !same(valuesOf(back), valuesOf(v)) {
				t.Errorf("reads back as %v, want %v", valuesOf(back), valuesOf(v))
			}
		})
	}
	want := goldens(t)
	for _, c := range []struct {
		d          ptq.DType
		low, codes int
	}{
		{ptq.I16, -1 << 15, 1 << 16}, {ptq.U16, 0, 1 << 16}, {ptq.I8, -128, 256}, {ptq.U8, 0, 256}, {ptq.I4, -8, 16}, {ptq.U4, 0, 16},
		{ptq.I2, -2, 4}, {ptq.U2, 0, 4}, {ptq.Ternary, -1, 3}, {ptq.Binary, -1, 2}, {ptq.FP4, 0, 16},
	} {
		t.Run("S4.21/numpy/"+c.d.String(), func(t *testing.T) {
			var all []byte
			for n := range 66 {
				values := make([]float64, n)
				for i := range values {
					values[i] = float64(c.low + (7*i*i+3*i)%c.codes)
					switch c.d {
					case ptq.Binary:
						values[i] = float64(c.low + 2*((7*i*i+3*i)%2))
					case ptq.FP4:
						values[i] = decoded(t, ptq.FP4, int(values[i]))
					}
				}
				all = quantize(t, c.d, unit(c.d), values).AppendNative(all)
			}
			if got := sha(all); got != want[c.d.String()].Packed {
				t.Errorf("0 to 65 codes are packed to the hash %s, want %s", got, want[c.d.String()].Packed)
			}
		})
	}
}

// TestRestore has every type come back from its bytes, by every length up to 65.
func TestRestore(t *testing.T) {
	for _, d := range ptq.DTypes() {
		t.Run("S4.21/round_trip/"+d.String(), func(t *testing.T) {
			for n := range 66 {
				values := draw(uint64(n), n, (*rand.Rand).NormFloat64)
				c := ptq.Calibration{}
				if n > 2 {
					c.Groups = groups(t, []int{n / 2, n - 1, n}, []int{1, 0, 1})
				}
				v := quantize(t, d, c, values)
				native := v.AppendNative(nil)
				if int64(len(native)) != v.NativeBytes() {
					t.Fatalf("%d values: %d bytes, said to be %d", n, len(native), v.NativeBytes())
				}
				back, err := ptq.Restore(stored(v))
				if err != nil {
					t.Fatalf("%d values: %v", n, err)
				}
				if !same(valuesOf(back), valuesOf(v)) || !bytes.Equal(back.AppendNative(nil), native) {
					t.Fatalf("%d values: read back as %v, want %v", n, valuesOf(back), valuesOf(v))
				}
				if _, known := back.Errors(); known {
					t.Fatal("errors are known without the values that there were")
				}
			}
		})
	}
}

func TestRestoreRefuses(t *testing.T) {
	three := groups(t, []int{1, 2, 3}, nil)
	for _, c := range []struct {
		name string
		s    ptq.Stored
		want string // in the error
	}{
		{"type", ptq.Stored{DType: 21}, "no data type 21"},
		{"negative", ptq.Stored{DType: ptq.I8, Len: -1, Scales: []float64{1}}, "for -1 values"},
		{"short", ptq.Stored{DType: ptq.I8, Len: 3, Scales: []float64{1}, Native: make([]byte, 2)}, "2 bytes for 3 values"},
		{"long", ptq.Stored{DType: ptq.I4, Len: 2, Scales: []float64{1}, Native: make([]byte, 2)}, "2 bytes for 2 values"},
		{"huge", ptq.Stored{DType: ptq.F64, Len: 1 << 30, Native: make([]byte, 8)}, "values of F64"},
		{"spare_nibble", ptq.Stored{DType: ptq.I4, Len: 1, Scales: []float64{1}, Native: []byte{0x11}}, "0x11"},
		{"spare_bit", ptq.Stored{DType: ptq.Binary, Len: 7, Scales: []float64{1}, Native: []byte{1}}, "7 highest bits"},
		{"spare_pair", ptq.Stored{DType: ptq.U2, Len: 5, Scales: []float64{1}, Offsets: []float64{0}, Native: []byte{0, 0x20}}, "2 highest bits"},
		{"ternary", ptq.Stored{DType: ptq.Ternary, Len: 3, Scales: []float64{1}, Native: []byte{0x18}}, "value 2 has the code 0x2"},
		{"half_infinity", ptq.Stored{DType: ptq.F16, Len: 1, Native: []byte{0, 0x7c}}, "0x7c00"},
		{"bfloat_nan", ptq.Stored{DType: ptq.BF16, Len: 2, Native: []byte{0, 0, 0xc0, 0xff}}, "value 1 has the code 0xffc0"},
		{"e4m3_nan", ptq.Stored{DType: ptq.FP8E4M3, Len: 1, Scales: []float64{1}, Native: []byte{0xff}}, "0xff"},
		{"e5m2_infinity", ptq.Stored{DType: ptq.FP8E5M2, Len: 1, Scales: []float64{1}, Native: []byte{0x7c}}, "0x7c"},
		{"nan", ptq.Stored{DType: ptq.F64, Len: 1, Native: bytesOf(t, "000000000000f87f")}, "value 0 is NaN"},
		{"infinity", ptq.Stored{DType: ptq.F32, Len: 1, Native: bytesOf(t, "000080ff")}, "value 0 is -Inf"},
		{"i64", ptq.Stored{DType: ptq.I64, Len: 1, Scales: []float64{1}, Native: bytesOf(t, "0100000000002000")}, "0x20000000000001"},
		{"i64_negative", ptq.Stored{DType: ptq.I64, Len: 1, Scales: []float64{1}, Native: bytesOf(t, "ffffffffffffdfff")}, "0xffdfffffffffffff"},
		{"u64", ptq.Stored{DType: ptq.U64, Len: 1, Scales: []float64{1}, Offsets: []float64{0}, Native: bytesOf(t, "0100000000002000")}, "0x20000000000001"},
		{"no_scale", ptq.Stored{DType: ptq.I8, Len: 1, Native: []byte{1}}, "0 scales and 0 offsets"},
		{"no_offset", ptq.Stored{DType: ptq.U8, Len: 1, Scales: []float64{1}, Native: []byte{1}}, "1 scales and 0 offsets"},
		{"needless_scale", ptq.Stored{DType: ptq.F16, Len: 1, Scales: []float64{1}, Native: []byte{1, 0}}, "1 scales and 0 offsets"},
		{"needless_offset", ptq.Stored{DType: ptq.I8, Len: 1, Scales: []float64{1}, Offsets: []float64{0}, Native: []byte{1}}, "1 scales and 1 offsets"},
		{"scales_of_groups", ptq.Stored{DType: ptq.I8, Len: 3, Calibration: ptq.Calibration{Groups: three}, Scales: []float64{1, 1}, Native: []byte{1, 1, 1}}, "2 scales"},
		{"groups", ptq.Stored{DType: ptq.I8, Len: 2, Calibration: ptq.Calibration{Groups: three}, Scales: []float64{1, 1, 1}, Native: []byte{1, 1}}, "end at 3"},
		{"calibration", ptq.Stored{DType: ptq.F64, Len: 0, Calibration: ptq.Calibration{Method: ptq.MSE}}, "mse makes no sense"},
		{"negative_scale", ptq.Stored{DType: ptq.I8, Len: 1, Scales: []float64{-1}, Native: []byte{1}}, "the scale -1"},
		{"minus_zero", ptq.Stored{DType: ptq.I8, Len: 1, Scales: []float64{math.Copysign(0, -1)}, Native: []byte{0}}, "the scale -0"},
		{"nan_scale", ptq.Stored{DType: ptq.I8, Len: 1, Scales: []float64{math.NaN()}, Native: []byte{1}}, "the scale NaN"},
		{"infinite_offset", ptq.Stored{DType: ptq.U8, Len: 1, Scales: []float64{1}, Offsets: []float64{math.Inf(1)}, Native: []byte{1}}, "the offset +Inf"},
		{"wide_scale", ptq.Stored{DType: ptq.I8, Len: 1, Calibration: ptq.Calibration{Float32Scales: true}, Scales: []float64{.1}, Native: []byte{1}}, "expected a float32"},
		{"other_scale", ptq.Stored{DType: ptq.I8, Len: 1, Calibration: given(2), Scales: []float64{1}, Native: []byte{1}}, "the one given, 2"},
		{"other_offset", ptq.Stored{DType: ptq.U8, Len: 1, Calibration: given(2), Scales: []float64{2}, Offsets: []float64{1}, Native: []byte{1}}, "the one given, 0"},
		{"overflow", ptq.Stored{DType: ptq.I8, Len: 2, Scales: []float64{1e307}, Native: []byte{1, 100}}, "value 1"},
		{"scale_0", ptq.Stored{DType: ptq.I8, Len: 3, Calibration: ptq.Calibration{Groups: three}, Scales: []float64{1, 0, 1}, Native: []byte{1, 2, 3}}, "the scale of value 1 is 0"},
		{"scale_0_minus_0", ptq.Stored{DType: ptq.FP8E4M3, Len: 1, Scales: []float64{0}, Native: []byte{0x80}}, "the scale of value 0 is 0"},
		{"scale_0_binary", ptq.Stored{DType: ptq.Binary, Len: 2, Scales: []float64{0}, Native: []byte{0x40}}, "the scale of value 1 is 0"},
	} {
		t.Run("S4.21/refuses/"+c.name, func(t *testing.T) {
			v, err := ptq.Restore(c.s)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v; want an error with %q", v, err, c.want)
			}
		})
	}
}

// FuzzNativePackingS4_21 has bytes either refused or written back as they were.
func FuzzNativePackingS4_21(f *testing.F) {
	for _, d := range ptq.DTypes() {
		for _, n := range []int{0, 1, 2, 7, 65} {
			f.Add(byte(d), n, 0.5, -1.0, quantize(f, d, unit(d), make([]float64, n)).AppendNative(nil))
		}
	}
	f.Fuzz(func(t *testing.T, d byte, n int, scale, offset float64, native []byte) {
		s := ptq.Stored{DType: ptq.DType(d), Len: n, Native: native}
		if s.DType.Valid() {
			switch {
			case s.DType.Unsigned():
				s.Scales, s.Offsets = []float64{scale}, []float64{offset}
			case s.DType > ptq.BF16:
				s.Scales = []float64{scale}
			}
		}
		v, err := ptq.Restore(s)
		if err != nil {
			return
		}
		if got := v.AppendNative(nil); !bytes.Equal(got, native) {
			t.Fatalf("%s: %x is written back as %x", s.DType, native, got)
		}
		for i, x := range valuesOf(v) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%s: value %d is %v", s.DType, i, x)
			}
		}
		var unknown ptq.ErrOverflow
		if _, err := v.Measure(make([]float64, v.Len()), nil); err != nil && !errors.As(err, &unknown) {
			t.Fatal(err)
		}
	})
}
