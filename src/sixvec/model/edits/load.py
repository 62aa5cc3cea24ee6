"""A load given by scalars, which may be symbols: the model on which kernels with a variable payload are traced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixvec.model.body import WORLD, Body
from sixvec.model.model import Model
from sixvec.scalar import Scalar
from sixvec.spatial import RigidInertia, Sym3, Vec3


def loaded_model(model: Model, frame: str, numbers: Sequence[Scalar]) -> Model:
    """A canonical model whose frame carries a load of ten scalars (mass, moment, inertia), which may be symbols."""
    F = model.frame(frame)
    if F.body is WORLD:
        return model
    load = F.placement @ RigidInertia(numbers[0], Vec3.of(numbers[1:4]), Sym3(*numbers[4:]))

    def carrying(b: Body) -> Body:
        return replace(b, inertia=b.inertia + load) if b.name == F.body else b

    return replace(model, bodies=tuple(map(carrying, model.bodies)))
