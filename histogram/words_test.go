package histogram_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/testenv"
	"boost/parallel"
)

// Nodes of few rows keep both sums of a slot in one word, and so do those of most tests; larger
// ones have two arrays. What is shown of one kind is shown of the other.
func TestTwoArrays(t *testing.T) {
	t.Cleanup(histogram.KeepWide(-1))
	tests := []struct {
		name string
		test func(*testing.T)
	}{
		{"TestBuilders", func(t *testing.T) { builders(t, 10_000, []int{1, 4}) }}, {"TestTiles", TestTiles}, {"TestHelp", TestHelp},
		{"TestStream", TestStream}, {"TestActiveFeaturesChange", TestActiveFeaturesChange}, {"TestSubtract", TestSubtract},
		{"TestLayouts", func(t *testing.T) { layoutsOf(t, 0) }}, {"TestSmallNodes", TestSmallNodes},
		{"TestNoStaleValues", TestNoStaleValues}, {"TestExtremeCodes", TestExtremeCodes}, {"TestEqualHessians", TestEqualHessians},
		{"TestWidths", TestWidths}, {"TestRowMajorCopyOfBundles", TestRowMajorCopyOfBundles},
	}
	for _, c := range tests[:testenv.UnlessShort(len(tests), 1)] {
		t.Run(c.name, c.test)
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
		if h.IsSparse() != (len(s.rows) < len(all)) {
			t.Errorf("step %d, %d rows: keeps to the slots touched %v", step, len(s.rows), h.IsSparse())
		}
		d.check(t, fmt.Sprintf("step %d", step), h, s.storage, d.all(), d.reference(s.storage, s.rows))
	}
}

// Nodes of few rows keep sums in words, others in two arrays, and children follow from parents of
// either kind, in memory that either has used: whoever adds up, from whatever layout.
func TestKindsOfSiblings(t *testing.T) {
	workers := parallel.NewPool(2)
	defer workers.Close()
	for _, limit := range []int{700, -1, 3000, 40, 1500}[:testenv.ByLength(5, 3, 1)] {
		for _, nCodes := range [][]uint32{{5, 200, 2, 300, 2}, {40_000, 9}} {
			d := newTable(t, 12, 3000, nCodes, binning.Adaptive)
			for _, strategy := range strategies {
				for i, rowMajor := range d.rowMajorCopies(form{Mode: gradients.I16}, workers) {
					t.Run(fmt.Sprintf("%d_rows/%d_codes/%v/%d", limit, nCodes[0], strategy, i), func(t *testing.T) {
						t.Cleanup(histogram.KeepWide(limit))
						siblings(t, d, histogram.New(d.matrix, rowMajor, workers, strategy), workers, limit)
					})
				}
			}
		}
	}
}

// siblings splits nodes at random, as a tree grows, and checks both children.
func siblings(t *testing.T, d *table, b *histogram.Builder, workers *parallel.Pool, limit int) {
	type node struct {
		rows []uint32
		hist *histogram.Histogram
	}
	var leaves []node
	r := rand.New(rand.NewPCG(12, uint64(limit)))
	st := d.storage(t, form{Mode: gradients.I16}, workers)
	memory, offsets := histogram.NewPool(), d.matrix.Offsets()
	build := func(n node) {
		runs := runsOf(st, n.rows)
		if b.Strategy() != histogram.RowParallel || b.IsSparseNode(len(n.rows)) || len(n.rows) == 0 || r.IntN(2) == 0 {
			b.Build(n.hist, st, runs)
			return
		}
		b.Stream(n.hist, st)
		for _, run := range runs {
			b.Add(r.IntN(workers.Threads()), run.First, run.Entries)
		}
		workers.Do(b.EndStream(len(n.rows), histogram.TotalOf(st, runs)), parallel.Func(func(worker, part int) { b.Tile(worker, part) }))
		b.EndTiles()
	}
	for step := range 60 {
		if len(leaves) == 0 {
			leaves = append(leaves, node{d.sample(nil, 1), memory.Get()})
			build(leaves[0])
		}
		at := r.IntN(len(leaves))
		parent := leaves[at]
		leaves = slices.Delete(leaves, at, at+1)
		if len(parent.rows) < 2 || r.IntN(4) == 0 {
			memory.Put(parent.hist)
			continue
		}
		built, other := node{hist: memory.Get()}, node{hist: parent.hist}
		share := r.Float64() * 0.6 // what is built may have more rows: a tree guesses
		for _, row := range parent.rows {
			if r.Float64() < share {
				built.rows = append(built.rows, row)
			} else {
				other.rows = append(other.rows, row)
			}
		}
		build(built)
		other.hist.Subtracting(built.hist, len(other.rows))
		if !other.hist.IsSparse() && b.IsSparseNode(len(other.rows)) {
			b.SubtractSparse(other.hist, built.hist, st)
		} else {
			for _, f := range r.Perm(len(d.codes)) {
				other.hist.SubtractRange(built.hist, st, int(offsets[f]), int(offsets[f+1]))
			}
		}
		for _, n := range []node{built, other} {
			if n.hist.InWords() && len(n.rows) > limit {
				t.Fatalf("step %d: %d rows in words", step, len(n.rows))
			}
			d.check(t, fmt.Sprintf("step %d, %d of %d rows", step, len(n.rows), len(parent.rows)), n.hist, st, d.all(), d.reference(st, n.rows))
			leaves = append(leaves, n)
		}
	}
}
