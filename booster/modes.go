package booster

import (
	"errors"
	"fmt"
	"slices"

	"boost/booster/internal/dropout"
	"boost/booster/internal/sampling"
	"boost/internal/setting"
)

// Values of Params.Boosting.
const (
	PlainBoosting = "gbdt" // each round corrects those before it
	DartBoosting  = "dart" // each round corrects those before it but some, which are drawn
	RandomForest  = "rf"   // rounds know nothing of each other, and predictions are their mean
)

// Sampling is how the rows of a round are chosen, the keys of [sampling] in docs/config.md that are about rows. Its fields are
// fields of Params.
type Sampling = sampling.Params

// ByQuery as Params.RowBy stands for the queries of the table.
const ByQuery = sampling.ByQuery

// Dart are the parameters of boosting with dropout: DropRate, MaxDrop, SkipDrop, Sample, Normalize and OneDrop, the keys
// of [dart] in docs/config.md.
type Dart = dropout.Params

// Values of Dart.Sample and Dart.Normalize.
const (
	WeightedDrop    = dropout.Weighted
	UniformDrop     = dropout.Uniform
	PaperNormalize  = dropout.Paper
	TreeNormalize   = dropout.Tree
	ForestNormalize = dropout.Forest
)

// DefaultDart returns the parameters that a config file starts from, which are LightGBM's.
func DefaultDart() Dart { return dropout.Defaults() }

// modeSettings describes how rounds make up a model, and how rows are drawn for them.
func modeSettings(p *Params) []setting.Setting {
	return slices.Concat(boostingSettings(p), scheduleSettings(p), dropout.Settings(&p.Dart), sampling.DrawSettings(&p.Sampling), levelSettings(p))
}

func boostingSettings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "train.boosting", Value: &p.Boosting, Choices: []string{PlainBoosting, DartBoosting, RandomForest}, OmitDefault: true,
			Doc:     "How rounds make up a model: \"gbdt\", each corrects those before it; \"dart\", each leaves some of them out ([dart]); \"rf\", a random forest: the mean of trees on samples of rows or columns, without a learning rate.",
			Aliases: []string{"boosting_type", "boost", "booster"}},
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
	case !sampling.Samples(&p.Sampling) && !columns:
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
