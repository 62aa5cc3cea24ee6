"""One vocabulary of tasks: `ik.solve` seeks what a position can satisfy, a `Stack` makes steps towards it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec import ik, tasks
from sixvec.errors import ArgumentError, SixvecError
from sixvec.model import Body, Model
from sixvec.model.joints import Revolute, Universal
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

HAND, ELBOW = "panda_link8", "panda_link4"
PANDA = sv.load("panda")
RODS = RigidInertia.from_center_of_mass(2.0, Vec3(0.1, 0.2, 0.3), Sym3.diagonal(0.1, 0.2, 0.25))


def wishes(q: Any) -> dict[tasks.Task, Any]:
    """A task of each kind, satisfied at q."""
    X, Y = PANDA.pose(q, HAND), PANDA.pose(q, ELBOW)
    return {
        tasks.Frame(HAND): X,
        tasks.Frame(HAND, directions="xz", reference="local", name="some"): X,
        tasks.RelativeFrame(HAND, ELBOW): np.linalg.inv(Y) @ X,
        tasks.Position(HAND, name="place"): X[:3, 3],
        tasks.Orientation(HAND, name="turn"): X[:3, :3],
        tasks.Pointing(HAND, axis=(0.0, 0.6, 0.8), name="aim"): 2.0 * X[:3, :3] @ [0.0, 0.6, 0.8],
        tasks.LookAt(HAND, name="look"): X[:3, 3] + 0.7 * X[:3, 2],
        tasks.CenterOfMass(directions="xy"): PANDA.center_of_mass(q),
        tasks.Posture(joints=("panda_joint3", "panda_joint1")): q,
        tasks.Residual(lambda q, t: [q[1] - t[0]], 1, (1,), name="mine"): q[1:2],
    }


@pytest.mark.parametrize("which", range(10))
def test_each_task_is_sought_and_approached(which: int) -> None:
    start, q = PANDA.random(np.random.default_rng(3), 2)
    task, target = list(wishes(q).items())[which]
    answer = ik.solve(PANDA, {task: target}, q0=start)
    assert answer
    error = ik.solve(PANDA, {task: target}, q0=answer.q)
    assert error and abs(error.q - answer.q).max() < 1e-5  # it was there already
    stack = tasks.Stack(PANDA, task, tasks.Damping(weight=1e-4), limits=False)
    path = stack.follow(q + 0.05, {task.name: target}, 0.1, steps=60)
    near = ik.solve(PANDA, {task: target}, q0=path.q[-1], starts=1)
    assert near and abs(near.q - path.q[-1]).max() < 1e-4


def test_names_of_inverse_kinematics_are_the_same_tasks() -> None:
    assert ik.PoseTask is tasks.Frame and ik.PositionTask is tasks.Position and ik.PointingTask is tasks.Pointing
    assert ik.OrientationTask is tasks.Orientation and ik.Task is tasks.Task
    assert ik.CenterOfMassTask is tasks.CenterOfMass and ik.PostureTask is tasks.Posture


def test_joints_of_several_freedoms_count_whole() -> None:
    model = Model("hook", (
        Body("a", None, Universal(), inertia=RODS, joint_name="hook"),
        Body("b", "a", Revolute(), Pose.translation(Vec3(0.0, 0.0, 1.0)), inertia=RODS, joint_name="hinge"),
    ))  # fmt: skip
    robot = sv.Robot(model)
    goal = np.array([0.1, 0.2, 0.3])
    step = tasks.Stack(robot, tasks.Posture(goal, joints="hook"))(np.zeros(3), {}, 0.1)
    assert np.allclose(step.q, [0.1, 0.2, 0.0], atol=1e-6)
    driven = tasks.Stack(robot, tasks.JointVelocity(joints=("hook",)))(np.zeros(3), {"joint velocity": goal}, 0.1)
    assert np.allclose(driven.v, [0.1, 0.2, 0.0], atol=1e-6)
    assert np.allclose(ik.solve(robot, {tasks.Posture(joints="hook"): goal}).q[:2], goal[:2], atol=1e-6)


def test_tasks_of_velocities_are_not_sought() -> None:
    for task in (tasks.Damping(), tasks.JointVelocity(), tasks.Held(HAND), tasks.Momentum()):
        with pytest.raises(ArgumentError, match=named(type(task).__name__)):
            ik.solve(PANDA, {task: np.zeros(7)})


def test_functions_of_users_are_not_mistaken_for_each_other() -> None:
    """Two tasks that look the same, but compute something else."""
    answers = []
    for sign in (1.0, -1.0):

        def level(q: Any, sign: float = sign) -> Any:
            return [q[0] + sign * q[1] - 0.2]

        answers.append(ik.solve(sv.load("planar_2r"), {tasks.Residual(level, 1, name="level"): [0.0]}, q0=[0.3, 0.1]).q)
    assert np.isclose(answers[0] @ [1.0, 1.0], 0.2) and np.isclose(answers[1] @ [1.0, -1.0], 0.2)

    class Mine(tasks.Task):
        def __init__(self, goal: float) -> None:
            super().__init__()
            object.__setattr__(self, "goal", goal)

        def __eq__(self, other: object) -> bool:
            return self is other

        def __hash__(self) -> int:
            return id(self)

        def labels(self, model: Model) -> tuple[str, ...]:
            return ("first",)

        def mismatch(self, model: Model, q: Any, target: Any) -> tasks.Mismatch:
            e = self.goal - q[0]  # type: ignore[attr-defined]
            return tasks.Mismatch([e], [[float(k == 0) for k in range(model.nv)]], 0.0, e * e)

    for goal in (0.4, -0.7):
        assert ik.solve(PANDA, {Mine(goal): [0.0]}).q[0] == pytest.approx(goal, abs=1e-5)


@pytest.mark.parametrize(
    ("made", "error", "name"),
    [
        (lambda: tasks.Frame(HAND, 2.0), ArgumentError, "directions"),
        (lambda: tasks.Pointing(HAND, axis=(0.0, 0.0, 0.0)), ArgumentError, "axis"),
        (lambda: ik.solve(PANDA, {tasks.Position("nowhere"): np.zeros(3)}), SixvecError, "nowhere"),
        (lambda: ik.solve(PANDA, {tasks.Posture(joints="knee"): np.zeros(7)}), SixvecError, "knee"),
        (lambda: ik.solve(PANDA, {tasks.Frame(HAND, weight=(1.0,) * 6): np.eye(4)}), SixvecError, "weight"),
        (lambda: stack(tasks.Orientation(HAND), 2.0 * np.eye(3)), SixvecError, HAND),
        (lambda: stack(tasks.Pointing(HAND), np.zeros(3)), SixvecError, HAND),
    ],
)
def test_wrong_tasks_are_named(made: Any, error: type[Exception], name: str) -> None:
    with pytest.raises(error, match=name):
        made()


def stack(task: tasks.Task, target: Any) -> Any:
    return tasks.Stack(PANDA, task)(PANDA.neutral(), {task.name: target}, 0.1)
