"""Robots from columns of numbers, as datasheets and books print them: Denavit-Hartenberg, and screws with home poses.

`DHTable` and `PoETable` also hold inertias, limits and names, and extract tables from robots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sixvec.arguments.binding import named_arguments
from sixvec.arguments.checks import real_array
from sixvec.arguments.rigid_poses import require_poses
from sixvec.errors import ArgumentError, unknown
from sixvec.formats.tables.denavit_hartenberg import DHRow, DHTable
from sixvec.formats.tables.product_of_exponentials import FORMS, PoERow, PoETable
from sixvec.formats.tables.table import JointKind, Link, check_choice
from sixvec.spatial import Motion, Pose, Vec3

if TYPE_CHECKING:
    from sixvec.robot import Robot

KINDS: dict[str, JointKind] = {"R": "revolute", "P": "prismatic", "revolute": "revolute", "prismatic": "prismatic"}
CONVENTIONS = ("classic", "modified")


@named_arguments
def from_dh(
    *,
    convention: Literal["classic", "modified"],
    a: Any = 0.0,
    alpha: Any = 0.0,
    d: Any = 0.0,
    theta: Any = 0.0,
    joints: str | Sequence[str] | None = None,
    base: Any = None,
    tool: Any = None,
    links: Sequence[Link] = (),
    name: str = "arm",
    tip: str = "tip",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
) -> Robot:
    """A serial arm from the columns of a Denavit-Hartenberg table, in metres and radians.

        "classic"   Π R(Z, θ_i) Tr(Z, d_i) Tr(X, a_i) R(X, α_i)
        "modified"  Π R(X, α_i) Tr(X, a_i) R(Z, θ_i) Tr(Z, d_i)      (Craig, whose row i holds a_{i-1} and α_{i-1})

    Each column has a number per joint; a scalar applies to all joints.  `joints` says which turn and which slide, as
    "RRP": without it all turn.  A joint adds q to its θ or to its d.  `base` and `tool` are poses (4, 4) before the
    first and after the last frame; `links` hold inertias, limits and names (`formats.tables.Link`).

    >>> import numpy as np
    >>> import sixvec
    >>> scara = sixvec.from_dh(convention="classic", a=[0.3, 0.2, 0.0], alpha=[0.0, np.pi, 0.0], joints="RRP")
    >>> scara.pose([0.0, 0.0, 0.1], "tip")[:3, 3].round(3)
    array([ 0.5,  0. , -0.1])
    """
    check_choice("convention", convention, CONVENTIONS)
    columns = {"theta": theta, "d": d, "a": a, "alpha": alpha}
    arrays = {key: real_array(key, column, finite=True) for key, column in columns.items()}
    for key, array in arrays.items():
        if array.ndim > 1:
            raise ArgumentError(f"{key} has shape {array.shape}; a number for each joint is needed")
    kinds = None if joints is None else _kinds(joints)
    counts = {key: array.size for key, array in arrays.items() if array.ndim}
    counts |= {} if kinds is None else {"joints": len(kinds)}
    n = _same_count(counts)
    full = {key: np.broadcast_to(array, n).tolist() for key, array in arrays.items()}
    each = kinds or ["revolute"] * n
    its_link = _links(links, n)
    angles, heights, lengths, twists = (full[key] for key in ("theta", "d", "a", "alpha"))
    rows = tuple(DHRow(angles[i], heights[i], lengths[i], twists[i], each[i], link=its_link[i]) for i in range(n))
    before, after, down = _pose("base", base), _pose("tool", tool), _gravity(gravity)
    return _robot(DHTable(rows, convention, before, after, name=name, tip=tip, gravity=down))


@named_arguments
def from_screws(
    screws: Any,
    home: Any,
    *,
    form: Literal["space", "body"] = "space",
    links: Sequence[Link] = (),
    name: str = "arm",
    tip: str = "tip",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
) -> Robot:
    """A serial arm from its screws (ω; v) at q = 0, (n, 6), and the pose of its tip there, (4, 4).

        T(q) = exp(S_1 q_1) … exp(S_n q_n) M      "space": S_i in the world
             = M exp(B_1 q_1) … exp(B_n q_n)      "body": B_i in the tip

    |ω| = 1 for a joint that turns, with a pitch ω·v for a screw; ω = 0 and |v| = 1 for one that slides.  `links` hold
    inertias in world axes about the world's origin at q = 0, limits and names.

    >>> import numpy as np
    >>> import sixvec
    >>> home = np.eye(4)
    >>> home[0, 3] = 0.8
    >>> arm = sixvec.from_screws([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, -0.5, 0]], home)
    >>> arm.pose([0.0, np.pi / 2], "tip")[:3, 3].round(3)
    array([0.5, 0.3, 0. ])
    """
    check_choice("form", form, FORMS[:2])
    array = real_array("screws", screws, "n", 6, batch=False, finite=True, why="a screw (ω; v) for each joint")
    its_link = _links(links, len(array))
    rows = tuple(
        PoERow(Motion(Vec3(*row[:3]), Vec3(*row[3:])), link=link)
        for row, link in zip(array.tolist(), its_link, strict=True)
    )
    return _robot(PoETable(rows, form, _pose("home", home), name=name, tip=tip, gravity=_gravity(gravity)))


def _robot(table: DHTable | PoETable) -> Robot:
    from sixvec.robot import Robot

    return Robot(table.as_model())


def _kinds(joints: str | Sequence[str]) -> list[JointKind]:
    kinds = []
    for i, kind in enumerate(joints):
        if kind not in KINDS:
            raise ArgumentError(f"joints[{i}]: {unknown('joint', str(kind), [*KINDS])}")
        kinds.append(KINDS[kind])
    return kinds


def _same_count(counts: dict[str, int]) -> int:
    if not counts:
        raise ArgumentError("no column has a number for each joint, and joints= is missing: how many joints are there?")
    if len({*counts.values()}) > 1:
        listed = ", ".join(f"{key} has {count}" for key, count in counts.items())
        raise ArgumentError(f"the columns differ in length: {listed}; give a number for each joint, or one for all")
    (n,) = {*counts.values()}
    return n


def _links(links: Sequence[Link], n: int) -> Sequence[Link]:
    if links and len(links) != n:
        raise ArgumentError(f"links has {len(links)} entries for {n} joints; give one for each joint")
    return links or [Link()] * n


def _pose(what: str, value: Any) -> Pose:
    if value is None or isinstance(value, Pose):
        return value or Pose.identity()
    array = real_array(what, value, 4, 4, batch=False, finite=True)
    require_poses(array, what)
    return Pose.from_matrix(array.tolist())


def _gravity(vector: Sequence[float]) -> Vec3:
    return Vec3(*real_array("gravity", vector, 3, batch=False, finite=True).tolist())
