"""Rotating an inertia, moving its origin, and the frame in which it is diagonal, repeated moments included."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import sixvec
from cloud import full, matrix, random_cloud
from random_trees import random_pose
from sixvec.geometry.rigid_body.consistency import pseudo_inertia
from sixvec.geometry.rigid_body.principal import principal_axes, principal_frame
from sixvec.spatial import Mat3, Pose, Quaternion, RigidInertia, Rotation, Sym3, Vec3
from tolerances import ROUNDING, assert_close

BACKWARD = 1e-14
"""How well R diag Rᵀ restores the matrix, relative to its largest moment: some ten roundings, or three moments that
differ by less than SAME_MOMENT of their sum and count as one."""


def random_rotation(rng: np.random.Generator) -> Rotation:
    return Quaternion(*rng.normal(size=4).tolist()).normalized().as_rotation()


def spectrum(moments: list[float], rng: np.random.Generator) -> Sym3:
    return random_rotation(rng).turn_symmetric(Sym3.diagonal(*moments))


def check(S: Sym3) -> Vec3:
    """S = R diag Rᵀ with a right-handed R and ascending moments, which are also LAPACK's."""
    axes = principal_axes(S)
    R, m = np.array([[*row] for row in axes.rot.matrix.rows]), np.array([*axes.moments])
    scale = max(abs(m).max(), 1e-300)
    assert abs(R.T @ R - np.eye(3)).max() < BACKWARD
    assert np.linalg.det(R) > 0.0
    assert abs(R @ np.diag(m) @ R.T - full(S)).max() < BACKWARD * scale
    assert (np.diff(m) > -BACKWARD * scale).all()
    assert abs(m - np.linalg.eigvalsh(full(S))).max() < BACKWARD * scale
    return axes.moments


entry = st.floats(-10.0, 10.0).map(lambda x: x if abs(x) > 1e-100 else 0.0)


@given(st.lists(entry, min_size=6, max_size=6))
@settings(deadline=None, max_examples=200)
@pytest.mark.covers("BODY-22")
def test_any_symmetric_matrix(entries: list[float]) -> None:
    check(Sym3(*entries))


@pytest.mark.parametrize("gap", [0.0, 1e-17, 1e-15, 1e-13, 1e-10, 1e-8, 1e-4])
@pytest.mark.parametrize("side", ["low", "high", "all"])
@pytest.mark.covers("BODY-22")
def test_equal_and_nearly_equal_moments(gap: float, side: str) -> None:
    rng = np.random.default_rng(5)
    pattern = {"low": [1.0, 1.0 + gap, 3.0], "high": [1.0, 3.0, 3.0 + gap], "all": [1.0, 1.0 + gap, 1.0 + 2 * gap]}
    for _ in range(50):
        check(spectrum(pattern[side], rng))
    check(Sym3.diagonal(*pattern[side]))


@pytest.mark.parametrize(
    "moments", [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1e-9, 2e-9, 3e-9], [1.0, 1e6, 1e6]]
)
@pytest.mark.covers("BODY-22")
def test_semidefinite_and_scaled(moments: list[float]) -> None:
    """Points, thin rods and small things."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        check(spectrum(moments, rng))


@pytest.mark.covers("BODY-22")
def test_diagonal_matrices_keep_their_axes() -> None:
    for moments in ([1.0, 2.0, 3.0], [2.0, 2.0, 2.0], [1.0, 1.0, 2.0], [1.0, 2.0, 2.0]):
        axes = principal_axes(Sym3.diagonal(*moments))
        assert axes.rot == Rotation.identity()
        assert [*axes.moments] == moments


@pytest.mark.covers("BODY-22")
def test_small_gap_between_moments_is_resolved() -> None:
    """The half-angle of the last 2x2 problem keeps a splitting of 1e-12, which an arccos would lose."""
    rng = np.random.default_rng(8)
    S = spectrum([1.0, 1.0 + 1e-12, 2.0], rng)
    with mpmath.workdps(40):
        expected = mpmath.eigsy(mpmath.matrix(full(S).tolist()), eigvals_only=True)
        low, high = float(expected[0] - 1), float(expected[1] - 1)
    m = principal_axes(S).moments
    assert abs((m.x - 1.0) - low) < 1e-15 and abs((m.y - 1.0) - high) < 1e-15


@sixvec.compiled("S[6] -> moments[3] R[3,3]")
def compiled_axes(S: list[object]) -> tuple[object, object]:
    axes = principal_axes(Sym3(*S))
    return axes.moments, ([*row] for row in axes.rot.matrix.rows)


@pytest.mark.covers("BODY-22")
def test_compiled_batched_and_plain_agree() -> None:
    rng = np.random.default_rng(9)
    S = rng.normal(size=(64, 6))
    moments, R = compiled_axes(S)
    batch = principal_axes(Sym3(*S.T))
    plain = [principal_axes(Sym3(*row)) for row in S.tolist()]
    assert_close(moments, np.array([[*p.moments] for p in plain]), ROUNDING)
    assert_close(np.stack([*batch.moments], axis=-1), moments, ROUNDING)
    assert_close(R, np.array([[[*row] for row in p.rot.matrix.rows] for p in plain]), 1e-11)


@pytest.mark.covers("BODY-22")
def test_derivative_of_moments() -> None:
    """dλ = aᵀ dS a for a simple moment with axis a; finite at repeated ones."""
    rng = np.random.default_rng(10)
    S = rng.normal(size=(16, 6))
    moments_by_S, _ = compiled_axes.derivative("S")(S)
    for row, actual in zip(S.tolist(), moments_by_S, strict=True):
        R = np.array([[*r] for r in principal_axes(Sym3(*row)).rot.matrix.rows])
        x, y, z = R
        expected = np.stack([x * x, 2 * x * y, 2 * x * z, y * y, 2 * y * z, z * z], axis=-1)
        assert_close(actual, expected, 1e-10, batched=False)
    for moments in ([1.0, 1.0, 1.0], [1.0, 1.0, 2.0], [1.0, 2.0, 2.0], [0.0, 0.0, 0.0]):
        by_S, R_by_S = compiled_axes.derivative("S")([*Sym3.diagonal(*moments)])
        assert np.isfinite(by_S).all() and np.isfinite(R_by_S).all()
        # The trace is linear: its derivative is exact even where single moments have none.
        assert_close(by_S.sum(axis=0), [1.0, 0.0, 0.0, 1.0, 0.0, 1.0], ROUNDING, batched=False)


@pytest.mark.covers("BODY-22")
def test_principal_frame_rebuilds_the_body() -> None:
    for seed in range(5):
        body = random_cloud(seed).inertia
        frame = principal_frame(body)
        at_center = RigidInertia.from_center_of_mass(frame.mass, Vec3.zero(), Sym3.diagonal(*frame.moments))
        assert_close([*(frame.pose @ at_center)], [*body], ROUNDING, batched=False)
        seen = frame.pose.inv() @ body
        assert max(map(abs, [*seen.moment, seen.rot.xy, seen.rot.xz, seen.rot.yz])) < 1e-14


@pytest.mark.covers("BODY-22")
def test_rotation_and_parallel_axis_by_particles() -> None:
    """I' = R I Rᵀ, and I_f = I_c - m [r][r]; both as the inertia of the particles after the move."""
    cloud, rng = random_cloud(2), np.random.default_rng(3)
    for _ in range(5):
        X = random_pose(rng)
        moved = random_cloud(2).points @ matrix(X)[:3, :3].T + matrix(X)[:3, 3]
        expected = type(cloud)(cloud.masses, moved, cloud.spin, cloud.drift).inertia
        assert_close([*(X @ cloud.inertia)], [*expected], ROUNDING, batched=False)
        assert_close([*(X.inv() @ expected)], [*cloud.inertia], ROUNDING, batched=False)
        T = matrix(X)
        J = np.array(pseudo_inertia(cloud.inertia))
        assert_close(np.array(pseudo_inertia(expected)), T @ J @ T.T, ROUNDING, batched=False)
    body = cloud.inertia
    c = np.array([[*row] for row in Mat3.cross_matrix(body.center).rows])
    assert_close(full(body.rot), full(body.about_center) - body.mass * c @ c, ROUNDING, batched=False)
    only_turned = Pose(random_rotation(rng), Vec3.zero())
    R = matrix(only_turned)[:3, :3]
    assert_close(full((only_turned @ body).rot), R @ full(body.rot) @ R.T, ROUNDING, batched=False)


def test_parallel_axis_symbolically() -> None:
    """SymPy: about_center undoes from_center_of_mass for all symbols."""
    m, *rest = sympy.symbols("m c:3 I:6", positive=True)
    body = RigidInertia.from_center_of_mass(m, Vec3(*rest[:3]), Sym3(*rest[3:]))
    assert [sympy.simplify(a - b) for a, b in zip(body.about_center, rest[3:], strict=True)] == [0] * 6
    assert [sympy.simplify(a - b) for a, b in zip(body.center, rest[:3], strict=True)] == [0] * 3
