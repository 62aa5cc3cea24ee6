"""Unilateral constraints: stops that push and never pull."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.errors import DegenerateError
from sixvec.scalar import Scalar, certainly, where
from sixvec.spatial.force import Force
from sixvec.spatial.motion import Motion


@dataclass(frozen=True, slots=True)
class UnilateralConstraint:
    """A stop that pushes but never pulls: gap ≥ 0, push λ ≥ 0 along the wrench `normal`, and gap λ = 0.

    While the gap is closed the body may move with V exactly if V · normal ≥ 0.  Bruyninckx §4.13.

    >>> from sixvec.constraints import UnilateralConstraint
    >>> from sixvec.spatial import Force, Motion, Vec3
    >>> floor = UnilateralConstraint(Force(Vec3.zero(), Vec3(0.0, 0.0, 1.0)), gap=0.0)
    >>> floor.reaction(Force(Vec3.zero(), Vec3(0.0, 0.0, -5.0)), Motion.of([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])).lin.z
    5.0
    """

    normal: Force
    gap: Scalar

    def approach(self, V: Motion) -> Scalar:
        """The speed at which the gap opens; it must not be negative for a closed gap."""
        return V.dot(self.normal)

    def reaction(self, load: Force, along: Motion) -> Force:
        """The push that stops `load` from driving the body along `-along`, zero if the gap is open or it pulls away.

        `along` is the one free motion of the body, scaled so that it opens the gap at unit speed.
        """
        reaction: Force = self.normal * push(self.gap, along.dot(load))
        return reaction


@dataclass(frozen=True, slots=True)
class JointLimit:
    """Stops at both ends of a joint's range: each resists torque in one direction only.

    >>> from sixvec.constraints import JointLimit
    >>> elbow = JointLimit(lower=0.0, upper=2.5)
    >>> elbow.reaction(2.5, 7.0), elbow.reaction(2.5, -7.0), elbow.reaction(1.0, 7.0)
    (-7.0, 0.0, 0.0)
    """

    lower: Scalar
    upper: Scalar

    def __post_init__(self) -> None:
        if certainly(self.upper < self.lower):
            raise DegenerateError(f"no position is between {self.lower} and {self.upper}; the lower limit comes first")

    def _gaps(self, q: Scalar) -> tuple[Scalar, Scalar]:
        """How far the position is from the lower and the upper stop; negative beyond."""
        return q - self.lower, self.upper - q

    def reaction(self, q: Scalar, torque: Scalar) -> Scalar:
        """The torque of the stops on a resting joint that is driven with `torque`."""
        below, above = self._gaps(q)
        return push(below, torque) - push(above, -torque)

    def velocity(self, q: Scalar, v: Scalar) -> Scalar:
        """The velocity after an inelastic impact: v, but zero where it would pass a stop."""
        below, above = self._gaps(q)
        allowed = where(below > 0.0, v, where(v < 0.0, 0.0, v))
        return where(above > 0.0, allowed, where(allowed > 0.0, 0.0, allowed))


def push(gap: Scalar, load: Scalar) -> Scalar:
    """max(-load, 0) where the gap is closed, 0 where it is open: the reaction of a unilateral stop to a load.

    >>> from sixvec.constraints import push
    >>> push(0.0, -3.0), push(0.0, 3.0), push(0.1, -3.0)
    (3.0, 0.0, 0.0)
    """
    return where(gap > 0.0, 0.0, where(load < 0.0, -load, 0.0))
