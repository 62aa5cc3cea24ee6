"""The ways to run a kernel, behind one call, so that every law can be held against each of them."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixvec import Robot
from sixvec.algorithms import REGISTRY
from sixvec.compiler.interpret import interpret
from sixvec.kernels.derivative import named_tuple
from sixvec.kernels.kernel import Kernel

Arrays = Sequence[np.ndarray]


def by_interpreter(kernel: Kernel, arrays: Arrays) -> Arrays:
    """The reference: what the program means."""
    return interpret(kernel.program, {p.name: x for p, x in zip(kernel.inputs, arrays, strict=True)})


def by_single_calls(kernel: Kernel, arrays: Arrays) -> Arrays:
    """The scalar machine code, a sample at a time."""
    rows = [kernel(*(np.ascontiguousarray(x[i]) for x in arrays)) for i in range(len(arrays[0]))]
    return [np.array(column) for column in zip(*(_parts(kernel, row) for row in rows), strict=True)]


def by_batch(kernel: Kernel, arrays: Arrays) -> Arrays:
    """The SIMD machine code, all samples at once."""
    return _parts(kernel, kernel(*arrays))


def by_c(kernel: Kernel, arrays: Arrays) -> Arrays:
    """The emitted C, compiled by the machine's own compiler."""
    function = compiled_c(kernel.source("c", name=kernel.name), kernel.name)
    rows = [np.ascontiguousarray(x, np.float64) for x in arrays]
    outputs = [np.full((len(rows[0]), *p.shape), np.nan) for p in kernel.outputs]
    for i in range(len(rows[0])):
        function(*(ctypes.c_void_p(x[i : i + 1].ctypes.data) for x in (*rows, *outputs) if x.size))
    return outputs


TARGETS: dict[str, Callable[[Kernel, Arrays], Arrays]] = {
    "interpreter": by_interpreter,
    "scalar": by_single_calls,
    "simd": by_batch,
    "c": by_c,
}


class OnTarget:
    """A robot whose algorithms run on one target: `robot.mass_matrix(q)` and so on, with batches (n, ...)."""

    def __init__(self, robot: Robot, target: str) -> None:
        self.robot, self.target = robot, target

    def __getattr__(self, name: str) -> Any:
        return partial(self._run, name) if name in REGISTRY else getattr(self.robot, name)

    def with_gravity(self, gravity: Sequence[float]) -> OnTarget:
        return OnTarget(self.robot.with_gravity(gravity), self.target)

    def _run(self, name: str, *args: Any, external: dict[str, np.ndarray] | None = None, **options: Any) -> Any:
        algorithm, wrenches = REGISTRY[name], external or {}
        arrays = args[: len(algorithm.arrays)]
        options |= dict(zip(algorithm.options, args[len(arrays) :], strict=False))
        kernel = self.robot.kernel(name, external=tuple(wrenches), **options)
        results = TARGETS[self.target](kernel, [*arrays, *wrenches.values()])
        return results[0] if len(results) == 1 else named_tuple(algorithm.name, algorithm.outputs)(*results)


@cache
def compiled_c(source: str, name: str) -> Any:
    """The function `name` of a C source; workers of one test run share the libraries on disk."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    folder = Path(os.environ["SIXVEC_CACHE_DIR"]) / "c"
    folder.mkdir(exist_ok=True)
    library = folder / f"{hashlib.sha256(source.encode()).hexdigest()}.so"
    if not library.exists():
        made = library.with_suffix(f".{os.getpid()}")
        flags = ["-std=c99", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-x", "c", "-"]
        subprocess.run([compiler, *flags, "-o", str(made), "-lm"], input=source, text=True, check=True)
        made.replace(library)
    function = getattr(ctypes.CDLL(str(library)), name)
    function.restype = None
    return function


def _parts(kernel: Kernel, result: Any) -> Arrays:
    return [result] if len(kernel.outputs) == 1 else list(result)
