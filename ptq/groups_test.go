package ptq_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"boost/ptq"
)

func TestGroups(t *testing.T) {
	values := []float64{1, -2, 4, 8, -16, 32, 64}
	t.Run("S4.15/per_range", func(t *testing.T) {
		v := quantize(t, ptq.I4, ptq.Calibration{Groups: groups(t, []int{2, 3, 7}, nil)}, values)
		if want := []float64{2. / 7, 4. / 7, 64. / 7}; !reflect.DeepEqual(v.Scales(), want) {
			t.Errorf("scales %v, want %v", v.Scales(), want)
		}
		// 1/(2/7) = 3.5 and so on, halves away from zero; 8/(64/7) = 0.875.
		if want := []int8{4, -7, 7, 1, -2, 4, 7}; !reflect.DeepEqual(v.Codes(), want) {
			t.Errorf("codes %v, want %v", v.Codes(), want)
		}
	})
	t.Run("S4.15/per_output", func(t *testing.T) {
		// Trees of 2, 1, 2 and 2 leaves, of the outputs 0, 1, 0, 1.
		g := groups(t, []int{2, 3, 5, 7}, []int{0, 1, 0, 1})
		if g.Count() != 2 || g.Values() != 7 || g.Of(2) != 0 || !reflect.DeepEqual(g.Ends(), []int{2, 3, 5, 7}) {
			t.Errorf("%d groups of %d values", g.Count(), g.Values())
		}
		v := quantize(t, ptq.Ternary, ptq.Calibration{Groups: g}, values)
		if want := []float64{16, 64}; !reflect.DeepEqual(v.Scales(), want) {
			t.Errorf("scales %v, want %v", v.Scales(), want)
		}
		if want := []float64{0, 0, 0, 16, -16, 64, 64}; !reflect.DeepEqual(valuesOf(v), want) {
			t.Errorf("values %v, want %v", valuesOf(v), want)
		}
		e, known := v.Errors()
		if want := (ptq.Errors{Max: 32, Squared: 1 + 4 + 16 + 64 + 32*32, ByGroup: []float64{8, 32}}); !known || !reflect.DeepEqual(e, want) {
			t.Errorf("errors %+v, want %+v", e, want)
		}
		b := quantize(t, ptq.Binary, ptq.Calibration{Method: ptq.MSE, Groups: g, Weights: weights(t, 1, 0, 5, 1, 2, 0, 0)}, values)
		if want := []float64{(1 + 8 + 32) / 4., 4}; !reflect.DeepEqual(b.Scales(), want) {
			t.Errorf("weighted scales %v, want %v", b.Scales(), want)
		}
	})
	t.Run("S4.15/blocks", func(t *testing.T) {
		g, err := ptq.NewBlocks([]int{5, 6, 10}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{2, 4, 5, 6, 8, 10}; !reflect.DeepEqual(g.Ends(), want) || g.Count() != 6 {
			t.Errorf("blocks end at %v, want %v", g.Ends(), want)
		}
	})
	t.Run("S4.15/refuses", func(t *testing.T) {
		var wrong ptq.ErrGroups
		for _, c := range []struct{ ends, of []int }{
			{[]int{0}, nil}, {[]int{-1}, nil}, {[]int{2, 2}, nil}, {[]int{3, 2}, nil}, {[]int{1, 2}, []int{0}},
			{[]int{1, 2}, []int{0, 2}}, {[]int{1, 2}, []int{1, 1}}, {[]int{1, 2}, []int{-1, 0}},
		} {
			if _, err := ptq.NewGroups(c.ends, c.of); !errors.As(err, &wrong) {
				t.Errorf("ends %v of groups %v: %v", c.ends, c.of, err)
			}
		}
		if _, err := ptq.NewBlocks([]int{3}, 0); !errors.As(err, &wrong) {
			t.Errorf("blocks of 0: %v", err)
		}
		if _, err := ptq.NewBlocks([]int{3, 3}, 2); !errors.As(err, &wrong) {
			t.Errorf("empty range: %v", err)
		}
		for _, w := range []float64{-1, math.NaN(), math.Inf(1), 1e101} {
			if _, err := ptq.NewWeights([]float64{1, w}); !errors.As(err, &wrong) {
				t.Errorf("weight %v: %v", w, err)
			}
		}
	})
	t.Run("S4.15/no_values", func(t *testing.T) {
		g := groups(t, nil, nil)
		if g.Count() != 0 || g.Values() != 0 {
			t.Errorf("%d groups of %d values", g.Count(), g.Values())
		}
		for _, d := range ptq.DTypes() {
			v := quantize(t, d, ptq.Calibration{Groups: g}, nil)
			if v.Len() != 0 || len(v.Scales()) != 0 || len(v.AppendNative(nil)) != 0 {
				t.Errorf("%s: a version of nothing has %d values and %d scales", d, v.Len(), len(v.Scales()))
			}
			for _, c := range []ptq.Calibration{{}, {Method: ptq.Percentile, Percent: 50}, {Method: ptq.MSE}} {
				if _, err := c.Resolve(d, 0); err != nil {
					continue
				}
				v := quantize(t, d, c, nil)
				if d > ptq.BF16 && !reflect.DeepEqual(v.Scales(), []float64{0}) {
					t.Errorf("%s, %s: scales %v of nothing, want 0", d, c, v.Scales())
				}
				if _, err := ptq.Restore(stored(v)); err != nil {
					t.Errorf("%s, %s: %v", d, c, err)
				}
			}
		}
	})
}
