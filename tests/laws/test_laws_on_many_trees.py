"""The chief laws once more, on many trees of all sizes and shapes that Hypothesis chooses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matrices import times
from random_states import random_states
from random_trees import random_tree
from sixvec import Model, Robot
from targets import OnTarget
from tolerances import IDENTITY, assert_close, solved

TREES = st.builds(random_tree, st.integers(0, 10**6), st.integers(1, 12), st.booleans()).filter(lambda m: m.nv > 0)


def check_laws(model: Model) -> None:
    robot = OnTarget(Robot(model), "interpreter")
    q, v, a, _ = random_states(robot, 3)
    M, tau = robot.mass_matrix(q), robot.inverse_dynamics(q, v, a)
    assert np.linalg.eigvalsh(M).min() > 0.0
    assert_close(tau, times(M, a) + robot.bias_forces(q, v), IDENTITY)
    assert_close(robot.kinetic_energy(q, v), 0.5 * (v * times(M, v)).sum(axis=1), IDENTITY)
    assert_close(robot.forward_dynamics(q, v, tau), a, solved(IDENTITY, M))
    C = times(robot.coriolis_matrix(q, v), v)
    assert_close(C + robot.gravity_forces(q), robot.bias_forces(q, v), IDENTITY)


@given(TREES)
@settings(max_examples=12, deadline=None, derandomize=True)
def test_laws_on_some_trees(model: Model) -> None:
    check_laws(model)


@pytest.mark.slow
@given(TREES)
@settings(max_examples=300, deadline=None)
def test_laws_on_many_trees(model: Model) -> None:
    check_laws(model)
