"""Hybrid dynamics is inverse and forward dynamics at its ends and agrees with both between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_states import States, random_states
from sixvec.algorithms.hybrid_dynamics import coordinates
from sixvec.errors import ArgumentError, ModelError
from sixvec.model import Body, JointDynamics, Mimic, Model
from sixvec.model.canonical import canonical
from sixvec.model.edits import with_inertia
from sixvec.model.joints import Revolute
from sixvec.model.robots.shapes import point_mass
from sixvec.spatial import RigidInertia, Vec3
from subjects import SMALLER_CASES, tree
from targets import OnTarget
from tolerances import IDENTITY, SOLVED, assert_close, solved


@pytest.fixture(params=SMALLER_CASES, ids="-".join)
def robot(request: pytest.FixtureRequest) -> OnTarget:
    name, target = request.param
    return OnTarget(tree(name), target)


def every_other(robot: OnTarget) -> tuple[int, ...]:
    """Half of the coordinates: it cuts through joints of several freedoms."""
    return tuple(range(0, robot.nv, 2))


@pytest.mark.covers("DYN-07")
def test_all_prescribed_is_inverse_dynamics(robot: OnTarget, states: States) -> None:
    q, v, a, tau = states
    found = robot.hybrid_dynamics(q, v, a, tau, prescribed=tuple(range(robot.nv)))
    assert_close(found.tau, robot.inverse_dynamics(q, v, a), IDENTITY)
    assert (found.a == a).all()


@pytest.mark.every(2)
@pytest.mark.covers("DYN-07")
def test_none_prescribed_is_forward_dynamics(robot: OnTarget, states: States) -> None:
    q, v, a, tau = states
    found = robot.hybrid_dynamics(q, v, a, tau)
    assert_close(found.a, robot.forward_dynamics(q, v, tau), SOLVED)
    assert (found.tau == tau).all()


@pytest.mark.covers("DYN-07")
def test_mixed_results_satisfy_both(robot: OnTarget, states: States) -> None:
    """What it returns is a pair that inverse dynamics confirms, with the given halves untouched."""
    q, v, a, tau = states
    known = np.isin(np.arange(robot.nv), every_other(robot))
    found = robot.hybrid_dynamics(q, v, a, tau, prescribed=every_other(robot))
    assert (found.a[:, known] == a[:, known]).all()
    assert (found.tau[:, ~known] == tau[:, ~known]).all()
    M = robot.mass_matrix(q)[:, ~known][:, :, ~known]
    expected = robot.inverse_dynamics(q, v, found.a)
    assert_close(found.tau, expected, solved(SOLVED, M))


@pytest.mark.covers("DYN-07")
def test_mixed_is_the_block_solution() -> None:
    """M_φφ a_φ = tau_φ - h_φ - M_φμ a_μ, by a dense solver (Bruyninckx §6.4.3), under an external wrench."""
    robot = tree("floating")
    q, v, a, tau = random_states(robot)
    names = [b.name for b in robot.model.moving][1::2]
    known = np.isin(np.arange(robot.nv), coordinates(robot.model, names))
    wrench = {robot.frame_names[-2]: np.arange(6.0)}
    found = robot.hybrid_dynamics(q, v, a, tau, external=wrench, prescribed=tuple(names))
    M, h = robot.mass_matrix(q), robot.inverse_dynamics(q, v, 0 * a, external=wrench)
    block = M[:, ~known][:, :, ~known]
    right = (tau - h)[:, ~known] - np.einsum("nij,nj->ni", M[:, ~known][:, :, known], a[:, known])
    assert_close(found.a[:, ~known], np.linalg.solve(block, right[..., None])[..., 0], solved(SOLVED, block))


@pytest.mark.covers("DYN-07")
def test_ignored_entries_are_ignored() -> None:
    robot = tree("small")
    q, v, a, tau = random_states(robot)
    known = np.isin(np.arange(robot.nv), (0, 2))
    one = robot.hybrid_dynamics(q, v, a, tau, prescribed=(0, 2))
    other = robot.hybrid_dynamics(q, v, np.where(known, a, 7.0), np.where(known, -5.0, tau), prescribed=(0, 2))
    assert (one.a == other.a).all()
    assert (one.tau == other.tau).all()


@pytest.fixture(scope="module")
def coupled() -> sv.Robot:
    """A Panda in which joint 4 follows joint 2, with rotors, springs and friction."""
    changes = {
        "panda_link4": {"mimic": Mimic("panda_link2", -0.7, 0.2), "dynamics": JointDynamics(armature=(0.3,))},
        "panda_link5": {"dynamics": JointDynamics((0.2,), (1.0,), (0.5,), (3.0,), (0.1,))},
    }
    panda = sv.load("panda").model
    return sv.Robot(replace(panda, bodies=tuple(replace(b, **changes.get(b.name, {})) for b in panda.bodies)))


@pytest.mark.covers("DYN-07")
@pytest.mark.parametrize("passive", [False, True])
@pytest.mark.parametrize("prescribed", [(), (1, 3), (0, 1, 2, 3, 4, 5)], ids=["none", "some", "all"])
def test_coupled_joints_rotors_and_passive_forces(
    coupled: sv.Robot, prescribed: tuple[int, ...], passive: bool
) -> None:
    q, v, a, tau = random_states(coupled)
    found = coupled.hybrid_dynamics(q, v, a, tau, prescribed=prescribed, passive=passive)
    expected = coupled.inverse_dynamics(q, v, found.a, passive=passive)
    assert_close(found.tau, expected, SOLVED)
    assert (found.a[:, list(prescribed)] == a[:, list(prescribed)]).all()


@pytest.mark.covers("DYN-07")
def test_rotors_and_passive_forces_in_the_recursion() -> None:
    panda = sv.load("panda").model
    own = JointDynamics((0.2,), (1.0,), (0.5,), (3.0,), (0.1,))
    robot = sv.Robot(replace(panda, bodies=tuple(replace(b, dynamics=own) if b.joint.nv else b for b in panda.bodies)))
    q, v, a, tau = random_states(robot)
    found = robot.hybrid_dynamics(q, v, a, tau, prescribed=(0, 3, 6), passive=True)
    assert_close(found.tau, robot.inverse_dynamics(q, v, found.a, passive=True), SOLVED)


@pytest.mark.covers("DYN-07")
def test_cost_grows_linearly_with_the_chain() -> None:
    """Twice the links, about twice the operations: no matrix of the whole robot is built."""

    def operations(links: int) -> int:
        rng = np.random.default_rng(0)
        from random_trees import random_inertia, random_pose

        bodies = [
            Body(f"b{i}", f"b{i - 1}" if i else None, Revolute(), random_pose(rng), random_inertia(rng))
            for i in range(links)
        ]
        robot = sv.Robot(Model("chain", tuple(bodies)))
        return sum(robot.kernel("hybrid_dynamics", prescribed=tuple(range(0, links, 2))).count().values())

    counts = [operations(n) for n in (8, 16, 32)]
    steps = counts[1] - counts[0], counts[2] - counts[1]
    assert steps[1] / steps[0] == pytest.approx(2.0, rel=0.05)


def test_prescribed_joints_need_no_mass() -> None:
    panda = sv.load("panda").model
    robot = sv.Robot(
        with_inertia(with_inertia(panda, "panda_link7", RigidInertia.zero()), "panda_link8", RigidInertia.zero())
    )
    q, v, a, tau = random_states(robot)
    with pytest.raises(ModelError, match="panda_link7"):
        robot.hybrid_dynamics(q, v, a, tau)
    found = robot.hybrid_dynamics(q, v, a, tau, prescribed=(6,))
    assert_close(found.tau, robot.inverse_dynamics(q, v, found.a), SOLVED)


def test_joints_are_prescribed_by_any_of_their_names() -> None:
    panda, rng = sv.load("panda"), np.random.default_rng(5)
    arrays = [panda.random(rng), *rng.normal(size=(3, 7))]
    by_joint = panda.hybrid_dynamics(*arrays, prescribed=["panda_joint2", "panda_joint6"])
    for same in (("panda_link2", "panda_link6"), (1, 5)):
        for found, expected in zip(panda.hybrid_dynamics(*arrays, prescribed=same), by_joint, strict=True):
            assert np.array_equal(found, expected)


def test_mistakes_are_named(coupled: sv.Robot) -> None:
    panda = sv.load("panda")
    arrays = [np.zeros(7)] * 4
    with pytest.raises(ArgumentError, match="panda_link9"):
        panda.hybrid_dynamics(*arrays, prescribed=("panda_link9",))
    with pytest.raises(ArgumentError, match=named("7")):
        panda.hybrid_dynamics(*arrays, prescribed=(7,))
    with pytest.raises(ArgumentError, match=named("prescribed", "panda_link3")):
        panda.hybrid_dynamics(*arrays, prescribed=(2, "panda_link3"))
    with pytest.raises(ArgumentError, match="panda_joint1"):
        coordinates(panda.model, "panda_joint1")
    with pytest.raises(ArgumentError, match=named("panda_joint4", "panda_link2")):
        coordinates(coupled.model, ["panda_joint4"])
    with pytest.raises(sv.SixvecError):
        panda.hybrid_dynamics(np.zeros(6), *arrays[1:], prescribed=(0,))
    for unordered in ({"panda_joint1"}, {"panda_joint1": 1.0}):
        with pytest.raises(ArgumentError, match=named("prescribed", "panda_joint1")):
            panda.hybrid_dynamics(*arrays, prescribed=unordered)
    with pytest.raises(ArgumentError, match="prescribed"):
        panda.hybrid_dynamics(*arrays, prescribed=[1.0])
    with pytest.raises(ArgumentError, match=named("zz")):
        panda.kernel("hybrid_dynamics", prescribed=("zz",))


def test_a_joint_goes_before_a_link_of_the_same_name() -> None:
    """Joint "shoulder" moves link "arm"; link "shoulder" is moved by joint "yaw"."""
    shoulder = Body("shoulder", None, Revolute(Vec3(0.0, 0.0, 1.0)), inertia=point_mass(1.0, Vec3(0.3, 0.0, 0.0)))
    arm = Body("arm", "shoulder", Revolute(Vec3(0.0, 1.0, 0.0)), inertia=point_mass(1.0, Vec3(0.3, 0.1, 0.0)))
    named = (replace(shoulder, joint_name="yaw"), replace(arm, joint_name="shoulder"))
    robot = sv.Robot(Model("named alike", named))
    assert coordinates(robot.model, ["yaw", "shoulder"]) == (0, 1)
    assert coordinates(robot.model, ["arm"]) == (1,)


@pytest.mark.covers("DYN-07")
def test_its_ends_cost_what_the_special_algorithms_cost() -> None:
    panda = sv.load("panda")
    assert panda.kernel("hybrid_dynamics").count() == panda.kernel("forward_dynamics").count()
    everything = panda.kernel("hybrid_dynamics", prescribed=tuple(range(7)))
    assert everything.count() == panda.kernel("inverse_dynamics").count()


@pytest.mark.parametrize("name", ["tree", "floating", "forest"])
def test_a_name_means_the_same_coordinates_in_the_canonical_model(name: str) -> None:
    """There the axes of one joint are bodies of their own."""
    model = tree(name).model
    assert any(" (axis " in b.name for b in canonical(model).bodies)
    for b in model.moving:
        own = tuple(range(model.nv)[model.v_slices[b.name]])
        assert coordinates(model, [b.name]) == coordinates(model, [b.joint_name]) == own
        assert coordinates(canonical(model), [b.name]) == own
