"""Draws the pictures of the page on parallel robots: `python docs/draw_parallel.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from sixvec.parallel import (
    Delta,
    Hexa,
    Hexaglide,
    Parallel321,
    ParallelRobot,
    Planar3RPR,
    Planar3RRR,
    StewartGough,
    workspace,
)
from sixvec.parallel.forward_position import spheres
from sixvec.viz import scene
from sixvec.viz.colors import ANGULAR, GREY, INK, LINEAR, SURFACE

IMAGES = Path(__file__).parent / "images"

BASE_321 = [[1, 0, 0], [-0.5, 0, 0.9], [-0.5, 0, -0.9], [1.5, 0, 1.2], [0.2, 0, 1.9], [1.6, 0, -1.1]]
UPRIGHT = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
"""Pivots of the book have y up; pictures have z up."""


def ring(radius: float, spread: float) -> Any:
    angles = np.repeat(2.0 * np.pi * np.arange(3) / 3.0, 2) + spread * np.tile([-1.0, 1.0], 3)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(6)], axis=-1)


def raised(height: float, yaw: float = 0.15) -> Any:
    X = np.eye(4)
    X[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    X[2, 3] = height
    return X


def drawn(ax: Any, robot: ParallelRobot, X: Any, color: Any = LINEAR, legs: bool = True) -> None:
    """Rods and cranks, base and platform."""
    pose = robot.space.checked(X, "X")
    S = np.array([[*robot.space.pivot(pose.tolist(), leg.platform)] for leg in robot.legs])
    centre = np.asarray(spheres(robot.legs)(np.asarray(robot.inverse_position(X)))[0])
    ax.plot(*np.vstack([S, S[:1]]).T, color=color, linewidth=1.6)
    if not legs:
        return
    ax.plot(*np.vstack([robot.roots, robot.roots[:1]]).T, color=GREY, linewidth=1.0)
    for root, elbow, pivot in zip(robot.roots, centre, S, strict=True):
        ax.plot(*np.stack([root, elbow, pivot]).T, color=INK, linewidth=0.9, marker="o", markersize=1.8)


def families() -> Figure:
    """One robot of each family."""
    base = ring(0.5, 0.3)
    robots: dict[str, tuple[ParallelRobot, Any]] = {
        "StewartGough": (StewartGough(ring(1.0, 0.3), ring(0.6, 0.75)), raised(0.9)),
        "Hexa": (Hexa(base, ring(0.3, 0.7), np.cross([0, 0, 1.0], base), 0.4, 0.9), raised(0.7)),
        "Hexaglide": (Hexaglide(ring(0.8, 0.3), ring(0.3, 0.7), np.tile([0, 0, 1.0], (6, 1)), 0.9), raised(0.1)),
        "Delta": (Delta(0.2, 0.05, 0.25, 0.6), np.array([0.05, 0.02, -0.5])),
        "Parallel321": (*_upright_321(),),
        "Planar3RPR": (Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]]), np.array([1.5, 0.8, 0.3])),
        "Planar3RRR": (
            Planar3RRR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]], 1.5, 1.5),
            np.array([1.5, 0.8, 0.3]),
        ),
    }
    figure = Figure(figsize=(7.2, 4.0), dpi=80)
    for k, (name, (robot, X)) in enumerate(robots.items()):
        ax = _axes(figure, 2, 4, k + 1)
        drawn(ax, robot, X)
        if name.startswith("Planar"):
            ax.view_init(elev=90.0, azim=-90.0)
        ax.set_title(name, fontsize=8.0, color=INK)
    return figure


def modes_321() -> Figure:
    """The eight poses of a 321 with the same lengths."""
    robot, X = _upright_321()
    modes = robot.assembly_modes(robot.inverse_position(X))
    figure = Figure(figsize=(7.2, 3.8), dpi=80)
    for k, (pose, label) in enumerate(zip(modes.poses, modes.labels, strict=True)):
        ax = _axes(figure, 2, 4, k + 1)
        drawn(ax, robot, pose, SURFACE)
        ax.set_title(label, fontsize=7.0, color=INK)
        ax.set_zlim(-1.6, 1.6)
    return figure


def gained_twist() -> Figure:
    """An octahedral platform a quarter turn from home, and the motion that its locked legs allow."""
    angles = 2.0 * np.pi * np.arange(3) / 3.0
    base = np.stack([np.cos(angles), np.sin(angles), np.zeros(3)], axis=-1)
    top = 0.6 * np.stack([np.cos(angles + np.pi / 3), np.sin(angles + np.pi / 3), np.zeros(3)], axis=-1)
    robot = StewartGough(base[[0, 0, 1, 1, 2, 2]], top[[2, 0, 0, 1, 1, 2]])
    X = raised(0.8, np.pi / 2)
    twist = robot.singularity(X).gained[:, 0]
    figure = Figure(figsize=(4.0, 3.4), dpi=80)
    ax = _axes(figure, 1, 1, 1)
    drawn(ax, robot, X)
    S = robot.platform @ X[:3, :3].T + X[:3, 3]
    for point in np.unique(S.round(9), axis=0):
        velocity = twist[3:] + np.cross(twist[:3], point - X[:3, 3])
        ax.quiver(*point, *(0.8 * velocity), color=ANGULAR, linewidth=1.6)
    return figure


def dietmaier() -> Figure:
    """The forty poses of Dietmaier's platform."""
    pivots = {
        "base": [[0, 0, 0], [1.107915, 0, 0], [0.549094, 0.756063, 0], [0.735077, -0.223935, 0.525991],
                 [0.514188, -0.526063, -0.368418], [0.590473, 0.094733, -0.205018]],
        "platform": [[0, 0, 0], [0.542805, 0, 0], [0.956919, -0.528915, 0], [0.665885, -0.353482, 1.402538],
                     [0.478359, 1.158742, 0.107672], [-0.137087, -0.235121, 0.353913]],
    }  # fmt: skip
    robot = StewartGough(pivots["base"], pivots["platform"])
    modes = robot.assembly_modes([1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])
    figure = Figure(figsize=(7.2, 4.2), dpi=64)
    for k, pose in enumerate(modes.poses):
        ax = _axes(figure, 4, 10, k + 1)
        drawn(ax, robot, pose, LINEAR if modes.labels[k] == "+" else ANGULAR)
    return figure


def maps() -> Figure:
    """Dexterity, stiffness and accuracy of a hexapod with limited legs, at the height where it works."""
    plain = StewartGough(ring(1.0, 0.3), ring(0.6, 0.75))
    q = plain.inverse_position(raised(0.9, 0.0))
    hexapod = StewartGough(plain.roots, plain.platform, limits=(q.min() - 0.3, q.max() + 0.4))
    found = workspace(hexapod, [(-0.8, 0.8), (-0.8, 0.8), (0.3, 1.5)], count=41, stiffness=1e7)
    figure = Figure(figsize=(10.5, 3.4), dpi=80, layout="constrained")
    for ax, name in zip(figure.subplots(1, 3), ("dexterity", "stiffness", "accuracy"), strict=True):
        found.draw_slice(ax, name, across="z", at=0.9)
    return figure


def viewed() -> Figure:
    """What the viewer shows of a hexapod and of both modes of a Delta."""
    from sixvec.viz import draw_robot

    figure = Figure(figsize=(7.2, 2.9), dpi=80)
    delta = Delta(0.2, 0.05, 0.25, 0.6)
    hexapod = StewartGough(ring(1.0, 0.3), ring(0.6, 0.75))
    shown = [hexapod._path(raised(0.9, 0.3)[None]), delta._path(delta.assembly_modes([0.3, 0.3, 0.3]))]
    for k, (robot, q) in enumerate((robot, q) for robot, path in shown for q in path):
        ax = scene(figure, 131 + k)
        draw_robot(robot, q, ax)
        ax.set_axis_off()
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=1.0, wspace=0.0)
    return figure


def _upright_321() -> tuple[Parallel321, Any]:
    U, X = np.eye(4), np.eye(4)
    U[:3, :3] = UPRIGHT
    w = np.array([[0.0, 0.1, 0.3], [-0.1, 0.0, -0.2], [-0.3, 0.2, 0.0]])  # the cross product with (0.2, 0.3, -0.1)
    angle = np.sqrt(0.14)
    X[:3, :3] = np.eye(3) + np.sin(angle) / angle * w + (1.0 - np.cos(angle)) / 0.14 * w @ w
    X[:3, 3] = [0.1, 1.4, 0.05]
    X = U @ X @ U.T
    platform = np.array([[0, 0, 0], [0.7, 0, 0.35], [0.55, 0, -0.45]])
    return Parallel321(np.array(BASE_321) @ UPRIGHT.T, platform @ UPRIGHT.T), X


def _axes(figure: Figure, rows: int, columns: int, k: int) -> Any:
    ax = figure.add_subplot(rows, columns, k, projection="3d")
    ax.set_axis_off()
    ax.set_box_aspect(None, zoom=1.12)
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=0.94, wspace=0.0, hspace=0.08)
    return ax


PICTURES = {
    "parallel_families": families,
    "parallel_modes_321": modes_321,
    "parallel_gained_twist": gained_twist,
    "parallel_dietmaier": dietmaier,
    "parallel_maps": maps,
    "parallel_viewed": viewed,
}


def main() -> None:
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
