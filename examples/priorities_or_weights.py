"""A Panda arm draws a circle with its hand while its elbow should stay where it is: nine wishes, seven joints.

Strict priorities give the hand what it asks for and the elbow what is left; in one level, which is what equal weights
do, hand and elbow pay for each other.  Controller and simulation, 1 kHz, are one compiled program.

    python examples/priorities_or_weights.py          # figures
    python examples/priorities_or_weights.py --plot   # and a plot (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import sixvec as sv

HAND, ELBOW = "panda_link8", "panda_link4"
START = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
STEP, STEPS, RADIUS = 1e-3, 1500, 0.06
GAIN, DAMPING = 400.0, 40.0
"""1/s² and 1/s, of both tasks."""

HOLD = {HAND: "weld", ELBOW: "point"}


def draw(levels: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Follow the circle; distances of the hand and of the elbow from where they should be (steps,)."""
    arm = sv.load("panda")
    turn, elbow = arm.pose(START, HAND)[:3, :3].tolist(), arm.pose(START, ELBOW)[:3, 3].tolist()
    part = np.arange(STEPS) / STEPS
    angle = 2.0 * np.pi * part - np.sin(2.0 * np.pi * part)  # from rest to rest
    goals = arm.pose(START, HAND)[:3, 3] + RADIUS * np.stack([0.0 * angle, np.sin(angle), 1.0 - np.cos(angle)], axis=1)
    rates = np.gradient(goals, STEP, axis=0)
    wanted = np.concatenate([goals, rates, np.gradient(rates, STEP, axis=0)], axis=1)
    still = [*elbow, *[0.0] * 6]

    def law(q: Any, v: Any, u: Any) -> Any:
        hand, own = arm.evaluate("pose", q, frame=HAND), arm.evaluate("pose", q, frame=ELBOW)
        wishes = _turning(arm, q, v, hand, turn) + _pull(arm, q, v, hand, u, HAND) + _pull(arm, q, v, own, still, ELBOW)
        posture = [-2.0 * w for w in v]
        found = arm.evaluate("prioritised_dynamics", q, v, posture, target=wishes, hold=HOLD, levels=levels)
        return arm.evaluate("inverse_dynamics", q, v, found[0])

    path = arm.rollout(START, np.zeros(7), wanted, STEP, control=law)
    reached = arm.pose(path.q, HAND)[:, :3, 3]
    return {
        "hand": np.linalg.norm(reached - goals, axis=-1),
        "elbow": np.linalg.norm(arm.pose(path.q, ELBOW)[:, :3, 3] - elbow, axis=-1),
    }


def _pull(arm: sv.Robot, q: Any, v: Any, X: Any, goal: Any, frame: str) -> list[Any]:
    """The acceleration of a goal (place, rate, acceleration), a spring and a damper, in frame axes."""
    V = [*arm.evaluate("velocity", q, v, frame=frame)][3:]
    world = [goal[6 + i] + GAIN * (goal[i] - X[i][3]) + DAMPING * (goal[3 + i] - V[i]) for i in range(3)]
    return [sum(X[i][k] * world[i] for i in range(3)) for k in range(3)]


def _turning(arm: sv.Robot, q: Any, v: Any, X: Any, goal: Any) -> list[Any]:
    """The same for its orientation."""
    R = [[sum(X[i][a] * goal[i][b] for i in range(3)) for b in range(3)] for a in range(3)]
    gap = [0.5 * (R[2][1] - R[1][2]), 0.5 * (R[0][2] - R[2][0]), 0.5 * (R[1][0] - R[0][1])]
    V = [*arm.evaluate("velocity", q, v, frame=HAND, reference="local")]
    return [GAIN * g - DAMPING * w for g, w in zip(gap, V[:3], strict=True)]


def main() -> dict[str, float]:
    """Draw both ways, print, and return the figures."""
    runs = {"priorities": draw(()), "weights": draw((2,))}
    figures = {f"{who} off, {how}, mm": 1e3 * float(run[who].max()) for how, run in runs.items() for who in run}
    for name, value in figures.items():
        print(f"{name:30} {value:.3g}")
    if "--plot" in sys.argv:
        import matplotlib.pyplot as plt

        plot(runs)
        plt.show()
    return figures


def plot(runs: dict[str, dict[str, np.ndarray]]) -> Any:
    """Errors of the hand and of the elbow over time, both ways."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.0), layout="constrained")
    time = STEP * np.arange(STEPS)
    for ax, who in zip(axes, ("hand", "elbow"), strict=True):
        for how, run in runs.items():
            ax.plot(time, 1e3 * run[who], label=how)
        ax.set(xlabel="time, s", ylabel="off by, mm", title=who)
    axes[0].legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
