package booster_test

import (
	"math"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/gradients"
	"boost/internal/testenv"
	"boost/parallel"
)

// By hand: a tree with two leaves on x finds, for each x, the mean of y - base over the rows of its bag, whose draws
// are those of package gradients; a forest predicts the base score and the mean over its trees.
func TestForestByHand(t *testing.T) {
	testenv.Unraced(t)
	const rows, rounds = 500, 6
	x, y := make([]float64, rows), make([]float64, rows)
	base := 0.0
	for i := range rows {
		x[i], y[i] = float64(i%2), float64(i%2*10+i%7)
		base += y[i] / rows
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x}, {Name: "y", Values: y}}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Boosting, p.RowFraction, p.Gradients = "regression", rounds, booster.RandomForest, 0.5, "i32"
	var want [2]float64
	pool := parallel.NewPool(1)
	defer pool.Close()
	bag := gradients.NewBag(rows)
	for round := range rounds {
		bag.Sample(pool, p.Seed, round, p.RowFraction)
		var sum, n [2]float64
		for _, row := range bag.Block(0) {
			sum[row%2] += y[row] - base
			n[row%2]++
		}
		for side := range want {
			want[side] += sum[side] / n[side] / rounds
		}
	}
	for _, rate := range []float64{0.1, 1, 0.3} { // of no consequence
		p.LearningRate = rate
		m := train(t, p, table)
		if m.Rounds() != rounds {
			t.Fatalf("%d rounds, want %d", m.Rounds(), rounds)
		}
		raw, err := m.PredictRaw(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		for side, v := range want {
			if got := raw[side]; math.Abs(got-base-v) > 1e-6 {
				t.Errorf("learning rate %v: the prediction at x = %d is %v, want %v", rate, side, got, base+v)
			}
		}
	}
}

// A forest is the mean of its trees whichever round it ends at: with early stopping it is that of the rounds up to
// the best one. Validation scores are means too.
func TestForestStopsEarly(t *testing.T) {
	table, valid := small(t, 3, 3000, true), small(t, 4, 1500, true)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.EarlyStopping = "regression", 200, 10
	p.Boosting, p.RowFraction, p.Tree.ColNode = booster.RandomForest, 0.3, 0.7
	var report booster.Report
	m := train(t, p, table, booster.Valid("valid", valid), booster.WithReport(&report))
	best := m.Rounds()
	if report.Stopped != booster.StoppedEarly || best < 2 {
		t.Fatalf("stopped by %q, best round %d", report.Stopped, best)
	}
	p.Rounds, p.EarlyStopping = best, 0
	short := train(t, p, table)
	for i, leaf := range short.Leaves() {
		if got := m.Leaves()[i]; got != leaf {
			t.Fatalf("leaf %d is %v, and %v in a forest of %d rounds", i, got, leaf, best)
		}
	}
	for name, set := range map[string]*dataset.Table{"valid": valid, "train": table} {
		raw, err := m.PredictRaw(t.Context(), set)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := rmse(t, set, raw), report.Metrics[name]["rmse"]; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: the predictions' rmse is %v, the report says %v", name, got, want)
		}
	}
}

// Refitted to all rows without the old values, the trees of a forest hold the mean of y - base over the rows of each
// leaf, divided by the number of trees.
func TestRefitForest(t *testing.T) {
	table := small(t, 5, 800, false)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Boosting, p.RowFraction = "regression", 3, booster.RandomForest, 0.5
	m := train(t, p, table)
	refitted, err := booster.Refit(t.Context(), m, table, 0)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := table.NumericLabels()
	if err != nil {
		t.Fatal(err)
	}
	leaves, err := m.PredictLeaf(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	base := m.Contents().BaseScore[0]
	for i := range m.Contents().Trees {
		sum, n := map[int]float64{}, map[int]float64{}
		for row, y := range labels {
			leaf := int(leaves[row*3+i])
			sum[leaf] += y - base
			n[leaf]++
		}
		for leaf, s := range sum {
			if got, want := refitted.Contents().Trees[i].Leaf[leaf], s/n[leaf]/3; math.Abs(got-want) > 1e-6 {
				t.Errorf("tree %d, leaf %d: %v, want %v", i, leaf, got, want)
			}
		}
	}
}
