package ptq_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"boost/internal/testenv"
	"boost/ptq"
)

func TestScales(t *testing.T) {
	values := []float64{3, -12, 0.5, 6}
	for _, c := range []struct {
		d    ptq.DType
		want float64
	}{
		{ptq.I8, 12. / 127}, {ptq.I16, 12. / 32767}, {ptq.I32, 12. / (1<<31 - 1)}, {ptq.I4, 12. / 7},
		{ptq.I2, 12}, {ptq.Ternary, 12}, {ptq.I64, 12. / (1 << 53)},
		{ptq.FP8E4M3, 12. / 448}, {ptq.FP8E5M2, 12. / 57344}, {ptq.FP4, 2},
		{ptq.Binary, 21.5 / 4},
		{ptq.U8, 18. / 255}, {ptq.U16, 18. / 65535}, {ptq.U32, 18. / (1<<32 - 1)}, {ptq.U64, 18. / (1 << 53)}, {ptq.U4, 18. / 15}, {ptq.U2, 6},
	} {
		t.Run("S4.14/"+c.d.String(), func(t *testing.T) {
			v := quantize(t, c.d, ptq.Calibration{}, values)
			if !reflect.DeepEqual(v.Scales(), []float64{c.want}) {
				t.Errorf("scales %v, want %v", v.Scales(), c.want)
			}
			if offsets := v.Offsets(); c.d.Unsigned() && !reflect.DeepEqual(offsets, []float64{-12}) || !c.d.Unsigned() && offsets != nil {
				t.Errorf("offsets %v", offsets)
			}
			small := quantize(t, c.d, ptq.Calibration{Float32Scales: true}, values)
			want := float64(float32(c.want))
			if c.d.Unsigned() {
				want = c.want
			}
			if !reflect.DeepEqual(small.Scales(), []float64{want}) {
				t.Errorf("as float32: scales %v, want %v", small.Scales(), want)
			}
		})
	}
	for _, d := range ptq.DTypes() {
		t.Run("S4.14/all_zero/"+d.String(), func(t *testing.T) {
			for _, values := range [][]float64{make([]float64, 5), {math.Copysign(0, -1), 0}} {
				for _, m := range []ptq.Method{ptq.Default, ptq.Percentile, ptq.MSE} {
					c := ptq.Calibration{Method: m}
					if m == ptq.Percentile {
						c.Percent = 50
					}
					if _, err := c.Resolve(d, 5); err != nil {
						continue
					}
					v := quantize(t, d, c, values)
					for i, x := range valuesOf(v) {
						if x != 0 {
							t.Errorf("%s: value %d is %v", m, i, x)
						}
					}
					if d > ptq.BF16 && v.Scales()[0] != 0 {
						t.Errorf("%s: scale %v", m, v.Scales()[0])
					}
					if codes, ok := v.Codes().([]int8); ok && d == ptq.Binary && codes[0] != -1 {
						t.Errorf("%s: code %d of 0 in Binary, want -1", m, codes[0])
					}
				}
			}
		})
	}
	t.Run("S4.14/underflow", func(t *testing.T) {
		// 60 steps of the smallest float32 over 127 are less than half a step.
		v := quantize(t, ptq.I8, ptq.Calibration{Float32Scales: true}, []float64{60 * 0x1p-149})
		if v.Scales()[0] != 0 || v.At(0) != 0 {
			t.Errorf("scale %v, value %v, want 0 and 0", v.Scales()[0], v.At(0))
		}
	})
	t.Run("S4.14/largest", func(t *testing.T) {
		for _, d := range ptq.DTypes() {
			if d == ptq.F32 || d == ptq.F16 || d == ptq.BF16 {
				continue
			}
			for _, m := range []ptq.Method{ptq.Default, ptq.MSE} {
				if m == ptq.MSE && d == ptq.F64 {
					continue
				}
				values := []float64{math.MaxFloat64, math.MaxFloat64 / 2}
				v := quantize(t, d, ptq.Calibration{Method: m}, values)
				if x := v.At(0); math.IsInf(x, 0) || math.Abs(x-values[0]) > values[0]*.6 {
					t.Errorf("%s, %s: %v became %v", d, m, values[0], x)
				}
			}
			if d == ptq.F64 || d.Unsigned() {
				continue
			}
			v := quantize(t, d, ptq.Calibration{Float32Scales: true}, []float64{math.MaxFloat32, -1})
			if x := float32(v.At(0)); math.IsInf(float64(x), 0) {
				t.Errorf("%s: the largest float32 became %v", d, x)
			}
		}
		var over ptq.ErrOverflow
		if _, err := ptq.Quantize(ptq.U8, ptq.Calibration{}, []float64{math.MaxFloat64, -math.MaxFloat64}); !errors.As(err, &over) {
			t.Errorf("a range beyond float64: %v", err)
		}
		if _, err := ptq.Quantize(ptq.I8, ptq.Calibration{Float32Scales: true}, []float64{1e300}); !errors.As(err, &over) {
			t.Errorf("a scale beyond float32: %v", err)
		}
	})
	t.Run("S4.18/given", func(t *testing.T) {
		v := quantize(t, ptq.I8, given(.01), []float64{.437, -1.28, -1.3, 2, 1e300})
		if want := []int8{44, -128, -128, 127, 127}; !reflect.DeepEqual(v.Codes(), want) {
			t.Errorf("codes %v, want %v", v.Codes(), want)
		}
		if x := v.At(0); x != 44*.01 || float32(x) != math.Float32frombits(0x3ee147ae) {
			t.Errorf("%v, want 0.44", x)
		}
		u := quantize(t, ptq.U4, ptq.Calibration{Method: ptq.Given, Scale: .5, Offset: -2}, []float64{-2, -1.7, 0, 9})
		if want := []uint8{0, 1, 4, 15}; !reflect.DeepEqual(u.Codes(), want) {
			t.Errorf("codes %v, want %v", u.Codes(), want)
		}
	})
}

func TestAffine(t *testing.T) {
	t.Run("S4.8/golden", func(t *testing.T) {
		u8 := quantize(t, ptq.U8, ptq.Calibration{}, []float64{0, 255})
		if !reflect.DeepEqual(u8.Codes(), []uint8{0, 255}) || u8.Scales()[0] != 1 || u8.Offsets()[0] != 0 {
			t.Errorf("U8: %v, scale %v, offset %v", u8.Codes(), u8.Scales(), u8.Offsets())
		}
		u2 := quantize(t, ptq.U2, ptq.Calibration{}, []float64{-3, -2, -1, 0})
		if !reflect.DeepEqual(u2.Codes(), []uint8{0, 1, 2, 3}) || u2.Offsets()[0] != -3 {
			t.Errorf("U2: %v, offset %v", u2.Codes(), u2.Offsets())
		}
	})
	t.Run("S4.8/constant", func(t *testing.T) {
		v := quantize(t, ptq.U8, ptq.Calibration{}, []float64{.3, .3})
		if v.Scales()[0] != 0 || v.At(0) != .3 || v.At(1) != .3 {
			t.Errorf("scale %v, values %v", v.Scales()[0], valuesOf(v))
		}
	})
	for _, d := range []ptq.DType{ptq.U64, ptq.U32, ptq.U16, ptq.U8, ptq.U4, ptq.U2} {
		t.Run("S4.8/property/"+d.String(), func(t *testing.T) {
			for i := range 10_000 {
				values := draw(uint64(i), 1+i%50, distributions[i%len(distributions)].draw)
				v := quantize(t, d, ptq.Calibration{}, values)
				for k, x := range values {
					// Half a step, and the roundings of scale, quotient and result.
					bound := v.Scales()[0]/2 + 4*0x1p-53*(math.Abs(v.Offsets()[0])+math.Abs(x))
					if d := math.Abs(x - v.At(k)); d > bound {
						t.Fatalf("case %d: %v became %v, which is %v from it; at most %v", i, x, v.At(k), d, bound)
					}
				}
			}
		})
	}
}

func TestWideIntegers(t *testing.T) {
	for _, c := range []struct {
		d    ptq.DType
		want any
	}{
		{ptq.I64, []int64{1 << 53, -1 << 53}}, {ptq.I32, []int32{math.MaxInt32, -math.MaxInt32}},
		{ptq.U64, []uint64{1 << 53, 0}}, {ptq.U32, []uint32{math.MaxUint32, 0}},
	} {
		t.Run("S4.9/maximum/"+c.d.String(), func(t *testing.T) {
			v := quantize(t, c.d, ptq.Calibration{}, []float64{.7, -.7})
			if !reflect.DeepEqual(v.Codes(), c.want) {
				t.Errorf("codes %v, want %v", v.Codes(), c.want)
			}
			if x := v.At(0); math.Abs(x-.7) > 1e-15 {
				t.Errorf(".7 became %v", x)
			}
		})
	}
	for _, c := range []struct {
		d    ptq.DType
		want any
	}{
		{ptq.I64, []int64{1 << 53, -1 << 53, 1 << 53}}, {ptq.I32, []int32{math.MaxInt32, math.MinInt32, math.MaxInt32}},
		{ptq.U64, []uint64{1 << 53, 0, 1 << 53}}, {ptq.U32, []uint32{math.MaxUint32, 0, math.MaxUint32}},
	} {
		t.Run("S4.9/clamped/"+c.d.String(), func(t *testing.T) {
			v := quantize(t, c.d, given(1), []float64{1e300, -1e300, 0x1p63})
			if !reflect.DeepEqual(v.Codes(), c.want) {
				t.Errorf("codes %v, want %v", v.Codes(), c.want)
			}
		})
	}
}

func TestTernaryAndBinary(t *testing.T) {
	t.Run("S4.13/ternary", func(t *testing.T) {
		v := quantize(t, ptq.Ternary, ptq.Calibration{}, []float64{.6, -.4, .5})
		if v.Scales()[0] != .6 || !reflect.DeepEqual(v.Codes(), []int8{1, -1, 1}) {
			t.Errorf("scale %v, codes %v", v.Scales(), v.Codes())
		}
	})
	t.Run("S4.13/binary", func(t *testing.T) {
		v := quantize(t, ptq.Binary, ptq.Calibration{}, []float64{.6, -.4, .5})
		if v.Scales()[0] != .5 || !reflect.DeepEqual(v.Codes(), []int8{1, -1, 1}) {
			t.Errorf("scale %v, codes %v", v.Scales(), v.Codes())
		}
		zero := quantize(t, ptq.Binary, ptq.Calibration{}, []float64{0, 1})
		if zero.At(0) != -.5 || zero.At(1) != .5 {
			t.Errorf("0 and 1 became %v", valuesOf(zero))
		}
	})
}

func TestPercentile(t *testing.T) {
	// Magnitudes from NumPy: quantile(abs(v), p/100, method="inverted_cdf"), and with
	// weights=w. For unsigned types, of v at p + (100 − p)/2 percent, and of −v.
	values := []float64{0.5, -3, 0.25, 8, -1, 0.125, 2, -0.75, 4, -6}
	w := weights(t, 5, 1, 0, 1, 9, 3, 2, 4, 1, 1)
	for _, c := range []struct {
		percent                   float64
		peak, high, low           float64
		peakBy, highBy, lowByRows float64
	}{
		{10, 0.125, 0.25, 0.125, 0.125, -0.75, -0.75},
		{50, 1, 2, -1, 1, 0.5, -1},
		{75, 4, 4, -3, 1, 2, -1},
		{90, 6, 8, -6, 4, 4, -3},
		{95, 8, 8, -6, 6, 8, -6},
		{100, 8, 8, -6, 8, 8, -6},
	} {
		for _, by := range []struct {
			name            string
			weights         *ptq.Weights
			peak, high, low float64
		}{{"plain", nil, c.peak, c.high, c.low}, {"weighted", w, c.peakBy, c.highBy, c.lowByRows}} {
			t.Run("S4.15/percentile/"+by.name, func(t *testing.T) {
				cal := ptq.Calibration{Method: ptq.Percentile, Percent: c.percent, Weights: by.weights}
				if got := quantize(t, ptq.I8, cal, values).Scales()[0]; got != by.peak/127 {
					t.Errorf("%v %%: scale %v, want %v/127", c.percent, got, by.peak)
				}
				v := quantize(t, ptq.U4, cal, values)
				low, high := by.low, by.high
				if low >= high { // nothing lies between: no value is clamped
					low, high = -6, 8
				}
				if v.Scales()[0] != (high-low)/15 || v.Offsets()[0] != low {
					t.Errorf("%v %%: from %v by %v, want %v to %v", c.percent, v.Offsets(), v.Scales(), low, high)
				}
			})
		}
	}
	t.Run("S4.15/percentile/of_zeros", func(t *testing.T) {
		v := quantize(t, ptq.I8, ptq.Calibration{Method: ptq.Percentile, Percent: 50}, []float64{0, 0, 0, 127})
		if v.Scales()[0] != 1 {
			t.Errorf("scale %v: the only value that is not 0 is lost", v.Scales()[0])
		}
	})
	t.Run("S4.15/percentile/no_weight", func(t *testing.T) {
		c := ptq.Calibration{Method: ptq.Percentile, Percent: 75}
		plain := quantize(t, ptq.I8, c, values).Scales()[0]
		c.Weights = weights(t, make([]float64, len(values))...)
		if got := quantize(t, ptq.I8, c, values).Scales()[0]; got != plain {
			t.Errorf("scale %v with weights of 0, %v without", got, plain)
		}
	})
}

// squares is the squared error of a version, weighted.
func squares(v *ptq.Version, values, weights []float64) float64 {
	sum := 0.0
	for i, x := range values {
		d := x - v.At(i)
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		sum += w * d * d
	}
	return sum
}

func TestMSE(t *testing.T) {
	testenv.Unraced(t)
	for _, d := range ptq.DTypes() {
		if d <= ptq.BF16 {
			continue
		}
		t.Run("S4.15/never_worse/"+d.String(), func(t *testing.T) {
			for i := range 400 {
				values := draw(uint64(i), 1+i%90, distributions[i%len(distributions)].draw)
				var rows []float64
				c := ptq.Calibration{Method: ptq.MSE, Float32Scales: i%3 == 0}
				if i%2 == 0 {
					rows = draw(uint64(i), len(values), func(r *rand.Rand) float64 { return float64(r.IntN(50)) })
					rows[0]++
					c.Weights = weights(t, rows...)
				}
				best := squares(quantize(t, d, c, values), values, rows)
				plain := squares(quantize(t, d, ptq.Calibration{Float32Scales: c.Float32Scales}, values), values, rows)
				if best > plain*(1+1e-12) {
					t.Fatalf("case %d: squared error %v, %v with absmax", i, best, plain)
				}
			}
		})
	}
	// The least distortion of a normal variable with equal steps: Max, Quantizing for
	// Minimum Distortion, 1960, table II (N = 3 by its symmetry, N = 4 and 16).
	values := draw(1, 100_000, (*rand.Rand).NormFloat64)
	energy := 0.0
	for _, x := range values {
		energy += x * x
	}
	for _, c := range []struct {
		d    ptq.DType
		want float64
	}{{ptq.Ternary, 0.1902}, {ptq.U2, 0.1188}, {ptq.U4, 0.01154}, {ptq.Binary, 0.3634}} {
		t.Run("S4.15/normal/"+c.d.String(), func(t *testing.T) {
			got := squares(quantize(t, c.d, ptq.Calibration{Method: ptq.MSE}, values), values, nil) / energy
			if got > 1.01*c.want || got < .98*c.want {
				t.Errorf("distortion %v, the least is %v", got, c.want)
			}
		})
	}
	for _, c := range []struct {
		d     ptq.DType
		slack float64 // for the few values that a fine grid is lucky with
	}{{ptq.I8, 1.3}, {ptq.I4, 1.01}, {ptq.I2, 1.01}, {ptq.Ternary, 1.01}, {ptq.FP4, 1.01}, {ptq.FP8E4M3, 1.02}, {ptq.FP8E5M2, 1.02}} {
		t.Run("S4.15/near_the_best/"+c.d.String(), func(t *testing.T) {
			for k := range 6 {
				values := draw(uint64(k), 31, distributions[1+k%2].draw)
				got := squares(quantize(t, c.d, ptq.Calibration{Method: ptq.MSE}, values), values, nil)
				scale := quantize(t, c.d, ptq.Calibration{}, values).Scales()[0]
				for i := range 2000 {
					v := quantize(t, c.d, given(scale*float64(1+i)/1000), values)
					if other := squares(v, values, nil); got > c.slack*other {
						t.Fatalf("squared error %v, but %v at %v of absmax's scale", got, other, float64(1+i)/1000)
					}
				}
			}
		})
	}
	t.Run("S4.15/weights_are_rows", func(t *testing.T) {
		values := draw(2, 40, (*rand.Rand).NormFloat64)
		var rows, repeated []float64
		for i, x := range values {
			rows = append(rows, float64(1+i%3))
			for range 1 + i%3 {
				repeated = append(repeated, x)
			}
		}
		for _, d := range []ptq.DType{ptq.I4, ptq.U4, ptq.FP4, ptq.Ternary, ptq.Binary} {
			weighted := quantize(t, d, ptq.Calibration{Method: ptq.MSE, Weights: weights(t, rows...)}, values)
			plain := quantize(t, d, ptq.Calibration{Method: ptq.MSE}, repeated)
			if a, b := weighted.Scales()[0], plain.Scales()[0]; math.Abs(a-b) > 1e-12*b {
				t.Errorf("%s: scale %v with weights, %v with repeated values", d, a, b)
			}
		}
	})
	t.Run("S4.15/powers_of_two", func(t *testing.T) {
		values := draw(3, 200, distributions[2].draw)
		for _, d := range ptq.DTypes()[ptq.FP8E4M3:] {
			v := quantize(t, d, ptq.Calibration{Method: ptq.MSE}, values)
			larger := make([]float64, len(values))
			for i, x := range values {
				larger[i] = math.Ldexp(x, 40)
			}
			w := quantize(t, d, ptq.Calibration{Method: ptq.MSE}, larger)
			if !reflect.DeepEqual(v.Codes(), w.Codes()) || w.Scales()[0] != math.Ldexp(v.Scales()[0], 40) {
				t.Errorf("%s: other codes for values 2⁴⁰ times as large", d)
			}
		}
	})
}

func TestCalibrationErrors(t *testing.T) {
	six := groups(t, []int{6}, nil)
	for _, c := range []struct {
		name string
		d    ptq.DType
		c    ptq.Calibration
		want string
	}{
		{"percentile_of_f64", ptq.F64, ptq.Calibration{Method: ptq.Percentile, Percent: 99}, "F64 has no scale, so that percentile makes no sense"},
		{"mse_of_bf16", ptq.BF16, ptq.Calibration{Method: ptq.MSE}, "BF16 has no scale"},
		{"absmax_of_f16", ptq.F16, ptq.Calibration{Method: ptq.AbsMax}, "F16 has no scale"},
		{"given_to_f32", ptq.F32, given(1), "F32 has no scale"},
		{"none_for_i8", ptq.I8, none, "I8 needs a scale"},
		{"none_for_binary", ptq.Binary, none, "Binary needs a scale"},
		{"percentile_of_binary", ptq.Binary, ptq.Calibration{Method: ptq.Percentile, Percent: 99}, "Binary clamps nothing"},
		{"no_percent", ptq.I8, ptq.Calibration{Method: ptq.Percentile}, "percentile 0"},
		{"percent_above", ptq.I8, ptq.Calibration{Method: ptq.Percentile, Percent: 100.5}, "percentile 100.5"},
		{"percent_nan", ptq.I8, ptq.Calibration{Method: ptq.Percentile, Percent: math.NaN()}, "percentile NaN"},
		{"needless_percent", ptq.I8, ptq.Calibration{Percent: 99}, "choose method percentile"},
		{"no_scale", ptq.I8, ptq.Calibration{Method: ptq.Given}, "scale 0"},
		{"negative_scale", ptq.I8, given(-1), "scale -1"},
		{"infinite_scale", ptq.I8, given(math.Inf(1)), "scale +Inf"},
		{"nan_scale", ptq.I8, given(math.NaN()), "scale NaN"},
		{"large_scale", ptq.I8, given(1e307), "scale 1e+307"},
		{"scale_below_float32", ptq.I8, ptq.Calibration{Method: ptq.Given, Scale: 1e-60, Float32Scales: true}, "scale 0"},
		{"needless_scale", ptq.I8, ptq.Calibration{Scale: 1}, "choose method given"},
		{"needless_offset", ptq.I8, ptq.Calibration{Method: ptq.Given, Scale: 1, Offset: 1}, "offset 1 for I8"},
		{"nan_offset", ptq.U8, ptq.Calibration{Method: ptq.Given, Scale: 1, Offset: math.NaN()}, "offset NaN"},
		{"method", ptq.I8, ptq.Calibration{Method: 6}, "no method 6"},
		{"groups", ptq.I8, ptq.Calibration{Groups: six}, "end at 6, but there are 4"},
		{"weights", ptq.I8, ptq.Calibration{Method: ptq.MSE, Weights: weights(t, 1, 2)}, "2 for 4 values"},
	} {
		t.Run("S4.15/refuses/"+c.name, func(t *testing.T) {
			_, err := ptq.Quantize(c.d, c.c, []float64{1, 2, 3, 4})
			var calibration ptq.ErrCalibration
			var wrong ptq.ErrGroups
			if !errors.As(err, &calibration) && !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want an error with %q", err, c.want)
			}
		})
	}
	t.Run("S4.15/names", func(t *testing.T) {
		for m := ptq.Default; m <= ptq.Given; m++ {
			if got, err := ptq.ParseMethod(strings.ToUpper(m.String())); got != m || err != nil {
				t.Errorf("%s reads as %v (%v)", m, got, err)
			}
		}
		if _, err := ptq.ParseMethod("percntile"); err == nil || !strings.Contains(err.Error(), `did you mean "percentile"`) {
			t.Errorf("percntile: %v", err)
		}
		c := ptq.Calibration{Method: ptq.Percentile, Percent: 99.9, Groups: six, Weights: weights(t, 1), Float32Scales: true}
		if got, want := c.String(), "percentile 99.9, 1 groups, weighted, float32 scales"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		c = ptq.Calibration{Method: ptq.Given, Scale: .5, Offset: -2}
		if got, want := c.String(), "given 0.5 from -2"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
	t.Run("S4.15/not_finite", func(t *testing.T) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, d := range ptq.DTypes() {
				_, err := ptq.Quantize(d, ptq.Calibration{}, []float64{1, 2, bad, bad})
				var e ptq.ErrNotFinite
				if !errors.As(err, &e) || e.Index != 2 || !strings.Contains(err.Error(), "value 2 is") {
					t.Errorf("%s with %v: %v", d, bad, err)
				}
			}
		}
	})
}
