"""Two sets of shapes are the same in any order; a size, a pose, a purpose or a file that differs is seen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sixvec.cli.equivalence import geom_difference
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cylinder, Sphere
from sixvec.model import Geom, Mesh, Polyhedron
from sixvec.spatial import Vec3

CORNERS = (Vec3(0.0, 0.0, 0.0), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
GEOMS = (
    Geom("a", Sphere(0.5)), Geom("a", Sphere(2.0)), Geom("a", Box(Vec3(1.0, 2.0, 3.0))), Geom("a", Capsule(0.1, 0.4)),
    Geom("a", Mesh("parts/hand.stl", Vec3(1.0, 1.0, 2.0))), Geom("a", Mesh("parts/arm.stl")),
    Geom("a", Polyhedron(CORNERS, ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)))),
)  # fmt: skip
RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, len(GEOMS), 4, 4))


def against(k: int, other: Any = None, poses: Any = None, shift: float = 0.0) -> float:
    """The difference to the same shapes in another order, shape k replaced and moved."""
    order = np.roll(np.arange(len(GEOMS)), 2)
    geoms, Y = list(GEOMS), X.copy()
    geoms[k] = geoms[k] if other is None else other
    Y[1, k, 0, 3] += shift
    return geom_difference(GEOMS, X, tuple(geoms[i] for i in order), Y[:, order])


def test_the_order_does_not_matter() -> None:
    assert against(0) == 0.0 and geom_difference((), np.zeros((0, 4, 4)), (), np.zeros((0, 4, 4))) == 0.0


@pytest.mark.parametrize(
    ("k", "shape", "gap"),
    [(0, Sphere(0.8), 0.3 / 1.5), (1, Sphere(1.7), 0.3 / 3.0), (2, Box(Vec3(1.0, 2.0, 3.2)), 0.2 / 4.0),
     (3, Capsule(0.1, 0.5), 0.1 / 1.4), (4, Mesh("other/hand.stl", Vec3(1.0, 1.5, 2.0)), 0.5 / 2.0)],
)  # fmt: skip
def test_a_size_that_differs_is_measured(k: int, shape: Any, gap: float) -> None:
    assert against(k, replace(GEOMS[k], shape=shape)) == pytest.approx(gap)


def test_a_pose_that_differs_is_measured() -> None:
    for k in (0, 3, 6):
        assert against(k, shift=0.01) == pytest.approx(0.01 / (1.0 + np.abs(X[:, k]).max()))


@pytest.mark.parametrize(
    ("k", "change"),
    [(0, {"visual": False}), (0, {"collision": False}), (3, {"shape": Cylinder(0.1, 0.4)}),
     (4, {"shape": Mesh("parts/foot.stl", Vec3(1.0, 1.0, 2.0))})],
)  # fmt: skip
def test_what_has_no_counterpart_is_infinitely_far(k: int, change: dict[str, Any]) -> None:
    assert against(k, replace(GEOMS[k], **change)) == math.inf


def test_folders_and_frames_do_not_count_and_numbers_of_shapes_do() -> None:
    assert against(5, Geom("b", Mesh("elsewhere/arm.stl", folders=("x",)))) == 0.0
    fewer = Polyhedron(CORNERS, ((0, 2, 1), (0, 1, 3), (0, 3, 2)))
    assert against(6, replace(GEOMS[6], shape=fewer)) == pytest.approx(0.2)
    assert geom_difference(GEOMS, X, GEOMS[1:], X[:, 1:]) == math.inf
    assert geom_difference(GEOMS[1:], X[:, 1:], GEOMS, X) == math.inf
