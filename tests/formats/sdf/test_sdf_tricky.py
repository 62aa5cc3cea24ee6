"""SDF where two rules of the format meet: each file read here and by Drake."""

from __future__ import annotations

import numpy as np
import pytest
from sdf_peer import Peer, assert_same

import sixvec
from sdf_files import BASE, BOX, PLACED, SHAPES, SPHERE, TRICKY, J, collision, joint, link, model
from sixvec.errors import FileFormatError
from sixvec.formats import parse_model
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.model.joints import Universal
from sixvec.spatial import Quaternion, Rotation
from tolerances import PEER, assert_close


@pytest.mark.parametrize("name", TRICKY)
def test_poses_and_dynamics_are_drakes(name: str) -> None:
    assert_same(parse_model(TRICKY[name], "robot.sdf"), Peer(TRICKY[name]))


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
    with pytest.warns(UnsupportedPhysics, match="mesh"):
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
    text = TRICKY["frame on a nested model"].replace(
        '\n<joint name="j"', '<frame name="g" attached_to="f"><pose>1 2 3 0 0 0</pose></frame><joint name="j"'
    )
    robot = sixvec.Robot(parse_model(text, "robot.sdf"))
    X_fg = np.linalg.inv(robot.pose([0.3], "f")) @ robot.pose([0.3], "g")
    assert_close(X_fg[:3, 3], [1.0, 2.0, 3.0], PEER, batched=False)


def test_a_revolute2_is_a_universal_joint() -> None:
    text = model(BASE + PLACED + joint("j", "base", "a", "revolute2", "0 0 1,1 0 0"))
    assert isinstance(parse_model(text, "robot.sdf").by_name["a"].joint, Universal)
