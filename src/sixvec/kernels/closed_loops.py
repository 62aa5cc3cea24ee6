"""Dynamics of mechanisms with loops are those of closed ones: at positions where loops are open there is no answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sixvec.algorithms.constraint_terms import row_names
from sixvec.errors import OpenLoop
from sixvec.mechanism.row_rank import gap_limits

if TYPE_CHECKING:
    from sixvec.kernels.store import Kernels

OF_CLOSED_LOOPS = frozenset({
    "constrained_dynamics", "constrained_dynamics_derivatives", "forward_dynamics", "forward_dynamics_derivatives",
    "hybrid_dynamics",
})  # fmt: skip
"""Algorithms whose results are accelerations under the forces of the loops."""


def require_closed_loops(kernels: Kernels, name: str, q: Any, options: Mapping[str, Any]) -> bool:
    """Whether the loops were checked; an error that names the largest gap if one is open.

    Arrays of other libraries are not checked: their values may be unknown.
    """
    model = kernels.model
    if not model.closures or name not in OF_CLOSED_LOOPS or options.get("stabilisation"):
        return False
    if not isinstance(q, np.ndarray | list | tuple):
        return False
    error = np.abs(np.asarray(kernels.get("closure_error").call(np.asarray(q, float)), float))
    over = error / gap_limits(model)
    if not (over > 1.0).any():
        return True
    at = np.unravel_index(np.nanargmax(over), over.shape)
    which = f" of sample {at[:-1] if len(at) > 2 else at[0]}" if len(at) > 1 else ""
    raise OpenLoop(
        f"{name}: {row_names(model)[at[-1]]}{which} is open by {error[at]:.3g} m or rad; robot.assemble(q) closes the "
        "loops, and stabilisation=(alpha, beta) of forward_dynamics and constrained_dynamics draws them together"
    )
