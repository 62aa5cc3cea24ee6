"""Joints that close loops: the joints of a mechanism that are not in its tree."""

from __future__ import annotations

from dataclasses import dataclass, field

from sixvec.model.joints import Fixed, Joint


@dataclass(frozen=True, slots=True)
class Closure:
    """A joint between two frames of the tree: at every position of the mechanism it connects `first` to `second`.

    A tree with its joints and closures is the mechanism with loops that was cut (Bruyninckx §5.3.7).  A weld is a fixed
    joint, a ball a spherical one, a hinge a revolute one, a slider a prismatic one; any other joint works as well.

    >>> from sixvec.model import Closure
    >>> from sixvec.model.joints import Revolute
    >>> Closure("pin", "coupler_end", "rocker_end", Revolute()).constraints
    5
    """

    name: str
    first: str
    second: str
    joint: Joint = field(default_factory=Fixed)

    @property
    def constraints(self) -> int:
        """How many relative motions of the two frames the joint prevents."""
        return 6 - self.joint.nv


@dataclass(frozen=True, slots=True)
class Gear:
    """Two joints that move together:  q_follower = ratio · q_leader + offset.  Both are named by their bodies.

    A mimic joint satisfies the same law and has no coordinate; a gear is kept as a constraint between two
    coordinates, as other closures are.

    >>> from sixvec.model import Gear
    >>> Gear("pair", "pinion", "wheel", ratio=-0.25).constraints
    1
    """

    name: str
    leader: str
    follower: str
    ratio: float = 1.0
    offset: float = 0.0

    @property
    def constraints(self) -> int:
        return 1

    @property
    def terms(self) -> tuple[tuple[str, float], ...]:
        """Bodies and factors of the same law as a sum: Σ factor · q = offset."""
        return (self.leader, -self.ratio), (self.follower, 1.0)


@dataclass(frozen=True, slots=True)
class Differential:
    """Several joints that share one law:  Σ factor · q = offset.  Joints are named by their bodies.

    The case of a car's differential turns with the mean of its shafts, the wrist of a bevel gear with sum and
    difference of its motors; a single term fixes the joint.

    >>> from sixvec.model import Differential
    >>> Differential("axle", (("case", 1.0), ("left", -0.5), ("right", -0.5))).constraints
    1
    """

    name: str
    terms: tuple[tuple[str, float], ...]
    offset: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", tuple((body, factor) for body, factor in self.terms))

    @property
    def constraints(self) -> int:
        return 1


JointLaw = Gear | Differential
"""A closure that is an equation of joint coordinates."""

AnyClosure = Closure | JointLaw
