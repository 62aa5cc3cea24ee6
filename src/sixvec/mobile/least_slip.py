"""Least slip: the motions that the axles of a platform allow, and how many independent ones there are.

The slip of a twist is the velocity of each wheel along its axle, and its speed the root mean square of the velocities
of all wheels.  Both are in m/s, so neither the frame of the platform nor the unit of length matters.  With ρ the root
mean square distance of the wheels from their centre, the speed of a twist is the length of

    τ = (ρ ω, vx, vy at the centre).

A platform moves along the motions with the least slip for their speed: right singular vectors of the axles' lines in τ.
Those whose slip is below `SLIPLESS` of their speed count as rolling.  If there is none, as with noise on the steering
of several wheels, the platform moves along the one with the least slip; only if that exceeds `HOLDING`, the wheels hold
the platform.  `free_motions` decides this for the kind of a platform, its operators, filters and the motions of arms on
it; `sixvec.algorithms.parts.least_slip` has the same for dynamics.  `Platform.forward_velocity` takes the slip at the
rims into account as well; for rates that fit the motion with the least slip both agree, to second order in the slip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sixvec.algorithms.parts.least_slip import HOLDING as HOLDING  # re-exported
from sixvec.arguments import Array
from sixvec.solve.decomposition import singular_values
from sixvec.tolerances import DRAWN

if TYPE_CHECKING:
    from sixvec.mobile.platform import Platform

SLIPLESS = 5.0 * DRAWN
"""Slip below this fraction of the speed counts as rolling.  Dimensions with six decimals put a wheel up to 0.7 DRAWN
off its axle, and a platform of 0.3 m then slips by this much."""


@dataclass(frozen=True)
class WheelLayout:
    """The centre of the wheels and ρ, their distance from it: the root mean square, or a radius if all share a point.

    >>> import sixvec
    >>> WheelLayout.of(sixvec.mobile.differential_drive(0.5, 0.1)).size
    0.25
    """

    x: float
    y: float
    size: float

    @classmethod
    def of(cls, platform: Platform) -> WheelLayout:
        places = [(w.x, w.y) for w in platform.wheels]
        x, y = (math.fsum(p) / len(places) for p in zip(*places, strict=True))
        size = math.sqrt(math.fsum((a - x) ** 2 + (b - y) ** 2 for a, b in places) / len(places))
        radius = max(w.radius for w in platform.wheels)
        return cls(x, y, size if size > DRAWN * radius else radius)

    def scaled(self, lines: Array) -> Array:
        """Lines (..., n, 3) that act on τ instead of twists."""
        m, fx, fy = (lines[..., k] for k in range(3))
        return np.stack([(m - self.x * fy + self.y * fx) / self.size, fx, fy], axis=-1)

    def motions(self, twists: Array) -> Array:
        """τ of twists (..., 3)."""
        turn, vx, vy = (twists[..., k] for k in range(3))
        return np.stack([self.size * turn, vx - turn * self.y, vy + turn * self.x], axis=-1)

    def twists(self, motions: Array) -> Array:
        """The twists (..., 3) of τ."""
        turn, vx, vy = motions[..., 0] / self.size, motions[..., 1], motions[..., 2]
        return np.stack([turn, vx + turn * self.y, vy - turn * self.x], axis=-1)


@dataclass(frozen=True)
class FreeMotions:
    """The motions that lines allow, sample by sample."""

    motions: Array
    """Orthonormal τ (..., 3, 3), one in each row, by decreasing slip."""
    slip: Array
    """The slip (..., 3) of each, the root mean square over the lines, as a fraction of its speed."""
    free: NDArray[np.bool_]
    """Whether each is allowed (..., 3)."""

    @property
    def rank(self) -> NDArray[np.intp]:
        """The number of independent constraints (...)."""
        return np.asarray((~self.free).sum(axis=-1))

    @property
    def projector(self) -> Array:
        """(..., 3, 3), from any τ to the nearest one that is allowed."""
        allowed = np.where(self.free[..., None], self.motions, 0.0)
        return np.asarray(np.swapaxes(allowed, -1, -2) @ allowed)


def free_motions(layout: WheelLayout, lines: Array, most_slip: float = SLIPLESS) -> FreeMotions:
    """The motions that lines of axles (..., n, 3) allow: those that roll, or else the best one, up to `most_slip`.

    >>> import sixvec
    >>> drive = sixvec.mobile.differential_drive(0.5, 0.1)
    >>> int(free_motions(WheelLayout.of(drive), drive.lateral_lines()).rank)
    1
    """
    C = layout.scaled(lines)
    if not C.shape[-2]:
        batch = C.shape[:-2]
        slip = np.zeros((*batch, 3))
        return FreeMotions(np.broadcast_to(np.eye(3), (*batch, 3, 3)), slip, slip == 0.0)
    _, sigma, Vt = singular_values(C)
    slip = np.zeros((*sigma.shape[:-1], 3))
    slip[..., : sigma.shape[-1]] = sigma / math.sqrt(C.shape[-2])
    free = slip <= [SLIPLESS, SLIPLESS, max(SLIPLESS, most_slip)]
    return FreeMotions(Vt, slip, free)
