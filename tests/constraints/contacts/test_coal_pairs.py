"""coal confirms our own pairs, and knows shapes that have none."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import pytest

from sixvec.constraints.contacts import coal_touch, touches
from sixvec.constraints.contacts.pair import PAIRS
from sixvec.distance.pairs.touch import FAR
from sixvec.errors import ArgumentError, MissingExtra
from sixvec.geometry.rigid_body.solids import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model.geom import HalfSpace, Mesh, Polyhedron
from sixvec.spatial import Pose, Quaternion, Vec3

pytest.importorskip("coal")
SHAPES = {
    Sphere: Sphere(0.3), Capsule: Capsule(0.2, 0.9), Box: Box(Vec3(0.8, 0.5, 0.3)), HalfSpace: HalfSpace(),
    Cylinder: Cylinder(0.2, 0.7), Ellipsoid: Ellipsoid(Vec3(0.1, 0.2, 0.35)),
    Polyhedron: Polyhedron(tuple(Vec3(*c) for c in product((-0.4, 0.4), (-0.25, 0.25), (-0.15, 0.15)))),
}  # fmt: skip


@pytest.mark.parametrize("kinds", PAIRS, ids=lambda k: f"{k[0].__name__}-{k[1].__name__}")
def test_gaps_of_our_pairs_are_those_of_coal(kinds: tuple[type, type]) -> None:
    rng = np.random.default_rng(1)
    first, second = (SHAPES[k] for k in kinds)
    for _ in range(20):
        turn = rng.normal(size=4)
        place = rng.normal(size=3)
        place *= rng.uniform(0.0 if kinds == (Capsule, Box) else 0.55, 1.3) / np.linalg.norm(place)
        if kinds[1] is HalfSpace:
            place[2] = abs(place[2])
        X = Pose(Quaternion(*(turn / np.linalg.norm(turn)).tolist()).as_rotation(), Vec3(*place.tolist()))
        found = min((t.gap for t in touches(first, X, second, Pose.identity())), default=FAR)
        other = coal_touch(first, X, second, Pose.identity()).gap
        if kinds == (Box, Box) and other > 0.0:
            assert found > 0.0  # taken along one of fifteen directions, from corners above a face
        else:
            assert found == pytest.approx(other, abs=1e-5)


def test_other_shapes_and_those_that_have_no_pair_at_all() -> None:
    up = Pose.translation(Vec3(0.0, 0.0, 1.0))
    corners = tuple(Vec3(*c) for c in product((-0.1, 0.1), repeat=3))
    gaps = {Cylinder(0.2, 1.0): 0.5, Cone(0.2, 0.4): 1.0, Ellipsoid(Vec3(0.1, 0.2, 0.3)): 0.7, Polyhedron(corners): 0.9}
    for shape, gap in gaps.items():
        found = coal_touch(shape, up, HalfSpace(), Pose.identity())
        assert found.gap == pytest.approx(gap, abs=1e-5) and found.normal.z == pytest.approx(1.0, abs=1e-5)
    with pytest.raises(ArgumentError, match="coal_touch"):
        coal_touch(Mesh("hand.stl"), up, HalfSpace(), Pose.identity())


def test_without_coal_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coal", None)
    with pytest.raises(MissingExtra, match=r"\[coal\]"):
        coal_touch(Sphere(0.1), Pose.identity(), HalfSpace(), Pose.identity())


EXTENTS = {
    Sphere(0.3): [0.3] * 6,
    Capsule(0.2, 0.9): [0.2, 0.2, 0.65, 0.2, 0.2, 0.65],
    Cylinder(0.2, 1.0): [0.2, 0.2, 0.5, 0.2, 0.2, 0.5],
    Cone(0.2, 0.4): [0.2, 0.2, 0.4, 0.2, 0.2, 0.0],
    Ellipsoid(Vec3(0.1, 0.2, 0.3)): [0.1, 0.2, 0.3, 0.1, 0.2, 0.3],
    Box(Vec3(0.8, 0.5, 0.3)): [0.4, 0.25, 0.15, 0.4, 0.25, 0.15],
    Polyhedron((Vec3(0.1, 0.0, 0.0), Vec3(-0.2, 0.0, 0.0), Vec3(0.0, 0.3, 0.0), Vec3(0.0, -0.4, 0.0),
                Vec3(0.0, 0.0, 0.5), Vec3(0.0, 0.0, -0.6))): [0.1, 0.3, 0.5, 0.2, 0.4, 0.6],
}  # fmt: skip


@pytest.mark.parametrize("shape", EXTENTS, ids=lambda s: type(s).__name__)
def test_shapes_between_walls(shape: object) -> None:
    """How far they reach along x, y and z and against them, from a wall two metres away on each side."""
    place = Pose(Quaternion(0.1, -0.2, 0.3, 0.927361849549570).as_rotation(), Vec3(0.5, -0.4, 0.3))
    turns = {0: Pose.rotation(Vec3(0.0, 1.0, 0.0), -np.pi / 2), 1: Pose.rotation(Vec3(1.0, 0.0, 0.0), np.pi / 2),
             2: Pose.rotation(Vec3(1.0, 0.0, 0.0), np.pi)}  # fmt: skip
    for k, (axis, extent) in enumerate(zip([0, 1, 2] * 2, EXTENTS[shape], strict=True)):  # type: ignore[index]
        e = np.eye(3)[axis] * (1.0 if k < 3 else -1.0)
        turn = turns[axis].rot if k < 3 else (turns[axis] @ Pose.rotation(Vec3(1.0, 0.0, 0.0), np.pi)).rot
        wall = Pose(turn, Vec3(*(2.0 * e).tolist()))
        assert np.allclose([*(turn @ Vec3(0.0, 0.0, 1.0))], -e)
        found = coal_touch(shape, place, HalfSpace(), place @ wall)  # type: ignore[arg-type]
        assert found.gap == pytest.approx(2.0 - extent, abs=1e-5)
        assert np.allclose([*found.normal], [*(place.rot @ Vec3(*(-e).tolist()))], atol=1e-5)
