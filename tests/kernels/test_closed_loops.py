"""Dynamics of loops check that the loops are closed, in calls without the Python path too."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler.runtime.call_stub import available
from sixvec.errors import OpenLoop
from sixvec.kernels import method

CALLS: dict[str, Callable[[sv.Robot, Any, Any], Any]] = {
    "forward_dynamics": lambda r, q, z: r.forward_dynamics(q, z, z),
    "constrained_dynamics": lambda r, q, z: r.constrained_dynamics(q, z, z).a,
    "method=": lambda r, q, z: r.constrained_dynamics(q, z, z, method="recursion").a,
    "hold=": lambda r, q, z: r.constrained_dynamics(q, z, z, hold={"coupler_end": ("x",)}).a,
    "derivatives": lambda r, q, z: r.forward_dynamics_derivatives(q, z, z).dq,
}


def four_bar() -> tuple[sv.Robot, np.ndarray]:
    robot = sv.load("four_bar")
    return robot, np.asarray(robot.assemble([0.7, 0.0, 1.0]).q)


@pytest.mark.parametrize("name", CALLS)
def test_open_loops_raise_an_error_whatever_was_called_before(name: str) -> None:
    robot, q = four_bar()
    call, z = CALLS[name], np.zeros(3)
    first = call(robot, q, z)
    for _ in range(3):
        assert np.array_equal(call(robot, q, z), first)
        with pytest.raises(OpenLoop, match=r"open by 0\.00648"):
            call(robot, q + np.array([0.0, 0.0, 0.1]), z)
        with pytest.raises(OpenLoop, match="of sample 1"):
            call(robot, np.array([q, q + 0.1, q]), z)
        both = call(robot, np.array([q, np.full(3, np.nan)]), z)
        assert np.allclose(both[0], first, rtol=1e-12) and np.isnan(both[1]).all()
        assert call(robot, np.zeros((0, 3)), z).shape == (0, *first.shape)
        assert call(robot, q.astype(np.float32), z.astype(np.float32)).dtype == np.float32


def test_second_derivatives_and_frequencies_of_open_loops_are_errors_too() -> None:
    robot, q = four_bar()
    z = np.zeros(3)
    for call in (
        lambda q: robot.forward_dynamics_second_derivatives(q, z, z).dqdq,
        lambda q: sv.analysis.natural_frequencies(robot, q).frequencies,
    ):
        first = call(q)
        assert np.isfinite(first).all()
        with pytest.raises(OpenLoop, match="coupler_pin: y is open by"):
            call(q + np.array([0.0, 0.0, 0.1]))
        with pytest.raises(OpenLoop, match="of sample 1"):
            call(np.array([q, q + 0.1]))


@pytest.mark.skipif(not available(), reason="no call stubs here")
@pytest.mark.parametrize("name", CALLS)
def test_later_calls_of_closed_loops_do_not_check_their_arguments_again(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot, q = four_bar()
    call, z = CALLS[name], np.zeros(3)
    first = call(robot, q, z)

    def reached(*_: Any) -> bool:
        raise AssertionError("the whole path")

    monkeypatch.setattr(method, "require_closed_loops", reached)
    assert np.array_equal(call(robot, q, z), first)
    assert np.allclose(call(robot, np.array([q, q]), z), first, rtol=1e-12)
    with pytest.raises(AssertionError, match="the whole path"):
        call(robot, q + 0.1, z)


def test_options_of_another_call_are_not_taken_for_those_of_the_last() -> None:
    robot, q = four_bar()
    z, tau = np.zeros(3), np.array([1.0, 0.0, 0.0])
    free, held = (robot.constrained_dynamics(q, z, tau, hold=h).a for h in (None, {"coupler_end": "point"}))
    for _ in range(2):
        assert np.array_equal(robot.constrained_dynamics(q, z, tau, hold={"coupler_end": "point"}).a, held)
        assert np.array_equal(robot.constrained_dynamics(q, z, tau, hold={}).a, free)
        assert np.array_equal(robot.constrained_dynamics(q, z, tau).a, free)
    assert np.abs(held).max() < 1e-9 < np.abs(free).max()
