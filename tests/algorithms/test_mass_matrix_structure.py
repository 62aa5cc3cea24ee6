"""The zeros of M, factors that keep them, solves with the factors, and how far to trust those."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_states import States, random_states
from random_trees import random_tree
from sixvec.algorithms.parts.sparsity import mass_matrix_pattern, tree_order
from sixvec.algorithms.passive_forces import _sign, _stretch_slope
from sixvec.errors import ArgumentError, DtypeError, ModelError, ShapeError
from sixvec.model import Body, Mimic, Model
from sixvec.model.edits import with_inertia
from sixvec.model.joints import Free, Joint, Revolute, Spherical, Universal
from sixvec.spatial import RigidInertia, Sym3, Vec3
from sixvec.theory.lagrange import mass_condition, solve_with_factors
from sixvec.theory.lagrange.condition import MassCondition
from subjects import SMALLER_CASES, tree
from targets import OnTarget
from tolerances import IDENTITY, assert_close, solved


@pytest.fixture(params=SMALLER_CASES, ids="-".join)
def robot(request: pytest.FixtureRequest) -> OnTarget:
    name, target = request.param
    return OnTarget(tree(name), target)


@pytest.mark.every(2)
@pytest.mark.covers("DYN-17")
def test_factors_multiply_to_the_mass_matrix_and_have_its_zeros(robot: OnTarget, states: States) -> None:
    M, apart = robot.mass_matrix(states.q), ~np.array(mass_matrix_pattern(robot.model))
    L, D = robot.mass_matrix_ltdl(states.q)
    assert_close(np.einsum("nki,nk,nkj->nij", L, D, L), M, IDENTITY)
    assert (np.diagonal(L, axis1=1, axis2=2) == 1.0).all()
    assert (D > 0.0).all()
    R = robot.mass_matrix_ltl(states.q)
    assert_close(np.einsum("nki,nkj->nij", R, R), M, IDENTITY)
    for factor in (L, R):
        assert not factor[:, apart].any()
        assert not np.triu(factor, 1).any()
    assert_close(np.prod(D, axis=1), np.linalg.det(M), 1e-10, scale=np.linalg.det(M))  # det M = Π D


@pytest.mark.every(2)
@pytest.mark.covers("DYN-17", "DYN-10", "Lynch-Park (9.89)")
def test_solving_with_the_factors(robot: OnTarget, states: States) -> None:
    q, _, _, tau = states
    M = robot.mass_matrix(q)
    x = robot.mass_matrix_solve(q, tau)
    assert_close(x, np.linalg.solve(M, tau[..., None])[..., 0], solved(1e-11, M))
    assert_close(x, np.einsum("nij,nj->ni", robot.mass_matrix_inverse(q), tau), solved(1e-11, M))


@pytest.mark.covers("DYN-10")
def test_composite_inertia_route_to_forward_dynamics(robot: OnTarget, states: States) -> None:
    """q̈ = M⁻¹ (τ - c - g), the corrected (6.35), against the articulated-body recursion."""
    q, v, _, tau = states
    M = robot.mass_matrix(q)
    found = robot.mass_matrix_solve(q, tau - robot.bias_forces(q, v))
    assert_close(found, robot.forward_dynamics(q, v, tau), solved(1e-11, M))


@pytest.mark.covers("DYN-17")
def test_pattern_of_a_quadruped() -> None:
    """Four legs of three joints on a base: legs do not see each other, 4·3 pairs of 3x3 blocks are zero."""
    robot = sv.load("solo12", floating=True)
    pattern = np.array(mass_matrix_pattern(robot.model))
    assert pattern[:6].all()
    assert np.count_nonzero(~pattern) == 12 * 9
    M = robot.mass_matrix(robot.random(0))
    assert not M[~pattern].any()
    report = mass_condition(robot, robot.random(0))
    assert report.zeros == 108


@pytest.mark.covers("DYN-17")
def test_sparsity_saves_operations() -> None:
    """Factors of a quadruped cost far less than those of a chain of as many joints would: (nv³)/6 products."""
    robot = sv.load("solo12", floating=True)
    extra = robot.kernel("mass_matrix_ltdl").count()["mul"] - robot.kernel("mass_matrix").count()["mul"]
    assert extra < 0.6 * robot.nv**3 / 6


@pytest.mark.covers("DYN-17")
def test_any_order_of_the_joints_has_no_fill_in() -> None:
    """A model may list tips first; elimination still starts at the tips of the tree."""
    model = random_tree(3, bodies=8)
    backwards = sv.Robot(replace(model, order=tuple(b.name for b in reversed(model.bodies))))
    assert tree_order(backwards.model) != list(range(backwards.nv))
    q, _, _, tau = random_states(backwards)
    M, (L, D) = backwards.mass_matrix(q), backwards.mass_matrix_ltdl(q)
    assert_close(np.einsum("nki,nk,nkj->nij", L, D, L), M, IDENTITY)
    assert not L[:, ~np.array(mass_matrix_pattern(backwards.model))].any()
    o = tree_order(backwards.model)
    for factor in (L, backwards.mass_matrix_ltl(q)):
        assert np.triu(factor, 1).any()
        assert not np.triu(factor[:, o][:, :, o], 1).any()
    assert_close(backwards.mass_matrix_solve(q, tau), np.linalg.solve(M, tau[..., None])[..., 0], solved(1e-11, M))


@pytest.mark.covers("DYN-17")
def test_joints_that_follow_others() -> None:
    panda = sv.load("panda").model
    robot = sv.Robot(
        replace(
            panda,
            bodies=tuple(
                replace(b, mimic=Mimic("panda_link2", -0.7)) if b.name == "panda_link4" else b for b in panda.bodies
            ),
        )
    )
    q, _, _, tau = random_states(robot)
    M, (L, D) = robot.mass_matrix(q), robot.mass_matrix_ltdl(q)
    assert_close(np.einsum("nki,nk,nkj->nij", L, D, L), M, IDENTITY)
    assert_close(robot.mass_matrix_solve(q, tau), np.linalg.solve(M, tau[..., None])[..., 0], solved(1e-11, M))
    solo = sv.load("solo12", floating=True).model
    leg = {"knee": [b.name for b in solo.moving][3], "other": [b.name for b in solo.moving][6]}
    tied = replace(
        solo, bodies=tuple(replace(b, mimic=Mimic(leg["knee"])) if b.name == leg["other"] else b for b in solo.bodies)
    )
    coupled = sv.Robot(tied)
    apart = ~np.array(mass_matrix_pattern(tied))
    assert not coupled.mass_matrix(coupled.random(0))[apart].any()
    assert apart.any()


def test_condition_report() -> None:
    robot = sv.load("panda")
    q = robot.random(0)
    M, report = robot.mass_matrix(q), mass_condition(robot, q)
    assert report.condition == pytest.approx(np.linalg.cond(M), rel=1e-9)
    assert report.easiest @ M @ report.easiest == pytest.approx(report.eigenvalues[0])
    size = np.sqrt(np.diag(M))
    assert report.scaled == pytest.approx(np.linalg.cond(M / np.outer(size, size)), rel=1e-9)
    assert "condition" in str(report)
    with pytest.raises(ShapeError, match=named("mass_condition", "q")):
        mass_condition(robot, np.zeros((2, 7)))


def test_a_joint_without_mass_raises_and_is_named() -> None:
    panda = sv.load("panda").model
    bare = with_inertia(with_inertia(panda, "panda_link7", RigidInertia.zero()), "panda_link8", RigidInertia.zero())
    robot = sv.Robot(bare)
    for name in ("mass_matrix_ltdl", "mass_matrix_ltl"):
        with pytest.raises(ModelError, match="panda_link7"):
            getattr(robot, name)(np.zeros(7))


@pytest.mark.every(4)
@pytest.mark.covers("DYN-17")
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
def test_solving_with_factors_that_are_known(tied: bool, backwards: bool) -> None:
    model = random_tree(3, bodies=12)
    single = [b.name for b in model.bodies if b.joint.nv == 1]
    if tied:
        bodies = (replace(b, mimic=Mimic(single[0], -0.7)) if b.name == single[-1] else b for b in model.bodies)
        model = replace(model, bodies=tuple(bodies))
    if backwards:
        model = replace(model, order=tuple(b.name for b in reversed(model.bodies)))
    robot = sv.Robot(model)
    q, _, _, tau = random_states(robot)
    M, (L, D) = robot.mass_matrix(q), robot.mass_matrix_ltdl(q)
    for given in (robot, model):
        assert_close(solve_with_factors(given, L, D, tau), robot.mass_matrix_solve(q, tau), solved(1e-11, M))
    every = solve_with_factors(robot, L[:, None], D[:, None], np.eye(robot.nv))  # a column of M⁻¹ for each coordinate
    assert_close(every, robot.mass_matrix_inverse(q), solved(1e-11, M))
    assert tau.flags.writeable and solve_with_factors(robot, L[0], D[0], tau[0]).shape == (robot.nv,)


def test_solving_with_factors_names_what_does_not_fit() -> None:
    robot = sv.load("planar_2r")
    L, D = robot.mass_matrix_ltdl([0.1, 0.2])
    with pytest.raises(ShapeError, match=named("solve_with_factors", "L")):
        solve_with_factors(robot, np.eye(3), D, [1.0, 2.0])
    with pytest.raises(ShapeError, match=named("solve_with_factors", "b")):
        solve_with_factors(robot, L, D, np.zeros(3))
    with pytest.raises(ShapeError, match="solve_with_factors"):
        solve_with_factors(robot, L[None].repeat(4, 0), D, np.zeros((3, 2)))
    with pytest.raises(DtypeError, match=named("solve_with_factors", "b", "one")):
        solve_with_factors(robot, L, D, ["one", "two"])
    with pytest.raises(ArgumentError, match="planar_2r"):
        solve_with_factors("planar_2r", L, D, [1.0, 2.0])  # type: ignore[arg-type]


def test_condition_of_what_is_no_position() -> None:
    robot = sv.load("planar_2r")
    with pytest.raises(ArgumentError, match="mass_condition"):
        mass_condition(robot, [np.nan, 0.0])
    with pytest.raises(DtypeError, match=named("mass_condition", "q", "a")):
        mass_condition(robot, ["a", "b"])
    with pytest.raises(ArgumentError, match="planar_2r"):
        mass_condition("planar_2r", [0.0, 0.0])  # type: ignore[arg-type]
    assert mass_condition(robot.model, [0.1, 0.2]).scaled == mass_condition(robot, [0.1, 0.2]).scaled
    still = mass_condition(sv.Robot(Model("still", (Body("block"),))), [])
    assert (still.condition, still.scaled, still.digits_lost, still.zeros) == (1.0, 1.0, 0.0, 0)
    assert str(still) == "no freedoms, condition 1"


def test_structure_of_robots_and_of_their_models() -> None:
    robot = sv.load("solo12")
    assert mass_matrix_pattern(robot) == mass_matrix_pattern(robot.model)
    assert tree_order(robot) == tree_order(robot.model)
    for function in (mass_matrix_pattern, tree_order):
        with pytest.raises(ArgumentError, match=named(function.__name__, "solo12")):
            function("solo12")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("eigenvalues", "condition"), [([2.0, 5.0, 8.0], 4.0), ([3.0], 1.0), ([0.0, 1.0], np.inf), ([-1.0, 2.0], np.inf)]
)
def test_conditions_are_ratios_of_the_outer_eigenvalues(eigenvalues: list[float], condition: float) -> None:
    found = MassCondition(np.array(eigenvalues), np.zeros(len(eigenvalues)), 1000.0, 7)
    assert found.condition == condition and found.digits_lost == pytest.approx(3.0)
    assert str(found).endswith(f"condition {condition:.3g} (scaled 1e+03, 3.0 digits), 7 structural zeros")
    still = MassCondition(np.zeros(0), np.zeros(0), 1.0, 0)
    assert (still.condition, still.digits_lost, str(still)) == (1.0, 0.0, "no freedoms, condition 1")


def test_a_joint_that_moves_no_mass_has_no_condition() -> None:
    """The other joint has 3; the direction that accelerates most is that of the joint without mass."""
    wheel = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(1.0, 2.0, 3.0))
    bodies = (Body("disc", joint=Revolute(), inertia=wheel), Body("bare", joint=Revolute()))
    found = mass_condition(sv.Robot(Model("discs", bodies)), [0.2, 0.3])
    assert found.eigenvalues.tolist() == [0.0, 3.0] and np.abs(found.easiest).tolist() == [0.0, 1.0]
    assert found.condition == found.scaled == np.inf and found.zeros == 2


@pytest.mark.parametrize("joint", [Spherical(), Free(), Revolute(), Universal()], ids=lambda j: type(j).__name__)
def test_slopes_of_stretched_springs_are_those_of_differences(joint: Joint) -> None:
    rng, h = np.random.default_rng(5), 1e-5
    rest, q = (joint.integrate(joint.neutral(), x) for x in rng.normal(size=(2, joint.nv)).tolist())
    steps = h * np.eye(joint.nv)
    ahead, behind = (
        np.array([joint.difference(rest, joint.integrate(q, (s * step).tolist())) for step in steps], float)
        for s in (1.0, -1.0)
    )
    found = np.array(_stretch_slope(joint, rest, q), float)
    assert np.abs(found - (ahead - behind).T / (2.0 * h)).max() < 1e-8
    assert [_sign(x) for x in (-2.0, 0.0, 0.5)] == [-1.0, 0.0, 1.0]


def test_factors_of_joints_that_follow_solve_too() -> None:
    axes = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0), Vec3(0.6, 0.0, 0.8))
    mass = RigidInertia.from_center_of_mass(1.0, Vec3(0.1, 0.2, 0.3), Sym3.diagonal(0.1, 0.2, 0.3))
    parents = {"a": None, "b": "a", "c": "a", "d": "c"}
    bodies = [
        Body(name, parent, Revolute(axis), inertia=mass, mimic=Mimic("b", 0.5) if name == "d" else None)
        for (name, parent), axis in zip(parents.items(), axes, strict=True)
    ]
    robot = sv.Robot(Model("follower", tuple(bodies)))
    q, tau = np.array([0.3, -0.5, 0.7]), np.array([1.0, 2.0, -3.0])
    L, D = robot.mass_matrix_ltdl(q)
    assert_close(solve_with_factors(robot, L, D, tau), np.linalg.solve(robot.mass_matrix(q), tau), 1e-12)
