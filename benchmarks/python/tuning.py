"""Searches settings by boost tune and by Optuna with LightGBM, on the same folds: benchmarks/results/tuning.json.

    tuning.py --boost PROGRAM --data DIR --out FILE [--sets a,b] [--trials 50] [--threads 2] [--budgets 5,20,60]

Both see train.csv.gz in five folds, which boost cv divides, and search the same space; the best of each, trained on all rows,
is judged on test.csv.gz. LightGBM has early stopping after 50 rounds, at most 3,000 rounds, and Optuna's median pruner. With
budgets, boost train --budget is beside Optuna that stops after this time, the last training included.
"""

import argparse
import csv
import json
import os
import subprocess
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")

import lightgbm
import numpy as np
import optuna

from losses import loss
from tables import Table, encode

ROUNDS, PATIENCE = 3000, 50
METRIC = {"regression": "rmse", "binary": "binary_logloss", "multiclass": "multi_logloss"}
OURS = {"regression": "rmse", "binary": "logloss", "multiclass": "multi_logloss"}


class Boost:
    """The program, on one set."""

    def __init__(self, program, folder, table, threads, scratch):
        self.program, self.scratch = program, scratch
        self.test = os.path.join(folder, "test.csv.gz")
        meta = table.meta
        self.table = [os.path.join(folder, "train.csv.gz"), "--label", meta["label"], "--objective", table.task, "--threads", str(threads)]
        for flag, names in (("--categorical", meta["categorical"]), ("--ignore", meta["ignore"])):
            if names:
                self.table += [flag, ",".join(names)]
        self.metric = OURS[table.task]

    def run(self, *args):
        start = time.perf_counter()
        done = subprocess.run([self.program, *args], cwd=self.scratch, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"boost {' '.join(args)}: {done.stderr}")
        return done.stdout, time.perf_counter() - start

    def folds(self):
        self.run("cv", *self.table, "--rounds", "1", "--oof", "folds.csv", "-q")
        with open(os.path.join(self.scratch, "folds.csv"), encoding="utf-8") as f:
            return np.array([int(row["fold"]) for row in csv.DictReader(f)])

    def judged(self):
        out, _ = self.run("eval", "m.boost", self.test, "--json", "-q")
        return json.loads(out)["metrics"][self.metric]

    def tune(self, trials):
        out, seconds = self.run("tune", *self.table, "--trials", str(trials), "--no-study", "-o", "c.toml", "--json", "-q")
        found = json.loads(out)
        before = seconds - sum(t["seconds"] for t in found["trials"])  # reading, and what lies between trials
        self.run("train", "c.toml", "--set", "output.model=m.boost", "-q")
        return trace(before, [(t["seconds"], t["value"] if t["state"] == "complete" else None) for t in found["trials"]]), self.judged()

    def budget(self, seconds):
        _, took = self.run("train", *self.table, "--budget", f"{seconds}s", "-q", "-o", "m.boost")
        return took, self.judged()


class Optuna:
    """LightGBM under Optuna, on one set."""

    def __init__(self, folder, table, threads, folds):
        self.task, self.y, self.start = table.task, table.labels(), time.perf_counter()
        test = Table(folder, "test")
        rows = np.arange(len(self.y))
        self.x, self.test_x = encode(table, rows, test, np.arange(len(test.labels())))
        self.test_y, self.categorical = test.labels(), table.categorical
        self.folds = [(rows[folds != f], rows[folds == f]) for f in np.unique(folds)]
        self.fixed = {"objective": self.task, "num_threads": threads, "verbosity": -1, "seed": 1, "metric": METRIC[self.task], "bagging_freq": 1, "feature_pre_filter": False}
        if self.task == "multiclass":
            self.fixed["num_class"] = len(table.meta["label_classes"])
        self.values, self.rounds, self.seconds = [], {}, []
        self.reading = time.perf_counter() - self.start

    def data(self):
        return lightgbm.Dataset(self.x, self.y, categorical_feature=self.categorical, free_raw_data=False, params={"feature_pre_filter": False})

    def objective(self, trial):
        start = time.perf_counter()
        params = {
            **self.fixed,
            "learning_rate": trial.suggest_float("learning_rate", 0.02, 0.2, log=True),
            "num_leaves": trial.suggest_int("num_leaves", 7, 255, log=True),
            "min_child_samples": trial.suggest_int("min_child_samples", 1, 100, log=True),
            "lambda_l2": trial.suggest_float("lambda_l2", 0.01, 30, log=True),
            "extra_trees": trial.suggest_categorical("extra_trees", [False, True]),
            "feature_fraction_bynode": trial.suggest_float("feature_fraction_bynode", 0.2, 1),
            "bagging_fraction": trial.suggest_float("bagging_fraction", 0.3, 1),
        }

        def report(env):
            trial.report(env.evaluation_result_list[0][2], env.iteration)
            if trial.should_prune():
                raise optuna.TrialPruned

        value = None
        try:
            found = lightgbm.cv(params, self.data(), ROUNDS, folds=self.folds, callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False), report])
            means = next(v for k, v in found.items() if k.endswith("-mean"))
            value, self.rounds[trial.number] = means[-1], len(means)
            return value
        finally:
            self.seconds.append(time.perf_counter() - start)
            self.values.append(value)

    def search(self, trials=None, timeout=None):
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1), pruner=optuna.pruners.MedianPruner(n_warmup_steps=50))
        study.optimize(self.objective, n_trials=trials, timeout=timeout)
        best = study.best_trial
        model = lightgbm.train({**self.fixed, **best.params}, self.data(), self.rounds[best.number])
        took = time.perf_counter() - self.start
        return trace(self.reading, zip(self.seconds, self.values)), loss(self.task, model.predict(self.test_x), self.test_y, None), took


def trace(before, trials):
    """Returns the seconds after which the best loss so far got better, and the losses."""
    steps, at = [], before
    for seconds, value in trials:
        at += seconds
        if value is not None and (not steps or value < steps[-1][1]):
            steps.append([round(at, 2), value])
    return {"seconds": round(at, 2), "steps": steps}


def main():
    parser = argparse.ArgumentParser()
    for name, default in (("--boost", None), ("--data", None), ("--out", None), ("--sets", "california_housing,adult,covtype_15k"), ("--budgets", "")):
        parser.add_argument(name, default=default)
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    record = {}
    if os.path.exists(args.out):
        with open(args.out, encoding="utf-8") as f:
            record = json.load(f)
    record["machine"] = {
        "cores": os.cpu_count(), "load_average": "%.2f %.2f %.2f" % os.getloadavg(), "lightgbm": lightgbm.__version__, "optuna": optuna.__version__,
        "boost": subprocess.run([args.boost, "version"], capture_output=True, text=True).stdout.splitlines()[0],
    }
    for name in args.sets.split(","):
        folder = os.path.join(args.data, name)
        table = Table(folder, "train")
        with tempfile.TemporaryDirectory() as scratch:
            boost = Boost(os.path.abspath(args.boost), os.path.abspath(folder), table, args.threads, scratch)
            folds = boost.folds()
            of = record.setdefault(name, {})
            if args.trials:
                ours, ours_test = boost.tune(args.trials)
                theirs, theirs_test, _ = Optuna(folder, table, args.threads, folds).search(trials=args.trials)
                reached = next((at for at, value in ours["steps"] if value <= theirs["steps"][-1][1]), None)
                of["search"] = {
                    "boost": {**ours, "test": ours_test}, "optuna": {**theirs, "test": theirs_test},
                    "optuna_best": theirs["steps"][-1], "boost_reached_it": reached,
                }
                print(name, json.dumps(of["search"]), flush=True)
            for budget in filter(None, args.budgets.split(",")):
                took, test = boost.budget(float(budget))
                _, theirs_test, theirs_took = Optuna(folder, table, args.threads, folds).search(timeout=float(budget))
                of[f"{budget} s"] = {"boost": {"seconds": round(took, 2), "test": test}, "optuna": {"seconds": round(theirs_took, 2), "test": theirs_test}}
                print(name, budget, json.dumps(of[f"{budget} s"]), flush=True)
        with open(args.out, "w", encoding="utf-8") as f:
            json.dump(record, f, indent=2)
            f.write("\n")


if __name__ == "__main__":
    main()
