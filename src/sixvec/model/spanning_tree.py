"""Where only trees are right: the refusal of mechanisms with loops, in one place."""

from __future__ import annotations

from typing import Literal

from sixvec.errors import ModelError
from sixvec.model.closure import Gear
from sixvec.model.model import Model

Loops = Literal["open", "refused"]
"""What becomes of a model's closures.  `open`: the answer is about the spanning tree, and right as such (a pose, a
Jacobian, an energy, a term of the equations of motion).  `refused`: without the forces of the loops it is wrong."""

LOOPS: tuple[Loops, ...] = ("open", "refused")


def require_tree(model: Model, where: str) -> None:
    """Refuse a model with closures, which `where` would leave open.

    >>> from sixvec.robots import BUILT_IN
    >>> require_tree(BUILT_IN["four_bar"](), "forward_dynamics")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sixvec.errors.ModelError: forward_dynamics: four_bar has the loop "coupler_pin", which it would leave open; ...
    """
    if model.closures:
        first = model.closures[0]
        kind = "gear" if isinstance(first, Gear) else "loop"
        raise ModelError(
            f'{where}: {model.name} has the {kind} "{first.name}", which it would leave open; for the tree '
            "without its loops, which is another robot: Robot(sixvec.model.edits.without_closures(robot.model))"
        )
