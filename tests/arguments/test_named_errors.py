"""Mistakes that NumPy or the standard library would notice later: refused at the border, with the argument's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.analysis.stacked import point_jacobian
from sixvec.errors import ArgumentError, DegenerateError, DtypeError, ModelError, ShapeError, SixvecError
from sixvec.identification import calibrate
from sixvec.ik.redundancy.limited_rates import rates_within_limits
from sixvec.large_trees.dynamics import inverse_dynamics
from sixvec.large_trees.large_tree import LargeTree
from sixvec.parallel import Delta, angular_velocity_from_points, track
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.theory.lagrange.stacked import StackedDynamics
from sixvec.theory.operators.link_blocks import link_blocks

ARM = sv.load("planar_2r")
DELTA = Delta(0.2, 0.05, 0.25, 0.6)
LOW = np.array([0.0, 0.01, -0.5])
SLAB = RigidInertia.from_center_of_mass(1.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.2, 0.3, 0.4))
MOBILE = sv.mobile.mount(ARM, sv.mobile.differential_drive(0.5, 0.1), np.eye(4), inertia=SLAB)
TRUCK = sv.mobile.Truck(sv.mobile.differential_drive(0.5, 0.1), (sv.mobile.Trailer(0.0, 1.0),))
RATES: Any = ([[1.0, 1.0]], [0.1], ([-1.0, -1.0], [1.0, 1.0]))
POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
POSES = np.asarray(ARM.pose(np.zeros((4, 2)), "tip"))

MISTAKES: dict[str, tuple[Callable[[], Any], type[SixvecError], str]] = {
    "out of reach": (lambda: DELTA.internal_forces([0.0, 0.0, -5.0]), DegenerateError, "internal_forces"),
    "secondary": (lambda: rates_within_limits(*RATES, secondary=np.eye(2)), ShapeError, "secondary"),
    "weights": (lambda: rates_within_limits(*RATES, joint_weight=np.ones((3, 1, 1)) * np.eye(2)), ShapeError,
                "weight"),
    "starts": (lambda: track(DELTA, np.zeros((2, 3)), [LOW, LOW]), ShapeError, named("track", "X0")),
    "angles": (lambda: Delta(0.2, 0.05, 0.25, 0.6, angles=[0.0, 2.0, np.inf]), ArgumentError, "angles"),
    "gravity": (lambda: DELTA.dynamics((SLAB, SLAB), SLAB, LOW, gravity=[[0.0, 0.0, -9.8]]), ShapeError, "gravity"),
    "velocities": (lambda: angular_velocity_from_points(POINTS, np.zeros((5, 3))), ShapeError,
                   "velocities"),
    "points": (lambda: angular_velocity_from_points([POINTS] * 2, np.zeros((3, 4, 3))), ShapeError,
               named("angular_velocity_from_points", "points")),
    "stacked": (lambda: StackedDynamics.at(ARM, [np.inf, 0.0]), ArgumentError, named("q")),
    "operators": (lambda: link_blocks(ARM.model, [0.0, np.inf]), ArgumentError, named("q")),
    "point": (lambda: point_jacobian(ARM, np.zeros((3, 2)), "tip", np.zeros((4, 3))), ShapeError,
              "point_jacobian"),
    "one position": (lambda: calibrate(ARM, 0.0, POSES, "tip"), ShapeError, named("calibrate", "q")),
    "one sigma": (lambda: calibrate(ARM, np.zeros((4, 2)), POSES, "tip", sigma=(1e-3,)), ShapeError,  # type: ignore[arg-type]
                  named("calibrate", "sigma")),
    "sigma": (lambda: calibrate(ARM, np.zeros((4, 2)), POSES, "tip", sigma=(1e-3, 0.0)), ArgumentError,
              named("calibrate", "sigma[1]")),
    "length": (lambda: calibrate(ARM, np.zeros((4, 2)), POSES, "tip", length=-1.0), ArgumentError,
               named("calibrate", "length")),
    "poses": (lambda: MOBILE.at_poses(np.zeros((3, 3)), np.zeros((2, MOBILE.nq))), ShapeError,
              "at_poses"),
    "dt": (lambda: TRUCK.odometry(np.ones((3, 2)), [[1.0], [1.0, 2.0]], np.zeros(3), [0.0]), ShapeError,  # type: ignore[arg-type]
           "dt is ragged: its rows differ in length"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake: str) -> None:
    call, kind, words = MISTAKES[mistake]
    with pytest.raises(kind, match=words):
        call()


def test_steering_without_mass_is_named_by_every_projection() -> None:
    car = sv.mobile.car(0.9, 0.5, radius=0.1)
    light = sv.mobile.mount(ARM, car, inertia=SLAB)
    with pytest.raises(ModelError, match="steering"):
        light.rolling_velocity(np.zeros(light.nq), np.eye(light.nv)[0])
    heavy = sv.mobile.mount(ARM, car, inertia=SLAB, steering_inertia=0.1)
    ahead = np.eye(heavy.nv)[0]
    assert np.allclose(heavy.rolling_velocity(np.zeros(heavy.nq), ahead), ahead, atol=1e-12)


def test_batches_that_broadcast_still_do() -> None:
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
        with pytest.raises(DtypeError, match=named("q", "NumPy")):
            call()
    dynamics = DELTA.dynamics((SLAB, SLAB), SLAB, LOW)
    twist = torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64, requires_grad=True)
    X = np.eye(4)
    X[:3, 3] = LOW
    wanted = dynamics.wrench(LOW, [0.1, 0.2, 0.3], np.zeros(3))
    for pose in (LOW.tolist(), X.tolist()):
        found = dynamics.wrench(pose, twist, [0.0, 0.0, 0.0])
        assert found.requires_grad and np.allclose(found.detach().numpy(), wanted, rtol=1e-12)
