"""Laws of several joints as closures: the bevel gears of a wrist, the axle of a car, a joint that is held."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_tree
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.errors import ModelError
from sixvec.formats import parse_model
from sixvec.formats.mjcf.write import write_mjcf
from sixvec.model import Body, Closure, Differential, Gear, Model
from sixvec.model.edits import rename
from sixvec.model.joints import Revolute
from sixvec.model.text_tree import text_tree
from sixvec.model.topology import closing_cuts
from sixvec.spatial import RigidInertia, Sym3, Vec3

AXLE = Differential("axle", (("case", 1.0), ("left", -0.5), ("right", -0.5)), 0.2)


def wheel(moment: float) -> RigidInertia:
    return RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(moment, moment, moment))


def drive(*laws: Differential | Gear) -> sv.Robot:
    shafts = {"case": 0.5, "left": 0.2, "right": 0.1}
    bodies = [
        Body(name, None, Revolute(), inertia=wheel(moment), joint_name=f"{name}_shaft")
        for name, moment in shafts.items()
    ]
    return sv.Robot(Model("car", tuple(bodies), closures=laws or (AXLE,)))


@pytest.mark.covers("CON-13")
def test_a_car_turns_with_the_mean_of_its_wheels() -> None:
    robot = drive()
    q, v, tau = np.array([0.3, 0.4, -0.2]), np.array([2.0, 3.0, 1.0]), np.array([1.0, 0.2, -0.1])
    assert robot.closure_error(q).tolist() == pytest.approx([0.0])
    assert robot.constraint_names() == ("differential axle",)
    assert robot.constraint_bias(q, v).tolist() == [0.0]  # the law is linear in q
    a = robot.forward_dynamics(q, v, tau)
    assert a[0] == pytest.approx((a[1] + a[2]) / 2.0)
    force = robot.constrained_dynamics(q, v, tau).force  # I a = tau + Aᵀ force of three shafts
    assert np.allclose(np.array([0.5, 0.2, 0.1]) * a, tau + np.array([1.0, -0.5, -0.5]) * force)
    found = sv.constraints.report(robot, q)
    assert (found.rank, found.freedoms) == (1, 2)
    answer = robot.assemble([1.0, 2.0, 3.0], fixed=["left_shaft", "right_shaft"])
    assert answer and answer.q[0] == pytest.approx(2.7)
    path = robot.rollout(q, v, tau, 1e-2, steps=100)
    assert np.abs(robot.closure_error(path.q)).max() < 1e-12


def by_numpy(robot: sv.Robot, state: list, hold: tuple) -> tuple[np.ndarray, np.ndarray]:
    """The whole system of constrained motion, on plain numbers."""
    q, v, tau = state
    M, c = (np.array(robot.evaluate(f, *x), float) for f, x in (("mass_matrix", (q,)), ("bias_forces", (q, v))))
    A = np.array(robot.evaluate("constraint_jacobian", q, hold=hold), float)
    gamma = np.array(robot.evaluate("constraint_bias", q, v, hold=hold), float)
    whole = np.block([[M, -A.T], [A, np.zeros((len(A), len(A)))]])
    found = np.linalg.solve(whole, np.concatenate([np.array(tau) - c, -gamma]))
    return found[: robot.nv], found[robot.nv :]


@pytest.mark.covers("CON-13")
def test_on_random_trees_by_every_route() -> None:
    tree, rng = random_tree(5, 16, floating=True), np.random.default_rng(0)
    single = [b.name for b in tree.moving if b.joint.nv == 1]
    laws = (
        Differential("three", tuple(zip(single[:3], (1.0, -2.0, 0.5), strict=True)), 0.1),
        Differential("held", ((single[3], 2.0),), 0.4),
    )
    robot = sv.Robot(replace(tree, closures=laws))
    q, hold = robot.random(1), {"tool0": ("x", "turn y")}
    v, tau = rng.normal(size=(2, robot.nv))
    state = [x.tolist() for x in (q, v, tau)]
    options = {"hold": held_frames(robot.model, hold)}
    a, force = by_numpy(robot, state, options["hold"])
    for method in ("kkt", "recursion"):
        found = robot.evaluate("constrained_dynamics", *state, method=method, **options)
        assert np.allclose(found[0], a, atol=1e-9 * np.abs(a).max()), method
        assert np.allclose(found[1], force, atol=1e-8 * np.abs(force).max()), method
    A = np.array(robot.evaluate("constraint_jacobian", state[0]), float)
    G = A @ np.linalg.solve(np.array(robot.evaluate("mass_matrix", state[0]), float), A.T)
    assert np.allclose(robot.evaluate("delassus", state[0])[0], G)


def test_written_to_mjcf_and_read_again(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    robot = drive(AXLE, Differential("brake", (("left", 1.0),), -0.3))
    text = write_mjcf(robot.model)
    again = parse_model(text, "car.xml")
    assert again.closures == robot.model.closures
    peer = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(peer)
    data.qpos[:] = [0.4, 0.1, 0.5]
    mujoco.mj_forward(peer, data)
    rows = np.zeros((2, 3))
    rows.ravel()[: data.nefc * 3] = data.efc_J[: data.nefc * 3]
    assert np.allclose(rows, robot.closure_jacobian(data.qpos)) and np.allclose(
        data.efc_pos, robot.closure_error(data.qpos)
    )
    sv.save(robot, tmp_path / "car.xml")
    with pytest.raises(ModelError, match=named("SDF", "axle")):
        sv.save(robot, tmp_path / "car.sdf")


def test_equal_tendons_and_references_in_mjcf() -> None:
    joints = "".join(
        f'<body name="{n}"><joint name="{n}" ref="{ref}"/><geom size="1"/></body>'
        for n, ref in zip("abc", (10, 20, 0), strict=True)
    )
    tendons = '<fixed name="s"><joint joint="a" coef="2"/></fixed>'
    tendons += '<fixed name="t"><joint joint="b" coef="1"/><joint joint="c" coef="3"/></fixed>'
    law = '<tendon name="law" tendon1="s" tendon2="t" polycoef="0.5 2"/><joint name="still" joint1="c" polycoef="0.7"/>'
    text = f"<mujoco><worldbody>{joints}</worldbody><tendon>{tendons}</tendon><equality>{law}</equality></mujoco>"
    first, second = parse_model(text, "robot").closures
    assert isinstance(first, Differential) and isinstance(second, Differential)
    assert first.terms == (("a", 2.0), ("b", -2.0), ("c", -6.0))
    assert first.offset == pytest.approx(0.5 + np.deg2rad(2 * 10 - 2 * 20))
    assert second == Differential("still", (("c", 1.0),), 0.7)


def test_edits_keep_laws_and_mistakes_are_named() -> None:
    renamed = rename(drive().model, {"left": "l", "axle": "x"})
    assert renamed.closures == (replace(AXLE, name="x", terms=(("case", 1.0), ("l", -0.5), ("right", -0.5))),)
    assert closing_cuts(drive().model) == (("case", "right"),) and "differential" in text_tree(drive().model)
    for terms, words in (
        ((("case", np.nan),), "axle"),
        ((("hood", 1.0),), named("hood", "axle")),
        ((), "axle"),
        ((("case", 0.0),), "axle"),
    ):
        with pytest.raises(ModelError, match=words):
            drive(Differential("axle", terms))
    with pytest.raises(ModelError, match=named("mass_matrix_solve", "axle")):
        drive().mass_matrix_solve(np.zeros(3), np.zeros(3))


def test_a_gear_is_a_differential_of_two() -> None:
    pair = drive(Gear("pair", "case", "left", 3.0, 0.1))
    same = drive(Differential("pair", (("case", -3.0), ("left", 1.0)), 0.1))
    q, v, tau = np.random.default_rng(0).normal(size=(3, 3))
    assert np.array_equal(pair.closure_error(q), same.closure_error(q))
    assert np.array_equal(pair.forward_dynamics(q, v, tau), same.forward_dynamics(q, v, tau))
    assert isinstance(pair.model.closures[0], Gear) and not isinstance(pair.model.closures[0], Closure)
