"""Loops in URDF, in the four ways in which others write them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import FileFormatError, SixvecError
from sixvec.formats import parse_model
from sixvec.formats.doctor import check_file
from sixvec.model import Closure, Gear
from sixvec.model.joints import Fixed, Prismatic, Revolute, Spherical, Universal

TENSOR = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/>'
MASS = f'<inertial><origin xyz="0.5 0.1 0"/><mass value="2"/>{TENSOR}</inertial>'


def link(name: str, inside: str = MASS) -> str:
    return f'<link name="{name}">{inside}</link>\n'


def joint(name: str, parent: str, child: str, xyz: str = "0 0 0", kind: str = "continuous") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}"/>{ends}<axis xyz="0 0 1"/></joint>\n'


FOUR_BAR = (
    link("base", "")
    + "".join(link(name) for name in ("crank", "coupler", "rocker"))
    + joint("shoulder", "base", "crank")
    + joint("elbow", "crank", "coupler", "0 1 0")
    + joint("pivot", "base", "rocker", "2 0 0")
)
"""A parallelogram: a crank and a rocker of 1 m along y, on a base of 2 m along x, which the coupler is to connect."""

SPELLINGS = {
    "loop": '<loop name="pin" type="revolute"><predecessor link="coupler"><origin xyz="2 0 0"/></predecessor>'
    '<successor link="rocker"><origin xyz="0 1 0"/></successor><axis xyz="0 0 1"/></loop>',
    "older loop": '<loop name="pin" type="continuous"><predecessor link="coupler"/><successor link="rocker"/>'
    '<predecessor_origin xyz="2 0 0"/><successor_origin xyz="0 1 0"/><axis xyz="0 0 1"/></loop>',
    "constraint": '<constraint name="pin" type="revolute"><parent link="coupler"/><parent_origin xyz="2 0 0"/>'
    '<parent_axis xyz="0 0 1"/><child link="rocker"/><child_origin xyz="0 1 0" rpy="1.5707963267948966 0 0"/>'
    '<child_axis xyz="0 1 0"/></constraint>',
    "ball": "<drake:ball_constraint>"
    '<drake:ball_constraint_body_A name="coupler"/><drake:ball_constraint_body_B name="rocker"/>'
    '<drake:ball_constraint_p_AP value="2 0 0"/><drake:ball_constraint_p_BQ value="0 1 0"/></drake:ball_constraint>',
}
ENDS = (
    link("end_1", "")
    + link("end_2", "")
    + joint("e1", "coupler", "end_1", "2 0 0", "fixed")
    + joint("e2", "rocker", "end_2", "0 1 0", "fixed")
)


def robot(inside: str) -> str:
    return f'<robot name="r" xmlns:drake="http://drake.mit.edu">\n{FOUR_BAR}{inside}</robot>'


def load(folder: Path, spelling: str) -> sv.Robot:
    """The four-bar with its loop written in one of the ways."""
    path = folder / "bar.urdf"
    if spelling == "yaml":
        path.write_text(robot(ENDS))
        path.with_suffix(".yaml").write_text("closed_loop: [['end_1', 'end_2']]\ntype: ['3D']\n")
    else:
        path.write_text(robot(SPELLINGS[spelling]))
    return sv.load(path)


@pytest.mark.parametrize("spelling", [*SPELLINGS, "yaml"])
def test_a_parallelogram_is_closed_where_it_should_be(tmp_path: Path, spelling: str) -> None:
    four_bar = load(tmp_path, spelling)
    (closure,) = four_bar.model.closures
    assert isinstance(closure, Closure)
    for angle in (0.0, 0.7, -1.9):
        # The order of the file is depth first: shoulder, elbow, pivot.
        first, second = (
            np.asarray(four_bar.pose([angle, -angle, angle], end)) for end in (closure.first, closure.second)
        )
        assert first[:3, 3] == pytest.approx(second[:3, 3], abs=1e-12)
        if isinstance(closure.joint, Revolute):
            axis = [*closure.joint.axis]
            assert first[:3, :3] @ axis == pytest.approx(second[:3, :3] @ axis, abs=1e-12)
            assert first[:3, :3] @ axis == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)


def test_all_spellings_move_alike(tmp_path: Path) -> None:
    """A ball closes a planar loop as a hinge does."""
    q, v = [0.4, -0.4, 0.4], [0.3, -0.3, 0.3]
    answers = [
        load(tmp_path, spelling).forward_dynamics(q, v, [1.0, 0.0, 0.0]) for spelling in ("loop", "constraint", "yaml")
    ]
    for a in answers[1:]:
        assert a == pytest.approx(answers[0], abs=1e-9)
    assert answers[0][1] == pytest.approx(-answers[0][0], abs=1e-9)


def test_couplings_are_gears() -> None:
    coupling = (
        '<coupling name="belt"><predecessor link="crank"/><successor link="rocker"/><ratio value="-2.5"/></coupling>'
    )
    model = parse_model(robot(coupling), "bar.urdf")
    assert model.closures == (Gear("belt", "crank", "rocker", -2.5),)
    twice = coupling.replace("crank", "coupler")
    with pytest.raises(FileFormatError, match=named("coupler", "joints")):
        parse_model(robot(twice), "bar.urdf")


@pytest.mark.parametrize(
    ("kind", "axes", "joint"),
    [
        ("link", "", Fixed()),
        ("spherical", "", Spherical()),
        ("prismatic", '<parent_axis xyz="0 2 0"/>', Prismatic(sv.spatial.Vec3(0.0, 1.0, 0.0))),
        ("universal", '<parent_axis xyz="1 0 0"/><child_axis xyz="0 1 0"/>', Universal()),
    ],
)
def test_kinds_of_constraints(kind: str, axes: str, joint: object) -> None:
    ends = '<parent link="coupler"/><child link="rocker"/>'
    model = parse_model(robot(f'<constraint name="c" type="{kind}">{ends}{axes}</constraint>'), "bar.urdf")
    (closure,) = model.closures
    assert isinstance(closure, Closure) and closure.joint == joint


def test_a_universal_joint_whose_axes_are_alike_in_their_frames() -> None:
    """Both axes are z of their own frames; the frames are turned so that the two are perpendicular."""
    ends = '<parent link="coupler"/><child link="rocker"/><parent_axis xyz="0 0 1"/><child_axis xyz="0 0 1"/>'
    model = parse_model(robot(f'<constraint name="c" type="universal">{ends}</constraint>'), "bar.urdf")
    (closure,) = model.closures
    assert isinstance(closure, Closure) and isinstance(closure.joint, Universal)
    second = next(f for f in model.frames if f.name == closure.second)
    assert [*(second.placement.rot @ closure.joint.second)] == pytest.approx([0.0, 0.0, 1.0])
    assert closure.joint.first.dot(closure.joint.second) == pytest.approx(0.0, abs=1e-12)


def test_motors_and_types_of_the_file_next_to(tmp_path: Path) -> None:
    (tmp_path / "bar.urdf").write_text(robot(ENDS))
    (tmp_path / "bar.yaml").write_text(
        "closed_loop:\n- [e1, end_2]\ntype: [6d]\nname_mot: [shoulder]\njoint_name: [elbow]\njoint_type: [SPHERICAL]\n"
    )
    model = sv.load(tmp_path / "bar.urdf").model
    (closure,) = model.closures
    assert isinstance(closure, Closure) and closure.joint == Fixed()
    assert isinstance(model.by_name["coupler"].joint, Spherical)
    assert [b.joint_name for b in model.moving if not b.limits.effort or any(b.limits.effort)] == ["shoulder"]


def test_another_file_next_to_is_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "bar.urdf").write_text(robot(""))
    (tmp_path / "bar.yaml").write_text("controller: !!python/object/apply:os.system ['true']\n")
    assert not sv.load(tmp_path / "bar.urdf").model.closures


WRONG = {
    "link": ('<loop name="p" type="fixed"><predecessor link="cranc"/><successor link="rocker"/></loop>', "link"),
    "type": ('<loop name="p" type="ball"><predecessor link="crank"/><successor link="rocker"/></loop>', "type"),
    "side": ('<loop name="p" type="fixed"><predecessor link="crank"/></loop>', "successor"),
    "twice": (SPELLINGS["loop"] * 2, "pin"),
    "axis": (SPELLINGS["loop"].replace("0 0 1", "0 0 0"), named("pin", "axis", "line 9")),
    "point": (
        SPELLINGS["ball"].replace("2 0 0", "2 0"),
        named("drake:ball_constraint", "drake:ball_constraint_p_AP", "value", "line 9"),
    ),
    "ratio": ('<coupling name="c"><predecessor link="crank"/><successor link="rocker"/><ratio/></coupling>', "value"),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_have_a_line(name: str, tmp_path: Path) -> None:
    inside, words = WRONG[name]
    with pytest.raises(FileFormatError, match=words) as caught:
        parse_model(robot(inside), "bar.urdf")
    assert caught.value.line is not None and caught.value.file == "bar.urdf" and caught.value.element
    path = tmp_path / "bar.urdf"
    path.write_text(robot(inside))
    assert check_file(path).status == 2


@pytest.mark.parametrize(
    "text",
    [
        "closed_loop: [[a]]",
        "closed_loop: 3",
        "closed_loop: [[a, b]]",
        "closed_loop: [",
        "closed_loop: [[crank, rocker]]\ntype: [4d]",
    ],
)
def test_mistakes_of_the_file_next_to(text: str, tmp_path: Path) -> None:
    (tmp_path / "bar.urdf").write_text(robot(""))
    (tmp_path / "bar.yaml").write_text(text)
    with pytest.raises(SixvecError) as caught:
        sv.load(tmp_path / "bar.urdf")
    assert isinstance(caught.value, FileFormatError) and caught.value.file.endswith("bar.yaml")


@pytest.mark.parametrize("spelling", [*SPELLINGS, "yaml"])
def test_the_check_knows_the_words_and_mjcf_keeps_the_loops(spelling: str, tmp_path: Path) -> None:
    four_bar = load(tmp_path, spelling)
    report = check_file(tmp_path / "bar.urdf")
    assert report.status == 0, report.text()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sv.save(four_bar, tmp_path / "bar.xml")
    again = sv.load(tmp_path / "bar.xml")
    assert [c.name for c in again.model.closures] == [c.name for c in four_bar.model.closures]


UJOINTS = [f"UJOINT_{a}{b}" for a, b in ("XY", "XZ", "YX", "YZ", "ZX", "ZY")]


def with_universal_elbow(folder: Path, kind: str) -> sv.Robot:
    path = folder / "bar.urdf"
    turned = robot(ENDS).replace('<origin xyz="0 1 0"/><parent', '<origin xyz="0 1 0" rpy="0.3 -0.2 0.5"/><parent')
    path.write_text(turned)
    path.with_suffix(".yaml").write_text(
        f"closed_loop: [[end_1, end_2]]\ntype: [3d]\njoint_name: [elbow]\njoint_type: [{kind}]\n"
    )
    return sv.load(path)


@pytest.mark.parametrize("kind", UJOINTS)
def test_a_ujoint_is_two_hinges_of_pinocchio(kind: str, tmp_path: Path) -> None:
    """As the library that publishes these files builds them: the two axes of the joint's frame, one after the other."""
    pin = pytest.importorskip("pinocchio")
    ours = with_universal_elbow(tmp_path, kind)
    plain = pin.buildModelFromUrdf(str(tmp_path / "bar.urdf"))
    hinges = {"X": pin.JointModelRX, "Y": pin.JointModelRY, "Z": pin.JointModelRZ}
    theirs = pin.Model()
    for i in range(1, plain.njoints):
        name, place = plain.names[i], plain.jointPlacements[i]
        parent = theirs.getJointId(plain.names[plain.parents[i]]) if plain.parents[i] else 0
        joint = pin.JointModelRZ()
        if name == "elbow":
            parent = theirs.addJoint(parent, hinges[kind[-2]](), place, "elbow_first")
            joint, place = hinges[kind[-1]](), pin.SE3.Identity()
        number = theirs.addJoint(parent, joint, place, name)
        theirs.appendBodyToJoint(number, plain.inertias[i], pin.SE3.Identity())
    order = [theirs.idx_vs[theirs.getJointId(n)] for n in ("shoulder", "elbow_first", "elbow", "pivot")]
    rng, data = np.random.default_rng(0), theirs.createData()
    for _ in range(3):
        q, v, a = rng.normal(size=(3, 4))
        x = np.zeros((3, 4))
        x[:, order] = q, v, a
        expected = np.asarray(pin.rnea(theirs, data, *x))[order]
        free = sv.Robot(sv.model.edits.without_closures(ours.model))
        assert free.inverse_dynamics(q, v, a) == pytest.approx(expected, rel=1e-12)


def test_joints_of_unknown_types_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=named("type", "UJOINT_XX", "UJOINT_XY")):
        with_universal_elbow(tmp_path, "UJOINT_XX")
