"""Rigid constraints on the motion of a body: the twists it may have and the wrenches that hold it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sixvec.errors import DegenerateError, FrameError
from sixvec.geometry.rigid_body.impedance import Impedance
from sixvec.scalar import Scalar, certainly
from sixvec.spatial.articulated import ArticulatedInertia
from sixvec.spatial.force import Force
from sixvec.spatial.inertia import RigidInertia
from sixvec.spatial.linear import solve
from sixvec.spatial.motion import Motion
from sixvec.spatial.rotation import PlaneRotation, Rotation
from sixvec.spatial.vector import Vec3

RECIPROCAL = 1e-10
"""Power between a twist and a wrench, relative to their sizes, that counts as zero: rounding."""


@dataclass(frozen=True, slots=True)
class TwistSpace:
    """The motions that a constraint allows: all combinations of independent `basis` twists.  Bruyninckx §4.13.

    A revolute joint allows one, a body on a plane three, a free body six.

    >>> from sixvec.constraints import TwistSpace
    >>> from sixvec.spatial import Motion
    >>> hinge = TwistSpace((Motion.of([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),))
    >>> hinge.combine([2.0]).ang.z
    2.0
    """

    basis: tuple[Motion, ...]

    def __post_init__(self) -> None:
        _require_all(self.basis, Motion, "TwistSpace", "WrenchSpace")

    def combine(self, coordinates: Sequence[Scalar]) -> Motion:
        """Σ basisᵢ xᵢ."""
        return sum((s * x for s, x in zip(self.basis, coordinates, strict=True)), Motion.zero())

    def coordinates(self, V: Motion, metric: RigidInertia | ArticulatedInertia | Impedance) -> list[Scalar]:
        """x such that Σ basisᵢ xᵢ is nearest to V in the given metric: (Sᵀ W S) x = Sᵀ W V.

        There is no natural distance between twists, so the caller chooses the metric: an inertia makes the error's
        kinetic energy least, a stiffness its elastic energy.  For V in the space every metric gives the same x.
        """
        weighted = [metric @ s for s in self.basis]
        normal = [[s.dot(w) for w in weighted] for s in self.basis]
        return solve(normal, [V.dot(w) for w in weighted])

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> TwistSpace:
        """From coordinates of B to those of A, where B is at (R, p) in A."""
        return TwistSpace(tuple(s.moved(R, p) for s in self.basis))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> TwistSpace:
        """From coordinates of A to those of B."""
        return TwistSpace(tuple(s.moved_back(R, p) for s in self.basis))


@dataclass(frozen=True, slots=True)
class WrenchSpace:
    """The wrenches that an ideal constraint can exert: all combinations of independent `basis` wrenches.

    >>> from sixvec.constraints import WrenchSpace
    >>> from sixvec.spatial import Motion
    >>> WrenchSpace((Motion.zero(),))
    Traceback (most recent call last):
    ...
    sixvec.errors.FrameError: a WrenchSpace is made of Force, not of Motion; a TwistSpace takes those
    """

    basis: tuple[Force, ...]

    def __post_init__(self) -> None:
        _require_all(self.basis, Force, "WrenchSpace", "TwistSpace")

    def combine(self, multipliers: Sequence[Scalar]) -> Force:
        """Σ basisᵢ λᵢ."""
        return sum((w * x for w, x in zip(self.basis, multipliers, strict=True)), Force.zero())

    def violation(self, V: Motion) -> list[Scalar]:
        """The power of each basis wrench on V: all zero exactly if the constraint allows V."""
        return [V.dot(w) for w in self.basis]

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> WrenchSpace:
        """From coordinates of B to those of A, where B is at (R, p) in A."""
        return WrenchSpace(tuple(w.moved(R, p) for w in self.basis))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> WrenchSpace:
        """From coordinates of A to those of B."""
        return WrenchSpace(tuple(w.moved_back(R, p) for w in self.basis))


@dataclass(frozen=True, slots=True)
class KinematicConstraint:
    """A rigid two-sided constraint: n allowed twists and 6 - n constraint wrenches, mutually reciprocal.

    Either space determines the other: `sixvec.constraints.constraint_of_twists` and `constraint_of_wrenches`
    complete one.  "Impossible motions" and "non-reciprocal screws" are not vector spaces and are not offered.

    >>> from sixvec.constraints import KinematicConstraint, TwistSpace, WrenchSpace
    >>> from sixvec.spatial import Force, Motion, Vec3
    >>> x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    >>> ball = KinematicConstraint(
    ...     TwistSpace(tuple(Motion(a, Vec3.zero()) for a in (x, y, z))),
    ...     WrenchSpace(tuple(Force(Vec3.zero(), a) for a in (x, y, z))),
    ... )
    >>> ball.freedom
    3
    """

    twists: TwistSpace
    wrenches: WrenchSpace

    def __post_init__(self) -> None:
        n, m = len(self.twists.basis), len(self.wrenches.basis)
        if n + m != 6:
            raise DegenerateError(f"{n} twists and {m} wrenches: reciprocal spaces have dimensions that add up to 6; "
                                  "complete one of them with sixvec.constraints")  # fmt: skip
        for i, s in enumerate(self.twists.basis):
            for j, w in enumerate(self.wrenches.basis):
                power = s.dot(w)
                size = sum(abs(a) for a in s) * sum(abs(b) for b in w)
                if certainly(abs(power) > RECIPROCAL * size):
                    raise DegenerateError(f"twist {i} and wrench {j} are not reciprocal: their power is {power}; "
                                          "an ideal constraint force does no work")  # fmt: skip

    @property
    def freedom(self) -> int:
        """The number of degrees of freedom it allows."""
        return len(self.twists.basis)

    def moved(self, R: Rotation | PlaneRotation, p: Vec3) -> KinematicConstraint:
        """From coordinates of B to those of A, where B is at (R, p) in A."""
        return KinematicConstraint(self.twists.moved(R, p), self.wrenches.moved(R, p))

    def moved_back(self, R: Rotation | PlaneRotation, p: Vec3) -> KinematicConstraint:
        """From coordinates of A to those of B."""
        return KinematicConstraint(self.twists.moved_back(R, p), self.wrenches.moved_back(R, p))


def _require_all(basis: Sequence[object], kind: type, name: str, other: str) -> None:
    for element in basis:
        if not isinstance(element, kind):
            raise FrameError(f"a {name} is made of {kind.__name__}, not of {type(element).__name__}; "
                             f"a {other} takes those")  # fmt: skip
