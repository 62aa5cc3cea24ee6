"""The six maps of a mechanism with loops keep these closed, and its motors bear what the passive joints cannot."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from differences import derivative
from naming import named
from sixvec.analysis import (
    Singularity,
    dynamic_manipulability,
    force_manipulability,
    singularity,
    velocity_manipulability,
    workspace,
)
from sixvec.constraints import active_jacobian, assembled, velocity_map
from sixvec.errors import ArgumentError, DegenerateError, OpenLoop
from sixvec.ik import (
    forward_acceleration,
    forward_force,
    hybrid_force,
    hybrid_position,
    inverse_acceleration,
    inverse_force,
    inverse_position,
    inverse_velocity,
)
from sixvec.solve import Metric
from tolerances import DIFFERENCE, assert_close

CLOSED = 1e-12
SUBJECTS = pytest.mark.parametrize(
    ("name", "guess"), [("four_bar", [0.7, 0.0, 1.0]), ("slider_crank", [0.7, -0.4, 0.15])]
)  # fmt: skip
END = "coupler_end"


@SUBJECTS
@pytest.mark.covers("KIN-01", "CHAIN-18")
def test_inverse_position_closes_the_loops(name: str, guess: list[float]) -> None:
    """From starts with open loops to the assembled position that the pose was made from."""
    bars = sixvec.load(name)
    q = assembled(bars, guess)
    starts = q + 0.1 * np.random.default_rng(0).uniform(-1.0, 1.0, (5, 3))
    assert (np.abs(bars.closure_error(starts)).max(axis=-1) > 1e-3).all()
    found = inverse_position(bars, bars.pose(q, END), END, starts)
    assert found.solved.all()
    assert np.abs(bars.closure_error(found.q)).max() < 1e-10
    # One freedom: the pose decides about all joints.
    assert np.abs(found.q - q).max() < 1e-8


@SUBJECTS
@pytest.mark.covers("KIN-01", "CHAIN-18")
def test_a_pose_that_only_open_loops_reach_is_not_solved(name: str, guess: list[float]) -> None:
    bars = sixvec.load(name)
    q = assembled(bars, guess)
    torn = q + np.array([0.0, 0.1, 0.0])  # the end of the coupler leaves its curve, the loop opens
    gap = np.abs(bars.closure_error(torn)).max()
    assert gap > 1e-3
    found = inverse_position(bars, np.stack([bars.pose(torn, END), bars.pose(q, END)]), END, q)
    assert found.solved.tolist() == [False, True]
    assert found.residual[0] > 1e-3
    # `hybrid_position` agrees that there is no such assembly.
    X = bars.pose(torn, END)
    task = {"orientation": X[:3, :3], **dict(zip("xyz", X[:3, 3], strict=True))}
    assert not hybrid_position(bars, q, END, {}, task).solved


@SUBJECTS
@pytest.mark.covers("KIN-01", "CHAIN-18")
def test_inverse_velocity_keeps_the_loops_closed(name: str, guess: list[float]) -> None:
    bars = sixvec.load(name)
    q = assembled(bars, guess)
    reached = 1.7 * active_jacobian(bars, q, END)[:, 0]
    for metric in (None, Metric.from_length(0.3, 3, rates=[1.0, 2.0, 5.0])):
        v = inverse_velocity(bars, q, reached, END, metric=metric)
        assert np.abs(bars.closure_jacobian(q) @ v).max() < CLOSED
        assert_close(v, 1.7 * velocity_map(bars, q)[:, 0], 1e-9, batched=False)


@SUBJECTS
@pytest.mark.covers("KIN-01", "CHAIN-18")
def test_inverse_acceleration_keeps_the_loops_closed(name: str, guess: list[float]) -> None:
    """The acceleration of the closed mechanism, by differences of its velocity map, is found again from its tool's."""
    bars = sixvec.load(name)
    q = assembled(bars, guess)
    v = 1.3 * velocity_map(bars, q)[:, 0]
    K_rate = derivative(lambda t: 1.3 * velocity_map(bars, assembled(bars, bars.integrate(q, v * t)))[:, 0])
    wanted = forward_acceleration(bars, q, v, K_rate, END)
    a = inverse_acceleration(bars, q, v, wanted, END)
    assert_close(a, K_rate, DIFFERENCE, batched=False)


@SUBJECTS
@pytest.mark.covers("KIN-01", "CHAIN-18", "KIN-26")
def test_motors_do_the_work_of_the_wrench(name: str, guess: list[float]) -> None:
    """τ of the motor is J_activeᵀ f, passive joints bear nothing; `hybrid_force` finds the same from passive zeros."""
    bars = sixvec.load(name)
    q = assembled(bars, guess)
    f = np.random.default_rng(0).normal(size=6)
    tau = inverse_force(bars, q, f, END, acting="by_robot")
    assert tau[1:].tolist() == [0.0, 0.0]
    assert_close(tau[:1], active_jacobian(bars, q, END, reference="local").T @ f, 1e-10, batched=False)
    wrench = dict(zip(("mx", "my", "mz", "fx", "fy", "fz"), f, strict=True))
    found = hybrid_force(bars, q, END, dict.fromkeys(bars.joint_names[1:], 0.0), wrench, acting="by_robot", strict=True)
    assert_close(found.tau, tau, 1e-10, batched=False)


@SUBJECTS
def test_forward_force_gives_a_wrench_that_the_motor_holds(name: str, guess: list[float]) -> None:
    bars = sixvec.load(name)
    q = assembled(bars, guess)
    tau = np.array([0.8, 0.0, 0.0])
    answer = forward_force(bars, q, tau, END, acting="on_robot")
    assert_close(inverse_force(bars, q, answer.wrench, END, acting="on_robot"), tau, 1e-10, batched=False)
    assert np.abs(answer.unbalanced).max() < CLOSED


def test_a_force_that_motors_cannot_hold_raises() -> None:
    """At the dead centre of a slider-crank driven from the slide, the crank turns although the slide stands still."""
    from dataclasses import replace

    from sixvec.model import Limits
    from sixvec.model.robots.slider_crank import COUPLER, CRANK, OFFSET, slider_crank

    model = slider_crank()
    idle, driven = Limits(effort=(0.0,)), Limits(effort=(np.inf,))
    bodies = tuple(
        replace(b, limits={"drive": idle, "crank_pin": idle, "slide": driven}[b.joint_name]) if b.joint_name else b
        for b in model.bodies
    )
    press = sixvec.Robot(replace(model, bodies=bodies))
    angle = np.arcsin(OFFSET / (CRANK + COUPLER))
    stretched = np.array([angle, 0.0, (CRANK + COUPLER) * np.cos(angle)])
    assert np.abs(press.closure_error(stretched)).max() < 1e-12
    turning = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    with pytest.raises(DegenerateError, match="slider_crank"):
        inverse_force(press, stretched, turning, "coupler", acting="on_robot", reference="local_world_aligned")
    bent = assembled(press, [0.7, -0.4, 0.15], hold=["drive"])
    held = inverse_force(press, bent, turning, "coupler", acting="on_robot", reference="local_world_aligned")
    assert np.isfinite(held).all()


def test_a_position_that_is_not_finite_stays_in_its_sample() -> None:
    bars = sixvec.load("four_bar")
    q = np.array([[0.7, 0.0, 1.0], [np.nan, 0.0, 1.0]])
    found = assembled(bars, q)
    assert np.abs(bars.closure_error(found[0])).max() < 1e-12 and np.isnan(found[1, 0])
    with pytest.raises(ArgumentError, match=named("assembled", "q")):
        assembled(bars, q[1])
    K = velocity_map(bars, found)
    assert np.isfinite(K[0]).all() and np.isnan(K[1]).any()
    v = inverse_velocity(bars, found, np.ones(6), END)
    assert np.isfinite(v[0]).all() and np.isnan(v[1]).any()


@SUBJECTS
@pytest.mark.covers("CHAIN-15")
def test_manipulability_is_that_of_the_closed_mechanism(name: str, guess: list[float]) -> None:
    """One freedom has one radius: the size of its twist over the size of its joint velocity."""
    bars = sixvec.load(name)
    q = assembled(bars, guess)
    metric = Metric.from_length(0.3, 3, rates=[1.0, 2.0, 5.0])
    K = velocity_map(bars, q)[:, 0]
    t = bars.jacobian(q, END) @ K
    expected = np.sqrt(t @ metric.task @ t) / np.sqrt(K @ metric.joint @ K)
    fast = velocity_manipulability(bars, np.stack([q, q]), END, metric)
    assert_close(fast.radii, np.full((2, 1), expected), 1e-10)
    assert_close(force_manipulability(bars, q, END, metric).radii, 1.0 / fast.radii[0], 1e-10, batched=False)


@SUBJECTS
@pytest.mark.covers("CHAIN-15")
def test_dynamic_manipulability_is_that_of_the_closed_mechanism(name: str, guess: list[float]) -> None:
    """Against the equations of motion with the forces in the cuts as unknowns."""
    bars = sixvec.load(name)
    q = assembled(bars, guess)
    A, M = bars.closure_jacobian(q), bars.mass_matrix(q)
    tau = np.array([1.5, 0.0, 0.0])
    full = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
    a = np.linalg.lstsq(full, np.concatenate([tau, np.zeros(len(A))]), rcond=1e-12)[0][:3]
    moved = bars.jacobian(q, END) @ a
    found = dynamic_manipulability(bars, q, END, np.eye(6), efforts=tau)
    assert_close(found.radii, [np.linalg.norm(moved)], 1e-9, batched=False)


@SUBJECTS
@pytest.mark.covers("KIN-02")
def test_singular_values_change_along_the_loop_as_their_gradient_says(name: str, guess: list[float]) -> None:
    """The crank turns, the passive joints follow; differences of σ along that path."""
    bars = sixvec.load(name)
    metric = Metric.from_length(0.3, 3, rates=[1.0, 2.0, 5.0])

    def report(turn: float) -> Singularity:
        q = hybrid_position(bars, guess, END, {"drive": 0.7 + turn}, {}, strict=True).q
        return singularity(bars, q, END, metric, directions=("vx",))

    here, K = report(0.0), velocity_map(bars, assembled(bars, guess))[:, 0]
    slope = derivative(lambda turn: report(turn).values)
    assert_close([here.gradient @ K], slope, DIFFERENCE, batched=False)
    size = np.sqrt(K @ metric.joint @ K)
    assert here.distance == pytest.approx(here.values[0] / (abs(slope[0]) / size), rel=1e-6)


@pytest.mark.covers("CHAIN-02")
def test_the_workspace_of_a_loop_is_where_it_closes() -> None:
    """The end of the coupler of a four-bar linkage goes around the pivot of the rocker."""
    bars = sixvec.load("four_bar")
    found = workspace(bars, END, Metric.from_length(1.0, 3), samples=200, cell=0.01)
    assert np.abs(bars.closure_error(found.q)).max() < 1e-9
    pivot = bars.pose(found.q, "rocker")[:, :3, 3]
    radius = np.linalg.norm(found.points - pivot, axis=1)
    assert np.ptp(radius) < 1e-9 and 0 < len(found.q) <= 200


def test_forces_of_open_loops_raise_an_error() -> None:
    """Without the loop's forces the motors' would be those of no mechanism."""
    with pytest.raises(OpenLoop, match=named("inverse_force", "coupler_pin")):
        inverse_force(sixvec.load("four_bar"), [0.7, 0.0, 1.0], np.ones(6), END, acting="on_robot")
