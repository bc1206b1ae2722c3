package configs_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/configs"
	"boost/internal/setting"
	"boost/tensorq/store"
)

func read(t *testing.T, document string, sets ...string) (*configs.Config, []string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.toml")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	c, notes, err := configs.Read(configs.Default(), file, sets)
	return c, notes, err
}

func mustRead(t *testing.T, document string, sets ...string) (*configs.Config, []string) {
	t.Helper()
	c, notes, err := read(t, document, sets...)
	if err != nil {
		t.Fatal(err)
	}
	return c, notes
}

// values lists the values of settings by their name.
func values(settings []setting.Setting) map[string]any {
	out := map[string]any{}
	for _, s := range settings {
		out[s.Name] = reflect.ValueOf(s.Value).Elem().Interface()
	}
	return out
}

// Every parameter of training has its key, with the default that the library has.
func TestKeysCoverParams(t *testing.T) {
	defaults, c := booster.Defaults(), configs.Default()
	want := values(booster.Settings(&defaults))
	if len(want) < 30 {
		t.Fatalf("only %d settings found", len(want))
	}
	if !reflect.DeepEqual(values(booster.Settings(&c.Params)), want) {
		t.Errorf("configs.Default().Params is not booster.Defaults()")
	}
	known := map[string]bool{}
	for _, k := range configs.Keys() {
		known[k.Name] = true
	}
	for key := range want {
		if !known[key] {
			t.Errorf("booster.Params has %s, the table of keys does not", key)
		}
	}
}

// Each key's default, written out, is a value that the key takes, and changing a
// key changes the field with the same tag and no other.
func TestKeysBindTheirField(t *testing.T) {
	other := map[string]string{
		"train.objective": `"binary"`, "train.gradients": `"f32"`, "gradients.mode": `"asymmetric"`, "gradients.rounding": `"nearest"`,
		"gradients.renew_leaves": `"on"`, "gradients.l2_bytes": "1000", "train.builder": `"row"`, "binning.placement": `"value"`,
		"binning.storage": `"uniform"`, "train.time_limit": `"3s"`, "train.memory_limit": `"1KiB"`, "metrics.names": `["auc"]`,
		"data.positive_class": `"yes"`, "categorical.order": `"name"`, "categorical.splits": `"target"`, "binning.layout": `"row"`, "binning.missing_as": `"mask"`,
		"binning.bundle": `"off"`, "train.valid_by": `"split"`, "train.valid_share": `"25%"`, "quantize.dtype": `"Q4_0"`,
		"binning.forced_cuts": `{a = [1, 2.5]}`, "binning.max_bin_by_feature": `{a = 7}`, "objective.alpha": "[0.1, 0.9]", "objective.target": `"map"`, "objective.norm": `"off"`, "objective.ties": `"efron"`, "objective.distribution": `"extreme"`, "objective.label_gain": "[0, 1]", "tree.growth": `"depth"`, "tree.feature_penalty": `{a = 0.5}`, "tree.feature_cost": `{a = 2.5}`, "tree.feature_row_cost": `{a = 2.5}`, "sampling.col_weights": `{a = 2.5}`, "constraints.first_level": `{a = 2}`, "constraints.last_level": `{a = 2}`, "constraints.monotone_method": `"intermediate"`, "tree.forced_splits": `"{\"feature\":0,\"threshold\":1}"`, "constraints.interaction": `[["a"], ["b", "c"]]`, "constraints.monotone": `{a = -1}`, "objective.class_weight": `{a = 2.5}`,
		"train.boosting": `"dart"`, "dart.sample": `"uniform"`, "dart.normalize": `"tree"`,
		"train.learning_rate_schedule": `"linear"`, "train.learning_rates": "[0.1, 0.05]", "sampling.row_by": `"query"`,
	}
	for _, k := range configs.Keys() {
		mustRead(t, "["+k.Section()+"]\n"+k.Leaf()+" = "+k.Default()+"\n")
		def := configs.Default()
		before := values(booster.Settings(&def.Params))
		if _, ok := before[k.Name]; !ok {
			continue
		}
		value := other[k.Name]
		switch k.Type() {
		case "integer":
			value = "77"
		case "number":
			value = "0.0625"
		case "true or false":
			value = "true"
		}
		if value == "" {
			t.Errorf("%s: the test has no other value for it", k.Name)
			continue
		}
		c, _ := mustRead(t, "["+k.Section()+"]\n"+k.Leaf()+" = "+value+"\n")
		after := values(booster.Settings(&c.Params))
		for name := range before {
			if changed := !reflect.DeepEqual(before[name], after[name]); changed != (name == k.Name) {
				t.Errorf("%s = %s: field of %s changed: %v", k.Name, value, name, changed)
			}
		}
		if !c.Given(k.Name) || c.Given("data.id") {
			t.Errorf("%s: Given does not say what the file sets", k.Name)
		}
	}
}

// The defaults, which are those of LightGBM 4.6 with few exceptions.
func TestDefaults(t *testing.T) {
	want := map[string]string{
		"train.rounds": "100", "train.learning_rate": "0.1", "tree.leaves": "31", "tree.min_data_in_leaf": "20",
		"tree.min_child_weight": "0.001", "tree.lambda_l1": "0.0", "tree.lambda_l2": "0.0", "categorical.onehot_max": "4",
		"categorical.smooth": "10.0", "categorical.l2": "10.0", "categorical.max_per_side": "32",
		"categorical.min_per_group": "100.0", "categorical.max_cat": "65000", "categorical.min_data_per_cat": "1",
		"binning.min_data_in_bin": "1", "binning.max_bin": "255", "binning.sample": "200000", "sampling.row_every": "1",
		"train.seed": "1", "train.early_stopping": "0", "train.valid_share": "0.0", "train.gradients": `"i16"`, "tree.min_gain": "0.0",
		"sampling.row_fraction": "1.0", "tree.max_depth": "0",
		"tree.reuse_feature": "0.0", "tree.reuse_cut": "0.0",
	}
	seen := 0
	for _, k := range configs.Keys() {
		if w, ok := want[k.Name]; ok {
			seen++
			if k.Default() != w {
				t.Errorf("default of %s is %s, want %s", k.Name, k.Default(), w)
			}
		}
		if k.Doc == "" || !strings.HasSuffix(k.Doc, ".") || strings.Contains(k.Doc, "\n") {
			t.Errorf("%s: documentation %q is not one sentence line", k.Name, k.Doc)
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d keys found", seen, len(want))
	}
}

func TestFile(t *testing.T) {
	c, notes := mustRead(t, `
[data]
train = "x.csv"
valid = ["v.csv", "/abs/v2.csv", "-"]
header = true
categorical = ["a", "b"]
missing = [""]
[train]
rounds = 7
learning_rate = 1
time_limit = "10m"
memory_limit = "4GB"
[metrics]
names = ["auc"]
[output]
model = "out/m.boost"
`)
	dir := filepath.Dir(c.Data.Train[0])
	if !filepath.IsAbs(dir) || filepath.Base(c.Data.Train[0]) != "x.csv" {
		t.Errorf("train is %q, want it beside the config", c.Data.Train)
	}
	if want := []string{filepath.Join(dir, "v.csv"), "/abs/v2.csv", "-"}; !reflect.DeepEqual(c.Data.Valid, want) {
		t.Errorf("valid is %q, want %q", c.Data.Valid, want)
	}
	if want := filepath.Join(dir, "out/m.boost"); c.Output.Model != want {
		t.Errorf("model is %q, want %q", c.Output.Model, want)
	}
	if c.Data.Header != "true" || c.Params.Rounds != 7 || c.Params.LearningRate != 1 ||
		c.Params.TimeLimit != 10*time.Minute || c.Params.MemoryLimit != 4_000_000_000 ||
		!reflect.DeepEqual(c.Data.Missing, []string{""}) || !reflect.DeepEqual(c.Params.Metrics, []string{"auc"}) {
		t.Errorf("wrong values: %+v", c)
	}
	if len(notes) != 0 {
		t.Errorf("notes %q about a file without aliases", notes)
	}
}

// Problems are found all at once, each with its line.
func TestFileProblems(t *testing.T) {
	cases := []struct{ name, document, want string }{
		{"syntax", "[data]\ntrain = \n", "run.toml:2: expected value but found '\\n' instead (texts need quotes: key = \"text\")"},
		{"text without quotes", "[data]\ntrain = t.csv\n", `run.toml:2: expected value but found "t" instead (texts need quotes: key = "text")`},
		{"unknown key", "[data]\nlabl = \"y\"", `run.toml:2: unknown key "data.labl" (did you mean "data.label"?)`},
		{"unknown section", "[treee]\nleaves = 3", `run.toml:1: unknown section "treee" (did you mean "tree"?)`},
		{"unknown dotted section", "\nfoo.bar = 3", `run.toml:2: unknown section "foo": the sections are data, binning`},
		{"later section", "[shards]\nn = 1", `run.toml:1: unknown section "shards"`},
		{"other section", "[train]\nleaves = 3", `run.toml:2: unknown key "train.leaves" (did you mean "tree.leaves"?)`},
		{"bare key in a wrong section", "tree.rounds = 3", `run.toml:1: unknown key "tree.rounds" (did you mean "train.rounds"?)`},
		{"deep key", "\ndata.label.x = 3", `run.toml:2: data.label must be text in quotes or a list of texts, not a table`},
		{"text", "[data]\nlabel = 3", `run.toml:2: data.label must be text in quotes or a list of texts, not 3 (write "3")`},
		{"integer", "[tree]\nleaves = 3.5", `run.toml:2: tree.leaves must be an integer, not 3.5`},
		{"number", "[tree]\nmin_gain = \"x\"", `run.toml:2: tree.min_gain must be a number like 0.5, not "x"`},
		{"nan", "[tree]\nmin_gain = nan", `run.toml:2: tree.min_gain must be a finite number, not NaN`},
		{"boolean", "[binning]\nweighted_cuts = 1", `run.toml:2: binning.weighted_cuts must be true or false, not 1`},
		{"list", "[data]\nid = [\"a\", 3]", `run.toml:2: data.id must be a list of texts like ["a", "b"], and 3 in it is none`},
		{"least", "[train]\nrounds = 0", `run.toml:2: train.rounds must be ≥ 1, not 0`},
		{"above", "[train]\nlearning_rate = 0.0", `run.toml:2: train.learning_rate must be > 0, ≤ 10, not 0`},
		{"share", "[sampling]\ncol_tree = 1.5", `run.toml:2: sampling.col_tree must be > 0, ≤ 1, not 1.5`},
		{"below", "[tree]\nreuse_cut = 1.0", `run.toml:2: tree.reuse_cut must be ≥ 0, < 1, not 1`},
		{"choice", "[binning]\nstorage = \"unifrom\"", `run.toml:2: binning.storage must be "adaptive" or "uniform", not "unifrom" (did you mean "uniform"?)`},
		{"duration", "[train]\ntime_limit = \"soon\"", `run.toml:2: train.time_limit must be a duration like "90s", "10m" or a number of seconds, not "soon"`},
		{"size", "[train]\nmemory_limit = \"4 apples\"", `run.toml:2: train.memory_limit must be a number of bytes or a size like "4GB" or "512MiB", not "4 apples"`},
		{"separator", "[data]\nseparator = \"ab\"", `run.toml:2: data.separator must be "auto", "tab" or one ASCII character that is no part of a number, not "ab"`},
		{"separator of numbers", "[data]\nseparator = \".\"", `no part of a number, not "."`},
		{"separator and decimal", "[data]\nseparator = \",\"\ndecimal = \",\"", `run.toml:2: data.separator and data.decimal are both ","`},
		{"twice", "num_leaves = 3\n[tree]\nleaves = 4", `run.toml:3: tree.leaves is set twice: as "num_leaves" in line 1 and as "tree.leaves" here`},
		{"needless in XGBoost", "[train]\ntree_method = \"exact\"", `run.toml:2: unknown key "train.tree_method": trees always grow on histograms`},
		{"name of an objective", "[objective]\nname = \"binary\"", `run.toml:2: unknown key "objective.name": train.objective is the key that names it, as in train.objective = "…"`},
		{"name of a metric", "[metrics]\nname = \"auc\"", `run.toml:2: unknown key "metrics.name" (did you mean "metrics.names"?)`},
		{"name of no setting", "[train]\nname = \"run 1\"", `run.toml:2: unknown key "train.name" (did you mean`},
		{"name of a run of CatBoost", "name = \"run 1\"", `run.toml:1: unknown key "name": output.model names the only file`},
		{"needless", "num_class = 0", `run.toml:1: unknown key "num_class": the classes are taken from the label: leave it out`},
		{"objective", "[train]\nobjective = \"posson\"", `not "posson" (did you mean "poisson"?)`},
		{"goss", "boosting = \"goss\"", `run.toml:1: train.boosting = "goss": GOSS is a way to sample rows here: leave it out and set sampling.goss_top and sampling.goss_other (LightGBM's defaults are 0.2 and 0.1)`},
		{"ordered boosting", "boosting_type = \"Ordered\"", `CatBoost's ordered boosting is not built in`},
		{"linear booster", "booster = \"gblinear\"", `a linear model without trees is not built in`},
		{"seed of dart", "drop_seed = 4", `train.seed is the only seed`},
		{"hinge", "objective = \"binary:hinge\"", `train.objective = "binary:hinge": a loss without second derivative`},
		{"focal without gamma", "[train]\nobjective = \"focal\"\n[objective]\nfocal_gamma = 0", `run.toml:4: objective.focal_gamma: 0 is the plain log loss, which is objective binary`},
		{"power 0", "[train]\nobjective = \"tweedie\"\n[objective]\npower = 0.0", `run.toml:4: objective.power: 0 is the power of no such loss`},
		{"formula", "objective = \"custom\"", `a loss of your own is a Go function: see booster.WithObjective`},
		{"formula of an objective", "objective = \"(y - p)^2\"", `train.objective = "(y - p)^2": a loss of your own is a Go function: see booster.WithObjective`},
		{"formula of a metric", "[metrics]\nnames = [\"mean(abs(y - p))\"]", `metrics.names: "mean(abs(y - p))": a metric of your own is a Go function: see booster.WithMetric and metrics.FromFunc`},
		{"metric", "[metrics]\nnames = [\"acu\"]", `not "acu" (did you mean "auc"?)`},
		{"metric with argument", "[metrics]\nnames = [\"pinbal@0.9\"]", `not "pinbal@0.9" (did you mean "pinball"?)`},
		{"metric without its argument", "[metrics]\nnames = [\"huber\"]", `run.toml:2: metrics.names: metric "huber" needs a number above 0, as in "huber@0.9"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := read(t, c.document)
			if !errors.Is(err, configs.ErrConfig) {
				t.Fatalf("error %v is not ErrConfig", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
			if n := strings.Count(err.Error(), "\n"); n != 0 {
				t.Errorf("%d lines more than one for one problem:\n%s", n, err)
			}
		})
	}
	_, _, err := read(t, "[tree]\nleaves = 1\nmax_deph = 3\n[train]\nrounds = 0\n", "tree.leaves=x")
	if err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("four problems are not four lines: %v", err)
	}
	_, _, err = configs.Read(configs.Default(), filepath.Join(t.TempDir(), "none.toml"), nil)
	if !errors.Is(err, configs.ErrConfig) || !strings.Contains(err.Error(), "none.toml: no such file or directory") {
		t.Errorf("absent file: %v", err)
	}
}

// S0.2: 2 … 16,777,216 codes; an error names the value.
// Numbers may go without the 0 before or behind their point, as in other languages, after --set.
func TestPointAtAnEnd(t *testing.T) {
	c, _ := mustRead(t, "", "drop_rate=.25", "eta=1.", "forced_cuts={a = [-.5,.5], b=[2.]}", "quantile_alpha=[.1, .9]", "bagging_fraction=+.5")
	p := &c.Params
	if p.Dart.DropRate != 0.25 || p.LearningRate != 1 || p.RowFraction != 0.5 || !slices.Equal(p.Loss.Alpha, []float64{0.1, 0.9}) ||
		!slices.Equal(p.Binning.ForcedCuts["a"], []float64{-0.5, 0.5}) || !slices.Equal(p.Binning.ForcedCuts["b"], []float64{2}) {
		t.Errorf("read %v, %v, %v, %v, %v", p.Dart.DropRate, p.LearningRate, p.RowFraction, p.Loss.Alpha, p.Binning.ForcedCuts)
	}
	for _, value := range []string{".", ".1.", "1..", ".e3", "1.2.3"} {
		if _, _, err := read(t, "", "eta="+value); err == nil || !strings.Contains(err.Error(), "must be a number like 0.5, not "+strconv.Quote(value)) {
			t.Errorf("%s: error %v", value, err)
		}
	}
	if _, _, err := read(t, "", `ignore=[".5"]`); err != nil {
		t.Error(err)
	}
}

func TestMaxBin(t *testing.T) {
	t.Run("S0.2/max_bin", func(t *testing.T) {
		for _, ok := range []string{"2", "255", "256", "257", "65536", "65537", "16777216"} {
			mustRead(t, "", "binning.max_bin="+ok)
		}
		for _, bad := range []string{"1", "0", "-1", "16777217"} {
			_, _, err := read(t, "", "binning.max_bin="+bad)
			if err == nil || !strings.Contains(err.Error(), "must be 2 … 16,777,216, not "+bad) {
				t.Errorf("max_bin = %s: %v", bad, err)
			}
		}
	})
}

func TestStorage(t *testing.T) {
	t.Run("S0.14/storage", func(t *testing.T) {
		if c, _ := mustRead(t, ""); c.Params.Binning.Storage != "adaptive" {
			t.Errorf("default is %q, want adaptive", c.Params.Binning.Storage)
		}
		if c, _ := mustRead(t, "[binning]\nstorage = \"uniform\""); c.Params.Binning.Storage != "uniform" {
			t.Error("uniform is not taken")
		}
	})
}

// Reading a starter gives the config that it was made from.
func TestStarter(t *testing.T) {
	c := configs.Default()
	c.Data.Train = []string{"/x/odd \"name\"\t\\.csv"}
	c.Data.Label = []string{"a\nb\x01é"}
	c.Data.Categorical = []string{"zip", "a,b"}
	c.Params.Rounds = 1000
	c.Params.TimeLimit = 90 * time.Second
	for _, all := range []bool{false, true} {
		s := configs.Starter{Config: &c, Title: []string{"made by\na test"}, All: all,
			Comments: map[string][]string{"data.label": {"guessed\r\nthe last"}}}
		document := string(s.TOML())
		got, notes := mustRead(t, document)
		if !reflect.DeepEqual(got.Data, c.Data) || !reflect.DeepEqual(got.Params, c.Params) || len(notes) > 0 {
			t.Errorf("all=%v: read back %+v, want %+v", all, got, c)
		}
		if !all {
			continue
		}
		// With every commented key uncommented the file still loads, and means the same.
		var lines []string
		for line := range strings.Lines(document) {
			rest, isComment := strings.CutPrefix(line, "# ")
			name, _, isKey := strings.Cut(rest, " = ")
			if isComment && isKey && !strings.Contains(name, " ") {
				line = rest
			}
			lines = append(lines, line)
		}
		got, _ = mustRead(t, strings.Join(lines, ""))
		if !reflect.DeepEqual(got.Data, c.Data) || !reflect.DeepEqual(got.Params, c.Params) {
			t.Errorf("uncommented: read back %+v, want %+v", got, c)
		}
		for _, k := range configs.Keys() {
			if !got.Given(k.Name) {
				t.Errorf("--all leaves out %s", k.Name)
			}
		}
	}
}

// Every number of the store has its key, with the store's default and its limits, and sets
// the field of its tag and no other (S3.15 to S3.55).
func TestRegistry(t *testing.T) {
	usual := store.DefaultConfig()
	defaults := values(store.Settings(&usual))
	other := map[string]string{
		"registry.hot_bits": "7", "registry.warm_bits": "8", "registry.warm_low_bits": "3", "registry.cold_bits": "5",
		"registry.warm_score": "65", "registry.hot_score": "600", "registry.warm_byte_cap": `"1MiB"`, "registry.memory_cap": `"1GiB"`,
		"registry.sweep_interval": `"90s"`, "registry.absent_age_threshold": "3600", "registry.hysteresis": "0.5",
		"registry.fail_fast": "true", "registry.sync_writes": "false", "registry.two_level_cold": "true",
		"registry.outlier_fraction": "0.25", "registry.headroom": "0.5",
	}
	known := map[string]configs.Key{}
	for _, k := range configs.Keys() {
		if k.Section() == "registry" {
			known[k.Name] = k
		}
	}
	if len(known) != len(defaults) || len(known) < 20 {
		t.Errorf("%d keys for %d fields", len(known), len(defaults))
	}
	for name := range defaults {
		k, ok := known[name]
		if !ok {
			t.Errorf("store.Config has %s, the table of keys does not", name)
			continue
		}
		t.Run("S3.15/"+k.Leaf(), func(t *testing.T) {
			mustRead(t, "[registry]\n"+k.Leaf()+" = "+k.Default()+"\n")
			value := other[name]
			if value == "" {
				value = "9"
			}
			c, _ := mustRead(t, "[registry]\n"+k.Leaf()+" = "+value+"\n")
			after := values(store.Settings(&c.Registry))
			for key := range defaults {
				same := reflect.DeepEqual(defaults[key], after[key])
				if want := key != name; same != want {
					t.Errorf("%s = %s: field of %s unchanged: %v", name, value, key, same)
				}
			}
		})
	}
}

// What the store refuses is refused by the key's name; its defaults are those of the source document. The second scale
// is opt-in.
func TestRegistryLimits(t *testing.T) {
	for set, want := range map[string]string{
		"hot_bits=9":             "registry.hot_bits must be 2 … 8, not 9",
		"hot_bits=6":             "registry.hot_bits 6: expected a width that has a quantizer: [3 5 7 8]",
		"warm_bits=5":            "registry.hot_bits, warm_bits, warm_low_bits and cold_bits are 8, 5, 5, 3",
		"hot_bits=5":             "registry.hot_bits, warm_bits, warm_low_bits and cold_bits are 5, 7, 5, 3",
		"cold_bits=1":            "registry.cold_bits must be 2 … 8, not 1",
		"hot_score=64":           "registry.hot_score 64: expected more than warm_score, 64",
		"warm_score=0":           "registry.warm_score must be ≥ 1, not 0",
		"warm_score=512":         "registry.hot_score 512: expected more than warm_score, 512",
		"score_scale=0":          "registry.score_scale must be ≥ 1, not 0",
		"warm_byte_cap=-1":       "registry.warm_byte_cap must be ≥ 0, not -1",
		"hysteresis=1.1":         "registry.hysteresis must be 0 … 1, not 1.1",
		"sweep_interval=-5s":     "registry.sweep_interval must be ≥ 0, not -5s",
		"absent_min_score=-1":    "registry.absent_min_score must be ≥ 0, not -1",
		"absent_age_threshold=x": "registry.absent_age_threshold must be a duration",
		"max_depth=65":           "registry.max_depth must be 0 … 64, not 65",
		"fail_fast=1":            "registry.fail_fast must be true or false",
		"memory_cap=-2":          "registry.memory_cap must be ≥ 0, not -2",
		"compact_ratio=1.0":      "registry.compact_ratio must be > 1, ≤ 1,000,000, not 1",
		"block_size=0":           "registry.block_size must be 1 … 65,536, not 0",
		"block_size=65537":       "registry.block_size must be 1 … 65,536, not 65537",
		"two_level_threshold=.9": "registry.two_level_threshold must be",
		"two_level_threshold=0":  "registry.two_level_threshold must be ≥ 1, not 0",
		"outlier_fraction=1.5":   "registry.outlier_fraction must be 0 … 1, not 1.5",
		"headroom=-0.5":          "registry.headroom must be 0 … 1, not -0.5",
	} {
		t.Run("S3.15/"+set, func(t *testing.T) {
			_, _, err := read(t, "", "registry."+set)
			if !errors.Is(err, configs.ErrConfig) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "--set registry."+set+": ") {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	t.Run("S3.31/opt_in", func(t *testing.T) {
		c, _ := mustRead(t, "")
		if on, _ := mustRead(t, "[registry]\ntwo_level_cold = true\n"); c.Registry.Quant.TwoLevelCold || !on.Registry.Quant.TwoLevelCold {
			t.Errorf("by default %v, asked for %v", c.Registry.Quant.TwoLevelCold, on.Registry.Quant.TwoLevelCold)
		}
	})
	for key, want := range map[string]string{
		"block_size": "64", "two_level_threshold": "5.0", "outlier_fraction": "0.05", "two_level_cold": "false", "headroom": "0.1015625",
		"hot_bits": "8", "warm_bits": "7", "warm_low_bits": "5", "cold_bits": "3", "hot_score": "512", "warm_score": "64", "score_scale": "1024",
		"warm_byte_cap": "67108864", "hysteresis": "0.8", "sweep_interval": `"1m0s"`, "absent_min_score": "1",
		"absent_age_threshold": `"24h0m0s"`, "max_depth": "3",
	} {
		t.Run("S3.15/default/"+key, func(t *testing.T) {
			keys := configs.Keys()
			at := slices.IndexFunc(keys, func(k configs.Key) bool { return k.Name == "registry."+key })
			if at < 0 || keys[at].Default() != want {
				t.Errorf("key %d, %+v, want a default of %s", at, keys[max(at, 0)], want)
			}
		})
	}
}
