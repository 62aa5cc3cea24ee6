"""A post that cannot move: every map, measure and resolution has an answer, and none fails for want of a joint."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec
from sixvec import tasks
from sixvec.analysis import (
    dynamic_manipulability,
    force_manipulability,
    mobility,
    singularity,
    velocity_manipulability,
    workspace,
)
from sixvec.errors import DegenerateError
from sixvec.ik import (
    forward_force,
    forward_velocity,
    hybrid_acceleration,
    hybrid_force,
    hybrid_position,
    hybrid_velocity,
    inverse_acceleration,
    inverse_force,
    inverse_position,
    inverse_velocity,
)
from sixvec.ik.redundancy import (
    CONTROL,
    SIMULATION,
    Gap,
    RateTask,
    adaptive_inverse,
    bounded_passage,
    close_gaps,
    closed_loop_rates,
    cyclicity_defect,
    damped_least_squares,
    joint_springs,
    manipulability,
    prioritised_rates,
    rates,
    rates_within_limits,
    redundancy,
    resolved_rates,
    singularity_distance,
    velocity_bounds,
)
from sixvec.model import Body, Frame, Model
from sixvec.solve import Metric
from sixvec.verdict import Verdict

NONE = np.zeros(0)
PUSH = np.arange(1.0, 7.0)


@pytest.fixture
def post() -> sixvec.Robot:
    return sixvec.Robot(Model("post", (Body("base"),), (Frame("top", "base"),)))


@pytest.fixture
def elsewhere() -> np.ndarray:
    X = np.eye(4)
    X[0, 3] = 1.0
    return X


@pytest.mark.covers("KIN-01")
def test_the_maps(post: sixvec.Robot, elsewhere: np.ndarray) -> None:
    assert inverse_position(post, np.eye(4), "top", NONE).solved
    away = inverse_position(post, elsewhere, "top", NONE)
    assert not away.solved and float(away.residual) == 1.0
    assert forward_velocity(post, NONE, NONE, "top").tolist() == [0.0] * 6
    for found in (
        inverse_velocity(post, NONE, PUSH, "top"),
        inverse_acceleration(post, NONE, NONE, PUSH, "top"),
        inverse_force(post, NONE, PUSH, "top", acting="on_robot"),
        forward_force(post, NONE, NONE, "top", acting="on_robot").unbalanced,
    ):
        assert found.shape == (0,)


@pytest.mark.covers("KIN-01")
def test_the_hybrid_maps(post: sixvec.Robot) -> None:
    assert str(hybrid_position(post, NONE, "top", {}, {"x": 0.0})) == "solved"
    assert str(hybrid_position(post, NONE, "top", {}, {"x": 1.0})) == "contradictory"
    assert str(hybrid_velocity(post, NONE, "top", {}, {"vx": 1.0})) == "contradictory"
    assert str(hybrid_acceleration(post, NONE, NONE, "top", {}, {"dvx": 0.0})) == "solved"
    assert int(hybrid_force(post, NONE, "top", {}, {"fx": 1.0}, acting="on_robot").undetermined) == 5
    with pytest.raises(DegenerateError, match="hybrid_velocity"):
        hybrid_velocity(post, NONE, "top", {}, {"vx": 1.0}, strict=True)


def test_the_measures(post: sixvec.Robot) -> None:
    metric = Metric.from_length(1.0, 0)
    for ellipsoid in (
        velocity_manipulability(post, NONE, "top", metric),
        force_manipulability(post, NONE, "top", metric),
        dynamic_manipulability(post, NONE, "top", np.eye(6)),
    ):
        assert ellipsoid.radii.shape == (0,) and float(ellipsoid.isotropy) == 0.0
    report = singularity(post, NONE, "top", metric)
    assert not report.is_singular and report.distance == np.inf and report.free_wrenches.shape == (6, 6)
    assert mobility(post, NONE).by_rank == 0
    assert len(workspace(post, "top", metric, samples=10).cells) == 1


def test_the_resolutions(post: sixvec.Robot, elsewhere: np.ndarray) -> None:
    J, bounds = post.jacobian(NONE, "top"), velocity_bounds(post, NONE, 0.01)
    gap = Gap(tasks.Frame("top"), elsewhere)
    for found in (
        adaptive_inverse(J) @ PUSH,
        damped_least_squares(J, PUSH, 0.1),
        resolved_rates(J, PUSH),
        prioritised_rates([RateTask(J, PUSH)]).v,
        rates(J, PUSH, CONTROL),
        rates_within_limits(J, PUSH, bounds).v,
        rates_within_limits(J, PUSH, bounds, policy="nearest").v,
        closed_loop_rates(post, NONE, [gap]).v,
    ):
        assert found.shape == (0,)
    assert rates_within_limits(J, PUSH, bounds).verdict == Verdict.SINGULAR
    with pytest.raises(DegenerateError, match="CONTROL"):
        rates(J, PUSH, SIMULATION)
    for mode in (CONTROL, SIMULATION):
        closed = close_gaps(post, NONE, [gap], mode)
        assert not closed.solved and closed.residual == 1.0
    assert not redundancy(post, NONE, "top").is_redundant
    assert float(cyclicity_defect(post, NONE, "top")) == 0.0


def test_the_criteria(post: sixvec.Robot) -> None:
    for criterion in (joint_springs(post), manipulability(post, "top"), singularity_distance(post, "top")):
        assert np.isfinite(criterion.value(NONE)) and criterion.gradient(NONE).shape == (0,)
    assert float(bounded_passage(post, "top").value(NONE, NONE)) == 0.0
