"""Runs one peer on a generated table and prints one line of JSON about it.

    peer.py NAME --data DIR [--task TASK] [--out PREDICTIONS.npy] …

NAME is a key of PEERS. A peer that is not installed exits with status 3. The flags and
tasks are those of `benchmarks train`:

train   reads arrays, bins, trains and predicts, each stage timed alone
bin     reads arrays and bins
fits    trains on --fits equal parts of the rows, one after the other; "train" holds
        binning too, and part i of the test rows is predicted by model i
text    reads train.csv with pandas (or, the peers called "-file", by itself, train.svm
        too), bins and trains
"""

import argparse
import importlib.metadata
import json
import math
import os
import resource
import sys
import time

import numpy as np

NOT_INSTALLED = 3


class Clock:
    """Wall and processor seconds of a stage, by name, and the memory before the first."""

    def __init__(self):
        self.figures = {}

    def time(self, stage, work):
        if not self.figures:
            unit = 1 if sys.platform == "darwin" else 1024
            self.figures["base_bytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        self.add(stage, time.perf_counter() - wall, time.process_time() - cpu)
        return result

    def add(self, stage, wall, cpu):
        for kind, seconds in ("_seconds", wall), ("_cpu_seconds", cpu):
            self.figures[stage + kind] = self.figures.get(stage + kind, 0) + seconds

    def move(self, part, whole):
        """Takes the seconds of a stage off those of the stage that it was inside of."""
        for kind in "_seconds", "_cpu_seconds":
            self.figures[whole + kind] -= self.figures.get(part + kind, 0)


class Peer:
    """One trainer: data from arrays, a model from data, predictions from a model."""

    def __init__(self, a, clock):
        self.a, self.clock = a, clock

    def types(self, columns):
        """XGBoost's names of the columns' types, None where all are numeric."""
        if not self.a.categorical:
            return None
        return ["c" if f in self.a.categorical else "q" for f in range(columns)]

    def bin(self, x, y):
        return self.clock.time("bin", lambda: self.data(x, y))


def lightgbm(**extra):
    class LightGBM(Peer):
        def params(self):
            a = self.a
            target = {"objective": "multiclass", "num_class": a.classes} if a.classes > 2 else {"objective": "binary"}
            return {
                **target, "num_leaves": a.leaves, "learning_rate": 0.1, "max_bin": 255,
                "min_data_in_leaf": 20, "num_threads": a.threads, "verbosity": -1, **extra,
            }

        def data(self, x, y):
            import lightgbm

            return lightgbm.Dataset(x, y, params=self.params(),
                                    categorical_feature=self.a.categorical or "auto").construct()

        def file(self, path):
            """LightGBM bins as it reads."""
            import lightgbm

            params = self.params()
            if path.endswith(".csv"):
                params.update(header=True, label_column="name:label")
            self.given = params
            return lightgbm.Dataset(path, params=params).construct()

        def train(self, data):
            import lightgbm

            return lightgbm.train(getattr(self, "given", self.params()), data, self.a.rounds)

        def predict(self, model, x):
            return model.predict(x, num_threads=self.a.threads, predict_disable_shape_check=True)

    return "lightgbm", LightGBM


class XGBoost(Peer):
    def params(self):
        a = self.a
        target = {"objective": "multi:softprob", "num_class": a.classes} if a.classes > 2 else {"objective": "binary:logistic"}
        return {
            **target, "tree_method": "hist", "grow_policy": "lossguide", "max_leaves": a.leaves,
            "max_depth": 0, "max_bin": 255, "eta": 0.1, "nthread": a.threads,
        }

    def data(self, x, y):
        import xgboost

        return xgboost.QuantileDMatrix(x, y, max_bin=255, nthread=self.a.threads,
                                       feature_types=self.types(x.shape[1]), enable_categorical=True)

    def file(self, path):
        """Binning happens inside training here."""
        import xgboost

        return xgboost.DMatrix(path + "?format=libsvm&indexing_mode=1", nthread=self.a.threads)

    def train(self, data):
        import xgboost

        return xgboost.train(self.params(), data, self.a.rounds)

    def predict(self, model, x):
        import xgboost

        if self.a.categorical:
            return model.predict(xgboost.DMatrix(x, feature_types=self.types(x.shape[1]), enable_categorical=True))
        return model.inplace_predict(x, validate_features=False)


class Hessboost(XGBoost):
    """Takes XGBoost's parameters; it bins inside training."""

    def data(self, x, y):
        import hessboost

        return hessboost.DMatrix(x, label=y, feature_types=self.types(x.shape[1]))

    def train(self, data):
        import hessboost

        return hessboost.train(self.params(), data, self.a.rounds)

    def predict(self, model, x):
        import hessboost

        return model.predict(hessboost.DMatrix(x, feature_types=self.types(x.shape[1])))


class CatBoost(Peer):
    """Grows its own symmetric trees, of about as many leaves."""

    def pool(self, x, y=None):
        import catboost

        if not self.a.categorical:
            return catboost.Pool(x, y, thread_count=self.a.threads)
        import pandas

        frame = pandas.DataFrame(x)
        for f in self.a.categorical:
            frame[f] = frame[f].astype(np.int32)
        return catboost.Pool(frame, y, cat_features=self.a.categorical, thread_count=self.a.threads)

    def data(self, x, y):
        pool = self.pool(x, y)
        pool.quantize(border_count=254)
        return pool

    def train(self, data):
        import catboost

        a = self.a
        model = catboost.CatBoost({
            "loss_function": "MultiClass" if a.classes > 2 else "Logloss", "iterations": a.rounds,
            "learning_rate": 0.1, "depth": max(1, round(math.log2(a.leaves + 1))), "border_count": 254,
            "boosting_type": "Plain", "bootstrap_type": "No", "thread_count": a.threads,
            "verbose": False, "allow_writing_files": False,
        })
        return model.fit(data)

    def predict(self, model, x):
        p = model.predict(self.pool(x), prediction_type="Probability", thread_count=self.a.threads)
        return p if self.a.classes > 2 else p[:, 1]


class Sklearn(Peer):
    def data(self, x, y):
        return x, y

    def bin(self, x, y):
        """fit bins and trains in one call: the binning inside is timed and taken off."""
        if self.a.task == "bin":
            self.a.rounds = 1
            self.train((x, y))
        return x, y

    def train(self, data):
        from sklearn.ensemble import HistGradientBoostingClassifier

        x, y = data
        # It takes no categories beyond its 255 bins: wider columns are read as numbers.
        narrow = [f for f in self.a.categorical if x[:, f].max() < 255]
        model = HistGradientBoostingClassifier(
            max_iter=self.a.rounds, learning_rate=0.1, max_leaf_nodes=self.a.leaves, min_samples_leaf=20,
            max_bins=255, early_stopping=False, categorical_features=narrow or None,
        )
        bin_data = model._bin_data
        model._bin_data = lambda *args, **kw: self.clock.time("bin", lambda: bin_data(*args, **kw))
        return model.fit(x, y)

    def predict(self, model, x):
        p = model.predict_proba(x)
        return p if self.a.classes > 2 else p[:, 1]


QUANTIZED = {"use_quantized_grad": True}
PEERS = {
    "lightgbm-row": lightgbm(force_row_wise=True),
    "lightgbm-col": lightgbm(force_col_wise=True),
    "lightgbm-quantized-row": lightgbm(force_row_wise=True, **QUANTIZED),
    "lightgbm-quantized-col": lightgbm(force_col_wise=True, **QUANTIZED),
    "lightgbm-file": lightgbm(),
    "lightgbm-quantized-file": lightgbm(**QUANTIZED),
    "xgboost-hist": ("xgboost", XGBoost),
    "xgboost-file": ("xgboost", XGBoost),
    "catboost": ("catboost", CatBoost),
    "sklearn-hgb": ("scikit-learn", Sklearn),
    "hessboost": ("hessboost", Hessboost),
}


def array(a, name):
    return np.load(os.path.join(a.data, name + ".npy"))


def features(a, part, first=0):
    """The rows of a part: a matrix, or SciPy's CSR of a sparse table, whose columns count from first."""
    if not os.path.exists(os.path.join(a.data, "train_starts.npy")):
        return array(a, part)
    import scipy.sparse

    values, columns, starts = (array(a, f"{part}_{n}") for n in ("values", "columns", "starts"))
    return scipy.sparse.csr_matrix((values, columns + first, starts), shape=(len(starts) - 1, a.columns + first))


def run_train(a, peer, clock):
    x, y, test = clock.time("load", lambda: (features(a, "train"), array(a, "train_label"), features(a, "test")))
    data = peer.bin(x, y)
    model = clock.time("train", lambda: peer.train(data))
    if isinstance(peer, Sklearn):
        clock.move("bin", "train")
    return clock.time("predict", lambda: peer.predict(model, test))


def run_bin(a, peer, clock):
    x, y = clock.time("load", lambda: (features(a, "train"), array(a, "train_label")))
    peer.bin(x, y)


def run_fits(a, peer, clock):
    x, y, test = clock.time("load", lambda: (array(a, "train"), array(a, "train_label"), array(a, "test")))
    predictions = []
    for rows, label, held in zip(np.split(x, a.fits), np.split(y, a.fits), np.split(test, a.fits)):
        model = clock.time("train", lambda: peer.train(peer.data(rows, label)))
        predictions.append(clock.time("predict", lambda: peer.predict(model, held)))
    clock.figures.pop("bin_seconds", None)  # inside "train"
    clock.figures.pop("bin_cpu_seconds", None)
    return np.concatenate(predictions)


def run_text(a, peer, clock):
    first = 0
    if a.name.endswith("-file"):
        text = "train.svm" if os.path.exists(os.path.join(a.data, "train.svm")) else "train.csv"
        data = clock.time("load", lambda: peer.file(os.path.join(a.data, text)))
        # LightGBM counts columns from 0, so that in LibSVM text, which begins with 1, column 0 is empty.
        first = int(text == "train.svm" and not isinstance(peer, XGBoost))
    else:
        import pandas

        frame = clock.time("load", lambda: pandas.read_csv(os.path.join(a.data, "train.csv"), dtype=np.float32))
        y = frame.pop("label").to_numpy()
        data = peer.bin(clock.time("load", frame.to_numpy), y)
    model = clock.time("train", lambda: peer.train(data))
    if isinstance(peer, Sklearn):
        clock.move("bin", "train")
    test = features(a, "test", first)
    return clock.time("predict", lambda: peer.predict(model, test))


TASKS = {"train": run_train, "bin": run_bin, "fits": run_fits, "text": run_text}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=PEERS)
    parser.add_argument("--data", required=True)
    parser.add_argument("--task", choices=TASKS, default="train")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--classes", type=int, default=2)
    parser.add_argument("--columns", type=int, default=0)
    parser.add_argument("--fits", type=int, default=1)
    parser.add_argument("--categorical", type=lambda text: [int(f) for f in text.split(",") if f], default=[])
    parser.add_argument("--out")
    a = parser.parse_args()
    package, kind = PEERS[a.name]
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(NOT_INSTALLED)
    importlib.import_module({"scikit-learn": "sklearn.ensemble"}.get(package, package))
    clock = Clock()
    predictions = TASKS[a.task](a, kind(a, clock), clock)
    if a.out and predictions is not None:
        np.save(a.out, np.ascontiguousarray(predictions, dtype=np.float32))
    print(json.dumps({"version": f"{package} {version}", **clock.figures}))


if __name__ == "__main__":
    main()
