"""Machine code of kernels against their equations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from sixvec.analysis.verify.check import Identity, Sides, Subject, row_sizes, size
from sixvec.analysis.verify.equations import Evaluation
from sixvec.analysis.verify.identities import ROUND_OFF
from sixvec.analysis.verify.state import Array
from sixvec.compiler import cache as disk
from sixvec.compiler.bytecode import Bytecode, encode
from sixvec.compiler.bytecode_first import loaded
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.fingerprint import code_key
from sixvec.compiler.lower import lowered
from sixvec.compiler.memory import address, pointers
from sixvec.compiler.runtime.functions import ONE
from sixvec.errors import SixvecError
from sixvec.kernels.kernel import Kernel

ALWAYS = ("mass_matrix", "inverse_dynamics", "forward_dynamics")
"""Kernels that are compared in any case; others if this process has compiled them."""

SOLVING = ("forward_dynamics", "mass_matrix_inverse", "forward_dynamics_derivatives")
"""Kernels that solve a system with the mass matrix."""

SHORT = 1500
"""Operations that LLVM compiles in about a tenth of a second.  Longer programs run as bytecode."""

FEW = 3
"""Samples on which bytecode runs."""

LANES = Lanes(1, "float64")

BYTECODE = "as bytecode: machine code is not compiled yet"

Results = tuple[Array, ...]
Way = Callable[[Evaluation], tuple[Results, Results]]


def comparisons(evaluations: dict[str, Evaluation], problems: dict[str, SixvecError]) -> Iterator[tuple[Identity, str]]:
    """Identities between machine code and the equations, for kernels that are compiled or short; each with a note."""
    for name, each in evaluations.items():
        ways, note = _ways(name, each)
        if ways:
            yield _identity(name, partial(_sides, each, ways)), note
    for name in ALWAYS:
        if name in problems and name not in evaluations:
            yield _identity(name, partial(_failed, problems[name])), ""


def _ways(name: str, each: Evaluation) -> tuple[Sequence[Way], str]:
    """The code to run: what this process has loaded; otherwise what is stored or short; otherwise bytecode."""
    executable = each.kernel.executable("float64")
    ways = [by_batch] * executable.is_loaded_for_batches + [by_one] * executable.is_loaded_for_one
    if ways or name not in ALWAYS:
        return ways, ""
    if executable.is_stored_for_batches or _is_short(each.kernel):
        return [by_batch], ""
    return [by_bytecode], BYTECODE


def _is_short(kernel: Kernel) -> bool:
    return disk.read(_key(kernel)) is None and len(kernel.program.nodes) <= SHORT


def _key(kernel: Kernel) -> str:
    return code_key(f"{kernel.identity} bytecode", LANES)


def _bytecode(kernel: Kernel) -> Bytecode:
    """The bytecode of a kernel for one sample, from disk or made now: tracing takes longer than running it."""
    if (stored := disk.read(_key(kernel))) is not None:
        return Bytecode.from_bytes(stored, LANES)
    bytecode = encode(lowered(kernel.program, LANES.dtype), LANES)
    disk.write(_key(kernel), bytecode.as_bytes())
    return bytecode


def _identity(name: str, sides: Callable[[Subject], Sides]) -> Identity:
    cancels = name == "forward_dynamics"
    return Identity(f"machine code of {name}", "equals the equations", ROUND_OFF, sides, name in SOLVING, cancels)


def _sides(each: Evaluation, ways: Sequence[Way], _: Subject) -> Sides:
    left, right = [], []
    for way in ways:
        for k, (actual, expected) in enumerate(zip(*way(each), strict=True)):
            scale = _scale(each.results[k], solved=each.kernel.name in SOLVING)
            left.append(np.ravel(actual / scale))
            right.append(np.ravel(expected / scale))
    return Sides(np.concatenate(left), np.concatenate(right), 1.0)


def _scale(result: Array, solved: bool) -> Any:
    """The size of a result: for each of its rows, unless rounding in one row of a system reaches the others."""
    scale = np.asarray(size(result)) if solved or result.ndim == 1 else row_sizes(result, 1)[0]
    return np.where(scale > 0.0, scale, 1.0)


def _failed(problem: SixvecError, _: Subject) -> Sides:
    raise problem


def by_batch(each: Evaluation) -> tuple[Results, Results]:
    """Machine code for batches, and the equations."""
    twice = len(each.inputs[0]) == 1  # one sample would run the code for single ones
    inputs, expected = (
        [np.repeat(x, 2, axis=0) if twice else x for x in arrays] for arrays in (each.inputs, each.results)
    )
    return _called(each, inputs), tuple(expected)


def by_one(each: Evaluation) -> tuple[Results, Results]:
    """Machine code for single samples, and the equations."""
    return _called(each, [x[0] for x in each.inputs]), tuple(x[0] for x in each.results)


def by_bytecode(each: Evaluation) -> tuple[Results, Results]:
    """The lowered program as bytecode, on few samples, and the equations."""
    code = loaded(_bytecode(each.kernel), LANES)
    inputs = [np.ascontiguousarray(x[:FEW], float) for x in each.inputs]
    expected = tuple(x[:FEW] for x in each.results)
    results = tuple(np.empty_like(x) for x in expected)
    parameters = [np.ascontiguousarray(x, float) for x in each.parameters]
    for k in range(len(inputs[0])):
        inputs_of_row, written = [*(x[k] for x in inputs), *parameters], [x[k : k + 1] for x in results]
        ONE(code.address)(*(pointers(map(address, arrays)) for arrays in (inputs_of_row, written)))
    return results, expected


def _called(each: Evaluation, inputs: Sequence[Array]) -> Results:
    result: Any = each.kernel(*inputs, *each.parameters)
    return (result,) if each.kernel.result_type is None else tuple(result)
