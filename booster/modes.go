package booster

import (
	"errors"
	"fmt"
	"slices"

	"boost/internal/setting"
)

// Values of Params.Boosting.
const (
	PlainBoosting = "gbdt" // each round corrects those before it
	DartBoosting  = "dart" // each round corrects those before it but some, which are drawn
	RandomForest  = "rf"   // rounds know nothing of each other, and predictions are their mean
)

// Dart are the parameters of boosting with dropout (Rashmi & Gilad-Bachrach 2015). The rounds that a
// new round leaves out are those of its own run; the trees of a base model always stay.
type Dart struct {
	DropRate  float64 // expected share of the rounds that are dropped
	MaxDrop   int     // rounds that are dropped at most; 0 = any number
	SkipDrop  float64 // chance that a round drops none
	Sample    string  // WeightedDrop or UniformDrop
	Normalize string  // PaperNormalize, TreeNormalize or ForestNormalize
	OneDrop   bool    // one round is dropped where none was drawn
}

// Values of Dart.Sample and Dart.Normalize. There, k rounds are dropped, and r is the learning rate.
const (
	WeightedDrop = "weighted" // the chance of a round follows what it counts for by now
	UniformDrop  = "uniform"

	PaperNormalize  = "paper"  // the new round counts r/(k+1), the dropped ones k/(k+1) of what they did
	TreeNormalize   = "tree"   // r/(k+r) and k/(k+r)
	ForestNormalize = "forest" // r/(1+r) and 1/(1+r)
)

// DefaultDart returns the parameters that a config file starts from, which are LightGBM's.
func DefaultDart() Dart {
	return Dart{DropRate: 0.1, MaxDrop: 50, SkipDrop: 0.5, Sample: WeightedDrop, Normalize: PaperNormalize}
}

// modeSettings describes how rounds make up a model, and how rows are drawn for them.
func modeSettings(p *Params) []setting.Setting {
	return slices.Concat(boostingSettings(p), scheduleSettings(p), dartSettings(&p.Dart), rowSampleSettings(p), levelSettings(p))
}

func boostingSettings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "train.boosting", Value: &p.Boosting, Choices: []string{PlainBoosting, DartBoosting, RandomForest}, OmitDefault: true,
			Doc:     "How rounds make up a model: \"gbdt\", each corrects those before it; \"dart\", each leaves some of them out ([dart]); \"rf\", a random forest: the mean of trees on samples of rows or columns, without a learning rate.",
			Aliases: []string{"boosting_type", "boost", "booster"}},
	}
}

func dartSettings(d *Dart) []setting.Setting {
	return []setting.Setting{
		{Name: "dart.drop_rate", Value: &d.DropRate, Range: setting.Between(0, 1), OmitDefault: true,
			Doc:     "Share of the rounds before that a round leaves out, expected.",
			Aliases: []string{"rate_drop"}},
		{Name: "dart.max_drop", Value: &d.MaxDrop, NoLimit: true, OmitDefault: true,
			Doc: "Rounds that a round leaves out at most; 0 = no limit."},
		{Name: "dart.skip_drop", Value: &d.SkipDrop, Range: setting.Between(0, 1), OmitDefault: true,
			Doc: "Chance that a round leaves none out."},
		{Name: "dart.sample", Value: &d.Sample, Choices: []string{WeightedDrop, UniformDrop}, OmitDefault: true,
			Doc:     "Which rounds are left out: \"weighted\", the likelier the more they count for by now; \"uniform\", all alike.",
			Aliases: []string{"sample_type", "uniform_drop"}},
		{Name: "dart.normalize", Value: &d.Normalize, Choices: []string{PaperNormalize, TreeNormalize, ForestNormalize}, OmitDefault: true,
			Doc:     "What the new round and the k that it left out count for, r being the learning rate: \"paper\" r/(k+1) and k/(k+1) of before, \"tree\" r/(k+r) and k/(k+r), \"forest\" r/(1+r) and 1/(1+r).",
			Aliases: []string{"normalize_type", "xgboost_dart_mode"}},
		{Name: "dart.one_drop", Value: &d.OneDrop, OmitDefault: true,
			Doc: "Leave one round out where none was drawn."},
	}
}

// checkBoosting returns what does not go together with the way of boosting.
func (p *Params) checkBoosting() []error {
	var errs []error
	bad := func(text string, args ...any) { errs = append(errs, fmt.Errorf(text, args...)) }
	if p.Boosting != DartBoosting && p.Dart != DefaultDart() {
		bad("keys of [dart] are set, and train.boosting = %q: set train.boosting = \"dart\", or leave them out", p.Boosting)
	}
	if p.Boosting != PlainBoosting && p.ErrorFeedback {
		bad("quantize.error_feedback is for train.boosting = \"gbdt\", which is %q: leaf values are known at the end only", p.Boosting)
	}
	if p.Boosting != RandomForest {
		return errs
	}
	columns := p.Tree.ColTree < 1 || p.Tree.ColLevel < 1 || p.Tree.ColNode < 1 || p.Tree.ExtraTrees
	switch {
	case !p.samplesRows() && !columns:
		bad("train.boosting = \"rf\": all trees would be the same: set sampling.row_fraction, or sampling.col_node, below 1, or tree.extra_trees = true")
	case p.RowEvery > 1 && !columns: // a row sample that lasts
		bad("train.boosting = \"rf\" and sampling.row_every = %d: trees on the same rows would be the same: set sampling.row_every = 1, or sampling.col_node below 1", p.RowEvery)
	}
	return errs
}

// settleBoosting finds what follows from the way of boosting before the run begins.
func (r *run) settleBoosting() error {
	if r.store != nil && r.p.Tree.Linear {
		return fmt.Errorf("%w: StoreLeaves is for constant leaves: leave tree.linear out", ErrParams)
	}
	if r.p.Boosting == PlainBoosting {
		return nil
	}
	if r.store != nil {
		return fmt.Errorf("%w: StoreLeaves is for train.boosting = \"gbdt\", which is %q: leaf values are known at the end only", ErrParams, r.p.Boosting)
	}
	if r.p.Boosting != RandomForest {
		return nil
	}
	if r.baseModel != nil {
		return fmt.Errorf("%w: %w", ErrParams, errForestOnModel)
	}
	if rate := r.p.LearningRate; rate != 1 && rate != Defaults().LearningRate {
		r.log.Info("train.learning_rate has no effect on a random forest", "learning_rate", rate)
	}
	r.p.LearningRate = 1
	return nil
}

var errForestOnModel = errors.New(`train.boosting = "rf" does not go on from a model (train.init_model): its trees do not depend on each other, train all rounds at once`)
