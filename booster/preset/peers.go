package preset

import (
	"cmp"
	"math"

	"boost/booster"
	"boost/internal/detmath"
	"boost/tree/grow"
)

// presets are "fast", whose figures are in docs/design/030-fast-preset.md, and the defaults of other trainers as far as
// there is the like here: of LightGBM 4.7, XGBoost 3.2 (100 trees, as in its scikit-learn interface) and CatBoost 1.2.10.
var presets = []choice{
	{"fast", func(p *booster.Params, _ Table, _ func(string) bool) {
		p.Rounds, p.LearningRate, p.Gradients = 50, 0.2, "i8"
	}},
	{"lightgbm", func(p *booster.Params, t Table, given func(string) bool) {
		p.Rounds, p.LearningRate = 100, 0.1
		p.Tree.Leaves, p.Tree.MinDataInLeaf, p.Tree.MinChildWeight = 31, 20, 1e-3
		p.Binning.MaxBin, p.Binning.MinDataInBin, p.Binning.Sample = 255, 3, 200_000
		if t.Objective == "quantile" && !given("objective.alpha") {
			p.Loss.Alpha = []float64{0.9}
		}
	}},
	{"xgboost", func(p *booster.Params, _ Table, given func(string) bool) {
		p.Rounds, p.LearningRate = 100, 0.3
		if !given("tree.max_depth") {
			p.Tree.MaxDepth = 6
		}
		p.Tree.Growth, p.Tree.Leaves = grow.ByDepth, leavesOf(p.Tree.MaxDepth)
		if p.Boosting == booster.DartBoosting {
			p.Dart = booster.Dart{Sample: booster.UniformDrop, Normalize: booster.TreeNormalize}
		}
		p.Tree.OneHotMax = 3
		p.Tree.MinDataInLeaf, p.Tree.MinChildWeight, p.Tree.LambdaL2 = 0, 1, 1
		p.Tree.MaxPerSide = 64
		p.Binning.MaxBin = 256
	}},
	{"catboost", func(p *booster.Params, t Table, given func(string) bool) {
		if !given("train.rounds") {
			p.Rounds = 1000
		}
		p.LearningRate = catBoostRate(p, t)
		if !given("tree.max_depth") {
			p.Tree.MaxDepth = 6
		}
		if given("tree.growth") && p.Tree.Growth == grow.ByDepth {
			p.Tree.Leaves = leavesOf(p.Tree.MaxDepth)
		}
		p.Tree.Growth, p.Tree.LambdaL2 = grow.Symmetric, 3
		p.Tree.MinDataInLeaf, p.Tree.MinChildWeight = 1, 0
		if !samplesRows(given) {
			p.MvsFraction = 0.8
		}
		p.LevelSplits, p.Tree.OneHotMax = booster.TargetSplits, 2
	}},
}

// leavesOf returns how many leaves a tree has that only its depth limits, 0 for no limit, which ends at 65,536.
func leavesOf(depth int) int {
	const most = 16
	if depth == 0 {
		depth = most
	}
	return 1 << min(depth, most)
}

// catBoostRate returns the learning rate that CatBoost takes for a table where none is given: e^b · rows^a · (rounds/1000)^c, at most 0.5.
func catBoostRate(p *booster.Params, t Table) float64 {
	type rule struct{ a, b, c float64 }
	of := map[string][2]rule{ // with a validation set to keep the best rounds by, and without
		"binary":     {{0.247, -5.158, -0.435}, {0.427, -7.525, -0.917}},
		"regression": {{0.157, -4.062, -0.61}, {0.158, -4.287, -0.813}},
		"multiclass": {{0.02, -2.364, -0.382}, {0.051, -2.889, -0.845}},
	}
	rules, known := of[t.Objective]
	if !known || t.Rows == 0 {
		return 0.03
	}
	r := rules[0]
	if cmp.Or(p.EarlyStopping, 0) == 0 {
		r = rules[1]
	}
	rate := detmath.Exp(r.b + float64(r.a*detmath.Log(float64(t.Rows))) + float64(r.c*detmath.Log(float64(p.Rounds)/1000)))
	return min(0.5, math.Round(rate*1e6)/1e6)
}
