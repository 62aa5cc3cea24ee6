"""Rollouts of wheels with limited friction: they roll within the limit and slip beyond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.integrate import integrate
from sixvec.algorithms.inverse_dynamics import inverse_dynamics
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.factorization import Factors
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.arguments import positive_number, real_array, real_number
from sixvec.constraints.contacts.impulse_search import impulse_stages
from sixvec.constraints.contacts.row_terms import WIDTH, Kind, without_energy
from sixvec.errors import ArgumentError
from sixvec.kernels import Iterated, Port, Stage, Staged
from sixvec.kernels.any_arrays import any_arrays_same_dtype
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.held_frame import Rolling, RollingFrame
from sixvec.model.require import require_model
from sixvec.model.spanning_tree import require_tree, without_rolling
from sixvec.robot import Robot
from sixvec.scalar import Scalar
from sixvec.sim.step_options import Trajectory
from sixvec.spatial.linear import dot
from sixvec.spatial.norm import largest_size
from sixvec.tolerances import ROUNDING
from sixvec.verdict import Verdict

TOLERANCE = 1e-6
"""The violation of Coulomb's law at which a step is solved, relative to the slip before its impulses; 1e-9 is usual."""


SOUGHT = 1e-12
"""The violation at which the search for impulses ends, relative to the same: wheels that grip do not creep."""


@dataclass(frozen=True, eq=False, repr=False)
class SlippingTrajectory(Trajectory):
    """Positions and velocities after each step, and how well the forces of the ground satisfy Coulomb's law."""

    residual: Any = None
    """The largest violation (..., steps) as a velocity of a wheel, m/s."""
    force: Any = None
    """Mean forces of the ground on the wheels in each step, along their directions (..., steps, rows), in N."""
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
    First order in dt; the ground never adds energy.  The solver is that of contacts
    (`sixvec.constraints.contacts.contact_impulses`); the forces satisfy the law to `TOLERANCE` of the
    slip that they prevent, or the step's verdict is NOT_CONVERGED.

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
    model = without_rolling(require_model(robot, "slipping_rollout"))
    require_tree(model, "slipping_rollout")
    holds = held_frames(model, robot.rolling if hold is None else hold)
    if not isinstance(friction, Mapping):
        raise ArgumentError(f"slipping_rollout: friction must be a dictionary from wheel to force, not {friction!r}")
    if not holds:
        raise ArgumentError(f"slipping_rollout: {robot.name} has no wheels that roll; give them by hold=")
    limits = []
    for h in holds:
        if not isinstance(h, RollingFrame) or "normal" in h.directions:
            raise ArgumentError(f'slipping_rollout: "{h.frame}" must be a wheel that rolls, along the ground alone')
        if (
            h.frame not in friction
            or not (force := real_number(f"friction[{h.frame!r}]", friction[h.frame], "N")) >= 0.0
        ):
            raise ArgumentError(f'slipping_rollout: friction needs a force for "{h.frame}", zero or more, in N')
        if len(h.directions) > 2:
            raise ArgumentError(f'slipping_rollout: "{h.frame}" has {len(h.directions)} directions; the ground has two')
        limits.append(force)
    positive_number("dt", dt, "seconds")
    forces = real_array("tau", tau, "steps", robot.nv)
    wheels = tuple(h for h in holds if isinstance(h, RollingFrame))
    kinds = _kinds(wheels)
    loop = Iterated(_step(model, wheels), forces.shape[-2], 3, 1, name="slipping_rollout")
    inputs = [*map(np.asarray, (q, v)), np.zeros(_rows(kinds), forces.dtype), np.asarray(dt), np.array(limits), forces]
    positions, velocities, ground, accepted, residual = loop.call(*inputs)[3:]
    verdict = np.where(residual <= accepted, Verdict.SOLVED, Verdict.NOT_CONVERGED)
    finite = np.isfinite(velocities).all(axis=-1)
    verdict = np.where(finite, verdict, Verdict.INVALID).astype(np.int8)
    return SlippingTrajectory(positions, velocities, residual=residual, verdict=verdict, force=ground)


def _kinds(wheels: Sequence[RollingFrame]) -> tuple[Kind, ...]:
    return tuple("disc" if len(w.directions) == 2 else "friction" for w in wheels)


def _rows(kinds: Sequence[Kind]) -> int:
    return sum(WIDTH[k] for k in kinds)


@lru_cache(32)
def _step(robot: Model, wheels: tuple[RollingFrame, ...]) -> Staged:
    """One step as stages: the problem of the wheels' impulses, its solution, and the resulting motion."""
    model, kinds = canonical(robot), _kinds(wheels)
    m = _rows(kinds)

    def wheel_terms(q: Any, v: Any, dt: Scalar, grip: Sequence[Scalar], tau: Any) -> Any:
        at, moving = JointVector(q, model.q_slices), JointVector(v, model.v_slices)
        bias = inverse_dynamics(model, at, moving, JointVector([0.0] * model.nv, model.v_slices))
        M = Factors(mass_matrix(model, at), tree_order(model))
        A = constraint_jacobian(model, at, hold=wheels)
        y = M.half([(t - b) * dt for t, b in zip(tau, bias, strict=True)])
        Z = [M.half(row) for row in A]
        G = [[M.weighted(z, w) for w in Z] for z in Z]
        slip = [M.weighted(z, y) + dot(row, v) for z, row in zip(Z, A, strict=True)]
        free = [a + b for a, b in zip(v, M.rest(y), strict=True)]
        solving = (G, slip, [f * dt for f in grip], SOUGHT)
        return free, [M.rest(z) for z in Z], *solving, TOLERANCE * largest_size(slip) + ROUNDING

    def wheel_motion(q: Any, dt: Scalar, free: Any, response: Any, slip: Any, impulse: Any, rates: Any) -> Any:
        p = without_energy(impulse, [u - b for u, b in zip(rates, slip, strict=True)], slip)
        fast = [x + sum((r[i] * k for r, k in zip(response, p, strict=True)), 0.0) for i, x in enumerate(free)]
        end = list(integrate(model, JointVector(q, model.q_slices), [x * dt for x in fast]))
        return end, fast, p, end, fast, [x / dt for x in p]

    state = (Port("q", (model.nq,)), Port("v", (model.nv,)), Port("p", (m,)))
    forces = (Port("dt", ()), Port("grip", (len(wheels),)), Port("tau", (model.nv,)))
    terms = (
        Port("free", (model.nv,)), Port("response", (m, model.nv)), Port("G", (m, m)), Port("b", (m,)),
        Port("limits", (len(wheels),)), Port("tolerance", ()), Port("accepted", ()),
    )  # fmt: skip
    identity = f"{robot.fingerprint} slipping_rollout {wheels}"
    first = CompiledFunction(wheel_terms, (*state[:2], *forces), terms, f"{identity} terms")
    found = (Port("impulse", (m,)), Port("velocity", (m,)))
    moving = (state[0], forces[0], terms[0], terms[1], terms[3], *found)
    ends = (*state, Port("q_step", (model.nq,)), Port("v_step", (model.nv,)), Port("force", (m,)))
    last = CompiledFunction(wheel_motion, moving, ends, f"{identity} motion")
    for function in (first, last):
        function.needs_double = True
    after = ("q_next", "v_next", "p_next", "q_step", "v_step", "force")
    stages = [
        Stage(first, ("q", "v", *(p.name for p in forces)), tuple(p.name for p in terms)),
        *impulse_stages(kinds),
        Stage(last, tuple(p.name for p in moving), after),
    ]
    outputs = (
        Port("q_next", (model.nq,)), Port("v_next", (model.nv,)), Port("p_next", (m,)), *ends[3:], terms[-1],
        Port("residual", ()),
    )  # fmt: skip
    return Staged("slipping_rollout", (*state, *forces), outputs, stages)
