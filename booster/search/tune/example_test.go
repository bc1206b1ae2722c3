package tune_test

import (
	"context"
	"fmt"
	"log"

	"boost/booster"
	"boost/booster/search"
	"boost/booster/search/tune"
	"boost/dataset"
)

// Twelve trials look for the number of leaves and the L2 penalty.
func ExampleSearch() {
	ctx := context.Background()
	table, err := dataset.Open(ctx, "../../../examples/wine_quality/train.csv.gz", dataset.Label("quality"))
	if err != nil {
		log.Fatal(err)
	}
	var space tune.Space
	for _, d := range [][2]string{{"tree.leaves", "7..127:log"}, {"tree.lambda_l2", "0.1..10:log"}} {
		d, err := tune.Parse(d[0], d[1])
		if err != nil {
			log.Fatal(err)
		}
		space = append(space, d)
	}
	params := booster.Params{Objective: "regression", Rounds: 20, LearningRate: 0.3}
	found, err := tune.Search(ctx, params, table, tune.Params{Division: search.Division{Folds: 3, Seed: 1}, Space: space, Trials: 12})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("better than at the start:", found.Trials[found.Best].Value < found.Trials[0].Value)
	fmt.Println("leaves:", found.Params.Tree.Leaves > 31)
	// Output:
	// better than at the start: true
	// leaves: true
}
