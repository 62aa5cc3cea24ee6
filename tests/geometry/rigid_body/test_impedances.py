"""Stiffness, damping, inertia and their inverses: inverse pairs, changes of frame, series and parallel."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import sixvec
from cloud import random_cloud, random_force, random_motion, six
from differences import derivative
from naming import named
from random_trees import random_pose
from sixvec.errors import DegenerateError, FrameError
from sixvec.geometry.rigid_body.impedance import Blocks
from sixvec.geometry.rigid_body.stiffness import Accommodation, Compliance, Damping, Mobility, Stiffness
from sixvec.spatial import ArticulatedInertia, Force, Mat3, Motion, Pose, Quaternion, RigidInertia, Sym3, Vec3
from tolerances import DIFFERENCE, IDENTITY, ROUNDING, assert_close

PAIRS = [(Stiffness, Compliance), (Damping, Accommodation)]


def positive(rng: np.random.Generator) -> np.ndarray:
    A = rng.normal(size=(6, 6))
    return A @ A.T + 0.5 * np.eye(6)


def rows(x: Blocks) -> np.ndarray:
    return np.array(x.as_matrix(), float)


def motion_matrix(X: Pose) -> np.ndarray:
    return np.array([six(X @ Motion.of(column)) for column in np.eye(6).tolist()]).T


@pytest.mark.parametrize(("impedance", "admittance"), PAIRS)
@pytest.mark.covers("BODY-30")
def test_inverse_pairs(impedance: type, admittance: type) -> None:
    rng = np.random.default_rng(0)
    K = impedance.from_matrix(positive(rng).tolist())
    C = K.inverse()
    assert type(C) is admittance and type(C.inverse()) is impedance
    assert_close(rows(C), np.linalg.inv(rows(K)), IDENTITY, batched=False)
    assert_close(rows(C.inverse()), rows(K), IDENTITY, batched=False)
    t = random_motion(rng)
    assert_close(six(C @ (K @ t)), six(t), IDENTITY, batched=False)


@pytest.mark.parametrize(("impedance", "admittance"), PAIRS)
@pytest.mark.covers("BODY-30", "Bruyninckx (4.90)")
def test_change_of_frame(impedance: type, admittance: type) -> None:
    """K_B = Xᵀ K_A X and C_B = X⁻¹ C_A X⁻ᵀ: acting and moving commute, and so do moving and inverting."""
    rng = np.random.default_rng(1)
    for _ in range(5):
        K = impedance.from_matrix(positive(rng).tolist())
        X_AB = random_pose(rng)
        X = motion_matrix(X_AB)
        assert_close(rows(X_AB.inv() @ K), X.T @ rows(K) @ X, ROUNDING, batched=False)
        C = admittance.from_matrix(positive(rng).tolist())
        assert_close(rows(X_AB @ C), X @ rows(C) @ X.T, ROUNDING, batched=False)
        t, f = random_motion(rng), random_force(rng)
        assert_close(six((X_AB @ K) @ (X_AB @ t)), six(X_AB @ (K @ t)), ROUNDING, batched=False)
        assert_close(six((X_AB @ C) @ (X_AB @ f)), six(X_AB @ (C @ f)), ROUNDING, batched=False)
        assert_close(rows((X_AB @ K).inverse()), rows(X_AB @ K.inverse()), 1e-9, batched=False)
        assert_close(rows(X_AB.inv() @ (X_AB @ C)), rows(C), ROUNDING, batched=False)


@pytest.mark.covers("BODY-30")
def test_springs_side_by_side_add_and_store_energy() -> None:
    """A body on springs between points: K from their lines is the second derivative of their energy."""
    rng = np.random.default_rng(2)
    K, springs = Stiffness.diagonal(Vec3.zero(), Vec3.zero()), []
    for _ in range(7):
        at, direction = rng.normal(size=3), rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        k = float(rng.uniform(1.0, 3.0))
        springs.append((at, direction, k))
        K = K + Stiffness.spring(Force.at_point(Vec3.of(direction.tolist()), Vec3.of(at.tolist())), k)
    t = random_motion(rng)

    def energy(s: float) -> float:
        # Relaxed springs: only their stretch along their line counts to second order.
        X = Pose(Quaternion.exp(t.ang * s).as_rotation(), t.lin * s)
        stretch = [direction @ (np.array([*(X * Vec3.of(at.tolist()))]) - at) for at, direction, _ in springs]
        return 0.5 * sum(k * x * x for (_, _, k), x in zip(springs, stretch, strict=True))

    second = derivative(lambda a: derivative(lambda b: energy(a + b)))
    assert second == pytest.approx(2.0 * K.energy(t), rel=1e-6)
    assert K.energy(t) == pytest.approx(K.inverse().energy(K @ t), rel=1e-9)


@pytest.mark.covers("BODY-30")
def test_compliances_in_series_add() -> None:
    rng = np.random.default_rng(3)
    a, b = (Stiffness.from_matrix(positive(rng).tolist()) for _ in range(2))
    both = (a.inverse() + b.inverse()).inverse()
    f = random_force(rng)
    assert_close(six(both.inverse() @ f), six(a.inverse() @ f + b.inverse() @ f), IDENTITY, batched=False)
    assert_close(rows(a * 2.0), rows(a) * 2.0, ROUNDING, batched=False)


@pytest.mark.covers("BODY-30")
def test_dampers_dissipate() -> None:
    rng = np.random.default_rng(4)
    D = Damping.diagonal(Vec3(0.1, 0.1, 0.1), Vec3(1.0, 1.0, 1.0))
    D = D + Damping.damper(Force.at_point(Vec3(0.0, 0.0, 1.0), Vec3(1.0, 0.0, 0.0)), 5.0)
    V = random_motion(rng)
    assert D.power(V) > 0.0
    assert D.power(V) == pytest.approx(D.inverse().power(D @ V), rel=1e-10)
    assert D.power(V) == pytest.approx(V.dot(D @ V), rel=1e-14)


@pytest.mark.covers("BODY-30")
def test_mobility_is_the_inverse_inertia() -> None:
    rng, body = np.random.default_rng(5), random_cloud(0).inertia
    mobility = Mobility.of(body)
    assert_close(rows(mobility), np.linalg.inv(np.array(body.as_matrix())), IDENTITY, batched=False)
    assert_close(rows(Mobility.of(ArticulatedInertia.of(body))), rows(mobility), IDENTITY, batched=False)
    assert_close([*mobility.inverse()], [*ArticulatedInertia.of(body)], IDENTITY, batched=False)
    X, f = random_pose(rng), random_force(rng)
    assert_close(rows(X @ mobility), rows(Mobility.of(X @ body)), IDENTITY, batched=False)
    assert_close(six(body @ (mobility @ f)), six(f), IDENTITY, batched=False)


@pytest.mark.covers("BODY-30")
def test_oscillation_of_a_body_on_springs() -> None:
    """det(K - ω² M) = 0 has the same frequencies in every frame, though the eigenvalues of K and M do not."""
    rng, body = np.random.default_rng(6), random_cloud(1).inertia
    K, X = Stiffness.from_matrix(positive(rng).tolist()), random_pose(rng)

    def frequencies(mobility: Mobility, K: Stiffness) -> np.ndarray:
        return np.sort(np.linalg.eigvals(rows(mobility) @ rows(K)).real)

    here, there = frequencies(Mobility.of(body), K), frequencies(Mobility.of(X @ body), X @ K)
    assert_close(there, here, 1e-8, batched=False)
    assert abs(np.linalg.eigvalsh(rows(X @ K)) - np.linalg.eigvalsh(rows(K))).max() > 1e-2


@pytest.mark.covers("BODY-30")
def test_kinds_are_not_mixed() -> None:
    K = Stiffness.diagonal(Vec3(1.0, 1.0, 1.0), Vec3(1.0, 1.0, 1.0))
    D = Damping.diagonal(Vec3(1.0, 1.0, 1.0), Vec3(1.0, 1.0, 1.0))
    with pytest.raises(TypeError, match=named("Stiffness", "Damping")):
        _ = K + D
    with pytest.raises(FrameError, match=named("Stiffness", "Motion", "Force")):
        _ = K @ Force.zero()
    with pytest.raises(FrameError, match=named("Compliance", "Force", "Motion")):
        _ = K.inverse() @ Motion.zero()
    with pytest.raises(FrameError, match="Stiffness"):
        Mobility.of(K)


@pytest.mark.covers("BODY-30")
def test_what_has_no_inverse_raises() -> None:
    slide = Stiffness.diagonal(Vec3(1.0, 1.0, 1.0), Vec3(1.0, 1.0, 0.0))
    with pytest.raises(DegenerateError, match="TwistSpace"):
        slide.inverse()
    with pytest.raises(DegenerateError, match="moment"):
        Mobility.of(RigidInertia.zero())
    lopsided = np.eye(6)
    lopsided[0, 3] = 1.0
    with pytest.raises(DegenerateError, match=named("Stiffness", "(3, 0)", "(0, 3)")):
        Stiffness.from_matrix(lopsided.tolist())


@sixvec.compiled("K[6,6] t[6] p[3] -> f[6] C[6,6]")
def moved_spring(K: list[list[object]], t: list[object], p: list[object]) -> tuple[object, object]:
    X = Pose(Quaternion.identity().as_rotation(), Vec3.of(p))
    stiffness = X @ Stiffness.from_matrix(K)
    return stiffness @ Motion.of(t), stiffness.inverse().as_matrix()


@pytest.mark.covers("BODY-30")
def test_compiled_batched_and_symbolic() -> None:
    rng = np.random.default_rng(7)
    K = np.array([positive(rng) for _ in range(8)])
    t, p = rng.normal(size=(8, 6)), rng.normal(size=(8, 3))
    f, C = moved_spring(K, t, p)
    X = Pose(Quaternion.identity().as_rotation(), Vec3(*p.T))
    batch = X @ Stiffness.from_matrix(np.moveaxis(K, 0, -1))
    assert_close(np.stack([*(batch @ Motion.of(t.T))], axis=-1), f, ROUNDING)
    for k in range(8):
        one = Pose(Quaternion.identity().as_rotation(), Vec3.of(p[k].tolist())) @ Stiffness.from_matrix(K[k].tolist())
        assert_close(six(one @ Motion.of(t[k].tolist())), f[k], ROUNDING, batched=False)
        assert_close(rows(one.inverse()), C[k], 1e-9, batched=False)
    step = derivative(lambda s: moved_spring(K, t, p + s * np.array([1.0, 0.0, 0.0]))[0])
    assert_close(moved_spring.derivative("p")(K, t, p)[0][..., 0], step, DIFFERENCE * 10)
    k, a = sympy.symbols("k a", positive=True)
    spring = Stiffness.spring(Force(Vec3(0, 0, a), Vec3(0, 1, 0)), k)
    assert sympy.simplify(spring.rot.zz - k * a**2) == 0 and sympy.simplify(spring.cross.zy - k * a) == 0
    assert spring.lin == Sym3(*(0 * k, 0 * k, 0 * k, k, 0 * k, 0 * k)) and isinstance(spring.cross, Mat3)
