"""Where a search runs: on the CPU with NumPy, or on a CUDA device with CuPy.

A search is written once.  What a device does not do, such as finding the reason of a failure, is done on the CPU for
the few rows concerned (`Machine.with_rows`).  No result depends on other rows, so both have the bits of the CPU.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from sixvec.arguments import real_array
from sixvec.compiler.runtime.cuda import cupy, device_array, on_device
from sixvec.kernels import Port
from sixvec.kernels.portable import library_of

R = TypeVar("R")


@dataclass(frozen=True)
class Machine:
    """An array library, a way to call compiled functions with its arrays, and how much to do in one call."""

    xp: Any
    run: Callable[[Any], Callable[..., Any]]
    """From a compiled function to a call with arrays of the library."""
    at_once: int
    """Problems times starts in one call: many starts at once where few problems are left; 0 for one start each."""
    compared: int
    """Problems compared with the table of starts at once."""
    ranked: int
    """Problems compared with the pool of starts at once."""
    few: int
    """Problems below which the table is compared in a loop: as one expression it takes three seconds to compile for six
    joints, longer than to compare so few.  Searches without limits always have few problems."""
    keeps_ends: bool
    """Whether ends of unsolved problems are stored, for the reason of the failure."""
    is_device: bool = False

    def array(self, x: Any, port: Port, where: str, why: str = "") -> Any:
        """An argument as an array of the library in double precision, its shape checked."""
        if self.is_device:
            return device_array(x, port, where).astype("float64", copy=False)
        return real_array(f"{where}: {port.name}", x, *port.shape, why=why)

    def host(self, x: Any) -> Any:
        """The same for NumPy; what is not an array of the device stays as it is."""
        return cupy().asnumpy(x) if self.is_device and isinstance(x, cupy().ndarray) else x

    def send(self, x: Any) -> Any:
        """An array of NumPy as one of the library."""
        return self.xp.asarray(x)

    def with_rows(self, result: R, rows: Any, replacement: R) -> R:
        """A result whose fields have, in some rows, the values that the CPU found."""
        for f in fields(replacement):  # type: ignore[arg-type]
            if isinstance(x := getattr(replacement, f.name), np.ndarray):
                getattr(result, f.name)[rows] = self.send(x)
        return result

    def sent(self, result: R) -> R:
        """A result of the CPU with its arrays on this machine."""
        parts = {f.name: getattr(result, f.name) for f in fields(result)}  # type: ignore[arg-type]
        return replace(result, **{k: self.send(x) for k, x in parts.items() if isinstance(x, np.ndarray)})  # type: ignore[type-var]


CPU = Machine(np, lambda function: function, 0, compared=256, ranked=1, few=512, keeps_ends=True)


def device() -> Machine:
    """The current CUDA device."""
    return Machine(
        cupy(), on_device, at_once=2**21, compared=4096, ranked=64, few=0, keeps_ends=False, is_device=True
    )  # fmt: skip


def machine_of(*arrays: Any) -> Machine:
    """The CUDA device if one of the arrays is on it, otherwise the CPU.

    >>> machine_of([0.0, 1.0], None).is_device
    False
    """
    return device() if "cupy" in sys.modules and "cupy" in map(library_of, arrays) else CPU
