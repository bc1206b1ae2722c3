package booster_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/dataset"
	"boost/internal/testenv"
	"boost/objectives"
)

// peerLosses are the rows of testdata/options.py and what peers lose on them.
type peerLosses struct {
	X             [][]float64
	Labels        map[string][]float64
	Weight, Start []float64
	Curves        []struct {
		Name   string
		Losses []float64
	}
	Means []struct {
		Name        string
		Rounds      int
		Mean, Error float64
	}
	Early []struct {
		Objective, Label string
		Wait             int
		Least            float64
		Best             int
	}
}

func readPeerLosses(t *testing.T) *peerLosses {
	t.Helper()
	text, err := os.ReadFile("testdata/options.json")
	if err != nil {
		t.Fatal(err)
	}
	peers := new(peerLosses)
	if err := json.Unmarshal(text, peers); err != nil {
		t.Fatal(err)
	}
	return peers
}

// option is how an option of a peer is written here.
type option struct {
	label   string // "" = number
	metric  string // "" = rmse
	levels  bool   // with the column of levels
	weights bool
	starts  bool
	within  float64 // share by which losses may differ, 0 = 2e-6
	refit   bool    // leaf values come from all rows in the end
	set     func(p *booster.Params)
}

// table makes the table of an option.
func (o *peerLosses) table(t *testing.T, of option) *dataset.Table {
	t.Helper()
	label := of.label
	if label == "" {
		label = "number"
	}
	columns := []dataset.ColumnData{{Name: "y", Values: o.Labels[label]}}
	for i, name := range []string{"a", "b", "c"} {
		columns = append(columns, dataset.ColumnData{Name: name, Values: o.X[i]})
	}
	opts := []dataset.Option{dataset.Label("y")}
	if of.levels {
		columns, opts = append(columns, dataset.ColumnData{Name: "level", Values: o.X[3]}), append(opts, dataset.Categorical("level"))
	}
	if of.weights {
		columns, opts = append(columns, dataset.ColumnData{Name: "w", Values: o.Weight}), append(opts, dataset.Weight("w"))
	}
	if of.starts {
		columns, opts = append(columns, dataset.ColumnData{Name: "start", Values: o.Start}), append(opts, dataset.InitScore("start"))
	}
	table, err := dataset.FromColumns(columns, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// losses trains and returns the losses of the rows round by round.
func (of option) losses(t *testing.T, table *dataset.Table, rounds int, seed uint64) (losses []float64) {
	t.Helper()
	p := booster.Defaults()
	p.Objective, p.Gradients, p.Rounds, p.Seed, p.LearningRate, p.Tree.Leaves, p.Tree.MinDataInLeaf, p.Tree.MinChildWeight = "regression", "f32", rounds, seed, 0.3, 8, 5, 0
	p.Metrics = []string{"rmse"}
	if of.metric != "" {
		p.Metrics = []string{of.metric}
	}
	if of.set != nil {
		of.set(&p)
	}
	m := train(t, p, table, booster.Valid("valid", table))
	for _, v := range m.Contents().History[0].Values {
		losses = append(losses, *v)
	}
	if of.refit {
		again, err := booster.Refit(t.Context(), m, table, 0)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := again.PredictRaw(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		labels, err := table.NumericLabels()
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for row, label := range labels {
			sum += (raw[row] - label) * (raw[row] - label)
		}
		losses[rounds-1] = math.Sqrt(sum / float64(len(raw)))
	}
	return losses
}

// Loss curves are those of LightGBM, XGBoost and CatBoost (testdata/options.py) with the same option set to the same value. Some are only near:
// LightGBM's advanced bounds of monotone columns are narrower in places, its quantiles lie between two labels, and its mape counts all rows alike where it
// chooses splits.
func TestOptionsLikePeers(t *testing.T) {
	testenv.Unraced(t)
	peers := readPeerLosses(t)
	set := func(set func(p *booster.Params)) option { return option{set: set} }
	up := map[string]int{"a": 1, "c": -1}
	hessian := func(objective string, sum float64) func(p *booster.Params) {
		return func(p *booster.Params) {
			p.Objective, p.Tree.MinDataInLeaf, p.Tree.MinChildWeight = objective, 0, sum
		}
	}
	sets := func(change func(p *booster.Params)) option {
		return option{levels: true, set: func(p *booster.Params) {
			p.Tree.OneHotMax, p.Tree.Smooth, p.Tree.MinPerGroup, p.Tree.MinDataInLeaf, p.Tree.Leaves = 2, 5, 30, 30, 6
			change(p)
		}}
	}
	dropped := func(change func(d *booster.Dart)) option {
		return set(func(p *booster.Params) {
			p.Boosting, p.Dart.DropRate, p.Dart.SkipDrop, p.Dart.MaxDrop, p.Dart.Sample = "dart", 1, 0, 0, booster.UniformDrop
			change(&p.Dart)
		})
	}
	options := map[string]option{
		"plain":            {},
		"learning_rate":    set(func(p *booster.Params) { p.LearningRate = 0.7 }),
		"rounds":           {},
		"leaves":           set(func(p *booster.Params) { p.Tree.Leaves = 23 }),
		"max_depth":        set(func(p *booster.Params) { p.Tree.Leaves, p.Tree.MaxDepth = 31, 3 }),
		"min_data_in_leaf": set(func(p *booster.Params) { p.Tree.MinDataInLeaf = 45 }),
		"min_child_weight": {label: "two", metric: "logloss", set: hessian("binary", 9.3)},
		"lambda_l1":        set(func(p *booster.Params) { p.Tree.LambdaL1, p.Tree.Leaves = 12, 4 }),
		"lambda_l2":        set(func(p *booster.Params) { p.Tree.LambdaL2 = 30 }),
		"min_gain":         set(func(p *booster.Params) { p.Tree.MinGain, p.Tree.Leaves = 25, 31 }),
		"max_delta_step":   set(func(p *booster.Params) { p.Tree.MaxDeltaStep = 0.6 }),
		"max_delta_step_l1_l2": set(func(p *booster.Params) {
			p.Tree.MaxDeltaStep, p.Tree.LambdaL1, p.Tree.LambdaL2, p.Tree.Leaves = 0.5, 3, 8, 4
		}),
		"path_smooth":    set(func(p *booster.Params) { p.Tree.PathSmooth, p.Tree.Leaves = 14, 4 }),
		"path_smooth_l2": set(func(p *booster.Params) { p.Tree.PathSmooth, p.Tree.LambdaL2 = 9, 6 }),
		"growth_depth":   set(func(p *booster.Params) { p.Tree.Growth, p.Tree.MaxDepth, p.Tree.Leaves = "depth", 4, 16 }),
		"growth_leaf":    set(func(p *booster.Params) { p.Tree.Leaves = 12 }),
		"growth_symmetric": set(func(p *booster.Params) {
			p.Tree.Growth, p.Tree.MaxDepth, p.Tree.LambdaL2, p.Tree.MinDataInLeaf = "symmetric", 4, 3, 1
		}),
		"min_child_weight_xgboost": {label: "two", metric: "logloss", set: hessian("binary", 6.5)},
		"gamma_xgboost":            set(func(p *booster.Params) { p.Tree.MinGain, p.Tree.LambdaL2 = 9, 2 }),
		"reg_alpha_xgboost":        set(func(p *booster.Params) { p.Tree.LambdaL1 = 7 }),
		"max_delta_step_xgboost":   set(func(p *booster.Params) { p.Tree.MaxDeltaStep = 0.6 }),
		"monotone":                 set(func(p *booster.Params) { p.Tree.Monotone = up }),
		"monotone_intermediate":    set(func(p *booster.Params) { p.Tree.Monotone, p.Tree.MonotoneMethod = up, "intermediate" }),
		"monotone_advanced":        {within: 1e-4, set: func(p *booster.Params) { p.Tree.Monotone, p.Tree.MonotoneMethod = up, "advanced" }},
		"monotone_penalty":         set(func(p *booster.Params) { p.Tree.Monotone, p.Tree.MonotonePenalty = up, 1.4 }),
		"interaction":              set(func(p *booster.Params) { p.Tree.Interaction, p.Tree.Leaves = [][]string{{"a", "c"}, {"b"}}, 16 }),
		"interaction_xgboost":      set(func(p *booster.Params) { p.Tree.Interaction, p.Tree.Leaves = [][]string{{"a", "c"}, {"b"}}, 16 }),
		"feature_penalty":          set(func(p *booster.Params) { p.Tree.FeaturePenalty = map[string]float64{"a": 0.3, "b": 1.2} }),
		"split_cost":               set(func(p *booster.Params) { p.Tree.SplitCost, p.Tree.CostTradeoff = 0.02, 1.5 }),
		"feature_cost": set(func(p *booster.Params) {
			p.Tree.FeatureCost, p.Tree.CostTradeoff, p.Tree.Leaves = map[string]float64{"a": 90, "b": 5, "c": 12}, 0.8, 2
		}),
		"feature_row_cost": set(func(p *booster.Params) {
			p.Tree.FeatureRowCost, p.Tree.CostTradeoff = map[string]float64{"a": 0.1, "b": 0.02, "c": 0.05}, 0.6
		}),
		"forced_splits": set(func(p *booster.Params) {
			p.Tree.ForcedSplits = `{"feature": "b", "threshold": 6.5, "left": {"feature": "c", "threshold": 3.5}, "right": {"feature": "a", "threshold": 25.5}}`
		}),
		"linear": set(func(p *booster.Params) { p.Tree.Linear, p.Tree.LinearLambda, p.Tree.MinDataInLeaf = true, 0.5, 25 }),

		"onehot_max":    {levels: true, set: func(p *booster.Params) { p.Tree.OneHotMax = 20 }},
		"sets":          sets(func(*booster.Params) {}),
		"smooth":        sets(func(p *booster.Params) { p.Tree.Smooth = 39 }),
		"cat_l2":        sets(func(p *booster.Params) { p.Tree.CatL2 = 120 }),
		"max_per_side":  sets(func(p *booster.Params) { p.Tree.MaxPerSide = 2 }),
		"min_per_group": sets(func(p *booster.Params) { p.Tree.MinPerGroup, p.Tree.MinDataInLeaf = 85, 85 }),

		"weight":     {weights: true},
		"init_score": {starts: true},
		"class_weight_balanced": {label: "three", metric: "multi_logloss", set: func(p *booster.Params) {
			hessian("multiclass", 3)(p)
			p.ClassWeight = map[string]float64{booster.Balanced: 1}
		}},
		"class_weight": {label: "three", metric: "multi_logloss", set: func(p *booster.Params) {
			hessian("multiclass", 3)(p)
			p.ClassWeight = map[string]float64{"0": 0.5, "2": 4}
		}},
		"scale_pos_weight": {label: "two", metric: "logloss", set: func(p *booster.Params) {
			hessian("binary", 5)(p)
			p.PositiveWeight = 2.5
		}},

		"schedule_linear":   set(func(p *booster.Params) { p.RateSchedule, p.RateEnd = "linear", 0.06 }),
		"schedule_cosine":   set(func(p *booster.Params) { p.RateSchedule, p.RateEnd = "cosine", 0.05 }),
		"learning_rates":    set(func(p *booster.Params) { p.Rates = []float64{0.5, 0.1, 0.2} }),
		"dart_paper":        dropped(func(d *booster.Dart) {}),
		"dart_max_drop_1":   dropped(func(d *booster.Dart) { d.MaxDrop = 1 }),
		"dart_skip_drop":    dropped(func(d *booster.Dart) { d.SkipDrop = 1 }),
		"dart_tree":         dropped(func(d *booster.Dart) { d.Normalize = "tree" }),
		"dart_forest":       dropped(func(d *booster.Dart) { d.Normalize = "forest" }),
		"dart_one_drop":     dropped(func(d *booster.Dart) { d.Normalize, d.DropRate, d.OneDrop = "tree", 0, true }),
		"dart_xgboost_mode": dropped(func(d *booster.Dart) { d.Normalize = "tree" }),

		"binary":                 {label: "two", metric: "logloss", set: hessian("binary", 3)},
		"multiclass":             {label: "three", metric: "multi_logloss", set: hessian("multiclass", 3)},
		"one_vs_all":             {label: "three", metric: "multi_logloss", set: hessian("one_vs_all", 3)},
		"cross_entropy":          {label: "chance", metric: "cross_entropy", set: hessian("cross_entropy", 3)},
		"poisson":                {label: "count", metric: "poisson_deviance", set: hessian("poisson", 6)},
		"poisson_max_delta_step": {label: "count", metric: "poisson_deviance", set: func(p *booster.Params) { hessian("poisson", 6)(p); p.Loss.PoissonStep = 0.2 }},
		"gamma":                  {label: "amount", metric: "gamma_deviance", set: hessian("gamma", 6)},
		"tweedie":                {label: "count", metric: "tweedie_deviance@1.5", set: hessian("tweedie", 6)},
		"tweedie_power":          {label: "count", metric: "tweedie_deviance@1.2", set: func(p *booster.Params) { hessian("tweedie", 6)(p); p.Loss.Power = 1.2 }},
		"l1":                     {metric: "mae", set: func(p *booster.Params) { p.Objective = "l1" }},
		"quantile":               {within: 0.03, metric: "pinball@0.8", set: func(p *booster.Params) { p.Objective, p.Loss.Alpha = "quantile", []float64{0.8} }},
		"mape":                   {within: 0.05, metric: "mape", set: func(p *booster.Params) { p.Objective = "mape" }},
	}
	for _, curve := range peers.Curves {
		t.Run(curve.Name, func(t *testing.T) {
			of, ok := options[curve.Name]
			if !ok {
				t.Fatal("no option here has this name")
			}
			got := of.losses(t, peers.table(t, of), len(curve.Losses), 1)
			for round, want := range curve.Losses {
				if math.Abs(got[round]-want) > max(2e-6, of.within)*want {
					t.Fatalf("losses are %v, the peer's are %v", got, curve.Losses)
				}
			}
		})
	}
	if len(options) != len(peers.Curves) {
		t.Errorf("%d options, %d curves of peers", len(options), len(peers.Curves))
	}
}

// Where an option draws numbers, the mean loss over many seeds is the peer's, within 4 standard errors of the difference.
func TestDrawsLikePeers(t *testing.T) {
	testenv.Unraced(t)
	peers := readPeerLosses(t)
	set := func(set func(p *booster.Params)) option { return option{set: set} }
	dart := func(rate, skip float64, most int, sample string) option {
		return set(func(p *booster.Params) {
			p.Boosting, p.Dart.DropRate, p.Dart.SkipDrop, p.Dart.MaxDrop, p.Dart.Sample = "dart", rate, skip, most, sample
		})
	}
	symmetric := func(change func(p *booster.Params)) option {
		return set(func(p *booster.Params) {
			p.Tree.Growth, p.Tree.MaxDepth, p.Tree.LambdaL2, p.Tree.MinDataInLeaf = "symmetric", 4, 3, 1
			change(p)
		})
	}
	splits := func(change func(p *booster.Params)) option {
		of := symmetric(func(p *booster.Params) { p.Tree.LambdaL2, p.LearningRate = 0, 1; change(p) })
		of.refit = true
		return of
	}
	options := map[string]option{
		"extra_trees":  set(func(p *booster.Params) { p.Tree.ExtraTrees, p.Tree.Leaves = true, 2 }),
		"row_fraction": set(func(p *booster.Params) { p.RowFraction = 0.35 }),
		"row_every":    set(func(p *booster.Params) { p.RowFraction, p.RowEvery = 0.35, 4 }),
		"goss":         set(func(p *booster.Params) { p.GossTop, p.GossOther, p.LearningRate = 0.15, 0.1, 0.5 }),
		"classes": {label: "two", metric: "logloss", set: func(p *booster.Params) {
			p.Objective, p.PositiveFraction, p.NegativeFraction, p.Tree.MinDataInLeaf, p.Tree.MinChildWeight = "binary", 0.9, 0.2, 0, 2
		}},
		"forest":               set(func(p *booster.Params) { p.Boosting, p.RowFraction = "rf", 0.4 }),
		"dart":                 dart(0.4, 0.3, 50, booster.WeightedDrop),
		"dart_uniform":         dart(0.4, 0.3, 50, booster.UniformDrop),
		"dart_max_drop":        dart(0.9, 0, 2, booster.UniformDrop),
		"col_tree":             set(func(p *booster.Params) { p.Tree.ColTree = 0.67 }),
		"col_node":             set(func(p *booster.Params) { p.Tree.ColNode = 0.67 }),
		"col_level":            set(func(p *booster.Params) { p.Tree.ColLevel = 0.67 }),
		"col_weights":          set(func(p *booster.Params) { p.Tree.ColNode, p.Tree.ColWeights = 0.34, map[string]float64{"a": 3} }),
		"row_fraction_xgboost": set(func(p *booster.Params) { p.RowFraction, p.Tree.MinDataInLeaf = 0.5, 2 }),
		"dart_xgboost": set(func(p *booster.Params) {
			p.Boosting, p.Dart.DropRate, p.Dart.SkipDrop, p.Dart.MaxDrop, p.Dart.Sample, p.Dart.Normalize = "dart", 0.4, 0.3, 0, booster.UniformDrop, booster.TreeNormalize
		}),
		"dart_xgboost_weighted": set(func(p *booster.Params) {
			p.Boosting, p.Dart.DropRate, p.Dart.SkipDrop, p.Dart.MaxDrop, p.Dart.Normalize = "dart", 0.4, 0.3, 0, booster.ForestNormalize
		}),
		"col_node_lightgbm":          set(func(p *booster.Params) { p.Tree.ColNode = 0.67 }),
		"splits_row_fraction":        splits(func(p *booster.Params) { p.RowFraction = 0.4 }),
		"splits_mvs":                 splits(func(p *booster.Params) { p.MvsFraction, p.MvsLambda = 0.4, 1 }),
		"splits_mvs_lambda":          splits(func(p *booster.Params) { p.MvsFraction, p.MvsLambda = 0.4, 0 }),
		"splits_bagging_temperature": splits(func(p *booster.Params) { p.BaggingTemperature = 1.5 }),
	}
	for _, want := range peers.Means {
		t.Run(want.Name, func(t *testing.T) {
			of, ok := options[want.Name]
			if !ok {
				t.Fatal("no option here has this name")
			}
			table := peers.table(t, of)
			seeds := testenv.UnlessShort(60, 20)
			sum, squares := 0.0, 0.0
			for seed := range seeds {
				last := of.losses(t, table, want.Rounds, uint64(seed)+1)[want.Rounds-1]
				sum, squares = sum+last, squares+last*last
			}
			n := float64(seeds)
			mean := sum / n
			deviation := math.Sqrt(max(0, squares/n-mean*mean) / (n - 1))
			if difference := mean - want.Mean; math.Abs(difference) > 4*math.Hypot(deviation, want.Error) {
				t.Errorf("the mean loss is %.5f ± %.5f, the peer's %.5f ± %.5f", mean, deviation, want.Mean, want.Error)
			} else {
				t.Logf("the mean loss is %.5f ± %.5f, the peer's %.5f ± %.5f", mean, deviation, want.Mean, want.Error)
			}
		})
	}
	if len(options) != len(peers.Means) {
		t.Errorf("%d options, %d means of peers", len(options), len(peers.Means))
	}
}

// Early stopping keeps the round that LightGBM keeps, by how long it waits and how much better a round has to be.
func TestEarlyStoppingLikePeers(t *testing.T) {
	testenv.Unraced(t)
	peers := readPeerLosses(t)
	for _, want := range peers.Early {
		table := peers.table(t, option{label: want.Label})
		n := table.NumRows()
		p := booster.Defaults()
		p.Objective, p.Gradients, p.Rounds, p.LearningRate, p.Tree.Leaves, p.Tree.MinDataInLeaf, p.Tree.MinChildWeight = want.Objective, "f32", 60, 0.8, 4, 0, 2
		p.EarlyStopping, p.MinDelta = want.Wait, want.Least
		p.Metrics = []string{map[string]string{"regression": "rmse", "binary": "logloss"}[want.Objective]}
		m := train(t, p, table.Take(sequence(0, n/2)), booster.Valid("valid", table.Take(sequence(n/2, n))))
		if m.Rounds() != want.Best {
			t.Errorf("%s, waiting %d rounds for %v: the best round is %d, LightGBM's is %d", want.Objective, want.Wait, want.Least, m.Rounds(), want.Best)
		}
	}
}

// By hand: rows of x = 0, 0, 1, 1 have gradients -2, -4, 3, 3 and second derivatives 1, -1, 1, 2, of which -1 counts as 0: leaves are
// -(-6)/1 = 6 and -6/3 = -2.
func TestClipNegativeHessianByHand(t *testing.T) {
	testenv.Unraced(t)
	loss := objectives.FromFunc("bent", objectives.Identity, func(score, label float64) (gradient, hessian float64) {
		i := int(label)
		return []float64{-2, -4, 3, 3}[i], []float64{1, -1, 1, 2}[i]
	})
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "y", Values: []float64{0, 1, 2, 3}}, {Name: "x", Values: []float64{0, 0, 1, 1}},
	}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := onTwoSides()
	p.Objective, p.Rounds, p.LearningRate, p.Gradients = "", 1, 1, "f32"
	if _, err := booster.Train(t.Context(), p, table, booster.WithObjective(loss)); err == nil || !strings.Contains(err.Error(), "negative") {
		t.Errorf("a negative second derivative: %v", err)
	}
	p.ClipNegativeHessian = true
	if got := train(t, p, table, booster.WithObjective(loss)).Leaves(); !slices.Equal(got, []float64{6, -2}) {
		t.Errorf("leaves are %v, want 6 and -2", got)
	}
}

// By hand: which of two classes is the positive one turns the sign of raw scores and leaves the rest.
func TestPositiveClassByHand(t *testing.T) {
	testenv.Unraced(t)
	table, err := dataset.FromColumns([]dataset.ColumnData{
		{Name: "y", Values: []string{"no", "no", "yes", "no", "yes", "yes", "yes"}}, {Name: "x", Values: []float64{0, 0, 0, 1, 1, 1, 1}},
	}, dataset.Label("y"))
	if err != nil {
		t.Fatal(err)
	}
	p := onTwoSides()
	p.Objective, p.Gradients, p.LearningRate, p.Rounds = "binary", "f32", 1, 1
	// 4 of 7 are yes: the score starts from log(4/3), its derivatives are p - y and p(1-p) with p = 4/7. Left, 1 of 3 is yes, right 3 of 4.
	start, bend := math.Log(4.0/3), 4.0/7*3/7
	want := []float64{start - (3*4.0/7-1)/(3*bend), start - (4*4.0/7-3)/(4*bend)}
	for positive, sign := range map[string]float64{"": 1, "yes": 1, "no": -1} {
		p.PositiveClass = positive
		raw, err := train(t, p, table).PredictRaw(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		for side, row := range []int{0, 3} {
			if math.Abs(raw[row]-sign*want[side]) > 1e-6 {
				t.Errorf("positive class %q: the raw score of row %d is %v, want %v", positive, row, raw[row], sign*want[side])
			}
		}
	}
}
