"""What a user reads after a slip, and what small answers print."""

from __future__ import annotations

import copy
import functools
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.arguments.absent import ANSWERS, INSTEAD
from sixvec.arguments.foreign_names import ELSEWHERE, HERE, NEEDLESS
from sixvec.errors import ArgumentError, CallError, FrameNotFound, ShapeError
from sixvec.ik import Verdict
from sixvec.model import Body, Frame, Model, edits
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("foward_dynamics", "forward_dynamics"), ("jacobain", "jacobian"), ("velocty", "velocity"),
    ],
)  # fmt: skip
def test_a_slip_of_the_pen_suggests(wrong: str, right: str) -> None:
    robot = sv.load("panda")
    with pytest.raises(AttributeError, match=right) as told:
        getattr(robot, wrong)
    assert told.value.name == wrong
    assert not hasattr(robot, wrong) and getattr(robot, wrong, None) is None


def test_no_more_than_three_names_are_suggested_the_nearest_first() -> None:
    with pytest.raises(AttributeError) as told:
        _ = sv.load("panda").forward_dynamics_derivs
    names = str(told.value).partition("did you mean ")[2].rstrip("?").split(" or ")
    assert len(names) == 3 and names[0] == "forward_dynamics_derivatives"


def test_nothing_near_says_where_to_look() -> None:
    with pytest.raises(AttributeError, match="xyzzy"):
        _ = sv.load("panda").xyzzy
    assert not hasattr(sv.load("panda"), "__array_interface__")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("fkine", "robot.pose(q, frame)"), ("jacobe", 'reference="local"'), ("nu", "robot.nv"), ("qpos", "neutral"),
        ("computeMinverse", "robot.mass_matrix_inverse(q)"), ("JntToGravity", "robot.gravity_forces(q)"),
        ("CalcMassMatrix", "robot.mass_matrix(q)"), ("IKinBody", "robot.ik(pose, frame)"), ("mj_jacBody", "jacobian"),
        ("createData", "there is no data object"),
    ],
)  # fmt: skip
def test_names_of_others_say_what_to_write(theirs: str, ours: str) -> None:
    for owner in (sv.load("planar_2r"), sv):
        with pytest.raises(AttributeError) as told:
            getattr(owner, theirs)
        assert ours in str(told.value) and told.value.name == theirs


ARGUMENTS = {
    "joints": sv.load("panda").joint_names, "base": "panda_link1", "tip": "panda_link8", "frame": "panda_link8",
    "body": "panda_link3", "joint": "panda_joint3", "names": {"panda_link8": "flange"},
    "inertia": RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0)), "rotor": edits.Rotor(1e-4, 100.0),
    "stiffness": 1e3, "rotor_inertia": 0.01,
}  # fmt: skip
"""For the names in what is advised."""


METHODS = {"payload", "with_closure", "with_frame", "with_limits", "with_tendons"}
"""Edits that robots have, one of them as `with_payload`."""


OTHERS = {"Rotor", "serialize", "split"}
"""What is not an edit, or not one of the arm."""


@pytest.mark.parametrize("name", sorted({"chain", *edits.__all__} - {*OTHERS, *METHODS, *dir(sv.Robot)}))
def test_the_advice_for_edits_of_models_works(name: str) -> None:
    robot, other = sv.load("panda"), sv.load("planar_2r")
    with pytest.raises(AttributeError) as told:
        getattr(robot, name)
    advice = str(told.value).partition("; write ")[2]
    edited = eval(advice, {"sv": sv, "robot": robot, "other": other, **ARGUMENTS})
    assert isinstance(edited, sv.Robot) and (name in advice or name == "chain")


def test_what_to_write_can_be_written() -> None:
    """Each advice is an expression of names that exist; each foreign name is none of ours."""
    robot = sv.load("panda")
    for ours in HERE:
        for path in re.findall(r"(?:robot|sv)(?:\.\w+)+", ours):
            owner, *names = path.split(".")
            functools.reduce(getattr, names, {"robot": robot, "sv": sv}[owner])
        if ours.startswith("from "):
            exec(ours)
    assert not [name for name in (*ELSEWHERE, *NEEDLESS, *ANSWERS) if hasattr(robot, name)]
    assert not {*ELSEWHERE} & {*ANSWERS}, "one answer for a name"
    assert len(ELSEWHERE) == sum(len(names.split()) for names in HERE.values())


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("calcMassMatrix", "robot.mass_matrix(q)"), ("computeJacobian", "robot.jacobian(q, frame)"),
        ("computeTotalMass", "write robot.mass"), ("gravity_magnitude", "np.linalg.norm(robot.gravity)"),
        ("calculateInverseKinematics", "robot.ik(pose, frame)"), ("stepSimulation", "robot.rollout"),
        ("CalcJointWrenches", "did you mean joint_wrenches?"), ("getPose", "write robot.pose(q, frame)"),
        ("setGravity", "robot.with_gravity(gravity)"), ("getJointStates", "no state inside"),
        ("FrameTask", "sv.tasks.Frame"), ("ForwardDynamicsLagrangian", "robot.forward_dynamics"),
        ("zmp", "no test of balance"),
    ],
)  # fmt: skip
def test_other_spellings_of_a_name_get_the_same_answer(name: str, advice: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(sv.load("panda"), name)
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("from_dh", "write sv.from_dh"), ("from_urdf", "write sv.load(file)"), ("load", "write sv.load(file)"),
        ("mass_matrx", "did you mean mass_matrix"), ("nonsense", "dir(Robot) lists"),
    ],
)  # fmt: skip
def test_the_class_answers_as_its_robots_do(name: str, advice: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(sv.Robot, name)
    assert advice in str(caught.value) and "class Robot" in str(caught.value)
    assert not hasattr(sv.Robot, "__wrapped__")


@pytest.mark.parametrize(
    ("package", "name", "advice"),
    [
        ("spatial", "SE3", "write sv.spatial.Pose"), ("ik", "inverse_kinematics", "write robot.ik(pose, frame)"),
        ("tasks", "FrameTask", "write sv.tasks.Frame(frame, pose)"), ("tasks", "ControlBarrier", "clearance="),
        ("sim", "make", "sixvec.sim.vector_env"), ("sim", "Env", "sixvec.sim.Batch"),
        ("motion", "Ruckig", "rest_to_rest"),
        ("motion", "trajectory", "sixvec.motion.spline"),
        ("model", "from_urdf", "write sv.load(file)"), ("analysis", "manipulabilty", "did you mean manipulability"),
        ("constraints", "rnea_", "dir(sixvec.constraints) lists"), ("geometry", "Lin", "did you mean"),
    ],
)  # fmt: skip
def test_packages_answer_too(package: str, name: str, advice: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(getattr(sv, package), name)
    assert advice in str(caught.value)
    assert not hasattr(getattr(sv, package), "_private")


FIRST_TRIES = (
    "collision gif record export c_code save urdf total_energy torque gpu device to tip ee spline trajectory "
    "plan interpolate env reset latex lqr q state closed_form ik_all workspace video copy summary contacts "
    "Minv clear nearest min_distance zero data base law "
    "collides observe time_parameterize ruckig otg minimum_jerk trapezoid differential_ik pink wbc clip admittance "
    "filter singularity reach numpy to_latex to_mjcf gravity_torque joint_trajectory observation compile"
)


@pytest.mark.parametrize("name", FIRST_TRIES.split())
def test_what_people_try_first_gets_an_answer(name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(sv.load("panda"), name)
    assert "lists what it has" not in str(caught.value) and "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "collision", "env", "trajectory", "Trajectory", "robots", "panda", "rotations", "planning", "optimize", "SE3",
        "toppra", "Ruckig", "timing", "envs", "rl", "pink",
    ],
)  # fmt: skip
def test_what_people_try_first_of_the_package_gets_an_answer(name: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(sv, name)
    assert "lists what it has" not in str(caught.value) and "did you mean" not in str(caught.value)


def test_calls_without_their_arguments_list_them() -> None:
    robot = sv.load("panda")
    with pytest.raises(CallError, match="it takes q, v"):
        robot.energy(robot.neutral())  # type: ignore[call-arg]
    with pytest.raises(CallError, match=r"it takes source, .*floating"):
        sv.load("panda", True)  # type: ignore[misc]
    with pytest.raises(CallError, match="it takes kinetic, potential, q, v, a"):
        sv.theory.lagrange.equations_of_motion(robot)


def test_answers_name_what_exists() -> None:
    robot, root = sv.load("panda"), Path(__file__).parents[2]
    assert len(ANSWERS) == sum(len(names.split()) for names in INSTEAD.values())
    for text in INSTEAD:
        for path in re.findall(r"\b(?:robot|sixvec)(?:\.\w+)+", text):
            owner, *names = path.split(".")
            functools.reduce(getattr, names, {"robot": robot, "sixvec": sv}[owner])
        for file in re.findall(r"(?:docs|examples)/\w+\.\w+", text):
            assert (root / file).exists(), file


def test_robots_do_not_change() -> None:
    robot = sv.load("panda")
    for name, advice in {"gravity": "with_gravity", "lower": "with_limits", "nq": "edits", "pose": "edits"}.items():
        with pytest.raises(AttributeError, match=f"{name} cannot be set; .*{advice}"):
            setattr(robot, name, 1.0)
    robot.note = "mine"  # type: ignore[attr-defined]
    assert robot.with_gravity([0.0, 0.0, 0.0]).gravity.tolist() == [0.0, 0.0, 0.0]


MISTAKES = {
    "a file as a model": (lambda r: sv.Robot("arm.urdf"), named("sixvec.load", "arm.urdf")),  # type: ignore[arg-type]
    "a robot as a model": (lambda r: sv.Robot(r), named("robot.model")),
    "a list as a model": (lambda r: sv.Robot([]), named("Robot", "list")),  # type: ignore[arg-type]
    "text as a file": (lambda r: sv.load('<robot name="a"/>'), named("load", "sixvec.formats.parse_model")),
    "an address": (lambda r: sv.load("package://arm/arm.urdf"), named("package://arm/arm.urdf", "arm.urdf")),
    "a table": (lambda r: sv.load([[0.0] * 4]), r"sixvec\.from_dh"),  # type: ignore[arg-type]
    "swapped": (lambda r: r.pose("panda_link8", [0.0] * 7), "panda"),
    "steps in order": (lambda r: r.rollout([0.0] * 7, [0.0] * 7, [0.0] * 7, 0.1, 10), "rollout: .*keywords: steps"),
    "no name": (lambda r: r.symbolic(), "name"),
    "names of a book": (lambda r: r.jacobian([0.0] * 7, "panda_link8", reference="body"), "local"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_first_mistakes_get_the_call_to_write(name: str) -> None:
    call, message = MISTAKES[name]
    with pytest.raises(sv.SixvecError, match=message):
        call(sv.load("panda"))


def test_a_method_sought_in_the_package() -> None:
    with pytest.raises(AttributeError, match=named("sixvec.load", "panda")):
        _ = sv.rnea
    with pytest.raises(AttributeError, match="load"):
        _ = sv.laod


def test_a_robot_survives_pickling_and_copying() -> None:
    robot = sv.load("panda")
    again = copy.copy(pickle.loads(pickle.dumps(robot)))
    assert again.nv == 7


def test_a_model_that_lists_only_tools_has_the_frames_of_its_bodies() -> None:
    X = Pose.translation(Vec3(1.0, 0.0, 0.0))
    bodies = (Body("base"), Body("link", "base", Revolute(Vec3(0.0, 1.0, 0.0)), X))
    robot = sv.Robot(Model("arm", bodies, (Frame("tool", "link", X),)))
    assert robot.frame_names == ("base", "link", "tool")
    q = np.array([0.3])
    assert np.allclose(robot.pose(q, "link")[:3, 3], [1.0, 0.0, 0.0])
    assert np.allclose(robot.pose(q, "tool")[:3, 3], [1.0 + np.cos(0.3), 0.0, -np.sin(0.3)])
    assert len(robot.poses(q)) == 3
    some = sv.Robot(Model("arm", bodies, (Frame("base", "base"), Frame("tool", "link", X))))
    with pytest.raises(FrameNotFound, match="link"):
        some.pose(q, "link")


@pytest.mark.parametrize("batch", [(), (4,)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_force_that_stays_the_same(batch: tuple[int, ...], dtype: type) -> None:
    robot = sv.load("planar_2r")
    q, v = (np.full((*batch, 2), x, dtype) for x in (0.1, 0.2))
    tau = np.full((*batch, 2), 0.3, dtype)
    one = robot.rollout(q, v, tau, 0.01, steps=20)
    each = robot.rollout(q, v, np.repeat(tau[..., None, :], 20, -2), 0.01)
    assert np.array_equal(one.q, each.q) and np.array_equal(one.v, each.v)
    assert one.q.shape == (*batch, 20, 2) and one.q.dtype == dtype


def test_a_force_without_steps_is_explained() -> None:
    robot, zero = sv.load("planar_2r"), np.zeros(2)
    with pytest.raises(ShapeError, match=named("rollout", "tau", "steps")):
        robot.rollout(zero, zero, zero, 0.01)
    with pytest.raises(ShapeError, match=named("rollout", "tau")):
        robot.rollout(zero, zero, np.zeros(3), 0.01, steps=5)
    for wrong in (0, -1, 2.0, True, "5"):
        with pytest.raises(ArgumentError, match=named("rollout", "steps")):
            robot.rollout(zero, zero, zero, 0.01, steps=wrong)


def test_a_force_that_stays_the_same_under_a_law() -> None:
    robot, zero = sv.load("planar_2r"), np.zeros(2)
    path = robot.rollout(zero, zero, [0.5], 0.01, steps=10, control=lambda q, v, u: [u[0], 0.0])
    same = robot.rollout(zero, zero, [0.5, 0.0], 0.01, steps=10)
    np.testing.assert_allclose(path.q, same.q, rtol=1e-12)


def test_verdicts_read_as_words() -> None:
    assert [str(v) for v in Verdict][:6] == [
        "solved", "at limit", "singular", "unreachable", "not converged", "invalid",
    ]  # fmt: skip
    assert f"{Verdict.AT_LIMIT}" == "at limit" and Verdict.AT_LIMIT == 1


def test_solutions_have_a_short_repr() -> None:
    robot = sv.load("panda")
    poses = robot.pose(robot.random(0, 1000), "panda_link8")
    assert repr(robot.ik(poses[0], "panda_link8")) == "<Solution solved>"
    assert len(repr(robot.ik(poses, "panda_link8"))) < 100


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("LOCAL_WORLD_ALIGNED", "local_world_aligned"), ("ReferenceFrame.LOCAL", "local"), ("WORLD", "world")],
)
def test_references_of_pinocchio_are_translated(theirs: str, ours: str) -> None:
    with pytest.raises(ArgumentError, match=named(theirs, ours)):
        sv.load("planar_2r").jacobian([0.0, 0.0], "tip", reference=theirs)


@pytest.mark.parametrize(
    ("shape", "advice"), [((7,), "Quaternion(x, y, z, w)"), ((5, 3), "Position(frame)"), ((3, 3), "Orientation(frame)")]
)
def test_what_is_no_pose_says_how_to_make_one(shape: tuple[int, ...], advice: str) -> None:
    with pytest.raises(ShapeError, match=re.escape(advice)):
        sv.load("panda").ik(np.zeros(shape), "panda_link8")


def test_a_pose_object_is_a_target() -> None:
    robot = sv.load("panda")
    wanted = robot.pose(robot.random(0), "panda_link8")
    assert robot.ik(Pose.from_matrix(wanted.tolist()), "panda_link8").verdict == Verdict.SOLVED


def test_a_number_is_no_frame() -> None:
    with pytest.raises(FrameNotFound, match="panda"):
        sv.load("panda").pose(np.zeros(7), 8)


def test_a_state_of_drake_is_recognised() -> None:
    robot = sv.load("planar_2r", floating=True)
    q = sv.convert(robot.neutral(), robot, to="drake")
    before = sv.check_inputs(True)
    try:
        with pytest.raises(ArgumentError, match=named("pose", "q", "source", "drake")):
            robot.pose(q, "tip")
    finally:
        sv.check_inputs(before)
