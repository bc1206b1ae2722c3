package histogram_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/parallel"
)

// Tables of few rows keep both sums of a slot in one word, and so do those of most tests; larger
// ones have two arrays. What is shown of one kind is shown of the other.
func TestTwoArrays(t *testing.T) {
	t.Cleanup(histogram.KeepWide(-1))
	for name, test := range map[string]func(*testing.T){
		"TestBuilders": TestBuilders, "TestSmallNodes": TestSmallNodes, "TestNoStaleValues": TestNoStaleValues,
		"TestExtremeCodes": TestExtremeCodes, "TestSubtract": TestSubtract, "TestEqualHessians": TestEqualHessians,
		"TestWidths": TestWidths, "TestLayouts": TestLayouts, "TestMirrorOfBundles": TestMirrorOfBundles,
		"TestActiveFeaturesChange": TestActiveFeaturesChange, "TestTiles": TestTiles, "TestStream": TestStream, "TestHelp": TestHelp,
	} {
		t.Run(name, test)
	}
}

// A round whose gradients want wider codes takes two arrays where those before and after it keep
// sums in words. Nodes of few rows clear what their histogram held, and not just the slots of the
// other kind.
func TestKindsTakeTurns(t *testing.T) {
	pool := parallel.NewPool(1)
	defer pool.Close()
	d := newTable(t, 8, 8000, []uint32{40_000, 9}, binning.Adaptive)
	b := histogram.New(d.matrix, nil, pool, histogram.Sequential)
	words, arrays := d.storage(t, form{Mode: gradients.I16}, pool), d.storage(t, form{Mode: gradients.I32}, pool)
	all, few, other := d.sample(nil, 1), []uint32{3, 70, 900}, []uint32{5, 71, 901}
	h := &histogram.Histogram{}
	for step, s := range []struct {
		storage *gradients.Storage
		rows    []uint32
	}{{arrays, all}, {words, few}, {arrays, other}, {words, all}, {arrays, few}, {words, other}, {words, few}, {arrays, all}} {
		b.Build(h, s.storage, runsOf(s.storage, s.rows))
		if h.Partial() != (len(s.rows) < len(all)) {
			t.Errorf("step %d, %d rows: keeps to the slots touched %v", step, len(s.rows), h.Partial())
		}
		d.check(t, fmt.Sprintf("step %d", step), h, s.storage, d.all(), d.reference(s.storage, s.rows))
	}
}

// Nodes of few rows keep sums in words, others in two arrays, and children follow from parents of
// either kind, in memory that either has used.
func TestKindsOfSiblings(t *testing.T) {
	workers := parallel.NewPool(1)
	defer workers.Close()
	for _, limit := range []int{-1, 40, 700, 1500, 3000} {
		for _, nCodes := range [][]uint32{{5, 200, 300}, {40_000, 9}} {
			t.Run(fmt.Sprintf("%d_rows/%d_codes", limit, nCodes[0]), func(t *testing.T) {
				t.Cleanup(histogram.KeepWide(limit))
				r := rand.New(rand.NewPCG(12, uint64(limit)))
				d := newTable(t, 12, 3000, nCodes, binning.Adaptive)
				b := histogram.New(d.matrix, nil, workers, histogram.Sequential)
				st := d.storage(t, form{Mode: gradients.I16}, workers)
				memory := histogram.NewPool(b.Slots())
				type node struct {
					rows []uint32
					hist *histogram.Histogram
				}
				var leaves []node
				for step := range 200 {
					if len(leaves) == 0 {
						root := node{d.sample(nil, 1), memory.Get()}
						b.Build(root.hist, st, runsOf(st, root.rows))
						leaves = append(leaves, root)
					}
					at := r.IntN(len(leaves))
					parent := leaves[at]
					leaves = slices.Delete(leaves, at, at+1)
					if len(parent.rows) < 2 || r.IntN(4) == 0 {
						memory.Put(parent.hist)
						continue
					}
					small, large := node{hist: memory.Get()}, node{hist: parent.hist}
					share := r.Float64() / 2
					for _, row := range parent.rows {
						if r.Float64() < share {
							small.rows = append(small.rows, row)
						} else {
							large.rows = append(large.rows, row)
						}
					}
					b.Build(small.hist, st, runsOf(st, small.rows))
					large.hist.Subtracting(small.hist, len(large.rows))
					if !large.hist.Partial() && b.Few(len(large.rows)) {
						b.Narrow(large.hist, small.hist, st)
					} else {
						offsets := d.matrix.Offsets()
						for _, f := range r.Perm(len(nCodes)) {
							large.hist.SubtractRange(small.hist, st, int(offsets[f]), int(offsets[f+1]))
						}
					}
					for _, n := range []node{small, large} {
						if n.hist.InWords() && len(n.rows) > limit {
							t.Fatalf("step %d: %d rows in words", step, len(n.rows))
						}
						d.check(t, fmt.Sprintf("step %d, %d of %d rows", step, len(n.rows), len(parent.rows)), n.hist, st, d.all(), d.reference(st, n.rows))
						leaves = append(leaves, n)
					}
				}
			})
		}
	}
}
