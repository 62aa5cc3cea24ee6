"""Robots on wheels are seen as they are: wheels where they touch the ground, turning as they roll and are steered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.mobile import Caster, FixedWheel, Platform, mount, wheeled_robot
from sixvec.mobile.shapes import slab_geom
from sixvec.spatial import RigidInertia, Sym3, Vec3

pieces: Any = pytest.importorskip("sixvec.viz.pieces").pieces
SLAB = RigidInertia.from_center_of_mass(60.0, Vec3(0.0, 0.0, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
DRIVE = sv.mobile.differential_drive(0.5, 0.1)
CART = Platform([*DRIVE.wheels, Caster(-0.3, 0.0, radius=0.06, name="caster")])


def seen(robot: Any, q: Any) -> dict[str, Any]:
    """The corners of all shapes in the world, by frame."""
    found: dict[str, list[Any]] = {}
    for piece in pieces(robot.model):
        X = robot.pose(q, piece.frame)
        found.setdefault(piece.frame, []).append(piece.surface.vertices @ X[:3, :3].T + X[:3, 3])
    return {frame: np.concatenate(parts) for frame, parts in found.items()}


@pytest.mark.parametrize("base", [CART, sv.mobile.mecanum(0.6, 0.4, 0.05), sv.mobile.swerve(0.6, 0.4, 0.05)])
def test_wheels_touch_the_ground_and_the_arm_is_there(base: Platform) -> None:
    robot = mount(sv.load("planar_2r"), base, inertia=SLAB)
    q = np.zeros(robot.nq)
    q[:3] = [0.4, -0.2, 0.7]
    shapes = seen(robot, q)
    for w in base.wheels:
        corners = shapes[f"contact {w.name}"]
        assert np.isclose(corners[:, 2].min(), 0.0, atol=1e-3) and np.isclose(
            corners[:, 2].max(), 2 * w.radius, atol=1e-3
        )
    assert {"platform", "link1", "link2"} <= {*shapes}


def test_wheels_turn_with_the_steering_and_with_the_rolling() -> None:
    car = mount(sv.load("planar_2r"), sv.mobile.car(1.0, 0.6, radius=0.1), inertia=SLAB)
    q = np.zeros(6)
    straight = np.ptp(seen(car, q)["contact steering"], axis=0)
    q[3] = np.pi / 2 - 1e-9
    assert np.allclose(np.ptp(seen(car, q)["contact steering"], axis=0), straight[[1, 0, 2]], atol=1e-6)
    drive = wheeled_robot(CART, SLAB, 1.0, fork_mass=0.1)
    q = np.zeros(7)
    q[3] = np.pi / 2
    assert not np.allclose(seen(drive, q)["left"], seen(drive, np.zeros(7))["left"])
    assert np.allclose(seen(drive, q)["right"], seen(drive, np.zeros(7))["right"])


def test_paths_of_the_platform_are_animated(tmp_path: Path) -> None:
    robot = mount(sv.load("planar_2r"), CART, inertia=SLAB)
    path = DRIVE.odometry(np.tile([9.0, 12.0], (40, 1)), 0.05)
    q = robot.at_poses(path.pose, [0.0, 0.0, 0.0, 0.4, 0.5])
    assert q.shape == (40, 5) and np.array_equal(q[:, :3], path.pose) and np.array_equal(q[:, 3:], [[0.4, 0.5]] * 40)
    assert robot.animate(q, tmp_path / "drive.png", 0.05).stat().st_size > 10_000


def test_wheels_of_a_car_without_a_radius_are_seen_apart() -> None:
    robot = mount(sv.load("planar_2r"), sv.mobile.car(1.3, 0.8), inertia=SLAB)
    shapes = seen(robot, np.zeros(robot.nq))
    rear, front = (shapes[f"contact {name}"] for name in ("rear_left", "steering"))
    assert rear[:, 0].max() < front[:, 0].min()
    assert np.isclose(rear[:, 2].min(), 0.0, atol=1e-3) and np.isclose(rear[:, 2].max(), 0.65, atol=1e-3)


def test_the_slab_is_on_the_wheels_and_between_them() -> None:
    wheels = [FixedWheel(x, y, radius=0.1) for x in (-0.1, 0.2) for y in (-0.3, 0.5)]
    for r, size, place in ((0.1, (0.3, 0.74, 0.06), (0.05, 0.1, 0.15)), (0.5, (1.0, 0.7, 0.3), (0.05, 0.1, 0.75))):
        found = slab_geom(Platform(wheels), "base", r)
        assert [*found.shape.size] == pytest.approx(size)  # type: ignore[union-attr]
        assert [*found.placement.pos] == pytest.approx(place)
