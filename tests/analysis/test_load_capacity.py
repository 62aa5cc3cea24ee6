"""Load capacity against linear programs and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import sixvec
from naming import named
from sixvec.analysis import load_capacity
from sixvec.errors import ArgumentError, OpenLoop, ShapeError
from sixvec.verdict import Verdict

WEIGHT = [0.0, 0.0, 0.0, 0.0, 0.0, -1.0]


@pytest.mark.covers("ANA-04")
@pytest.mark.parametrize("reference", ["local_world_aligned", "local", "world"])
def test_capacity_is_the_optimum_of_a_linear_program(reference: str) -> None:
    """max λ subject to |g - λ Jᵀ w| ≤ effort, λ ≥ 0, at random postures and directions."""
    arm, rng = sixvec.load("panda"), np.random.default_rng(0)
    q, w = arm.random(0, 20), rng.normal(size=(20, 6))
    efforts = rng.uniform(20.0, 90.0, 7)
    efforts[0] = np.inf
    result = load_capacity(arm, q, "panda_link8", w, efforts=efforts, reference=reference)  # type: ignore[arg-type]
    J, g = arm.jacobian(q, "panda_link8", reference), arm.gravity_forces(q)
    seen = set()
    for i in range(20):
        s = J[i].T @ w[i]
        rows = np.concatenate([-s[1:], s[1:]])[:, None]
        lp = linprog([-1.0], A_ub=rows, b_ub=np.concatenate([efforts - g[i], efforts + g[i]])[
            [*range(1, 7), *range(8, 14)]], bounds=[(0.0, None)])  # fmt: skip
        heavy = bool((abs(g[i]) > efforts).any())
        assert (result.verdict[i] == Verdict.INFEASIBLE) == heavy
        seen.add(heavy)
        if not heavy:
            assert result.capacity[i] == pytest.approx(-lp.fun, rel=1e-9)
            assert (abs(result.tau[i]) <= efforts * (1.0 + 1e-12)).all()
            k = result.joint[i]
            assert abs(result.tau[i, k]) == pytest.approx(efforts[k], rel=1e-12)
            assert k != 0
    assert False in seen


@pytest.mark.covers("ANA-04")
def test_the_load_balances_the_motors_in_inverse_dynamics() -> None:
    arm = sixvec.load("panda")
    q, rest = arm.random(4, 3), np.zeros((3, 7))
    result = load_capacity(arm, q, "panda_link8", WEIGHT)
    wrench = result.capacity[:, None] * np.array(WEIGHT)
    external = {"panda_link8": wrench}
    tau = arm.inverse_dynamics(q, rest, rest, external=external, external_reference="local_world_aligned")
    np.testing.assert_allclose(tau, result.tau, atol=1e-9)


@pytest.mark.covers("ANA-04")
def test_a_stretched_arm_bears_a_pull_without_motors() -> None:
    """Along the line of its axes the load passes through all joints: infinite, also with the last digit changed."""
    arm = sixvec.load("planar_2r").with_gravity([0.0, 0.0, 0.0])
    for bend in (0.0, 1e-17):
        result = load_capacity(arm, [0.3, bend], "tip", [0, 0, 0, np.cos(0.3), 0, np.sin(0.3)], efforts=5.0)
        assert np.isinf(result.capacity) and result.joint == -1 and result.verdict == Verdict.SOLVED
    across = load_capacity(arm, [0.0, 0.0], "tip", WEIGHT, efforts=[5.0, 1.0])
    reach = abs(arm.jacobian([0.0, 0.0], "tip")[5])
    assert across.capacity == pytest.approx(min(5.0 / reach[0], 1.0 / reach[1]))


@pytest.mark.covers("ANA-04")
def test_gravity_beyond_a_motor_is_infeasible_and_names_it() -> None:
    arm = sixvec.load("planar_2r")
    g = abs(arm.gravity_forces([0.0, 0.0]))
    result = load_capacity(arm, [[0.0, 0.0], [0.0, 0.0]], "tip", WEIGHT, efforts=[g[0] * 0.5, g[1] * 0.9])
    assert (result.verdict == Verdict.INFEASIBLE).all() and (result.capacity == 0.0).all()
    assert (result.joint == 0).all() and str(result) == "2 infeasible"


def test_batches_nan_and_mistakes() -> None:
    arm = sixvec.load("panda")
    q = arm.random(0, 6).reshape(2, 3, 7)
    q[0, 1, 3] = np.nan
    result = load_capacity(arm, q, "panda_link8", [WEIGHT] * 3)
    assert result.capacity.shape == (2, 3) and result.tau.shape == (2, 3, 7)
    assert np.isnan(result.capacity[0, 1]) and result.verdict[0, 1] == Verdict.INVALID and result.joint[0, 1] == -1
    assert np.isfinite(result.capacity[1]).all()
    assert load_capacity(arm, q[:0], "panda_link8", WEIGHT).capacity.shape == (0, 3)
    assert load_capacity(arm, q.astype(np.float32), "panda_link8", np.array(WEIGHT, np.float32)).tau.dtype == np.float32
    with pytest.raises(ArgumentError, match=named("load_capacity", "direction")):
        load_capacity(arm, q, "panda_link8", np.zeros(6))
    with pytest.raises(ShapeError, match="direction"):
        load_capacity(arm, q, "panda_link8", [0.0, 0.0, -1.0])
    with pytest.raises(ArgumentError, match=named("load_capacity", "efforts")):
        load_capacity(arm, q, "panda_link8", WEIGHT, efforts=-1.0)
    with pytest.raises(OpenLoop, match=named("load_capacity", "coupler_pin")):
        load_capacity(sixvec.load("four_bar"), [0.7, 0.0, 1.0], "coupler", WEIGHT)


@pytest.mark.covers("ANA-04")
def test_an_excavator_lifts_with_its_cylinders() -> None:
    """The work of the load over assembled positions nearby is that of the cylinders' forces; one is at its limit."""
    machine = sixvec.load("excavator")
    q = np.stack([machine.assemble(machine.random(seed)).q for seed in (3, 4)])
    result = load_capacity(machine, q, "teeth", WEIGHT)
    assert (result.verdict == Verdict.SOLVED).all() and (result.capacity > 0.0).all()
    passive = machine.effort_limits == 0.0
    assert (result.tau[:, passive] == 0.0).all() and (abs(result.tau) <= machine.effort_limits * (1.0 + 1e-12)).all()
    motors, h = [*np.flatnonzero(~passive)], 1e-5
    names = [machine.joint_names[i] for i in motors]
    for i in range(2):
        k = int(result.joint[i])
        assert abs(result.tau[i, k]) == pytest.approx(machine.effort_limits[k], rel=1e-12)
        for j in motors:
            q0, q1 = (machine.assemble(q[i] + x * np.eye(12)[j], fixed=names).q for x in (-h, h))
            rise = [machine.pose(x, "teeth")[2, 3] for x in (q0, q1)]
            work = np.diff([machine.potential_energy(x) for x in (q0, q1)]) + result.capacity[i] * np.diff(rise)
            assert work[0] / (2.0 * h) == pytest.approx(result.tau[i, j], rel=1e-4, abs=1.0)
