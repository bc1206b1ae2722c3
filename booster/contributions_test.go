package booster_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
)

// What features contribute adds up to the raw score, for texts, missing values and several outputs, on any number of threads, and for the
// first rounds. What a feature contributes that no tree splits on is 0.
func TestContributionsAddUp(t *testing.T) {
	testenv.Unraced(t)
	table, err := dataset.Open(t.Context(), "../examples/adult/train.csv.gz", dataset.Label("income"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []int32
	for row := range int32(2000) {
		rows = append(rows, row)
	}
	table = table.Take(rows)
	for _, objective := range []string{"binary", "multiclass"} {
		params := booster.Defaults()
		params.Objective, params.Rounds, params.Tree.Leaves = objective, 20, 6
		m, err := booster.Train(t.Context(), params, table)
		if err != nil {
			t.Fatal(err)
		}
		for _, rounds := range []int{0, 7, 20} {
			raw, err := m.PredictRaw(t.Context(), table, model.Rounds(rounds))
			if err != nil {
				t.Fatal(err)
			}
			parts, err := m.Contributions(t.Context(), table, model.Rounds(rounds), model.Threads(2))
			if err != nil {
				t.Fatal(err)
			}
			alone, err := m.Contributions(t.Context(), table, model.Rounds(rounds), model.Threads(1))
			if err != nil || !slices.Equal(parts, alone) {
				t.Errorf("%s: threads change contributions (%v)", objective, err)
			}
			names := m.FeatureNames()
			width := len(names) + 1
			if len(parts) != len(raw)*width {
				t.Fatalf("%d contributions of %d scores and %d features", len(parts), len(raw), width-1)
			}
			used := map[string]bool{}
			for i, score := range raw {
				sum := 0.0
				for f, v := range parts[i*width:][:width] {
					if sum += v; f < width-1 && v != 0 {
						used[names[f]] = true
					}
				}
				if math.Abs(sum-score) > 1e-11 {
					t.Fatalf("%s, row and output %d: contributions make %v, the score is %v", objective, i, sum, score)
				}
			}
			if rounds < 20 {
				continue
			}
			splits, err := m.Importance(model.BySplit)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range splits {
				if used[f.Name] != (f.Value > 0) {
					t.Errorf("%s: %s contributes: %v, in %v splits", objective, f.Name, used[f.Name], f.Value)
				}
			}
			if len(used) == len(names) {
				t.Errorf("%s: trees split on all features: a weak test", objective)
			}
		}
		if _, err := m.Contributions(t.Context(), table, model.Rounds(21)); err == nil {
			t.Error("contributions of 21 of 20 rounds")
		}
	}
}

func TestContributionsAreRefused(t *testing.T) {
	table, err := steps()
	if err != nil {
		t.Fatal(err)
	}
	params := booster.Defaults()
	params.Rounds, params.Tree.MinDataInLeaf = 3, 1
	m, err := booster.Train(t.Context(), params, table)
	if err != nil {
		t.Fatal(err)
	}
	bare := *m.Contents()
	bare.Trees = slices.Clone(bare.Trees)
	for i := range bare.Trees {
		bare.Trees[i].Gain, bare.Trees[i].Cover, bare.Trees[i].LeafCover = nil, nil, nil
	}
	without, err := model.New(bare)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := without.Contributions(t.Context(), table); !errors.Is(err, model.ErrNoStatistics) {
		t.Errorf("without covers: %v", err)
	}
	var columns []dataset.ColumnData
	for _, name := range []string{"x", "y"} {
		values := make([]float64, 200)
		for i := range values {
			values[i] = float64(i) * float64(i%7)
		}
		columns = append(columns, dataset.ColumnData{Name: name, Values: values})
	}
	numbers, err := dataset.FromColumns(columns, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	params = booster.Defaults()
	params.Rounds, params.Tree.Linear = 3, true
	linear, err := booster.Train(t.Context(), params, numbers)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := linear.Contributions(t.Context(), numbers); err == nil {
		t.Error("linear leaves are divided")
	}
}

func ExampleModel_Contributions() {
	table, _ := dataset.FromColumns([]dataset.ColumnData{
		{Name: "size", Values: []float64{1, 1, 2, 2}}, {Name: "colour", Values: []string{"red", "blue", "red", "blue"}},
		{Name: "price", Values: []float64{10, 10, 30, 30}},
	}, dataset.Label("price"))
	params := booster.Defaults()
	params.Objective, params.Rounds, params.LearningRate, params.Tree.MinDataInLeaf = "regression", 1, 1, 1
	m, _ := booster.Train(context.Background(), params, table)
	parts, _ := m.Contributions(context.Background(), table)
	fmt.Println(m.FeatureNames(), "and the mean")
	for row := range 4 {
		fmt.Printf("%.0f\n", parts[3*row:][:3])
	}
	// Output:
	// [size colour] and the mean
	// [-10 0 20]
	// [-10 0 20]
	// [10 0 20]
	// [10 0 20]
}
