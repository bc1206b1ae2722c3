"""What the tests share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import boost_gbt


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--short", action="store_true", help="do a part of what takes long")


@pytest.fixture(scope="session")
def short(request: pytest.FixtureRequest) -> bool:
    """Whether tests that take long are to do a part of it."""
    return bool(request.config.getoption("--short"))


@pytest.fixture(scope="session")
def census() -> Path:
    """The folder of the census data that the tree brings along."""
    for folder in Path(__file__).resolve().parents:
        found = folder / "examples" / "adult"
        if found.is_dir():
            return found
    pytest.fail("examples/adult is not above the tests")


@pytest.fixture(scope="session")
def numbers() -> tuple[np.ndarray, np.ndarray]:
    """1,000 rows of 6 features, some missing, and a number to predict."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1000, 6))
    y = x[:, 0] + x[:, 1] * x[:, 2]
    x[rng.random(x.shape) < 0.05] = np.nan
    return x, y


@pytest.fixture(scope="session")
def model(numbers: tuple[np.ndarray, np.ndarray]) -> boost_gbt.Model:
    x, y = numbers
    return boost_gbt.train({"rounds": 20, "early_stopping": 0}, x, y)
