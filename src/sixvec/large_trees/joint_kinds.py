"""The kinds of joints that remain in the canonical form of a tree: one compiled kernel each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ModelError
from sixvec.model.joints import JOINTS, Joint
from sixvec.spatial import Pose

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class JointKind:
    """Joints that differ only in their pitch, in metres per radian."""

    type: type[Joint]

    @property
    def name(self) -> str:
        return self.type().kind

    @property
    def nq(self) -> int:
        return self.type.nq

    @property
    def nv(self) -> int:
        return self.type.nv

    def joint(self, pitch: Any) -> Joint:
        """The joint with that pitch."""
        return self.type().with_pitch(pitch)


def _is_elementary(joint: Joint) -> bool:
    """Whether the joint remains in the canonical form: its axes are on +z and its subspace is constant."""
    return joint.nv > 0 and joint.elementary()[0] == (Pose.identity(), joint)


KINDS = tuple(JointKind(t) for t in JOINTS if _is_elementary(t()))
"""All kinds; `LargeTree.kinds` contains indices of this table.  Every axis is +z and every subspace constant."""

KIND_NAMES = tuple(kind.name for kind in KINDS)
NQ: Integers = np.array([kind.nq for kind in KINDS])
NV: Integers = np.array([kind.nv for kind in KINDS])


def kind_of(joint: Joint) -> int:
    """The index in `KINDS` of a joint in canonical form.

    >>> from sixvec.model.joints import Spherical
    >>> KINDS[kind_of(Spherical())].name
    'spherical'
    """
    for index, kind in enumerate(KINDS):
        if kind.type is type(joint):
            return index
    raise ModelError(f"large trees do not support the {joint.kind} joint; they support: {', '.join(KIND_NAMES)}")
