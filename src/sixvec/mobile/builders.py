"""Common platforms as lists of wheels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sixvec.arguments import one_number
from sixvec.errors import ArgumentError, ModelError
from sixvec.mobile.inputs import require_platform
from sixvec.mobile.least_slip import SLIPLESS, WheelLayout
from sixvec.mobile.platform import Platform
from sixvec.mobile.steering import Ackermann
from sixvec.mobile.wheel import Caster, FixedWheel, OmniWheel, SteeredWheel


def differential_drive(track: float, radius: float, radius_right: float | None = None) -> Platform:
    """Two driven wheels on one axle, `track` apart; the frame is midway.  Rates: left, right.

    `radius_right` is that of the right wheel, if it differs.

    >>> from sixvec.mobile import differential_drive
    >>> differential_drive(0.5, 0.1).forward_velocity([7.0, 12.0]).twist.round(12).tolist()
    [1.0, 0.95, 0.0]
    """
    _require(track=track)
    right = radius if radius_right is None else radius_right
    wheels = (
        FixedWheel(0.0, track / 2, radius=radius, name="left"),
        FixedWheel(0.0, -track / 2, radius=right, name="right"),
    )
    return Platform(wheels, name="differential_drive")


def car(wheelbase: float, track: float, radius: float = 1.0, front_track: float | None = None) -> Platform:
    """Rear wheels driven, front wheels steered by an Ackermann linkage; the frame is midway on the rear axle.

    Rates: rear left, rear right.  Steering: one angle, that of a virtual wheel midway between the front ones, below
    90°.  Without a `radius`, rates are the speeds of the rims.

    >>> from sixvec.mobile import car
    >>> motion = car(1.3, 0.8).inverse_velocity([0.1, 0.3, 0.0])  # a circle with radius 3 m
    >>> motion.rates.round(6).tolist(), motion.steer.round(6).tolist()
    ([0.26, 0.34], [0.408908])
    """
    front = track if front_track is None else front_track
    _require(wheelbase=wheelbase, track=track, front_track=front)
    limit = math.pi / 2
    wheels = (
        FixedWheel(0.0, track / 2, radius=radius, name="rear_left"),
        FixedWheel(0.0, -track / 2, radius=radius, name="rear_right"),
        SteeredWheel(wheelbase, front / 2, radius=radius, driven=False, limit=limit, name="front_left"),
        SteeredWheel(wheelbase, -front / 2, radius=radius, driven=False, limit=limit, name="front_right"),
    )
    return Platform(wheels, Ackermann(wheelbase), name="car")


def bicycle(wheelbase: float, radius: float = 1.0) -> Platform:
    """One driven wheel, one steered wheel in front: the equivalent of a car with a differential gear.

    The driven wheel turns at the mean of the rates of the car's rear wheels.

    >>> from sixvec.mobile import bicycle
    >>> bicycle(1.3).kind.mobility, bicycle(1.3).kind.steerability
    (1, 1)
    """
    _require(wheelbase=wheelbase)
    wheels = (
        FixedWheel(0.0, 0.0, radius=radius, name="rear"),
        SteeredWheel(wheelbase, 0.0, radius=radius, driven=False, limit=math.pi / 2, name="front"),
    )
    return Platform(wheels, Ackermann(wheelbase), name="bicycle")


def mecanum(wheelbase: float, track: float, radius: float) -> Platform:
    """Four wheels with rollers at 45°, whose axes form an X seen from above on the ground.

    Rates: front left, front right, rear left, rear right.

    >>> from sixvec.mobile import mecanum
    >>> mecanum(0.6, 0.4, 0.05).inverse_velocity([0.0, 0.0, 1.0]).rates.round(12).tolist()
    [-20.0, 20.0, 20.0, -20.0]
    """
    _require(wheelbase=wheelbase, track=track)
    wheels = [
        OmniWheel(x * wheelbase / 2, y * track / 2, radius=radius, roller_angle=-x * y * math.pi / 4, name=name)
        for name, x, y in _CORNERS
    ]
    return Platform(wheels, name="mecanum")


def swerve(wheelbase: float, track: float, radius: float) -> Platform:
    """Four wheels, each driven and steered without limit: front left, front right, rear left, rear right.

    >>> from sixvec.mobile import swerve
    >>> motion = swerve(0.6, 0.4, 0.05).inverse_velocity([0.0, 0.0, 1.0])
    >>> motion.rates.round(9).tolist(), motion.steer.round(6).tolist()
    ([20.0, 20.0, 20.0, 20.0], [1.570796, 1.570796, 1.570796, 1.570796])
    """
    _require(wheelbase=wheelbase, track=track)
    wheels = [SteeredWheel(x * wheelbase / 2, y * track / 2, radius=radius, name=name) for name, x, y in _CORNERS]
    return Platform(wheels, name="swerve")


def omni3(distance: float, radius: float) -> Platform:
    """Three omni wheels at `distance` from the centre, at 0°, 120° and 240°, each rolling counter-clockwise round it.

    >>> from sixvec.mobile import omni3
    >>> omni3(0.2, 0.05).inverse_velocity([1.0, 0.0, 0.0]).rates.round(12).tolist()
    [4.0, 4.0, 4.0]
    """
    _require(distance=distance)
    angles = [2.0 * math.pi * k / 3.0 for k in range(3)]
    wheels = [OmniWheel(distance * math.cos(a), distance * math.sin(a), a + math.pi / 2, radius=radius) for a in angles]
    return Platform(wheels, name="omni3")


def reduced(platform: Platform) -> Platform:
    """The bicycle with the motions of a car, in its frame: one wheel for the axle of fixed wheels, one for the linkage.

    Each has the radius of the wheels that it represents, and is driven if they are.  Casters and omni wheels stay.

    >>> from sixvec.mobile import car, reduced
    >>> reduced(car(1.3, 0.8)).wheels[1].x
    1.3
    """
    require_platform(platform, "reduced")
    linkage = platform.steering
    if not isinstance(linkage, Ackermann) or not platform.steered:
        raise ArgumentError(f"{platform.name} is not a car: only a platform with an Ackermann linkage is a bicycle")
    others = tuple(w for w in platform.wheels if isinstance(w, Caster | OmniWheel))
    fixed = [w for w in platform.rolling if not isinstance(w, SteeredWheel | OmniWheel)]
    layout = WheelLayout.of(platform)
    if not fixed or any(_off_axle(w, linkage.axle, layout) > SLIPLESS for w in fixed):
        raise ArgumentError(
            f"reduced: the linkage of {platform.name} turns wheels about the axle at x = {linkage.axle}; all fixed "
            "wheels must be on it and roll along x"
        )
    names = {"rear", "front"} & {w.name for w in others}
    if names:
        raise ArgumentError(f'reduced: another wheel of {platform.name} has the name "{names.pop()}"')
    limit, front = min(w.limit for w in platform.steered), _one_for(platform, platform.steered, layout)
    wheels = (
        FixedWheel(linkage.axle, 0.0, name="rear", **_one_for(platform, fixed, layout)),
        SteeredWheel(linkage.axle + linkage.wheelbase, 0.0, name="front", limit=limit, **front),
    )
    return Platform((*wheels, *others), linkage, name=f"reduced {platform.name}")


def _off_axle(wheel: FixedWheel, axle: float, layout: WheelLayout) -> float:
    return max(abs(wheel.x - axle) / layout.size, abs(math.sin(wheel.heading)))


def _one_for(platform: Platform, wheels: Sequence[FixedWheel], layout: WheelLayout) -> dict[str, Any]:
    """Radius and drive of the wheel midway that represents others."""
    radii = {w.radius for w in wheels}
    if max(radii) - min(radii) > SLIPLESS * max(radii):
        listed = ", ".join(f"{w.name} {w.radius}" for w in wheels)
        raise ArgumentError(f"reduced: the radii of wheels that become one must be the same: {listed}, in metres")
    driven = [w for w in wheels if w.driven]
    if abs(sum(w.y for w in driven)) > SLIPLESS * layout.size:
        listed = ", ".join(w.name for w in driven)
        raise ArgumentError(f"reduced: the drive of {platform.name} is not that of a wheel midway: {listed} alone")
    return {"radius": wheels[0].radius, "driven": bool(driven)}


_CORNERS = (("front_left", 1, 1), ("front_right", 1, -1), ("rear_left", -1, 1), ("rear_right", -1, -1))


def _require(**lengths: float) -> None:
    for name, length in lengths.items():
        what = f"the {name.replace('_', ' ')}"
        if not 0.0 < one_number(what, length, "metres") < math.inf:
            raise ModelError(f"{what} is {length}; it must be positive and finite, in metres")
