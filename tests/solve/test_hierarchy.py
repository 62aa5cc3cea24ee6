"""Hierarchical least squares: lexicographic optimality against an independent quadratic program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import sixvec as sv
from naming import named
from sixvec.constraints import limited_accelerations, velocity_map
from sixvec.constraints.priorities import _forces
from sixvec.errors import ArgumentError, DtypeError, ModelError, ShapeError
from sixvec.model import Body, Frame, Model
from sixvec.model.body import Limits
from sixvec.model.joints import Prismatic
from sixvec.solve.hierarchy import Level, hierarchical_least_squares
from sixvec.spatial import RigidInertia, Sym3, Vec3


def missed(level: Level, x: np.ndarray) -> np.ndarray:
    y = np.asarray(level.A) @ x
    return np.asarray(y - np.clip(y, level.lower, level.upper))


@pytest.mark.covers("CON-09", "CON-10")
def test_levels_are_optimal_one_after_the_other() -> None:
    rng = np.random.default_rng(0)
    for _ in range(8):
        levels = []
        for m in (3, 2, 3):
            A, middle, half = rng.normal(size=(m, 5)), rng.normal(size=m), rng.uniform(0.0, 0.5, m)
            half[rng.random(m) < 0.4] = 0.0
            levels.append(Level(A, middle - half, middle + half))
        last = levels[2]
        levels[2] = Level(np.vstack([levels[0].A[:1], last.A]), np.r_[9.0, last.lower], np.r_[9.0, last.upper])
        found = hierarchical_least_squares(levels)
        best: list[float] = []
        for k, level in enumerate(levels):
            above = [
                {"type": "ineq", "fun": lambda x, upper=levels[j], b=b: b + 1e-12 - (missed(upper, x) ** 2).sum()}
                for j, b in enumerate(best)
            ]
            tries = [
                minimize(
                    lambda x, level=level: (missed(level, x) ** 2).sum(),
                    found.x + rng.normal(size=5) * s,
                    constraints=above,
                )
                for s in (0.0, 0.3)
            ]
            best.append(min(t.fun for t in tries if t.success or k == 0))
            # the other method may miss the levels above by 1e-6, which buys it that much times their price
            assert (found.residuals[k] ** 2).sum() <= best[k] + 1e-3 * (1.0 + best[k])


def test_without_inequalities_it_is_the_recursion_of_projectors() -> None:
    arm = sv.load("panda")
    rng = np.random.default_rng(1)
    q, v = arm.random(rng), rng.normal(size=7)
    hold = {"panda_link8": "weld", "panda_link4": "point"}
    target = rng.normal(size=9)
    posture = arm.bias_forces(q, v)  # so that nothing else accelerates
    strict = arm.prioritised_dynamics(q, v, posture, target=target, hold=hold)
    limited = limited_accelerations(arm, q, v, target, hold, effort=1e9)
    assert np.abs(limited.residual[:6]).max() < 1e-8
    assert np.linalg.norm(limited.residual[6:]) == pytest.approx(np.linalg.norm(strict.residual[6:]), rel=1e-6)


def test_the_motors_come_first() -> None:
    arm = sv.load("panda")
    q, v = arm.neutral() + 0.3, np.zeros(7)
    hold, wild = {"panda_link8": "point"}, np.array([0.0, 0.0, 800.0])
    found = limited_accelerations(arm, q, v, wild, hold)
    limits = arm.effort_limits
    assert (np.abs(found.tau) <= limits * (1 + 1e-9)).all() and np.isclose(np.abs(found.tau), limits).any()
    assert np.abs(found.residual).max() > 1.0
    assert np.allclose(arm.forward_dynamics(q, v, found.tau), found.a)
    slow = limited_accelerations(arm, q, v, wild, hold, acceleration=2.0)
    assert np.abs(slow.a).max() <= 2.0 + 1e-9


@pytest.mark.covers("CON-10")
def test_a_linkage_does_what_its_motor_can() -> None:
    bars = sv.load("four_bar")
    q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    v, hold = 2.0 * velocity_map(bars, q)[:, 0], {"rocker_end": ("y",)}
    A, gamma = bars.closure_jacobian(q), bars.constraint_bias(q, v)
    free = limited_accelerations(bars, q, v, [0.3], hold, effort=1e9)
    assert abs(free.residual[0]) < 1e-8 and np.abs(A @ free.a + gamma).max() < 1e-8
    assert np.allclose(free.tau[1:], 0.0, atol=1e-9) and np.allclose(bars.forward_dynamics(q, v, free.tau), free.a)
    most = 0.5 * abs(free.tau[0])
    weak = limited_accelerations(bars, q, v, [0.3], hold, effort=most)
    assert abs(weak.tau[0]) == pytest.approx(most, rel=1e-6) and abs(weak.residual[0]) > 1e-3
    assert np.abs(A @ weak.a + gamma).max() < 1e-8
    idle = tuple(replace(b, limits=replace(b.limits, effort=(0.0,))) if b.joint.nv else b for b in bars.model.bodies)
    with pytest.raises(ModelError, match=named("limited_accelerations", "four_bar")):
        limited_accelerations(sv.Robot(replace(bars.model, bodies=idle)), q, v, [0.3], hold)


def test_mistakes_are_named() -> None:
    with pytest.raises(ArgumentError, match="levels"):
        hierarchical_least_squares([])
    with pytest.raises(ArgumentError, match="level"):
        hierarchical_least_squares([Level(np.eye(2), 0.0, 1.0), Level(np.eye(2), 1.0, 0.0)])
    with pytest.raises(ShapeError, match="level"):
        hierarchical_least_squares([Level(np.eye(2), 0.0, 1.0), Level(np.eye(3), 0.0, 1.0)])
    with pytest.raises(ShapeError, match=named("limited_accelerations", "target")):
        limited_accelerations(sv.load("panda"), np.zeros(7), np.zeros(7), [0.0, 0.0], {"panda_link8": "point"})


@pytest.mark.filterwarnings("error")
def test_limited_accelerations_of_a_sample_that_is_not_finite_are_nan() -> None:
    arm, hold = sv.load("panda"), {"panda_link8": "point"}
    q, rest = arm.neutral() + 0.3, np.zeros(7)
    found = limited_accelerations(arm, q, rest, [[0.0, 0.0, np.nan], [0.0, 0.0, 1.0]], hold)
    assert all(np.isnan(x[0]).all() and np.isfinite(x[1]).all() for x in (found.a, found.tau, found.residual))
    assert np.isnan(limited_accelerations(arm, q * np.nan, rest, [0.0, 0.0, 1.0], hold).a).all()
    with pytest.raises(DtypeError, match=named("limited_accelerations", "q", "a")):
        limited_accelerations(arm, "a", rest, [0.0, 0.0, 1.0], hold)
    with pytest.raises(ShapeError, match=named("limited_accelerations", "effort")):
        limited_accelerations(arm, q, rest, [0.0, 0.0, 1.0], hold, effort=[1.0, 2.0])


def test_motor_forces_of_a_batch_are_those_of_its_samples() -> None:
    robot = sv.load("slider_crank")
    q = np.stack([robot.assemble(start).q for start in ([0.4, -0.6, 0.1], [0.9, -0.6, 0.1])])
    v = np.random.default_rng(0).normal(size=(2, robot.nv))
    T, c = _forces(robot, q, v)
    for k in range(2):
        alone = _forces(robot, q[k], v[k])
        assert np.allclose(T[k], alone[0], atol=1e-12) and np.allclose(c[k], alone[1], atol=1e-12)


SLIDER = sv.Robot(
    Model(
        "slider",
        (
            Body(
                "mass",
                None,
                Prismatic(Vec3(1.0, 0.0, 0.0)),
                inertia=RigidInertia.from_center_of_mass(2.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0)),
                limits=Limits(effort=(5.0,)),
            ),
        ),
        (Frame("tip", "mass"),),
    )
)


@pytest.mark.parametrize(
    ("target", "options", "a"),
    [
        (1.0, {}, 1.0), (3.0, {}, 2.5), (-3.0, {}, -2.5), (3.0, {"effort": 4.0}, 2.0), (-3.0, {"effort": [4.0]}, -2.0),
        (3.0, {"effort": np.inf}, 3.0), (3.0, {"acceleration": 1.5}, 1.5), (-3.0, {"acceleration": 1.5}, -1.5),
        (3.0, {"effort": 4.0, "acceleration": 1.5}, 1.5), (3.0, {"effort": 2.0, "acceleration": 1.5}, 1.0),
    ],
)  # fmt: skip
def test_a_mass_of_two_kilograms_by_hand(target: float, options: dict[str, Any], a: float) -> None:
    found = limited_accelerations(SLIDER, [0.3], [0.7], [target], {"tip": ("x",)}, **options)
    assert np.allclose(found.a, [a], atol=1e-9) and np.allclose(found.tau, [2.0 * a], atol=1e-9)
    assert np.allclose(found.residual, [target - a], atol=1e-9)


def test_samples_that_are_not_finite_have_no_accelerations() -> None:
    targets = np.array([[[1.0], [np.nan]], [[3.0], [0.0]]])
    found = limited_accelerations(SLIDER, [0.3], np.zeros((2, 1, 1)), targets, {"tip": ("x",)})
    assert np.allclose(found.a[..., 0], [[1.0, np.nan], [2.5, 0.0]], equal_nan=True, atol=1e-9)
    assert np.isnan(found.residual[0, 1]).all() and np.allclose(found.residual[1, :, 0], [0.5, 0.0], atol=1e-9)


def test_wishes_of_one_level_share_what_they_miss() -> None:
    for first, second in ((1.0, -2.0), (-2.0, 1.0)):
        found = limited_accelerations(SLIDER, [0.0], [0.0], [first, second], {"tip": ("x", "world x")})
        assert np.allclose(found.a, [(first + second) / 2.0], atol=1e-9)  # in one level, the least squares of both
