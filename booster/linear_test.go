package booster_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/booster/traindata"
	"boost/dataset"
	"boost/ptq/compress"
)

// Linear leaves are those of LightGBM (testdata/linear.py).
func TestLinearLeavesLikeLightGBM(t *testing.T) {
	text, err := os.ReadFile("testdata/linear.json")
	if err != nil {
		t.Fatal(err)
	}
	var peer struct {
		Columns []string
		X, Gaps [][]*float64
		Y       []float64
		Runs    []struct {
			Name   string
			Rounds int
			Raw    []float64
		}
	}
	if err := json.Unmarshal(text, &peer); err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(p *booster.Params){
		"plain":      func(p *booster.Params) {},
		"lambda":     func(p *booster.Params) { p.Tree.LinearLambda = 5 },
		"missing":    func(p *booster.Params) {},
		"missing_l2": func(p *booster.Params) { p.Tree.LambdaL2, p.Tree.LinearLambda = 4, 1 },
		"binary":     func(p *booster.Params) { p.Objective, p.Tree.LinearLambda = "binary", 1 },
		"dart":       func(p *booster.Params) { p.Boosting, p.Dart.SkipDrop = "dart", 1 },
	}
	for _, run := range peer.Runs {
		t.Run(run.Name, func(t *testing.T) {
			y, x := make([]float64, len(peer.Y)), peer.X
			for i, v := range peer.Y {
				if y[i] = v; run.Name == "binary" {
					y[i] = math.Ceil(min(max(v, 0), 1))
				}
			}
			if run.Name == "missing" || run.Name == "missing_l2" {
				x = peer.Gaps
			}
			columns := []dataset.ColumnData{{Name: "y", Values: y}}
			for i, name := range peer.Columns {
				values := make([]float64, len(y))
				for row, v := range x[i] {
					if values[row] = math.NaN(); v != nil {
						values[row] = *v
					}
				}
				columns = append(columns, dataset.ColumnData{Name: name, Values: values})
			}
			table, err := dataset.FromColumns(columns, dataset.Label("y"))
			if err != nil {
				t.Fatal(err)
			}
			p := booster.Defaults()
			p.Objective, p.Gradients, p.Rounds, p.LearningRate, p.Tree.Leaves, p.Tree.MinDataInLeaf = "regression", "f32", run.Rounds, 0.5, 8, 12
			p.Tree.MinChildWeight, p.Tree.Linear = 0, true
			changes[run.Name](&p)
			m, err := booster.Train(context.Background(), p, table)
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.PredictRaw(context.Background(), table)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range run.Raw {
				if math.Abs(got[i]-want) > 1e-5*max(1, math.Abs(want)) {
					t.Fatalf("row %d: raw score %v, LightGBM %v", i, got[i], want)
				}
			}
		})
	}
}

// Training goes on from linear trees as if it had not stopped, with early stopping's scores among them.
func TestLinearLeavesGoOn(t *testing.T) {
	ctx, table := context.Background(), pairTable(t, "regression")
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Linear, p.Tree.Leaves, p.Tree.MinDataInLeaf = "regression", 6, true, 8, 10
	whole, err := booster.Train(ctx, p, table)
	if err != nil {
		t.Fatal(err)
	}
	p.Rounds = 3
	half, err := booster.Train(ctx, p, table)
	if err != nil {
		t.Fatal(err)
	}
	again, err := booster.Train(ctx, p, table, booster.From(half))
	if err != nil {
		t.Fatal(err)
	}
	first := whole.Contents().Trees
	for i, tree := range again.Contents().Trees {
		if !slices.Equal(tree.Leaf, first[i].Leaf) || !tree.Linear.Equal(first[i].Linear) {
			t.Errorf("tree %d is another one than without a stop", i)
		}
		if (tree.Linear == nil) != (i == 0) {
			t.Errorf("tree %d has linear leaves: %v", i, tree.Linear != nil)
		}
	}
	// Without tree.linear, constant trees follow linear ones.
	p.Tree.Linear = false
	if m, err := booster.Train(ctx, p, table, booster.From(half)); err != nil || m.Contents().Trees[3].Linear != nil || m.Contents().Trees[2].Linear == nil {
		t.Errorf("constant trees behind linear ones: %v", err)
	}
}

// Hostile columns give a model whose predictions are numbers.
func TestLinearLeavesOfHostileColumns(t *testing.T) {
	const n = 300
	inf, nan := math.Inf(1), math.NaN()
	column := func(value func(i int) float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = value(i)
		}
		return values
	}
	label := column(func(i int) float64 { return float64(i%17) + float64(i/100) })
	for name, columns := range map[string][][]float64{
		"constant":    {column(func(int) float64 { return 7 }), column(func(i int) float64 { return float64(i) })},
		"all missing": {column(func(int) float64 { return nan }), column(func(i int) float64 { return float64(i) })},
		"infinite":    {column(func(i int) float64 { return []float64{inf, -inf, float64(i), nan}[i%4] }), column(func(i int) float64 { return float64(i % 17) })},
		"twice":       {column(func(i int) float64 { return float64(i % 17) }), column(func(i int) float64 { return float64(i % 17) })},
		"far":         {column(func(i int) float64 { return 1e9 + float64(i%17)*1e4 }), column(func(i int) float64 { return 1e-9 * float64(i) })},
		"huge":        {column(func(i int) float64 { return 1e300 * float64(i%17-8) }), column(func(i int) float64 { return 3e38 * float64(i%3-1) })},
	} {
		table, err := dataset.FromColumns([]dataset.ColumnData{
			{Name: "y", Values: label}, {Name: "a", Values: columns[0]}, {Name: "b", Values: columns[1]}, {Name: "w", Values: column(func(i int) float64 { return float64(i % 3) })},
		}, dataset.Label("y"), dataset.Weight("w"))
		if err != nil {
			t.Fatal(err)
		}
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.Linear, p.Tree.Leaves = "regression", 4, true, 6
		m, err := booster.Train(context.Background(), p, table)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := m.Predict(context.Background(), table)
		if err != nil || slices.ContainsFunc(got, func(v float64) bool { return v-v != 0 || math.Abs(v) > 1e3 }) {
			t.Errorf("%s: predictions %v (%v)", name, got[:20], err)
		}
	}
}

// What linear leaves cannot go with says so.
func TestLinearLeavesAreRefused(t *testing.T) {
	ctx := context.Background()
	for name, set := range map[string]func(p *booster.Params){
		"constraints.monotone":    func(p *booster.Params) { p.Tree.Monotone = map[string]int{"a": 1} },
		"tree.path_smooth":        func(p *booster.Params) { p.Tree.PathSmooth = 1 },
		"quantize.error_feedback": func(p *booster.Params) { p.QuantizeDType, p.ErrorFeedback = "I8", true },
		"objective l1":            func(p *booster.Params) { p.Objective = "l1" },
		"tree.linear_lambda":      func(p *booster.Params) { p.Tree.Linear, p.Tree.LinearLambda = false, 1 },
	} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.Linear = "regression", 2, true
		set(&p)
		if _, err := booster.Train(ctx, p, pairTable(t, "regression")); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := booster.Defaults()
	p.Tree.Linear, p.Rounds = true, 2
	m := train(t, p, pairTable(t, "regression"))
	if _, err := booster.Refit(ctx, m, pairTable(t, "regression"), 0.5); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "linear leaves (tree.linear) cannot be refitted") {
		t.Errorf("refit: %v", err)
	}
	if _, _, err := compress.Prune(ctx, m, pairTable(t, "regression"), compress.PruneParams{}); !errors.Is(err, model.ErrLinear) {
		t.Errorf("pruning: %v", err)
	}
	if _, err := traindata.Load(ctx, p, traindata.Input{Train: []string{"x.csv"}, Cache: filepath.Join(t.TempDir(), "c")}); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "data.cache") {
		t.Errorf("cache: %v", err)
	}
	file := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(file, []byte("x,y\n"+strings.Repeat("1,2\n3,4\n5,7\n", 30)), 0o600); err != nil {
		t.Fatal(err)
	}
	tables, err := traindata.Load(ctx, p, traindata.Input{Train: []string{file}, Options: []dataset.Option{dataset.Label("y")}, OutOfCore: traindata.OutOfCoreTrue})
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	if _, err := booster.TrainOn(ctx, p, tables.Train); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "data.out_of_core") {
		t.Errorf("out of core: %v", err)
	}
}
