"""The arrays of a large tree: from a model, or from a few links copied many times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sixvec.errors import ArgumentError, ModelError
from sixvec.large_trees.joint_kinds import NQ, NV, Integers, Numbers, kind_of
from sixvec.model import WORLD, Body, Frame, Model
from sixvec.model.canonical import canonical
from sixvec.model.coupling import is_coupled
from sixvec.model.joints import Joint
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.spatial import Pose, Vec3


def rows_of_model(model: Model) -> dict[str, Any]:
    """The fields of a `LargeTree` with the bodies of a model's canonical form."""
    if is_coupled(model):
        follower = next(b for b in model.bodies if b.mimic)
        raise ModelError(
            f'{model.name}: the joint "{follower.joint_name or follower.name}" mimics another; joints that do tie '
            "distant bodies, and a large tree must be free of them"
        )
    require_unconstrained(model, "LargeTree.from_model")
    if model.passive:
        raise ModelError(
            f"{model.name} has {len(model.passive)} friction laws or springs between frames, which large trees do not "
            "have; dataclasses.replace(model, passive=()) is the robot without them"
        )
    links = [b for b in model.bodies if b.joint.nv]
    if not links:
        raise ModelError(f"{model.name} has no body that moves; a large tree needs at least one")
    c = canonical(replace(model, frames=(*_link_frames(links), *_numbered(model.frames)), geoms=()))
    stands = c.frames[: len(links)]  # the links' own frames after splitting joints and turning axes
    X_link = {f.body: f.placement for f in stands}
    row: dict[str | None, int] = {WORLD: -1} | {b.name: i for i, b in enumerate(c.bodies)}
    armature, terms, relaxed = np.zeros(c.nv), np.zeros((c.nv, 3)), np.zeros(c.nq)
    for b in c.bodies:
        at = c.v_slices[b.name]
        armature[at], terms[at], relaxed[c.q_slices[b.name]] = b.armature, _terms(b), _rest(b)
    return _numbers(c.bodies) | {
        "parents": np.array([row[b.parent] for b in c.bodies]),
        "armature": armature,
        "joint_terms": terms,
        "rest": relaxed,
        "q_first": np.array([c.q_slices[b.name].start for b in c.bodies]),
        "v_first": np.array([c.v_slices[b.name].start for b in c.bodies]),
        "gravity": np.array([*c.gravity], float),
        "names": tuple(b.name for b in c.bodies),
        "frames": tuple(
            Frame(f.name, at.body, at.placement if at.body is WORLD else X_link[at.body].inv() @ at.placement)
            for f, at in zip(model.frames, c.frames[len(links) :], strict=True)
        ),
        "link_rows": np.array([row[f.body] for f in stands]),
        "link_placements": _poses([f.placement for f in stands]),
    }


def _link_frames(links: Sequence[Body]) -> list[Frame]:
    return [Frame(f"link {i}", b.name) for i, b in enumerate(links)]


def _numbered(frames: Sequence[Frame]) -> list[Frame]:
    """Names that cannot be those of `_link_frames`."""
    return [replace(f, name=f"frame {i}") for i, f in enumerate(frames)]


def rows_of_links(links: Sequence[Body], pick: Integers, parents: Integers, gravity: Vec3) -> dict[str, Any]:
    """The fields of a `LargeTree` whose body i is a copy of `links[pick[i]]` on body `parents[i]`.

    A row depends on its own link and on its parent's, whose frame is rotated with its joint axis: `canonical` makes a
    table of all pairs, and the rows are selected from it.
    """
    _require_links(links, pick, parents)
    base = len(links)  # represents the world among the parents
    pairs = [_pair(links, i, j) for i in range(base + 1) for j in range(base)]
    sizes = np.array([len(bodies) for bodies, _ in pairs])
    above = np.where(parents < 0, base, pick[parents])
    pair = above * base + pick
    size = sizes[pair]  # rows per body
    last = np.cumsum(size) - 1
    within = np.arange(last[-1] + 1) - np.repeat(last + 1 - size, size)  # 0, 1, … along each body's rows
    source = np.repeat((np.cumsum(sizes) - sizes)[pair], size) + within
    carrier = np.repeat(np.where(parents < 0, -1, last[parents]), size)
    table = [b for group, _ in pairs for b in group]
    rows = {name: values[source] for name, values in _numbers(table).items()}
    rotors, terms = np.zeros((len(table), 6)), np.zeros((len(table), 6, 3))
    relaxed = np.zeros((len(table), 7))
    for i, b in enumerate(table):
        rotors[i, : b.joint.nv], terms[i, : b.joint.nv], relaxed[i, : b.joint.nq] = b.armature, _terms(b), _rest(b)
    has_rate, has_position = (np.arange(n) < sizes[rows["kinds"]][:, None] for n, sizes in ((6, NV), (7, NQ)))
    return rows | {
        "parents": np.where(within == 0, carrier, np.arange(len(within)) - 1),
        "armature": rotors[source][has_rate],
        "joint_terms": terms[source][has_rate],
        "rest": relaxed[source][has_position],
        "gravity": np.array([*gravity], float),
        "link_rows": last,
        "link_placements": _poses([X for _, X in pairs])[pair],
    }


def _require_links(links: Sequence[Body], pick: Integers, parents: Integers) -> None:
    if not links or not pick.size:
        raise ArgumentError(f"a tree needs at least one link and one body; got {len(links)} and {pick.size}")
    if pick.shape != parents.shape or (pick < 0).any() or (pick >= len(links)).any():
        raise ArgumentError(
            f"pick has {pick.size} entries from {pick.min()} to {pick.max()} and parents {parents.size}; "
            f"there must be as many of each, and links are 0 to {len(links) - 1}"
        )
    wrong = (parents < -1) | (parents >= np.arange(len(parents)))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ModelError(f"body {i} has parent {parents[i]}; parents come before their children, from -1 to {i - 1}")
    for b in links:
        if b.mimic:
            raise ArgumentError(
                f'the joint of link "{b.name}" mimics that of "{b.mimic.leader}", and large trees have independent '
                "joints only; remove mimic"
            )
        if not b.joint.nv:
            raise ArgumentError(f'link "{b.name}" has no freedom; merge its inertia into the link that carries it')


def _pair(links: Sequence[Body], parent: int, child: int) -> tuple[list[Body], Pose]:
    """The canonical bodies of one link mounted on another, or on the world; its own frame in the last of them."""
    under = [replace(links[parent], name="parent", parent=WORLD)] if parent < len(links) else []
    body = replace(links[child], name="child", parent="parent" if under else WORLD)
    pair = canonical(Model("links", (*under, body), (Frame("child", "child"),)))
    return [b for b in pair.bodies if b.name.startswith("child")], pair.frames[0].placement


def _numbers(bodies: Sequence[Body]) -> dict[str, Any]:
    return {
        "kinds": np.array([kind_of(b.joint) for b in bodies]),
        "placements": _poses([b.placement for b in bodies]),
        "inertias": np.array([[*b.inertia] for b in bodies], float),
        "pitches": np.array([_pitch(b.joint) for b in bodies], float),
    }


def _terms(b: Body) -> Numbers:
    """Damping, friction and stiffness of each freedom (nv, 3)."""
    d, none = b.dynamics, (0.0,) * b.joint.nv
    return np.array([d.damping or none, d.friction or none, d.stiffness or none], float).T


def _rest(b: Body) -> Numbers:
    return np.array(b.dynamics.rest or b.joint.neutral(), float)


def _pitch(joint: Joint) -> float:
    """The translation per radian of a joint with one freedom."""
    return float(joint.screws[0].ang.dot(joint.screws[0].lin)) if joint.nv == 1 else 0.0


def _poses(poses: Sequence[Pose]) -> Numbers:
    """The rotation matrix by rows, then the position: a row each."""
    return np.array([[*X.rot.matrix, *X.pos] for X in poses], float)
