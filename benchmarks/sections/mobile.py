"""Wheels: shortest paths against OMPL, wheel kinematics against wpimath, and the steps of odometry, on one core.

Ours run on batches; the peers have none and are called once for each pose, with states and arguments that exist
already, so nothing but the call is timed.  Every pair is compared before it is timed.  Odometry has no peer of its
kind: its target is a rate, and its answer is checked against the exponential of each step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ours import set_threads
from result import Row, timing_row
from selection import Selection
from state import Array
from targets import ODOMETRY_PER_SECOND, SHORTEST_PATHS, WHEEL_KINEMATICS
from timing import Effort, interleaved

SECTION, ROBOT = "mobile", "wheels"
OURS, OMPL, WPIMATH = "sixvec", "OMPL", "wpimath"
BATCH, PEER_POSES = 20_000, 2000
"""Poses of ours, and those that a peer is called with, one after another."""

AGREEMENT = 1e-9
TRACK, RADIUS, LENGTH, WIDTH = 0.5, 0.1, 0.6, 0.4

HISTORIES = {"odometry, 128 x 2000 steps": (128, 2000), "odometry, 1 x 100 000 steps": (1, 100_000)}
TIME_STEP = 0.01
CHECKED = 2000


@dataclass(frozen=True)
class Pair:
    """A question to ours, for the whole batch, and to the peer, for the first poses of it."""

    kernel: str
    ours: Callable[[], Any]
    theirs: Callable[[], list[Any]]
    numbers: Callable[[Any], Any] = lambda answer: answer
    """The peer's answer for one pose as ours gives it; not timed."""


def rows(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    for peer, pairs, target in ((OMPL, _paths, SHORTEST_PATHS), (WPIMATH, _kinematics, WHEEL_KINEMATICS)):
        wanted = [kernel for kernel in _KERNELS[peer] if selection.wants(SECTION, ROBOT, kernel)]
        if not wanted:
            continue
        try:
            made = pairs(rng)
        except ImportError as error:
            left_out[f"{peer}, {SECTION}"] = f"not installed ({error})"
            continue
        set_threads(1)
        yield from (_row(p, peer, target, effort) for p in made if p.kernel in wanted)
    for name, (many, steps) in HISTORIES.items():
        if selection.wants(SECTION, ROBOT, name):
            set_threads(1)
            yield _odometry(name, many, steps, effort)


def _row(pair: Pair, peer: str, target: Any, effort: Effort) -> Row:
    found, expected = np.asarray(pair.ours()), np.array([pair.numbers(x) for x in pair.theirs()])
    error = float(np.abs(found[: len(expected)] - expected).max())
    if not error < AGREEMENT:
        note = f"differs by {error:.1e}: not timed"
        return Row(SECTION, ROBOT, pair.kernel, "x", None, target, note=note, failed=True)
    timed = interleaved({OURS: pair.ours, peer: pair.theirs}, effort)
    seconds = {OURS: timed[OURS] / BATCH, peer: timed[peer] / len(expected)}
    return timing_row(SECTION, ROBOT, pair.kernel, seconds, OURS, target=target, errors={peer: error})


def _odometry(name: str, many: int, steps: int, effort: Effort) -> Row:
    """Steps of a differential drive a second."""
    import sixvec as sv

    drive = sv.mobile.differential_drive(TRACK, RADIUS)
    rates = np.random.default_rng(0).normal(size=(many, steps, 2))[0 if many == 1 else slice(None)]
    start = np.zeros((many, 3))[0 if many == 1 else slice(None)]
    path = drive.odometry(rates, TIME_STEP, start).pose
    error = _off_the_exponential(drive, rates.reshape(-1, steps, 2)[-1], path.reshape(-1, steps, 3)[-1])
    if not error < AGREEMENT:
        note = f"differs by {error:.1e}: not timed"
        return Row(SECTION, ROBOT, name, "/s", None, ODOMETRY_PER_SECOND, note=note, failed=True)
    seconds = interleaved({OURS: lambda: drive.odometry(rates, TIME_STEP, start)}, effort)[OURS]
    each = seconds / (many * steps)
    errors = {"exponential": error}
    return Row(SECTION, ROBOT, name, "/s", 1.0 / each, ODOMETRY_PER_SECOND, ours_us=1e6 * each, errors=errors)


def _off_the_exponential(drive: Any, rates: Array, poses: Array) -> float:
    """How far the last steps of a history are from the exponential of their twists, at most."""
    from sixvec.mobile import PlanarPose, PlanarTwist

    worst = 0.0
    for k in range(len(poses) - CHECKED + 1, len(poses)):
        twist = PlanarTwist.of(drive.forward_velocity(rates[k]).twist.tolist())
        end = PlanarPose.of(poses[k - 1].tolist()) @ PlanarPose.exp(twist * TIME_STEP)
        x, y, angle = poses[k]
        worst = max(worst, *np.abs(np.array([end.x - x, end.y - y, end.c - np.cos(angle), end.s - np.sin(angle)])))
    return float(worst)


_KERNELS = {
    OMPL: ["Dubins", "Reeds-Shepp"],
    WPIMATH: [f"{name} {way}" for name in ("differential", "mecanum", "swerve") for way in ("forward", "inverse")],
}


def _paths(rng: np.random.Generator) -> list[Pair]:
    from ompl import base as ompl

    import sixvec as sv

    a, b = (np.column_stack([rng.uniform(-5, 5, (BATCH, 2)), rng.uniform(-np.pi, np.pi, BATCH)]) for _ in range(2))
    pairs = []
    for name, ours, space in zip(
        _KERNELS[OMPL],
        (sv.mobile.dubins, sv.mobile.reeds_shepp),
        (ompl.DubinsStateSpace(1.0), ompl.ReedsSheppStateSpace(1.0)),
        strict=True,
    ):
        states = [(_state(space, p), _state(space, q)) for p, q in zip(a[:PEER_POSES], b[:PEER_POSES], strict=True)]
        pairs.append(
            Pair(
                name,
                lambda ours=ours: ours(a, b, 1.0).length,
                lambda space=space, states=states: [space.distance(s, g) for s, g in states],
            )
        )
    return pairs


def _state(space: Any, pose: Any) -> Any:
    state = space.allocState()
    state.setX(pose[0])
    state.setY(pose[1])
    state.setYaw(pose[2])
    return state


def _kinematics(rng: np.random.Generator) -> list[Pair]:
    from wpimath import geometry, kinematics

    import sixvec as sv

    corners = [geometry.Translation2d(x * LENGTH / 2, y * WIDTH / 2) for x in (1, -1) for y in (1, -1)]
    twist = rng.normal(size=(BATCH, 3))
    chassis = [kinematics.ChassisSpeeds(t[1], t[2], t[0]) for t in twist[:PEER_POSES]]
    drive, peer = sv.mobile.differential_drive(TRACK, RADIUS), kinematics.DifferentialDriveKinematics(TRACK)
    rates = rng.normal(size=(BATCH, 2))
    wheels = [kinematics.DifferentialDriveWheelSpeeds(*(r * RADIUS)) for r in rates[:PEER_POSES]]
    mecanum, four = sv.mobile.mecanum(LENGTH, WIDTH, RADIUS), kinematics.MecanumDriveKinematics(*corners)
    fours = rng.normal(size=(BATCH, 4))
    turning = [kinematics.MecanumDriveWheelSpeeds(*(r * RADIUS)) for r in fours[:PEER_POSES]]
    swerve, modules = sv.mobile.swerve(LENGTH, WIDTH, RADIUS), kinematics.SwerveDrive4Kinematics(*corners)
    motion = swerve.inverse_velocity(twist)
    states = [modules.toSwerveModuleStates(c) for c in chassis]
    return [
        Pair("differential forward", lambda: drive.forward_velocity(rates).twist,
             lambda: [peer.toChassisSpeeds(w) for w in wheels], _twist),
        Pair("differential inverse", lambda: drive.inverse_velocity(twist).rates,
             lambda: [peer.toWheelSpeeds(c) for c in chassis], lambda w: (w.left / RADIUS, w.right / RADIUS)),
        Pair("mecanum forward", lambda: mecanum.forward_velocity(fours).twist,
             lambda: [four.toChassisSpeeds(w) for w in turning], _twist),
        Pair("mecanum inverse", lambda: mecanum.inverse_velocity(twist).rates,
             lambda: [four.toWheelSpeeds(c) for c in chassis], _four),
        Pair("swerve forward", lambda: swerve.forward_velocity(motion.rates, motion.steer).twist,
             lambda: [modules.toChassisSpeeds(s) for s in states], _twist),
        Pair("swerve inverse", lambda: swerve.inverse_velocity(twist).rates,
             lambda: [modules.toSwerveModuleStates(c) for c in chassis],
             lambda s: tuple(m.speed / RADIUS for m in s)),
    ]  # fmt: skip


def _twist(s: Any) -> tuple[float, float, float]:
    return s.omega, s.vx, s.vy


def _four(w: Any) -> tuple[float, ...]:
    return tuple(x / RADIUS for x in (w.frontLeft, w.frontRight, w.rearLeft, w.rearRight))
