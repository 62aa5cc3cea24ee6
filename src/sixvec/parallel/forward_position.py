"""One pose of the platform near a given one, for given actuator positions: a compiled Newton iteration."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, positive_number, whole_number
from sixvec.arguments.result import Result
from sixvec.ik.machine import machine_of
from sixvec.ik.position_solver import SOLVED, searching
from sixvec.kernels import Iterated, Port
from sixvec.kernels.function import CompiledFunction
from sixvec.parallel.dimensions import coordinate_rounding
from sixvec.parallel.leg import Legs
from sixvec.parallel.maps import require_enough_legs, shaped
from sixvec.parallel.mechanism import ParallelRobot
from sixvec.parallel.newton import corrected
from sixvec.parallel.normal_form import Shift
from sixvec.parallel.pivot_spheres import missing, never_closed, spheres
from sixvec.parallel.space import SURELY_RIGID, Space
from sixvec.scalar import Scalar, where
from sixvec.spatial.linear import dot
from sixvec.spatial.norm import largest_size
from sixvec.verdict import Verdict

ITERATIONS = 100
PROGRESS, PATIENCE = 0.9, 12.0
"""A start is abandoned if the squared error has not fallen below this fraction of its least for so many steps."""

LARGEST = 1e150
"""Entries of a start below this have squares that are finite."""


@dataclass(frozen=True, eq=False)
class ForwardPosition(Result):
    """A pose for each sample, and the outcome of the search; true if all were found."""

    pose: Array
    verdict: Array
    """`Verdict` for each sample: unreachable if it is proven that no pose exists; not converged if none was found near
    X0, where `pose` is the last one of the search; contradictory if more legs than freedoms disagree: the pose is the
    one near X0 whose positions are nearest."""
    residual: Array
    """The largest error of a leg, in metres."""
    leg: Array
    """If no pose closes: the leg with the largest error, or that cannot close together with another one; else -1.
    For invalid samples the leg without a length, or -1 if X0 is not finite."""
    other: Array
    """The leg that cannot close together with `leg` in any pose, or -1."""

    @property
    def solved(self) -> Array:
        solved: Any = self.verdict == int(Verdict.SOLVED)
        return np.asarray(solved) if isinstance(solved, np.bool_) else solved

    def __bool__(self) -> bool:
        return bool(self.solved.all())

    def explain(self, index: Any = ()) -> str:
        """One sample's verdict as text."""
        verdict, leg, other = Verdict(int(self.verdict[index])), int(self.leg[index]), int(self.other[index])
        if verdict == Verdict.SOLVED:
            return str(verdict)
        if verdict == Verdict.INVALID and leg < 0:
            return f"{verdict}: X0 is not finite"
        if verdict == Verdict.INVALID:
            return f"{verdict}: leg {leg} has no positive finite length"
        if other >= 0:
            return f"cannot close: legs {leg} and {other} are too different in length for their pivots"
        if verdict == Verdict.CONTRADICTORY:
            miss = f"leg {leg} misses by {float(self.residual[index]):.2g} m"
            return f"{verdict}: no pose near X0 has all these positions; at the nearest {miss}"
        if verdict == Verdict.UNREACHABLE:
            return f"cannot close: no pose has these positions; leg {leg} is furthest from the others"
        return f"{verdict}: no pose was found near X0; leg {leg} misses by {float(self.residual[index]):.2g} m"

    def __repr__(self) -> str:
        if np.ndim(self.verdict) == 0:
            return f"<ForwardPosition {self.explain()}>"
        return f"<ForwardPosition {int(self.solved.sum())} of {math.prod(self.solved.shape)} solved>"


@lru_cache(maxsize=64)
def descent(legs: Legs, space: Space, size: float, iterations: int) -> Iterated:
    """The loop: (pose, …; q, tolerance), of cranks (pose, …; centres, radii, tolerance): they are turned once."""
    cranks = any(leg.angular for leg in legs)

    def step(X: Any, *constants: Any) -> Any:
        *ball, tolerance = constants
        balls = zip(*ball, strict=True) if cranks else (leg.sphere(x) for leg, x in zip(legs, *ball, strict=True))
        X1, cost, largest = corrected(legs, space, size, X, balls)
        return X1, cost, (largest < tolerance,)

    n = len(legs)
    ball = (Port("centre", (n, 3)), Port("radius", (n,))) if cranks else (Port("q", (n,)),)
    identity = f"parallel descent {legs} {type(space).__name__} {size}"
    compiled = searching(step, space.port, (*ball, Port("tolerance", ())), identity, PROGRESS, PATIENCE)
    return Iterated(compiled, iterations, carried=4, until=True, name="forward_position")


@lru_cache(maxsize=256)
def beginning(space: Space, shift: Shift) -> CompiledFunction:
    """Starts X0 of the user in the robot's normal form, and 1 if they are surely valid, else 0."""

    def run(X0: Any) -> Any:
        entries = X0 if len(space.port.shape) == 1 else [x for row in X0 for x in row]
        valid = where(dot(entries, entries) < LARGEST, where(space.deviation(X0) < SURELY_RIGID, 1.0, 0.0), 0.0)
        return space.between(X0, *shift), valid

    outputs = (Port("X", space.port.shape), Port("valid", ()))
    identity = f"parallel beginning {type(space).__name__} {shift}"
    return CompiledFunction(run, (Port("X0", space.port.shape),), outputs, identity)


@lru_cache(maxsize=64)
def outcome(legs: Legs, space: Space, back: Shift) -> CompiledFunction:
    """Poses X for q, in the robot's normal form: as poses of the user, the largest error of a leg, and 1 if lengths
    are surely valid, else 0."""

    def run(X: Any, q: Any) -> Any:
        valid: Scalar = 1.0
        errors = []
        for leg, x in zip(legs, q, strict=True):
            c, r = leg.sphere(x)
            errors.append(r - (space.pivot(X, leg.platform) - c).norm())
            valid = where(r > 0.0, where(abs(x) < math.inf, valid, 0.0), 0.0)
        return space.between(X, *back), largest_size(errors) * back[2], valid

    inputs = (space.port, Port("q", (len(legs),)))
    outputs = (Port("Y", space.port.shape), Port("residual", ()), Port("valid", ()))
    return CompiledFunction(run, inputs, outputs, f"parallel outcome {legs} {type(space).__name__} {back}")


def closing_error(robot: ParallelRobot, tolerance: float) -> float:
    """The largest error of a leg at which a pose in the normal form is found.

    As many legs as freedoms close exactly there; the positions of more disagree by the rounding of the user's numbers.
    """
    rounding = coordinate_rounding(robot.roots, robot.platform)
    return max(tolerance * robot.size, robot.rounding if robot.n > robot.space.freedoms else rounding)


def near(robot: ParallelRobot, q: ArrayLike, X0: ArrayLike, tolerance: float, iterations: int) -> ForwardPosition:
    """The pose found from X0 for each q."""
    machine, n = machine_of(q, X0), robot.n
    tolerance = positive_number("forward_position: tolerance", tolerance)
    iterations = whole_number("forward_position: iterations", iterations, 1)
    q = machine.array(q, Port("q", (n,)), "forward_position", "one for each leg")
    start = shaped(robot.space, X0, "forward_position: X0", machine)
    require_enough_legs(robot, "forward_position")
    form = robot.normal
    here, positions = form.robot, q * machine.send(form.units)
    first, begun = machine.run(beginning(robot.space, form.shift))(start)
    loop = descent(here.legs, robot.space, here.size, iterations)
    ball = machine.run(spheres(here.legs))(positions) if any(leg.angular for leg in here.legs) else (positions,)
    memory = map(machine.send, (np.inf, 0.0, 0.0))
    least = machine.send(closing_error(here, tolerance))
    X, _, _, state = map(machine.send, machine.run(loop)(first, *memory, *ball, least))
    results = machine.run(outcome(here.legs, robot.space, form.back))(X, positions)
    pose, residual, valid = map(machine.send, results)
    unsolved = machine.host((valid <= 0.5) | (machine.send(begun) <= 0.5) | (state != SOLVED))
    none = machine.xp.full(state.shape, -1)
    verdict = machine.xp.zeros(state.shape, np.int8)
    result = ForwardPosition(robot.space.as_user_pose(pose), verdict, residual, none, none.copy())
    if not unsolved.any():
        return result
    if machine.is_device:
        lengths = np.broadcast_to(machine.host(q), (*state.shape, n))[unsolved]
        begun = robot.space.checked(machine.host(X0), "forward_position: X0")
        begun = np.broadcast_to(begun, (*state.shape, *robot.space.port.shape))[unsolved]
        return machine.with_rows(result, machine.send(unsolved), near(robot, lengths, begun, tolerance, iterations))
    start = form.pose(robot.space.checked(X0, "forward_position: X0"))
    judged = _judged(here, positions, start, X, state, residual * form.scale)
    pose = robot.space.as_user_pose(form.user_pose(judged.pose))
    return replace(judged, pose=pose, residual=judged.residual / form.scale)


def _judged(robot: ParallelRobot, q: Array, start: Array, X: Array, state: Array, closed: Array) -> ForwardPosition:
    """The same where some samples are not solved or not valid, with poses in the form of kernels.

    Samples that are solved keep their residual to the bit: `closed`.
    """
    centre, radius = (np.asarray(x) for x in spheres(robot.legs)(q))
    misses = missing(robot, X, centre, radius)
    residual = misses.max(axis=-1)
    with np.errstate(invalid="ignore"):
        good = np.isfinite(q) & (radius > 0.0)
        begun = (np.abs(start) < LARGEST).all(axis=tuple(range(-len(robot.space.port.shape), 0)))
    leg, other = misses.argmax(axis=-1), np.full(state.shape, -1)
    verdict = np.full(state.shape, Verdict.NOT_CONVERGED)
    if not (state == SOLVED).all():
        apart = never_closed(robot, centre, radius)
        leg, other = np.where(apart[0] >= 0, apart[0], leg), np.where(apart[0] >= 0, apart[1], other)
        verdict = np.where(apart[0] >= 0, Verdict.UNREACHABLE, verdict)
    verdict = np.where(state == SOLVED, Verdict.SOLVED, verdict)
    if robot.n > robot.space.freedoms:
        X, verdict = _nearest(robot, q, X, verdict, (state != SOLVED) & good.all(axis=-1) & begun & (other < 0))
        misses = missing(robot, X, centre, radius)
        residual, leg = misses.max(axis=-1), np.where(other < 0, misses.argmax(axis=-1), leg)
    bad = ~(good.all(axis=-1) & begun)
    verdict = np.where(bad, Verdict.INVALID, verdict).astype(np.int8)
    without_length = np.where(good.all(axis=-1), -1, (~good).argmax(axis=-1))
    leg = np.where(bad, without_length, np.where(verdict == Verdict.SOLVED, -1, leg))
    other = np.where((verdict == Verdict.SOLVED) | bad, -1, other)
    residual = np.where(state == SOLVED, closed, residual)
    return ForwardPosition(X, verdict, residual, leg, other)


def _nearest(robot: ParallelRobot, q: Array, X: Array, verdict: Array, tried: Array) -> tuple[Array, Array]:
    """Poses and verdicts with the least-squares pose where the positions of redundant legs disagree."""
    from sixvec.parallel.nearest_pose import nearest_pose

    batch, port = verdict.shape, robot.space.port.shape
    which = np.flatnonzero(np.broadcast_to(tried, batch).ravel())
    if not len(which):
        return X, verdict
    poses, verdicts = np.array(np.broadcast_to(X, (*batch, *port))).reshape(-1, *port), verdict.ravel()
    targets = np.broadcast_to(q, (*batch, robot.n)).reshape(-1, robot.n)[which]
    nearest, settled = nearest_pose(robot, targets, poses[which])
    poses[which[settled]] = nearest[settled]
    verdicts[which[settled]] = Verdict.CONTRADICTORY
    return poses.reshape(*batch, *port), verdicts.reshape(batch)
