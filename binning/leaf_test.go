package binning_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"boost/binning"
	"boost/dataset"
)

// node splits on feature ≤ the cut of the given code; children < 0 are leaves.
type node struct {
	feature     int
	code        uint32
	missingLeft bool
	left, right int
}

// randomTree grows a tree of n splits over features with cuts.
func randomTree(rng *rand.Rand, cuts *binning.Cuts, n int) []node {
	var features []int
	for f := range cuts.Features {
		if cuts.Features[f].Regular > 1 {
			features = append(features, f)
		}
	}
	if len(features) == 0 {
		return nil
	}
	tree := make([]node, n)
	for i := range tree {
		f := features[rng.IntN(len(features))]
		tree[i] = node{feature: f, code: uint32(rng.IntN(int(cuts.Features[f].Regular) - 1)), missingLeft: rng.IntN(2) == 0, left: -2*i - 1, right: -2*i - 2}
		if i > 0 {
			parent := &tree[rng.IntN(i)]
			if parent.left < 0 {
				parent.left = i
			} else if parent.right < 0 {
				parent.right = i
			} else {
				tree[i-1].right = i
			}
		}
	}
	return tree
}

// descend returns the leaf that goesLeft leads to.
func descend(tree []node, goesLeft func(n node) bool) int {
	at := 0
	for at >= 0 {
		n := tree[at]
		if at = n.right; goesLeft(n) {
			at = n.left
		}
	}
	return at
}

// TestLeaf proves S0.6: a row ends in the same leaf whether its raw values are
// compared with cuts or its codes with codes.
func TestLeaf(t *testing.T) {
	t.Run("S0.6/value_and_code_end_in_one_leaf", testLeaf)
}

func testLeaf(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for range cases(1000) {
		rows := 1 + rng.IntN(60)
		p := params(func(p *binning.Params) {
			p.MaxBin, p.Placement = 2+rng.IntN(40), []string{"midpoint", "value"}[rng.IntN(2)]
		})
		var train []column
		for f := range 4 {
			values := someValues(rng, rows)
			if f%2 == 0 {
				train = append(train, floats32(fmt.Sprint(f), narrow(values)...))
			} else {
				train = append(train, floats64(fmt.Sprint(f), values...))
			}
		}
		cuts := fit(t, table(t, train...), p)
		forest := [][]node{randomTree(rng, cuts, 1+rng.IntN(12)), randomTree(rng, cuts, 1+rng.IntN(12))}
		// The trained table, one of the cuts themselves and their neighbours, one with the
		// two kinds of numbers exchanged, and the last again with rows enough for an index.
		checkLeaves(t, cuts, forest, table(t, train...))
		near, exchanged := nearCuts(rng, cuts, 40), nearCuts(rng, cuts, 40)
		checkLeaves(t, cuts, forest, table(t, asTrained(near)...))
		checkLeaves(t, cuts, forest, table(t, asExchanged(exchanged)...))
		if rng.IntN(10) == 0 {
			checkLeaves(t, cuts, forest, table(t, asExchanged(nearCuts(rng, cuts, 1200))...))
		}
	}
}

// nearCuts draws values of each feature: a cut, its neighbours in float32 and in
// float64, or anything.
func nearCuts(rng *rand.Rand, cuts *binning.Cuts, rows int) [][]float64 {
	columns := make([][]float64, len(cuts.Features))
	for f := range columns {
		all := append([]float64(nil), cuts.Of64(f)...)
		for _, cut := range cuts.Of32(f) {
			all = append(all, float64(cut))
		}
		values := someValues(rng, rows)
		for row := range values {
			if len(all) == 0 || rng.IntN(5) == 0 {
				continue
			}
			cut := all[rng.IntN(len(all))]
			values[row] = []float64{
				cut, math.Nextafter(cut, inf), math.Nextafter(cut, -inf),
				float64(math.Nextafter32(float32(cut), float32(inf))), float64(math.Nextafter32(float32(cut), float32(-inf))),
			}[rng.IntN(5)]
		}
		columns[f] = values
	}
	return columns
}

func asTrained(columns [][]float64) []column   { return alternate(columns, 0) }
func asExchanged(columns [][]float64) []column { return alternate(columns, 1) }

func alternate(columns [][]float64, first int) []column {
	var result []column
	for f, values := range columns {
		if name := fmt.Sprint(f); f%2 == first {
			result = append(result, floats32(name, narrow(values)...))
		} else {
			result = append(result, floats64(name, values...))
		}
	}
	return result
}

func checkLeaves(t *testing.T, cuts *binning.Cuts, forest [][]node, tab *dataset.Table) {
	t.Helper()
	m, err := binning.Build(context.Background(), cuts, tab, params(nil), pool(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range forest {
		if tree == nil {
			continue
		}
		for row := range tab.NumRows() {
			byValue := descend(tree, func(n node) bool {
				x := valueOf(tab.Features()[n.feature], row)
				if x != x {
					return n.missingLeft
				}
				if cuts.Features[n.feature].Kind == binning.Numeric64 {
					return x <= cuts.Of64(n.feature)[n.code]
				}
				return x <= float64(cuts.Of32(n.feature)[n.code])
			})
			byCode := descend(tree, func(n node) bool {
				code := m.Bin(n.feature, row)
				if code >= cuts.Features[n.feature].MissingCode() {
					return n.missingLeft
				}
				return code <= n.code
			})
			if byValue != byCode {
				t.Fatalf("S0.6: row %d ends in leaf %d by value, %d by code", row, byValue, byCode)
			}
		}
	}
}

// valueOf widens a value; comparing widened float32 is comparing them as float32.
func valueOf(c *dataset.Column, row int) float64 {
	if c.Kind() == dataset.Float32 {
		return float64(c.Float32s()[row])
	}
	return c.Float64s()[row]
}
