"""Draws the pictures of the page on wheels: `python docs/draw_mobile.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

import sixvec as sv
from sixvec.mobile import Caster, FixedWheel, OmniWheel, SteeredWheel, commutator, reeds_shepp
from sixvec.mobile.rolling import directions
from sixvec.viz.colors import ANGULAR, GREY, INK, LINEAR, PALE, SURFACE, X_AXIS, Z_AXIS
from sixvec.viz.robot_drawing import draw_robot
from sixvec.viz.scene import scene

IMAGES = Path(__file__).parent / "images"


def _axes(width: float, height: float, columns: int = 1) -> tuple[Figure, list[Any]]:
    figure = Figure(figsize=(width, height), dpi=90)
    axes = [figure.add_subplot(1, columns, k + 1) for k in range(columns)]
    for ax in axes:
        ax.set_aspect("equal")
        ax.set_axis_off()
    return figure, axes


def _box(ax: Any, pose: Any, corners: Any, **style: Any) -> None:
    x, y, a = pose
    R = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    ax.add_patch(Polygon(np.asarray(corners) @ R.T + [x, y], **style))


def _wheel(ax: Any, x: float, y: float, angle: float, length: float = 0.3, color: str = INK) -> None:
    h, w = length / 2, length / 7
    _box(ax, (x, y, angle), [(-h, -w), (h, -w), (h, w), (-h, w)], color=color, zorder=3)


def wheel_kinds() -> Figure:
    """The four kinds of wheels, with the lines along which the ground can push them."""
    figure, (ax,) = _axes(7.2, 2.0)
    kinds = [
        ("fixed", FixedWheel(0.0, 0.0, radius=0.1)),
        ("steered", SteeredWheel(0.0, 0.0, radius=0.1)),
        ("omni", OmniWheel(0.0, 0.0, radius=0.1)),
        ("mecanum", OmniWheel(0.0, 0.0, radius=0.1, roller_angle=-np.pi / 4)),
        ("caster", Caster(0.0, 0.0, offset=0.12, radius=0.1)),
    ]
    for k, (name, wheel) in enumerate(kinds):
        x = 1.1 * k
        turn = 0.5 if name == "steered" else 0.0
        behind = 0.12 if name == "caster" else 0.0
        _wheel(ax, x - behind, 0.0, turn)
        if isinstance(wheel, FixedWheel):
            d = (np.cos(turn), np.sin(turn))
            if isinstance(wheel, OmniWheel):  # the axes of its rollers, as seen from above on the ground
                axis = 0.025 * np.array([np.cos(wheel.roller_angle), np.sin(wheel.roller_angle)])
                for at in np.linspace(-0.11, 0.11, 4):
                    ax.plot([x + at - axis[0], x + at + axis[0]], [-axis[1], axis[1]], color="white", lw=1.5, zorder=4)
            for line, color in ((wheel.traction(d), LINEAR), (wheel.lateral(d), ANGULAR)):
                if line is not None:
                    f = np.array([line.x, line.y]) * 0.38 / np.hypot(line.x, line.y)
                    ax.annotate(
                        "", (x + f[0], f[1]), (x, 0.0), arrowprops={"arrowstyle": "->", "color": color, "lw": 2}
                    )
        else:
            ax.plot([x - behind, x], [0.0, 0.0], color=SURFACE, linewidth=2, zorder=4)
            ax.plot([x], [0.0], "o", color=SURFACE, markersize=6, zorder=4)
        ax.text(x, -0.5, name, ha="center", fontsize=9, color=INK)
    ax.plot([], [], color=LINEAR, label="traction: the motor's")
    ax.plot([], [], color=ANGULAR, label="lateral: the ground's")
    ax.legend(fontsize=7, frameon=False, loc="upper center", ncols=2, bbox_to_anchor=(0.5, 1.2))
    ax.set_xlim(-0.5, 4.9)
    ax.set_ylim(-0.6, 0.55)
    figure.tight_layout()
    return figure


def icr() -> Figure:
    """A car with Ackermann steering: all axles meet in the centre of rotation."""
    figure, (ax,) = _axes(6.0, 3.0)
    car = sv.mobile.car(1.3, 0.8, radius=0.2)
    steer = [0.5]
    center = car.icr(car.rolling_twist(steer))
    _box(ax, (0.0, 0.0, 0.0), [(-0.3, -0.32), (1.6, -0.32), (1.6, 0.32), (-0.3, 0.32)], color=PALE, zorder=0)
    for w, (c, s) in zip(car.rolling, directions(car.rolling, car.steering, steer), strict=True):
        ax.plot([w.x, center[0]], [w.y, center[1]], color=ANGULAR, linewidth=1.0, linestyle="--", zorder=1)
        _wheel(ax, w.x, w.y, float(np.arctan2(float(s), float(c))))
    ax.plot(*center, "o", color=X_AXIS)
    ax.text(center[0] + 0.1, center[1], "centre of rotation", fontsize=9, va="center")
    figure.tight_layout()
    return figure


def trailers() -> Figure:
    """A truck with two trailers on a bend: the trailers cut the corner."""
    figure, (ax,) = _axes(6.0, 3.6)
    truck = sv.mobile.bicycle(1.2).with_trailer(hitch=0.3, length=1.6).with_trailer(hitch=0.2, length=1.6)
    bend = np.concatenate([np.zeros(140), np.linspace(0.0, 0.36, 40), np.full(190, 0.36)])
    path = truck.odometry(np.ones((370, 1)), 0.02, [0.0, 0.0, 0.0], [0.0, 0.0], steer=bend[:, None])
    poses, angles = path.pose, path.angles
    tails = truck.poses(poses, angles)
    ax.plot(*poses[:, :2].T, color=LINEAR, linewidth=1.2)
    for k, color in ((0, SURFACE), (1, ANGULAR)):
        ax.plot(*tails[:, k, :2].T, color=color, linewidth=1.2)
    for at in (30, 369):
        _box(
            ax, poses[at], [(-0.3, -0.3), (1.5, -0.3), (1.5, 0.3), (-0.3, 0.3)], facecolor=PALE, edgecolor=INK, zorder=2
        )
        front = poses[at]
        for tail, trailer in zip(tails[at], truck.trailers, strict=True):
            hitch = front[:2] - trailer.hitch * np.array([np.cos(front[2]), np.sin(front[2])])
            ax.plot(*np.stack([hitch, tail[:2]], axis=-1), color=INK, linewidth=1.5, zorder=3)
            ax.plot(*hitch, "o", color=INK, markersize=3, zorder=3)
            front = tail
        for tail, color in zip(tails[at], (SURFACE, ANGULAR), strict=True):
            box = [(-0.4, -0.3), (1.2, -0.3), (1.2, 0.3), (-0.4, 0.3)]
            _box(ax, tail, box, facecolor=color, edgecolor=INK, alpha=0.6, zorder=2)
    figure.tight_layout()
    return figure


def reeds_shepp_words() -> Figure:
    """Shortest paths to five goals, forward in one colour and backward in the other."""
    figure, axes = _axes(7.2, 2.2, 5)
    goals = [(3.0, 1.5, 0.8), (0.0, 1.2, 0.0), (0.5, 0.8, 2.5), (-0.6, 1.0, 3.0), (2.2, -2.2, 2.9)]
    for ax, goal in zip(axes, goals, strict=True):
        path = reeds_shepp([0.0, 0.0, 0.0], goal, 1.0)
        ends = np.concatenate([[0.0], np.cumsum(np.abs(path.segments))])
        for k, length in enumerate(path.segments):
            if length:
                piece = path.at(np.linspace(ends[k], ends[k + 1], 60))
                ax.plot(*piece[:, :2].T, color=Z_AXIS if length > 0.0 else X_AXIS, linewidth=2)
        for x, y, a in ((0.0, 0.0, 0.0), goal):
            tip = (x + 0.6 * np.cos(a), y + 0.6 * np.sin(a))
            ax.annotate("", tip, (x, y), arrowprops={"arrowstyle": "->"}, zorder=3)
            ax.plot(*tip, alpha=0.0)  # an arrow alone does not widen the view, and is not shown where it leaves it
        ax.set_title(str(path.words), fontsize=8)
        ax.margins(0.25)
    axes[0].plot([], [], color=Z_AXIS, linewidth=2, label="forward")
    axes[0].plot([], [], color=X_AXIS, linewidth=2, label="backward")
    figure.legend(fontsize=7, frameon=False, loc="lower center", ncols=2)
    figure.tight_layout(rect=(0.0, 0.06, 1.0, 1.0))
    return figure


def slide() -> Figure:
    """Drive, rotate, and both undone: a differential drive has moved sideways."""
    figure, (ax,) = _axes(5.0, 2.6)
    do = sv.mobile.differential_drive(0.5, 0.1).operators
    drive, rotate, q = do["drive"], do["rotate"], np.zeros(3)
    moves = [(drive, 1.0), (rotate, 0.6), (drive, -1.0), (rotate, -0.6)]
    places = [(0.42, 0.06), (1.3, 0.1), (0.74, -0.3), (-0.8, -0.6)]
    labels = ["1 drive", "2 rotate", "3 drive back", "4 rotate back"]
    for (operator, amount), place, label in zip(moves, places, labels, strict=True):
        _box(ax, q, [(-0.12, -0.16), (0.2, -0.16), (0.28, 0.0), (0.2, 0.16), (-0.12, 0.16)], color=GREY, alpha=0.3)
        way = operator.move(q, np.linspace(0.0, amount, 30))  # type: ignore[attr-defined]
        ax.plot(*way[:, :2].T, color=LINEAR if operator is drive else ANGULAR, linewidth=2)
        ax.text(*place, label, fontsize=8)
        q = way[-1]
    assert np.allclose(q, commutator(drive, rotate, np.zeros(3), 1.0, 0.6))
    _box(ax, q, [(-0.12, -0.16), (0.2, -0.16), (0.28, 0.0), (0.2, 0.16), (-0.12, 0.16)], color=SURFACE)
    ax.annotate("", q[:2], (0.0, 0.0), arrowprops={"arrowstyle": "->", "color": X_AXIS, "lw": 2})
    ax.margins(0.15)
    figure.tight_layout()
    return figure


def mobile_robots() -> Figure:
    """A Panda on a swerve base, an arm on a car on its way: one robot each."""
    figure = Figure(figsize=(6.4, 2.9), dpi=90, layout="constrained")
    place = np.eye(4)
    place[:3, 3] = [0.1, 0.0, 0.27]
    panda = sv.mobile.mount(sv.load("panda"), sv.mobile.swerve(0.7, 0.5, 0.1), place)
    q = np.concatenate([np.zeros(3), np.full(4, 0.6), [0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8]])
    draw_robot(panda, q, _bare(figure, 121))
    base = sv.mobile.car(1.0, 0.6, radius=0.1)
    arm = sv.mobile.mount(sv.load("ur5e"), base, place)
    wheels = base.inverse_velocity([np.tan(0.4), 1.0, 0.0])
    way = base.odometry(np.tile(wheels.rates, (2, 1)), 1.9, steer=wheels.steer).pose
    ax = _bare(figure, 122)
    still = np.concatenate([np.zeros(3), wheels.steer, [3.1, -1.3, 1.2, -1.5, -1.6, 0.0]])
    for stage, alpha in zip(arm.at_poses(way, still), (0.4, 1.0), strict=True):
        draw_robot(arm, stage, ax, alpha=alpha)
    return figure


def _bare(figure: Figure, place: int) -> Any:
    ax = scene(figure, place)
    ax.set_axis_off()
    return ax


PICTURES = {
    "wheel_kinds": wheel_kinds,
    "icr": icr,
    "trailers": trailers,
    "reeds_shepp_words": reeds_shepp_words,
    "slide": slide,
    "mobile_robots": mobile_robots,
}


def main() -> None:
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png", pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
