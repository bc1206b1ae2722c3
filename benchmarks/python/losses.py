"""The losses that trainers are compared by."""

import numpy as np


def loss(task, prediction, y, w):
    """The loss of DESIGN §14: logloss clipped at 1e-15, rmse; weighted where w is given."""
    p = np.asarray(prediction, dtype=np.float64)
    if task == "regression":
        return float(np.sqrt(np.average((p - y) ** 2, weights=w)))
    if task == "binary":
        p = np.where(y == 1, p, 1 - p)
    else:
        p = p[np.arange(len(y)), y]
    return float(np.average(-np.log(np.clip(p, 1e-15, 1 - 1e-15)), weights=w))
