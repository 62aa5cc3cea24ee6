"""Strokes on three-dimensional axes: the primitives of the drawing functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ArgumentError, ShapeError
from sixvec.viz.colors import INK
from sixvec.viz.scene import Axes3D, include

Points = NDArray[np.float64]

SURFACES, LINES, ARROWS, MARKS, LABELS = range(1, 6)
"""Layers, from back to front."""


@contextmanager
def pen(ax: Axes3D, caller: str) -> Iterator[Pen]:
    """A pen on the axes; at the end the axes grow to include what was drawn."""
    if getattr(ax, "name", None) != "3d":
        raise ArgumentError(f"{caller} needs 3-D axes, such as those of sixvec.viz.scene(), not {type(ax).__name__}")
    strokes = Pen(ax, caller)
    had_data = ax.has_data()
    yield strokes
    include(ax, strokes.drawn, had_data)


def require(value: Any, kinds: type | tuple[type, ...], caller: str, hint: str = "") -> None:
    """A TypeError that names the function, what it draws, and the argument."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, kinds):
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"{caller} draws a {expected}, not a {type(value).__name__}{hint}")


def numbers(values: Any, what: str) -> Points:
    """The finite coordinates of one thing."""
    try:
        array = np.array([*values], float)
    except (TypeError, ValueError) as problem:
        raise ArgumentError(f"{what} is not made of numbers: {values!r}") from problem
    if array.ndim != 1:
        raise ShapeError(f"{what} is a batch of shape {array.shape[1:]}; draw its elements one by one")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{what} is not finite: {', '.join(f'{x:g}' for x in array)}")
    return array


def positive(value: Any, what: str) -> float:
    """A length or size."""
    (number,) = numbers((value,), what)
    if number <= 0.0:
        raise ArgumentError(f"{what} must be positive, not {number:g}")
    return float(number)


class Pen:
    """Draws on axes and records the extent."""

    def __init__(self, ax: Axes3D, caller: str) -> None:
        self.ax, self.caller = ax, caller
        self.drawn: list[Points] = []

    def vector(self, value: Any, what: str) -> Points:
        return numbers(value, f"{self.caller}: {what}")

    def size(self, value: Any, what: str) -> float:
        return positive(value, f"{self.caller}: {what}")

    def dot(self, at: Points, color: str) -> None:
        self.drawn.append(at)
        self.ax.plot(*at[:, None], "o", color=color, markersize=4.5, zorder=MARKS)

    def line(self, points: Points, color: str, width: float = 1.4, style: str = "-") -> None:
        self.drawn += [*points]
        self.ax.plot(*points.T, style, color=color, linewidth=width, solid_capstyle="round", zorder=LINES)

    def arrow(self, start: Points, vector: Points, color: str, width: float = 1.8, style: str = "-|>") -> None:
        """From a point by a vector; nothing for the zero vector."""
        if not vector.any():
            return
        from sixvec.viz.arrow import Arrow

        self.drawn += [start, start + vector]
        head = {"arrowstyle": f"{style},head_length=0.55,head_width=0.24", "mutation_scale": 12.0}
        patch = Arrow(start, start + vector, color=color, linewidth=width, joinstyle="miter", zorder=ARROWS, **head)
        self.ax.add_patch(patch)

    def curve(self, points: Points, color: str, width: float = 1.6) -> None:
        """A curve with a head at its end."""
        self.line(points[:-1], color, width)
        self.arrow(points[-2], points[-1] - points[-2], color, width)

    def surface(self, corners: Points, color: str, alpha: float = 0.18) -> None:
        self.drawn += [*corners]
        self.ax.plot_surface(
            *corners.T.reshape(3, 2, 2), color=color, alpha=alpha, linewidth=0.0, shade=False, zorder=SURFACES
        )
        ring = corners[[0, 1, 3, 2, 0]]
        self.ax.plot(*ring.T, color=color, linewidth=0.7, alpha=0.7, zorder=SURFACES)

    def label(self, text: str | None, at: Points, color: str = INK, size: float = 10.0) -> None:
        if not text:
            return
        self.drawn.append(at)
        label = self.ax.text(*at, text, color=color, fontsize=size, zorder=LABELS, ha="center", va="center")
        from matplotlib import patheffects

        label.set_path_effects([patheffects.withStroke(linewidth=2.5, foreground="white")])
