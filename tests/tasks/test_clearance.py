"""Stacks keep robots clear of obstacles and of themselves, come to rest there, and say what stops them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import tasks
from sixvec.errors import SixvecError
from sixvec.geometry.rigid_body import Box, Capsule, Cylinder, Sphere
from sixvec.model import Geom
from sixvec.spatial import Pose, Vec3
from sixvec.verdict import Verdict

Q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
HAND, DT, MARGIN = "panda_link8", 0.01, 0.02
SHAPES = (
    Geom("panda_link0", Box(Vec3(0.2, 0.2, 0.2))),
    Geom("panda_link4", Capsule(0.06, 0.1)),
    Geom("panda_link6", Sphere(0.09)),
    Geom(HAND, Sphere(0.08), Pose.translation(Vec3(0.0, 0.0, 0.08))),
)
SEARCHED = Geom("panda_link5", Cylinder(0.03, 0.1))
"""A cylinder and a box need a search."""


def arm(*more: Geom) -> sv.Robot:
    return sv.Robot(replace(sv.load("panda").model, geoms=(*SHAPES, *more)))


def shifted(*place: float) -> Any:
    X = np.eye(4)
    X[:3, 3] = place
    return X


def table_and_ball() -> sv.World:
    world = sv.World()
    world.box((1.0, 1.0, 0.05), shifted(0.5, 0.0, 0.1), name="table")
    world.sphere(0.1, shifted(0.8, 0.3, 0.6), name="ball")
    return world


def goals(robot: sv.Robot) -> Any:
    """In the table, and in the ball."""
    found = np.repeat(robot.pose(Q, HAND)[None], 4, 0)
    found[:3, :3, 3] = [[0.5, 0.0, 0.05], [0.4, 0.3, 0.1], [0.6, -0.2, 0.0]]
    found[3] = robot.pose(Q, HAND) @ shifted(0.0, 0.0, 0.3)
    return found


@pytest.mark.covers("TASK-03")
@pytest.mark.parametrize("more", [(), (SEARCHED,)])
def test_the_margin_is_kept_and_the_nearest_obstacle_is_named(more: Any) -> None:
    robot, world = arm(*more), table_and_ball()
    stack = tasks.Stack(robot, tasks.Frame(HAND, gain=0.5), tasks.Posture(Q, weight=0.1), clearance=(world, MARGIN))
    path = stack.follow(Q, {HAND: goals(robot)[None]}, DT, steps=120 if more else 400)
    gap = robot.distance(path.q, world)
    assert path and path.q.shape[0] == 4
    assert gap.distance.min() > MARGIN - 2e-4  # what curves add within a step
    assert abs(gap.distance[:3, -1] - MARGIN).max() < 1e-4  # of the last one the orientation keeps it away
    for k in range(3):
        assert f"{HAND}–table: clearance" in path.limits_at((k, -1))


def test_both_ways_to_compute_gaps_make_the_same_step() -> None:
    world = table_and_ball()
    written, searched = arm(), arm(SEARCHED).with_collision_pairs(without=[("panda_link0", "panda_link5")])
    q = np.clip(Q + 0.1 * np.random.default_rng(0).normal(size=(5, 7)), written.lower, written.upper)
    steps = [
        tasks.Stack(robot, tasks.Frame(HAND), tasks.Posture(Q, weight=0.1), clearance=(world, 0.3), damping=0.0)(
            q, {HAND: goals(written)[3]}, DT
        )
        for robot in (written, searched)
    ]
    assert any("clearance" in name for names in steps[0].binding for name in names)
    near = [np.isin(steps[1].near[k], [n for n, x in enumerate(steps[1].clearances) if "link5" in x]) for k in range(5)]
    free = [k for k in range(5) if not (steps[1].active[k, 7:] * near[k]).any()]
    assert len(free) >= 3 and abs(steps[0].v - steps[1].v)[free].max() < 1e-8


def test_robots_that_are_too_near_move_away_and_obstacles_may_move() -> None:
    robot, world = arm(), table_and_ball()
    stack = tasks.Stack(robot, tasks.Damping(), clearance=(world, MARGIN))
    assert not stack(Q, {}, DT).v.any()
    gap = robot.distance(Q, world).distance
    world["ball"].pose = shifted(*(robot.pose(Q, HAND)[:3, 3] + [0.0, 0.1, -0.05]))
    assert robot.distance(Q, world).distance < MARGIN < gap
    path = stack.follow(Q, {}, DT, steps=100)
    assert path and robot.distance(path.q[-1], world).distance > MARGIN - 1e-5
    assert path.limits_at((0,)) != ()


def test_poses_of_obstacles_may_be_targets() -> None:
    """One for each sample, and one for each step."""
    robot, world = arm(), table_and_ball()
    stack = tasks.Stack(robot, tasks.Posture(Q), clearance=(world, MARGIN))
    hand = robot.pose(Q, HAND)[:3, 3]
    sweep = np.stack([shifted(*np.add(hand, [0.0, y, 0.1])) for y in np.linspace(-0.4, 0.4, 200)])
    path = stack.follow(Q, {"ball": sweep}, DT)
    gaps = []
    for q, X in zip(path.q, sweep[1:], strict=False):  # after the step and before the ball has moved on
        world["ball"].pose = X
        gaps.append(robot.distance(q, world).distance)
    assert path and min(gaps) > MARGIN - 0.006  # it moves 4 mm in a step, which the robot does not know
    both = stack(Q, {"ball": np.stack([shifted(2.0, 2.0, 2.0), shifted(*np.add(hand, [0.0, 0.15, 0.05]))])}, DT)
    assert not both.v[0].any() and both.v[1].any()


def test_obstacles_that_are_added_count() -> None:
    robot, world = arm(), table_and_ball()
    stack = tasks.Stack(robot, tasks.Damping(), clearance=(world, MARGIN))
    assert not stack(Q, {}, DT).v.any()
    world.sphere(0.1, shifted(*(robot.pose(Q, HAND)[:3, 3] + [0.0, 0.1, -0.05])), name="new")
    step = stack(Q, {}, DT)
    assert step.v.any() and any("new" in name for name in step.binding)


def test_clearances_that_contradict_each_other_yield() -> None:
    """A hand in a vice stays; limits of acceleration only brake."""
    robot, world = arm(), sv.World()
    hand = (robot.pose(Q, HAND) @ shifted(0.0, 0.0, 0.08))[:3, 3]
    for sign in (-1.0, 1.0):
        world.sphere(1.0, shifted(*np.add(hand, [0.0, sign * 1.085, 0.0])), name=f"jaw {sign:+.0f}")
    stack = tasks.Stack(robot, tasks.Frame(HAND), tasks.Damping(weight=1e-2), clearance=(world, MARGIN), damping=0.0)
    step = stack(Q, {HAND: robot.pose(Q, HAND)}, DT)
    assert step.verdict == Verdict.NEAREST and np.isfinite(step.v).all()
    J = robot.distance(Q, world, gradient=True).gradient
    assert abs(J @ step.v) < 1e-6  # neither jaw comes nearer
    fast = tasks.Stack(robot, tasks.Damping(), clearance=(world, MARGIN), acceleration=1.0)
    moving = fast(Q, {}, DT, v=np.full(7, 0.5))
    assert moving.verdict == Verdict.NEAREST and np.allclose(moving.v, 0.5 - 1.0 * DT, atol=0.021)


def test_limits_of_acceleration_brake_before_the_margin() -> None:
    robot, world = arm(), table_and_ball()
    stack = tasks.Stack(
        robot, tasks.Frame(HAND), tasks.Posture(Q, weight=0.1), clearance=(world, MARGIN), acceleration=5.0
    )
    path = stack.follow(Q, {HAND: goals(robot)[None]}, DT, steps=400)
    assert (path.verdict == Verdict.SOLVED).mean() > 0.99
    assert robot.distance(path.q, world).distance.min() > MARGIN - 2e-3
    before = np.concatenate([np.zeros((4, 1, 7)), path.v[:, :-1]], axis=1)
    assert (abs(path.v - before) <= 5.0 * DT + 1e-9).all()


def test_nan_and_empty_batches() -> None:
    for more in ((), (SEARCHED,)):
        robot, world = arm(*more), table_and_ball()
        stack = tasks.Stack(robot, tasks.Posture(Q), clearance=(world, MARGIN))
        q = np.stack([Q, np.full(7, np.nan), Q])
        step = stack(q, {}, DT)
        assert step.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.SOLVED]
        assert np.array_equal(step.v[0], step.v[2])
        assert stack(np.zeros((0, 7)), {}, DT).v.shape == (0, 7)


def test_a_distance_task_holds_a_gap() -> None:
    robot = arm()
    task = tasks.Distance(HAND, "panda_link4", gain=0.5)
    stack = tasks.Stack(robot, task, tasks.Posture(Q, weight=1e-3))
    path = stack.follow(Q, {task.name: 0.25}, DT, steps=100)
    pairs = robot.with_collision_pairs(also=[(HAND, "panda_link4")]).distances(path.q[-1])
    which = [frozenset(p) for p in pairs.pairs].index(frozenset((HAND, "panda_link4")))
    assert path and pairs.distance[which] == pytest.approx(0.25, abs=1e-4)
    found = sv.ik.solve(robot, {tasks.Distance(HAND, "panda_link0", "origins"): 0.6}, q0=Q)
    ends = [robot.pose(found.q, f)[:3, 3] for f in (HAND, "panda_link0")]
    assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(0.6, abs=1e-6)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda: tasks.Stack(arm(), tasks.Damping(), clearance=0.02), "clearance"),
        (lambda: tasks.Stack(arm(), tasks.Damping(), clearance=("table", 0.02)), "World"),
        (lambda: tasks.Stack(arm(), tasks.Damping(), clearance=(sv.World(), -0.1)), "margin"),
        (lambda: tasks.Stack(sv.load("panda"), tasks.Damping(), clearance=(sv.World(), 0.1)), "collision shapes"),
        (lambda: tasks.Stack(arm(), tasks.Frame(HAND, name="ball"), clearance=(table_and_ball(), 0.1)), "ball"),
        (lambda: tasks.Distance(HAND, "panda_link0", "middles"), "between"),
        (lambda: tasks.Stack(arm(), tasks.Distance(HAND, "panda_link3")), "panda_link3"),
        (lambda: tasks.Stack(arm(SEARCHED), tasks.Distance("panda_link5", "panda_link0")), "cylinder"),
        (lambda: tasks.Stack(arm(), tasks.Distance(HAND, HAND)), "joint"),
    ],
)
def test_wrong_arguments_are_named(made: Any, name: str) -> None:
    with pytest.raises(SixvecError, match=name):
        made()
