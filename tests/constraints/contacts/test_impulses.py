"""Impulses of contacts with friction: the conditions themselves, pivoting, and problems that have no rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naming import named
from sixvec.constraints.contacts import ContactImpulses, contact_impulses
from sixvec.errors import ArgumentError, DtypeError, ShapeError
from sixvec.solve.complementarity import complementary_solution
from sixvec.verdict import Verdict


def problem(rng: np.random.Generator, n: int, contacts: int) -> tuple[Any, Any]:
    """A block of random mass on points of a plane: never more than rank six."""
    points = np.concatenate([rng.uniform(-1.0, 1.0, (n, contacts, 2)), np.full((n, contacts, 1), -0.5)], axis=-1)
    J = np.zeros((n, contacts, 3, 6))
    for row, axis in enumerate(((0, 0, 1), (1, 0, 0), (0, 1, 0))):
        d = np.array(axis, float)
        J[..., row, :3], J[..., row, 3:] = np.cross(points, d), d
    J = J.reshape(n, 3 * contacts, 6)
    masses = rng.uniform(0.5, 3.0, (n, 1)) * [0.4, 0.5, 0.6, 1.0, 1.0, 1.0]
    G = (J / masses[:, None]) @ J.transpose(0, 2, 1)
    v = rng.normal(size=(n, 6)) - [0.0, 0.0, 0.0, 0.0, 0.0, 1.5]
    return G, (J @ v[..., None])[..., 0]


def violation(G: Any, b: Any, mu: float, p: Any) -> float:
    """Of Coulomb's law, written for this test: cones, complementarity, and slip against friction."""
    u = (G @ p[..., None])[..., 0] + b
    n, t = p[..., ::3], np.stack([p[..., 1::3], p[..., 2::3]], -1)
    un, ut = u[..., ::3], np.stack([u[..., 1::3], u[..., 2::3]], -1)
    slip, size = np.linalg.norm(ut, axis=-1), np.linalg.norm(t, axis=-1)
    against = slip * mu * n + (ut * t).sum(-1)  # zero: what slides has all the friction, and it is opposite
    worst = [np.maximum(-n, 0), np.maximum(-un, 0), np.abs(n * un), np.maximum(size - mu * n, 0), np.abs(against)]
    return float(max(x.max() for x in worst))


@pytest.mark.covers("CON-09")
def test_the_law_of_coulomb_holds_where_the_matrix_is_singular() -> None:
    G, b = problem(np.random.default_rng(0), 300, 4)
    assert (np.linalg.matrix_rank(G, tol=1e-9) <= 6).all()
    for mu in (0.0, 0.3, 1.0):
        found = contact_impulses(G, b, np.full(4, mu))
        assert (found.verdict == 0).mean() > 0.99
        good = found.verdict == 0
        assert violation(G[good], b[good], mu, found.force[good]) < 1e-8
        assert found.residual[good].max() < 1e-8
        # the work of the impulses on the mean velocity takes energy
        assert (np.einsum("ni,ni->n", found.force, found.velocity + b)[good] < 1e-9).all()


@pytest.mark.covers("CON-09")
def test_more_rows_than_the_compiled_newton_step_takes() -> None:
    """27 rows of rank six: what sweeps do not solve, Newton's steps do one by one."""
    G, b = problem(np.random.default_rng(5), 100, 9)
    for mu in (0.3, 1.0):
        found = contact_impulses(G, b, np.full(9, mu))
        assert found and found.residual.max() < 1e-8
        assert violation(G, b, mu, found.force) < 1e-8
    lost = contact_impulses(np.zeros((27, 27)), -np.ones(27), np.full(9, 0.3))
    assert not lost and lost.residual > 0.5


@pytest.mark.covers("CON-09")
def test_without_friction_pivoting_finds_the_same_velocities() -> None:
    G, b = problem(np.random.default_rng(1), 30, 4)
    exact, found = (contact_impulses(G, b, np.zeros(4), method=m) for m in ("pyramid", "iteration"))
    assert exact and found
    assert np.allclose(exact.velocity[:, ::3], found.velocity[:, ::3], atol=1e-8)


def test_pyramids_come_close_to_the_cone() -> None:
    G, b = problem(np.random.default_rng(2), 20, 1)
    cone = contact_impulses(G, b, [0.4])
    off = [
        np.abs(contact_impulses(G, b, [0.4], method="pyramid", sides=n).velocity - cone.velocity).max() for n in (8, 64)
    ]
    assert off[1] < 0.05 and off[1] < 0.5 * off[0]


def test_blocks_of_other_kinds() -> None:
    G = np.diag([2.0, 1.0, 1.0])
    found = contact_impulses(G, [-4.0, 3.0, 0.2], [0.0, 1.0, 1.0], kinds=("stop", "friction", "friction"))
    assert np.allclose(found.force, [2.0, -1.0, -0.2]) and np.allclose(found.velocity, [0.0, 2.0, 0.0])
    pivoted = contact_impulses(
        G, [-4.0, 3.0, 0.2], [0.0, 1.0, 1.0], kinds=("stop", "friction", "friction"), method="pyramid"
    )
    assert np.allclose(pivoted.force, found.force)


def test_what_cannot_be_stopped_has_a_verdict() -> None:
    """A row that nothing moves, approached: no impulse helps, and nothing becomes infinite."""
    found = contact_impulses(np.zeros((1, 1)), [-1.0], [0.0], kinds=("stop",))
    assert not found and found.residual == pytest.approx(1.0) and np.isfinite(found.force).all()


def test_a_contact_that_can_stick_is_solved() -> None:
    """Steep friction and strong coupling, where the iteration runs in circles from nothing."""
    G = np.array([[14.68, -16.2, -5.85], [-16.2, 33.95, 17.19], [-5.85, 17.19, 36.96]])
    b = np.array([-0.09, -0.39, 0.81])
    sticking = np.linalg.solve(G, -b)
    assert np.hypot(*sticking[1:]) < 1.5 * sticking[0]
    found = contact_impulses(G, b, [1.5])
    assert found and np.allclose(found.force, sticking) and found.residual < 1e-9
    rng = np.random.default_rng(0)
    J = rng.normal(size=(400, 3, 6))
    G = J * rng.uniform(0.2, 5.0, (400, 1, 6)) @ J.transpose(0, 2, 1)
    b = rng.normal(size=(400, 3))
    for start in (None, rng.uniform(0.0, 1.0, (400, 3))):
        found = contact_impulses(G, b, [3.0], start=start)
        assert found and violation(G, b, 3.0, found.force) < 1e-8


def test_the_residual_of_pyramids_is_what_the_cone_lacks() -> None:
    G, b = problem(np.random.default_rng(4), 10, 1)
    coarse, fine = (contact_impulses(G, b, [0.4], method="pyramid", sides=n) for n in (3, 64))
    assert coarse and fine
    assert (coarse.residual > 1e-3).any() and 0.0 < fine.residual.max() < 0.2 * coarse.residual.max()
    for sides in (2, 0, -1, 8.0):
        with pytest.raises(ArgumentError, match=named("contact_impulses", "sides")):
            contact_impulses(G, b, [0.4], method="pyramid", sides=sides)  # type: ignore[arg-type]


def test_bad_shapes_are_named() -> None:
    with pytest.raises(ArgumentError, match="contact_impulses"):
        contact_impulses(np.zeros((0, 0)), [], [])
    with pytest.raises(ArgumentError, match="contact_impulses"):
        contact_impulses(np.eye(3), np.zeros(3), 0.5)
    with pytest.raises(ShapeError, match=named("contact_impulses", "start")):
        contact_impulses(np.eye(3), np.zeros(3), [0.1], start=[0.0, 0.0])
    with pytest.raises(ShapeError, match=named("contact_impulses", "G")):
        contact_impulses(np.eye(3), np.zeros(3), [0.1, 0.1])
    with pytest.raises(ArgumentError, match=named("contact_impulses", "wall", "kinds")):
        contact_impulses(np.eye(1), [0.0], [0.0], kinds=("wall",))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=named("contact_impulses", "friction[0]")):
        contact_impulses(np.eye(3), np.zeros(3), [-0.1])
    with pytest.raises(ArgumentError, match=named("contact_impulses", "magic")):
        contact_impulses(np.eye(3), np.zeros(3), [0.1], method="magic")  # type: ignore[arg-type]


def test_linear_complementarity_by_enumeration() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        A = rng.normal(size=(4, 3))
        M, q = A @ A.T, rng.normal(size=4)
        if rng.random() < 0.5:
            q = A @ rng.normal(size=3)  # always feasible
        z = complementary_solution(M, q)
        if np.isnan(z).any():
            assert not _enumerated(M, q)
            continue
        w = M @ z + q
        assert z.min() >= 0.0 and w.min() > -1e-9 and abs(z @ w) < 1e-9


def _enumerated(M: Any, q: Any) -> bool:
    """Whether any set of active rows solves the problem."""
    n = len(q)
    for mask in range(2**n):
        rows = [i for i in range(n) if mask >> i & 1]
        z = np.zeros(n)
        z[rows] = np.linalg.lstsq(M[np.ix_(rows, rows)], -q[rows], rcond=None)[0]
        w = M @ z + q
        if z.min() > -1e-9 and w.min() > -1e-9 and abs(z @ w) < 1e-9:
            return True
    return False


@pytest.mark.parametrize("method", ["iteration", "pyramid"])
def test_a_sample_that_is_not_finite_is_invalid_and_spoils_no_other(method: Any) -> None:
    for bad in (np.nan, np.inf, -np.inf):
        found = contact_impulses(np.eye(3), [[-1.0, 0, 0], [bad, 0, 0], [-2.0, 0, 0]], [0.5], method=method)
        assert found.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.SOLVED] and not found
        assert np.isnan(found.force[1]).all() and np.isnan(found.velocity[1]).all() and np.isinf(found.residual[1])
        assert np.allclose(found.force[::2], [[1, 0, 0], [2, 0, 0]], atol=1e-12)
        G = np.eye(3)
        G[1, 2] = bad
        assert contact_impulses(G, [-1.0, 0.0, 0.0], [0.5], method=method).verdict == Verdict.INVALID


def test_many_rows_that_are_not_finite_are_invalid() -> None:
    b = -np.ones((2, 27))
    b[0, 4] = np.nan
    found = contact_impulses(np.eye(27), b, np.full(9, 0.3))
    assert found.verdict.tolist() == [Verdict.INVALID, Verdict.SOLVED] and np.isnan(found.force[0]).all()


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"friction": [np.nan]}, ArgumentError, r"friction\[0\] is nan"),
        ({"friction": [np.inf]}, ArgumentError, r"friction\[0\] is inf"),
        ({"b": "abc"}, DtypeError, "b must hold real numbers, not 'abc'"),
        ({"G": np.eye(3) * 1j}, DtypeError, "G must hold real numbers, not complex128"),
        ({"start": "warm"}, DtypeError, "start must hold real numbers"),
        ({"tolerance": "a"}, DtypeError, "tolerance must be one real number, not 'a'"),
        ({"tolerance": -1}, ArgumentError, "tolerance is -1; it must be positive"),
        ({"G": np.zeros((2, 3, 3)), "b": np.zeros((5, 3))}, ShapeError, "the batch shapes do not broadcast"),
    ],
)
def test_mistakes_raise_and_are_named(changed: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"contact_impulses: {message}"):
        contact_impulses(**{"G": np.eye(3), "b": np.zeros(3), "friction": [0.5]} | changed)


def test_words_of_impulses() -> None:
    p = np.zeros((2, 3))
    found = ContactImpulses(p, p, np.array([0.25, 1e-3]), np.array([Verdict.SOLVED, Verdict.NOT_CONVERGED], np.int8))
    assert repr(found) == "<ContactImpulses: 1 of 2 solved, residual 0.25>" and not found
    assert repr(contact_impulses(np.eye(3), [-1.0, 0.0, 0.0], [0.5])).startswith("<ContactImpulses: 1 of 1 solved, res")
