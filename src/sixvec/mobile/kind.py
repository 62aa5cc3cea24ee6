"""What a platform can do, from its wheels alone: Campion's degrees of mobility and steerability, and holonomy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixvec.linear import rank
from sixvec.mobile.planar import PlanarTwist
from sixvec.mobile.wheel import SteeredWheel

if TYPE_CHECKING:
    from sixvec.mobile.platform import Platform

Array = NDArray[Any]

MOST_CONSTRAINTS = 2
"""Independent constraints on the three velocities of a platform that moves: its wheels share a centre of rotation."""


@dataclass(frozen=True)
class Kind:
    """A platform's type.

    >>> import sixvec
    >>> print(sixvec.mobile.differential_drive(0.5, 0.1).kind)
    type (2, 0): 1 constraint, 1 of them nonholonomic
    """

    mobility: int
    """Velocities that can be chosen at once: Campion's δm, the freedoms of first order."""
    steerability: int
    """Wheels that can be steered independently: Campion's δs, the freedoms of second order."""
    constraints: int
    """Independent conditions on the velocity (ω, vx, vy), at a general steering angle."""
    nonholonomic: int
    """How many of them cannot be integrated to a condition on the pose."""

    @property
    def manoeuvrability(self) -> int:
        """δM = δm + δs."""
        return self.mobility + self.steerability

    @property
    def holonomic(self) -> bool:
        return self.nonholonomic == 0

    def __str__(self) -> str:
        many = "constraint" if self.constraints == 1 else "constraints"
        return (
            f"type ({self.mobility}, {self.steerability}): {self.constraints} {many}, "
            f"{self.nonholonomic} of them nonholonomic"
        )


def kind_of(platform: Platform) -> Kind:
    """The ranks of the lateral lines of force: of fixed wheels alone, and with steered wheels at a general angle."""
    fixed = fixed_constraints(platform)
    held = int(rank(fixed)) if len(fixed) else 0
    constraints, steerability = held, 0
    if any(isinstance(w, SteeredWheel) for w in platform.rolling):
        steer = np.random.default_rng(0).uniform(0.2, 1.2, len(platform.steering_names))
        C = platform.lateral_lines(steer)
        constraints = max(held, min(MOST_CONSTRAINTS, int(rank(C)) if len(C) else 0))
        steerability = constraints - held
    mobility = 3 - constraints
    reached = 3 if steerability else len(closed_algebra(null_twists(fixed)))
    return Kind(mobility, steerability, constraints, reached - mobility)


def fixed_constraints(platform: Platform) -> Array:
    """The lateral lines (n, 3) of wheels that are not steered: conditions on the twist at any time."""
    lines = [w.lateral(w.direction()) for w in platform.rolling if not isinstance(w, SteeredWheel)]
    return np.array([list(f) for f in lines if f is not None]).reshape(-1, 3)


def null_twists(C: Array) -> list[PlanarTwist]:
    """A basis of the twists that have no power on any of the lines."""
    free = np.linalg.svd(C)[2][int(rank(C)) :] if len(C) else np.eye(3)
    return [PlanarTwist.of(t.tolist()) for t in free]


def closed_algebra(twists: Sequence[PlanarTwist]) -> list[PlanarTwist]:
    """The twists and all that their Lie brackets add: what constant frames of motion reach together."""
    basis = list(twists)
    pending = list(combinations(basis, 2))
    while pending:
        a, b = pending.pop()
        new = a.cross(b)
        if int(rank(np.array([list(t) for t in (*basis, new)]), tolerance=1e-9)) > len(basis):
            pending += [(new, t) for t in basis]
            basis.append(new)
    return basis
