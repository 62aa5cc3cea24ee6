"""Certified motions: nothing is missed, and bounds hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shaped_robots import arm, with_shapes

import sixvec as sv
from sixvec.distance.between import Motions, clear_between
from sixvec.distance.levers import levers, travel_of, tree_motion
from sixvec.distance.robot_distance import parts_of, placed_robot
from sixvec.errors import ArgumentError
from sixvec.formats import parse_model
from sixvec.geometry.rigid_body import Sphere
from sixvec.model import Geom
from sixvec.model.geom import HalfSpace

SLIDING = """<robot name="gantry"><link name="base"/>
<link name="turn"><collision><geometry><box size="0.2 0.1 0.1"/></geometry></collision></link>
<joint name="a" type="revolute"><parent link="base"/><child link="turn"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<link name="slide"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="b" type="prismatic"><parent link="turn"/><child link="slide"/><origin xyz="0.3 0 0.3"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="tip"><collision><origin xyz="0.3 0 0"/><geometry><capsule radius="0.05" length="0.2"/></geometry>
</collision></link><joint name="c" type="revolute"><parent link="slide"/><child link="tip"/><origin xyz="0.2 0 0"/>
<axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/><mimic joint="a" multiplier="-0.7"/></joint>
</robot>"""


def robots() -> dict[str, sv.Robot]:
    free = sv.Robot(parse_model(SLIDING, "gantry.urdf", floating=True))
    return {
        "round": with_shapes(arm(), ("sphere", "capsule"), each=1),
        "solid": with_shapes(arm(4), ("box", "cylinder", "convex hull"), each=1),
        "sliding": sv.Robot(parse_model(SLIDING, "gantry.urdf")),
        "free": free,
    }


@pytest.fixture(scope="module", params=["round", "solid", "sliding", "free"])
def robot(request: pytest.FixtureRequest) -> sv.Robot:
    return robots()[request.param]


def motions(robot: sv.Robot, n: int, size: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = robot.random(rng, n)
    return q, robot.integrate(q, rng.normal(size=(n, robot.nv)) * size)


def test_no_point_of_a_core_moves_farther_than_its_bound(robot: sv.Robot) -> None:
    q0, q1 = motions(robot, 60, 0.5)
    dq, placed = robot.difference(q0, q1), placed_robot(robot)
    arms = levers(placed.tree, placed.shapes)
    whole = tree_motion(placed.tree, dq)
    bound = arms.speeds(whole, travel_of(arms, placed.tree, q0, q1, whole)).sum(axis=2)
    steps = [placed.placing(robot.integrate(q0, t * dq)).reshape(60, -1, 12) for t in np.linspace(0.0, 1.0, 33)]
    solids, rng = placed.solids, np.random.default_rng(1)
    for _ in range(20):
        d = rng.normal(size=(len(placed.shapes), 3))
        p = solids.ball + d / np.linalg.norm(d, axis=1, keepdims=True) * (solids.ball_radius - solids.radius)[:, None]
        path = np.array([np.einsum("nsij,sj->nsi", X[..., :9].reshape(60, -1, 3, 3), p) + X[..., 9:] for X in steps])
        length = np.linalg.norm(np.diff(path, axis=0), axis=-1).sum(axis=0)
        assert (length <= bound * (1.0 + 1e-9) + 1e-12).all()


@pytest.mark.covers("DIST-03")
def test_certified_motions_have_no_contact_and_others_have_a_small_gap(robot: sv.Robot) -> None:
    q0, q1 = motions(robot, 40, 0.3, seed=3)
    world = sv.World()
    world.sphere(0.2, np.array([[1, 0, 0, 0.5], [0, 1, 0, 0.4], [0, 0, 1, 0.6], [0, 0, 0, 1.0]]))
    world.points(np.random.default_rng(0).uniform(-1.0, 1.0, (30, 3)), 0.02)
    clear = robot.is_clear_between(q0, q1, world)
    dq = robot.difference(q0, q1)
    least = np.min([robot.distance(robot.integrate(q0, t * dq), world).distance for t in np.linspace(0, 1, 61)], axis=0)
    assert clear.any() and not clear.all()
    assert (least[clear] > 0.0).all()
    assert (least[~clear] < 3e-2).all()  # between samples it may be less


def test_a_thin_plate_is_never_missed() -> None:
    robot = with_shapes(arm(3), ("sphere",), each=1)
    q0 = robot.neutral()
    q1 = q0 + np.array([0.0, 1.5, 0.0])
    world = sv.World()
    plate = world.box((1e-4, 1e-4, 1e-4))
    rng, last = np.random.default_rng(0), len(robot.collision_shapes) - 1
    placed = placed_robot(robot)
    for _ in range(20):
        t = rng.uniform()
        X = placed.placing(q0 + t * (q1 - q0)).reshape(-1, 12)[last]
        pose = np.eye(4)
        pose[:3, 3] = X[9:]
        plate.pose = pose
        assert not robot.is_clear_between(q0, q1, world)
        assert not robot.is_clear_between(q1, q0, world)


def test_few_states_are_looked_at() -> None:
    robot = robots()["round"]
    rng = np.random.default_rng(4)
    q0 = robot.random(rng, 400)
    step = rng.normal(size=q0.shape)
    q1 = np.clip(q0 + 2.0 * step / np.linalg.norm(step, axis=1, keepdims=True), robot.lower, robot.upper)
    parts = parts_of(robot, "test", None)
    clear, checks = clear_between(placed_robot(robot), parts, Motions(q0, q1, q1 - q0, robot.integrate))
    assert clear.any() and np.median(checks[clear]) <= 10


def test_bad_states_and_batches() -> None:
    robot = robots()["solid"]
    q = robot.random(0, 3)
    broken = q.copy()
    broken[1, 0] = np.nan
    assert not robot.is_clear_between(broken, q)[1]
    one = robot.is_clear_between(q[0], q[:, None])
    assert one.shape == (3, 1) and one[0, 0] == robot.is_clear(q[0])
    assert robot.is_clear_between(q[:0], q[:0]).shape == (0,)


def test_a_motion_along_a_plate_at_nearly_no_distance_ends() -> None:
    robot = sv.Robot(parse_model(SLIDING.split('<link name="tip">')[0] + "</robot>", "gantry.urdf"))
    world = sv.World()
    height = placed_robot(robot).placing(robot.neutral()).reshape(-1, 12)[1, 11]
    pose = np.eye(4)
    pose[2, 3] = height - 0.1 - 1e-7  # below the sphere, which slides sideways
    world.half_space(pose)
    q = robot.neutral()
    assert not robot.is_clear_between(q, q + np.array([0.0, 1.0]), world)


def test_a_plane_that_moves_has_no_bound() -> None:
    base = arm(2)
    robot = sv.Robot(replace(base.model, geoms=(Geom("link2", HalfSpace()), Geom("link1", Sphere(0.1)))))
    robot = robot.with_collision_pairs(also=[("link1", "link2")])
    with pytest.raises(ArgumentError, match="half space"):
        robot.is_clear_between(robot.neutral(), robot.random(0))
