"""Rollouts of wheels with limited friction: they roll within the limit and slip beyond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.integrate import integrate
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Factors
from sixvec.algorithms.parts.held_frames import Rolling, RollingFrame, held_frames
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.arguments import positive_number, real_array, real_number
from sixvec.errors import ArgumentError
from sixvec.kernels import Iterated, Port
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.function import CompiledFunction
from sixvec.mobile.limited_impulses import limited_impulses
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.require import require_model
from sixvec.model.spanning_tree import require_tree
from sixvec.robot import Robot
from sixvec.scalar import Scalar
from sixvec.sim.step_options import Trajectory
from sixvec.spatial.linear import dot
from sixvec.spatial.norm import largest_size
from sixvec.verdict import Verdict

TOLERANCE = 1e-6
"""The violation of Coulomb's law at which a step is solved, relative to the slip before its impulses; 1e-9 is usual."""

NOTHING = 1e-12
"""In m/s: smaller violations are rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class SlippingTrajectory(Trajectory):
    """Positions and velocities after each step, and how well the forces of the ground satisfy Coulomb's law."""

    residual: Any = None
    """The largest violation (..., steps) as a velocity of a wheel, m/s."""
    verdict: Any = None
    """SOLVED, NOT_CONVERGED (beyond `TOLERANCE`), or INVALID if the step is not finite (..., steps)."""

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())


@any_arrays_same_dtype
def slipping_rollout(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    dt: float,
    friction: Mapping[str, float],
    hold: Mapping[str, Rolling] | None = None,
) -> SlippingTrajectory:
    """Simulate from (q, v) under joint forces tau (..., steps, nv), with a largest force (N) on each wheel.

    `friction` has a number for each wheel: its coefficient of friction times its load.  The wheels are those of the
    robot, or the frames of `hold`, as in `rollout`.  Each step of the velocity is that with rolling wheels if all
    forces are within the limits; otherwise the force of a wheel is the largest, opposite to its slip (Coulomb, Moreau).
    First order in dt; the ground never adds energy.  The forces satisfy this law to `TOLERANCE` of the slip that they
    prevent, or the step's verdict is NOT_CONVERGED: `sixvec.mobile.limited_impulses`.

    >>> import numpy, sixvec
    >>> from sixvec.mobile import slipping_rollout
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> body = RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.5, 0.8))
    >>> base = sixvec.mobile.wheeled_robot(sixvec.mobile.differential_drive(0.5, 0.1), body, 1.0)
    >>> tau = numpy.tile([0.0, 0.0, 0.0, 9.0, 9.0], (100, 1))  # far more than 11 N at each rim
    >>> grip = {"left": 11.0, "right": 11.0}
    >>> path = slipping_rollout(base, numpy.zeros(5), numpy.zeros(5), tau, 0.01, grip)
    >>> path.v[-1, 0].round(6)  # 22 N on 22 kg for a second
    np.float64(1.0)
    """
    require_tree(require_model(robot, "slipping_rollout"), "slipping_rollout")
    held = held_frames(robot.model, robot.rolling if hold is None else hold)
    if not isinstance(friction, Mapping):
        raise ArgumentError(f"slipping_rollout: friction must be a dictionary from wheel to force, not {friction!r}")
    if not held:
        raise ArgumentError(f"slipping_rollout: {robot.name} has no wheels that roll; give them by hold=")
    limits = []
    for h in held:
        if not isinstance(h, RollingFrame) or "normal" in h.directions:
            raise ArgumentError(f'slipping_rollout: "{h.frame}" must be a wheel that rolls, along the ground alone')
        if (
            h.frame not in friction
            or not (force := real_number(f"friction[{h.frame!r}]", friction[h.frame], "N")) >= 0.0
        ):
            raise ArgumentError(f'slipping_rollout: friction needs a force for "{h.frame}", zero or more, in N')
        limits.append(force)
    positive_number("dt", dt, "seconds")
    forces = real_array("tau", tau, "steps", robot.nv)
    wheels = tuple(h for h in held if isinstance(h, RollingFrame))
    loop = Iterated(_step(robot.model, wheels), forces.shape[-2], 2, 1, name="slipping_rollout")
    _, _, positions, velocities, residual, most = loop.call(q, v, dt, np.array(limits), forces)
    verdict = np.where(residual <= most, Verdict.SOLVED, Verdict.NOT_CONVERGED)
    finite = np.isfinite(velocities).all(axis=-1)
    verdict = np.where(finite, verdict, Verdict.INVALID).astype(np.int8)
    return SlippingTrajectory(positions, velocities, residual=residual, verdict=verdict)


@lru_cache(32)
def _step(given: Model, wheels: tuple[RollingFrame, ...]) -> CompiledFunction:
    model = canonical(given)
    starts = np.cumsum([0, *(len(w.directions) for w in wheels)]).tolist()
    blocks = [range(a, b) for a, b in pairwise(starts)]

    def step(q: Any, v: Any, dt: Scalar, limits: Sequence[Scalar], tau: Any) -> Any:
        at, moving = JointVector(q, model.q_slices), JointVector(v, model.v_slices)
        bias = inverse_dynamics(model, at, moving, JointVector([0.0] * model.nv, model.v_slices))
        M = Factors(mass_matrix(model, at), tree_order(model))
        A = constraint_jacobian(model, at, hold=wheels)
        y = M.half([(t - b) * dt for t, b in zip(tau, bias, strict=True)])
        Z = [M.half(row) for row in A]
        G = [[M.weighted(z, w) for w in Z] for z in Z]
        slip = [M.weighted(z, y) + dot(row, v) for z, row in zip(Z, A, strict=True)]
        impulse, residual = limited_impulses(G, slip, blocks, [f * dt for f in limits])
        pushed = [sum((z[i] * p for z, p in zip(Z, impulse, strict=True)), x) for i, x in enumerate(y)]
        fast = [a + b for a, b in zip(v, M.rest(pushed), strict=True)]
        end = list(integrate(model, at, [x * dt for x in fast]))
        return end, fast, end, fast, residual, TOLERANCE * largest_size(slip) + NOTHING

    state = (Port("q", (model.nq,)), Port("v", (model.nv,)))
    inputs = (*state, Port("dt", ()), Port("limits", (len(wheels),)), Port("tau", (model.nv,)))
    identity = f"{given.fingerprint} slipping_rollout {wheels}"
    return CompiledFunction(step, inputs, (*state, *state, Port("residual", ()), Port("most", ())), identity)
