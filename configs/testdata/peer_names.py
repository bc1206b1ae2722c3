"""Writes peer_names.json: the parameters of training of LightGBM 4.7.0, XGBoost 3.2.0, CatBoost 1.2.10 and scikit-learn 1.9.1, by name, with their
aliases where there are any."""
import inspect
import json
import pathlib

import catboost
import lightgbm
import sklearn.ensemble
import xgboost


def arguments(function):
    """Returns the names of a function's parameters."""
    return [name for name, p in inspect.signature(function).parameters.items() if name != "self" and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


def keys(value):
    """Returns the names of all parameters in XGBoost's description of a model."""
    found = []
    for key, inner in value.items():
        if key.endswith("_param"):
            found += list(inner)
        elif isinstance(inner, dict):
            found += keys(inner)
    return found


light = lightgbm.basic._ConfigAliases._get_all_param_aliases()
extreme = set(arguments(xgboost.XGBRegressor.__init__)) | set(arguments(xgboost.train)) | set(arguments(xgboost.DMatrix.__init__))
extreme |= set(arguments(xgboost.XGBModel.__init__))
rows = xgboost.DMatrix([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0], group=[4])
times = xgboost.DMatrix([[0.0], [1.0]])
times.set_float_info("label_lower_bound", [1, 2])
times.set_float_info("label_upper_bound", [1, 2])
for parameters, data in (
        (dict(objective="rank:ndcg"), rows), (dict(booster="dart"), rows), (dict(objective="reg:quantileerror", quantile_alpha=0.5), rows),
        (dict(objective="reg:pseudohubererror"), rows), (dict(objective="reg:tweedie"), rows), (dict(objective="count:poisson"), rows),
        (dict(objective="survival:aft"), times), (dict(objective="multi:softprob", num_class=2), rows), (dict(tree_method="hist"), rows),
        (dict(objective="reg:expectileerror", expectile_alpha=0.5), rows), (dict(objective="binary:logistic"), rows)):
    try:
        extreme |= set(keys(json.loads(xgboost.train(parameters, data, 1).save_config())))
    except xgboost.core.XGBoostError as error:
        print(parameters, str(error).splitlines()[0])
hist = set(arguments(sklearn.ensemble.HistGradientBoostingRegressor.__init__)) | set(arguments(sklearn.ensemble.HistGradientBoostingClassifier.__init__))
names = dict(
    lightgbm={name: sorted(aliases) for name, aliases in sorted(light.items())},
    xgboost=sorted(extreme), catboost=sorted(set(arguments(catboost.CatBoostClassifier.__init__)) | set(arguments(catboost.CatBoostRegressor.__init__))),
    sklearn=sorted(hist))
pathlib.Path(__file__).with_name("peer_names.json").write_text(json.dumps(names, indent=1) + "\n")
