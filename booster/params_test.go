package booster_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"boost/binning"
	"boost/booster"
	"boost/internal/testenv"
	"boost/tree/grow"
)

// leafFields visits the fields of Params.
func leafFields(v reflect.Value, visit func(name string, field any)) {
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.Struct {
			leafFields(v.Field(i), visit)
		} else {
			visit(v.Type().Field(i).Name, v.Field(i).Addr().Interface())
		}
	}
}

// Every field has one description.
func TestSettings(t *testing.T) {
	p := booster.Defaults()
	keys, described := map[string]bool{}, map[any]int{}
	for _, s := range booster.Settings(&p) {
		if s.Name == "" || keys[s.Name] {
			t.Errorf("key %q is empty or repeated", s.Name)
		}
		keys[s.Name] = true
		described[s.Value]++
	}
	leafFields(reflect.ValueOf(&p).Elem(), func(name string, field any) {
		if described[field] != 1 {
			t.Errorf("field %s is described %d times", name, described[field])
		}
	})
}

// TestRunParamsDoNotReachTheModel flips every run parameter (docs/architecture.md, Numerics 8).
func TestRunParamsDoNotReachTheModel(t *testing.T) {
	testenv.Unraced(t)
	table := openShipped(t, "ames_housing")
	base := booster.Defaults()
	base.Objective, base.Rounds = "regression", 3
	want := hash(t, base, table)
	flips := map[string]any{
		"train.threads": 3, "train.builder": "feature", "train.time_limit": time.Hour,
		"train.memory_limit": int64(1) << 40, "train.verify": true, "binning.storage": "uniform",
		"gradients.l2_bytes": int64(77), "binning.layout": "csr", "binning.missing_as": "mask", "binning.bundle": "on",
	}
	for i, s := range booster.Settings(&base) {
		if !s.Run {
			continue
		}
		value, ok := flips[s.Name]
		if !ok {
			t.Errorf("%s is a run parameter without a value to flip to in this test", s.Name)
			continue
		}
		p := base
		v := reflect.ValueOf(booster.Settings(&p)[i].Value).Elem()
		if reflect.DeepEqual(v.Interface(), value) {
			t.Errorf("%s: %v is the value it already has", s.Name, value)
		}
		v.Set(reflect.ValueOf(value))
		if got := hash(t, p, table); got != want {
			t.Errorf("%s = %v changes the model: %s, want %s", s.Name, value, got, want)
		}
	}
}

func TestParamsRoundTripThroughTheModel(t *testing.T) {
	table := openShipped(t, "ames_housing")
	p := booster.Defaults()
	p.Objective, p.Rounds, p.Tree.LambdaL2, p.Binning.MaxBin, p.RowFraction = "regression", 2, 1.5, 63, 0.7
	p.Metrics = []string{"mae"}
	p.Rounding, p.RenewLeaves = "nearest", "off" // what "auto" becomes
	for _, c := range table.Features() {
		if c.Kind().Numeric() {
			p.Binning.ForcedCuts = map[string][]float64{c.Name(): {-0.1, 1e300}}
			p.Binning.MaxBinByFeature = map[string]int{c.Name(): 9}
		}
	}
	m, err := booster.Train(context.Background(), p, table)
	if err != nil {
		t.Fatal(err)
	}
	got, err := booster.ParamsOf(m)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, p) {
		t.Errorf("ParamsOf = %+v\nwant %+v", got, p)
	}
	var stored map[string]any
	if err := json.Unmarshal(m.Contents().Params, &stored); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"train.threads", "train.builder", "train.time_limit", "train.memory_limit", "train.verify", "binning.storage"} {
		if _, ok := stored[key]; ok {
			t.Errorf("run parameter %s is stored in the model", key)
		}
	}
}

// A struct without one of the fields that cannot be zero is a literal, and its zeros mean the defaults. The
// expected values are those of Defaults with the fields written out.
func TestParamsOrDefaults(t *testing.T) {
	with := func(change func(p *booster.Params)) booster.Params {
		p := booster.Defaults()
		change(&p)
		return p
	}
	kept := with(func(p *booster.Params) { p.Seed, p.Tree.MinDataInLeaf, p.Binning.Sample, p.MvsLambda = 0, 0, 0, 0 })
	for name, c := range map[string]struct{ in, want booster.Params }{
		"zero":          {booster.Params{}, booster.Defaults()},
		"defaults":      {booster.Defaults(), booster.Defaults()},
		"zeros are set": {kept, kept},
		"a literal": {booster.Params{Objective: "binary", Rounds: 7},
			with(func(p *booster.Params) { p.Objective, p.Rounds = "binary", 7 })},
		"a literal inside": {
			booster.Params{Tree: grow.Params{Leaves: 5, LambdaL2: 2}, Binning: binning.Params{MaxBin: 15}},
			with(func(p *booster.Params) { p.Tree.Leaves, p.Tree.LambdaL2, p.Binning.MaxBin = 5, 2, 15 })},
		"a literal beside what is set": {
			with(func(p *booster.Params) { p.Seed, p.Tree = 0, grow.Params{MaxDepth: 3} }),
			with(func(p *booster.Params) { p.Seed, p.Tree.MaxDepth = 0, 3 })},
	} {
		if got := c.in.OrDefaults(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: OrDefaults = %+v\nwant %+v", name, got, c.want)
		}
	}
	var zero booster.Params
	if err := zero.Validate(); err == nil || !strings.Contains(err.Error(), "train.rounds") {
		t.Errorf("Validate takes the zero value: %v", err)
	}
	table := openShipped(t, "ames_housing")
	few := booster.Params{Objective: "regression", Rounds: 2}
	if got, want := hash(t, few, table), hash(t, with(func(p *booster.Params) { p.Objective, p.Rounds = "regression", 2 }), table); got != want {
		t.Errorf("Train on a literal makes %s, on Defaults %s", got, want)
	}
	bad := booster.Params{Rounds: -1}
	if _, err := booster.Train(context.Background(), bad, table); !errors.Is(err, booster.ErrParams) || !strings.Contains(err.Error(), "train.rounds = -1") {
		t.Errorf("Train with Rounds -1: %v", err)
	}
}

func TestValidateNamesEveryProblem(t *testing.T) {
	p := booster.Defaults()
	p.Objective = "poison"
	p.Rounds = 0
	p.LearningRate = math.NaN()
	p.Gradients = "i64"
	p.Builder = "magic"
	p.RowFraction = 0
	p.Tree.Leaves = 1
	p.Tree.LambdaL1 = -1
	p.Tree.ReuseFeature = math.NaN()
	p.Tree.ReuseCut = 1
	p.Binning.MaxBin = 1
	err := p.Validate()
	if !errors.Is(err, booster.ErrParams) {
		t.Fatalf("Validate = %v, want ErrParams", err)
	}
	for _, key := range []string{"train.objective", "train.rounds", "train.learning_rate", "train.gradients", "train.builder",
		"sampling.row_fraction", "tree.leaves", "tree.lambda_l1", "tree.reuse_feature", "tree.reuse_cut", "max_bin"} {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("the error does not name %s:\n%v", key, err)
		}
	}
	if err := booster.Defaults().Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
}
