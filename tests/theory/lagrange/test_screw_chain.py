"""Newton-Euler from screws against the recursion on the model, against stacked matrices and against modern_robotics."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.model import Body, JointDynamics, Model
from sixvec.model.edits.rotor import Rotor, with_rotor
from sixvec.model.joints import Revolute
from sixvec.spatial import Force, Motion, Pose, RigidInertia, Sym3, Vec3
from sixvec.spatial.pose import InversePose
from sixvec.theory.lagrange import ScrewChain, StackedDynamics
from tolerances import IDENTITY, PEER, assert_close

ROBOTS = ["panda", "planar_2r", "ur5e", "stanford_arm"]


def state(robot: sv.Robot, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return robot.random(rng), *rng.normal(size=(2, robot.nv))


def rising(robot: sv.Robot) -> Motion:
    return Motion(Vec3.zero(), -robot.model.gravity)


@pytest.mark.covers("DYN-21", "Lynch-Park (9.35)", "Lynch-Park (9.49)-(9.58)")
@pytest.mark.parametrize("name", ROBOTS)
def test_screws_of_a_model_give_its_inverse_dynamics(name: str) -> None:
    robot = sv.load(name)
    q, v, a = state(robot)
    tip = robot.frame_names[-1]
    chain = ScrewChain.of(robot.model, tip)
    wrench = np.array([0.3, -0.2, 0.5, 2.0, -1.0, 4.0])
    found = chain.inverse_dynamics(
        q.tolist(), v.tolist(), a.tolist(), base_acceleration=rising(robot), tip_wrench=Force.of(wrench.tolist())
    )
    expected = robot.inverse_dynamics(q, v, a, external={tip: -wrench})
    assert_close(found, expected, IDENTITY, batched=False)


@pytest.mark.covers("DYN-21", "DYN-09")
def test_rotors_come_along_and_dampers_do_not() -> None:
    panda = sv.load("panda").model
    geared = tuple(
        replace(b, dynamics=JointDynamics(armature=(0.1 * i,), damping=(2.0,), friction=(1.0,), stiffness=(5.0,)))
        if b.joint.nv
        else b
        for i, b in enumerate(panda.bodies)
    )
    robot = sv.Robot(replace(panda, bodies=geared))
    q, v, a = state(robot, 4)
    for source in (robot, robot.model):
        chain = ScrewChain.of(source)
        found = chain.inverse_dynamics(q.tolist(), v.tolist(), a.tolist(), base_acceleration=rising(robot))
        assert_close(found, robot.inverse_dynamics(q, v, a), IDENTITY, batched=False)
    assert any(chain.rotors)


@pytest.mark.covers("DYN-21")
def test_base_twist_and_acceleration() -> None:
    """Against the stacked matrices, which stand on another formula."""
    robot = sv.load("panda")
    q, v, a = state(robot, 1)
    V, A = np.random.default_rng(2).normal(size=(2, 6))
    base = Motion.of(A.tolist()) + rising(robot)
    found = ScrewChain.of(robot.model).inverse_dynamics(
        q.tolist(), v.tolist(), a.tolist(), base_twist=Motion.of(V.tolist()), base_acceleration=base
    )
    expected = StackedDynamics.at(robot, q).inverse_dynamics(v, a, base_twist=V, base_acceleration=A)
    assert_close(found, expected, IDENTITY, batched=False)


def peer() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("modern_robotics")


def centred(chain: ScrewChain) -> tuple[list[Pose], list[np.ndarray]]:
    """modern_robotics wants link frames at the centres of mass, and inertias block-diagonal there."""
    home, inertias = [], []
    for X, I in zip(chain.home, chain.inertias, strict=True):
        shift = Pose.translation(I.center)
        home.append(X @ shift)
        inertias.append(np.array((shift.inv() @ I).as_matrix(), float))
    return home, inertias


@pytest.mark.covers("DYN-21")
@pytest.mark.parametrize("name", ["panda", "ur5e"])
def test_modern_robotics_agrees(name: str) -> None:
    library = peer()
    robot = sv.load(name)
    q, v, a = state(robot, 3)
    chain = ScrewChain.of(robot.model)
    home, inertias = centred(chain)
    before: list[Pose | InversePose] = [Pose.identity(), *home]
    links = [np.array((X.inv() @ Y).as_matrix(), float) for X, Y in zip(before, home, strict=False)]
    screws = np.array([list(s) for s in chain.screws]).T
    wrench = np.array([0.3, -0.2, 0.5, 2.0, -1.0, 4.0])
    tip = Pose.translation(chain.inertias[-1].center)  # its tip frame is the last link frame: M_n,n+1 = 1
    theirs = library.InverseDynamics(q, v, a, robot.gravity, wrench, [*links, np.eye(4)], inertias, screws)
    ours = ScrewChain(chain.home, chain.screws, chain.inertias, tip).inverse_dynamics(
        q.tolist(), v.tolist(), a.tolist(), base_acceleration=rising(robot), tip_wrench=Force.of(wrench.tolist())
    )
    assert_close(ours, theirs, PEER, batched=False)


@pytest.mark.covers("DYN-21")
def test_example_of_modern_robotics() -> None:
    """The three-link arm of that library's documentation: τ = (74.6962, -33.0677, -3.23057)."""
    M = [(0.0, 0.0, 0.089159), (0.28, 0.13585, 0.089159), (0.675, 0.01615, 0.089159)]
    turn = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    homes = [
        Pose.from_matrix([[1, 0, 0, M[0][0]], [0, 1, 0, M[0][1]], [0, 0, 1, M[0][2]]]),
        Pose.from_matrix([[*row, x] for row, x in zip(turn, M[1], strict=True)]),
        Pose.from_matrix([[*row, x] for row, x in zip(turn, M[2], strict=True)]),
    ]
    diagonal = [
        (0.010267, 0.010267, 0.00666, 3.7),
        (0.22689, 0.22689, 0.0151074, 8.393),
        (0.0494433, 0.0494433, 0.004095, 2.275),
    ]
    inertias = [RigidInertia.from_center_of_mass(d[3], Vec3.zero(), Sym3.diagonal(*d[:3])) for d in diagonal]
    screws = [(1, 0, 1, 0, 1, 0), (0, 1, 0, -0.089, 0, 0), (0, 1, 0, -0.089, 0, 0.425)]
    tip = homes[2].inv() @ (homes[2] @ Pose.translation(Vec3(0.0, 0.0, 0.14225)))
    chain = ScrewChain(tuple(homes), tuple(Motion.of(map(float, s)) for s in screws), tuple(inertias), tip)
    found = chain.inverse_dynamics(
        [0.1, 0.1, 0.1], [0.1, 0.2, 0.3], [2.0, 1.5, 1.0],
        base_acceleration=Motion(Vec3.zero(), Vec3(0.0, 0.0, 9.8)), tip_wrench=Force.of([1.0] * 6),
    )  # fmt: skip
    assert found == pytest.approx([74.69616155, -33.06766016, -3.23057314], abs=1e-6)


def test_mistakes() -> None:
    forked = Model("fork", (Body("a", None, Revolute()), Body("b", "a", Revolute()), Body("c", "a", Revolute())))
    with pytest.raises(ModelError, match="base_link"):
        ScrewChain.of(sv.load("solo12", floating=True).model)
    with pytest.raises(ModelError, match="inverse_dynamics"):
        ScrewChain.of(forked)
    spinning = with_rotor(sv.load("panda").model, "panda_joint4", Rotor(0.02, 7.0))
    with pytest.raises(ModelError, match="panda_link4"):
        ScrewChain.of(spinning)
    panda = sv.load("panda").model
    turned = replace(panda, order=tuple(b.name for b in reversed(panda.bodies)))
    with pytest.raises(ModelError, match="panda_link1"):
        ScrewChain.of(turned)
    with pytest.raises(ArgumentError, match=named("ScrewChain.of", "panda")):
        ScrewChain.of("panda")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="chain"):
        ScrewChain((Pose.identity(),), (Motion.zero(),), (RigidInertia.zero(),), rotors=(1.0, 2.0))
    with pytest.raises(ShapeError, match=named("pose", "screw")):
        ScrewChain((Pose.identity(),), (), ())
    with pytest.raises(ShapeError, match="rate"):
        ScrewChain.of(sv.load("planar_2r").model).inverse_dynamics([0.0, 0.0], [0.0], [0.0, 0.0])


def test_the_tip_is_on_the_last_body() -> None:
    arm = sv.load("planar_2r")
    with pytest.raises(ModelError, match=named("link1", "link2")):
        ScrewChain.of(arm, "link1")
    tip = ScrewChain.of(arm, "tip").tip
    assert_close([*tip.pos], [*arm.model.frame("tip").placement.pos], IDENTITY)
    assert ScrewChain.of(arm).tip == Pose.identity()
