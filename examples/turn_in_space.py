"""A satellite turns by waving its arm: no thrust, no reaction wheels, and its momentum stays zero.

The two joints of the arm go around a square. Each round turns the satellite by some degrees, although everything is at
rest before and after: the turn depends on the path of the joints and not on its duration. A falling cat does the same.

    python examples/turn_in_space.py            # the turn of one round, and the rounds for 90 degrees
    python examples/turn_in_space.py --size 0.5 # a smaller square
"""

from __future__ import annotations

import argparse
import math

import numpy as np

import sixvec
from sixvec.analysis import floating_velocity
from sixvec.model import Body, Model
from sixvec.model.joints import Free, Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

Z = Vec3(0.0, 0.0, 1.0)
STEPS = 200
"""Steps of the midpoint rule for each side of the square."""


def satellite() -> sixvec.Robot:
    """A box of 12 kg with an arm of two links in its plane."""
    box = RigidInertia.from_center_of_mass(12.0, Vec3.zero(), Sym3.diagonal(0.5, 0.5, 0.6))
    rod = RigidInertia.from_center_of_mass(3.0, Vec3(0.35, 0.0, 0.0), Sym3.diagonal(0.001, 0.12, 0.12))
    bodies = (
        Body("box", None, Free(), inertia=box),
        Body("upper", "box", Revolute(Z), Pose.translation(Vec3(0.3, 0.0, 0.0)), rod, "shoulder"),
        Body("lower", "upper", Revolute(Z), Pose.translation(Vec3(0.7, 0.0, 0.0)), rod, "elbow"),
    )
    return sixvec.Robot(Model("satellite", bodies)).with_gravity([0.0, 0.0, 0.0])


def after_side(robot: sixvec.Robot, q: np.ndarray, rates: np.ndarray, steps: int = STEPS) -> np.ndarray:
    """The position after one second in which the joints move with constant rates, at zero momentum."""
    h = 1.0 / steps
    for _ in range(steps):
        halfway = robot.integrate(q, 0.5 * h * floating_velocity(robot, q, rates))
        q = robot.integrate(q, h * floating_velocity(robot, halfway, rates))
    return q


def after_round(robot: sixvec.Robot, q: np.ndarray, size: float, steps: int = STEPS) -> np.ndarray:
    """The position after the joints have gone around a square of this size."""
    for rates in ((size, 0.0), (0.0, size), (-size, 0.0), (0.0, -size)):
        q = after_side(robot, q, np.array(rates), steps)
    return q


def heading(robot: sixvec.Robot, q: np.ndarray) -> float:
    """The angle of the box about z, in rad."""
    R = robot.pose(q, "box")
    return math.atan2(R[1, 0], R[0, 0])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--size", type=float, default=1.5, help="side of the square in joint space, rad")
    size = options.parse_args().size
    robot = satellite()
    start = robot.neutral()
    start[-2:] = [0.2, 0.4]
    end = after_round(robot, start, size)
    turn = heading(robot, end) - heading(robot, start)
    print(f"one round turns the satellite by {math.degrees(turn):.2f}°, and back if the joints go the other way")
    print(f"90° take {math.ceil(abs(math.pi / 2 / turn))} rounds")


if __name__ == "__main__":
    main()
