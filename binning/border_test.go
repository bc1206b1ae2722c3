package binning

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"boost/dataset"
	"boost/internal/testenv"
	"boost/parallel"
)

func TestWholeWeights(t *testing.T) {
	for _, c := range []struct {
		name    string
		weights []float64
		want    []uint64
	}{
		{"whole", []float64{0, 1, 7, 1 << 32}, []uint64{0, 1, 7, 1 << 32}},
		{"fractions", []float64{0.5, 1, 0.25, 0}, []uint64{1 << 31, 1 << 32, 1 << 30, 0}},
		{"too large", []float64{1 << 33, 1 << 32}, []uint64{1 << 32, 1 << 31}},
		{"tiny is 1", []float64{1e-300, 0.5}, []uint64{1, 1 << 32}},
		{"huge", []float64{1e308, 0.5e308}, []uint64{1 << 32, 1 << 31}},
		{"subnormal", []float64{5e-324, 1e-323}, []uint64{1 << 31, 1 << 32}},
		{"rounded half away", []float64{1.5, 1.5 * 2.5 / (1 << 32)}, []uint64{1 << 32, 3}},
	} {
		t.Run("S0.7/weights/"+c.name, func(t *testing.T) {
			if got := wholeWeights(c.weights); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := checkWeights([]float64{1, bad}, 2); err == nil {
			t.Errorf("weight %v is accepted", bad)
		}
	}
}

func TestMidpoint(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	rounds := testenv.UnlessShort(20_000, 2000)
	t.Run("S0.7/midpoint_stays_between", func(t *testing.T) {
		for range rounds {
			l, u := math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())
			if r.IntN(2) == 0 {
				u = math.Nextafter(l, math.Inf(1))
			}
			if l > u {
				l, u = u, l
			}
			if l < u {
				if cut := midpoint64(l, u); !(l <= cut && cut < u) || cut == 0 && math.Signbit(cut) {
					t.Fatalf("midpoint64(%v, %v) = %v", l, u, cut)
				}
			}
			s, b := math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
			if r.IntN(2) == 0 {
				b = math.Nextafter32(s, float32(math.Inf(1)))
			}
			if s > b {
				s, b = b, s
			}
			if s < b {
				if cut := midpoint32(s, b); !(s <= cut && cut < b) || cut == 0 && math.Signbit(float64(cut)) {
					t.Fatalf("midpoint32(%v, %v) = %v", s, b, cut)
				}
			}
		}
	})
	t.Run("S0.7/midpoint_edges", func(t *testing.T) {
		tiny := math.SmallestNonzeroFloat64
		for _, c := range []struct{ lower, upper, want float64 }{
			{1, 2, 1.5}, {-1, 1, 0}, {-tiny, tiny, 0}, {-tiny, 0, -tiny}, {0, tiny, 0}, {tiny, 2 * tiny, tiny},
			{math.MaxFloat64 / 2, math.MaxFloat64, math.MaxFloat64 * .75},
			{-math.MaxFloat64, math.MaxFloat64, 0}, {3, math.Inf(1), 3}, {math.Inf(-1), 3, math.Inf(-1)},
			{math.Inf(-1), math.Inf(1), math.Inf(-1)},
		} {
			if got := midpoint64(c.lower, c.upper); got != c.want {
				t.Errorf("midpoint64(%v, %v) = %v, want %v", c.lower, c.upper, got, c.want)
			}
		}
		if got := midpoint32(math.MaxFloat32/2, math.MaxFloat32); got != math.MaxFloat32*.75 {
			t.Errorf("midpoint32 near the end: %v", got)
		}
	})
}

func TestLimits(t *testing.T) {
	t.Run("S0.3/too_many_cuts", func(t *testing.T) {
		if err := checkCutCount(math.MaxUint32, 0); err != nil {
			t.Errorf("2³²−1 cuts: %v", err)
		}
		if err := checkCutCount(math.MaxUint32+1, 0); !errors.Is(err, ErrSize) {
			t.Errorf("2³² cuts: %v", err)
		}
		if err := checkCutCount(0, math.MaxUint32+1); !errors.Is(err, ErrSize) {
			t.Errorf("2³² cuts in float64: %v", err)
		}
		// Two columns of three values each have four cuts in all.
		defer func(most uint64) { maxCuts = most }(maxCuts)
		for _, values := range []any{[]float32{1, 2, 3}, []float64{.1, .2, .3}} {
			table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "a", Values: values}, {Name: "b", Values: values}})
			if err != nil {
				t.Fatal(err)
			}
			for maxCuts = 3; maxCuts <= 4; maxCuts++ {
				pool := parallel.NewPool(1)
				_, _, err := Fit(context.Background(), table, nil, Defaults(), 1, pool)
				pool.Close()
				if errors.Is(err, ErrSize) != (maxCuts == 3) || (err == nil) != (maxCuts == 4) {
					t.Errorf("4 cuts of %T, of which at most %d can be numbered: %v", values, maxCuts, err)
				}
			}
		}
	})
	t.Run("too_many_rows", func(t *testing.T) {
		if err := checkRows(maxRows); err != nil {
			t.Errorf("2³²−1 rows: %v", err)
		}
		if err := checkRows(maxRows + 1); !errors.Is(err, ErrSize) {
			t.Errorf("2³² rows: %v", err)
		}
	})
	t.Run("S1.11/too_many_codes", func(t *testing.T) {
		if _, err := newMatrix(0, []uint32{math.MaxUint32, 1}, Adaptive); !errors.Is(err, ErrSize) {
			t.Errorf("2³² codes: %v", err)
		}
	})
}

func TestHeap(t *testing.T) {
	testenv.Memory(t)
	t.Run("S0.21/heap_is_as_estimated", func(t *testing.T) {
		nCodes := slices.Repeat([]uint32{255}, 100)
		estimate := EstimateBytes(1_000_000, nCodes, Adaptive)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := newMatrix(1_000_000, nCodes, Adaptive)
		runtime.ReadMemStats(&after)
		if err != nil || m.Bytes() != estimate {
			t.Fatalf("%d bytes, estimated %d (%v)", m.Bytes(), estimate, err)
		}
		// What is freed meanwhile, of tests before, does not count.
		if heap := after.TotalAlloc - before.TotalAlloc; heap < estimate || heap > estimate*102/100 {
			t.Errorf("%d bytes were allocated, estimated %d", heap, estimate)
		}
	})
}
