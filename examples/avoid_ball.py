"""A Panda keeps its tool in place while a ball moves through its forearm: the arm keeps three centimetres of clearance.

The pose of the tool is a task, the posture a weaker one, and clearance is a limit that no task may break.  Where the
ball leaves no room, the tool yields, and returns when it has passed.

    python examples/avoid_ball.py                 # figures
    python examples/avoid_ball.py avoid_ball.gif  # and a film (pip install -e '.[viz]')
"""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

import sixvec as sv
from sixvec import tasks
from sixvec.formats import parse_model
from sixvec.geometry.rigid_body import Capsule, Sphere
from sixvec.model import Geom
from sixvec.model.edits import attach
from sixvec.model.geom import z_towards
from sixvec.spatial import Pose, Vec3

TOOL = "panda_link8"
START = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
LINKS = {"panda_link0": 0.09, "panda_link2": 0.08, "panda_link4": 0.07, "panda_link6": 0.07}
"""Links with a capsule from their origin to that of the link after the next, and its radius."""

BALL, MARGIN = 0.1, 0.03
FROM, TO = np.array([0.3, -0.6, 0.6]), np.array([0.3, 0.6, 0.6])
STEP, STEPS, SHOWN = 0.02, 450, 5
"""Seconds of a step, steps, and the steps from picture to picture of the film."""

PASSED = 350
"""The step at which the ball has arrived."""

BALL_URDF = f"""<robot name="ball"><link name="ground"/><link name="x"/><link name="y"/><link name="ball">
<visual><geometry><sphere radius="{BALL}"/></geometry></visual></link>
<joint name="along_x" type="prismatic"><parent link="ground"/><child link="x"/><axis xyz="1 0 0"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="along_y" type="prismatic"><parent link="x"/><child link="y"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="along_z" type="prismatic"><parent link="y"/><child link="ball"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>"""


def arm() -> sv.Robot:
    """A Panda with capsules as collision shapes."""
    panda = sv.load("panda")
    shapes = []
    for link, radius in LINKS.items():
        start, end = (panda.pose(START, name) for name in (link, f"panda_link{int(link[-1]) + 2}"))
        way = start[:3, :3].T @ (end[:3, 3] - start[:3, 3])
        turned = Pose(z_towards(Vec3(*(way / np.linalg.norm(way)).tolist())), Vec3(*(0.5 * way).tolist()))
        shapes.append(Geom(link, Capsule(radius, float(np.linalg.norm(way))), turned))
    shapes.append(Geom(TOOL, Sphere(0.07), Pose.translation(Vec3(0.0, 0.0, 0.05))))
    robot = sv.Robot(replace(panda.model, geoms=tuple(shapes)))
    frames = [*LINKS, TOOL]
    return robot.with_collision_pairs(without=pairwise(frames))  # they share a joint


def avoided(robot: sv.Robot) -> tuple[Any, Any, Any]:
    """The motion, the poses of the ball, and the distance from it at each step."""
    world = sv.World()
    ball = world.sphere(BALL, name="ball")
    poses = np.tile(np.eye(4), (STEPS, 1, 1))
    poses[:, :3, 3] = FROM + np.clip(np.arange(STEPS) / PASSED, 0.0, 1.0)[:, None] * (TO - FROM)
    ball.pose = poses[0]
    stack = tasks.Stack(
        robot,
        tasks.Frame(TOOL, gain=0.2),
        tasks.Posture(START, weight=0.05, gain=0.1),
        clearance=(world, MARGIN),
    )
    goal = robot.pose(START, TOOL)
    path = stack.follow(START, {TOOL: goal, "ball": poses}, dt=STEP, steps=STEPS)
    gaps = np.empty(STEPS)
    for k, q in enumerate(path.q):
        ball.pose = poses[k]
        gaps[k] = robot.distance(q, world).distance
    return path, poses, gaps


def main() -> dict[str, float]:
    robot = arm()
    path, poses, gaps = avoided(robot)
    tool = robot.pose(path.q, TOOL)[:, :3, 3] - robot.pose(START, TOOL)[:3, 3]
    world, still = sv.World(), []
    ball = world.sphere(BALL)
    for pose in poses:
        ball.pose = pose
        still.append(float(robot.distance(START, world).distance))
    figures = {
        "least gap of an arm at rest, m": min(still),
        "least gap, m": gaps.min(),
        "largest error of the tool, m": np.linalg.norm(tool, axis=1).max(),
        "error of the tool at the end, m": np.linalg.norm(tool[-1]),
        "largest joint motion, rad": np.abs(path.q - START).max(),
    }
    for name, value in figures.items():
        print(f"{name:32} {value:8.4f}")
    if len(sys.argv) > 1:
        both = sv.Robot(attach(robot.model, parse_model(BALL_URDF, "ball.urdf"), robot.frame_names[0]))
        q = np.concatenate([path.q, poses[:, :3, 3]], axis=1)
        print(both.animate(q[::SHOWN], sys.argv[1], SHOWN * STEP, overwrite=True))
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    main()
