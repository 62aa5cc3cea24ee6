"""The law of one contact: what comes out obeys it, and near the solution it does not move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sixvec.constraints.contacts.local_law import contact_impulse


def problems(n: int, size: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, size, size))
    return A @ np.swapaxes(A, 1, 2), rng.normal(size=(n, size)), 10.0 ** rng.uniform(-2.0, 0.3, n)


def repeated(G: Any, f: Any, mu: Any, count: int) -> Any:
    size = f.shape[1]
    p: Any = [np.zeros(len(f))] * size
    rows = [[G[:, i, j] for j in range(size)] for i in range(size)]
    for _ in range(count):
        p = contact_impulse(rows, list(f.T), mu, p)
    return np.stack(p, axis=1)


def misfits(G: Any, f: Any, mu: Any, p: Any) -> Any:
    """Of Coulomb's law, written as |p - Π(p - r u)| / r, independently of the library."""
    u = np.einsum("bij,bj->bi", G, p) + f
    normal = G[:, 0, 0]
    missed = np.abs(p[:, 0] - np.maximum(p[:, 0] - u[:, 0] / normal, 0.0)) * normal
    fastest = np.linalg.eigvalsh(G[:, 1:, 1:])[:, -1]
    aimed = p[:, 1:] - u[:, 1:] / fastest[:, None]
    length, most = np.linalg.norm(aimed, axis=1), mu * p[:, 0]
    inside = aimed * np.minimum(1.0, most / np.maximum(length, 1e-300))[:, None]
    return np.maximum(missed, np.linalg.norm(p[:, 1:] - inside, axis=1) * fastest)


def test_with_one_tangent_a_single_call_solves_the_law() -> None:
    G, f, mu = problems(20_000, 2, 0)
    wrong = misfits(G, f, mu, repeated(G, f, mu, 1)) > 1e-6
    assert wrong.mean() < 3e-3  # badly conditioned ones, which need a second call
    assert (misfits(G, f, mu, repeated(G, f, mu, 4)) > 1e-6).mean() < 1e-4


def test_with_two_tangents_calls_converge_to_the_law() -> None:
    G, f, mu = problems(20_000, 3, 1)
    assert np.quantile(misfits(G, f, mu, repeated(G, f, mu, 3)), 0.98) < 1e-2
    assert np.quantile(misfits(G, f, mu, repeated(G, f, mu, 30)), 0.995) < 1e-6


@pytest.mark.parametrize("seed", [0, 1])
def test_impulses_are_in_the_cone_and_dissipate(seed: int) -> None:
    G, f, mu = problems(5000, 3, seed)
    p = repeated(G, f, mu, 10)
    assert (p[:, 0] >= 0.0).all()
    assert (np.linalg.norm(p[:, 1:], axis=1) <= mu * p[:, 0] * (1 + 1e-9) + 1e-12).all()
    solved = misfits(G, f, mu, p) < 1e-9
    energy = np.einsum("bi,bi->b", p, f) + 0.5 * np.einsum("bi,bij,bj->b", p, G, p)
    assert solved.mean() > 0.9 and energy[solved].max() < 1e-9


def test_a_jammed_contact_stays_jammed_although_it_could_open() -> None:
    """A rod that leans: with much friction, both open and stuck obey the law."""
    G, f, mu = [[1.0, -1.2], [-1.2, 2.0]], [0.05, -1.0], 1.0
    stuck = np.linalg.solve(np.array(G), -np.array(f))
    assert stuck[0] > 0.0 and abs(stuck[1]) < mu * stuck[0] and f[0] > 0.0  # both are solutions
    assert contact_impulse(G, f, mu, [0.0, 0.0])[0] == 0.0
    assert np.allclose(contact_impulse(G, f, mu, list(stuck)), stuck)
