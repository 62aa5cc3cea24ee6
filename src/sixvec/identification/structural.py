"""Base parameters from the structure of the tree, without samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sixvec.algorithms.parts.inertial_parameter import NAMES, UNITS
from sixvec.arguments import Array
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
        block = T[[i for i in range(start, start + len(NAMES)) if effective[i]]]
        rows += [*block[independent(block, DEPENDENT)[0]]]
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


def independent(vectors: Array, least: float) -> tuple[list[int], Array]:
    """Which rows are not combinations of those before them, to a remainder `least`, and an orthonormal basis (m, n)."""
    chosen, Q = [], np.empty((vectors.shape[1], 0))
    for i, vector in enumerate(vectors):
        for _ in range(2):  # Gram-Schmidt twice is as orthogonal as Householder (Giraud et al. 2005)
            vector = vector - Q @ (Q.T @ vector)
        norm = np.linalg.norm(vector)
        if norm > least:
            chosen.append(i)
            Q = np.column_stack([Q, vector / norm])
    return chosen, Q
