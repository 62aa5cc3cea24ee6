"""A changing load: every algorithm gives what the same robot with the load built in gives, without compiling again."""

from __future__ import annotations

import numpy as np
import pytest

from random_trees import random_inertia, random_tree
from sixvec import Robot
from sixvec.compiler import build
from sixvec.errors import FrameNotFound
from sixvec.model.edits import payload
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


def test_a_load_in_no_frame_is_refused() -> None:
    robot = Robot(random_tree(4, bodies=4))
    with pytest.raises(FrameNotFound, match="hand"):
        robot.with_payload("hand", random_inertia(np.random.default_rng(0)))
