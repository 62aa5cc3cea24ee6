"""A robot as arrays with one row per body: a long main chain and short side branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sixvec.constraint_force.joint_arrays import JointArrays, joint_arrays
from sixvec.constraint_force.namespace import Array
from sixvec.constraint_force.welded import require_inertia, welded
from sixvec.errors import ArgumentError, ModelError
from sixvec.model import WORLD, Body, Model
from sixvec.model.coupling import is_coupled
from sixvec.model.model import STANDARD_GRAVITY
from sixvec.spatial import Vec3

if TYPE_CHECKING:
    from sixvec.robot import Robot


@dataclass(frozen=True)
class SideLevel:
    """Bodies at one distance from the main chain: rows `start` to `stop`.

    `parent` counts from 1 and 0 is the world; `children` lists, for every body of the level before, its children as
    rows of this level, filled up with the row after the last.
    """

    start: int
    stop: int
    parent: Array
    children: Array


@dataclass(frozen=True)
class ArrayChain:
    """What the constraint force algorithm needs to know about a robot, ready for any array library.

    Rows are bodies: the main chain from base to tip, then side branches level by level; `names` says which is which
    (empty for uniform chains).  `on` moves the arrays to another library or device.

    >>> from sixvec import load
    >>> chain = ArrayChain.from_model(load("panda").model)
    >>> chain.length, chain.nv
    (7, 7)
    """

    length: int
    nq: int
    nv: int
    names: tuple[str, ...]
    joints: JointArrays
    inertia: Array
    mobility: Array
    """The inverse inertias of the main chain's bodies."""
    moment: Array
    rotational: Array
    base_acceleration: Array
    side: tuple[SideLevel, ...] = ()

    @classmethod
    def from_model(cls, model: Model | Robot) -> ArrayChain:
        """The longest path of a tree from its base becomes the main chain, everything else side branches.

        Bodies without inertia are joined with what they are welded to; a moving one is refused with its name.
        """
        model = cast("Model", getattr(model, "model", model))
        if is_coupled(model):
            follower = next(b for b in model.bodies if b.mimic)
            raise ModelError(
                f'{model.name}: the joint "{follower.joint_name or follower.name}" mimics another; joints that do tie '
                "distant bodies, and the chain must be free of them"
            )
        if model.closures:
            raise ModelError(f'{model.name}: the loop "{model.closures[0].name}" is not a chain; remove closures first')
        bodies = welded(model.bodies)
        if not bodies:
            raise ModelError(f"{model.name} has no body that moves and has inertia; a chain needs at least one")
        levels = _levels(bodies)
        rows = [b for level in levels for b in level]
        return cls._of(
            rows,
            len(rows),
            np.array([model.q_slices[b.name].start for b in rows]),
            np.array([model.v_slices[b.name].start for b in rows]),
            model.gravity,
            len(levels[0]),
            _side(levels),
        )

    @classmethod
    def uniform(cls, count: int, links: Sequence[Body], gravity: Vec3 = STANDARD_GRAVITY) -> ArrayChain:
        """An unbranched chain of `count` bodies that repeats `links` in turn, each on the one before.

        >>> from sixvec.model.joints import Revolute
        >>> from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3
        >>> rod = RigidInertia.from_center_of_mass(1.0, Vec3(0.5, 0.0, 0.0), Sym3.diagonal(0.01, 0.09, 0.09))
        >>> link = Body("link", joint=Revolute(), placement=Pose(Rotation.identity(), Vec3(1.0, 0.0, 0.0)), inertia=rod)
        >>> ArrayChain.uniform(1000, [link]).nv
        1000
        """
        if count < 1 or not links:
            raise ArgumentError(f"a uniform chain needs at least one body and one link; got {count} and {len(links)}")
        pick = np.arange(count) % len(links)
        nq, nv = (np.array([getattr(b.joint, n) for b in links])[pick] for n in ("nq", "nv"))
        chain = cls._of(links, count, np.cumsum(nq) - nq, np.cumsum(nv) - nv, gravity, count, ())
        return replace(chain, names=())

    @classmethod
    def _of(
        cls,
        bodies: Sequence[Body],
        count: int,
        q_starts: Array,
        v_starts: Array,
        gravity: Vec3,
        length: int,
        side: tuple[SideLevel, ...],
    ) -> ArrayChain:
        for b in bodies[:length]:
            require_inertia(b)
        pick = np.arange(count) % len(bodies)
        I: Any = np.array([b.inertia.as_matrix() for b in bodies], float)
        joints = joint_arrays(bodies, count, q_starts, v_starts)
        mobility = np.linalg.inv(I[:length])
        return cls(
            length=length,
            nq=sum(int(n) for n in np.array([b.joint.nq for b in bodies])[pick]),
            nv=len(joints.a_index),
            names=tuple(b.name for b in bodies),
            joints=joints,
            inertia=I[pick],
            mobility=mobility[pick[:length]],
            moment=np.array([[*b.inertia.moment] for b in bodies], float)[pick],
            rotational=I[pick, :3, :3],
            # Gravity as an upward acceleration of the base (Featherstone 2010, a₀ = -a_g).
            base_acceleration=np.array([0.0, 0.0, 0.0, *(-gravity)], float),
            side=side,
        )

    def on(self, convert: Callable[[Array], Array]) -> ArrayChain:
        """The same chain with every array converted: `chain.on(cupy.asarray)`, `chain.on(jax.numpy.asarray)`."""
        moved: ArrayChain = _converted(self, convert)
        return moved

    def arrays(self) -> list[Array]:
        """All arrays of a chain on NumPy, in a fixed order: what a compiler of another library takes as arguments.

        Inside the compiled function `chain.with_arrays` puts them back; as constants they would be compiled in.
        """
        found: list[Array] = []
        self.on(lambda x: found.append(x))
        return found

    def with_arrays(self, arrays: Sequence[Array]) -> ArrayChain:
        """This chain, on NumPy, with its arrays replaced by others of the same order and meaning."""
        replacements = iter(arrays)
        return self.on(lambda _: next(replacements))


def _converted(value: Any, convert: Callable[[Array], Array]) -> Any:
    if isinstance(value, np.ndarray):
        return convert(value)
    if isinstance(value, tuple):
        return tuple(_converted(x, convert) for x in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _converted(getattr(value, f.name), convert) for f in fields(value)})
    return value


def _levels(bodies: Sequence[Body]) -> list[list[Body]]:
    """The main chain, then the bodies one step off it, two steps off, and so on."""
    by_name = {b.name: b for b in bodies}
    depth: dict[str, int] = {}
    for b in bodies:
        depth[b.name] = 1 if b.parent is WORLD else depth[b.parent] + 1
    tip: str | None = max(depth, key=lambda name: depth[name])
    main: list[Body] = []
    while tip is not WORLD:
        main.append(by_name[tip])
        tip = main[-1].parent
    distance: dict[str | None, int] = {WORLD: 0} | {b.name: 0 for b in main}
    levels: list[list[Body]] = [main[::-1]]
    for b in bodies:
        if b.name in distance:
            continue
        distance[b.name] = distance[b.parent] + 1
        if distance[b.name] == len(levels):
            levels.append([])
        levels[distance[b.name]].append(b)
    return levels


def _side(levels: Sequence[Sequence[Body]]) -> tuple[SideLevel, ...]:
    row = {b.name: i for i, b in enumerate(b for level in levels for b in level)}
    made, start = [], len(levels[0])
    for before, level in pairwise(levels):
        lists = [[i for i, b in enumerate(level) if b.parent == p.name] for p in before]
        width = max(1, max(map(len, lists)))
        children = np.array([mine + [len(level)] * (width - len(mine)) for mine in lists])
        parent = np.array([0 if b.parent is WORLD else row[b.parent] + 1 for b in level])
        made.append(SideLevel(start, start + len(level), parent, children))
        start += len(level)
    return tuple(made)
