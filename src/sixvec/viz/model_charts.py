"""Charts of a robot's structure: its tree, the zeros of its mass matrix, the operation counts of its algorithms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from sixvec.errors import ModelError
from sixvec.model import WORLD, AnyClosure, Closure, Model
from sixvec.model.require import require_model
from sixvec.robot import Robot
from sixvec.tolerances import ROUNDING
from sixvec.viz.colors import GREY, INK
from sixvec.viz.scene import Axes
from sixvec.viz.style import COLORS, chart, label

COUNTED = ("pose", "jacobian", "inverse_dynamics", "mass_matrix", "forward_dynamics", "coriolis_matrix")


def draw_operation_counts(robot: Robot, names: Sequence[str] = COUNTED, ax: Axes | None = None) -> Axes:
    """Multiplications and additions of each algorithm for this robot, as bars; frames are the last one.

    >>> import sixvec
    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import draw_operation_counts
    >>> ax = draw_operation_counts(sixvec.load("planar_2r"), ["mass_matrix", "inverse_dynamics"], Figure().subplots())
    >>> [t.get_text() for t in ax.get_yticklabels()]
    ['mass_matrix', 'inverse_dynamics']
    """
    require_model(robot, "draw_operation_counts")
    frame = robot.frame_names[-1]
    counts = [robot.kernel(n, **({"frame": frame} if _has_frame(n) else {})).count() for n in names]
    ax = chart(ax, (6.0, 0.5 + 0.4 * len(names)))
    rows = np.arange(len(names))
    offsets = np.zeros(len(names))
    for kind, color, hatch in (("mul", COLORS[0], ""), ("add", COLORS[4], "///")):
        width = np.array([c.get(kind, 0) for c in counts], float)
        ax.barh(rows, width, left=offsets, color=color, hatch=hatch, edgecolor="white", linewidth=0.0, label=kind)
        offsets += width
    for row, total in zip(rows, offsets, strict=True):
        ax.text(float(total), float(row), f" {total:.0f}", va="center", color=GREY, fontsize=8)
    ax.set_yticks(rows, [*names])
    ax.invert_yaxis()
    ax.set(xlabel="scalar operations per evaluation")
    ax.grid(False, axis="y")
    ax.legend(loc="upper right", title=label(robot.name))
    return ax


def _has_frame(name: str) -> bool:
    from sixvec.algorithms import REGISTRY

    return name in REGISTRY and "frame" in REGISTRY[name].options


def draw_mass_matrix(robot: Robot, q: ArrayLike | None = None, ax: Axes | None = None) -> Axes:
    """The entries of the mass matrix at q, large ones dark, zeros white: entries between separate branches are zero.

    >>> import sixvec
    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import draw_mass_matrix
    >>> draw_mass_matrix(sixvec.load("solo12"), ax=Figure().subplots()).get_title()
    'mass matrix of solo12, 40 % zeros'
    """
    if not require_model(robot, "draw_mass_matrix").nv:
        raise ModelError(f"{robot.name} has no joint that moves, so its mass matrix is empty")
    M = np.abs(robot.mass_matrix(robot.random(0) if q is None else q))
    ax = chart(ax, (4.4, 4.2))
    zero = ROUNDING * (M.max() or 1.0) >= M
    shade = np.where(zero, np.nan, np.log10(np.where(zero, 1.0, M)))
    ax.imshow(shade, cmap="Greys", vmin=np.nanmin(shade) - 1.5, vmax=np.nanmax(shade))
    ax.set_title(f"mass matrix of {label(robot.name)}, {100 * zero.mean():.0f} % zeros")
    ax.grid(False)
    ax.set(xlabel="coordinate of v", ylabel="coordinate of v")
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]
    return ax


def draw_tree(robot: Robot, ax: Axes | None = None) -> Axes:
    """The tree of bodies from the world downward: one row per generation, loops as dashed lines.

    >>> import sixvec
    >>> from matplotlib.figure import Figure
    >>> from sixvec.viz import draw_tree
    >>> len(draw_tree(sixvec.load("planar_2r"), Figure().subplots()).texts)
    4
    """
    model = require_model(robot, "draw_tree")
    place: dict[str | None, tuple[float, int]] = {}
    following = [0.0]

    def put(name: str | None, depth: int) -> float:
        children = [put(b.name, depth + 1) for b in model.children(name)]
        if children:
            x = (children[0] + children[-1]) / 2
        else:
            x = following[0]
            following[0] += 1.0
        place[name] = (x, -depth)
        return x

    put(WORLD, 0)
    depth = 1 - min(y for _, y in place.values())
    ax = chart(ax, (max(3.0, 1.3 * following[0]), max(2.5, 0.55 * depth)))
    for b in model.bodies:
        (x, y), (u, w) = place[b.name], place[b.parent]
        ax.plot([u, x], [w, y], color=INK if b.joint.nv else GREY, linewidth=1.4 if b.joint.nv else 0.8, zorder=1)
    for c in model.closures:
        ends = [place[name] for name in _ends(model, c)]
        ax.plot(*zip(*ends, strict=True), color=COLORS[5], linestyle="--", linewidth=1.2, zorder=1)
    for name, (x, y) in place.items():
        box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": GREY, "linewidth": 0.7}
        text = ax.text(x, y, label(name or "world"), ha="center", va="center", fontsize=7.5, bbox=box, zorder=2)
        text.set_in_layout(False)  # labels at the edge would leave no space for the axes
    ax.set_axis_off()
    ax.margins(0.12)
    return ax


def _ends(model: Model, closure: AnyClosure) -> list[str | None]:
    """The bodies that a loop or a gear connects."""
    if isinstance(closure, Closure):
        return [model.frame(closure.first).body, model.frame(closure.second).body]
    return [name for name, _ in closure.terms]
