"""Checks of a model's numbers: inertias of bodies, limits, conditioning."""

from __future__ import annotations

import numpy as np

from sixvec.algorithms.parts.singular import require_mass
from sixvec.analysis.verify.check import MeasuredStatement, Subject
from sixvec.analysis.verify.state import Array
from sixvec.errors import SixvecError
from sixvec.geometry.rigid_body import inconsistencies
from sixvec.quoting import quoted
from sixvec.robot import Robot

WORST_CONDITION = 1e10
"""Above, forward dynamics keeps fewer than six digits."""


def inertias(robot: Robot) -> MeasuredStatement:
    """The number of bodies whose inertia no mass distribution can have."""
    wrong = [f"{quoted(b.name)}: {reason}" for b in robot.model.bodies for reason in inconsistencies(b.inertia)[:1]]
    return MeasuredStatement(
        "inertias", "bodies that no mass distribution has", float(len(wrong)), 0.0, "; ".join(wrong[:3])
    )


def limits(robot: Robot, q: Array) -> MeasuredStatement:
    """The number of joints with an empty range, or with positions drawn outside it."""
    empty = robot.lower > robot.upper
    outside = ((q < robot.lower) | (q > robot.upper)).any(axis=0) if len(q) else empty
    wrong = int(np.count_nonzero(empty | outside))
    return MeasuredStatement("lower ≤ q ≤ upper", "coordinates with contradictory limits", float(wrong), 0.0)


def conditioning(s: Subject) -> MeasuredStatement:
    """The worst condition number of the mass matrix over the states."""
    name, meaning = "cond M", "conditioning of the mass matrix"
    try:
        M = s.robot.mass_matrix(s.state.q)
    except SixvecError as problem:
        return MeasuredStatement(name, meaning, None, WORST_CONDITION, str(problem))
    worst = s.condition if np.isfinite(M).all() else float("inf")
    note = "" if worst <= WORST_CONDITION else _ill_conditioned(s, M, worst)
    return MeasuredStatement(name, meaning, worst, WORST_CONDITION, note)


def _ill_conditioned(s: Subject, M: Array, worst: float) -> str:
    """Why accelerations are wrong or have few digits."""
    if not np.isfinite(M).all():
        return "M has entries that are not finite"
    try:
        require_mass(s.robot.model)
    except SixvecError as problem:
        return str(problem)
    if worst == float("inf"):
        return "M is singular at some state: no unique acceleration"
    return f"above {WORST_CONDITION:.0e}: forward dynamics keeps fewer than six digits"
