"""Rows shared by threads: the calling thread returns only when no thread works on them any more."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

from sixvec.compiler.memory import padded
from sixvec.compiler.runtime import call_stub
from sixvec.errors import ArgumentError

WORK_PER_THREAD = 10_000_000
"""Scalar operations below which handing a part of a batch to a thread costs more than it gains (some 0.4 ms)."""

WORK_PER_SLICE = 100 * WORK_PER_THREAD
"""Scalar operations between two checks for interrupts: about 40 ms, on slow machines 200."""

BYTES_PER_SLICE = 96 * 2**20
"""Likewise for rows that are large: memory that is touched for the first time may be slow.  Not less, so that each of
three results in a slice is still long enough to be written past the caches."""

MOST_THREADS = 1024

Work = Callable[[int, int, Callable[[], bool]], None]
"""work(first, stop, cancelled): rows `first` to `stop`; long work checks regularly whether it was cancelled."""


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_threads = _cores()


def set_threads(n: int) -> int:
    """Use at most `n` threads for the batch calls of this process; returns the previous bound.

    >>> import sixvec
    >>> before = sixvec.set_threads(2)
    >>> sixvec.set_threads(before)
    2
    """
    global _threads
    try:
        count = 0 if isinstance(n, bool) else operator.index(n)
    except TypeError:
        count = 0
    if not 1 <= count <= MOST_THREADS:
        raise ArgumentError(f"the number of threads must be an integer from 1 to {MOST_THREADS}, not {n!r}")
    before, _threads = _threads, count
    _bound_call_stubs()
    return before


def _bound_call_stubs() -> None:
    """A call stub works in one thread and cannot be interrupted, so it must leave longer work to `share`."""
    call_stub.most_work(2 * WORK_PER_THREAD if _threads > 1 else WORK_PER_SLICE // 16)


_bound_call_stubs()


class _Helpers:
    """Threads that wait for work.  A queue without Python locks distributes it, so that a signal handler or a
    finalizer may request help while the interrupted thread is doing so."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[_Rows] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def ask(self, rows: _Rows, count: int) -> None:
        """Let up to so many threads help with these rows; fewer, or none, if threads cannot be started."""
        while len(self._threads) < count:
            thread = threading.Thread(target=self._work, name="sixvec", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # no more threads can be started, or the interpreter is ending
                break
            self._threads.append(thread)
        for _ in range(min(count, len(self._threads))):
            self._asked.put(rows)

    def _work(self) -> None:
        while True:
            self._asked.get().help()


_helpers = _Helpers()


def _forget_helpers() -> None:
    """A forked child has no threads, only their data structures."""
    global _helpers
    _helpers = _Helpers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)


class _Rows:
    """Rows to work on, distributed slice by slice to the owning thread and its helpers."""

    def __init__(self, work: Work, n: int, step: int) -> None:
        self._work, self._n, self._step = work, n, step
        # `_left` is held until a helper leaves.  A plain lock: an event has another lock inside, which a child that a
        # signal handler forks during a wait may find held by a thread that it does not have.
        self._lock, self._left = threading.Lock(), threading.Lock()
        self._left.acquire()
        self._process = os.getpid()
        self._next = self._helpers = 0
        self._closed = self._cancelled = False
        self.problem: BaseException | None = None

    def run(self) -> None:
        """Work until no slice is left."""
        while (first := self._take()) is not None:
            self._work(first, min(first + self._step, self._n), self._is_cancelled)

    def help(self) -> None:
        """`run` in another thread, which may start too late: then it must not touch anything."""
        with self._lock:
            if self._closed:
                return
            self._helpers += 1
        try:
            self.run()
        except BaseException as problem:
            self.problem, self._cancelled = self.problem or problem, True
        finally:
            with self._lock:
                self._helpers -= 1
            with suppress(RuntimeError):  # another one has left, and nobody has looked since
                self._left.release()

    def cancel(self) -> None:
        self._cancelled = True

    def close(self) -> None:
        """Admit no more helpers and wait for active ones; an interrupt cancels the work and is then raised."""
        interrupt: BaseException | None = None
        self._closed = self._closed or self.lost
        while not self._closed or (self._helpers and not self.lost):
            try:
                with self._lock:
                    self._closed = True
                while self._helpers and not self.lost:
                    self._left.acquire(timeout=0.05)  # a helper may have left between the question and the wait
            except BaseException as problem:
                interrupt, self._cancelled = problem, True
        self._work = _nothing  # a late helper must not keep the arrays alive
        if interrupt is not None:
            raise interrupt

    @property
    def lost(self) -> bool:
        """Whether a fork left the helpers and their rows in another process."""
        return self._process != os.getpid()

    def _take(self) -> int | None:
        if self.lost:  # possibly including a helper that held the lock
            return None
        with self._lock:
            first = self._next
            if first >= self._n or self._cancelled:
                return None
            self._next = first + self._step
            return first

    def _is_cancelled(self) -> bool:
        return self._cancelled


def _never() -> bool:
    return False


def _nothing(first: int, stop: int, cancelled: Callable[[], bool]) -> None:
    pass


def share(work: Work, n: int, work_per_row: int, bytes_per_row: int, width: int) -> None:
    """Do `work` for n rows of so many operations and bytes each, in as many threads as are allowed and useful.

    The calling thread takes part, so the work is done even if no thread can be started.  It returns, with a
    result or an error, when no thread touches the rows any more.
    """
    per_thread = max(width, WORK_PER_THREAD // max(1, work_per_row))
    parts = max(1, min(_threads, n // per_thread))
    most = min(WORK_PER_SLICE // max(1, work_per_row), BYTES_PER_SLICE // max(1, bytes_per_row))
    step = padded(min(-(-n // parts), max(width, most)), width)
    if step >= n:
        if n:
            work(0, n, _never)
        return
    rows = _Rows(work, n, step)
    try:
        if parts > 1:
            _helpers.ask(rows, parts - 1)
        rows.run()
    except BaseException:
        rows.cancel()
        raise
    finally:
        _finish(rows)
    if rows.lost:  # a signal handler forked, and this is the child: the rows of helpers would never be finished
        _Rows(work, n, step).run()
    if rows.problem is not None:
        raise rows.problem


def _finish(rows: _Rows) -> None:
    """Close, even if an interrupt occurs before closing has begun."""
    try:
        rows.close()
    except BaseException:
        rows.cancel()
        rows.close()
        raise
