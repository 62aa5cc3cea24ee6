"""Arguments of several packages: batches that broadcast, tensors, steering without mass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.analysis.stacked import point_jacobian
from sixvec.errors import ArgumentError, DtypeError, ModelError
from sixvec.large_trees.dynamics import inverse_dynamics
from sixvec.large_trees.large_tree import LargeTree
from sixvec.parallel import Delta
from sixvec.spatial import RigidInertia, Sym3, Vec3

ARM = sv.load("planar_2r")
DELTA = Delta(0.2, 0.05, 0.25, 0.6)
LOW = np.array([0.0, 0.01, -0.5])
SLAB = RigidInertia.from_center_of_mass(1.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.2, 0.3, 0.4))
MOBILE = sv.mobile.mount(ARM, sv.mobile.differential_drive(0.5, 0.1), np.eye(4), inertia=SLAB)


def test_steering_without_mass_is_named_by_every_projection() -> None:
    car = sv.mobile.car(0.9, 0.5, radius=0.1)
    light = sv.mobile.mount(ARM, car, inertia=SLAB)
    with pytest.raises(ModelError, match="steering"):
        light.rolling_velocity(np.zeros(light.nq), np.eye(light.nv)[0])
    heavy = sv.mobile.mount(ARM, car, inertia=SLAB, steering_inertia=0.1)
    ahead = np.eye(heavy.nv)[0]
    assert np.allclose(heavy.rolling_velocity(np.zeros(heavy.nq), ahead), ahead, atol=1e-12)


def test_batches_broadcast() -> None:
    assert MOBILE.at_poses(np.zeros((3, 1, 3)), np.zeros((2, MOBILE.nq))).shape == (3, 2, MOBILE.nq)
    assert point_jacobian(ARM, np.zeros((3, 2)), "tip", np.zeros((4, 1, 3))).shape == (4, 3, 6, 2)


def test_tensors_with_derivatives() -> None:
    torch = pytest.importorskip("torch")
    q = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    calls: list[Callable[[], Any]] = [
        lambda: inverse_dynamics(LargeTree.from_model(ARM), q, q, q),
        lambda: sv.ik.inverse_velocity(ARM, q, np.zeros(6), "tip"),
        lambda: sv.ik.forward_force(ARM, q, np.zeros(2), "tip", acting="by_robot"),
    ]
    for call in calls:
        with pytest.raises((ArgumentError, DtypeError), match=r"\bq\b.*(NumPy|detach)"):
            call()
    dynamics = DELTA.dynamics((SLAB, SLAB), SLAB, LOW)
    twist = torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64, requires_grad=True)
    X = np.eye(4)
    X[:3, 3] = LOW
    wanted = dynamics.wrench(LOW, [0.1, 0.2, 0.3], np.zeros(3))
    for pose in (LOW.tolist(), X.tolist()):
        found = dynamics.wrench(pose, twist, [0.0, 0.0, 0.0])
        assert found.requires_grad and np.allclose(found.detach().numpy(), wanted, rtol=1e-12)
