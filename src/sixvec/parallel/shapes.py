"""Shapes of a parallel robot: its legs, and rings through the pivots of base and platform."""

from __future__ import annotations

import numpy as np

from sixvec.arguments import Array
from sixvec.geometry.rigid_body.solids import Cylinder, Sphere
from sixvec.model import Geom, Material
from sixvec.model.geom import z_towards
from sixvec.parallel.leg import PUS, RUS, UPS
from sixvec.parallel.leg_chain import LegChain
from sixvec.spatial import Pose, Vec3

THICKNESS = 0.016
"""The radius of rods, in distances from the base to the platform at home."""
CASE, CASE_LENGTH, ROD_LENGTH = 1.7, 0.6, 0.75
"""Of a telescope: the radius of its cylinder in radii of its rod; the lengths of both in that of the leg at home."""
BALL = 2.2
"""The radius of a pivot, in radii of rods."""

RODS, CASES = Material("rods", (0.85, 0.85, 0.88, 1.0)), Material("cylinders", (0.45, 0.5, 0.58, 1.0))
PIVOTS, BASE = Material("pivots", (0.15, 0.35, 0.6, 1.0)), Material("base", (0.55, 0.55, 0.55, 1.0))
PLATFORM = Material("platform", (0.85, 0.45, 0.1, 1.0))


def shapes(chains: tuple[LegChain, ...], roots: Array, platform: Array, lengths: Array) -> tuple[Geom, ...]:
    """Of all legs, whose rods have these lengths at home; for display only, not for contacts."""
    r = THICKNESS * (float(np.abs(lengths).max()) + float(np.linalg.norm(roots - roots.mean(axis=0), axis=-1).max()))
    geoms = [*_ring("base", roots, r, BASE), *_ring("platform", platform, r, PLATFORM)]
    for chain, length in zip(chains, lengths, strict=True):
        geoms += _leg(chain, float(length), r)
    return tuple(geoms)


def _leg(chain: LegChain, length: float, r: float) -> list[Geom]:
    along = Vec3(1.0, 0.0, 0.0) if chain.planar else Vec3(0.0, 0.0, 1.0)
    first, rod = (b.name for b in chain.bodies)
    zero, leg = Vec3.zero(), chain.leg
    if isinstance(leg, UPS):  # the frame of the rod is at its tip
        return [
            *_bar(first, zero, along * (CASE_LENGTH * length), CASE * r, CASES),
            *_bar(rod, along * (-ROD_LENGTH * length), zero, r, RODS),
        ]
    geoms = _bar(rod, zero, along * leg.rod, r, RODS) if isinstance(leg, RUS | PUS) else []
    geoms.append(_seen(rod, Sphere(BALL * r), Pose.identity(), PIVOTS))
    if isinstance(leg, RUS):
        geoms += _bar(first, zero, Vec3(leg.crank, 0.0, 0.0), CASE * r, CASES)
    return geoms


def _ring(frame: str, pivots: Array, r: float, material: Material) -> list[Geom]:
    """A ball at each pivot, and bars around them in angular order around their middle."""
    spread = pivots - pivots.mean(axis=0)
    axes = np.linalg.svd(spread)[2][:2]
    order = np.argsort(np.arctan2(spread @ axes[1], spread @ axes[0]), kind="stable")
    places = [Vec3(*map(float, p)) for p in pivots[order]]
    geoms = [_seen(frame, Sphere(BALL * r), Pose.translation(p), PIVOTS) for p in dict.fromkeys(places)]
    for a, b in zip(places, [*places[1:], places[0]], strict=True):
        geoms += _bar(frame, a, b, CASE * r, material)
    return geoms


def _bar(frame: str, a: Vec3, b: Vec3, r: float, material: Material) -> list[Geom]:
    """A cylinder from a to b; none if the points coincide."""
    d = b - a
    length = float(d.norm())
    if not length > r:
        return []
    X = Pose(z_towards(d * (1.0 / length)), a + d * 0.5)
    return [_seen(frame, Cylinder(r, length), X, material)]


def _seen(frame: str, shape: Cylinder | Sphere, placement: Pose, material: Material) -> Geom:
    return Geom(frame, shape, placement, material=material, collision=False)
