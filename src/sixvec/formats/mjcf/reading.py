"""A file read for its check: what its elements hold, and the model or the error with which its reader ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sixvec.errors import SixvecError
from sixvec.formats.budget import one_budget
from sixvec.formats.mjcf.joint import JointInBody
from sixvec.formats.mjcf.read import Reader
from sixvec.formats.mjcf.replicate import TAG as REPLICATE
from sixvec.formats.mjcf.tree import Tree
from sixvec.formats.node import Node
from sixvec.model import Model
from sixvec.spatial import RigidInertia


@dataclass(frozen=True)
class Reading:
    """Values by the elements that hold them, as the file has these; of copies those of one."""

    model: Callable[[], Model]
    masses: Mapping[Node, RigidInertia | None] = field(default_factory=dict)
    """The inertia of each body; None where it cannot be read."""
    joints: Mapping[Node, JointInBody] = field(default_factory=dict)
    meshes: frozenset[str] = frozenset()
    """The names of the meshes from which inertias are computed."""


def reading_of(tree: Tree) -> Reading:
    """Read a tree whose includes are resolved; where the reader inserts copies, it does so in a copy of the tree."""
    as_written: dict[Node, Node] = {}
    if next(tree.root.iter(REPLICATE), None):
        root = tree.root.deep_copy()
        as_written.update(zip(root.iter(), tree.root.iter(), strict=True))
        tree = replace(tree, root=root)
    try:
        with one_budget():
            reader = Reader(tree)
    except SixvecError as problem:
        return Reading(_raising(problem))
    try:
        with one_budget():
            outcome = _returning(reader.model(floating=False, gravity=None))
    except SixvecError as problem:
        outcome = _raising(problem)
    masses = {as_written.get(t, t): inertia for t, inertia in reader.masses.items()}
    joints = {as_written.get(t, t): joint for t, joint in reader.joint_of.items()}
    return Reading(outcome, masses, joints, frozenset(reader.inertias.meshes))


def _returning(model: Model) -> Callable[[], Model]:
    return lambda: model


def _raising(problem: SixvecError) -> Callable[[], Model]:
    def fail() -> Model:
        raise problem

    return fail
