"""Poses, twists and wrenches of the plane against their embedding in space, and the traps of the book's order."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from sixvec.mobile import PLANAR_DELTA, PlanarPose, PlanarTwist, PlanarWrench
from sixvec.spatial import Motion

RNG = np.random.default_rng(1)
DELTA = np.array(PLANAR_DELTA)
FORCE_FIRST = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
"""(m, fx, fy) to (fx, fy, m)."""


def pose() -> PlanarPose:
    return PlanarPose.of(RNG.uniform(-2.0, 2.0, 3))


@pytest.mark.covers("MOB-01", "Bruyninckx (9.4)")
def test_the_planar_delta_is_a_cycle_and_not_its_own_inverse() -> None:
    assert not np.allclose(DELTA @ DELTA, np.eye(3))
    assert not np.allclose(DELTA, DELTA.T)
    assert np.allclose(DELTA @ DELTA @ DELTA, np.eye(3)) and np.allclose(DELTA @ DELTA.T, np.eye(3))
    t, w = RNG.normal(size=(2, 3))
    wrench = PlanarWrench.from_force_first(w)
    assert np.isclose(t @ DELTA @ w, PlanarTwist.of(t).dot(wrench))
    assert wrench.force_first == tuple(w)


@pytest.mark.covers("MOB-01", "Bruyninckx (9.1)", "Bruyninckx (9.3)", "Bruyninckx (9.5)-(9.7)")
def test_screw_transforms_are_dual_and_those_of_space() -> None:
    X = pose()
    St, Sw = np.array(X.twist_matrix()), np.array(X.wrench_matrix())
    assert np.allclose(St.T @ Sw, np.eye(3))
    book = FORCE_FIRST @ Sw @ FORCE_FIRST.T
    assert np.allclose(St.T @ DELTA @ book, DELTA)
    assert book[2, 2] == 1.0  # printed as 0, which would make it singular
    t, w = PlanarTwist.of(RNG.normal(size=3)), PlanarWrench.of(RNG.normal(size=3))
    assert np.allclose(St @ list(t), list(X @ t)) and np.allclose(Sw @ list(w), list(X @ w))
    assert np.allclose(list(X @ t), list(PlanarTwist.from_motion(X.as_pose() @ t.as_motion())))
    assert np.allclose(list(X @ w), list(PlanarWrench.from_force(X.as_pose() @ w.as_force())))
    assert np.isclose((X @ t).dot(X @ w), t.dot(w))


def test_poses_compose_and_invert() -> None:
    A, B = pose(), pose()
    assert np.allclose((A @ B).as_matrix(), np.array(A.as_matrix()) @ B.as_matrix())
    assert np.allclose((A @ A.inv()).as_matrix(), np.eye(3)) and list(PlanarPose.identity() @ A) == list(A)
    assert np.allclose(np.array(A.as_matrix()) @ [0.3, 0.4, 1.0], [*A.point((0.3, 0.4)), 1.0])
    assert np.allclose(list(PlanarPose.of([2.0, 1.0, 0.3])), [2.0, 1.0, 0.3])


@pytest.mark.covers("Bruyninckx (9.2)")
@pytest.mark.parametrize("omega", [0.0, 1e-9, 9e-5, 1.1e-4, 0.8, 3.0, -7.0])
def test_the_exponential_is_that_of_the_matrix(omega: float) -> None:
    t = PlanarTwist(omega, 0.7, -0.4)
    matrix = [[0.0, -omega, 0.7], [omega, 0.0, -0.4], [0.0, 0.0, 0.0]]
    with mpmath.workdps(40):
        exact = np.array(mpmath.expm(mpmath.matrix(matrix)).tolist(), float)
    assert np.allclose(PlanarPose.exp(t).as_matrix(), exact, rtol=0.0, atol=1e-15)


@pytest.mark.covers("MOB-08")
def test_centre_of_rotation_and_line_of_force() -> None:
    t = PlanarTwist(0.5, 1.0, -2.0)
    x, y, w = t.center()
    assert np.allclose(t.at(x / w, y / w), 0.0)
    f = PlanarWrench.along(x / w, y / w, 3.0, 1.0)  # through the centre
    a, b, c = f.line()
    assert np.isclose(a * x / w + b * y / w + c, 0.0) and np.isclose(t.dot(f), 0.0)
    px, py = f.nearest_point()
    assert np.isclose(a * px + b * py + c, 0.0) and np.isclose(px * 3.0 + py * 1.0, 0.0)
    assert np.isclose(t.dot(PlanarWrench.along(0.0, 0.0, 3.0, 1.0)), 1.0)
    assert PlanarWrench(2.0, 0.0, 0.0).line()[:2] == (0.0, 0.0)  # a couple: at infinity
    assert PlanarTwist(0.0, 1.0, 0.0).center()[2] == 0.0


def test_twists_and_wrenches_are_vectors() -> None:
    a, b, s = RNG.normal(size=3), RNG.normal(size=3), 1.7
    for kind in (PlanarTwist, PlanarWrench):
        assert np.allclose(list(kind.of(a) + kind.of(b) * s), a + b * s)
    assert np.isclose((PlanarTwist.of(a) + PlanarTwist.of(b)).dot(PlanarWrench.of(b)), (a + b) @ b)


def test_the_bracket_is_that_of_space() -> None:
    a, b = (PlanarTwist.of(RNG.normal(size=3)) for _ in range(2))
    space: Motion = a.as_motion().cross(b.as_motion())
    assert np.allclose(list(a.cross(b)), list(PlanarTwist.from_motion(space)))
