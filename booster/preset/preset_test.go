package preset_test

import (
	"errors"
	"reflect"
	"testing"

	"boost/booster"
	"boost/booster/preset"
	"boost/tree/grow"
)

// Every preset gives parameters that are valid, whatever is known of the table, and leaves what was given.
func TestUse(t *testing.T) {
	for _, name := range append(preset.Names(), preset.Efforts()...) {
		for _, table := range []preset.Table{{}, {Rows: 1}, {Rows: 1000, Objective: "binary", Retrain: true}, {Rows: 1e7, Objective: "regression"}, {Rows: 500, Objective: "quantile"}} {
			p := booster.Defaults()
			if err := preset.Use(&p, name, table, nil); err != nil || p.Validate() != nil || reflect.DeepEqual(p, booster.Defaults()) {
				t.Errorf("%s of %+v: error %v, %v, params %+v", name, table, err, p.Validate(), p)
			}
			q := booster.Defaults()
			q.LearningRate = 0.017
			if err := preset.Use(&q, name, table, nil); err != nil || q.LearningRate != 0.017 || q.Gradients != p.Gradients || q.Tree.LambdaL2 != p.Tree.LambdaL2 {
				t.Errorf("%s of %+v: error %v, params %+v", name, table, err, q)
			}
			again := p
			given := func(string) bool { return false }
			if err := preset.Use(&again, name, table, given); err != nil || !reflect.DeepEqual(again, p) {
				t.Errorf("%s of %+v used again: error %v, params %+v", name, table, err, again)
			}
		}
	}
	// What the documentation says.
	fast, said := booster.Defaults(), booster.Defaults()
	if said.Rounds, said.LearningRate, said.Gradients = 50, 0.2, "i8"; preset.Use(&fast, "fast", preset.Table{}, nil) != nil || !reflect.DeepEqual(fast, said) {
		t.Errorf("fast is %+v", fast)
	}
	p := booster.Defaults()
	if err := preset.Use(&p, "slow", preset.Table{}, nil); !errors.Is(err, booster.ErrParams) || !reflect.DeepEqual(p, booster.Defaults()) {
		t.Errorf("an unknown preset: error %v", err)
	}
}

// A value that goes another way than the effort's stands, and what would not go with it is left alone.
func TestGivenValues(t *testing.T) {
	table := preset.Table{Rows: 5000, Objective: "regression", Retrain: true}
	for name, change := range map[string]func(p *booster.Params){
		"goss":      func(p *booster.Params) { p.GossTop, p.GossOther = 0.2, 0.1 },
		"bagging":   func(p *booster.Params) { p.RowFraction = 0.8 },
		"dart":      func(p *booster.Params) { p.Boosting = booster.DartBoosting },
		"forest":    func(p *booster.Params) { p.Boosting, p.RowFraction, p.Tree.ColNode = booster.RandomForest, 0.7, 0.3 },
		"rates":     func(p *booster.Params) { p.Rates = []float64{0.3, 0.2} },
		"schedule":  func(p *booster.Params) { p.RateSchedule = booster.LinearRate },
		"symmetric": func(p *booster.Params) { p.Tree.Growth = "symmetric" },
		"linear":    func(p *booster.Params) { p.Tree.Linear = true },
		"feedback":  func(p *booster.Params) { p.QuantizeDType, p.ErrorFeedback = "Q4_0", true },
		"share":     func(p *booster.Params) { p.ValidShare = 0.2 },
	} {
		for _, effort := range preset.Efforts() {
			p := booster.Defaults()
			change(&p)
			want := p
			refused := effort == preset.Best && (name == "feedback" || name == "share") // folds are the rows that it judges on
			if err := preset.Use(&p, effort, table, nil); err != nil || (p.Validate() != nil) != refused {
				t.Errorf("%s, %s: error %v, %v", name, effort, err, p.Validate())
			}
			change(&want)
			got := p
			change(&got)
			if !reflect.DeepEqual(got, p) {
				t.Errorf("%s, %s: not kept in %+v", name, effort, p)
			}
		}
	}
}

// What docs/defaults.md says.
func TestDefaultEffort(t *testing.T) {
	for _, c := range []struct {
		table            preset.Table
		rate             float64
		rounds, patience int
		leaves           int
		l2, columns      float64
		retrain          bool
	}{
		{preset.Table{Rows: 2999, Features: 59, Objective: "regression", Retrain: true}, 0.02, 3000, 200, 15, 3, 0.5, true},
		{preset.Table{Rows: 3000, Features: 59, Objective: "regression", Retrain: true}, 0.03, 3000, 200, 20, 3, 0.5, true},
		{preset.Table{Rows: 10_000, Features: 60, Objective: "binary", Retrain: true}, 0.03, 3000, 200, 63, 1, 0.25, true},
		{preset.Table{Rows: 200_000, Features: 9, Objective: "multiclass", Retrain: true}, 0.06, 1500, 100, 127, 1, 0.5, true},
		{preset.Table{Rows: 200_001, Features: 9, Objective: "binary", Retrain: true}, 0.1, 1000, 60, 127, 1, 0.5, false},
		{preset.Table{Rows: 5000, Features: 9, Objective: "quantile"}, 0.03, 3000, 200, 31, 0, 0.5, false},
	} {
		p := booster.Defaults()
		if err := preset.Use(&p, preset.Default, c.table, nil); err != nil {
			t.Fatal(err)
		}
		if p.LearningRate != c.rate || p.Rounds != c.rounds || p.EarlyStopping != c.patience || p.Tree.Leaves != c.leaves || p.Tree.LambdaL2 != c.l2 || p.Tree.ColNode != c.columns || p.Retrain != c.retrain {
			t.Errorf("%+v: rate %v, %d rounds, patience %d, %d leaves, L2 %v, %v of the columns, retrain %v", c.table, p.LearningRate, p.Rounds, p.EarlyStopping, p.Tree.Leaves, p.Tree.LambdaL2, p.Tree.ColNode, p.Retrain)
		}
	}
	for _, c := range []struct {
		rows, levels int
		want         bool
	}{{6000, 81, true}, {6000, 80, false}, {5999, 81, false}, {972, 81, false}, {971, 81, true}, {959, 80, false}, {500_000, 81, true}, {500_001, 81, false}} {
		if got := (preset.Table{Rows: c.rows, Levels: c.levels}).Crosses(); got != c.want {
			t.Errorf("%d rows, %d levels: crosses %v", c.rows, c.levels, got)
		}
	}
	for folds, retrain := range map[int]bool{0: true, 3: false, 10: false} { // 10 is what best has, of others that are given
		p := booster.Defaults()
		p.BagFolds = folds
		given := func(key string) bool { return key == "train.bag_folds" && folds != 10 }
		if err := preset.Use(&p, preset.Best, preset.Table{Rows: 5000, Objective: "binary", Retrain: true}, given); err != nil || p.BagFolds != folds || p.Retrain != retrain {
			t.Errorf("best, %d folds: %d folds, retrain %v (%v)", folds, p.BagFolds, p.Retrain, err)
		}
	}
	whole := preset.Table{Rows: 5000, Objective: "binary", Retrain: true, Blend: true}
	for name, c := range map[string]struct {
		models int
		change func(t *preset.Table, p *booster.Params)
		given  string
	}{
		"four models":       {4, func(*preset.Table, *booster.Params) {}, ""},
		"a rate":            {4, func(_ *preset.Table, p *booster.Params) { p.LearningRate = 0.2 }, "train.learning_rate"},
		"so many":           {2, func(_ *preset.Table, p *booster.Params) { p.Blend = 2 }, "train.blend"},
		"one is wanted":     {0, func(*preset.Table, *booster.Params) {}, "train.blend"},
		"rounds":            {0, func(_ *preset.Table, p *booster.Params) { p.Rounds = 50 }, "train.rounds"},
		"a growth":          {0, func(_ *preset.Table, p *booster.Params) { p.Tree.Growth = grow.ByDepth }, "tree.growth"},
		"one can be had":    {0, func(t *preset.Table, _ *booster.Params) { t.Blend = false }, ""},
		"no rows held out":  {0, func(t *preset.Table, _ *booster.Params) { t.Retrain = false }, ""},
		"no second one":     {0, func(*preset.Table, *booster.Params) {}, "train.retrain"},
		"many classes":      {0, func(t *preset.Table, _ *booster.Params) { t.Objective, t.Classes = "multiclass", 10 }, ""},
		"another objective": {0, func(t *preset.Table, _ *booster.Params) { t.Objective = "poisson" }, ""},
		"many rows":         {0, func(t *preset.Table, _ *booster.Params) { t.Rows = 200_001 }, ""},
		"forced splits":     {0, func(_ *preset.Table, p *booster.Params) { p.Tree.ForcedSplits = "{}" }, "tree.forced_splits"},
		"folds":             {0, func(_ *preset.Table, p *booster.Params) { p.BagFolds = 3 }, "train.bag_folds"},
	} {
		p, table := booster.Defaults(), whole
		c.change(&table, &p)
		if err := preset.Use(&p, preset.Default, table, func(key string) bool { return key == c.given }); err != nil || p.Blend != c.models {
			t.Errorf("%s: %d models (%v), want %d", name, p.Blend, err, c.models)
		}
		if c.given == "train.blend" || c.given == "train.bag_folds" {
			continue
		}
		models, folds := 12, 0
		if c.models == 0 {
			models, folds = 0, 10
		}
		p, table = booster.Defaults(), whole
		c.change(&table, &p)
		if err := preset.Use(&p, preset.Best, table, func(key string) bool { return key == c.given }); err != nil || p.Blend != models || p.BagFolds != folds || p.Retrain != (folds == 0) {
			t.Errorf("best, %s: %d models, %d folds (%v)", name, p.Blend, p.BagFolds, err)
		}
	}
	for counts, want := range map[bool]int{false: booster.AutoCombinations, true: -1} { // categorical.counts = false is kept
		p := booster.Defaults()
		p.Counts = counts
		given := func(key string) bool { return key == "categorical.counts" }
		if err := preset.Use(&p, preset.Default, preset.Table{Rows: 9000, Levels: 100, Objective: "binary"}, given); err != nil || p.Counts != counts || p.Combinations != want {
			t.Errorf("counts = %v: %v, %d combinations (%v), want %d", counts, p.Counts, p.Combinations, err, want)
		}
	}
	for classes, extra := range map[int]bool{9: false, 10: true} {
		p := booster.Defaults()
		if err := preset.Use(&p, preset.Default, preset.Table{Rows: 5000, Classes: classes, Objective: "multiclass"}, nil); err != nil || p.Tree.ExtraTrees != extra {
			t.Errorf("%d classes: extra trees %v (%v)", classes, p.Tree.ExtraTrees, err)
		}
	}
	for rounds, rate := range map[int]float64{50: 0.1, 200: 0.1, 400: 0.05, 2000: 0.03} {
		p := booster.Defaults()
		p.Rounds = rounds
		if err := preset.Use(&p, preset.Default, preset.Table{Rows: 5000, Objective: "binary"}, func(key string) bool { return key == "train.rounds" }); err != nil || p.LearningRate != rate || p.Rounds != rounds {
			t.Errorf("%d rounds: rate %v (%v), want %v", rounds, p.LearningRate, err, rate)
		}
	}
}

// The learning rates that CatBoost 1.2.10 says it takes (get_all_params of models without a rate given), on tables of
// so many rows, without a validation set.
func TestCatBoostRate(t *testing.T) {
	for _, c := range []struct {
		objective string
		rows      int
		rounds    int
		want      float64
	}{
		{"regression", 1000, 100, 0.266183},
		{"regression", 1000, 1000, 0.040943},
		{"regression", 20000, 100, 0.427309},
		{"binary", 1000, 100, 0.085101},
		{"binary", 1000, 1000, 0.010302},
		{"binary", 20000, 100, 0.305826},
		{"multiclass", 1000, 100, 0.5},
		{"multiclass", 1000, 1000, 0.079127},
		{"multiclass", 20000, 100, 0.5},
	} {
		p := booster.Defaults()
		p.Rounds = c.rounds
		given := func(key string) bool { return key == "train.rounds" }
		if err := preset.Use(&p, "catboost", preset.Table{Rows: c.rows, Objective: c.objective}, given); err != nil || p.LearningRate != c.want {
			t.Errorf("%+v: rate %v, error %v", c, p.LearningRate, err)
		}
	}
}

// What is left out follows from what was given, as in the peers: without max_leaves trees are limited by their depth alone, XGBoost's dropout leaves
// no round out by itself, and a sample of rows that was asked for is the only one.
func TestPeersFollowWhatIsGiven(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(p *booster.Params)
		want func(p *booster.Params) bool
	}{
		{"xgboost", func(p *booster.Params) { p.Tree.MaxDepth = 10 }, func(p *booster.Params) bool { return p.Tree.Leaves == 1024 && p.Tree.MaxDepth == 10 }},
		{"xgboost", func(p *booster.Params) { p.Tree.Leaves = 20 }, func(p *booster.Params) bool { return p.Tree.Leaves == 20 && p.Tree.MaxDepth == 6 }},
		{"xgboost", func(p *booster.Params) { p.Boosting = booster.DartBoosting }, func(p *booster.Params) bool {
			return p.Dart == booster.Dart{Sample: booster.UniformDrop, Normalize: booster.TreeNormalize}
		}},
		{"lightgbm", func(p *booster.Params) { p.Boosting = booster.DartBoosting }, func(p *booster.Params) bool { return p.Dart == booster.DefaultDart() }},
		{"catboost", func(p *booster.Params) { p.Tree.Growth, p.Tree.MaxDepth = "depth", 8 }, func(p *booster.Params) bool { return p.Tree.Leaves == 256 }},
		{"catboost", func(p *booster.Params) { p.Tree.Growth = "leaf" }, func(p *booster.Params) bool { return p.Tree.Leaves == 31 && p.Tree.MaxDepth == 6 }},
		{"catboost", func(p *booster.Params) { p.RowFraction = 0.8 }, func(p *booster.Params) bool { return p.MvsFraction == 0 || p.MvsFraction == 1 }},
	} {
		p := booster.Defaults()
		c.set(&p)
		if err := preset.Use(&p, c.name, preset.Table{Rows: 1000, Objective: "binary"}, nil); err != nil || !c.want(&p) || p.Validate() != nil {
			t.Errorf("%s: %v, %v: %+v", c.name, err, p.Validate(), p)
		}
	}
}
