"""How algorithms treat loops and wheels, and the errors of those that do not support them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

from sixvec.errors import ArgumentError, ModelError
from sixvec.model.closure import Closure
from sixvec.model.model import Model

Loops = Literal["enforced", "ignored", "described", "unsupported"]
"""The treatment of a model's closures, and of its wheels.  `enforced`: their forces act.  `ignored`: the result is that
of the spanning tree, and valid as such (a pose, a Jacobian, an energy, a term of the equations of motion); the
algorithm gets that tree.  `described`: the result is about the closures and wheels themselves (their errors, their
Jacobian).  `unsupported`: the result would be wrong without the forces of loops and wheels, so models with them raise
an error."""

LOOPS: tuple[Loops, ...] = ("enforced", "ignored", "described", "unsupported")


@lru_cache(maxsize=64)
def spanning_tree(model: Model) -> Model:
    """The tree of a mechanism: the same bodies, every loop open, and wheels that slide."""
    return replace(model, closures=(), rolling=()) if model.is_constrained else model


@lru_cache(maxsize=64)
def without_rolling(model: Model) -> Model:
    """The same robot with wheels that do not roll but slide freely.

    >>> import sixvec
    >>> from sixvec.model.edits import without_rolling
    >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
    >>> body = RigidInertia.from_center_of_mass(20.0, Vec3.zero(), Sym3.diagonal(0.5, 0.5, 0.8))
    >>> robot = sixvec.mobile.wheeled_robot(sixvec.mobile.differential_drive(0.5, 0.1), body, 1.0)
    >>> len(robot.model.rolling), len(without_rolling(robot.model).rolling)
    (2, 0)
    """
    return replace(model, rolling=()) if model.rolling else model


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


def require_sliding(model: Model, where: str) -> None:
    """Raise an error for a model with wheels that roll, which `where` would let slide."""
    if model.rolling:
        raise ArgumentError(
            f"{where}: {model.name} rolls on wheels, which {where} does not support; robot.sliding is the same robot "
            "without rolling, and forward_dynamics, constrained_dynamics and rollout respect it"
        )


def require_unconstrained(model: Model, where: str) -> None:
    """Raise an error for a model with closures or wheels: for dynamics, where kinematics need only a tree."""
    require_sliding(model, where)
    require_tree(model, where)
