"""Motors and the gears between them and the joints: encoder readings and motor torques.

A motor turns `ratio` times for one turn of its joint, possibly in the opposite sense, and may have a different zero.
In coupled drives (a differential wrist, belts that run over other joints) several motors move one joint:

    θ = A (q - q₀)     θ̇ = A q̇     τ_joint = Aᵀ τ_motor     H_rotors = Aᵀ J A

The last two follow from the first: the power τᵀ q̇ and the kinetic energy are the same on both sides of ideal gears.
With ratios of one the same map converts between conventions for zeros and signs (Bruyninckx §7.1-§7.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import number_for_each, real_array, require_all
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.model.edits.find import body_of_joint
from sixvec.model.model import Model
from sixvec.tolerances import ROUNDING

LARGEST_CONDITION = 1e12
"""Condition number above which motor positions do not determine joint positions."""


@dataclass(frozen=True, slots=True)
class Motors:
    """As many motors as joints; `matrix` is A, a row per motor and a column per joint, and `offset` is q₀.

    All maps take arrays whose last axis runs over the motors or the joints, in the order of `joints`.

    >>> drive = Motors.geared(("shoulder", "elbow"), ratio=(100.0, 50.0), sign=(1, -1), offset=(0.0, 0.5))
    >>> drive.joint_positions([10.0, 10.0]).tolist()
    [0.1, 0.3]
    >>> drive.motor_torques([100.0, 100.0]).tolist()
    [1.0, -2.0]
    """

    joints: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]
    offset: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.joints)
        if len(set(self.joints)) < n:
            raise ArgumentError(f"the joints of motors must differ: {', '.join(self.joints)}")
        if not self.offset:
            object.__setattr__(self, "offset", (0.0,) * n)
        if len(self.matrix) != n or any(len(row) != n for row in self.matrix) or len(self.offset) != n:
            raise ShapeError(f"{n} joints need a gear matrix of {n} rows with {n} entries, and {n} offsets")
        A = self._A
        if not np.isfinite(A).all() or not np.isfinite(self.offset).all():
            raise ArgumentError(f"gear ratios and offsets must be finite numbers: {self.matrix}, {self.offset}")
        # Each row relative to its largest entry: very different ratios alone are not a problem.
        size = np.abs(A).max(axis=1, keepdims=True, initial=0.0)
        if n and (not size.all() or np.linalg.cond(A / size) > LARGEST_CONDITION):
            raise ArgumentError(
                f"the gear matrix {self.matrix} cannot be inverted, so the motors do not determine the joints; "
                "give each motor a ratio other than zero, and no two motors the same row"
            )

    @classmethod
    def geared(
        cls, joints: Sequence[str], ratio: ArrayLike = 1.0, *, sign: ArrayLike = 1, offset: ArrayLike = 0.0
    ) -> Motors:
        """One motor per joint: `ratio` motor turns per joint turn, `sign` ±1, `offset` the q of the motor's zero.

        A single number applies to all joints; a ratio may carry the sign itself.

        >>> Motors.geared(("a", "b"), 100.0).matrix
        ((100.0, 0.0), (0.0, 100.0))
        """
        n = len(joints)
        numbers = (("sign", sign), ("ratio", ratio), ("offset", offset))
        signs, ratios, offsets = (number_for_each(name, x, n, "joints") for name, x in numbers)
        turns = (signs * ratios).tolist()
        if any(abs(s) != 1.0 for s in signs.tolist()):
            require_all("sign", signs, np.abs(signs) == 1.0, "1 or -1")
        rows = tuple(tuple(turns[i] if i == j else 0.0 for j in range(n)) for i in range(n))
        return cls(tuple(joints), rows, tuple(offsets.tolist()))

    def motor_positions(self, q: ArrayLike) -> np.ndarray:
        """θ = A (q - q₀)."""
        return np.asarray((self._checked("q", q) - np.asarray(self.offset)) @ self._A.T)

    def joint_positions(self, theta: ArrayLike) -> np.ndarray:
        """q = A⁻¹ θ + q₀."""
        return np.asarray(self.joint_velocities(theta) + np.asarray(self.offset))

    def motor_velocities(self, v: ArrayLike) -> np.ndarray:
        """θ̇ = A q̇; accelerations in the same way, as A is constant."""
        return np.asarray(self._checked("v", v) @ self._A.T)

    def joint_velocities(self, rate: ArrayLike) -> np.ndarray:
        """q̇ = A⁻¹ θ̇; accelerations in the same way."""
        return _solved(self._A, self._checked("the motors' values", rate))

    def joint_torques(self, tau: ArrayLike) -> np.ndarray:
        """The joint torques of the motors, without losses: Aᵀ τ_motor."""
        return np.asarray(self._checked("tau", tau) @ self._A)

    def motor_torques(self, tau: ArrayLike) -> np.ndarray:
        """The motor torques for these joint torques, without losses: A⁻ᵀ τ_joint."""
        return _solved(self._A.T, self._checked("tau", tau))

    def reflected_inertia(self, rotors: ArrayLike) -> np.ndarray:
        """Aᵀ J A: the rotors' moments of inertia about their axes, one per motor, reflected to the joints.

        >>> Motors.geared(("a",), 100.0).reflected_inertia([1e-4]).tolist()
        [[1.0]]
        """
        J = number_for_each("rotor inertia", rotors, len(self.joints), "joints")
        require_all("rotor inertia", J, np.isfinite(J) & (J >= 0.0), "finite, and 0 or more, in kg m²")
        A = self._A
        return np.asarray(A.T @ (J[:, None] * A))

    def coordinates(self, model: Model) -> list[int]:
        """The indices of the joints in v, a and tau of this robot, in the order of the motors."""
        return [_slice(model, name) for name in self.joints]

    @property
    def _A(self) -> np.ndarray:
        return np.asarray(self.matrix, dtype=float).reshape(len(self.joints), len(self.joints))

    def _checked(self, what: str, value: ArrayLike) -> np.ndarray:
        return real_array(what, value, len(self.joints), why=lambda: f"for the joints {', '.join(self.joints)}")


def with_rotors(model: Model, motors: Motors, inertia: ArrayLike) -> Model:
    """The model with the armature of geared rotors: inertia times ratio squared, replacing the existing armature.

    `inertia` is a rotor's moment about its axis in kg m², one number or one per motor; its mass belongs to the body
    that carries it.  This is the usual model for large ratios: gyroscopic torques of the rotors, which grow with the
    ratio and not with its square, are neglected (Bruyninckx §6.2.6).

    >>> import sixvec
    >>> arm = sixvec.load("planar_2r").model
    >>> drive = Motors.geared([b.joint_label for b in arm.moving], 100.0)
    >>> [b.armature for b in with_rotors(arm, drive, 1e-4).moving]
    [(1.0,), (1.0,)]
    """
    H = motors.reflected_inertia(inertia)
    coupled = np.abs(H - np.diag(np.diag(H)))
    if coupled.size and coupled.max() > ROUNDING * np.abs(H).max():
        i, j = (int(k) for k in np.unravel_index(coupled.argmax(), H.shape))
        raise ModelError(
            f'{model.name}: these rotors couple "{motors.joints[i]}" and "{motors.joints[j]}", by {H[i, j]:.4g} kg m², '
            "and a model holds one armature per joint; add Motors.reflected_inertia to the mass matrix instead"
        )
    motors.coordinates(model)  # every joint exists and has one coordinate
    armature = {body_of_joint(model, name).name: (float(H[i, i]),) for i, name in enumerate(motors.joints)}
    bodies = (
        replace(b, dynamics=replace(b.dynamics, armature=armature[b.name])) if b.name in armature else b
        for b in model.bodies
    )
    return replace(model, bodies=tuple(bodies))


def _slice(model: Model, name: str) -> int:
    b = body_of_joint(model, name)
    at = model.v_slices[b.name]
    if at.stop - at.start != 1:
        able = ", ".join(b.joint_label for b in model.moving if b.joint.nv == 1)
        raise ModelError(
            f'{model.name}: joint "{name}" has {at.stop - at.start} coordinates, and a motor drives one; '
            f"joints with one: {able or 'none'}"
        )
    return int(at.start)


def _solved(A: np.ndarray, value: np.ndarray) -> np.ndarray:
    """A⁻¹ value, along the last axis; exact divisions where each motor drives one joint."""
    ratios = A.diagonal()
    if not np.any(A - np.diag(ratios)):
        return np.asarray(value / ratios)
    return np.asarray(np.linalg.solve(A, value[..., None])[..., 0])
