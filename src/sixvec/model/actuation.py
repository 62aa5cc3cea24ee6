"""Which joints have a motor: the difference between what moves and what can be driven."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixvec.model.body import Body
from sixvec.model.model import Model


def has_motor(b: Body) -> bool:
    """A joint is passive if all its effort limits are zero; a free joint always is, since no motor can drive it."""
    return not b.joint.is_free and (not b.limits.effort or any(b.limits.effort))


def active_joints(model: Model) -> tuple[str, ...]:
    """The names of the joints with a motor, in the order of v (Bruyninckx §5.5.4).

    >>> from sixvec.model.robots import BUILT_IN
    >>> active_joints(BUILT_IN["cart_pole"]()), passive_joints(BUILT_IN["cart_pole"]())
    (('slider',), ('hinge',))
    """
    return tuple(b.joint_label for b in model.moving if has_motor(b))


def passive_joints(model: Model) -> tuple[str, ...]:
    """The names of the joints without a motor, in the order of v."""
    return tuple(b.joint_label for b in model.moving if not has_motor(b))


def actuation_matrix(model: Model) -> NDArray[np.float64]:
    """B with  tau = B u  for the efforts u of the motors: nv x motors, a column of the identity for each.

    A robot is underactuated where B has fewer columns than rows (Bruyninckx §1.4).

    >>> from sixvec.model.robots import BUILT_IN
    >>> actuation_matrix(BUILT_IN["acrobot"]()).tolist()
    [[0.0], [1.0]]
    """
    driven = [i for b in model.moving if has_motor(b) for i in range(model.nv)[model.v_slices[b.name]]]
    return np.eye(model.nv)[:, driven]
