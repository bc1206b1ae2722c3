package histogram_test

import (
	"fmt"
	"testing"

	"boost/binning"
	"boost/gradients"
	"boost/histogram"
	"boost/parallel"
)

// Tables of few rows keep both sums of a slot in one word, and so do those of most tests; larger
// ones have two arrays. What is shown of one kind is shown of the other.
func TestTwoArrays(t *testing.T) {
	t.Cleanup(histogram.KeepWide())
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
