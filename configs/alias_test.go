package configs_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"boost/booster"
	"boost/configs"
)

// Names as the manuals of the four libraries have them, with what they set here.
func TestAliases(t *testing.T) {
	cases := []struct {
		document string
		get      func(*configs.Config) any
		want     any
	}{
		{"enable_bundle = false", func(c *configs.Config) any { return c.Params.Binning.Bundle }, "off"},
		{"is_enable_bundle = true", func(c *configs.Config) any { return c.Params.Binning.Bundle }, "auto"},
		{"stochastic_rounding = true", func(c *configs.Config) any { return c.Params.Rounding }, "stochastic"},
		{"stochastic_rounding = false", func(c *configs.Config) any { return c.Params.Rounding }, "nearest"},
		{"quant_train_renew_leaf = true", func(c *configs.Config) any { return c.Params.RenewLeaves }, "on"},
		{"quant_train_renew_leaf = false", func(c *configs.Config) any { return c.Params.RenewLeaves }, "off"},
		{"eval_fraction = 0.2", func(c *configs.Config) any { return c.Params.ValidShare }, 0.2},
		{"blacklist = [\"a\", \"b\"]", func(c *configs.Config) any { return c.Data.Ignore }, []string{"a", "b"}},
		{"qid = \"session\"", func(c *configs.Config) any { return c.Data.Group }, "session"},
		{"[binning]\nbundle = \"on\"\nsparse_features_conflict_fraction = 0.05", func(c *configs.Config) any { return c.Params.Binning.BundleConflicts }, 0.05},
		{"num_leaves = 63", func(c *configs.Config) any { return c.Params.Tree.Leaves }, 63},
		{"max_leaves = 0", func(c *configs.Config) any { return c.Params.Tree.Leaves }, 131072},
		{"max_leaves = 0\nmax_depth = 6", func(c *configs.Config) any { return c.Params.Tree.Leaves }, 64},
		{"max_depth = 6\nmax_leaves = 0", func(c *configs.Config) any { return c.Params.Tree.Leaves }, 64},
		{"[tree]\nnum_leaves = 7", func(c *configs.Config) any { return c.Params.Tree.Leaves }, 7},
		{"[tree]\nmonotone_constraints = {a = 1, b = -1}", func(c *configs.Config) any { return c.Params.Tree.Monotone }, map[string]int{"a": 1, "b": -1}},
		{"interaction_constraints = [[\"a\", \"b\"]]", func(c *configs.Config) any { return c.Params.Tree.Interaction }, [][]string{{"a", "b"}}},
		{"max_delta_step = 0.7", func(c *configs.Config) any { return c.Params.Tree.MaxDeltaStep }, 0.7},
		{"grow_policy = \"depthwise\"", func(c *configs.Config) any { return c.Params.Tree.Growth }, "depth"},
		{"lambda_l0 = 0.5", func(c *configs.Config) any { return c.Params.Tree.MinGain }, 0.5},
		{"max_leaf_value = 0.5", func(c *configs.Config) any { return c.Params.Tree.MaxDeltaStep }, 0.5},
		{"[tree]\ncegb_penalty_feature_lazy = {a = 0.5}", func(c *configs.Config) any { return c.Params.Tree.FeatureRowCost["a"] }, 0.5},
		{"cegb_penalty_split = 0.5", func(c *configs.Config) any { return c.Params.Tree.SplitCost }, 0.5},
		{"[tree]\nfeature_contri = {a = 0.5}", func(c *configs.Config) any { return c.Params.Tree.FeaturePenalty }, map[string]float64{"a": 0.5}},
		{"grow_policy = \"SymmetricTree\"", func(c *configs.Config) any { return c.Params.Tree.Growth }, "symmetric"},
		{"grow_policy = \"Lossguide\"", func(c *configs.Config) any { return c.Params.Tree.Growth }, "leaf"},
		{"quantile_alpha = \"0.1, 0.9\"", func(c *configs.Config) any { return c.Params.Loss.Alpha }, []float64{0.1, 0.9}},
		{"is_unbalance = true", func(c *configs.Config) any { return c.Params.ClassWeight }, map[string]float64{booster.Balanced: 1}},
		{"is_unbalance = false", func(c *configs.Config) any { return c.Params.ClassWeight }, map[string]float64(nil)},
		{"auto_class_weights = \"Balanced\"", func(c *configs.Config) any { return c.Params.ClassWeight }, map[string]float64{booster.Balanced: 1}},
		{"[objective]\nclass_weights = {yes = 2, no = 0.5}", func(c *configs.Config) any { return c.Params.ClassWeight }, map[string]float64{"yes": 2, "no": 0.5}},
		{"objective = \"rank:ndcg\"", func(c *configs.Config) any { return c.Params.Objective }, "lambdarank"},
		{"lambdarank_truncation_level = 5", func(c *configs.Config) any { return c.Params.Loss.Truncation }, 5},
		{"lambdarank_norm = false", func(c *configs.Config) any { return c.Params.Loss.Norm }, "off"},
		{"label_gain = [0, 1, 3]", func(c *configs.Config) any { return c.Params.Loss.LabelGain }, []float64{0, 1, 3}},
		{"metric = \"ndcg@5\"", func(c *configs.Config) any { return c.Params.Metrics }, []string{"ndcg@5"}},
		{"quantile_alpha = 0.9", func(c *configs.Config) any { return c.Params.Loss.Alpha }, []float64{0.9}},
		{"tweedie_variance_power = 1.2", func(c *configs.Config) any { return c.Params.Loss.Power }, 1.2},
		{"objective = \"reg:quantileerror\"", func(c *configs.Config) any { return c.Params.Objective }, "quantile"},
		{"objective = \"MAE\"", func(c *configs.Config) any { return c.Params.Objective }, "l1"},
		{"num_iterations = 9", func(c *configs.Config) any { return c.Params.Rounds }, 9},
		{"n_estimators = 9", func(c *configs.Config) any { return c.Params.Rounds }, 9},
		{"iterations = 9", func(c *configs.Config) any { return c.Params.Rounds }, 9},
		{"max_iter = 9", func(c *configs.Config) any { return c.Params.Rounds }, 9},
		{"eta = 0.3", func(c *configs.Config) any { return c.Params.LearningRate }, 0.3},
		{"max_bin = 63", func(c *configs.Config) any { return c.Params.Binning.MaxBin }, 63},
		{"border_count = 254", func(c *configs.Config) any { return c.Params.Binning.MaxBin }, 255},
		{"feature_fraction = 0.5", func(c *configs.Config) any { return c.Params.Tree.ColTree }, 0.5},
		{"colsample_bytree = 0.5", func(c *configs.Config) any { return c.Params.Tree.ColTree }, 0.5},
		{"colsample_bylevel = 0.5", func(c *configs.Config) any { return c.Params.Tree.ColLevel }, 0.5},
		{"colsample_bynode = 0.5", func(c *configs.Config) any { return c.Params.Tree.ColNode }, 0.5},
		{"bagging_fraction = 0.5", func(c *configs.Config) any { return c.Params.RowFraction }, 0.5},
		{"bagging_fraction = 0.5\nbagging_freq = 3", func(c *configs.Config) any { return c.Params.RowEvery }, 3},
		{"bagging_fraction = 0.5\nbagging_freq = 0", func(c *configs.Config) any { return c.Params.RowFraction }, 1.0},
		{"subsample_freq = 0\nsubsample = 0.5", func(c *configs.Config) any { return c.Params.RowFraction }, 1.0},
		{"subsample = 0.5", func(c *configs.Config) any { return c.Params.RowFraction }, 0.5},
		{"boosting_type = \"GBRT\"", func(c *configs.Config) any { return c.Params.Boosting }, "gbdt"},
		{"boosting_type = \"Plain\"", func(c *configs.Config) any { return c.Params.Boosting }, "gbdt"},
		{"booster = \"gbtree\"", func(c *configs.Config) any { return c.Params.Boosting }, "gbdt"},
		{"boosting = \"random_forest\"", func(c *configs.Config) any { return c.Params.Boosting }, "rf"},
		{"rate_drop = 0.2", func(c *configs.Config) any { return c.Params.Dart.DropRate }, 0.2},
		{"uniform_drop = true", func(c *configs.Config) any { return c.Params.Dart.Sample }, "uniform"},
		{"uniform_drop = false", func(c *configs.Config) any { return c.Params.Dart.Sample }, "weighted"},
		{"sample_type = \"uniform\"", func(c *configs.Config) any { return c.Params.Dart.Sample }, "uniform"},
		{"normalize_type = \"forest\"", func(c *configs.Config) any { return c.Params.Dart.Normalize }, "forest"},
		{"xgboost_dart_mode = true", func(c *configs.Config) any { return c.Params.Dart.Normalize }, "tree"},
		{"xgboost_dart_mode = false", func(c *configs.Config) any { return c.Params.Dart.Normalize }, "paper"},
		{"sample_type = \"weighted\"\none_drop = 1", func(c *configs.Config) any { return c.Params.Dart.OneDrop }, true},
		{"bagging_by_query = false", func(c *configs.Config) any { return c.Params.RowBy }, ""},
		{"bagging_by_query = true", func(c *configs.Config) any { return c.Params.RowBy }, "query"},
		{"pos_subsample = 0.5", func(c *configs.Config) any { return c.Params.PositiveFraction }, 0.5},
		{"neg_bagging_fraction = 0.5", func(c *configs.Config) any { return c.Params.NegativeFraction }, 0.5},
		{"mvs_reg = 0.5", func(c *configs.Config) any { return c.Params.MvsLambda }, 0.5},
		{"min_child_samples = 3", func(c *configs.Config) any { return c.Params.Tree.MinDataInLeaf }, 3},
		{"min_samples_leaf = 3", func(c *configs.Config) any { return c.Params.Tree.MinDataInLeaf }, 3},
		{"min_sum_hessian_in_leaf = 3", func(c *configs.Config) any { return c.Params.Tree.MinChildWeight }, 3.0},
		{"reg_lambda = 3", func(c *configs.Config) any { return c.Params.Tree.LambdaL2 }, 3.0},
		{"l2_leaf_reg = 3", func(c *configs.Config) any { return c.Params.Tree.LambdaL2 }, 3.0},
		{"reg_alpha = 3", func(c *configs.Config) any { return c.Params.Tree.LambdaL1 }, 3.0},
		{"min_split_loss = 3", func(c *configs.Config) any { return c.Params.Tree.MinGain }, 3.0},
		{"max_depth = -1", func(c *configs.Config) any { return c.Params.Tree.MaxDepth }, 0},
		{"[tree]\nmax_depth = -1", func(c *configs.Config) any { return c.Params.Tree.MaxDepth }, 0},
		{"n_jobs = -1", func(c *configs.Config) any { return c.Params.Threads }, 0},
		{"nthread = 4", func(c *configs.Config) any { return c.Params.Threads }, 4},
		{"random_state = 7", func(c *configs.Config) any { return c.Params.Seed }, uint64(7)},
		{"early_stopping_rounds = 20", func(c *configs.Config) any { return c.Params.EarlyStopping }, 20},
		{"early_stopping_round = -1", func(c *configs.Config) any { return c.Params.EarlyStopping }, 0},
		{"cat_smooth = 1", func(c *configs.Config) any { return c.Params.Tree.Smooth }, 1.0},
		{"one_hot_max_size = 2", func(c *configs.Config) any { return c.Params.Tree.OneHotMax }, 2},
		{"max_cat_threshold = 2", func(c *configs.Config) any { return c.Params.Tree.MaxPerSide }, 2},
		{"min_data_per_group = 2", func(c *configs.Config) any { return c.Params.Tree.MinPerGroup }, 2.0},
		{"label_column = \"name:y\"", func(c *configs.Config) any { return c.Data.Label }, []string{"y"}},
		{"cat_features = [\"a\"]", func(c *configs.Config) any { return c.Data.Categorical }, []string{"a"}},
		{"eval_metric = \"AUC\"", func(c *configs.Config) any { return c.Params.Metrics }, []string{"auc"}},
		{"metric = \"binary_logloss,auc\"", func(c *configs.Config) any { return c.Params.Metrics }, []string{"logloss", "auc"}},
		{"metric = [\"l2\", \"rmse\"]", func(c *configs.Config) any { return c.Params.Metrics }, []string{"rmse"}},
		{"metric = [\"quantile@.90\", \"pinball@0.9\"]", func(c *configs.Config) any { return c.Params.Metrics }, []string{"pinball@0.9"}},
		{"objective = \"reg:squarederror\"", func(c *configs.Config) any { return c.Params.Objective }, "regression"},
		{"loss_function = \"Logloss\"", func(c *configs.Config) any { return c.Params.Objective }, "binary"},
		{"[train]\nobjective = \"multi:softprob\"", func(c *configs.Config) any { return c.Params.Objective }, "multiclass"},
		{"loss = \"squared_error\"", func(c *configs.Config) any { return c.Params.Objective }, "regression"},
	}
	for _, c := range cases {
		t.Run(c.document, func(t *testing.T) {
			got, notes := mustRead(t, c.document)
			if v := c.get(got); !reflect.DeepEqual(v, c.want) {
				t.Errorf("got %v, want %v", v, c.want)
			}
			sorted := slices.Clone(notes)
			slices.Sort(sorted)
			if !strings.HasPrefix(c.document, "[tree]\nmax_depth") && len(notes) == 0 || len(slices.Compact(sorted)) != len(notes) {
				t.Errorf("notes %q: an alias is to be reported once", notes)
			}
			if strings.Contains(c.document, "\n") {
				return // of several keys, or one of a section
			}
			key, value, _ := strings.Cut(c.document, " = ")
			got, _ = mustRead(t, "", key+"="+strings.Trim(value, `"`))
			if v := c.get(got); !reflect.DeepEqual(v, c.want) {
				t.Errorf("by assignment: got %v, want %v", v, c.want)
			}
		})
	}
}

// No alias may stand for two keys, nor be an own name with a section.
func TestAliasesAreUnique(t *testing.T) {
	owner := map[string]string{}
	for _, k := range configs.Keys() {
		for _, a := range k.Aliases {
			if other, ok := owner[a]; ok {
				t.Errorf("%q is an alias of %s and of %s", a, other, k.Name)
			}
			owner[a] = k.Name
			if slices.Contains([]string{"alpha", "gamma", "lambda", "min_data_per_cat"}, a) {
				t.Errorf("%q is an alias of %s, but has other meanings", a, k.Name)
			}
		}
	}
}

// A peer's parameter that asks for what is done anyway is taken, with a note; one that asks for something else is not.
func TestAlways(t *testing.T) {
	for _, c := range []struct{ name, value, other string }{
		{"tree_method", `"hist"`, `"exact"`},
		{"train.tree_method", `"auto"`, `"approx"`},
		{"device", `"cpu"`, `"cuda"`},
		{"task_type", `"CPU"`, `"GPU"`},
		{"deterministic", "true", "false"},
		{"num_parallel_tree", "1", "4"},
	} {
		document := c.name + " = " + c.value
		for _, sets := range [][]string{nil, {document}, {strings.ReplaceAll(document, `"`, "")}} {
			if sets != nil {
				document = ""
			}
			if _, notes, err := read(t, document, sets...); err != nil || len(notes) != 1 || !strings.Contains(notes[0], c.name) {
				t.Errorf("%q %q: notes %q, error %v", document, sets, notes, err)
			}
		}
		if _, _, err := read(t, c.name+" = "+c.other); err == nil || !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s = %s: error %v", c.name, c.other, err)
		}
	}
}

func TestAmbiguous(t *testing.T) {
	for name, want := range map[string][2]string{
		"alpha":  {"tree.lambda_l1", "objective.alpha"},
		"gamma":  {"tree.min_gain", "train.objective"},
		"lambda": {"tree.lambda_l2", "tree.lambda_l1"},
	} {
		for _, sets := range [][]string{nil, {name + "=1"}, {"tree." + name + "=1"}} {
			document := ""
			if sets == nil {
				document = name + " = 1.0"
			}
			_, _, err := read(t, document, sets...)
			if err == nil || !strings.Contains(err.Error(), want[0]) || !strings.Contains(err.Error(), want[1]) {
				t.Errorf("%q %q: error %v does not list %q", document, sets, err, want)
			}
		}
	}
}

// The grammar of --set.
func TestSet(t *testing.T) {
	cases := []struct {
		set  string
		get  func(*configs.Config) any
		want any
	}{
		{"data.label=1", func(c *configs.Config) any { return c.Data.Label }, []string{"1"}},
		{"data.label=a=b", func(c *configs.Config) any { return c.Data.Label }, []string{"a=b"}},
		{`data.label="1"`, func(c *configs.Config) any { return c.Data.Label }, []string{"1"}},
		{`data.label=""x""`, func(c *configs.Config) any { return c.Data.Label }, []string{`"x"`}},
		{`data.label='it"s'`, func(c *configs.Config) any { return c.Data.Label }, []string{`it"s`}},
		{"data.label= x ", func(c *configs.Config) any { return c.Data.Label }, []string{" x "}},
		{"data.label=a, b", func(c *configs.Config) any { return c.Data.Label }, []string{"a", "b"}},
		{`data.label="a, b"`, func(c *configs.Config) any { return c.Data.Label }, []string{"a, b"}},
		{`data.label=["a, b", "c"]`, func(c *configs.Config) any { return c.Data.Label }, []string{"a, b", "c"}},
		{"data.label=", func(c *configs.Config) any { return c.Data.Label }, []string(nil)},
		{"data.ignore=a, b,c", func(c *configs.Config) any { return c.Data.Ignore }, []string{"a", "b", "c"}},
		{`data.ignore=["a,b", "c"]`, func(c *configs.Config) any { return c.Data.Ignore }, []string{"a,b", "c"}},
		{`data.ignore="a,b", 'c',d`, func(c *configs.Config) any { return c.Data.Ignore }, []string{"a,b", "c", "d"}},
		{`data.ignore="a`, func(c *configs.Config) any { return c.Data.Ignore }, []string{`"a`}},
		{`data.ignore="a" b,c"`, func(c *configs.Config) any { return c.Data.Ignore }, []string{`a" b,c`}},
		{`data.ignore=it's,that's`, func(c *configs.Config) any { return c.Data.Ignore }, []string{"it's", "that's"}},
		{`data.ignore=a,,b,`, func(c *configs.Config) any { return c.Data.Ignore }, []string{"a", "", "b", ""}},
		{`data.missing="-999"`, func(c *configs.Config) any { return c.Data.Missing }, []string{"-999"}},
		{`data.missing_only=""`, func(c *configs.Config) any { return c.Data.MissingOnly }, []string{""}},
		{`data.missing=","`, func(c *configs.Config) any { return c.Data.Missing }, []string{","}},
		{`data.missing="`, func(c *configs.Config) any { return c.Data.Missing }, []string{`"`}},
		{`data.valid="v.csv"`, func(c *configs.Config) any { return c.Data.Valid }, []string{"v.csv"}},
		{`metric="auc"`, func(c *configs.Config) any { return c.Params.Metrics }, []string{"auc"}},
		{`data.missing=[""]`, func(c *configs.Config) any { return c.Data.Missing }, []string{""}},
		{`data.missing=`, func(c *configs.Config) any { return c.Data.Missing }, []string{}},
		{"data.header=false", func(c *configs.Config) any { return c.Data.Header }, "false"},
		{"data.separator=\\t", func(c *configs.Config) any { return c.Data.Separator }, "\t"},
		{"data.separator=;", func(c *configs.Config) any { return c.Data.Separator }, ";"},
		{"data.valid=v.csv", func(c *configs.Config) any { return c.Data.Valid }, []string{"v.csv"}},
		{"tree.leaves=1_000", func(c *configs.Config) any { return c.Params.Tree.Leaves }, 1000},
		{"tree.leaves = 0x10", func(c *configs.Config) any { return c.Params.Tree.Leaves }, 16},
		{"train.learning_rate=1e-3", func(c *configs.Config) any { return c.Params.LearningRate }, 1e-3},
		{"train.learning_rate=1", func(c *configs.Config) any { return c.Params.LearningRate }, 1.0},
		{"objective.alpha=0.1,0.9", func(c *configs.Config) any { return c.Params.Loss.Alpha }, []float64{0.1, 0.9}},
		{"objective.alpha=[0.1, 0.9]", func(c *configs.Config) any { return c.Params.Loss.Alpha }, []float64{0.1, 0.9}},
		{"objective.alpha=0.5", func(c *configs.Config) any { return c.Params.Loss.Alpha }, []float64{0.5}},
		{"class_weight=balanced", func(c *configs.Config) any { return c.Params.ClassWeight }, map[string]float64{booster.Balanced: 1}},
		{"is_unbalance=true", func(c *configs.Config) any { return c.Params.ClassWeight }, map[string]float64{booster.Balanced: 1}},
		{"objective.class_weight={no = 2}", func(c *configs.Config) any { return c.Params.ClassWeight }, map[string]float64{"no": 2}},
		{`constraints.interaction=[["a", "b"], ["c"]]`, func(c *configs.Config) any { return c.Params.Tree.Interaction }, [][]string{{"a", "b"}, {"c"}}},
		{"constraints.monotone={a = -1}", func(c *configs.Config) any { return c.Params.Tree.Monotone }, map[string]int{"a": -1}},
		{"binning.weighted_cuts=true", func(c *configs.Config) any { return c.Params.Binning.WeightedCuts }, true},
		{"train.time_limit=90s", func(c *configs.Config) any { return c.Params.TimeLimit }, 90 * time.Second},
		{"train.time_limit=90", func(c *configs.Config) any { return c.Params.TimeLimit }, 90 * time.Second},
		{"train.time_limit=0.5", func(c *configs.Config) any { return c.Params.TimeLimit }, 500 * time.Millisecond},
		{`train.time_limit="10m"`, func(c *configs.Config) any { return c.Params.TimeLimit }, 10 * time.Minute},
		{"train.memory_limit=4GB", func(c *configs.Config) any { return c.Params.MemoryLimit }, int64(4e9)},
		{"train.memory_limit=1.5 GiB", func(c *configs.Config) any { return c.Params.MemoryLimit }, int64(1.5 * (1 << 30))},
		{"train.memory_limit=12345", func(c *configs.Config) any { return c.Params.MemoryLimit }, int64(12345)},
		{"metrics.names=auc,logloss", func(c *configs.Config) any { return c.Params.Metrics }, []string{"auc", "logloss"}},
		{"num_leaves=5", func(c *configs.Config) any { return c.Params.Tree.Leaves }, 5},
	}
	for _, c := range cases {
		t.Run(c.set, func(t *testing.T) {
			got, _ := mustRead(t, "", c.set)
			if v := c.get(got); !reflect.DeepEqual(v, c.want) && !(fmt.Sprint(v) == "[]" && fmt.Sprint(c.want) == "[]") {
				t.Errorf("got %#v, want %#v", v, c.want)
			}
		})
	}
	for set, want := range map[string]string{
		"tree.leaves=x":                  "tree.leaves must be an integer, not \"x\"",
		"tree.leaves=\"5\"":              "tree.leaves must be an integer, not \"5\"",
		"tree.leaves=5.0":                "tree.leaves must be an integer, not 5.0",
		"tree.leaves=":                   "tree.leaves must be an integer",
		"tree.leaves=5\nz=1":             "tree.leaves must be an integer",
		"tree.leaves":                    "expected section.key=value",
		"=3":                             "unknown key \"\"",
		"binning.weighted_cuts=yes":      "must be true or false, not \"yes\"",
		"data.ignore=[1]":                "1 in it is none",
		"train.seed=-1":                  "train.seed must be ≥ 0, not -1",
		"train.gradients=i17":            `train.gradients must be "f32", "i32", "i16", "i8", "i4" or "auto", not "i17"`,
		"train.seed=9223372036854775808": "train.seed must be an integer",
	} {
		if _, _, err := read(t, "", set); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "--set ") {
			t.Errorf("%q: error %v, want %q", set, err, want)
		}
	}
}

// Assignments and flags stand above the file. Among themselves, lists and tables are joined, and
// other keys have one value.
func TestSetAgain(t *testing.T) {
	file := "[tree]\nleaves = 3\n[data]\nignore = [\"z\"]\n"
	c, _ := mustRead(t, file, "num_leaves=5", "tree.leaves=5", "ignore=a", "data.ignore=b,a", "forced_cuts={x = [1]}", "binning.forced_cuts={y = [2]}")
	if c.Params.Tree.Leaves != 5 || !slices.Equal(c.Data.Ignore, []string{"a", "b"}) {
		t.Errorf("leaves %d, ignored %q, want 5 and a, b", c.Params.Tree.Leaves, c.Data.Ignore)
	}
	if want := map[string][]float64{"x": {1}, "y": {2}}; !reflect.DeepEqual(c.Params.Binning.ForcedCuts, want) {
		t.Errorf("forced cuts are %v, want %v", c.Params.Binning.ForcedCuts, want)
	}
	for want, sets := range map[string][]string{
		"tree.leaves has two values: --set leaves=4 and --set tree.leaves=5 (leave one of them out)":                              {"leaves=4", "tree.leaves=5"},
		"data.weight has two values: --set weight=a and --set data.weight=b":                                                      {"weight=a", "data.weight=b"},
		"binning.forced_cuts has two values: --set binning.forced_cuts={x = [1]} and --set binning.forced_cuts={y = [], x = [2]}": {"binning.forced_cuts={x = [1]}", "binning.forced_cuts={y = [], x = [2]}"},
	} {
		if _, _, err := read(t, file, sets...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", sets, err, want)
		}
	}
	_, _, err := configs.Read(configs.Default(), "", []string{"eta=0.2"}, configs.Flag{Name: "--learning-rate", Key: "train.learning_rate", Value: "0.1"})
	if want := "train.learning_rate has two values: --learning-rate 0.1 and --set eta=0.2"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// The last part of a key's name is enough, where it has one meaning.
func TestBareNames(t *testing.T) {
	c, notes := mustRead(t, "", "encoding=latin1", "leaves=7", "max_depth=3")
	if c.Data.Encoding != "latin1" || c.Params.Tree.Leaves != 7 || c.Params.Tree.MaxDepth != 3 || !c.Given("data.encoding") {
		t.Errorf("encoding %q, %d leaves, depth %d, want latin1, 7, 3", c.Data.Encoding, c.Params.Tree.Leaves, c.Params.Tree.MaxDepth)
	}
	if len(notes) != 1 { // max_depth is the peers' name too
		t.Errorf("notes %q", notes)
	}
	if _, _, err := read(t, "", "l2=1"); err == nil || !strings.Contains(err.Error(), "tree.lambda_l2") || !strings.Contains(err.Error(), "categorical.l2") {
		t.Errorf("error %v does not list what l2 may mean", err)
	}
}

// train.gradients takes six names, the default is i16, and any other is told all six.
func TestGradients(t *testing.T) {
	t.Run("S2.42/six_names", func(t *testing.T) {
		for _, name := range []string{"f32", "i32", "i16", "i8", "i4", "auto"} {
			if c, _ := mustRead(t, "", "train.gradients="+name); c.Params.Gradients != name {
				t.Errorf("train.gradients=%s is read as %q", name, c.Params.Gradients)
			}
		}
		if c, _ := mustRead(t, ""); c.Params.Gradients != "i16" {
			t.Errorf("the default is %q, want i16", c.Params.Gradients)
		}
		want := `train.gradients must be "f32", "i32", "i16", "i8", "i4" or "auto", not "int8"`
		if _, _, err := read(t, "", "train.gradients=int8"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("num_leaves = 3\n[data]\ntrain = [\"a\"]\n", "tree.leaves=3")
	f.Add("data.label.x = 3\n[[tree]]\na = 1\n", "data.missing=[\"\"]")
	f.Add("[data]\nx = {a = {b = 1}}\ndate = 2020-01-01", "metrics.names=[[1]]")
	f.Fuzz(func(t *testing.T, document, set string) {
		c, _, err := read(t, document, set)
		if (c == nil) == (err == nil) {
			t.Fatalf("config %v with error %v", c, err)
		}
	})
}

// What an error advises to ignore is what is ignored, whatever the column is called.
func TestAdvisedNames(t *testing.T) {
	for _, name := range []string{"a", "a,b", `"a"`, "'a'", `"a`, " a ", "[a", `say "a"`, `"a" b`} {
		var value string
		configs.AsFlags("set ignore = ["+strconv.Quote(name)+"]", func(_ *configs.Key, v string) string { value = v; return "--ignore" })
		got, _ := mustRead(t, "", "data.ignore="+value)
		if !slices.Equal(got.Data.Ignore, []string{name}) {
			t.Errorf("%q is advised as %s, which is %q", name, value, got.Data.Ignore)
		}
	}
}
