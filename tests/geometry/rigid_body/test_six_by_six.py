"""Featherstone's 6x6 arithmetic, ad and the Lie bracket, and the twist-wrench form of the equations of motion."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import sympy
from hypothesis import given
from hypothesis import strategies as st

import sixvec
from body_samples import array, close, forces, homogeneous, laws, motions, numbers, poses, random_motions, same, vectors
from matrices import spatial_inertia
from naming import named
from sixvec.errors import FrameError
from sixvec.geometry.rigid_body.newton_euler import newton_euler
from sixvec.spatial import Force, Motion, Pose, RigidInertia, Sym3, Vec3
from sixvec.spatial.six_matrix import (
    SixMatrix,
    XtoV,
    crf,
    crm,
    force_transform,
    identity,
    inertia_matrix,
    mcI,
    motion_transform,
    rotx,
    roty,
    rotz,
    xlt,
)


def six(M: SixMatrix) -> np.ndarray:
    return np.array(list(M), dtype=float)


ELEMENTARY = [(rotx, Vec3(1.0, 0.0, 0.0)), (roty, Vec3(0.0, 1.0, 0.0)), (rotz, Vec3(0.0, 0.0, 1.0))]


@pytest.mark.covers("BODY-34")
@pytest.mark.parametrize(("rot", "axis"), ELEMENTARY)
@given(numbers)
@laws
def test_rotx_roty_rotz_are_coordinate_transforms(rot, axis: Vec3, angle: float) -> None:
    close(six(rot(angle)), six(motion_transform(Pose.rotation(axis, angle).inv())))
    generator = six(crm(Motion(axis, Vec3.zero())))
    close(six(rot(angle)), scipy.linalg.expm(-angle * generator))


@pytest.mark.covers("BODY-34")
@given(vectors)
@laws
def test_xlt_is_a_coordinate_transform(r: Vec3) -> None:
    close(six(xlt(r)), six(motion_transform(Pose.translation(r).inv())))
    close(six(xlt(r)), scipy.linalg.expm(-six(crm(Motion(Vec3.zero(), r)))))


@pytest.mark.covers("BODY-34", "Rodriguez-Kreutz (3.1)-(3.3)")
@given(poses, poses, motions, forces)
@laws
def test_transforms_of_motions_and_forces(X: Pose, Y: Pose, V: Motion, F: Force) -> None:
    same(motion_transform(X) @ V, X @ V, 1e-11)
    same(force_transform(X) @ F, X @ F, 1e-11)
    close(six(motion_transform(X @ Y)), six(motion_transform(X).product(motion_transform(Y))), 1e-11)
    assert np.linalg.det(six(motion_transform(X))) == pytest.approx(1.0)
    # S⁻¹ = Δ Sᵀ Δ, and forces transform by S⁻ᵀ.
    close(six(motion_transform(X).spatial_transpose), six(motion_transform(X.inv())), 1e-11)
    close(six(force_transform(X)), six(motion_transform(X.inv()).T), 1e-11)


@pytest.mark.covers("BODY-34", "Bruyninckx (4.34)", "Lynch-Park (9.26)", "Lynch-Park (9.28)-(9.31)")
@given(motions, motions, forces)
@laws
def test_crm_and_crf_are_the_cross_products(V: Motion, W: Motion, F: Force) -> None:
    same(crm(V) @ W, V.cross(W))
    same(crf(V) @ F, V.cross(F))
    close(six(crf(V)), -six(crm(V)).T)
    close(six(crf(V)), six(-(crm(V).T)))
    assert crm(V).T.source is Force


@pytest.mark.covers("BODY-34", "Bruyninckx (4.83)", "Lynch-Park (9.23)", "Rodriguez-Kreutz (2.15)")
@given(vectors, st.floats(0.1, 5.0), vectors)
@laws
def test_mcI_is_the_inertia_of_particles(c: Vec3, mass: float, size: Vec3) -> None:
    rot = Sym3.diagonal(size.y**2 + size.z**2, size.x**2 + size.z**2, size.x**2 + size.y**2) * mass
    # Six particles at c ± √3 size along each axis have this inertia about c.
    expected = np.zeros((6, 6))
    for k, extent in enumerate(array(size)):
        for sign in (-1.0, 1.0):
            r = array(c) + sign * np.sqrt(3.0) * extent * np.eye(3)[k]
            cross = six(crm(Motion(Vec3.of(r), Vec3.zero())))[:3, :3]
            jacobian = np.hstack([-cross, np.eye(3)])
            expected += mass / 6.0 * jacobian.T @ jacobian
    close(six(mcI(mass, c, rot)), expected, 1e-11)
    inertia = RigidInertia.from_center_of_mass(mass, c, rot)
    close(six(inertia_matrix(inertia)), spatial_inertia(list(inertia)), 1e-12)


@pytest.mark.covers("BODY-34", "Featherstone (15)")
@given(poses)
@laws
def test_XtoV_is_invariant(X: Pose) -> None:
    transform = motion_transform(X.inv())
    same(transform @ XtoV(transform), XtoV(transform), 1e-11)


@pytest.mark.covers("BODY-34")
def test_the_error_of_XtoV_falls_quadratically() -> None:
    V = Motion.of([0.3, -0.5, 0.8, 1.0, 2.0, -1.0])
    errors = []
    for h in (0.2, 0.1, 0.05):
        approximate = XtoV(motion_transform(Pose.exp(V * h).inv()))
        errors.append(np.abs(array(approximate) - array(V * h)).max() / h)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.05)
    same(XtoV(xlt(V.lin)), Motion(Vec3.zero(), V.lin))


@pytest.mark.covers("BODY-37")
@given(motions, motions, motions, poses)
@laws
def test_the_lie_bracket(A: Motion, B: Motion, C: Motion, X: Pose) -> None:
    same(A.cross(A), Motion.zero())
    same(A.cross(B), -B.cross(A))
    jacobi = A.cross(B.cross(C)) + B.cross(C.cross(A)) + C.cross(A.cross(B))
    same(jacobi, Motion.zero(), 1e-10)
    same((X @ A).cross(X @ B), X @ A.cross(B), 1e-10)
    commutator = np.array(A.as_matrix()) @ np.array(B.as_matrix()) - np.array(B.as_matrix()) @ np.array(A.as_matrix())
    close(np.array(A.cross(B).as_matrix()), commutator, 1e-11)
    close(six(crm(A.cross(B))), six(crm(A)) @ six(crm(B)) - six(crm(B)) @ six(crm(A)), 1e-11)


@pytest.mark.covers("BODY-37")
@given(motions, motions, forces)
@laws
def test_ad_transpose_is_dual_to_ad(V: Motion, W: Motion, F: Force) -> None:
    ad = crm(V)
    assert (ad @ W).dot(F) == pytest.approx(W.dot(ad.T @ F), abs=1e-9)
    same(ad.T @ F, -V.cross(F))


@pytest.mark.covers("BODY-37")
def test_twist_wrench_form_against_particles() -> None:
    """F = G V̇ - ad(V)ᵀ G V is the rate of momentum of a cloud of particles, in the body's frame and in the world's."""
    rng = np.random.default_rng(3)
    points, masses = rng.normal(size=(7, 3)), rng.uniform(0.5, 2.0, 7)
    V, A = (Motion.of(row) for row in random_motions(12, 2))
    body = RigidInertia.zero()
    expected = np.zeros(6)
    for r, m in zip(points, masses):
        body = body + RigidInertia.from_center_of_mass(m, Vec3.of(r), Sym3.zero())
        w, a = np.array(V.as_matrix()), np.array(A.as_matrix())
        acceleration = ((a + w @ w) @ [*r, 1.0])[:3]  # d²/dt² of exp(V t + ½ A t²) r at t = 0
        expected += m * np.array([*np.cross(r, acceleration), *acceleration])
    G = inertia_matrix(body)
    F = G @ A - crm(V).T @ (G @ V)
    close(array(F), expected)
    same(F, newton_euler(body, V, A))
    X = Pose.exp(Motion.of(random_motions(13, 1)[0]))
    moved = (X @ G) @ (X @ A) - crm(X @ V).T @ ((X @ G) @ (X @ V))
    same(moved, X @ F, 1e-11)


@pytest.mark.covers("BODY-34", "BODY-37", "Bruyninckx (5.13)")
def test_matrices_know_what_they_map() -> None:
    V = Motion.of([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    G = mcI(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
    with pytest.raises(FrameError, match=named("Motion", "Force")):
        G @ Force.zero()
    with pytest.raises(FrameError, match=named("Motion", "Force")):
        G.product(G)
    with pytest.raises(FrameError, match=named("Motion", "Force")):
        G + crm(V)
    same((G + G * -1.0) @ V, Force.zero())
    same((identity(Motion) - identity(Motion)) @ V, Motion.zero())
    close(np.array(crm(V).linear_first), np.roll(six(crm(V)), (3, 3), (0, 1)))


@pytest.mark.covers("BODY-34")
@given(poses, motions)
@laws
def test_matrices_change_frame_with_what_they_map(X: Pose, V: Motion) -> None:
    body = RigidInertia.from_center_of_mass(2.0, Vec3(0.1, 0.2, 0.3), Sym3(1.0, 0.1, 0.2, 2.0, 0.3, 1.5))
    G = inertia_matrix(body)
    close(six(X @ G), six(inertia_matrix(X @ body)), 1e-10)
    close(six(X.inv() @ (X @ G)), six(G), 1e-10)
    close(six(X @ crm(V)), six(crm(X @ V)), 1e-10)
    assert homogeneous(X).shape == (4, 4)


@pytest.mark.covers("BODY-34")
def test_six_by_six_runs_batched_compiled_and_symbolically() -> None:
    rows = random_motions(14, 4)

    def results(v: list) -> list:
        V = Motion.of(v)
        X = rotx(v[0]).product(roty(v[1])).product(rotz(v[2])).product(xlt(V.lin))
        return [*XtoV(X), *(X @ V), *(crf(V).T @ V), *(mcI(2.0, V.ang, Sym3.diagonal(1.0, 2.0, 3.0)) @ V)]

    expected = np.array([results(list(row)) for row in rows])
    close(np.stack(results(list(rows.T)), axis=1), expected)
    close(sixvec.compiled("v[6] -> out[24]")(results)(rows), expected)
    V = Motion.of(sympy.symbols("a b c x y z"))
    assert (sympy.Matrix(list(crf(V))) + sympy.Matrix(list(crm(V))).T).is_zero_matrix
