"""Measures the Python packages of boost, LightGBM, XGBoost and CatBoost: `make python-peers`.

    packages.py [--turns N] [--rows N,N,…] [--threads N] [--rounds N] [--calls N] [--only NAME,…]
                [--out FILE.json]

Each figure is of a process of its own, in turns: the time of the import, of a fit of the estimator on rows of 28 float32
features with its defaults but for rounds, leaves and threads, and of a prediction of 1 and of 100 rows, the median of many; and
what is installed, with what the package needs beside numpy. The median over the turns counts. It prints a table in Markdown. A
package that is not installed is left out.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import platform
import re
import statistics
import subprocess
import sys
import time

FEATURES = 28
LEAVES = 31

PACKAGES = {"boost": "boost_gbt", "lightgbm": "lightgbm", "xgboost": "xgboost", "catboost": "catboost"}
DISTRIBUTIONS = {"boost": "boost-gbt"}


def estimator(name, rounds, threads):
    """Make a regressor with the same rounds, leaves and threads."""
    if name == "boost":
        from boost_gbt import BoostRegressor

        return BoostRegressor(rounds=rounds, leaves=LEAVES, n_jobs=threads)
    if name == "lightgbm":
        from lightgbm import LGBMRegressor

        return LGBMRegressor(n_estimators=rounds, num_leaves=LEAVES, n_jobs=threads, verbosity=-1)
    if name == "xgboost":
        from xgboost import XGBRegressor

        return XGBRegressor(n_estimators=rounds, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide", learning_rate=0.1, n_jobs=threads)
    from catboost import CatBoostRegressor

    return CatBoostRegressor(iterations=rounds, max_leaves=LEAVES, grow_policy="Lossguide", learning_rate=0.1, thread_count=threads, verbose=False, allow_writing_files=False)


def rows_of(n):
    """Return n rows whose label takes several features to predict."""
    import numpy as np

    rng = np.random.default_rng(1)
    x = rng.normal(size=(n, FEATURES)).astype(np.float32)
    y = x[:, 0] + x[:, 1] * x[:, 2] + np.sin(3 * x[:, 3]) + 0.5 * rng.normal(size=n)
    return x, y.astype(np.float32)


def measure(name, stage, rows, rounds, threads, calls):
    """Return the figures of one stage, in this process."""
    if stage == "import":
        start = time.perf_counter()
        __import__(PACKAGES[name])
        estimator(name, rounds, threads)
        return {"import": time.perf_counter() - start}
    x, y = rows_of(rows)
    model = estimator(name, rounds, threads)
    if name == "boost":
        import boost_gbt._worker

        boost_gbt._worker.worker()  # starts once for all estimators
    start = time.perf_counter()
    model.fit(x, y)
    if stage == "fit":
        return {f"fit {rows}": time.perf_counter() - start}
    found = {}
    for few in (1, 100):
        part = x[:few].copy()
        times = []
        for _ in range(calls):
            start = time.perf_counter()
            model.predict(part)
            times.append(time.perf_counter() - start)
        found[f"predict {few}"] = statistics.median(times)
    return found


def installed(name):
    """Return the bytes of the files of a package and of what it needs, less numpy and what boost takes if it is there."""
    seen, todo, size = set(), [DISTRIBUTIONS.get(name, name)], 0
    while todo:
        one = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if one in seen or one == "numpy":
            continue
        seen.add(one)
        try:
            found = importlib.metadata.distribution(one)
        except importlib.metadata.PackageNotFoundError:
            continue
        size += sum(file.size or 0 for file in found.files or ())
        todo += [re.match(r"[A-Za-z0-9._-]+", need).group() for need in found.requires or () if "extra ==" not in need]
    return {"bytes": size, "packages": sorted(seen)}


def in_process(name, stage, rows, a):
    command = [sys.executable, __file__, "--one", name, "--stage", stage, "--rows", str(rows), "--rounds", str(a.rounds), "--threads", str(a.threads), "--calls", str(a.calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name}, {stage} of {rows} rows:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def table(record):
    """Return the table in Markdown."""
    kinds = list(next(iter(record["packages"].values()))["seconds"])
    head = ["", *("import" if k == "import" else "fit of {:,} rows".format(int(k[4:])) if k.startswith("fit") else f"predict {k[8:]} × {FEATURES}" for k in kinds), "installed beside numpy"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for name, found in record["packages"].items():
        line = [f"{name} {found['version']}"]
        for kind in kinds:
            seconds = found["seconds"][kind]
            line.append(f"{seconds * 1e3:.3f} ms" if kind.startswith("predict") else f"{seconds:.3f} s")
        lines.append([*line, f"{found['installed']['bytes'] / 1e6:.0f} MB"])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--rows", default="1000,10000,1000000")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--calls", type=int, default=2000, help="of a small prediction")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", default="")
    parser.add_argument("--one", default="")
    parser.add_argument("--stage", default="")
    a = parser.parse_args()
    if a.one:
        print(json.dumps(measure(a.one, a.stage, int(a.rows), a.rounds, a.threads, a.calls)))
        return
    names = [name for name in PACKAGES if (not a.only or name in a.only.split(",")) and importlib.util.find_spec(PACKAGES[name])]
    sizes = [int(rows) for rows in a.rows.split(",")]
    times = {name: {} for name in names}
    for turn in range(a.turns):
        for stage, rows in [("import", 0), *(("fit", rows) for rows in sizes), ("predict", min(10000, max(sizes)))]:
            for name in names:
                for kind, seconds in in_process(name, stage, rows, a).items():
                    times[name].setdefault(kind, []).append(seconds)
        print(f"turn {turn + 1} of {a.turns}", file=sys.stderr)
    record = {
        "command": "make python-peers", "python": platform.python_version(), "machine": platform.processor() or platform.machine(),
        "rounds": a.rounds, "leaves": LEAVES, "threads": a.threads, "turns": a.turns,
        "packages": {
            name: {
                "version": importlib.metadata.version(DISTRIBUTIONS.get(name, name)),
                "seconds": {kind: statistics.median(values) for kind, values in times[name].items()},
                "all": times[name],
                "installed": installed(name),
            }
            for name in names
        },
    }
    if a.out:
        with open(a.out, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1)
            file.write("\n")
    print(table(record))


if __name__ == "__main__":
    main()
