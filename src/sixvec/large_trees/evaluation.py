"""One evaluation of a large tree: the arrays that the passes read and write, and the passes over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sixvec.compiler.sweep import Prepared
from sixvec.large_trees import steps
from sixvec.large_trees.joint_kinds import Numbers
from sixvec.lazy import lazy

if TYPE_CHECKING:
    from sixvec.large_trees.passes import Passes

_LINEAR = slice(steps.FIELD - 3, steps.FIELD)


class Evaluation:
    """Arrays for one state of a tree, and the passes, each prepared when first run.

    The arrays are never reallocated, so a pass is checked once and then costs only its machine code: states are copied
    in and results out.  Row 0 of arrays with one row more than the tree has bodies is the world's.
    """

    def __init__(self, passes: Passes) -> None:
        n, nv = len(passes.tree), passes.tree.nv
        self._passes = passes
        self._q, self._v, self._a, self._tau = np.empty(passes.tree.nq), np.empty(nv), np.empty(nv), np.empty(nv)
        self._X, self._A, self._F = np.empty((n, steps.POSE)), np.empty((n + 1, steps.FIELD)), np.zeros((n + 1, 6))
        self._A[0] = 0.0
        self._forces: dict[tuple[bool, bool, bool], Prepared] = {}

    def net_forces(
        self, q: Numbers, v: Numbers | None, a: Numbers | None, wrench: Numbers | None, gravity: Numbers
    ) -> None:
        """Outward: poses, and the force on each body when the joints move with v and a; None means zero."""
        self._q[:] = q
        if v is not None:
            self._v[:] = v
        self._a[:] = 0.0 if a is None else a
        if wrench is not None:
            self._passes.on_rows(wrench, self._wrench)
        self._A[0, _LINEAR] = -gravity  # gravity is an upward acceleration of the world
        self._F[0] = 0.0
        present = (v is not None, a is not None, wrench is not None)
        if present not in self._forces:
            self._forces[present] = self._prepared_forces(*present)
        self._forces[present]()

    def joint_forces(self) -> Numbers:
        """Inward: the joint forces for the accelerations of `net_forces`, valid until the next pass."""
        self._joint_forces()
        return self._tau

    def articulated(self, tau: Numbers) -> Numbers:
        """Inward: the gain U D⁻¹ and the drive D⁻¹ (tau - Sᵀ p) of every joint; returns the latter."""
        self._tau[:] = tau
        self._hanging[:] = 0.0
        self._articulated()
        return self._drive

    def accelerations(self) -> Numbers:
        """Outward: the accelerations of the joints, relative to the motion with a = 0, valid until the next pass."""
        self._accelerations()
        return self._a

    def _prepared_forces(self, v: bool, a: bool, wrench: bool) -> Prepared:
        at, none = self._passes, self._passes.none()
        inputs = at.parameters("placement", "inertia", "pitch") | {
            "q": at.position(self._q),
            "v": at.joint(self._v) if v else none,
            "a": at.joint(self._a) if a else none,
            "wrench": at.own(self._wrench) if wrench else none,
            "parent": at.parent(self._A),
        }
        outputs = {"X": at.own(self._X), "A": at.child(self._A), "F": at.child(self._F)}
        return at.sweep(steps.forces).outward(inputs, outputs)

    @lazy
    def _joint_forces(self) -> Prepared:
        at = self._passes
        inputs = at.parameters("pitch", "armature") | {
            "X": at.own(self._X),
            "a": at.joint(self._a),
            "force": at.child(self._F),
        }
        sums = {"handed": at.parent(self._F)}
        return at.sweep(steps.joint_forces).inward(inputs, {"tau": at.joint(self._tau)}, sums)

    @lazy
    def _articulated(self) -> Prepared:
        at = self._passes
        inputs = at.parameters("inertia", "pitch", "armature") | {
            "X": at.own(self._X),
            "tau": at.joint(self._tau),
            "hanging": at.child(self._hanging),
            "force": at.child(self._F),
        }
        outputs = {"gain": at.joint(self._gain), "drive": at.joint(self._drive)}
        sums = {"handed_inertia": at.parent(self._hanging), "handed": at.parent(self._F)}
        return at.sweep(steps.articulated).inward(inputs, outputs, sums)

    @lazy
    def _accelerations(self) -> Prepared:
        at = self._passes
        relative = np.zeros((len(at.tree) + 1, steps.MOTION))  # of the world: 0
        inputs = at.parameters("pitch") | {
            "X": at.own(self._X),
            "gain": at.joint(self._gain),
            "drive": at.joint(self._drive),
            "parent": at.parent(relative),
        }
        outputs = {"a": at.joint(self._a), "A": at.child(relative)}
        return at.sweep(steps.accelerations).outward(inputs, outputs)

    @lazy
    def _wrench(self) -> Numbers:
        """On rows; those without a link stay zero."""
        return np.zeros((len(self._passes.tree), steps.FORCE))

    @lazy
    def _hanging(self) -> Numbers:
        """Articulated inertias of the children of each body."""
        return np.empty((len(self._passes.tree) + 1, steps.ARTICULATED))

    @lazy
    def _gain(self) -> Numbers:
        return np.empty((self._passes.tree.nv, steps.FORCE))

    @lazy
    def _drive(self) -> Numbers:
        return np.empty(self._passes.tree.nv)
