"""A model, given directly or by its robot."""

from __future__ import annotations

from typing import Any

from sixvec.errors import ArgumentError
from sixvec.model.model import Model


def require_model(robot: Any, where: str) -> Model:
    """The given model, or that of the given robot."""
    model = getattr(robot, "model", robot)
    if not isinstance(model, Model):
        raise ArgumentError(f"{where} needs a Robot or a Model, not {robot!r}")
    return model
