"""SDF where two rules of the format meet: each file read here and by Drake."""

from __future__ import annotations

import numpy as np
import pytest
from sdf_peer import Peer, assert_same

import sixvec
from sdf_files import HOLD, INERTIAL, joint, link, model
from sixvec.errors import FileFormatError
from sixvec.formats import parse_model
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.model.joints import Universal
from sixvec.spatial import Quaternion, Rotation
from tolerances import PEER, assert_close

BASE = link("base") + HOLD
J = joint("j", "base", "a", "revolute", "1 2 3")
PLACED = link("a", "1 2 3 .1 .2 .3")


def turned(how: str, numbers: str) -> str:
    return link("a").replace("<pose>", f"<pose {how}>", 1).replace("0 0 0 0 0 0", numbers, 1)


FILES = {
    "degrees": model(BASE + turned('degrees="true"', ".1 .2 .3 40 50 60") + J),
    "quaternion": model(BASE + turned('rotation_format="quat_xyzw"', ".1 .2 .3 .1 .2 .3 .927361849549570") + J),
    "degrees relative to a link": model(
        link("base", "1 2 3 .1 .2 .3") + HOLD + turned('relative_to="base" degrees="true"', "1 0 0 0 90 20") + J),
    "empty pose relative to a link": model(
        link("base", "1 2 3 .1 .2 .3") + HOLD + '<link name="a"><pose relative_to="base"/>'
        + INERTIAL.format(2, "0 0 0 0 0 0") + "</link>" + J),
    "inertial in degrees": model(
        BASE + link("a", inside=INERTIAL.format(2, "1 2 3 40 -50 60").replace("<pose>", '<pose degrees="true">')) + J),
    "joint with a quaternion": model(
        BASE + PLACED + joint("j", "base", "a", "revolute", "1 2 3",
                              '<pose rotation_format="quat_xyzw">.1 .2 .3 .5 -.5 .5 .5</pose>')),
    "axis in a frame of a nested model": model(
        BASE + '<model name="n"><pose>1 0 0 .3 .2 .1</pose>' + link("p", "0 0 1 .1 .2 .3")
        + '<frame name="f" attached_to="p"><pose>0 0 0 .5 .6 .7</pose></frame></model>'
        + joint("j", "base", "n::p", axis="", inside='<axis><xyz expressed_in="n::f">1 2 3</xyz></axis>')),
    "frame on a joint": model(
        BASE + PLACED + '<frame name="f" attached_to="j"><pose>1 0 0 0 0 1</pose></frame>' + J),
    "frame on a frame": model(
        BASE + PLACED + '<frame name="f" attached_to="a"><pose>0 0 1 .5 .6 .7</pose></frame>'
        '<frame name="g" attached_to="f"><pose>1 0 0 0 0 0</pose></frame>' + J),
    "frame on a nested model": model(
        BASE + '<model name="n"><pose>1 0 0 .3 .2 .1</pose>' + link("p", "0 0 1 .1 .2 .3") + "</model>"
        + '<frame name="f" attached_to="n"><pose>0 0 0 .5 .6 .7</pose></frame>' + joint("j", "base", "f")),
    "screw": model(
        BASE + PLACED + joint("j", "base", "a", "screw", "1 2 3", "<pose>.1 .2 .3 .4 .5 .6</pose>"
                              "<screw_thread_pitch>-0.7</screw_thread_pitch>")),
    "screw of old": model(
        BASE + PLACED + joint("j", "base", "a", "screw", inside="<thread_pitch>-5</thread_pitch>"), version="1.7"),
    "universal": model(
        BASE + PLACED + joint("j", "base", "a", "universal", "1 0 0,0 1 0", "<pose>.1 .2 .3 .4 .5 .6</pose>")),
    "universal about other axes": model(
        BASE + PLACED + joint("j", "base", "a", "universal", "0 0 1,1 0 0", "<pose>.1 .2 .3 .4 .5 .6</pose>")),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_poses_and_dynamics_are_drakes(name: str) -> None:
    assert_same(parse_model(FILES[name], "robot.sdf"), Peer(FILES[name]))


def collision(shape: str, inside: str = "", relative_to: str = "") -> str:
    pose = f'<pose relative_to="{relative_to}">1 2 3 .1 .2 .3</pose>' if relative_to else "<pose>1 2 3 .1 .2 .3</pose>"
    return f'<collision name="c{len(shape)}">{pose}{inside}<geometry>{shape}</geometry></collision>'


BOX, SPHERE = "<box><size>.1 .2 .3</size></box>", "<sphere><radius>.3</radius></sphere>"
SHAPES = {
    "box": collision(BOX),
    "sphere": collision(SPHERE),
    "cylinder": collision("<cylinder><radius>.1</radius><length>.5</length></cylinder>"),
    "capsule": collision("<capsule><radius>.1</radius><length>.5</length></capsule>"),
    "ellipsoid": collision("<ellipsoid><radii>.1 .2 .3</radii></ellipsoid>"),
    "cone": collision("<cone><radius>.1</radius><length>.5</length></cone>"),
    "two, one with its own density": collision(BOX) + collision(SPHERE, "<density>7</density>"),
    "placed in another link": collision(BOX, relative_to="base"),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("given", ["", "<density>3</density>", "<density>3</density><mass>5</mass>"])
@pytest.mark.parametrize("name", SHAPES)
def test_inertia_of_collision_shapes(name: str, given: str) -> None:
    inside = f'<inertial auto="true">{given}</inertial>{SHAPES[name]}'
    text = model(BASE + link("a", ".1 .2 .3 .4 .5 .6", inside=inside) + J, version="1.11")
    assert_same(parse_model(text, "robot.sdf"), Peer(text))


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("", "no <collision>"),
        (collision(BOX.replace(".1", "-.1")), "numbers above 0"),
        (collision(SPHERE, "<density>0</density>"), "density is 0.0"),
        (collision("<cylinder><radius>1</radius></cylinder>"), "no <length>"),
    ],
)
def test_shapes_without_inertia(inside: str, words: str) -> None:
    with pytest.raises(FileFormatError, match=words):
        parse_model(model(link("a", inside=f'<inertial auto="true"/>{inside}'), version="1.11"), "robot.sdf")


def test_a_mesh_is_left_out_and_listed() -> None:
    mesh = collision("<mesh><uri>model://a/b.dae</uri></mesh>")
    with pytest.warns(UnsupportedPhysics, match="inertia computed from a mesh"):
        found = parse_model(model(link("a", inside=f'<inertial auto="true"/>{mesh}{collision(BOX)}')), "robot.sdf")
    assert found.bodies[0].inertia.mass == pytest.approx(6.0)


def test_a_ball_is_drakes() -> None:
    """Drake reads it with roll, pitch and yaw for positions and the velocity in the axes of the parent's side."""
    text = model(BASE + PLACED + joint("j", "base", "a", "ball", "", "<pose>.1 .2 .3 .4 .5 .6</pose>"))
    peer, rng = Peer(text), np.random.default_rng(2)
    robot = sixvec.Robot(parse_model(text, "robot.sdf"))
    for _ in range(3):
        rpy, v = rng.uniform(-1.0, 1.0, (2, 3))
        R = Rotation.from_rpy(*map(float, rpy))
        q = np.array([*Quaternion.from_rotation(R)], float)
        turn = np.array([[*row] for row in R.matrix.rows], float)
        peer.plant.SetPositions(peer.context, rpy)
        peer.plant.SetVelocities(peer.context, v)
        for frame in robot.frame_names:
            assert_close(robot.pose(q, frame), peer.pose(frame), PEER, batched=False)
        M = peer.plant.CalcMassMatrix(peer.context)
        assert_close(turn @ robot.mass_matrix(q) @ turn.T, M, PEER, batched=False)


def test_a_frame_on_a_frame_on_a_nested_model() -> None:
    """Its pose is given in the frame that it is attached to (Drake has it elsewhere, even with relative_to)."""
    text = FILES["frame on a nested model"].replace(
        '\n<joint name="j"', '<frame name="g" attached_to="f"><pose>1 2 3 0 0 0</pose></frame><joint name="j"'
    )
    robot = sixvec.Robot(parse_model(text, "robot.sdf"))
    X_fg = np.linalg.inv(robot.pose([0.3], "f")) @ robot.pose([0.3], "g")
    assert_close(X_fg[:3, 3], [1.0, 2.0, 3.0], PEER, batched=False)


def test_a_revolute2_is_a_universal_joint() -> None:
    text = model(BASE + PLACED + joint("j", "base", "a", "revolute2", "0 0 1,1 0 0"))
    assert isinstance(parse_model(text, "robot.sdf").by_name["a"].joint, Universal)
