package configs

import (
	"slices"

	"boost/booster"
	"boost/booster/preset"
	"boost/booster/traindata"
	"boost/dataset"
	"boost/internal/setting"
	"boost/ptq"
	"boost/ptq/compress"
	"boost/tensorq/store"
)

// sections are in the order in which documents show them.
var sections = []string{
	"data", "binning", "categorical", "train", "dart", "objective", "gradients", "tree", "sampling", "constraints", "metrics", "output", "quantize", "registry",
}

// settings describes every setting, those of c, section by section.
func settings(c *Config) []setting.Setting {
	all := slices.Concat(dataSettings(&c.Data), booster.Settings(&c.Params), runSettings(c), store.Settings(&c.Registry))
	slices.SortStableFunc(all, func(a, b setting.Setting) int {
		return slices.Index(sections, a.Section()) - slices.Index(sections, b.Section())
	})
	return all
}

// dataSettings describes which tables are read and how.
func dataSettings(d *Data) []setting.Setting {
	return []setting.Setting{
		{Name: "data.train", Value: &d.Train, Path: true,
			Doc:     "Training table: a file, a glob, \"-\" for standard input, or a list that is read as one.",
			Aliases: []string{"data", "train", "train_data", "train_data_file", "data_filename"}},
		{Name: "data.valid", Value: &d.Valid, Path: true,
			Doc:     "Validation sets, watched while training; the first leads early stopping.",
			Aliases: []string{"valid", "valid_data", "valid_data_file", "valid_filenames", "test_data", "test_data_file"}},
		{Name: "data.test", Value: &d.Test, Path: true,
			Doc: "Test sets, scored once after training."},
		{Name: "data.label", Value: &d.Label, One: true,
			Doc:     "Column to predict, or several columns of numbers: the model then predicts each of them.",
			Aliases: []string{"label", "label_column"}},
		{Name: "data.weight", Value: &d.Weight,
			Doc:     "Column with the rows' weights, 0 or more; empty = all 1.",
			Aliases: []string{"weight", "weight_column"}},
		{Name: "data.group", Value: &d.Group,
			Doc:     "Column that names the query of each row; they may stand apart in a table that is read into memory. A LibSVM file's qid is taken without being named.",
			Aliases: []string{"group", "group_column", "group_id", "query", "query_column", "query_id", "qid"}},
		{Name: "data.position", Value: &d.Position,
			Doc:     "Column with the positions at which rows were shown, numbers; for objective lambdarank, which then learns what a position alone does to a label beside what the features do. Predictions are without it. LightGBM's side file .position is taken without being named.",
			Aliases: []string{"position", "position_column"}},
		{Name: "data.event", Value: &d.Event,
			Doc:     "Column that is 1 where the event came at the row's time, which is the label, and 0 where the row is censored; for objectives cox and aft.",
			Aliases: []string{"event", "event_column"}},
		{Name: "data.label_upper", Value: &d.LabelUpper,
			Doc:     "Column with the time up to which the event came, where the label is the time from which on: equal if it is known, inf or no value if it may come any time later, and a label of 0 or -inf if it may have come any time before; for objective aft.",
			Aliases: []string{"label_upper_bound"}},
		{Name: "data.init_score", Value: &d.InitScore,
			Doc: "Columns with the raw scores that training starts from, one per output, in the outputs' order; empty = none."},
		{Name: "data.id", Value: &d.ID,
			Doc: "Columns that name a row: no features, kept as text."},
		{Name: "data.ignore", Value: &d.Ignore,
			Doc:     "Columns that are not read at all.",
			Aliases: []string{"ignore_column", "ignore_feature", "blacklist", "ignored_features"}},
		{Name: "data.categorical", Value: &d.Categorical,
			Doc:     "Columns whose values are names even where they look like numbers.",
			Aliases: []string{"categorical_feature", "categorical_features", "cat_feature", "cat_features", "categorical_column", "cat_column"}},
		{Name: "data.missing", Value: &d.Missing,
			Doc: "Texts that stand for a missing value beside those of missing_only."},
		{Name: "data.missing_only", Value: &d.MissingOnly,
			Doc: "Texts that stand for a missing value in place of the usual ones, like [\"\"] where NA and None are levels."},
		{Name: "data.parse", Value: &d.Parse,
			Doc: "How numbers and dates are written that are not written plainly, by column: \"number\" or \"date\" (the cells decide), an example such as \"1,234.5 €\" or \"dd/mm/yyyy\", or \"text\"; \"auto\" instead of a table reads all columns that have one form. The model keeps the forms."},
		{Name: "data.blanks", Value: &d.Blanks, Choices: []string{"trim", "keep"},
			Doc: "Whether blanks around cells of text files that are not in quotes are part of categories and classes."},
		{Name: "data.format", Value: &d.Format, Choices: append([]string{"auto"}, dataset.Formats()...),
			Doc: "Format of the tables; \"auto\" finds it from the beginning of each file."},
		{Name: "data.decimal", Value: &d.Decimal, Choices: []string{".", ","},
			Doc: "Decimal mark of numbers."},
		{Name: "data.encoding", Value: &d.Encoding, Choices: []string{"utf-8", "latin1", "cp1252"},
			Doc: "Character encoding of text files."},
		{Name: "data.sheet", Value: &d.Sheet,
			Doc:     "Sheet of an Excel workbook that holds the table; empty = the first.",
			Aliases: []string{"sheet_name"}},
		{Name: "data.separator", Value: &d.Separator,
			Doc: "Character between cells, \"tab\", or \"auto\" to find it."},
		{Name: "data.header", Value: &d.Header, Choices: []string{"auto", "true", "false"},
			Doc:     "Whether the first line holds the column names; \"auto\" finds out.",
			Aliases: []string{"header", "has_header"}},
		{Name: "data.skip_lines", Value: &d.SkipLines, Range: setting.Between(0, 1<<20),
			Doc:     "Lines of a text file, or rows of a workbook's sheet, that stand above the names of the columns and are not read.",
			Aliases: []string{"skiprows", "skip_rows"}},
		{Name: "data.on_bad_row", Value: &d.OnBadRow, Choices: []string{"stop", "skip"},
			Doc: "What a row with a bad cell does: stop with its place, or be left out and counted."},
		{Name: "data.absent", Value: &d.Absent, Choices: []string{"zero", "missing"},
			Doc: "What a LibSVM file means by a feature that a row does not name."},
		{Name: "data.index_base", Value: &d.IndexBase, Choices: []string{"auto", "0", "1"},
			Doc: "Index of a LibSVM file's first feature; \"auto\": 0 if that index occurs, else 1. Features are f0, f1, … by the index as written."},
		{Name: "data.side_files", Value: &d.SideFiles, Choices: []string{"auto", "ignore"},
			Doc: "Whether the files that LightGBM looks for beside a table (.weight, .query, .position, .init) are read where they are found."},
		{Name: "data.cache", Value: &d.Cache, Path: true,
			Doc: "File that keeps the tables' codes from run to run, compared with size, time, contents and settings of the tables before it is used; empty = none."},
		{Name: "data.out_of_core", Value: &d.OutOfCore, Choices: []string{traindata.OutOfCoreAuto, traindata.OutOfCoreTrue, traindata.OutOfCoreFalse},
			Doc:     "Whether the training and validation tables stay in files and are read in chunks; \"auto\": where they would take more than train.memory_limit. Never changes the model.",
			Aliases: []string{"two_round", "two_round_loading", "use_two_round_loading"}},
	}
}

// runSettings describes what else a run is told beside the parameters of training.
func runSettings(c *Config) []setting.Setting {
	return []setting.Setting{
		{Name: "binning.forced_cuts_file", Value: &c.ForcedCutsFile, Path: true,
			Doc:     "Forced cuts as a JSON file in LightGBM's form: [{\"feature\": 0, \"bin_upper_bound\": [18, 65]}], features counted from 0.",
			Aliases: []string{"forcedbins_filename"}},
		{Name: "train.effort", Value: &c.Effort, Choices: append([]string{""}, preset.Efforts()...),
			Doc: "What keys that are not given are chosen by: \"quick\", up to 1,000 rounds with early stopping; \"default\", many small steps by the table's kind and size, then training on all rows, of four models that are averaged (train.blend); \"best\", twelve such models, or, where these cannot be averaged, ten on the rows without each tenth in turn (train.bag_folds); empty = the defaults on this page. `boost train TABLE` starts from \"default\". The model keeps the values, not the name."},
		{Name: "train.budget", Value: &c.Budget, NoLimit: true,
			Doc: "Time for the whole run, reading included: \"60s\", \"10m\", or seconds. It is spent on a search of the settings that are not given (as `boost tune`), then on eight models that are averaged, and up to twelve where time is left (train.blend; ten of folds, where these cannot be); where that is too little, on fewer models or larger steps, or on one model of effort \"quick\" until the time is over. The plan is said at the beginning. The model keeps the settings that were chosen, which give its bytes again in any time; 0 = no search."},
		{Name: "train.preset", Value: &c.Preset, Choices: append([]string{""}, preset.Names()...),
			Doc: "Named set of values for keys that are not given; \"fast\": 50 rounds of learning rate 0.2 on 8-bit gradients, about as good as the defaults in half the time; \"lightgbm\", \"xgboost\", \"catboost\": their defaults, as far as there is the like here. The model keeps the values, not the name."},
		{Name: "train.init_model", Value: &c.InitModel, Path: true,
			Doc:     "Model that training goes on from: `train.rounds` more rounds, on tables with its columns, in its cuts and categories; empty = from nothing.",
			Aliases: []string{"init_model", "xgb_model", "input_model", "model_input", "model_in"}},
		{Name: "output.model", Value: &c.Output.Model, Path: true,
			Doc:     "Model file; empty = named after the training table, in the current directory.",
			Aliases: []string{"output_model", "model_output", "model_out"}},
		{Name: "output.predictions", Value: &c.Output.Predictions, Path: true,
			Doc: "File for the predictions of the test sets (.csv, .jsonl, .parquet or .arrow); empty = none."},
		{Name: "output.checkpoint", Value: &c.Output.Checkpoint, Path: true,
			Doc: "Folder for checkpoints, from which `boost train --resume` goes on after training was stopped or killed; the last two stay. Empty = none."},
		{Name: "output.checkpoint_every", Value: &c.Output.CheckpointEvery,
			Doc:     "How often a checkpoint is written: a number of rounds, or a time such as \"10m\" or \"90s\". Never changes the model.",
			Aliases: []string{"snapshot_freq", "save_period"}},
		{Name: "quantize.tiers", Value: &c.Quantize.Tiers, Choices: ptq.FormNames(ptq.Tiers()),
			Doc: "Tiers to choose from, beside dtype."},
		{Name: "quantize.max_bytes", Value: &c.Quantize.MaxBytes,
			Doc: "Largest file; 0 = any. With it or max_loss and neither dtype nor tiers, all forms that are worth it are tried."},
		{Name: "quantize.max_loss", Value: &c.Quantize.MaxLoss, Share: true, Range: setting.Between(-1, 1),
			Doc: "Most that the metric may get worse, a share as \"0.1%\" or 0.001, certified on one half of the first validation set, or of the rows held out; -1 = any."},
		{Name: "quantize.calibrate", Value: &c.Quantize.Calibrate,
			Doc: "How scales of data types are chosen: absmax, mse, percentile:99.9; empty = absmax."},
		{Name: "quantize.by", Value: &c.Quantize.By, Choices: compress.Granularities(),
			Doc: "Which leaves share a scale of a data type."},
		{Name: "quantize.output", Value: &c.Quantize.Output, Path: true,
			Doc: "File for the compressed model; empty = the model's name with .q.boost at its end. It is written together with the model, or neither is."},
	}
}
