"""Robots whose mass matrix has no inverse at any position, detected before they produce infinities."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from numbers import Real
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.mass_matrix import mass_matrix
from sixvec.algorithms.parts.sparsity import tree_order
from sixvec.algorithms.parts.transmission import Transmission
from sixvec.errors import ModelError
from sixvec.model import WORLD, Body, Model
from sixvec.model.canonical import name_in_file
from sixvec.model.coupling import coupling
from sixvec.spatial import ArticulatedInertia, Motion, RigidInertia, Sym3, Vec3

SINGULAR = 1e-13
"""A pivot of the mass matrix, scaled to a unit diagonal, that counts as zero."""

ROUNDING = 10.0 * sys.float_info.epsilon
"""An inertia about one axis below this fraction of that about all of them is rounding."""

CLEAR = 1e-8
"""Articulated inertias above this fraction of the rigid ones are certainly nonzero, however rounding accumulates."""

POSITIONS = 3
"""If M is regular at one position it is regular almost everywhere; the others guard against an unlucky first one."""

_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_SOLID = RigidInertia.from_center_of_mass(1.0, Vec3(0.1, 0.2, 0.3), Sym3.diagonal(1.0, 1.1, 1.2))
"""Replaces a symbolic inertia: if M is singular with a solid body, it is singular with any other."""


@lru_cache(maxsize=64)
def require_mass(model: Model, prescribed: frozenset[int] = frozenset()) -> None:
    """Raise if the mass matrix, without the rows and columns of the `prescribed` coordinates, is singular everywhere.

    It is not if a joint moves mass at almost all positions, or moves its followers' mass, or a rotor.
    Symbols are not judged: a symbolic inertia may be that of any body, and with symbolic geometry nothing is
    certain.

    >>> from sixvec.model.joints import Revolute
    >>> require_mass(Model("bare", (Body("link", joint=Revolute()),)))
    Traceback (most recent call last):
    sixvec.errors.ModelError: bare: the joint of body "link" moves no mass, so the mass matrix is singular; give the \
body an inertia, or make the joint fixed
    """
    if all(map(resists, model.bodies)):
        return
    robot = _numeric(model)
    if robot is None:
        return
    complaint = ""
    for n in range(POSITIONS):
        complaint = _complaint(robot, prescribed, _position(robot, n))
        if not complaint:
            return
    raise ModelError(f"{model.name}: {complaint}")


def resists(b: Body) -> bool:
    """Whether a body whose parent is at rest cannot move without kinetic energy: it is solid, or its joint has rotors.

    If all of them do, M is positive definite: from the root to the tips, zero energy implies no motion.
    """
    if not _are_numbers((*b.inertia, *b.armature)):
        return False
    I, rotor = b.inertia, min(b.armature, default=1.0)
    if I.mass <= 0.0:
        return rotor > 0.0 and not any(I)
    return rotor >= 0.0 and min(_pivots(I.about_center.full.rows)) > CLEAR * _trace(I.rot)


def _numeric(model: Model) -> Model | None:
    """The model with a solid body wherever an inertia is symbolic; None if anything else is symbolic."""
    if not all(_are_numbers(b.inertia) for b in model.bodies):
        bodies = tuple(b if _are_numbers(b.inertia) else replace(b, inertia=_SOLID) for b in model.bodies)
        model = replace(model, bodies=bodies)
    return model if all(_are_numbers(b.numbers()) for b in model.bodies) else None


def is_symbolic(model: Model) -> bool:
    """Whether an inertia or a dimension is a symbol."""
    return not all(_are_numbers((*b.inertia, *b.numbers())) for b in model.bodies)


def _are_numbers(values: Iterable[Any]) -> bool:
    return all(isinstance(x, Real) for x in values)


def _position(model: Model, n: int) -> list[float]:
    """The n-th of some positions at which no two joints are alike and no axes are aligned by chance."""
    q = [0.0] * model.nq
    for b in model.moving:
        at = model.v_slices[b.name]
        away = [0.4 + math.fmod((i + 1) * _GOLDEN + n / math.pi, 1.0) for i in range(at.start, at.stop)]
        q[model.q_slices[b.name]] = b.joint.integrate(b.joint.neutral(), away)
    return q


def _complaint(model: Model, prescribed: frozenset[int], q: list[float]) -> str:
    """What is wrong with the mass matrix at this position; nothing if it is regular."""
    tied = coupling(model)
    free, at = tied.free, JointVector(tied.positions(q), tied.free.q_slices)
    known = frozenset(k for k, (i, _, _) in enumerate(tied.v) if i in prescribed)
    at_rest: frozenset[str | None] = frozenset(b.name for b in free.bodies if resists(b))
    # If no motion of the robot with all joints free is without energy, neither is any with coupled joints.
    if _is_clear(free, at, known, at_rest | {WORLD}) or _is_clear(free, at, known, frozenset({WORLD})):
        return ""
    size = [0.0] * model.nv
    for (i, g, _), x in zip(tied.v, sizes(free, at), strict=True):
        size[i] += g * g * x
    M = tied.reduce(mass_matrix(free, at), (True, True))
    return _diagnosis(model, M, size, [i for i in tree_order(model) if i not in prescribed])


def _is_clear(model: Model, q: JointVector, known: frozenset[int], at_rest: frozenset[str | None]) -> bool:
    """Whether every joint moves mass even if the outboard joints are free; O(n), by articulated inertias.

    Bodies `at_rest` are those that do not move without kinetic energy, so the bodies they carry can be omitted.
    """
    locked = {b.name: b.inertia for b in model.bodies}
    IA = {b.name: ArticulatedInertia.of(b.inertia) for b in model.bodies}
    for b in reversed(model.bodies):
        if b.name in at_rest and b.parent in at_rest:
            continue
        axes = [k for k, i in enumerate(range(model.nv)[model.v_slices[b.name]]) if i not in known]
        S, rotor = [b.subspace(q)[k] for k in axes], [b.armature[k] for k in axes]
        joint = Transmission(IA[b.name], tuple(S), tuple(rotor))
        least = [CLEAR * _size(locked[b.name], s, r) for s, r in zip(S, rotor, strict=True)]
        if not all(x > y for x, y in zip(_pivots(joint.joint_inertia), least, strict=True)):
            return False
        if b.parent is not None and b.parent not in at_rest:
            X_PB = b.pose_in_parent(q)
            locked[b.parent] = locked[b.parent] + X_PB @ locked[b.name]
            IA[b.parent] = IA[b.parent] + X_PB @ joint.inertia
    return True


def sizes(model: Model, q: JointVector) -> list[float]:
    """For each freedom, the inertia about all axes of what it moves: no rounding of M_ii is larger."""
    locked, size = {b.name: b.inertia for b in model.bodies}, [0.0] * model.nv
    for b in reversed(model.bodies):
        at = model.v_slices[b.name]
        size[at] = [_size(locked[b.name], s, r) for s, r in zip(b.subspace(q), b.armature, strict=True)]
        if b.parent is not None:
            locked[b.parent] = locked[b.parent] + b.pose_in_parent(q) @ locked[b.name]
    return size


def _size(moved: RigidInertia, S: Motion, rotor: float) -> float:
    return float(abs(_trace(moved.rot)) * S.ang.dot(S.ang) + abs(moved.mass) * S.lin.dot(S.lin) + abs(rotor))


def _trace(rot: Sym3) -> float:
    return float(rot.xx + rot.yy + rot.zz)


def _pivots(M: Sequence[Iterable[float]]) -> list[float]:
    """The pivots of a symmetric matrix eliminated from its last row; zeros from where one is not positive."""
    rows = [list(row)[: i + 1] for i, row in enumerate(M)]
    pivots = [0.0] * len(rows)
    for i in reversed(range(len(rows))):
        pivots[i] = rows[i][i]
        if not pivots[i] > 0.0:
            break
        for j, x in enumerate(rows[i][:-1]):
            rows[j] = [y - x / pivots[i] * z for y, z in zip(rows[j], rows[i], strict=False)]
    return pivots


def _diagnosis(model: Model, M: Sequence[Sequence[float]], size: Sequence[float], order: Sequence[int]) -> str:
    """What is wrong with the rows and columns `order`, parents first, of the mass matrix; nothing if regular."""
    for i in reversed(order):
        if M[i][i] <= ROUNDING * size[i]:
            return _negative(model, [i]) or _without_mass(model, [i])
    root = [math.sqrt(M[i][i]) for i in order]
    null = null_vector([[M[i][j] / (a * b) for j, b in zip(order, root)] for i, a in zip(order, root)])
    moving = [i for i, x in zip(order, null, strict=True) if abs(x) > math.sqrt(SINGULAR)]
    return (_negative(model, moving) or _without_mass(model, moving)) if moving else ""


def null_vector(A: list[list[float]]) -> list[float]:
    """x with A x = 0 and a largest entry near 1, for symmetric A with a unit diagonal; zeros if A is regular.

    Elimination with the largest pivot first, which shows the rank of a positive semidefinite matrix.
    """
    free_rows, done, x = list(range(len(A))), list[int](), [0.0] * len(A)
    while free_rows:
        p = max(free_rows, key=lambda i: abs(A[i][i]))
        if abs(A[p][p]) <= SINGULAR:
            break
        free_rows.remove(p)
        done.append(p)
        for i in free_rows:
            if k := A[i][p] / A[p][p]:
                for j in free_rows:
                    A[i][j] -= k * A[p][j]
    if free_rows and max(abs(A[i][j]) for i in free_rows for j in free_rows) <= math.sqrt(SINGULAR):
        x[free_rows[0]] = 1.0
        for n, p in reversed(list(enumerate(done))):
            x[p] = -sum(A[p][j] * x[j] for j in (*done[n + 1 :], free_rows[0])) / A[p][p]
    return x


def _without_mass(model: Model, coordinates: Sequence[int]) -> str:
    """The sentence for coordinates that can move together without moving mass."""
    bodies = [b for b in model.moving if {*range(model.nv)[model.v_slices[b.name]]} & {*coordinates}]
    names = list(dict.fromkeys(f'"{name_in_file(b)}"' for b in sorted(bodies, key=model.bodies.index)))
    if len(names) > 1:
        what = f"a common motion of the joints of bodies {', '.join(names)} moves no mass"
        advice = "give one of the bodies an inertia, or its joint an armature"
    elif len(coordinates) > 1 or bodies[0].joint.nv > 1:
        what = f"the joint of body {names[0]} moves no mass in some direction"
        advice = "give the body extent in every direction, or its joint an armature"
    else:
        what = f"the joint of body {names[0]} moves no mass"
        advice = "give the body an inertia, or make the joint fixed"
    return f"{what}, so the mass matrix is singular; {advice}"


def _negative(model: Model, coordinates: Sequence[int]) -> str:
    """The negative parameter of the bodies moved by these coordinates that causes it; nothing if there is none."""
    tied = coupling(model)
    leaders = {b.name: {i for i, _, _ in tied.v[tied.free.v_slices[b.name]]} for b in tied.free.moving}
    carriers = {name for name, coordinates_of in leaders.items() if coordinates_of & {*coordinates}}
    rule = "; masses, moments of inertia and armatures must not be negative"
    for b in tied.free.bodies:
        if not carriers & {c.name for c in tied.free.path(b.name)}:
            continue
        if min(b.armature, default=0.0) < 0.0:
            return f'the joint of body "{name_in_file(b)}" has a negative armature, {min(b.armature):g}{rule}'
        if b.inertia.mass < 0.0:
            return f'body "{name_in_file(b)}" has a negative mass, {b.inertia.mass:g}{rule}'
        rot = b.inertia.about_center if b.inertia.mass > 0.0 else b.inertia.rot
        least = min(rot.xx, rot.yy, rot.zz)
        if least < -ROUNDING * abs(_trace(b.inertia.rot)):
            return f'body "{name_in_file(b)}" has a negative moment of inertia, {least:g}{rule}'
    return ""
