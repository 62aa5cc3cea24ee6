"""The polygon of wheels and their loads: any layout, any unit, and no wheel pulls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import DegenerateError
from sixvec.mobile import OmniWheel, Platform, mount
from sixvec.mobile.manipulator.support import SupportPolygon
from sixvec.spatial import RigidInertia, Sym3, Vec3

ARM = sv.load("planar_2r")


def polygon(points: Any) -> SupportPolygon:
    return SupportPolygon(tuple(f"w{k}" for k in range(len(points))), tuple((float(x), float(y)) for x, y in points))


def grid(degrees: float, size: tuple[float, float], origin: tuple[float, float], counts: tuple[int, int]) -> Any:
    t = math.radians(degrees)
    c, s = math.cos(t), math.sin(t)
    xs, ys = (np.linspace(-a / 2, a / 2, n) for a, n in zip(size, counts, strict=True))
    return [(origin[0] + c * x - s * y, origin[1] + s * x + c * y) for x in xs for y in ys]


def area(corners: Any) -> float:
    x, y = (corners - corners.mean(axis=0)).T
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2.0)


@pytest.mark.parametrize("counts", [(3, 2), (2, 2), (4, 3), (5, 5)])
def test_a_turned_grid_has_four_corners(counts: tuple[int, int]) -> None:
    for degrees in range(0, 180, 3):
        for origin, size in (((0.1, 0.0), (0.4, 0.2)), ((0.1, 0.1), (0.7, 0.5)), ((1e5, -3e4), (0.4, 0.2))):
            found = polygon(grid(degrees, size, origin, counts)).corners()
            assert len(found) == 4
            assert math.isclose(area(found), size[0] * size[1], rel_tol=1e-9 if origin[0] > 1.0 else 1e-12)


def test_four_points_nearly_in_line() -> None:
    points = [
        (-0.30779959076774654, 0.236746092337801), (0.026907073819315813, 0.33907618899075886),
        (0.5077995907677466, -0.03674609233780099), (0.3616137384063782, 0.44140628564371676),
    ]  # fmt: skip
    assert len(polygon(points).corners()) == 3
    for scale in (1e-6, 1e6):
        assert len(polygon(scale * np.array(points)).corners()) == 3
        with pytest.raises(DegenerateError, match="line"):
            polygon([(0.0, 0.0), (0.1 * scale, 0.2 * scale), (0.3 * scale, 0.6 * scale)])


def test_corners_hold_all_points() -> None:
    rng = np.random.default_rng(0)
    for k in range(200):
        points = rng.normal(size=(rng.integers(3, 12), 2)).round(1 if k % 2 else 16) * 10.0 ** rng.integers(-4, 5)
        try:
            corners = polygon(points).corners()
        except DegenerateError:
            continue
        edge = np.roll(corners, -1, axis=0) - corners
        d = points[:, None] - corners
        side = edge[:, 0] * d[..., 1] - edge[:, 1] * d[..., 0]
        assert (side >= -1e-8 * np.abs(points).max() ** 2).all() and area(corners) > 0.0


def bearing(p: SupportPolygon, at: Any, weight: float = 100.0) -> Any:
    return p.bears([at[1] * weight, -at[0] * weight, 0.0, 0.0, 0.0, weight])


@pytest.mark.covers("MM-02")
def test_loads_are_those_of_springs_that_push() -> None:
    """f = max(0, a + b x + c y), of which there is one for every wrench within the polygon."""
    rng = np.random.default_rng(1)
    lifted = 0
    for _ in range(200):
        points = rng.normal(size=(rng.integers(4, 9), 2)) * 10.0 ** rng.integers(-3, 4)
        at = rng.dirichlet(np.full(len(points), 0.3)) @ points
        found = bearing(polygon(points), at)
        size = np.abs(points).max()
        if not found.margin > 1e-6 * size:
            continue
        E = np.column_stack([np.ones(len(points)), points / size])
        assert (found.loads >= 0.0).all() and np.allclose(found.loads @ E, [100.0, *(100.0 * at / size)], atol=1e-9)
        plane = np.linalg.lstsq(E[~found.lifted], found.loads[~found.lifted], rcond=None)[0]
        assert np.allclose(np.maximum(E @ plane, 0.0), found.loads, atol=1e-6)
        lifted += bool(found.lifted.any())
    assert lifted > 20


def test_wheels_that_lift_are_listed() -> None:
    heavy = RigidInertia.from_center_of_mass(60.0, Vec3(0.22, 0.15, 0.15), Sym3.diagonal(6.0, 6.0, 6.0))
    robot = mount(ARM, sv.mobile.mecanum(0.6, 0.4, 0.05), np.eye(4), inertia=heavy)
    found = robot.support(np.zeros(5))
    assert found.stable and found.lifted_names() == ("rear_right",) and "rear_right lifted" in repr(found)
    x, y = np.array(robot.supports.points).T
    assert (found.loads >= 0.0).all() and found.loads[3] == 0.0
    ground = robot.ground_wrench(np.zeros(5))
    assert np.allclose([found.loads.sum(), found.loads @ y, found.loads @ -x], ground[[5, 0, 1]])
    effort = robot.inverse_force(np.zeros(5))
    assert np.isnan(effort.grip[3]) and not np.isnan(effort.grip[:3]).any()
    both = robot.supports.bears(np.stack([ground] * 2))
    assert np.array_equal(both.loads[1], found.loads) and both.lifted_names(0) == ("rear_right",)


def test_a_platform_that_tips_over() -> None:
    square = polygon([(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)])
    over = bearing(square, (0.7, 0.0))
    assert not over.stable and np.isnan(over.loads).all() and over.lifted_names() == ("w1", "w2")
    up = square.bears([0.0, 0.0, 0.0, 0.0, 0.0, -1.0])
    assert up.margin == -np.inf and up.lifted.all()


def test_a_platform_of_wheels_on_a_turned_grid_stands() -> None:
    slab = RigidInertia.from_center_of_mass(60.0, Vec3(0.0, 0.0, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
    points = grid(32.0, (0.4, 0.2), (0.1, 0.0), (3, 2))
    base = Platform([OmniWheel(x, y, 0.3 * i, radius=0.05) for i, (x, y) in enumerate(points)])
    assert mount(ARM, base, np.eye(4), inertia=slab).support(np.zeros(5)).stable
