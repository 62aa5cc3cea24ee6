"""Forces of the rotors of ball and free joints besides  A v̇.

`armature` gives a joint the energy ½ vᵀ A v.  Where velocities are rates of coordinates, A v̇ is all that follows from
it.  Those of ball and free joints are not: their axes turn with the body, and the Euler-Poincaré equations have one
term more,  C v  with  C_ij = Σ_k A_k v_k [e_i, e_j]_k,  which is ω × A ω for a ball joint.  C is skew-symmetric and
does no work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from sixvec.algorithms.passive_forces import Entry
from sixvec.model import Model
from sixvec.model.joints import Joint
from sixvec.scalar import Scalar


def rotor_coriolis(model: Model, v: Sequence[Scalar]) -> Iterator[Entry]:
    """The entries of C that are not zero for every v."""
    for i, j, k, inertia in _constants(model):
        yield i, j, v[k] * inertia


def rotor_bias(model: Model, v: Sequence[Scalar]) -> list[Scalar]:
    """C v."""
    total: list[Scalar] = [0.0] * model.nv
    for i, j, x in rotor_coriolis(model, v):
        total[i] = total[i] + x * v[j]
    return total


def rotor_slopes(model: Model, v: Sequence[Scalar]) -> Iterator[Entry]:
    """∂(C v)/∂v, entry by entry; some more than once."""
    for i, j, k, inertia in _constants(model):
        yield i, j, v[k] * inertia
        yield i, k, v[j] * inertia


@lru_cache(maxsize=64)
def _constants(model: Model) -> tuple[tuple[int, int, int, float], ...]:
    """(i, j, k, A_k [e_i, e_j]_k) of all joints."""
    constants = []
    for b in model.moving:
        first = model.v_slices[b.name].start
        if b.joint.nq != b.joint.nv and b.dynamics.armature:
            constants += [(first + i, first + j, first + k, b.armature[k] * x) for i, j, k, x in brackets(b.joint)]
    return tuple(constants)


def brackets(joint: Joint) -> list[tuple[int, int, int, float]]:
    """The structure constants (i, j, k, [e_i, e_j]_k) of a joint's velocities that are not zero.

    >>> from sixvec.model.joints import Revolute, Spherical
    >>> brackets(Revolute()), brackets(Spherical())[0]
    ([], (0, 1, 2, 1.0))
    """
    units = [[float(i == k) for i in range(joint.nv)] for k in range(joint.nv)]
    products = ((i, j, joint.bracket(u, w)) for i, u in enumerate(units) for j, w in enumerate(units))
    return [(i, j, k, float(x)) for i, j, product in products for k, x in enumerate(product) if x != 0.0]
