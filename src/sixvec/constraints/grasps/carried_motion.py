"""The equations of arms that carry an object, on scalars: sweeps along each arm, one small system between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixvec.algorithms.acceleration import acceleration
from sixvec.algorithms.forward_dynamics import forward_dynamics
from sixvec.algorithms.operational_space_inertia_inverse import operational_space_inertia_inverse
from sixvec.algorithms.parts.factorization import Inverse
from sixvec.algorithms.parts.proximal import proximal_solution
from sixvec.algorithms.pose import pose
from sixvec.algorithms.velocity import velocity
from sixvec.constraints.grasps.grasp import Grasp
from sixvec.model import Model
from sixvec.scalar import Scalar, where
from sixvec.spatial import Force, Motion, Pose, RigidInertia, Vec3
from sixvec.spatial.linear import dot
from sixvec.spatial.norm import larger_or_nan

Rows = list[list[Scalar]]


@dataclass(frozen=True)
class Hand:
    """The canonical model of an arm, its frame that holds the object, and the grasp."""

    model: Model
    frame: str
    grasp: Grasp
    base: Pose


def carried_motion(
    hands: Sequence[Hand],
    load: RigidInertia,
    gravity: Vec3,
    q: Sequence[Any],
    v: Sequence[Any],
    tau: Sequence[Any],
    X: Any,
    twist: Any,
    method: str,
) -> list[Any]:
    """Accelerations of all joints and of the object, forces of the grasps, and the residual of their rows.

    With B = Wᵀ X_KC the rows of a grasp relative to the object, λ its forces on the object, Ω the mobility of its hand
    and d = Wᵀ (A_free - V_C × V_rel) the acceleration of the hand without the object,

        Wᵀ Ω W λ + B A_C = d         the hand moves with the object along the rows of the grasp
        I A_C - Σ Bᵀ λ = h           the object satisfies Newton and Euler; h is gravity less V ×* I V
    """
    X_WC, V_C = Pose.from_matrix(X), Motion.of(twist)
    arms = [_Held.of(*each, X_WC, V_C) for each in zip(hands, q, v, tau, strict=True)]
    weight = X_WC.rot.inv() @ gravity
    h = [*(load @ Motion(Vec3.zero(), weight) - V_C.cross(load @ V_C))]
    solve = _by_forces if method == "saddle" else _by_object
    A_C, force = solve(arms, load.as_matrix(), h)
    accelerations = [arm.answer(f) for arm, f in zip(arms, force, strict=True)]
    worst: Scalar = 0.0
    for arm, f in zip(arms, force, strict=True):
        for Y, B, d in zip(arm.mobility, arm.rows, arm.free, strict=True):
            miss = dot(Y, f) + dot(B, A_C) - d
            worst = larger_or_nan(worst, where(miss < 0.0, -miss, miss))
    return [*accelerations, A_C, *force, worst]


@dataclass(frozen=True)
class _Held:
    """One arm at its state: the motion of its hand without the object, and its mobility."""

    hand: Hand
    state: tuple[Any, Any, Any]
    X_EK: Pose
    """The grasp in the frame of the hand."""
    mobility: Rows
    rows: Rows
    free: list[Scalar]

    @classmethod
    def of(cls, hand: Hand, q: Any, v: Any, tau: Any, X_WC: Pose, V_C: Motion) -> _Held:
        model, frame, grasp = hand.model, hand.frame, hand.grasp
        X_WE = hand.base @ Pose.from_matrix(pose(model, q, frame))
        X_EK = X_WE.inv() @ (X_WC @ grasp.pose)
        a = forward_dynamics(model, q, v, tau)
        V, A = (
            X_EK.inv() @ Motion.of(x)
            for x in (velocity(model, q, v, frame, "local"), acceleration(model, q, v, a, frame, "local"))
        )
        V_K = grasp.pose.inv() @ V_C
        A = A - V_K.cross(V - V_K)  # in the axes of the grasp, which move with the object
        at_hand = [X_EK @ w for w in grasp.wrenches]
        Omega = operational_space_inertia_inverse(model, q, frame, "local")
        moved = [X_EK.inv() @ Motion.of([dot(row, [*w]) for row in Omega]) for w in at_hand]
        mobility = [[m.dot(w) for m in moved] for w in grasp.wrenches]
        rows = [[*(grasp.pose @ w)] for w in grasp.wrenches]
        return cls(hand, (q, v, tau), X_EK, mobility, rows, [A.dot(w) for w in grasp.wrenches])

    def answer(self, force: Sequence[Scalar]) -> Any:
        """Accelerations of the joints while the object pushes back."""
        total = Force.zero()
        for w, f in zip(self.hand.grasp.wrenches, force, strict=True):
            total = total - w * f
        wrench = [*(self.X_EK @ total)]
        return forward_dynamics(self.hand.model, *self.state, external={self.hand.frame: wrench})


def _by_forces(arms: Sequence[_Held], inertia: Rows, h: Sequence[Scalar]) -> tuple[list[Scalar], list[list[Scalar]]]:
    """(Wᵀ Ω W + B I⁻¹ Bᵀ) λ = d - B I⁻¹ h: the object's inertia is always invertible."""
    B = [row for arm in arms for row in arm.rows]
    carried = Inverse(inertia).times([list(x) for x in zip(*B, h, strict=True)])  # I⁻¹ (Bᵀ, h), by rows
    columns = [list(x) for x in zip(*carried, strict=True)]
    m, free = len(B), [d for arm in arms for d in arm.free]
    Z = [[dot(B[i], columns[j]) for j in range(i + 1)] for i in range(m)]
    start = 0
    for arm in arms:
        for i, row in enumerate(arm.mobility):
            for j in range(i + 1):
                Z[start + i][start + j] = Z[start + i][start + j] + row[j]
        start += len(arm.rows)
    force = proximal_solution(Z, [d - dot(b, columns[m]) for d, b in zip(free, B, strict=True)])
    A_C = [dot(row, [*force, 1.0]) for row in carried]
    return A_C, _of_each_arm(arms, force)


def _by_object(arms: Sequence[_Held], inertia: Rows, h: Sequence[Scalar]) -> tuple[list[Scalar], list[list[Scalar]]]:
    """(I + Σ Bᵀ Λ B) A_C = h + Σ Bᵀ Λ d  with  Λ = (Wᵀ Ω W)⁻¹: the hands add their inertias to the object's."""
    total, right = [list(row) for row in inertia], list(h)
    yielding = []
    for arm in arms:
        with_B = [[*row, d] for row, d in zip(arm.rows, arm.free, strict=True)]
        Y = Inverse(arm.mobility).times(with_B)  # Λ (B, d)
        yielding.append(Y)
        for i in range(6):
            column = [row[i] for row in arm.rows]
            for j in range(6):
                total[i][j] = total[i][j] + dot(column, [y[j] for y in Y])
            right[i] = right[i] + dot(column, [y[6] for y in Y])
    A_C = [row[0] for row in Inverse(total).times([[x] for x in right])]
    return A_C, [[y[6] - dot(y[:6], A_C) for y in Y] for Y in yielding]


def _of_each_arm(arms: Sequence[_Held], force: Sequence[Scalar]) -> list[list[Scalar]]:
    forces, start = [], 0
    for arm in arms:
        forces.append(list(force[start : start + len(arm.rows)]))
        start += len(arm.rows)
    return forces
