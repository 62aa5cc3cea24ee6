"""Arms with the geometry that a test asks for, otherwise random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sixvec import Robot
from sixvec.model import Body, Frame, Limits, Model
from sixvec.model.joints import Prismatic, Revolute
from sixvec.spatial import Pose, Rotation, Vec3

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def arm(
    kinds: str, axes: Sequence[Sequence[float]], points: Sequence[Sequence[float]], tool: Pose,
    limits: tuple[float, float] | None = None,
) -> Robot:  # fmt: skip
    """A robot from its axes at q = 0; every body's frame has the world's axes there and stands on its own axis."""
    bodies: list[Body] = []
    at = np.zeros(3)
    bounds = Limits((limits[0],), (limits[1],)) if limits else Limits()
    for i, kind in enumerate(kinds):
        joint = (Revolute if kind == "R" else Prismatic)(Vec3(*map(float, axes[i])))
        placement = Pose(Rotation.identity(), Vec3(*map(float, np.array(points[i]) - at)))
        parent = f"link{i}" if i else None
        bodies.append(Body(f"link{i + 1}", parent, joint, placement, joint_name=f"joint{i + 1}", limits=bounds))
        at = np.array(points[i])
    offset = Pose(tool.rot, tool.pos - Vec3(*map(float, at)))
    frames = (*(Frame(b.name, b.name) for b in bodies), Frame("tool", bodies[-1].name, offset))
    return Robot(Model("sample", tuple(bodies), frames))


def random_arm(
    seed: int, kinds: str = "RRRRRR", meet: tuple[int, ...] = (), parallel: tuple[int, ...] = (),
    across: tuple[int, ...] = (),
) -> Robot:  # fmt: skip
    """Random axes: `meet` go through one point, `parallel` have one direction (one of them reversed for odd seeds).

    `across` are at right angles to the parallel ones.
    """
    rng = np.random.default_rng(seed)
    n = len(kinds)
    axes = rng.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    points = rng.uniform(-0.5, 0.5, (n, 3))
    center = rng.uniform(-0.3, 0.3, 3)
    for i in meet:
        points[i] = center + axes[i] * rng.uniform(-0.4, 0.4)
    for i in parallel:
        axes[i] = axes[parallel[0]] * (-1.0 if i == parallel[-1] and seed % 2 else 1.0)
    for i in across:
        axes[i] -= axes[parallel[0]] * (axes[i] @ axes[parallel[0]])
        axes[i] /= np.linalg.norm(axes[i])
    tool = Pose(Rotation.from_rpy(*rng.uniform(-1.0, 1.0, 3)), Vec3(*map(float, rng.uniform(-0.5, 0.5, 3))))
    return arm(kinds, axes.tolist(), points.tolist(), tool)


def iiwa() -> Robot:
    """The lengths of KUKA's LBR iiwa 14 R820 (KUKA, technical data 2015): 360, 420, 400 and 126 mm."""
    heights = (0.36, 0.36, 0.36, 0.78, 1.18, 1.18, 1.18)
    tool = Pose.translation(Vec3(0.0, 0.0, 1.306))
    return arm("RRRRRRR", [Z, Y, Z, (0.0, -1.0, 0.0), Z, Y, Z], [(0.0, 0.0, z) for z in heights], tool)


def ur5e(limits: tuple[float, float] | None = None) -> Robot:
    """The UR5e with the nominal table of Universal Robots: d 162.5, 133.3, 99.7, 99.6 and a 425, 392.2 mm."""
    y, x, down = (0.0, -1.0, 0.0), -0.8172, (0.0, 0.0, -1.0)
    points = [(0.0, 0.0, 0.1625)] * 2 + [(-0.425, 0.0, 0.1625), (x, -0.1333, 0.1625)]
    points += [(x, -0.1333, 0.1625), (x, -0.1333, 0.0628)]
    tool = Pose(Rotation.from_rpy(np.pi / 2, 0.0, 0.0), Vec3(x, -0.2329, 0.0628))
    return arm("RRRRRR", [Z, y, y, y, down, y], points, tool, limits)
