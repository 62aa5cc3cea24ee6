"""Another inertia for a body."""

from __future__ import annotations

from dataclasses import replace

from sixvec.model.edits.checked import require_finite_inertia
from sixvec.model.edits.find import body, of_models
from sixvec.model.model import Model
from sixvec.spatial import RigidInertia


@of_models
def with_inertia(model: Model, name: str, inertia: RigidInertia) -> Model:
    """The model with the inertia of one body replaced; given in the body's frame.

    >>> import sixvec
    >>> from sixvec.model.edits import with_inertia
    >>> from sixvec.spatial import RigidInertia
    >>> light = with_inertia(sixvec.load("panda").model, "panda_link7", RigidInertia.zero())
    >>> sixvec.Robot(light).mass < sixvec.load("panda").mass
    True
    """
    require_finite_inertia(inertia, f'{model.name}: the inertia for body "{name}"')
    changed = replace(body(model, name), inertia=inertia)
    return replace(model, bodies=tuple(changed if b.name == name else b for b in model.bodies))
