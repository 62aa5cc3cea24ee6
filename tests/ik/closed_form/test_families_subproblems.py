"""The pieces that closed forms are made of, each against its definition."""

from __future__ import annotations

import math
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sixvec.ik.closed_form.blocks import planar, widest, wrist
from sixvec.ik.closed_form.closed_form import _coordinate
from sixvec.ik.closed_form.quartic import angles
from sixvec.ik.closed_form.reach import within_a_turn
from sixvec.ik.closed_form.solutions import Solutions
from sixvec.ik.closed_form.subproblems import Turn, Wave, elbow, slides_to, turn_onto, turns_to_height
from sixvec.ik.closed_form.target import constant
from sixvec.spatial import Rotation, Vec3


def random_unit(rng: np.random.Generator) -> Vec3:
    v = rng.normal(size=3)
    return Vec3(*map(float, v / np.linalg.norm(v)))


@pytest.mark.parametrize("seed", range(20))
def test_subproblems_undo_turns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    h, u, a = random_unit(rng), random_unit(rng) * 0.7, random_unit(rng) * 1.3
    theta = float(rng.uniform(-np.pi, np.pi))
    turned = Rotation.about(h, theta) @ u
    assert turn_onto(h, u, turned).angle == pytest.approx(theta, abs=1e-12)
    both = Wave.of(a, h, u).reaching(a.dot(turned))
    assert min(abs(t.angle - theta) for t in both) < 1e-7
    assert all(a.dot(t.about(h, u)) == pytest.approx(a.dot(turned), abs=1e-14) for t in both)


@pytest.mark.parametrize("tilt", [0.3, 1.0, math.pi / 2])
@pytest.mark.parametrize("bend", [0.0, 1e-12, 1e-9, 1e-6, 0.5])
def test_a_wrist_makes_every_rotation_to_rounding(tilt: float, bend: float) -> None:
    """Outer axes at equal angles to the middle one line up at zero bend, oblique wrists included."""
    a = c = Vec3(math.sin(tilt), 0.0, math.cos(tilt))
    b = Vec3(0.0, 0.0, 1.0)
    R = Rotation.about(a, 0.4) @ Rotation.about(b, bend) @ Rotation.about(c, -1.1)
    for first, middle, last in wrist([a, b, c], R.__matmul__):
        for e in (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)):
            gap = first.about(a, middle.about(b, last.about(c, e))) - R @ e
            assert gap.norm() < 1e-12


def test_height_out_of_reach_gives_the_nearest() -> None:
    a, h = Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0)
    b = Vec3(0.8, 0.6, 0.0)  # its height along a is at most 0.6
    for t in turns_to_height(a, h, b, Vec3(0.0, 0.0, 1.0)):
        assert t.about(h, b).z == pytest.approx(0.6)
    assert Turn.along(0.0, 0.0).angle == 0.0


@pytest.mark.parametrize("lengths", [(0.4, 0.3), (0.4, 0.4)])
@pytest.mark.parametrize("fold", [0.0, 1e-12, 1e-9, 1e-6, 0.3])
def test_an_elbow_folded_onto_itself_keeps_its_digits(lengths: tuple[float, float], fold: float) -> None:
    h, u, v = Vec3(0.0, 0.0, 1.0), Vec3(lengths[0], 0.0, 0.1), Vec3(lengths[1], 0.0, -0.1)
    end = u + Turn(-math.cos(fold), math.sin(fold)).about(h, v)
    for t in elbow(h, u, v, end.dot(end)):
        assert (u + t.about(h, v)).norm() == pytest.approx(end.norm(), abs=1e-15)


def test_slides_to_a_distance() -> None:
    h, u = Vec3(0.6, 0.8, 0.0), Vec3(0.3, -0.2, 0.5)
    for s in slides_to(2.0 * h.dot(u), u.dot(u) - 4.0):
        assert (u + h * s).norm() == pytest.approx(2.0, abs=1e-15)
    nearest, again = slides_to(2.0 * h.dot(u), u.dot(u))
    assert nearest == again == pytest.approx(-h.dot(u))


def test_quartic_finds_every_sign_change() -> None:
    rng = np.random.default_rng(1)
    series = rng.normal(size=(500, 5))
    grid = np.linspace(-np.pi, np.pi, 20_001)
    basis = np.stack([np.ones_like(grid), np.cos(grid), np.sin(grid), np.cos(2 * grid), np.sin(2 * grid)])
    changes = (np.diff(np.sign(series @ basis), axis=1) != 0).sum(1)
    found = angles(series)
    values = np.abs(sum(f[:, None] * w for f, w in zip(series.T, _basis(found), strict=True)))
    assert ((values < 1e-12).sum(1) == changes).all()


def _basis(x: np.ndarray) -> list[np.ndarray]:
    return [np.ones_like(x), np.cos(x), np.sin(x), np.cos(2 * x), np.sin(2 * x)]


def test_waves_have_their_value_at_two_angles_or_are_nearest_at_one() -> None:
    """2 + 3 cos θ + 4 sin θ is 2 + 5 cos(θ - atan2(4, 3))."""
    wave, middle = Wave(2.0, 3.0, 4.0), math.atan2(4.0, 3.0)
    for value in (-2.9, 0.0, 2.0, 4.5, 6.9):
        off = math.acos((value - 2.0) / 5.0)
        found = sorted(math.remainder(t.angle - middle, 2.0 * math.pi) for t in wave.reaching(value))
        assert found == pytest.approx([-off, off])
        assert [wave.at(t) for t in wave.reaching(value)] == pytest.approx([value, value])
    for value, nearest in ((8.0, middle), (-4.0, middle - math.pi)):
        assert [t.angle for t in wave.reaching(value)] == pytest.approx([nearest, nearest])
    assert [*map(float, (wave.back().at(Turn(0.6, 0.8)), wave.at(Turn(0.6, -0.8))))] == pytest.approx([0.6, 0.6])
    twice = wave * 2.0 + Wave(1.0, 0.0, -1.0)
    assert (twice.constant, twice.cos, twice.sin) == (5.0, 6.0, 7.0)
    assert Wave(1.0, 0.0, 0.0).is_flat and not Wave(1.0, 0.0, 2.0).is_flat and not Wave(1.0, 2.0, 0.0).is_flat


def test_turns_without_a_direction_are_none_and_nan_stays() -> None:
    assert Turn.along(0.0, 0.0) == Turn(1.0, 0.0) and Turn.along(1e-145, 0.0) == Turn(1.0, 0.0)
    assert Turn.along(-3e-100, 4e-100).c == pytest.approx(-0.6) and Turn.along(-3.0, 4.0).s == pytest.approx(0.8)
    assert math.isnan(Turn.along(math.nan, 1.0).c)
    assert (Turn(0.6, 0.8) @ Turn(0.6, 0.8).inv()).c == pytest.approx(1.0)
    assert (Turn(0.6, 0.8) @ Turn(0.0, 1.0)).angle == pytest.approx(math.atan2(0.6, -0.8))


def test_slides_and_elbows_that_do_not_reach_are_nearest() -> None:
    assert slides_to(4.0, 9.0) == (-2.0, -2.0) and slides_to(4.0, 3.0) == (-1.0, -3.0)
    up, x = Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0)
    assert [t.angle for t in elbow(up, x, x * 2.0, 10.0)] == pytest.approx([0.0, 0.0])
    assert [abs(t.angle) for t in elbow(up, x, x * 2.0, 0.5)] == pytest.approx([math.pi] * 2)
    assert sorted(t.angle for t in elbow(up, x + up, x * 2.0 + up, 9.0)) == pytest.approx([-math.pi / 2, math.pi / 2])
    assert [within_a_turn(x) for x in (-4.0, -3.0, 3.0, 4.0)] == [-4.0 + 2 * math.pi, -3.0, 3.0, 4.0 - 2 * math.pi]


def test_the_nearest_solution_by_hand() -> None:
    """Two solutions of an angle and a slide; angles may take whole turns, within their limits, slides may not."""
    q = np.array([[3.0, 0.5], [-1.0, 2.0], [0.0, 0.0]])
    made = partial(Solutions, q, np.array([0.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0]), angular=np.array([True, False]))
    turn, wide = 2.0 * np.pi, np.full(2, np.inf)
    free = made((-wide, wide))
    assert free.count == 2 and free.least_squares.tolist() == [False, False, True]
    assert free.nearest([3.0 + turn, 0.5]).q == pytest.approx([3.0 + turn, 0.5])
    assert free.nearest([-1.0 - 2.0 * turn, 2.2]).q == pytest.approx([-1.0 - 2.0 * turn, 2.0])
    assert free.nearest([0.0, 0.0]).q == pytest.approx([-1.0, 2.0])  # by the largest difference: 2 and not 3
    close = made((np.array([-1.0, 0.0]), np.array([4.0, 2.0])))  # a bound counts as within
    assert close.within_limits.tolist() == [True, True, False]
    assert close.nearest([3.0 + turn, 0.5]).q == pytest.approx([3.0, 0.5])
    assert close.nearest([3.0 + turn, 0.5], limits=False).q == pytest.approx([3.0 + turn, 0.5])
    above = made((np.array([5.0, 0.0]), np.array([12.0, 1.0])))
    assert not above.nearest([0.0, 0.0]).solved and np.isnan(above.nearest([0.0, 0.0]).q).all()


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(-np.pi, np.pi), (-4.0, 1.0), (-1.0, 4.0), (2.0, 5.0), (-5.0, -2.0), (4.0, 9.0), (-9.0, -4.0), (10.0, 12.0),
     (-12.0, -10.0), (-np.inf, 1.0), (-1.0, np.inf), (-np.inf, np.inf), (7.0, np.inf), (-np.inf, -7.0), (-1.0, 1.0)],
)  # fmt: skip
def test_angles_are_within_limits_if_a_whole_turn_brings_them_there(lower: float, upper: float) -> None:
    family: Any = SimpleNamespace(chain=SimpleNamespace(lower=np.array([lower]), upper=np.array([upper])))
    turn = 2.0 * np.pi
    for angle in np.linspace(-3.1, 3.1, 32):
        found = float(_coordinate(family, [Turn(float(np.cos(angle)), float(np.sin(angle)))], 0))
        assert abs(np.remainder(found - angle + np.pi, turn) - np.pi) < 1e-12
        some = [angle + turn * k for k in range(-4, 5) if lower <= angle + turn * k <= upper]
        assert not some or min(abs(found - x) for x in some) < 1e-12, (angle, found)
        if lower <= angle <= upper:
            assert found == pytest.approx(angle)
    assert _coordinate(family, [0.75], 0) == 0.75  # a slide


@pytest.mark.parametrize("seed", range(4))
def test_three_parallel_axes_and_the_largest_sum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    axis, near, far, base, hand = rng.normal(size=(5, 3))
    axis /= np.linalg.norm(axis)
    h = constant(axis)
    flat = {n: x - axis * (axis @ x) for n, x in {"near": near, "far": far, "base": base, "hand": hand}.items()}

    def turned(angle: float, v: np.ndarray) -> np.ndarray:
        return np.cos(angle) * v + np.sin(angle) * np.cross(axis, v)

    sum_ = widest(h, *(constant(x) for x in (near, far, base, hand)))
    gap = flat["base"] - turned(sum_.angle, flat["hand"])
    wanted = flat["near"] @ flat["near"] + flat["far"] @ flat["far"]
    ends = [abs(np.linalg.norm(flat["base"]) + s * np.linalg.norm(flat["hand"])) ** 2 for s in (-1.0, 1.0)]
    assert gap @ gap == pytest.approx(np.clip(wanted, *ends))
    first, second = rng.uniform(-3.0, 3.0, 2)
    reach = turned(first, flat["near"]) + turned(first + second, flat["far"])
    found = planar(h, constant(near), constant(far), constant(reach), Turn(np.cos(0.4), np.sin(0.4)))
    assert min(abs(np.exp(1j * t[1].angle) - np.exp(1j * second)) for t in found) < 1e-9
    for a, b, c in found:
        there = turned(a.angle, flat["near"]) + turned(a.angle + b.angle, flat["far"])
        assert np.allclose(there, reach) and abs(np.exp(1j * (a.angle + b.angle + c.angle - 0.4)) - 1.0) < 1e-9
