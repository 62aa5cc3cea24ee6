"""What a contender calls a velocity, and the way from and to Pinocchio's convention.

A contender's velocity is v' = S v with S orthogonal: a permutation of the joints and, for a floating base, a block
that turns Pinocchio's (v_lin, ω) in the body frame into the contender's. Then

    a' = S a + drift,    τ' = S τ,    M' = S M Sᵀ,    J' = J Sᵀ

where drift = R (ω × v_lin) for those who differentiate the base's linear velocity in the world frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kernels import Kernel
from state import Array, State, rotation

Base = Literal[
    "fixed",
    "linear body, angular body",
    "angular body, linear body",
    "linear world, angular body",
    "angular world, linear world",
]

FREE_NQ, FREE_NV = 7, 6
PARAMETERS = tuple(range(10))
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


@dataclass(frozen=True)
class Convention:
    """`joints` lists, in the contender's order, the index of each one-coordinate joint in Pinocchio's order."""

    joints: tuple[int, ...]
    base: Base
    angular_first: bool
    """Whether 6-D vectors (rows of a Jacobian, momentum) put the angular part first."""
    parameters: tuple[int, ...] = PARAMETERS
    """Where Pinocchio's inertial parameters (m, mc; xx, xy, yy, xz, yz, zz) lie among the contender's."""

    def joint_q(self, q: Array) -> Array:
        """The joints' part of a configuration, in the contender's order."""
        start = 0 if self.base == "fixed" else FREE_NQ
        return np.ascontiguousarray(q[..., [start + i for i in self.joints]])

    def basis(self, q: Array) -> Array:
        """S at one configuration."""
        n = len(self.joints)
        joints = np.eye(n)[list(self.joints)]
        if self.base == "fixed":
            return joints
        S = np.zeros((FREE_NV + n, FREE_NV + n))
        S[FREE_NV:, FREE_NV:] = joints
        R, one = rotation(q[3:7]), np.eye(3)
        linear, angular = slice(0, 3), slice(3, 6)
        match self.base:
            case "linear body, angular body":
                S[:6, :6] = np.eye(6)
            case "angular body, linear body":
                S[0:3, angular], S[3:6, linear] = one, one
            case "linear world, angular body":
                S[0:3, linear], S[3:6, angular] = R, one
            case "angular world, linear world":
                S[0:3, angular], S[3:6, linear] = R, R
        return S

    def drift(self, state: State) -> Array:
        """a' - S a."""
        drift = np.zeros_like(state.v)
        if "linear world" in self.base:
            start = 0 if self.base.startswith("linear") else 3
            drift[start : start + 3] = rotation(state.q[3:7]) @ np.cross(state.v[3:6], state.v[0:3])
        return drift

    def from_pinocchio(self, state: State) -> State:
        """v, a and tau of one state as the contender wants them; q stays."""
        S = self.basis(state.q)
        return State(state.q, S @ state.v, S @ state.a + self.drift(state), S @ state.tau)

    def to_pinocchio(self, kernel: Kernel, answer: Sequence[Array], state: State) -> list[Array]:
        """Answers of one state (given in Pinocchio's convention), back in Pinocchio's convention."""
        S = self.basis(state.q)
        rows = ANGULAR_FIRST if self.angular_first else list(range(6))
        match kernel.kind:
            case "force":
                return [S.T @ x for x in answer]
            case "acceleration":
                return [S.T @ (x - self.drift(state)) for x in answer]
            case "matrix":
                return [S.T @ x @ S for x in answer]
            case "coriolis":
                return [y for x in answer for y in _coriolis_invariants(S.T @ x @ S, state.v)]
            case "jacobian":
                return [x[rows] @ S for x in answer]
            case "spatial":
                return [x[rows] for x in answer]
            case "regressor":
                columns = self._parameter_columns()
                return [(S.T @ x)[:, columns] for x in answer]
            case "plain":
                return list(answer)

    def _parameter_columns(self) -> list[int]:
        """For each column of Pinocchio's regressor, the contender's column of the same body and parameter."""
        moving = list(np.argsort(self.joints)) if self.base == "fixed" else [0, *(1 + np.argsort(self.joints))]
        return [len(PARAMETERS) * int(body) + k for body in moving for k in self.parameters]


def _coriolis_invariants(C: Array, v: Array) -> tuple[Array, Array]:
    """C v and Ṁ = C + Cᵀ: a Coriolis matrix is right when these are, and not unique beyond them."""
    return C @ v, C + C.T


def scaled_error(mine: Sequence[Array], reference: Sequence[Array]) -> float:
    """The largest difference, scaled by the largest entry of each answer."""
    pairs = zip(mine, reference, strict=True)
    return worst(np.max(np.abs(x - y)) / max(np.max(np.abs(y)), np.finfo(float).tiny) for x, y in pairs)


def worst(errors: Iterable[float]) -> float:
    """The largest error; NaN if any is NaN, which Python's own max would hide."""
    return float(np.max(list(errors)))
