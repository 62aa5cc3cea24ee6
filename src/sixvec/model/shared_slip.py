"""Axles of a platform that cannot all roll: which of them share the motion with the least slip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Axle:
    """Where an axle is, from the centre of the wheels in units of their layout, its heading, and its steering."""

    x: float
    y: float
    heading: float
    joint: str | None = None
    """The joint that steers it; None if it is fixed."""


@dataclass(frozen=True, slots=True)
class SharedAxles:
    """Axles whose rows depend on each other up to the noise of dimensions or steering."""

    platform: str
    """The planar joint of the platform."""
    axles: tuple[Axle, ...]
    x: float
    y: float
    size: float
    motions: tuple[tuple[float, float, float], ...] = ()
    """Orthonormal τ that the platform may take; if empty, the one with the least slip at each state."""
    parts: tuple[float, ...] = ()
    """How much of the slip of each of these is left to the platform: all, or a negative part, with which a motion that
    hardly slips and yet does not roll counts for more."""

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints on which the shared slip depends."""
        return (self.platform, *(a.joint for a in self.axles if a.joint is not None))

    def renamed(self, joint: Callable[[str], str]) -> SharedAxles:
        """The same axles, with the joints' names mapped."""
        axles = tuple(a if a.joint is None else replace(a, joint=joint(a.joint)) for a in self.axles)
        return replace(self, platform=joint(self.platform), axles=axles)


@dataclass(frozen=True, slots=True)
class SharedSlip:
    """The part of one axle; its equations are in `sixvec.algorithms.parts.least_slip`."""

    group: SharedAxles
    index: int
