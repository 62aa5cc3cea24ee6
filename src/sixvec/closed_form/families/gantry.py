"""Gantries: three sliding joints, then three revolute ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sixvec.closed_form.blocks import wrist
from sixvec.closed_form.chain import SerialChain
from sixvec.closed_form.recognise import PARALLEL
from sixvec.closed_form.target import Family, Joints, Target, constant, forward
from sixvec.scalar import Scalar
from sixvec.spatial import Pose


def gantry(chain: SerialChain) -> Family | None:
    """The turns make the orientation, whether their axes meet or not; the slides then make up the position."""
    if chain.kinds != "PPPRRR" or abs(np.linalg.det(chain.axes[:3])) < PARALLEL:
        return None
    if any(np.linalg.norm(np.cross(chain.axes[i], chain.axes[i + 1])) < PARALLEL for i in (3, 4)):
        return None
    arm = chain.snapped()
    h = [constant(a) for a in arm.axes]
    rows = [constant(row) for row in np.linalg.inv(arm.axes[:3].T)]

    def answer(X: Pose, _: Sequence[Scalar]) -> list[Joints]:
        G = Target.of(X, arm)
        found = []
        for turns in wrist(h[3:], lambda v: G.rot @ v):
            missing = X.pos - forward(arm, [0.0, 0.0, 0.0, *turns]).pos
            found.append([*(row.dot(missing) for row in rows), *turns])
        return found

    return Family("gantry: three slides and three turns", arm, answer, 2)
