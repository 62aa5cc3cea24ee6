"""Joint parameters in which joint forces are linear: damping, friction, armature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.errors import ArgumentError, ModelError
from sixvec.model import Model
from sixvec.model.coordinate_names import coordinate_names
from sixvec.model.coupling import is_coupled

Kind = Literal["damping", "friction", "armature"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def checked_kinds(model: Model, kinds: Sequence[Kind]) -> tuple[Kind, ...]:
    """The kinds in the order of KINDS, checked to be valid for this model's joints.

    >>> import sixvec
    >>> checked_kinds(sixvec.load("panda").model, ["friction", "damping"])
    ('damping', 'friction')
    """
    names = [kinds] if isinstance(kinds, str) else list(kinds)
    for kind in names:
        if kind not in KINDS:
            raise ArgumentError(f'no parameter "{kind}" of joints; parameters: {", ".join(KINDS)}')
    if names and is_coupled(model):
        follower = next(b for b in model.bodies if b.mimic)
        raise ModelError(
            f'{model.name}: the joint "{follower.joint_name or follower.name}" mimics another, and what one of the two '
            f"does by itself cannot be distinguished from the other; identify without dynamics={tuple(names)!r}"
        )
    if "armature" in names:
        for b in model.moving:
            if b.joint.nq != b.joint.nv:
                raise ModelError(
                    f'{model.name}: the joint "{b.joint_name or b.name}" has no coordinates whose rates are its '
                    "velocities, so its armature is known or none; identify without it"
                )
    return tuple(kind for kind in KINDS if kind in names)


def joint_parameter_names(model: Model, kinds: Sequence[Kind]) -> tuple[str, ...]:
    """Names of δ, such as "friction(joint1)": one per kind and coordinate of v."""
    return tuple(f"{kind}({name})" for kind in kinds for name in coordinate_names(model, "v"))


def joint_parameters(model: Model, kinds: Sequence[Kind]) -> Array:
    """δ of a model.

    >>> import sixvec
    >>> joint_parameters(sixvec.load("planar_2r").model, ["damping"]).tolist()
    [0.0, 0.0]
    """
    values = [x for kind in kinds for b in model.moving for x in getattr(b.dynamics, kind) or (0.0,) * b.joint.nv]
    return np.array(values, float)


def joint_columns(v: ArrayLike, a: ArrayLike, kinds: Sequence[Kind]) -> Array:
    """∂tau/∂δ (..., nv, nδ): on the diagonal v for damping, its sign for Coulomb friction, a for armature."""
    rates, changes = np.broadcast_arrays(np.asarray(v, float), np.asarray(a, float))
    diagonals = {"damping": rates, "friction": np.sign(rates), "armature": changes}
    blocks = [diagonals[kind][..., None] * np.eye(rates.shape[-1]) for kind in kinds]
    return np.concatenate(blocks, axis=-1) if blocks else np.zeros((*rates.shape, 0))


def with_joint_parameters(model: Model, kinds: Sequence[Kind], values: ArrayLike) -> Model:
    """The model with these δ."""
    table = np.asarray(values, float).reshape(len(kinds), model.nv)
    bodies = []
    for b in model.bodies:
        at = model.v_slices[b.name]
        changed: dict[str, Any] = {kind: tuple(row[at].tolist()) for kind, row in zip(kinds, table, strict=True)}
        moves = b.joint.nv > 0 and not b.mimic
        bodies.append(replace(b, dynamics=replace(b.dynamics, **changed)) if moves else b)
    return replace(model, bodies=tuple(bodies))
