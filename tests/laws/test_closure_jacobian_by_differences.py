"""The velocity map of closures is the derivative of their position errors, for every joint that can close a loop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from differences import tangent_gradient
from random_trees import JOINTS, random_pose, random_tree
from sixvec import Robot
from sixvec.constraints import constraint_of_joint
from sixvec.model import Closure, Frame, Gear
from sixvec.model.joints import Fixed, Joint, Revolute
from sixvec.spatial import Motion, Pose
from tolerances import DIFFERENCE, IDENTITY, ROUNDING, assert_close

KINDS = [kind for kind in JOINTS if kind != "free"]
BODIES = 6
SAMPLES = 5


def looped(kind: str, seed: int = 0) -> Robot:
    """A small tree whose last two bodies, and one of them and the ground, are joined by joints of this kind."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed + 20, bodies=BODIES)
    closures = (
        Closure("branches", "tool0", "tool1", JOINTS[kind](rng)),
        Closure("ground", "ground", "tool0", JOINTS[kind](rng)),
    )
    return Robot(replace(tree, closures=closures))


def states(robot: Robot, seed: int = 1) -> np.ndarray:
    return robot.random(seed, SAMPLES)


@pytest.mark.every(2)
@pytest.mark.covers("CHAIN-17", "CHAIN-18")
@pytest.mark.parametrize("kind", KINDS)
def test_by_differences(kind: str) -> None:
    """Also where the loops are wide open, as at these random positions."""
    robot = looped(kind)
    q = states(robot)
    A = robot.closure_jacobian(q)
    assert A.shape == (SAMPLES, 2 * robot.model.closures[0].constraints, robot.nv)
    assert_close(A, tangent_gradient(robot, robot.closure_error, q), DIFFERENCE)


@pytest.mark.covers("CHAIN-17")
@pytest.mark.parametrize("kind", ["revolute", "fixed", "helical"])
def test_by_automatic_differentiation(kind: str) -> None:
    robot = looped(kind)
    q = states(robot)
    assert_close(robot.kernel("closure_error").derivative("q")(q), robot.closure_jacobian(q), IDENTITY)


def closed(joint: Joint, seed: int, position: list[float]) -> tuple[Robot, np.ndarray]:
    """A tree and a position at which one closure holds exactly, with its joint at `position`."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, bodies=BODIES)
    q = Robot(tree).random(rng)
    base, other = tree.frame("tool0"), tree.frame("tool1")
    pose = {f.name: Pose.from_matrix(Robot(tree).pose(q, f.name).tolist()) for f in tree.frames}
    X_WB = pose[base.name] @ joint.pose(position)
    on_body = pose[other.body].inv() @ X_WB  # type: ignore[index]
    end = Frame("end", other.body, Pose(on_body.rot, on_body.pos))
    return Robot(replace(tree, frames=(*tree.frames, end), closures=(Closure("c", "tool0", "end", joint),))), q


def rows_by_reciprocity(robot: Robot, q: np.ndarray, position: list[float]) -> np.ndarray:
    """The power of each wrench that the joint bears on the relative velocity of the frames, for each joint velocity."""
    (c,) = robot.model.closures
    relative = robot.jacobian(q, c.second, "world") - robot.jacobian(q, c.first, "world")
    X_BW = Pose.from_matrix(robot.pose(q, c.second).tolist()).inv()
    wrenches = constraint_of_joint(c.joint, position).wrenches.basis
    return np.array([[(X_BW @ Motion.of(column)).dot(w) for column in relative.T] for w in wrenches], float)


@pytest.mark.every(4)
@pytest.mark.covers("CHAIN-18", "Bruyninckx (5.1)", "Bruyninckx (5.28)")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_a_closure_holds_at_every_position_of_its_joint(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    joint = JOINTS[kind](rng)
    lengths = np.full(joint.nq, np.inf)
    position = joint.sample(rng, -lengths, lengths, ()).tolist()
    robot, q = closed(joint, seed, position)
    assert np.abs(robot.closure_error(q)).max() < ROUNDING
    # At a closed position the rows are the wrenches that the joint bears: the same space by another way.
    A, other = robot.closure_jacobian(q), rows_by_reciprocity(robot, q, position)
    assert A.shape == other.shape
    rank = np.linalg.matrix_rank(A, rtol=1e-9)
    assert rank == np.linalg.matrix_rank(other, rtol=1e-9)
    assert rank == np.linalg.matrix_rank(np.concatenate([A, other]), rtol=1e-9)


@pytest.mark.covers("CHAIN-18")
@pytest.mark.parametrize("kind", KINDS)
def test_a_closure_does_not_hold_elsewhere(kind: str) -> None:
    robot = looped(kind)
    assert (np.abs(robot.closure_error(states(robot))).max(axis=-1) > 1e-3).all()


def test_joints_that_move_both_frames_alike_have_no_part() -> None:
    floating = random_tree(2, bodies=BODIES, floating=True)
    robot = Robot(replace(floating, closures=(Closure("c", "tool0", "tool1", Fixed()),)))
    q = states(robot)
    assert not robot.closure_jacobian(q)[..., :6].any()
    moved = q.copy()
    moved[:, :7] = Robot(floating).random(9, SAMPLES)[:, :7]
    assert_close(robot.closure_error(moved), robot.closure_error(q), ROUNDING)


def test_a_hinge_may_turn_all_the_way_round() -> None:
    """No jump where an angle would leave its range: neighbours differ by as much as they are apart."""
    robot, q = closed(Revolute(), 4, [0.0])
    model = robot.model
    turns = np.linspace(-4.0, 4.0, 100)
    tilted = Pose.exp(random_pose(np.random.default_rng(0)).log() * 0.01)
    errors = []
    for t in turns:
        end = model.frame("end")
        placed = Frame("end", end.body, end.placement @ tilted @ Revolute().pose([t]))
        frames = tuple(f for f in model.frames if f.name != "end")
        errors.append(Robot(replace(model, frames=(*frames, placed))).evaluate("closure_error", q.tolist()))
    steps = np.abs(np.diff(np.array(errors, float), axis=0)).max()
    assert steps < 4e-3 and np.abs(errors).max() > 1e-3


@pytest.mark.covers("CHAIN-18")
def test_gears_couple_two_coordinates() -> None:
    tree = random_tree(7, bodies=9)
    first, second, *_ = (b.name for b in tree.moving if b.joint.nv == 1)
    robot = Robot(replace(tree, closures=(Gear("g", first, second, ratio=-2.5, offset=0.3),)))
    q = states(robot)
    expected = q[:, tree.q_slices[second]] + 2.5 * q[:, tree.q_slices[first]] - 0.3
    assert_close(robot.closure_error(q), expected, ROUNDING)
    assert_close(robot.closure_jacobian(q), tangent_gradient(robot, robot.closure_error, q), DIFFERENCE)


def test_without_closures_there_are_no_rows() -> None:
    robot = Robot(random_tree(5, bodies=3))
    q = states(robot)
    assert robot.closure_error(q).shape == (SAMPLES, 0)
    assert robot.closure_jacobian(q).shape == (SAMPLES, 0, robot.nv)
