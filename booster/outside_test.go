package booster_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"boost/booster"
	"boost/internal/testenv"
)

// outsideValues names, for every setting that can change a model, the tests that compare what it does with a value from outside: what peers
// have lost or predicted with it (fixtures beside the tests), a paper's formula, or a tree computed by hand. A test is named by its file, in whichever folder that is.
// The file of a test names the setting's field, or the word behind the test.
var outsideValues = map[string]string{
	"data.positive_class":            "options_test.go TestPositiveClassByHand",
	"train.objective":                "options_test.go TestOptionsLikePeers, objectives_test.go TestLightGBM",
	"train.rounds":                   "options_test.go TestOptionsLikePeers",
	"train.learning_rate":            "options_test.go TestOptionsLikePeers",
	"train.seed":                     "options_test.go TestDrawsLikePeers",
	"train.gradients":                "packed_test.go TestPackedRoundTrip I16, gradients_test.go TestQualityOf16Bits",
	"train.early_stopping":           "options_test.go TestEarlyStoppingLikePeers",
	"train.early_stopping_min_delta": "options_test.go TestEarlyStoppingLikePeers",
	"train.valid_share":              "holdout_test.go TestValidShare",
	"train.valid_by":                 "holdout_test.go TestValidBy",
	"train.retrain":                  "retrain_test.go TestRetrain",
	"train.bag_folds":                "bag_test.go TestBag",
	"train.blend":                    "blend_test.go TestBlend",
	"train.boosting":                 "options_test.go TestDrawsLikePeers, modes_test.go TestModesAgreeWithLightGBM",
	"train.learning_rate_schedule":   "options_test.go TestOptionsLikePeers",
	"train.learning_rate_end":        "options_test.go TestOptionsLikePeers",
	"train.learning_rates":           "options_test.go TestOptionsLikePeers",
	"dart.drop_rate":                 "options_test.go TestDrawsLikePeers",
	"dart.max_drop":                  "options_test.go TestDrawsLikePeers",
	"dart.skip_drop":                 "options_test.go TestDrawsLikePeers",
	"dart.sample":                    "options_test.go TestDrawsLikePeers",
	"dart.normalize":                 "options_test.go TestOptionsLikePeers",
	"dart.one_drop":                  "options_test.go TestOptionsLikePeers",

	"objective.class_weight":           "options_test.go TestOptionsLikePeers",
	"objective.scale_pos_weight":       "options_test.go TestOptionsLikePeers",
	"objective.position_l2":            "positions_test.go TestPositionBias",
	"objective.alpha":                  "options_test.go TestOptionsLikePeers, losses_test.go TestQuantileLeaves",
	"objective.delta":                  "losses_test.go TestSlopes",
	"objective.fair_c":                 "losses_test.go TestSlopes",
	"objective.power":                  "options_test.go TestOptionsLikePeers",
	"objective.poisson_max_delta_step": "options_test.go TestOptionsLikePeers",
	"objective.focal_gamma":            "losses_test.go TestSlopes",
	"objective.target":                 "ranking_test.go TestMapByHand, ranking_test.go TestRankingGradientsOfPeers",
	"objective.truncation":             "ranking_test.go TestRankingGradientsOfPeers",
	"objective.norm":                   "ranking_test.go TestRankingGradientsOfPeers",
	"objective.sigmoid":                "ranking_test.go TestRankingGradientsOfPeers",
	"objective.label_gain":             "ranking_test.go TestRankingGradientsOfPeers",
	"objective.distribution":           "survival_test.go TestAFTAsXGBoost",
	"objective.scale":                  "survival_test.go TestAFTAsXGBoost",
	"objective.ties":                   "survival_test.go TestCoxSlopes",

	"gradients.mode":                  "packed_test.go TestAsymmetric Asymmetric",
	"gradients.rounding":              "packed_test.go TestStochastic",
	"gradients.renew_leaves":          "refit_test.go TestRefitIsRenewal renewed",
	"gradients.clip_negative_hessian": "options_test.go TestClipNegativeHessianByHand",

	"sampling.row_fraction":        "options_test.go TestDrawsLikePeers",
	"sampling.row_every":           "options_test.go TestDrawsLikePeers",
	"sampling.goss_top":            "options_test.go TestDrawsLikePeers",
	"sampling.goss_other":          "options_test.go TestDrawsLikePeers",
	"sampling.mvs_fraction":        "options_test.go TestDrawsLikePeers",
	"sampling.mvs_lambda":          "options_test.go TestDrawsLikePeers",
	"sampling.positive_fraction":   "options_test.go TestDrawsLikePeers",
	"sampling.negative_fraction":   "options_test.go TestDrawsLikePeers",
	"sampling.bagging_temperature": "options_test.go TestDrawsLikePeers",
	"sampling.row_by":              "rowsamples_test.go TestRowSamplesByHand",
	"sampling.stratified":          "rowsamples_test.go TestRowSamplesByHand",
	"sampling.replace":             "rowsamples_test.go TestRowSamplesByHand",
	"sampling.col_tree":            "options_test.go TestDrawsLikePeers",
	"sampling.col_level":           "options_test.go TestDrawsLikePeers",
	"sampling.col_node":            "options_test.go TestDrawsLikePeers",
	"sampling.col_weights":         "options_test.go TestDrawsLikePeers",

	"binning.all_rows":           "retrain_test.go TestRetrain",
	"binning.max_bin":            "cuts_test.go TestQuantiles",
	"binning.min_data_in_bin":    "cuts_test.go TestMinDataInBin",
	"binning.sample":             "sampler_test.go TestSample",
	"binning.placement":          "cuts_test.go TestQuantiles",
	"binning.max_bin_by_feature": "forced_test.go TestMaxBinByFeature",
	"binning.forced_cuts":        "forced_test.go TestForcedCuts",
	"binning.bundle_conflicts":   "bundle_test.go TestBundlesByTheRule conflicts",
	"binning.weighted_cuts":      "build_test.go TestWeightedCuts",

	"categorical.splits":           "levels_test.go TestStatistics levels",
	"categorical.combinations":     "crosses_test.go TestCrossedColumns",
	"categorical.counts":           "levels_test.go TestCounts",
	"categorical.max_cat":          "categories_test.go TestCategories",
	"categorical.min_data_per_cat": "categories_test.go TestCategories",
	"categorical.hash_buckets":     "categories_test.go TestHashedLevels",
	"categorical.order":            "categories_test.go TestOrderByName",
	"categorical.onehot_max":       "options_test.go TestOptionsLikePeers",
	"categorical.smooth":           "options_test.go TestOptionsLikePeers",
	"categorical.l2":               "options_test.go TestOptionsLikePeers",
	"categorical.max_per_side":     "options_test.go TestOptionsLikePeers",
	"categorical.min_per_group":    "options_test.go TestOptionsLikePeers",

	"tree.growth":           "options_test.go TestOptionsLikePeers",
	"tree.leaves":           "options_test.go TestOptionsLikePeers",
	"tree.max_depth":        "options_test.go TestOptionsLikePeers",
	"tree.min_data_in_leaf": "options_test.go TestOptionsLikePeers",
	"tree.min_child_weight": "options_test.go TestOptionsLikePeers",
	"tree.lambda_l1":        "options_test.go TestOptionsLikePeers",
	"tree.lambda_l2":        "options_test.go TestOptionsLikePeers",
	"tree.min_gain":         "options_test.go TestOptionsLikePeers",
	"tree.max_delta_step":   "options_test.go TestOptionsLikePeers",
	"tree.path_smooth":      "options_test.go TestOptionsLikePeers",
	"tree.extra_trees":      "options_test.go TestDrawsLikePeers",
	"tree.linear":           "options_test.go TestOptionsLikePeers",
	"tree.linear_lambda":    "options_test.go TestOptionsLikePeers",
	"tree.forced_splits":    "options_test.go TestOptionsLikePeers",
	"tree.feature_penalty":  "options_test.go TestOptionsLikePeers",
	"tree.feature_cost":     "options_test.go TestOptionsLikePeers",
	"tree.feature_row_cost": "options_test.go TestOptionsLikePeers, constraints_test.go TestConstraintsLikePeers",
	"tree.split_cost":       "options_test.go TestOptionsLikePeers",
	"tree.cost_tradeoff":    "options_test.go TestOptionsLikePeers",
	"tree.reuse_feature":    "reuse_test.go TestReuse",
	"tree.reuse_cut":        "reuse_test.go TestReuse",

	"constraints.monotone":         "options_test.go TestOptionsLikePeers",
	"constraints.monotone_method":  "options_test.go TestOptionsLikePeers",
	"constraints.monotone_penalty": "options_test.go TestOptionsLikePeers",
	"constraints.interaction":      "options_test.go TestOptionsLikePeers",
	"constraints.first_level":      "featurecosts_test.go TestFeatureLevelsAndCosts",
	"constraints.last_level":       "featurecosts_test.go TestFeatureLevelsAndCosts",

	"metrics.names":           "peers_test.go TestPeerFigures Eval",
	"metrics.every":           "from_test.go TestFromIsOneRun",
	"quantize.dtype":          "feedback_test.go TestFeedbackInTraining",
	"quantize.error_feedback": "feedback_test.go TestErrorFeedback",
}

// Every setting that can change a model has a test against a value from outside, which is there and sets the field.
func TestOutsideValues(t *testing.T) {
	testenv.Unraced(t)
	p := booster.Defaults()
	known, files := map[string]bool{}, testFiles(t)
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
				checkOutsideTest(t, files, s.Name, field, test)
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
func checkOutsideTest(t *testing.T, files map[string][]string, name, field, test string) {
	t.Helper()
	words := strings.Fields(test)
	if len(words) > 2 {
		field = words[2]
	}
	for _, path := range files[words[0]] {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
			made, ok := d.(*ast.FuncDecl)
			return ok && made.Name.Name == words[1]
		}) {
			continue
		}
		if !regexp.MustCompile(`\b` + field + `\b`).Match(text) {
			t.Errorf("%s: %s does not name %s", name, path, field)
		}
		return
	}
	t.Errorf("%s: no file %s has %s", name, words[0], words[1])
}

// testFiles lists the files of tests in the tree by their names without folders.
func testFiles(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, "_test.go") {
			files[entry.Name()] = append(files[entry.Name()], path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
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
