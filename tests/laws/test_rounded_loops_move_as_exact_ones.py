"""A loop whose dimensions are rounded moves as the exact mechanism does, up to the rounding.

Every placement of a mechanism is turned and shifted by up to 1e-5 of its size, in random directions.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import sixvec as sv
from loop_samples import INTEGRATORS, MECHANISMS, NOISE, X, at, four_bar, in_other_axes, rod, rounded
from sixvec.constraints import report, velocity_map
from sixvec.mechanism.row_rank import gap_limits, row_rank
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.body import Mimic
from sixvec.model.joints import Revolute
from sixvec.spatial import Rotation
from sixvec.verdict import Verdict


@cache
def state(name: str) -> tuple[sv.Robot, np.ndarray, np.ndarray, np.ndarray]:
    """The exact mechanism, a closed position, a velocity that keeps it closed, and joint forces."""
    make, guess = MECHANISMS[name]
    robot = sv.Robot(make())
    found = robot.assemble(guess)
    assert found, name
    rng = np.random.default_rng(1)
    freedoms = np.linalg.svd(robot.closure_jacobian(found.q))[2][row_rank(robot.model).rank :]
    assert len(freedoms), name
    return robot, found.q, freedoms.T @ rng.uniform(0.5, 1.5, len(freedoms)), rng.normal(size=robot.nv)


def state_of(other: sv.Robot, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The nearest closed state of a rounded mechanism."""
    robot, q, v, _ = state(name)
    near = other.assemble(q)
    assert near, (name, near.residual)
    K = sv.constraints.loop_equations.feasible_basis(other, near.q, sv.solve.Metric.from_length(1.0, robot.nv))
    return near.q, K @ (K.T @ v)


def dynamics(robot: sv.Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray, method: str) -> list[np.ndarray]:
    found = robot.evaluate("constrained_dynamics", *map(list, (q, v, tau)), method=method)
    return [np.array(x, float) for x in found]


@pytest.mark.every(2)
@pytest.mark.parametrize("name", MECHANISMS)
def test_rounding_changes_no_rank_and_dynamics_by_as_much(name: str) -> None:
    robot, q, v, tau = state(name)
    a, force, _ = dynamics(robot, q, v, tau, "kkt")
    exact = row_rank(robot.model)
    for noise in NOISE:
        other = rounded(robot.model, noise)
        q1, v1 = state_of(other, name)
        allowed = 100.0 * noise + 1e-9
        assert row_rank(other.model).rank == exact.rank, noise
        assert np.abs(q1 - q).max() <= allowed
        found, forces, residual = dynamics(other, q1, v1, tau, "kkt")
        again, others, _ = dynamics(other, q1, v1, tau, "recursion")
        assert np.abs(found - a).max() <= allowed * np.abs(a).max(), noise
        assert np.abs(forces).max() <= 3.0 * np.abs(force).max() + 1.0, noise
        assert np.abs(found - again).max() <= 1e-9 * np.abs(a).max()
        assert np.abs(forces - others).max() <= 1e-9 * (1.0 + np.abs(force).max())
        assert residual <= allowed * (1.0 + np.abs(a).max())
        said = report(other, q1)
        D = np.array(other.evaluate("delassus", list(q1))[2], float)
        assert said.rank == exact.rank == (D != 0.0).sum(), noise


@pytest.mark.every(2)
@pytest.mark.parametrize("name", MECHANISMS)
def test_prescribed_joints_need_the_forces_of_the_exact_mechanism(name: str) -> None:
    robot, q, v, tau = state(name)
    freedoms = robot.nv - row_rank(robot.model).rank
    driven = tuple(range(freedoms))
    a = np.array(robot.evaluate("forward_dynamics", *map(list, (q, v, tau))), float)
    rest = np.where(np.arange(robot.nv) < freedoms, 0.0, tau)
    expected = np.array(robot.evaluate("hybrid_dynamics", *map(list, (q, v, a, rest)), prescribed=driven)[1], float)
    assert np.allclose(expected, tau, atol=1e-8)
    for noise in NOISE[1:]:
        other = rounded(robot.model, noise)
        q1, v1 = state_of(other, name)
        found = np.array(other.evaluate("hybrid_dynamics", *map(list, (q1, v1, a, rest)), prescribed=driven)[1], float)
        assert np.abs(found - expected).max() <= (300.0 * noise + 1e-9) * max(1.0, np.abs(tau).max()), noise


def basis(robot: sv.Robot, q: np.ndarray) -> np.ndarray:
    return np.asarray(
        sv.constraints.loop_equations.feasible_basis(robot, q, sv.solve.Metric.from_length(1.0, robot.nv))
    )


@pytest.mark.every(2)
@pytest.mark.parametrize("name", MECHANISMS)
def test_derivatives_are_those_along_closed_motions(name: str) -> None:
    """Against central differences of fourth order: of rounded mechanisms to the same precision as of exact ones.

    Along the same motion they are those of the exact mechanism up to the rounding.
    """
    robot, *_, tau = state(name)
    reference: list[np.ndarray] = []
    for noise in (0.0, 1e-6, 1e-5):
        other = rounded(robot.model, noise)
        q, v = state_of(other, name)
        allowed = 1e-8 + 1e3 * noise**2
        h = 5e-3
        way = basis(other, q)
        y = way @ (way.T @ basis(*state(name)[:2])[:, 0])
        d = [np.array(x, float) for x in other.evaluate("constrained_dynamics_derivatives", *map(list, (q, v, tau)))]

        def at_step(h: float, other: sv.Robot = other, q: np.ndarray = q, v: np.ndarray = v) -> tuple[np.ndarray, ...]:
            """A closed state beside q, and the acceleration there."""
            near = other.assemble(np.asarray(other.integrate(q, h * y))).q  # noqa: B023
            K = basis(other, near)
            speed = K @ (K.T @ v)
            return near, speed, dynamics(other, near, speed, tau, "kkt")[0]

        def slope(h: float, other: sv.Robot = other) -> np.ndarray:
            (q1, v1, a1), (q0, v0, a0) = at_step(h), at_step(-h)
            return np.concatenate([np.asarray(other.difference(q0, q1)), v1 - v0, a1 - a0]) / (2.0 * h)

        dq, dv, da = ((4.0 * slope(h) - slope(2.0 * h)) / 3.0).reshape(3, -1)
        scale = 1.0 + np.abs(da).max()
        assert np.abs(d[0] @ dq + d[1] @ dv - da).max() <= allowed * scale, (name, noise)
        faster, slower = (dynamics(other, q, v + x * y, tau, "kkt")[0] for x in (0.01, -0.01))
        along_v = (faster - slower) / 0.02  # exact: a is quadratic in v
        assert np.abs(d[1] @ y - along_v).max() <= allowed * (1.0 + np.abs(along_v).max()), (name, noise)
        assert max(np.abs(x).max() for x in d[3:]) < 1e6  # forces of dependent rows stay bounded
        along = [d[0] @ dq + d[1] @ dv, d[1] @ y, d[2]]
        reference = reference or along
        for x, expected in zip(along, reference, strict=True):
            assert np.abs(x - expected).max() <= (100.0 * noise + 1e-9) * max(1.0, np.abs(expected).max()), (
                name,
                noise,
            )


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", ["four-bar, hinge", "four-bar, ball", "Bennett"])
def test_rollouts_stay_on_the_branch_of_the_exact_mechanism(name: str, integrator: str) -> None:
    robot, q, v, _ = state(name)
    other = rounded(robot.model, 1e-6)
    ends = []
    for each, (q0, v0) in ((robot, (q, v)), (other, state_of(other, name))):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            path = each.rollout(q0, v0, np.zeros(robot.nv), 1e-3, steps=500, integrator=integrator)
        assert path and path.stopped == -1
        assert (np.abs(each.closure_error(path.q)) <= gap_limits(each.model)).all()
        ends.append(path.q)
    assert np.abs(ends[0] - ends[1]).max() < 1e-3


@pytest.mark.every(2)
@pytest.mark.parametrize("name", MECHANISMS)
def test_assembled_states_are_valid_starts_whatever_the_axes_of_the_closures(name: str) -> None:
    """Rounding leaves errors of dependent rows, in which rows that count have a share if all are oblique."""
    robot, q, v, tau = state(name)
    other = rounded(in_other_axes(robot.model, 3), 1e-5, 4)
    q1, v1 = state_of(other, name)
    assert row_rank(other.model).rank == row_rank(robot.model).rank
    path, exact = (r.rollout(x, y, tau, 1e-3, steps=20) for r, x, y in ((other, q1, v1), (robot, q, v)))
    assert path and np.abs(path.q[-1] - exact.q[-1]).max() < 1e-3
    with pytest.raises(sv.SixvecError, match="at the start"):
        other.rollout(np.asarray(other.integrate(q1, 1e-4 * tau)), v1, tau, 1e-3, steps=1)
    with pytest.raises(sv.SixvecError, match="a second"):
        other.rollout(q1, v1 + 1e-4 * tau, tau, 1e-3, steps=1)


def test_a_mimic_joint_that_repeats_a_loop_is_the_same_by_both_methods() -> None:
    bodies = (
        Body("crank", None, Revolute(), at(X * 0.0), rod(X * 0.3)),
        Body("coupler", "crank", Revolute(), at(X * 0.3), rod(X * 0.8)),
        Body("rocker", None, Revolute(), at(X * 0.8), rod(X * 0.3)),
    )
    frames = (Frame("a", "coupler", at(X * 0.8)), Frame("b", "rocker", at(X * 0.3)))
    free = Model("parallelogram", bodies, frames, closures=(Closure("pin", "a", "b", Revolute()),))
    expected = np.array(
        sv.Robot(free).evaluate("forward_dynamics", [0.7, -0.7, 0.7], [0.0] * 3, [1.0, 0.0, 0.0]), float
    )
    for off in (0.0, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5):
        tied = replace(bodies[2], mimic=Mimic("crank", 1.0 + off, 0.0))
        robot = sv.Robot(replace(free, bodies=(*bodies[:2], tied)))
        for method in ("kkt", "recursion"):
            a = dynamics(robot, np.array([0.7, -0.7]), np.zeros(2), np.array([1.0, 0.0]), method)[0]
            assert np.abs(a - expected[:2]).max() <= (100.0 * off + 1e-9) * np.abs(expected).max(), (off, method)


def test_velocity_maps_of_rounded_loops_are_those_of_exact_ones() -> None:
    robot, q, *_ = state("four-bar, hinge")
    exact = velocity_map(robot, q, ["j0"])
    for noise in NOISE[1:]:
        other = rounded(robot.model, noise)
        assert np.abs(velocity_map(other, other.assemble(q).q, ["j0"]) - exact).max() <= 100.0 * noise


def test_loops_above_the_tolerance_are_what_their_numbers_say() -> None:
    model = four_bar()
    tilted = replace(model.bodies[2], placement=at(X * 0.8, Rotation.about_x(1e-3)))
    robot = sv.Robot(replace(model, bodies=(*model.bodies[:2], tilted)))
    assert row_rank(robot.model).rank == 3 and row_rank(robot.with_loop_tolerance(2e-4).model).rank == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*branches of the motion meet.*:RuntimeWarning")
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.every(2)
@pytest.mark.parametrize("name", MECHANISMS)
def test_five_seconds_on_the_branch_of_the_exact_mechanism(name: str, integrator: str) -> None:
    """Slowed by damping, so that paths can be compared; or stopped where branches meet."""
    robot, q, v, _ = state(name)
    other = rounded(robot.model, 1e-6)

    def law(q: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
        return u - 0.3 * v

    ends = []
    for each, (q0, v0) in ((robot, (q, v)), (other, state_of(other, name))):
        path = each.rollout(q0, v0, np.zeros(robot.nv), 1e-3, steps=5000, integrator=integrator, control=law)
        assert path.verdict in (Verdict.SOLVED, Verdict.SINGULAR)
        assert (np.abs(each.closure_error(path.q)) <= gap_limits(each.model)).all()
        ends.append((path.q, int(path.stopped)))
    steps = min(5000 if stopped < 0 else stopped for _, stopped in ends)
    assert np.abs(ends[0][0][:steps] - ends[1][0][:steps]).max() < 5e-3
