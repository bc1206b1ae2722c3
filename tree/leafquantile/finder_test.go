package leafquantile_test

import (
	"testing"

	"boost/parallel"
	"boost/tree/leafquantile"
)

// By hand: leaf 0 has the residuals 1, 2 and 9, of which 2 is the median; leaf 1 has 5 with weight 3 and −4 with weight 1, and a
// row without weight.
func TestFind(t *testing.T) {
	pool := parallel.NewPool(2)
	defer pool.Close()
	rows := leafquantile.LeafRows{
		Leaf: []float64{1, 0, 0, 1, 0, 1}, Hess: []float32{3, 1, 1, 1, 1, 0}, Unit: 4,
		Labels: []float64{6, 3, 10, -3, 4, 100}, Scores: []float64{1, 2, 1, 1, 2, 0},
	}
	found := leafquantile.NewFinder(6, 2, 2).Find(pool, &rows, 0.5, 2)
	if found[0] != 2 || found[1] != 5 {
		t.Errorf("medians %v, want [2 5]", found[:2])
	}
}
