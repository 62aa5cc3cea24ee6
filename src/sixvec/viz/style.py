"""One style for all charts: few lines, colours that also differ in grey, and line styles in addition to colours."""

from __future__ import annotations

from typing import Any

from sixvec.errors import ArgumentError
from sixvec.viz.colors import GREY, INK
from sixvec.viz.scene import Axes, require_matplotlib

# Okabe and Ito's colours, distinguishable for colour-blind readers, dark and bright alternating.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", INK)
DASHES = ("-", "--", "-.", ":")
"""Line styles for charts with more lines than colours distinguishable in grey."""

STYLE: Any = {
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E9E9E9",
    "grid.linewidth": 0.7,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.handlelength": 1.8,
    "legend.columnspacing": 1.4,
    "legend.borderaxespad": 0.0,
}


def chart(ax: Axes | None, size: tuple[float, float] = (6.0, 3.6)) -> Axes:
    """Plane axes in this style: those given, else of a new figure, which `pyplot.show()` displays."""
    require_matplotlib()
    if ax is None:
        import matplotlib
        from matplotlib import pyplot

        with matplotlib.rc_context(STYLE):
            return pyplot.subplots(figsize=size, layout="constrained")[1]
    if getattr(ax, "name", None) == "3d":
        raise ArgumentError("this chart needs plane axes, such as those of pyplot.subplots(), not 3-D ones")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(True, color=STYLE["grid.color"], linewidth=STYLE["grid.linewidth"])
    ax.set_axisbelow(True)
    return ax


def line(i: int) -> dict[str, Any]:
    """Colour and dashes of the line with this index."""
    return {"color": COLORS[i % len(COLORS)], "linestyle": DASHES[(i // 2) % len(DASHES)]}


def label(name: str) -> str:
    """A name as matplotlib shows it; text between two dollar signs would be read as a formula."""
    from sixvec.quoting import quoted

    return quoted(name).replace("$", r"\$")
