"""Impulses within pyramids by pivoting: complementary, in order of their blocks, within their limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sixvec.constraints.contacts import contact_impulses
from sixvec.constraints.contacts.impulse_search import NEVER_ZERO, largest_demand
from sixvec.constraints.contacts.pyramid import directions, pyramid_impulses
from sixvec.errors import ArgumentError

KINDS: dict[str, tuple[Any, ...]] = {
    "contacts": ("contact", "contact"),
    "stops": ("stop", "stop", "stop"),
    "joints": ("friction", "friction"),
    "all": ("stop", "contact", "friction", "contact"),
    "all otherwise": ("friction", "contact", "stop"),
    "wheels": ("disc", "disc", "friction"),
}
WIDTHS = {"contact": 3, "stop": 1, "friction": 1, "disc": 2}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", KINDS)
def test_blocks_satisfy_their_laws(name: str, seed: int) -> None:
    """Each block by itself: what pushes does not separate, and friction opposes the slip at its limit."""
    kinds, rng = KINDS[name], np.random.default_rng(seed)
    m = sum(WIDTHS[k] for k in kinds)
    root = rng.normal(size=(m, m))
    G, b = root @ root.T + 0.5 * np.eye(m), rng.normal(size=m) - 0.5
    limits = rng.uniform(0.2, 0.8, len(kinds))
    if name == "contacts":
        limits[1] = 0.0
    (p,), (off,) = pyramid_impulses(G[None], b[None], limits[None], kinds, 16)
    u, start, near = G @ p + b, 0, 1e-9
    for kind, limit in zip(kinds, limits, strict=True):
        if kind == "friction":
            assert abs(p[start]) <= limit + near
            assert abs(u[start]) < near or p[start] * u[start] == pytest.approx(-limit * abs(u[start]), abs=near)
        elif kind != "disc":
            assert p[start] >= 0.0 and u[start] > -near and abs(p[start] * u[start]) < near
        if kind in ("contact", "disc"):
            end = start + WIDTHS[kind]
            across, slip, radius = p[end - 2 : end], u[end - 2 : end], limit * (p[start] if kind == "contact" else 1.0)
            assert np.linalg.norm(across) <= radius + near
            assert across @ slip == pytest.approx(-radius * (directions(16) @ slip).max(), abs=near)
        start += WIDTHS[kind]
    assert off < (0.25 if name == "wheels" else 0.1)  # all of them slip, up to π/16 beside an edge of the pyramid


def test_directions_are_even() -> None:
    around = directions(5)
    assert np.allclose(np.linalg.norm(around, axis=1), 1.0) and around[0].tolist() == [1.0, 0.0]
    assert np.allclose((around * np.roll(around, 1, axis=0)).sum(axis=1), np.cos(0.4 * np.pi))
    assert len(directions(3)) == 3
    for sides in (2, 4.0, "4"):
        with pytest.raises(ArgumentError, match="sides"):
            directions(sides)  # type: ignore[arg-type]


def test_batches_are_their_samples() -> None:
    rng = np.random.default_rng(4)
    root = rng.normal(size=(2, 3, 3, 3))
    G, b, mu = root @ np.swapaxes(root, -1, -2) + np.eye(3), rng.normal(size=(3, 3)) - 1.0, rng.uniform(0, 1, (2, 1, 1))
    G[1, 2, 0, 0] = np.nan
    found = contact_impulses(G, b, mu, method="pyramid")
    for i, j in np.ndindex(2, 3):
        alone = contact_impulses(G[i, j], b[j], mu[i, 0], method="pyramid")
        assert np.array_equal(found.force[i, j], alone.force, equal_nan=True)
        assert found.verdict[i, j] == alone.verdict
    assert np.isnan(found.force[1, 2]).all() and np.isfinite(found.force[0]).all()


@pytest.mark.parametrize(
    ("b", "kinds", "demand"),
    [
        ([100.0, 2.0, -1.0], ("contact",), 2.0),
        ([-100.0, 2.0, -1.0], ("contact",), 100.0),
        ([1.0, 0.5, -4.0], ("contact",), 4.0),
        ([9.0, -3.0], ("stop", "stop"), 3.0),
        ([9.0, -3.0], ("friction", "stop"), 9.0),
        ([9.0, 2.0, 0.0, 0.5], ("stop", "contact"), 0.5),
        ([9.0, 2.0, -1.0], ("stop", "disc"), 2.0),
        ([5.0], ("stop",), NEVER_ZERO),
    ],
)
def test_what_impulses_must_stop(b: list[float], kinds: tuple[Any, ...], demand: float) -> None:
    assert largest_demand(b, kinds) == demand
