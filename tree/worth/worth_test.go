package worth_test

import (
	"testing"

	"boost/binning"
	"boost/internal/kernel/hist"
	"boost/parallel"
	"boost/tree"
	"boost/tree/allowed"
	"boost/tree/worth"
)

// A column and its copies cost once: a model that has looked one up has the others. What is made of several columns costs nothing of its own.
func TestCopiesCostOnce(t *testing.T) {
	const zone, price, copied, pair = 0, 1, 2, 3
	names := []string{"zone", "price", "zone #2", "zone × price"}
	copies := allowed.NewCopies(names, [][]string{copied: {"zone"}, pair: {"zone", "price"}})
	code := []uint32{0, 1, 0, 1}
	m, err := binning.FromCodes([][]uint32{code, code, code, code}, []uint32{2, 2, 2, 2}, binning.Adaptive)
	if err != nil {
		t.Fatal(err)
	}
	features := make([]binning.Feature, len(names))
	for f := range features {
		features[f].Regular = 2
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	rules := worth.Rules{
		Factor: map[string]float64{"zone": 0.5}, Cost: map[string]float64{"zone": 3, "price": 4}, RowCost: map[string]float64{"zone": 1}, Tradeoff: 2,
		Directions: make([]int8, len(names)),
	}
	w := worth.New(rules, copies, features, m)
	entries := []uint64{hist.Entry(0, 0, 0), hist.Entry(0, 0, 1), hist.Entry(0, 0, 2)}
	check := func(when string, feature int, want float64, unseen int) {
		t.Helper()
		if got := w.Of(feature, 100, 0, 4, 0); got != want {
			t.Errorf("%s, %s: a gain of 100 counts for %g, want %g", when, names[feature], got, want)
		}
		if w.RowCost(feature) == 0 {
			if unseen != 0 {
				t.Errorf("%s, %s: no cost by row", when, names[feature])
			}
		} else if got := w.Unseen(feature, 0, entries); got != unseen {
			t.Errorf("%s, %s: %d rows look it up, want %d", when, names[feature], got, unseen)
		}
	}
	for f, want := range []float64{50 - 6, 100 - 8, 50 - 6, 100} {
		check("first", f, want, []int{3, 0, 3, 0}[f])
	}
	// A tree that all rows with code 1 of the price look the copy up in.
	stump := tree.Tree{
		Feature: []int32{price, copied}, Code: []uint32{0, 0}, MissingLeft: make([]bool, 2), Categorical: make([]bool, 2),
		Left: []int32{^0, ^1}, Right: []int32{1, ^2}, Leaf: make([]float64, 3),
	}
	w.Add(&stump, pool)
	for f, want := range []float64{50, 100, 50, 100} {
		check("then", f, want, []int{2, 0, 2, 0}[f])
	}
}
