"""Poses compose, invert and act as homogeneous matrices do."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given

import sixvec
from body_samples import array, close, homogeneous, laws, motions, poses, same, vectors
from sixvec.errors import FrameError
from sixvec.spatial import Motion, Pose, Rotation, Tagged, Vec3


@pytest.mark.covers("BODY-01", "Bruyninckx (4.1)-(4.3)")
@given(poses, poses, vectors)
@laws
def test_poses_act_as_homogeneous_matrices(X: Pose, Y: Pose, p: Vec3) -> None:
    close(homogeneous(X @ Y), homogeneous(X) @ homogeneous(Y))
    close(homogeneous(X.inv()), np.linalg.inv(homogeneous(X)))
    close([*array(X * p), 1.0], homogeneous(X) @ [*p, 1.0])
    same(X.inv() * (X * p), p)


@pytest.mark.covers("BODY-01", "Bruyninckx (4.4)")
@given(poses, poses, poses, motions)
@laws
def test_poses_form_a_group_that_acts(X: Pose, Y: Pose, Z: Pose, m: Motion) -> None:
    close(homogeneous((X @ Y) @ Z), homogeneous(X @ (Y @ Z)))
    close(homogeneous(X @ Pose.identity()), homogeneous(X))
    close(homogeneous(X @ X.inv()), np.eye(4))
    close(homogeneous(X.inv() @ X), np.eye(4))
    close(homogeneous(X.inv() @ Y.inv()), homogeneous((Y @ X).inv()))
    same((X @ Y) @ m, X @ (Y @ m))
    same(X.inv() @ (X @ m), m)


@pytest.mark.covers("BODY-01")
def test_a_pose_rejects_what_it_cannot_move() -> None:
    for X in (Pose.identity(), Pose.identity().inv()):
        with pytest.raises(TypeError, match="Vec3"):
            X @ Vec3.zero()
    with pytest.raises(FrameError, match="exp"):
        Pose.exp(Tagged(Motion.zero(), "world", "body"))


@pytest.mark.covers("BODY-01")
def test_a_turn_about_a_line_keeps_the_line() -> None:
    point, axis = Vec3(1.0, 2.0, 3.0), Vec3(0.6, 0.0, 0.8)
    X = Pose.rotation(axis, 2.0, point)
    same(X * (point + axis * 5.0), point + axis * 5.0)


@pytest.mark.covers("BODY-01")
def test_poses_run_batched_compiled_and_symbolically() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 9))

    def moved(t: list, p: list) -> Vec3:
        X = Pose.exp(Motion.of(t))
        return (X @ X.inv() @ X) * Vec3.of(p)

    expected = np.array([array(moved(row[:6], row[6:])) for row in rows])
    close(np.stack(list(moved(list(rows[:, :6].T), list(rows[:, 6:].T))), axis=1), expected)
    close(sixvec.compiled("t[6] p[3] -> q[3]")(moved)(rows[:, :6], rows[:, 6:]), expected)

    angle, x = sympy.symbols("angle x", real=True)
    X = Pose(Rotation.about(Vec3(0, 0, 1), angle), Vec3(x, 0, 0))
    product = sympy.Matrix((X @ X.inv()).as_matrix()).applyfunc(lambda e: sympy.nsimplify(sympy.simplify(e)))
    assert product == sympy.eye(4)
