"""The worker process: one for each interpreter, shared by all threads, started when it is first needed.

docs/python-protocol.md describes the messages.
"""

from __future__ import annotations

import atexit
import collections
import itertools
import json
import logging
import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ._messages import log, tell
from ._program import program
from .errors import BY_CLASS, BoostError, WorkerError

if sys.platform == "linux":
    import fcntl

PROTOCOL = 1
PREFIX = struct.Struct("<IIQ")

encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode

Buffer = Any  # bytes, memoryview or a contiguous array
Event = Callable[[dict[str, Any]], None]
T = TypeVar("T")


def holding(lock: Any, do: Callable[[], T]) -> T:
    """Call a function while a lock is held.

    ``with`` would leave the lock closed where a signal raises an exception at the wrong moment: since Python 3.14, one
    can come after it has locked and before it knows.
    """
    held: list[bool] = []
    try:
        held.extend(map(lock.acquire, (True,)))
        return do()
    finally:
        if held:
            lock.release()


class _ClosedError(Exception):
    """The worker has closed its output."""


def _is_broken(error: BaseException) -> bool:
    """Report whether an error is one of the pipe. A signal handler can raise an OSError too, such as TimeoutError."""
    if isinstance(error, OSError):
        return error.errno is not None and not isinstance(error, TimeoutError)
    return isinstance(error, (_ClosedError, json.JSONDecodeError, UnicodeDecodeError))


class Call:
    """A request that waits for its answer."""

    __slots__ = ("body", "done", "error", "events", "head", "sent")

    def __init__(self) -> None:
        self.head: dict[str, Any] = {}  # empty until the answer is there
        self.body = bytearray()
        self.error: BoostError | None = None
        self.events: collections.deque[dict[str, Any]] = collections.deque()
        self.sent: list[int] = []  # bytes of each write
        self.done = threading.Lock()  # held until there is something to do
        self.done.acquire()

    def wake(self) -> None:
        """Let the thread that waits look."""
        try:
            self.done.release()
        except RuntimeError:
            pass  # it has been told already

    def finish(self, head: dict[str, Any], body: bytearray, error: BoostError | None = None) -> None:
        self.body, self.error = body, error
        self.head = head or {"done": True}  # last: it tells that the rest is there
        self.wake()


class Worker:
    """A process that answers requests.

    Of the threads that wait for answers, one reads them for all. A thread that has its answer hands reading on to
    another. So a call of a single thread costs no switch between threads.

    A signal can raise an exception between any two steps of Python code, and no byte of the pipes may be lost by it.
    ``list.extend(map(function, …))`` calls a function and keeps its result in one step: it stands wherever
    something is read, written or locked.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.process = subprocess.Popen(
            [program(), "worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is Python's, which cancels the call
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.input = self.process.stdin.fileno()
        self.output = self.process.stdout.fileno()
        self.writing = threading.Lock()
        self.reading = threading.Lock()
        self.chunks: list[bytes] = []  # what was read and belongs to no whole frame
        self.want = PREFIX.size  # bytes that have to be there before it pays to look
        self.calls: dict[
            int, Call
        ] = {}  # threads look through a list of it: without the GIL, list locks and tuple does not
        self.numbers = itertools.count(1)
        self.alive = True
        self.waited: collections.deque[tuple[int, int]] = collections.deque(maxlen=1)
        self.memory = False
        self.garbage: collections.deque[tuple[str, int]] = collections.deque()  # numbers to be freed
        try:
            self._greet()
        except BaseException:
            self.close()
            raise

    def _greet(self) -> None:
        """Learn the version of the protocol, and whether the worker can read the memory of this process."""
        for pipe in (self.input, self.output):
            if sys.platform == "linux":
                try:
                    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)
                except OSError:
                    pass  # the system allows less: it only takes longer
        hello = self.calls[0] = Call()
        self._wait(0, hello, None)
        del self.calls[0]
        if hello.error is not None:
            raise hello.error
        if hello.head.get("protocol") != PROTOCOL:
            raise WorkerError(
                f"{program()} speaks protocol {hello.head.get('protocol')}, this library {PROTOCOL}: "
                "install the library and the program of one version"
            )
        secret = np.frombuffer(os.urandom(16), np.uint8)
        address = secret.ctypes.data if sys.platform == "linux" else 0
        answer, _ = self.call("hello", {"protocol": PROTOCOL, "address": address}, [secret])
        self.memory = bool(answer["memory"])

    def usable(self) -> bool:
        return self.alive and self.pid == os.getpid() and not self._ended()

    def _ended(self, seconds: float = 0) -> bool:
        """Report whether the process has ended, or ends within so many seconds.

        ``Popen.poll`` locks, and an exception at the wrong moment would leave its lock closed.
        """
        end = time.monotonic() + seconds
        while self.process.returncode is None:
            if not hasattr(os, "WNOHANG"):
                self.process.poll()  # of Windows, where there is no lock
            else:
                try:
                    self.waited.extend(map(os.waitpid, (self.process.pid,), (os.WNOHANG,)))
                except ChildProcessError:
                    self.waited.append(self.waited[-1] if self.waited and self.waited[-1][0] else (self.process.pid, 0))
                pid, status = self.waited[-1]
                if pid:
                    self.process.returncode = os.waitstatus_to_exitcode(status)
            if self.process.returncode is None:
                if time.monotonic() >= end:
                    return False
                time.sleep(0.002)
        return True

    def call(
        self, op: str, head: dict[str, Any], parts: Sequence[Buffer] = (), on_event: Event | None = None
    ) -> tuple[dict[str, Any], bytearray]:
        """Send a request and wait for the answer.

        Events are handed to ``on_event`` in the thread that calls. An exception while waiting, such as
        KeyboardInterrupt, cancels the request and waits until the worker has stopped it.
        """
        if self.garbage:
            self._free()
        number = next(self.numbers) & 0xFFFFFFFF
        call = Call()
        head["op"] = op
        try:
            self.calls[number] = call
            self._send(number, head, parts, call.sent)
            self._wait(number, call, on_event)
        except WorkerError:
            raise
        except BaseException:
            if call.sent:
                self._cancel(number, call)
            raise
        finally:
            self.calls.pop(number, None)
        if call.error is not None:
            raise call.error
        return call.head, call.body

    def _send(self, number: int, head: dict[str, Any], parts: Sequence[Buffer], sent: list[int]) -> None:
        """Send a frame: all of it or, where an exception comes first, nothing."""
        text = encode(head).encode()
        views = [memoryview(part).cast("B") for part in parts if memoryview(part).nbytes]
        size = sum(map(len, views))
        frame = [memoryview(PREFIX.pack(number, len(text), size) + text), *views]
        if size <= 1 << 16:
            frame = [memoryview(b"".join(frame))]
        try:
            holding(self.writing, lambda: self._write_whole(frame, sent))
        except OSError as error:
            if not _is_broken(error):
                raise
            self.alive = False
            raise WorkerError(self._epitaph()) from error

    def _write_whole(self, frame: list[memoryview], sent: list[int]) -> None:
        """Write a frame, and what is left of one that was interrupted."""
        try:
            self._write(frame, sent)
        except BaseException as error:
            if sent and not _is_broken(error):
                self._finish(frame, sent)
            raise

    def _finish(self, frame: list[memoryview], sent: list[int]) -> None:
        """Write the rest of a frame that was interrupted. A worker that does not get it is of no use any more."""
        try:
            self._write(frame, sent)
        except BaseException:
            self.alive = False
            self.process.kill()
            raise

    def _write(self, frame: list[memoryview], sent: list[int]) -> None:
        """Write what is not sent of a frame."""
        before = sum(sent)
        for view in frame:
            at = min(before, len(view))
            before -= at
            while at < len(view):
                sent.extend(map(os.write, (self.input,), (view[at : at + (1 << 30)],)))
                at += sent[-1]

    def _wait(self, number: int, call: Call, on_event: Event | None) -> None:
        """Wait for the answer of a call, and read those of others meanwhile if no other thread does."""
        while True:
            while call.events:
                event = call.events.popleft()
                if on_event is not None:
                    on_event(event)
            if call.head:
                return
            locked: list[bool] = []
            try:
                locked.extend(map(self.reading.acquire, (False,)))
                if locked[0]:
                    self._read(call)
            finally:
                if locked and locked[0]:
                    self.reading.release()
                    for other in list(self.calls.values()):
                        if other is not call and not other.head:
                            other.wake()
                            break
            if not locked[0]:
                call.done.acquire()

    def _read(self, call: Call) -> None:
        """Read and hand on frames until there is one for the call."""
        try:
            while True:
                self._hand_on()
                if call.head or call.events:
                    return
                missing = self.want - sum(map(len, self.chunks))
                self.chunks.extend(map(os.read, (self.output,), (min(max(missing, 1 << 16), 1 << 20),)))
                if not self.chunks[-1]:
                    raise _ClosedError
        except Exception as error:
            if not _is_broken(error):
                raise
            self.alive = False
            for lost in list(self.calls.values()):
                lost.finish({}, bytearray(), WorkerError(self._epitaph()))
            raise WorkerError(self._epitaph()) from error

    def _hand_on(self) -> None:
        """Give the frames that are whole to their calls. A frame is removed after it was given: never lost."""
        if sum(map(len, self.chunks)) < self.want:
            return
        data = b"".join(self.chunks)
        while len(data) >= PREFIX.size:
            number, head, body = PREFIX.unpack_from(data)
            begin = PREFIX.size + head
            end = begin + body
            if len(data) < end:
                self.chunks = [data]
                self.want = end
                return
            answer = json.loads(data[PREFIX.size : begin])
            call = self.calls.get(number)
            if call is not None and not call.head:
                if "event" in answer:
                    if body:
                        answer["body"] = bytearray(memoryview(data)[begin:end])
                    call.events.append(answer)
                    call.wake()
                else:
                    error = BY_CLASS.get(answer["class"], BoostError)(answer["error"]) if "error" in answer else None
                    call.finish(answer, bytearray(memoryview(data)[begin:end]), error)  # arrays of it can be changed
            data = data[end:]
            self.want = PREFIX.size  # first, since too little is only slow
            self.chunks = [data]

    def result(self, number: int, values: Buffer) -> None:
        """Send what a function has returned that the program asked for."""
        self._send(0, {"op": "result", "call": number}, [values], [])

    def _cancel(self, number: int, call: Call) -> None:
        """Stop a request, and wait until it has stopped: its memory may be read until then."""
        try:
            self._send(0, {"op": "cancel", "cancel": number}, (), [])
            self._wait(number, call, None)
        except WorkerError:
            pass

    def _free(self) -> None:
        freed: dict[str, list[int]] = {"models": [], "tables": []}
        try:
            while True:
                kind, number = self.garbage.popleft()
                freed[kind].append(number)
        except IndexError:
            pass  # another thread may have taken the last one
        self._send(0, {"op": "free", **freed}, (), [])

    def _epitaph(self) -> str:
        if not self._ended(1):
            return "the worker process of boost closed its output"
        code = self.process.returncode
        return f"the worker process of boost ended with status {code}; the next call starts a new one"

    def close(self) -> None:
        """End the worker: it exits when its input ends."""
        self.alive = False
        if self.process.stdin is not None:
            self.process.stdin.close()
        if not self._ended(5):
            self.process.kill()
            self._ended(5)
        if self.process.stdout is not None and self.reading.acquire(timeout=1):  # no thread reads any more
            self.process.stdout.close()
            self.reading.release()

    def abandon(self) -> None:
        """Forget the worker of the parent, in a child that was forked off."""
        self.alive = False
        self.process.returncode = 0  # it is no child of this process
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()  # else the parent's worker would not see the end of its input


_current: Worker | None = None
_starting = threading.RLock()


def worker() -> Worker:
    """Return the worker of this interpreter, a new one after a fork or where the last one ended."""
    current = _current
    if current is not None and current.usable():
        return current
    return holding(_starting, _started)


def _started() -> Worker:
    """Return the worker, a new one where there is none."""
    global _current
    if _current is None or not _current.usable():
        old, _current = _current, None
        if old is not None:
            old.close()
        _current = Worker()
    return _current


def _after_fork() -> None:
    """Forget the parent's worker: the child starts one of its own."""
    global _current, _starting
    _starting = threading.RLock()
    if _current is not None:
        _current.abandon()
    _current = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@atexit.register
def _at_exit() -> None:
    if _current is not None and _current.usable():
        _current.close()


def ask(
    op: str,
    head: dict[str, Any],
    parts: Sequence[Buffer] = (),
    on_round: Event | None = None,
    on_call: Event | None = None,
) -> tuple[dict[str, Any], bytearray]:
    """Call the worker with messages: notes go to logging, warnings to the module warnings.

    ``on_call`` answers where it asks for the value of a function.
    """
    level = log.getEffectiveLevel()
    head["log"] = "debug" if level <= logging.DEBUG else "info" if level <= logging.INFO else "warn"

    def on_event(event: dict[str, Any]) -> None:
        if event["event"] == "log":
            tell(event["level"], event["text"])
        elif event["event"] == "call":
            assert on_call is not None
            on_call(event)
        elif on_round is not None:
            on_round(event)

    return worker().call(op, head, parts, on_event)
