"""`sixvec.convert` against the live libraries: their answers for the converted state are ours, converted."""

from __future__ import annotations

import numpy as np
import pytest
from published import ARMS, BRANCHED, HUMANOIDS, LEGGED, Published

import sixvec as sv
from random_states import random_states
from random_trees import random_tree
from sixvec.conventions import KINDS, LAYOUTS
from tolerances import IDENTITY, PEER, assert_close

ROBOTS = (ARMS[1], ARMS[3], ARMS[9], BRANCHED[2], LEGGED[0], LEGGED[3], HUMANOIDS[0])


def named(published: Published) -> str:
    return published.name


@pytest.mark.parametrize("published", ROBOTS, ids=named)
def test_pinocchio(published: Published) -> None:
    bridge = pytest.importorskip("pinocchio_bridge")
    robot, peer = published.load(), bridge.peer(published)
    q, v, a, _ = random_states(robot)
    Q, V, A = (sv.convert(x, robot, to="pinocchio", what=k) for x, k in ((q, "q"), (v, "v"), (a, "a")))
    theirs = np.array([bridge.pin.rnea(peer.model, peer.data, *row) for row in zip(Q, V, A, strict=True)])
    ours = robot.inverse_dynamics(q, v, a)
    assert_close(sv.convert(ours, robot, to="pinocchio", what="tau"), theirs, PEER)
    assert_close(sv.convert(theirs, robot, source="pinocchio", what="tau"), ours, PEER)


@pytest.mark.parametrize("published", [ARMS[1], ARMS[9], LEGGED[0], LEGGED[3], HUMANOIDS[0]], ids=named)
def test_mujoco(published: Published) -> None:
    bridge = pytest.importorskip("mujoco_bridge")
    robot, peer = published.load(), bridge.peer(published)
    q, v, a, _ = random_states(robot)
    Q = sv.convert(q, robot, to="mujoco")
    V = sv.convert(v, robot, to="mujoco", what="v", q=q)
    A = sv.convert(a, robot, to="mujoco", what="a", q=q, v=v)
    theirs = []
    for position, velocity, acceleration in zip(Q, V, A, strict=True):
        peer.data.qpos, peer.data.qvel, peer.data.qacc = position, velocity, acceleration
        bridge.mujoco.mj_inverse(peer.model, peer.data)
        theirs.append(peer.data.qfrc_inverse.copy())
    ours = robot.inverse_dynamics(q, v, a)
    assert_close(sv.convert(ours, robot, to="mujoco", what="tau", q=q), np.array(theirs), PEER)


@pytest.mark.parametrize("library", LAYOUTS)
@pytest.mark.parametrize("floating", [False, True])
def test_there_and_back(library: str, floating: bool) -> None:
    """On trees of every joint type."""
    robot = sv.Robot(random_tree(11, bodies=9, floating=floating))
    q, v, a, tau = random_states(robot)
    state = {"q": q, "v": v}
    back = sv.convert(sv.convert(q, robot, to=library), robot, source=library)
    assert_close(np.cos(back - q), np.ones_like(q), IDENTITY)  # angles come back up to whole turns
    for what, x in (("v", v), ("a", a), ("tau", tau)):
        there = sv.convert(x, robot, to=library, what=what, **state)
        assert_close(sv.convert(there, robot, source=library, what=what, **state), x, IDENTITY)
    # power is the same in every layout
    V, T = (sv.convert(x, robot, to=library, what=k, **state) for x, k in ((v, "v"), (tau, "tau")))
    assert_close(np.sum(V * T, axis=-1), np.sum(v * tau, axis=-1), IDENTITY)


def test_drake_by_its_documented_layout() -> None:
    """Positions (w x y z, x y z), velocities (ω, v), both in world axes."""
    robot = sv.load("panda", floating=True)
    q, v, _, _ = random_states(robot)
    assert np.array_equal(sv.convert(q, robot, to="drake")[:, :7], q[:, [6, 3, 4, 5, 0, 1, 2]])
    spatial = robot.velocity(q, v, robot.model.bodies[0].name, "local_world_aligned")
    assert_close(sv.convert(v, robot, to="drake", what="v", q=q)[:, :6], spatial, IDENTITY)


def test_six_vectors_and_quaternions() -> None:
    robot, six, turn = sv.load("panda"), np.arange(6.0), np.array([0.1, 0.2, 0.3, 0.9])
    assert sv.convert(six, robot, to="ros", what="wrench").tolist() == [3, 4, 5, 0, 1, 2]
    assert sv.convert(six, robot, to="drake", what="wrench").tolist() == six.tolist()
    assert sv.convert(turn, robot, to="mujoco", what="quaternion").tolist() == [0.9, 0.1, 0.2, 0.3]
    assert sv.convert(turn[[3, 0, 1, 2]], robot, source="mujoco", what="quaternion").tolist() == turn.tolist()


def test_mistakes() -> None:
    robot, floating = sv.load("panda"), sv.load("panda", floating=True)
    with pytest.raises(sv.SixvecError, match='no layout "pinochio"; did you mean "pinocchio"'):
        sv.convert(np.zeros(7), robot, to="pinochio")
    with pytest.raises(sv.SixvecError, match="either to="):
        sv.convert(np.zeros(7), robot)
    with pytest.raises(sv.SixvecError, match="no kind"):
        sv.convert(np.zeros(7), robot, to="ros", what="x")
    with pytest.raises(ValueError, match=r"q has shape \(6,\), but \(\.\.\., 7\) is needed"):
        sv.convert(np.zeros(6), robot, to="ros")
    with pytest.raises(sv.SixvecError, match="give q= as well"):
        sv.convert(np.zeros(13), floating, to="mujoco", what="v")
    assert set(KINDS) >= {"q", "v", "wrench", "quaternion"}
