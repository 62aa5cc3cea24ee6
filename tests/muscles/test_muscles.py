"""Muscles of files: MuJoCo's lengths, forces and activation rates, and the forces of least effort."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from muscle_files import muscle_file

import sixvec
from mjcf_peer import mujoco
from sixvec import Robot
from sixvec.compiler.autodiff import jacobian
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.formats import parse_model
from sixvec.model import Actuator, Muscle, TendonTransmission, families
from sixvec.model.muscle_law import active_force, passive_force
from sixvec.muscles import Muscles
from sixvec.verdict import Verdict
from tolerances import PEER, assert_close

pytestmark = pytest.mark.filterwarnings("ignore::sixvec.formats.unsupported.UnsupportedPhysics")
SAMPLES = 4


def robot_of(seed: int) -> Robot:
    return Robot(parse_model(muscle_file(seed), "muscles.xml"))


@pytest.mark.covers("MUS-02")
@pytest.mark.parametrize("seed", range(6))
def test_forces_are_those_of_mujoco(seed: int) -> None:
    """Over wrapping shapes, pulleys, gears, automatic peak forces, force ranges and both kinds of activation."""
    theirs = mujoco.MjModel.from_xml_string(muscle_file(seed))
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    robot = robot_of(seed)
    muscles = Muscles(robot)
    data, which = mujoco.MjData(theirs), [theirs.actuator(name).id for name in muscles.names]
    assert muscles.names == ("m1", "m2", "m3", "m4", "m5")
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-1.0, 1.0, (SAMPLES, robot.nq)), rng.normal(size=(SAMPLES, robot.nv)) * 3.0
    w, u = rng.uniform(0.0, 1.0, (2, SAMPLES, len(muscles)))
    forces, lengths, rates = muscles.forces(q, v, w), muscles.lengths(q), muscles.velocities(q, v)
    changes = muscles.activation_rates(u, w)
    for i in range(SAMPLES):
        data.qpos, data.qvel, data.act = q[i], v[i], w[i]
        data.ctrl[:] = 0.0
        data.ctrl[which] = u[i]
        mujoco.mj_forward(theirs, data)
        np.testing.assert_allclose(lengths[i], data.actuator_length[which], rtol=PEER, atol=PEER)
        np.testing.assert_allclose(rates[i], data.actuator_velocity[which], rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(forces.tension[i], -data.actuator_force[which], rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(changes[i], data.act_dot, rtol=PEER, atol=PEER)
        np.testing.assert_allclose(forces.tau[i], data.qfrc_actuator, rtol=1e-8, atol=1e-8)


@pytest.mark.covers("MUS-02")
def test_joint_forces_are_the_power_of_the_tensions() -> None:
    muscles = Muscles(robot_of(1))
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 5, 3))
    forces = muscles.forces(q, v, rng.uniform(size=(5, 5)))
    power = -(forces.tension * muscles.velocities(q, v)).sum(-1)
    assert_close((forces.tau * v).sum(-1)[:, None], power[:, None], 1e-10)


@pytest.mark.covers("MUS-02")
@pytest.mark.parametrize("seed", range(3))
def test_least_activations_give_the_joint_forces_back(seed: int) -> None:
    """The activations found produce tau with no more effort than those that made it; KKT conditions of the optimum."""
    muscles = Muscles(robot_of(seed))
    rng = np.random.default_rng(seed)
    q, v, w = rng.uniform(-0.5, 0.5, (6, 3)), rng.normal(size=(6, 3)) * 0.1, rng.uniform(0.0, 0.9, (6, 5))
    low, high = muscles._force_ranges()
    made = muscles.forces(q, v, w)
    inside = ((made.tension > low) & (made.tension < high)).all(-1)
    best = muscles.activations(q, v, made.tau)
    assert inside.any()
    assert (best.verdict[inside] == Verdict.SOLVED).all()
    assert_close(best.tau[inside], made.tau[inside], 1e-8)
    assert ((best.activation >= 0.0) & (best.activation <= 1.0))[inside].all()
    assert ((best.activation**2).sum(-1) <= (w**2).sum(-1) + 1e-12)[inside].all()


@pytest.mark.parametrize("seed", range(3))
def test_a_muscle_that_moves_no_joint_has_no_automatic_peak_force(seed: int) -> None:
    """Between points of one body the Jacobian is rounding, and a force divided by it would be 1e16 N."""
    idle = muscle_file(seed).replace('<site site="e2"/>', '<site site="s2"/>')
    assert np.isfinite(Muscles(Robot(parse_model(idle, "idle.xml"))).peak_forces).all()  # that muscle has a force
    text = idle.replace('lengthrange="0.3 0.8" force="150"', 'lengthrange="0.3 0.8"')
    with pytest.raises(ModelError, match='"m2"'):
        Muscles(Robot(parse_model(text, "idle.xml"))).forces(np.zeros(3), np.zeros(3), np.zeros(5))


def test_the_law_is_smooth_and_traces() -> None:
    """Continuous with its slope at all joints of the curves; the graph differentiates it as differences do."""
    m = Muscle()
    L = np.linspace(0.3, 1.9, 3201)
    for f in (lambda x: active_force(m, x, 0.0 * x), lambda x: passive_force(m, x)):
        slope = np.gradient(f(L), L)
        assert abs(np.diff(slope)).max() < 0.05

    @sixvec.compiled("L V -> f")
    def law(L: Any, V: Any) -> Any:
        return active_force(m, L, V) + passive_force(m, L)

    assert jacobian(law.program, "L") is not None
    x, h = 0.83, 1e-6
    rise = (law(x + h, 0.1) - law(x - h, 0.1)) / (2 * h)
    assert law.derivative("L")(x, 0.1) == pytest.approx(float(rise), rel=1e-8)


def test_nan_stays_in_its_sample() -> None:
    muscles = Muscles(robot_of(0))
    q, v, w = np.zeros((3, 3)), np.zeros((3, 3)), np.full((3, 5), 0.5)
    q[1, 0] = np.nan
    forces = muscles.forces(q, v, w)
    assert np.isnan(forces.tension[1]).any() and np.isfinite(forces.tension[[0, 2]]).all()
    assert muscles.activations(q, v, np.zeros((3, 3))).verdict[1] == Verdict.INVALID
    assert muscles.forces(q[:0], v[:0], w[:0]).tau.shape == (0, 3)


def test_results_are_arrays_of_the_same_library_and_precision() -> None:
    muscles = Muscles(robot_of(0))
    jnp = pytest.importorskip("jax.numpy")
    q, w = np.zeros((2, 3)), np.full((2, 5), 0.5)
    ours, theirs = muscles.forces(q, q, w), muscles.forces(jnp.asarray(q), jnp.asarray(q), jnp.asarray(w))
    assert isinstance(theirs.tau, jnp.ndarray)
    np.testing.assert_allclose(np.asarray(theirs.tau), ours.tau, rtol=1e-5)
    single = muscles.activation_rates(w.astype(np.float32), w.astype(np.float32))
    assert single.dtype == np.float32


def test_missing_or_wrong_data_are_named() -> None:
    robot = robot_of(0)
    muscle = next(a for a in robot.model.actuators if a.name == "m1")
    unknown = replace(muscle, muscle=replace(muscle.muscle, length_range=None))  # type: ignore[type-var]
    bare = Robot(replace(robot.model, actuators=(unknown,)))
    with pytest.raises(ModelError, match='"m1"'):
        Muscles(bare)
    assert Muscles(bare, {"m1": (0.2, 0.9)}).lengths(np.zeros(3)) == Muscles(robot).lengths(np.zeros(3))[0]
    with pytest.raises(ArgumentError, match='no muscle "m9"'):
        Muscles(robot, {"m9": (0.0, 1.0)})
    with pytest.raises(ModelError, match="has no muscles"):
        Muscles(sixvec.load("panda"))
    with pytest.raises(ShapeError, match="muscle"):
        Muscles(robot).forces(np.zeros(3), np.zeros(3), [0.5])
    with pytest.raises(ModelError, match="tendon"):
        Robot(replace(robot.model, actuators=(Actuator("x", TendonTransmission("nowhere"), muscle=Muscle()),)))


def test_robots_with_muscles_are_a_family() -> None:
    robot = robot_of(0)
    assert families(robot) == ("serial", "musculoskeletal")
    assert families(Robot(replace(robot.model, actuators=()))) == ("serial",)
