"""Friction, damping and armature as parameters: found along with the inertias of a simulated arm."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.identification import base_parameters, consistent_parameters, identify
from sixvec.identification.joint_parameters import KINDS, joint_parameters, with_joint_parameters
from sixvec.model import Mimic
from tolerances import SOLVED, assert_close

PANDA = sixvec.load("panda")
RNG = np.random.default_rng(0)
TRUE = RNG.uniform(0.2, 2.0, (3, 7)) * np.array([[0.5], [1.0], [0.3]])
REAL = Robot(with_joint_parameters(PANDA.model, KINDS, TRUE))
STATES = (PANDA.random(RNG, 150), *RNG.normal(size=(2, 150, 7)))


def test_all_are_recovered_without_noise() -> None:
    tau = REAL.inverse_dynamics(*STATES, passive=True)
    fit = identify(PANDA, *STATES, tau, dynamics=KINDS)
    # The armatures of the first two joints, whose axes are perpendicular, are each one with Izz of the link.
    assert len(fit.base) == 43 + 7 + 7 + 5
    for kind, values in zip(KINDS, TRUE, strict=True):
        first = 2 if kind == "armature" else 0
        assert np.isnan(fit.joint(kind)[:first]).all()
        assert_close(fit.joint(kind)[first:], values[first:], 1e-8, batched=False)
    assert_close(fit.forces(*STATES), tau, SOLVED)
    assert "friction(panda_joint3)" in str(fit) and any("armature(panda_joint1)" in x for x in fit.base.names)


@pytest.mark.slow
def test_what_the_model_says_of_the_parameters_that_are_sought_plays_no_part() -> None:
    tau = REAL.inverse_dynamics(*STATES, passive=True)
    fits = [identify(robot, *STATES, tau, dynamics=KINDS) for robot in (PANDA, REAL)]
    assert_close(fits[1].values, fits[0].values, 1e-7, batched=False)


def test_with_noise_they_are_as_near_as_their_errors_say_and_bodies_can_exist() -> None:
    tau = REAL.inverse_dynamics(*STATES, passive=True) + 0.05 * np.random.default_rng(1).normal(size=(150, 7))
    fit = identify(PANDA, *STATES, tau, dynamics=KINDS)
    off = [(fit.joint(k) - x) / fit.joint_errors(k) for k, x in zip(KINDS, TRUE, strict=True)]
    assert np.nanmax(np.abs(off)) < 4.5 and 0.6 < np.sqrt(np.nanmean(np.square(off))) < 1.5
    whole = consistent_parameters(fit)
    assert whole.converged and whole.misfit < 2.0
    assert (whole.joints >= 0.0).all()
    table = whole.joints.reshape(3, 7)
    assert_close(table[:2], TRUE[:2], 0.05, batched=False)
    found = whole.robot
    q, v, a = PANDA.random(2, 20), *np.random.default_rng(3).normal(size=(2, 20, 7))
    truth = REAL.inverse_dynamics(q, v, a, passive=True)
    assert np.abs(found.inverse_dynamics(q, v, a, passive=True) - truth).max() < 0.3


def test_one_kind_alone_leaves_the_others_known() -> None:
    tau = REAL.inverse_dynamics(*STATES, passive=True)
    start = Robot(with_joint_parameters(REAL.model, ("friction",), np.zeros(7)))
    fit = identify(start, *STATES, tau, dynamics=("friction",), passive=True)
    assert_close(fit.joint("friction"), TRUE[1], 1e-8, batched=False)
    with pytest.raises(ArgumentError, match="damping"):
        fit.joint("damping")


def test_base_parameters_explain_all_forces() -> None:
    base = base_parameters(REAL, dynamics=KINDS)
    tau = base.regressor(*STATES) @ base.of(base.all_parameters())
    assert_close(tau, REAL.inverse_dynamics(*STATES, passive=True), SOLVED)


def test_mistakes() -> None:
    with pytest.raises(ArgumentError, match="stiction"):
        base_parameters(PANDA, dynamics=("stiction",))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=named("structural", "friction")):
        base_parameters(PANDA, "structural", dynamics=("friction",))
    with pytest.raises(ModelError, match=named("solo12", "armature")):
        base_parameters(sixvec.load("solo12"), dynamics=("armature",))
    bodies = tuple(
        replace(b, mimic=Mimic("panda_link2") if b.name == "panda_link4" else None) for b in PANDA.model.bodies
    )
    with pytest.raises(ModelError, match=named("panda_joint4", "dynamics", "friction")):
        base_parameters(replace(PANDA.model, bodies=bodies), dynamics=("friction",))
    with pytest.raises(ShapeError, match="parameters"):
        base_parameters(PANDA, dynamics=("friction",)).of(np.zeros(70))
    with pytest.raises(ArgumentError, match=named("base", "dynamics", "friction")):
        identify(PANDA, *STATES, STATES[1], base=base_parameters(PANDA), dynamics=("friction",))
    assert joint_parameters(PANDA.model, ()).shape == (0,)


@pytest.mark.covers("MODEL-06")
@pytest.mark.parametrize("name", ["cart_pole", "acrobot"])
def test_an_underactuated_robot_is_identified_from_what_its_motors_do(name: str) -> None:
    """Motion of the robot itself: the passive joint's force is zero, and what it shows is measured all the same."""
    robot = sixvec.load(name)
    motors = np.array([bool(limits) for limits in robot.effort_limits])
    assert not motors.all()
    rng = np.random.default_rng(4)
    tau = np.where(motors, 3.0 * rng.normal(size=(40, 5, 2)), 0.0).repeat(5, axis=1)
    path = robot.rollout(robot.random(rng, 40), rng.normal(size=(40, 2)), tau, 0.01, integrator="rk4")
    q, v, u = (x.reshape(-1, 2) for x in (path.q[:, :-1], path.v[:, :-1], tau[:, 1:]))
    a = robot.forward_dynamics(q, v, u)
    fit = identify(robot, q, v, a, u + 1e-3 * rng.normal(size=u.shape), dynamics=("damping",))
    truth = fit.base.of(fit.base.all_parameters())
    assert (np.abs(fit.values - truth) < 5.0 * fit.standard_errors).all()
    # With its own parameters changed, what was found predicts the motion of the passive joint.
    assert np.abs(fit.forces(q, v, a)[:, ~motors]).max() < 0.02
    exact = identify(robot, q, v, a, u)
    assert_close(exact.values, exact.base.of(exact.base.all_parameters()), 1e-7, batched=False)
