package configs_test

import (
	"reflect"
	"strings"
	"testing"

	"boost/booster/preset"
	"boost/configs"
)

// Parameters of peers that say when to stop, what leads and what is sampled do the same here, also with a preset, once a table is known.
func TestParametersThatFollowEachOther(t *testing.T) {
	for _, c := range []struct {
		sets string
		want func(c *configs.Config) bool
		note string
	}{
		{"preset=catboost rounds=300 use_best_model=true", func(c *configs.Config) bool { return c.Params.EarlyStopping == 300 }, "use_best_model: train.early_stopping is 300"},
		{"preset=catboost use_best_model=true od_type=Iter", func(c *configs.Config) bool { return c.Params.EarlyStopping == 20 }, "od_type: train.early_stopping is 20"},
		{"preset=catboost od_type=Iter od_wait=7", func(c *configs.Config) bool { return c.Params.EarlyStopping == 7 }, ""},
		{"preset=lightgbm bagging_fraction=0.5 bagging_freq=0", func(c *configs.Config) bool { return c.Params.RowFraction == 1 }, "a bagging frequency of 0"},
		{"preset=lightgbm bagging_freq=0 pos_bagging_fraction=0.5", func(c *configs.Config) bool { return c.Params.PositiveFraction == 0 }, "a bagging frequency of 0"},
		{"custom_metric=mae,r2 eval_metric=rmse", func(c *configs.Config) bool {
			return reflect.DeepEqual(c.Params.Metrics, []string{"rmse", "mae", "r2"})
		}, ""},
		{"eval_metric=rmse custom_loss=mae", func(c *configs.Config) bool { return reflect.DeepEqual(c.Params.Metrics, []string{"rmse", "mae"}) }, ""},
		{"preset=catboost custom_metric=mae,rmse eval_metric=rmse", func(c *configs.Config) bool { return reflect.DeepEqual(c.Params.Metrics, []string{"rmse", "mae"}) }, ""},
		{"preset=xgboost max_cat_to_onehot=4", func(c *configs.Config) bool { return c.Params.Tree.OneHotMax == 3 }, ""},
		{"preset=lightgbm max_cat_to_onehot=4", func(c *configs.Config) bool { return c.Params.Tree.OneHotMax == 4 }, ""},
		{"preset=catboost early_stopping_rounds=9 use_best_model=true", func(c *configs.Config) bool { return c.Params.EarlyStopping == 9 }, "use_best_model: training stops early here"},
		{"preset=lightgbm validation_fraction=0.5", func(c *configs.Config) bool { return c.Params.ValidShare == 0.5 }, "holds rows out here also without early stopping"},
		{"num_class=3", func(c *configs.Config) bool { return true }, "the classes are those of the label"},
		{"sigmoid=1.0", func(c *configs.Config) bool { return !c.Given("objective.sigmoid") }, ""},
		{"verbosity=-1 force_row_wise=true", func(c *configs.Config) bool { return true }, `"force_row_wise" is left out: the layout`},
		{"categorical_feature=name:a,b validate_parameters=1", func(c *configs.Config) bool {
			return reflect.DeepEqual(c.Data.Categorical, []string{"a", "b"})
		}, ""},
		{"gamma=0.0 enable_categorical=False", func(c *configs.Config) bool { return c.Params.Tree.MinGain == 0 }, ""},
	} {
		read, notes := mustRead(t, "", strings.Fields(c.sets)...)
		if err := read.SettleFor(preset.Table{Rows: 1000, Objective: "regression"}); err != nil || !c.want(read) {
			t.Errorf("%s: %v: %+v", c.sets, err, read.Params)
		}
		if !strings.Contains(strings.Join(notes, "\n"), c.note) {
			t.Errorf("%s: notes %q, want %q", c.sets, notes, c.note)
		}
		for _, note := range notes {
			if note == "" {
				t.Errorf("%s: an empty note", c.sets)
			}
		}
	}
	for sets, want := range map[string]string{
		"custom_metric=mae": "custom_metric alone",
		"preset=catboost early_stopping=0 use_best_model=true": "use_best_model stops training",
		"feature_weights=[1,2]":                                "CatBoost's",
		"num_class=0":                                          "leave it out",
		"metric=None":                                          "evaluated always",
		"eval_metric=PRAUC":                                    "take average_precision",
		"verbose=much":                                         "-v and -q",
		"cat_features=[2]":                                     "by their names",
		"gamma=0.5":                                            "two meanings",
	} {
		if _, _, err := configs.Read(configs.Default(), "", strings.Fields(sets)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", sets, err, want)
		}
	}
	if c, _ := mustRead(t, "custom_metric = [\"mae\"]\n", "eval_metric=rmse,r2"); !reflect.DeepEqual(c.Params.Metrics, []string{"rmse", "r2", "mae"}) {
		t.Errorf("metrics %v", c.Params.Metrics)
	}
	if c, _ := mustRead(t, "custom_metric = [\"mae\"]\neval_metric = \"rmse\"\n", "custom_metric=r2"); !reflect.DeepEqual(c.Params.Metrics, []string{"rmse", "r2"}) {
		t.Errorf("metrics %v", c.Params.Metrics)
	}
	if _, notes := mustRead(t, "", "preset=lightgbm", "min_data_in_bin=3"); len(notes) != 1 {
		t.Errorf("notes %q", notes)
	}
}

// A model of several quantiles is judged by the metric of their levels alone.
func TestMetricsOfQuantiles(t *testing.T) {
	own := []string{"pinball@0.1/0.9"}
	for _, name := range []string{"mae", "pinball@0.5"} {
		if _, err := configs.ChooseMetrics([]string{name}, own, "sorted"); err == nil || !strings.Contains(err.Error(), "take pinball@0.1/0.9") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if names, err := configs.ChooseMetrics([]string{"quantile@.1/.9"}, own, "sorted"); err != nil || !reflect.DeepEqual(names, own) {
		t.Errorf("%v: %v", names, err)
	}
}
