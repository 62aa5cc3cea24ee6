"""Loops cut open: the tree without the closures."""

from __future__ import annotations

from dataclasses import replace

from sixvec.model.model import Model


def without_closures(model: Model) -> Model:
    """The spanning tree of a mechanism: the same bodies, joints and frames, with nothing that closes its loops.

    It is a different robot: its joints separate where the loops would constrain them.  Methods that do not support
    loops refuse the mechanism and accept this.

    >>> from sixvec.model.edits import without_closures
    >>> from sixvec.model.robots import BUILT_IN
    >>> bars = BUILT_IN["four_bar"]()
    >>> len(bars.closures), len(without_closures(bars).closures)
    (1, 0)
    """
    return replace(model, closures=())
