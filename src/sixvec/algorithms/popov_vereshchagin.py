"""Constrained dynamics as one recursion over the tree, after Popov and Vereshchagin: no mass matrix, no Jacobian.

The inward pass of the articulated-body recursion also carries the rows of the constraints: K, the wrench on a body of a
unit force along a row, G, the accelerations of rows under each other's forces, and the remaining error of the rows.
Rows are solved at the body where their branches join and leave the recursion there, so the cost of a loop does not
depend on others.  The outward pass computes their forces and the accelerations of the joints.

Bruyninckx §6.7, in this library's signs:  G = -Z  is positive, and forces act on the robot.  Bruyninckx (6.40) to
(6.44) are corrected, and the sections on floating bases, base constraints and local loops, empty in the book, are
derived here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.constraint_wrenches import RowWrench
from sixvec.algorithms.parts.factorization import Factors
from sixvec.algorithms.parts.known_rank import ConstraintSystem, damping_of, rows_of_rank
from sixvec.algorithms.parts.proximal import Proximal
from sixvec.mechanism.row_rank import RowRank
from sixvec.model import WORLD, Body, Model
from sixvec.scalar import Scalar, is_zero
from sixvec.spatial import ArticulatedInertia, Force, Motion


@dataclass
class _Joint:
    """Data of a joint for the outward pass: the halves L⁻ᵀ x of its gains, of its free force and of its rows."""

    D: Factors
    U: list[Force]
    drive: list[Any]
    rows: dict[int, list[Any]]


@dataclass
class _Meeting:
    """The forces of rows that were solved at a body:  w - H · A - X force  of its motion and of rows further in."""

    rows: list[int]
    w: list[Any]
    H: list[Force]
    X: dict[int, list[Any]]


@dataclass
class ConstraintRecursion:
    """One robot at one state, relative to the motion in which `prescribed` coordinates accelerate and others do not.

    `p` are the forces on the bodies in that motion, `required` the change of the row accelerations.  With
    `weight` or `damping`, all rows are solved together, at the root.  `solve` sets accelerations and forces.
    Bruyninckx (6.40)-(6.44), (6.46)-(6.49).
    """

    model: Model
    q: JointVector
    p: dict[str | None, Force]
    tau: Sequence[Scalar]
    rows: Sequence[RowWrench]
    required: list[Any]
    prescribed: frozenset[int] = frozenset()
    weight: tuple[float, ...] | None = None
    damping: float = 0.0
    reach: tuple[Any, ...] = ()
    rank: RowRank = field(default_factory=lambda: RowRank.unknown(0))
    """The rank of the first rows; those behind them are independent."""
    a: list[Any] = field(default_factory=list)
    """Accelerations, zero at prescribed coordinates; they too are relative to the motion above."""
    force: list[Any] = field(default_factory=list)
    """Forces along the rows."""

    def solve(self) -> None:
        bodies = self.model.bodies
        together = self.weight is not None or self.damping != 0.0
        self._ends = [WORLD] * len(self.rows) if together else self._meeting_bodies()
        self.IA: dict[str | None, ArticulatedInertia] = {b.name: ArticulatedInertia.of(b.inertia) for b in bodies}
        self.K: dict[str | None, dict[int, Force]] = {b.name: {} for b in bodies} | {WORLD: {}}
        for r, row in enumerate(self.rows):
            for name, wrench in row.on.items():
                self.K[name][r] = wrench
        self.G: dict[tuple[int, int], Any] = {}
        self._joints: dict[str, _Joint] = {}
        self._meetings: dict[str | None, _Meeting] = {}
        self.A: dict[str | None, Motion] = {WORLD: Motion.zero()}
        self.a, self.force = [0.0] * self.model.nv, [0.0] * len(self.rows)
        for b in reversed(bodies):
            self._meet(b.name)
            self._inward(b)
        self._meet(WORLD)
        self._part(WORLD)
        for b in bodies:
            self._outward(b)
            self._part(b.name)

    def gained(self, rows: Sequence[RowWrench]) -> list[Any]:
        """The accelerations of these rows: as requested, where that is feasible."""
        gained: list[Any] = []
        for row in rows:
            x: Any = sum((self.A[name].dot(wrench) for name, wrench in row.on.items()), 0.0)
            gained.append(sum((self.a[i] * factor for i, factor in row.at.items()), x))
        return gained

    def prescribed_forces(self) -> dict[int, Any]:
        """The joint forces at prescribed coordinates, rotors aside."""
        forces: dict[int, Any] = {}
        for b in self.model.moving:
            at = range(self.model.nv)[self.model.v_slices[b.name]]
            if self.prescribed & {*at}:
                f = self.IA[b.name] @ self.A[b.name] + self.p[b.name]
                for r, K in self.K[b.name].items():
                    f = f - K * self.force[r]
                for i, S in zip(at, b.subspace(self.q), strict=True):
                    direct = [self.force[r] * row.at[i] for r, row in enumerate(self.rows) if i in row.at]
                    forces[i] = S.dot(f) - sum(direct, 0.0)
        return {i: x for i, x in forces.items() if i in self.prescribed}

    def _inward(self, b: Body) -> None:
        """The articulated-body step, and with it the rows: Bruyninckx (6.40)-(6.42)."""
        at = [i for i in range(self.model.nv)[self.model.v_slices[b.name]] if i not in self.prescribed]
        S, IA, p, K = self._driven(b), self.IA[b.name], self.p[b.name], self.K[b.name]
        U = [IA @ s for s in S]
        rotors = dict(zip(range(self.model.nv)[self.model.v_slices[b.name]], b.armature, strict=True))
        D = Factors(
            [[s.dot(u) + (rotors[i] if i == j else 0.0) for j, u in zip(at, U, strict=True)]
             for i, s in zip(at, S, strict=True)],
            range(len(S)),
        )  # fmt: skip
        halves = [Force.of(six) for six in zip(*(D.half(x) for x in zip(*U, strict=True)), strict=True)]
        drive = D.half([self.tau[i] - s.dot(p) for i, s in zip(at, S, strict=True)])
        felt: dict[int, list[Any]] = {}
        for r in self._open(b, at):
            terms = [(s.dot(K[r]) if r in K else 0.0) + self.rows[r].at.get(i, 0.0) for i, s in zip(at, S, strict=True)]
            if not all(map(is_zero, terms)):
                felt[r] = D.half(terms)
        self._joints[b.name] = _Joint(D, halves, drive, felt)
        for r, y in felt.items():
            self.required[r] = self.required[r] - D.weighted(y, drive)
            for s, z in felt.items():
                if s <= r:
                    self.G[r, s] = self.G.get((r, s), 0.0) + D.weighted(y, z)
        if b.parent is WORLD:
            return
        X_PB = b.pose_in_parent(self.q)
        for u, d, f in zip(halves, D.scaled([1.0] * len(S)), D.scaled(drive), strict=True):
            IA, p = IA - ArticulatedInertia.dyad(u, u * d), p + u * f
        self.IA[b.parent] = self.IA[b.parent] + X_PB @ IA
        self.p[b.parent] = self.p[b.parent] + X_PB @ p
        for r in {**K, **felt}:
            unit_force = K.get(r, Force.zero())
            for u, x in zip(halves, D.scaled(felt[r]) if r in felt else [], strict=False):
                unit_force = unit_force - u * x
            moved, there = X_PB @ unit_force, self.K[b.parent].get(r)
            self.K[b.parent][r] = moved if there is None else there + moved

    def _meet(self, name: str | None) -> None:
        """Solve the rows that join at a body; they become inertia and force of the body (Bruyninckx (6.43), §6.7.6)."""
        rows = [r for r, end in enumerate(self._ends) if end == name]
        if not rows:
            return
        G = self._system([[self._G(r, s) for s in rows[: i + 1]] for i, r in enumerate(rows)], rows)
        w = G.solution([self.required[r] for r in rows])
        if name is WORLD:
            self._meetings[WORLD] = _Meeting(rows, w, [Force.zero()] * len(rows), {})
            return
        unit_forces = [self.K[name].pop(r, Force.zero()) for r in rows]
        H = [Force.of(six) for six in zip(*(G.solution(x) for x in zip(*unit_forces, strict=True)), strict=True)]
        solved = {*rows}
        others = sorted({s for pair in self.G for s in pair if solved & {*pair}} - solved)
        X = {o: G.solution([self._G(r, o) for r in rows]) for o in others}
        for K, h, x in zip(unit_forces, H, w, strict=True):
            self.IA[name] = self.IA[name] + ArticulatedInertia.dyad(K, h)
            self.p[name] = self.p[name] - K * x
        for o in others:
            for r, h, x in zip(rows, H, w, strict=True):
                g = self._G(r, o)
                self.required[o] = self.required[o] - g * x
                self.K[name][o] = self.K[name].get(o, Force.zero()) - h * g
                for s in others:
                    if s <= o:
                        self.G[o, s] = self._G(o, s) - g * X[s][rows.index(r)]
        self.G = {pair: g for pair, g in self.G.items() if not solved & {*pair}}
        self._meetings[name] = _Meeting(rows, w, H, X)

    def _meeting_bodies(self) -> list[str | None]:
        """Where each row is solved: rows of a group are solved together, and with joints that follow others."""
        bodies = [r.meets for r in self.rows]
        followers = range(len(self.rank.used), len(self.rows))
        for group, _ in self.rank.places:
            together = {*group, *followers}
            paths = [self.model.path(bodies[k]) for k in together]
            shared = [a for a, *others in zip(*paths, strict=False) if all(a is b for b in others)]
            for k in together:
                bodies[k] = shared[-1].name if shared else WORLD
        return bodies

    def _system(self, G: list[list[Any]], rows: list[int]) -> ConstraintSystem | Proximal:
        """The equations of rows that meet at a body."""
        if self.weight is not None or self.damping != 0.0:
            return Proximal(G, None if self.weight is None else [self.weight[r] for r in rows], self.damping)
        groups = [([rows.index(k) for k in group], rank) for group, rank in self.rank.places if group[0] in rows]
        return ConstraintSystem(G, groups, *rows_of_rank(self.rank, rows), self.reach, damping=damping_of(self.rank))

    def _part(self, name: str | None) -> None:
        """The forces of the rows that join at a body, from its acceleration."""
        if name not in self._meetings:
            return
        m = self._meetings[name]
        for k, (r, x, h) in enumerate(zip(m.rows, m.w, m.H, strict=True)):
            x = x - self.A[name].dot(h)
            for o, column in m.X.items():
                x = x - column[k] * self.force[o]
            self.force[r] = x

    def _outward(self, b: Body) -> None:
        """a = D⁻¹ (tau - Sᵀ p - Uᵀ A_P + Σ rows force)  and  A = A_P + S a: Bruyninckx (6.44)."""
        joint, A = self._joints[b.name], b.pose_in_parent(self.q).inv() @ self.A[b.parent]
        pushed = [x - A.dot(u) for x, u in zip(joint.drive, joint.U, strict=True)]
        for r, y in joint.rows.items():
            pushed = [x + z * self.force[r] for x, z in zip(pushed, y, strict=True)]
        accelerations = joint.D.rest(pushed)
        at = [i for i in range(self.model.nv)[self.model.v_slices[b.name]] if i not in self.prescribed]
        for i, s, x in zip(at, self._driven(b), accelerations, strict=True):
            self.a[i], A = x, A + s * x
        self.A[b.name] = A

    def _driven(self, b: Body) -> list[Motion]:
        """The directions in which a joint is free."""
        at = range(self.model.nv)[self.model.v_slices[b.name]]
        return [s for i, s in zip(at, b.subspace(self.q), strict=True) if i not in self.prescribed]

    def _open(self, b: Body, at: Sequence[int]) -> list[int]:
        """The rows that load a joint: through its body, or directly at its coordinates."""
        direct = {r for r, row in enumerate(self.rows) if any(i in row.at for i in at)}
        return sorted({*self.K[b.name], *direct})

    def _G(self, r: int, s: int) -> Any:
        return self.G.get((max(r, s), min(r, s)), 0.0)
