"""A quadruped recovers from pushes: model predictive path integral control, 1024 simulated futures in every step.

The plan holds changes of the targets of twelve joint servos over the next half second.  Every 20 ms, 1024 random
variations of it are simulated with contacts, in single precision, and the plan moves to their mean, weighted by
exp(-cost/temperature) (Williams, Aldrich and Theodorou 2017).  A push hits the trunk while the robot is upright; it is
simulated in double precision, with a step five times shorter than that of the plans.  Once servos alone
hold the posture, once with the plan.  Only feet touch the floor: a robot that falls sinks into it.

    python examples/mppi_quadruped.py
    python examples/mppi_quadruped.py push.gif    # a film with the plan (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import sixvec as sv
from sixvec import sim
from sixvec.constraints.contacts import floor
from sixvec.geometry.rigid_body.solids import Sphere

FOOT, FRICTION = 0.015, 0.8
STIFFNESS, DAMPING, STRONGEST = 15.0, 0.4, 2.5
"""Of the servos, in N m/rad, N m s/rad and N m."""

PERIOD, FINE, COARSE = 0.02, 0.001, 0.005
"""Times in s: between two plans, and the steps of the robot and of the plans."""

SAMPLES, AHEAD, KNOTS = 1024, 25, 6
SIZE, TEMPERATURE = 0.25, 0.05
"""Of the random changes, in rad, and of their weights, as a part of the mean cost above the best one."""

PUSH, WHEN = (0.0, 3.0, 0.0), 0.2
"""An impulse on the trunk in N s, to the left, and its time in s."""


class Quadruped:
    """The robot with its posture, and environments of it: servos hold targets of the joints."""

    def __init__(self) -> None:
        self.robot = sv.load("solo12")
        self.feet = [name for name in self.robot.frame_names if name.endswith("FOOT")]
        front, hind = [0.0, 0.8, -1.6], [0.0, -0.8, 1.6]
        self.q = self.robot.neutral()
        self.q[7:] = [*front, *front, *hind, *hind]
        self.q[2] += FOOT - min(self.robot.pose(self.q, foot)[2, 3] for foot in self.feet)

    def batch(self, count: int, dt: float, dtype: Any) -> sim.Batch:
        start = (self.q, np.zeros(self.robot.nv))
        contacts = floor(self.feet, Sphere(FOOT), friction=FRICTION)
        return sim.Batch(self.robot, count, dt=dt, contacts=contacts, start=start, dtype=dtype)

    def step(self, batch: sim.Batch, targets: Any) -> None:
        """One step with a spring and a damper at every joint, within what its motor can give."""
        force = np.zeros((batch.count, self.robot.nv), batch.q.dtype)
        wish = STIFFNESS * (targets - batch.q[:, 7:]) - DAMPING * batch.v[:, 6:]
        force[:, 6:] = np.clip(wish, -STRONGEST, STRONGEST)
        batch.step(force)

    def cost(self, batch: sim.Batch) -> Any:
        """How far from upright and at rest above the start: squares with weights, (count,)."""
        off, rate = batch.q - self.q, batch.v
        tilt = 4.0 * (batch.q[:, 3:5] ** 2).sum(axis=1)  # rad², about horizontal axes
        place = (off[:, :2] ** 2).sum(axis=1) + 10.0 * off[:, 2] ** 2
        legs = (off[:, 7:] ** 2).sum(axis=1)
        return 20.0 * tilt + 20.0 * place + 0.5 * (rate[:, :6] ** 2).sum(axis=1) + 0.2 * legs


class Planner:
    """Plans of changes of the targets, (steps ahead, joints)."""

    def __init__(self, quadruped: Quadruped, samples: int = SAMPLES, seed: int = 0) -> None:
        self.quadruped, self.random = quadruped, np.random.default_rng(seed)
        self.futures = quadruped.batch(samples, COARSE, "float32")
        self.plan = np.zeros((AHEAD, 12), np.float32)
        knots, times = np.linspace(0.0, AHEAD - 1.0, KNOTS), np.arange(AHEAD)
        self.shape = np.stack([np.interp(times, knots, row) for row in np.eye(KNOTS)], axis=1)  # of lines through knots

    def improve(self, q: Any, v: Any) -> Any:
        """Targets (joints,) for the next period, from the state of the robot."""
        futures, count = self.futures, self.futures.count
        changes = SIZE * self.random.standard_normal((count, KNOTS, 12), np.float32)
        changes = np.einsum("tk,nkj->tnj", self.shape, changes).astype(np.float32)
        changes[:, 0], changes[:, 1] = 0.0, -self.plan  # the plan itself, and the posture
        futures.reset()
        futures.q[:], futures.v[:] = q, v
        cost = np.zeros(count)
        for ahead, change in zip(self.plan, changes, strict=True):
            for _ in range(round(PERIOD / COARSE)):
                self.quadruped.step(futures, self.quadruped.q[7:].astype(np.float32) + ahead + change)
            cost += self.quadruped.cost(futures)
        above = cost - cost.min()
        weight = np.exp(-above / (TEMPERATURE * above.mean() + 1e-9))
        self.plan += np.einsum("n,tnj->tj", weight / weight.sum(), changes).astype(np.float32)
        targets = self.quadruped.q[7:] + self.plan[0]
        self.plan = np.concatenate([self.plan[1:], self.plan[-1:]])
        return targets


def pushed(
    planner: Planner | None, quadruped: Quadruped, push: Any = PUSH, seconds: float = 2.0, path: Any = None
) -> dict[str, float]:
    """What happens to the robot, without a planner with targets that stay the same; `path` gets its positions."""
    robot, plant = quadruped.robot, quadruped.batch(1, FINE, "float64")
    targets, spent = quadruped.q[7:], []
    tilt, height, residual = [], [], []
    for k in range(round(seconds / PERIOD)):
        if k == round(WHEN / PERIOD):
            plant.v[0] += after_push(robot, plant.q[0], push)
        if planner is not None:
            start = time.perf_counter()
            targets = planner.improve(plant.q[0], plant.v[0])
            spent.append(time.perf_counter() - start)
        for _ in range(round(PERIOD / FINE)):
            quadruped.step(plant, targets)
            residual.append(float(plant.residual[0]))
        tilt.append(float(np.arccos(np.clip(robot.pose(plant.q[0], "base_link")[2, 2], -1.0, 1.0))))
        height.append(float(plant.q[0, 2]))
        if path is not None:
            path.append(plant.q[0].copy())
    return {
        "largest tilt, rad": max(tilt),
        "lowest height, m": min(height),
        "tilt at the end, rad": tilt[-1],
        "height at the end, m": height[-1],
        "way from the start, m": float(np.hypot(*(plant.q[0, :2] - quadruped.q[:2]))),
        "speed at the end, m/s": float(np.linalg.norm(plant.v[0, :3])),
        "largest residual, m/s": max(residual),
        "time for a plan, ms": 1e3 * float(np.median(spent)) if spent else 0.0,
    }


def after_push(robot: sv.Robot, q: Any, push: Any) -> Any:
    """Change of the velocities by an impulse at the origin of the trunk, given along the axes of the world."""
    along = np.zeros(robot.nv)
    along[3:6] = robot.pose(q, "base_link")[:3, :3].T @ push
    return robot.mass_matrix_solve(q, along)


def main(samples: int = SAMPLES, seconds: float = 2.0, push: Any = PUSH) -> dict[str, dict[str, float]]:
    """Push the robot twice, print and return what happened."""
    quadruped = Quadruped()
    runs = {
        "servos alone": pushed(None, quadruped, push, seconds),
        "with a plan": pushed(Planner(quadruped, samples), quadruped, push, seconds),
    }
    print(f"{np.linalg.norm(push):.1f} N s at {WHEN:.1f} s, robot of {quadruped.robot.mass:.2f} kg, {samples} futures")
    print(f"{'':24}{''.join(f'{name:>16}' for name in runs)}")
    for name in runs["with a plan"]:
        print(f"{name:24}{''.join(f'{run[name]:16.3g}' for run in runs.values())}")
    return runs


def film(to: str) -> None:
    quadruped, path = Quadruped(), []  # type: ignore[var-annotated]
    pushed(Planner(quadruped), quadruped, path=path)
    quadruped.robot.animate(np.array(path)[::2], to, dt=2.0 * PERIOD, overwrite=True)


if __name__ == "__main__":
    film(sys.argv[1]) if len(sys.argv) > 1 else main()
