"""The worker process: forks, threads, interruptions, deaths."""

from __future__ import annotations

import collections
import gc
import logging
import multiprocessing
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import boost_gbt
from boost_gbt import Model, WorkerError, train
from boost_gbt._program import program
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


@posix
@pytest.mark.parametrize("error", [TimeoutError("too long"), ValueError("too long"), ConnectionError("too long")])
def test_handlers_that_raise(error: Exception, numbers: Data) -> None:
    """An exception of a signal handler is no error of the pipe, even if it is an OSError. The call is cancelled."""
    before = worker()

    def handler(*_: Any) -> None:
        raise error

    for delay in (0.1, 0.3):
        old = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, delay)
        try:
            with pytest.raises(type(error), match="too long"):
                train(LONG, *numbers)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
    assert worker() is before
    assert train({"rounds": 2, "early_stopping": 0}, *numbers).rounds == 2


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


def resident(pid: int) -> float:
    """Return the memory that a process holds, in MB."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_many_estimators(short: bool) -> None:
    """1,000 estimators, each trained and asked once, leave no memory, open files or threads behind."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 20))
    pids = (os.getpid(), worker().process.pid)
    held = []
    count = 200 if short else 1000
    for k in range(count):
        m = boost_gbt.BoostRegressor(rounds=5).fit(x, x[:, 0])
        m.predict(x[:10])
        if k in (count // 10, count - 1):
            gc.collect()
            held.append(
                [[resident(pid), *(len(os.listdir(f"/proc/{pid}/{kind}")) for kind in ("fd", "task"))] for pid in pids]
            )
    for before, after in zip(*held, strict=True):
        assert after[0] - before[0] < 24, "MB; the tables alone are 0.3 MB each"
        assert after[1] == before[1], "open files"
        assert after[2] - before[2] < 4, "threads"


def test_another_thread_frees_first(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the GIL, what is to be freed can be gone between the look and the grasp."""

    class Gone(collections.deque[Any]):
        def __bool__(self) -> bool:
            return True

    monkeypatch.setattr(worker(), "garbage", Gone())
    assert len(model.predict(np.zeros((2, 6)))) == 2


def test_threads_that_forget(numbers: Data) -> None:
    """Threads that free models at the same moment, with as many switches between them as there can be."""
    x, y = numbers
    data = bytes(train({"rounds": 2, "early_stopping": 0}, x, y))
    want = Model.from_bytes(data).predict(x[:5])
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(20) as pool:
            for values in pool.map(lambda _: Model.from_bytes(data).predict(x[:5]), range(1000)):
                assert np.array_equal(values, want)
    finally:
        sys.setswitchinterval(interval)


APP = """
import os
import numpy as np
from boost_gbt import Model

model = Model.load("model.boost")
answer = model.predict(np.zeros((2, 6))).tolist()  # in the process that forks: its worker runs


def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    same = model.predict(np.zeros((2, 6))).tolist() == answer
    return [f"{os.getpid()} {same}".encode()]
"""


@posix
def test_server_that_forks(model: Model, tmp_path: Path) -> None:
    """Gunicorn loads the application once and forks its workers; each has a program of its own."""
    pytest.importorskip("gunicorn")
    model.save(tmp_path / "model.boost")
    (tmp_path / "app.py").write_text(APP)
    command = [sys.executable, "-m", "gunicorn", "--preload", "-w", "2", "-b", "unix:socket", "app:app"]
    server = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        for line in server.stderr:
            if "Listening at" in line:
                break
        answers: dict[str, set[str]] = {}
        end = time.monotonic() + 30
        while len(answers) < 2 and time.monotonic() < end:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(20)
                client.connect(str(tmp_path / "socket"))
                client.sendall(b"GET / HTTP/1.0\r\n\r\n")
                reply = b"".join(iter(lambda: client.recv(4096), b"")).decode()
            pid, same = reply.splitlines()[-1].split()
            answers.setdefault(pid, set()).add(same)
        assert list(answers.values()) == [{"True"}] * 2
        server.terminate()
        _, words = server.communicate(timeout=20)
        assert server.returncode == 0
        assert "Traceback" not in words
    finally:
        server.kill()


AFTER_TORCH = """
import os
import torch
torch.rand(500, 500) @ torch.rand(500, 500)  # its threads run
import numpy as np
from boost_gbt import BoostRegressor
x = np.linspace(0, 6, 3000).reshape(-1, 1)
m = BoostRegressor(rounds=30).fit(x, np.sin(x[:, 0]))
want = m.predict(x)
assert abs(want - np.sin(x[:, 0])).max() < 0.5
child = os.fork()
if child == 0:
    os._exit(0 if np.array_equal(m.predict(x), want) else 1)
assert os.waitpid(child, 0)[1] == 0
torch.rand(500, 500) @ torch.rand(500, 500)
"""


@posix
def test_after_torch() -> None:
    """No runtime of OpenMP meets another: it trains, and predicts in a child, after torch was imported and used."""
    pytest.importorskip("torch")
    subprocess.run([sys.executable, "-c", AFTER_TORCH], check=True, timeout=120)


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


@pytest.mark.skipif(sys.platform != "linux", reason="it reads ELF")
def test_program_asks_for_no_library() -> None:
    """No interpreter and no shared library: it runs under musl, and where there is no libc at all."""
    data = Path(program()).read_bytes()
    assert data[:5] == b"\x7fELF\x02"
    at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    kinds = {struct.unpack_from("<I", data, at + k * size)[0] for k in range(count)}
    assert 1 in kinds, "PT_LOAD"
    assert not kinds & {2, 3}, "PT_DYNAMIC, PT_INTERP"
