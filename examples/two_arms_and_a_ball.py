"""Two Pandas exchange the places of their hands while a ball passes between them: nothing touches.

One stack has both arms.  The hands follow points on circles that cross each other's, postures matter little, and
clearance keeps three centimetres between the arms, within each of them and around the ball.  Where these leave no
way, the hands lag behind, and catch up later.

    python examples/two_arms_and_a_ball.py            # figures
    python examples/two_arms_and_a_ball.py arms.gif   # and a film (pip install -e '.[viz]')
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np

import sixvec as sv
from sixvec import tasks
from sixvec.formats import parse_model
from sixvec.model.edits import attach
from sixvec.spatial import Pose, Vec3

ONE_ARM = runpy.run_path(str(Path(__file__).with_name("avoid_ball.py")))
TOOL, BALL, SECOND = ONE_ARM["TOOL"], ONE_ARM["BALL"], "right_"
START = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
APART, MARGIN = 0.7, 0.03
FROM, TO = np.array([0.9, 0.35, 0.35]), np.array([-0.2, 0.35, 0.75])
STEP, STEPS, SHOWN, PASSED = 0.02, 500, 10, 400
CIRCLE, TURN = 0.22, 6.0
"""Radius (m) and time of a turn (s) of the points that the hands follow."""


def both() -> sv.Robot:
    """Two arms with capsules, side by side."""
    arm = ONE_ARM["arm"]()
    pairs = {*ONE_ARM["LINKS"], TOOL}
    model = attach(arm.model, arm.model, arm.frame_names[0], Pose.translation(Vec3(0.0, APART, 0.0)), SECOND)
    robot = sv.Robot(model)
    known = {frozenset(pair) for pair in arm.collision_pairs}
    apart = [
        (prefix + a, prefix + b)
        for prefix in ("", SECOND) for a in pairs for b in pairs if a < b and frozenset((a, b)) not in known
    ]  # fmt: skip
    return robot.with_collision_pairs(without=apart)


def points() -> tuple[Any, Any]:
    """Where the hands should be: circles whose centres are nearer to each other than their radii."""
    t = 2.0 * np.pi / TURN * STEP * np.arange(STEPS)
    middle = np.array([0.5, 0.5 * APART, 0.5])
    side = np.array([0.0, 0.12, 0.0])
    around = CIRCLE * np.stack([np.sin(t), np.cos(t), 0.3 * np.sin(2.0 * t)], axis=1)
    return middle - side - around * [1.0, 1.0, -1.0], middle + side + around


def moved(robot: sv.Robot) -> tuple[Any, Any, Any]:
    """The motion, the poses of the ball, and the least gap at each step."""
    world = sv.World()
    ball = world.sphere(BALL, name="ball")
    poses = np.tile(np.eye(4), (STEPS, 1, 1))
    poses[:, :3, 3] = FROM + np.clip(np.arange(STEPS) / PASSED, 0.0, 1.0)[:, None] * (TO - FROM)
    ball.pose = poses[0]
    rest = np.concatenate([START, START])
    left, right = tasks.Position(TOOL, gain=0.2), tasks.Position(SECOND + TOOL, gain=0.2)
    stack = tasks.Stack(robot, left, right, tasks.Posture(rest, weight=0.1, gain=0.1), clearance=(world, MARGIN))
    goals = dict(zip((TOOL, SECOND + TOOL), points(), strict=True))
    path = stack.follow(rest, goals | {"ball": poses}, dt=STEP)
    gaps = np.empty(STEPS)
    for k, q in enumerate(path.q):
        ball.pose = poses[k]
        gaps[k] = robot.distance(q, world).distance
    return path, poses, gaps


def main() -> dict[str, float]:
    robot = both()
    path, poses, gaps = moved(robot)
    misses = [
        np.linalg.norm(robot.pose(path.q, name)[:, :3, 3] - goal, axis=1)
        for name, goal in zip((TOOL, SECOND + TOOL), points(), strict=True)
    ]
    alone = tasks.Stack(robot, *(tasks.Position(p + TOOL, gain=0.2) for p in ("", SECOND)),
                        tasks.Posture(np.tile(START, 2), weight=0.1, gain=0.1))  # fmt: skip
    heedless = alone.follow(np.tile(START, 2), dict(zip((TOOL, SECOND + TOOL), points(), strict=True)), dt=STEP)
    figures = {
        "least gap without clearance, m": float(robot.distance(heedless.q).distance.min()),
        "least gap, m": gaps.min(),
        "median error of the hands, m": float(np.median(misses)),
        "largest error of the hands, m": float(np.max(misses)),
        "steps with a gap at its margin": float((gaps < MARGIN + 1e-3).sum()),
    }
    for name, value in figures.items():
        print(f"{name:32} {value:8.4f}")
    if len(sys.argv) > 1:
        shown = sv.Robot(attach(robot.model, parse_model(ONE_ARM["BALL_URDF"], "ball.urdf"), robot.frame_names[0]))
        q = np.concatenate([path.q, poses[:, :3, 3]], axis=1)
        print(shown.animate(q[::SHOWN], sys.argv[1], SHOWN * STEP, overwrite=True))
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    main()
