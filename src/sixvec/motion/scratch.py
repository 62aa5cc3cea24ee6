"""Memory that calls use one after another: fresh memory costs a page fault every few hundred numbers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from sixvec.arguments import Array


class _Memory(threading.local):
    array: Array | None = None


_memory = _Memory()


@contextmanager
def scratch(count: int) -> Iterator[Array]:
    """An array of `count` numbers, kept for the next call of this thread; a call within a call has one of its own.

    >>> with scratch(10) as memory:
    ...     memory.shape
    (10,)
    """
    array, _memory.array = _memory.array, None
    if array is None or array.size < count:
        array = np.empty(count)
    try:
        yield array[:count]
    finally:
        _memory.array = array
