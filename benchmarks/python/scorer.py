"""Scores rows in memory with one library, and prints one line of JSON about it.

    scorer.py --name NAME --stage STAGE --data DIR --models DIR --trees N --leaves N [--rows N] [--single]

NAME is a key of SCORERS. The stage "prepare" trains, converts or compiles what NAME scores
with, on all cores, and keeps it in the folder of models. The stage "score" takes the test
rows, row-major float32, through it on one thread, pass after pass, and gives the seconds of
the shortest; with --single also the nanoseconds of calls with a single row, with warm caches,
and with caches that a walk over a large buffer has emptied before each call. A library that is
not installed makes it exit with status 3.
"""

import argparse
import ctypes
import importlib.metadata
import json
import os
import sys
import time

import numpy as np

NOT_INSTALLED = 3
CHECKED = 1000  # rows whose predictions are compared
COLD_BYTES = 96 << 20  # more than the caches of the machines hold


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(NOT_INSTALLED)


class Scorer:
    """One library. Its model is the one that LightGBM trained, unless it trains its own."""

    package, suffix, shared = None, None, True

    def __init__(self, a):
        self.a = a
        self.version = version(self.package)

    def path(self, name=None, suffix=None):
        return os.path.join(self.a.models, f"{name or self.a.name}-{self.version}{suffix or self.suffix}")

    def lightgbm_text(self):
        """The path of LightGBM's model, which is there once lightgbm is prepared."""
        return os.path.join(self.a.models, f"lightgbm-{version('lightgbm')}.txt")

    def prepare(self):
        if self.suffix is None or os.path.exists(self.path()):
            return
        if self.shared and not os.path.exists(self.lightgbm_text()):
            sys.exit(NOT_INSTALLED)
        unready = self.path(suffix=".new" + self.suffix)
        self.make(unready)
        os.rename(unready, self.path())

    def row(self, model, x):
        """Returns a function that scores the one row that its argument, a slice of x, holds."""
        return lambda i: self.batch(model, x[i:i + 1])

    def overhead(self, model):
        """Nanoseconds that a call of the library costs before it does anything, None where unknown."""
        return None


def array(a, name):
    return np.load(os.path.join(a.data, name + ".npy"))


class LightGBM(Scorer):
    package, suffix = "lightgbm", ".txt"
    shared = False

    def path(self, name=None, suffix=None):
        return super().path("lightgbm", suffix)

    def make(self, path):
        import lightgbm

        a = self.a
        params = {"objective": "binary", "num_leaves": a.leaves, "learning_rate": 0.1, "max_bin": 255,
                  "min_data_in_leaf": 20, "verbosity": -1}
        data = lightgbm.Dataset(array(a, "train"), array(a, "train_label"), params=params)
        lightgbm.train(params, data, a.trees).save_model(path)

    def load(self):
        import lightgbm

        return lightgbm.Booster(model_file=self.path())

    def batch(self, model, x):
        return model.predict(x, num_threads=1)


class LightGBMC(LightGBM):
    """LightGBM's function of C for single rows, by ctypes."""

    def row(self, model, x):
        from lightgbm.basic import _LIB, _safe_call

        config = ctypes.c_void_p()
        _safe_call(_LIB.LGBM_BoosterPredictForMatSingleRowFastInit(
            model._handle, ctypes.c_int(0), ctypes.c_int(0), ctypes.c_int(-1), ctypes.c_int(0),
            ctypes.c_int32(x.shape[1]), ctypes.c_char_p(b"num_threads=1"), ctypes.byref(config)))
        length, out = ctypes.c_int64(), (ctypes.c_double * 1)()
        predict, at, step = _LIB.LGBM_BoosterPredictForMatSingleRowFast, x.ctypes.data, x.strides[0]

        def score(i):
            predict(config, ctypes.c_void_p(at + i * step), ctypes.byref(length), out)
            return out

        return score

    def overhead(self, model):
        from lightgbm.basic import _LIB

        classes = ctypes.c_int()
        return least(lambda: _LIB.LGBM_BoosterGetNumClasses(model._handle, ctypes.byref(classes)))


class XGBoost(Scorer):
    package, suffix, shared = "xgboost", ".ubj", False

    def make(self, path):
        import xgboost

        a = self.a
        data = xgboost.QuantileDMatrix(array(a, "train"), array(a, "train_label"), max_bin=255)
        xgboost.train({"objective": "binary:logistic", "tree_method": "hist", "grow_policy": "lossguide",
                       "max_leaves": a.leaves, "max_depth": 0, "max_bin": 255, "eta": 0.1}, data, a.trees).save_model(path)

    def load(self):
        import xgboost

        model = xgboost.Booster(model_file=self.path())
        model.set_param({"nthread": 1})
        return model

    def batch(self, model, x):
        return model.inplace_predict(x, validate_features=False)


class Treelite(Scorer):
    """The model as C, compiled by gcc -O3."""

    package, suffix = "tl2cgen", ".so"

    def make(self, path):
        import tl2cgen
        import treelite

        model = treelite.frontend.load_lightgbm_model(self.lightgbm_text())
        tl2cgen.export_lib(model, toolchain="gcc", libpath=path,
                           params={"parallel_comp": max(2, self.a.trees // 10)}, verbose=False)

    def load(self):
        import tl2cgen

        return tl2cgen.Predictor(self.path(), nthread=1)

    def batch(self, model, x):
        import tl2cgen

        return model.predict(tl2cgen.DMatrix(x))

    def row(self, model, x):
        """The compiled function itself, by ctypes; the rows have no missing values."""
        predict = ctypes.CDLL(self.path()).predict
        predict.restype = None
        out, at, step = (ctypes.c_double * 1)(), x.ctypes.data, x.strides[0]
        scratch = (ctypes.c_char * step)()  # the function changes its row

        def score(i):
            ctypes.memmove(scratch, at + i * step, step)
            predict(scratch, 0, out)
            return out

        return score

    def overhead(self, model):
        features = ctypes.CDLL(self.path()).get_num_feature
        return least(lambda: features(None, 0, None))


class GTIL(Scorer):
    package, suffix = "treelite", None

    def load(self):
        import treelite

        return treelite.frontend.load_lightgbm_model(self.lightgbm_text())

    def batch(self, model, x):
        import treelite

        return treelite.gtil.predict(model, x, nthread=1)


class Lleaves(Scorer):
    package, suffix = "lleaves", ".o"

    def make(self, path):
        import lleaves

        lleaves.Model(model_file=self.lightgbm_text()).compile(cache=path)

    def load(self):
        import lleaves

        model = lleaves.Model(model_file=self.lightgbm_text())
        model.compile(cache=self.path())
        return model

    def batch(self, model, x):
        return model.predict(x, n_jobs=1)


class YDF(Scorer):
    package, suffix, shared = "ydf", ".ydf", False

    def columns(self, x):
        return {f"f{i}": x[:, i] for i in range(x.shape[1])}

    def make(self, path):
        import ydf

        ydf.verbose(0)
        a = self.a
        data = self.columns(array(a, "train"))
        data["label"] = array(a, "train_label").ravel().astype(np.int64)
        ydf.GradientBoostedTreesLearner(
            label="label", num_trees=a.trees, growing_strategy="BEST_FIRST_GLOBAL", max_num_nodes=a.leaves,
            max_depth=-1, min_examples=20, shrinkage=0.1, validation_ratio=0.0, early_stopping="NONE",
            discretize_numerical_columns=True, num_discretized_numerical_bins=255).train(data).save(path)

    def load(self):
        import ydf

        ydf.verbose(0)
        return ydf.load_model(self.path())

    def batch(self, model, x):
        return model.predict(self.columns(x), num_threads=1)


class OneDAL(Scorer):
    package, suffix = "scikit-learn-intelex", None

    def load(self):
        import daal4py
        import lightgbm

        daal4py.daalinit(1)
        return daal4py.mb.convert_model(lightgbm.Booster(model_file=self.lightgbm_text()))

    def batch(self, model, x):
        return model.predict_proba(x)[:, 1]


class ONNX(Scorer):
    package, suffix = "onnxruntime", ".onnx"

    def make(self, path):
        import lightgbm
        from onnxmltools import convert_lightgbm
        from onnxmltools.convert.common.data_types import FloatTensorType

        booster = lightgbm.Booster(model_file=self.lightgbm_text())
        inputs = [("x", FloatTensorType([None, booster.num_feature()]))]
        model = convert_lightgbm(booster, initial_types=inputs, zipmap=False)
        with open(path, "wb") as f:
            f.write(model.SerializeToString())

    def load(self):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(self.path(), options, providers=["CPUExecutionProvider"])
        return session, [o.name for o in session.get_outputs()][-1]

    def batch(self, model, x):
        session, output = model
        return session.run([output], {"x": x})[0][:, 1]


SCORERS = {
    "lightgbm": LightGBM, "lightgbm-c": LightGBMC, "xgboost": XGBoost, "treelite": Treelite, "treelite-gtil": GTIL,
    "lleaves": Lleaves, "ydf": YDF, "onedal": OneDAL, "onnxruntime": ONNX,
}


def least(call, times=2000):
    """The shortest of many calls, in nanoseconds, with a reading of the clock."""
    took = []
    for _ in range(times):
        start = time.perf_counter_ns()
        call()
        took.append(time.perf_counter_ns() - start)
    return min(took)


def check(a, scorer, values):
    """Fails where the scores are not those of the model: nothing scored fast is worth a figure then."""
    values = np.asarray(values, dtype=np.float64).ravel()
    if len(values) != a.rows or not np.isfinite(values).all() or values.std() < 0.01:
        sys.exit(f"{len(values)} scores with a deviation of {values.std()} for {a.rows} rows")
    expected = scorer.lightgbm_text() + ".npy"
    if isinstance(scorer, LightGBM) and not os.path.exists(expected):
        np.save(expected, values[:CHECKED])
    if scorer.shared and os.path.exists(expected):
        # Some round thresholds to float32, which sends few rows another way.
        other = np.abs(values[:CHECKED] - np.load(expected)[:len(values)]) > 1e-4
        if other.mean() > 0.05:
            sys.exit(f"{other.mean():.0%} of the scores differ from LightGBM's")


def batches(a, scorer, model, x):
    values = scorer.batch(model, x)
    check(a, scorer, values)
    seconds, cpu, begin = [], [], time.perf_counter()
    while len(seconds) < 3 or time.perf_counter() - begin < a.seconds:
        used, start = time.process_time(), time.perf_counter()
        scorer.batch(model, x)
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - used)
        if len(seconds) == 1 and seconds[0] > 5:
            break
    return {"seconds": min(seconds), "passes": len(seconds), "cores": sum(cpu) / sum(seconds)}


def quantiles(took):
    return {"p50": float(np.percentile(took, 50)), "p99": float(np.percentile(took, 99))}


def singles(scorer, model, x):
    call, clock = scorer.row(model, x), time.perf_counter_ns
    big = np.zeros(COLD_BYTES // 8)
    warm, cold = [], []
    for i in range(200):
        call(i)
    for i in range(2000):
        start = clock()
        call(i)
        warm.append(clock() - start)
    for i in range(200):
        np.add(big, 1, out=big)
        start = clock()
        call(i)
        cold.append(clock() - start)
    return {"warm": quantiles(warm), "cold": quantiles(cold), "clock": least(lambda: None), "call": scorer.overhead(model) or 0}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", choices=SCORERS, required=True)
    parser.add_argument("--stage", choices=["prepare", "score"], required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--trees", type=int, required=True)
    parser.add_argument("--leaves", type=int, required=True)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--single", action="store_true")
    a = parser.parse_args()
    scorer = SCORERS[a.name](a)
    os.makedirs(a.models, exist_ok=True)
    if a.stage == "prepare":
        scorer.prepare()
        print("{}")
        return
    x = np.ascontiguousarray(array(a, "test")[:a.rows])
    a.rows = len(x)
    model = scorer.load()
    found = {"version": f"{scorer.package} {scorer.version}", "rows": a.rows}
    if a.name != "lightgbm-c":
        found.update(batches(a, scorer, model, x))
    if a.single:
        found.update(singles(scorer, model, x))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
