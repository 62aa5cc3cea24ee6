"""The pictures of the README: robots of the library, and the speed-ups of `benchmarks/results.json`.

python docs/draw_readme.py
"""

from __future__ import annotations

import json
from pathlib import Path

from matplotlib.figure import Figure

import sixvec
from sixvec.viz import draw_robot, scene
from sixvec.viz.style import COLORS, chart
from sixvec.viz.viewer import start_position

HERE = Path(__file__).parent
ROBOTS = ("panda", "ur5e", "solo12", "humanoid", "four_bar")
POSTURES = {
    "panda": [0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8],
    "ur5e": [0.0, -1.2, 1.4, -1.8, -1.57, 0.0],
    "solo12": [0.0, 0.7, -1.4] * 4,
    "humanoid": [0.0] * 32,
}
SHOWN = {
    ("batch", "inverse_dynamics"): "inverse dynamics",
    ("batch", "forward_dynamics"): "forward dynamics",
    ("batch", "inverse_dynamics_derivatives"): "derivatives of inverse dynamics",
    ("inverse_kinematics", "solve"): "inverse kinematics",
    ("rollout", "rk4"): "simulation, Runge-Kutta",
    ("single", "inverse_dynamics"): "one call of inverse dynamics",
}


def robots(path: Path) -> None:
    """Five robots side by side, each on its own scale."""
    figure = Figure(figsize=(10.0, 2.6))
    for k, name in enumerate(ROBOTS):
        robot = sixvec.load(name)
        q = start_position(robot, None)
        if name in POSTURES:
            q[-len(POSTURES[name]) :] = POSTURES[name]
        ax = draw_robot(robot, q, scene(figure, 101 + 10 * len(ROBOTS) + k, azimuth=-60.0))
        ax.set_axis_off()
        ax.set_title(name, fontsize=9, y=-0.06)
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.08, top=1.0, wspace=0.0)
    figure.savefig(path, dpi=110)


def speed(path: Path) -> None:
    """Speed-ups for the Panda over the fastest peer, as bars on a logarithmic axis."""
    rows = json.loads((HERE.parent / "benchmarks/results.json").read_text())["rows"]
    found = {(r["section"], r["kernel"]): r for r in rows if r["robot"] == "panda" and r["unit"] == "x"}
    figure = Figure(figsize=(6.4, 2.3), layout="constrained")
    ax = chart(figure.subplots())
    for k, (key, name) in enumerate(SHOWN.items()):
        row = found[key]
        ax.barh(k, row["value"], color=COLORS[0])
        ax.text(row["value"], k, f" {row['value']:.0f}x {row['fastest_peer']}", va="center", fontsize=7.5)
        ax.text(0.95, k, name, va="center", ha="right", fontsize=8)
    ax.set(
        xscale="log", xlim=(1.0, 600.0), yticks=[], xlabel="times faster than the fastest peer, one core (log scale)"
    )
    ax.invert_yaxis()
    ax.grid(False, axis="y")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    robots(HERE / "images/robots.png")
    speed(HERE / "images/speed.png")
