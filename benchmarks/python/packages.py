"""Measures the Python packages of boost, LightGBM, XGBoost and CatBoost: `make python-peers`.

    packages.py [--turns N] [--rows N,N,…] [--threads N] [--rounds N] [--calls N] [--only NAME,…]
                [--out FILE.json] [--document FILE.md]

Each figure is of a process of its own, in turns: the time of the import, of a fit of the estimator on rows of 28 float32
features with its defaults but for rounds, leaves and threads, and of a prediction of 1 and of 100 rows, the median of many; and
the wheel and what is installed, with what the package needs beside numpy. The median over the turns counts. Of boost alone: how long
the most rows take to be handed over, and to be trained on from Python and by `boost train` from a Parquet file, by turns in
one process. It prints a table in Markdown, and puts it between the marks of a document. A package that is not installed is left
out.
"""

import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
    if stage == "beside":
        return beside(x, y, rounds, threads)
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


def beside(x, y, rounds, threads):
    """Return how long rows take to be handed over, and to be trained on here and by the program, which makes the same bytes."""
    from boost_gbt import Model, train
    from boost_gbt._program import program
    from boost_gbt._worker import ask, worker
    from boost_gbt.model import Rows

    worker()
    with tempfile.TemporaryDirectory() as folder:
        table, path = os.path.join(folder, "rows.parquet"), os.path.join(folder, "model.boost")
        start = time.perf_counter()
        held = Rows(x, None).hand_over({})
        found = {"hand over": time.perf_counter() - start}
        with held:
            pass
        with Rows(x, y).hand_over({"data.label": ["label"]}) as source:
            ask("write", {**source, "path": table})
        settings = {"effort": "quick", "train.objective": "regression", "rounds": rounds, "leaves": LEAVES, "threads": threads, "early_stopping": 0}
        start = time.perf_counter()
        model = train(settings, x, y)
        found["train in Python"] = time.perf_counter() - start
        command = [program(), "train", table, "--label", "label", "-q", "-o", path]
        for key, value in settings.items():
            command += ["--effort", value] if key == "effort" else ["--set", f"{key}={value}"]
        start = time.perf_counter()
        subprocess.run(command, check=True)
        found["boost train"] = time.perf_counter() - start
        if Model.load(path) != model:
            raise SystemExit("boost train made another model of the same rows")
    return found


def wheel(name):
    """Return the bytes of the wheel of the version that is installed, or None where it cannot be had."""
    if name == "boost":
        files = list((Path(__file__).parents[2] / "python" / "dist").glob(f"*{platform.machine()}.whl"))
        return files[0].stat().st_size if files else None
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder]
        subprocess.run([*command, f"{name}=={importlib.metadata.version(name)}"], check=False)
        return next((file.stat().st_size for file in Path(folder).iterdir()), None)


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


def processor():
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*: (.*)$", info.read_text(), re.MULTILINE) if info.exists() else []
    return names[0].strip() if names else platform.processor() or platform.machine()


def in_process(name, stage, rows, a):
    command = [sys.executable, __file__, "--one", name, "--stage", stage, "--rows", str(rows), "--rounds", str(a.rounds), "--threads", str(a.threads), "--calls", str(a.calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name}, {stage} of {rows} rows:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def table(record):
    """Return the table in Markdown."""
    kinds = list(next(iter(record["packages"].values()))["seconds"])
    head = ["", *("import" if k == "import" else "fit of {:,} rows".format(int(k[4:])) if k.startswith("fit") else f"predict {k[8:]} × {FEATURES}" for k in kinds), "wheel", "installed beside numpy"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for name, found in record["packages"].items():
        line = [f"{name} {found['version']}"]
        for kind in kinds:
            seconds = found["seconds"][kind]
            line.append(f"{seconds * 1e3:.3f} ms" if kind.startswith("predict") else f"{seconds:.3f} s")
        line.append(f"{found['wheel'] / 1e6:.0f} MB" if found["wheel"] else "?")
        lines.append([*line, f"{found['installed']['bytes'] / 1e6:.0f} MB"])
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    if record["beside"]:
        seconds = {kind: statistics.median(values) for kind, values in record["beside"]["seconds"].items()}
        text += (
            f"\n\nOf boost, {record['beside']['rows']:,} × {FEATURES} float32 are handed over in {seconds['hand over']:.3f} s. `train` takes "
            f"{seconds['train in Python']:.2f} s in Python, and `boost train` {seconds['boost train']:.2f} s for the same rows in a Parquet file: the same bytes."
        )
    return text


def write_between(document, record):
    """Put the table between the marks of a document."""
    begin, end = "<!-- begin python -->\n", "<!-- end python -->"
    page = Path(document).read_text("utf-8")
    before, rest = page.split(begin)
    _, after = rest.split(end)
    said = (
        f"`{record['command']}`, {record['date']}: {record['machine']}, {record['cores']} logical cores, Python {record['python']}; {record['rounds']} rounds of {record['leaves']} leaves, "
        f"{record['threads']} threads, the median of {record['turns']} turns. Predictions are the estimators', rows as float32.\n\n"
    )
    Path(document).write_text(before + begin + said + table(record) + "\n" + end + after, "utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--rows", default="1000,10000,1000000")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--calls", type=int, default=2000, help="of a small prediction")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", default="")
    parser.add_argument("--document", default="", help="with the marks <!-- begin python --> and <!-- end python -->")
    parser.add_argument("--one", default="")
    parser.add_argument("--stage", default="")
    a = parser.parse_args()
    if a.one:
        print(json.dumps(measure(a.one, a.stage, int(a.rows), a.rounds, a.threads, a.calls)))
        return
    names = [name for name in PACKAGES if (not a.only or name in a.only.split(",")) and importlib.util.find_spec(PACKAGES[name])]
    sizes = [int(rows) for rows in a.rows.split(",")]
    times, apart = {name: {} for name in names}, {}
    for turn in range(a.turns):
        for stage, rows in [("import", 0), *(("fit", rows) for rows in sizes), ("predict", min(10000, max(sizes)))]:
            for name in names:
                for kind, seconds in in_process(name, stage, rows, a).items():
                    times[name].setdefault(kind, []).append(seconds)
        if "boost" in names:
            for kind, seconds in in_process("boost", "beside", max(sizes), a).items():
                apart.setdefault(kind, []).append(seconds)
        print(f"turn {turn + 1} of {a.turns}", file=sys.stderr)
    record = {
        "command": f"make python-peers TURNS={a.turns} THREADS={a.threads}", "date": datetime.date.today().isoformat(), "python": platform.python_version(), "machine": processor(), "cores": os.cpu_count(),
        "rounds": a.rounds, "leaves": LEAVES, "threads": a.threads, "turns": a.turns,
        "packages": {
            name: {
                "version": importlib.metadata.version(DISTRIBUTIONS.get(name, name)),
                "seconds": {kind: statistics.median(values) for kind, values in times[name].items()},
                "all": times[name],
                "wheel": wheel(name),
                "installed": installed(name),
            }
            for name in names
        },
        "beside": {"rows": max(sizes), "seconds": apart} if apart else None,
    }
    if a.out:
        with open(a.out, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=1)
            file.write("\n")
    if a.document:
        write_between(a.document, record)
    print(table(record))


if __name__ == "__main__":
    main()
