package booster_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"boost/booster"
)

// outsideValues names, for every setting that can change a model, the tests that compare what it does with a value from outside: what peers
// have lost or predicted with it (fixtures beside the tests), a paper's formula, or a tree computed by hand. Paths are those below the tree's top.
// The file of a test names the setting's field, or the word behind the test.
var outsideValues = map[string]string{
	"data.positive_class":            "booster/options_test.go TestPositiveClassByHand",
	"train.objective":                "booster/options_test.go TestOptionsLikePeers, objectives/objectives_test.go TestLightGBM",
	"train.rounds":                   "booster/options_test.go TestOptionsLikePeers",
	"train.learning_rate":            "booster/options_test.go TestOptionsLikePeers",
	"train.seed":                     "booster/options_test.go TestDrawsLikePeers",
	"train.gradients":                "gradients/packed_test.go TestPackedRoundTrip I16, booster/gradients_test.go TestQualityOf16Bits",
	"train.early_stopping":           "booster/options_test.go TestEarlyStoppingLikePeers",
	"train.early_stopping_min_delta": "booster/options_test.go TestEarlyStoppingLikePeers",
	"train.valid_share":              "booster/holdout_test.go TestValidShare",
	"train.valid_by":                 "booster/holdout_test.go TestValidBy",
	"train.retrain":                  "booster/retrain_test.go TestRetrain",
	"train.bag_folds":                "booster/search/bag_test.go TestBag",
	"train.boosting":                 "booster/options_test.go TestDrawsLikePeers, booster/modes_test.go TestModesAgreeWithLightGBM",
	"train.learning_rate_schedule":   "booster/options_test.go TestOptionsLikePeers",
	"train.learning_rate_end":        "booster/options_test.go TestOptionsLikePeers",
	"train.learning_rates":           "booster/options_test.go TestOptionsLikePeers",
	"dart.drop_rate":                 "booster/options_test.go TestDrawsLikePeers",
	"dart.max_drop":                  "booster/options_test.go TestDrawsLikePeers",
	"dart.skip_drop":                 "booster/options_test.go TestDrawsLikePeers",
	"dart.sample":                    "booster/options_test.go TestDrawsLikePeers",
	"dart.normalize":                 "booster/options_test.go TestOptionsLikePeers",
	"dart.one_drop":                  "booster/options_test.go TestOptionsLikePeers",

	"objective.class_weight":           "booster/options_test.go TestOptionsLikePeers",
	"objective.scale_pos_weight":       "booster/options_test.go TestOptionsLikePeers",
	"objective.position_l2":            "booster/positions_test.go TestPositionBias",
	"objective.alpha":                  "booster/options_test.go TestOptionsLikePeers, booster/losses_test.go TestQuantileLeaves",
	"objective.delta":                  "objectives/losses_test.go TestSlopes",
	"objective.fair_c":                 "objectives/losses_test.go TestSlopes",
	"objective.power":                  "booster/options_test.go TestOptionsLikePeers",
	"objective.poisson_max_delta_step": "booster/options_test.go TestOptionsLikePeers",
	"objective.focal_gamma":            "objectives/losses_test.go TestSlopes",
	"objective.target":                 "objectives/ranking_test.go TestMapByHand, objectives/ranking_test.go TestRankingGradientsOfPeers",
	"objective.truncation":             "objectives/ranking_test.go TestRankingGradientsOfPeers",
	"objective.norm":                   "objectives/ranking_test.go TestRankingGradientsOfPeers",
	"objective.sigmoid":                "objectives/ranking_test.go TestRankingGradientsOfPeers",
	"objective.label_gain":             "objectives/ranking_test.go TestRankingGradientsOfPeers",
	"objective.distribution":           "objectives/survival_test.go TestAFTAsXGBoost",
	"objective.scale":                  "objectives/survival_test.go TestAFTAsXGBoost",
	"objective.ties":                   "objectives/survival_test.go TestCoxSlopes",

	"gradients.mode":                  "gradients/packed_test.go TestAsymmetric Asymmetric",
	"gradients.rounding":              "gradients/packed_test.go TestStochastic",
	"gradients.renew_leaves":          "booster/refit_test.go TestRefitIsRenewal renewed",
	"gradients.clip_negative_hessian": "booster/options_test.go TestClipNegativeHessianByHand",

	"sampling.row_fraction":        "booster/options_test.go TestDrawsLikePeers",
	"sampling.row_every":           "booster/options_test.go TestDrawsLikePeers",
	"sampling.goss_top":            "booster/options_test.go TestDrawsLikePeers",
	"sampling.goss_other":          "booster/options_test.go TestDrawsLikePeers",
	"sampling.mvs_fraction":        "booster/options_test.go TestDrawsLikePeers",
	"sampling.mvs_lambda":          "booster/options_test.go TestDrawsLikePeers",
	"sampling.positive_fraction":   "booster/options_test.go TestDrawsLikePeers",
	"sampling.negative_fraction":   "booster/options_test.go TestDrawsLikePeers",
	"sampling.bagging_temperature": "booster/options_test.go TestDrawsLikePeers",
	"sampling.row_by":              "booster/rowsamples_test.go TestRowSamplesByHand",
	"sampling.stratified":          "booster/rowsamples_test.go TestRowSamplesByHand",
	"sampling.replace":             "booster/rowsamples_test.go TestRowSamplesByHand",
	"sampling.col_tree":            "booster/options_test.go TestDrawsLikePeers",
	"sampling.col_level":           "booster/options_test.go TestDrawsLikePeers",
	"sampling.col_node":            "booster/options_test.go TestDrawsLikePeers",
	"sampling.col_weights":         "booster/options_test.go TestDrawsLikePeers",

	"binning.all_rows":           "booster/retrain_test.go TestRetrain",
	"binning.max_bin":            "binning/cuts_test.go TestQuantiles",
	"binning.min_data_in_bin":    "binning/cuts_test.go TestMinDataInBin",
	"binning.sample":             "binning/sampler_test.go TestSample",
	"binning.placement":          "binning/cuts_test.go TestQuantiles",
	"binning.max_bin_by_feature": "binning/forced_test.go TestMaxBinByFeature",
	"binning.forced_cuts":        "binning/forced_test.go TestForcedCuts",
	"binning.bundle_conflicts":   "binning/bundle_test.go TestBundlesByTheRule conflicts",
	"binning.weighted_cuts":      "binning/build_test.go TestWeightedCuts",

	"categorical.splits":           "booster/internal/levels/levels_test.go TestStatistics levels",
	"categorical.combinations":     "booster/crosses_test.go TestCrossedColumns",
	"categorical.counts":           "booster/internal/levels/levels_test.go TestCounts",
	"categorical.max_cat":          "binning/categories_test.go TestCategories",
	"categorical.min_data_per_cat": "binning/categories_test.go TestCategories",
	"categorical.hash_buckets":     "binning/categories_test.go TestHashedLevels",
	"categorical.order":            "binning/categories_test.go TestOrderByName",
	"categorical.onehot_max":       "booster/options_test.go TestOptionsLikePeers",
	"categorical.smooth":           "booster/options_test.go TestOptionsLikePeers",
	"categorical.l2":               "booster/options_test.go TestOptionsLikePeers",
	"categorical.max_per_side":     "booster/options_test.go TestOptionsLikePeers",
	"categorical.min_per_group":    "booster/options_test.go TestOptionsLikePeers",

	"tree.growth":           "booster/options_test.go TestOptionsLikePeers",
	"tree.leaves":           "booster/options_test.go TestOptionsLikePeers",
	"tree.max_depth":        "booster/options_test.go TestOptionsLikePeers",
	"tree.min_data_in_leaf": "booster/options_test.go TestOptionsLikePeers",
	"tree.min_child_weight": "booster/options_test.go TestOptionsLikePeers",
	"tree.lambda_l1":        "booster/options_test.go TestOptionsLikePeers",
	"tree.lambda_l2":        "booster/options_test.go TestOptionsLikePeers",
	"tree.min_gain":         "booster/options_test.go TestOptionsLikePeers",
	"tree.max_delta_step":   "booster/options_test.go TestOptionsLikePeers",
	"tree.path_smooth":      "booster/options_test.go TestOptionsLikePeers",
	"tree.extra_trees":      "booster/options_test.go TestDrawsLikePeers",
	"tree.linear":           "booster/options_test.go TestOptionsLikePeers",
	"tree.linear_lambda":    "booster/options_test.go TestOptionsLikePeers",
	"tree.forced_splits":    "booster/options_test.go TestOptionsLikePeers",
	"tree.feature_penalty":  "booster/options_test.go TestOptionsLikePeers",
	"tree.feature_cost":     "booster/options_test.go TestOptionsLikePeers",
	"tree.feature_row_cost": "booster/options_test.go TestOptionsLikePeers, booster/constraints_test.go TestConstraintsLikePeers",
	"tree.split_cost":       "booster/options_test.go TestOptionsLikePeers",
	"tree.cost_tradeoff":    "booster/options_test.go TestOptionsLikePeers",
	"tree.reuse_feature":    "tree/grow/reuse_test.go TestReuse",
	"tree.reuse_cut":        "tree/grow/reuse_test.go TestReuse",

	"constraints.monotone":         "booster/options_test.go TestOptionsLikePeers",
	"constraints.monotone_method":  "booster/options_test.go TestOptionsLikePeers",
	"constraints.monotone_penalty": "booster/options_test.go TestOptionsLikePeers",
	"constraints.interaction":      "booster/options_test.go TestOptionsLikePeers",
	"constraints.first_level":      "booster/featurecosts_test.go TestFeatureLevelsAndCosts",
	"constraints.last_level":       "booster/featurecosts_test.go TestFeatureLevelsAndCosts",

	"metrics.names":           "objectives/metrics/peers_test.go TestPeerFigures Eval",
	"metrics.every":           "booster/from_test.go TestFromIsOneRun",
	"quantize.dtype":          "booster/feedback_test.go TestFeedbackInTraining",
	"quantize.error_feedback": "booster/feedback_test.go TestErrorFeedback",
}

// Every setting that can change a model has a test against a value from outside, which is there and sets the field.
func TestOutsideValues(t *testing.T) {
	p := booster.Defaults()
	known := map[string]bool{}
	for _, s := range booster.Settings(&p) {
		tests, has := outsideValues[s.Name]
		known[s.Name] = true
		switch {
		case s.Run && has:
			t.Errorf("%s cannot change a model, and %s is to prove what it changes", s.Name, tests)
		case !s.Run && !has:
			t.Errorf("no test compares what %s does with a value from outside: add an option to testdata/options.py, or a tree computed by hand, and name the test here", s.Name)
		case has:
			field := fieldOf(reflect.ValueOf(&p).Elem(), reflect.ValueOf(s.Value))
			for test := range strings.SplitSeq(tests, ", ") {
				checkOutsideTest(t, s.Name, field, test)
			}
		}
	}
	for name := range outsideValues {
		if !known[name] {
			t.Errorf("%s is no setting", name)
		}
	}
}

// checkOutsideTest fails where a test is not there, or its file does not name the field.
func checkOutsideTest(t *testing.T, name, field, test string) {
	t.Helper()
	words := strings.Fields(test)
	path, function := filepath.Join("..", filepath.FromSlash(words[0])), words[1]
	if len(words) > 2 {
		field = words[2]
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		made, ok := d.(*ast.FuncDecl)
		return ok && made.Name.Name == function
	}) {
		t.Errorf("%s: %s has no %s", name, path, function)
	}
	if !regexp.MustCompile(`\b` + field + `\b`).Match(text) {
		t.Errorf("%s: %s does not name %s", name, path, field)
	}
}

// fieldOf returns the name of the field of a struct, or of one in it, to which a pointer points.
func fieldOf(in, pointer reflect.Value) string {
	for i := range in.NumField() {
		f := in.Field(i)
		if f.Addr().Pointer() == pointer.Pointer() && f.Type() == pointer.Type().Elem() {
			return in.Type().Field(i).Name
		}
		if f.Kind() == reflect.Struct {
			if name := fieldOf(f, pointer); name != "" {
				return name
			}
		}
	}
	return ""
}
