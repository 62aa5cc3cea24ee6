"""A map of where a Panda arm can work, as text: a vertical slice through its workspace.

Random positions are counted in cells.  The arm turns about its first joint, so height and distance from that axis say
almost everything.  A mark tells how far from a singularity one can be in a cell: # far, + near, . hardly away.

    python examples/workspace_map.py          # the map
    python examples/workspace_map.py --plot   # the workspace in three dimensions (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import sixvec
from sixvec.analysis import Workspace, workspace
from sixvec.solve import Metric

TOOL = "panda_link8"
TOOL_LENGTH = 0.2
"""Metres: a turn of one radian counts like so much way."""
SAMPLES, CELL = 40_000, 0.06
MARKS = ((0.15, "#"), (0.08, "+"), (0.0, "."))
"""Smallest singular value, at its best in the cell, and its mark."""


def slice_of(found: Workspace) -> tuple[Any, Any, Any]:
    """Distance from the first axis and height of each cell of the slice, and the best smallest singular value there."""
    x, y, z = found.points.T
    places = np.stack([np.hypot(x, y), z], axis=1)
    cells, number = np.unique(np.round(places / CELL).astype(int), axis=0, return_inverse=True)
    best = np.zeros(len(cells))
    np.maximum.at(best, number.reshape(-1), found.smallest)
    return cells[:, 0], cells[:, 1], best


def drawn(radius: Any, height: Any, best: Any) -> list[str]:
    """The slice as lines of text, highest first; the arm stands at the left border, on height 0."""
    rows = [[" "] * (int(radius.max()) + 1) for _ in range(int(height.max() - height.min()) + 1)]
    for r, h, value in zip(radius, height, best, strict=True):
        rows[int(height.max() - h)][int(r)] = next(mark for least, mark in MARKS if value >= least)
    return [f"{(height.max() - i) * CELL:6.2f} m |" + "".join(2 * mark for mark in row) for i, row in enumerate(rows)]


def main(plot: bool = False) -> dict[str, float]:
    robot = sixvec.load("panda")
    found = workspace(robot, TOOL, Metric.from_length(TOOL_LENGTH, robot.nv), samples=SAMPLES, cell=CELL)
    radius, height, best = slice_of(found)
    print("\n".join(drawn(radius, height, best)))
    figures = {
        "furthest from the axis, m": np.hypot(*found.points.T[:2]).max(),
        "highest, m": found.points[:, 2].max(),
        "volume of the cells, m3": found.volume,
        "part of the slice marked #": (best >= MARKS[0][0]).mean(),
    }
    for name, value in figures.items():
        print(f"{name:28} {value:9.3g}")
    if plot:
        import matplotlib.pyplot as plt

        from sixvec import viz

        figure = plt.figure()
        marks = viz.draw_workspace(viz.scene(figure), found.centers, found.mobility)
        figure.colorbar(marks, label="smallest singular value, at its best")
        plt.show()
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    main(plot="--plot" in sys.argv[1:])
