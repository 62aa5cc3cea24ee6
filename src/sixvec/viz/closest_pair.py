"""The closest pair of collision shapes in a viser scene: a line between the nearest points, and its length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.robot import Robot
from sixvec.viz.colors import LINEAR, X_AXIS
from sixvec.viz.pieces import collision_pieces

SHAPES = (120, 160, 255)
"""The colour of collision shapes."""


@dataclass(frozen=True)
class Nodes:
    """Nodes that are removed together."""

    nodes: tuple[Any, ...]

    def remove(self) -> None:
        for node in self.nodes:
            node.remove()


def closest_pair(scene: Any, robot: Robot, q: Array, name: str, size: float) -> Nodes:
    """A line between the nearest points of the robot's shapes at q with the gap and its frames; red where they
    overlap, and the depth is shown."""
    nearest = robot.distance(q)
    gap, (first, second) = float(nearest.distance), nearest.pairs[int(nearest.pair)]
    color = X_AXIS if gap < 0.0 else LINEAR
    rgb = int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
    points = np.asarray(nearest.points)
    line = scene.add_line_segments(f"{name}/gap", points[None].astype(np.float32), rgb, thickness=0.01 * size)
    words = f"{first} – {second}: {1e3 * gap:.1f} mm"
    label = scene.add_label(f"{name}/gap size", words, position=points.mean(axis=0))
    return Nodes((line, label))


def collision_surfaces(scene: Any, robot: Robot, node_of: Any) -> Nodes:
    """The collision shapes, half transparent; `node_of` names the node of a frame."""
    meshes = []
    for k, piece in enumerate(collision_pieces(robot.model)):
        meshes.append(
            scene.add_mesh_simple(
                f"{node_of(piece.frame)}/collision{k}", piece.surface.vertices.astype(np.float32),
                piece.surface.faces.astype(np.uint32), color=SHAPES, opacity=0.35, side="double",
            )
        )  # fmt: skip
    return Nodes(tuple(meshes))
