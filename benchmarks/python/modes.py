"""LightGBM's side of `make modes`.

    modes.py --folder DIR --steps JSON --modes JSON [--threads N] [--rounds N] [--leaves N] [--budget S]

DIR holds train.csv and meta.json, which says what the columns are for. STEPS make the labels of the modes from the label of the table, as
benchmarks/modes/table.go does; MODES is a list of {"mode", "label", "parameters"}. One line of JSON is printed: for each mode the least seconds of boosting
alone. LightGBM missing exits with status 3.
"""

import argparse
import json
import os
import sys
import time

from peers import NOT_INSTALLED, repeat


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--steps", type=json.loads, required=True)
    parser.add_argument("--modes", type=json.loads, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--leaves", type=int, default=31)
    parser.add_argument("--budget", type=float, default=0.5)
    a = parser.parse_args()
    try:
        import lightgbm
    except ImportError:
        sys.exit(NOT_INSTALLED)
    import numpy
    import pandas

    with open(os.path.join(a.folder, "meta.json"), encoding="utf-8") as f:
        meta = json.load(f)
    out = {*meta["ignore"], *meta["categorical"], meta.get("weight"), meta.get("group"), meta["label"]}
    columns = [c for c in meta["columns"] if c not in out]
    frame = pandas.read_csv(os.path.join(a.folder, "train.csv"), usecols=[*columns, meta["label"]])
    y = frame.pop(meta["label"]).to_numpy(float)
    x = frame[[c for c in columns if pandas.api.types.is_numeric_dtype(frame[c])]].to_numpy(float)
    n, steps = len(y), a.steps
    grade = (numpy.array(steps["fifths"])[None, :] < y[:, None]).sum(1).astype(float)
    labels = {"number": y / steps["scale"], "amount": (y - steps["least"]) / steps["scale"] + 1, "two": (y > steps["median"]).astype(float), "grade": grade, "ranked": grade}
    group = numpy.bincount(numpy.arange(n) // steps["query_rows"])
    usual = {"objective": "regression", "num_leaves": a.leaves, "learning_rate": 0.1, "max_bin": 255, "min_data_in_leaf": 20,
             "num_threads": a.threads, "verbosity": -1}

    def data(label, parameters):
        return lightgbm.Dataset(x, labels[label], group=group if label == "ranked" else None, params=parameters).construct()

    def timed(data, parameters):
        least, repeats, model = repeat(lambda: lightgbm.train(parameters, data, a.rounds, keep_training_booster=True), a.budget)
        leaves = [tree["num_leaves"] for tree in model.dump_model()["tree_info"]]
        return least, repeats, leaves

    found, made = [], {}
    for mode in a.modes:
        parameters = {**usual, **mode["parameters"]}
        try:
            binned = mode["label"], parameters.get("linear_tree")  # what the binned table depends on
            if binned not in made:
                made[binned] = data(mode["label"], parameters)
            seconds, repeats, leaves = timed(made[binned], parameters)
            found.append({"mode": mode["mode"], "trees": len(leaves), "leaves": sum(leaves) / len(leaves), "seconds": seconds, "repeats": repeats})
        except lightgbm.basic.LightGBMError as error:
            found.append({"mode": mode["mode"], "failed": str(error)})
    print(json.dumps({"version": f"lightgbm {lightgbm.__version__}", "rows": n, "columns": x.shape[1], "modes": found}))


if __name__ == "__main__":
    main()
