"""Draws the picture of the page on the 321 and 313 structures: `python docs/inverse_kinematics/draw_arm_321_313.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from sixvec import Robot
from sixvec.ik.closed_form import arm_313, arm_321
from sixvec.ik.closed_form.arm_313 import Arm313
from sixvec.ik.closed_form.arm_321 import Arm321
from sixvec.spatial import Pose
from sixvec.viz.colors import ANGULAR, GREY, INK, LINEAR

IMAGE = Path(__file__).parent / "images" / "arm_321_313.png"
SIX, SEVEN = Arm321(0.45, 0.5, 0.45, 0.15, base_offset=0.1), Arm313(0.45, 0.5, 0.45, 0.15)
SIX_Q, SEVEN_Q = (0.5, -0.2, 1.5, 0.4, 0.9, 0.2), (0.5, 0.3, 0.4, 1.3, 0.4, 0.9, 0.2)


def draw_arm(ax: Any, robot: Robot, frames: tuple[str, ...], q: Any, color: str, width: float) -> None:
    """The arm as a broken line through the origins of some of its frames."""
    places = np.stack([robot.pose(q, name)[:3, 3] for name in frames])
    ax.plot(*places.T, color=color, linewidth=width, marker="o", markersize=1.5 * width, solid_capstyle="round")


def main() -> None:
    figure = Figure(figsize=(8.0, 3.6), dpi=100)
    left, right = (figure.add_subplot(1, 2, i, projection="3d") for i in (1, 2))
    six, seven = Robot(SIX.model()), Robot(SEVEN.model())
    target = Pose.from_matrix(six.pose(SIX_Q, "tool").tolist())
    solutions = arm_321.inverse_position(SIX, target)
    for s, color in zip(solutions[::2], (INK, LINEAR, ANGULAR, GREY), strict=True):
        draw_arm(left, six, ("base", "link1", "link2", "link3", "link4", "tool"), s.q, color, 2.5)
    target = Pose.from_matrix(seven.pose(SEVEN_Q, "tool").tolist())
    for psi in np.linspace(-np.pi, np.pi, 17)[1:]:
        q = arm_313.inverse_position(SEVEN, target, float(psi))[0].q
        draw_arm(right, seven, ("base", "link1", "link4", "link5", "tool"), q, GREY, 0.8)
    draw_arm(right, seven, ("base", "link1", "link4", "link5", "tool"), SEVEN_Q, INK, 2.5)
    for ax, title in ((left, "321: forward and backward, elbow two ways"), (right, "313: the elbow circles")):
        ax.set_title(title, fontsize=9)
        ax.set_aspect("equal")
        ax.set_axis_off()
        ax.view_init(14.0, 10.0)
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=0.93, wspace=0.0)
    figure.savefig(IMAGE, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
