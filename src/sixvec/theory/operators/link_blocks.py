"""The contribution of each link to the stacked operators: its 6x6 and 6xn blocks as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.declaration import JointVector
from sixvec.arguments import require_finite, require_shape
from sixvec.compiler.call import as_array
from sixvec.errors import ModelError
from sixvec.kernels import Port
from sixvec.model import WORLD, Body, Model
from sixvec.model.coupling import is_coupled
from sixvec.spatial import Force

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkBlocks:
    """The blocks of all links at one position q, tips first: a link precedes its parent.

    Rodriguez and Kreutz number from the tip to the base; on a tree the reverse of the model's order is equivalent.
    Each link's vectors are in its own coordinates, angular first.
    """

    names: tuple[str, ...]
    parents: tuple[int | None, ...]
    """The index of each link's parent in `names`; None for links on the world."""
    phi: tuple[Array, ...]
    """φ(parent, k), 6x6: forces on link k in the parent's coordinates; its transpose maps motions outward."""
    H: tuple[Array, ...]
    """H(k), n x 6: its rows are the joint's axes, so H projects forces and Hᵀ maps joint rates to the link."""
    inertia: tuple[Array, ...]
    """M(k), 6x6, about the link frame's origin."""
    armature: tuple[Array, ...]
    """Reflected rotor inertia of each freedom; the joint's own share of the mass matrix's diagonal."""
    rows: tuple[slice, ...]
    """The indices of the joint's freedoms in v and tau."""


def link_blocks(model: Model, q: ArrayLike) -> LinkBlocks:
    """The blocks of a model at the position q, its loops left open.

    >>> import sixvec
    >>> from sixvec.theory.operators import link_blocks
    >>> blocks = link_blocks(sixvec.load("planar_2r").model, [0.0, 0.0])
    >>> [(name, H.shape) for name, H in zip(blocks.names, blocks.H)]
    [('link2', (1, 6)), ('link1', (1, 6)), ('base', (0, 6))]
    """
    require_free_joints(model)
    position = as_array(q, Port("q", (model.nq,)), model.name)
    require_shape(f"{model.name}: q", position, model.nq, batch=False, why="operators are for one position")
    require_finite(f"{model.name}: q", position)
    at = JointVector(position.tolist(), model.q_slices)
    bodies = tuple(reversed(model.bodies))
    place = {b.name: i for i, b in enumerate(bodies)}
    return LinkBlocks(
        names=tuple(b.name for b in bodies),
        parents=tuple(None if b.parent is WORLD else place[b.parent] for b in bodies),
        phi=tuple(_force_transform(b, at) for b in bodies),
        H=tuple(np.array([[*S] for S in b.subspace(at)], float).reshape(-1, 6) for b in bodies),
        inertia=tuple(np.array(b.inertia.as_matrix(), float) for b in bodies),
        armature=tuple(np.array(b.armature, float) for b in bodies),
        rows=tuple(model.v_slices[b.name] for b in bodies),
    )


def require_free_joints(model: Model) -> None:
    """Raise if a joint mimics another: it couples links that no recursion along the tree connects."""
    if is_coupled(model):
        follower = next(b for b in model.bodies if b.mimic)
        raise ModelError(
            f'{model.name}: the joint of body "{follower.name}" mimics that of "{follower.mimic.leader}", '  # type: ignore[union-attr]
            "and the operators need independent joints; use robot.forward_dynamics or robot.mass_matrix instead"
        )


def _force_transform(b: Body, q: Any) -> Array:
    X_PB = b.pose_in_parent(q)
    return np.array([[*(X_PB @ Force.of(unit))] for unit in np.eye(6).tolist()], float).T
