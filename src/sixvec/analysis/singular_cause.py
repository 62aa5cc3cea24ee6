"""Why a posture is singular: which joint axes are linearly dependent, and their geometric arrangement.

Twists of joints are lines with a direction (turning) or free directions (sliding).  A few of them are dependent only in
special arrangements (Merlet 2006, 6.3; Hunt 1978): two lines that coincide, three in a plane through one point or
parallel, four in a plane, through a point or parallel, six that intersect one line.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from sixvec.arguments import Array
from sixvec.ik.closed_form.recognise import nearest_point
from sixvec.model.coordinate_names import coordinate_names
from sixvec.quoting import joined
from sixvec.robot import Robot

DEPENDENT = 1e-6
"""Smallest singular value of unit columns at which they count as dependent, with lengths over the arm's size."""

NEARBY = 1e-2
"""Step, in joint coordinates, after which only structural dependence remains."""

MOST_JOINTS = 10
"""Number of joints above which there are too many subsets to search."""


def singular_causes(robot: Robot, q: Array, frame: str, rows: Sequence[int]) -> tuple[str, ...]:
    """One sentence for each minimal set of joints that are dependent at q but not nearby: how their axes are arranged.

    `rows` are the components of the twist that count; with all six the sentences describe axes, else directions.

    >>> import sixvec, numpy as np
    >>> singular_causes(sixvec.load("puma560"), np.array([0.1, 0.8, -1.0, 0.3, 0.0, 0.2]), "link6", range(6))
    ('the axes of joint4 and joint6 coincide',)
    """
    names = coordinate_names(robot.model, "v")
    places = np.asarray(robot.poses(q))[..., :3, 3]
    size = float(np.linalg.norm(places - places[0], axis=-1).max(initial=0.0)) or 1.0
    # Lengths are measured from the frame's origin, so that rounding does not grow with the distance to the world's.
    here = _twists(robot, q, frame, size)
    step = NEARBY * np.cos(1.0 + np.arange(robot.nv))  # any direction in which every joint moves
    near = _twists(robot, robot.integrate(q, step), frame, size)
    moving = np.flatnonzero(np.linalg.norm(here, axis=0) > DEPENDENT)
    if len(moving) > MOST_JOINTS:
        return ()
    causes: list[tuple[int, ...]] = []
    for count in range(1, len(rows) + 1):
        for joints in combinations(moving.tolist(), count):
            if any(set(circuit) <= set(joints) for circuit in causes):
                continue
            if _depend(here[np.ix_(rows, joints)]) and not _depend(near[np.ix_(rows, joints)]):
                causes.append(joints)
    whole = len(rows) == 6
    return tuple(_sentence(here[:, c], [names[i] for i in c], whole) for c in causes)


def _sentence(columns: Array, names: list[str], whole: bool) -> str:
    listed = joined(names)
    if not whole:
        ways = {1: "does not move the task", 2: "move the task in one direction", 3: "move the task in one plane"}
        return f"{listed} {ways.get(len(names), 'depend on each other')}"
    w, v = columns[:3].T, columns[3:].T
    turning = np.linalg.norm(w, axis=1) > DEPENDENT
    if not turning.any():
        how = "one direction" if len(names) == 2 else "one plane"
        return f"{listed} slide in {how}"
    if not turning.all():
        axes, slides = ([n for n, t in zip(names, turning, strict=True) if t == turns] for turns in (True, False))
        how = " are parallel" if len(axes) > 1 and _parallel(w[turning]) else ""
        verb = "slides" if len(slides) == 1 else "slide"
        return f"the axes of {joined(axes)}{how or ' turn'} so that {joined(slides)} {verb} as they do together"
    length = np.linalg.norm(w, axis=1, keepdims=True)
    w, points = w / length, np.cross(w, v) / length**2
    if len(names) == 2:
        return f"the axes of {listed} coincide"
    where = [how for how, holds in (
        ("are parallel", _parallel(w)), ("meet in one point", not _parallel(w) and _center(w, points) is not None),
        ("lie in one plane", _coplanar(w, points)),
    ) if holds]  # fmt: skip
    if where:
        return f"the axes of {listed} {' and '.join(where)}"
    return _wrist(w, points, names) or _transversal(columns, listed)


def _wrist(w: Array, points: Array, names: list[str]) -> str:
    """Three axes through one point which lies in the plane of two others: the arm is stretched, or above its base."""
    if len(names) != 5:
        return ""
    for three in combinations(range(5), 3):
        two = [i for i in range(5) if i not in three]
        center = _center(w[list(three)], points[list(three)])
        if center is None:
            continue
        towards = [w[two[0]], w[two[1]], points[two[1]] - points[two[0]], center - points[two[0]]]
        if np.linalg.svd(np.array(towards), compute_uv=False)[-1] < DEPENDENT:
            return (f"the axes of {joined([names[i] for i in three])} meet in one point, in the plane of the axes of "
                    f"{joined([names[i] for i in two])}")  # fmt: skip
    return ""


def _transversal(columns: Array, listed: str) -> str:
    """One wrench is reciprocal to all: as a pure force it is a line that they intersect or are parallel to."""
    U, values, _ = np.linalg.svd(columns)
    unreachable = U[:, int((values > DEPENDENT * values.max()).sum()) :]
    if unreachable.shape[1] == 1:
        moment, force = unreachable[:3, 0], unreachable[3:, 0]
        if np.linalg.norm(force) < DEPENDENT:
            return f"the axes of {listed} are at right angles to one direction"
        if abs(moment @ force) < DEPENDENT * (force @ force):
            return f"the axes of {listed} meet one line or are parallel to it"
    return f"the axes of {listed} depend on each other"


def _twists(robot: Robot, q: Array, frame: str, size: float) -> Array:
    """Unit twists (6, nv) about the frame's origin in world axes, lengths over `size`; zero columns are kept."""
    J = np.asarray(robot.jacobian(q, frame, "local_world_aligned"), float).copy()
    J[3:] /= size
    length = np.linalg.norm(J, axis=0)
    return np.asarray(J / np.where(length > DEPENDENT, length, np.inf))


def _depend(columns: Array) -> bool:
    values = np.linalg.svd(columns, compute_uv=False)
    return bool(len(values) < columns.shape[1] or values[-1] < DEPENDENT)


def _parallel(w: Array) -> bool:
    unit = w / np.linalg.norm(w, axis=1, keepdims=True)
    return bool(np.linalg.norm(np.cross(unit, unit[:1]), axis=1).max() < DEPENDENT)


def _center(w: Array, points: Array) -> Array | None:
    """The point nearest to lines, if it is on all of them."""
    center, off = nearest_point(w, points, 1e-9)
    return center if off < DEPENDENT else None


def _coplanar(w: Array, points: Array) -> bool:
    """Whether all lines lie in one plane: directions, and displacements from one to the others."""
    spread = np.concatenate([w, points - points[:1]])
    return bool(np.linalg.svd(spread, compute_uv=False)[-1] < DEPENDENT)
