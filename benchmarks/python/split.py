"""Seeded 80/20 splits that the Go side (benchmarks/accuracy/split.go) makes too.

hash(split, row) = mix(mix(split + 1) + (row + 1) * GOLDEN) modulo 2^64, where mix is the
finalizer of SplitMix64 and row counts the data rows of train.csv.gz from 0. Of every
class the floor(n/5) rows with the smallest hash are held out (regression: of all rows);
equal hashes go by row. Classes are kept apart so that no part lacks one.
"""

GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1
STOPPING = 1000  # added to a split's number where its stopping rows are drawn


def mix(x):
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def row_hash(split, row):
    return mix(mix(split + 1) + (row + 1) * GOLDEN & MASK)


def held_out(split, classes, of=5, apart=()):
    """Returns the ascending row numbers that split holds out: one in so many of each class.

    classes has one entry per row: the class, or one and the same value for regression.
    The rows in apart are neither held out nor counted.
    """
    by_class, apart = {}, set(apart)
    for row, c in enumerate(classes):
        if row not in apart:
            by_class.setdefault(c, []).append(row)
    held = []
    for rows in by_class.values():
        rows.sort(key=lambda row: (row_hash(split, row), row))
        held += rows[: len(rows) // of]
    return sorted(held)


def stopping_rows(split, classes, held):
    """Returns the tenth of the rows that are not held, by which trainers stop early."""
    return held_out(split + STOPPING, classes, 10, held)
