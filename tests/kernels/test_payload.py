"""A changing load: every algorithm gives what the same robot with the load built in gives, without compiling again."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from random_trees import random_inertia, random_tree
from sixvec import Robot, load
from sixvec.compiler import build
from sixvec.errors import ArgumentError, FrameNotFound
from sixvec.model.edits import payload
from sixvec.spatial import RigidInertia, Sym3, Vec3
from subjects import TREES
from tolerances import SOLVED, assert_close


def _results(robot: Robot, rng: np.random.Generator, everything: bool) -> dict[str, np.ndarray]:
    q, v, a = robot.random(rng, 5), rng.normal(size=(5, robot.nv)), rng.normal(size=(5, robot.nv))
    if not everything:
        return {"inverse_dynamics": robot.inverse_dynamics(q, v, a), "momentum": robot.momentum(q, v)}
    derivatives = robot.inverse_dynamics_derivatives(q, v, a)
    return {
        "inverse_dynamics": robot.inverse_dynamics(q, v, a),
        "external": robot.inverse_dynamics(q, v, a, external={robot.frame_names[0]: np.ones(6)}),
        "forward_dynamics": robot.forward_dynamics(q, v, a),
        "mass_matrix": robot.mass_matrix(q),
        "coriolis_matrix": robot.coriolis_matrix(q, v),
        "center_of_mass": robot.center_of_mass(q),
        "momentum": robot.momentum(q, v),
        "kinetic_energy": robot.kinetic_energy(q, v),
        "potential_energy": robot.potential_energy(q),
        "dq": derivatives.dq,
        "dv": derivatives.dv,
    }


@pytest.mark.every(2)
@pytest.mark.parametrize(("name", "frame"), [("small", "tool1"), ("floating", "tool1"), ("small", "ground")])
def test_a_load_as_an_input_is_a_load_built_in(name: str, frame: str) -> None:
    robot, rng = Robot(TREES[name]()), np.random.default_rng(0)
    everything = (name, frame) == ("small", "tool1")
    for inertia in (random_inertia(rng), random_inertia(rng)):
        given = _results(robot.with_payload(frame, inertia), np.random.default_rng(1), everything)
        built_in = _results(Robot(payload(robot.model, frame, inertia)), np.random.default_rng(1), everything)
        for key, expected in built_in.items():
            assert_close(given[key], expected, SOLVED)


def test_another_load_compiles_nothing() -> None:
    robot, rng = Robot(random_tree(4, bodies=4)), np.random.default_rng(2)
    frame = "tool1"
    q = robot.random(rng)
    first = robot.with_payload(frame, random_inertia(rng))
    before_load = first.gravity_forces(q)
    compilations = build.compilations
    second = first.with_payload(frame, random_inertia(rng))
    third = robot.with_payload(frame, random_inertia(rng))
    assert not np.allclose(second.gravity_forces(q), before_load)
    assert not np.allclose(third.gravity_forces(q), second.gravity_forces(q))
    assert build.compilations == compilations


def test_a_load_in_no_frame_raises() -> None:
    robot = Robot(random_tree(4, bodies=4))
    with pytest.raises(FrameNotFound, match="hand"):
        robot.with_payload("hand", random_inertia(np.random.default_rng(0)))


@pytest.mark.every(3)
@pytest.mark.parametrize("frames", [("tool1", "tool1"), ("tool1", "tool0"), ("tool0", "ground")])
def test_a_second_load_adds_to_the_first(frames: tuple[str, str]) -> None:
    robot, rng = Robot(TREES["small"]()), np.random.default_rng(3)
    loads = random_inertia(rng), random_inertia(rng)
    carrying = robot.with_payload(frames[0], loads[0]).with_payload(frames[1], loads[1])
    model = payload(payload(robot.model, frames[0], loads[0], "one"), frames[1], loads[1], "two")
    given = _results(carrying, np.random.default_rng(1), True)
    for key, expected in _results(Robot(model), np.random.default_rng(1), True).items():
        assert_close(given[key], expected, SOLVED)
    assert carrying.mass == pytest.approx(robot.mass + loads[0].mass + loads[1].mass, rel=1e-14)
    assert carrying.unloaded.mass == robot.mass
    assert carrying.frame_names == robot.frame_names
    again = pickle.loads(pickle.dumps(carrying))
    q = robot.random(0)
    assert np.array_equal(again.gravity_forces(q), carrying.gravity_forces(q))


def test_a_number_is_a_point_mass() -> None:
    robot, q = Robot(random_tree(4, bodies=4)), Robot(random_tree(4, bodies=4)).random(0)
    point = RigidInertia(5.0, Vec3.zero(), Sym3.zero())
    for mass in (5.0, 5, np.float64(5.0)):
        held = robot.with_payload("tool1", mass)
        assert np.array_equal(held.mass_matrix(q), robot.with_payload("tool1", point).mass_matrix(q))
    energy = robot.potential_energy(q) - 5.0 * robot.gravity @ robot.pose(q, "tool1")[:3, 3]
    assert robot.with_payload("tool1", 5.0).potential_energy(q) == pytest.approx(energy, rel=1e-12)
    for wrong in ("5", None, [5.0], True, np.ones(10)):
        with pytest.raises(ArgumentError, match="mass"):
            robot.with_payload("tool1", wrong)
    with pytest.raises(ArgumentError, match="mass"):
        robot.with_payload("tool1", -1.0)


def test_poses_are_those_of_the_frames_that_are_named() -> None:
    loaded = Robot(random_tree(4, bodies=4)).with_payload("tool1", 1.0)
    q = loaded.random(0)
    assert len(loaded.poses(q)) == len(loaded.frame_names)
    for pose, name in zip(loaded.poses(q), loaded.frame_names, strict=True):
        assert np.array_equal(pose, loaded.pose(q, name))


def test_a_load_keeps_the_order_of_the_joints() -> None:
    model = random_tree(4, bodies=4)
    turned = replace(model, order=tuple(b.name for b in reversed(model.bodies)))
    robot = Robot(turned)
    assert robot.with_payload("tool1", 1.0).joint_names == robot.joint_names
    assert Robot(payload(turned, "tool1", random_inertia(np.random.default_rng(0)))).joint_names == robot.joint_names


def test_the_load_does_not_decide_the_precision() -> None:
    arm = load("planar_2r")
    q, frame = arm.random(0), arm.frame_names[-1]
    single = q.astype(np.float32)
    for robot in (arm.with_payload(frame, 1.0), arm.with_parameters("inertia")):
        found = [robot.gravity_forces(single), robot.gravity_forces(single), np.empty(2, np.float32)]
        robot.gravity_forces(single, out=found[2])
        for x in found:
            assert x.dtype == np.float32 and np.abs(x - robot.gravity_forces(q)).max() < 1e-5
        assert robot.inverse_dynamics(single, q, single).dtype == robot.gravity_forces(q).dtype == np.float64
    found = arm.with_payload(frame, 1.0).inverse_dynamics_second_derivatives(single, single, single)
    assert {x.dtype for x in vars(found).values()} == {single.dtype}
