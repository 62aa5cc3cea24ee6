"""Joints of a URDF that follow others, and what else a joint of it can feel."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.errors import FileFormatError
from sixvec.formats import parse_model
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.formats.urdf.elements import roll_pitch_yaw_rotation
from sixvec.formats.urdf.write import write_urdf
from sixvec.model import JointDynamics, Mimic, Model
from sixvec.model.coupling import coupling
from sixvec.robot import Robot
from sixvec.spatial import Rotation

BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def finger(*inside: str, kinds: tuple[str, ...] = ()) -> Model:
    """A row of links l0, l1, …, each carried by the one before through the joint j1, j2, …."""
    names = [f"l{i}" for i in range(len(inside) + 1)]
    links = "".join(f'<link name="{name}">{BODY}</link>' for name in names)
    joints = "".join(
        f'<joint name="j{i}" type="{kinds[i - 1] if kinds else "revolute"}"><parent link="l{i - 1}"/>'
        f'<child link="l{i}"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>{x}</joint>'
        for i, x in enumerate(inside, 1)
    )
    return parse_model(f'<robot name="finger">{links}{joints}</robot>', "finger.urdf")


def follow(joint: str, more: str = "") -> str:
    return f'<mimic joint="{joint}" {more}/>'


@pytest.mark.covers("MODEL-01")
def test_a_chain_of_followers_leads_to_one_coordinate() -> None:
    # The first two follow joints that stand later in the file.
    model = finger(follow("j2", 'multiplier="-2" offset="0.1"'), follow("j3", 'offset="0.2"'), "")
    assert [b.mimic for b in model.bodies] == [None, Mimic("l2", -2.0, 0.1), Mimic("l3", 1.0, 0.2), None]
    assert (model.nq, model.nv) == (1, 1)
    q = 0.7
    assert coupling(model).positions([q]) == pytest.approx([-2.0 * (q + 0.2) + 0.1, q + 0.2, q])
    # The last link turns by the sum of all angles.
    R = Robot(model).pose([q], "l3")
    turned = -2.0 * (q + 0.2) + 0.1 + (q + 0.2) + q
    np.testing.assert_allclose(R[:2, 0], [np.cos(turned), np.sin(turned)], atol=1e-15)


def test_followers_survive_the_writer() -> None:
    model = finger(follow("j3", 'multiplier="-0.3"'), follow("j1", 'offset="0.2"'), '<dynamics damping="2"/>')
    again = parse_model(write_urdf(model), "again.urdf")
    assert again.bodies == model.bodies and again.fingerprint == model.fingerprint


def test_a_fixed_joint_follows_nobody() -> None:
    model = finger("", follow("nobody"), kinds=("revolute", "fixed"))
    assert model.bodies[2].mimic is None and model.nv == 1


def test_missing_mimic_leader_warns_once() -> None:
    with pytest.warns(UnsupportedPhysics) as caught:
        model = finger("", follow("j11"), follow("k"))
    (warning,) = caught
    for words in ("finger.urdf", 'of joint "j2" (no joint "j11"; did you mean "j1"?', 'of joint "j3" (no joint "k"'):
        assert words in str(warning.message)
    assert warning.filename == __file__
    assert model.nv == 3 and not any(b.mimic for b in model.bodies)


@pytest.mark.parametrize(
    ("inside", "kinds", "words"),
    [
        ([follow("j1")], (), ['joint "j1"', "follows itself: j1 -> j1"]),
        ([follow("j2"), follow("j3"), follow("j1")], (), ["follows itself: j1 -> j2 -> j3 -> j1", "let one joint"]),
        (["", follow("j1")], ("fixed", "revolute"), ['joint "j2"', '"j1", a fixed joint', "revolute"]),
        (["", follow("j1")], ("floating", "revolute"), ['"j1", a floating joint', "no single coordinate"]),
        (["", follow("j1")], ("revolute", "planar"), ['joint "j2"', "planar joint cannot follow", "prismatic"]),
        (["", follow("j1", 'multiplier="two"')], (), ['joint "j2"', "<mimic>", 'multiplier="two"']),
        (["", follow("j1", 'offset="inf"')], (), ["<mimic>", "offset", "not finite"]),
        (["", "<mimic/>"], (), ['joint "j2"', "<mimic>", "joint is missing"]),
        (['<dynamics damping="much"/>'], (), ['joint "j1"', "<dynamics>", 'damping="much"']),
    ],
)
def test_errors_name_the_joint_and_what_would_be_valid(
    inside: list[str], kinds: tuple[str, ...], words: list[str]
) -> None:
    with pytest.raises(FileFormatError) as caught:
        finger(*inside, kinds=kinds)
    for word in ["finger.urdf", *words]:
        assert word in str(caught.value)


@pytest.mark.covers("MODEL-01")
def test_damping_and_friction_slow_the_joints() -> None:
    model = finger('<dynamics damping="0.5" friction="0.25"/>', '<dynamics friction="3"/>', "<dynamics/>")
    expected = [JointDynamics(), JointDynamics((), (0.5,), (0.25,)), JointDynamics(friction=(3.0,)), JointDynamics()]
    assert [b.dynamics for b in model.bodies] == expected
    tau = Robot(model).passive_forces([0.0] * 3, [2.0, -1.0, 5.0])
    assert tau.tolist() == [-(0.5 * 2.0 + 0.25), 3.0, 0.0]


def test_joints_of_several_coordinates_have_no_dynamics_in_urdf() -> None:
    planar = finger('<dynamics damping="1" friction="2"/><limit lower="-1" upper="1"/>', kinds=("planar",)).bodies[1]
    assert planar.dynamics == JointDynamics() and not planar.limits.lower


@pytest.mark.covers("MODEL-03")
def test_effort_and_velocity_of_a_joint_are_kept() -> None:
    limits = finger('<limit lower="-1" upper="2" effort="30" velocity="4"/>').bodies[1].limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == ((-1.0,), (2.0,), (30.0,), (4.0,))


@pytest.mark.covers("CHAIN-13")
def test_joints_of_several_freedoms() -> None:
    model = finger("", "", "", kinds=("planar", "floating", "continuous"))
    assert [(b.joint.nq, b.joint.nv) for b in model.bodies[1:]] == [(3, 3), (7, 6), (1, 1)]
    again = parse_model(write_urdf(model), "again.urdf")
    assert again.bodies == model.bodies


def test_elements_of_other_programs_change_nothing() -> None:
    others = (
        '<mujoco><compiler balanceinertia="true"/></mujoco><gazebo reference="l1"><mu1>0.2</mu1></gazebo>'
        '<transmission name="t"><type>simple</type><joint name="j1"/></transmission><sensor name="s"/>'
        '<ros2_control name="c" type="system"><joint name="j1"/></ros2_control>'
    )
    links = f'<link name="a"/><link name="j1">{BODY}</link>'
    joint = '<joint name="j1" type="revolute"><parent link="a"/><child link="j1"/></joint>'
    plain, noisy = (parse_model(f'<robot name="r">{x}{links}{joint}</robot>', "r.urdf") for x in ("", others))
    # The link and its joint have one name, and the link is without mass: both are allowed.
    assert noisy == plain and plain.bodies[1].name == plain.bodies[1].joint_name == "j1"


def test_a_long_chain_of_followers_is_read_once() -> None:
    model = finger("", *(follow(f"j{i}", 'multiplier="-1"') for i in range(1, 3000)))
    assert model.nv == 1 and coupling(model).q[-1] == (0, -1.0, 0.0)


def test_angles_multiplied_out_are_the_product() -> None:
    rng = np.random.default_rng(5)
    for rpy in [*rng.uniform(-7.0, 7.0, (200, 3)), *np.diag([0.3, 0.4, 0.5])]:
        expected = Rotation.from_rpy(*map(float, rpy))
        assert [*roll_pitch_yaw_rotation(*map(float, rpy)).matrix] == pytest.approx([*expected.matrix], abs=1e-15)
