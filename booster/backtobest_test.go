package booster

import (
	"math"
	"testing"

	"boost/dataset"
)

// After early stopping no row is scored again: the metrics of the kept trees need neither
// codes nor trees.
func TestNoTreeIsScoredAgain(t *testing.T) {
	const rows = 600
	var x, y [2][]float64
	for set := range 2 { // what the first rows say of the labels is noise to the others
		for row := range rows {
			x[set] = append(x[set], float64(row*(7+set)%101))
			y[set] = append(y[set], math.Sin(float64(row+set*31))+0.01*x[set][row])
		}
	}
	var tables [2]*dataset.Table
	for set := range 2 {
		var err error
		if tables[set], err = dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: x[set]}, {Name: "y", Values: y[set]}}, dataset.Label("y")); err != nil {
			t.Fatal(err)
		}
	}
	p := Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.EarlyStopping = "regression", 200, 0.5, 4
	r, err := newRun(p, []Option{Valid("valid", tables[1])})
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	run, err := r.prepare(t.Context(), InMemory(tables[0]).source)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.rounds(t.Context()); err != nil {
		t.Fatal(err)
	}
	if run.best >= run.done {
		t.Fatalf("%d rounds, all of which are kept", run.done)
	}
	run.data.matrix, run.data.cuts = nil, nil
	clear(run.trees)
	if got := run.trainMetrics()["rmse"]; !(got > 0.1 && got < 1) {
		t.Errorf("rmse %v", got)
	}
}
