"""Writes small LibSVM files with scikit-learn, for tests of boost's reader.

    python interop_libsvm.py FOLDER

CASE.svm is what sklearn.datasets.dump_svmlight_file writes, CASE.csv states the same
table cell by cell: columns label, qid where the rows have queries, and f<index> by the
index as it stands in the file. Cases whose name ends in "0" begin with index 0.
"""

import os
import random
import sys

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import dump_svmlight_file

ROWS, COLUMNS = 47, 13


def table(seed, values):
    """Rows of {column: value}, sparse; the last column is never empty, so that the width is known."""
    r = random.Random(seed)
    rows = [{c: values(r) for c in range(COLUMNS) if r.random() < 0.3} for _ in range(ROWS)]
    rows[0][0] = values(r)
    rows[-1][COLUMNS - 1] = values(r)
    rows[5] = {}
    return rows


def write(folder, case, rows, labels, zero_based, queries=None, comment=None):
    data, index, ends = [], [], [0]
    for row in rows:
        for c in sorted(row):
            index.append(c)
            data.append(row[c])
        ends.append(len(index))
    x = csr_matrix((np.array(data), np.array(index), np.array(ends)), shape=(ROWS, COLUMNS))
    dump_svmlight_file(x, np.array(labels), os.path.join(folder, case + ".svm"), zero_based=zero_based,
                       query_id=None if queries is None else np.array(queries), comment=comment)
    base = 0 if zero_based else 1
    with open(os.path.join(folder, case + ".csv"), "w", encoding="utf-8", newline="") as f:
        names = ["label"] + (["qid"] if queries else []) + [f"f{c + base}" for c in range(COLUMNS)]
        f.write(",".join(names) + "\n")
        for i, row in enumerate(rows):
            cells = [repr(labels[i])] + ([str(queries[i])] if queries else [])
            cells += [repr(row.get(c, 0)) for c in range(COLUMNS)]
            f.write(",".join(cells) + "\n")


def main(folder):
    os.makedirs(folder, exist_ok=True)
    # scikit-learn writes 16 digits, which not every number has enough of.
    real = table(1, lambda r: float("%.16g" % (r.gauss(0, 1) * r.choice([1, 1e-9, 1e12]))))
    counts = table(2, lambda r: r.randint(1, 9))
    binary = [i * 7 % 3 % 2 for i in range(ROWS)]
    write(folder, "sklearn_real0", real, [0.5 * i for i in range(ROWS)], True)
    write(folder, "sklearn_real1", real, [0.5 * i for i in range(ROWS)], False)
    write(folder, "sklearn_counts0", counts, binary, True, comment="made by scikit-learn\nof two lines")
    write(folder, "sklearn_counts1", counts, binary, False)
    write(folder, "sklearn_queries1", counts, binary, False, queries=[i // 6 + 3 for i in range(ROWS)], comment="with queries")


if __name__ == "__main__":
    main(sys.argv[1])
