package booster_test

import (
	"math"
	"slices"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
)

// twoSides returns rows of x = 0, 0, 1, 1 with y = 1, 1, 5, 5: base score 3, and what is left is -2 and 2.
func twoSides(t *testing.T) *dataset.Table {
	t.Helper()
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "y", Values: []float64{1, 1, 5, 5}}, {Name: "x", Values: []float64{0, 0, 1, 1}},
	}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func onTwoSides() booster.Params {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.Tree.MinDataInLeaf, p.Tree.MinChildWeight = "regression", 3, 0.5, 1, 0
	return p
}

// By hand: where all rounds are dropped, every tree is grown from the base score, and its leaves are -2 and 2
// at learning rate 1. With r = ½ and k rounds dropped by round k (0, 1, 2), trees count in the end, by the rule:
//   - paper, LightGBM's dart.hpp: r/(k+1), times (j/(j+1)) by the rounds j > k: r/3 each.
//   - tree, XGBoost's gbtree.cc NormalizeTrees: r/(k+r), times j/(j+r).
//   - forest, the same: r/(1+r), times 1/(1+r) by each later round; the first tree begins with r.
//
// Without dropping, gradients shrink to 1-r of what they were, so that trees count r, r(1-r), r(1-r)².
func TestDartByHand(t *testing.T) {
	testenv.Unraced(t)
	const r = 0.5
	for name, c := range map[string]struct {
		change func(*booster.Dart)
		want   [3]float64
	}{
		"paper":  {func(*booster.Dart) {}, [3]float64{r / 3, r / 3, r / 3}},
		"tree":   {func(d *booster.Dart) { d.Normalize = "tree" }, [3]float64{r * (1 / (1 + r)) * (2 / (2 + r)), r / (1 + r) * (2 / (2 + r)), r / (2 + r)}},
		"forest": {func(d *booster.Dart) { d.Normalize = "forest" }, [3]float64{r / ((1 + r) * (1 + r)), r / ((1 + r) * (1 + r)), r / (1 + r)}},
		"none":   {func(d *booster.Dart) { d.DropRate = 0 }, [3]float64{r, r * (1 - r), r * (1 - r) * (1 - r)}},
		"skip":   {func(d *booster.Dart) { d.SkipDrop = 1 }, [3]float64{r, r * (1 - r), r * (1 - r) * (1 - r)}},
	} {
		t.Run(name, func(t *testing.T) {
			p := onTwoSides()
			p.Boosting = booster.DartBoosting
			p.Dart.DropRate, p.Dart.SkipDrop, p.Dart.MaxDrop, p.Dart.Sample = 1, 0, 0, booster.UniformDrop
			c.change(&p.Dart)
			m := train(t, p, twoSides(t))
			for i, leaf := range m.Leaves() {
				want := c.want[i/2] * []float64{-2, 2}[i%2]
				if math.Abs(leaf-want) > 1e-4 { // the gradients' 16 bits
					t.Errorf("leaf %d is %v, want %v", i, leaf, want)
				}
			}
		})
	}
}

// By hand: one_drop drops the one round before for certain, so that two rounds are those of drop_rate 1: each counts r/2.
func TestDartOneDrop(t *testing.T) {
	for _, sample := range []string{booster.UniformDrop, booster.WeightedDrop} {
		p := onTwoSides()
		p.Boosting, p.Rounds = booster.DartBoosting, 2
		p.Dart.DropRate, p.Dart.SkipDrop, p.Dart.OneDrop, p.Dart.Sample = 0, 0, true, sample
		for i, leaf := range train(t, p, twoSides(t)).Leaves() {
			if want := []float64{-0.5, 0.5}[i%2]; math.Abs(leaf-want) > 1e-4 {
				t.Errorf("%s: leaf %d is %v, want %v", sample, i, leaf, want)
			}
		}
	}
}

// The model of early stopping is that of a run which ended at the best round: leaf values as they were then, whatever
// later rounds made of them. A later run from it, of other rounds, leaves its trees as they are.
func TestDartKeepsTheBestRound(t *testing.T) {
	table, valid := small(t, 3, 4000, true), small(t, 4, 1000, true)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping, p.LearningRate = "regression", 400, 40, 0.8
	p.Boosting, p.Dart.SkipDrop = booster.DartBoosting, 0.2
	var report booster.Report
	m := train(t, p, table, booster.Valid("valid", valid), booster.WithReport(&report))
	best := m.Rounds()
	if report.Stopped != booster.StoppedEarly || report.Rounds != best+40 {
		t.Fatalf("stopped by %q after %d rounds, the best of which is %d: want early stopping after 40 more", report.Stopped, report.Rounds, best)
	}
	p.Rounds, p.EarlyStopping = best, 0
	short := train(t, p, table, booster.Valid("valid", valid))
	for i, leaf := range short.Leaves() {
		if got := m.Leaves()[i]; got != leaf {
			t.Fatalf("leaf %d is %v, and %v where the run ends at the best round", i, got, leaf)
		}
	}
	// What the report and the history say of the model holds for its predictions.
	raw, err := m.PredictRaw(t.Context(), valid)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rmse(t, valid, raw), *m.Contents().History[0].Values[best-1]; math.Abs(got-want) > 1e-9*want {
		t.Errorf("the predictions' rmse is %v, the history says %v", got, want)
	}
	if raw, err = m.PredictRaw(t.Context(), table); err != nil {
		t.Fatal(err)
	}
	if got, want := rmse(t, table, raw), report.Metrics["train"]["rmse"]; math.Abs(got-want) > 1e-9*want {
		t.Errorf("the predictions' rmse in training is %v, the report says %v", got, want)
	}
	p.Rounds = 7
	more := train(t, p, table, booster.From(m))
	for i, leaf := range m.Leaves() {
		if got := more.Leaves()[i]; got != leaf {
			t.Fatalf("going on changes leaf %d of the base model from %v to %v", i, leaf, got)
		}
	}
}

// rmse returns the weighted root of the mean squared error of predictions.
func rmse(t *testing.T, table *dataset.Table, predicted []float64) float64 {
	t.Helper()
	labels, err := table.NumericLabels()
	if err != nil {
		t.Fatal(err)
	}
	weights, err := table.Weights()
	if err != nil {
		t.Fatal(err)
	}
	sum, all := 0.0, 0.0
	for i, y := range labels {
		sum, all = sum+weights[i]*(y-predicted[i])*(y-predicted[i]), all+weights[i]
	}
	return math.Sqrt(sum / all)
}

// Leaf values are the same whether the leaves of rows are kept, as for up to 256 leaves, or found again in each round.
func TestDartWithAndWithoutLeafNumbers(t *testing.T) {
	table, valid := small(t, 11, 6000, true), small(t, 12, 700, true)
	for _, objective := range []string{"regression", "multiclass"} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Boosting, p.RowFraction, p.Tree.MinDataInLeaf = objective, 12, booster.DartBoosting, 0.7, 100
		p.Dart.DropRate, p.Dart.SkipDrop = 0.5, 0
		p.Tree.Leaves = 256
		kept := train(t, p, table, booster.Valid("valid", valid))
		p.Tree.Leaves = 257
		walked := train(t, p, table, booster.Valid("valid", valid))
		if !slices.Equal(kept.Leaves(), walked.Leaves()) {
			t.Errorf("%s: other leaf values", objective)
		}
		for i, h := range kept.Contents().History {
			for round, v := range h.Values {
				if got := walked.Contents().History[i].Values[round]; *got != *v {
					t.Errorf("%s: %s of round %d is %v and %v", objective, h.Metric, round, *v, *got)
				}
			}
		}
	}
}
