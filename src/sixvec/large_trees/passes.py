"""The passes over a large tree: which arrays each step reads and writes."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from sixvec.compiler.sweep import Entries, Places, Sweep
from sixvec.errors import ModelError
from sixvec.large_trees import steps
from sixvec.large_trees.joint_kinds import KINDS, NV, Integers, Numbers
from sixvec.large_trees.large_tree import LargeTree


class Moving(NamedTuple):
    """The result of the first pass: X_PB of each body, and the net forces, whose row 0 is the world's."""

    X: Numbers
    F: Numbers


class Passes:
    """Sweeps over one tree, and the places of its bodies' entries."""

    def __init__(self, tree: LargeTree) -> None:
        self.tree, self.rows = tree, np.arange(len(tree))
        used = np.flatnonzero(np.bincount(tree.kinds, minlength=len(KINDS)))
        place = np.zeros(len(KINDS), np.int64)
        place[used] = np.arange(len(used))
        self._kinds, self._used = place[tree.kinds], used.tolist()
        self._nowhere = Places(np.zeros(len(tree), np.int64))
        self._positions = Places(tree.q_first)
        self._known: dict[tuple[str, int], Places] = {}

    def _sweep(self, step: steps.Step) -> Sweep:
        return Sweep([steps.kernel(step, k) for k in self._used], self._kinds)

    @cached_property
    def _forces(self) -> Sweep:
        return self._sweep(steps.forces)

    @cached_property
    def _joint_forces(self) -> Sweep:
        return self._sweep(steps.joint_forces)

    @cached_property
    def _articulated(self) -> Sweep:
        return self._sweep(steps.articulated)

    @cached_property
    def _accelerations(self) -> Sweep:
        return self._sweep(steps.accelerations)

    def net_forces(
        self, q: Numbers, v: Numbers | None, a: Numbers | None, wrench: Numbers | None, gravity: Numbers
    ) -> Moving:
        """Outward: poses, and the force on each body when the joints move with v and a; None stands for zero."""
        n = len(self.tree)
        X, A, F = np.empty((n, steps.POSE)), np.empty((n + 1, steps.FIELD)), np.zeros((n + 1, steps.FORCE))
        A[0] = [0.0] * 6 + [*-gravity]  # gravity is an upward acceleration of the world
        none = Entries(np.zeros(steps.FORCE), self._nowhere)
        inputs = self._parameters("placement", "inertia", "pitch") | {
            "q": Entries(q, self._positions),
            "v": none if v is None else self._joint(v),
            "a": none if a is None else self._joint(a),
            "wrench": none if wrench is None else self._own(wrench),
            "parent": self._parent(A),
        }
        self._forces.outward(inputs, {"X": self._own(X), "A": self._child(A), "F": self._child(F)})
        return Moving(X, F)

    def joint_forces(self, moving: Moving, a: Numbers | None) -> Numbers:
        """Inward: what the joints must give; `moving.F` becomes what each body passes on."""
        tau = np.empty(self.tree.nv)
        none = Entries(np.zeros(steps.FORCE), self._nowhere)
        inputs = self._parameters("pitch", "armature") | {
            "X": self._own(moving.X),
            "a": none if a is None else self._joint(a),
            "force": self._child(moving.F),
        }
        self._joint_forces.inward(inputs, {"tau": self._joint(tau)}, {"handed": self._parent(moving.F)})
        return tau

    def articulated(self, moving: Moving, tau: Numbers) -> tuple[Numbers, Numbers]:
        """Inward: the gain U D⁻¹ and the drive D⁻¹ (tau - Sᵀ p) of every joint."""
        tree = self.tree
        hanging = np.zeros((len(tree) + 1, steps.ARTICULATED))
        gain, drive = np.empty((tree.nv, steps.FORCE)), np.empty(tree.nv)
        inputs = self._parameters("inertia", "pitch", "armature") | {
            "X": self._own(moving.X),
            "tau": self._joint(tau),
            "hanging": self._child(hanging),
            "force": self._child(moving.F),
        }
        sums = {"handed_inertia": self._parent(hanging), "handed": self._parent(moving.F)}
        self._articulated.inward(inputs, {"gain": self._gain(gain), "drive": self._joint(drive)}, sums)
        return gain, drive

    def accelerations(self, moving: Moving, gain: Numbers, drive: Numbers) -> Numbers:
        """Outward: the accelerations of the joints, counted from the motion with a = 0."""
        a, A = np.empty(self.tree.nv), np.empty((len(self.tree) + 1, steps.MOTION))
        A[0] = 0.0
        inputs = self._parameters("pitch") | {
            "X": self._own(moving.X),
            "gain": self._gain(gain),
            "drive": self._joint(drive),
            "parent": self._parent(A),
        }
        self._accelerations.outward(inputs, {"a": self._joint(a), "A": self._child(A)})
        return a

    def require_mass(self, drive: Numbers) -> None:
        """Raise for the joint that moves no mass; infinities spread from it towards the root only."""
        entries = np.flatnonzero(~np.isfinite(drive))
        if entries.size:
            tree = self.tree
            body_of = np.repeat(np.argsort(tree.v_first), NV[tree.kinds[np.argsort(tree.v_first)]])
            raise ModelError(
                f"large tree: the joint of {tree.body_name(int(body_of[entries].max()))} moves no mass, so the mass "
                "matrix is singular; give the body an inertia or its joint an armature"
            )

    def _parameters(self, *names: str) -> dict[str, Entries]:
        tree = self.tree
        known = {
            "placement": self._own(tree.placements),
            "inertia": self._own(tree.inertias),
            "pitch": Entries(tree.pitches, self._places("own", 1)),
            "armature": self._joint(tree.armature),
        }
        return {name: known[name] for name in names}

    def _own(self, array: Numbers) -> Entries:
        return Entries(array, self._places("own", array.shape[1]))

    def _child(self, array: Numbers) -> Entries:
        """A body's row of an array that begins with the world's."""
        return Entries(array, self._places("child", array.shape[1]))

    def _parent(self, array: Numbers) -> Entries:
        return Entries(array, self._places("parent", array.shape[1]))

    def _joint(self, array: Numbers) -> Entries:
        return Entries(array, self._places("joint", 1))

    def _gain(self, array: Numbers) -> Entries:
        return Entries(array, self._places("joint", steps.FORCE))

    def _places(self, whose: str, width: int) -> Places:
        """Where rows of that width stand: a body's own, its own after the world's, its parent's, its joint's."""
        if (whose, width) not in self._known:
            rows: dict[str, Integers] = {
                "own": self.rows,
                "child": self.rows + 1,
                "parent": self.tree.parents + 1,
                "joint": self.tree.v_first,
            }
            self._known[whose, width] = Places(rows[whose] * width)
        return self._known[whose, width]
