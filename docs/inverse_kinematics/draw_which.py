"""Draws the pictures of the page on choosing inverse kinematics: `python docs/inverse_kinematics/draw_which.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure

import sixvec
from sixvec.ik import Verdict
from sixvec.ik.closed_form import closed_form
from sixvec.viz.colors import ANGULAR, GREY, INK, LINEAR, PALE, SURFACE

IMAGES = Path(__file__).parent / "images"
UR_LINKS = ("base", "shoulder_link", "upper_arm_link", "forearm_link", "wrist_1_link", "wrist_2_link", "tool0")
UR_Q = (0.4, -1.3, 1.4, -1.2, -1.2, 0.3)
VERDICTS = {
    Verdict.SOLVED: LINEAR, Verdict.AT_LIMIT: SURFACE, Verdict.SINGULAR: INK,
    Verdict.NOT_CONVERGED: ANGULAR, Verdict.UNREACHABLE: PALE,
}  # fmt: skip


def eight_postures() -> Figure:
    """All postures of a UR5e for one pose: shoulder left and right, elbow up and down, wrist flipped or not."""
    robot = sixvec.load("ur5e")
    found = closed_form(robot, "tool0")(robot.pose(UR_Q, "tool0"))
    figure = Figure(figsize=(8.0, 4.2), dpi=90)
    order = np.lexsort((found.q[:, 4].round(6), found.q[:, 2].round(6), found.q[:, 0].round(6)))
    for k, q in enumerate(found.q[order]):
        ax = figure.add_subplot(2, 4, k + 1, projection="3d")
        places = np.stack([robot.pose(q, name)[:3, 3] for name in UR_LINKS])
        ax.plot(*places.T, color=GREY if k < 4 else INK, linewidth=2.2, marker="o", markersize=3.0)
        X = robot.pose(q, "tool0")
        for axis, color in zip(X[:3, :3].T, (ANGULAR, SURFACE, LINEAR), strict=True):
            ax.plot(*np.stack([X[:3, 3], X[:3, 3] + 0.15 * axis]).T, color=color, linewidth=1.5)
        ax.set(xlim=(-0.6, 0.2), ylim=(-0.6, 0.2), zlim=(-0.1, 0.7))
        ax.set_box_aspect((1.0, 1.0, 1.0), zoom=1.3)
        ax.set_axis_off()
        ax.view_init(18.0, -60.0)
        ax.set_title(" ".join(f"{np.degrees(x):.0f}°" for x in q), fontsize=6, y=0.97)
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=0.96, wspace=0.0, hspace=0.02)
    return figure


def verdicts() -> Figure:
    """Where a Panda that points down can go, in the vertical plane through its base, and why not elsewhere."""
    robot = sixvec.load("panda")
    x, z = np.meshgrid(np.linspace(-0.9, 0.9, 73), np.linspace(-0.5, 1.1, 65))
    poses = np.broadcast_to(np.diag([1.0, -1.0, -1.0, 1.0]), (*x.shape, 4, 4)).copy()
    poses[..., 0, 3], poses[..., 2, 3] = x, z
    answer = robot.ik(poses, "panda_link8")
    figure = Figure(figsize=(5.4, 4.0), dpi=90)
    ax = figure.add_subplot()
    kinds = list(VERDICTS)
    colors, norm = ListedColormap(list(VERDICTS.values())), BoundaryNorm(np.arange(len(kinds) + 1) - 0.5, len(kinds))
    numbers = np.array([kinds.index(Verdict(int(v))) for v in answer.verdict.flat])
    mesh = ax.pcolormesh(x, z, numbers.reshape(x.shape), cmap=colors, norm=norm, shading="nearest")
    bar = figure.colorbar(mesh, ticks=range(len(kinds)))
    bar.ax.set_yticklabels([k.name.lower().replace("_", " ") for k in kinds], fontsize=8)
    ax.plot(0.0, 0.0, marker="^", color=INK, markersize=9)
    _plain(ax, "x, m", "z, m")
    figure.tight_layout()
    return figure


def _plain(ax: Any, x: str, y: str) -> None:
    ax.set_xlabel(x, fontsize=8)
    ax.set_ylabel(y, fontsize=8)
    ax.tick_params(labelsize=8)
    ax.set_aspect("equal")


PICTURES = {"eight_postures": eight_postures, "verdicts": verdicts}


def main() -> None:
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png", pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
