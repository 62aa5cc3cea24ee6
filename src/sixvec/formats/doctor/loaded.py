"""Findings about a built-in robot: there are no lines, only names."""

from __future__ import annotations

from sixvec.formats.doctor.finding import Finding, Findings, Severity
from sixvec.geometry.rigid_body.consistency import inconsistencies
from sixvec.model import Model


def model_findings(model: Model) -> Findings:
    """Inconsistent inertias, moving leaves without mass, missing limits.

    >>> from sixvec.robots import BUILT_IN
    >>> [f.message for f in model_findings(BUILT_IN["planar_2r"]())][:1]
    ['has no limits']
    """
    yield from _impossible_inertias(model)
    yield from _massless_leaves(model)
    yield from _missing_limits(model)


def _impossible_inertias(model: Model) -> Findings:
    for b in model.bodies:
        for reason in inconsistencies(b.inertia):
            advice = "compute the inertia from the shape again"
            message = f"no body can have this inertia: {reason}"
            severity = Severity.WARNING if b.inertia.mass == 0.0 or "triangle" in reason else Severity.ERROR
            yield Finding(severity, None, f'body "{b.name}"', message, advice)


def _massless_leaves(model: Model) -> Findings:
    heavy: set[str | None] = set()
    for b in reversed(model.bodies):  # children first
        if any(b.inertia) or b.name in heavy:
            heavy |= {b.name, b.parent}
        elif b.joint.nv and not b.mimic and not all(b.dynamics.armature or (0.0,)):
            message = f'moves "{b.name}", which has no mass, nor has anything that it carries'
            advice = "forward dynamics will be singular: give it a mass, or lock the joint"
            yield Finding(Severity.WARNING, None, f'joint "{b.joint_name or b.name}"', message, advice)


def _missing_limits(model: Model) -> Findings:
    for b in model.moving:
        if b.joint.nv == 1 and not b.limits.lower and not b.limits.upper:
            advice = "add them if the joint cannot move without end"
            yield Finding(Severity.NOTE, None, f'joint "{b.joint_name or b.name}"', "has no limits", advice)
