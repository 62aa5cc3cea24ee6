"""Jacobians of all kinds are derivatives of what they say, by differences of the poses."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from differences import derivative, tangent_gradient
from matrices import times, transpose, unskew
from random_states import random_states
from sixvec import Robot
from sixvec.algorithms.parts.reference import REFERENCES
from sixvec.analysis import graph_jacobian, point_jacobian, tree_jacobian
from sixvec.constraints.loops import assembled
from sixvec.errors import ArgumentError, FrameNotFound, ShapeError
from sixvec.geometry.orientation.euler import SETS, EulerAngles
from sixvec.model import Body, Frame, Mimic, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, Quaternion, Vec3
from subjects import tree
from tolerances import DIFFERENCE, IDENTITY, assert_close

every_reference = pytest.mark.parametrize("reference", REFERENCES)
every_tree = pytest.mark.parametrize("name", ["tree", "floating"])


@pytest.mark.every(2)
@every_tree
@every_reference
@pytest.mark.covers("CHAIN-17")
def test_relative_jacobian_is_the_derivative_of_the_relative_pose(name: str, reference: str) -> None:
    """The base plays the world; frames lie on different branches, so both signs occur."""
    robot = tree(name)
    q = random_states(robot).q
    frame, base = branches(robot)

    def between(q: np.ndarray) -> np.ndarray:
        return np.linalg.inv(robot.pose(q, base)) @ robot.pose(q, frame)

    X, dX = between(q), tangent_gradient(robot, between, q)
    expected = np.stack([twist(X, dX[..., j], reference) for j in range(robot.nv)], axis=-1)
    assert_close(robot.relative_jacobian(q, frame, base, reference), expected, DIFFERENCE)


@every_tree
@every_reference
def test_relative_jacobian_from_the_world_is_the_jacobian(name: str, reference: str) -> None:
    robot = tree(name)
    q = random_states(robot).q
    found = robot.relative_jacobian(q, "tool1", reference=reference)
    assert_close(found, robot.jacobian(q, "tool1", reference), IDENTITY)


def test_joints_that_carry_both_frames_do_not_move_one_against_the_other() -> None:
    arm = sixvec.load("panda")
    J = arm.relative_jacobian(arm.random(0), "panda_link8", "panda_link3")
    assert not J[:, :3].any() and J[:, 3:].any(axis=0).all()
    assert not arm.relative_jacobian(arm.random(0), "panda_link8", "panda_link8").any()
    with pytest.raises(FrameNotFound, match="panda_link8"):
        arm.relative_jacobian(arm.random(0), "panda_link8", "panda_lnk8")


@pytest.mark.every(3)
@pytest.mark.parametrize("angles", ["rpy", *SETS])
@pytest.mark.covers("CHAIN-16", "Bruyninckx (5.24)")
def test_analytical_jacobian_is_the_derivative_of_the_angles(angles: str) -> None:
    arm = sixvec.load("panda")
    q = arm.random(3, 8)
    euler = [angles_of(X, angles) for X in arm.pose(q, "panda_link8")]
    regular = np.array([abs(e._sine()) > 0.2 for e in euler])
    assert regular.sum() >= 3

    def coordinates(q: np.ndarray) -> np.ndarray:
        X = arm.pose(q, "panda_link8")
        turns = np.array([[*angles_of(x, angles)] for x in X])
        near = np.tile(centre, (len(turns) // len(centre), 1))
        turns = near + (turns - near + np.pi) % (2 * np.pi) - np.pi  # no jumps by a turn
        return np.concatenate([turns, X[:, :3, 3]], axis=1)

    q = q[regular]
    centre = np.array([[*e] for e, use in zip(euler, regular, strict=True) if use])
    expected = tangent_gradient(arm, coordinates, q)
    assert_close(arm.analytical_jacobian(q, "panda_link8", angles), expected, DIFFERENCE)


@pytest.mark.covers("CHAIN-16")
def test_analytical_jacobian_is_not_finite_where_its_angles_are_singular() -> None:
    """The tool points straight down, where first and third axis of "zxz" are parallel; roll, pitch, yaw are fine."""
    arm = sixvec.load("panda")
    q = arm.neutral()
    with np.errstate(all="ignore"):
        singular, regular = (arm.analytical_jacobian(q, "panda_link8", a) for a in ("zxz", "rpy"))
    assert not np.isfinite(singular[:3]).all() or np.abs(singular[:3]).max() > 1e6
    assert np.abs(regular).max() < 2.0


def test_unknown_angles_are_named() -> None:
    arm = sixvec.load("panda")
    with pytest.raises(ArgumentError, match="zzy"):
        arm.analytical_jacobian(arm.neutral(), "panda_link8", "zzy")


@every_tree
@pytest.mark.covers("CHAIN-16")
def test_quaternion_jacobian_is_the_derivative_of_the_quaternion(name: str) -> None:
    robot = tree(name)
    q = random_states(robot).q
    centre = np.array([quaternion(X) for X in robot.pose(q, "tool1")])

    def coordinates(q: np.ndarray) -> np.ndarray:
        X = robot.pose(q, "tool1")
        turns = np.array([quaternion(x) for x in X])
        near = np.tile(centre, (len(turns) // len(centre), 1))
        turns *= np.where((turns * near).sum(axis=1, keepdims=True) < 0.0, -1.0, 1.0)
        return np.concatenate([turns, X[:, :3, 3]], axis=1)

    expected = tangent_gradient(robot, coordinates, q)
    assert_close(robot.quaternion_jacobian(q, "tool1"), expected, DIFFERENCE)


@pytest.mark.every(2)
@every_tree
@every_reference
def test_kinematic_hessian_is_the_derivative_of_the_jacobian(name: str, reference: str) -> None:
    robot = tree(name)
    q, v, _, _ = random_states(robot)
    H = robot.kinematic_hessian(q, "tool1", reference)
    expected = tangent_gradient(robot, lambda q: robot.jacobian(q, "tool1", reference), q)
    assert_close(H, expected, DIFFERENCE)
    along_v = np.einsum("nijk,nk->nij", H, v)
    assert_close(along_v, robot.jacobian_derivative(q, v, "tool1", reference), IDENTITY)


def test_kinematic_hessian_agrees_with_automatic_differentiation() -> None:
    arm = sixvec.load("panda")
    q = arm.random(1, 5)
    expected = arm.kernel("jacobian", frame="panda_link8").derivative("q")(q)
    assert_close(arm.kinematic_hessian(q, "panda_link8"), expected, IDENTITY)


@pytest.mark.every(2)
@every_tree
@every_reference
@pytest.mark.covers("KIN-25", "Featherstone (30)-(33)")
def test_acceleration_is_J_a_plus_the_velocity_product(name: str, reference: str) -> None:
    robot = tree(name)
    q, v, a, _ = random_states(robot)
    product = robot.velocity_product_acceleration(q, v, "tool1", reference)
    J = robot.jacobian(q, "tool1", reference)
    assert_close(times(J, a) + product, robot.acceleration(q, v, a, "tool1", reference), IDENTITY)
    # Jdot v by differences of J: in axes that do not turn about a moving point it is the point's acceleration.
    rate = derivative(lambda t: robot.jacobian(robot.integrate(q, t * v), "tool1", reference))
    if reference == "local_world_aligned":
        V = times(J, v)
        product[:, 3:] += np.cross(V[:, :3], V[:, 3:])
    assert_close(product, times(rate, v), DIFFERENCE, scale=np.abs(robot.acceleration(q, v, a, "tool1")).max(axis=1))


@pytest.mark.covers("KIN-24", "Featherstone (26)")
def test_point_jacobian_is_the_derivative_of_the_point() -> None:
    robot = tree("tree")
    q = random_states(robot).q
    r = np.array([0.3, -0.2, 0.5])

    def place(q: np.ndarray) -> np.ndarray:
        X = robot.pose(q, "tool1")
        return X[:, :3, 3] + X[:, :3, :3] @ r

    J = point_jacobian(robot, q, "tool1", r)
    assert_close(J[:, 3:], tangent_gradient(robot, place, q), DIFFERENCE)
    assert_close(J[:, :3], robot.jacobian(q, "tool1", "world")[:, :3], IDENTITY)
    # Not the spatial velocity in world coordinates, whose linear part is that of another point: p × ω apart.
    spatial = robot.jacobian(q, "tool1", "world")
    p = place(q)[:, :, None]
    assert_close(spatial[:, 3:], J[:, 3:] + np.cross(p, J[:, :3], axis=1), IDENTITY)


@pytest.mark.covers("KIN-24")
def test_points_broadcast_against_positions() -> None:
    arm = sixvec.load("panda")
    points = np.random.default_rng(0).normal(size=(4, 1, 3))
    J = point_jacobian(arm, arm.random(0, 5), "panda_link8", points)
    assert J.shape == (4, 5, 6, 7)
    one = point_jacobian(arm, arm.random(0, 5)[2], "panda_link8", points[1, 0])
    assert_close(J[1, 2], one, IDENTITY, batched=False)
    with pytest.raises(ShapeError, match="point"):
        point_jacobian(arm, arm.neutral(), "panda_link8", [1.0, 2.0])


@pytest.mark.covers("CHAIN-17", "Bruyninckx (5.25)-(5.27)")
def test_tree_jacobian_stacks_and_leaves_zero_blocks() -> None:
    robot = tree("tree")
    q, v, _, _ = random_states(robot)
    frames = ["tool0", "tool1"]
    J = tree_jacobian(robot, q, frames)
    assert J.shape == (len(q), 12, robot.nv)
    together = np.concatenate([robot.velocity(q, v, f) for f in frames], axis=1)
    assert_close(times(J, v), together, IDENTITY)
    for i, f in enumerate(frames):
        moving = {b.name for b in robot.model.path(robot.model.frame(f).body)}
        for b in robot.model.moving:
            if b.name not in moving:
                assert not J[:, 6 * i : 6 * i + 6, robot.model.v_slices[b.name]].any()


@pytest.mark.covers("CHAIN-17")
def test_a_shared_joint_has_one_column_only_in_world_coordinates() -> None:
    arm = sixvec.load("panda")
    q, frames = arm.random(0), ["panda_link4", "panda_link8"]
    world, aligned = (tree_jacobian(arm, q, frames, r) for r in ("world", "local_world_aligned"))
    assert_close(world[:6, :4], world[6:, :4], IDENTITY, batched=False)
    assert np.abs(aligned[3:6, :4] - aligned[9:, :4]).max() > 0.1


@pytest.mark.covers("CHAIN-17", "Bruyninckx (5.29)")
def test_graph_jacobian_holds_tree_and_closures() -> None:
    """Along a motion that keeps the loop closed the closures' rows give zero and the others the twists."""
    bars = sixvec.load("four_bar")
    q = assembled(bars, [0.7, 0.0, 1.0])
    step = 1e-5
    later, before = (assembled(bars, q + s * np.eye(3)[0], ["drive"]) for s in (step, -step))
    v = (later - before) / (2 * step)
    G = graph_jacobian(bars, q, ["coupler_end"])
    assert G.shape == (11, 3)
    assert_close(G[:6] @ v, bars.velocity(q, v, "coupler_end"), IDENTITY, batched=False)
    assert np.abs(G[6:] @ v).max() < 1e-9
    assert np.abs(G[6:] @ [1.0, 0.0, 0.0]).max() > 1e-2


def test_mimic_joints_work_for_their_leader() -> None:
    """Every Jacobian and the Hessian of a robot whose third joint follows the first, by differences."""
    bodies = [
        *tree("tiny").model.bodies,
        Body("lead", None, Revolute(Vec3(0.3, 0.1, 1.0)), Pose.translation(Vec3(0.2, 0.0, 0.1))),
        Body("free", "lead", Revolute(Vec3(1.0, 0.2, 0.0)), Pose.translation(Vec3(0.3, 0.1, 0.0))),
        Body(
            "follow",
            "free",
            Revolute(Vec3(0.0, 1.0, 0.4)),
            Pose.translation(Vec3(0.2, 0.4, 0.0)),
            mimic=Mimic("lead", -0.5, 0.3),
        ),
    ]
    robot = Robot(Model("mimic", tuple(bodies), (Frame("end", "follow", Pose.translation(Vec3(0.1, 0.2, 0.3))),)))
    q = robot.random(0, 4)
    expected = tangent_gradient(robot, lambda q: robot.jacobian(q, "end"), q)
    assert_close(robot.kinematic_hessian(q, "end"), expected, DIFFERENCE)
    for name in ("quaternion_jacobian", "analytical_jacobian"):
        rows = tangent_gradient(robot, lambda q: robot.pose(q, "end")[:, :3, 3], q)
        assert_close(getattr(robot, name)(q, "end")[:, -3:], rows, DIFFERENCE)


def test_an_empty_list_of_frames_raises() -> None:
    arm = sixvec.load("panda")
    with pytest.raises(ArgumentError, match="tree_jacobian"):
        tree_jacobian(arm, arm.neutral(), [])


def branches(robot: Robot) -> tuple[str, str]:
    """Two frames, neither of which carries the other, with as many joints between them as possible."""
    paths = {f.name: {b.name for b in robot.model.path(f.body)} for f in robot.model.frames}
    pairs = [
        (len(paths[a] ^ paths[b]), a, b) for a in paths for b in paths if paths[a] - paths[b] and paths[b] - paths[a]
    ]
    _, a, b = max(pairs)
    return a, b


def angles_of(X: np.ndarray, angles: str) -> EulerAngles:
    R = Pose.from_matrix(X.tolist()).rot
    return EulerAngles.from_rotation(R, *(("xyz", "fixed") if angles == "rpy" else (angles,)))


def quaternion(X: np.ndarray) -> list[float]:
    return [*Quaternion.from_rotation(Pose.from_matrix(X.tolist()).rot)]


def twist(X: np.ndarray, dX: np.ndarray, reference: str) -> np.ndarray:
    """(ω; v) of a pose that changes with dX."""
    R, p, dR, dp = X[:, :3, :3], X[:, :3, 3], dX[:, :3, :3], dX[:, :3, 3]
    back = transpose(R)
    w = unskew(dR @ back)
    if reference == "local":
        return np.concatenate([unskew(back @ dR), times(back, dp)], axis=1)
    return np.concatenate([w, dp - np.cross(w, p) if reference == "world" else dp], axis=1)
