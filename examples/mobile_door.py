"""A Panda on a differential drive opens a door: the hand follows the handle, the platform makes way.

The handle moves on a circle about the hinge and turns with the door.  Wheels and joints follow it together; a turning
wheel is made cheap, so that the platform makes way, and what is left pulls the joints to where they began.

    python examples/mobile_door.py          # figures
    python examples/mobile_door.py --plot   # and the path of the platform (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys

import numpy as np

import sixvec
from sixvec.mobile import Caster, Platform, differential_drive, mount
from sixvec.spatial import RigidInertia, Sym3, Vec3

HAND = "panda_link8"
ARM = np.array([0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8])
WIDTH, ANGLE, STEP, STEPS = 0.8, 1.2, 0.01, 600


def main(plot: bool = False) -> dict[str, float]:
    drive = differential_drive(0.5, 0.1)
    wheels = [*drive.wheels, Caster(0.4, 0.2, offset=0.04, radius=0.05), Caster(0.4, -0.2, offset=0.04, radius=0.05)]
    slab = RigidInertia.from_center_of_mass(60.0, Vec3(0.1, 0.0, 0.15), Sym3.diagonal(2.0, 3.0, 4.0))
    place = np.eye(4)
    place[:3, 3] = [0.1, 0.0, 0.4]
    robot = mount(sixvec.load("panda"), Platform(wheels, name="carriage"), place, inertia=slab)

    q = np.concatenate([np.zeros(3), ARM])
    handle = robot.pose(q, HAND)
    hinge = handle[:3, 3] + [0.0, WIDTH, 0.0]
    spin = -ANGLE / (STEPS * STEP)  # it opens towards the robot
    path, margins = [q], []
    for k in range(STEPS):
        turned = spin * STEP * k
        R = np.array([[np.cos(turned), -np.sin(turned), 0.0], [np.sin(turned), np.cos(turned), 0.0], [0.0, 0.0, 1.0]])
        goal = np.eye(4)
        goal[:3, :3], goal[:3, 3] = R @ handle[:3, :3], hinge + R @ (handle[:3, 3] - hinge)
        X = robot.pose(q, HAND)
        error = goal[:3, :3] @ X[:3, :3].T
        missing = np.array([error[2, 1] - error[1, 2], error[0, 2] - error[2, 0], error[1, 0] - error[0, 1]]) / 2.0
        omega = np.array([0.0, 0.0, spin])
        twist = np.concatenate([omega, np.cross(omega, goal[:3, 3] - hinge)])
        twist += 10.0 * np.concatenate([missing, goal[:3, 3] - X[:3, 3]])
        preferred = np.concatenate([np.zeros(2), 0.5 * (ARM - q[3:])])
        motion = robot.inverse_rates(q, twist, HAND, preferred=preferred, weight=[0.02, 0.02, *np.ones(7)])
        margins.append(float(robot.support(q, motion.v).margin))
        q = robot.integrate(q, motion.v * STEP)
        path.append(q)
    way = np.array(path)
    off = np.linalg.norm(robot.pose(way[1:], HAND)[:, :3, 3] - hinge, axis=-1) - np.linalg.norm(handle[:3, 3] - hinge)
    figures = {
        "door opened, rad": ANGLE,
        "hand off the circle, mm": float(np.abs(off).max() * 1e3),
        "platform moved, m": float(np.linalg.norm(way[-1, :2])),
        "platform turned, rad": float(way[-1, 2]),
        "least margin against tipping, m": min(margins),
    }
    for name, value in figures.items():
        print(f"{name:32} {value:9.3g}")
    if plot:
        import matplotlib.pyplot as plt

        hand = robot.pose(way, HAND)[:, :2, 3]
        plt.plot(*way[:, :2].T, label="platform")
        plt.plot(*hand.T, label="hand")
        plt.axis("equal")
        plt.xlabel("x, m")
        plt.ylabel("y, m")
        plt.legend()
        plt.show()
    return figures


if __name__ == "__main__":
    main(plot="--plot" in sys.argv[1:])
