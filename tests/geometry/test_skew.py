"""skew and unskew, with proofs."""

from __future__ import annotations

import pytest
import sympy
from geometry_kinds import close, near, poses, random_rows, same_on_all_scalars, vectors
from hypothesis import given, settings

from sixvec.errors import DegenerateError
from sixvec.geometry.skew import axial_vector, skew, unskew
from sixvec.spatial import Mat3, Pose, Vec3

few = settings(deadline=None, max_examples=40)


@pytest.mark.covers("GEO-04")
def test_proofs() -> None:
    m, x = Vec3(*sympy.symbols("m:3")), Vec3(*sympy.symbols("x:3"))
    M = skew(m)
    assert all(sympy.expand(a) == 0 for a in M @ x - m.cross(x))
    assert all(a.equals(0) for a in map(sympy.sympify, M.T + M))
    assert all(sympy.expand(a) == 0 for a in M @ m)
    assert all(sympy.expand(a) == 0 for a in M.product(M).product(M) + M * m.dot(m))
    assert sympy.Matrix(3, 3, list(M)).det().expand() == 0


@pytest.mark.covers("GEO-04", "Bruyninckx (2.5)", "Lynch-Park (9.27)")
@few
@given(vectors, poses())
def test_it_turns_with_the_vector_and_can_be_undone(m: Vec3, X: Pose) -> None:
    near(X.rot.turn(skew(m)), skew(X.rot @ m), 10.0)
    assert unskew(skew(m)) == m


@pytest.mark.covers("GEO-04")
def test_only_skew_matrices_are_vectors() -> None:
    general = Mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
    with pytest.raises(DegenerateError, match="axial_vector"):
        unskew(general)
    close(axial_vector(general), [1.0, -2.0, 1.0])


def test_on_all_scalars() -> None:
    same_on_all_scalars("m[3] -> y[3]", lambda m: unskew(skew(Vec3.of(m))), random_rows(3))
    same_on_all_scalars("m[9] -> y[3]", lambda m: axial_vector(Mat3(*m)), random_rows(9))
