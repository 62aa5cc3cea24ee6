"""Whether numbers look like millimetres, degrees or grams, where URDF means metres, radians and kilograms."""

from __future__ import annotations

import math

from sixvec.doctor.urdf import Findings, Sheet, inside, number, numbers, warning

LONGEST_LINK = 20.0
"""Metres between two joints; the largest industrial arms and cranes have less."""

LARGEST_ANGLE = 2.0 * math.pi + 1e-3
"""Radians; nobody writes a fixed orientation of more than a turn."""

FURTHEST_TURN = 8.0 * math.pi
"""Radians; few joints turn four times, and 30 degrees or more would be above it."""

MEANS_UNLIMITED = 1000.0
"""Limits from here on stand for "unlimited" rather than for degrees."""

HEAVIEST_LINK = 5000.0
"""Kilograms; more of them are grams."""

WIDEST_BODY = 10.0
"""Metres of radius of gyration, √(I/m); a tensor in kg mm² gives a thousand times the true one."""


def lengths_are_metres(sheet: Sheet) -> Findings:
    for owner in (*sheet.joints, *sheet.links):
        place = owner if owner.tag == "joint" else owner.first("inertial")
        origin = place.first("origin") if place else None
        xyz = numbers(origin, "xyz", 3)
        if origin and xyz and max(map(abs, xyz)) > LONGEST_LINK:
            message = f"{max(map(abs, xyz)):g} m is very far: are these millimetres?"
            yield inside(owner, warning(origin, message, "URDF is in metres"))


def slides_are_metres(sheet: Sheet) -> Findings:
    for joint in sheet.joints:
        limit = joint.first("limit")
        bounds = [x for x in (number(limit, "lower"), number(limit, "upper")) if x is not None]
        far = [x for x in bounds if LONGEST_LINK < abs(x) < MEANS_UNLIMITED]
        if limit and joint.get("type") == "prismatic" and far:
            message = f"{far[0]:g} m of travel: are these millimetres?"
            yield inside(joint, warning(limit, message, "URDF is in metres"))


def angles_are_radians(sheet: Sheet) -> Findings:
    for owner in (*sheet.joints, *sheet.links):
        place = owner if owner.tag == "joint" else owner.first("inertial")
        origin = place.first("origin") if place else None
        rpy = numbers(origin, "rpy", 3)
        if origin and rpy and max(map(abs, rpy)) > LARGEST_ANGLE:
            message = f"an angle of {max(map(abs, rpy)):g} rad is more than a turn: are these degrees?"
            yield inside(owner, warning(origin, message, "URDF is in radians: multiply by π/180"))


def turns_are_radians(sheet: Sheet) -> Findings:
    for joint in sheet.joints:
        limit = joint.first("limit")
        bounds = [x for x in (number(limit, "lower"), number(limit, "upper")) if x is not None]
        far = [x for x in bounds if FURTHEST_TURN < abs(x) < MEANS_UNLIMITED]
        if limit and joint.get("type") == "revolute" and far:
            message = f"a limit of {far[0]:g} rad is {abs(far[0]) / (2.0 * math.pi):.3g} turns: are these degrees?"
            yield inside(joint, warning(limit, message, "URDF is in radians: multiply by π/180"))


def masses_are_kilograms(sheet: Sheet) -> Findings:
    for link in sheet.links:
        body, inertial = sheet.inertias.get(link), link.first("inertial")
        if body is None or inertial is None or body.mass <= 0.0:
            continue
        if body.mass > HEAVIEST_LINK:
            message = f"a mass of {body.mass:g} kg: are these grams?"
            yield inside(link, warning(inertial, message, "URDF is in kilograms"))
        radius = math.sqrt(max(abs(m) for m in (body.rot.xx, body.rot.yy, body.rot.zz)) / body.mass)
        if radius > WIDEST_BODY:
            message = f"the inertia is that of its mass {radius:.3g} m away: is it in kg mm² or g mm²?"
            yield inside(link, warning(inertial, message, "URDF is in kg m²"))
