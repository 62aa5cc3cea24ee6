"""A model, given directly or by its robot."""

from __future__ import annotations

from typing import Any

from sixvec.errors import ArgumentError
from sixvec.model.model import Model


def require_model(given: Any, where: str) -> Model:
    """The given model, or that of the given robot.

    >>> require_model("panda", "tree_order")
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: tree_order needs a Robot or a Model, not 'panda'
    """
    model = getattr(given, "model", given)
    if not isinstance(model, Model):
        raise ArgumentError(f"{where} needs a Robot or a Model, not {given!r}")
    return model
