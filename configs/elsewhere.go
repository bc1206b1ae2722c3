package configs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// elsewhere lists parameters of LightGBM, XGBoost, CatBoost and scikit-learn that need no key here, are said in another way, or are not built in, by the
// reason that a config which has one is told.
var elsewhere = []struct {
	reason string
	names  []string
}{
	{"the classes are taken from the label: leave it out", []string{"use_label_encoder", "num_class", "num_classes", "classes_count", "num_target"}},
	{"the names of classes are those in the label: leave it out", []string{"class_names"}},
	{"use the flags -v and -q", []string{"verbose", "verbosity", "verbose_eval", "logging_level"}},
	{"use the flag -q", []string{"silent"}},
	{"training always is: leave it out", []string{"deterministic"}},
	{"train.seed is the only seed", []string{"bagging_seed", "bagging_fraction_seed", "drop_seed", "data_random_seed", "data_seed", "extra_seed",
		"feature_fraction_seed", "objective_seed", "seed_per_iteration"}},
	{"the layout is chosen from the table's shape: leave it out", []string{"force_row_wise", "force_col_wise", "is_enable_sparse", "enable_sparse", "is_sparse",
		"sparse", "sparse_threshold", "dev_efb_max_buckets", "dev_score_calc_obj_block_size", "histogram_pool_size", "hist_pool_size"}},
	{"this version runs on the processor only: leave it out", []string{"device", "device_type", "task_type", "devices", "device_config", "gpu_device_id",
		"gpu_device_id_list", "gpu_platform_id", "gpu_use_dp", "num_gpu", "gpu_ram_part", "gpu_cat_features_storage", "pinned_memory_size", "data_partition",
		"fail_on_invalid_gpu_id"}},
	{"models predict on the processor: leave it out", []string{"predictor"}},
	{"trees always grow on histograms: leave it out", []string{"tree_method", "updater", "updater_seq", "process_type", "refresh_leaf"}},
	{"see boost train --ranks, --share and --peers for several processes: leave it out", []string{"tree_learner", "tree", "tree_type", "tree_learner_type", "top_k", "topk", "num_machines",
		"num_machine", "machines", "workers", "nodes", "machine_list_filename", "machine_list_file", "machine_list", "mlist", "local_listen_port", "local_port",
		"port", "time_out", "pre_partition", "is_pre_partition", "data_split_mode"}},
	{"the command says what is done: leave it out", []string{"task", "config", "config_file"}},
	{"it is for predictions: see the flags of boost predict", []string{"predict_contrib", "is_predict_contrib", "contrib", "predict_leaf_index",
		"is_predict_leaf_index", "leaf_index", "predict_raw_score", "is_predict_raw_score", "predict_rawscore", "raw_score", "pred_early_stop",
		"pred_early_stop_freq", "pred_early_stop_margin", "predict_disable_shape_check", "num_iteration_predict", "start_iteration_predict", "output_result",
		"predict_result", "prediction_result", "predict_name", "prediction_name", "pred_name", "name_pred"}},
	{"use boost convert", []string{"convert_model", "convert_model_file", "convert_model_language"}},
	{"use boost refit and its flag --decay", []string{"refit_decay_rate"}},
	{"data.cache names a file that keeps the codes of tables", []string{"save_binary", "is_save_binary", "is_save_binary_file"}},
	{"positions are part of a metric's name: metrics.names = [\"ndcg@5\"]", []string{"eval_at", "ndcg_eval_at", "ndcg_at", "map_eval_at", "map_at"}},
	{"how many classes count is part of the metric's name: metrics.names = [\"top_k@2\"]", []string{"multi_error_top_k"}},
	{"the first of metrics.names alone leads early stopping: leave it out", []string{"first_metric_only", "disable_default_eval_metric", "maximize"}},
	{"name the metric in metrics.names, the first leads early stopping", []string{"scoring"}},
	{"metrics of the training table are in the report of the run: leave it out", []string{"is_provide_training_metric", "is_training_metric", "train_metric",
		"training_metric", "evals_result"}},
	{"metrics.names has no weights of pairs of classes: leave it out", []string{"auc_mu_weights"}},
	{"data.valid names the validation sets", []string{"evals"}},
	{"data.train names the table", []string{"dtrain"}},
	{"the library has callbacks: see booster.StopWhen and booster.RateBy", []string{"callback", "callbacks"}},
	{"write its parameters as keys", []string{"params"}},
	{"unknown keys are errors always: leave it out", []string{"validate_parameters"}},
	{"a loss of your own is a Go function: see booster.WithObjective and objectives.FromFunc", []string{"obj"}},
	{"the model after early stopping is that of the best round: leave it out", []string{"use_best_model", "best_model_min_trees"}},
	{"train.early_stopping is the number of rounds to wait", []string{"od_type", "od_pval"}},
	{"output.checkpoint is a folder for checkpoints, output.checkpoint_every how often one is written", []string{"save_snapshot", "snapshot_file", "snapshot_interval"}},
	{"train.init_model names the model to go on from", []string{"warm_start"}},
	{"the raw score to start from is found from the label; data.init_score names columns of others", []string{"base_score", "base_margin", "boost_from_average"}},
	{"data.label is the lower bound of an interval, and data.label_upper the column of the upper one", []string{"label_lower_bound"}},
	{"data.position names the column of positions", []string{"lambdarank_unbiased", "lambdarank_bias_norm"}},
	{"pairs have one row among the first objective.truncation of a query: leave it out", []string{"lambdarank_pair_method", "lambdarank_score_normalization"}},
	{"objective.label_gain lists the gains of labels", []string{"ndcg_exp_gain"}},
	{"take the root of the label yourself, or objective squared_log", []string{"reg_sqrt"}},
	{"write labels as 0 and 1", []string{"target_border"}},
	{"several labels have a tree each: leave it out", []string{"multi_strategy"}},
	{"a forest has train.rounds trees: see train.boosting", []string{"num_parallel_tree"}},
	{"sampling.goss_top and sampling.goss_other switch GOSS on, sampling.row_fraction bagging", []string{"data_sample_strategy"}},
	{"set sampling.mvs_fraction (MVS), sampling.row_fraction (Bernoulli), both row_fraction and sampling.replace (Poisson), sampling.bagging_temperature (Bayesian), or none (No)",
		[]string{"bootstrap_type"}},
	{"set sampling.mvs_fraction (gradient_based) or sampling.row_fraction (uniform)", []string{"sampling_method"}},
	{"samples are of a tree: leave it out", []string{"sampling_frequency"}},
	{"sampling.row_by names what is drawn together: query, or a column", []string{"sampling_unit"}},
	{"train.gradients is how gradients are stored: f32 for floats, i16, i8 or i4", []string{"use_quantized_grad", "num_grad_quant_bins"}},
	{"missing values take the better side of each split: leave it out", []string{"use_missing", "nan_mode"}},
	{"data.absent says what a LibSVM file means by a feature that a row does not name, data.missing which texts are missing values", []string{"zero_as_missing"}},
	{"cells are read to the last digit: leave it out", []string{"precise_float_parser", "parser_config_file"}},
	{"columns and their types are found in the table: leave it out", []string{"feature_names", "feature_types", "num_feature", "enable_categorical", "feature_pre_filter", "metadata"}},
	{"use categorical.max_cat", []string{"max_categories"}},
	{"cuts are quantiles, and binning.forced_cuts adds others", []string{"feature_border_type", "input_borders", "output_borders", "per_float_feature_quantization"}},
	{"categorical.splits = \"target\" orders levels by their mean label, categorical.combinations crosses columns, categorical.counts adds columns of counts: leave it out",
		[]string{"max_ctr_complexity", "simple_ctr", "combinations_ctr", "per_feature_ctr", "counter_calc_method", "ctr_description", "ctr_history_unit",
			"ctr_leaf_count_limit", "ctr_target_border_count", "store_all_simple_ctr", "final_ctr_computation_mode"}},
	{"columns of text are left out, and data.categorical takes them as levels", []string{"text_features", "text_processing", "tokenizers", "dictionaries", "feature_calcers",
		"embedding_features"}},
	{"leaves are one Newton step, or quantiles: leave it out", []string{"leaf_estimation_method", "leaf_estimation_iterations", "leaf_estimation_backtracking"}},
	{"splits are chosen by what they lower the loss, second derivatives counted: leave it out", []string{"score_function", "random_strength", "random_score_type"}},
	{"tree.reuse_feature and tree.reuse_cut make models small", []string{"model_size_reg"}},
	{"it is not built in: leave it out", []string{"langevin", "diffusion_temperature", "posterior_sampling", "model_shrink_rate", "model_shrink_mode", "fixed_binary_splits",
		"fold_len_multiplier", "fold_permutation_block", "approx_on_full_history", "has_time"}},
	{"a constant label is reported: leave it out", []string{"allow_const_label"}},
	{"output.model names the only file that training writes by itself: leave it out", []string{"allow_writing_files", "train_dir", "name"}},
	{"importances are computed from the model: see boost inspect", []string{"importance_type", "saved_feature_importance_type"}},
}

// needless has the reasons of elsewhere by name.
var needless = func() map[string]string {
	reasons := map[string]string{}
	for _, e := range elsewhere {
		for _, name := range e.names {
			reasons[name] = e.reason
		}
	}
	return reasons
}()

// always has values of needless parameters that ask for what is done anyway, as peers write them.
var always = map[string][]string{
	"allow_writing_files":        {"false"},
	"alpha":                      {"0"},
	"boost_from_average":         {"true"},
	"data_sample_strategy":       {"bagging"},
	"data_split_mode":            {"row"},
	"deterministic":              {"true"},
	"device":                     {"cpu"},
	"device_type":                {"cpu"},
	"enable_categorical":         {"true", "false"},
	"first_metric_only":          {"true"},
	"gamma":                      {"0"},
	"has_time":                   {"false"},
	"leaf_estimation_iterations": {"1"},
	"leaf_estimation_method":     {"newton"},
	"multi_strategy":             {"one_output_per_tree"},
	"od_type":                    {"iter"},
	"sampling_method":            {"uniform"},
	"scoring":                    {"loss"},
	"lambdarank_unbiased":        {"false"},
	"num_parallel_tree":          {"1"},
	"process_type":               {"default"},
	"reg_sqrt":                   {"false"},
	"task":                       {"train", "training"},
	"task_type":                  {"cpu"},
	"tree_learner":               {"serial"},
	"tree_method":                {"auto", "hist"},
	"use_best_model":             {"true"},
	"use_missing":                {"true"},
	"validate_parameters":        {"true"},
	"warm_start":                 {"false"},
	"zero_as_missing":            {"false"},
}

// harmless lists parameters whose values change no model: what is printed, how the peer reads and lays out its data.
var harmless = []string{"verbose", "verbosity", "verbose_eval", "silent", "logging_level", "use_label_encoder", "predictor", "force_row_wise", "force_col_wise",
	"is_enable_sparse", "enable_sparse", "is_sparse", "sparse", "sparse_threshold", "histogram_pool_size", "hist_pool_size", "is_provide_training_metric",
	"is_training_metric", "train_metric", "training_metric"}

// isAlways reports whether a written name is a parameter without a key here whose value asks for what is done anyway.
func isAlways(written string, value any) bool {
	name := written[strings.LastIndexByte(written, '.')+1:]
	text := strings.ToLower(fmt.Sprint(value))
	if slices.Contains(harmless, name) {
		_, noNumber := strconv.ParseFloat(text, 64)
		return noNumber == nil || text == "true" || text == "false" || name == "logging_level" || name == "predictor"
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		if slices.Contains(classCounts, name) {
			return v > 0
		}
		text = strconv.FormatFloat(v, 'g', -1, 64)
	}
	usual := always[name]
	return slices.Contains(usual, text) || text == "1" && slices.Contains(usual, "true") || text == "0" && slices.Contains(usual, "false")
}

// classCounts are the peers' names of the number of classes.
var classCounts = []string{"num_class", "num_classes", "classes_count"}
