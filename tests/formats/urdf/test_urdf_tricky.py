"""URDF where the format is easily misread: each file read here and by Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from random_states import random_states
from sixvec.formats import parse_model
from tolerances import PEER, assert_close

pin = pytest.importorskip("pinocchio")

INERTIAL = (
    '<inertial><origin xyz=".1 .2 .3" rpy=".1 .2 .3"/><mass value="2"/>'
    '<inertia ixx=".3" ixy=".01" ixz="-.02" iyy=".35" iyz=".03" izz=".4"/></inertial>'
)


def links(*names: str) -> str:
    return "".join(f'<link name="{name}">{INERTIAL}</link>' for name in names)


def joint(name: str, parent: str, child: str, kind: str = "revolute", axis: str | None = None) -> str:
    limit = '<limit lower="-2" upper="2" effort="5" velocity="3"/>' if kind in ("revolute", "prismatic") else ""
    along = "" if axis is None else f'<axis xyz="{axis}"/>'
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz=".3 .2 .1" rpy=".4 -.5 .6"/><parent link="{parent}"/>'
        f'<child link="{child}"/>{along}{limit}</joint>'
    )


FILES = {
    "axes that are not of length 1": links("a", "b", "c")
    + joint("j", "a", "b", axis="1 2 3") + joint("k", "b", "c", "prismatic", "0 -4 0"),
    "no axes": links("a", "b", "c") + joint("j", "a", "b") + joint("k", "b", "c", "prismatic"),
    "continuous": links("a", "b", "c")
    + joint("j", "a", "b", "continuous", "0 2 1") + joint("k", "b", "c", "continuous"),
    "planar": links("a", "b", "c") + joint("j", "a", "b", "planar", "0 0 1") + joint("k", "b", "c", axis="0 1 0"),
    "floating inside": links("a", "b", "c") + joint("j", "a", "b", "floating") + joint("k", "b", "c", axis="0 1 0"),
    "links and joints of one name": links("a", "j", "k") + joint("j", "a", "j") + joint("k", "j", "k", "prismatic"),
    "links without mass": '<link name="a"/><link name="b"/>' + links("c")
    + joint("j", "a", "b") + joint("k", "b", "c", axis="0 1 0"),
    "fixed joints with axes of zero": links("a", "b", "c", "d")
    + joint("j", "a", "b", "fixed", "0 0 0") + joint("k", "b", "c") + joint("l", "c", "d", "fixed"),
    "joints written backwards": joint("x", "b", "d") + joint("z", "a", "b") + joint("y", "a", "c", "prismatic")
    + links("d", "c", "b", "a"),
    "what others have added": links("a", "b") + joint("j", "a", "b") + '<mujoco><compiler meshdir="x"/></mujoco>'
    '<gazebo reference="a"/><transmission name="t"><type>x</type><joint name="j"/></transmission>',
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_poses_and_dynamics_are_pinocchios(name: str) -> None:
    text = f'<robot name="r">{FILES[name]}</robot>'
    robot, peer = sixvec.Robot(parse_model(text, "r.urdf")), pin.buildModelFromXML(text)
    data = peer.createData()
    q, v, a, _ = random_states(robot)
    Q = sixvec.convert(q, robot, to="pinocchio")
    V = sixvec.convert(v, robot, to="pinocchio", what="v", q=q)
    A = sixvec.convert(a, robot, to="pinocchio", what="a", q=q, v=v)
    theirs = np.array([pin.rnea(peer, data, *row) for row in zip(Q, V, A, strict=True)])
    ours = sixvec.convert(robot.inverse_dynamics(q, v, a), robot, to="pinocchio", what="tau", q=q)
    assert_close(ours, theirs, PEER)
    for i in range(2):
        pin.framesForwardKinematics(peer, data, Q[i])
        for link in [b.name for b in robot.model.bodies]:
            pose = data.oMf[peer.getFrameId(link, pin.FrameType.BODY)].homogeneous
            assert_close(robot.pose(q[i], link), pose, PEER, batched=False)


@pytest.mark.parametrize("axis", [None, "1 0 0", "0 3 4", "-1 2 2"])
def test_a_planar_joint_moves_across_its_axis(axis: str | None) -> None:
    """Pinocchio takes z for the axis of every planar joint; the format says the plane is that across <axis>."""
    text = f'<robot name="r">{links("a", "b")}{joint("j", "a", "b", "planar", axis)}</robot>'
    robot = sixvec.Robot(parse_model(text, "r.urdf"))
    normal = np.array((axis or "1 0 0").split(), float)
    normal /= np.linalg.norm(normal)
    home, moved = robot.pose(np.zeros(3), "b"), robot.pose(np.array([0.3, -0.4, 0.7]), "b")
    X = np.linalg.inv(home) @ moved
    assert abs(normal @ X[:3, 3]) < 1e-12
    assert np.linalg.norm(X[:3, 3]) == pytest.approx(0.5, rel=1e-12)
    assert_close(X[:3, :3] @ normal, normal, PEER, batched=False)
    assert np.trace(X[:3, :3]) == pytest.approx(1.0 + 2.0 * np.cos(0.7), rel=1e-12)


def test_a_chain_of_followers_is_one_coordinate() -> None:
    """b = -2 a + 0.1, c = 0.5 b - 0.3 = -a - 0.25, written before its leader; also for slides and across types."""

    def follower(text: str, law: str) -> str:
        return text.replace("</joint>", f"<mimic {law}/></joint>")

    last = follower(joint("c", "y", "z", "prismatic", "0 1 0"), 'joint="b" multiplier="0.5" offset="-0.3"')
    middle = follower(joint("b", "x", "y", "continuous", "0 0 -1"), 'joint="a" multiplier="-2" offset="0.1"')
    lead = joint("a", "w", "x", axis="1 0 0")
    text = f'<robot name="r">{links("w", "x", "y", "z")}{last}{lead}{middle}</robot>'
    robot = sixvec.Robot(parse_model(text, "r.urdf"))
    free = sixvec.Robot(parse_model(text.replace("<mimic", "<was"), "r.urdf"))
    assert (robot.nq, robot.nv, free.nv) == (1, 1, 3)
    q, v, a = np.array([0.7]), np.array([0.4]), np.array([-1.1])
    G, o = np.array([1.0, -2.0, -1.0]), np.array([0.0, 0.1, -0.25])
    assert_close(robot.pose(q, "z"), free.pose(G * q + o, "z"), PEER, batched=False)
    full = free.inverse_dynamics(G * q + o, G * v, G * a)
    assert_close(robot.inverse_dynamics(q, v, a), [G @ full], PEER, batched=False)
    assert_close(robot.mass_matrix(q), [[G @ free.mass_matrix(G * q + o) @ G]], PEER, batched=False)
    tau = robot.inverse_dynamics(q, v, a)
    assert_close(robot.forward_dynamics(q, v, tau), a, PEER, batched=False)
