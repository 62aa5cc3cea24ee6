"""The inertial parameters of an arm, found from noisy joint torques along a motion that excites them.

A KUKA iiwa 14 follows a sum of sines in every joint.  Least squares gives its 43 base parameters with standard errors;
bodies that can exist are then fitted to them, starting from a wrong guess.

    python examples/identify_arm.py          # needs SciPy: pip install -e '.[scipy]'
"""

from __future__ import annotations

import numpy as np

import sixvec
from sixvec.identification import (
    base_parameters,
    consistent_parameters,
    from_log_cholesky,
    identify,
    inertial_parameters,
    log_cholesky,
)

NOISE = 0.2
"""Standard deviation of a torque measurement, N·m."""
SAMPLES, PERIOD, HARMONICS, AMPLITUDE = 1000, 10.0, 5, 0.5


def sines(rng: np.random.Generator, joints: int) -> tuple[np.ndarray, ...]:
    """Positions, velocities and accelerations of a finite Fourier series in each joint (Swevers et al. 1997)."""
    time = np.linspace(0.0, PERIOD, SAMPLES, endpoint=False)[:, None, None]
    rate = 2.0 * np.pi / PERIOD * np.arange(1, HARMONICS + 1)
    size, phase = rng.normal(size=(joints, HARMONICS)) * AMPLITUDE, rng.uniform(-np.pi, np.pi, (joints, HARMONICS))
    angle = rate * time + phase
    waves = np.sin(angle), rate * np.cos(angle), -(rate**2) * np.sin(angle)
    return tuple((size * wave).sum(axis=-1) for wave in waves)


def main() -> dict[str, float]:
    robot, rng = sixvec.load("iiwa14"), np.random.default_rng(0)
    base = base_parameters(robot)
    q, v, a = sines(rng, robot.nv)
    tau = robot.inverse_dynamics(q, v, a) + NOISE * rng.normal(size=v.shape)

    fit = identify(robot, q, v, a, tau, base=base)
    truth = base.of(inertial_parameters(robot.model))
    print(f"{len(base)} base parameters, condition number {fit.condition:.0f}, torque noise {fit.sigma.mean():.3f} N·m")
    print("      true  identified   standard error")
    for rows in zip(truth, fit.values, fit.standard_errors, base.names, strict=True):
        print("{:10.4f}  {:10.4f} ± {:7.4f}   {:.60}".format(*rows))

    guess = log_cholesky(inertial_parameters(robot.model).reshape(-1, 10)) + 0.05 * rng.normal(size=(7, 10))
    bodies = consistent_parameters(fit, from_log_cholesky(guess).ravel())
    q, v, a = sines(rng, robot.nv)
    error = bodies.robot.inverse_dynamics(q, v, a) - robot.inverse_dynamics(q, v, a)
    figures = {
        "largest error, standard errors": np.abs((fit.values - truth) / fit.standard_errors).max(),
        "estimated torque noise, N·m": fit.sigma.mean(),
        "misfit of possible bodies, standard errors": bodies.misfit,
        "torque error on another motion, N·m": np.sqrt(np.mean(error**2)),
    }
    for name, value in figures.items():
        print(f"{name:44} {value:8.3g}")
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    main()
