"""Identification: base parameters, estimates that scatter as they say, bodies that can exist."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from random_states import random_states
from sixvec import Robot
from sixvec.algorithms.parts.inertial_parameter import inertia_of
from sixvec.errors import ArgumentError, DegenerateError, DtypeError, ModelError, ShapeError
from sixvec.geometry.rigid_body.consistency import is_physical
from sixvec.identification import (
    ball_prior,
    base_parameters,
    consistent_parameters,
    from_log_cholesky,
    identify,
    inertial_parameters,
    log_cholesky,
    with_parameters,
)
from sixvec.identification.base_parameters import _text, independent_columns
from sixvec.identification.least_squares import _scatter, excitation
from sixvec.identification.log_cholesky import from_log_cholesky_derivative
from sixvec.identification.structural import independent, regrouping
from sixvec.model import Body, JointDynamics, Mimic, Model
from sixvec.model.canonical import canonical, regrouped
from sixvec.model.joints import Prismatic
from subjects import tree
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

BASE_COUNTS = {"planar_2r": 6, "puma560": 36, "panda": 43, "solo12": 94}
"""7 for each revolute joint, and 1 for a first one along gravity (Gautier and Khalil 1990 give 36 for the Puma 560);
a floating base shows all 10 of its own."""


@pytest.mark.every(2)
@pytest.mark.parametrize("name", list(BASE_COUNTS))
@pytest.mark.parametrize("method", ["numerical", "structural"])
def test_known_numbers_of_base_parameters(name: str, method: str) -> None:
    assert len(base_parameters(sixvec.load(name), method)) == BASE_COUNTS[name]


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["planar_2r", "puma560", "solo12", "small", "floating"])
def test_both_methods_explain_all_forces_and_find_every_dependence(name: str) -> None:
    """The trees have joints of every type."""
    robot = sixvec.load(name) if name in BASE_COUNTS else tree(name)
    numerical, structural = base_parameters(robot), base_parameters(robot, "structural")
    rows = np.vstack([numerical.combinations, structural.combinations])
    together = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert len(numerical) == len(structural) == np.linalg.matrix_rank(together, tol=1e-7)
    q, v, a, _ = random_states(robot, seed=9)
    for base in (numerical, structural):
        tau = base.regressor(q, v, a) @ base.of(inertial_parameters(robot.model))
        assert_close(tau, robot.inverse_dynamics(q, v, a), 10 * SOLVED)


def test_a_scara_shows_the_limit_of_the_structural_method() -> None:
    """Parallel axes make two of its parameters depend on others; only the numerical method sees that."""
    robot = sixvec.load("cobra600")
    assert len(base_parameters(robot)) == 8 and len(base_parameters(robot, "structural")) == 10


def test_joints_that_mimic_others_are_a_limit_of_it_too() -> None:
    """With its own coordinate for each joint, both methods find six parameters for this arm."""
    model = sixvec.load("planar_2r").model
    first, second = model.moving
    geared = replace(second, mimic=Mimic(first.name, -1.5))
    robot = Robot(replace(model, bodies=tuple(geared if b is second else b for b in model.bodies)))
    assert len(base_parameters(robot)) == 5 and len(base_parameters(robot, "structural")) == 6


def test_regrouping_is_the_linear_map_of_the_models_own_regrouping() -> None:
    model = tree("small").model
    numbers = np.array([x for b in regrouped(canonical(model)).bodies for x in b.inertia])
    assert_close(regrouping(model) @ inertial_parameters(model), numbers, IDENTITY, batched=False)


def test_independent_columns_are_the_first_ones() -> None:
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(3, 20))
    B, R = independent_columns(np.column_stack([x, 0 * x, 2.0 * x, y, x - 3.0 * y, z]))
    assert R.argmax(axis=0).tolist() == [0, 3, 5]
    assert_close(B, np.array([[1, 0, 2, 0, 1, 0], [0, 0, 0, 1, -3, 0], [0, 0, 0, 0, 0, 1.0]]), IDENTITY, batched=False)


def test_without_noise_the_parameters_are_exact() -> None:
    robot = tree("small")
    q, v, a, _ = random_states(robot, 60)
    fit = identify(robot, q, v, a, robot.inverse_dynamics(q, v, a), sigma=np.ones(robot.nv))
    truth = fit.base.of(inertial_parameters(robot.model))
    assert_close(fit.values, truth, 100 * SOLVED, batched=False)
    assert_close(fit.forces(q, v, a), robot.inverse_dynamics(q, v, a), 100 * SOLVED)


def test_estimates_scatter_as_their_standard_errors_say() -> None:
    """Two hundred experiments with other noise; unequal joints, whose weights the fit finds by itself."""
    robot = sixvec.load("planar_2r")
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 80, 2))
    noise = np.array([0.5, 0.05])
    tau = robot.inverse_dynamics(q, v, a)
    fits = [identify(robot, q, v, a, tau + noise * rng.normal(size=tau.shape)) for _ in range(200)]
    truth = fits[0].base.of(inertial_parameters(robot.model))
    scores = np.array([(f.values - truth) / f.standard_errors for f in fits])
    assert (np.abs(scores.std(axis=0) - 1.0) < 0.25).all()  # five standard deviations of a standard deviation of 200
    assert (np.abs(scores.mean(axis=0)) < 0.35).all()
    assert np.allclose(np.mean([f.sigma for f in fits], axis=0), noise, rtol=0.05)


def test_weights_help_where_joints_differ() -> None:
    robot = sixvec.load("planar_2r")
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 80, 2))
    tau = robot.inverse_dynamics(q, v, a) + [0.5, 0.05] * rng.normal(size=(80, 2))
    equal, weighted = (identify(robot, q, v, a, tau, sigma=s) for s in ([0.3, 0.3], [0.5, 0.05]))
    truth = equal.base.of(inertial_parameters(robot.model))
    assert np.abs(weighted.values - truth)[3:].max() < 0.5 * np.abs(equal.values - truth)[3:].max()


def rough_panda() -> Robot:
    """A Panda whose joints have rotors, rub and spring back."""
    model = sixvec.load("panda").model
    rough = JointDynamics(armature=(0.3,), damping=(0.5,), friction=(2.0,), stiffness=(1.5,), rest=(0.1,))
    return Robot(replace(model, bodies=tuple(replace(b, dynamics=rough) if b.joint.nv else b for b in model.bodies)))


def test_friction_and_rotors_are_taken_as_known() -> None:
    robot = rough_panda()
    q, v, a, _ = random_states(robot, 80)
    tau = robot.inverse_dynamics(q, v, a, passive=True)
    fit = identify(robot, q, v, a, tau, sigma=np.ones(7), passive=True)
    assert_close(fit.values, fit.base.of(inertial_parameters(robot.model)), 100 * SOLVED, batched=False)


def test_log_cholesky_there_and_back_and_its_derivative() -> None:
    theta = np.random.default_rng(0).normal(size=(20, 10))
    pi = from_log_cholesky(theta)
    for row in pi.tolist():
        assert is_physical(inertia_of(row))
    assert_close(log_cholesky(pi), theta, 1e4 * IDENTITY)
    step = 1e-4
    D = from_log_cholesky_derivative(theta)
    for k in range(10):
        e = step * np.eye(10)[k]
        f = [from_log_cholesky(theta + s * e) for s in (-2, -1, 1, 2)]
        assert_close(D[..., k], (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * step), DIFFERENCE, scale=np.abs(D).max())


def test_noisy_measurements_give_bodies_that_can_exist() -> None:
    """Least squares alone may return impossible bodies; the consistent fit explains the data as well and may not."""
    robot = tree("small")
    q, v, a, _ = random_states(robot, 60)
    rng = np.random.default_rng(2)
    fit = identify(robot, q, v, a, robot.inverse_dynamics(q, v, a) + rng.normal(size=(60, robot.nv)))
    naive = np.linalg.pinv(fit.base.combinations) @ fit.values
    possible = consistent_parameters(fit)
    assert possible.converged and possible.misfit < 1.5
    assert all(map(is_physical, map(inertia_of, possible.parameters.reshape(-1, 10).tolist())))
    assert not all(map(is_physical, map(inertia_of, naive.reshape(-1, 10).tolist())))
    assert_close(inertial_parameters(possible.robot.model), possible.parameters, IDENTITY, batched=False)
    assert "converged" in str(possible) and "misfit" in str(possible)


def test_what_is_wrong_is_said() -> None:
    robot = sixvec.load("planar_2r")
    q, v, a, tau = random_states(robot, 30)
    with pytest.raises(ShapeError, match=named("planar_2r", "tau")):
        identify(robot, q, v, a, np.zeros((30, 3)))
    with pytest.raises(ShapeError, match=named("samples", "joints")):
        identify(robot, q[:3], v[:3], a[:3], tau[:3])
    with pytest.raises(DegenerateError, match="base"):
        identify(robot, np.tile(q[:1], (30, 1)), 0 * v, 0 * a, tau)
    with pytest.raises(ArgumentError, match=named("planar_2r", "tau")):
        identify(robot, q, v, a, np.full_like(tau, np.nan))
    with pytest.raises((ArgumentError, ShapeError), match="sigma"):
        identify(robot, q, v, a, tau, sigma=[1.0, 0.0])
    with pytest.raises(ArgumentError, match="guess"):
        base_parameters(robot, "guess")
    with pytest.raises(DegenerateError, match=named("link1", "ball_prior")):
        consistent_parameters(identify(robot, q, v, a, tau), inertial_parameters(robot))  # its bodies are point masses
    with pytest.raises(ShapeError, match=named("planar_2r", "tau")):
        identify(robot, q, v, a, tau[:20])
    for name in ("q", "v", "a", "tau"):
        with pytest.raises(DtypeError, match=named("planar_2r", name)):
            identify(robot, **{"q": q, "v": v, "a": a, "tau": tau, name: "x"})
    with pytest.raises(DtypeError, match=named("planar_2r", "sigma", "x")):
        identify(robot, q, v, a, tau, sigma="x")


def test_excitation_raises_where_a_parameter_is_not_seen() -> None:
    Y = np.random.default_rng(0).normal(size=(20, 2, 3))
    assert excitation(Y.tolist()) == excitation(Y, [2.0, 2.0]) >= 1.0
    assert excitation(Y * [1.0, 1e3, 1e-3]) == pytest.approx(excitation(Y))  # units of parameters do not count
    assert excitation(np.zeros((20, 2, 0))) == 1.0
    blind = Y * [1.0, 0.0, 1.0]
    twins = Y[..., [0, 1, 1]]
    for stack in (np.zeros_like(Y), blind, twins, Y[:1], Y[:0]):
        with pytest.raises(DegenerateError, match="parameters"):
            excitation(stack)
    with pytest.raises(ArgumentError, match=named("Y")):
        excitation(np.full_like(Y, np.nan))
    with pytest.raises(ShapeError, match=named("Y")):
        excitation(np.ones(3))
    for sigma in ([1.0, 0.0], [1.0, 1.0, 1.0], [1.0, -1.0], [1.0, np.nan]):
        with pytest.raises((ArgumentError, ShapeError), match="sigma"):
            excitation(Y, sigma)


def test_a_model_stands_for_its_robot() -> None:
    robot = sixvec.load("planar_2r")
    q, v, a, tau = random_states(robot, 30)
    fits = [identify(x, q, v, a, tau, base=base_parameters(x)) for x in (robot, robot.model)]
    assert np.array_equal(fits[0].values, fits[1].values)
    assert with_parameters(robot, np.arange(20.0)) == with_parameters(robot.model, np.arange(20.0))
    with pytest.raises(ArgumentError, match=named("base_parameters", "panda")):
        base_parameters("panda")  # type: ignore[arg-type]


@pytest.mark.parametrize("passive", [False, True])
def test_forces_include_what_was_taken_as_known(passive: bool) -> None:
    robot = rough_panda()
    q, v, a, _ = random_states(robot, 80)
    tau = robot.inverse_dynamics(q, v, a, passive=passive)
    fit = identify(robot, q, v, a, tau, sigma=np.ones(7), passive=passive)
    assert np.abs(robot.passive_forces(q, v)).max() > 1.0
    assert_close(fit.forces(q, v, a), tau, 100 * SOLVED)


def test_base_parameters_of_another_robot_raise() -> None:
    robot = sixvec.load("panda")
    q, v, a, tau = random_states(robot, 80)
    for other in ("iiwa14", "ur5e"):  # as many joints, and fewer
        with pytest.raises(ArgumentError, match=named("base", other, "panda")):
            identify(robot, q, v, a, tau, base=base_parameters(sixvec.load(other)))
    with pytest.raises(ArgumentError, match=named("base", "base_parameters", "structural")):
        identify(robot, q, v, a, tau, base="structural")  # type: ignore[arg-type]


def test_base_parameters_do_not_depend_on_inertia() -> None:
    """Those of the same robot with other inertias will do, and the fit is about the robot that was measured."""
    robot = sixvec.load("planar_2r")
    heavier = Robot(with_parameters(robot, 2.0 * inertial_parameters(robot)))
    q, v, a, tau = random_states(robot, 30)
    fit = identify(heavier, q, v, a, tau, base=base_parameters(robot))
    assert fit.base.robot is heavier
    assert_close(fit.values, identify(robot, q, v, a, tau).values, 100 * SOLVED, batched=False)


def test_parameters_that_no_motion_tells_apart_are_named_as_such() -> None:
    robot = sixvec.load("cobra600")
    q, v, a, tau = random_states(robot, 60)
    base = base_parameters(robot, "structural")
    with pytest.raises(DegenerateError, match="base"):
        identify(robot, q, v, a, tau, base=base)
    with pytest.raises(DegenerateError, match="joints"):
        identify(robot, q, 0 * v, 0 * a, tau)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("forces", [1.0, 0.0])
def test_exact_forces_leave_the_scatter_of_rounding(forces: float) -> None:
    """One body on a slide, driven with whole numbers: every force is explained exactly."""
    slide = Body("x", joint=Prismatic(), inertia=inertia_of([2.0, *[0.0] * 9]))
    robot = Robot(Model("slide", (slide,)))
    q = v = a = np.arange(20.0)[:, None]
    tau = forces * robot.inverse_dynamics(q, v, a)
    fit = identify(robot, q, v, a, tau)
    assert fit.values == pytest.approx([2.0 * forces]) and fit.condition == pytest.approx(1.0)
    assert 1e-17 < fit.sigma[0] < 1e-12 and np.isfinite(fit.covariance).all()
    assert consistent_parameters(fit, ball_prior(robot, radius=0.1)).converged or not forces


def test_robots_with_loops_raise_and_are_named() -> None:
    robot = sixvec.load("four_bar")
    q, v, a, tau = random_states(robot, 30)
    with pytest.raises(ModelError, match=named("base_parameters", "four_bar", "without_closures")):
        base_parameters(robot)
    with pytest.raises(ModelError, match=named("identify", "four_bar")):
        identify(robot, q, v, a, tau)
    tree_alone = replace(robot.model, closures=())
    assert len(identify(tree_alone, q, v, a, tau).values) == 9


def test_reports_read_well() -> None:
    robot = Robot(with_parameters(sixvec.load("planar_2r").model, np.arange(20.0)))
    q, v, a, tau = random_states(robot, 30)
    text = str(identify(robot, q, v, a, tau))
    assert "6 base parameters from 30 samples" in text and "mx(link1) + m(link2)" in text
    assert "planar_2r: 6 base parameters of 20 (numerical method)" in str(base_parameters(robot))


def test_combinations_as_text() -> None:
    names = ("a", "b", "c", "d")
    rows = {
        (1.0, 0.0, 0.0, 0.0): "a", (-1.0, 0.25, 0.0, 0.0): "-a + 0.25 b", (0.0, -2.5, 0.0, -1.0): "-2.5 b - d",
        (0.0, 0.0, 1.00001, 12345.0): "c + 1.234e+04 d", (0.0, 0.0, 0.0, 0.0): "",
    }  # fmt: skip
    assert [_text(np.array(row), names) for row in rows] == list(rows.values())


def test_columns_are_regrouped_into_earlier_ones() -> None:
    x, y, nothing = np.eye(4)[0], np.eye(4)[1], np.zeros(4)
    Y = np.stack([nothing, 2.0 * x, x, 3.0 * y, x + 6.0 * y, 1e-14 * x], axis=1)
    B, R = independent_columns(Y)
    assert_close(B[:, :5], [[0.0, 1.0, 0.5, 0.0, 0.5], [0.0, 0.0, 0.0, 1.0, 2.0]], IDENTITY)
    assert R.T.tolist() == [[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]]
    kept, Q = independent(np.array([[3.0, 4.0], [6.0, 8.0], [0.0, 1e-3]]), 1e-3)
    assert kept == [0] and Q.T.tolist() == [[0.6, 0.8]]  # the rest of the last is 0.6e-3
    assert independent(np.array([[3.0, 4.0], [0.0, 1e-3]]), 5e-4)[0] == [0, 1]


def test_excitation_of_two_columns_is_the_cotangent_of_half_their_angle() -> None:
    assert excitation([[[3.0, 0.0]], [[0.0, 4.0]]]) == pytest.approx(1.0)
    assert excitation([[[1.0, 1.0]], [[0.0, 1.0]]]) == pytest.approx(1.0 + np.sqrt(2.0))
    assert excitation([[[1.0, 1.0], [0.0, 1.0]]], [1.0, 2.0]) == pytest.approx(2.0 + np.sqrt(5.0))
    assert excitation([[[1.0, 1.0], [0.0, 1.0]]], 2.0) == pytest.approx(1.0 + np.sqrt(2.0))
    with pytest.raises(DegenerateError, match=named("base", "parameters")):
        excitation([[[1.0, 2.0]], [[2.0, 4.0]]])


def test_the_scatter_of_each_joint_by_hand() -> None:
    """Four samples of a mean: three degrees of freedom remain; a joint without residuals gets a millionth of it."""
    Y = np.tile(np.eye(2), (4, 1, 1))
    tau = np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 2.0], [4.0, 2.0]])
    one = np.sqrt(5.0 / 3.0)
    for sigma in (np.ones(2), np.array([0.1, 7.0])):
        assert_close(_scatter(tau, Y, np.array([2.5, 2.0]), sigma), [one, 1e-6 * one], IDENTITY)
    rounding = 2.0**-52
    assert _scatter(0.0 * tau + 3.0, Y, np.array([3.0, 3.0]), np.ones(2)) == pytest.approx([3.0 * rounding] * 2)
    assert _scatter(0.0 * tau, Y, np.zeros(2), np.ones(2)) == pytest.approx([rounding] * 2)
    few = _scatter(tau[:1], Y[:1], np.array([0.5, 2.0]), np.ones(2))  # nothing remains: as if one did
    assert_close(few, [0.5, 0.5e-6], IDENTITY)


def test_robots_and_arrays_that_have_no_parameters() -> None:
    with pytest.raises(ModelError, match="block"):
        base_parameters(Robot(Model("block", (Body("block"),))))
    for wrong in (np.ones(9), np.ones((10, 9)), 1.0):
        with pytest.raises(ShapeError, match="parameters"):
            log_cholesky(wrong)
