"""The phase plane of a motion along a path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sixvec.errors import ArgumentError
from sixvec.viz.scene import Axes
from sixvec.viz.style import chart, line

if TYPE_CHECKING:
    from sixvec.motion import TimedPath


def draw_phase(motion: TimedPath, ax: Axes | None = None) -> Axes:
    """The rate of one motion over its place on the path, the largest rates from which the rest can be travelled, and
    the maximum velocity curve."""
    if np.ndim(motion.duration):
        raise ArgumentError(f"plot_phase: these are motions of shape {np.shape(motion.duration)}; draw one of them")
    ax = chart(ax)
    ax.plot(motion.s, motion.highest, label="maximum velocity curve", **line(2))
    ax.plot(motion.s, motion.largest, label="largest, from which the rest can be travelled", **line(1))
    ax.plot(motion.s, motion.speed, label="of this motion", **line(0))
    top = 1.1 * float(np.nanmax(motion.speed)) or 1.0
    ax.set(xlabel="s", ylabel="rate of s [1/s]", xlim=(0.0, float(motion.s[-1])), ylim=(0.0, top * 1.5))
    ax.legend()
    return ax
