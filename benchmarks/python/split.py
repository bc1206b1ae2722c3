"""Seeded 80/20 splits that the Go side (benchmarks/accuracy/split.go) makes too.

hash(split, row) = mix(mix(split + 1) + (row + 1) * GOLDEN) modulo 2^64, where mix is the
finalizer of SplitMix64 and row counts the data rows of train.csv.gz from 0. Of every
class the floor(n/5) rows with the smallest hash are held out (regression: of all rows);
equal hashes go by row. Classes are kept apart so that no part lacks one.
"""

GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def mix(x):
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def row_hash(split, row):
    return mix(mix(split + 1) + (row + 1) * GOLDEN & MASK)


def held_out(split, classes):
    """Returns the ascending row numbers that split holds out.

    classes has one entry per row: the class, or one and the same value for regression.
    """
    by_class = {}
    for row, c in enumerate(classes):
        by_class.setdefault(c, []).append(row)
    held = []
    for rows in by_class.values():
        rows.sort(key=lambda row: (row_hash(split, row), row))
        held += rows[: len(rows) // 5]
    return sorted(held)
