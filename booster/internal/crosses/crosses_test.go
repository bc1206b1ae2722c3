package crosses_test

import (
	"fmt"
	"slices"
	"testing"

	"boost/booster/internal/crosses"
	"boost/dataset"
	"boost/parallel"
)

// table has columns a (90 levels), b (40 levels), c (20 numbers) and d (different numbers in all rows). The target is a
// coin for each pair of a and c, half as large a one for each pair of a and b, and a mean of each a.
func table(t *testing.T, n int) (*dataset.Table, []float64) {
	t.Helper()
	a, b, c, d, target := make([]string, n), make([]string, n), make([]float64, n), make([]float64, n), make([]float64, n)
	coin := func(x, y int) float64 { return float64(uint32(x*7919+y*104729+17)*2654435761>>31&1) - 0.5 }
	state := uint64(1)
	draw := func(n int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state >> 33 % uint64(n))
	}
	for i := range n {
		x, y, z := draw(90), draw(40), draw(20)
		a[i], b[i], c[i], d[i] = fmt.Sprint("a", x), fmt.Sprint("b", y), float64(z), float64(i)
		target[i] = 4*coin(x, z) + 2*coin(x, y) + float64(x)/45
	}
	rows, err := dataset.FromColumns([]dataset.ColumnData{{Name: "d", Values: d}, {Name: "c", Values: c}, {Name: "b", Values: b}, {Name: "a", Values: a}},
		dataset.Categorical("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	return rows, target
}

func TestChoose(t *testing.T) {
	one, three := parallel.NewPool(1), parallel.NewPool(3)
	defer one.Close()
	defer three.Close()
	rows, target := table(t, 20000)
	weights := make([]float64, len(target))
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	none := func(string) bool { return false }
	ac, ba := []string{"a", "c"}, []string{"b", "a"}
	for _, c := range []struct {
		name         string
		apart        func(string) bool
		weights      []float64
		most, levels int
		want         [][]string
	}{
		{"all", none, nil, 10, 1, [][]string{ac, ba}},
		{"weighted", none, weights, 10, 1, [][]string{ac, ba}},
		{"the best", none, nil, 1, 1, [][]string{ac}},
		{"of many levels", none, nil, 10, 80, [][]string{ac, ba}},
		{"of more than there are", none, nil, 10, 90, nil},
		{"one stands apart", func(column string) bool { return column == "c" }, nil, 10, 1, [][]string{ba}},
		{"without a category", func(column string) bool { return column < "c" }, nil, 10, 1, nil},
		{"without weight", none, make([]float64, len(target)), 10, 1, nil},
	} {
		for _, pool := range []*parallel.Pool{one, three} {
			if got := crosses.Choose(rows, nil, c.apart, target, c.weights, c.most, c.levels, pool); !slices.EqualFunc(got, c.want, slices.Equal) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
	if got := crosses.Choose(rows, nil, none, make([]float64, len(target)), nil, 10, 1, one); got != nil {
		t.Errorf("of a constant target: %v", got)
	}
}
