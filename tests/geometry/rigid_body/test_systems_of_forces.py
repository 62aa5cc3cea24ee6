"""Wrenches: shift, transform, both orders, resultants, Poinsot's axis, power and reciprocal spaces."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.linalg
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

import sixvec
from body_samples import array, close, forces, laws, motions, poses, random_motions, same, vectors
from naming import named
from sixvec.errors import FrameError
from sixvec.geometry.rigid_body.twist import CentralAxis
from sixvec.geometry.rigid_body.wrench import are_reciprocal, poinsot, reciprocal_twists, reciprocal_wrenches, resultant
from sixvec.spatial import Force, Motion, Pose, Rotation, Vec3
from sixvec.spatial.six_matrix import force_transform, motion_transform


@pytest.mark.covers("BODY-09", "Bruyninckx (4.19)", "Bruyninckx (4.41)")
@given(vectors, vectors, vectors)
@laws
def test_the_moment_about_another_point(f: Vec3, r: Vec3, to: Vec3) -> None:
    F = Force.at_point(f, r)
    same(F.shifted(to), Force((r - to).cross(f), f), 1e-11)
    # Bruyninckx §4.3: m2 = m1 + r21 × f, with r21 from point 2 to point 1.
    r21 = Vec3.zero() - to
    same(F.shifted(to).ang, F.ang + r21.cross(f), 1e-11)


@pytest.mark.covers("BODY-09", "Bruyninckx (4.20)")
@given(forces, poses)
@laws
def test_a_wrench_in_another_frame(F: Force, X: Pose) -> None:
    p = X.pos
    same(X @ F, (Pose(X.rot, Vec3.zero()) @ F).shifted(-p), 1e-11)
    close(array(X @ F), np.array(list(force_transform(X))) @ array(F), 1e-11)
    same(X.inv() @ (X @ F), F, 1e-11)


@pytest.mark.covers("BODY-09", "Bruyninckx (4.21)", "Bruyninckx (4.84)")
@given(forces, poses)
@laws
def test_force_first_wrenches_transform_like_twists(F: Force, X: Pose) -> None:
    """In the order (f; m) the matrix is S itself; in (m; f) it is Δ S Δ = S⁻ᵀ, which the book equates with S⁻¹."""
    S = np.array(list(motion_transform(X)))
    close((X @ F).linear_first, S @ F.linear_first, 1e-11)
    close(np.array(force_transform(X).linear_first), S)
    close(np.array(list(force_transform(X))), np.linalg.inv(S).T, 1e-11)
    close(np.array(list(motion_transform(X).spatial_transpose)), np.linalg.inv(S), 1e-11)
    assert Force.from_linear_first(F.linear_first) == F


@pytest.mark.covers("BODY-13")
@given(st.lists(st.tuples(vectors, vectors), min_size=1, max_size=5), st.lists(vectors, max_size=2))
@laws
def test_poinsot_replaces_any_system_of_forces(system: list, couples: list) -> None:
    total = np.zeros(6)
    for f, r in system:
        total += [*np.cross(array(r), array(f)), *f]
    for n in couples:
        total[:3] += array(n)
    F = resultant(system, couples)
    close(array(F), total, 1e-11)
    axis = poinsot(system, couples)
    assume(axis.magnitude > 0.1)
    same(axis.as_force(), F, 1e-10)
    assert axis.along.cross(axis.vector).norm() < 1e-9
    assert abs(axis.point.dot(axis.vector)) < 1e-9
    same(F.shifted(axis.point).ang, axis.along, 1e-10)


@pytest.mark.covers("BODY-13")
def test_a_couple_has_no_axis() -> None:
    z, x = Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0)
    axis = poinsot([(z, x), (-z, -x)])
    assert axis.vector == Vec3.zero() and axis.point == Vec3.zero()
    assert axis.along == Vec3(0.0, -2.0, 0.0)
    assert axis.pitch == math.inf


@pytest.mark.covers("BODY-13")
@given(motions)
@laws
def test_twists_and_wrenches_are_dual(V: Motion) -> None:
    """The same six numbers read as a wrench (force in place of ω) have the same central axis."""
    assert CentralAxis.of_motion(V) == CentralAxis.of_force(Force(V.lin, V.ang))


@pytest.mark.covers("BODY-12", "Bruyninckx (4.25)-(4.27)")
@given(motions, forces, motions, forces, poses)
@laws
def test_power_is_bilinear_and_the_same_in_every_frame(V: Motion, F: Force, W: Motion, G: Force, X: Pose) -> None:
    assert V.dot(F) == pytest.approx((X @ V).dot(X @ F), abs=1e-9)
    assert F.dot(V) == V.dot(F)
    assert (V + W).dot(F + G * 2.0) == pytest.approx(V.dot(F) + W.dot(F) + 2.0 * (V.dot(G) + W.dot(G)), abs=1e-10)
    assert V.shifted(X.pos).dot(F.shifted(X.pos)) == pytest.approx(V.dot(F), abs=1e-9)
    # tᵀ Δ F with the force first
    assert np.dot(array(V), np.roll(F.linear_first, 3)) == pytest.approx(V.dot(F), abs=1e-11)


@pytest.mark.covers("BODY-12")
def test_power_rejects_two_of_a_kind() -> None:
    with pytest.raises(TypeError, match=named("Motion", "Force")):
        Motion.zero().dot(Motion.zero())
    with pytest.raises(FrameError, match="Force"):
        reciprocal_wrenches([Force.zero()])


@pytest.mark.covers("BODY-12", "Bruyninckx (4.28)")
@pytest.mark.parametrize(("n", "rank"), [(n, rank) for n in range(8) for rank in range(min(n, 6) + 1)])
def test_reciprocal_spaces_have_the_complementary_dimension(n: int, rank: int) -> None:
    rng = np.random.default_rng(10 * n + rank)
    columns = rng.normal(size=(6, rank)) @ rng.normal(size=(rank, n))
    twists = [Motion.of(c) for c in columns.T]
    wrenches = reciprocal_wrenches(twists)
    assert len(wrenches) == 6 - rank
    assert all(abs(t.dot(w)) < 1e-13 * (1.0 + np.abs(columns).max()) for t in twists for w in wrenches)
    assert all(are_reciprocal(t, w, 1e-10) for t in twists for w in wrenches)
    if wrenches:
        W = np.array([array(w) for w in wrenches])
        close(W @ W.T, np.eye(len(W)), 1e-14)
    back = reciprocal_twists(wrenches)
    assert len(back) == rank
    if rank:
        angles = scipy.linalg.subspace_angles(np.array([array(t) for t in back]).T, scipy.linalg.orth(columns))
        assert angles.max() < 1e-7


@pytest.mark.covers("BODY-12")
def test_the_span_does_not_depend_on_the_frame() -> None:
    twists = [Motion.of(row) for row in random_motions(4, 3)]
    X = Pose.exp(Motion.of(random_motions(5, 1)[0]))
    here = np.array([array(X @ w) for w in reciprocal_wrenches(twists)]).T
    there = np.array([array(w) for w in reciprocal_wrenches([X @ t for t in twists])]).T
    assert scipy.linalg.subspace_angles(here, there).max() < 1e-7


@pytest.mark.covers("BODY-12")
def test_a_five_axis_arm_bears_one_wrench_without_motors() -> None:
    rng = np.random.default_rng(6)
    joints = [Motion(Vec3.of(e), Vec3.of(p).cross(Vec3.of(e))) for e, p in rng.normal(size=(5, 2, 3))]
    (wrench,) = reciprocal_wrenches(joints)
    assert all(abs(j.dot(wrench)) < 1e-13 for j in joints)


@pytest.mark.covers("BODY-12")
def test_a_scara_bears_moments_about_x_and_y() -> None:
    z = Vec3(0.0, 0.0, 1.0)
    turns = [Motion(z, Vec3(x, y, 0.0).cross(z)) for x, y in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))]
    wrenches = reciprocal_wrenches([*turns, Motion(Vec3.zero(), z)])
    span = np.array([array(w) for w in wrenches])
    assert span.shape == (2, 6)
    close(span[:, 2:], np.zeros((2, 4)))


@pytest.mark.covers("BODY-09", "BODY-12", "BODY-13")
def test_wrenches_run_batched_and_compiled() -> None:
    rows = np.random.default_rng(8).normal(size=(5, 18))

    def results(x: list) -> list:
        f, r, t = Vec3.of(x[:3]), Vec3.of(x[3:6]), [Motion.of(x[6:12]), Motion.of(x[12:])]
        axis = poinsot([(f, r)], [t[0].lin])
        power = [w.dot(t[0]) for w in reciprocal_wrenches(t)]
        basis = [a for w in reciprocal_wrenches(t) for a in w]
        return [*axis.point, *axis.along, *Force.at_point(f, r).shifted(t[1].lin), *power, *basis]

    compiled = sixvec.compiled("x[18] -> out[40]")(results)(rows)
    close(np.stack(results(list(rows.T)), axis=1), compiled, 1e-11)
    plain = np.array([results(list(row)) for row in rows])
    close(plain, compiled, 1e-11)
    close(compiled[:, 12:16], np.zeros((5, 4)))


@pytest.mark.covers("BODY-12")
def test_power_is_invariant_symbolically() -> None:
    a, x, y, z = sympy.symbols("a x y z", real=True)
    V, F = Motion.of(sympy.symbols("v0:6", real=True)), Force.of(sympy.symbols("f0:6", real=True))
    X = Pose(Rotation.about(Vec3(0, 0, 1), a), Vec3(x, y, z))
    assert sympy.simplify(sympy.nsimplify((X @ V).dot(X @ F) - V.dot(F))) == 0
