"""How algorithms treat loops, and the error of those that do not support them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

from sixvec.errors import ModelError
from sixvec.model.closure import Closure
from sixvec.model.model import Model

Loops = Literal["enforced", "ignored", "described", "unsupported"]
"""The treatment of a model's closures.  `enforced`: their forces act.  `ignored`: the result is that of the spanning
tree, and valid as such (a pose, a Jacobian, an energy, a term of the equations of motion); the algorithm gets that
tree.  `described`: the result is about the closures themselves (their errors, their Jacobian).  `unsupported`: the
result would be wrong without the forces of the loops, so models with loops raise an error."""

LOOPS: tuple[Loops, ...] = ("enforced", "ignored", "described", "unsupported")


@lru_cache(maxsize=64)
def spanning_tree(model: Model) -> Model:
    """The tree of a mechanism: the same bodies, and every loop open."""
    return replace(model, closures=()) if model.closures else model


def require_tree(model: Model, where: str) -> None:
    """Raise an error for a model with closures, which `where` would leave open.

    >>> from sixvec.model.robots import BUILT_IN
    >>> require_tree(BUILT_IN["four_bar"](), "forward_dynamics")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sixvec.errors.ModelError: forward_dynamics: four_bar has the loop "coupler_pin", which it would leave open; ...
    """
    if model.closures:
        first = model.closures[0]
        kind = "loop" if isinstance(first, Closure) else type(first).__name__.lower()
        raise ModelError(
            f'{where}: {model.name} has the {kind} "{first.name}", which it would leave open; for the tree '
            "without its loops, which is another robot: Robot(sixvec.model.edits.without_closures(robot.model))"
        )
