"""A humanoid stands, shifts its weight over its left foot and lifts the right one, in a simulation with contacts.

    python examples/lift_a_foot.py

A stack of accelerations decides the torques every 4 ms: both feet are held by forces in their cones of friction, the
centre of mass and the right foot follow their targets, and no motor exceeds its limit.  The right foot is released by
its target alone, the largest force with which it may push.  The simulation knows nothing of that: it has spheres at the
corners of the feet, and a floor.
"""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv
from sixvec import tasks
from sixvec.constraints.contacts import Contact
from sixvec.geometry.rigid_body import Sphere
from sixvec.spatial import Pose, Vec3

PACKAGE, FILE = "example-robot-data", "g1_description/urdf/g1_29dof_rev_1_0.urdf"
LEFT, RIGHT = "left_ankle_roll_link", "right_ankle_roll_link"
CORNERS = [[0.12, 0.03, -0.03], [0.12, -0.03, -0.03], [-0.05, 0.025, -0.03], [-0.05, -0.025, -0.03]]
RADIUS, FRICTION = 0.005, 0.8
DT, SUBSTEPS = 0.004, 2
SHIFTED, UNLOADED, LIFTED, END = 1.0, 1.2, 1.8, 2.4
"""The ends of the phases, s."""
HEIGHT = 0.05


def standing(robot: sv.Robot) -> Any:
    """Knees bent, the soles on the floor."""
    q = robot.neutral()
    for side in ("left", "right"):
        for joint, angle in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)):
            q[robot.model.q_slices[_body(robot, f"{side}_{joint}_joint")]] = angle
    q[2] -= robot.pose(q, LEFT)[2, 3] + CORNERS[0][2] - RADIUS
    return q


def _body(robot: sv.Robot, joint: str) -> str:
    return next(b.name for b in robot.model.moving if b.joint_name == joint)


def controller(robot: sv.Robot, q: Any) -> tasks.Stack:
    soles = [[x, y, z - RADIUS] for x, y, z in CORNERS]
    feet = [tasks.Held(f, friction=0.6, points=soles, gain=0.1) for f in (LEFT, RIGHT)]
    return tasks.Stack(
        robot,
        *feet,
        tasks.CenterOfMass(weight=3.0, gain=0.03),
        tasks.Frame(RIGHT, gain=0.05, name="swing"),
        tasks.Orientation("pelvis", gain=0.04),
        tasks.Posture(q, weight=0.1, gain=0.03),
        order="acceleration",
        acceleration=300.0,
    )


def smooth(x: float) -> float:
    """From 0 to 1, at rest at both ends."""
    x = min(max(x, 0.0), 1.0)
    return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)


def simulate(robot: sv.Robot, end: float = END) -> dict[str, Any]:
    """The states, torques and forces of the floor on each foot, after each step of the controller."""
    q, v = standing(robot), np.zeros(robot.nv)
    stack, foot = controller(robot, q), robot.pose(q, RIGHT)
    com, above = robot.center_of_mass(q), robot.pose(q, LEFT)[:3, 3] + [0.03, 0.0, 0.0]
    contacts = tuple(
        Contact(f, Sphere(RADIUS), friction=FRICTION, placement=Pose.translation(Vec3(*p)))
        for f in (LEFT, RIGHT) for p in CORNERS
    )  # fmt: skip
    over, weight = np.array([above[0], above[1], com[2]]), 9.81 * robot.mass
    record: dict[str, list[Any]] = {name: [] for name in ("t", "q", "v", "tau", "verdict", "left", "right", "asked")}
    for k in range(int(end / DT)):
        t = k * DT
        swing = foot.copy()
        swing[2, 3] += HEIGHT * smooth((t - UNLOADED) / (LIFTED - UNLOADED))
        push = 2.0 * weight if t < SHIFTED else weight * (1.0 - smooth((t - SHIFTED) / (UNLOADED - SHIFTED)))
        targets = {
            "com": com + smooth(t / SHIFTED) * (over - com), "swing": swing, "pelvis": np.eye(3),
            RIGHT: push if t < UNLOADED else 0.0,
        }  # fmt: skip
        step = stack(q, targets, DT, v=v)
        path = robot.rollout(q, v, step.tau, DT / SUBSTEPS, steps=SUBSTEPS, contacts=contacts)
        q, v, forces = path.q[-1], path.v[-1], path.force[-1, ::3]
        values = (t, q, v, step.tau, step.verdict, forces[:4].sum(), forces[4:].sum(), step.force[:, 5])
        for name, x in zip(record, values, strict=True):
            record[name].append(x)
    return {name: np.array(x) for name, x in record.items()}


def load() -> sv.Robot:
    files = [f for f in metadata.files(PACKAGE) or [] if str(f).endswith(FILE)]
    return sv.load(Path(str(files[0].locate())), floating=True)


if __name__ == "__main__":
    try:
        robot = load()
    except metadata.PackageNotFoundError:
        sys.exit(f"this needs the file of the robot: pip install {PACKAGE}")
    record = simulate(robot)
    for t in np.arange(0.2, END, 0.2):
        k = int(t / DT)
        height = robot.pose(record["q"][k], RIGHT)[2, 3] - robot.pose(record["q"][0], RIGHT)[2, 3]
        print(f"{t:4.1f} s: {record['left'][k]:6.1f} N left, {record['right'][k]:6.1f} N right, "
              f"right foot {1e3 * height:5.1f} mm high")  # fmt: skip
