"""Identified base parameters and their confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sixvec.viz.colors import GREY
from sixvec.viz.scene import Axes
from sixvec.viz.style import COLORS, chart, label

if TYPE_CHECKING:
    from sixvec.identification import Identification  # whose import is not needed to draw

CONFIDENCE = 1.96
"""Standard errors to each side that contain the true value with 95 % probability, if errors are normal."""

LONGEST_NAME = 36


def draw_base_parameters(identified: Identification, ax: Axes | None = None) -> Axes:
    """Each base parameter with its 95 % interval; grey if the interval contains zero: the data do not identify it.

    >>> import numpy, sixvec
    >>> from matplotlib.figure import Figure
    >>> from sixvec.identification import identify
    >>> from sixvec.viz import draw_base_parameters
    >>> arm, rng = sixvec.load("planar_2r"), numpy.random.default_rng(0)
    >>> q, v, a = rng.normal(size=(3, 40, 2))
    >>> tau = arm.inverse_dynamics(q, v, a) + 0.01 * rng.normal(size=(40, 2))
    >>> draw_base_parameters(identify(arm, q, v, a, tau), Figure().subplots()).get_xlabel()
    'value and 95 % interval'
    """
    half = CONFIDENCE * identified.standard_errors
    known = np.abs(identified.values) > half
    rows = np.arange(len(identified.values))
    ax = chart(ax, (6.5, 0.8 + 0.22 * len(rows)))
    for row, value, width, sure in zip(rows, identified.values, half, known, strict=True):
        color = COLORS[0] if sure else GREY
        ax.plot([value - width, value + width], [row, row], color=color, linewidth=2.2, solid_capstyle="butt")
        ax.plot(value, row, "o" if sure else "x", color=color, markersize=4)
    names = [name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name in identified.base.names]
    ax.set_yticks(rows, [*map(label, names)], fontsize=7.5)
    ax.invert_yaxis()
    ax.axvline(0.0, color=GREY, linewidth=0.8)
    ax.set(xlabel="value and 95 % interval")
    return ax
