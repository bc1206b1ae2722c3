"""The peers' side of `make ranks-peers`: one rank, a process of one thread.

    ranks.py WAY --folder DIR --rank R --peers HOST,HOST,... [--rounds N] [--leaves N]

DIR holds train.npy and train_label.npy, of which the rank takes its share of rows. One line of JSON is printed: the seconds of a
round, from the end of the first to that of the last, the leaves of a tree, and a hash of what the model says of the table's first
rows. A peer that is not installed exits with status 3.
"""

import argparse
import hashlib
import importlib.metadata
import json
import os
import sys
import time

import numpy

NOT_INSTALLED = 3
PORT = 7700


class Clock:
    """Callback of both: when each round has ended."""

    def __init__(self):
        self.ends = []

    def __call__(self, env):
        self.ends.append(time.perf_counter())

    def seconds(self):
        return (self.ends[-1] - self.ends[0]) / (len(self.ends) - 1)


def lightgbm(a, x, y, way, told):
    import lightgbm as lgb

    params = {"objective": "binary", "num_leaves": a.leaves, "learning_rate": 0.1, "max_bin": 255, "min_data_in_leaf": 20, "num_threads": 1,
              "verbosity": -1, "tree_learner": "data", "pre_partition": True, "num_machines": len(a.peers), "local_listen_port": PORT,
              "machines": ",".join(f"{p}:{PORT}" for p in a.peers), "use_quantized_grad": way == "quantized"}
    clock = Clock()
    model = lgb.train(params, lgb.Dataset(x, y), a.rounds, callbacks=[clock], keep_training_booster=True)
    leaves = [t["num_leaves"] for t in model.dump_model()["tree_info"]]
    return clock.seconds(), sum(leaves) / a.rounds, model.predict(told)


def xgboost(a, x, y, way, told):
    import xgboost as xgb
    from xgboost import collective
    from xgboost.tracker import RabitTracker

    class Rounds(xgb.callback.TrainingCallback):
        def after_iteration(self, model, epoch, evals_log):
            clock(None)
            return False

    clock = Clock()
    if a.rank == 0:
        tracker = RabitTracker(n_workers=len(a.peers), host_ip=a.peers[0], port=PORT)
        tracker.start()
    else:
        time.sleep(2)  # the tracker is there
    with collective.CommunicatorContext(dmlc_communicator="rabit", dmlc_tracker_uri=a.peers[0], dmlc_tracker_port=PORT,
                                        dmlc_task_id=str(a.rank), dmlc_retry=20):
        data = xgb.QuantileDMatrix(x, y, max_bin=255, nthread=1)
        params = {"objective": "binary:logistic", "tree_method": "hist", "grow_policy": "lossguide", "max_leaves": a.leaves, "max_depth": 0,
                  "max_bin": 255, "eta": 0.1, "nthread": 1}
        model = xgb.train(params, data, a.rounds, callbacks=[Rounds()])
        told = model.predict(xgb.DMatrix(told, nthread=1))
        leaves = sum(t.count("leaf=") for t in model.get_dump()) / a.rounds
    if a.rank == 0:
        tracker.wait_for()
    return clock.seconds(), leaves, told


WAYS = {"lightgbm": (lightgbm, "float"), "lightgbm-quantized": (lightgbm, "quantized"), "xgboost": (xgboost, "hist")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--rank", type=int, required=True)
    parser.add_argument("--peers", type=lambda text: text.split(","), required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--leaves", type=int, default=31)
    a = parser.parse_args()
    package = a.way.split("-")[0]
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(NOT_INSTALLED)
    x = numpy.load(os.path.join(a.folder, "train.npy"), mmap_mode="r")
    y = numpy.load(os.path.join(a.folder, "train_label.npy"))
    lo, hi = (len(y) * r // len(a.peers) for r in (a.rank, a.rank + 1))
    train, way = WAYS[a.way]
    seconds, leaves, told = train(a, numpy.ascontiguousarray(x[lo:hi]), y[lo:hi], way, numpy.array(x[:1000]))
    if (told == told[0]).all():
        sys.exit(f"{a.way} learned nothing: the same prediction for every row")
    print(json.dumps({"version": f"{package} {version}", "seconds": seconds, "leaves": leaves,
                      "model": hashlib.sha256(numpy.round(told, 6).tobytes()).hexdigest()[:16]}))


if __name__ == "__main__":
    main()
