"""Arms with collision shapes of chosen kinds, as URDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import sixvec as sv
from sixvec.formats import parse_model
from sixvec.geometry.rigid_body import Box, Capsule, Cone, Cylinder, Ellipsoid, Sphere
from sixvec.model import Geom, Polyhedron
from sixvec.spatial import Pose, Rotation, Vec3

LINKS = 6


def arm(links: int = LINKS, seed: int = 0) -> sv.Robot:
    """A chain of revolute joints about changing axes, 0.3 m apart."""
    rng = np.random.default_rng(seed)
    text = ['<robot name="arm"><link name="link0"/>']
    for k in range(1, links + 1):
        axis = " ".join(f"{x:.3f}" for x in rng.normal(size=3))
        text.append(
            f'<link name="link{k}"/><joint name="joint{k}" type="revolute"><parent link="link{k - 1}"/>'
            f'<child link="link{k}"/><origin xyz="{0.05 * (k % 2)} 0 0.3" rpy="{0.2 * k:.2f} 0.3 0"/>'
            f'<axis xyz="{axis}"/><limit lower="-2.6" upper="2.6" effort="1" velocity="1"/></joint>'
        )
    return sv.Robot(parse_model("".join(text) + "</robot>", "arm.urdf"))


def solids(kind: str, rng: np.random.Generator) -> Any:
    """A random shape of a kind."""
    a, b, c = rng.uniform(0.04, 0.12, 3).tolist()
    return {
        "sphere": lambda: Sphere(a),
        "capsule": lambda: Capsule(a, 2.0 * b),
        "box": lambda: Box(Vec3(2.0 * a, 2.0 * b, 2.0 * c)),
        "cylinder": lambda: Cylinder(a, 2.0 * b),
        "cone": lambda: Cone(a, 2.0 * b),
        "ellipsoid": lambda: Ellipsoid(Vec3(a, b, c)),
        "convex hull": lambda: Polyhedron(tuple(Vec3(*p) for p in (rng.normal(size=(14, 3)) * a).tolist())),
    }[kind]()


def with_shapes(robot: sv.Robot, kinds: Sequence[str], each: int = 3, seed: int = 1) -> sv.Robot:
    """The robot with `each` random shapes of these kinds on every link."""
    rng = np.random.default_rng(seed)
    geoms = []
    for k, frame in enumerate(robot.frame_names):
        for i in range(each):
            R = Rotation.from_rpy(*rng.uniform(-3.0, 3.0, 3).tolist())
            place = Pose(R, Vec3(*rng.uniform(-0.08, 0.08, 2).tolist(), 0.1 * i))
            geoms.append(Geom(frame, solids(kinds[(k + i) % len(kinds)], rng), place))
    return sv.Robot(replace(robot.model, geoms=tuple(geoms)))
