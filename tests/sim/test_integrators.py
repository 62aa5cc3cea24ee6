"""Integrators: orders of convergence on every joint type, energy, bits, and MuJoCo's own rollouts."""

from __future__ import annotations

import mujoco
import mujoco.rollout
import numpy as np
import pytest
from euler_step import euler_step

import sixvec
from naming import named
from random_trees import random_tree
from sixvec import Robot
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model import Body, Model
from sixvec.model.joints import Free, Prismatic, Spherical
from sixvec.sim import INTEGRATORS, rollout
from sixvec.sim.fixed_axes import advanced, body_velocities, bracket, fixed_rates, moved, plus, times
from sixvec.spatial import Vec3

ORDERS = {"bounded_leapfrog": 1, "euler": 1, "semi_implicit_euler": 1, "symplectic_euler": 1, "midpoint": 2, "rk4": 4}


def _final_errors(robot: Robot, integrator: str, counts: list[int], duration: float) -> np.ndarray:
    rng = np.random.default_rng(4)
    q, v = robot.random(rng), 0.5 * rng.normal(size=robot.nv)
    tau = 0.3 * rng.normal(size=robot.nv)

    def end(name: str, n: int) -> tuple[np.ndarray, np.ndarray]:
        path = rollout(robot, q, v, np.broadcast_to(tau, (n, robot.nv)), duration / n, integrator=name)
        return path.q[-1], path.v[-1]

    q_true, v_true = end("rk4", 16 * max(counts))
    errors = []
    for n in counts:
        q_end, v_end = end(integrator, n)
        errors.append(np.hypot(np.linalg.norm(robot.difference(q_true, q_end)), np.linalg.norm(v_end - v_true)))
    return np.array(errors)


@pytest.mark.every(3)
@pytest.mark.covers("DYN-15")
@pytest.mark.parametrize("integrator", sorted(set(ORDERS) - {"symplectic_euler"}))
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.slow
def test_orders_on_trees_with_every_joint(integrator: str, floating: bool) -> None:
    robot = Robot(random_tree(11, bodies=9, floating=floating))
    first = 25 if integrator == "rk4" else 100  # else rounding hides the fourth order
    errors = _final_errors(robot, integrator, [first, 2 * first, 4 * first], duration=0.2)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[integrator], abs=0.25)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(ORDERS[integrator], abs=0.25)


@pytest.mark.covers("DYN-15")
@pytest.mark.parametrize("integrator", sorted(ORDERS))
def test_orders_on_an_arm(integrator: str) -> None:
    errors = _final_errors(
        sixvec.load("double_pendulum"),
        integrator,
        [1000, 2000, 4000] if ORDERS[integrator] == 1 else [250, 500, 1000],
        duration=1.0,
    )
    assert np.log2(errors[:-1] / errors[1:]) == pytest.approx(ORDERS[integrator], abs=0.25)


def test_the_symplectic_method_keeps_the_energy_where_euler_does_not() -> None:
    robot = sixvec.load("double_pendulum")
    drift = {}
    for integrator in ("euler", "semi_implicit_euler", "symplectic_euler"):
        path = rollout(robot, [1.0, 0.5], [0.0, 0.0], np.zeros((40_000, 2)), 0.005, integrator=integrator)
        energy = robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q)
        # The mean over a tenth of the time: symplectic methods oscillate, they do not drift.
        drift[integrator] = abs(energy[-4000:].mean() - energy[:4000].mean())
    assert drift["symplectic_euler"] < 0.05 < drift["semi_implicit_euler"] < drift["euler"]


def test_the_symplectic_method_preserves_the_symplectic_form() -> None:
    """Jᵀ Ω J = Ω for the derivative J of one step in (q, p), up to what the rounds of its implicit equation leave."""
    robot = sixvec.load("double_pendulum")
    omega = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])

    def violation(h: float, integrator: str) -> float:
        def step(z: np.ndarray) -> np.ndarray:
            v = np.linalg.solve(robot.mass_matrix(z[:2]), z[2:])
            path = rollout(robot, z[:2], v, np.zeros((1, 2)), h, integrator=integrator)
            return np.concatenate([path.q[0], robot.mass_matrix(path.q[0]) @ path.v[0]])

        z, d = np.array([0.7, -0.4, 0.6, 0.9]), 1e-4
        J = np.column_stack([(step(z + d * e) - step(z - d * e)) / (2 * d) for e in np.eye(4)])
        return float(np.abs(J.T @ omega @ J - omega).max())

    # Four rounds leave an error of order h⁵; methods that are not symplectic violate the form in order h².
    assert violation(0.02, "symplectic_euler") / violation(0.01, "symplectic_euler") > 24.0
    assert violation(0.01, "symplectic_euler") < 1e-2 * violation(0.01, "semi_implicit_euler")


def test_batches_have_the_bits_of_single_rollouts() -> None:
    robot, rng = sixvec.load("panda"), np.random.default_rng(0)
    q, v, tau = robot.random(rng, 11), rng.normal(size=(11, 7)), rng.normal(size=(11, 300, 7))
    for integrator in ("semi_implicit_euler", "rk4"):
        many = rollout(robot, q, v, tau, 1e-3, integrator=integrator)
        one = rollout(robot, q[7], v[7], tau[7], 1e-3, integrator=integrator)
        assert np.array_equal(many.q[7], one.q) and np.array_equal(many.v[7], one.v)


@pytest.mark.covers("DYN-24")
@pytest.mark.parametrize("integrator", ["euler", "semi_implicit_euler"])
def test_a_step_is_forward_dynamics_and_a_move(integrator: str) -> None:
    robot, rng = Robot(random_tree(12, bodies=9, floating=True)), np.random.default_rng(1)
    q, v, tau = robot.random(rng, 5), rng.normal(size=(5, robot.nv)), rng.normal(size=(5, 3, robot.nv))
    path = rollout(robot, q, v, tau, 0.01, integrator=integrator)
    for t in range(3):
        a = robot.forward_dynamics(q, v, tau[:, t])
        q, v = euler_step(robot, q, v, a, 0.01, new_moves=integrator == "semi_implicit_euler")
        assert np.allclose(path.q[:, t], q, atol=1e-12) and np.allclose(path.v[:, t], v, rtol=1e-11, atol=1e-12)


@pytest.mark.covers("DYN-25")
def test_inverse_dynamics_of_a_whole_trajectory_gives_its_forces_back() -> None:
    robot, rng = sixvec.load("panda"), np.random.default_rng(2)
    tau, dt = rng.normal(size=(400, 7)), 1e-3
    path = rollout(robot, robot.random(rng), np.zeros(7), tau, dt, integrator="euler")
    q, v = path.q[:-1], path.v[:-1]
    a = np.diff(path.v, axis=0) / dt
    assert np.allclose(robot.inverse_dynamics(q, v, a), tau[1:], atol=1e-8)


def test_a_control_law_inside_the_loop() -> None:
    robot = sixvec.load("panda")
    goal, stiffness = robot.random(3), [40.0, 40.0, 20.0, 20.0, 0.2, 0.2, 0.05]

    def spring_and_damper(q, v, u):
        return [k * (target - x - rate) for k, target, x, rate in zip(stiffness, u, q, v, strict=True)]

    still = robot.with_gravity([0.0, 0.0, 0.0])
    path = rollout(
        still, still.neutral(), np.zeros(7), np.broadcast_to(goal, (20_000, 7)), 1e-3, control=spring_and_damper
    )
    assert np.abs(path.q[-1] - goal).max() < 1e-6


MUJOCO_ARM = """
<mujoco><option timestep="0.001" integrator="{integrator}"><flag contact="disable"/></option>
<worldbody><body><joint axis="0 0 1"/><inertial pos="0 0 .1" mass="1" diaginertia=".02 .02 .01"/>
<body pos="0 0 .3"><joint axis="0 1 0" damping="{damping}"/><inertial pos="0 0 .2" mass="2" diaginertia=".03 .03 .01"/>
<body pos="0 0 .4"><joint axis="0 1 0" armature="0.05"/><inertial pos="0 .1 .2" mass="1" diaginertia=".01 .02 .01"/>
</body></body></body></worldbody>
<actuator>{motors}</actuator></mujoco>
"""


@pytest.mark.parametrize(("theirs", "ours", "damping"), [("Euler", "semi_implicit_euler", 0), ("RK4", "rk4", 0.3)])
def test_mujoco_rolls_out_the_same(theirs: str, ours: str, damping: float, tmp_path) -> None:
    """MuJoCo's Euler treats damping implicitly, so damping is compared under Runge-Kutta alone."""
    text = MUJOCO_ARM.replace("<joint ", '<joint name="@" ')
    for k in range(3):
        text = text.replace('name="@"', f'name="j{k}"', 1)
    motors = "".join(f'<motor joint="j{k}"/>' for k in range(3))
    text = text.format(integrator=theirs, damping=damping, motors=motors)
    file = tmp_path / "arm.xml"
    file.write_text(text)
    robot = sixvec.load(file)
    model = mujoco.MjModel.from_xml_string(text)
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 500, 3))
    initial = np.concatenate([np.zeros((4, 1)), q, v], axis=1)
    states, _ = mujoco.rollout.rollout(model, [mujoco.MjData(model)], initial, tau)
    path = rollout(robot, q, v, tau, 1e-3, integrator=ours, passive=True)
    assert np.allclose(path.q, states[..., 1:4], rtol=1e-9, atol=1e-9)
    assert np.allclose(path.v, states[..., 4:7], rtol=1e-8, atol=1e-8)


def test_errors_teach() -> None:
    robot = sixvec.load("double_pendulum")
    with pytest.raises(ArgumentError, match=named("rollout", "integrator", "rk5")):
        rollout(robot, [0, 0], [0, 0], np.zeros((3, 2)), 0.1, integrator="rk5")
    with pytest.raises(ShapeError, match=named("rollout", "tau")):
        rollout(robot, [0, 0], [0, 0], np.zeros(2), 0.1)
    with pytest.raises(ShapeError, match=named("rollout", "control")):
        rollout(robot, [0, 0], [0, 0], np.zeros((3, 1)), 0.1, control=lambda q, v, u: u)


def test_every_integrator_has_its_order_tested() -> None:
    assert set(INTEGRATORS) == set(ORDERS)


def test_velocities_in_fixed_axes_by_hand() -> None:
    """A free body turned by a quarter about z, on which a slide: x of the body is y of the world."""
    model = Model("two", (Body("base", joint=Free()), Body("slide", "base", Prismatic(Vec3(0.0, 0.0, 1.0)))))
    quarter = [*Spherical().integrate(Spherical().neutral(), [0.0, 0.0, 0.5 * np.pi])]
    q, v, a = [1.0, 2.0, 3.0, *quarter, 0.1], [0.0, 0.0, 2.0, 1.0, 0.0, 5.0, 0.7], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.9]
    w = fixed_rates(model, q, v)
    assert w == pytest.approx([0.0, 0.0, 2.0, 0.0, 1.0, 5.0, 0.7], abs=1e-15)
    assert body_velocities(model, q, w) == pytest.approx(v, abs=1e-15)
    # ω × v = 2 z × (1, 0, 5) = (0, 2, 0)
    assert advanced(model, q, v, a, 0.5) == pytest.approx([0.05, 0.1, 2.15, 1.2, 1.25, 5.3, 1.15])
    there = moved(model, q, [0.0, 0.0, -0.5 * np.pi, 0.1, 0.2, 0.3, 0.4])
    assert there == pytest.approx([1.1, 2.2, 3.3, *Spherical().neutral(), 0.5], abs=1e-15)
    u = [1.0, 0.0, 0.0, 7.0, 8.0, 9.0, 3.0]
    assert bracket(model, u, v) == pytest.approx([*np.cross(u[:3], v[:3]), 0.0, 0.0, 0.0, 0.0])
    assert times(2.0, [1.0, -3.0]) == [2.0, -6.0] and plus([1.0, 2.0], 0.5, [4.0, -2.0]) == [3.0, 1.0]
