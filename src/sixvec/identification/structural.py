"""Base parameters from the structure of the tree, without samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sixvec.algorithms.parts.inertial_parameter import NAMES, UNITS
from sixvec.border import Array
from sixvec.identification.parameters import fixed_inertias
from sixvec.model import Model
from sixvec.model.canonical import canonical, regrouped
from sixvec.robot import Robot
from sixvec.spatial import RigidInertia

DEPENDENT = 1e-10
"""A row remainder below this is rounding error: the coefficient of a parameter is one in its own row, and products of
lengths in metres in those of its parents."""


def structural_combinations(robot: Robot) -> Array:
    """B (nβ, nπ) of the structural method; see `base_parameters`."""
    T, effective = regrouping(robot.model), effective_parameters(robot.model)
    rows: list[Array] = []
    for start in range(0, len(T), len(NAMES)):  # body by body: those of different bodies are independent
        block = [T[i] for i in range(start, start + len(NAMES)) if effective[i]]
        rows += _independent(block)
    return np.array(rows).reshape(len(rows), T.shape[1])


def regrouping(model: Model) -> Array:
    """The linear map from π to the ten numbers of every body of the canonical form, regrouped."""
    bodies = list(fixed_inertias(model))
    empty = replace(model, bodies=tuple(replace(b, inertia=RigidInertia.zero()) for b in model.bodies))
    columns = []
    for name in bodies:
        for unit in UNITS:
            one = tuple(replace(b, inertia=unit) if b.name == name else b for b in empty.bodies)
            moved = regrouped(canonical(replace(empty, bodies=one)))
            columns.append([x for b in moved.bodies for x in b.inertia])
    return np.array(columns, float).T


def effective_parameters(model: Model) -> list[bool]:
    """For each number of each body of the canonical form, whether any joint force depends on it.

    Determined from the traced regressor: a parameter has no effect where its column is zero as an expression.
    """
    simple = Robot(canonical(model))
    program = simple.kernel("inverse_dynamics_regressor").program
    (port,), (entries,) = program.outputs, program.results
    rows, columns = port.shape
    return [any(not _is_zero(entries[i * columns + j]) for i in range(rows)) for j in range(columns)]


def _is_zero(x: object) -> bool:
    return isinstance(x, float) and x == 0.0


def _independent(rows: list[Array]) -> list[Array]:
    """Those rows that are not combinations of the rows before them."""
    kept: list[Array] = []
    Q: list[Array] = []
    for row in rows:
        rest = row
        for _ in range(2):
            for e in Q:
                rest = rest - e * (e @ rest)
        left = np.linalg.norm(rest)
        if left > DEPENDENT:
            kept.append(row)
            Q.append(rest / left)
    return kept
