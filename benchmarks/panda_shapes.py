"""The built-in Panda with spheres or capsules as its shapes: the robot of the benchmarks of distances."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

SPHERES = Path(__file__).parent / "panda_spheres.txt"
RADII = (0.08, 0.06, 0.06, 0.06, 0.06, 0.05, 0.05, 0.05)


def arm_of(kind: str) -> Any:
    """The Panda with spheres or capsules."""
    import sixvec as sv

    panda = sv.load("panda")
    shapes = _spheres() if kind == "spheres" else _capsules(panda)
    robot = sv.Robot(replace(panda.model, geoms=tuple(shapes)))
    also = [pair for pair, why in robot.collision_pairs.omitted.items() if why == "never"]
    return robot.with_collision_pairs(also=also)


def _spheres() -> list[Any]:
    from sixvec.geometry.rigid_body import Sphere
    from sixvec.model import Geom
    from sixvec.spatial import Pose, Vec3

    rows = [line.split() for line in SPHERES.read_text().splitlines() if not line.startswith("#")]
    numbers = [(frame, *map(float, row)) for frame, *row in rows]
    return [Geom(frame, Sphere(r), Pose.translation(Vec3(x, y, z))) for frame, x, y, z, r in numbers]


def _capsules(panda: Any) -> list[Any]:
    """A capsule between the origins of links that follow each other, at the neutral position."""
    from sixvec.geometry.rigid_body import Capsule
    from sixvec.model import Geom
    from sixvec.model.geom import z_towards
    from sixvec.spatial import Pose, Vec3

    links = [f"panda_link{k}" for k in range(8)]
    X = {name: panda.pose(panda.neutral(), name) for name in (*links, "panda_link8")}
    shapes = []
    for link, following, radius in zip(links, [*links[1:], "panda_link8"], RADII, strict=True):
        end = X[link][:3, :3].T @ (X[following][:3, 3] - X[link][:3, 3])
        end = end if float(np.linalg.norm(end)) > 0.05 else np.array([0.0, 0.0, 0.1])
        length = float(np.linalg.norm(end))
        place = Pose(z_towards(Vec3(*(end / length).tolist())), Vec3(*(0.5 * end).tolist()))
        shapes.append(Geom(link, Capsule(radius, length), place))
    return shapes
