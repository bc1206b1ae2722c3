package search_test

import (
	"context"
	"fmt"
	"log"

	"boost/booster"
	"boost/booster/search"
	"boost/dataset"
)

// Five folds say how many rounds are best.
func ExampleCrossValidate() {
	ctx := context.Background()
	table, err := dataset.Open(ctx, "../../examples/wine_quality/train.csv.gz", dataset.Label("quality"))
	if err != nil {
		log.Fatal(err)
	}
	params := booster.Params{Objective: "regression", Rounds: 40, LearningRate: 0.3}
	found, err := search.CrossValidate(ctx, params, table, search.Params{Division: search.Division{Folds: 5, Seed: 1}})
	if err != nil {
		log.Fatal(err)
	}
	rmse := found.Metrics[0]
	fmt.Printf("%s %.2f ± %.2f\n", rmse.Name, rmse.Mean, rmse.Deviation)
	// Output:
	// rmse 0.66 ± 0.01
}
