"""Whether the inertias in a file are physically consistent, and whether joints have mass to move."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Findings, error, note, warning
from sixvec.formats.doctor.outline import Joint, Motion, Outline
from sixvec.formats.node import Node
from sixvec.geometry.rigid_body.consistency import inconsistencies, margin
from sixvec.spatial import RigidInertia, Sym3

ROUNDED = 1e-2
"""A violation smaller than this fraction of the largest moment is due to few written digits."""

POINT = 1e-6
"""Metres; the inertia of a smaller body is not worth a finding."""

CLEARLY = 1e-9
"""How far above zero a minor must be, relative to its size, so that rounding cannot be the cause."""

ADVICE = "compute it from the shape again, about the centre of mass and in the axes of the inertial frame"


def inertia_is_possible(inertial: Node, body: RigidInertia) -> Findings:
    """The tensor about the centre of mass; its position does not matter for this rule."""
    if body.mass < 0.0 or _is_plainly_possible(body.mass, body.rot):  # a reader rejects a negative mass
        return
    # Of several reasons the first implies the others.
    reason = next(iter(inconsistencies(body)), "")
    if not reason:
        return
    message = f"no body can have this inertia: {reason}"
    if _is_rounding(body):
        yield note(inertial, f"{message}, but very nearly so", "write more digits")
    elif body.mass == 0.0 or "triangle" in reason:
        yield warning(inertial, message, ADVICE)
    else:
        yield error(inertial, message, ADVICE)


def _is_plainly_possible(mass: float, tensor: Sym3) -> bool:
    """Whether the second moment of mass Σ = tr(I)/2 - I is positive definite by its leading minors (Sylvester).

    That implies positive moments and the triangle inequality, and avoids the computation of principal axes for valid
    bodies, which dominates the time on large files.
    """
    half = (tensor.xx + tensor.yy + tensor.zz) / 2.0
    xx, yy, zz = half - tensor.xx, half - tensor.yy, half - tensor.zz
    xy, xz, yz = -tensor.xy, -tensor.xz, -tensor.yz
    two = xx * yy - xy * xy
    three = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    size = abs(xx) + abs(yy) + abs(zz)
    return mass > 0.0 and xx > CLEARLY * size and two > CLEARLY * size * size and three > CLEARLY * size * size * size


def _is_rounding(body: RigidInertia) -> bool:
    """Whether few written digits explain it."""
    if body.mass <= 0.0:
        return False
    largest = max(abs(m) for m in (body.rot.xx, body.rot.yy, body.rot.zz))
    return bool(-margin(body) <= max(ROUNDED * largest, body.mass * POINT * POINT))


def mass_has_inertia(inertial: Node, body: RigidInertia) -> Findings:
    if body.mass > 0.0 and not any(body.rot):
        yield note(inertial, "a point mass: its inertia is zero", "that is unusual but possible")


def _led(outline: Outline) -> dict[Joint, bool]:
    """For each follower, whether its chain ends at an independent joint, so that its mass suffices."""
    led: dict[Joint, bool] = {}
    for start in outline.joints:
        walk: dict[Joint, None] = {}
        j: Joint | None = start
        while j is not None and j.follow is not None and j not in led and j not in walk:
            walk[j] = None
            j = outline.joint_named.get(j.follow.leader)
        leads = j is not None and (j.follow is None or led.get(j, False))
        led |= dict.fromkeys(walk, leads)
    return led


def moving_leaves_have_mass(outline: Outline) -> Findings:
    """A joint that carries nothing accelerates without limit: the mass matrix cannot be inverted."""
    if outline.format.weight_expected:
        return
    heavy: set[str] = set()
    for link in outline.links:
        name = link.name
        while link.heavy and name and name not in heavy:
            heavy.add(name)
            name = outline.joint_above[name].parent if name in outline.joint_above else ""
    led = _led(outline)
    for j in outline.joints:
        driven = j.motion not in (Motion.NONE, Motion.UNKNOWN) and not led.get(j, False)
        moved = outline.link_named.get(j.child)
        if driven and moved and j.child not in heavy:
            message = f"moves {moved.node.title}, which has no mass, nor has anything that it carries"
            advice = "forward dynamics will be singular: give it an <inertial>, or make the joint fixed"
            yield warning(j.node, message, advice)
