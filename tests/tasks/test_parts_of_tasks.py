"""What tasks are made of: joints at their limits, angles and lengths of joints, what is open of loops."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from sixvec.geometry.rigid_body import Sphere
from sixvec.model import Body, Closure, Geom, Model
from sixvec.model import Frame as ModelFrame
from sixvec.model.canonical import canonical
from sixvec.model.joints import Fixed, Prismatic, Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from sixvec.tasks import ClosedLoops, Frame, Position, Posture, Stack
from sixvec.tasks.joints import joint_freedoms
from sixvec.tasks.position_limits import Bounds

LOAD = RigidInertia.from_center_of_mass(1.0, Vec3(0.1, 0.0, 0.0), Sym3.diagonal(0.1, 0.1, 0.1))


@pytest.mark.parametrize(
    ("at", "push", "moves"),
    [
        (-1.0, -0.01, 0.0), (-1.0, 0.01, 1.0), (-1.0, 0.0, 1.0), (-1.1, -5.0, 0.0), (-0.99, -5.0, 1.0),
        (2.0, 0.01, 0.0), (2.0, -0.01, 1.0), (2.0, 0.0, 1.0), (2.1, 5.0, 0.0), (1.99, 5.0, 1.0),
    ],
)  # fmt: skip
def test_joints_at_a_limit_only_move_away_from_it(at: float, push: float, moves: float) -> None:
    model = sv.load("planar_2r").model
    one_side = Bounds([-1.0, -math.inf], [2.0, math.inf], model)
    assert one_side.free([at, at], [push, push]) == [moves, 1.0]
    assert one_side.clipped([at, at]) == [min(max(at, -1.0), 2.0), at]
    for lower, upper in ((-1.0, math.inf), (-math.inf, 2.0)):
        bounds = Bounds([lower, -math.inf], [upper, math.inf], model)
        blocked = (at <= lower and push < 0.0) or (at >= upper and push > 0.0)
        assert bounds.free([at, at], [push, push]) == [float(not blocked), 1.0]


def test_a_free_joint_turns_first_and_shifts_then() -> None:
    model = sv.Robot(sv.load("planar_2r").model).model
    floating = sv.model.edits.floating.with_free_root(model)
    kinds = [is_angle for _, is_angle in joint_freedoms(floating)]
    assert kinds == [True] * 3 + [False] * 3 + [True] * 2
    names = [name for name, _ in joint_freedoms(floating)]
    assert len(set(names[:6])) == 1 and len(set(names)) == 3


@pytest.mark.parametrize(
    ("joint", "position", "rotation"),
    [(Revolute(Vec3(0.0, 0.0, 1.0)), 0.0, 0.09), (Prismatic(Vec3(1.0, 0.0, 0.0)), 0.09, 0.0)],
)
def test_gaps_of_loops_are_lengths_and_angles(joint: Revolute | Prismatic, position: float, rotation: float) -> None:
    """Two joints side by side, whose bodies are welded: 0.5 and 0.2 are 0.3 apart."""
    bodies = (Body("a", joint=joint, inertia=LOAD), Body("b", joint=joint, inertia=LOAD))
    frames = (ModelFrame("on a", "a"), ModelFrame("on b", "b"))
    model = Model("pair", bodies, frames, closures=(Closure("weld", "on a", "on b", Fixed()),))
    gap = ClosedLoops().mismatch(canonical(model), [0.5, 0.2], None)
    assert (gap.position, gap.rotation) == pytest.approx((position, rotation), abs=1e-12)


def test_hard_tasks_and_clearances_hold_together() -> None:
    """The hand is drawn into a table: it stays above, and does not leave its plane on the way."""
    arm, q = sv.load("panda"), [0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8]
    ball = Geom("panda_link8", Sphere(0.08), Pose.translation(Vec3(0.0, 0.0, 0.08)))
    robot, world = sv.Robot(replace(arm.model, geoms=(ball,))), sv.World()
    pose = np.eye(4)
    pose[:3, 3] = [0.5, 0.0, 0.2]
    world.box((1.0, 1.0, 0.05), pose)
    in_plane = Frame("panda_link8", directions="y", hard=True, name="plane")
    stack = Stack(robot, Position("panda_link8"), in_plane, Posture(q, weight=0.1), clearance=(world, 0.02))
    here = robot.pose(q, "panda_link8")
    path = stack.follow(q, {"panda_link8": [0.45, 0.3, 0.1], "plane": here}, dt=0.02, steps=150)
    assert robot.distance(path.q, world).distance.min() > 0.02 - 2e-4  # of second order in a step
    places = robot.pose(path.q, "panda_link8")[:, :3, 3]
    assert abs(places[:, 1] - here[1, 3]).max() < 1e-6
    assert places[-1, 2] < here[2, 3] - 0.1
