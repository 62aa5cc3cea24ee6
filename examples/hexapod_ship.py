"""A hexapod that moves as the deck of a ship does: computed torque, with the legs' masses in the model.

Roll, pitch and heave are waves.  The controller adds to the wanted acceleration what the errors of pose and twist ask
for, and the dynamics in the platform's motion turn it into six leg forces; the plant carries two kilograms more
than the model knows.

    python examples/hexapod_ship.py
"""

from __future__ import annotations

import numpy as np

from sixvec.parallel import PlatformDynamics, StewartGough
from sixvec.spatial import RigidInertia, Sym3, Vec3

STEP, SAMPLES = 5e-3, 600
STIFF, DAMP = 400.0, 40.0
"""Gains in 1/s² and 1/s: errors vanish within some 0.1 s."""
HEIGHT = 1.0


def cylinder(mass: float, length: float, start: float) -> RigidInertia:
    """A thin rod along z that begins at z = `start`."""
    across = mass * length**2 / 12.0
    return RigidInertia.from_center_of_mass(
        mass, Vec3(0.0, 0.0, start + 0.5 * length), Sym3.diagonal(across, across, 1e-3 * mass)
    )


def hexapod(load: float) -> PlatformDynamics:
    angles = np.repeat(2.0 * np.pi * np.arange(3) / 3.0, 2)
    base, top = (
        np.stack([r * np.cos(angles + s * np.tile([-1, 1], 3)), r * np.sin(angles + s * np.tile([-1, 1], 3))], axis=-1)
        for r, s in ((0.9, 0.2), (0.6, 0.85))
    )
    robot = StewartGough(*(np.pad(p, ((0, 0), (0, 1))) for p in (base, top)))
    legs = cylinder(6.0, 0.6, 0.0), cylinder(3.0, 0.6, -0.6)
    platform = RigidInertia.from_center_of_mass(40.0 + load, Vec3(0.0, 0.0, 0.05), Sym3.diagonal(3.0, 3.0, 5.0))
    X0 = np.eye(4)
    X0[2, 3] = HEIGHT
    dynamics: PlatformDynamics = robot.dynamics(legs, platform, X0)
    return dynamics


def turn(w: np.ndarray) -> np.ndarray:
    """The rotation by a vector (Rodrigues)."""
    angle = float(np.linalg.norm(w))
    K = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    if angle < 1e-12:
        return np.eye(3) + K
    return np.asarray(np.eye(3) + np.sin(angle) / angle * K + (1.0 - np.cos(angle)) / angle**2 * K @ K)


def deck(t: float) -> np.ndarray:
    """Roll of 8° in 5 s, pitch of 4° in 4 s, heave of 0.1 m in 6 s."""
    X = np.eye(4)
    roll, pitch = np.radians(8.0) * np.sin(2.0 * np.pi * t / 5.0), np.radians(4.0) * np.sin(2.0 * np.pi * t / 4.0)
    X[:3, :3] = turn(np.array([roll, 0.0, 0.0])) @ turn(np.array([0.0, pitch, 0.0]))
    X[2, 3] = HEIGHT + 0.1 * np.sin(2.0 * np.pi * t / 6.0)
    return X


def twist_between(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Small displacement from X to Y: rotation vector, then shift, in the axes of the base."""
    R = Y[:3, :3] @ X[:3, :3].T
    w = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return np.concatenate([w, Y[:3, 3] - X[:3, 3]])


def wanted(t: float, h: float = 1e-4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pose, twist and its rate, by differences of the deck's motion."""
    before, now, after = deck(t - h), deck(t), deck(t + h)
    last, next_ = twist_between(before, now) / h, twist_between(now, after) / h
    return now, 0.5 * (last + next_), (next_ - last) / h


def main() -> dict[str, float]:
    model, plant = hexapod(0.0), hexapod(2.0)
    X, V = deck(0.0), wanted(0.0)[1]
    errors, forces = [], []
    for k in range(SAMPLES):
        goal, twist, rate = wanted(k * STEP)
        error = twist_between(X, goal)
        tau = model.inverse_dynamics(X, V, rate + DAMP * (twist - V) + STIFF * error)
        A = plant.forward_dynamics(X, V, tau)
        V_next = V + STEP * A
        middle = 0.5 * (V + V_next) * STEP
        X = X.copy()
        X[:3, :3], X[:3, 3] = turn(middle[:3]) @ X[:3, :3], X[:3, 3] + middle[3:]
        V = V_next
        errors.append(error)
        forces.append(tau)
    settled = np.abs(np.array(errors)[SAMPLES // 3 :])
    figures = {
        "largest angle error, degrees": float(np.degrees(settled[:, :3].max())),
        "largest position error, mm": float(1e3 * settled[:, 3:].max()),
        "as the missing 2 kg explain, mm": 1e3 * 2.0 * 9.81 / (STIFF * float(model.mass_matrix(deck(0.0))[5, 5])),
        "largest leg force, N": float(np.abs(forces).max()),
    }
    for name, value in figures.items():
        print(f"{name:34s} {value:10.3f}")
    return figures


if __name__ == "__main__":
    main()
