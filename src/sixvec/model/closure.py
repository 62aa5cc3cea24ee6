"""Joints that close loops: what a tree leaves out of a mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sixvec.model.joints import Fixed, Joint


@dataclass(frozen=True, slots=True)
class Closure:
    """A joint between two frames of the tree: at every position of the mechanism it leads from `first` to `second`.

    A tree with its joints and closures is the mechanism with loops that was cut (Bruyninckx §5.3.7).  A weld is a fixed
    joint, a ball a spherical one, a hinge a revolute one, a slider a prismatic one; any other joint will do as well.

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
    """Two joints that turn together:  q_follower = ratio · q_leader + offset.  Both are named by their bodies.

    A mimic joint says the same and has no coordinate of its own; a gear is kept as a constraint between two
    coordinates, as other closures are.

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
    def is_finite(self) -> bool:
        return math.isfinite(self.ratio) and math.isfinite(self.offset)
