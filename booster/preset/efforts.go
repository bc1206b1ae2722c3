package preset

import (
	"slices"

	"boost/booster"
	"boost/objectives"
	"boost/tree/grow"
)

// Efforts.
const (
	Quick   = "quick"
	Default = "default"
	Best    = "best"
)

// efforts were chosen by `make defaults`, whose figures are in docs/defaults.md.
var efforts = []choice{
	{Quick, func(p *booster.Params, _ Table, given func(string) bool) {
		if !given("train.rounds") {
			p.Rounds = 1000
		}
		p.EarlyStopping = 50
	}},
	{Default, byStudy},
	{Best, func(p *booster.Params, t Table, given func(string) bool) {
		byStudy(p, t, given)
		switch {
		case given("train.blend"):
		case p.Blend > 0:
			p.Blend = manyBlended
		case !given("train.bag_folds"): // models of folds, where others cannot be averaged
			p.BagFolds = 10
		}
		p.Retrain = p.Retrain && p.BagFolds == 0
	}},
}

// smallRate is the learning rate where there may be as many rounds as are of use. Most tables are at their best when the
// rounds times the rate are about enough.
const smallRate, enough = 0.03, 20

// fewRows and manyRows are numbers of rows. A table with fewer rows than fewRows has nothing to say that takes more than small trees and steps
// smaller still; one with at least manyRows has much.
const fewRows, manyRows = 3000, 10_000

// mostRows is the number of rows of the largest tables in the study. On larger ones larger steps have to do, and a tenth of the
// rows more says little.
const mostRows = 200_000

// manyClasses is the number of classes from which on random splits were better than the best ones.
const manyClasses = 10

// manyFeatures is the number of features from which on a node is given fewer of them.
const manyFeatures = 60

// byStudy sets what won in the study: small steps, each on a part of the rows and columns, and the leaves drawn
// towards 0. Where something was given that goes another way, like boosting with dropout, it stays with what goes with that.
func byStudy(p *booster.Params, t Table, given func(string) bool) {
	any := func(keys ...string) bool { return slices.ContainsFunc(keys, given) }
	asked := p.Retrain
	p.Retrain = t.Retrain && t.Rows <= mostRows && !p.ErrorFeedback && (!given("train.early_stopping") || p.EarlyStopping > 0)
	if p.Boosting != booster.PlainBoosting {
		p.Rounds, p.EarlyStopping = 1000, 50
		return
	}
	if given("train.retrain") {
		p.Retrain = asked
	}
	if !given("train.blend") {
		p.Blend = t.models(p, given)
	}
	if !any("train.learning_rate", "train.learning_rates", "train.learning_rate_schedule") {
		p.LearningRate = smallRate
		if t.Rows < fewRows {
			p.LearningRate = 0.02
		}
		if t.Objective == "multiclass" {
			p.LearningRate *= 2
		}
		if t.Rows > mostRows {
			p.LearningRate = 0.1
		}
		if given("train.rounds") { // few have to be larger
			p.LearningRate = min(max(p.LearningRate, enough/float64(p.Rounds)), 0.1)
		}
	}
	if !given("train.rounds") {
		p.Rounds = max(1000, min(int(90/p.LearningRate), 3000))
	}
	p.EarlyStopping = max(50, min(int(6/p.LearningRate), 200))
	p.Tree.MinDataInLeaf = 10
	if info, _ := objectives.Lookup(t.Objective); !info.Times && (!given("categorical.splits") || p.LevelSplits != booster.SetSplits) {
		p.LevelSplits = booster.AutoSplits
		p.Combinations = 0
		if t.Crosses() {
			if p.Combinations = -1; given("categorical.counts") && !p.Counts { // as many as categorical.splits = "auto" takes
				p.Combinations = booster.AutoCombinations
			}
		}
	}
	if !any("sampling.col_tree", "sampling.col_level") {
		p.Tree.ColNode = 0.5
		if t.Features >= manyFeatures {
			p.Tree.ColNode = 0.25
		}
	}
	if !studied(t.Objective) {
		return
	}
	switch p.Tree.LambdaL2 = 3; {
	case t.Rows >= 100_000:
		p.Tree.LambdaL2, p.Tree.Leaves = 1, 127
	case t.Rows >= manyRows:
		p.Tree.LambdaL2, p.Tree.Leaves = 1, 63
	case t.Rows >= fewRows:
		p.Tree.Leaves = 20
	default:
		p.Tree.Leaves = 15
	}
	p.Tree.ExtraTrees = t.Classes >= manyClasses && t.Rows <= mostRows
	if !samplesRows(given) {
		p.MvsFraction = 0.7
	}
}

// blended is the number of models that are averaged; effort best has manyBlended.
const blended, manyBlended = 4, 12

// models returns of how many models the mean is trained, 0 for one alone: not where the number of rounds was given, or something that symmetric
// trees do not go with.
func (t *Table) models(p *booster.Params, given func(key string) bool) int {
	tree := &p.Tree
	bounds := len(tree.Monotone) > 0 && tree.MonotoneMethod != grow.BasicBounds
	if !t.Blend || !p.Retrain || !studied(t.Objective) || t.Classes >= manyClasses || p.ValidBy != "" || tree.ForcedSplits != "" || bounds ||
		given("train.rounds") || given("tree.growth") || p.BagFolds > 0 {
		return 0
	}
	return blended
}

// studied reports whether the study has sets of an objective.
func studied(objective string) bool {
	return slices.Contains([]string{"regression", "binary", "multiclass"}, objective)
}

// samplesRows reports whether a way to sample rows was given.
func samplesRows(given func(string) bool) bool {
	return slices.ContainsFunc([]string{"sampling.row_fraction", "sampling.goss_top", "sampling.goss_other", "sampling.positive_fraction", "sampling.negative_fraction",
		"sampling.row_by", "sampling.stratified", "sampling.replace", "sampling.bagging_temperature"}, given)
}
