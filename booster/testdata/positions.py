"""Writes positions.json: rows of queries with the positions at which they were shown, and what LightGBM learns from them.

python positions.py > positions.json   (lightgbm 4.7)

Labels of rows are clicks: the higher a row was shown, the likelier. Scores are LightGBM's raw predictions after so many rounds.
"""
import json

import lightgbm as lgb
import numpy as np

ROUNDS = 1, 4, 12
PARAMS = dict(objective="lambdarank", num_leaves=4, learning_rate=0.1, min_data_in_leaf=20, min_sum_hessian_in_leaf=1e-3, seed=1,
              num_threads=1, verbosity=-1, deterministic=True)


def curve(x, y, sizes, position, l2):
    data = lgb.Dataset(x, y, group=sizes, position=position, free_raw_data=False)
    model = lgb.train({**PARAMS, "lambdarank_position_bias_regularization": l2}, data, ROUNDS[-1])
    return [model.predict(x, num_iteration=rounds, raw_score=True).round(7).tolist() for rounds in ROUNDS]


def main():
    rng = np.random.default_rng(7)
    queries, size = 150, 8
    n = queries * size
    x = np.column_stack([rng.integers(0, 12, n), rng.integers(0, 6, n), rng.integers(0, 3, n)]).astype(float)
    position = np.concatenate([rng.permutation(size) for _ in range(queries)])
    wanted = 1 / (1 + np.exp(-(0.35 * x[:, 0] - 0.4 * x[:, 1] - 1)))
    y = (rng.random(n) < wanted / (1 + position) ** 0.7).astype(int) + (rng.random(n) < 0.1)
    sizes = [size] * queries
    print(json.dumps(dict(
        x=x.astype(int).tolist(), y=y.tolist(), query=np.repeat(np.arange(queries), size).tolist(), position=position.tolist(),
        plain=curve(x, y, sizes, position, 0.0), penalised=curve(x, y, sizes, position, 2.0))))


main()
