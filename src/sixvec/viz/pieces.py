"""The visible surfaces of a robot, on its frames."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import FileFormatError, level_of_user
from sixvec.formats.budget import one_budget
from sixvec.formats.mesh_triangles import Triangles
from sixvec.model import Model
from sixvec.model.geom import Color, Geom
from sixvec.model.robots.limbs import with_limbs
from sixvec.viz.triangles import colored_triangles

PLAIN: Color = (0.72, 0.75, 0.8, 1.0)
"""Of a shape without a colour."""


class Piece(NamedTuple):
    """A surface in the axes of a frame."""

    frame: str
    surface: Triangles
    color: Color


def pieces(model: Model) -> list[Piece]:
    """The visual shapes, else those for contacts, else limbs between the joints: the first that is complete.

    A mesh that cannot be found or read gives a warning.  If no kind of shapes is complete, the one on most frames is
    shown, with limbs added if more than half of the frames have none.

    >>> from sixvec.model.robots import BUILT_IN
    >>> {p.frame for p in pieces(BUILT_IN["planar_2r"]())} == {"base", "link1", "link2"}
    True
    """
    with one_budget():
        return _pieces(model)


def collision_pieces(model: Model) -> list[Piece]:
    """The shapes for contacts and distances whose surfaces can be read.

    >>> from sixvec.model.robots import BUILT_IN
    >>> collision_pieces(BUILT_IN["planar_2r"]())
    []
    """
    with one_budget():
        return _surfaces([g for g in model.geoms if g.collision])[0]


def _pieces(model: Model) -> list[Piece]:
    best: list[Piece] = []
    missing: list[str] = []
    for geoms in ([g for g in model.geoms if g.visual], [g for g in model.geoms if g.collision]):
        pieces, lacking = _surfaces(geoms)
        missing = missing or lacking
        if pieces and not lacking:
            best = pieces
            break
        best = max(best, pieces, key=lambda each: len({p.frame for p in each}))
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        warnings.warn(f"not shown: {missing[0]}{more}", stacklevel=level_of_user())
    dressed = {g.frame for g in model.geoms}
    if 2 * len({p.frame for p in best}) < len(dressed) or not best:
        best = best + _surfaces(with_limbs(model).geoms)[0]
    return best


def _surfaces(geoms: tuple[Geom, ...] | list[Geom]) -> tuple[list[Piece], list[str]]:
    """The surfaces of shapes, and the reasons for missing ones."""
    pieces, missing = [], []
    for g in geoms:
        try:
            surfaces = colored_triangles(g.shape)
        except FileFormatError as problem:
            missing.append(str(problem))
            continue
        X: NDArray[np.float64] = np.array(g.placement.as_matrix(), float)
        for surface, color in surfaces:
            moved = surface.vertices @ X[:3, :3].T + X[:3, 3]
            shown = _visible(g.material.color or color or PLAIN)  # that of the robot file first, as in RViz
            pieces.append(Piece(g.frame, Triangles(moved, surface.faces), shown))
    return pieces, missing


def _visible(color: Color) -> Color:
    """The nearest colour that can be shown: some files have numbers up to 255.

    >>> _visible((255.0, 0.0, 0.5, 1.0))
    (1.0, 0.0, 0.5, 1.0)
    """
    r, g, b, opacity = (min(max(x, 0.0), 1.0) for x in color)
    return r, g, b, opacity
