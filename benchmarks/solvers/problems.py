"""Random reachable poses, and the judge of answers: Pinocchio's forward kinematics, the same for everybody."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from peers.pinocchio_peer import Pinocchio
from state import Array

TOLERANCE = 1e-6
"""Metres and radians."""

SLACK = 1e-9
"""Of tolerances and limits: rounding in the solver's and the judge's forward kinematics."""

STARTS = 40
"""At most, per problem; the first is the middle of the joints' ranges, the others are random within them."""

ITERATIONS = 60
"""At most, per start."""


@dataclass(frozen=True)
class Problems:
    """Poses (n, 4, 4) of the tool, reached somewhere within the limits, and starts for those who need them."""

    reference: Pinocchio
    count: int
    lower: Array = field(init=False)
    upper: Array = field(init=False)
    poses: Array = field(init=False)
    starts: Array = field(init=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(1)
        lower, upper = self.reference.model.lowerPositionLimit.copy(), self.reference.model.upperPositionLimit.copy()
        q = rng.uniform(lower, upper, (self.count, self.reference.nq))
        random = rng.uniform(lower, upper, (STARTS - 1, self.reference.nq))
        made = {"lower": lower, "upper": upper, "poses": self.forward(q)}
        for name, value in (made | {"starts": np.vstack([(lower + upper) / 2, random])}).items():
            object.__setattr__(self, name, value)

    def forward(self, q: Array) -> Array:
        """Poses of the tool at positions (n, nq)."""
        model, data, frame = self.reference.model, self.reference.data, self.reference.frame
        out = np.empty((len(q), 4, 4))
        for i, each in enumerate(q):
            pin.forwardKinematics(model, data, each)
            out[i] = pin.updateFramePlacement(model, data, frame).homogeneous
        return out

    def within(self, q: Array) -> Array:
        """Which positions (..., nq) respect the limits."""
        return np.asarray(((q >= self.lower - SLACK) & (q <= self.upper + SLACK)).all(-1))

    def solved(self, q: Array) -> Array:
        """Which of the answers (n, nq) to the first n poses are right and within the limits."""
        answered = np.isfinite(q).all(-1)
        found, wanted = self.forward(np.where(answered[:, None], q, 0.0)), self.poses[: len(q)]
        distance = np.linalg.norm(found[:, :3, 3] - wanted[:, :3, 3], axis=-1)
        chord = np.linalg.norm(found[:, :3, :3] - wanted[:, :3, :3], axis=(-2, -1))  # 2 √2 sin(θ/2)
        angle = 2 * np.arcsin(np.minimum(1.0, chord / np.sqrt(8.0)))
        near = (distance <= TOLERANCE + SLACK) & (angle <= TOLERANCE + SLACK)
        return np.asarray(answered & near & self.within(np.where(answered[:, None], q, np.inf)))
