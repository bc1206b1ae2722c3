package bundle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomLists makes features of which each is outside its default bin in some 250 of 500,000
// rows: exclusive within groups, or wherever they fall.
func randomLists(rows, features, cells int, exclusive bool) [][]int32 {
	r := rand.New(rand.NewPCG(1, 9))
	lists := make([][]int32, features)
	step := rows / cells
	for f := range lists {
		l := []int32{}
		for row := f % step; row < rows; row += step {
			at := row
			if !exclusive {
				at = row - row%step + r.IntN(step)
			}
			if at < rows && r.IntN(8) > 0 {
				l = append(l, int32(at))
			}
		}
		lists[f] = l
	}
	return lists
}

func BenchmarkFind(b *testing.B) {
	for _, exclusive := range []bool{true, false} {
		for _, features := range []int{1000, 50_000} {
			b.Run(fmt.Sprintf("exclusive=%v/features=%d", exclusive, features), func(b *testing.B) {
				lists := randomLists(500_000, features, 250, exclusive)
				nCodes := make([]uint32, features)
				for f := range nCodes {
					nCodes[f] = 3
				}
				for b.Loop() {
					groups, err := Find(context.Background(), 500_000, lists, nCodes, 0, features)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(groups)), "bundles")
				}
			})
		}
	}
}

func TestBundlesCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(ctx, 100, randomLists(100, 4, 10, true), []uint32{2, 2, 2, 2}, 0, 4); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Features go into bundles as the rule says: by the number of rows outside the default bin,
// each into the first of the last 64 bundles that has room and no more conflicts than
// may be.
func TestBundlesByTheRule(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	for range 60 {
		rows, features := 1+r.IntN(900), 2+r.IntN(400)
		rate := []float64{0, 0, 0.01, 0.1}[r.IntN(4)]
		lists, nCodes := make([][]int32, features), make([]uint32, features)
		for f := range lists {
			nCodes[f] = []uint32{2, 2, 3, 40, 256, 257}[r.IntN(6)]
			l, share := []int32{}, []float64{0, 0.001, 0.02, 0.3, 0.6}[r.IntN(5)]
			for row := range rows {
				if r.Float64() < share {
					l = append(l, int32(row))
				}
			}
			lists[f] = l
		}
		lists[r.IntN(features)] = nil
		got, err := Find(context.Background(), rows, lists, nCodes, rate, features)
		if err != nil {
			t.Fatal(err)
		}
		if want := bundlesByTheRule(rows, lists, nCodes, rate); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%d rows, %d features, rate %v: %v, want %v", rows, features, rate, got, want)
		}
	}
}

func bundlesByTheRule(rows int, lists [][]int32, nCodes []uint32, rate float64) [][]int {
	var order, alone []int
	for f, l := range lists {
		if l != nil && 2*len(l) < rows && nCodes[f] <= 256 {
			order = append(order, f)
		} else {
			alone = append(alone, f)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(lists[b]) - len(lists[a]) })
	type naive struct {
		features  []int
		codes     uint32
		rows      map[int32]bool
		conflicts int
	}
	var all, open []*naive
	for _, f := range order {
		var into *naive
		for _, g := range open {
			n := 0
			for _, row := range lists[f] {
				if g.rows[row] {
					n++
				}
			}
			if g.codes+nCodes[f]-1 <= 256 && g.conflicts+n <= int(rate*float64(rows)) {
				into, g.conflicts = g, g.conflicts+n
				break
			}
		}
		if into == nil {
			if into = (&naive{codes: 1, rows: map[int32]bool{}}); nCodes[f] < 256 {
				if len(open) == 64 {
					open = open[1:]
				}
				open = append(open, into)
			}
			all = append(all, into)
		}
		for _, row := range lists[f] {
			into.rows[row] = true
		}
		into.features, into.codes = append(into.features, f), into.codes+nCodes[f]-1
		if i := slices.Index(open, into); i >= 0 && into.codes == 256 {
			open = slices.Delete(open, i, i+1)
		}
	}
	found := [][]int{}
	for _, g := range all {
		slices.Sort(g.features)
		found = append(found, g.features)
	}
	for _, f := range alone {
		found = append(found, []int{f})
	}
	slices.SortFunc(found, func(a, b []int) int { return a[0] - b[0] })
	return found
}
