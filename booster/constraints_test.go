package booster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/model"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/tree"
)

// Limits of splits and leaves give LightGBM's trees, levels XGBoost's, and symmetric trees are CatBoost's (testdata/constraints.py).
func TestConstraintsLikePeers(t *testing.T) {
	testenv.Unraced(t)
	text, err := os.ReadFile("testdata/constraints.json")
	if err != nil {
		t.Fatal(err)
	}
	var peer struct {
		Columns []string
		X       [][]float64
		Y       []float64
		Runs    []struct {
			Name        string
			Predictions []float64
		}
	}
	if err := json.Unmarshal(text, &peer); err != nil {
		t.Fatal(err)
	}
	columns := []dataset.ColumnData{{Name: "y", Values: peer.Y}}
	for i, name := range peer.Columns {
		columns = append(columns, dataset.ColumnData{Name: name, Values: peer.X[i]})
	}
	table, err := dataset.FromColumns(columns, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	up := map[string]int{"a": 1, "c": -1}
	changes := map[string]func(p *booster.Params){
		"plain":                func(p *booster.Params) {},
		"monotone":             func(p *booster.Params) { p.Tree.Monotone = up },
		"monotone_down":        func(p *booster.Params) { p.Tree.Monotone = map[string]int{"a": -1, "b": -1} },
		"monotone_l1l2":        func(p *booster.Params) { p.Tree.Monotone, p.Tree.LambdaL1, p.Tree.LambdaL2 = up, 2, 5 },
		"max_delta_step":       func(p *booster.Params) { p.Tree.MaxDeltaStep = 2.5 },
		"path_smooth":          func(p *booster.Params) { p.Tree.PathSmooth = 6 },
		"all":                  func(p *booster.Params) { p.Tree.Monotone, p.Tree.MaxDeltaStep, p.Tree.PathSmooth = up, 1.5, 3 },
		"monotone_penalty":     func(p *booster.Params) { p.Tree.Monotone, p.Tree.MonotonePenalty = up, 1.7 },
		"monotone_penalty_low": func(p *booster.Params) { p.Tree.Monotone, p.Tree.MonotonePenalty = up, 0.6 },
		"feature_penalty": func(p *booster.Params) {
			p.Tree.FeaturePenalty = map[string]float64{"a": 0.4, "b": 1.5}
		},
		"split_cost": func(p *booster.Params) { p.Tree.SplitCost, p.Tree.CostTradeoff = 0.4, 2 },
		"feature_cost": func(p *booster.Params) { // a tree with one split each
			p.Tree.FeatureCost, p.Tree.CostTradeoff, p.Tree.Leaves, p.LearningRate = map[string]float64{"a": 2000, "b": 100, "c": 50}, 0.5, 2, 0.3
		},
		"row_cost":                rowCosts("leaf", 2, 1, 0.5),
		"row_cost_high":           rowCosts("leaf", 1, 6, 1.5),
		"symmetric_row_cost":      rowCosts("symmetric", 2, 1, 0.5),
		"symmetric_row_cost_high": rowCosts("symmetric", 1, 6, 1.5),
		"monotone_intermediate":   func(p *booster.Params) { p.Tree.Monotone, p.Tree.MonotoneMethod = up, "intermediate" },
		"monotone_down_intermediate": func(p *booster.Params) {
			p.Tree.Monotone, p.Tree.MonotoneMethod = map[string]int{"a": -1, "b": -1}, "intermediate"
		},
		"depth":     func(p *booster.Params) { p.Tree.Growth, p.Tree.Leaves = "depth", 11 },
		"symmetric": func(p *booster.Params) { p.Tree.Growth, p.Tree.MaxDepth, p.Tree.MinDataInLeaf = "symmetric", 4, 1 },
		"symmetric_l2": func(p *booster.Params) {
			p.Tree.Growth, p.Tree.MaxDepth, p.Tree.MinDataInLeaf, p.Tree.LambdaL2 = "symmetric", 5, 1, 3
		},
		"forced": func(p *booster.Params) {
			p.Tree.ForcedSplits = `{"feature": "b", "threshold": 6.5, "left": {"feature": 0, "threshold": 20.5, "right": {"feature": "c", "threshold": 2.5}},
				"right": {"feature": 2, "threshold": 1.5}}`
		},
		"interaction": func(p *booster.Params) { p.Tree.Interaction, p.Tree.Leaves = [][]string{{"a", "b"}, {"c"}}, 16 },
	}
	for _, run := range peer.Runs {
		t.Run(run.Name, func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Gradients, p.Rounds, p.LearningRate, p.Tree.Leaves, p.Tree.MinDataInLeaf = "regression", "f32", 3, 0.5, 8, 5
			p.Tree.MinChildWeight = 0
			changes[run.Name](&p)
			values, err := train(t, p, table).Predict(context.Background(), table)
			if err != nil {
				t.Fatal(err)
			}
			for row, want := range run.Predictions {
				if math.Abs(values[row]-want) > 1e-6*max(1, math.Abs(want)) {
					t.Fatalf("row %d: %v, want %v", row, values[row], want)
				}
			}
		})
	}
}

// rowCosts sets what columns cost for each row that looks them up for the first time.
func rowCosts(growth string, a, b, c float64) func(p *booster.Params) {
	return func(p *booster.Params) {
		p.Tree.FeatureRowCost, p.Tree.CostTradeoff = map[string]float64{"a": a, "b": b, "c": c}, 0.5
		if p.Tree.Growth = growth; growth == "symmetric" {
			p.Tree.MaxDepth, p.Tree.MinDataInLeaf, p.Tree.LambdaL2 = 4, 1, 3
		}
	}
}

// ordered is a set whose label rises with one column, falls with another, and has missing values and a category.
func ordered(t *testing.T) (*dataset.Table, []dataset.ColumnData) {
	t.Helper()
	const n = 3000
	y, a, b, c := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	cat := make([]string, n)
	for i := range n {
		a[i], b[i], c[i] = float64(i*37%101), float64(i*53%89), float64(i*i%47)
		cat[i] = string(rune('p' + i*7%5))
		y[i] = math.Sqrt(a[i]) - b[i]/20 + math.Sin(c[i]) + float64(i*7%5)/3 + float64(i*7919%997)/200
		if i%11 == 0 {
			a[i] = math.NaN()
		}
	}
	columns := []dataset.ColumnData{
		{Name: "y", Values: y}, {Name: "a", Values: a}, {Name: "b", Values: b}, {Name: "c", Values: c}, {Name: "cat", Values: cat},
	}
	table, err := dataset.FromColumns(columns, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	return table, columns
}

// holds fails where predictions fall along column a or rise along b, from any of some rows.
func holds(t *testing.T, m *booster.Model, columns []dataset.ColumnData) {
	t.Helper()
	const steps = 120
	for _, walk := range []struct {
		column    string
		direction float64
	}{{"a", 1}, {"b", -1}} {
		for row := 0; row < 3000; row += 157 {
			var grid []dataset.ColumnData
			for _, c := range columns[1:] {
				switch values := c.Values.(type) {
				case []string:
					c.Values = slices.Repeat(values[row:row+1], steps)
				case []float64:
					repeated := slices.Repeat(values[row:row+1], steps)
					for i := range repeated {
						if c.Name == walk.column {
							repeated[i] = float64(i) - 5
						}
					}
					c.Values = repeated
				}
				grid = append(grid, c)
			}
			table, err := dataset.FromColumns(grid, dataset.As(m.Schema()))
			if err != nil {
				t.Fatal(err)
			}
			values, err := m.Predict(context.Background(), table)
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i < steps; i++ {
				if step := values[i] - values[i-1]; walk.direction*step < -1e-12 {
					t.Fatalf("from row %d the prediction goes by %v at %s = %d", row, step, walk.column, i-5)
				}
			}
		}
	}
}

// Monotone constraints hold over grids, in every storage of gradients, layout and way to build, on any number of threads; a refit to
// other rows and pruning keep them, and so does a form that rounds all leaves by one scale.
func TestMonotone(t *testing.T) {
	testenv.Unraced(t)
	ctx := context.Background()
	table, columns := ordered(t)
	for _, c := range []struct {
		name   string
		change func(p *booster.Params)
	}{
		{"i16", func(p *booster.Params) {}},
		{"f32", func(p *booster.Params) { p.Gradients = "f32" }},
		{"i8", func(p *booster.Params) { p.Gradients = "i8" }},
		{"i4", func(p *booster.Params) { p.Gradients = "i4" }},
		{"i32", func(p *booster.Params) { p.Gradients = "i32" }},
		{"asymmetric", func(p *booster.Params) { p.GradientMode = "asymmetric" }},
		{"csr", func(p *booster.Params) { p.Binning.Layout = "csr" }},
		{"goss", func(p *booster.Params) { p.GossTop, p.GossOther, p.LearningRate = 0.2, 0.1, 0.3 }},
		{"columns", func(p *booster.Params) { p.Tree.ColNode, p.Tree.ColTree = 0.6, 0.9 }},
		{"huber", func(p *booster.Params) { p.Objective, p.Loss.Delta = "huber", 0.5 }},
		{"smooth", func(p *booster.Params) { p.Tree.PathSmooth, p.Tree.MaxDeltaStep = 10, 0.5 }},
		{"extra", func(p *booster.Params) { p.Tree.ExtraTrees = true }},
		{"together", func(p *booster.Params) { p.Tree.Interaction = [][]string{{"a", "c"}, {"b", "cat"}} }},
		{"reuse", func(p *booster.Params) { p.Tree.ReuseFeature, p.Tree.ReuseCut = 0.1, 0.3 }},
		{"intermediate", func(p *booster.Params) { p.Tree.MonotoneMethod = "intermediate" }},
		{"intermediate_f32", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Gradients = "intermediate", "f32" }},
		{"intermediate_i4", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Gradients = "intermediate", "i4" }},
		{"intermediate_csr", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Binning.Layout = "intermediate", "csr" }},
		{"intermediate_depth", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Tree.Growth = "intermediate", "depth" }},
		{"intermediate_columns", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Tree.ColNode = "intermediate", 0.6 }},
		{"intermediate_smooth", func(p *booster.Params) {
			p.Tree.MonotoneMethod, p.Tree.PathSmooth, p.Tree.MaxDeltaStep = "intermediate", 10, 0.5
		}},
		{"advanced", func(p *booster.Params) { p.Tree.MonotoneMethod = "advanced" }},
		{"advanced_f32", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Gradients = "advanced", "f32" }},
		{"advanced_i4", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Gradients = "advanced", "i4" }},
		{"advanced_csr", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Binning.Layout = "advanced", "csr" }},
		{"advanced_depth", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Tree.Growth = "advanced", "depth" }},
		{"advanced_columns", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Tree.ColNode = "advanced", 0.6 }},
		{"advanced_extra", func(p *booster.Params) { p.Tree.MonotoneMethod, p.Tree.ExtraTrees = "advanced", true }},
		{"advanced_reuse", func(p *booster.Params) {
			p.Tree.MonotoneMethod, p.Tree.ReuseFeature, p.Tree.ReuseCut = "advanced", 0.1, 0.3
		}},
		{"advanced_smooth", func(p *booster.Params) {
			p.Tree.MonotoneMethod, p.Tree.PathSmooth, p.Tree.MaxDeltaStep = "advanced", 10, 0.5
		}},
		{"free", func(p *booster.Params) { p.Tree.Monotone = nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := booster.Defaults()
			p.Objective, p.Rounds, p.Tree.MinDataInLeaf = "regression", 25, 5
			p.Tree.Monotone = map[string]int{"a": 1, "b": -1}
			c.change(&p)
			m := train(t, p, table, booster.WithPool(pool(t, 1)))
			if want := bytesOf(t, m); !bytes.Equal(bytesOf(t, train(t, p, table, booster.WithPool(pool(t, 3)))), want) {
				t.Error("3 threads give another model")
			}
			if c.name == "free" {
				return
			}
			holds(t, m, columns)
			if strings.HasSuffix(c.name, "smooth") { // is not refitted
				return
			}
			part := table.Take(sequence(0, 400))
			refitted, err := booster.Refit(ctx, m, part, 0.1)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, refitted, columns)
		})
	}
	p := booster.Defaults()
	p.Objective, p.Rounds = "regression", 25
	p.Tree.Monotone = map[string]int{"a": 1, "b": -1}
	m := train(t, p, table)
	leaves := m.Leaves()
	for i := range leaves {
		leaves[i] = -leaves[i]
	}
	if _, err := m.WithLeaves(leaves); !errors.As(err, new(model.ErrOrder)) || !strings.Contains(err.Error(), "would no longer keep constraints.monotone") {
		t.Errorf("leaves in another order: error %v", err)
	}
}

// What a path of a tree splits on is all of one group.
func TestInteraction(t *testing.T) {
	table, _ := ordered(t)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.Interaction = "regression", 20, [][]string{{"a", "b"}, {"a", "cat"}}
	for _, layout := range []string{"auto", "csr"} {
		p.Binning.Layout = layout
		m := train(t, p, table)
		allowed := [][]string{{"a", "b"}, {"a", "cat"}, {"c"}}
		names, used := m.Contents().Cuts.Features, map[string]bool{}
		for i := range m.Contents().Trees {
			tree := &m.Contents().Trees[i]
			var walk func(at int32, path []string)
			walk = func(at int32, path []string) {
				if at < 0 {
					for _, group := range allowed {
						if !slices.ContainsFunc(path, func(name string) bool { return !slices.Contains(group, name) }) {
							return
						}
					}
					t.Fatalf("%s: a path of tree %d splits on %v", layout, i, path)
				}
				name := names[tree.Feature[at]].Name
				used[name] = true
				walk(tree.Left[at], append(slices.Clone(path), name))
				walk(tree.Right[at], append(slices.Clone(path), name))
			}
			if tree.NumSplits() > 0 {
				walk(0, nil)
			}
		}
		if len(used) != 4 {
			t.Errorf("%s: trees split on %v only", layout, used)
		}
	}
}

// Extremely randomised trees differ by seed, and learn.
func TestExtraTrees(t *testing.T) {
	table, _ := ordered(t)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.ExtraTrees = "regression", 60, true
	var report booster.Report
	first := train(t, p, table, booster.WithReport(&report))
	if r2 := report.Metrics["train"]["r2"]; r2 < 0.5 || r2 > 0.99 {
		t.Errorf("r2 = %v", r2)
	}
	p.Seed = 2
	if second := train(t, p, table); bytes.Equal(bytesOf(t, first), bytesOf(t, second)) || slices.Equal(first.Leaves(), second.Leaves()) {
		t.Error("another seed gives the same trees")
	}
}

func TestConstraintsRefuse(t *testing.T) {
	table, _ := ordered(t)
	for _, c := range []struct {
		change func(p *booster.Params)
		want   string
	}{
		{func(p *booster.Params) { p.Tree.Monotone = map[string]int{"aa": 1} }, `no feature column "aa", which constraints.monotone names (did you mean "a"?)`},
		{func(p *booster.Params) { p.Tree.Monotone = map[string]int{"cat": 1} }, `column "cat" is categorical`},
		{func(p *booster.Params) { p.Tree.Monotone = map[string]int{"a": 2} }, "must be -1 … 1"},
		{func(p *booster.Params) { p.Objective, p.Tree.Monotone = "l1", map[string]int{"a": 1} }, "the leaves of objective l1 are quantiles"},
		{func(p *booster.Params) { p.Tree.Interaction = [][]string{{"a", "z"}} }, `no feature column "z", which constraints.interaction names`},
		{func(p *booster.Params) {
			p.Tree.Monotone, p.QuantizeDType, p.ErrorFeedback = map[string]int{"a": 1}, "Q4_0", true
		}, "quantize.error_feedback"},
	} {
		p := booster.Defaults()
		p.Objective = "regression"
		c.change(&p)
		if _, err := booster.Train(context.Background(), p, table); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// A path is smoothed to the same bytes where histograms count rows and where they do not.
func TestSmoothedPathsOfSparseTables(t *testing.T) {
	testenv.Unraced(t)
	const rows, features = 1500, 400
	random := rand.New(rand.NewPCG(3, 1))
	labels := make([]float64, rows)
	columns := []dataset.ColumnData{{Name: "y", Values: labels}}
	for f := range features {
		values := make([]float64, rows)
		for row := range values {
			if random.Float64() < 0.02 {
				values[row] = 1 + float64(random.IntN(5))
				labels[row] += float64(f%7) - 3
			}
		}
		columns = append(columns, dataset.ColumnData{Name: fmt.Sprint("f", f), Values: values})
	}
	for row := range labels {
		labels[row] = math.Round(1 / (1 + math.Exp(-labels[row]-random.Float64())))
	}
	table, err := dataset.FromColumns(columns, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.MinDataInLeaf, p.Tree.PathSmooth = "binary", 12, 5, 20
	var want []byte
	for _, way := range [][2]string{{"col", "auto"}, {"csr", "auto"}, {"csr", "row"}, {"both", "feature"}} {
		p.Binning.Layout, p.Builder = way[0], way[1]
		got := bytesOf(t, train(t, p, table))
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("layout %s, builder %s: another model", way[0], way[1])
		}
	}
}

// A refit keeps to the largest step, and leaves that are quantiles refuse limits that they would not keep to.
func TestRefitKeepsSteps(t *testing.T) {
	table, _ := ordered(t)
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.MaxDeltaStep = "regression", 5, 0.3
	m, err := booster.Refit(context.Background(), train(t, p, table), table, 0)
	if err != nil {
		t.Fatal(err)
	}
	if most := slices.Max(m.Leaves()); most > 0.3*0.1+1e-15 || most < 0.3*0.1-1e-15 {
		t.Errorf("the largest leaf is %v", most)
	}
	p.Tree.PathSmooth = 5
	if _, err := booster.Refit(context.Background(), train(t, p, table), table, 0); !errors.Is(err, booster.ErrParams) {
		t.Errorf("a refit of smoothed paths: %v", err)
	}
	p.Objective = "l1"
	if _, err := booster.Train(context.Background(), p, table); !errors.Is(err, booster.ErrParams) {
		t.Errorf("limits of quantiles: %v", err)
	}
}

// Bounds by the values of leaves leave these more room than bounds by middles, and bounds by those that a leaf is bound to leave more.
func TestMethodsAreCloserInTurn(t *testing.T) {
	table, _ := ordered(t)
	last := math.Inf(1)
	for _, method := range []string{"basic", "intermediate", "advanced"} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.Monotone, p.Tree.MonotoneMethod = "regression", 25, map[string]int{"a": 1, "b": -1}, method
		var report booster.Report
		train(t, p, table, booster.WithReport(&report))
		if rmse := report.Metrics["train"]["rmse"]; rmse < 0.995*last {
			last = rmse
		} else {
			t.Errorf("%s: rmse %v, the method before had %v", method, rmse, last)
		}
	}
}

// Leaves that are quantiles keep to no limit of their size, and say so; a least gain of splits they do keep to.
func TestLimitsOfQuantiles(t *testing.T) {
	testenv.Unraced(t)
	table, _ := ordered(t)
	for _, objective := range []string{"l1", "quantile", "mape"} {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.MinGain = objective, 4, 40
		free := p
		free.Tree.MinGain = 0
		limited, all := train(t, p, table).Contents().Trees, train(t, free, table).Contents().Trees
		splits := func(trees []tree.Tree) (n int, least float32) {
			least = math.MaxFloat32
			for i := range trees {
				n += trees[i].NumSplits()
				for _, gain := range trees[i].Gain {
					least = min(least, gain)
				}
			}
			return n, least
		}
		n, least := splits(limited)
		if most, _ := splits(all); n >= most || least <= 40 {
			t.Errorf("%s: %d splits of a gain of %v or more, and %d without a least gain", objective, n, least, most)
		}
		for key, set := range map[string]func(p *booster.Params){
			"tree.max_delta_step": func(p *booster.Params) { p.Tree.MaxDeltaStep = 0.3 }, "tree.path_smooth": func(p *booster.Params) { p.Tree.PathSmooth = 3 },
		} {
			p := free
			set(&p)
			if _, err := booster.Train(t.Context(), p, table); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), key) ||
				!strings.Contains(err.Error(), "the leaves of objective "+objective+" are quantiles") {
				t.Errorf("%s of %s: %v", key, objective, err)
			}
		}
	}
}

// What goes on from a model takes its directions again, and says which they are.
func TestDirectionsOfBase(t *testing.T) {
	table, _ := ordered(t)
	train := func(monotone map[string]int, base *booster.Model) (*booster.Model, error) {
		p := booster.Defaults()
		p.Objective, p.Rounds, p.Tree.Monotone = "regression", 2, monotone
		var options []booster.Option
		if base != nil {
			options = append(options, booster.From(base))
		}
		return booster.Train(context.Background(), p, table, options...)
	}
	directed, err := train(map[string]int{"a": 1, "b": 0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := train(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		base  *booster.Model
		given map[string]int
		want  string
	}{
		{directed, nil, `which have to be given again: {"a" = 1}`},
		{directed, map[string]int{"a": -1}, `which have to be given again: {"a" = 1}`},
		{directed, map[string]int{"a": 1}, ""},
		{plain, map[string]int{"a": 1}, "was trained without"},
		{plain, map[string]int{"a": 0}, ""},
	} {
		_, err := train(c.given, c.base)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: error %v, want %q", c.given, err, c.want)
		}
	}
}
