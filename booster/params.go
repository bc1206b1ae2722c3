package booster

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"boost/binning"
	"boost/gradients"
	"boost/objectives"
	"boost/tree/grow"
)

// Params says how a model is trained. The zero value is not usable: start from Defaults.
//
// Every leaf field carries two tags: key, its name in configs, flags and the
// model's manifest; use, "model" if it can change the model's bytes (it is then
// stored in the model) or "run" if it cannot. A third, stored:"where set", leaves a
// parameter out of the model where it has its default: models then have the bytes that
// they had before there was this parameter.
type Params struct {
	Objective     string        `key:"train.objective" use:"model"` // "" = inferred from the label
	Rounds        int           `key:"train.rounds" use:"model"`
	LearningRate  float64       `key:"train.learning_rate" use:"model"`
	Seed          uint64        `key:"train.seed" use:"model"`
	EarlyStopping int           `key:"train.early_stopping" use:"model"` // rounds without a better metric; 0 = off
	Gradients     string        `key:"train.gradients" use:"model"`      // a name of gradients.Names; the model keeps what "auto" chose
	PositiveClass string        `key:"data.positive_class" use:"model"`  // "" = the second of two
	Threads       int           `key:"train.threads" use:"run"`          // 0 = CPU quota or physical cores
	Builder       string        `key:"train.builder" use:"run"`          // "auto", "sequential", "feature" or "row"
	TimeLimit     time.Duration `key:"train.time_limit" use:"run"`       // 0 = none
	MemoryLimit   int64         `key:"train.memory_limit" use:"run"`     // bytes; 0 = what there is
	Verify        bool          `key:"train.verify" use:"run"`           // check S2.26's invariant for every node

	GradientMode        string `key:"gradients.mode" use:"model"`         // "symmetric" or, for i16, "asymmetric" (S2.5)
	Rounding            string `key:"gradients.rounding" use:"model"`     // "auto", "nearest" or "stochastic"
	RenewLeaves         string `key:"gradients.renew_leaves" use:"model"` // "auto", "on" or "off": leaf values from full precision
	L2Bytes             int64  `key:"gradients.l2_bytes" use:"run"`       // second cache that "auto" goes by; 0 = the processor's
	ClipNegativeHessian bool   `key:"gradients.clip_negative_hessian" use:"model"`

	RowFraction float64 `key:"sampling.row_fraction" use:"model"`                    // share of rows per round, (0, 1]
	RowEvery    int     `key:"sampling.row_every" use:"model"`                       // rounds between new row samples
	GossTop     float64 `key:"sampling.goss_top" use:"model"`                        // share of rows kept for their gradients; 0 = off
	GossOther   float64 `key:"sampling.goss_other" use:"model"`                      // share of rows drawn from the others
	MvsFraction float64 `key:"sampling.mvs_fraction" use:"model" stored:"where set"` // share of rows drawn by their gradients and hessians; 0 or 1 = all rows
	MvsLambda   float64 `key:"sampling.mvs_lambda" use:"model" stored:"where set"`   // weight of the squared hessian; gradients.AutoLambda = by the round's means

	QuantizeDType string `key:"quantize.dtype" use:"model" stored:"where set"`          // a name of ptq.Forms: what ErrorFeedback stores leaves in; "" = none
	ErrorFeedback bool   `key:"quantize.error_feedback" use:"model" stored:"where set"` // scores see each tree's leaves as they are stored (S4.27)

	Metrics      []string `key:"metrics.names" use:"model"` // empty = the objective's own
	MetricsEvery int      `key:"metrics.every" use:"model"`

	Binning binning.Params
	Tree    grow.Params
}

// Defaults returns the parameters that a config file starts from.
func Defaults() Params {
	return Params{
		Rounds: 100, LearningRate: 0.1, Seed: 1, Gradients: "i16", Builder: "auto",
		GradientMode: symmetric, Rounding: gradients.AutoName, RenewLeaves: gradients.AutoName,
		RowFraction: 1, RowEvery: 1, MvsLambda: gradients.AutoLambda, MetricsEvery: 1,
		Binning: binning.Defaults(), Tree: grow.Defaults(),
	}
}

// Validate reports everything that is wrong with the parameters, joined; each error
// wraps ErrParams and names the key, the value and what it may be.
func (p Params) Validate() error {
	var errs []error
	bad := func(ok bool, key string, value any, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%w: %s = %v: must be %s", ErrParams, key, value, want))
		}
	}
	share := func(key string, v float64) { bad(v > 0 && v <= 1, key, v, "above 0 and at most 1") }
	atLeast := func(key string, v, least int) { bad(v >= least, key, v, fmt.Sprintf("at least %d", least)) }
	notNegative := func(key string, v float64) {
		bad(v >= 0 && !math.IsInf(v, 0), key, v, "a finite number, 0 or more")
	}

	bad(p.Objective == "" || slices.Contains(objectives.Names(), p.Objective), "train.objective", strconv.Quote(p.Objective), "one of "+strings.Join(objectives.Names(), ", "))
	atLeast("train.rounds", p.Rounds, 1)
	bad(p.LearningRate > 0 && p.LearningRate <= 10, "train.learning_rate", p.LearningRate, "above 0 and at most 10")
	atLeast("train.early_stopping", p.EarlyStopping, 0)
	atLeast("train.threads", p.Threads, 0)
	bad(slices.Contains(gradients.Names(), p.Gradients), "train.gradients", strconv.Quote(p.Gradients), "one of "+strings.Join(gradients.Names(), ", "))
	bad(slices.Contains([]string{"", "auto", "sequential", "feature", "row"}, p.Builder), "train.builder", strconv.Quote(p.Builder), "one of auto, sequential, feature, row")
	bad(p.TimeLimit >= 0, "train.time_limit", p.TimeLimit, "0 (none) or more")
	bad(p.MemoryLimit >= 0, "train.memory_limit", p.MemoryLimit, "0 (none) or more bytes")
	share("sampling.row_fraction", p.RowFraction)
	atLeast("sampling.row_every", p.RowEvery, 1)
	for _, err := range append(append(p.checkGradients(), p.checkSampling()...), p.checkFeedback()...) {
		errs = append(errs, fmt.Errorf("%w: %w", ErrParams, err))
	}
	atLeast("metrics.every", p.MetricsEvery, 1)

	t := p.Tree
	bad(t.Leaves >= 2 && t.Leaves <= 1<<20, "tree.leaves", t.Leaves, "2 … 1,048,576")
	atLeast("tree.max_depth", t.MaxDepth, 0)
	atLeast("tree.min_data_in_leaf", t.MinDataInLeaf, 0)
	notNegative("tree.min_child_weight", t.MinChildWeight)
	notNegative("tree.lambda_l1", t.LambdaL1)
	notNegative("tree.lambda_l2", t.LambdaL2)
	notNegative("tree.min_gain", t.MinGain)
	bad(t.ReuseFeature >= 0 && t.ReuseFeature < 1, "tree.reuse_feature", t.ReuseFeature, "at least 0 and below 1")
	bad(t.ReuseCut >= 0 && t.ReuseCut < 1, "tree.reuse_cut", t.ReuseCut, "at least 0 and below 1")
	atLeast("categorical.onehot_max", t.OneHotMax, 0)
	notNegative("categorical.smooth", t.Smooth)
	notNegative("categorical.l2", t.CatL2)
	atLeast("categorical.max_per_side", t.MaxPerSide, 1)
	notNegative("categorical.min_per_group", t.MinPerGroup)
	share("sampling.col_tree", t.ColTree)
	share("sampling.col_level", t.ColLevel)
	share("sampling.col_node", t.ColNode)

	if err := p.Binning.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("%w: %w", ErrParams, err))
	}
	if err := p.checkLayout(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
