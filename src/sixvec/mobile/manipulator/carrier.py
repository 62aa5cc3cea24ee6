"""A platform as bodies and frames: the base of arms."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sixvec.errors import ModelError
from sixvec.mobile.kind import fixed_constraints
from sixvec.mobile.least_slip import WheelLayout, free_motions
from sixvec.mobile.platform import Platform
from sixvec.mobile.platform_robot import PLATFORM
from sixvec.mobile.shapes import shown_radius, slab_geom, wheel_geoms
from sixvec.mobile.shared_axles import with_shared_slip
from sixvec.mobile.steering import Ackermann
from sixvec.mobile.wheel import FixedWheel, SteeredWheel
from sixvec.model import Body, Frame, Geom, Limits, Model
from sixvec.model.body import JointDynamics
from sixvec.model.held_frame import Rolling, RollingFrame
from sixvec.model.joints import Planar, Revolute
from sixvec.spatial import Pose, RigidInertia, Rotation, Vec3


def carrier_of(platform: Platform, inertia: RigidInertia | None, steering_inertia: float, arm: Model) -> Model:
    """The body of the platform on a planar joint, and a body without mass for every input of its steering."""
    body = Body(PLATFORM, joint=Planar(), inertia=inertia or RigidInertia.zero(), joint_name=PLATFORM)
    turned = _steering_bodies(platform, steering_inertia)
    on = {w.name: PLATFORM for w in platform.wheels}
    frames = [Frame(PLATFORM, PLATFORM)]
    if not _is_linked(platform):
        on |= {w.name: steering_name(w) for w in platform.steered}
    else:
        frames.append(Frame(f"contact {platform.steering_names[0]}", platform.steering_names[0]))
    for w in platform.wheels:
        place = Pose(Rotation.about_z(getattr(w, "heading", 0.0)), Vec3(w.x, w.y, 0.0))
        frames.append(Frame(f"contact {w.name}", on[w.name], place if on[w.name] == PLATFORM else Pose.identity()))
    return Model(
        platform.name,
        (body, *turned),
        tuple(frames),
        gravity=arm.gravity,
        rolling=_rolling(platform),
        geoms=_shapes(platform),
    )


def _rolling(platform: Platform) -> tuple[RollingFrame, ...]:
    """The wheels that prevent the platform from slipping sideways.

    Wheels coupled by a linkage are represented by one wheel midway, which rolls when they do.
    """
    alone = [w for w in platform.rolling if not (_is_linked(platform) and isinstance(w, SteeredWheel))]
    axles: dict[str, tuple[FixedWheel, str | None]] = {
        f"contact {w.name}": (w, steering_name(w) if isinstance(w, SteeredWheel) else None)
        for w in alone
        if w.lateral((1.0, 0.0)) is not None
    }
    if _is_linked(platform):
        linkage = platform.steering
        assert isinstance(linkage, Ackermann)
        (joint,) = platform.steering_names
        midway = replace(platform.steered[0], x=linkage.axle + linkage.wheelbase, y=0.0, heading=0.0)
        axles[f"contact {joint}"] = (midway, joint)
    rolling = {name: Rolling(w.radius, ("side",)) for name, (w, _) in axles.items()}
    return with_shared_slip(platform, PLATFORM, rolling, axles)


def _shapes(platform: Platform) -> tuple[Geom, ...]:
    """Slab and wheels; wheels coupled by a linkage are shown as the one midway, which turns as they do."""
    contacts = {f"contact {w.name}": w for w in platform.wheels}
    if _is_linked(platform):
        contacts = {name: w for name, w in contacts.items() if w not in platform.steered}
        contacts[f"contact {platform.steering_names[0]}"] = platform.steered[0]
    wheels: list[Geom] = []
    for name, w in contacts.items():
        radius = shown_radius(w, platform)
        wheels += wheel_geoms(w, name, Pose.translation(Vec3(-getattr(w, "offset", 0.0), 0.0, radius)), radius)
    return (slab_geom(platform, PLATFORM, max(shown_radius(w, platform) for w in platform.wheels)), *wheels)


def steering_name(wheel: SteeredWheel) -> str:
    """The joint that turns one wheel."""
    return f"{wheel.name} steer"


def _is_linked(platform: Platform) -> bool:
    return bool(platform.steered) and isinstance(platform.steering, Ackermann)


def _steering_bodies(platform: Platform, inertia: float) -> list[Body]:
    """A joint for each wheel that turns; of a linkage one, the wheel midway, whose rolling is that of all.

    With the rear axle, which does not slip, that one wheel determines where the axles of the others intersect.
    """
    up, rotor = Revolute(Vec3(0.0, 0.0, 1.0)), JointDynamics(armature=(inertia,))
    limits = platform.steering.limits(platform.steered) if platform.steered else []
    within = [Limits((-x,), (x,)) if math.isfinite(x) else Limits() for x in limits]
    if not _is_linked(platform):
        return [
            Body(steering_name(w), PLATFORM, up, Pose(Rotation.about_z(w.heading), Vec3(w.x, w.y, 0.0)),
                 joint_name=steering_name(w), limits=bounds, dynamics=rotor)
            for w, bounds in zip(platform.steered, within, strict=True)
        ]  # fmt: skip
    linkage = platform.steering
    assert isinstance(linkage, Ackermann)
    C = fixed_constraints(platform)
    layout = WheelLayout.of(platform)
    more = free_motions(layout, np.vstack([C, [linkage.axle, 0.0, 1.0]]))
    if int(more.rank) > int(free_motions(layout, C).rank):
        raise ModelError(
            f"mount: the linkage of {platform.name} turns wheels about the axle at x = {linkage.axle}, where no fixed "
            "wheel is: add one there, or steer the wheels independently"
        )
    (name,) = platform.steering_names
    place = Pose(Rotation.identity(), Vec3(linkage.axle + linkage.wheelbase, 0.0, 0.0))
    return [replace(Body(name, PLATFORM, up, place, joint_name=name, dynamics=rotor), limits=within[0])]
