"""A quadruped trots along a line and stands pushes: model predictive path integral control in real time.

Servos in twelve joints follow a trot, and a plan changes their targets.  Every 20 ms, 1024 random variations of the
plan are simulated with contacts, 0.36 s ahead in single precision, and the plan moves to their mean, weighted by
exp(-cost/temperature) (Williams, Aldrich and Theodorou 2017).  While the robot takes one period, the plan for the next
one is computed, so each future begins with the targets that are already on their way; on two cores of a server that
takes less than the period.  A push hits the trunk; the robot is simulated in double precision, with shorter steps than
the plans.  It trots once without a plan, and once with it.  Only feet touch the floor: a robot that falls sinks in.

    python examples/mppi_quadruped.py
    python examples/mppi_quadruped.py push.gif    # a film with the plan (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import Any

import numpy as np

import sixvec as sv
from sixvec import sim
from sixvec.constraints.contacts import floor
from sixvec.geometry.rigid_body.solids import Sphere
from sixvec.model import Actuator, JointTransmission

FOOT, FRICTION = 0.015, 0.8
STIFFNESS, DAMPING, STRONGEST = 15.0, 0.4, 2.5
"""Of the servos, in N m/rad, N m s/rad and N m."""

CYCLE, LIFT, STRIDE, SPEED = 0.4, 0.35, 0.15, 0.35
"""Of the trot: its time in s, how far thighs bend to lift a foot and swing to each side in rad, and its speed, m/s."""

PERIOD, FINE, COARSE = 0.02, 0.001, 0.02 / 3.0
"""Times in s: between two plans, and the steps of the robot and of the plans."""

SAMPLES, AHEAD, KNOTS = 1024, 18, 5
SIZE, TEMPERATURE = 0.25, 0.05
"""Of the random changes, in rad, and of their weights, as a part of the mean cost above the best one."""

PUSH, WHEN = (0.0, 5.0, 0.0), 1.0
"""An impulse on the trunk in N s, to the left, and its time in s."""


class Quadruped:
    """The robot with a servo in every joint, its posture, and the targets of its trot."""

    def __init__(self) -> None:
        bare = sv.load("solo12").model
        laws: Any = {"gain": (STIFFNESS, 0.0, 0.0), "bias": (0.0, -STIFFNESS, -DAMPING)}
        joints = [b.joint_name for b in bare.moving[1:]]
        servos = [Actuator(j, JointTransmission(j), force_range=(-STRONGEST, STRONGEST), **laws) for j in joints]
        self.robot = sv.Robot(replace(bare, actuators=tuple(servos)))
        self.feet = [name for name in self.robot.frame_names if name.endswith("FOOT")]
        front, hind = [0.0, 0.8, -1.6], [0.0, -0.8, 1.6]
        self.q = self.robot.neutral()
        self.q[7:] = [*front, *front, *hind, *hind]
        self.q[2] += FOOT - min(self.robot.pose(self.q, foot)[2, 3] for foot in self.feet)

    def batch(self, count: int, dt: float, dtype: Any) -> sim.Batch:
        """Environments in which a step lasts a period."""
        contacts = floor(self.feet, Sphere(FOOT), friction=FRICTION)
        options: dict[str, Any] = {"contacts": contacts, "actuators": "file", "dtype": dtype}
        return sim.Batch(
            self.robot, count, dt=dt, substeps=round(PERIOD / dt), start=(self.q, np.zeros(self.robot.nv)), **options
        )

    def trot(self, t: float) -> Any:
        """Targets of the joints: diagonal feet swing forwards together, half a cycle after the others."""
        targets = self.q[7:].copy()
        for k, (sign, later) in enumerate(((1, 0.0), (1, 0.5), (-1, 0.5), (-1, 0.0))):
            phase = 2.0 * np.pi * (t / CYCLE + later)
            lift = sign * LIFT * max(0.0, np.sin(phase))
            targets[3 * k + 1] += lift + STRIDE * np.cos(phase)
            targets[3 * k + 2] -= 2.0 * lift
        return targets

    def cost(self, batch: sim.Batch, way: float) -> Any:
        """How far from upright, from the line and from the `way` along it: squares with weights, (count,)."""
        q, rate = batch.q, batch.v
        tilt = 4.0 * (q[:, 3:5] ** 2).sum(axis=1)  # rad², about horizontal axes
        heading = 4.0 * q[:, 5] ** 2
        off = (q[:, 0] - way) ** 2 + q[:, 1] ** 2 + 10.0 * (q[:, 2] - self.q[2]) ** 2
        return 20.0 * tilt + 5.0 * heading + 20.0 * off + 0.1 * (rate[:, :6] ** 2).sum(axis=1)


class Planner:
    """Plans of changes of the targets, (periods ahead, joints)."""

    def __init__(self, quadruped: Quadruped, samples: int = SAMPLES, seed: int = 0) -> None:
        self.quadruped, self.random = quadruped, np.random.default_rng(seed)
        self.futures = quadruped.batch(samples, COARSE, "float32")
        self.plan = np.zeros((AHEAD, 12), np.float32)
        knots, times = np.linspace(0.0, AHEAD - 1.0, KNOTS), np.arange(AHEAD)
        self.shape = np.stack([np.interp(times, knots, row) for row in np.eye(KNOTS)], axis=1)  # of lines through knots

    def improve(self, t: float, q: Any, v: Any, sent: Any) -> Any:
        """Targets (joints,) for the period after that which begins now, for which targets are `sent` already."""
        futures, count = self.futures, self.futures.count
        changes = SIZE * self.random.standard_normal((KNOTS, 12 * count), np.float32)
        changes = (self.shape.astype(np.float32) @ changes).reshape(AHEAD, count, 12)
        changes[:, 0], changes[:, 1] = 0.0, -self.plan  # the plan itself, and the trot
        futures.reset()
        futures.q[:], futures.v[:] = q, v
        futures.step(np.float32(sent))
        cost = np.zeros(count)
        for k in range(AHEAD):
            later = t + (k + 1) * PERIOD
            targets = self.quadruped.trot(later) + self.plan[k]
            futures.step(changes[k] + targets.astype(np.float32))
            cost += self.quadruped.cost(futures, SPEED * (later + PERIOD))
        above = np.nan_to_num(cost, nan=np.inf) - np.nanmin(cost)
        weight = np.exp(-above / (TEMPERATURE * np.median(above) + 1e-9))
        self.plan += np.einsum("n,tnj->tj", weight / weight.sum(), changes).astype(np.float32)
        targets = self.quadruped.trot(t + PERIOD) + self.plan[0]
        self.plan = np.concatenate([self.plan[1:], self.plan[-1:]])
        return targets


def pushed(
    planner: Planner | None, quadruped: Quadruped, push: Any = PUSH, seconds: float = 3.0, path: Any = None
) -> dict[str, float]:
    """What happens to the robot, without a planner on targets of the trot; `path` gets its positions."""
    robot, plant = quadruped.robot, quadruped.batch(1, FINE, "float64")
    targets, spent = quadruped.trot(0.0), []
    tilt, height, residual = [], [], []
    for k in range(round(seconds / PERIOD)):
        if k == round(WHEN / PERIOD):
            plant.v[0] += after_push(robot, plant.q[0], push)
        start = time.perf_counter()
        planned = None if planner is None else planner.improve(k * PERIOD, plant.q[0], plant.v[0], targets)
        spent.append(time.perf_counter() - start)
        plant.step(targets)
        targets = quadruped.trot((k + 1) * PERIOD) if planned is None else planned
        residual.append(float(plant.residual[0]))
        tilt.append(float(np.arccos(np.clip(robot.pose(plant.q[0], "base_link")[2, 2], -1.0, 1.0))))
        height.append(float(plant.q[0, 2]))
        if path is not None:
            path.append(plant.q[0].copy())
    return {
        "largest tilt, rad": max(tilt),
        "lowest height, m": min(height),
        "way along the line, m": float(plant.q[0, 0]),
        "way to the side, m": float(plant.q[0, 1]),
        "largest residual, m/s": max(residual),
        "time for a plan, ms": 1e3 * float(np.median(spent)) if planner else 0.0,
        "plans in time, %": 100.0 * float(np.mean(np.array(spent) <= PERIOD)),
    }


def after_push(robot: sv.Robot, q: Any, push: Any) -> Any:
    """Change of the velocities by an impulse at the origin of the trunk, given along the axes of the world."""
    along = np.zeros(robot.nv)
    along[3:6] = robot.pose(q, "base_link")[:3, :3].T @ push
    return robot.mass_matrix_solve(q, along)


def main(samples: int = SAMPLES, seconds: float = 3.0, push: Any = PUSH) -> dict[str, dict[str, float]]:
    """Push the robot twice, print and return what happened."""
    quadruped = Quadruped()
    runs = {
        "trot alone": pushed(None, quadruped, push, seconds),
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
