"""Trains or loads with one peer on a LibSVM table and prints one line of JSON about it.

    sparse_peer.py NAME --data DIR [--threads N] [--rounds N] [--out PREDICTIONS.npy]

NAME is a key of TRAINERS or LOADERS; DIR holds train.svm and test.svm. A peer that is not
installed exits with status 3. The settings are those of `benchmarks train-sparse`: 31
leaves, learning rate 0.1, 255 bins, 20 rows a leaf.

"-file": the trainer reads the files itself; LightGBM then bins while it loads, and both
predict from the test file. "-csr": the rows come as a SciPy matrix out of an .npz file,
which costs next to no time, so that binning and training stand alone.
"""

import argparse
import importlib.metadata
import json
import os
import sys

import numpy as np

from peer import NOT_INSTALLED, Clock


def path(a, name):
    return os.path.join(a.data, name)


def csr(a, part):
    """Rows and labels as SciPy's CSR, kept beside the text so that it is parsed only once."""
    import scipy.sparse

    kept = path(a, part + ".npz")
    if not os.path.exists(kept):
        raise SystemExit(f"{kept} is not there: run `sparse_peer.py keep --data {a.data}` first")
    labels = np.load(path(a, part + "_y.npy"))
    return scipy.sparse.load_npz(kept), labels


def keep(a, clock):
    """Parses both files with scikit-learn and keeps them for the -csr contenders."""
    import scipy.sparse
    from sklearn.datasets import load_svmlight_files

    names = [path(a, n) for n in ("train.svm", "test.svm")]
    x, y, test, test_y = clock.time("load", lambda: load_svmlight_files(names, zero_based=False, dtype=np.float32))
    for part, matrix, labels in ("train", x, y), ("test", test, test_y):
        scipy.sparse.save_npz(path(a, part + ".npz"), matrix, compressed=False)
        np.save(path(a, part + "_y.npy"), labels.astype(np.float32))


def lightgbm_params(a, **extra):
    return {
        "objective": "binary", "num_leaves": 31, "learning_rate": 0.1, "max_bin": 255,
        "min_data_in_leaf": 20, "num_threads": a.threads, "verbosity": -1, **extra,
    }


def describe(data, clock):
    """Notes how many of LightGBM's features have bins, and how many bins."""
    try:
        bins = [data.feature_num_bin(f) for f in range(min(data.num_feature(), 2000))]
        used = [b for b in bins if b > 1]
        clock.figures["notes"] = (
            f"of the first {len(bins)} features {len(used)} used, "
            f"bins mean {np.mean(used or [0]):.1f} largest {max(used or [0])}")
    except Exception as e:  # older versions cannot say; the note is no figure
        clock.figures["notes"] = str(e)


def lightgbm_file(**extra):
    def run(a, clock):
        import lightgbm

        params = lightgbm_params(a, **extra)
        data = lightgbm.Dataset(path(a, "train.svm"), params=params)
        clock.time("load", data.construct)
        describe(data, clock)
        model = clock.time("train", lambda: lightgbm.train(params, data, a.rounds))
        # The test file need not have the highest column.
        return clock.time("predict", lambda: model.predict(
            path(a, "test.svm"), num_threads=a.threads, predict_disable_shape_check=True))

    return run


def lightgbm_csr(**extra):
    def run(a, clock):
        import lightgbm

        (x, y), (test, _) = clock.time("load", lambda: (csr(a, "train"), csr(a, "test")))
        params = lightgbm_params(a, **extra)
        data = lightgbm.Dataset(x, y, params=params)
        clock.time("bin", data.construct)
        describe(data, clock)
        model = clock.time("train", lambda: lightgbm.train(params, data, a.rounds))
        return clock.time("predict", lambda: model.predict(test, num_threads=a.threads))

    return run


XGBOOST = {
    "objective": "binary:logistic", "tree_method": "hist", "grow_policy": "lossguide",
    "max_leaves": 31, "max_depth": 0, "max_bin": 255, "eta": 0.1,
}


def xgboost_file(a, clock):
    """Binning happens inside training here."""
    import xgboost

    def read(name):
        return xgboost.DMatrix(path(a, name) + "?format=libsvm&indexing_mode=1", nthread=a.threads)

    data = clock.time("load", lambda: read("train.svm"))
    model = clock.time("train", lambda: xgboost.train({**XGBOOST, "nthread": a.threads}, data, a.rounds))
    return clock.time("predict", lambda: model.predict(read("test.svm")))


def xgboost_csr(a, clock):
    import xgboost

    (x, y), (test, _) = clock.time("load", lambda: (csr(a, "train"), csr(a, "test")))
    data = clock.time("bin", lambda: xgboost.QuantileDMatrix(x, y, max_bin=255, nthread=a.threads))
    model = clock.time("train", lambda: xgboost.train({**XGBOOST, "nthread": a.threads}, data, a.rounds))
    return clock.time("predict", lambda: model.inplace_predict(test))


def load_lightgbm(a, clock):
    """LightGBM reads and bins in one step."""
    import lightgbm

    clock.time("load", lightgbm.Dataset(path(a, "train.svm"), params=lightgbm_params(a)).construct)


def load_xgboost(a, clock):
    import xgboost

    clock.time("load", lambda: xgboost.DMatrix(path(a, "train.svm") + "?format=libsvm&indexing_mode=1", nthread=a.threads))


def load_sklearn(a, clock):
    from sklearn.datasets import load_svmlight_file

    clock.time("load", lambda: load_svmlight_file(path(a, "train.svm"), zero_based=False, dtype=np.float32))


QUANTIZED = {"use_quantized_grad": True}
TRAINERS = {
    "lightgbm-file": ("lightgbm", lightgbm_file()),
    "lightgbm-quantized-file": ("lightgbm", lightgbm_file(**QUANTIZED)),
    "lightgbm-csr": ("lightgbm", lightgbm_csr()),
    "lightgbm-unbundled-csr": ("lightgbm", lightgbm_csr(enable_bundle=False)),
    "xgboost-file": ("xgboost", xgboost_file),
    "xgboost-csr": ("xgboost", xgboost_csr),
}
LOADERS = {
    "load-lightgbm": ("lightgbm", load_lightgbm),
    "load-xgboost": ("xgboost", load_xgboost),
    "load-sklearn": ("scikit-learn", load_sklearn),
    "keep": ("scikit-learn", keep),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=[*TRAINERS, *LOADERS])
    parser.add_argument("--data", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--out")
    a = parser.parse_args()
    package, run = {**TRAINERS, **LOADERS}[a.name]
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(NOT_INSTALLED)
    clock = Clock()
    predictions = run(a, clock)
    if a.out and predictions is not None:
        np.save(a.out, np.asarray(predictions, dtype=np.float32))
    print(json.dumps({"version": f"{package} {version}", **clock.figures}))


if __name__ == "__main__":
    main()
