package grow

import (
	"errors"
	"fmt"

	"boost/internal/setting"
	"boost/tree/allowed"
	"boost/tree/colsample"
	"boost/tree/forced"
)

// Params says how a tree grows. It is flat because its fields are the keys of the sections tree, categorical and constraints, and
// columns of sampling.
type Params struct {
	Growth         string // ByLeaf, ByDepth or Symmetric; "" = ByLeaf
	Leaves         int    // ≥ 2; not of Symmetric
	MaxDepth       int    // 0 = no limit; of Symmetric: 0 = 6, at most 16
	MinDataInLeaf  int
	MinChildWeight float64 // sum of hessians of a leaf, at least
	LambdaL1       float64
	LambdaL2       float64
	MinGain        float64
	MaxDeltaStep   float64 // largest size of a leaf value, before the learning rate; 0 = no limit
	PathSmooth     float64 // a leaf's value is taken PathSmooth/(rows + PathSmooth) of the way to its parent's
	ExtraTrees     bool    // of each feature one random split is tried

	Linear       bool    // leaves have linear models, which package tree/linear fits
	LinearLambda float64 // their penalty on squared coefficients

	// Monotone has 1 for columns on which predictions may not fall, −1 for those on which they may not rise.
	Monotone        map[string]int
	MonotonePenalty float64 // splits on such columns count for less near the root; 0 = not
	MonotoneMethod  string  // BasicBounds, IntermediateBounds or AdvancedBounds; "" = BasicBounds
	// Interaction lists groups of columns: what a path of a tree splits on is all of one group. Columns that
	// are in none are one more group. Empty: any columns.
	Interaction [][]string

	// ForcedSplits are those that trees begin with, as package forced reads them; "" for none.
	ForcedSplits string

	// By column: what the gain of its splits is multiplied by when the best one is chosen, 1 for others; and what its first split
	// in the model costs. SplitCost is what each split costs for each row of its node, FeatureRowCost what it costs by column for each of
	// them that has met no split on the column. Costs are times CostTradeoff.
	FeaturePenalty map[string]float64
	FeatureCost    map[string]float64
	FeatureRowCost map[string]float64
	SplitCost      float64
	CostTradeoff   float64
	// By column: the first and the last level of a tree on which it may be split; the root is level 1.
	FirstLevel map[string]int
	LastLevel  map[string]int

	// A split on a feature that no tree of the rounds before uses counts for 1 − ReuseFeature
	// of its gain, one at a cut that none uses for 1 − ReuseCut, one at both for the product.
	ReuseFeature float64 // [0, 1)
	ReuseCut     float64 // [0, 1)

	OneHotMax   int // levels up to which one level is split from the rest
	Smooth      float64
	CatL2       float64
	MaxPerSide  int
	MinPerGroup float64

	ColTree  float64 // share of columns per tree, (0, 1]
	ColLevel float64
	ColNode  float64
	// ColWeights has, by column, how likely it is drawn beside others, 1 for those that are left out.
	ColWeights map[string]float64
}

// The values of Params.Growth.
const (
	ByLeaf    = "leaf"      // the leaf whose split gains most is split next
	ByDepth   = "depth"     // level by level
	Symmetric = "symmetric" // level by level, all nodes of a level by the same split
)

// The values of Params.MonotoneMethod.
const (
	BasicBounds        = "basic"        // a split bounds all below it by the middle of its sides' values
	IntermediateBounds = "intermediate" // leaves are bounded by the values that those of the other side have at the time
	AdvancedBounds     = "advanced"     // the same, of those leaves only that they are bound to, for each side of a split
)

// The depth of symmetric trees.
const (
	symmetricDepth     = 6
	mostSymmetricDepth = 16
)

// Depth returns the splits between root and leaf at most, 0 for no limit.
func (p *Params) Depth() int {
	if p.Growth == Symmetric && p.MaxDepth == 0 {
		return symmetricDepth
	}
	return p.MaxDepth
}

// MostLeaves returns the leaves of a tree at most.
func (p *Params) MostLeaves() int {
	if p.Growth == Symmetric {
		return 1 << min(p.Depth(), mostSymmetricDepth)
	}
	return p.Leaves
}

// SearchesAgain reports whether nodes keep all their sums until they are split: sums of what can be split only are of no use.
func (p *Params) SearchesAgain() bool { return p.Growth == Symmetric || p.tightens() }

// tightens reports whether bounds of leaves change with the values of others.
func (p *Params) tightens() bool {
	if p.MonotoneMethod != IntermediateBounds && p.MonotoneMethod != AdvancedBounds {
		return false
	}
	for _, direction := range p.Monotone {
		if direction != 0 {
			return true
		}
	}
	return false
}

// Check returns what is wrong with fields together. Each field by itself is checked by its setting.
func (p *Params) Check() (problems []error) {
	if p.ForcedSplits != "" {
		if _, err := forced.Parse(p.ForcedSplits); err != nil {
			problems = append(problems, fmt.Errorf("tree.forced_splits: %w", err))
		}
		if p.Growth == Symmetric {
			problems = append(problems, errors.New("tree.forced_splits: a symmetric tree has one split for all nodes of a level: use tree.growth = \"leaf\" or \"depth\""))
		}
	}
	if p.Growth == Symmetric && p.tightens() {
		problems = append(problems, fmt.Errorf("constraints.monotone_method = %q: the nodes of a symmetric tree's level are split together, so that their values cannot bound each other: use \"basic\", or tree.growth = \"leaf\" or \"depth\"", p.MonotoneMethod))
	}
	if p.Growth == Symmetric && p.MaxDepth > mostSymmetricDepth {
		problems = append(problems, fmt.Errorf("tree.max_depth = %d: a symmetric tree has 2^max_depth leaves, so with tree.growth = \"symmetric\" it must be 1 … %d, or 0 for %d",
			p.MaxDepth, mostSymmetricDepth, symmetricDepth))
	}
	return problems
}

// Defaults returns the default parameters.
func Defaults() Params {
	return Params{
		Growth: ByLeaf, MonotoneMethod: BasicBounds, CostTradeoff: 1, Leaves: 31, MinDataInLeaf: 20, MinChildWeight: 1e-3,
		OneHotMax: 4, Smooth: 10, CatL2: 10, MaxPerSide: 32, MinPerGroup: 100,
		ColTree: 1, ColLevel: 1, ColNode: 1,
	}
}

// Settings describes the parameters, those of p.
func Settings(p *Params) []setting.Setting {
	return []setting.Setting{
		{Name: "tree.growth", Value: &p.Growth, Choices: []string{ByLeaf, ByDepth, Symmetric}, OmitDefault: true,
			Doc:     "Which leaf is split next: \"leaf\" = the one whose split gains most; \"depth\" = level by level, as far as tree.leaves and tree.max_depth go; \"symmetric\" = level by level, all nodes of a level by the same split, as CatBoost does: the one whose gains add up to most. tree.leaves does not count there, tree.max_depth = 0 means 6.",
			Aliases: []string{"grow_policy", "growing_policy"}},
		{Name: "tree.leaves", Value: &p.Leaves, Range: setting.Between(2, 1<<20),
			Doc:     "Leaves of a tree at most.",
			Aliases: []string{"num_leaves", "num_leaf", "max_leaves", "max_leaf", "max_leaf_nodes"}},
		{Name: "tree.max_depth", Value: &p.MaxDepth, NoLimit: true,
			Doc:     "Splits between root and leaf at most; 0 = no limit (6 with tree.growth = \"symmetric\").",
			Aliases: []string{"max_depth", "depth"}},
		{Name: "tree.min_data_in_leaf", Value: &p.MinDataInLeaf,
			Doc:     "Rows of a leaf at least.",
			Aliases: []string{"min_data_in_leaf", "min_data_per_leaf", "min_data", "min_child_samples", "min_samples_leaf"}},
		{Name: "tree.min_child_weight", Value: &p.MinChildWeight,
			Doc:     "Sum of second derivatives of a leaf at least. The default does not hold for huber, fair, log_cosh and mape.",
			Aliases: []string{"min_child_weight", "min_sum_hessian_in_leaf", "min_sum_hessian_per_leaf", "min_sum_hessian", "min_hessian"}},
		{Name: "tree.lambda_l1", Value: &p.LambdaL1,
			Doc:     "L1 penalty on leaf values.",
			Aliases: []string{"lambda_l1", "reg_alpha", "l1_regularization"}},
		{Name: "tree.lambda_l2", Value: &p.LambdaL2,
			Doc:     "L2 penalty on leaf values.",
			Aliases: []string{"lambda_l2", "reg_lambda", "l2_regularization", "l2_leaf_reg"}},
		{Name: "tree.min_gain", Value: &p.MinGain,
			Doc:     "Gain of a split at least: what a leaf more costs.",
			Aliases: []string{"min_gain_to_split", "min_split_gain", "min_split_loss", "lambda_l0"}},
		{Name: "tree.max_delta_step", Value: &p.MaxDeltaStep, NoLimit: true, OmitDefault: true,
			Doc:     "Largest size of a leaf's value, before the learning rate; 0 = no limit. Splits are chosen with it.",
			Aliases: []string{"max_delta_step", "max_tree_output", "max_leaf_output", "max_leaf_value"}},
		{Name: "tree.path_smooth", Value: &p.PathSmooth, OmitDefault: true,
			Doc:     "A leaf's value is taken path_smooth/(rows + path_smooth) of the way to that of the node above it; 0 = not. Splits are chosen with it.",
			Aliases: []string{"path_smooth"}},
		{Name: "tree.extra_trees", Value: &p.ExtraTrees, OmitDefault: true,
			Doc:     "Extremely randomised trees: of each column one random split is tried instead of all.",
			Aliases: []string{"extra_trees", "extra_tree"}},
		{Name: "tree.linear", Value: &p.Linear, OmitDefault: true,
			Doc:     "Linear models in the leaves: a leaf adds a constant and a multiple of each numeric column that the path to it splits on (the last 32 at most). Rows with a missing one among them get a constant. Not where leaves are quantiles; the tables stay in memory.",
			Aliases: []string{"linear_tree", "linear_trees"}},
		{Name: "tree.linear_lambda", Value: &p.LinearLambda, OmitDefault: true,
			Doc:     "L2 penalty on the coefficients of tree.linear, in the units of the columns.",
			Aliases: []string{"linear_lambda"}},
		{Name: "constraints.monotone", Value: &p.Monotone, Range: setting.Between(-1, 1), OmitDefault: true,
			Doc:     "By column: 1 if predictions may not fall where its values rise, -1 if they may not rise. Not for categories and several classes, nor where leaves are quantiles.",
			Aliases: []string{"monotone_constraints", "monotonic_cst", "monotone_constraint", "monotonic_constraints", "mc"}},
		{Name: "constraints.monotone_method", Value: &p.MonotoneMethod, Choices: []string{BasicBounds, IntermediateBounds, AdvancedBounds}, OmitDefault: true,
			Doc:     "How monotone constraints bound leaves: \"basic\" = a split on a constrained column bounds all below it by the middle of its sides' values; \"intermediate\" = by the values that the leaves of the other side have, anew after each split: closer to the data, slower, and never split side by side; \"advanced\" = by those of them only that predictions are bound to, for each side of a split by itself: closer still, and slower.",
			Aliases: []string{"monotone_constraints_method", "monotone_constraining_method", "mc_method"}},
		{Name: "constraints.monotone_penalty", Value: &p.MonotonePenalty, OmitDefault: true,
			Doc:     "How much less splits on columns of constraints.monotone count for near the root: at most 1, the gain on the first level less this share, half of it on the next, and so on; with p above 1 there are none on the first p levels if others gain.",
			Aliases: []string{"monotone_penalty", "monotone_splits_penalty", "ms_penalty", "mc_penalty"}},
		{Name: "constraints.first_level", Value: &p.FirstLevel, Range: setting.AtLeast(1), OmitDefault: true,
			Doc: "By column: the first level of a tree on which it may be split; the root is level 1. A level of a symmetric tree counts for a node that stays as it is, too."},
		{Name: "constraints.last_level", Value: &p.LastLevel, Range: setting.AtLeast(1), OmitDefault: true,
			Doc: "By column: the last level of a tree on which it may be split."},
		{Name: "constraints.interaction", Value: &p.Interaction, OmitDefault: true,
			Doc:     "Groups of columns that may act together: what a path of a tree splits on is all of one group. Columns in no group are one more.",
			Aliases: []string{"interaction_constraints", "interaction_cst"}},
		{Name: "tree.forced_splits", Value: &p.ForcedSplits, OmitDefault: true,
			Doc:     "Splits that every tree begins with, in LightGBM's form: JSON like {\"feature\": \"age\", \"threshold\": 30, \"left\": {…}, \"right\": {…}}, or a file of it. A feature is a column or its number from 0 on; the threshold is a number, of which the nearest cut is taken, or a level or list of levels that go left. A split that gains nothing, leaves too few rows or breaks a constraint is left out with those below it. The columns are among those of every tree.",
			Aliases: []string{"forcedsplits_filename", "fs", "forced_splits_filename", "forced_splits_file", "forced_splits"}},
		{Name: "tree.feature_penalty", Value: &p.FeaturePenalty, OmitDefault: true,
			Doc:     "By column: what the gain of its splits is multiplied by when the best one is chosen; 0 = none. Stored gains and min_gain are not.",
			Aliases: []string{"feature_contri", "feature_contrib", "fc", "fp", "feature_penalty"}},
		{Name: "tree.feature_cost", Value: &p.FeatureCost, OmitDefault: true,
			Doc:     "By column: what its splits cost in gain as long as no tree of the rounds before uses it (LightGBM and CatBoost judge anew after each split).",
			Aliases: []string{"cegb_penalty_feature_coupled", "first_feature_use_penalties"}},
		{Name: "tree.feature_row_cost", Value: &p.FeatureRowCost, OmitDefault: true,
			Doc:     "By column: what its splits cost in gain for each row of the node that looks the column up for the first time: that has met no split on it, neither above in the tree nor in the trees of the rounds before. Rows left out of a sample meet splits too (in LightGBM they do not).",
			Aliases: []string{"cegb_penalty_feature_lazy", "per_object_feature_penalties"}},
		{Name: "tree.split_cost", Value: &p.SplitCost, OmitDefault: true,
			Doc:     "What a split costs in gain for each row of its node.",
			Aliases: []string{"cegb_penalty_split"}},
		{Name: "tree.cost_tradeoff", Value: &p.CostTradeoff, OmitDefault: true,
			Doc:     "What feature_cost, feature_row_cost and split_cost are multiplied by.",
			Aliases: []string{"cegb_tradeoff", "penalties_coefficient"}},
		{Name: "tree.reuse_feature", Value: &p.ReuseFeature, Range: setting.Below(0, 1), OmitDefault: true,
			Doc: "Training for size: share of its gain that a split on a feature which no tree uses yet does not count for when the best split is chosen; 0 = off. What is used is judged at the start of each round, the trees of train.init_model included; min_gain and stored gains are not reduced."},
		{Name: "tree.reuse_cut", Value: &p.ReuseCut, Range: setting.Below(0, 1), OmitDefault: true,
			Doc: "Training for size: the same for a split of a numeric column at a cut that no tree uses yet: with 0.2 it has to gain 1/(1 − 0.2) = 1.25 times as much as a used one; a split that tells missing values from others takes no cut. Both on: 1 − reuse_feature times 1 − reuse_cut of the gain counts."},
		{Name: "categorical.onehot_max", Value: &p.OneHotMax,
			Doc:     "Columns with at most so many levels split one level from the rest.",
			Aliases: []string{"max_cat_to_onehot", "one_hot_max_size"}},
		{Name: "categorical.smooth", Value: &p.Smooth,
			Doc:     "Added to a level's hessian sum when levels are put in order; levels with fewer rows stay out.",
			Aliases: []string{"cat_smooth"}},
		{Name: "categorical.l2", Value: &p.CatL2,
			Doc:     "L2 penalty of splits by sets of levels, on top of tree.lambda_l2.",
			Aliases: []string{"cat_l2"}},
		{Name: "categorical.max_per_side", Value: &p.MaxPerSide, Range: setting.AtLeast(1),
			Doc:     "Levels of the smaller side of a split by sets.",
			Aliases: []string{"max_cat_threshold"}},
		{Name: "categorical.min_per_group", Value: &p.MinPerGroup,
			Doc:     "Rows that a group of levels brings at least before it may be split off.",
			Aliases: []string{"min_data_per_group"}},
		{Name: "sampling.col_tree", Value: &p.ColTree, Range: setting.Above(0, 1),
			Doc:     "Share of the columns that a tree sees.",
			Aliases: []string{"feature_fraction", "sub_feature", "colsample_bytree"}},
		{Name: "sampling.col_level", Value: &p.ColLevel, Range: setting.Above(0, 1),
			Doc:     "Share of the tree's columns that a level sees.",
			Aliases: []string{"colsample_bylevel", "rsm"}},
		{Name: "sampling.col_node", Value: &p.ColNode, Range: setting.Above(0, 1),
			Doc:     "Share of the level's columns that a node sees.",
			Aliases: []string{"feature_fraction_bynode", "sub_feature_bynode", "colsample_bynode", "max_features"}},
		{Name: "sampling.col_weights", Value: &p.ColWeights, OmitDefault: true,
			Doc: "By column: how likely col_tree, col_level and col_node draw it beside others; 1 for those left out, 0 = only where no others are left."},
	}
}

// newColumns returns what draws the features of trees and nodes.
func newColumns(c *Config, copies *allowed.Copies) colsample.Sampler {
	s := colsample.Config{Seed: c.Seed, ByTree: c.Params.ColTree, ByLevel: c.Params.ColLevel, ByNode: c.Params.ColNode}
	if len(c.Params.ColWeights) > 0 {
		s.Weights = allowed.ByFeature(copies, c.Params.ColWeights, 1)
	}
	splits := func(f int) bool { return c.Features[f].NCodes() > 1 }
	for f := range c.Features {
		if splits(f) {
			s.Features = append(s.Features, f)
		}
	}
	for _, f := range forced.Features(c.Forced) {
		if splits(f) {
			s.Always = append(s.Always, f)
		}
	}
	return colsample.Sampler{Config: s}
}
