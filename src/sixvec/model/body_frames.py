"""Frames of the bodies themselves."""

from __future__ import annotations

from dataclasses import replace

from sixvec.model.body import Frame
from sixvec.model.model import Model


def with_body_frames(model: Model) -> Model:
    """The model with a frame for each body, if it has none of them: a list of tools does not exclude the bodies.

    A model with frames for some of its bodies is unchanged; files with several joints on one body produce such models.

    >>> from sixvec.model import Body
    >>> arm = Model("arm", (Body("base"), Body("link", "base")), (Frame("tool", "link"),))
    >>> [f.name for f in with_body_frames(arm).frames]
    ['base', 'link', 'tool']
    """
    if any(f.name in model.by_name for f in model.frames):
        return model
    return replace(model, frames=(*(Frame(b.name, b.name) for b in model.bodies), *model.frames))
