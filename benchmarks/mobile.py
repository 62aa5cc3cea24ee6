"""Wheels beside the peers on one core: shortest paths with OMPL, wheel kinematics with wpimath (`make bench-mobile`).

Ours run on batches; the peers have no batches and are called once for each pose, with states and arguments that exist
already, so nothing but the call is timed.  Every pair is compared before it is timed.  Odometry has no peer here.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from ompl import base as ompl
from wpimath import geometry, kinematics

import sixvec as sv
from timing import Effort, interleaved

EFFORT = Effort(repeats=8, slice_seconds=0.1, batch=20_000)
PEER_POSES = 2000
"""Poses that a peer is called with, one after another."""

AGREEMENT = 1e-9
TRACK, RADIUS, LENGTH, WIDTH = 0.5, 0.1, 0.6, 0.4


@dataclass(frozen=True)
class Pair:
    """A question to ours, for the whole batch, and to the peer, for the first poses of it."""

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], list[Any]]
    numbers: Callable[[Any], Any] = lambda answer: answer
    """The peer's answer for one pose as ours gives it; not timed."""


def shortest_paths(n: int, rng: np.random.Generator) -> list[Pair]:
    a, b = (np.column_stack([rng.uniform(-5, 5, (n, 2)), rng.uniform(-np.pi, np.pi, n)]) for _ in range(2))
    pairs = []
    for name, ours, space in (
        ("Dubins length", sv.mobile.dubins, ompl.DubinsStateSpace(1.0)),
        ("Reeds-Shepp length", sv.mobile.reeds_shepp, ompl.ReedsSheppStateSpace(1.0)),
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


def wheel_kinematics(n: int, rng: np.random.Generator) -> list[Pair]:
    corners = [geometry.Translation2d(x * LENGTH / 2, y * WIDTH / 2) for x in (1, -1) for y in (1, -1)]
    twist = rng.normal(size=(n, 3))
    chassis = [kinematics.ChassisSpeeds(t[1], t[2], t[0]) for t in twist[:PEER_POSES]]
    drive, peer = sv.mobile.differential_drive(TRACK, RADIUS), kinematics.DifferentialDriveKinematics(TRACK)
    rates = rng.normal(size=(n, 2))
    wheels = [kinematics.DifferentialDriveWheelSpeeds(*(r * RADIUS)) for r in rates[:PEER_POSES]]
    mecanum, four = sv.mobile.mecanum(LENGTH, WIDTH, RADIUS), kinematics.MecanumDriveKinematics(*corners)
    fours = rng.normal(size=(n, 4))
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


def odometry_steps(effort: Effort) -> float:
    """Steps of a differential drive a second: 128 histories of 2000 steps."""
    drive = sv.mobile.differential_drive(TRACK, RADIUS)
    rates = np.random.default_rng(0).normal(size=(128, 2000, 2))
    start = np.zeros((128, 3))
    seconds = interleaved({"odometry": lambda: drive.odometry(rates, 0.01, start)}, effort)["odometry"]
    return 128 * 2000 / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure wheels beside OMPL and wpimath.")
    parser.add_argument("--batch", type=int, default=EFFORT.batch)
    n = parser.parse_args().batch
    sv.set_threads(1)
    rng = np.random.default_rng(0)
    print(f"{'':22}{'ours, ns':>10}{'peer, ns':>10}{'ratio':>8}")
    for pair in (*shortest_paths(n, rng), *wheel_kinematics(n, rng)):
        found, peer = np.asarray(pair.ours()), np.array([pair.numbers(x) for x in pair.theirs()])
        assert np.abs(found[: len(peer)] - peer).max() < AGREEMENT, pair.name
        seconds = interleaved({"ours": pair.ours, "peer": pair.theirs}, EFFORT)
        ours, theirs = seconds["ours"] / n * 1e9, seconds["peer"] / len(peer) * 1e9
        print(f"{pair.name:22}{ours:10.1f}{theirs:10.1f}{theirs / ours:8.1f}")
    print(f"{'odometry':22}{odometry_steps(EFFORT) / 1e6:10.1f} million steps a second")


if __name__ == "__main__":
    main()
