"""Positions at which every loop is closed and every held frame is in its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.closure_error import closure_error
from sixvec.algorithms.constraint_terms import constraint_jacobian
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.integrate import integrate
from sixvec.algorithms.parts.held_frames import Held, RollingFrame, held_frames, is_of_world, is_turn
from sixvec.algorithms.parts.proximal import proximal_solution
from sixvec.algorithms.parts.reference import world_pose
from sixvec.compiler.iteration import Iterated
from sixvec.compiler.program import Port
from sixvec.errors import ArgumentError, ShapeError, unknown
from sixvec.kernels.function import CompiledFunction
from sixvec.model import Closure, Model
from sixvec.model.canonical import canonical
from sixvec.model.joints import Cylindrical, Helical, Planar, Revolute
from sixvec.model.unit_quaternions import has_unit_quaternions
from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, so3
from sixvec.verdict import Verdict

if TYPE_CHECKING:
    from sixvec.robot import Robot

CLOSED = 1e-12
"""Largest error, in metres or radians, of constraints that count as met."""

STEPS = 60
AGAIN = (0.01, 0.1, 0.3, 0.3, 1.0, 1.0)
"""Standard deviations, in radians or metres, of steps to further starts for what the first leaves open."""

LONGEST_STEP = 0.5
"""No coordinate moves further in one step, so that a start near a singular position is not thrown far away."""

AXIS_OF: dict[type[Any], Any] = {
    Cylindrical: lambda j: j.axis, Helical: lambda j: j.axis, Planar: lambda j: j.normal, Revolute: lambda j: j.axis
}  # fmt: skip
"""Joints that keep an axis of one frame on that of the other."""


@dataclass(frozen=True)
class Assembly:
    """Positions (..., nq), what is left of the errors (...,) in m or rad, and whether the constraints are met."""

    q: NDArray[np.float64]
    residual: NDArray[np.float64]
    verdict: NDArray[np.int8]

    def __bool__(self) -> bool:
        return bool((self.verdict == Verdict.SOLVED).all())

    def __repr__(self) -> str:
        solved = int((self.verdict == Verdict.SOLVED).sum())
        return f"<Assembly: {solved} of {self.verdict.size} closed>"


def assemble(
    robot: Robot,
    q: ArrayLike,
    fixed: Sequence[str] = (),
    hold: Mapping[Any, Any] | None = None,
    *,
    tolerance: float = CLOSED,
) -> Assembly:
    """The positions near q (..., nq) at which all loops are closed and the frames in `hold` are where they are at q.

    Joints in `fixed` keep their positions.  Newton's method with the shortest step in joint coordinates, in one
    compiled loop: rows may depend on each other, and of several assemblies it finds one near the start.  Where that
    leads nowhere, from bars in line for instance, starts around it are tried.

    >>> import sixvec
    >>> bars = sixvec.load("four_bar")
    >>> answer = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"])
    >>> answer, float(answer.q[0]), bool(abs(bars.closure_error(answer.q)).max() < 1e-12)
    (<Assembly: 1 of 1 closed>, 0.7, True)
    """
    start = np.asarray(q, float)
    held = held_frames(robot.model, hold)
    if rolling := [h.frame for h in held if isinstance(h, RollingFrame)]:
        raise ArgumentError(f'assemble: "{rolling[0]}" rolls, which restricts velocities and no position')
    if not (isinstance(tolerance, int | float) and tolerance > 0.0):
        raise ArgumentError(f"assemble: tolerance must be a positive number, not {tolerance!r}")
    if start.shape[-1:] != (robot.nq,):
        raise ShapeError(f"assemble: q has shape {start.shape}, but (..., {robot.nq}) is needed")
    free, batch = _columns(robot, fixed), start.shape[:-1]
    start = start.reshape(-1, start.shape[-1])
    targets = [_relative(robot, start, h) for h in held]
    loop = Iterated(_step(robot.model, free, held), STEPS, carried=2, until=True, name="assemble")
    valid = np.isfinite(start).all(axis=-1) & has_unit_quaternions(robot.model, start)

    def attempt(q: NDArray[np.float64], aims: list[NDArray[np.float64]]) -> tuple[Any, Any]:
        reached, left = loop.call(q, np.zeros(len(q)), np.float64(tolerance), *aims)
        lost = ~np.isfinite(reached).all(axis=-1)
        reached[lost] = q[lost]
        against = np.where(_axes_agree(robot, reached), 0.0, np.pi)
        return reached, np.where(lost, np.inf, np.maximum(left, against))

    found, residual = attempt(start, targets)
    for nudge in _nudges(robot, free):
        stuck = np.flatnonzero(valid & ~(residual <= tolerance))
        if not stuck.size:
            break
        near = np.asarray(robot.integrate(start[stuck], nudge), np.float64)
        again, left = attempt(near, [X[stuck] for X in targets])
        better = left < residual[stuck]
        found[stuck[better]], residual[stuck[better]] = again[better], left[better]
    failed = np.where(valid, Verdict.UNREACHABLE, Verdict.INVALID)
    verdict = np.where((residual <= tolerance) & valid, Verdict.SOLVED, failed).astype(np.int8)
    return Assembly(found.reshape(*batch, -1), residual.reshape(batch), verdict.reshape(batch))


def _axes_agree(robot: Robot, q: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether no closure holds two axes in line that point against each other, which its joint could not reach."""
    agree = np.ones(len(q), bool)
    for c in robot.model.closures:
        if isinstance(c, Closure) and type(c.joint) in AXIS_OF:
            u = np.array([*AXIS_OF[type(c.joint)](c.joint)], float)
            R, S = (np.asarray(robot.pose(q, frame), float)[:, :3, :3] @ u for frame in (c.first, c.second))
            agree &= ~((R * S).sum(axis=-1) < 0.0)
    return agree


def _nudges(robot: Robot, free: tuple[int, ...]) -> Iterator[NDArray[np.float64]]:
    """Steps to other starts, where the given one leads nowhere: bars in line show no direction to bend."""
    rng = np.random.default_rng(0)
    for size in AGAIN:
        nudge = np.zeros(robot.nv)
        nudge[list(free)] = rng.normal(0.0, size, len(free))
        yield nudge


def _columns(robot: Robot, fixed: Sequence[str]) -> tuple[int, ...]:
    """The coordinates of v that may move."""
    if isinstance(fixed, str):
        raise ArgumentError(f'fixed="{fixed}" is one name; write a list: ["{fixed}"]')
    slices = {b.joint_name or b.name: robot.model.v_slices[b.name] for b in robot.model.moving}
    for name in fixed:
        if name not in slices:
            raise ArgumentError(unknown("joint", name, slices, robot.name))
    kept = {i for name in fixed for i in range(robot.nv)[slices[name]]}
    return tuple(i for i in range(robot.nv) if i not in kept)


def _relative(robot: Robot, q: NDArray[np.float64], held: Held) -> NDArray[np.float64]:
    """The pose of a held frame, in the world or in the frame that it is held to."""
    X = np.asarray(robot.pose(q, held.frame), float)
    return X if held.to is None else np.linalg.inv(np.asarray(robot.pose(q, held.to), float)) @ X


@lru_cache(maxsize=64)
def _step(model: Model, free: tuple[int, ...], hold: tuple[Held, ...]) -> CompiledFunction:
    """(q, residual; tolerance, *targets) to the next, and whether to go on."""
    robot = canonical(model)

    def step(q: Any, residual: Scalar, tolerance: Scalar, *targets: Any) -> Any:
        position = JointVector(q, robot.q_slices)
        errors = list(closure_error(robot, q))
        for h, X in zip(hold, targets, strict=True):
            errors += _errors(robot, position, h, Pose.from_matrix(X))
        A = [[row[i] for i in free] for row in constraint_jacobian(robot, q, hold=hold)]
        G = [[sum((x * y for x, y in zip(r, s, strict=True)), 0.0) for s in A[: i + 1]] for i, r in enumerate(A)]
        force = proximal_solution(G, errors)
        v: list[Scalar] = [0.0] * robot.nv
        longest: Scalar = LONGEST_STEP
        for k, i in enumerate(free):
            v[i] = -sum((row[k] * f for row, f in zip(A, force, strict=True)), 0.0)
            longest = _largest(longest, v[i])
        size: Scalar = 0.0
        for e in errors:
            size = _largest(size, e)
        go = where(size > tolerance, 1.0, 0.0)
        moved = integrate(robot, q, [x * (LONGEST_STEP / longest) for x in v])
        return [where(size > tolerance, new, old) for new, old in zip(moved, q, strict=True)], size, go

    state = (Port("q", (model.nq,)), Port("residual", ()))
    targets = tuple(Port(f"target[{h.names[0]}]", (4, 4)) for h in hold)
    identity = f"{model.fingerprint} assemble {free} {hold}"
    return CompiledFunction(step, (*state, Port("tolerance", ()), *targets), (*state, Port("go", ())), identity)


def _largest(a: Scalar, b: Scalar) -> Scalar:
    size = where(b < 0.0, -b, b)
    return where(size > a, size, a)


def _errors(model: Model, q: JointVector, held: Held, X_target: Pose) -> list[Scalar]:
    """How far a frame is from its place, along the directions in which it is held."""
    X = world_pose(model, q, model.frame(held.frame))
    if held.to is not None:
        X = world_pose(model, q, model.frame(held.to)).inv() @ X
    apart = X_target.inv() @ X
    turned, moved = X_target.rot @ so3.log(apart.rot), X.pos - X_target.pos
    own = {True: X.rot.inv() @ turned, False: X.rot.inv() @ moved}
    world = {True: turned, False: moved}
    axis = dict(zip("xyz", range(3), strict=True))
    return [[*(world if is_of_world(d) else own)[is_turn(d)]][axis[d[-1]]] for d in held.directions]
