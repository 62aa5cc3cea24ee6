"""The 6x6 matrix of a pose: inverse, spatial transpose, small displacements."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from geometry_kinds import matrix, near, poses, random_rows, same_on_all_scalars, screws
from hypothesis import given, settings

from sixvec.geometry.screw import Screw
from sixvec.geometry.screw_transform import ScrewTransform
from sixvec.spatial import Mat3, Pose, Quaternion, Vec3

few = settings(deadline=None, max_examples=40)
DELTA = np.roll(np.eye(6), 3, axis=1)


@pytest.mark.covers("GEO-16", "GEO-17", "Bruyninckx (2.27)")
@few
@given(poses(), poses(), screws)
def test_the_matrix_of_a_pose(X: Pose, Y: Pose, s: Screw) -> None:
    S = ScrewTransform.from_pose(X)
    M = matrix(S.as_matrix())
    near(S @ s, X @ s, 100.0)
    near(M @ list(s), list(X @ s), 100.0)
    near(np.linalg.det(M), 1.0, 100.0)
    composed = S @ ScrewTransform.from_pose(Y)
    near(matrix(composed.as_matrix()), matrix(ScrewTransform.from_pose(X @ Y).as_matrix()), 100.0)
    near(M[:3, 3:], np.zeros((3, 3)))


@pytest.mark.covers("GEO-17", "Bruyninckx (2.28)-(2.29)", "Bruyninckx (2.31)-(2.32)")
@few
@given(poses(), screws, screws)
def test_inverse_is_the_spatial_transpose(X: Pose, a: Screw, b: Screw) -> None:
    S = ScrewTransform.from_pose(X)
    M = matrix(S.as_matrix())
    near(matrix(S.spatial_transpose().as_matrix()), DELTA @ M.T @ DELTA)
    near(matrix(S.inv().as_matrix()), np.linalg.inv(M), 1e3)
    near(matrix((S.inv() @ S).as_matrix()), np.eye(6), 1e3)
    near(matrix(S.inv().as_matrix()), matrix(ScrewTransform.from_pose(X.inv()).as_matrix()), 100.0)
    # On vectors in the order (m; d) the inverse transpose acts, not the inverse.
    near(matrix(S.swapped.as_matrix()), np.linalg.inv(M).T, 1e3)
    near((S @ a).reciprocal(b), a.reciprocal(S.spatial_transpose() @ b), 1e4)


@pytest.mark.covers("GEO-17")
def test_spatial_transpose_of_any_matrix_proved() -> None:
    A, B, C, D = (Mat3(*sympy.symbols(f"{name}:9")) for name in "abcd")
    X = ScrewTransform(A, B, C, D)
    S = X.spatial_transpose()
    assert (S.dd, S.dm, S.md, S.mm) == (D.T, B.T, C.T, A.T)
    a, b = Screw.of(sympy.symbols("x:6")), Screw.of(sympy.symbols("y:6"))
    assert sympy.expand(a.reciprocal(X @ b) - (S @ a).reciprocal(b)) == 0


@pytest.mark.covers("GEO-17")
@few
@given(screws, screws)
def test_small_displacements(t: Screw, s: Screw) -> None:
    small = ScrewTransform.infinitesimal(t)
    near(small @ s - s, t.cross(s), 1e3)
    # S_Δ(ε t) is S(exp ε t) to first order: the error falls with ε².
    errors = []
    for e in (1e-3, 5e-4):
        exact = ScrewTransform.from_pose(Pose.exp((t * e).as_motion()))
        gap = matrix(exact.as_matrix()) - matrix(ScrewTransform.infinitesimal(t * e).as_matrix())
        errors.append(np.abs(gap).max())
    assert 0.24 < errors[1] / errors[0] < 0.26


@pytest.mark.covers("GEO-17", "Bruyninckx (2.33)")
def test_they_commute_and_add_to_first_order() -> None:
    e = 1e-6
    a, b = (Screw.of((row * e).tolist()) for row in random_rows(6)[:2])
    product = matrix((ScrewTransform.infinitesimal(a) @ ScrewTransform.infinitesimal(b)).as_matrix())
    near(product, matrix(ScrewTransform.infinitesimal(a + b).as_matrix()), e * e, tolerance=20.0)


def test_only_screws_and_transforms() -> None:
    with pytest.raises(TypeError, match="ScrewTransform"):
        ScrewTransform.identity() @ Vec3(1.0, 0.0, 0.0)  # type: ignore[operator]


def test_on_all_scalars() -> None:
    def transform(r: list[float], p: list[float]) -> list[float]:
        X = Pose(Quaternion.exp(Vec3.of(r)).as_rotation(), Vec3.of(p))
        return [x for row in ScrewTransform.from_pose(X).inv().as_matrix() for x in row]

    same_on_all_scalars("r[3] p[3] -> y[36]", transform, random_rows(3, 1), random_rows(3, 2))
