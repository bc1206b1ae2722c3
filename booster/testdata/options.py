"""Writes options.json: rows, and the losses of LightGBM 4.7.0, XGBoost 3.2.0 and CatBoost 1.2.10 on them, round by round, with one option of
training after the other. Of options that draw numbers it has the mean over many seeds and its standard error.

Where LightGBM goes another way, values are such that it does not show: it does not try a column below a node where no split on it gained; it estimates
rows from second derivatives (min_data_in_leaf is 0 where these differ); a set of levels leaves min_data_per_group rows for the others
(min_data_in_leaf is as many); and its first tree holds the base score, which dart then drops (there are init scores).
"""
import json
import pathlib
import tempfile

import catboost
import lightgbm as lgb
import numpy as np
import xgboost as xgb

random = np.random.default_rng(11)
n = 600
x = np.stack([random.integers(1, high, n) for high in (41, 17, 9)] + [random.integers(0, 14, n)], 1).astype(float)
a, b, c, level = x.T
pull = random.permutation(14) / 4
y = 0.05 * a - 0.002 * (a - 20) ** 2 + np.sin(b) * (a > 12) + pull[level.astype(int)] * (c > 4) + random.integers(-8, 9, n) / 16
y = np.round(y * 16) / 16
labels = dict(
    number=y, two=(y > 1.5).astype(float), three=(y > 0.5).astype(float) + (y > 2),
    count=np.floor(np.maximum(0, np.exp(y / 2) + random.integers(-1, 2, n))), amount=np.round(np.exp(y / 2) * 64) / 64,
    chance=np.round(256 / (1 + np.exp(-y))) / 256)
weight = random.integers(1, 5, n) / 2.0
start = np.round(random.normal(size=n) * 32) / 32
curves, means, early = [], [], []
ROUNDS, SEEDS, DRAWN = 6, 60, 8


def logistic(raw):
    return 1 / (1 + np.exp(-raw))


def softmax(raw):
    e = np.exp(raw - raw.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def rmse(raw, label, w):
    return float(np.sqrt(np.average((raw - label) ** 2, weights=w)))


def logloss(raw, label, w):
    p = np.clip(logistic(raw), 1e-15, 1 - 1e-15)
    return float(np.average(-label * np.log(p) - (1 - label) * np.log(1 - p), weights=w))


def of_classes(chances):
    return lambda raw, label, w: float(np.average(-np.log(chances(raw)[np.arange(n), label.astype(int)]), weights=w))


def ova(raw):
    p = logistic(raw)
    return p / p.sum(1, keepdims=True)


def poisson(raw, label, w):
    mean = np.exp(raw)
    return float(np.average(2 * (np.where(label > 0, label * np.log(np.where(label > 0, label, 1) / mean), 0) - label + mean), weights=w))


def gamma(raw, label, w):
    return float(np.average(2 * (raw - np.log(label) + label * np.exp(-raw) - 1), weights=w))


def tweedie(p):
    return lambda raw, label, w: float(np.average(
        2 * (label ** (2 - p) / ((1 - p) * (2 - p)) - label * np.exp((1 - p) * raw) / (1 - p) + np.exp((2 - p) * raw) / (2 - p)), weights=w))


def mae(raw, label, w):
    return float(np.average(abs(raw - label), weights=w))


def pinball(alpha):
    return lambda raw, label, w: float(np.average(np.where(label > raw, alpha * (label - raw), (1 - alpha) * (raw - label)), weights=w))


def mape(raw, label, w):
    return float(np.average(abs(raw - label) / np.maximum(1, abs(label)), weights=w))


METRICS = dict(
    regression=rmse, binary=logloss, multiclass=of_classes(softmax), multiclassova=of_classes(ova), cross_entropy=logloss,
    poisson=poisson, gamma=gamma, tweedie=tweedie(1.5), l1=mae, quantile=pinball(0.5), mape=mape)


def light(parameters, label="number", columns=3, w=None, init=None, rounds=ROUNDS, rates=None, metric=None, seed=1):
    """Returns the losses of LightGBM after each round."""
    usual = dict(
        objective="regression", learning_rate=0.3, num_leaves=8, min_data_in_leaf=5, min_sum_hessian_in_leaf=0, min_data_in_bin=1, seed=seed,
        feature_pre_filter=False, deterministic=True, num_threads=1, verbose=-1)
    parameters = usual | parameters
    categorical = [3] if columns == 4 else []
    data = lgb.Dataset(x[:, :columns], labels[label], weight=w, init_score=init, categorical_feature=categorical, params=parameters)
    callbacks = [] if rates is None else [lgb.reset_parameter(learning_rate=rates)]
    losses, metric, offset = [], metric or METRICS[parameters["objective"]], 0 if init is None else init
    # The model after k rounds is that of a run of k rounds: in dart, later ones change it.
    ends = range(1, rounds + 1) if parameters.get("boosting") == "dart" else [rounds]
    for end in ends:
        model = lgb.train(parameters, data, end, callbacks=callbacks)
        for k in [end] if len(ends) > 1 else range(1, rounds + 1):
            losses.append(metric(model.predict(x[:, :columns], raw_score=parameters.get("boosting") != "rf", num_iteration=k) + offset, labels[label], w))
    return losses


def extreme(parameters, label="number", w=None, rounds=ROUNDS, metric=None, weights=None, seed=1, columns=3):
    """Returns the losses of XGBoost after each round."""
    objective = parameters.get("objective", "reg:squarederror")
    base = float(np.average(labels[label], weights=w))
    usual = dict(
        objective=objective, eta=0.3, max_depth=0, max_leaves=8, grow_policy="lossguide", tree_method="hist", max_bin=256, reg_lambda=0,
        min_child_weight=5, base_score=base, nthread=1, seed=seed)
    data = xgb.DMatrix(x[:, :columns], labels[label], weight=w)
    if weights is not None:
        data.set_info(feature_weights=weights)
    losses = []
    for k in range(1, rounds + 1):  # anew, as in dart later rounds change the trees before
        model = xgb.train(usual | parameters, data, k)
        raw = model.predict(data, output_margin=True).astype(float)
        losses.append((metric or (logloss if "logistic" in objective else rmse))(raw, labels[label], w))
    return losses


def cat(parameters, label="number", rounds=ROUNDS, seed=1):
    """Returns the losses of CatBoost's symmetric trees after each round."""
    usual = dict(
        iterations=rounds, learning_rate=0.3, depth=4, l2_leaf_reg=3, score_function="L2", bootstrap_type="No", random_strength=0, boosting_type="Plain",
        grow_policy="SymmetricTree", leaf_estimation_method="Newton", leaf_estimation_iterations=1, border_count=254, thread_count=1, random_seed=seed,
        allow_writing_files=False, verbose=False)
    model = catboost.CatBoostRegressor(**(usual | parameters)).fit(x[:, :3], labels[label])
    return [rmse(p, labels[label], None) for p in model.staged_predict(x[:, :3])]


def curve(name, losses):
    """Adds losses round by round."""
    curves.append(dict(name=name, losses=losses))
    print(name, *(f"{v:.6f}" for v in losses))


def drawn(name, one, *args, rounds=DRAWN, **more):
    """Adds the mean loss after the last round over many seeds, and its standard error."""
    last = [one(*args, rounds=rounds, seed=s, **more)[-1] for s in range(1, SEEDS + 1)]
    means.append(dict(name=name, rounds=rounds, mean=float(np.mean(last)), error=float(np.std(last, ddof=1) / np.sqrt(SEEDS))))
    print(name, f"{means[-1]['mean']:.5f} ± {means[-1]['error']:.5f}")


# Growth and penalties.
curve("plain", light({}))
curve("learning_rate", light(dict(learning_rate=0.7)))
curve("rounds", light({}, rounds=11))
curve("leaves", light(dict(num_leaves=23)))
curve("max_depth", light(dict(num_leaves=31, max_depth=3)))
curve("min_data_in_leaf", light(dict(min_data_in_leaf=45)))
curve("min_child_weight", light(dict(objective="binary", min_data_in_leaf=0, min_sum_hessian_in_leaf=9.3), "two"))
curve("lambda_l1", light(dict(lambda_l1=12, num_leaves=4)))
curve("lambda_l2", light(dict(lambda_l2=30)))
curve("min_gain", light(dict(min_gain_to_split=25, num_leaves=31)))
curve("max_delta_step", light(dict(max_delta_step=0.6)))
curve("max_delta_step_l1_l2", light(dict(max_delta_step=0.5, lambda_l1=3, lambda_l2=8, num_leaves=4)))
curve("path_smooth", light(dict(path_smooth=14, num_leaves=4)))
curve("path_smooth_l2", light(dict(path_smooth=9, lambda_l2=6)))
curve("growth_depth", extreme(dict(grow_policy="depthwise", max_depth=4, max_leaves=0)))
curve("growth_leaf", extreme(dict(max_leaves=12)))
curve("growth_symmetric", cat({}))
curve("min_child_weight_xgboost", extreme(dict(objective="binary:logistic", min_child_weight=6.5), "two"))
curve("gamma_xgboost", extreme(dict(gamma=9, reg_lambda=2)))
curve("reg_alpha_xgboost", extreme(dict(reg_alpha=7)))
curve("max_delta_step_xgboost", extreme(dict(max_delta_step=0.6)))
curve("monotone", light(dict(monotone_constraints=[1, 0, -1], monotone_constraints_method="basic")))
curve("monotone_intermediate", light(dict(monotone_constraints=[1, 0, -1], monotone_constraints_method="intermediate")))
curve("monotone_advanced", light(dict(monotone_constraints=[1, 0, -1], monotone_constraints_method="advanced")))
curve("monotone_penalty", light(dict(monotone_constraints=[1, 0, -1], monotone_penalty=1.4)))
curve("interaction", light(dict(interaction_constraints=[[0, 2], [1]], num_leaves=16)))
curve("interaction_xgboost", extreme(dict(interaction_constraints="[[0, 2], [1]]", max_leaves=16)))
curve("feature_penalty", light(dict(feature_contri=[0.3, 1.2, 1])))
curve("split_cost", light(dict(cegb_penalty_split=0.02, cegb_tradeoff=1.5)))
curve("feature_cost", light(dict(cegb_penalty_feature_coupled=[90, 5, 12], cegb_tradeoff=0.8, num_leaves=2)))
curve("feature_row_cost", light(dict(cegb_penalty_feature_lazy=[0.1, 0.02, 0.05], cegb_tradeoff=0.6)))
with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
    json.dump(dict(feature=1, threshold=6.5, left=dict(feature=2, threshold=3.5), right=dict(feature=0, threshold=25.5)), file)
    file.flush()
    curve("forced_splits", light(dict(forcedsplits_filename=file.name)))
curve("linear", light(dict(linear_tree=True, linear_lambda=0.5, min_data_in_leaf=25)))

# Levels of column 3.
curve("onehot_max", light(dict(max_cat_to_onehot=20), columns=4))
sets = dict(max_cat_to_onehot=2, cat_smooth=5, cat_l2=10, max_cat_threshold=32, min_data_per_group=30, min_data_in_leaf=30, num_leaves=6)
curve("sets", light(sets, columns=4, rounds=4))
curve("smooth", light(sets | dict(cat_smooth=39), columns=4, rounds=3))
curve("cat_l2", light(sets | dict(cat_l2=120), columns=4))
curve("max_per_side", light(sets | dict(max_cat_threshold=2), columns=4))
curve("min_per_group", light(sets | dict(min_data_per_group=85, min_data_in_leaf=85), columns=4))

# Rows.
curve("weight", light({}, w=weight))
curve("init_score", light({}, init=start))
counts = np.bincount(labels["three"].astype(int))
for name, factors in (("class_weight_balanced", n / (3 * counts)), ("class_weight", np.array([0.5, 1, 4]))):
    curve(name, light(dict(objective="multiclass", num_class=3, min_data_in_leaf=0, min_sum_hessian_in_leaf=3), "three",
                      metric=lambda raw, label, w: METRICS["multiclass"](raw, label, None), w=factors[labels["three"].astype(int)]))
positives = labels["two"].sum()
curve("scale_pos_weight", extreme(dict(objective="binary:logistic", scale_pos_weight=2.5, base_score=2.5 * positives / (n + 1.5 * positives)), "two"))

# Rounds.
curve("schedule_linear", light({}, rates=lambda i: 0.3 + (0.06 - 0.3) * i / ROUNDS))
curve("schedule_cosine", light({}, rates=lambda i: 0.05 + (0.3 - 0.05) * (1 + np.cos(np.pi * i / ROUNDS)) / 2))
curve("learning_rates", light({}, rates=[0.5, 0.1, 0.2, 0.2, 0.2, 0.2]))
all_dropped = dict(boosting="dart", drop_rate=1.0, skip_drop=0.0, max_drop=-1, uniform_drop=True)
mean = np.full(n, y.mean())
curve("dart_paper", light(all_dropped, init=mean))
curve("dart_max_drop_1", light(all_dropped | dict(max_drop=1), rounds=2, init=mean))
curve("dart_skip_drop", light(all_dropped | dict(skip_drop=1.0)))
dropped = dict(booster="dart", rate_drop=1.0, skip_drop=0.0, sample_type="uniform")
curve("dart_tree", extreme(dropped | dict(normalize_type="tree")))
curve("dart_forest", extreme(dropped | dict(normalize_type="forest")))
curve("dart_one_drop", extreme(dict(booster="dart", rate_drop=0.0, skip_drop=0.0, one_drop=1), rounds=2))
curve("dart_xgboost_mode", light(all_dropped | dict(xgboost_dart_mode=True)))

# Losses.
curve("binary", light(dict(objective="binary", min_data_in_leaf=0, min_sum_hessian_in_leaf=3), "two"))
curve("multiclass", light(dict(objective="multiclass", num_class=3, min_data_in_leaf=0, min_sum_hessian_in_leaf=3), "three"))
curve("one_vs_all", light(dict(objective="multiclassova", num_class=3, min_data_in_leaf=0, min_sum_hessian_in_leaf=3), "three"))
curve("cross_entropy", light(dict(objective="cross_entropy", min_data_in_leaf=0, min_sum_hessian_in_leaf=3), "chance"))
leaf = dict(min_data_in_leaf=0, min_sum_hessian_in_leaf=6)
curve("poisson", light(dict(objective="poisson") | leaf, "count"))
curve("poisson_max_delta_step", light(dict(objective="poisson", poisson_max_delta_step=0.2) | leaf, "count"))
curve("gamma", light(dict(objective="gamma") | leaf, "amount"))
curve("tweedie", light(dict(objective="tweedie") | leaf, "count"))
curve("tweedie_power", light(dict(objective="tweedie", tweedie_variance_power=1.2) | leaf, "count", metric=tweedie(1.2)))
curve("l1", light(dict(objective="l1")))
curve("quantile", light(dict(objective="quantile", alpha=0.8), metric=pinball(0.8)))
curve("mape", light(dict(objective="mape")))

# Draws. Where LightGBM draws columns for a tree its draws are not independent of each other; XGBoost's are.
drawn("extra_trees", light, dict(extra_trees=True, num_leaves=2))
drawn("row_fraction", light, dict(bagging_fraction=0.35, bagging_freq=1))
drawn("row_every", light, dict(bagging_fraction=0.35, bagging_freq=4))
drawn("row_fraction_xgboost", extreme, dict(subsample=0.5, min_child_weight=2))
drawn("goss", light, dict(data_sample_strategy="goss", top_rate=0.15, other_rate=0.1, learning_rate=0.5))
drawn("classes", light, dict(objective="binary", pos_bagging_fraction=0.9, neg_bagging_fraction=0.2, bagging_freq=1, min_data_in_leaf=0, min_sum_hessian_in_leaf=2), "two")
drawn("forest", light, dict(boosting="rf", bagging_fraction=0.4, bagging_freq=1))
drawn("dart", light, dict(boosting="dart", drop_rate=0.4, skip_drop=0.3), init=mean)
drawn("dart_uniform", light, dict(boosting="dart", drop_rate=0.4, skip_drop=0.3, uniform_drop=True), init=mean)
drawn("dart_max_drop", light, dict(boosting="dart", drop_rate=0.9, skip_drop=0.0, max_drop=2, uniform_drop=True), init=mean)
drawn("dart_xgboost", extreme, dict(booster="dart", rate_drop=0.4, skip_drop=0.3, sample_type="uniform", normalize_type="tree"))
drawn("dart_xgboost_weighted", extreme, dict(booster="dart", rate_drop=0.4, skip_drop=0.3, sample_type="weighted", normalize_type="forest"))
drawn("col_tree", extreme, dict(colsample_bytree=0.67))
drawn("col_level", extreme, dict(colsample_bylevel=0.67))
drawn("col_node", extreme, dict(colsample_bynode=0.67))
drawn("col_node_lightgbm", light, dict(feature_fraction_bynode=0.67))
drawn("col_weights", extreme, dict(colsample_bynode=0.34), weights=np.array([3.0, 1.0, 1.0]))
# CatBoost's samples are for splits only: leaf values come from all rows, as a refit finds them.
of_splits = dict(learning_rate=1, l2_leaf_reg=0, sampling_frequency="PerTree")
drawn("splits_row_fraction", cat, of_splits | dict(bootstrap_type="Bernoulli", subsample=0.4), rounds=1)
drawn("splits_mvs", cat, of_splits | dict(bootstrap_type="MVS", subsample=0.4, mvs_reg=1), rounds=1)
drawn("splits_mvs_lambda", cat, of_splits | dict(bootstrap_type="MVS", subsample=0.4, mvs_reg=0), rounds=1)
drawn("splits_bagging_temperature", cat, of_splits | dict(bootstrap_type="Bayesian", bagging_temperature=1.5), rounds=1)
# Early stopping: the best round, of the second half of the rows, by how long it is waited for and how much better a round has to be.
for objective, label, metric in (("regression", "number", "rmse"), ("binary", "two", "binary_logloss")):
    for wait, least in ((1, 0), (3, 0), (3, 0.004), (8, 0.02)):
        half = n // 2
        parameters = dict(
            objective=objective, metric=metric, learning_rate=0.8, num_leaves=4, min_data_in_leaf=0, min_sum_hessian_in_leaf=2, min_data_in_bin=1,
            feature_pre_filter=False, deterministic=True, num_threads=1, verbose=-1)
        data = lgb.Dataset(x[:half, :3], labels[label][:half], params=parameters)
        model = lgb.train(parameters, data, 60, valid_sets=[lgb.Dataset(x[half:, :3], labels[label][half:], reference=data)],
                          callbacks=[lgb.early_stopping(wait, min_delta=least, verbose=False)])
        early.append(dict(objective=objective, label=label, wait=wait, least=least, best=model.best_iteration))
        print(early[-1])
path = pathlib.Path(__file__).with_name("options.json")
path.write_text(json.dumps(dict(
    x=x.T.tolist(), labels={k: v.tolist() for k, v in labels.items()}, weight=weight.tolist(), start=start.tolist(), curves=curves, means=means, early=early)) + "\n")
