"""A Panda arm that feels a push without a force sensor, from the balance of its generalised momentum.

The momentum p = M v obeys  ṗ = τ + Cᵀ v - g + τ_contact.  The residual  r = K (p - ∫ (τ + Cᵀ v - g + r) dt)  follows
τ_contact like a first-order filter with time constant 1/K; no acceleration is needed (De Luca and Mattone 2005).

    python examples/momentum_observer.py          # figures
    python examples/momentum_observer.py --plot   # and a plot of the residual (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys

import numpy as np

import sixvec

TOOL = "panda_link8"
START = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
STEP, SAMPLES = 1e-3, 500
GAIN = 100.0
"""K in 1/s: the residual follows a contact within some 10 ms."""
PUSH_FROM, PUSH = 200, np.array([0.0, 0.0, 0.0, 0.0, 10.0, -15.0])
"""From this sample on a force of 18 N (moment first, world axes) acts on the tool."""
THRESHOLD = 0.5
"""A residual beyond this, in N·m, is a contact."""


def main(plot: bool = False) -> dict[str, float]:
    robot = sixvec.load("panda")
    q, v, r = START, np.zeros(7), np.zeros(7)
    balance = np.zeros(7)
    residuals, contacts = [], []
    for i in range(SAMPLES):
        goal = START + 0.1 * np.sin(2.0 * np.pi * i * STEP)
        tau = robot.bias_forces(q, v) + robot.mass_matrix(q) @ (400.0 * (goal - q) - 40.0 * v)
        wrench = PUSH if i >= PUSH_FROM else np.zeros(6)

        r = GAIN * (robot.mass_matrix(q) @ v - balance)
        balance += STEP * (tau + robot.coriolis_matrix(q, v).T @ v - robot.gravity_forces(q) + r)
        residuals.append(r)
        contacts.append(robot.jacobian(q, TOOL).T @ wrench)

        a = robot.forward_dynamics(q, v, tau, external={TOOL: wrench}, external_reference="local_world_aligned")
        v = v + STEP * a
        q = robot.integrate(q, STEP * v)

    residual, contact = np.array(residuals), np.array(contacts)
    felt = np.flatnonzero(np.abs(residual).max(axis=1) > THRESHOLD)
    force = np.linalg.lstsq(robot.jacobian(q, TOOL).T, r, rcond=None)[0][3:]
    figures = {
        "largest residual before the push, N·m": np.abs(residual[:PUSH_FROM]).max(),
        "felt after, ms": (felt[0] - PUSH_FROM) * STEP * 1e3 if len(felt) else np.inf,
        "true joint torque of the push, N·m": np.abs(contact[-1]).max(),
        "error of the residual at the end, N·m": np.abs(residual[-1] - contact[-1]).max(),
        "force felt at the tool, N": np.linalg.norm(force),
    }
    for name, value in figures.items():
        print(f"{name:38} {value:9.3g}")
    if plot:
        import matplotlib.pyplot as plt

        plt.plot(STEP * np.arange(SAMPLES), residual, label=robot.joint_names)
        plt.axvline(STEP * PUSH_FROM, color="gray", linestyle=":", label="the push begins")
        plt.legend()
        plt.xlabel("time, s")
        plt.ylabel("residual, N·m")
        plt.show()
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    main(plot="--plot" in sys.argv[1:])
