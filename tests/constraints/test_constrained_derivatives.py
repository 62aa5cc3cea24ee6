"""Derivatives of constrained accelerations and forces against differences of `constrained_dynamics` itself.

Algorithms run on plain numbers here: what compiled code does with them is tested elsewhere.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from random_trees import random_pose, random_tree
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.model import Closure, Frame, Gear, Model
from sixvec.model.held_frame import Rolling
from sixvec.model.joints import (
    Cylindrical,
    Fixed,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from sixvec.spatial import Pose

STEP = 1e-6
AGREED = 3e-7
"""Of differences: rounding over the step, and its square, relative to the largest derivative."""

JOINTS = [Fixed(), Revolute(), Spherical(), Universal(), Prismatic(), Cylindrical(), Planar(), Helical(pitch=0.3)]


def differences(robot: sv.Robot, state: list, along: np.ndarray, **options) -> list[np.ndarray]:
    """∂a/∂q, ∂a/∂v, ∂a/∂tau, ∂force/∂q, … along directions of each."""
    found: list[list[np.ndarray]] = [[], []]
    for which in range(3):
        ends = []
        for sign in (1.0, -1.0):
            rows = []
            for u in along * (sign * STEP):
                moved = [list(x) for x in state]
                moved[which] = robot.evaluate("integrate", moved[0], list(u)) if which == 0 else list(state[which] + u)
                rows.append(robot.evaluate("constrained_dynamics", *moved, method="kkt", **options)[:2])
            ends.append(rows)
        for k in range(2):
            ahead, back = (np.array([row[k] for row in rows], float) for rows in ends)
            found[k].append((ahead - back).T / (2.0 * STEP))
    return found[0] + found[1]


def agree(model: Model, q, v, tau, hold=None, **options) -> None:
    robot = sv.Robot(model)
    options["hold"] = held_frames(model, hold)
    along = np.random.default_rng(7).normal(size=(3, robot.nv))
    state = [np.asarray(x, float) for x in (q, v, tau)]
    expected = differences(robot, state, along, **options)
    whole = robot.evaluate("constrained_dynamics_derivatives", *map(list, state), **options)
    found = [np.array(x, float).reshape(-1, robot.nv) @ along.T for x in whole]
    for name, x, y in zip(("a q", "a v", "a tau", "f q", "f v", "f tau"), found, expected, strict=True):
        assert np.abs(x.reshape(y.shape) - y).max(initial=0.0) < AGREED * (1.0 + np.abs(y).max(initial=0.0)), name


@pytest.mark.covers("CON-01", "CON-05")
@pytest.mark.parametrize("hold", [
    {"panda_link8": ("x", "turn y", "z")},
    {"panda_link8": ("world x", "turn world y", "z")},
    {("panda_link8", "panda_link2"): ("x", "turn y")},
    {"panda_link8": "point"},
    {"panda_link8": ((1.0, 2.0, -0.5), ("turn", (0.0, 1.0, 1.0)), ("world", (1.0, 0.0, 1.0)))},
    {"panda_link8": ("acceleration x", ("acceleration", (1.0, 2.0, -0.5)), ("turn world", (1.0, 2.0, 3.0)))},
    {("panda_link8", "panda_link3"): ("world x", ("turn world", (1.0, 2.0, 3.0)), (1.0, 2.0, -0.5))},
    {("panda_link3", "panda_link8"): ("world z", "turn world y", "acceleration y")},
    {("panda_link8", "panda_link0"): ("world x", "turn world y", "acceleration z")},
    {("panda_link0", "panda_link8"): ("world x", "turn world y", "acceleration z")},
    {},
], ids=str)  # fmt: skip
def test_an_arm(hold) -> None:
    robot, rng = sv.load("panda"), np.random.default_rng(0)
    agree(robot.model, robot.random(0), *rng.normal(size=(2, 7)), hold)


@pytest.mark.covers("MOB-16")
@pytest.mark.parametrize("wheel", [
    Rolling(0.3, ("roll", "side", "normal")), Rolling(0.2, ("roller",), 0.6), Rolling(0.0, ("normal", "side")),
], ids=str)  # fmt: skip
def test_a_wheel_that_leans_and_slips(wheel: Rolling) -> None:
    robot, rng = sv.load("panda"), np.random.default_rng(1)
    q, state = robot.random(2), rng.normal(size=(2, 7))
    agree(robot.model, q, *state, {"panda_link8": wheel})
    agree(robot.model, q, *state, {"panda_link5": ("world z",), "panda_link8": wheel})


@pytest.mark.parametrize("reference", ["local", "world"])
def test_external_wrenches_targets_and_passive_forces(reference: str) -> None:
    robot, rng = sv.load("panda"), np.random.default_rng(0)
    external = {name: rng.normal(size=6).tolist() for name in ("panda_link5", "panda_link8")}
    acting = {"external": external, "external_reference": reference, "passive": True}
    model = replace(
        robot.model,
        bodies=tuple(
            replace(b, dynamics=replace(b.dynamics, damping=(0.3,), stiffness=(2.0,))) if b.joint.nv else b
            for b in robot.model.bodies
        ),
    )
    agree(model, robot.random(1), *rng.normal(size=(2, 7)), {"panda_link8": "point"}, target=[0.1, 0.2, 0.3], **acting)


@pytest.mark.covers("CON-06")
def test_a_floating_tree_with_every_joint() -> None:
    model, rng = random_tree(3, 7, floating=True), np.random.default_rng(0)
    robot = sv.Robot(model)
    hold = {"tool1": "point", model.bodies[2].name: ("world z",)}
    agree(model, robot.random(1), *rng.normal(size=(2, robot.nv)), hold)


@pytest.mark.covers("CON-05")
def test_branches_without_rows() -> None:
    """Arms, head and spine of a humanoid meet the paths of the feet at the root: their columns are sums of few."""
    robot, rng = sv.load("humanoid"), np.random.default_rng(0)
    hold = {"l_sole": "weld", "r_sole": "point"}
    q = robot.integrate(robot.neutral(), rng.normal(0.0, 0.3, robot.nv))
    agree(robot.model, q, *rng.normal(size=(2, robot.nv)), hold)


@pytest.mark.slow
def test_columns_of_branches_without_rows_are_cheap() -> None:
    """For a humanoid on two feet, hardly more than the derivatives of forward dynamics in the air."""
    robot, hold = sv.load("humanoid"), {"l_sole": "weld", "r_sole": "weld"}
    on_ground = robot.kernel("constrained_dynamics_derivatives", hold=hold).count()
    in_air = robot.kernel("forward_dynamics_derivatives").count()
    assert sum(on_ground.values()) < 1.7 * sum(in_air.values())


def closed_by(joint: Joint) -> tuple[Model, np.ndarray]:
    """A floating tree with one loop, closed at the position that is returned; its frames are turned at random."""
    model, rng = random_tree(1, 8, floating=True), np.random.default_rng(4)
    robot = sv.Robot(model)
    q = robot.random(rng)
    first, second = [b.name for b in model.bodies if not model.children(b.name)][:2]
    A, B = (Pose.from_matrix(robot.evaluate("pose", q.tolist(), name)) for name in (first, second))
    turned = random_pose(rng)
    frames = (Frame("a", first, turned), Frame("b", second, B.inv() @ A @ turned))
    closures = (Closure("loop", "a", "b", joint),)
    return replace(model, frames=(*model.frames, *frames), closures=closures), q


@pytest.mark.covers("CON-13")
@pytest.mark.parametrize("joint", JOINTS, ids=lambda j: type(j).__name__)
def test_every_joint_as_closure(joint: Joint) -> None:
    model, q = closed_by(joint)
    robot, rng = sv.Robot(model), np.random.default_rng(0)
    A = np.array(robot.evaluate("closure_jacobian", q.tolist()), float)
    assert np.linalg.cond(A) < 1e4
    v, tau = rng.normal(size=(2, robot.nv))
    agree(model, q, v - np.linalg.pinv(A) @ (A @ v), tau)


def test_derivatives_of_forward_dynamics_satisfy_loops() -> None:
    model, q = closed_by(Spherical())
    robot, state = sv.Robot(model), (q.tolist(), [0.0] * model.nv, [1.0] * model.nv)
    found = robot.evaluate("forward_dynamics_derivatives", *state)
    assert found == robot.evaluate("constrained_dynamics_derivatives", *state)[:3]
    A = np.array(robot.evaluate("closure_jacobian", q.tolist()), float)
    assert np.abs(A @ np.array(found[2])).max() < 1e-9


def test_joints_that_follow_others_and_gears() -> None:
    from test_popov_vereshchagin import with_followers

    model, rng = with_followers(0), np.random.default_rng(0)
    robot = sv.Robot(model)
    state = robot.random(1), *rng.normal(size=(2, robot.nv))
    agree(model, *state, {"tip": ("x", "turn world y"), ("end", "tip"): ("z",)})
    agree(replace(model, closures=(Gear("pair", "b", "d", 0.7),)), *state, {"tip": ("x",)})


def test_rows_that_depend_on_each_other_along_motions_that_keep_loops_closed() -> None:
    from test_constrained_dynamics import turned_four_bar

    robot, q = turned_four_bar()
    A = np.array(robot.evaluate("closure_jacobian", q.tolist()), float)
    null = np.linalg.svd(A)[2][2:]
    state = q, 2.0 * null[0], np.array([0.1, 0.0, 0.0])
    found = np.array(robot.evaluate("constrained_dynamics_derivatives", *map(list, state))[0], float) @ null.T
    curved = _along_the_loop(robot, state, null[0])
    assert np.allclose(found[:, 0], curved, rtol=1e-5, atol=1e-5 * np.abs(curved).max())


def _along_the_loop(robot: sv.Robot, state, direction: np.ndarray) -> np.ndarray:
    """The difference of a between positions at which the loop is closed: rows that depend do so only there."""
    h, ends = 1e-4, []
    for sign in (1.0, -1.0):
        q = robot.assemble(np.asarray(state[0]) + sign * h * direction).q
        A = np.array(robot.evaluate("closure_jacobian", q.tolist()), float)
        b = -np.array(robot.evaluate("constraint_bias", q.tolist(), list(state[1])), float)
        M = np.array(robot.evaluate("mass_matrix", q.tolist()), float)
        c = np.array(robot.evaluate("bias_forces", q.tolist(), list(state[1])), float)
        free = np.linalg.solve(M, np.asarray(state[2]) - c)
        G = A @ np.linalg.solve(M, A.T)
        force = np.linalg.pinv(G, rcond=1e-7, hermitian=True) @ (b - A @ free)
        ends.append(free + np.linalg.solve(M, A.T @ force))
    return (ends[0] - ends[1]) / (2.0 * h)


def test_compiled_in_batches() -> None:
    robot, rng = sv.load("planar_2r"), np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, 5, 2))
    hold = {"tip": ("x",)}
    found = robot.constrained_dynamics_derivatives(q, v, tau, hold=hold)
    assert found.da_dq.shape == (5, 2, 2) and found.dforce_dv.shape == (5, 1, 2)
    kernel = robot.kernel("constrained_dynamics", hold=hold)
    for name in ("q", "v", "tau"):
        automatic = kernel.derivative(name)(q, v, tau)
        for output in ("a", "force"):
            x, y = getattr(found, f"d{output}_d{name}"), getattr(automatic, f"d{output}_d{name}")
            assert np.allclose(x, y, rtol=1e-7, atol=1e-7 * np.abs(y).max())
