"""Each kind of joint by itself, on plain numbers: its table, and its motion by finite differences of its pose."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest

from naming import named
from sixvec.errors import ModelError
from sixvec.model.joints import (
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from sixvec.model.joints.axis import unit, z_to
from sixvec.model.joints.free import _inverse_screw_coefficient, _screw_coefficients
from sixvec.model.joints.joint import Joint
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from sixvec.spatial.quaternion import SMALL_ANGLE_SQUARED

TILTED, OTHER = Vec3(2.0, -3.0, 6.0), Vec3(1.0, 4.0, 8.0)
TABLE: dict[type[Joint], tuple[int, int, tuple[bool, ...], tuple[float, ...], slice | None]] = {
    Fixed: (0, 0, (), (), None),
    Revolute: (1, 1, (True,), (0.0,), None),
    Prismatic: (1, 1, (False,), (0.0,), None),
    Helical: (1, 1, (True,), (0.0,), None),
    Cylindrical: (2, 2, (True, False), (0.0, 0.0), None),
    Universal: (2, 2, (True, True), (0.0, 0.0), None),
    Planar: (3, 3, (False, False, True), (0.0, 0.0, 0.0), None),
    Spherical: (4, 3, (False,) * 4, (0.0, 0.0, 0.0, 1.0), slice(0, 4)),
    Free: (7, 6, (False,) * 7, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), slice(3, 7)),
}
KINDS = (
    Fixed(), Revolute(), Revolute(TILTED), Prismatic(), Prismatic(TILTED), Helical(pitch=0.3), Helical(TILTED, -0.4),
    Cylindrical(), Cylindrical(TILTED), Universal(), Universal(TILTED, OTHER), Planar(), Planar(TILTED), Spherical(),
    Free(),
)  # fmt: skip
STEP = 1e-5
every_kind = pytest.mark.parametrize("joint", KINDS, ids=[f"{type(j).__name__}{i}" for i, j in enumerate(KINDS)])


def state(joint: Joint, seed: int = 0) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(seed)
    q = rng.normal(size=joint.nq)
    if joint.quaternion is not None:
        q[joint.quaternion] /= np.linalg.norm(q[joint.quaternion])
    return q.tolist(), rng.normal(size=joint.nv).tolist()


def six(motion: Any) -> np.ndarray:
    return np.array([*motion], float)


def matrix(X: Pose) -> np.ndarray:
    return np.array(X.as_matrix(), float)


def moved(joint: Joint, q: list[float], v: list[float], t: float) -> list[float]:
    return [*joint.integrate(q, [t * x for x in v])]


def test_every_kind_has_its_row() -> None:
    for kind, (nq, nv, angular, neutral, quaternion) in TABLE.items():
        joint = kind()
        assert (joint.nq, joint.nv, joint.angular, joint.neutral()) == (nq, nv, angular, neutral)
        assert joint.quaternion == quaternion
        np.testing.assert_array_equal(matrix(joint.pose(joint.neutral())), np.eye(4))
    default = Vec3(0.0, 0.0, 1.0)
    assert all(kind().axis == default for kind in (Revolute, Prismatic, Helical, Cylindrical))
    assert Planar().normal == default and Helical().pitch == 0.0
    assert (Universal().first, Universal().second) == (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0))


@pytest.mark.covers("CHAIN-13", "Bruyninckx (5.18)-(5.19)", "Rodriguez-Kreutz (2.31)", "Rodriguez-Kreutz (b.2)")
@every_kind
def test_the_subspace_is_the_velocity_of_the_pose(joint: Joint) -> None:
    q, v = state(joint)
    before, after = (joint.pose(moved(joint, q, v, t)) for t in (-STEP, STEP))
    rate = six((before.inv() @ after).log()) / (2 * STEP)
    S = joint.subspace(q)
    np.testing.assert_allclose(sum((x * six(s) for s, x in zip(S, v, strict=True)), np.zeros(6)), rate, atol=1e-8)


@pytest.mark.covers("Rodriguez-Kreutz (b.3)-(b.5)")
@every_kind
def test_rates_and_biases_by_differences(joint: Joint) -> None:
    q, v = state(joint, 1)
    after, before = (np.array(moved(joint, q, v, t)) for t in (STEP, -STEP))
    np.testing.assert_allclose([*joint.rate(q, v)], (after - before) / (2 * STEP), atol=1e-8)
    columns = [np.array([six(s) for s in joint.subspace(x.tolist())]).reshape(-1, 6) for x in (after, before)]
    drift = (columns[0] - columns[1]).T / (2 * STEP) @ v
    np.testing.assert_allclose(six(joint.bias(q, v)), drift, atol=1e-8)


@every_kind
@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.3, 1.0])
def test_differences_undo_steps(joint: Joint, size: float) -> None:
    q, v = state(joint, 2)
    v = [size * x for x in v]
    there = [*joint.integrate(q, v)]
    np.testing.assert_allclose([*joint.difference(q, there)], v, atol=1e-13, rtol=1e-6)
    halves = [*joint.integrate([*joint.integrate(q, [0.5 * x for x in v])], [0.5 * x for x in v])]
    np.testing.assert_allclose([*joint.difference(there, halves)], np.zeros(joint.nv), atol=1e-13)


@every_kind
def test_brackets_are_what_is_left_of_a_square(joint: Joint) -> None:
    """Along u, v, -u and -v: the gap is [u, v] to second order.  Joints with v = q̇ have none."""
    q, u = state(joint, 3)
    _, v = state(joint, 4)
    gaps = []
    for sign in (1.0, -1.0):
        at = q
        for step in (u, v, [-x for x in u], [-x for x in v]):
            at = [*joint.integrate(at, [sign * 1e-4 * x for x in step])]
        gaps.append(np.array([*joint.difference(q, at)], float))
    np.testing.assert_allclose([*joint.bracket(u, v)], (gaps[0] + gaps[1]) / 2e-8, atol=1e-5)


@every_kind
def test_a_chain_of_elementary_joints_is_the_same_joint(joint: Joint) -> None:
    """All about or along z."""
    q, _ = state(joint, 5)
    X, left = Pose.identity(), q
    for placement, part in joint.elementary():
        assert getattr(part, "axis", Vec3(0.0, 0.0, 1.0)) == Vec3(0.0, 0.0, 1.0)
        X = X @ placement @ part.pose(left[: part.nq])
        left = left[part.nq :]
    assert not left
    np.testing.assert_allclose(matrix(X), matrix(joint.pose(q)), atol=1e-14)


INF = math.inf


@pytest.mark.parametrize(
    ("joint", "lower", "upper", "range_"),
    [
        (Revolute(), -INF, INF, (-math.pi, math.pi)),
        (Prismatic(), -INF, INF, (-1.0, 1.0)),
        (Revolute(), 0.5, INF, (0.5, 0.5 + 2 * math.pi)),
        (Revolute(), -INF, 0.5, (0.5 - 2 * math.pi, 0.5)),
        (Prismatic(), 0.5, INF, (0.5, 2.5)),
        (Prismatic(), -INF, 0.5, (-1.5, 0.5)),
        (Helical(), -0.5, 0.75, (-0.5, 0.75)),
    ],
)
def test_random_positions_fill_their_range(joint: Joint, lower: float, upper: float, range_: Any) -> None:
    asked: list[Any] = []

    def uniform(low: Any, high: Any, shape: Any) -> np.ndarray:
        asked.append((low.tolist(), high.tolist(), shape))
        return np.zeros(shape)

    joint.sample(SimpleNamespace(uniform=uniform), np.array([lower]), np.array([upper]), (5, 2))  # type: ignore[arg-type]
    ((low, high, shape),) = asked
    assert (low, high) == ([pytest.approx(range_[0])], [pytest.approx(range_[1])]) and shape == (5, 2, 1)


def test_random_turns_are_unit_quaternions_in_any_direction() -> None:
    rng = np.random.default_rng(0)
    none = np.full(7, INF)
    for joint, at in ((Spherical(), slice(0, 4)), (Free(), slice(3, 7))):
        q = joint.sample(rng, -none[: joint.nq], none[: joint.nq], (400,))
        assert q.shape == (400, joint.nq) and np.allclose(np.linalg.norm(q[:, at], axis=-1), 1.0)
        assert (np.abs(q[:, at].mean(axis=0)) < 0.1).all()
        assert np.allclose((q[:, at] ** 2).mean(axis=0), 0.25, atol=0.04)
    assert (np.abs(q[:, :3]) <= 1.0).all() and (np.ptp(q[:, :3], axis=0) > 1.9).all()


@pytest.mark.parametrize("tt", [1e-30, 1e-8, 0.25, 0.5, 0.999, 1.001, 2.0, 9.8])
def test_coefficients_of_screws(tt: float) -> None:
    """Against fifty digits, on both sides of the angle where the series ends."""
    tt = tt * SMALL_ANGLE_SQUARED if tt < 1.5 else tt
    with mpmath.workdps(50):
        t = mpmath.sqrt(mpmath.mpf(tt))
        b, c = (1 - mpmath.cos(t)) / t**2, (t - mpmath.sin(t)) / t**3
        d = 1 / t**2 - mpmath.cot(t / 2) / (2 * t)
    found = (*_screw_coefficients(tt), _inverse_screw_coefficient(tt))
    closed = tt >= SMALL_ANGLE_SQUARED  # where two numbers of size 1/tt are subtracted
    for x, y in zip(found, (b, c, d), strict=True):
        assert x == pytest.approx(float(y), rel=4e-15 / min(1.0, tt) if closed else 4e-16)


def test_axes_are_snapped_to_units() -> None:
    assert unit(Vec3(0.0, 5.0, 0.0)) == Vec3(0.0, 1.0, 0.0) and unit(Vec3(0.0, 0.0, -2.0)) == Vec3(0.0, 0.0, -1.0)
    assert unit(Vec3(1e-13, 1.0, -1e-13)) == Vec3(0.0, 1.0, 0.0)
    assert unit(Vec3(1e-11, 1.0, 0.0)).x == 1e-11
    assert [*unit(TILTED)] == pytest.approx([2 / 7, -3 / 7, 6 / 7], rel=1e-15)
    assert unit(Vec3(2e-9, 0.0, 0.0)) == Vec3(1.0, 0.0, 0.0)
    for nothing in (Vec3.zero(), Vec3(5e-10, 0.0, 0.0), Vec3(math.nan, 0.0, 1.0), Vec3(INF, 0.0, 0.0)):
        with pytest.raises(ModelError, match=named("axis", "direction")):
            unit(nothing)
    with pytest.raises(ModelError, match="Vec3"):
        Universal(Vec3(0.0, 1.0, 0.0), Vec3(0.0, -2.0, 0.0))
    Universal(Vec3(0.0, 1.0, 0.0), Vec3(0.0, 1.0, 1e-8))


@pytest.mark.parametrize(
    "axis", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (2 / 7, -3 / 7, 6 / 7)]
)
def test_rotations_that_take_z_to_an_axis(axis: tuple[float, ...]) -> None:
    """With exact entries for the axes of coordinates."""
    R = np.array(z_to(Vec3(*map(float, axis))).as_matrix(), float)
    np.testing.assert_allclose(R[:, 2], axis, atol=1e-15)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    if set(map(abs, axis)) == {0, 1}:
        assert set(np.abs(R).ravel().tolist()) == {0.0, 1.0}


def test_inertia_that_a_joint_does_not_move() -> None:
    """It is the same for the parent, wherever the joint is; of a hinge, what lies on its axis."""
    body = RigidInertia(2.0, Vec3(0.2, 0.4, 0.6), Sym3(3.0, 0.1, 0.2, 4.0, 0.3, 5.0))
    on_axis = (3.0 + 4.0 - 5.0) / 2
    hinge = RigidInertia(2.0, Vec3(0.0, 0.0, 0.6), Sym3.diagonal(on_axis, on_axis, 0.0))
    assert Revolute().transferable(body) == hinge
    assert Helical(pitch=0.1).transferable(body) == RigidInertia(0.0, Vec3.zero(), Sym3.diagonal(on_axis, on_axis, 0.0))
    assert Prismatic().transferable(body) == RigidInertia(0.0, Vec3.zero(), body.rot)
    assert Spherical().transferable(body) == RigidInertia(2.0, Vec3.zero(), Sym3.zero())
    for joint in (Revolute(TILTED), Helical(TILTED, 0.1), Free(), Planar(), Universal(), Cylindrical()):
        assert joint.transferable(body) == RigidInertia.zero()


@every_kind
def test_a_reversed_joint_has_the_inverse_pose(joint: Joint) -> None:
    """With the same coordinates, or with the same ones in the opposite order; never both."""
    q, _ = state(joint, 3)
    same, backward = joint.reversed(), joint.reversed_backward()
    assert same is None or backward is None
    for other, given in ((same, q), (backward, q[::-1])):
        if other is not None:
            product = joint.pose(q) @ other.pose(given)
            assert np.allclose(product.as_matrix(), np.eye(4), atol=1e-14)
