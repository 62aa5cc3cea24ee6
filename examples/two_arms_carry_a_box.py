"""Two Panda arms lift a box between soft fingers; without a squeeze it would slip out of their hands.

The fingers pass on forces and the moment about their normal.  A controller asks the box for an acceleration, splits the
wrench for it over the grasps, adds an internal force that presses both hands on the box and moves nothing, and lets
every arm bear its share.  Arms and box then accelerate together (`sixvec.constraints.grasps.Carriers`).

    python examples/two_arms_carry_a_box.py          # figures
    python examples/two_arms_carry_a_box.py --plot   # and a plot (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

import numpy as np

import sixvec as sv
from sixvec.constraints.grasps import Arm, Carriers, Grasp, force_closure, grasp_matrix
from sixvec.geometry.rigid_body.solids import Box
from sixvec.spatial import Motion, Pose, Rotation, Vec3

HAND, MASS, FRICTION = "panda_link8", 2.0, Grasp().friction
SIZE = Vec3(0.3, 0.2, 0.2)
STEP, STEPS, HEIGHT = 2e-3, 600, 0.1
GAIN, POSTURE = 100.0, 10.0
"""1/s²: of the box and the hands, and of the arms' own freedom."""

READY = np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.8])


def team() -> tuple[Carriers, list[np.ndarray], np.ndarray]:
    """Arms that face each other with a box between their hands, the angles, and where the box is."""
    panda = sv.load("panda")
    grasps = [
        Grasp(
            "soft finger", Pose(Rotation.about(Vec3(0.0, 1.0, 0.0), -side * np.pi / 2), Vec3(side * SIZE.x / 2, 0, 0))
        )
        for side in (-1.0, 1.0)
    ]
    box = np.eye(4)
    box[:3, 3] = [0.6, 0.0, 0.5]
    arms = []
    for grasp in grasps:
        base = box @ np.array(grasp.pose.as_matrix(), float) @ np.linalg.inv(panda.pose(READY, HAND))
        arms.append(Arm(panda, HAND, grasp, Pose.from_matrix(base.tolist())))
    return Carriers(arms, Box(SIZE).inertia(MASS)), [READY.copy(), READY.copy()], box


def lift(squeeze: float) -> dict[str, Any]:
    """Raise the box and lower it again; forces of the grasps, and how far box and hands are from where they should."""
    carriers, q, X = team()
    v, V = [np.zeros(7), np.zeros(7)], np.zeros(6)
    G = grasp_matrix(carriers.grasps)
    press = np.array([0.0, 0.0, 0.0, 1.0] * 2) * squeeze  # along both normals, into the box
    start, forces, errors, opened = X[:3, 3].copy(), [], [], []
    for k in range(STEPS):
        t = k * STEP
        pulse = 2.0 * np.pi / (STEPS * STEP)
        goal, rate, second = (
            0.5 * HEIGHT * x for x in (1.0 - np.cos(pulse * t), pulse * np.sin(pulse * t), pulse**2 * np.cos(pulse * t))
        )
        wanted = np.zeros(6)
        gap = start - X[:3, 3] + np.array([0.0, 0.0, goal])
        velocity = X[:3, :3] @ V[3:]
        wanted[3:] = X[:3, :3].T @ ([0.0, 0.0, second] + GAIN * gap + 20.0 * ([0.0, 0.0, rate] - velocity))
        wanted[:3] = GAIN * 0.5 * _vee(X[:3, :3].T) - 20.0 * V[:3]
        inertia = np.array(carriers.load.as_matrix(), float)
        weight = np.concatenate([np.zeros(3), X[:3, :3].T @ [0.0, 0.0, -9.81 * MASS]])
        share = np.linalg.pinv(G) @ (inertia @ wanted - weight) + press
        bears = carriers.squeeze(q, X, [share[:4], share[4:]])
        tau = []
        for arm, x, w, b in zip(carriers.arms, q, v, bears, strict=True):
            tau.append(_arm_force(arm, x, w, X, V, wanted) + b)
        found = carriers.forward_dynamics(q, v, tau, X, V)
        forces.append(np.concatenate(found.force))
        errors.append(np.linalg.norm(gap))
        gaps = [_hand(a, x)[:3, 3] - _grasp(a, X)[:3, 3] for a, x in zip(carriers.arms, q, strict=True)]
        opened.append(max(np.linalg.norm(gap) for gap in gaps))
        v = [w + STEP * a for w, a in zip(v, found.a, strict=True)]
        q = [x + STEP * w for x, w in zip(q, v, strict=True)]
        V = V + STEP * found.acceleration
        X = X @ np.array(Pose.exp(Motion.of((STEP * V).tolist())).as_matrix(), float)
    return {"force": np.array(forces), "error": np.array(errors), "opened": np.array(opened)}


def _arm_force(arm: Arm, q: np.ndarray, v: np.ndarray, X: np.ndarray, V: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Joint forces with which the arm alone would follow the box, its own freedom held by a spring."""
    robot = _turned(arm.robot, tuple(arm.base.rot.inv() @ arm.robot.model.gravity))
    hand, grasp = _hand(arm, q), _grasp(arm, X)
    J = robot.jacobian(q, HAND, "local")
    turn = hand[:3, :3].T @ grasp[:3, :3]
    gap = np.concatenate([0.5 * _vee(turn), hand[:3, :3].T @ (grasp[:3, 3] - hand[:3, 3])])
    ahead, along = (
        (turn @ np.array([*(arm.grasp.pose.inv() @ Motion.of(x.tolist()))], float).reshape(2, 3).T).T.ravel()
        for x in (wanted, V)
    )
    goal = ahead + GAIN * gap + 20.0 * (along - J @ v)
    inverse = np.linalg.pinv(J)
    posture = POSTURE * (READY - q) - 2.0 * np.sqrt(POSTURE) * v
    a = inverse @ (goal - robot.jacobian_derivative(q, v, HAND, "local") @ v) + posture - inverse @ (J @ posture)
    return np.asarray(robot.inverse_dynamics(q, v, a))


@lru_cache
def _turned(robot: sv.Robot, gravity: tuple[float, ...]) -> sv.Robot:
    """The arm as it is on its base: what is down for the world may be sideways for it."""
    return robot.with_gravity(gravity)


def _hand(arm: Arm, q: np.ndarray) -> np.ndarray:
    return np.asarray(np.array(arm.base.as_matrix(), float) @ arm.robot.pose(q, HAND))


def _grasp(arm: Arm, X: np.ndarray) -> np.ndarray:
    return np.asarray(X @ np.array(arm.grasp.pose.as_matrix(), float))


def _vee(R: np.ndarray) -> np.ndarray:
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])


def needed_friction(force: np.ndarray) -> np.ndarray:
    """The largest ratio of tangential to normal force over both hands (..., steps)."""
    hands = force.reshape(*force.shape[:-1], 2, 4)
    return np.asarray((np.hypot(hands[..., 1], hands[..., 2]) / np.maximum(hands[..., 3], 1e-9)).max(axis=-1))


def main() -> dict[str, float]:
    """Lift gently and firmly, print, and return the figures."""
    closure = force_closure(team()[0].grasps)
    runs = {squeeze: lift(squeeze) for squeeze in (12.0, 40.0)}
    figures = {"force closure": float(closure.closed)}
    for squeeze, run in runs.items():
        figures[f"friction needed, pressed with {squeeze:.0f} N"] = float(needed_friction(run["force"]).max())
    figures["largest error of the box, mm"] = 1e3 * float(runs[40.0]["error"].max())
    figures["largest gap of a grasp, mm"] = 1e3 * float(runs[40.0]["opened"].max())
    for name, value in figures.items():
        print(f"{name:40} {value:.3g}")
    if "--plot" in sys.argv:
        import matplotlib.pyplot as plt

        plot(runs)
        plt.show()
    return figures


def plot(runs: dict[float, dict[str, Any]]) -> Any:
    """Normal forces and the friction that they need."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(8.0, 3.0), layout="constrained")
    time = STEP * np.arange(STEPS)
    for squeeze, run in runs.items():
        left.plot(time, run["force"][:, 3], label=f"pressed with {squeeze:.0f} N")
        right.plot(time, needed_friction(run["force"]))
    right.axhline(FRICTION, color="C3", lw=1)
    left.set(xlabel="time, s", ylabel="normal force of a hand, N", title="squeeze")
    right.set(xlabel="time, s", ylabel="tangential over normal", title="friction needed; red: there is")
    left.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
