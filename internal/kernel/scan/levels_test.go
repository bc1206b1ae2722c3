package scan_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/internal/kernel/scan"
)

// The levels of a group are the first or the last ones of all, sorted by statistic and then by code, however the
// statistics are spread.
func TestLevelsOfTheEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 0))
	spreads := []struct {
		name string
		grad func(code, levels int) int64
	}{
		{"normal", func(int, int) int64 { return int64(1000 * r.NormFloat64()) }},
		{"even", func(int, int) int64 { return r.Int64N(20_000) - 10_000 }},
		{"few different", func(int, int) int64 { return r.Int64N(5) }},
		{"all the same", func(int, int) int64 { return 7 }},
		{"falling", func(code, levels int) int64 { return int64(levels - code) }},
		{"one far away", func(code, _ int) int64 { return map[bool]int64{true: 1 << 40, false: r.Int64N(1000)}[code == 5] }},
		{"every eighth low", func(code, _ int) int64 {
			return map[bool]int64{true: -50_000, false: 0}[code%8 == 0 && code < 80] + r.Int64N(1000)
		}},
		{"every eighth high", func(code, _ int) int64 {
			return map[bool]int64{true: 50_000, false: 0}[code%8 == 0 && code < 80] + r.Int64N(1000)
		}},
	}
	for _, spread := range spreads {
		for _, levels := range []int{1, 2, 13, 63, 64, 65, 100, 300, 511, 512, 700, 4000} {
			for _, group := range []int{1, 32, 200} {
				t.Run(fmt.Sprintf("%s/levels=%d/group=%d", spread.name, levels, group), func(t *testing.T) {
					testLevels(t, r, levels, group, func(code int) int64 { return spread.grad(code, levels) })
				})
			}
		}
	}
}

func testLevels(t *testing.T, r *rand.Rand, levels, group int, gradOf func(code int) int64) {
	t.Helper()
	f := &scan.Feature[int64, uint64]{Grad: make([]int64, levels), Hess: make([]uint64, levels), Regular: levels}
	for code := range levels {
		f.Grad[code], f.Hess[code] = gradOf(code), 1+r.Uint64N(50)
		f.Total.Grad += f.Grad[code]
		f.Total.Hess += f.Hess[code]
	}
	cat := scan.CatRule{Smooth: 10, MaxPerSide: group, NodeRows: f.Total.Hess}
	var order []uint32 // of the levels with ten rows and more
	for code, h := range f.Hess {
		if h >= 10 {
			order = append(order, uint32(code))
		}
	}
	stat := func(code uint32) float64 { return float64(f.Grad[code]) / (float64(f.Hess[code]) + cat.Smooth) }
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(stat(a), stat(b)) })
	n := min(group, len(order))
	var scratch scan.CatScratch
	rule := scan.Rule{GradScale: 1, HessScale: 1}
	for how, want := range map[scan.Grouping][]uint32{scan.FromLow: order[:n], scan.FromHigh: order[len(order)-n:]} {
		want = slices.Sorted(slices.Values(want))
		for range 2 { // with memory that was used before, too
			got := scan.Set(f, &rule, &cat, &scratch, scan.Split[int64, uint64]{Code: n}, how)
			if !slices.Equal(got, want) {
				t.Fatalf("grouping %d: levels %v, want %v", how, got, want)
			}
		}
	}
}
