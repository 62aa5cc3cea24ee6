"""Priors: bodies with volume for every robot, and fits that start from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.algorithms.parts.inertial_parameter import inertia_of
from sixvec.errors import ArgumentError, DegenerateError, DtypeError, ShapeError
from sixvec.geometry.rigid_body.consistency import is_physical
from sixvec.identification import (
    ball_prior,
    consistent_parameters,
    identify,
    inertial_parameters,
    log_cholesky,
    own_prior,
)
from sixvec.identification.least_squares import Identification
from sixvec.identification.prior import LIGHT, SMALL, THINNEST, central_moments
from sixvec.model import Body, Model
from sixvec.model.edits import Rotor, with_rotor
from sixvec.model.joints import Prismatic, Revolute, Spherical
from sixvec.model.robots import BUILT_IN
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from tolerances import IDENTITY, assert_close

NOISE = 0.05
SEARCHED = sorted(set(BUILT_IN) - {"humanoid"})
"""The search for the humanoid takes ten seconds."""


def built_in(name: str) -> Robot:
    """A built-in robot; of one with loops, the tree."""
    return Robot(replace(sixvec.load(name).model, closures=()))


def geared() -> Robot:
    """An arm with a rotor that is a moment of inertia and nothing else."""
    arm = sixvec.load("planar_2r").model
    return Robot(with_rotor(arm, arm.moving[1].name, Rotor(inertia=1e-4, ratio=100.0)))


def noisy_fit(robot: Robot, samples: int = 200) -> Identification:
    rng = np.random.default_rng(0)
    q, v, a = robot.random(rng, samples), *rng.normal(size=(2, samples, robot.nv))
    return identify(robot, q, v, a, robot.inverse_dynamics(q, v, a) + NOISE * rng.normal(size=v.shape))


def rows(robot: Robot) -> np.ndarray:
    return inertial_parameters(robot).reshape(-1, 10)


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("prior", [own_prior, ball_prior])
def test_every_built_in_robot_has_priors_with_volume(name: str, prior: object) -> None:
    found = prior(built_in(name))  # type: ignore[operator]
    assert np.isfinite(log_cholesky(found)).all()
    assert found.shape == rows(built_in(name)).shape


@pytest.mark.every(3)
@pytest.mark.parametrize("name", SEARCHED)
def test_possible_bodies_are_found_without_a_prior(name: str) -> None:
    found = consistent_parameters(noisy_fit(built_in(name)))
    assert found.converged and found.misfit < 1.5 and found.limiting == ()
    assert all(is_physical(inertia_of(row)) for row in found.parameters.reshape(-1, 10).tolist())


def test_possible_bodies_are_found_for_a_robot_with_rotors() -> None:
    found = consistent_parameters(noisy_fit(geared()))
    assert found.converged and found.misfit < 1.5


@pytest.mark.parametrize("name", ["iiwa14", "panda", "solo12", "ur5e"])
def test_bodies_with_volume_stay_as_they_are(name: str) -> None:
    robot = sixvec.load(name)
    assert np.array_equal(own_prior(robot), rows(robot)) and np.array_equal(own_prior(robot.model), rows(robot))


def test_rods_and_points_are_changed_by_a_thousandth_of_their_size() -> None:
    robot = sixvec.load("double_pendulum")
    own, given = own_prior(robot), rows(robot)
    assert_close(own[:, :4], given[:, :4], IDENTITY, batched=False)
    size = np.sqrt((given[:, 4] + given[:, 7] + given[:, 9]) / 2.0)  # tr I = 2 ∫ r² dm, of one kilogram
    assert (np.abs(own - given).max(axis=1) <= 2.01 * (THINNEST * size) ** 2).all()


def test_what_has_no_size_or_no_mass_is_given_some() -> None:
    cart = own_prior(sixvec.load("cart_pole"))[0]
    reach = np.sqrt(0.1 / 3.0 / 0.1)  # the pole's size: the cart itself is a point
    assert cart[0] == 1.0 and cart[[4, 7, 9]] == pytest.approx(2.0 * (SMALL * reach) ** 2, rel=0.01)
    humanoid = sixvec.load("humanoid")
    empty = rows(humanoid)[:, 0] == 0.0
    assert empty.any() and own_prior(humanoid)[empty, 0] == pytest.approx(LIGHT * rows(humanoid)[:, 0].mean())
    link1 = own_prior(sixvec.load("puma560"))[0]  # in the model: no mass, and a moment of inertia about z
    assert link1[0] > 0.0 and link1[9] == pytest.approx(rows(sixvec.load("puma560"))[0, 9], rel=0.01)


def test_impossible_bodies_come_to_the_edge_of_the_possible() -> None:
    """The Puma's third link, as published, violates the triangle inequality."""
    robot = sixvec.load("puma560")
    given, own = rows(robot)[2], own_prior(robot)[2]
    assert not is_physical(inertia_of(given.tolist())) and is_physical(inertia_of(own.tolist()))
    assert_close(own[:4], given[:4], IDENTITY, batched=False)
    before, after = central_moments(given)[2], central_moments(own)[2]
    assert before[0] < 0.0 < after[0] < 1e-4 and after[1:] == pytest.approx(before[1:])


def test_balls_are_round_and_stand_at_the_centres_of_mass() -> None:
    robot = sixvec.load("iiwa14")
    for given, ball in zip(rows(robot), ball_prior(robot), strict=True):
        mass, center, axes, _ = central_moments(ball)
        assert mass == pytest.approx(given[0]) and center == pytest.approx(given[1:4] / given[0])
        assert axes == pytest.approx(axes.mean()) and axes.sum() == pytest.approx(central_moments(given)[2].sum())
    ball = ball_prior(robot, mass=np.arange(1.0, 8.0), radius=0.2)[4]
    assert central_moments(ball)[0] == 5.0 and central_moments(ball)[2] == pytest.approx(5.0 * 0.2**2 / 5.0)


def test_robots_without_scale_raise_by_the_name_of_the_body() -> None:
    massless = Model("hollow", (Body("shell", joint=Revolute()),))
    point = Model("dot", (Body("bead", joint=Prismatic(), inertia=inertia_of([1.0, *[0.0] * 9])),))
    with pytest.raises(DegenerateError, match=named("shell", "ball_prior")):
        own_prior(massless)
    with pytest.raises(DegenerateError, match=named("bead", "ball_prior")):
        own_prior(point)
    assert np.isfinite(log_cholesky(ball_prior(massless, mass=1.0, radius=0.1))).all()
    assert ball_prior(point, mass=1.0, radius=0.1)[0, :4].tolist() == [1.0, 0.0, 0.0, 0.0]
    for wrong in (0.0, [1.0, 2.0], np.nan, -1.0):
        with pytest.raises((ArgumentError, ShapeError), match="mass"):
            ball_prior(point, mass=wrong, radius=1.0)
    with pytest.raises(DtypeError, match=named("radius", "x")):
        ball_prior(point, mass=1.0, radius="x")


def test_exact_forces_of_a_rod_do_not_blame_it() -> None:
    """In units of rounding every search ends far from its aim."""
    robot = sixvec.load("cart_pole")
    q, v, a = np.random.default_rng(0).normal(size=(3, 200, 2))
    found = consistent_parameters(identify(robot, q, v, a, robot.inverse_dynamics(q, v, a)))
    assert found.limiting == ()


def test_a_body_that_cannot_exist_is_named() -> None:
    """Two bodies, one of which violates the triangle inequality by far more than the noise."""
    good, odd = (
        RigidInertia.from_center_of_mass(1.0, Vec3(0.1, 0.0, 0.0), Sym3.diagonal(*moments))
        for moments in ((0.02, 0.03, 0.04), (0.03, 0.03, 0.1))
    )
    placed = Pose.translation(Vec3(0.3, 0.0, 0.0))
    bodies = Body("good", joint=Revolute(), inertia=good), Body("odd", "good", Spherical(), placed, odd)
    robot = Robot(Model("two", bodies))
    for prior in (None, ball_prior(robot)):
        found = consistent_parameters(noisy_fit(robot), prior)
        assert found.limiting == ("odd",) and found.thickness[1] < 0.05
        assert "no possible body explains the measurements; at the edge: odd" in str(found)


def test_priors_of_three_bodies_by_hand() -> None:
    """A point of 2 kg at one metre, moments without mass, and nothing at all; the reach is two metres.

    The second has  ∫ x² dm = 2  along each axis: within the reach that takes 6/2² kg.  The third gets a tenth of the
    mean mass and  ∫ x² dm = m (2/10)².
    """
    inertias = [2.0, 2.0, *[0.0] * 5, 2.0, 0.0, 2.0], [*[0.0] * 4, 4.0, 0.0, 0.0, 4.0, 0.0, 4.0], [0.0] * 10
    shift = Pose.translation(Vec3(0.0, 2.0, 0.0))
    bodies = (
        Body("point", None, Revolute(), inertia=inertia_of(inertias[0])),
        Body("moments", "point", Revolute(), shift, inertia=inertia_of(inertias[1])),
        Body("nothing", "moments", Revolute(), inertia=inertia_of(inertias[2])),
    )
    thin, mass = 2.0 * 2.0 * 1e-6, 0.1 * 2.0 / 3.0
    round_ = 2.0 * mass * 0.2**2
    expected = [
        [2.0, 2.0, 0.0, 0.0, thin, 0.0, 0.0, 2.0 + thin, 0.0, 2.0 + thin],
        [1.5, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 4.0, 0.0, 4.0],
        [mass, 0.0, 0.0, 0.0, round_, 0.0, 0.0, round_, 0.0, round_],
    ]
    model = Model("three", bodies)
    assert own_prior(model) == pytest.approx(np.array(expected), rel=1e-12, abs=1e-15)
    assert ball_prior(model) == pytest.approx(np.array(expected), rel=1e-12, abs=1e-15)
    ball = 2.0 / 5.0 * 3.0 * 0.5**2
    assert ball_prior(model, mass=3.0, radius=0.5)[0] == pytest.approx(
        [3.0, 3.0, 0.0, 0.0, ball, 0.0, 0.0, 3.0 + ball, 0.0, 3.0 + ball], abs=1e-12
    )
    light = ball_prior(model, radius=0.5)  # the masses are those of the prior
    assert light[:, 0] == pytest.approx([2.0, 1.5, mass]) and light[2, 4] == pytest.approx(0.4 * mass * 0.25)
