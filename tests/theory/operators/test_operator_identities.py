"""The identities of Rodriguez and Kreutz, Appendix A, on trees with every joint type, mobile bases and rotors.

Each line is one numbered equation, as a pair of sides.  Those in `WITHOUT_ROTORS_ONLY` rest on D = H P Hᵀ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from operator_robots import ROBOTS, WITHOUT_ROTORS, operators, robot

from naming import named
from sixvec.errors import ModelError, ShapeError
from sixvec.theory.operators import SpatialOperators, spatial_operators
from tolerances import IDENTITY, SOLVED, assert_close

Sides = tuple[np.ndarray, np.ndarray]


def joint_one(o: SpatialOperators) -> np.ndarray:
    return np.eye(o.model.nv)


IDENTITIES: dict[str, Callable[[SpatialOperators], Sides]] = {
    "a.8": lambda o: (o.Psi @ o.Delta_psi, o.psi_tilde),
    "a.9": lambda o: (o.Phi @ o.Delta_phi, o.phi_tilde),
    "a.10": lambda o: (o.psi @ (o.one - o.S @ o.Delta_psi), o.one),
    "a.11": lambda o: (o.phi @ (o.one - o.S @ o.Delta_phi), o.one),
    "a.13": lambda o: (o.phi_tilde @ o.G, o.Phi @ o.L),
    "a.14": lambda o: (o.phi, o.psi @ (o.one + o.S @ o.L @ o.H @ o.phi)),
    "a.15": lambda o: (o.psi, (o.one - o.Psi @ o.L @ o.H) @ o.phi),
    "a.16": lambda o: (o.Phi, o.Psi @ (o.one + o.L @ o.H @ o.Phi)),
    "a.17": lambda o: (o.Psi, (o.one - o.Psi @ o.L @ o.H) @ o.Phi),
    "a.18": lambda o: (o.phi - o.psi, o.Psi @ o.L @ o.H @ o.phi),
    "a.22": lambda o: (o.phi, (o.one + o.Phi @ o.L @ o.H) @ o.psi),
    "a.23": lambda o: (o.psi, o.phi @ (o.one - o.S @ o.L @ o.H @ o.psi)),
    "a.24": lambda o: (o.Phi, (o.one + o.Phi @ o.L @ o.H) @ o.Psi),
    "a.25": lambda o: (o.Psi, o.Phi @ (o.one - o.L @ o.H @ o.Psi)),
    "a.26": lambda o: (o.Phi @ o.L @ o.H @ o.psi, o.Psi @ o.L @ o.H @ o.phi),
    "a.27": lambda o: (o.Phi @ o.L @ o.H @ o.Psi, o.Psi @ o.L @ o.H @ o.Phi),
    "a.28": lambda o: (o.phi - o.psi, o.Phi @ o.L @ o.H @ o.psi),
    "a.32": lambda o: (o.H @ o.phi, o.factor @ o.H @ o.psi),
    "a.33": lambda o: (o.H @ o.Phi, o.factor @ o.H @ o.Psi),
    "a.34": lambda o: (o.H @ o.Psi, o.H @ o.Phi @ (o.one - o.L @ o.H @ o.Psi)),
    "a.35": lambda o: (o.H @ o.psi, o.inverse_factor @ o.H @ o.phi),
    "a.36": lambda o: (o.H @ o.Psi, o.inverse_factor @ o.H @ o.Phi),
    "a.37": lambda o: (o.H @ o.Phi, o.H @ o.Psi @ (o.one + o.L @ o.H @ o.Phi)),
    "a.38": lambda o: (o.H @ o.Phi @ o.L @ o.H @ o.Psi, o.H @ o.Psi @ o.L @ o.H @ o.Phi),
    "a.39": lambda o: (o.Phi @ o.L, o.Psi @ o.L @ o.factor),
    "a.40": lambda o: (o.Psi @ o.L, (o.one - o.Psi @ o.L @ o.H) @ o.Phi @ o.L),
    "a.41": lambda o: (o.Psi @ o.L, o.Phi @ o.L @ o.inverse_factor),
    "a.42": lambda o: (o.Phi @ o.L, (o.one + o.Phi @ o.L @ o.H) @ o.Psi @ o.L),
    "a.43": lambda o: (o.Psi @ o.L @ o.H @ o.Phi @ o.L, o.Phi @ o.L @ o.H @ o.Psi @ o.L),
    "a.46": lambda o: (o.psi @ o.M @ o.phi.T, o.P + o.psi_tilde @ o.P + o.P @ o.phi_tilde.T),
    "a.48": lambda o: (
        o.phi @ o.M @ o.phi.T,
        o.P + o.phi_tilde @ o.P + o.P @ o.phi_tilde.T
        + o.phi_tilde @ o.P @ o.H.T @ o.D_inverse @ o.H @ o.P @ o.phi_tilde.T,
    ),
    "Corollary A.1": lambda o: (
        o.phi @ o.M @ o.phi.T,
        o.composite_inertia + o.phi_tilde @ o.composite_inertia + o.composite_inertia @ o.phi_tilde.T,
    ),
    "Joseph form of a.47": lambda o: (
        o.psi @ (o.M + o.S @ o.L @ o.armature @ o.L.T @ o.S.T) @ o.psi.T,
        o.P + o.psi_tilde @ o.P + o.P @ o.psi_tilde.T,
    ),
    "4.14": lambda o: (o.factor @ o.inverse_factor, joint_one(o)),
    "K": lambda o: (np.linalg.inv(o.psi), np.linalg.inv(o.phi) + o.K @ o.H),
    "mobility": lambda o: (o.phi.T @ o.H.T @ o.mass_matrix_inverse @ o.H @ o.phi, o.link_mobility),
}  # fmt: skip

WITHOUT_ROTORS_ONLY: dict[str, Callable[[SpatialOperators], Sides]] = {
    "a.47": lambda o: (o.psi @ o.M @ o.psi.T, o.P + o.psi_tilde @ o.P + o.P @ o.psi_tilde.T),
    "projector": lambda o: ((o.G @ o.H) @ (o.G @ o.H), o.G @ o.H),
}


def a_50(o: SpatialOperators) -> Sides:
    """With rotors too: nothing in it but (a.46) and (a.41)."""
    smoother = o.inverse_factor.T @ o.D_inverse @ o.H
    return (
        smoother @ o.psi @ o.M @ o.phi.T,
        smoother @ o.psi_tilde @ o.P + o.L.T @ o.Psi.T @ (o.one - o.G @ o.H).T + o.G.T,
    )


IDENTITIES["a.50"] = a_50


@pytest.mark.covers(
    "OP-01",
    "OP-06",
    "Rodriguez-Kreutz (2.16)",
    "Rodriguez-Kreutz (4.7)",
    "Rodriguez-Kreutz (4.9)-(4.10)",
    "Rodriguez-Kreutz (4.14)",
    "Rodriguez-Kreutz (5.1)-(5.2)",
    "Rodriguez-Kreutz (5.11)",
    "Rodriguez-Kreutz (a.2)-(a.18)",
    "Rodriguez-Kreutz (a.22)-(a.28)",
    "Rodriguez-Kreutz (a.32)-(a.43)",
    "Rodriguez-Kreutz (a.46)",
    "Rodriguez-Kreutz (a.48)",
    "Rodriguez-Kreutz (a.50)",
)
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("identity", IDENTITIES)
def test_identities_of_appendix_a(name: str, identity: str) -> None:
    left, right = IDENTITIES[identity](operators(name)[0])
    scale = np.abs(left).max() + np.abs(right).max() + 1.0
    assert_close(left, right, SOLVED, batched=False, scale=scale)


@pytest.mark.covers("OP-01", "Rodriguez-Kreutz (a.47)")
@pytest.mark.parametrize("name", WITHOUT_ROTORS)
@pytest.mark.parametrize("identity", WITHOUT_ROTORS_ONLY)
def test_identities_that_need_joints_without_rotors(name: str, identity: str) -> None:
    left, right = WITHOUT_ROTORS_ONLY[identity](operators(name)[0])
    assert_close(left, right, SOLVED, batched=False)


@pytest.mark.parametrize("identity", WITHOUT_ROTORS_ONLY)
def test_rotors_do_break_them(identity: str) -> None:
    left, right = WITHOUT_ROTORS_ONLY[identity](operators("rotors")[0])
    assert np.abs(left - right).max() > 1e-3 * np.abs(left).max()


@pytest.mark.covers("OP-01")
@pytest.mark.parametrize("name", ROBOTS)
def test_phi_is_a_group_along_every_path(name: str) -> None:
    """φ(i, j) from the poses of the links in the world, not from products of neighbours."""
    o, q = operators(name)
    r = robot(name)
    X = {link: np.linalg.inv(_force_transform(r.pose(q, link))) for link in o.blocks.names}
    for j, link in enumerate(o.blocks.names):
        carriers = {b.name for b in r.model.path(link)}
        for i, other in enumerate(o.blocks.names):
            expected = X[other] @ np.linalg.inv(X[link]) if other in carriers else np.zeros((6, 6))
            assert_close(o.phi[6 * i : 6 * i + 6, 6 * j : 6 * j + 6], expected, IDENTITY, batched=False, scale=1.0)


def _force_transform(X: np.ndarray) -> np.ndarray:
    """(n; f) of the frame's coordinates in those of the world."""
    R, (x, y, z) = X[:3, :3], X[:3, 3]
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[R, cross @ R], [np.zeros((3, 3)), R]])


@pytest.mark.covers("OP-01", "Rodriguez-Kreutz (3.4)-(3.5)", "Rodriguez-Kreutz (3.7)", "Rodriguez-Kreutz (3.12)-(3.13)")
@pytest.mark.parametrize("name", ROBOTS)
def test_velocities_and_jacobians_from_operators(name: str) -> None:
    o, q = operators(name)
    v = np.random.default_rng(3).normal(size=o.model.nv)
    V = (o.phi.T @ o.H.T @ v).reshape(-1, 6)
    for link, velocity in zip(o.blocks.names, V, strict=True):
        assert_close(velocity, robot(name).velocity(q, v, link, "local"), IDENTITY, batched=False, scale=10.0)
    J = o.pick("tool0").T @ o.phi.T @ o.H.T
    assert_close(J, robot(name).jacobian(q, "tool0", "local"), IDENTITY, batched=False)
    assert not o.pick("ground").any()


@pytest.mark.covers("OP-02", "OP-06", "Rodriguez-Kreutz (3.6)", "Rodriguez-Kreutz (3.20)", "Rodriguez-Kreutz (4.16)")
@pytest.mark.parametrize("name", ROBOTS)
def test_factors_of_the_mass_matrix(name: str) -> None:
    o, q = operators(name)
    M = robot(name).mass_matrix(q)
    assert_close(o.mass_matrix, M, IDENTITY, batched=False)
    assert_close(o.factor @ o.D @ o.factor.T, M, IDENTITY, batched=False)
    assert_close(o.mass_matrix_inverse, np.linalg.inv(M), SOLVED, batched=False)
    sign, log_det = np.linalg.slogdet(M)
    assert sign == 1.0 and np.isclose(np.linalg.slogdet(o.D)[1], log_det, rtol=1e-10, atol=1e-10)


@pytest.mark.covers(
    "OP-02",
    "OP-06",
    "Rodriguez-Kreutz (4.8)",
    "Rodriguez-Kreutz (4.11)",
    "Rodriguez-Kreutz (4.13)",
    "Rodriguez-Kreutz (a.1)",
)
@pytest.mark.parametrize("name", ROBOTS)
def test_factor_is_unit_triangular_and_d_has_a_block_per_joint(name: str) -> None:
    o, _ = operators(name)
    T = o.factor[np.ix_(o.tip_first, o.tip_first)]
    assert not np.triu(T, 1).any()
    assert (np.diagonal(T) == 1.0).all()
    outside = np.array(o.D)
    for rows in o.blocks.rows:
        outside[rows, rows] = 0.0
    assert not outside.any()
    assert np.linalg.eigvalsh(o.D).min() > 0.0


@pytest.mark.covers("OP-06")
def test_a_mobile_base_feels_its_articulated_inertia() -> None:
    """H(N) = 1 and D(N) = P(N): Appendix B."""
    o, _ = operators("floating")
    rows = o.blocks.rows[-1]
    np.testing.assert_array_equal(o.blocks.H[-1], np.eye(6))
    assert_close(o.D[rows, rows], o.P[-6:, -6:], IDENTITY, batched=False)


@pytest.mark.covers("OP-05")
@pytest.mark.parametrize("name", ROBOTS)
def test_omega_recursion_is_the_mobility_of_every_link(name: str) -> None:
    o, q = operators(name)
    M = robot(name).mass_matrix(q)
    for k, link in enumerate(o.blocks.names):
        J = robot(name).jacobian(q, link, "local")
        own = o.Omega[6 * k : 6 * k + 6, 6 * k : 6 * k + 6]
        expected = J @ np.linalg.solve(M, J.T)
        assert_close(own, expected, SOLVED, batched=False, scale=np.abs(expected).max() + 1.0)


def test_operators_reject_what_they_cannot_do() -> None:
    from dataclasses import replace

    from sixvec import Robot
    from sixvec.model.body import Mimic
    from sixvec.model.joints import Revolute

    model = robot("tree").model
    with pytest.raises(ShapeError, match=named("q")):
        spatial_operators(robot("tree").robot, np.zeros((2, model.nq)))
    first = next(b for b in model.bodies if b.joint.nv == 1)
    follower = replace(first, name="follower", joint=Revolute(), joint_name="", mimic=Mimic(first.name))
    coupled = Robot(replace(model, bodies=(*model.bodies, follower), frames=()))
    with pytest.raises(ModelError, match="follower"):
        spatial_operators(coupled, coupled.neutral())
