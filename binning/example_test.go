package binning_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"strings"

	"boost/binning"
	"boost/dataset"
	"boost/parallel"
)

// Cuts are found on a training table; another table is coded with the same cuts.
func Example() {
	ctx := context.Background()
	pool := parallel.NewPool(2)
	defer pool.Close()

	train, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "age", Values: []float64{23, 41, 35, math.NaN(), 58, 41}},
		{Name: "city", Values: []string{"Oslo", "Rome", "Rome", "Oslo", "Rome", "Bern"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	params := binning.Defaults()
	cuts, _, err := binning.Fit(ctx, train, nil, params, 1, pool)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("age is cut at", cuts.Of32(0))

	later, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "age", Values: []float64{38, 38.5, 99, math.NaN()}},
		{Name: "city", Values: []string{"Oslo", "Rome", "Oslo", "Bern"}},
	}, dataset.As(train.Schema()))
	if err != nil {
		log.Fatal(err)
	}
	matrix, err := binning.Build(ctx, cuts, later, params, pool)
	if err != nil {
		log.Fatal(err)
	}
	for row := range matrix.NRows() {
		fmt.Println(matrix.Bin(0, row), matrix.Bin(1, row))
	}
	// Output:
	// age is cut at [29 38 49.5]
	// 1 1
	// 2 0
	// 3 1
	// 4 2
}

// Cuts that a column must have, as a file of LightGBM's gives them.
func ExampleParseForcedCuts() {
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "age", Values: []float64{12, 15, 20, 40, 64, 70}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := binning.Defaults()
	p.ForcedCuts, err = binning.ParseForcedCuts(strings.NewReader(`[{"feature": 0, "bin_upper_bound": [18, 65]}]`), []string{"age"})
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := parallel.NewPool(1)
	defer pool.Close()
	cuts, _, err := binning.Fit(context.Background(), table, nil, p, 1, pool)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cuts.Of32(0))
	// Output: [13.5 18 30 52 65]
}
