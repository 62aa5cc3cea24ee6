"""The dynamics of a robot near a state, as a linear system: for LQR, observers and stability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.parts.reference import Reference
from sixvec.arguments import Array, positive_number, real_array
from sixvec.arguments.result import Result
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.model import Model
from sixvec.model.require import require_model
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.solve.matrix_exponential import matrix_exponential

if TYPE_CHECKING:
    from sixvec.robot import Robot


@dataclass(frozen=True, eq=False, repr=False)
class Linearization(Result):
    """A (..., 2 nv, 2 nv) and B (..., 2 nv, nv) of  ẋ = A x + B u, or of  x₁ = A x + B u  after a time step.

    x = (δq, δv) and u = δτ are differences from the motion through (q, v) under tau; δq is in tangent coordinates, as
    in `robot.difference(q, q1)`, so free joints need no quaternions.
    """

    A: Array
    B: Array

    def __iter__(self) -> Iterator[Array]:
        """`A, B = robot.linearize(q, v, tau)`."""
        yield from (self.A, self.B)


@any_arrays_same_dtype
def linearize(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: float | None = None,
    *,
    external: Mapping[str, Any] | None = None,
    external_reference: Reference = "local",
    passive: bool = False,
) -> Linearization:
    """How small differences of state and joint forces grow near (q, v, tau), each (..., n).

        δq̇ = δv - [v, δq],   δv̇ = ∂a/∂q δq + ∂a/∂v δv + M⁻¹ δτ

    The bracket is that of joints that turn about more than one axis, and zero at rest.  With `dt` the system is
    discrete: the exact solution after dt seconds with constant δτ, by a matrix exponential.  `external` and `passive`
    are those of `forward_dynamics`.  Robots with loops or wheels that roll raise an error: their states are not free.

    >>> import sixvec
    >>> from sixvec.analysis import linearize
    >>> cart = sixvec.load("cart_pole")
    >>> linearize(cart, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], dt=0.01)
    <Linearization: A (4, 4), B (4, 2)>
    """
    require_unconstrained(require_model(robot, "linearize"), "linearize")
    step = None if dt is None else positive_number("linearize: dt", dt, "seconds")
    options: dict[str, Any] = {"external": external, "external_reference": external_reference, "passive": passive}
    slopes = robot.forward_dynamics_derivatives(q, v, tau, **options)
    rate = np.asarray(real_array("linearize: v", v, robot.nv), float)
    drift = np.broadcast_to(_brackets(robot.model, rate), slopes.dq.shape)
    unit = np.broadcast_to(np.eye(robot.nv), slopes.dq.shape)
    A = np.concatenate([np.concatenate([-drift, unit], -1), np.concatenate([slopes.dq, slopes.dv], -1)], -2)
    B = np.concatenate([np.zeros_like(slopes.dtau), slopes.dtau], -2)
    if step is not None:
        A, B = _after(step, A, B)
    return Linearization(A.astype(slopes.dq.dtype, copy=False), B.astype(slopes.dq.dtype, copy=False))


def _brackets(model: Model, v: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrices (..., nv, nv) of δq ↦ [v, δq], joint by joint."""
    brackets = np.zeros((*v.shape, model.nv))
    for body in model.moving:
        at = model.v_slices[body.name]
        for k in range(body.joint.nv):
            unit = [float(i == k) for i in range(body.joint.nv)]
            column = body.joint.bracket([v[..., i] for i in range(at.start, at.stop)], unit)
            for i, entry in enumerate(column):
                brackets[..., at.start + i, at.start + k] = entry
    return brackets


def _after(dt: float, A: Any, B: Any) -> tuple[Any, Any]:
    """The system after a time step: both matrices from one exponential of ((A, B), (0, 0))."""
    n, m = B.shape[-2:]
    whole = np.zeros((*A.shape[:-2], n + m, n + m))
    whole[..., :n, :n], whole[..., :n, n:] = A, B
    exponential = matrix_exponential(dt * whole)
    return exponential[..., :n, :n], exponential[..., :n, n:]
