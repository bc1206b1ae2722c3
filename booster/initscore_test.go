package booster_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
)

// scored is a table of n rows with a label y, an init score s and one feature.
func scored(t *testing.T, n int, opts ...dataset.Option) *dataset.Table {
	t.Helper()
	x, s, y := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], s[i] = float64(i%16), float64(i%3)
		y[i] = s[i] + math.Copysign(0.5, float64(i%16)-7.5)
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "y", Values: y}, {Name: "s", Values: s}, {Name: "x", Values: x}},
		append(opts, dataset.Label("y"))...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func train(t *testing.T, p booster.Params, table *dataset.Table, opts ...booster.Option) *booster.Model {
	t.Helper()
	m, err := booster.Train(context.Background(), p, table, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// With squared loss the gradient is score − label: one tree with learning rate 1 on the
// two halves of x finds ±0.5 over the init scores, and nothing is left. Without them the
// base score would be the mean label.
func TestInitScores(t *testing.T) {
	p := booster.Defaults()
	p.Objective, p.Rounds, p.LearningRate, p.Tree.Leaves = "regression", 1, 1, 2
	table := scored(t, 960, dataset.InitScore("s"))
	m := train(t, p, table)
	if base := m.Contents().BaseScore; !slices.Equal(base, []float64{0}) {
		t.Errorf("base score %v, want 0", base)
	}
	got, err := m.Predict(context.Background(), table)
	if err != nil {
		t.Fatal(err)
	}
	labels, _ := table.NumericLabels()
	for row, v := range got {
		if math.Abs(v-labels[row]) > 1e-4 { // the gradients' 16 bits
			t.Fatalf("row %d: %v, want %v", row, v, labels[row])
		}
	}
	t.Run("a table without them", func(t *testing.T) {
		bare, err := dataset.FromColumns([]dataset.ColumnData{{Name: "x", Values: []float64{0, 15}}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Predict(context.Background(), bare)
		if err != nil || math.Abs(got[0]+0.5) > 1e-4 || math.Abs(got[1]-0.5) > 1e-4 {
			t.Errorf("%v %v, want -0.5 and 0.5", got, err)
		}
		if !m.LacksInitScores(bare) || m.LacksInitScores(table) {
			t.Errorf("lacks init scores: %v and %v, want true and false", m.LacksInitScores(bare), m.LacksInitScores(table))
		}
	})
	t.Run("validation sets have their own", func(t *testing.T) {
		var report booster.Report
		train(t, p, table, booster.Valid("valid", table.Take([]int32{0, 1, 2, 15, 17})), booster.WithReport(&report))
		if v := report.Metrics["valid"]["rmse"]; !(v < 1e-4) {
			t.Errorf("rmse %v, want 0", v)
		}
		if v := report.Metrics["train"]["rmse"]; !(v < 1e-4) {
			t.Errorf("rmse of the training rows %v, want 0", v)
		}
		var log bytes.Buffer
		bare := scored(t, 16, dataset.Ignore("s"))
		train(t, p, table, booster.Valid("valid", bare), booster.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		if !strings.Contains(log.String(), "this set has none") {
			t.Errorf("nothing is said about a set without init scores: %s", log.String())
		}
	})
	t.Run("one per output", func(t *testing.T) {
		p := p
		p.Objective = "multiclass"
		_, err := booster.Train(context.Background(), p, table)
		want := "the number of init score columns is 1, objective multiclass needs 4, one per output"
		if !errors.Is(err, dataset.ErrTable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

// LightGBM's own example, with its .init files beside the tables. LightGBM 4.7 with the
// same parameters (regression, 100 rounds, 31 leaves) reaches an rmse of 0.5030 on the
// test rows with their init scores added, and 0.3765 on the training rows; the init
// scores alone have 0.5710.
func TestInitScoresOfLightGBM(t *testing.T) {
	shared := os.Getenv("BOOST_SHARED")
	if shared == "" {
		t.Skip("BOOST_SHARED is not set: the real data sets are not at hand")
	}
	dir := filepath.Join(shared, "data", "lightgbm_regression", "original")
	ctx := context.Background()
	table, err := dataset.Open(ctx, filepath.Join(dir, "regression.train"))
	if err != nil {
		t.Fatal(err)
	}
	test, err := dataset.Open(ctx, filepath.Join(dir, "regression.test"), dataset.As(table.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 100
	var report booster.Report
	train(t, p, table, booster.Valid("valid", test), booster.WithReport(&report))
	if v := report.Metrics["valid"]["rmse"]; v > 0.5030*1.02 || v < 0.5030*0.98 {
		t.Errorf("rmse %v on the test rows, LightGBM has 0.5030", v)
	}
	if v := report.Metrics["train"]["rmse"]; v > 0.3765*1.03 || v < 0.3765*0.97 {
		t.Errorf("rmse %v on the training rows, LightGBM has 0.3765", v)
	}
}

// Rows held out for early stopping are whole queries.
func TestHeldOutQueriesAreWhole(t *testing.T) {
	const queries, size = 57, 7
	q, x, y := make([]int32, queries*size), make([]float64, queries*size), make([]float64, queries*size)
	for i := range q {
		q[i], x[i], y[i] = int32(1000-i/size), float64(i%size), float64((i*i)%11)
	}
	table, err := dataset.FromColumns([]dataset.ColumnData{{Name: "q", Values: q}, {Name: "x", Values: x}, {Name: "y", Values: y}},
		dataset.Group("q"), dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.EarlyStopping, p.Rounds = "regression", 5, 3
	var log bytes.Buffer
	train(t, p, table, booster.Logger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	// Of 57 queries 5 are held out.
	if want := `rows held out for validation" rows=35 of=399`; !strings.Contains(log.String(), want) {
		t.Errorf("log lacks %q:\n%s", want, log.String())
	}
	q[0] = 1000 - queries/2
	apart, err := dataset.FromColumns([]dataset.ColumnData{{Name: "q", Values: q}, {Name: "x", Values: x}, {Name: "y", Values: y}},
		dataset.Group("q"), dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	// The first row is gathered with the others of its query, of which one is the first of 57 now.
	var report booster.Report
	train(t, p, apart, booster.WithReport(&report))
	groups, err := apart.Groups()
	if err == nil || !strings.Contains(err.Error(), "is not one query in one place") || len(report.HeldOut) == 0 {
		t.Errorf("%d rows are held out, queries are %v, %v", len(report.HeldOut), groups, err)
	}
	held := map[int32]int{}
	for _, row := range report.HeldOut {
		held[q[row]]++
	}
	for query, n := range held {
		if all := size + map[int32]int{1000 - queries/2: 1, 1000: -1}[query]; n != all {
			t.Errorf("of query %d %d rows are held out, it has %d", query, n, all)
		}
	}
}
