"""The inertial parameters of a model as one vector, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.inertial_parameter import NAMES, inertia_of, moving_bodies
from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError
from sixvec.model import Model
from sixvec.model.require import require_model
from sixvec.robot import Robot
from sixvec.spatial import Pose, RigidInertia


def inertial_parameters(model: Model | Robot) -> Array:
    """π (10 nb): ten numbers for each body whose joint moves, in the order of the model's bodies.

    Mass, first moment m c (x, y, z), rotational inertia about the body's origin (xx, xy, xz, yy, yz, zz), in the
    frame of the body, of the body and everything fixed to it.  Bodies fixed to the world are not included.

    >>> import sixvec
    >>> from sixvec.identification import inertial_parameters
    >>> inertial_parameters(sixvec.load("panda").model).shape
    (70,)
    """
    model = require_model(model, "inertial_parameters")
    fixed = fixed_inertias(model)
    numbers = [x for b in moving_bodies(model) for x in b.inertia + fixed[b.name]]
    return np.array(numbers, float)


def parameter_names(model: Model | Robot) -> tuple[str, ...]:
    """Names of the entries of π, such as "m(panda_link1)".

    >>> import sixvec
    >>> from sixvec.identification import parameter_names
    >>> parameter_names(sixvec.load("planar_2r").model)[:3]
    ('m(link1)', 'mx(link1)', 'my(link1)')
    """
    model = require_model(model, "parameter_names")
    return tuple(f"{name}({b.name})" for b in moving_bodies(model) for name in NAMES)


def with_parameters(model: Model | Robot, parameters: ArrayLike) -> Model:
    """The model, or that of a robot, with other inertial parameters: the inverse of `inertial_parameters`.

    Bodies that are fixed to a moving one keep their own inertia; the moving body gets the difference.

    >>> import numpy, sixvec
    >>> from sixvec.identification import inertial_parameters, with_parameters
    >>> model = sixvec.load("panda").model
    >>> heavier = with_parameters(model, 2.0 * inertial_parameters(model))
    >>> numpy.allclose(inertial_parameters(heavier), 2.0 * inertial_parameters(model))
    True
    """
    model = require_model(model, "with_parameters")
    bodies = moving_bodies(model)
    why = f"{len(NAMES)} for each of {len(bodies)} moving bodies, see parameter_names(model)"
    values = real_array(f"{model.name}: parameters", parameters, len(NAMES) * len(bodies), batch=False, why=why)
    if not np.isfinite(values).all():
        worst = parameter_names(model)[int(np.flatnonzero(~np.isfinite(values))[0])]
        raise ArgumentError(f"{model.name}: the parameter {worst} is not a finite number")
    fixed, rows = fixed_inertias(model), values.reshape(len(bodies), len(NAMES)).tolist()
    for b, row in zip(bodies, rows, strict=True):
        if row[0] < 0.0:
            raise ArgumentError(
                f"{model.name}: the mass m({b.name}) is {row[0]}; a body cannot weigh less than nothing"
            )
    changed = {b.name: inertia_of(row) - fixed[b.name] for b, row in zip(bodies, rows, strict=True)}
    return replace(model, bodies=tuple(replace(b, inertia=changed.get(b.name, b.inertia)) for b in model.bodies))


def fixed_inertias(model: Model) -> dict[str, RigidInertia]:
    """For each moving body, the inertia of the bodies fixed to it, in its frame."""
    inertias = {b.name: RigidInertia.zero() for b in moving_bodies(model)}
    stands = {name: (name, Pose.identity()) for name in inertias}
    for b in model.bodies:
        if b.name not in inertias and b.parent in stands:
            carrier, X = stands[b.parent]
            stands[b.name] = carrier, X @ b.placement @ b.joint.pose(())
            inertias[carrier] = inertias[carrier] + stands[b.name][1] @ b.inertia
    return inertias
