package configs

import (
	"slices"

	"boost/dataset"
	"boost/objectives"
	"boost/objectives/metrics"
)

// The choices are those of this version: a later one is refused like any unknown word.
var (
	objectiveNames = objectives.Names()
	metricNames    = metrics.Names()
)

// keys holds every setting, in the order in which documents show them.
var keys = []Key{
	{Name: "data.train", kind: paths, Doc: "Training table: a file, a glob, \"-\" for standard input, or a list that is read as one.",
		Aliases: []string{"data", "train", "train_data", "train_data_file", "data_filename"},
		field:   func(c *Config) any { return &c.Data.Train }},
	{Name: "data.valid", kind: paths, Doc: "Validation sets, watched while training; the first leads early stopping.",
		Aliases: []string{"valid", "valid_data", "valid_data_file", "valid_filenames", "test_data", "test_data_file"},
		field:   func(c *Config) any { return &c.Data.Valid }},
	{Name: "data.test", kind: paths, Doc: "Test sets, looked at once, with the finished model.",
		field: func(c *Config) any { return &c.Data.Test }},
	{Name: "data.label", kind: text, Doc: "Column to predict.",
		Aliases: []string{"label", "label_column"},
		field:   func(c *Config) any { return &c.Data.Label }},
	{Name: "data.positive_class", kind: text, Doc: "Binary: the class whose probability is predicted; empty = the second of the two in sorted order.",
		field: func(c *Config) any { return &c.Params.PositiveClass }},
	{Name: "data.weight", kind: text, Doc: "Column with the rows' weights, 0 or more; empty = all 1.",
		Aliases: []string{"weight", "weight_column"},
		field:   func(c *Config) any { return &c.Data.Weight }},
	{Name: "data.id", kind: list, Doc: "Columns that name a row: no features, kept as text.",
		field: func(c *Config) any { return &c.Data.ID }},
	{Name: "data.ignore", kind: list, Doc: "Columns that are not read at all.",
		Aliases: []string{"ignore_column", "ignore_feature", "ignored_features"},
		field:   func(c *Config) any { return &c.Data.Ignore }},
	{Name: "data.categorical", kind: list, Doc: "Columns whose values are names even where they look like numbers.",
		Aliases: []string{"categorical_feature", "categorical_features", "cat_feature", "cat_features", "categorical_column", "cat_column"},
		field:   func(c *Config) any { return &c.Data.Categorical }},
	{Name: "data.missing", kind: list, Doc: "Texts that stand for a missing value.",
		field: func(c *Config) any { return &c.Data.Missing }},
	{Name: "data.format", kind: choice, Choices: append([]string{"auto"}, dataset.Formats()...), Doc: "Format of the tables; \"auto\" finds it from the beginning of each file.",
		field: func(c *Config) any { return &c.Data.Format }},
	{Name: "data.decimal", kind: choice, Choices: []string{".", ","}, Doc: "Decimal mark of numbers.",
		field: func(c *Config) any { return &c.Data.Decimal }},
	{Name: "data.encoding", kind: choice, Choices: []string{"utf-8", "latin1", "cp1252"}, Doc: "Character encoding of text files.",
		field: func(c *Config) any { return &c.Data.Encoding }},
	{Name: "data.separator", kind: text, Doc: "Character between cells, \"tab\", or \"auto\" to find it.",
		field: func(c *Config) any { return &c.Data.Separator }},
	{Name: "data.header", kind: choice, Choices: []string{"auto", "true", "false"}, Doc: "Whether the first line holds the column names; \"auto\" finds out.",
		Aliases: []string{"header", "has_header"},
		field:   func(c *Config) any { return &c.Data.Header }},
	{Name: "data.on_bad_row", kind: choice, Choices: []string{"stop", "skip"}, Doc: "What a row with a bad cell does: stop with its place, or be left out and counted.",
		field: func(c *Config) any { return &c.Data.OnBadRow }},

	{Name: "binning.max_bin", kind: integer, least: 2, most: 1 << 24, Doc: "Codes of a numeric column, the missing one included; up to 256 fit one byte.",
		Aliases: []string{"max_bin", "max_bins", "border_count"},
		field:   func(c *Config) any { return &c.Params.Binning.MaxBin }},
	{Name: "binning.min_data_in_bin", kind: integer, least: 1, Doc: "Rows that a numeric bin holds at least.",
		Aliases: []string{"min_data_in_bin"},
		field:   func(c *Config) any { return &c.Params.Binning.MinDataInBin }},
	{Name: "binning.sample", kind: integer, noLimit: true, Doc: "Rows that cuts are taken from; 0 = all.",
		Aliases: []string{"bin_construct_sample_cnt", "subsample_for_bin"},
		field:   func(c *Config) any { return &c.Params.Binning.Sample }},
	{Name: "binning.placement", kind: choice, Choices: []string{"midpoint", "value"}, Doc: "Where a cut lies: between its two neighbours, or on the lower one.",
		field: func(c *Config) any { return &c.Params.Binning.Placement }},
	{Name: "binning.max_bin_by_feature", kind: binCounts, least: 2, most: 1 << 24, Doc: "`binning.max_bin` of single numeric columns, like {age = 64}.",
		Aliases: []string{"max_bin_by_feature"},
		field:   func(c *Config) any { return &c.Params.Binning.MaxBinByFeature }},
	{Name: "binning.forced_cuts", kind: cutLists, Doc: "Cuts that single numeric columns must have, ascending, like {age = [18, 65]}; quantiles between them fill the bins that are left.",
		field: func(c *Config) any { return &c.Params.Binning.ForcedCuts }},
	{Name: "binning.forced_cuts_file", kind: path, Doc: "Forced cuts as a JSON file in LightGBM's form: [{\"feature\": 0, \"bin_upper_bound\": [18, 65]}], features counted from 0.",
		Aliases: []string{"forcedbins_filename"},
		field:   func(c *Config) any { return &c.ForcedCutsFile }},
	{Name: "binning.storage", kind: choice, Choices: []string{"adaptive", "uniform"}, Doc: "Width of codes in memory: per column, or one for all. Never changes the model.",
		field: func(c *Config) any { return &c.Params.Binning.Storage }},
	{Name: "binning.layout", kind: choice, Choices: []string{"auto", "col", "row", "both", "csr", "ellpack"}, Doc: "How codes are kept: by columns, by rows, both, or without each column's most frequent code; \"auto\" measures. Never changes the model.",
		field: func(c *Config) any { return &c.Params.Binning.Layout }},
	{Name: "binning.missing_as", kind: choice, Choices: []string{"sentinel", "mask"}, Doc: "A missing value is a code of its own, or a bit beside the codes. Never changes the model.",
		field: func(c *Config) any { return &c.Params.Binning.MissingAs }},
	{Name: "binning.bundle", kind: choice, Choices: []string{"auto", "on", "off"}, Doc: "Whether columns that are never set in the same row share one in memory. Without conflicts it never changes the model.",
		field: func(c *Config) any { return &c.Params.Binning.Bundle }},
	{Name: "binning.bundle_conflicts", kind: number, most: 0.1, Doc: "Share of rows in which columns of a bundle may be set together, all but one losing their value in training; needs bundle = \"on\".",
		Aliases: []string{"max_conflict_rate"},
		field:   func(c *Config) any { return &c.Params.Binning.BundleConflicts }},
	{Name: "binning.weighted_cuts", kind: boolean, Doc: "Bins of equal weight instead of equal numbers of rows.",
		field: func(c *Config) any { return &c.Params.Binning.WeightedCuts }},

	{Name: "categorical.max_cat", kind: integer, least: 1, Doc: "Levels of a column with a code of their own; rarer ones share one.",
		field: func(c *Config) any { return &c.Params.Binning.MaxCat }},
	{Name: "categorical.min_data_per_cat", kind: integer, least: 1, Doc: "Rows of a level with a code of its own; rarer ones share one.",
		field: func(c *Config) any { return &c.Params.Binning.MinDataPerCat }},
	{Name: "categorical.order", kind: choice, Choices: []string{"count", "name"}, Doc: "Codes of levels by their number of rows, or by name: these do not depend on the order of the rows.",
		field: func(c *Config) any { return &c.Params.Binning.Order }},
	{Name: "categorical.onehot_max", kind: integer, Doc: "Columns with at most so many levels split one level from the rest.",
		Aliases: []string{"max_cat_to_onehot", "one_hot_max_size"},
		field:   func(c *Config) any { return &c.Params.Tree.OneHotMax }},
	{Name: "categorical.smooth", kind: number, Doc: "Added to a level's hessian sum when levels are put in order; levels with fewer rows stay out.",
		Aliases: []string{"cat_smooth"},
		field:   func(c *Config) any { return &c.Params.Tree.Smooth }},
	{Name: "categorical.l2", kind: number, Doc: "L2 penalty of splits by sets of levels, on top of tree.lambda_l2.",
		Aliases: []string{"cat_l2"},
		field:   func(c *Config) any { return &c.Params.Tree.CatL2 }},
	{Name: "categorical.max_per_side", kind: integer, least: 1, Doc: "Levels of the smaller side of a split by sets.",
		Aliases: []string{"max_cat_threshold"},
		field:   func(c *Config) any { return &c.Params.Tree.MaxPerSide }},
	{Name: "categorical.min_per_group", kind: number, Doc: "Rows that a group of levels brings at least before it may be split off.",
		Aliases: []string{"min_data_per_group"},
		field:   func(c *Config) any { return &c.Params.Tree.MinPerGroup }},

	{Name: "train.objective", kind: choice, Choices: objectiveNames, Doc: "Loss to minimise; empty = inferred from the label.",
		Aliases: []string{"objective", "objective_type", "application", "app", "loss", "loss_function"},
		field:   func(c *Config) any { return &c.Params.Objective }},
	{Name: "train.rounds", kind: integer, least: 1, Doc: "Boosting rounds, one tree per output each.",
		Aliases: []string{"num_iterations", "num_iteration", "n_iter", "num_tree", "num_trees", "num_round", "num_rounds", "nrounds", "num_boost_round", "n_estimators", "max_iter", "iterations"},
		field:   func(c *Config) any { return &c.Params.Rounds }},
	{Name: "train.learning_rate", kind: number, above: true, most: 10, Doc: "Factor on every tree's values.",
		Aliases: []string{"learning_rate", "shrinkage_rate", "eta"},
		field:   func(c *Config) any { return &c.Params.LearningRate }},
	{Name: "train.seed", kind: integer, Doc: "Seed of everything random; the same seed gives the same model.",
		Aliases: []string{"seed", "random_seed", "random_state"},
		field:   func(c *Config) any { return &c.Params.Seed }},
	{Name: "train.threads", kind: integer, noLimit: true, Doc: "Threads; 0 = CPU quota or physical cores, the smaller. Never changes the model.",
		Aliases: []string{"threads", "num_threads", "num_thread", "nthread", "nthreads", "n_jobs", "thread_count"},
		field:   func(c *Config) any { return &c.Params.Threads }},
	{Name: "train.gradients", kind: choice, Choices: []string{"i16", "i32", "f32"}, Doc: "How gradients are stored: 16- or 32-bit codes, or floats.",
		field: func(c *Config) any { return &c.Params.Gradients }},
	{Name: "train.builder", kind: choice, Choices: []string{"auto", "sequential", "feature", "row"}, Doc: "How histograms are shared among threads. Never changes the model.",
		field: func(c *Config) any { return &c.Params.Builder }},
	{Name: "train.early_stopping", kind: integer, noLimit: true, Doc: "Stop after so many rounds without a better metric and keep the best; 0 = off. Without a valid set a tenth of the rows is held out.",
		Aliases: []string{"early_stopping", "early_stopping_round", "early_stopping_rounds", "n_iter_no_change", "od_wait"},
		field:   func(c *Config) any { return &c.Params.EarlyStopping }},
	{Name: "train.time_limit", kind: duration, noLimit: true, Doc: "Stop when the run takes this long, reading included, with what there is: \"90s\", \"10m\", or seconds; 0 = none.",
		field: func(c *Config) any { return &c.Params.TimeLimit }},
	{Name: "train.memory_limit", kind: size, noLimit: true, Doc: "Memory that training may take: bytes, \"4GB\", \"512MiB\"; 0 = none.",
		Aliases: []string{"used_ram_limit"},
		field:   func(c *Config) any { return &c.Params.MemoryLimit }},
	{Name: "train.verify", kind: boolean, Doc: "Check every histogram against its rows while training; slow. Never changes the model.",
		field: func(c *Config) any { return &c.Params.Verify }},

	{Name: "gradients.clip_negative_hessian", kind: boolean, Doc: "Take a negative second derivative of a custom loss as 0 instead of stopping.",
		field: func(c *Config) any { return &c.Params.ClipNegativeHessian }},

	{Name: "tree.leaves", kind: integer, least: 2, most: 1 << 20, Doc: "Leaves of a tree at most.",
		Aliases: []string{"num_leaves", "num_leaf", "max_leaves", "max_leaf", "max_leaf_nodes"},
		field:   func(c *Config) any { return &c.Params.Tree.Leaves }},
	{Name: "tree.max_depth", kind: integer, noLimit: true, Doc: "Splits between root and leaf at most; 0 = no limit.",
		Aliases: []string{"max_depth", "depth"},
		field:   func(c *Config) any { return &c.Params.Tree.MaxDepth }},
	{Name: "tree.min_data_in_leaf", kind: integer, Doc: "Rows of a leaf at least.",
		Aliases: []string{"min_data_in_leaf", "min_data_per_leaf", "min_data", "min_child_samples", "min_samples_leaf"},
		field:   func(c *Config) any { return &c.Params.Tree.MinDataInLeaf }},
	{Name: "tree.min_child_weight", kind: number, Doc: "Sum of second derivatives of a leaf at least.",
		Aliases: []string{"min_child_weight", "min_sum_hessian_in_leaf", "min_sum_hessian_per_leaf", "min_sum_hessian", "min_hessian"},
		field:   func(c *Config) any { return &c.Params.Tree.MinChildWeight }},
	{Name: "tree.lambda_l1", kind: number, Doc: "L1 penalty on leaf values.",
		Aliases: []string{"lambda_l1", "reg_alpha", "l1_regularization"},
		field:   func(c *Config) any { return &c.Params.Tree.LambdaL1 }},
	{Name: "tree.lambda_l2", kind: number, Doc: "L2 penalty on leaf values.",
		Aliases: []string{"lambda_l2", "reg_lambda", "l2_regularization", "l2_leaf_reg"},
		field:   func(c *Config) any { return &c.Params.Tree.LambdaL2 }},
	{Name: "tree.min_gain", kind: number, Doc: "Gain of a split at least.",
		Aliases: []string{"min_gain_to_split", "min_split_gain", "min_split_loss"},
		field:   func(c *Config) any { return &c.Params.Tree.MinGain }},

	{Name: "sampling.row_fraction", kind: number, above: true, most: 1, Doc: "Share of the rows that a round sees.",
		Aliases: []string{"bagging_fraction", "subsample", "sub_row", "bagging"},
		field:   func(c *Config) any { return &c.Params.RowFraction }},
	{Name: "sampling.row_every", kind: integer, least: 1, Doc: "Rounds between new samples of rows.",
		Aliases: []string{"bagging_freq", "subsample_freq"},
		field:   func(c *Config) any { return &c.Params.RowEvery }},
	{Name: "sampling.col_tree", kind: number, above: true, most: 1, Doc: "Share of the columns that a tree sees.",
		Aliases: []string{"feature_fraction", "sub_feature", "colsample_bytree"},
		field:   func(c *Config) any { return &c.Params.Tree.ColTree }},
	{Name: "sampling.col_level", kind: number, above: true, most: 1, Doc: "Share of the tree's columns that a level sees.",
		Aliases: []string{"colsample_bylevel", "rsm"},
		field:   func(c *Config) any { return &c.Params.Tree.ColLevel }},
	{Name: "sampling.col_node", kind: number, above: true, most: 1, Doc: "Share of the level's columns that a node sees.",
		Aliases: []string{"feature_fraction_bynode", "sub_feature_bynode", "colsample_bynode", "max_features"},
		field:   func(c *Config) any { return &c.Params.Tree.ColNode }},

	{Name: "metrics.names", kind: list, Choices: metricNames, Doc: "Metrics to watch, the first leads early stopping; empty = the objective's own.",
		Aliases: []string{"metric", "metrics", "metric_types", "eval_metric", "custom_metric"},
		field:   func(c *Config) any { return &c.Params.Metrics }},
	{Name: "metrics.every", kind: integer, least: 1, Doc: "Rounds between evaluations.",
		Aliases: []string{"metric_freq", "output_freq", "metric_period"},
		field:   func(c *Config) any { return &c.Params.MetricsEvery }},

	{Name: "output.model", kind: path, Doc: "Model file; empty = named after the training table, in the current directory.",
		Aliases: []string{"output_model", "model_output", "model_out"},
		field:   func(c *Config) any { return &c.Output.Model }},
	{Name: "output.predictions", kind: path, Doc: "File for the predictions of the test sets (.csv, .jsonl, .parquet or .arrow); empty = none.",
		field: func(c *Config) any { return &c.Output.Predictions }},
}

// unlimitedLeaves stands for "no limit" where a peer has that; it is LightGBM's bound.
const unlimitedLeaves = 131_072

// Keys returns the description of every setting, section by section.
func Keys() []Key { return slices.Clone(keys) }

// sections returns the names of the sections in order.
func sections() []string {
	var names []string
	for i := range keys {
		if s := keys[i].Section(); !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}
