"""Memory for machine code: addresses, and arrays of pointers and integers."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Sequence[NDArray[Any]]
"""The inputs of a call, or its outputs."""

ALIGN = 64
"""Bytes of a cache line."""


def padded(count: int, width: int) -> int:
    """Up to the next multiple: tiles hold whole blocks of W columns, threads whole chunks of W rows."""
    return -(-count // width) * width


def aligned(count: int) -> NDArray[np.uint8]:
    """Zeroed bytes that begin with a cache line."""
    memory = np.zeros(count + ALIGN, np.uint8)
    return memory[-address(memory) % ALIGN :][:count]


def address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def pointers(addresses: Iterable[int]) -> Any:
    values = list(addresses)
    return (ctypes.c_void_p * len(values))(*values)


def integers(numbers: Iterable[int]) -> Any:
    values = list(numbers)
    return (ctypes.c_int64 * len(values))(*values)
