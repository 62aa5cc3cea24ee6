"""A robot as arrays with one row per body: a long main chain and short side branches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.singular import require_mass
from sixvec.arguments import require_shape
from sixvec.errors import ArgumentError, ModelError
from sixvec.large_trees.constraint_force.joint_arrays import JointArrays, joint_arrays
from sixvec.large_trees.constraint_force.namespace import Array, array_namespace, as_array
from sixvec.large_trees.constraint_force.tree_levels import SideLevel, side_levels, tree_levels
from sixvec.large_trees.constraint_force.welded import Stands, require_inertia, welded
from sixvec.large_trees.frame_wrenches import frame_wrenches
from sixvec.model import Body, Frame, Model
from sixvec.model.coupling import is_coupled
from sixvec.model.model import STANDARD_GRAVITY
from sixvec.model.require import require_model
from sixvec.model.spanning_tree import require_unconstrained
from sixvec.robot import Robot


@dataclass(frozen=True)
class ArrayChain:
    """The data of a robot for the constraint force algorithm, for any array library.

    Rows are bodies: the main chain from base to tip, then side branches level by level; `names` lists them
    (empty for uniform chains).  `on` moves the arrays to another library or device, and to another precision: by
    default the arrays and all results are float64, whatever the type of q.

    >>> from sixvec import load
    >>> from sixvec.large_trees.constraint_force import ArrayChain
    >>> chain = ArrayChain.from_model(load("panda").model)
    >>> chain
    ArrayChain(7 bodies, nq=7, nv=7)
    >>> single = chain.on(lambda x: x.astype("float32") if x.dtype == "float64" else x)
    >>> single.inertia.dtype
    dtype('float32')
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
    frames: tuple[Frame, ...] = ()
    """Named frames where external wrenches may act, each on the body of a row or on the world; see `wrenches`."""

    @classmethod
    def from_model(cls, model: Model | Robot) -> ArrayChain:
        """The longest path of a tree from its base becomes the main chain, everything else side branches.

        Bodies without inertia are merged with the bodies they are welded to; a moving one is an error that names it.
        """
        model = require_model(model, "ArrayChain.from_model")
        if is_coupled(model):
            raise ModelError(f"{model.name}: {_coupled(next(b for b in model.bodies if b.mimic))}")
        require_unconstrained(model, "ArrayChain.from_model")
        bodies, stands = welded(model.bodies)
        if not bodies:
            raise ModelError(f"{model.name} has no body that moves and has inertia; a chain needs at least one")
        require_mass(model)
        levels = tree_levels(bodies)
        rows = [b for level in levels for b in level]
        chain = cls._of(
            rows,
            len(rows),
            np.array([model.q_slices[b.name].start for b in rows]),
            np.array([model.v_slices[b.name].start for b in rows]),
            model.gravity,
            len(levels[0]),
            side_levels(levels),
        )
        return replace(chain, frames=tuple(_frame(f, stands) for f in model.frames))

    @classmethod
    def chain(cls, count: int, links: Sequence[Body], gravity: Iterable[float] = STANDARD_GRAVITY) -> ArrayChain:
        """An unbranched chain of `count` bodies that repeats `links` cyclically, each attached to the one before.

        >>> from sixvec.large_trees.constraint_force import ArrayChain
        >>> from sixvec.model import Body
        >>> from sixvec.model.joints import Revolute
        >>> from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3
        >>> rod = RigidInertia.from_center_of_mass(1.0, Vec3(0.5, 0.0, 0.0), Sym3.diagonal(0.01, 0.09, 0.09))
        >>> link = Body("link", joint=Revolute(), placement=Pose(Rotation.identity(), Vec3(1.0, 0.0, 0.0)), inertia=rod)
        >>> ArrayChain.chain(1000, [link]).nv
        1000
        """
        if not isinstance(count, Integral):
            raise ArgumentError(f"a chain of {count!r} bodies; count must be a whole number")
        if count < 1 or not links:
            raise ArgumentError(f"a chain needs at least one body and one link; got {count} and {len(links)}")
        for b in links:
            if b.mimic:
                raise ModelError(f"a chain: {_coupled(b)}")
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
        gravity: Iterable[float],
        length: int,
        side: tuple[SideLevel, ...],
    ) -> ArrayChain:
        for b in bodies[:length]:
            require_inertia(b)
        pick = np.arange(count) % len(bodies)
        I: Any = np.array([b.inertia.as_matrix() for b in bodies], float)
        joints = joint_arrays(bodies, count, q_starts, v_starts)
        mobility = np.linalg.inv(I[:length])
        chain = cls(
            length=length,
            nq=sum(int(n) for n in np.array([b.joint.nq for b in bodies])[pick]),
            nv=len(joints.a_index),
            names=tuple(b.name for b in bodies),
            joints=joints,
            inertia=I[pick],
            mobility=mobility[pick[:length]],
            moment=np.array([[*b.inertia.moment] for b in bodies], float)[pick],
            rotational=I[pick, :3, :3],
            base_acceleration=np.zeros(6),
            side=side,
        )
        return chain.with_gravity(gravity)

    def __repr__(self) -> str:
        rows = len(self.inertia)
        beside = f" ({rows - self.length} on side branches)" if self.side else ""
        return f"ArrayChain({rows} bodies{beside}, nq={self.nq}, nv={self.nv})"

    def with_gravity(self, gravity: Iterable[float]) -> ArrayChain:
        """The same chain under another gravity.

        >>> from sixvec import load
        >>> from sixvec.large_trees.constraint_force import ArrayChain
        >>> ArrayChain.from_model(load("panda")).with_gravity([0.0, 0.0, -1.62]).base_acceleration.tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.62]
        """
        plain = isinstance(gravity, Iterable) and not hasattr(gravity, "shape")
        g = as_array("gravity", [*gravity] if plain else gravity, self.inertia)
        require_shape("gravity", g, 3, batch=False, why="an acceleration in world axes")
        xp = array_namespace(self.inertia)
        # Gravity as an upward acceleration of the base (Featherstone (10), a₀ = -a_g).
        up = 0.0 - xp.asarray(g, dtype=self.inertia.dtype)
        return replace(self, base_acceleration=xp.concatenate([self.base_acceleration[:3] * 0.0, up], 0))

    def wrenches(self, at: Mapping[str, ArrayLike]) -> Array:
        """External wrenches (..., 6) at named frames as the array for the algorithms, (..., rows, 6).

        Each is (moment; force) at the frame's origin and in its axes.  Several on one body add.

        >>> from sixvec import load
        >>> from sixvec.large_trees.constraint_force import ArrayChain
        >>> chain = ArrayChain.from_model(load("panda"))
        >>> chain.wrenches({"panda_link8": [0.0, 0.0, 0.0, 0.0, 0.0, -5.0]}).shape
        (7, 6)
        """
        rows = {name: i for i, name in enumerate(self.names)}
        total = frame_wrenches(at, {f.name: f for f in self.frames}, rows, len(self.inertia), self)
        return array_namespace(self.inertia).asarray(total, dtype=self.inertia.dtype)

    def on(self, convert: Callable[[Array], Array]) -> ArrayChain:
        """The same chain with every array converted: `chain.on(cupy.asarray)`, `chain.on(jax.numpy.asarray)`."""
        moved: ArrayChain = _converted(self, convert)
        return moved

    def arrays(self) -> list[Array]:
        """All arrays of a chain on NumPy, in a fixed order: arguments for a compiler of another library.

        Inside the compiled function `chain.with_arrays` restores them; as constants they would be compiled in.
        """
        arrays: list[Array] = []
        self.on(lambda x: arrays.append(x))
        return arrays

    def with_arrays(self, arrays: Sequence[Array]) -> ArrayChain:
        """This chain, on NumPy, with its arrays replaced by others of the same order and meaning."""
        replacements = iter(arrays)
        return self.on(lambda _: next(replacements))


def require_chain(chain: Any, where: str) -> None:
    """Raise an error for anything that is not a chain.

    >>> require_chain("panda", "poses")
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: poses needs an ArrayChain, not 'panda'; make one: ArrayChain.from_model(robot)
    """
    if not isinstance(chain, ArrayChain):
        raise ArgumentError(f"{where} needs an ArrayChain, not {chain!r}; make one: ArrayChain.from_model(robot)")


def coordinates(chain: ArrayChain, **coordinates_by_name: Any) -> list[Array]:
    """q, v, a or tau (..., n) as arrays, in the library of the chain if they are plain sequences.

    >>> from sixvec import load
    >>> chain = ArrayChain.from_model(load("panda"))
    >>> [x.shape for x in coordinates(chain, q=[0.0] * 7)]
    [(7,)]
    >>> coordinates(chain, tau=[0.0] * 6)
    Traceback (most recent call last):
    sixvec.errors.ShapeError: tau has shape (6,), but (..., 7) is needed
    """
    arrays = {name: as_array(name, x, chain.inertia) for name, x in coordinates_by_name.items()}
    for name, x in arrays.items():
        require_shape(name, x, chain.nq if name == "q" else chain.nv)
    return list(arrays.values())


def wrenches_on(chain: ArrayChain, external: Any) -> Array | None:
    """`external` as an array (..., rows, 6), from a dictionary from frame to wrench or from such an array.

    >>> from sixvec import load
    >>> wrenches_on(ArrayChain.from_model(load("panda")), [0.0] * 6)
    Traceback (most recent call last):
    sixvec.errors.ShapeError: external has shape (6,), but (..., 7, 6) is needed: a wrench for each row of the chain
    """
    if external is None:
        return None
    if isinstance(external, Mapping):
        return chain.wrenches(external)
    wrenches = as_array("external", external, chain.inertia)
    require_shape("external", wrenches, len(chain.inertia), 6, why="a wrench for each row of the chain")
    return wrenches


def _coupled(follower: Body) -> str:
    """Why a mimic joint cannot be in a chain."""
    leader = follower.mimic.leader if follower.mimic else ""
    return (
        f'the joint "{follower.joint_name or follower.name}" mimics another, that of body "{leader}", and so ties '
        "distant bodies; the constraint force algorithm needs independent joints: use robot.forward_dynamics, which "
        "takes joints that mimic others and rotors that are bodies, or give rotors as armature"
    )


def _frame(f: Frame, stands: Stands) -> Frame:
    """A frame on the body with which its own body is merged."""
    carrier, X = stands[f.body]
    return f if carrier == f.body else Frame(f.name, carrier, X @ f.placement)


def _converted(value: Any, convert: Callable[[Array], Array]) -> Any:
    if isinstance(value, np.ndarray):
        return convert(value)
    if isinstance(value, tuple):
        return tuple(_converted(x, convert) for x in value)
    if isinstance(value, (ArrayChain, JointArrays, SideLevel)):
        return replace(value, **{f.name: _converted(getattr(value, f.name), convert) for f in fields(value)})
    return value
