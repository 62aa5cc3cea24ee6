"""How a hand holds an object: the pose, and the wrenches it can transmit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from sixvec.arguments import Array, real_array
from sixvec.errors import ArgumentError
from sixvec.solve.decomposition import rank_of
from sixvec.spatial import Force, Pose

Kind = Literal["rigid", "hinge", "soft finger", "point", "frictionless"]

_PASSED: dict[Kind, tuple[int, ...]] = {
    "rigid": (0, 1, 2, 3, 4, 5),
    "hinge": (0, 1, 3, 4, 5),
    "soft finger": (2, 3, 4, 5),
    "point": (3, 4, 5),
    "frictionless": (5,),
}
"""Entries of (moment; force) in the axes of the grasp that are transmitted; z is the normal, or the axis of a hinge."""


@dataclass(frozen=True, slots=True)
class Grasp:
    """A grasp at a pose in the object's frame, its z axis into the object; a hinge rotates freely about z.

    A "rigid" grasp transmits all six wrenches, a "hinge" five, a "soft finger" forces and the moment about the normal,
    a "point" forces, a "frictionless" one the force along the normal.  `friction` limits the tangential force of
    fingers to this multiple of the normal one, `torsion` (m) the moment of soft fingers.

    >>> from sixvec.constraints.grasps import Grasp
    >>> Grasp("point").rows, Grasp("hinge").rows
    (3, 5)
    """

    kind: Kind = "rigid"
    pose: Pose = field(default_factory=Pose.identity)
    friction: float = 0.5
    torsion: float = 0.01

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ArgumentError(f'no grasp "{self.kind}"; kinds: {", ".join(get_args(Kind))}')
        for name in ("friction", "torsion"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"{name} {value} of a grasp; it is zero or more")

    @property
    def rows(self) -> int:
        """The number of wrenches it transmits."""
        return len(_PASSED[self.kind])

    @property
    def wrenches(self) -> tuple[Force, ...]:
        """W: the unit wrenches that it transmits, in its own axes."""
        return tuple(Force.of([float(i == k) for i in range(6)]) for k in _PASSED[self.kind])

    @property
    def pushes(self) -> bool:
        """Whether it can only push: fingers, not rigid hands."""
        return self.kind in ("soft finger", "point", "frictionless")


def required(grasps: Sequence[Grasp]) -> Sequence[Grasp]:
    """The same, or an error that names what is not a grasp."""
    for k, g in enumerate(grasps):
        if not isinstance(g, Grasp):
            raise ArgumentError(f"grasp {k} is {g!r}; give a Grasp(kind, pose)")
    return grasps


def grasp_matrix(grasps: Sequence[Grasp]) -> Array:
    """G (6, Σ rows): the wrench on the object, in its frame, of the forces that the grasps transmit.

    Its transpose maps a twist of the object to the velocities along the rows of the grasps.

    >>> from sixvec.constraints.grasps import Grasp, grasp_matrix
    >>> from sixvec.spatial import Pose, Vec3
    >>> left = Grasp("frictionless", Pose.translation(Vec3(0.0, 1.0, 0.0)))
    >>> grasp_matrix([left]).T.tolist()
    [[1.0, 0.0, 0.0, 0.0, 0.0, 1.0]]
    """
    columns = [[*map(float, g.pose @ w)] for g in required(grasps) for w in g.wrenches]
    return np.array(columns, float).reshape(-1, 6).T


def internal_forces(grasps: Sequence[Grasp]) -> Array:
    """An orthonormal basis (Σ rows, k) of forces that balance each other: internal forces that do not move the object.

    >>> from sixvec.constraints.grasps import Grasp, internal_forces
    >>> from sixvec.spatial import Pose, Vec3
    >>> at = [Pose.translation(Vec3(x, 0.0, 0.0)) for x in (-1.0, 1.0)]
    >>> internal_forces([Grasp("point", X) for X in at]).shape
    (6, 1)
    """
    G = grasp_matrix(grasps)
    _, sigma, Vt = np.linalg.svd(G)
    rank = int(rank_of(sigma))
    return np.asarray(Vt[rank:].T)


def internal_part(grasps: Sequence[Grasp], force: Array) -> Array:
    """The internal part of forces (..., Σ rows); the rest has least norm for the same wrench on the object.

    >>> import numpy as np
    >>> from sixvec.constraints.grasps import Grasp, internal_part
    >>> from sixvec.spatial import Pose, Vec3
    >>> grips = [Grasp("point", Pose.translation(Vec3(x, 0.0, 0.0))) for x in (-1.0, 1.0)]
    >>> internal_part(grips, np.array([3.0, 0.0, 0.0, -1.0, 0.0, 0.0])).round(9).tolist()  # squeezed with 2 N
    [2.0, 0.0, 0.0, -2.0, 0.0, 0.0]
    """
    N = internal_forces(grasps)
    f = real_array("force", force, len(N), why="one for each row of the grasps")
    return np.asarray((N @ (N.T @ f[..., None]))[..., 0])
