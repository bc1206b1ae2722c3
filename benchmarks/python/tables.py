"""The data sets as the peers see them: codes for text, NaN for missing.

Coding follows _settings of reference.json: categorical columns take codes in order of
first appearance in the training rows, an empty field and an unseen level are NaN.
"""

import gzip
import csv
import json
import os

import numpy as np


class Table:
    """A set's rows as text, with what meta.json says about them."""

    def __init__(self, folder, part):
        with open(os.path.join(folder, "meta.json"), encoding="utf-8") as f:
            self.meta = json.load(f)
        with gzip.open(os.path.join(folder, part + ".csv.gz"), "rt", encoding="utf-8", newline="") as f:
            lines = csv.reader(f)
            header = next(lines)
            columns = list(zip(*lines))
        self.columns = {name: np.array(c, dtype=object) for name, c in zip(header, columns)}
        label = self.meta["label"]
        drop = {*(label.values() if isinstance(label, dict) else [label]), *self.meta["ignore"]}
        drop |= {self.meta.get("weight"), self.meta.get("group")}
        self.features = [name for name in header if name not in drop]
        self.task = self.meta["task"]

    @property
    def categorical(self):
        return [i for i, name in enumerate(self.features) if name in self.meta["categorical"]]

    def labels(self):
        """Returns float labels, or class indices in the order of label_classes."""
        texts = self.columns[self.meta["label"]]
        if self.task == "regression":
            return texts.astype(float)
        index = {c: i for i, c in enumerate(self.meta["label_classes"])}
        return np.array([index[t] for t in texts])

    def weights(self):
        """Returns one weight per row, or None."""
        name = self.meta.get("weight")
        return self.columns[name].astype(float) if name else None


def encode(train, train_rows, test, test_rows):
    """Returns two float64 matrices, coded from the training rows alone."""
    xs = [np.empty((len(r), len(train.features))) for r in (train_rows, test_rows)]
    for i, name in enumerate(train.features):
        parts = train.columns[name][train_rows], test.columns[name][test_rows]
        if name in train.meta["categorical"]:
            codes = {}
            for text in parts[0]:
                if text != "":
                    codes.setdefault(text, len(codes))
            for x, part in zip(xs, parts):
                x[:, i] = [codes.get(text, np.nan) for text in part]
        else:
            for x, part in zip(xs, parts):
                x[:, i] = [float(text) if text != "" else np.nan for text in part]
    return xs
