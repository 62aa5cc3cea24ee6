"""A model from arrays, in the form of the textbooks: parents, tree transforms, joints, inertias.

Featherstone, "A Beginner's Guide to 6-D Vectors (Part 2)" (2010), Model data structure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments.checks import real_array, require_distinct
from sixvec.arguments.rigid_poses import require_poses, require_rotations
from sixvec.errors import ArgumentError, unknown
from sixvec.model.body import Body
from sixvec.model.joints import Helical, Joint, Prismatic, Revolute
from sixvec.spatial import Pose, RigidInertia, Vec3

X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)

CODES: dict[str, Callable[[], Joint]] = {
    "R": lambda: Revolute(Z), "Rx": lambda: Revolute(X), "Ry": lambda: Revolute(Y), "Rz": lambda: Revolute(Z),
    "P": lambda: Prismatic(Z), "Px": lambda: Prismatic(X), "Py": lambda: Prismatic(Y), "Pz": lambda: Prismatic(Z),
}  # fmt: skip
"""The joints that have a short name: turns about, and slides along, an axis of their frame."""

BASE = "base"

EXACT = 1e-6
"""How far a matrix may be from the form of a transform or of an inertia, relative to its largest entry: six decimals
pass, a matrix of another convention does not."""

Array = NDArray[np.float64]


def bodies_from_arrays(
    parent: Any, Xtree: Any, joints: Sequence[Any], inertia: Any, names: Sequence[str] | None = None
) -> tuple[Body, ...]:
    """The bodies of a model, behind a fixed base; the arguments are those of `Model.from_arrays`."""
    parents = _parents(parent)
    n = len(parents)
    poses, inertias = _poses(Xtree, n), _inertias(inertia, n)
    if len(joints) != n:
        raise ArgumentError(f"joints has {len(joints)} entries, and parent has {n}: one for each body")
    moving = [_joint(i, joint) for i, joint in enumerate(joints)]
    labels = [f"body{i + 1}" for i in range(n)] if names is None else [*map(str, names)]
    if len(labels) != n:
        raise ArgumentError(f"names has {len(labels)} entries, and parent has {n}: one for each body")
    require_distinct("names", [BASE, *labels])
    return (
        Body(BASE),
        *(
            Body(labels[i], BASE if parents[i] < 0 else labels[parents[i]], moving[i], poses[i], inertias[i])
            for i in range(n)
        ),
    )


def _parents(values: Any) -> list[int]:
    """The parents counted from 0, -1 for the base; the first one, always the base, shows how they are counted."""
    array = real_array("parent", values, "n", batch=False)
    if (array % 1 != 0).any():
        raise ArgumentError(f"parent must hold whole numbers, not {array[array % 1 != 0][0]:g}")
    parents = [int(p) for p in array]
    if not parents:
        raise ArgumentError("parent is empty; a robot needs at least one body")
    if parents[0] not in (-1, 0):
        raise ArgumentError(
            f"parent[0] is {parents[0]}; the first body is on the base: -1 if bodies are counted from 0, 0 if from 1"
        )
    first = parents[0] + 1
    for i, p in enumerate(parents):
        if not first - 1 <= p < i + first:
            raise ArgumentError(
                f"parent[{i}] is {p}; a parent comes before its child: with the base as {first - 1}, give "
                f"{first - 1} to {i + first - 1}"
            )
    return [p - first for p in parents]


def _poses(poses: Any, n: int) -> list[Pose]:
    """The frames of the joints in their parents, from poses or from the transforms of motions to the child."""
    array = real_array("Xtree", poses, finite=True)
    if array.shape == (n, 6, 6):
        array = _poses_of_transforms(array)
    elif array.shape != (n, 4, 4):
        raise ArgumentError(f"Xtree has shape {array.shape}; ({n}, 6, 6) or ({n}, 4, 4) is needed")
    require_poses(array, "Xtree")
    return [Pose.from_matrix(matrix.tolist()) for matrix in array]


def _poses_of_transforms(X: Array) -> Array:
    """From ⁱX_λ = [[E, 0], [-E r×, E]]: the frame at r in its parent, with the rotation Eᵀ."""
    E, lower = X[:, :3, :3], X[:, 3:, :3]
    require_rotations(E, "Xtree")
    cross = -np.swapaxes(E, -1, -2) @ lower
    off = np.abs(X[:, :3, 3:]).max(axis=(1, 2)) + np.abs(X[:, 3:, 3:] - E).max(axis=(1, 2))
    off += np.abs(cross + np.swapaxes(cross, -1, -2)).max(axis=(1, 2))
    _require_form("Xtree", off, X, "[[E, 0], [-E r×, E]], from the motion (ω; v) in the parent to that in the child")
    poses = np.tile(np.eye(4), (len(X), 1, 1))
    poses[:, :3, :3] = np.swapaxes(E, -1, -2)
    poses[:, :3, 3] = np.stack([cross[:, 2, 1], cross[:, 0, 2], cross[:, 1, 0]], axis=-1)
    return poses


def _inertias(inertias: Any, n: int) -> list[RigidInertia]:
    if isinstance(inertias, Sequence) and inertias and all(isinstance(each, RigidInertia) for each in inertias):
        if len(inertias) != n:
            raise ArgumentError(f"I has {len(inertias)} entries, and parent has {n}: one for each body")
        return [*inertias]
    array = real_array("I", inertias, n, 6, 6, batch=False, finite=True, why="a spatial inertia for each body")
    inertias_found = [RigidInertia.from_matrix(matrix.tolist()) for matrix in array]
    off = np.abs(array - np.array([each.as_matrix() for each in inertias_found], float)).max(axis=(1, 2))
    _require_form("I", off, array, "[[I, mc×], [-mc×, m 1]], the inertia about the origin of the body, rotation first")
    for i, inertia in enumerate(inertias_found):
        if inertia.mass < 0.0:
            raise ArgumentError(f"I[{i}]: the mass is {inertia.mass:g}; give 0 or more")
    return inertias_found


def _require_form(name: str, off: Array, array: Array, form: str) -> None:
    bad = np.flatnonzero(off > EXACT * np.maximum(np.abs(array).max(axis=(1, 2)), 1e-300))
    if bad.size:
        raise ArgumentError(f"{name}[{bad[0]}] is not of the form {form}")


def _joint(i: int, value: Any) -> Joint:
    """A joint, from its short name, or from the pitch of a screw along z: 0 turns, infinity slides."""
    if hasattr(value, "subspace"):
        joint: Joint = value
        return joint
    if isinstance(value, str):
        if value not in CODES:
            raise ArgumentError(f"joints[{i}]: {unknown('joint', value, [*CODES])}")
        return CODES[value]()
    pitch = float(real_array(f"joints[{i}]", value, batch=False).reshape(()))
    if math.isnan(pitch):
        raise ArgumentError(f"joints[{i}] is not a number")
    if math.isinf(pitch):
        return Prismatic(Z)
    return Helical(Z, pitch) if pitch else Revolute(Z)
