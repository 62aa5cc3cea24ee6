"""Joints that mimic others reduce the coordinates in every algorithm:  q_all = G q + o, v_all = G v, tau = Gᵀ tau_all.

Rotors and passive forces too are felt by every algorithm that should feel them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ModelError
from sixvec.model import Body, JointDynamics, Mimic, Model
from sixvec.model.coupling import coupling
from sixvec.model.joints import Planar, Revolute, Spherical, Universal
from tolerances import DIFFERENCE, IDENTITY, assert_close

STEP = 1e-6
FRAME = "panda_link8"


@pytest.fixture(scope="module")
def robot() -> sv.Robot:
    """A Panda whose joint 4 follows joint 2 and joint 6 joint 4, and whose joints have rotors and springs."""
    changes = {
        "panda_link4": {"mimic": Mimic("panda_link2", -0.7, 0.2), "dynamics": JointDynamics(armature=(0.3,))},
        "panda_link6": {"mimic": Mimic("panda_link4", 2.0, -0.1)},
        "panda_link5": {"dynamics": JointDynamics((0.2,), (1.0,), (0.5,), (3.0,), (0.1,))},
    }
    panda = sv.load("panda").model
    bodies = tuple(replace(b, **changes.get(b.name, {})) for b in panda.bodies)
    return sv.Robot(replace(panda, bodies=bodies))


@pytest.fixture(scope="module")
def free(robot: sv.Robot) -> sv.Robot:
    return sv.Robot(coupling(robot.model).free)


@pytest.fixture(scope="module")
def state(robot: sv.Robot) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    return tuple(rng.normal(size=(4, robot.nv)) for _ in range(3))


G = np.array(
    [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, -0.7, 0, 0, 0], [0, 0, 0, 1, 0], [0, -1.4, 0, 0, 0],
     [0, 0, 0, 0, 1]], float,
)  # fmt: skip
OFFSET = np.array([0, 0, 0, 0.2, 0, 0.3, 0])


def test_names_and_sizes(robot: sv.Robot) -> None:
    assert (robot.nq, robot.nv) == (5, 5)
    assert robot.joint_names == ("panda_joint1", "panda_joint2", "panda_joint3", "panda_joint5", "panda_joint7")
    assert robot.lower.shape == robot.effort_limits.shape == (5,)


def test_every_algorithm_is_the_reduced_free_one(robot, free, state) -> None:
    q, v, a = state
    Q, V, A = q @ G.T + OFFSET, v @ G.T, a @ G.T
    assert_close(robot.poses(q), free.poses(Q), IDENTITY)
    assert_close(robot.velocity(q, v, FRAME), free.velocity(Q, V, FRAME), IDENTITY)
    assert_close(robot.jacobian(q, FRAME), free.jacobian(Q, FRAME) @ G, IDENTITY)
    assert_close(robot.jacobian_derivative(q, v, FRAME), free.jacobian_derivative(Q, V, FRAME) @ G, IDENTITY)
    assert_close(robot.inverse_dynamics(q, v, a), free.inverse_dynamics(Q, V, A) @ G, IDENTITY)
    assert_close(robot.mass_matrix(q), G.T @ free.mass_matrix(Q) @ G, IDENTITY)
    assert_close(robot.coriolis_matrix(q, v), G.T @ free.coriolis_matrix(Q, V) @ G, IDENTITY)
    assert_close(robot.kinetic_energy(q, v), free.kinetic_energy(Q, V), IDENTITY)
    assert_close(robot.passive_forces(q, v), free.passive_forces(Q, V) @ G, IDENTITY)
    for reduced, whole in zip(
        robot.inverse_dynamics_derivatives(q, v, a), free.inverse_dynamics_derivatives(Q, V, A), strict=True
    ):
        assert_close(reduced, G.T @ whole @ G, IDENTITY)


@pytest.mark.parametrize("passive", [False, True])
def test_forward_undoes_inverse(robot, state, passive: bool) -> None:
    q, v, a = state
    wrench = {FRAME: np.arange(6.0)}
    tau = robot.inverse_dynamics(q, v, a, external=wrench, passive=passive)
    assert_close(robot.forward_dynamics(q, v, tau, external=wrench, passive=passive), a, IDENTITY)
    assert_close(robot.mass_matrix(q) @ robot.mass_matrix_inverse(q), np.tile(np.eye(5), (4, 1, 1)), IDENTITY)


def test_rotors_are_inertia(robot, state) -> None:
    q, v, _ = state
    M = robot.mass_matrix(q)
    assert_close(np.einsum("bi,bij,bj->b", v, M, v) / 2, robot.kinetic_energy(q, v), IDENTITY)
    assert_close(robot.inverse_dynamics_derivatives(q, v, v).da, M, IDENTITY)


def test_forward_derivatives_by_differences(robot, state) -> None:
    q, v, tau = state
    d = robot.forward_dynamics_derivatives(q, v, tau)
    for k in range(robot.nv):
        e = np.eye(robot.nv)[k] * STEP
        slope = (robot.forward_dynamics(q + e, v, tau) - robot.forward_dynamics(q - e, v, tau)) / (2 * STEP)
        assert np.abs(slope - d.dq[..., k]).max() < DIFFERENCE * np.abs(d.dq).max()
    assert_close(d.dtau, robot.mass_matrix_inverse(q), IDENTITY)


def test_passive_forces(robot) -> None:
    q, v = np.zeros(5), np.array([0, 0, 0, 2.0, 0])
    assert robot.passive_forces(q, v).tolist() == pytest.approx([0, 0, 0, -(2.0 + 0.5 + 3.0 * -0.1), 0])
    assert robot.passive_forces(q, 0 * v).tolist() == pytest.approx([0, 0, 0, 0.3, 0])


def test_integrate_and_difference(robot, state) -> None:
    q, v, _ = state
    assert_close(robot.difference(q, robot.integrate(q, v)), v, IDENTITY)


def test_mistakes() -> None:
    panda = sv.load("panda").model

    def changed(**mimics: Mimic) -> sv.Robot:
        return sv.Robot(replace(panda, bodies=tuple(replace(b, mimic=mimics.get(b.name)) for b in panda.bodies)))

    with pytest.raises(ValueError, match=named("nobody", "panda_link2")):
        changed(panda_link2=Mimic("nobody"))
    with pytest.raises(ValueError, match=named("panda_link2", "panda_link3")):
        changed(panda_link2=Mimic("panda_link3"), panda_link3=Mimic("panda_link2"))
    with pytest.raises(ValueError, match=named("panda_link2", "panda_link0")):
        changed(panda_link2=Mimic("panda_link0"))
    with pytest.raises(ValueError, match="panda_link0"):
        replace(panda, bodies=tuple(replace(b, dynamics=JointDynamics((1.0, 2.0))) for b in panda.bodies))


@pytest.mark.parametrize("joint", [Universal(), Planar(), Spherical()], ids=lambda joint: type(joint).__name__)
@pytest.mark.parametrize("leader_first", [True, False])
@pytest.mark.parametrize("through", [True, False], ids=["through another", "directly"])
def test_a_leader_has_one_freedom_wherever_it_stands(joint, leader_first: bool, through: bool) -> None:
    leader = [Body("leader", None, joint)]
    follower = [Body("follower", None, Revolute(), mimic=Mimic("middle" if through else "leader"))]
    middle = [Body("middle", None, Revolute(), mimic=Mimic("leader"))] if through else []
    bodies = leader + middle + follower if leader_first else follower + middle + leader
    with pytest.raises(ModelError, match="leader"):
        sv.Robot(Model("pair", tuple(bodies)))
