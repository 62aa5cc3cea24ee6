"""Frames held on loops with rounded dimensions: rows of loops first, then those of frames that depend on them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from loop_samples import MECHANISMS, X, at, rounded
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.mechanism.row_rank import exact_rows, row_rank
from sixvec.model import Frame, Model

HELD: dict[str, tuple[str, float, dict[Any, Any]]] = {
    "five-bar": ("b1", 0.6, {"one": ("world x",), "other": ("world x",)}),
    "six-bar": ("b1", 0.4, {"one": "point", "other": "point"}),
    "four-bar, hinge": ("b1", 0.4, {("end", "pin"): ("x", "y")}),
}
"""A body, the place of two frames on it, and what is held: rows that repeat those of the other, or of the loop."""


@cache
def model_of(name: str) -> Model:
    body, place, _ = HELD[name]
    model = MECHANISMS[name][0]()
    return replace(model, frames=(*model.frames, *(Frame(f, body, at(X * place)) for f in ("one", "other"))))


def motions(robot: sv.Robot, q: np.ndarray, name: str) -> np.ndarray:
    """The velocities that loops and held frames allow."""
    hold = held_frames(robot.model, HELD[name][2])
    A = exact_rows(robot.model, np.asarray(robot.constraint_jacobian(q, hold=hold), float), hold)
    return np.asarray(np.linalg.svd(A)[2][row_rank(robot.model, hold).rank :].T)


def dynamics(robot: sv.Robot, q: np.ndarray, v: np.ndarray, name: str, method: str = "kkt") -> list[np.ndarray]:
    tau = np.cos(np.arange(robot.nv))
    found = robot.evaluate("constrained_dynamics", list(q), list(v), list(tau), hold=HELD[name][2], method=method)
    return [np.array(x, float) for x in found]


def state(robot: sv.Robot, name: str) -> tuple[np.ndarray, np.ndarray]:
    exact = sv.Robot(model_of(name))
    q = exact.assemble(MECHANISMS[name][1]).q
    N, near = motions(exact, q, name), robot.assemble(q)
    K = motions(robot, near.q, name)
    return near.q, K @ (K.T @ N @ np.ones(N.shape[1]))


@pytest.mark.every(2)
@pytest.mark.parametrize("name", HELD)
def test_held_frames_on_rounded_loops_act_as_on_exact_ones(name: str) -> None:
    exact = sv.Robot(model_of(name))
    a, force, _ = dynamics(exact, *state(exact, name), name)
    for noise in (1e-12, 1e-9, 1e-7, 1e-6, 1e-5):
        robot = rounded(model_of(name), noise, seed=4)
        q, v = state(robot, name)
        found, forces, _ = dynamics(robot, q, v, name)
        again, others, _ = dynamics(robot, q, v, name, "recursion")
        allowed = 100.0 * noise + 1e-9
        assert np.abs(found - a).max() <= allowed * (1.0 + np.abs(a).max())
        assert np.abs(forces - force).max() <= allowed * (1.0 + np.abs(force).max())
        assert np.abs(found - again).max() <= 1e-9 and np.abs(forces - others).max() <= 1e-9


def test_derivatives_with_held_frames_are_those_along_closed_motions() -> None:
    name, h = "five-bar", 5e-3
    for noise in (0.0, 1e-6, 1e-5, 1e-4):
        robot = rounded(model_of(name), noise, seed=4).with_loop_tolerance(1e-4)
        q, v = state(robot, name)
        (y,) = motions(robot, q, name).T
        tau = list(np.cos(np.arange(robot.nv)))
        d = robot.evaluate("constrained_dynamics_derivatives", list(q), list(v), tau, hold=HELD[name][2])

        def slope(
            h: float, robot: sv.Robot = robot, q: np.ndarray = q, v: np.ndarray = v, y: np.ndarray = y
        ) -> np.ndarray:
            ends = []
            for step in (h, -h):
                near = robot.assemble(q + step * y).q
                K = motions(robot, near, name)
                speed = K @ (K.T @ v)
                ends.append(np.array([near, speed, dynamics(robot, near, speed, name)[0]]))
            return np.asarray((ends[0] - ends[1]) / (2.0 * h))

        dq, dv, da = (4.0 * slope(h) - slope(2.0 * h)) / 3.0
        along = np.array(d[0], float) @ dq + np.array(d[1], float) @ dv
        assert np.abs(along - da).max() <= 1e-8 * (1.0 + np.abs(da).max()), noise


def test_held_frames_add_few_operations_to_a_planar_loop() -> None:
    """What pivots are chosen from are the rows of the frame."""
    robot = sv.load("four_bar")
    count = robot.kernel("constrained_dynamics", hold={"coupler_end": "point"}).count()
    assert sum(count.values()) <= 416
