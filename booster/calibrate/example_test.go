package calibrate_test

import (
	"context"
	"fmt"
	"log"
	"path/filepath"

	"boost/booster"
	"boost/booster/calibrate"
	"boost/dataset"
)

// A third of the rows is held out: on them the model gets intervals that cover 90% of new rows.
func Example() {
	ctx, folder := context.Background(), filepath.Join("..", "..", "examples", "wine_quality")
	table, err := dataset.Open(ctx, filepath.Join(folder, "train.csv.gz"), dataset.Label("quality"))
	if err != nil {
		log.Fatal(err)
	}
	var train, held []int32
	for row := range int32(table.NumRows()) {
		if row%3 == 0 {
			held = append(held, row)
		} else {
			train = append(train, row)
		}
	}
	m, err := booster.Train(ctx, booster.Params{Objective: "regression", Rounds: 100}, table.Take(train))
	if err != nil {
		log.Fatal(err)
	}
	m, found, err := calibrate.Fit(ctx, m, table.Take(held), calibrate.Params{Level: 0.9})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("intervals from %s of %d rows cover %.0f%%\n", found.Intervals.Kind, found.Rows, 100*found.Intervals.Coverage)
	test, err := dataset.Open(ctx, filepath.Join(folder, "test.csv.gz"), dataset.As(m.Schema()))
	if err != nil {
		log.Fatal(err)
	}
	bounds, err := m.PredictIntervals(ctx, test)
	if err != nil {
		log.Fatal(err)
	}
	labels, err := test.NumericLabels()
	if err != nil {
		log.Fatal(err)
	}
	inside := 0
	for row, quality := range labels {
		if bounds[2*row] <= quality && quality <= bounds[2*row+1] {
			inside++
		}
	}
	fmt.Printf("they cover %d of %d other wines\n", inside, len(labels))
	// Output:
	// intervals from residuals of 1733 rows cover 90%
	// they cover 1178 of 1299 other wines
}
