package booster

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"boost/binning"
	"boost/booster/internal/dropout"
	"boost/booster/internal/sampling"
	"boost/gradients"
	"boost/histogram"
	"boost/internal/setting"
	"boost/objectives"
	"boost/objectives/metrics"
	"boost/ptq"
	"boost/tree/grow"
)

// Params are how a model is trained. Start from Defaults, or from a literal with the fields that
// matter, like Params{Objective: "binary", Rounds: 300}: Train and traindata.Load take the rest from
// Defaults, as OrDefaults describes.
//
// Settings describes each field: its name in configs, flags and the model, what it may be, and
// whether it can change the bytes of the model. It is flat because its fields are the keys of the
// sections train, gradients, sampling, metrics and quantize.
type Params struct {
	Objective      string            // "" = inferred from the label
	Loss           objectives.Params // of the objective; zero fields = its defaults
	Boosting       string            // PlainBoosting, DartBoosting or RandomForest; "" = PlainBoosting
	Dart           Dart              // of DartBoosting
	Rounds         int
	LearningRate   float64
	RateSchedule   string    // ConstantRate, LinearRate or CosineRate; "" = ConstantRate
	RateEnd        float64   // that a schedule goes towards
	Rates          []float64 // by round, in place of LearningRate; the last one stays
	Seed           uint64
	EarlyStopping  int                // rounds without a better metric; 0 = off
	MinDelta       float64            // by more than which a metric has to get better for EarlyStopping
	ValidShare     float64            // of the training rows, held out as the validation set; 0 = a tenth where EarlyStopping is on and there is no other set
	ValidBy        string             // column of the training table that marks such rows; "" = none
	AllRows        bool               // count for cuts and levels, those held out too
	Retrain        bool               // after early stopping, on all rows, those held out too
	BagFolds       int                // the model is the mean of those of so many folds, which search.Bag trains; 0 = one model
	Blend          int                // the model is the mean of so many, which search.Blend trains; 0 = one model
	Gradients      string             // a name of gradients.Names; the model keeps what "auto" chose
	PositiveClass  string             // "" = the second of two
	ClassWeight    map[string]float64 // what the weights of a class's rows are multiplied by; of Balanced: classes weigh the same in all
	PositionL2     float64            // penalty of the biases of positions, per row
	PositiveWeight float64            // the same of the positive class; 0 = 1
	Threads        int                // 0 = CPU quota or physical cores
	Builder        string             // of histograms; "" = "auto"
	TimeLimit      time.Duration      // 0 = none
	MemoryLimit    int64              // bytes; 0 = what there is
	Verify         bool               // check the sums of every node

	GradientMode        string // where codes lie
	Rounding            string // of gradients to codes
	RenewLeaves         string // leaf values from full precision
	L2Bytes             int64  // second cache that "auto" goes by; 0 = the processor's
	ClipNegativeHessian bool

	Sampling // of rows

	QuantizeDType string // a name of ptq.Forms: what ErrorFeedback stores leaves in; "" = none
	ErrorFeedback bool   // scores see each tree's leaves as they are stored

	LevelSplits string // how levels are split; "" = SetSplits
	// Combinations is the most pairs of columns that are crossed; -1 is AutoCombinations and Counts with AutoSplits.
	Combinations int
	Counts       bool // columns of how many rows a level has

	Metrics      []string // empty = the objective's own
	MetricsEvery int

	Binning binning.Params
	Tree    grow.Params
}

// Defaults returns the parameters that a config file starts from.
func Defaults() Params {
	return Params{
		Boosting: PlainBoosting, Dart: DefaultDart(), RateSchedule: ConstantRate, Rounds: 100, LearningRate: 0.1, Seed: 1, Gradients: "i16", Builder: "auto",
		GradientMode: symmetric, Rounding: gradients.AutoName, RenewLeaves: gradients.AutoName,
		Sampling: sampling.Defaults(), LevelSplits: SetSplits, Combinations: -1, MetricsEvery: 1,
		Binning: binning.Defaults(), Tree: grow.Defaults(),
	}
}

// OrDefaults returns p with defaults in the place of fields that were left out. The zero value becomes
// Defaults().
//
// This is decided for p without Binning and Tree, for p.Binning, and for p.Tree, each on its own. Some
// fields cannot be zero: of p these are Rounds, LearningRate, Gradients, GradientMode, Rounding, RenewLeaves,
// RowFraction, RowEvery and MetricsEvery; of Binning, among others, MaxBin; of Tree, among others, Leaves.
//
//   - If one of them is zero, the struct does not come from Defaults. All its fields that are zero then
//     take their defaults, also those that could be zero, like Seed or MinDataInLeaf.
//   - If none is zero, all fields are kept, and a zero means zero.
//
// So a zero in place of another default, like Tree.MinDataInLeaf = 0 instead of 20, is set in what
// Defaults returned.
func (p Params) OrDefaults() Params {
	usual := Defaults()
	p.Builder, p.Boosting, p.RateSchedule, p.LevelSplits = cmp.Or(p.Builder, usual.Builder), cmp.Or(p.Boosting, usual.Boosting), cmp.Or(p.RateSchedule, usual.RateSchedule), cmp.Or(p.LevelSplits, usual.LevelSplits)
	fillIn(append(trainSettings(&p), crossSettings(&p)...), append(trainSettings(&usual), crossSettings(&usual)...))
	fillIn(dropout.Settings(&p.Dart), dropout.Settings(&usual.Dart))
	fillIn(binning.Settings(&p.Binning), binning.Settings(&usual.Binning))
	fillIn(grow.Settings(&p.Tree), grow.Settings(&usual.Tree))
	return p
}

// fillIn sets all zero fields to their defaults if a field is zero that cannot be.
func fillIn(fields, defaults []setting.Setting) {
	isLiteral := slices.ContainsFunc(fields, func(s setting.Setting) bool {
		return reflect.ValueOf(s.Value).Elem().IsZero() && len(setting.Check([]setting.Setting{s})) > 0
	})
	for i := range fields {
		if field := reflect.ValueOf(fields[i].Value).Elem(); isLiteral && field.IsZero() {
			field.Set(reflect.ValueOf(defaults[i].Value).Elem())
		}
	}
}

// Settings describes the parameters, those of p.
func Settings(p *Params) []setting.Setting {
	return slices.Concat(trainSettings(p), modeSettings(p), crossSettings(p), objectives.Settings(&p.Loss), binning.Settings(&p.Binning), grow.Settings(&p.Tree))
}

func trainSettings(p *Params) []setting.Setting {
	return slices.Concat([]setting.Setting{
		{Name: "data.positive_class", Value: &p.PositiveClass,
			Doc: "Binary: the class whose probability is predicted; empty = the second of the two in sorted order."},
		{Name: "train.objective", Value: &p.Objective, Choices: objectives.Names(), Optional: true,
			Doc:     "Loss to minimise; empty = inferred from the label.",
			Aliases: []string{"objective", "objective_type", "application", "app", "loss", "loss_function"}},
		{Name: "objective.class_weight", Value: &p.ClassWeight, OmitDefault: true,
			Doc:     "Classes: what the weights of a class's rows are multiplied by in training, by class, 1 for those that are left out; \"balanced\" = rows × weight in all classes the same. Metrics of validation sets count rows as they are.",
			Aliases: []string{"class_weights", "is_unbalance", "unbalance", "unbalanced_sets", "auto_class_weights"}},
		{Name: "objective.scale_pos_weight", Value: &p.PositiveWeight, OmitDefault: true,
			Doc: "Binary: what the weights of the positive class's rows are multiplied by in training; 0 = 1."},
		{Name: "objective.position_l2", Value: &p.PositionL2, Range: setting.AtLeast(0), OmitDefault: true,
			Doc:     "lambdarank with data.position: L2 penalty of a position's bias, per row.",
			Aliases: []string{"lambdarank_position_bias_regularization"}},
		{Name: "train.rounds", Value: &p.Rounds, Range: setting.AtLeast(1),
			Doc:     "Boosting rounds, one tree per output each.",
			Aliases: []string{"num_iterations", "num_iteration", "n_iter", "num_tree", "num_trees", "num_round", "num_rounds", "nrounds", "num_boost_round", "n_estimators", "max_iter", "iterations"}},
		{Name: "train.learning_rate", Value: &p.LearningRate, Range: setting.Above(0, 10),
			Doc:     "Factor on every tree's values.",
			Aliases: []string{"learning_rate", "shrinkage_rate", "eta"}},
		{Name: "train.seed", Value: &p.Seed,
			Doc:     "Seed of everything random; the same seed gives the same model.",
			Aliases: []string{"seed", "random_seed", "random_state"}},
		{Name: "train.threads", Value: &p.Threads, NoLimit: true, Run: true,
			Doc:     "Threads, at most; 0 = CPU quota or physical cores, the smaller. A table of few cells takes fewer, which is faster. Never changes the model.",
			Aliases: []string{"threads", "num_threads", "num_thread", "nthread", "nthreads", "n_jobs", "thread_count"}},
		{Name: "train.gradients", Value: &p.Gradients, Choices: gradients.Names(),
			Doc: "How gradients are stored: codes of 16 bits or, faster and coarser, of 8 or 4; of 32 bits, or floats. \"auto\" chooses by rows, outputs and the processor's cache."},
		{Name: "train.builder", Value: &p.Builder, Choices: []string{"auto", histogram.Sequential.String(), histogram.FeatureParallel.String(), histogram.RowParallel.String()}, Run: true,
			Doc: "How histograms are shared among threads; \"auto\" chooses by the shape of the table, and on wide sparse tables keeps no histograms but sums of what can be split (\"direct\" in the log). Never changes the model."},
		{Name: "train.early_stopping", Value: &p.EarlyStopping, NoLimit: true,
			Doc:     "Stop after so many rounds without a better metric and keep the best; 0 = off. Without a validation set a tenth of the rows is held out (see valid_share).",
			Aliases: []string{"early_stopping", "early_stopping_round", "early_stopping_rounds", "n_iter_no_change", "od_wait"}},
		{Name: "train.early_stopping_min_delta", Value: &p.MinDelta, OmitDefault: true,
			Doc:     "Early stopping: a metric is better where it is so by more than this, in its own unit; 0 = by anything.",
			Aliases: []string{"early_stopping_min_delta", "min_delta", "tol"}},
		{Name: "train.valid_share", Value: &p.ValidShare, Share: true, Range: setting.Between(0, 0.9), OmitDefault: true,
			Doc:     "Share of the training rows to hold out as the validation set: the rows with the smallest hash of (seed, row), in each class, or whole queries; 0 = a tenth where early stopping is on and there is no other validation set.",
			Aliases: []string{"validation_fraction", "eval_fraction"}},
		{Name: "train.valid_by", Value: &p.ValidBy, OmitDefault: true,
			Doc: "Column that marks the rows of the training table to hold out as the validation set, by valid, true, yes or 1 (the other rows have train, false, no or 0). It is no feature; empty = none."},
		{Name: "binning.all_rows", Value: &p.AllRows, OmitDefault: true,
			Doc: "Whether cuts, and levels with a code of their own, come from all rows of the training table, those that are held out for validation too; so with train.retrain."},
		{Name: "train.retrain", Value: &p.Retrain, OmitDefault: true,
			Doc: "After early stopping on rows that were held out of the training table, train again on all of its rows, for as many rounds as were best. Metrics of the rows held out are those of the first training."},
		{Name: "train.bag_folds", Value: &p.BagFolds, Range: setting.Between(0, 100), OmitDefault: true,
			Doc: "Divide the rows into so many parts, train a model for each on the other parts, all for the number of rounds that is best on the parts left out, and write one model whose raw scores are the mean of theirs. Metrics are of rows that no tree has seen. It takes about as many times as long, and as many trees; 0 = off."},
		{Name: "train.blend", Value: &p.Blend, Range: setting.Between(0, 100), OmitDefault: true,
			Doc: "Train so many models, and write one whose raw scores are the mean of theirs: of tree.growth and of symmetric trees in turn, which err unlike. Symmetric ones have 6 levels (tree.max_depth), twice the learning rate, a third of tree.lambda_l2 and no least number of rows. The first of each kind finds its rounds on rows held out, where symmetric ones that are 4 % worse are left out; all see all rows in the end (train.retrain has to be set); metrics are of the first. 0 = off."},
		{Name: "train.time_limit", Value: &p.TimeLimit, NoLimit: true, Run: true,
			Doc: "Stop when the run takes this long, reading included, with what there is: \"90s\", \"10m\", or seconds; 0 = none."},
		{Name: "train.memory_limit", Value: &p.MemoryLimit, NoLimit: true, Run: true,
			Doc:     "Memory that training may take: bytes, \"4GB\", \"512MiB\"; 0 = what the machine or the control group has.",
			Aliases: []string{"used_ram_limit"}},
		{Name: "train.verify", Value: &p.Verify, Run: true,
			Doc: "Check every histogram against its rows while training; slow. Never changes the model."},
		{Name: "gradients.mode", Value: &p.GradientMode, Choices: []string{symmetric, asymmetric},
			Doc: "Where codes lie: around 0, or (i16 only) from the smallest gradient to the largest, for losses whose gradients lie on one side."},
		{Name: "gradients.rounding", Value: &p.Rounding, Choices: []string{gradients.AutoName, gradients.Nearest.String(), gradients.Stochastic.String()},
			Doc:     "How gradients become codes: the nearest one, or one of the two neighbours by a seeded draw; \"auto\" draws for i8 and i4.",
			Aliases: []string{"stochastic_rounding"}},
		{Name: "gradients.renew_leaves", Value: &p.RenewLeaves, Choices: []string{gradients.AutoName, renewOn, renewOff},
			Doc:     "Leaf values from the gradients themselves instead of their codes; \"auto\" does so for i8 and i4.",
			Aliases: []string{"quant_train_renew_leaf"}},
		{Name: "gradients.l2_bytes", Value: &p.L2Bytes, NoLimit: true, Run: true,
			Doc: "Size of the second cache that train.gradients = \"auto\" goes by; 0 = the processor's. The model keeps what was chosen."},
		{Name: "gradients.clip_negative_hessian", Value: &p.ClipNegativeHessian,
			Doc: "Take a negative second derivative of a custom loss as 0 instead of stopping."},
	}, sampling.Settings(&p.Sampling), []setting.Setting{
		{Name: "metrics.names", Value: &p.Metrics, Choices: metrics.Names(), Canonical: metrics.Canonical,
			Doc:     "Metrics to watch (metrics.md), the first leads early stopping; empty = the objective's own. Some take an argument: pinball@0.9.",
			Aliases: []string{"metric", "metrics", "metric_types", "eval_metric", "custom_metric", "custom_loss"}},
		{Name: "metrics.every", Value: &p.MetricsEvery, Range: setting.AtLeast(1),
			Doc:     "Rounds between evaluations.",
			Aliases: []string{"metric_freq", "output_freq", "metric_period"}},
		{Name: "quantize.dtype", Value: &p.QuantizeDType, Choices: ptq.FormNames(ptq.Forms()), Optional: true, OmitDefault: true,
			Doc: "What the leaves of a second, compressed model are stored in, which is written to quantize.output beside the full one; empty = none."},
		{Name: "quantize.error_feedback", Value: &p.ErrorFeedback, OmitDefault: true,
			Doc: "Whether the scores that trees are grown on see the leaves of the trees before as dtype stores them, so that what one loses the next make good. Needs dtype."},
	})
}

// Validate reports everything that is wrong with the parameters, joined; each error
// wraps ErrParams and names the key, the value and what it may be. It takes all fields as they are:
// a zero that a field cannot have is an error here, and left to OrDefaults by Train.
func (p Params) Validate() error {
	if form, err := ptq.ParseForm(p.QuantizeDType); err == nil {
		p.QuantizeDType = form.String() // its name in any case
	}
	p.Builder, p.Boosting, p.RateSchedule, p.LevelSplits = cmp.Or(p.Builder, "auto"), cmp.Or(p.Boosting, PlainBoosting), cmp.Or(p.RateSchedule, ConstantRate), cmp.Or(p.LevelSplits, SetSplits)
	problems := slices.Concat(setting.Check(trainSettings(&p)), setting.Check(modeSettings(&p)), setting.Check(crossSettings(&p)), p.checkCrosses(), setting.Check(objectives.Settings(&p.Loss)), setting.Check(grow.Settings(&p.Tree)), p.Tree.Check(),
		p.checkLoss(), p.checkClassWeights(), p.checkGradients(), sampling.CheckGradients(&p.Sampling), p.checkFeedback(), p.checkBoosting(), p.checkSchedule(), sampling.CheckDraws(&p.Sampling), p.checkHoldout(), p.checkBagging(), p.checkLinear())
	if err := p.Binning.Validate(); err != nil {
		problems = append(problems, err)
	}
	for i, err := range problems {
		problems[i] = fmt.Errorf("%w: %w", ErrParams, err)
	}
	return errors.Join(append(problems, p.checkLayout())...)
}

// checkBagging returns what a mean of folds' models does not go together with.
func (p *Params) checkBagging() []error {
	var other string
	switch {
	case p.BagFolds == 0:
		return nil
	case p.BagFolds == 1:
		return []error{fmt.Errorf("train.bag_folds = 1: a part needs others that are trained on: give 2 or more, or 0 for one model of all rows")}
	case p.ValidShare > 0 || p.ValidBy != "":
		other = "train.valid_share, train.valid_by"
	case p.Retrain:
		other = "train.retrain"
	case p.Blend > 0:
		other = "train.blend"
	case p.TimeLimit > 0:
		other = "train.time_limit"
	case p.ErrorFeedback:
		other = "quantize.error_feedback"
	default:
		return nil
	}
	return []error{fmt.Errorf("train.bag_folds = %d (as train.effort = \"best\" sets it) divides the rows itself and trains folds side by side: leave %s out, or set train.bag_folds = 0", p.BagFolds, other)}
}

// checkFeedback returns what is wrong with how leaves are to be stored.
func (p *Params) checkFeedback() []error {
	if p.ErrorFeedback && p.QuantizeDType == "" {
		return []error{errors.New("quantize.error_feedback = true: set quantize.dtype to what leaves are stored in, as \"Q4_0\"")}
	}
	return nil
}
