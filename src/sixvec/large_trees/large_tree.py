"""A tree of any number of bodies as flat arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import require_shape
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.large_trees.frame_wrenches import frame_wrenches
from sixvec.large_trees.joint_kinds import KIND_NAMES, NQ, NV, Integers, Numbers
from sixvec.large_trees.rows import rows_of_links, rows_of_model
from sixvec.lazy import lazy
from sixvec.model import Body, Frame, Model
from sixvec.model.model import STANDARD_GRAVITY
from sixvec.model.require import require_model
from sixvec.spatial import Vec3
from sixvec.tolerances import EQUAL

if TYPE_CHECKING:
    from sixvec.large_trees.passes import Passes
    from sixvec.robot import Robot


@dataclass(frozen=True, eq=False)
class LargeTree:
    """A rigid-body tree with a row per body: Featherstone's model data (λ, X_T, joint, I) as arrays.

    Every joint is one of `KINDS` and has its axis on +z of the joint frame; `from_model` converts any tree to that form
    and `chain` makes uniform chains directly.  Rows that are copies of each other cost only their memory, 41 numbers
    per body.  All arrays are copied and read-only; they are float64, and so are results, unless every input array is
    float32.

    A joint of several freedoms uses several rows, of which the last carries its link.  External wrenches are counted
    by *links*, not by rows, and are in the links' own axes, before the joint axes were turned to +z.

    >>> from sixvec import load
    >>> from sixvec.large_trees import LargeTree
    >>> LargeTree.from_model(load("panda").model)
    LargeTree(7 bodies, nq=7, nv=7)
    """

    parents: Integers
    """(n) The row of each body's parent, which precedes it; -1 is the world."""
    kinds: Integers
    """(n) Indices of the table `KINDS`."""
    placements: Numbers
    """(n, 12) The joint frame in the parent: the rotation matrix by rows, then the position."""
    inertias: Numbers
    """(n, 10) Mass, first moment, and xx xy xz yy yz zz of the rotational inertia, all about the body's origin."""
    pitches: Numbers = field(default_factory=lambda: np.zeros(0))
    """(n) Metres per radian of helical joints; empty for none."""
    armature: Numbers = field(default_factory=lambda: np.zeros(0))
    """(nv) Reflected rotor inertia of each velocity coordinate; empty for none."""
    joint_terms: Numbers = field(default_factory=lambda: np.zeros((0, 3)))
    """(nv, 3) Damping, Coulomb friction and stiffness of each velocity coordinate; empty for none."""
    rest: Numbers = field(default_factory=lambda: np.zeros(0))
    """(nq) The positions at which springs are at rest; empty for the neutral one."""
    q_first: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    """(n) Where each joint's position begins in q; empty for the order of the rows."""
    v_first: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    """(n) Where each joint's velocity begins in v, a and tau; empty for the order of the rows."""
    gravity: Numbers = field(default_factory=lambda: np.array([*STANDARD_GRAVITY]))
    names: tuple[str, ...] = ()
    """Names of the bodies; empty for none."""
    frames: tuple[Frame, ...] = field(default=(), repr=False)
    """Named frames where external wrenches may act, each on a link and relative to its own frame; see `wrenches`."""
    link_rows: Integers = field(default_factory=lambda: np.zeros(0, np.int64))
    """(m) The row that carries each link; empty where every row is a link."""
    link_placements: Numbers = field(default_factory=lambda: np.zeros((0, 12)))
    """(m, 12) Each link's own frame in the body of its row, as in `placements`; empty where they are the same."""

    def __post_init__(self) -> None:
        n = len(self.parents)
        for name in ("parents", "kinds", "q_first", "v_first", "link_rows"):
            self._set(name, np.array(getattr(self, name), np.int64))
        self._require_kinds(n)
        empty = {
            "pitches": np.zeros(n), "armature": np.zeros(self.nv), "joint_terms": np.zeros((self.nv, 3)),
            "q_first": _starts(NQ[self.kinds]), "v_first": _starts(NV[self.kinds]),
            "link_rows": np.arange(n), "link_placements": np.tile(_IDENTITY, (self.link_rows.size or n, 1)),
        }  # fmt: skip
        for name, value in empty.items():
            if not np.size(getattr(self, name)):
                self._set(name, value)
        if not np.size(self.rest):
            self._set("rest", self.neutral())
        for name, shape in self._shapes(n).items():
            value = np.array(getattr(self, name), np.float64 if name in _REAL else np.int64)
            require_shape(f"large tree: {name}", value, *shape, batch=False)
            self._set(name, value)
        for f in fields(self):
            if isinstance(getattr(self, f.name), np.ndarray):
                getattr(self, f.name).setflags(write=False)
        self._require_tree()
        self._require_links()
        self._require_parameters()

    def __reduce__(self) -> Any:
        """Values derived from the fields are recomputed after unpickling."""
        return partial(LargeTree, **{f.name: getattr(self, f.name) for f in fields(self)}), ()

    @classmethod
    def from_model(cls, model: Model | Robot) -> LargeTree:
        """The canonical form of any tree: fixed joints merged, joints of several freedoms split, axes on +z.

        q and v keep their order and meaning.  Links, for external wrenches, are the bodies that have a joint with a
        freedom, in the order of the model; `link_names` lists them.  It costs about 0.2 ms per body, most of it in
        `model.canonical`.  Damping, friction and springs of the joints are kept (`sixvec.large_trees.passive_forces`);
        friction laws and springs between frames (`model.passive`) raise an error.
        """
        return cls(**rows_of_model(require_model(model, "LargeTree.from_model")))

    @classmethod
    def from_links(
        cls, links: Sequence[Body], pick: ArrayLike, parents: ArrayLike, gravity: Vec3 = STANDARD_GRAVITY
    ) -> LargeTree:
        """A tree of copies: body i is a copy of `links[pick[i]]` on body `parents[i]` (-1 for the world).

        The parents that the links themselves name are ignored.  A joint that splits into simple ones takes several
        rows, and rows are counted after the split; `pick`, `parents` and external wrenches count links before it.

        >>> from sixvec.large_trees import LargeTree
        >>> from sixvec.model import Body
        >>> from sixvec.model.joints import Universal
        >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
        >>> ball = RigidInertia(1.0, Vec3(0.0, 0.0, 0.5), Sym3.diagonal(0.3, 0.3, 0.1))
        >>> LargeTree.from_links([Body("arm", joint=Universal(), inertia=ball)], [0, 0, 0], [-1, 0, 0])
        LargeTree(6 bodies, nq=6, nv=6)
        """
        return cls(**rows_of_links(links, np.array(pick, np.int64), np.array(parents, np.int64), gravity))

    @classmethod
    def chain(cls, count: int, links: Sequence[Body], gravity: Vec3 = STANDARD_GRAVITY) -> LargeTree:
        """An unbranched chain of `count` bodies that repeats `links` cyclically, each attached to the one before.

        >>> from sixvec.large_trees import LargeTree
        >>> from sixvec.model import Body
        >>> from sixvec.model.joints import Revolute
        >>> from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
        >>> rod = RigidInertia.from_center_of_mass(1.0, Vec3(0.5, 0.0, 0.0), Sym3.diagonal(0.01, 0.09, 0.09))
        >>> link = Body("link", joint=Revolute(), placement=Pose.translation(Vec3(1.0, 0.0, 0.0)), inertia=rod)
        >>> LargeTree.chain(100_000, [link])
        LargeTree(100000 bodies, nq=100000, nv=100000)
        """
        if not isinstance(count, Integral):
            raise ArgumentError(f"a chain of {count!r} bodies; count must be a whole number")
        pick = np.arange(max(0, int(count)), dtype=np.int64)
        return cls(**rows_of_links(links, pick % max(1, len(links)), pick - 1, gravity))

    def __len__(self) -> int:
        return len(self.parents)

    def __repr__(self) -> str:
        return f"LargeTree({len(self)} bodies, nq={self.nq}, nv={self.nv})"

    @lazy
    def nq(self) -> int:
        return int(NQ[self.kinds].sum())

    @lazy
    def nv(self) -> int:
        return int(NV[self.kinds].sum())

    @lazy
    def passes(self) -> Passes:
        """The sweeps over this tree, made when first needed."""
        from sixvec.large_trees.passes import Passes  # it imports this file

        return Passes(self)

    def with_gravity(self, gravity: Sequence[float]) -> LargeTree:
        """The same tree under another gravity."""
        return replace(self, gravity=np.array([*gravity], float))

    def neutral(self) -> Numbers:
        """The position in which every joint frame of a body coincides with that of its parent.

        >>> from sixvec import Model
        >>> from sixvec.large_trees import LargeTree
        >>> from sixvec.model import Body
        >>> from sixvec.model.joints import Spherical
        >>> LargeTree.from_model(Model("ball", (Body("ball", joint=Spherical()),))).neutral().tolist()
        [0.0, 0.0, 0.0, 1.0]
        """
        q = np.zeros(self.nq)
        for name in ("spherical", "free"):  # quaternions end with their real part
            kind = KIND_NAMES.index(name)
            q[self.q_first[self.kinds == kind] + NQ[kind] - 1] = 1.0
        return q

    def wrenches(self, at: Mapping[str, ArrayLike]) -> Numbers:
        """External wrenches (..., 6) at named frames as the array for the algorithms, (..., links, 6).

        Each is (moment; force) at the frame's origin and in its axes.  Several on one link add.

        >>> from sixvec import load
        >>> from sixvec.large_trees import LargeTree
        >>> panda = LargeTree.from_model(load("panda").model)
        >>> panda.wrenches({"panda_link8": [0.0, 0.0, 0.0, 0.0, 0.0, -5.0]}).shape
        (7, 6)
        """
        links = {name: i for i, name in enumerate(self.link_names)}
        return frame_wrenches(at, {f.name: f for f in self.frames}, links, len(self.link_rows), self)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, in the order of external wrenches; empty for trees without names.

        >>> from sixvec import load
        >>> from sixvec.large_trees import LargeTree
        >>> LargeTree.from_model(load("planar_2r").model).link_names
        ('link1', 'link2')
        """
        return tuple(self.names[row] for row in self.link_rows) if self.names else ()

    def body_name(self, row: int) -> str:
        """The name of a body in errors."""
        return f'body "{self.names[row]}"' if self.names else f"body {row}"

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _shapes(self, n: int) -> dict[str, tuple[int, ...]]:
        rows: dict[str, tuple[int, ...]] = dict.fromkeys(("parents", "kinds", "pitches", "q_first", "v_first"), (n,))
        links = self.link_rows.size
        return rows | {
            "placements": (n, 12), "inertias": (n, 10), "armature": (self.nv,), "gravity": (3,),
            "joint_terms": (self.nv, 3), "rest": (self.nq,),
            "link_rows": (links,), "link_placements": (links, 12),
        }  # fmt: skip

    def _require_kinds(self, n: int) -> None:
        if not n or self.kinds.shape != (n,):
            raise ShapeError(f"large tree: {n} parents and {self.kinds.size} kinds; there must be one each per body")
        if self.names and len(self.names) != n:
            raise ShapeError(f"large tree: {len(self.names)} names for {n} bodies")
        self._require_none(
            (self.kinds < 0) | (self.kinds >= len(KIND_NAMES)),
            lambda i: (
                f"has joint kind {self.kinds[i]}; kinds: {', '.join(f'{k} {x}' for k, x in enumerate(KIND_NAMES))}"
            ),
        )

    def _require_tree(self) -> None:
        rows = np.arange(len(self))
        self._require_none(
            (self.parents < -1) | (self.parents >= rows),
            lambda i: f"(row {i}) has parent {self.parents[i]}; parents come before their children, from -1 to {i - 1}",
        )
        for first, sizes, what in ((self.q_first, NQ, "q"), (self.v_first, NV, "v")):
            order = np.argsort(first, kind="stable")
            wrong = np.zeros(len(self), bool)
            wrong[order] = first[order] != _starts(sizes[self.kinds[order]])
            self._require_none(
                wrong,
                lambda i, first=first, what=what: (
                    f"begins at {first[i]} in {what}, which leaves a gap or is shared; each entry belongs to one joint"
                ),
            )

    def _require_links(self) -> None:
        rows = self.link_rows
        if rows.min() < 0 or rows.max() >= len(self) or np.bincount(rows).max() > 1:
            raise ModelError(f"large tree: link_rows are rows of bodies, 0 to {len(self) - 1}, each at most once")
        R = self.link_placements[:, :9].reshape(-1, 3, 3)
        wrong = ~np.isfinite(self.link_placements).all(axis=1) | ~_are_rotations(R)
        if wrong.any():
            link = int(np.argmax(wrong))
            raise ModelError(f"large tree: link {link} has a link_placement that is not a pose: {R[link].tolist()}")
        links = {*self.link_names}
        for f in self.frames:
            if f.body is not None and f.body not in links:
                raise ModelError(f'large tree: frame "{f.name}" is on "{f.body}", which is not a link')

    def _require_parameters(self) -> None:
        for name in ("placements", "inertias", "pitches"):
            finite = np.isfinite(getattr(self, name)).reshape(len(self), -1).all(axis=1)
            self._require_none(
                ~finite, lambda i, name=name: f"has {name} that are not finite: {getattr(self, name)[i]}"
            )
        for name in ("armature", "gravity", "joint_terms", "rest"):
            if not np.isfinite(getattr(self, name)).all():
                raise ModelError(f"large tree: {name} is not finite")
        R = self.placements[:, :9].reshape(-1, 3, 3)
        self._require_none(~_are_rotations(R), lambda i: f"has a placement that is not a rotation: {R[i].tolist()}")
        mass = self.inertias[:, 0]
        self._require_none(
            mass < 0.0, lambda i: f"has the mass {mass[i]}; masses are positive, or 0 for massless bodies"
        )

    def _require_none(self, wrong: NDArray[np.bool_], why: Any) -> None:
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ModelError(f"large tree: {self.body_name(row)} {why(row)}")


_REAL = ("placements", "inertias", "pitches", "armature", "joint_terms", "rest", "gravity", "link_placements")
_IDENTITY = np.array([*np.eye(3).ravel(), 0.0, 0.0, 0.0])


def _starts(sizes: Integers) -> Integers:
    starts: Integers = np.cumsum(sizes) - sizes
    return starts


def _are_rotations(R: Numbers) -> NDArray[np.bool_]:
    skewed = np.abs(R.transpose(0, 2, 1) @ R - np.eye(3)).max(axis=(1, 2)) > EQUAL
    mirrored = (np.cross(R[:, 0], R[:, 1]) * R[:, 2]).sum(axis=1) < 0.0
    return np.asarray(~(skewed | mirrored))
