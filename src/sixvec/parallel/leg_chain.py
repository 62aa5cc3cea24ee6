"""A leg as a serial chain of two bodies from the base to the platform pivot.

The rod, or the telescope, points along its own z axis (x in the plane) and is attached by a universal joint (a hinge in
the plane) whose angles are zero in its home direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sixvec.errors import ArgumentError
from sixvec.model import Body, Frame, Limits, Model
from sixvec.model.joints import Prismatic, Revolute, Universal
from sixvec.parallel.leg import PUS, RUS, UPS, Leg
from sixvec.parallel.tetrahedron import triad
from sixvec.scalar import Scalar, arctan2, sqrt
from sixvec.spatial import Mat3, Pose, RigidInertia, Rotation, Vec3

Inertias = tuple[RigidInertia, RigidInertia]
X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
IDLE = Limits(effort=(0.0, 0.0))
IDLE_HINGE = Limits(effort=(0.0,))


@dataclass(frozen=True)
class LegChain:
    """Two bodies, the frame at the pivot, and the joint positions for a given pivot."""

    leg: Leg
    index: int
    home: Rotation
    """Axes of the rod at home, in those of the body that carries its joint."""
    planar: bool
    bodies: tuple[Body, Body]
    tip: Frame

    @property
    def freedoms(self) -> int:
        return 2 if self.planar else 3

    @property
    def actuator(self) -> int:
        """Which of the coordinates is the actuator's."""
        return (1 if self.planar else 2) if isinstance(self.leg, UPS) else 0

    def model(self, gravity: Vec3) -> Model:
        """The leg alone, on its base."""
        root = Body("base")
        return Model(f"leg{self.index}", (root, *self.bodies), (Frame("base", "base"), self.tip), gravity)

    def coordinates(self, S: Vec3, q: Scalar) -> list[Scalar]:
        """Joint positions in the order of the chain, for a pivot S and the actuator position q that reaches it."""
        d = S - self.leg.sphere(q)[0]
        angles = self._angles(self.home.inv() @ (self._carrier(q).inv() @ d))
        return [*angles, q] if isinstance(self.leg, UPS) else [q, *angles]

    def _carrier(self, q: Scalar) -> Rotation:
        """Axes of the body that carries the rod's joint."""
        if not isinstance(self.leg, RUS):
            return Rotation.identity()
        turned: Rotation = _crank_axes(self.leg) @ Revolute(Z).pose([q]).rot
        return turned

    def _angles(self, d: Vec3) -> list[Scalar]:
        if self.planar:
            return [arctan2(d.y, d.x)]
        return [arctan2(-d.y, d.z), arctan2(d.x, sqrt(d.y * d.y + d.z * d.z))]


def leg_chain(leg: Leg, index: int, S: Vec3, q: float, inertias: Inertias, planar: bool) -> LegChain:
    """The chain of a leg with its pivot at S and its actuator at q in the home pose."""
    d = S - leg.sphere(q)[0]
    joint = Revolute(Z) if planar else Universal(X, Y)
    idle = IDLE_HINGE if planar else IDLE
    along = X if planar else Z
    names = f"leg{index}_{_FIRST[leg.kind]}", f"leg{index}_rod"
    limits = Limits(lower=_finite_bound(leg.lower), upper=_finite_bound(leg.upper))
    motor, hinge = f"leg{index}", f"leg{index}_{'hinge' if planar else 'universal'}"
    if isinstance(leg, UPS):
        home = _axes_along(d, planar)
        slide = Pose.translation(along * leg.offset)
        bodies = (
            Body(names[0], "base", joint, Pose(home, leg.base), inertias[0], hinge, idle),
            Body(names[1], names[0], Prismatic(along), slide, inertias[1], motor, limits),
        )
        return LegChain(leg, index, home, planar, bodies, Frame(f"leg{index}_tip", names[1]))
    if isinstance(leg, RUS):
        axes = _crank_axes(leg)
        turned = axes @ Revolute(Z).pose([q]).rot
        home = _axes_along(turned.inv() @ d, planar)
        first = Body(names[0], "base", Revolute(Z), Pose(axes, leg.base), inertias[0], motor, limits)
        elbow = Pose(home, Vec3(leg.crank, 0.0, 0.0))
    elif isinstance(leg, PUS):
        home = _axes_along(d, planar)
        rail = Pose.translation(leg.origin + leg.axis * leg.offset)
        first = Body(names[0], "base", Prismatic(leg.axis), rail, inertias[0], motor, limits)
        elbow = Pose(home, Vec3.zero())
    else:
        raise ArgumentError(f"no bodies are known of a {type(leg).__name__}; legs are UPS, RUS and PUS")
    bodies = (first, Body(names[1], names[0], joint, elbow, inertias[1], hinge, idle))
    return LegChain(
        leg, index, home, planar, bodies, Frame(f"leg{index}_tip", names[1], Pose.translation(along * leg.rod))
    )


_FIRST = {"UPS": "cylinder", "RUS": "crank", "PUS": "slider"}


def _crank_axes(leg: RUS) -> Rotation:
    """Axes of the crank at an encoder reading of zero: x along it, z along the motor's axis."""
    y = leg.axis.cross(leg.zero)
    c, s = math.cos(leg.offset), math.sin(leg.offset)
    x = leg.zero * c + y * s
    y = leg.axis.cross(x)
    z = leg.axis
    return Rotation(Mat3(x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z))


def _axes_along(d: Vec3, planar: bool) -> Rotation:
    """Axes with z along d; in the plane with x along d and z its normal."""
    if planar:
        return Rotation(triad(Vec3.zero(), d, Z.cross(d)))
    unit = d * (1.0 / d.norm())
    side = X if abs(unit.x) < 0.8 else Y
    y = unit.cross(side)
    y = y * (1.0 / y.norm())
    x = y.cross(unit)
    return Rotation(Mat3(x.x, y.x, unit.x, x.y, y.y, unit.y, x.z, y.z, unit.z))


def _finite_bound(bound: float) -> tuple[Any, ...]:
    return () if math.isinf(bound) else (bound,)
