"""A leaf that moves without mass has no acceleration: an error names it."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from sixvec.model import Body, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import RigidInertia, Sym3, Vec3

BALL = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))


@pytest.mark.parametrize("joint", [Revolute(Vec3(1.0, 0.0, 0.0)), Prismatic()])
@pytest.mark.parametrize("name", ["forward_dynamics", "mass_matrix_inverse", "forward_dynamics_derivatives"])
def test_a_massless_moving_leaf_is_singular(joint, name: str) -> None:
    robot = sv.Robot(Model("arm", (Body("link", None, Revolute(), inertia=BALL), Body("tip", "link", joint))))
    state = [np.zeros(2)] * len(robot.kernel("inverse_dynamics").inputs)
    assert np.isfinite(robot.inverse_dynamics(*state)).all()
    with pytest.raises(ValueError, match="tip"):
        robot.kernel(name).program  # noqa: B018
    with pytest.raises(ValueError, match="tip"):
        getattr(robot, name)(*state[: 1 if "inverse" in name else 3])
