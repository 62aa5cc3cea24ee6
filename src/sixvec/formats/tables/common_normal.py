"""The common normal of z and another axis, with a choice where it is not unique."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sixvec.formats.tables.placement import COINCIDENT
from sixvec.formats.tables.table import Choice
from sixvec.geometry.line import Line
from sixvec.spatial import Vec3

PARALLEL = 1e-8
"""Axes closer than this (rad) count as parallel.  Their common normal is 1/angle away, so its rounding is 2⁻⁵³/angle;
neglecting the angle has the error of the angle.  The two are equal at √2⁻⁵³."""

NEARLY = 1e-3
"""Below this sine a common normal loses more than three digits, which is reported."""


@dataclass(frozen=True, slots=True)
class CommonNormal:
    """θ from x to the normal, d its height on z, a its length, α from z to the axis: a classic row."""

    theta: float
    d: float
    a: float
    alpha: float
    choices: tuple[Choice, ...] = ()

    @classmethod
    def to(cls, axis: Line, row: int, parallel: float = PARALLEL) -> CommonNormal:
        """The normal to an axis of unit direction e through p; ρ is the sine between them.

        ±u = z × e / ρ,   ±a = (p_y e_x - p_x e_y) / ρ,   d = p_z - e_z (p_x e_x + p_y e_y) / ρ²
        """
        e, p = axis.direction, axis.point
        rho = math.hypot(e.x, e.y)
        if rho < parallel:
            return cls._parallel(e, p.vec, row, rho)
        a = (p.y * e.x - p.x * e.y) / rho
        d = p.z - e.z * (p.x * e.x + p.y * e.y) / (rho * rho)
        side, choices = 1.0, []
        if abs(a) > COINCIDENT * (1.0 + p.vec.norm()):
            side = math.copysign(1.0, a)
        else:
            # Both senses of the normal are valid: the one nearer to the present x keeps θ small.  At a tie, α > 0.
            side = -1.0 if -e.y < -COINCIDENT * rho else 1.0
            sense = "along" if side > 0.0 else "against"
            choices.append(Choice(row, "intersecting axes", f"x {sense} z × z', the sense nearer to the x before", rho))
        if rho < NEARLY:
            loss = f"d = {d:.3g}, rounding about {2.0**-53 / rho:.0e} of lengths; Hayati-Roberts rows are precise here"
            choices.append(Choice(row, "nearly parallel axes", f"the common normal is kept: {loss}", rho))
        theta = math.atan2(e.x * side, -e.y * side)
        # Adding 0 turns -0 into 0.
        return cls(theta + 0.0, d + 0.0, a * side + 0.0, side * math.atan2(rho, e.z), tuple(choices))

    @classmethod
    def _parallel(cls, e: Vec3, p: Vec3, row: int, rho: float) -> CommonNormal:
        """There is a common normal at every height: the one at d = 0 is chosen."""
        x, y = p.x - e.x * (p.z / e.z), p.y - e.y * (p.z / e.z)
        a, alpha = math.hypot(x, y), 0.0 if e.z > 0.0 else math.pi
        if a < COINCIDENT * (1.0 + p.norm()):
            choice = Choice(row, "coincident axes", "the frame stays where it is: θ = 0, d = 0, a = 0", rho)
            return cls(0.0, 0.0, 0.0, alpha, (choice,))
        neglected = f", and the angle of {rho:.1e} rad is neglected" if rho > COINCIDENT else ""
        choice = Choice(row, "parallel axes", f"the common normal through the frame before, d = 0{neglected}", rho)
        return cls(math.atan2(y, x), 0.0, a, alpha, (choice,))
