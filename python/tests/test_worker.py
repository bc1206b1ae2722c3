"""The worker process: forks, threads, interruptions, deaths."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import boost_gbt
from boost_gbt import Model, WorkerError, train
from boost_gbt._worker import worker

Data = tuple[np.ndarray, np.ndarray]
LONG = {"rounds": 100_000_000, "early_stopping": 0}
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are of Unix")


def test_one_worker_for_all(model: Model, numbers: Data) -> None:
    before = worker()
    model.predict(numbers[0])
    train({"rounds": 2, "early_stopping": 0}, *numbers)
    assert worker() is before


def test_killed_worker(numbers: Data) -> None:
    model = train({"rounds": 5, "early_stopping": 0}, *numbers)
    want = model.predict(numbers[0])
    killed = worker()
    killed.process.kill()
    assert killed._ended(5)
    assert np.array_equal(model.predict(numbers[0]), want), "the next call starts a new worker"

    killed = worker()
    timer = threading.Timer(0.3, killed.process.kill)
    timer.start()
    with pytest.raises(WorkerError, match="ended with status -9"):
        train(LONG, *numbers)
    assert np.array_equal(model.predict(numbers[0]), want)
    assert worker() is not killed


@posix
def test_interrupt(numbers: Data) -> None:
    """Ctrl-C ends the call in a fraction of a second, and the worker stays."""
    before = worker()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has it ignored in the background
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        train(LONG, *numbers)
    assert time.perf_counter() - start < 5
    assert worker() is before
    assert train({"rounds": 2, "early_stopping": 0}, *numbers).rounds == 2


@posix
def test_interrupts_at_any_moment(model: Model, numbers: Data) -> None:
    """Signals that come while small calls run lose no byte of the pipe."""
    x, _ = numbers
    want = model.predict(x)
    before = worker()
    caught = 0
    old = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    try:
        end = time.monotonic() + 1.5
        k = 0
        while time.monotonic() < end:
            k += 1
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 + (k % 97) * 7e-6)
                for _ in range(10):
                    model.predict(x[:5])
                    model.predict(x[:200].astype(np.float32))
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                caught += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert caught > 10
    assert worker() is before
    assert np.array_equal(model.predict(x), want)


@posix
def test_interrupt_while_sending(monkeypatch: pytest.MonkeyPatch) -> None:
    """An array that goes through the pipe is sent whole, although a signal comes in its middle."""
    monkeypatch.setattr(worker(), "memory", False)
    before = worker()
    x = np.zeros((2_000_000, 8))
    x[:, 0] = np.arange(len(x))
    for delay in (0.005, 0.02, 0.05):
        signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        signal.setitimer(signal.ITIMER_REAL, delay)
        with pytest.raises(KeyboardInterrupt):
            train(LONG, x, x[:, 0])
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert worker() is before
    assert train({"rounds": 1, "early_stopping": 0}, x[:100], x[:100, 0]).rounds == 1


def predict_in_child(model: Model) -> list[float]:
    return list(model.predict(np.zeros((2, 6))))


@posix
def test_fork(model: Model) -> None:
    want = predict_in_child(model)
    before = worker()
    child = os.fork()
    if child == 0:
        os._exit(0 if predict_in_child(model) == want and worker() is not before else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert worker() is before
    assert predict_in_child(model) == want


@pytest.mark.parametrize(
    "method", [m for m in ("fork", "spawn", "forkserver") if m in multiprocessing.get_all_start_methods()]
)
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_pools(model: Model, method: str) -> None:
    want = predict_in_child(model)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert list(pool.map(predict_in_child, [model] * 6)) == [want] * 6


@posix
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_while_threads_call(model: Model, numbers: Data) -> None:
    """As a server that forks its workers while others answer: no child hangs."""
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            model.predict(numbers[0])

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                predict_in_child(model)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_many_threads(model: Model, numbers: Data) -> None:
    x, y = numbers
    want = model.predict(x)

    def one(k: int) -> bool:
        if k % 10 == 0:
            return train({"rounds": 3, "early_stopping": 0, "threads": 1}, x, y).rounds == 3
        return bool(np.array_equal(model.predict(x[k:]), want[k:]))

    with ThreadPoolExecutor(100) as pool:
        assert all(pool.map(one, range(300)))


def test_nothing_is_left(numbers: Data) -> None:
    """Models and tables are freed in the worker when Python has forgotten them."""
    x, y = numbers
    for _ in range(200):
        train({"rounds": 1, "early_stopping": 0}, x[:100], y[:100])
    gc.collect()
    train({"rounds": 1, "early_stopping": 0}, x[:100], y[:100])
    assert len(worker().garbage) <= 3
    assert not worker().calls


def test_pickle(model: Model, numbers: Data) -> None:
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert bytes(again) == bytes(model)
    assert np.array_equal(again.predict(numbers[0]), model.predict(numbers[0]))


def test_callback(numbers: Data) -> None:
    rounds: list[dict[str, Any]] = []
    train({"rounds": 7, "early_stopping": 0}, *numbers, valid=numbers, callback=rounds.append)
    assert [r["round"] for r in rounds] == list(range(1, 8))
    assert rounds[0]["evals"][0]["metric"] == "rmse"

    def stop(event: dict[str, Any]) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        train(LONG, *numbers, callback=stop)


def test_messages(numbers: Data, caplog: pytest.LogCaptureFixture) -> None:
    x, y = numbers
    with caplog.at_level(logging.INFO, "boost_gbt"):
        train({"n_estimators": 2, "early_stopping": 0}, x, y)
    assert '"n_estimators" is called train.rounds here' in caplog.text
    warnings.simplefilter("default")
    with pytest.warns(UserWarning, match="every row has the same label") as caught:
        train({"rounds": 1, "early_stopping": 0}, x, np.ones(len(y)))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("ending", ["", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"])
def test_end_of_python(ending: str) -> None:
    """The worker ends with its interpreter, however that ends."""
    code = f"from boost_gbt._worker import worker; print(worker().process.pid, flush=True)\n{ending}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            break
        with open(f"/proc/{pid}/stat") as stat:
            if stat.read().rpartition(")")[2].split()[0] == "Z":
                break
        time.sleep(0.05)
    else:
        pytest.fail(f"the worker {pid} outlives its interpreter")
    assert done.stderr == ""


def test_program(tmp_path: Any) -> None:
    said = subprocess.run([sys.executable, "-m", "boost_gbt", "version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("boost ")
    assert boost_gbt.run("version") == said.stdout
    with pytest.raises(boost_gbt.ParameterError, match="unknown command"):
        boost_gbt.run("fly")
    with pytest.raises(boost_gbt.ModelError, match=r"absent\.boost"):
        boost_gbt.run("inspect", str(tmp_path / "absent.boost"))
