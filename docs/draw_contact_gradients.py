"""Draws the picture of the page on gradients through contacts: `python docs/draw_contact_gradients.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv
from sixvec.constraints.contacts import Contact
from sixvec.formats import parse_model
from sixvec.geometry.rigid_body import Sphere

IMAGES = Path(__file__).parent / "images"

BALL = """<mujoco model="ball"><option gravity="0 0 0"/><worldbody><body name="ball">
<joint name="x" type="slide" axis="1 0 0"/> <joint name="z" type="slide" axis="0 0 1"/><geom size=".1" mass="2"/>
</body></worldbody></mujoco>"""
RADIUS, DT, STEPS, SPEED, FALL = 0.1, 0.01, 20, 1.0, -3.0


def ends(heights: Any, restitution: float, friction: float) -> Any:
    """Positions (x, z) at the end of falls from these heights."""
    robot = sv.Robot(parse_model(BALL, "ball.xml"))
    contact = Contact("ball", Sphere(RADIUS), friction=friction, restitution=restitution)
    q = np.stack([np.zeros_like(heights), heights], axis=1)
    return robot.rollout(q, [SPEED, FALL], [0.0, 0.0], DT, steps=STEPS, contacts=[contact]).q[:, -1]


def contact_gradients() -> Any:
    """Where a ball is after a bounce, and after a landing that friction stops, over its height at the start."""
    from matplotlib.figure import Figure

    heights = np.linspace(0.31, 0.43, 481)
    landing = (heights - RADIUS) / abs(FALL)
    figure = Figure(figsize=(9.0, 3.2), layout="constrained")
    bounce, stop = figure.subplots(1, 2)
    z = ends(heights, 0.5, 0.0)[:, 1]
    jumps = np.abs(np.diff(z, prepend=z[0])) > 0.01
    bounce.plot(heights, np.where(jumps, np.nan, z), label="time steps, slope 1")
    bounce.plot(heights, RADIUS + 0.5 * abs(FALL) * (DT * STEPS - landing), label="motion, slope -e")
    bounce.set(title="bounce, e = 0.5", xlabel="height at the start [m]", ylabel="height at the end [m]")
    stop.plot(heights, ends(heights, 0.0, 0.5)[:, 0], label="time steps, slopes 0 and μ")
    stop.plot(heights, SPEED * landing, label="motion, slope v_x / v_z")
    stop.set(title="landing that friction stops", xlabel="height at the start [m]", ylabel="x at the end [m]")
    for ax in (bounce, stop):
        ax.legend()
        ax.grid(alpha=0.3)
    return figure


PICTURES = {"contact_gradients": contact_gradients}


def main() -> None:
    for name, draw in PICTURES.items():
        draw().savefig(IMAGES / f"{name}.png", dpi=70, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
