"""Inverse kinematics: poses, starts, tasks, settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import sixvec
from mistakes import Mistake, mistake
from sixvec import Robot
from sixvec.errors import ArgumentError, CallError, DtypeError, FrameNotFound, ModelError, ShapeError
from sixvec.ik import OrientationTask, PoseTask, PositionTask, solve, track
from sixvec.model import Body, Model

ARMS = {"ur5e": "tool0", "panda": "panda_link8", "iiwa14": "flange"}
"""With a closed form, without, and with one that takes a swivel angle."""

ROCK = Robot(Model("rock", (Body("stone"),)))
FLAT = sixvec.load("planar_2r")
NAN = float("nan")


def _crossed(robot: Robot) -> Robot:
    """The robot with a first joint whose lower limit is above its upper one."""
    bodies = list(robot.model.bodies)
    k = next(i for i, b in enumerate(bodies) if b.joint.nv)
    bodies[k] = replace(bodies[k], limits=replace(bodies[k].limits, lower=(1.0,), upper=(-1.0,)))
    return Robot(replace(robot.model, bodies=tuple(bodies)))


def _matrices(X: Any) -> dict[str, Any]:
    """Matrices that are not rotations."""
    scaled, mirrored, sheared = X.copy(), X.copy(), X.copy()
    scaled[:3, :3] *= 1.01
    mirrored[:3, 0] *= -1.0
    sheared[0, 1] += 1e-3
    return {"scaled": scaled, "mirrored": mirrored, "sheared": sheared}


def _of_arm(name: str, frame: str) -> Iterator[Mistake]:
    robot = sixvec.load(name)
    X, q, n = robot.pose(robot.random(0), frame), robot.neutral(), robot.nq
    crossed = _crossed(robot)
    for how, bad in _matrices(X).items():
        yield mistake(f"ik: {how} pose", lambda b=bad: robot.ik(b, frame), ArgumentError, "ik", "pose")
        yield mistake(
            f"solve: {how} rotation",
            lambda b=bad: solve(robot, {OrientationTask(frame): b[:3, :3]}), ArgumentError, "Orientation", frame,
        )  # fmt: skip
        yield mistake(
            f"track: {how} pose", lambda b=bad: track(robot, q, b[None], frame), ArgumentError, "track", "poses[0]"
        )
    both = np.stack([X, _matrices(X)["scaled"]])
    yield mistake("ik: second of two poses", lambda: robot.ik(both, frame), ArgumentError, "ik", "pose[1]")
    for call, run in (
        ("ik", lambda x: robot.ik(X, frame, q0=x)),
        ("track", lambda x: robot.track(x, X[None], frame)),
    ):  # fmt: skip
        yield mistake(f"{call}: length of q0", lambda r=run: r(np.zeros(n + 1)), ShapeError, "q0", str(n))
        yield mistake(f"{call}: NaN in q0", lambda r=run: r(np.full(n, NAN)), ArgumentError, "q0")
        yield mistake(f"{call}: text in q0", lambda r=run: r(["a"] * n), DtypeError, "q0", "a")
    yield mistake("ik: small pose", lambda: robot.ik(np.eye(3), frame), ShapeError, "ik", "pose")
    yield mistake("ik: ragged pose", lambda: robot.ik([[1.0, 0.0], [0.0]], frame), ShapeError, "ik", "pose")
    yield mistake("ik: complex pose", lambda: robot.ik(np.eye(4) * 1j, frame), DtypeError, "ik", "pose")
    yield mistake("ik: text as pose", lambda: robot.ik([["x"] * 4] * 4, frame), DtypeError, "ik", "pose")
    joint = robot.joint_names[0]
    yield mistake("ik: crossed limits", lambda: crossed.ik(X, frame), ModelError, joint, "limits")
    yield mistake("solve: crossed limits", lambda: solve(crossed, {PoseTask(frame): X}), ModelError, joint, "limits")
    yield mistake("track: crossed limits", lambda: crossed.track(q, X[None], frame), ModelError, joint, "limits")
    wrong = frame + "x"
    yield mistake("ik: frame", lambda: robot.ik(X, wrong), FrameNotFound, wrong, frame)
    yield mistake("solve: frame", lambda: solve(robot, {PoseTask(wrong): X}), FrameNotFound, wrong, frame)
    yield mistake("track: frame", lambda: robot.track(q, X[None], wrong), FrameNotFound, wrong, frame)
    for bad in ((robot.lower, robot.upper), None, 1, "yes"):
        kind = type(bad).__name__
        yield mistake(f"ik: limits, a {kind}", lambda b=bad: robot.ik(X, frame, limits=b), ArgumentError, "limits")
        yield mistake(f"solve: limits, a {kind}", lambda b=bad: solve(robot, {PoseTask(frame): X}, limits=b),
                      ArgumentError, "limits")  # fmt: skip
    yield mistake("ik: short posture", lambda: robot.ik(X, frame, posture=q[:-1]), ShapeError, "posture", str(n))
    yield mistake("ik: two postures", lambda: robot.ik(X, frame, posture=[q, q]), ShapeError, "posture", str(n))
    yield mistake("ik: NaN in posture", lambda: robot.ik(X, frame, posture=q * NAN), ArgumentError, "posture")
    for gain in (-0.1, 1.5, NAN):
        yield mistake(
            f"ik: posture_gain {gain}",
            lambda g=gain: robot.ik(X, frame, posture=q, posture_gain=g), ArgumentError, "posture_gain",
        )  # fmt: skip
    yield mistake("ik: text as posture_gain", lambda: robot.ik(X, frame, posture=q, posture_gain="a"), DtypeError,
                  "posture_gain", "a")  # fmt: skip
    yield mistake("Frame: text as weight",
                  lambda: solve(robot, {PoseTask(frame, weight="a"): X}), DtypeError,  # type: ignore[arg-type]
                  "Frame", "a")  # fmt: skip
    for weight in (0.0, -1.0, NAN, np.inf):
        yield mistake(
            f"Frame: weight {weight}",
            lambda w=weight: solve(robot, {PoseTask(frame, weight=w): X}), ArgumentError, "Frame", "weight",
        )  # fmt: skip
    for call, run in (
        ("ik", lambda t: robot.ik(X, frame, tolerance=t)),
        ("track", lambda t: robot.track(q, X[None], frame, tolerance=t)),
    ):  # fmt: skip
        yield mistake(f"{call}: text as tolerance", lambda r=run: r("a"), DtypeError, "tolerance", "a")
        for bad in ((1e-6, NAN), (0.0, 1e-6), (1e-6,)):
            yield mistake(f"{call}: tolerance {bad}", lambda r=run, b=bad: r(b), ArgumentError, "tolerance")
    yield mistake("track: starts", lambda: robot.track(q, X[None], frame, starts=3), CallError, "track", "starts")
    batch = cache(lambda: robot.ik(robot.pose(robot.random(0, 2, 3), frame), frame))  # not while tests are collected
    yield mistake("explain: no index", lambda: batch().explain(), ArgumentError, "explain")
    yield mistake("explain: one index of two", lambda: batch().explain(1), ArgumentError, "explain")
    run = cache(lambda: robot.track(robot.random(0), X[None], frame))
    yield mistake("explain: a path", lambda: run().explain(), ArgumentError, "explain")


def rows() -> Iterator[Mistake]:
    for name, frame in ARMS.items():
        for row in _of_arm(name, frame):
            yield replace(row, what=f"{name} {row.what}")
    panda = sixvec.load("panda")
    X = panda.pose(panda.neutral(), "panda_link8")
    for setting, value in (("starts", 0), ("starts", 2.5), ("iterations", True), ("iterations", -1)):
        options: dict[str, Any] = {setting: value}
        yield mistake(
            f"ik: {setting}={value}", lambda o=options: panda.ik(X, "panda_link8", **o), ArgumentError, setting
        )
        yield mistake(f"solve: {setting}={value}", lambda o=options: solve(panda, {PoseTask("panda_link8"): X}, **o),
                      ArgumentError, setting)  # fmt: skip
    yield mistake("ik: rock", lambda: ROCK.ik(np.eye(4), "stone"), ModelError, "rock")
    yield mistake("solve: rock", lambda: solve(ROCK, {PositionTask("stone"): [1.0, 0.0, 0.0]}), ModelError, "rock")
    yield mistake("track: rock", lambda: ROCK.track([], np.eye(4)[None], "stone"), ModelError, "rock")
    yield mistake("solve: starts and targets", lambda: solve(FLAT, {PositionTask("tip"): np.zeros((3, 3))},
                  q0=np.zeros((2, 2))), ShapeError, "solve")  # fmt: skip
    yield mistake(
        "assemble: fixed", lambda: FLAT.assemble([0.0, 0.0], fixed="shoulder"), ArgumentError, "fixed", "shoulder"
    )
