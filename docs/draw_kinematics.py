"""Draws the pictures of the page on kinematics: `python docs/draw_kinematics.py`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import sixvec
from sixvec.analysis import force_manipulability, velocity_manipulability, workspace
from sixvec.identification import calibrate
from sixvec.solve import Metric
from sixvec.viz.colors import ANGULAR, GREY, INK, LINEAR, SURFACE

IMAGES = Path(__file__).parent / "images"
EXAMPLES = Path(__file__).parent.parent / "examples"
SPEED, FORCE = 0.3, 0.2
"""Scales of the ellipses, in metres for one metre a second and for one newton: the longest axis of force is 1.7 m."""
BENDS = (150.0, 110.0, 70.0, 35.0, 15.0)
"""Of the elbow, in degrees.  A stretched arm bears any force along itself, so the last one stays short of that."""


def manipulability() -> Figure:
    """A planar arm from folded to stretched, with what its tip can do at unit joint speeds and torques."""
    arm = sixvec.load("planar_2r")
    figure = Figure(figsize=(7.2, 3.6), dpi=90)
    ax = figure.add_subplot()
    for k, bend in enumerate(np.radians(BENDS)):
        q = np.array([-0.5 * np.pi - 0.5 * bend, bend])
        places = np.stack([arm.pose(q, name)[:3, 3] for name in ("link1", "link2", "tip")])[:, [0, 2]]
        places = places - places[0] + [2.0 * k, 0.0]
        ax.plot(*places.T, color=GREY, linewidth=2.5, marker="o", markersize=4.0)
        # Only the plane matters: a turn counts as nothing beside the way of the tip.
        metric = Metric.from_length(1e-6, 2)
        for make, scale, color in ((velocity_manipulability, SPEED, LINEAR), (force_manipulability, FORCE, SURFACE)):
            _ellipse(ax, places[-1], make(arm, q, "tip", metric, "local_world_aligned"), scale, color)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.plot([], [], color=LINEAR, label="velocity of the tip, joints at unit speed")
    ax.plot([], [], color=SURFACE, label="force of the tip, joints at unit torque")
    ax.legend(fontsize=7, frameon=False, loc="lower center", ncols=2, bbox_to_anchor=(0.5, -0.1))
    figure.tight_layout()
    return figure


def _ellipse(ax: Any, at: Any, shape: Any, scale: float, color: str) -> None:
    turn = np.linspace(0.0, 2.0 * np.pi, 181)
    axes = shape.axes[[3, 5], :] * shape.radii
    x, z = scale * (axes[:, :1] * np.cos(turn) + axes[:, 1:] * np.sin(turn))
    ax.plot(at[0] + x, at[1] + z, color=color, linewidth=1.6)


def workspace_slice() -> Figure:
    """A vertical slice through the workspace of a Panda, coloured by the distance from singularities."""
    arm = sixvec.load("panda")
    found = workspace(arm, "panda_link8", Metric.from_length(0.2, 7), samples=150_000, cell=0.025)
    x, y, z = found.points.T
    places = np.round(np.stack([np.hypot(x, y), z], axis=1) / found.cell).astype(int)
    cells, number = np.unique(places, axis=0, return_inverse=True)
    best = np.zeros(len(cells))
    np.maximum.at(best, number.reshape(-1), found.smallest)
    grid = np.full(cells.max(axis=0) - [0, cells[:, 1].min()] + 1, np.nan)
    grid[cells[:, 0], cells[:, 1] - cells[:, 1].min()] = best
    figure = Figure(figsize=(4.4, 4.4), dpi=90)
    ax = figure.add_subplot()
    low = cells[:, 1].min() * found.cell
    extent = (0.0, grid.shape[0] * found.cell, low, low + grid.shape[1] * found.cell)
    picture = ax.imshow(grid.T, origin="lower", extent=extent, cmap="viridis")
    bar = figure.colorbar(picture)
    bar.set_label("smallest singular value, at its best", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    _labels(ax, "distance from the first axis, m", "height, m")
    figure.tight_layout()
    return figure


def calibration() -> Figure:
    """Errors at positions that were not measured, by the number of positions that were."""
    example = runpy.run_path(str(EXAMPLES / "calibrate_arm.py"))
    rng = np.random.default_rng(0)
    nominal = sixvec.load("ur5e")
    real = example["as_built"](nominal, rng)
    unseen, q = nominal.random(rng, 300), nominal.random(rng, 160)
    poses = example["readings"](real, q, rng)
    counts = [6, 8, 10, 15, 20, 30, 40, 60, 80, 120, 160]
    robots = [calibrate(nominal, q[:n], poses[:n], "tool0", sigma=example["NOISE"]).robot for n in counts]
    after = [1e3 * example["position_errors"](robot, real, unseen).mean() for robot in robots]
    before = 1e3 * example["position_errors"](nominal, real, unseen).mean()
    figure = Figure(figsize=(4.8, 2.8), dpi=90)
    ax = figure.add_subplot()
    ax.loglog(counts, after, color=INK, marker="o", markersize=4.0, label="corrected")
    ax.axhline(before, color=ANGULAR, label="as the data sheet says")
    ax.axhline(1e3 * np.sqrt(8.0 / np.pi) * example["NOISE"][1], color=GREY, linestyle=":", label="one reading")
    ax.legend(fontsize=8, frameon=False)
    _labels(ax, "measured poses", "mean position error, mm")
    figure.tight_layout()
    return figure


def _labels(ax: Any, x: str, y: str) -> None:
    ax.set_xlabel(x, fontsize=8)
    ax.set_ylabel(y, fontsize=8)
    ax.tick_params(labelsize=8)


PICTURES = {"manipulability": manipulability, "workspace_slice": workspace_slice, "calibration": calibration}


def main() -> None:
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png", pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
