"""Functions of models accept robots, and raise an error that names a joint that follows another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError, ModelError
from sixvec.identification import inertial_parameters, parameter_names, with_parameters
from sixvec.large_trees import LargeTree
from sixvec.large_trees.constraint_force import ArrayChain
from sixvec.model import Mimic


def test_a_robot_stands_for_its_model() -> None:
    robot = sixvec.load("panda")
    assert LargeTree.from_model(robot).nv == ArrayChain.from_model(robot).nv == 7
    assert np.array_equal(inertial_parameters(robot), inertial_parameters(robot.model))
    assert parameter_names(robot) == parameter_names(robot.model)


@pytest.mark.parametrize("kind", [LargeTree, ArrayChain])
def test_followers_are_named(kind: type[LargeTree] | type[ArrayChain]) -> None:
    model = sixvec.load("planar_2r").model
    leader, *others = model.moving
    followers = tuple(
        replace(b, mimic=Mimic(leader.name), joint_name="elbow") if b in others else b for b in model.bodies
    )
    with pytest.raises(ModelError, match=named("elbow", "bodies")):
        kind.from_model(replace(model, bodies=followers))


def test_negative_mass_raises_and_is_named() -> None:
    model = sixvec.load("planar_2r").model
    parameters = inertial_parameters(model)
    parameters[0] = -1.0
    with pytest.raises(ArgumentError, match=named("m(link1)")):
        with_parameters(model, parameters)
