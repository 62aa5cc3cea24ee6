"""The kinds of joints that remain in the canonical form of a tree: one compiled kernel each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.model.joints import Free, Helical, Joint, Prismatic, Revolute, Spherical
from sixvec.model.joints.joint import Z_AXIS

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class JointKind:
    """Joints that differ only in their parameters: `joint(pitch)` is the one with that pitch, in metres per radian."""

    name: str
    type: type[Joint]
    joint: Callable[[Any], Joint]

    @property
    def nq(self) -> int:
        return self.type.nq

    @property
    def nv(self) -> int:
        return self.type.nv


KINDS = (
    JointKind("revolute", Revolute, lambda pitch: Revolute()),
    JointKind("prismatic", Prismatic, lambda pitch: Prismatic()),
    JointKind("helical", Helical, lambda pitch: Helical(Z_AXIS, pitch)),
    JointKind("spherical", Spherical, lambda pitch: Spherical()),
    JointKind("free", Free, lambda pitch: Free()),
)
"""All kinds; `LargeTree.kinds` contains indices of this table.  Every axis is +z and every subspace constant."""

KIND_NAMES = tuple(kind.name for kind in KINDS)
NQ: Integers = np.array([kind.nq for kind in KINDS])
NV: Integers = np.array([kind.nv for kind in KINDS])


def kind_of(joint: Joint) -> int:
    """The index in `KINDS` of a joint in canonical form.

    >>> KINDS[kind_of(Spherical())].name
    'spherical'
    """
    return [kind.type for kind in KINDS].index(type(joint))
