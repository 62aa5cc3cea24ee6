"""Units of the numbers of a six-vector: names for length and mass, and the conversion of the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sixvec.errors import ArgumentError, FrameError, unknown
from sixvec.spatial.force import Force
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.motion import Motion
from sixvec.spatial.pose import Pose

LENGTHS = {"m": 1.0, "dm": 0.1, "cm": 1e-2, "mm": 1e-3, "km": 1e3, "in": 0.0254, "ft": 0.3048}
MASSES = {"kg": 1.0, "g": 1e-3, "t": 1e3, "lb": 0.45359237}


@dataclass(frozen=True, slots=True)
class UnitSystem:
    """Units of length and mass; time is in seconds and angles are in radians.

    Forces and moments follow: mass · length / s², so that in millimetres and tonnes a force is again in newtons.

    >>> from sixvec.spatial import UnitSystem
    >>> str(UnitSystem("mm", "t"))
    'mm, t, s'
    """

    length: str = "m"
    mass: str = "kg"

    def __post_init__(self) -> None:
        for what, name, table in (("unit of length", self.length, LENGTHS), ("unit of mass", self.mass, MASSES)):
            if name not in table:
                raise ArgumentError(unknown(what, name, table))

    def __str__(self) -> str:
        return f"{self.length}, {self.mass}, s"

    def converted(self, value: Any, to: UnitSystem) -> Any:
        """The same motion, force, inertia or pose with its numbers in other units.

        A motion may be a velocity, an acceleration or a displacement, a force a momentum or an impulse: the powers of
        length and mass are the same.

        >>> from sixvec.spatial import Motion, UnitSystem, Vec3
        >>> UnitSystem("m").converted(Motion(Vec3(0.0, 0.0, 1.0), Vec3(0.25, 0.0, 0.0)), UnitSystem("mm")).lin.x
        250.0
        """
        if self == to:
            return value
        k, m = LENGTHS[self.length] / LENGTHS[to.length], MASSES[self.mass] / MASSES[to.mass]
        match value:
            case Motion(ang, lin):
                return Motion(ang, lin * k)
            case Force(ang, lin):
                return Force(ang * (m * k * k), lin * (m * k))
            case RigidInertia(mass, moment, rot):
                return RigidInertia(mass * m, moment * (m * k), rot * (m * k * k))
            case Pose(rot, pos):
                return Pose(rot, pos * k)
        raise FrameError(
            f"a {type(value).__name__} does not say which powers of length and mass it has; "
            "motions, forces, inertias and poses do"
        )


SI = UnitSystem()
"""Metre, kilogram, second: the units of all robot computations."""
