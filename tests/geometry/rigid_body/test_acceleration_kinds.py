"""Accelerations of points, as matrices and as six numbers of two kinds; derivatives of screws and Jacobians."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given

import sixvec
from body_samples import array, close, homogeneous, laws, motions, poses, random_motions, same, vectors
from differences import derivative
from naming import named
from sixvec.errors import ArgumentError, FrameError
from sixvec.geometry.rigid_body.acceleration_kinds import acceleration_in_kind, body_fixed_rate, jacobian_rate
from sixvec.spatial import AccelerationField, Motion, Pose, Tagged, TaggedPose, Vec3

SPATIAL, CLASSICAL = "spatial acceleration", "classical acceleration"


def in_world(value: Motion, kind: str | None = None) -> Tagged[Motion]:
    return Tagged(value, "W", "W", kind=kind)


def classical_of(A: Motion, V: Motion) -> Tagged[Motion]:
    return acceleration_in_kind(in_world(A, SPATIAL), CLASSICAL, in_world(V))


def pose_rates(X: Pose, V: Motion, A: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Ẋ and Ẍ, from the matrices: Ẋ = v X and Ẍ = (a + v v) X."""
    v, a = np.array(V.as_matrix()), np.array(A.as_matrix())
    return v @ homogeneous(X), (a + v @ v) @ homogeneous(X)


@pytest.mark.covers("BODY-15", "Bruyninckx (4.32)")
@given(poses, motions, motions, vectors)
@laws
def test_the_field_of_accelerations(X: Pose, V: Motion, A: Motion, r: Vec3) -> None:
    rate, second = pose_rates(X, V, A)
    field = AccelerationField.from_motion(V, A)
    close(np.array(field.as_matrix()), second @ np.linalg.inv(homogeneous(X)), 1e-10)
    close(np.array(field.pose_second_rate(X)), second, 1e-10)
    close(array(field.at(r)), (second @ np.linalg.inv(homogeneous(X)) @ [*r, 1.0])[:3], 1e-10)
    found = AccelerationField.from_pose_rates(X, rate, second)
    for a, b in ((found.ang_velocity, V.ang), (found.ang, A.ang), (found.lin, field.lin)):
        same(a, b, 1e-9)
    same(field.rate(V.lin), A, 1e-11)


@pytest.mark.covers("BODY-15", "Bruyninckx (4.30)")
def test_point_acceleration_by_differences() -> None:
    """Along exp(V t + ½ A t²) the spatial acceleration at t = 0 is A: dexp gives V + A t + O(t²) there."""
    V, A = (Motion.of(row) for row in random_motions(20, 2))
    X, r = Pose.exp(Motion.of(random_motions(21, 1)[0])), Vec3(0.3, -0.2, 0.9)

    def place(t: float) -> np.ndarray:
        return array(Pose.exp(V * t + A * (0.5 * t * t)) * (X * r))

    second = derivative(lambda t: derivative(lambda s: place(t + s)))
    close(array(AccelerationField.from_motion(V, A).at(X * r)), second, 1e-6)


@pytest.mark.covers("BODY-15")
def test_a_merry_go_round_pulls_inward() -> None:
    field = AccelerationField.from_motion(Motion(Vec3(0.0, 0.0, 2.0), Vec3.zero()), Motion.zero())
    same(field.at(Vec3(3.0, 0.0, 7.0)), Vec3(-12.0, 0.0, 0.0))


@pytest.mark.covers("BODY-15", "Lynch-Park (9.16)")
@given(motions, motions, poses)
@laws
def test_the_two_kinds(V: Motion, A: Motion, X: Pose) -> None:
    classical, field = classical_of(A, V), AccelerationField.from_motion(V, A)
    same(acceleration_in_kind(classical, SPATIAL, in_world(V)).value, A, 1e-11)
    assert acceleration_in_kind(classical, CLASSICAL, in_world(V)) == classical
    same(classical.value.lin, field.lin)
    assert AccelerationField(V.ang, classical.value.ang, classical.value.lin) == field
    # Move the spatial one and the velocity, then convert: the same as the field at the other origin.
    X_UW = TaggedPose(X, "U", "W")
    moved = X_UW @ in_world(A, SPATIAL)
    there = acceleration_in_kind(moved, CLASSICAL, X_UW @ in_world(V)).value
    same(there.ang, (X @ field).ang, 1e-11)
    same(there.lin, (X @ field).lin, 1e-9)
    same((X_UW.inv() @ moved).value, A, 1e-11)
    # At another point of the body: the spatial one and the twist shift, then convert.
    r, w = X.pos, V.ang
    at_r = [in_world(x, kind).at_point("r", Tagged(r, "W")) for x, kind in ((A, SPATIAL), (V, None))]
    material = acceleration_in_kind(at_r[0], CLASSICAL, at_r[1]).value
    same(material.lin, A.lin + A.ang.cross(r) + w.cross(V.lin + w.cross(r)), 1e-10)
    same(material.lin, field.at(r), 1e-10)


@pytest.mark.covers("BODY-15")
def test_kinds_of_acceleration_do_not_mix() -> None:
    ones = Motion.of([1.0] * 6)
    spatial, classical, twist = in_world(ones, SPATIAL), in_world(ones, CLASSICAL), in_world(ones)
    with pytest.raises(FrameError, match=named("spatial", "classical")):
        spatial + classical
    with pytest.raises(FrameError, match=named("spatial", "classical")):
        classical - spatial
    with pytest.raises(FrameError, match=named("spatial", "Motion")):
        spatial + twist
    for X in (TaggedPose(Pose.identity(), "U", "W"), TaggedPose(Pose.identity(), "W", "U").inv()):
        with pytest.raises(FrameError, match="angular"):
            X @ classical
    with pytest.raises(FrameError, match="angular"):
        classical.at_point("B", Tagged(Vec3.zero(), "W"))
    for A, V in ((twist, twist), (spatial, spatial), (spatial, Tagged(ones, "W", "B"))):
        with pytest.raises(FrameError, match="acceleration"):
            acceleration_in_kind(A, CLASSICAL, V)
    with pytest.raises(ArgumentError, match="centripetal"):
        in_world(ones, "centripetal acceleration")
    assert spatial + spatial == spatial * 2.0


@pytest.mark.covers("BODY-17", "Bruyninckx (4.33)")
@given(motions, motions)
@laws
def test_the_rate_of_a_screw_fixed_in_a_body(V: Motion, s: Motion) -> None:
    rate = derivative(lambda t: array(Pose.exp(V * t) @ s))
    close(array(body_fixed_rate(V, s)), rate, 1e-7)


def chain(q: np.ndarray) -> list[Motion]:
    """The screws of a serial arm in fixed coordinates: joint i is moved by all joints before it."""
    screws = [Motion.of(row) for row in random_motions(30, len(q))]
    X, columns = Pose.identity(), []
    for s, angle in zip(screws, q):
        columns.append(X @ s)
        X = X @ Pose.exp(s * angle)
    return columns


@pytest.mark.covers("BODY-17")
def test_the_rate_of_a_jacobian() -> None:
    rng = np.random.default_rng(31)
    q, qd, qdd = 0.5 * rng.normal(size=(3, 5))
    rate = derivative(lambda t: np.array([array(c) for c in chain(q + t * qd)]))
    columns = chain(q)
    found = np.array([array(c) for c in jacobian_rate(columns, qd)])
    close(found, rate, 1e-7)

    # ṫ = J q̈ + J̇ q̇ is the spatial acceleration of the last body.
    def twist(t: float) -> np.ndarray:
        return np.array([array(c) for c in chain(q + t * qd + 0.5 * t * t * qdd)]).T @ (qd + t * qdd)

    close(np.array([array(c) for c in columns]).T @ qdd + found.T @ qd, derivative(twist), 1e-7)


@pytest.mark.covers("BODY-15", "BODY-17")
def test_accelerations_run_batched_and_compiled() -> None:
    rows = np.random.default_rng(32).normal(size=(4, 12))

    def results(x: list) -> list:
        V, A = Motion.of(x[:6]), Motion.of(x[6:])
        field = AccelerationField.from_motion(V, A)
        columns = jacobian_rate([V, A, V + A], [1.0, x[0], 2.0])
        X = Pose.exp(A)
        second = [a for row in field.pose_second_rate(X)[:3] for a in row]
        classical = classical_of(A, V)
        return [*field.at(V.lin), *classical, *columns[1], *columns[2], *second]

    expected = np.array([results(list(row)) for row in rows])
    close(np.stack(results(list(rows.T)), axis=1), expected, 1e-11)
    close(sixvec.compiled("x[12] -> out[33]")(results)(rows), expected, 1e-11)


@pytest.mark.covers("BODY-16")
def test_the_determinant_of_the_tensor_symbolically() -> None:
    w, a = Vec3.of(sympy.symbols("w0:3")), Vec3.of(sympy.symbols("a0:3"))
    U = sympy.Matrix(3, 3, list(AccelerationField(w, a, Vec3.zero()).tensor))
    n = w.cross(a)
    assert sympy.expand(U.det() + n.dot(n)) == 0
