"""Dynamics of mechanisms with loops hold where the loops are closed; elsewhere there is no solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.algorithms.closure_error import closure_error
from sixvec.algorithms.constraint_terms import row_names
from sixvec.compiler.call import Compiled
from sixvec.compiler.program import Port
from sixvec.errors import OpenLoop
from sixvec.kernels.function import CompiledFunction
from sixvec.mechanism.row_rank import gap_limits
from sixvec.model import Closure, Model
from sixvec.model.canonical import canonical
from sixvec.scalar import where

if TYPE_CHECKING:
    from sixvec.kernels.store import Kernels

OF_CLOSED_LOOPS = frozenset({
    "constrained_dynamics", "constrained_dynamics_derivatives", "forward_dynamics", "forward_dynamics_derivatives",
    "forward_dynamics_second_derivatives", "hybrid_dynamics", "inverse_force", "load_capacity", "natural_frequencies",
})  # fmt: skip
"""Whatever is about forces of the loops, or accelerations under them."""


@lru_cache(maxsize=64)
def largest_gap(model: Model) -> CompiledFunction:
    """The largest error of the loops at q, in units of what counts as closed."""
    tree, limits = canonical(model), _limits(model).tolist()

    def run(q: Any) -> Any:
        largest: Any = 0.0
        for e, limit in zip(closure_error(tree, q), limits, strict=True):
            size = abs(e) * (1.0 / limit)
            largest = where(size > largest, size, largest)
        return largest

    ports = (Port("q", (model.nq,)),), (Port("gap", ()),)
    return CompiledFunction(run, *ports, f"{model.fingerprint} largest gap {limits}")


def _limits(model: Model) -> Any:
    """Infinite for gears and differentials: their rows do not depend on the position."""
    is_law = [not isinstance(c, Closure) for c in model.closures for _ in range(c.constraints)]
    return np.where(is_law, np.inf, gap_limits(model))


class OfClosedLoops(Compiled):
    """A kernel that holds where the loops are closed, with q as its first input: call stubs take its shortcut.

    That calls the gap and the kernel in machine code; where a loop is open it leaves the call to the whole path, which
    raises the error.
    """

    needs_python = True

    def __init__(self, kernel: Compiled, model: Model) -> None:
        self.name, self.inputs, self.outputs, self.result_type = (
            kernel.name,
            kernel.inputs,
            kernel.outputs,
            kernel.result_type,
        )
        self._run, self._gap = kernel, largest_gap(model)

    def shortcut(self, arrays: Sequence[Any]) -> Callable[[tuple[Any, ...]], Any] | None:
        run, gap = self._run._call_stub, self._gap._call_stub
        if run is None or gap is None or not _are_arrays(arrays):
            return None

        def call(arrays: tuple[Any, ...]) -> Any:
            if not _are_arrays(arrays):
                return None
            size = gap(arrays[0])
            if type(size) is not np.float64:
                size = np.fmax.reduce(size, axis=None, initial=0.0)
            return None if size > 1.0 else run(*arrays)

        return call


def _are_arrays(arrays: Sequence[Any]) -> bool:
    return all(type(x) is np.ndarray for x in arrays)


def require_closed_loops(kernels: Kernels, name: str, q: Any, options: Mapping[str, Any]) -> bool:
    """Whether the loops were checked; an error that names the largest gap if one is open.

    Arrays of other libraries are not checked: their values may be unknown.
    """
    model = kernels.model
    if not model.closures or name not in OF_CLOSED_LOOPS or options.get("stabilisation"):
        return False
    if not isinstance(q, np.ndarray | list | tuple):
        return False
    gap = np.asarray(largest_gap(model).call(q))
    if not gap.size or not np.fmax.reduce(gap, axis=None) > 1.0:
        return True
    at = np.unravel_index(np.nanargmax(gap), gap.shape)
    error = np.abs(np.asarray(kernels.get("closure_error").call(np.asarray(q, float)), float))[at]
    row = int((error / _limits(model)).argmax())
    which = f" of sample {at[0] if len(at) == 1 else at}" if at else ""
    raise OpenLoop(
        f"{name}: {row_names(model)[row]}{which} is open by {error[row]:.3g} m or rad; robot.assemble(q) closes the "
        "loops, and stabilisation=(alpha, beta) of forward_dynamics and constrained_dynamics draws them together"
    )
