package configs_test

import (
	"reflect"
	"strings"
	"testing"

	"boost/booster"
	"boost/booster/preset"
	"boost/configs"
)

// A preset stands where nothing else was said, wherever and however it was said.
func TestPreset(t *testing.T) {
	fast := booster.Defaults()
	if err := preset.Use(&fast, "fast", preset.Table{}, nil); err != nil {
		t.Fatal(err)
	}
	rate, gradients := fast.LearningRate, fast.Gradients
	for _, c := range []struct {
		name, document string
		sets           []string
		change         func(p *booster.Params) // of the preset's values
	}{
		{"alone", "[train]\npreset = \"fast\"\n", nil, func(*booster.Params) {}},
		{"none", "[train]\npreset = \"\"\n", nil, func(p *booster.Params) { *p = booster.Defaults() }},
		{"by assignment", "", []string{"train.preset=fast"}, func(*booster.Params) {}},
		{"a key above it", "[train]\nlearning_rate = 0.05\npreset = \"fast\"\n", nil, func(p *booster.Params) { p.LearningRate = 0.05 }},
		{"the default above it", "[train]\npreset = \"fast\"\neta = 0.1\n", nil, func(p *booster.Params) { p.LearningRate = 0.1 }},
		{"an assignment above it", "[train]\npreset = \"fast\"\n", []string{"train.gradients=i16"}, func(p *booster.Params) { p.Gradients = "i16" }},
		{"taken back", "[train]\npreset = \"fast\"\n", []string{"train.preset="}, func(p *booster.Params) { *p = booster.Defaults() }},
		{"other codes", "[train]\npreset = \"fast\"\n[gradients]\nmode = \"asymmetric\"\n", nil, func(p *booster.Params) { p.Gradients, p.GradientMode = "i16", "asymmetric" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _ := mustRead(t, c.document, c.sets...)
			want := fast
			c.change(&want)
			if !reflect.DeepEqual(got.Params, want) {
				t.Errorf("got  %+v\nwant %+v", got.Params, want)
			}
			if err := got.Params.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
	_, notes := mustRead(t, "[train]\npreset = \"fast\"\nlearning_rate = 0.05\n")
	if said := strings.Join(notes, "\n"); !strings.Contains(said, `preset "fast": `) || !strings.Contains(said, `train.gradients = "`+gradients+`"`) ||
		strings.Contains(said, "learning_rate") || rate == 0.05 {
		t.Errorf("notes %q", notes)
	}
	// It stands above the effort that a command starts from, and not beside one that was said.
	base := configs.Default()
	base.Effort = preset.Default
	got, _, err := configs.Read(base, "", []string{"train.preset=fast"})
	if err != nil || !reflect.DeepEqual(got.Params, fast) || got.Effort != "" {
		t.Errorf("error %v, effort %q, params %+v", err, got.Effort, got.Params)
	}
	if _, _, err := read(t, "", "train.preset=fast", "train.effort=quick"); err == nil || !strings.Contains(err.Error(), "leave one of both out") {
		t.Errorf("error %v", err)
	}
	if _, _, err := read(t, "", "train.preset=fats"); err == nil || !strings.Contains(err.Error(), `did you mean "fast"?`) {
		t.Errorf("error %v", err)
	}
}

// TestBagOfDefaults: an effort trains again on all rows where rows are held out. Folds that are averaged hold out none, and are asked for
// with every effort; what was said of both stands.
func TestBagOfDefaults(t *testing.T) {
	for _, c := range []struct {
		name    string
		sets    []string
		retrain bool
	}{
		{"default effort", []string{"train.effort=default"}, true},
		{"default effort, folds", []string{"train.effort=default", "train.bag_folds=3"}, false},
		{"quick effort, folds", []string{"train.effort=quick", "train.bag_folds=3"}, false},
		{"best effort, no folds", []string{"train.effort=best", "train.bag_folds=0"}, true},
		{"both said", []string{"train.effort=default", "train.bag_folds=3", "train.retrain=true"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := configs.Read(configs.Default(), "", c.sets)
			if err != nil {
				t.Fatal(err)
			}
			if err := got.SettleFor(preset.Table{Rows: 1000, Objective: "regression", Retrain: true}); err != nil {
				t.Fatal(err)
			}
			if got.Params.Retrain != c.retrain {
				t.Errorf("train.retrain = %v, want %v", got.Params.Retrain, c.retrain)
			}
		})
	}
}
