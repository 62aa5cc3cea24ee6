"""The passes over a large tree: their sweeps, and the locations of each body's entries in their arrays."""

from __future__ import annotations

from functools import partial

import numpy as np

from sixvec.algorithms.parts.rotor_forces import brackets
from sixvec.compiler.sweep import Entries, Places, Sweep
from sixvec.errors import ModelError
from sixvec.kernels import Port
from sixvec.large_trees import steps
from sixvec.large_trees.evaluation import Evaluation
from sixvec.large_trees.joint_kinds import KINDS, NV, Integers, Numbers
from sixvec.large_trees.large_tree import LargeTree
from sixvec.lazy import lazy

MOST_BODIES_KEPT = 2000
"""Trees up to this size keep the arrays of an evaluation, 1 MB, for the next call.  Larger ones spend their time in the
passes, and would keep the memory without benefit."""


class Passes:
    """Sweeps over one tree, the locations of its bodies' entries, and the arrays of finished evaluations."""

    def __init__(self, tree: LargeTree) -> None:
        self.tree, self.rows = tree, np.arange(len(tree))
        self.ports = {name: Port(name, (tree.nv,)) for name in ("v", "a", "tau", "x")}
        self.ports |= {"q": Port("q", (tree.nq,)), "external": Port("external", (len(tree.link_rows), steps.FORCE))}
        used = np.flatnonzero(np.bincount(tree.kinds, minlength=len(KINDS)))
        place = np.zeros(len(KINDS), np.int64)
        place[used] = np.arange(len(used))
        self._kinds, self._used = place[tree.kinds], used.tolist()
        self._nowhere = Places(np.zeros(len(tree), np.int64))
        self._known: dict[tuple[str, int], Places] = {}
        self._idle: list[Evaluation] = []
        places = ("own", "child", "parent", "joint", "position")
        self.own, self.child, self.parent, self.joint, self.position = (partial(self._entries, x) for x in places)
        self._sweeps: dict[steps.Step, Sweep] = {}

    @lazy
    def _link_frames(self) -> tuple[Numbers, Numbers] | None:
        """Rᵀ and the position of each link's frame in the body of its row; None where they are the same frames."""
        X = self.tree.link_placements
        R_transposed, p = np.ascontiguousarray(X[:, :9].reshape(-1, 3, 3).transpose(0, 2, 1)), X[:, 9:]
        return None if (R_transposed == np.eye(3)).all() and not p.any() else (R_transposed, p)

    def on_rows(self, wrench: Numbers, out: Numbers) -> None:
        """Wrenches on links, in their own frames, as wrenches on rows; rows without a link are unchanged."""
        if self._link_frames is not None:
            R_transposed, p = self._link_frames
            with np.errstate(invalid="ignore"):  # an infinite wrench may become NaN
                turned = wrench.reshape(-1, 2, 3) @ R_transposed
                turned[:, 0] += np.cross(p, turned[:, 1])
            wrench = turned.reshape(-1, 6)
        out[self.tree.link_rows] = wrench

    @lazy
    def _rotor_terms(self) -> tuple[Integers, Integers, Integers, Numbers]:
        """(i, j, k, A_k [e_i, e_j]_k) of all rotors in joints whose axes turn with the body."""
        rows = [np.zeros((4, 0))]
        for kind in self._used:
            first = self.tree.v_first[self.tree.kinds == kind]
            for i, j, k, x in brackets(KINDS[kind].joint(0.0)):
                rows.append(np.array([first + i, first + j, first + k, x * self.tree.armature[first + k]]))
        terms = np.concatenate(rows, axis=1)
        terms = terms[:, terms[3] != 0.0]
        i, j, k = terms[:3].astype(np.int64)
        return i, j, k, terms[3]

    def rotor_bias(self, v: Numbers) -> Numbers:
        """C v of `algorithms/parts/rotor_forces.py`: forces of rotors on ball and free joints besides  A v̇."""
        i, j, k, x = self._rotor_terms
        total = np.zeros(self.tree.nv)
        if x.size:
            with np.errstate(invalid="ignore"):  # an infinite velocity may become NaN
                np.add.at(total, i, x * v[k] * v[j])
        return total

    def sweep(self, step: steps.Step) -> Sweep:
        """A step over the whole tree, made when first needed."""
        if step not in self._sweeps:
            self._sweeps[step] = Sweep([steps.kernel(step, k) for k in self._used], self._kinds)
        return self._sweeps[step]

    def evaluation(self) -> Evaluation:
        """Arrays that no other call uses; `give_back` returns them for reuse."""
        try:
            return self._idle.pop()
        except IndexError:
            return Evaluation(self)

    def give_back(self, evaluation: Evaluation) -> None:
        if len(self.tree) <= MOST_BODIES_KEPT:
            self._idle.append(evaluation)

    def require_mass(self, drive: Numbers) -> None:
        """Raise for the joint that moves no mass; infinities propagate from it only towards the root."""
        entries = np.flatnonzero(~np.isfinite(drive))
        if entries.size:
            tree = self.tree
            body_of = np.repeat(np.argsort(tree.v_first), NV[tree.kinds[np.argsort(tree.v_first)]])
            raise ModelError(
                f"large tree: the joint of {tree.body_name(int(body_of[entries].max()))} moves no mass, so the mass "
                "matrix is singular; give the body an inertia or its joint an armature"
            )

    def parameters(self, *names: str) -> dict[str, Entries]:
        tree = self.tree
        known = {"placement": tree.placements, "inertia": tree.inertias, "pitch": tree.pitches}
        arrays = {name: self.own(array) for name, array in known.items()} | {"armature": self.joint(tree.armature)}
        return {name: arrays[name] for name in names}

    def none(self) -> Entries:
        """Zeros for every body: the default of an input that is not given."""
        return Entries(np.zeros(steps.FORCE), self._nowhere)

    def _entries(self, whose: str, array: Numbers) -> Entries:
        """Rows of an array: each body's own, its own after the world's, its parent's, those of its joint in v and q."""
        width = array.shape[1] if array.ndim > 1 else 1
        if (whose, width) not in self._known:
            rows: dict[str, Integers] = {
                "own": self.rows,
                "child": self.rows + 1,
                "parent": self.tree.parents + 1,
                "joint": self.tree.v_first,
                "position": self.tree.q_first,
            }
            self._known[whose, width] = Places(rows[whose] * width)
        return Entries(array, self._known[whose, width])
