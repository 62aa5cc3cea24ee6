"""Draws the pictures of the page on distances: `python docs/draw_distances.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import sixvec as sv
from sixvec.geometry.rigid_body import Box, Capsule
from sixvec.model import Geom
from sixvec.spatial import Pose, Vec3
from sixvec.viz import draw_robot, scene
from sixvec.viz.colors import X_AXIS

IMAGES = Path(__file__).parent / "images"
Q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])


def arm() -> sv.Robot:
    panda = sv.load("panda")
    shapes = (
        Geom("panda_link0", Box(Vec3(0.2, 0.2, 0.2)), Pose.translation(Vec3(0.0, 0.0, 0.1))),
        Geom("panda_link2", Capsule(0.07, 0.3), Pose.translation(Vec3(0.0, -0.15, 0.0))),
        Geom("panda_link4", Capsule(0.06, 0.1)),
        Geom("panda_link6", Capsule(0.06, 0.1)),
        Geom("panda_link8", Box(Vec3(0.06, 0.2, 0.14)), Pose.translation(Vec3(0.0, 0.0, 0.07))),
    )
    return sv.Robot(replace(panda.model, geoms=shapes))


def nearest_points() -> Figure:
    """The gaps of a hand to the base and to a ball."""
    robot, world = arm(), sv.World()
    ball, pose = world.sphere(0.1, name="ball"), np.eye(4)
    pose[:3, 3] = [0.35, 0.4, 0.45]
    ball.pose = pose
    figure = Figure(figsize=(4.4, 4.4), dpi=90)
    ax = draw_robot(robot, Q, scene(figure), alpha=0.6)
    turn, up = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 25), np.linspace(0.0, np.pi, 13))
    around = np.stack([np.cos(turn) * np.sin(up), np.sin(turn) * np.sin(up), np.cos(up)])
    ax.plot_wireframe(*(0.1 * around + pose[:3, 3, None, None]), color="0.5", linewidth=0.5)
    for d, above in ((robot.distance(Q), [-0.05, 0.0, -0.16]), (robot.distance(Q, world), [0.05, -0.05, 0.14])):
        ax.plot(*d.points.T, color=X_AXIS, marker="o", markersize=3.5, linewidth=1.5, zorder=20)
        names = " – ".join(d.pairs[int(d.pair)])
        ax.text(*(d.points.mean(axis=0) + above), f"{names}\n{1e3 * d.distance:.0f} mm", fontsize=7, zorder=21)
    return figure


def covering_spheres() -> Figure:
    """Spheres that cover the same shapes, with two errors."""
    figure = Figure(figsize=(6.4, 3.4), dpi=90)
    for k, error in enumerate((0.05, 0.02)):
        model = arm().with_shapes("spheres", error=error).model
        covers = tuple(replace(g, visual=True) for g in model.geoms if g.collision)
        ax = draw_robot(sv.Robot(replace(model, geoms=covers)), Q, scene(figure, 121 + k))
        ax.set_title(f"error {1e3 * error:.0f} mm: {len(covers)} spheres", fontsize=8)
        ax.set_axis_off()
    return figure


PICTURES = {"nearest_points": nearest_points, "covering_spheres": covering_spheres}


if __name__ == "__main__":
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png", bbox_inches="tight", pil_kwargs={"optimize": True})
