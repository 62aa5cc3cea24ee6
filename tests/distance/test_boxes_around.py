"""Bounds of gaps by boxes: never above the gap, exact for boxes side by side, and limits change no smaller gap."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from test_gaps import SIZES, poses, shape

from sixvec.distance.boxes_around import gap_of_boxes
from sixvec.distance.gaps import Solids

SOLIDS = [kind for kind in SIZES if kind != "half space"]


def bounds(solids: Solids, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    first, second = (np.broadcast_to(box, (len(X), len(box))) for box in solids.boxes)
    return gap_of_boxes().call(X, Y, first, second)


@pytest.mark.parametrize("kinds", [*product(SOLIDS, SOLIDS)], ids="-".join)
def test_no_gap_is_below_its_bound(kinds: tuple[str, str]) -> None:
    rng, n = np.random.default_rng(0), 400
    solids = Solids((shape(kinds[0]), shape(kinds[1], 1.7)))
    X, Y = poses(n, 0.3, rng), poses(n, 0.6, rng)
    gap = solids.gaps(np.zeros(n, int), np.ones(n, int), X, Y).gap
    assert (gap < 0.0).any() and (gap > 0.0).any()
    assert (bounds(solids, X, Y) <= gap + 3e-7).all()  # gaps of searches are that good


def test_boxes_side_by_side() -> None:
    solids = Solids((shape("box"), shape("box")))
    X = np.tile([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], (3, 1))
    Y = X.copy()
    Y[:, 9:] = [[1.0, 0.1, 0.1], [0.0, -0.35, 0.0], [0.0, 0.0, 1.25]]
    np.testing.assert_allclose(bounds(solids, X, Y), [0.4, -0.05, 0.25], atol=1e-11)


@pytest.mark.parametrize("kinds", [("convex hull", "convex hull"), ("cylinder", "box"), ("capsule", "convex hull")])
def test_gaps_below_a_limit_are_those_without_it(kinds: tuple[str, str]) -> None:
    rng, n = np.random.default_rng(1), 500
    solids, first, second = Solids((shape(kinds[0]), shape(kinds[1]))), np.zeros(n, int), np.ones(n, int)
    X, Y = poses(n, 0.2, rng), poses(n, 0.5, rng)
    whole = solids.gaps(first, second, X, Y)
    for limit in (-0.1, 0.0, 0.2):
        nearest = solids.gaps(first, second, X, Y, limit=np.full(n, limit))
        below = whole.gap < limit
        assert below.any() and not below.all()
        np.testing.assert_allclose(nearest.gap[below], whole.gap[below], atol=1e-9)
        np.testing.assert_allclose(nearest.normal[below], whole.normal[below], atol=1e-6)
        assert (nearest.gap[~below] >= limit - 1e-8).all()
