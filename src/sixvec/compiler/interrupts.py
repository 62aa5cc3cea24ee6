"""Ctrl-C held back while objects of LLVM are made and freed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import currentframe


@contextmanager
def interrupts_held() -> Iterator[None]:
    """A Ctrl-C in the body is handled at its end, by the handler that was there before.

    llvmlite frees its objects in `__del__`, where Python prints an exception and drops it: a KeyboardInterrupt would
    be lost.  LLVM's own functions cannot be interrupted, so the interrupt comes no later than without.

    >>> try:
    ...     with interrupts_held():
    ...         signal.raise_signal(signal.SIGINT)
    ...         print("finished")
    ... except KeyboardInterrupt:
    ...     print("interrupted")
    finished
    interrupted
    """
    handler = signal.getsignal(signal.SIGINT)
    # Python runs handlers in the main thread alone; one that is not Python's is none of its business.
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    signals: list[int] = []  # not the frame, which would keep the objects of LLVM alive
    signal.signal(signal.SIGINT, lambda number, _: signals.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if signals:
            handler(signal.SIGINT, currentframe())
