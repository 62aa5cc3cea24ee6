"""Joints that move no mass at one position, where the mass matrix is singular although it is regular elsewhere.

A head that is a point mass, carried by links without inertia, does not resist a turn about an axis through it: in the
neutral position of such a neck forward dynamics has no solution, and next to it accelerations of 1e9 rad/s².
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import lru_cache

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.singular import ROUNDING, is_symbolic, null_vector, resists, sizes
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.errors import level_of_user
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.coupling import coupling

SHARE = 0.01
"""Joints that take part in the motion without mass by less, in coordinates in which M has a unit diagonal, are not
named."""


class WeightlessJoint(UserWarning):
    """Joints move no mass in the neutral position: forward dynamics has no solution there."""


@lru_cache(maxsize=64)
def may_be_weightless(model: Model) -> bool:
    """Whether some body moves without kinetic energy while its parent rests; models with symbols are not judged."""
    return not all(map(resists, model.bodies)) and not is_symbolic(model)


def weightless_joints(model: Model, q: Sequence[float]) -> tuple[str, ...]:
    """The joints of the motion that moves no mass at q, the one that moves most first; none where M is regular.

    >>> from sixvec.model.robots import BUILT_IN
    >>> weightless_joints(BUILT_IN["planar_2r"](), [0.0, 0.0])
    ()
    """
    if not may_be_weightless(model):
        return ()
    tied = coupling(model)
    at = JointVector(tied.positions(q), tied.free.q_slices)
    size = [0.0] * model.nv
    for (i, g, _), x in zip(tied.v, sizes(tied.free, at), strict=True):
        size[i] += g * g * x
    M = tied.reduce(mass_matrix(tied.free, at), (True, True))
    order = tree_order(model)
    if nothing := [i for i in order if M[i][i] <= ROUNDING * size[i]]:
        moving = [(1.0, i) for i in nothing]
    else:
        root = {i: math.sqrt(M[i][i]) for i in order}
        null = null_vector([[M[i][j] / (root[i] * root[j]) for j in order] for i in order])
        moving = sorted(
            ((abs(x) / root[i], i) for i, x in zip(order, null, strict=True) if abs(x) > SHARE), reverse=True
        )
    names = [b.joint_label for _, i in moving for b in model.moving if i in range(model.nv)[model.v_slices[b.name]]]
    return tuple(dict.fromkeys(names))


def complaint(joints: Sequence[str]) -> str:
    """The sentence about them.

    >>> complaint(["neck_yaw"])[:48]
    'joint "neck_yaw" moves no mass, so the mass matr'
    """
    named = " and ".join(f'"{name}"' for name in joints)
    what = f"joint {named} moves no mass" if len(joints) == 1 else f"a motion of joints {named} moves no mass"
    return f"{what}, so the mass matrix is singular; give the body an inertia, or the joint an armature"


def warn_of_weightless_joints(model: Model) -> None:
    """A warning if the mass matrix is singular in the neutral position."""
    form = canonical(model)
    if joints := weightless_joints(form, [x for b in form.moving for x in b.joint.neutral()]):
        text = f"{model.name}: in the neutral position {complaint(joints)}"
        warnings.warn(text, WeightlessJoint, stacklevel=level_of_user())
