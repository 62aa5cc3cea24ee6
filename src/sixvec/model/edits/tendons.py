"""Further tendons for a robot."""

from __future__ import annotations

from dataclasses import replace

from sixvec.errors import ArgumentError
from sixvec.model.edits.find import of_models
from sixvec.model.model import Model
from sixvec.model.tendon import FixedTendon, SpatialTendon, Tendon


@of_models
def with_tendons(model: Model, *tendons: Tendon) -> Model:
    """The model with more tendons, muscles or cables, behind those that it has.

    >>> import sixvec
    >>> from sixvec.model import SpatialTendon, ViaPoint
    >>> from sixvec.model.edits import with_tendons
    >>> cable = SpatialTendon("cable", (ViaPoint("panda_link0"), ViaPoint("panda_link8")))
    >>> [t.name for t in with_tendons(sixvec.load("panda").model, cable).tendons]
    ['cable']
    """
    for t in tendons:
        if not isinstance(t, FixedTendon | SpatialTendon):
            raise ArgumentError(
                f"with_tendons: a tendon is a SpatialTendon or a FixedTendon of sixvec.model, not a {type(t).__name__}"
            )
    return replace(model, tendons=(*model.tendons, *tendons))
