"""SDF: what each element means, by hand-made numbers and by the same robot in URDF."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import sixvec
from sdf_files import HOLD, NESTED, OLD, WORLD, joint, link, model, sdf
from sixvec.errors import ModelError
from sixvec.formats import parse_model
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.model import Closure, JointDynamics, Limits, Mimic, Model
from sixvec.model.joints import Fixed, Free, Helical, Joint, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import Vec3
from tolerances import IDENTITY, ROUNDING, assert_close


def read(text: str, *, floating: bool = False) -> Model:
    return parse_model(text, "robot.sdf", floating=floating)


def one_joint(kind: str, axis: str = "0 0 1", inside: str = "") -> Model:
    return read(model(link("base") + link("tip", "0 0 1 0 0 0") + joint("j", "base", "tip", kind, axis, inside)))


@pytest.mark.parametrize(
    ("kind", "axis", "inside", "expected"),
    [
        ("revolute", "0 0 2", "", Revolute()),
        ("continuous", "0 1 0", "", Revolute(Vec3(0.0, 1.0, 0.0))),
        ("prismatic", "1 0 0", "", Prismatic(Vec3(1.0, 0.0, 0.0))),
        ("ball", "", "", Spherical()),
        ("fixed", "", "", Fixed()),
        ("universal", "1 0 0,0 1 0", "", Universal()),
        ("revolute2", "0 0 1,0 1 0", "", Universal(Vec3(0.0, 0.0, 1.0), Vec3(0.0, 1.0, 0.0))),
        ("screw", "0 0 1", "<screw_thread_pitch>0.5</screw_thread_pitch>", Helical(pitch=0.5 / (2 * math.pi))),
        ("screw", "0 0 1", "<thread_pitch>4</thread_pitch>", Helical(pitch=-0.25)),
        ("screw", "0 0 1", "", Helical(pitch=1 / (2 * math.pi))),
    ],
)
def test_types_of_joints(kind: str, axis: str, inside: str, expected: object) -> None:
    assert one_joint(kind, axis, inside).bodies[1].joint == expected


def axis_with(inside: str, kind: str = "revolute") -> Model:
    return one_joint(kind, "", f"<axis><xyz>0 0 1</xyz>{inside}</axis>")


@pytest.mark.covers("MODEL-03")
@pytest.mark.parametrize(
    ("limit", "kind", "expected"),
    [
        ("", "revolute", Limits()),
        ("<lower>-1</lower><upper>2</upper>", "revolute", Limits((-1.0,), (2.0,))),
        ("<lower>-1e16</lower><upper>1e+16</upper>", "revolute", Limits()),
        ("<lower>-inf</lower><upper>2</upper>", "prismatic", Limits((-math.inf,), (2.0,))),
        ("<effort>-1</effort><velocity>-1</velocity>", "revolute", Limits()),
        ("<lower>-1</lower><upper>2</upper><effort>5</effort>", "continuous", Limits(effort=(5.0,))),
        ("<velocity>3</velocity>", "revolute", Limits(velocity=(3.0,))),
    ],
)
def test_limits(limit: str, kind: str, expected: Limits) -> None:
    assert axis_with(f"<limit>{limit}</limit>", kind).bodies[1].limits == expected


def test_damping_friction_and_springs() -> None:
    dynamics = (
        "<dynamics><damping>1</damping><friction>2</friction><spring_stiffness>3</spring_stiffness>"
        "<spring_reference>-4</spring_reference></dynamics>"
    )
    assert axis_with(dynamics).bodies[1].dynamics == JointDynamics((), (1.0,), (2.0,), (3.0,), (-4.0,))
    second = f"<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz>{dynamics}</axis2>"
    both = one_joint("universal", "", second).bodies[1]
    assert both.dynamics == JointDynamics((), (0.0, 1.0), (0.0, 2.0), (0.0, 3.0), (0.0, -4.0))


@pytest.mark.parametrize(
    "pose",
    [
        "<pose>1 2 3 0.3 -0.4 0.5</pose>",
        f'<pose degrees="true">1 2 3 {math.degrees(0.3)} {math.degrees(-0.4)} {math.degrees(0.5)}</pose>',
        '<pose rotation_format="euler_rpy">1 2 3 0.3 -0.4 0.5</pose>',
        '<pose rotation_format="quat_xyzw">1 2 3 {} {} {} {}</pose>',
    ],
)
def test_formats_of_poses(pose: str) -> None:
    """The same rotation by SciPy, in every notation."""
    from scipy.spatial.transform import Rotation

    R = Rotation.from_euler("xyz", [0.3, -0.4, 0.5])
    robot = sixvec.Robot(read(model(f'<link name="a">{pose.format(*map(float, 2 * R.as_quat()))}</link>')))
    assert_close(robot.pose(np.zeros(0), "a")[:3, :3], R.as_matrix(), ROUNDING, batched=False)
    assert_close(robot.pose(np.zeros(0), "a")[:3, 3], [1.0, 2.0, 3.0], ROUNDING, batched=False)


def test_the_axis_of_a_joint_depends_on_the_version() -> None:
    """By hand: in the axes of the model until 1.4 or where the file says so, else in the joint's."""
    placed = {version: read(text).bodies[1] for version, text in OLD.items()}
    R_MJ = sixvec.Robot(read(OLD["1.4"])).pose(np.zeros(1), "upper")[:3, :3] @ _rpy(0.5, 0.4, 0.3)
    R_MJ = _rpy(0.0, 0.0, 0.5).T @ R_MJ
    given = np.array([1.0, 2.0, 3.0]) / math.sqrt(14.0)
    for version, in_joint in (("1.4", R_MJ.T @ given), ("1.5", R_MJ.T @ given), ("1.6", given), ("1.7", given)):
        joint = placed[version].joint
        assert isinstance(joint, Revolute)
        assert_close([*joint.axis], in_joint, ROUNDING, batched=False)


def _rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix())


def test_the_same_robot_in_urdf() -> None:
    """URDF places each link at its joint and each joint in its parent: so can SDF."""
    inertial = (
        '<inertial><origin xyz="0.1 0 0.2" rpy="0 0.3 0"/><mass value="2"/>'
        '<inertia ixx="0.1" ixy="0" ixz="0.01" iyy="0.2" iyz="0" izz="0.3"/></inertial>'
    )
    urdf = parse_model(
        f'<robot name="arm"><link name="base"/><link name="a">{inertial}</link><link name="b">{inertial}</link>'
        '<joint name="j" type="revolute"><parent link="base"/><child link="a"/>'
        '<origin xyz="0 0.1 1" rpy="0.1 0.2 0.3"/>'
        '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="3" velocity="4"/></joint>'
        '<joint name="k" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="1 0 0" rpy="1 0 0"/>'
        '<axis xyz="1 0 0"/><limit lower="-2" upper="2" effort="5" velocity="6"/></joint></robot>',
        "arm.urdf",
    )
    same = (
        "<inertial><pose>0.1 0 0.2 0 0.3 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><ixz>0.01</ixz><iyy>0.2</iyy>"
        "<izz>0.3</izz></inertia></inertial>"
    )
    limit = "<limit><lower>{}</lower><upper>{}</upper><effort>{}</effort><velocity>{}</velocity></limit>"
    sdf_robot = read(
        model(
            '<link name="base"><inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia>'
            '</inertial></link>' + link("a", "", "j", same) + link("b", "", "k", same)
            + joint("j", "base", "a", "revolute", "", '<pose relative_to="base">0 0.1 1 0.1 0.2 0.3</pose>'
                    f"<axis><xyz>0 1 0</xyz>{limit.format(-1, 1, 3, 4)}</axis>")
            + joint("k", "a", "b", "prismatic", "", '<pose relative_to="a">1 0 0 1 0 0</pose>'
                    f"<axis><xyz>1 0 0</xyz>{limit.format(-2, 2, 5, 6)}</axis>")
        )
    )  # fmt: skip
    assert sdf_robot.bodies == urdf.bodies and sdf_robot.gravity == urdf.gravity
    assert sdf_robot.frames[1:] == urdf.frames


def test_a_link_without_inertial_has_the_mass_of_the_format() -> None:
    (body,) = read(model('<link name="a"/>')).bodies
    assert [*body.inertia] == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]


def test_names_and_order_of_several_models() -> None:
    found = read(WORLD)
    assert [b.name for b in found.bodies] == ["ground::plane", "one::base", "one::tip", "two::base", "two::tip"]
    assert [b.joint_name for b in found.moving] == ["one::turn", "two::turn"]
    assert found.name == "place" and found.gravity == Vec3(0.0, 0.5, -3.7)
    assert [f.name for f in read(NESTED).frames] == [
        "world",
        "base",
        "left::palm",
        "left::finger",
        "tip",
        "left::wrist",
    ]


def test_gravity_of_old_worlds_stands_in_their_physics() -> None:
    text = (
        '<world name="w"><physics><gravity>0 0 -1</gravity></physics><model name="m"><link name="a"/></model></world>'
    )
    assert read(sdf(text, "1.4")).gravity.z == -1.0


def test_roots_stand_or_float() -> None:
    text = model("<pose>1 2 3 0 0 0</pose>" + link("a") + link("b", "0 0 1 0 0 0") + joint("j", "a", "b") + link("c"))
    standing, floating = read(text), read(text, floating=True)
    assert [(b.name, b.parent, b.joint.nv) for b in standing.bodies] == [("a", None, 0), ("b", "a", 1), ("c", None, 0)]
    assert standing.bodies[0].placement.pos == Vec3(1.0, 2.0, 3.0)
    assert [b.joint for b in floating.bodies if b.parent is None] == [Free(), Free()]
    assert [b.joint_name for b in floating.bodies] == ["a::root_joint", "j", "c::root_joint"]
    assert read(model(link("a")), floating=True).bodies[0].joint_name == "root_joint"
    with pytest.raises(ModelError, match="floating"):
        read(model(link("base") + HOLD), floating=True)


def test_static_models_do_not_move() -> None:
    text = model("<static>true</static>" + link("a") + link("b", "0 0 1 0 0 0") + joint("j", "a", "b"))
    found = read(text)
    assert found.nv == 0 and [b.parent for b in found.bodies] == [None, None]
    assert found.frame("b").body == "b" and found.bodies[1].placement.pos.z == 1.0


def four_bar(dynamics: str = "") -> Model:
    """A parallelogram in the x-z plane: cranks of 1 m, coupler of 2 m; the last joint closes it."""
    return read(
        model(
            link("crank", "0 0 0 0 0 0") + link("coupler", "0 0 1 0 0 0") + link("rocker", "2 0 0 0 0 0")
            + joint("a", "world", "crank", axis="0 1 0") + joint("b", "crank", "coupler", axis="0 1 0")
            + joint("c", "world", "rocker", axis="0 1 0")
            + joint("d", "coupler", "rocker", axis="", inside="<pose>0 0 1 0 0 0</pose>"
                    f"<axis><xyz>0 1 0</xyz>{dynamics}</axis>")
        )
    )  # fmt: skip


@pytest.mark.covers("CHAIN-09")
def test_a_loop_becomes_a_closure_that_holds_when_the_mechanism_moves() -> None:
    found = four_bar()
    assert found.closures == (Closure("d", "d::parent", "d::child", Revolute(Vec3(0.0, 1.0, 0.0))),)
    robot = sixvec.Robot(found)
    assert [*robot.joint_names] == ["a", "b", "c"]
    for angle in (0.0, 0.4, -1.1):
        q = np.array([angle, -angle, angle])  # a parallelogram: the coupler keeps its direction
        first, second = robot.pose(q, "d::parent"), robot.pose(q, "d::child")
        assert_close(first[:3, 3], second[:3, 3], IDENTITY, batched=False)
        assert_close(first[:3, 3], [2 + math.sin(angle), 0.0, math.cos(angle)], IDENTITY, batched=False)
    apart = np.array([0.3, 0.0, 0.0])
    assert np.abs(robot.pose(apart, "d::parent") - robot.pose(apart, "d::child")).max() > 0.1


def test_a_file_may_choose_where_a_loop_is_cut() -> None:
    cut = "<physics><simbody><must_be_loop_joint>true</must_be_loop_joint></simbody></physics>"
    text = model(
        link("a") + link("b") + joint("j", "world", "a") + joint("k", "a", "b", inside=cut) + joint("l", "world", "b")
    )
    assert [c.name for c in read(text).closures] == ["k"]


@pytest.mark.parametrize(
    ("kind", "axis"),
    [("revolute", "1 2 3"), ("prismatic", "1 2 3"), ("screw", "1 2 3"), ("universal", "1 0 0,0 1 0"), ("fixed", "")],
)
def test_a_joint_reached_from_its_child_is_turned_round(kind: str, axis: str) -> None:
    """The pose of the parent seen from the child is the same, whichever of the two is held."""
    links = link("a", "0.1 0.2 0.3 0.4 0.5 0.6") + link("b", "1 0 0 0 1 0")
    between = joint("j", "a", "b", kind, axis, "<pose>0 0.3 0 0.1 0.2 0.3</pose>")
    straight = sixvec.Robot(read(model(links + between + joint("hold", "world", "a", "fixed", ""))))
    turned = sixvec.Robot(read(model(links + between + joint("hold", "world", "b", "fixed", ""))))
    assert [b.name for b in turned.model.bodies] == ["b", "a"]
    q = np.array([0.3, 0.7])[: straight.nv]
    X, Y = ([robot.pose(p, f) for f in ("a", "b")] for robot, p in ((straight, q), (turned, q[::-1])))
    assert_close(np.linalg.solve(X[1], X[0]), np.linalg.solve(Y[1], Y[0]), IDENTITY, batched=False)


def test_a_joint_of_two_axes_turned_round_keeps_what_each_axis_has() -> None:
    def axis(tag: str, xyz: str, lower: int, damping: int) -> str:
        limit = f"<limit><lower>{lower}</lower><upper>{lower + 1}</upper><effort>{damping + 10}</effort></limit>"
        return f"<{tag}><xyz>{xyz}</xyz>{limit}<dynamics><damping>{damping}</damping></dynamics></{tag}>"

    axes = axis("axis", "1 0 0", -1, 3) + axis("axis2", "0 1 0", -2, 4)
    links = link("a") + link("b") + joint("j", "a", "b", "universal", "", axes)
    straight, turned = (read(model(links + joint("h", "world", held, "fixed", ""))).bodies[1] for held in "ab")
    assert straight.limits == Limits((-1.0, -2.0), (0.0, -1.0), (), (13.0, 14.0))
    assert turned.limits == Limits((-2.0, -1.0), (-1.0, 0.0), (), (14.0, 13.0))
    assert (straight.dynamics.damping, turned.dynamics.damping) == ((3.0, 4.0), (4.0, 3.0))


def test_mimic() -> None:
    law = '<mimic joint="j"><multiplier>-2</multiplier><offset>0.5</offset><reference>0.25</reference></mimic>'
    follow = f"<axis><xyz>0 1 0</xyz>{law}</axis>"
    text = model(
        link("a") + link("b") + link("c") + joint("j", "a", "b") + joint("k", "b", "c", axis="", inside=follow)
    )
    found = read(text)
    assert found.nv == 1 and found.by_name["c"].mimic == Mimic("b", -2.0, 1.0)


def test_what_is_left_out_is_listed_in_one_warning() -> None:
    text = model(
        '<include><uri>model://hand</uri></include><gripper name="claw"/><enable_wind>true</enable_wind>'
        + link("a", inside="<gravity>false</gravity><velocity_decay/><kinematic>1</kinematic>")
        + link("b", inside='<inertial auto="true"><fluid_added_mass/></inertial><enable_wind>0</enable_wind>'
               '<collision name="c"><geometry><mesh/></geometry></collision>')
        + joint("g", "a", "b", "gearbox") + '<x:thing xmlns:x="http://x"/>'
        + '<link name="c"><pose frame="a">0 0 0 0 0 0</pose></link>'
    )  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(text)
    (only,) = caught
    assert only.category is UnsupportedPhysics
    for words in (
        "include", "gripper", "wind", "gravity of a link", "velocity_decay", "kinematic", "computed from a mesh",
        "fluid_added_mass", "gearbox joint", "thing (an extension", "frame of a pose",
    ):  # fmt: skip
        assert words in str(only.message)
    with pytest.warns(UnsupportedPhysics, match="loop"):
        four_bar("<dynamics><damping>1</damping></dynamics>")


def test_all_loaders_accept_sdf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from sixvec.cli.main import main

    file = tmp_path / "arm.sdf"
    file.write_text(model(link("base") + link("tip", "0 0 1 0 0 0") + HOLD + joint("j", "base", "tip")))
    assert sixvec.load(file).nv == 1
    assert main(["show", str(file)]) == 0 and "tip" in capsys.readouterr().out
    assert main(["check", str(file)]) in (0, 1) and "2 links" in capsys.readouterr().out
    assert main(["convert", str(file), str(tmp_path / "arm.urdf")]) == 0
    assert "the same robot" in capsys.readouterr().out


def axis(tag: str, xyz: str, lower: float, upper: float, damping: float) -> str:
    return (
        f"<{tag}><xyz>{xyz}</xyz><limit><lower>{lower}</lower><upper>{upper}</upper><effort>7</effort></limit>"
        f"<dynamics><damping>{damping}</damping></dynamics></{tag}>"
    )


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("universal", Universal(Vec3(0.0, -1.0, 0.0), Vec3(-1.0, 0.0, 0.0))),
        ("revolute", Revolute(Vec3(-1.0, 0.0, 0.0))),
        ("prismatic", Prismatic(Vec3(-1.0, 0.0, 0.0))),
        ("ball", Spherical()),
    ],
)
def test_joints_from_the_other_side(kind: str, wanted: Joint) -> None:
    """The child of the joint is held by the world, so the joint is turned round: the last axis comes first."""
    axes = axis("axis", "1 0 0", -1.0, 2.0, 0.1) if kind != "ball" else ""
    axes += axis("axis2", "0 1 0", -3.0, 4.0, 0.2) if kind == "universal" else ""
    inside = link("base") + HOLD + link("a") + joint("j", "a", "base", kind, "", axes)
    b = parse_model(model(inside), "robot.sdf").by_name["a"]
    assert b.joint == wanted and b.parent == "base"
    if kind == "universal":
        assert b.limits == Limits((-3.0, -1.0), (4.0, 2.0), b.limits.velocity, (7.0, 7.0))
        assert b.dynamics.damping == (0.2, 0.1)
    elif kind != "ball":
        assert (b.limits.lower, b.limits.upper, b.dynamics.damping) == ((-1.0,), (2.0,), (0.1,))
