"""Frames of the bodies themselves."""

from __future__ import annotations

from dataclasses import replace

from sixvec.model.body import Frame
from sixvec.model.model import Model


def with_body_frames(model: Model) -> Model:
    """The model with a frame for each body, if it has none of them: a list of tools does not exclude the bodies.

    A model with frames for some of its bodies is unchanged; files with several joints on one body produce such models.
    """
    if any(f.name in model.by_name for f in model.frames):
        return model
    return replace(model, frames=(*(Frame(b.name, b.name) for b in model.bodies), *model.frames))
