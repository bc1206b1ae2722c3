package preset_test

import (
	"errors"
	"reflect"
	"testing"

	"boost/booster"
	"boost/booster/preset"
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
			if err := preset.Use(&p, effort, table, nil); err != nil || p.Validate() != nil {
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
