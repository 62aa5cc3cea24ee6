"""Points from distances by hand: heights that are rounding, legs that never close, one step of Newton's iteration."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from parallel_robots import HOME, delta, hexapod, rpr
from sixvec.parallel import tetrahedron_apex
from sixvec.parallel.exact_321 import DIGITS, _change, _point, _tops
from sixvec.parallel.newton import corrected
from sixvec.parallel.pivot_spheres import never_closed
from sixvec.parallel.tetrahedron import FLAT, apex, doubt, pose_of_points, triad
from sixvec.spatial import Rotation, Vec3

O, X, Y = Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0)


def test_apices_above_a_right_angle() -> None:
    first, second, height = apex(O, X, Y, *(float(np.sqrt(x)) for x in (0.5, 0.9, 0.7)))
    assert [*first] == pytest.approx([0.3, 0.4, 0.5]) and [*second] == pytest.approx([0.3, 0.4, -0.5])
    assert height == pytest.approx(0.25)
    skew = apex(O, X, Vec3(0.6, 0.8, 0.0), *(float(np.sqrt(x)) for x in (0.5, 0.9, 0.5 + 1.0 - 2.0 * 0.5)))
    assert [*skew[0]] == pytest.approx([0.3, 0.4, 0.5])


@pytest.mark.parametrize(
    ("below", "there"), [(0.2 * FLAT, True), (0.6 * FLAT, True), (3.0 * FLAT, False), (1e-9, False)]
)
def test_heights_that_are_rounding(below: float, there: bool) -> None:
    """At 0.3, 0.4 in the plane of the base, with lengths that are a little short."""
    square = 0.25 * (1.0 - below)
    lengths = np.sqrt([square, square + 0.4, square + 0.2])
    found = tetrahedron_apex([0.0, 0, 0], [1.0, 0, 0], [0.0, 1, 0], lengths)
    assert np.isfinite(found).all() == there
    if there:
        assert np.abs(found - [0.3, 0.4, 0.0]).max() < 1e-7


@pytest.mark.parametrize(
    ("Q", "R", "p", "height", "doubtful"),
    [
        (X, Y, 1.0, 0.5, 0.0),
        (X, Y, 1.0, 5e-13, 1.0),
        (X, Y, 1.0, -5e-13, 1.0),
        (X, Y, 1.0, 5e-12, 0.0),
        (X, Y, 1.0, -5e-12, 0.0),
        (X, Vec3(0.5, 1e-5, 0.0), 1.0, 0.5, 1.0),  # thin
        (X, Vec3(0.5, 1e-3, 0.0), 1.0, 1e-7, 1.0),
        (X, Vec3(0.5, 1e-3, 0.0), 1.0, 1e-6, 0.0),
        (X * 1e-3, Y * 1e-3, 1.0, 5e-7, 1.0),  # small
        (X * 1e-3, Y * 1e-3, 1.0, 5e-6, 0.0),
        (X * 1e-3, Y, 1.0, 5e-7, 1.0),
        (X, Y * 1e-3, 1.0, 5e-7, 1.0),
        (X, Y * 1e-3, 1.0, 5e-6, 0.0),
        (X * 1e-3, Y, 2.0, 1e-5, 1.0),
        (X * 1e-3, Y, 2.0, 2e-5, 0.0),
        (X * 1e-5, Y, 1.0, 0.5, 1.0),
        (X, X, 1.0, 0.5, 1.0),
        (O, X, 1.0, 0.5, 1.0),
        (X, Y, 1.0, np.nan, 0.0),
    ],
)
def test_where_rounding_decides_on_the_number(Q: Vec3, R: Vec3, p: float, height: float, doubtful: float) -> None:
    assert doubt(O, Q, R, p, height) == doubtful


def test_axes_of_three_points() -> None:
    M = triad(Vec3(1.0, 1.0, 1.0), Vec3(3.0, 1.0, 1.0), Vec3(5.0, 4.0, 1.0))
    assert [[*row] for row in M.rows] == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    R = Rotation.from_rpy(0.3, -0.2, 0.7)
    local = (Vec3(0.1, 0.2, 0.3), Vec3(1.0, 0.0, 0.5), Vec3(-0.3, 0.9, 0.1))
    here: Any = tuple(R @ p + Vec3(1.0, 2.0, 3.0) for p in local)
    found = pose_of_points(here, local)
    assert np.allclose([[*row] for row in found.rot.matrix.rows], [[*row] for row in R.matrix.rows])
    assert [*found.pos] == pytest.approx([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("squares", "points", "certain"),
    [((0.5, 0.9, 0.7), 2, True), ((0.25, 0.65, 0.45), 1, False), ((0.2, 0.6, 0.4), 0, True)],
)
def test_tops_of_exact_tetrahedra(squares: tuple[float, ...], points: int, certain: bool) -> None:
    """Two, one where rounding of the lengths decides, or none; and none that is certain above a point."""
    with localcontext(Context(prec=DIGITS, traps=[])):
        base = [_point(np.array(p)) for p in ([0.0, 0, 0], [1.0, 0, 0], [0.0, 1, 0])]
        lengths = [Decimal(float(np.sqrt(x))) for x in squares]
        step = Decimal("1e-14")
        sets = [lengths, *([x + step * (i == k) for i, x in enumerate(lengths)] for k in range(3))]
        found = _tops([(*base, *some) for some in sets])
        assert (len(found.points), found.certain) == (points, certain)
        heights = [float(p[0][2]) for p in found.points]
        assert heights == pytest.approx([0.5, -0.5] if points == 2 else [0.0] * points, abs=1e-6)
        for several in found.points:
            assert len(several) == 4 and [float(x) for x in several[0][:2]] == pytest.approx([0.3, 0.4])
            assert points == 1 or Decimal("1e-15") < _change(several) < Decimal("1e-12")
        nowhere = _tops([(base[0], base[0], base[2], *some) for some in sets])
        assert nowhere.points == () and not nowhere.certain


def test_legs_that_never_close() -> None:
    """Four sides close unless one is longer than the others together; the longer leg is named first."""
    platform = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 5.0, 0.0]])
    centre = np.broadcast_to(np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 9.0]]), (6, 3, 3))
    radius = np.array([[5.0, 5, 5], [9, 1, 9], [1, 9, 9], [5.1, 5, 20], [3.9, 1, 5], [4.1, 1, 5]])
    stub: Any = SimpleNamespace(n=3, platform=platform, rounding=0.0, space=SimpleNamespace(turns=3))
    first, second = never_closed(stub, centre, radius)
    assert first.tolist() == [-1, 0, 1, 2, -1, 0] and second.tolist() == [-1, 1, 0, 0, -1, 1]
    stub.space.turns = 0  # then the distances are those of centres less pivots, of the first two 1
    radius = np.array([[5.0, 5.5, 9.0], [5.0, 6.5, 9.0], [6.5, 5.0, 9.0]])
    first, second = never_closed(stub, centre[:3], radius)
    assert first.tolist() == [-1, 1, 0] and second.tolist() == [-1, 0, 1]


@pytest.mark.parametrize("name", ["space", "plane", "delta"])
def test_one_step_towards_a_pose(name: str) -> None:
    """Errors are those of the lengths; the step removes them to first order."""
    robot, target = {"space": (hexapod(), HOME), "plane": (rpr(), np.array([1.0, 1.0, 0.3])),
                     "delta": (delta(), np.array([0.05, 0.02, -0.5]))}[name]  # fmt: skip
    q = np.asarray(robot.inverse_position(target))
    balls = [leg.sphere(float(x)) for leg, x in zip(robot.legs, q, strict=True)]
    start = np.array(target, float)
    start[(..., 3) if name == "space" else ...] += 1e-3 * np.array([1.0, -2.0, 0.5, 0.0][: len(start)])
    new, cost, largest = corrected(robot.legs, robot.space, robot.size, start.tolist(), balls)
    pivots = [robot.space.pivot(start.tolist(), leg.platform) for leg in robot.legs]
    misses = np.array([r - (p - Vec3.of([*c])).norm() for p, (c, r) in zip(pivots, balls, strict=True)])
    assert largest == pytest.approx(np.abs(misses).max()) and cost == pytest.approx(((misses / robot.size) ** 2).sum())
    assert np.abs(np.array(new) - target).max() < 2e-5
    again = corrected(robot.legs, robot.space, robot.size, new, balls)
    assert np.abs(np.array(again[0]) - target).max() < 1e-8 and again[2] < 2e-5


def test_a_pivot_at_the_centre_of_its_sphere_goes_along_the_first_axis() -> None:
    robot = delta()
    X = [0.0, 0.0, 0.0]
    balls = [(leg.platform, 0.25) for leg in robot.legs]
    new, cost, largest = corrected(robot.legs, robot.space, robot.size, X, balls)
    assert largest == 0.25 and cost == pytest.approx(3.0 * (0.25 / robot.size) ** 2)
    assert new[0] > 0.01 and new[1:] == pytest.approx([0.0, 0.0])
