package ptq_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"boost/ptq"
)

func TestCodes(t *testing.T) {
	for i, want := range []any{
		[]float64{}, []float32{}, []uint16{}, []uint16{}, []uint8{}, []uint8{},
		[]int64{}, []int32{}, []int16{}, []int8{}, []uint64{}, []uint32{}, []uint16{}, []uint8{},
		[]int8{}, []uint8{}, []uint8{}, []int8{}, []uint8{}, []int8{}, []int8{},
	} {
		d := ptq.DType(i)
		t.Run("S4.6/"+d.String(), func(t *testing.T) {
			codes := reflect.ValueOf(quantize(t, d, ptq.Calibration{}, []float64{1, 2, -3}).Codes())
			if codes.Type() != reflect.TypeOf(want) || codes.Len() != 3 {
				t.Errorf("%d codes in a %s, want 3 in a %T", codes.Len(), codes.Type(), want)
			}
		})
	}
}

// TestDecodeRange reads every run of a version with groups, and one value at a time.
func TestDecodeRange(t *testing.T) {
	values := draw(1, 41, (*rand.Rand).NormFloat64)
	g := groups(t, []int{1, 7, 20, 21, 41}, []int{0, 1, 0, 2, 1})
	for _, d := range ptq.DTypes() {
		t.Run("S4.6/runs/"+d.String(), func(t *testing.T) {
			v := quantize(t, d, ptq.Calibration{Groups: g}, values)
			all := valuesOf(v)
			for from := range len(values) + 1 {
				for to := from; to <= len(values); to++ {
					got := make([]float64, to-from)
					v.DecodeRange(got, from)
					if !same(got, all[from:to]) {
						t.Fatalf("values %d to %d are %v, want %v", from, to, got, all[from:to])
					}
				}
			}
			for i, want := range all {
				if got := v.At(i); math.Float64bits(got) != math.Float64bits(want) {
					t.Fatalf("value %d is %v, in a run %v", i, got, want)
				}
			}
			for _, outside := range []struct{ first, n int }{{-1, 1}, {0, 42}, {41, 1}, {42, 0}} {
				if !panics(func() { v.DecodeRange(make([]float64, outside.n), outside.first) }) {
					t.Errorf("%d values from %d on: no panic", outside.n, outside.first)
				}
			}
		})
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

func TestNoAllocations(t *testing.T) {
	values := draw(1, 500, (*rand.Rand).NormFloat64)
	g := groups(t, []int{31, 60, 100, 300, 500}, nil)
	dst := make([]float64, 400)
	for _, d := range ptq.DTypes() {
		t.Run("S4.6/allocations/"+d.String(), func(t *testing.T) {
			v := quantize(t, d, ptq.Calibration{Groups: g}, values)
			sum := 0.0
			if n := testing.AllocsPerRun(100, func() {
				v.DecodeRange(dst, 50)
				sum += v.At(77)
			}); n != 0 {
				t.Errorf("%v allocations to read values", n)
			}
		})
	}
}

// What a normal variable keeps of its direction with absmax over 100,000 values: S4,
// erratum 11.
func TestCosines(t *testing.T) {
	values := draw(1, 100_000, (*rand.Rand).NormFloat64)
	for _, c := range []struct {
		d         ptq.DType
		want, off float64
	}{{ptq.F64, 1, 0}, {ptq.BF16, 1, 1e-5}, {ptq.I8, .99995, 2e-5}, {ptq.I4, .984, .004}, {ptq.I2, .42, .06}, {ptq.Ternary, .42, .06}, {ptq.Binary, .80, .005}} {
		t.Run("S4.7/cosine/"+c.d.String(), func(t *testing.T) {
			both, a, b := 0.0, 0.0, 0.0
			for i, y := range valuesOf(quantize(t, c.d, ptq.Calibration{}, values)) {
				both, a, b = both+values[i]*y, a+values[i]*values[i], b+y*y
			}
			if got := both / math.Sqrt(a) / math.Sqrt(b); math.Abs(got-c.want) > c.off+1e-12 {
				t.Errorf("cosine %v, want %v", got, c.want)
			}
		})
	}
}

func TestMeasure(t *testing.T) {
	t.Run("S4.1/errors", func(t *testing.T) {
		v := quantize(t, ptq.I8, given(1), []float64{1.25, -2.5, 200, 3})
		e, known := v.Errors()
		if want := (ptq.Errors{Max: 73, Squared: .0625 + .25 + 73*73, ByGroup: []float64{73}}); !known || !reflect.DeepEqual(e, want) {
			t.Errorf("%+v, want %+v", e, want)
		}
		e, err := v.Measure([]float64{1.25, -2.5, 200, 3}, groups(t, []int{1, 2, 4}, nil))
		if want := []float64{.25, .5, 73}; err != nil || !reflect.DeepEqual(e.ByGroup, want) {
			t.Errorf("by group %v (%v), want %v", e.ByGroup, err, want)
		}
		if _, err := v.Measure([]float64{1}, nil); err == nil {
			t.Error("one value for a version of 4 is no error")
		}
		if _, err := v.Measure([]float64{1, 2, 3, 4}, groups(t, []int{3}, nil)); err == nil {
			t.Error("groups of 3 values are no error")
		}
		if _, err := v.Measure([]float64{1, 2, 3, math.NaN()}, nil); err == nil {
			t.Error("NaN is no error")
		}
	})
	t.Run("S4.1/rounded_up", func(t *testing.T) {
		// 1 − 2⁻⁶⁰ lies between 1 − 2⁻⁵³ and 1, which is nearer.
		v := quantize(t, ptq.I8, given(1), []float64{1})
		e, err := v.Measure([]float64{0x1p-60}, nil)
		if err != nil || e.Max != 1 {
			t.Errorf("1 − 2⁻⁶⁰: %v (%v), want 1", e.Max, err)
		}
		// −2⁻⁶⁰ is 1 + 2⁻⁶⁰ from 1; the next number above 1 is 1 + 2⁻⁵².
		e, err = v.Measure([]float64{-0x1p-60}, nil)
		if err != nil || e.Max != 1+0x1p-52 {
			t.Errorf("1 + 2⁻⁶⁰: %v (%v), want 1 + 2⁻⁵²", e.Max, err)
		}
	})
}

func TestSizes(t *testing.T) {
	// Relative to F32 (S4.36), of 4,096 values in 128 groups of 32.
	values := draw(1, 4096, (*rand.Rand).NormFloat64)
	g, err := ptq.NewBlocks([]int{4096}, 32)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		d      ptq.DType
		factor float64
		scales int64
	}{
		{ptq.F64, 2, 0}, {ptq.F32, 1, 0}, {ptq.BF16, .5, 0}, {ptq.F16, .5, 0}, {ptq.I8, .25, 128 * 8}, {ptq.U8, .25, 128 * 16},
		{ptq.FP8E4M3, .25, 128 * 8}, {ptq.I4, .125, 128 * 8}, {ptq.FP4, .125, 128 * 8}, {ptq.I2, .0625, 128 * 8},
		{ptq.Ternary, .0625, 128 * 8}, {ptq.Binary, .03125, 128 * 8},
	} {
		t.Run("S4.36/"+c.d.String(), func(t *testing.T) {
			v := quantize(t, c.d, ptq.Calibration{Groups: g}, values)
			if got := float64(len(v.AppendNative(nil))) / (4 * 4096); got != c.factor {
				t.Errorf("%v of F32's bytes, want %v", got, c.factor)
			}
			if got := v.ScaleBytes(); got != c.scales {
				t.Errorf("%d bytes of scales, want %d", got, c.scales)
			}
			small := quantize(t, c.d, ptq.Calibration{Groups: g, Float32Scales: true}, values)
			if want := c.scales / 2; !c.d.Unsigned() && small.ScaleBytes() != want {
				t.Errorf("%d bytes of float32 scales, want %d", small.ScaleBytes(), want)
			}
		})
	}
}

// FuzzQuantizeS4_7 makes versions of any values, which come back from their bytes.
func FuzzQuantizeS4_7(f *testing.F) {
	for _, d := range ptq.DTypes() {
		f.Add(byte(d), byte(ptq.Default), 0.0, 1.0, -2.5, 1e-300, 3)
		f.Add(byte(d), byte(ptq.MSE), 0.0, 1e308, -1e308, 0.1, 2)
		f.Add(byte(d), byte(ptq.Given), 0.01, .437, 5e-324, -7.0, 1)
		f.Add(byte(d), byte(ptq.Percentile), 60.0, 1.0, 2.0, 3.0, 4)
	}
	f.Fuzz(func(t *testing.T, d, method byte, number, a, b, c float64, size int) {
		values := []float64{a, b, c, a / 3, -b, c * 0.7, 0}
		cal := ptq.Calibration{Method: ptq.Method(method)}
		switch cal.Method {
		case ptq.Given:
			cal.Scale = number
		case ptq.Percentile:
			cal.Percent = number
		}
		if blocks, err := ptq.NewBlocks([]int{len(values)}, size); err == nil {
			cal.Groups = blocks
		}
		v, err := ptq.Quantize(ptq.DType(d), cal, values)
		if err != nil {
			return
		}
		back, err := ptq.Restore(stored(v))
		if err != nil {
			t.Fatal(err)
		}
		e, err := back.Measure(values, cal.Groups)
		known, _ := v.Errors()
		if err != nil || fmt.Sprint(e.Max, e.Squared) != fmt.Sprint(known.Max, known.Squared) {
			t.Fatalf("errors %v of what came back (%v), %v before", e, err, known)
		}
	})
}

// With keeps the scales of a version: by hand, 1.27 at most gives I8 a scale of 0.01; 0.004 becomes 0, and
// 5 is clamped.
func TestWith(t *testing.T) {
	v, err := ptq.Quantize(ptq.I8, ptq.Calibration{}, []float64{1.27, 0.5, 0})
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.With([]float64{0.004, -0.636, 5})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Codes().([]int8); !slices.Equal(got, []int8{0, -64, 127}) || !slices.Equal(w.Scales(), v.Scales()) {
		t.Errorf("codes %v, scales %v", got, w.Scales())
	}
	if e, ok := w.Errors(); !ok || e.Max < 5-1.27-1e-9 || e.Max > 5-1.27+1e-9 {
		t.Errorf("errors %+v", e)
	}
	if got := v.Codes().([]int8); !slices.Equal(got, []int8{127, 50, 0}) {
		t.Errorf("the version itself has changed: %v", got)
	}
	if _, err := v.With([]float64{1, 2}); !errors.As(err, new(ptq.ErrGroups)) {
		t.Errorf("two values for the scales of three: %v", err)
	}
	if _, err := v.With([]float64{1, 2, math.NaN()}); !errors.As(err, new(ptq.ErrNotFinite)) {
		t.Errorf("NaN: %v", err)
	}
	half, err := ptq.Quantize(ptq.F16, ptq.Calibration{}, []float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := half.With([]float64{1, 2, 1e9}); !errors.As(err, new(ptq.ErrOverflow)) {
		t.Errorf("1e9 in F16: %v", err)
	}
}
