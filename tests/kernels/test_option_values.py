"""Options with values of a wrong kind raise an error that names the option."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError
from sixvec.kernels.kernel import Kernel

REST = np.zeros(7)


@pytest.mark.parametrize("value", ["yes", "no", "", 2, None, (), 1.0])
def test_passive_is_a_truth_value(value: Any) -> None:
    robot = sixvec.load("panda")
    for name in ("forward_dynamics", "inverse_dynamics", "forward_dynamics_derivatives"):
        with pytest.raises(ArgumentError, match=named(name, "passive")):
            getattr(robot, name)(REST, REST, REST, passive=value)
        with pytest.raises(ArgumentError, match="passive"):
            robot.kernel(name, passive=value)


def test_truth_values_of_arrays_serve() -> None:
    robot = sixvec.load("panda")
    assert robot.kernel("inverse_dynamics", passive=np.True_) is robot.kernel("inverse_dynamics", passive=True)


def test_one_frame_is_not_a_sequence_of_frames() -> None:
    robot = sixvec.load("panda")
    for name in ("inverse_dynamics_derivatives", "forward_dynamics"):
        with pytest.raises(ArgumentError, match=named("external", "panda_link8")):
            robot.kernel(name, external="panda_link8")
    assert len(robot.kernel("forward_dynamics", external=("panda_link8",)).inputs) == 4


@pytest.mark.parametrize("value", [None, 3, 2.5])
def test_prescribed_is_a_sequence(value: Any) -> None:
    robot = sixvec.load("panda")
    with pytest.raises(ArgumentError, match=named("hybrid_dynamics", "prescribed")):
        robot.hybrid_dynamics(REST, REST, REST, REST, prescribed=value)
    with pytest.raises(ArgumentError, match=named("prescribed", "panda_joint1")):
        robot.hybrid_dynamics(REST, REST, REST, REST, prescribed="panda_joint1")


def test_a_frame_named_twice_raises() -> None:
    robot = sixvec.load("panda")
    frames = ("panda_link8", "panda_link8")
    with pytest.raises(ArgumentError, match=named("inverse_dynamics", "external", "panda_link8")):
        robot.kernel("inverse_dynamics", external=frames)
    algorithm = robot.kernel("gravity_forces").algorithm
    with pytest.raises(ArgumentError, match=named("gravity_forces", "payload", "panda_link8")):
        Kernel(robot.model, algorithm, {}, (), frames)
