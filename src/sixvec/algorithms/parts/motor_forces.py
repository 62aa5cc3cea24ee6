"""Joint forces of a mechanism with loops, moved to the joints that have a motor.  No kernel lives here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.proximal import proximal_solution
from sixvec.model import Model
from sixvec.model.actuation import has_motor


def motor_forces(model: Model, q: JointVector, tau: Sequence[Any]) -> list[Any]:
    """tau - Aᵀ λ, with the forces λ of least norm in the loops that leave the joints without motor free of force.

    The rows of A are those of `closure_jacobian`; what the loops forbid does no work, so the motion is the same
    (Bruyninckx §5.5.4, by duality).  Where a motion needs a force at a passive joint that the loops cannot give, as at
    the root of a robot that floats, it stays there.
    """
    from sixvec.algorithms.closure_jacobian import closure_jacobian

    passive = [i for b in model.moving if not has_motor(b) for i in range(model.nv)[model.v_slices[b.name]]]
    A = closure_jacobian(model, q)
    columns = [[row[i] for row in A] for i in passive]
    N = [[_dot(columns[i], columns[j]) for j in range(i + 1)] for i in range(len(passive))]
    x = proximal_solution(N, [tau[i] for i in passive])
    force = [sum((c[k] * y for c, y in zip(columns, x, strict=True)), 0.0) for k in range(len(A))]
    return [t - _dot([row[i] for row in A], force) for i, t in enumerate(tau)]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)
