"""The chart: speed-up per kernel and robot over the fastest peer, with the targets marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from result import Row

COLOURS = {
    "panda": "#2b6cb0",
    "g1": "#dd8a2b",
    "talos": "#4a9d6f",
    "ur5e": "#8e6bb0",
    "solo12": "#b0566b",
    "wheels": "#5f6b76",
}
OTHERS = ("#7f9f3f", "#3f9f9f", "#c9a227", "#9f5f3f", "#6f6fb0", "#b07fa0", "#4f7f5f", "#a0a0a0", "#c05050", "#50a0c0")
"""Robots of one or two panels, in the order in which they appear."""
LABELS = {
    "panda": "Panda, 7 joints",
    "g1": "G1, 29 joints + base",
    "talos": "Talos, 44 joints + base",
    "ur5e": "UR5e, 6 joints",
    "solo12": "Solo12, 12 joints + base",
    "wheels": "wheels",
    "delta": "Delta, 3 arms",
}
PANELS = {
    "batch": "batch of 4096, one thread, over Pinocchio (native batch, or a loop where it has none)",
    "single": "single call from Python, over the fastest of Pinocchio, MuJoCo, dynibo",
    "inverse_kinematics": "inverse kinematics, a solved problem, over the best of mink, pink, pytorch-kinematics, KDL",
    "closed_form": "closed-form inverse kinematics, all solutions, over EAIK",
    "rollout": "rollouts at 1 kHz, one thread, over mujoco.rollout",
    "constraints": "dynamics with held feet and loops, over the faster of two of Pinocchio's functions",
    "contacts": "contacts of a quadruped, one thread, over daqp and mujoco.rollout",
    "simulation": "environments with contacts, one thread, over mujoco.rollout",
    "distances": "distances of an arm to itself, one thread, over Pinocchio with coal",
    "mobile": "wheels, one thread, over OMPL and wpimath",
    "tasks": "quadratic programs and steps of tasks, one thread, over daqp and pink",
    "timing": "motions along paths, one thread, over toppra and ruckig",
    "parallel": "positions of a Delta, one thread, over visual-kinematics",
}
BAR = 0.26
TARGET = "target"
BESIDE = ("threads", "in cache", "in place")
"""Rows of a kernel that has another one; the chart would be crowded."""


def draw(rows: Sequence[Row], path: Path, machine: str) -> bool:
    """Write the chart; False where there is nothing to draw."""
    panels = {
        section: mine
        for section in PANELS
        if (
            mine := [
                row for row in rows if row.section == section and row.unit == "x" and row.value and not _is_beside(row)
            ]
        )
    }
    if not panels:
        return False
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    kernels = [list(dict.fromkeys(row.kernel for row in mine)) for mine in panels.values()]
    robots_of = [len({row.robot for row in mine}) for mine in panels.values()]
    counts = [len(names) * max(1.0, count / 3) for names, count in zip(kernels, robots_of, strict=True)]
    figure, axes = plt.subplots(
        len(panels),
        figsize=(9, 2 + 0.45 * sum(counts) + 0.6 * len(panels)),
        squeeze=False,
        layout="constrained",
        height_ratios=[count + 1 for count in counts],
    )
    robots = dict.fromkeys(row.robot for mine in panels.values() for row in mine)
    colours = COLOURS | dict(zip([name for name in robots if name not in COLOURS], OTHERS * 2, strict=False))
    for axis, (section, mine), names in zip(axes[:, 0], panels.items(), kernels, strict=True):
        _panel(axis, mine, names, colours)
        axis.set_title(PANELS[section], fontsize=10, loc="left")
    legend = {
        label: handle for axis in axes[:, 0] for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    labels = sorted(legend, key=lambda label: label == TARGET)  # the mark after the robots
    handles = [legend[label] for label in labels]
    figure.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False, fontsize=9)
    figure.suptitle(f"sixvec: speed-up, float64, {machine}", fontsize=11, x=0.01, ha="left")
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return True


def _is_beside(row: Row) -> bool:
    return any(mark in row.kernel for mark in BESIDE)


def _panel(ax: Any, rows: Sequence[Row], names: Sequence[str], colours: Mapping[str, str]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    robots = [name for name in colours if any(row.robot == name for row in rows)]
    bar = min(BAR, 0.9 / len(robots))
    for i, robot in enumerate(robots):
        offset = (i - (len(robots) - 1) / 2) * bar
        mine = [row for row in rows if row.robot == robot]
        heights = [names.index(row.kernel) + offset for row in mine]
        values = [row.value or 0 for row in mine]
        lengths = [value - 1 for value in values]  # from 1x: on a logarithmic axis there is no zero
        ax.barh(heights, lengths, left=1, height=bar * 0.9, color=colours[robot], label=LABELS.get(robot, robot))
        for y, row in zip(heights, mine, strict=True):
            ax.annotate(
                f"{row.value:.3g}", (row.value, y), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7
            )
            if row.target is not None:
                mark = {"color": "black", "linewidth": 1.4}
                ax.plot([row.target.bound] * 2, [y - bar / 2, y + bar / 2], **mark)
    ax.plot([], [], color="black", linewidth=1.4, label=TARGET)
    ax.set_yticks(range(len(names)), [name.replace("_", " ") for name in names], fontsize=9)
    ax.set_ylim(len(names) - 0.5, -0.5)  # bars of the same height in all panels
    ax.set_xscale("log")
    ax.axvline(1, color="0.6", linewidth=0.8, zorder=0)
    ax.grid(axis="x", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}x")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.margins(x=0.08)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
