"""What operators and sweeps take: robots or models, plain sequences of any scalar; all else raises an error."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import sixvec
from naming import named
from sixvec.errors import ArgumentError, DtypeError, FrameNotFound, ModelError, ShapeError
from sixvec.model.edits import without_closures
from sixvec.theory.operators import FORWARD_SWEEPS, random_forces, spatial_operators, sweep_kernel

ROBOT = sixvec.load("planar_2r")
Q, V, TAU = [0.3, 0.4], [1.0, -1.0], [0.0, 2.0]


@pytest.mark.parametrize("sweep", FORWARD_SWEEPS)
def test_sweeps_take_plain_sequences(sweep: str) -> None:
    expected = ROBOT.forward_dynamics(Q, V, TAU)
    for state in ((Q, V, TAU), tuple(map(np.array, (Q, V, TAU)))):
        result = FORWARD_SWEEPS[sweep](ROBOT.model, *state)
        assert np.allclose(result if sweep == "fd1" else result[0], expected)
    with pytest.raises(ShapeError, match=named("planar_2r", "v")):
        FORWARD_SWEEPS[sweep](ROBOT.model, Q, [0.0] * 3, TAU)


@pytest.mark.parametrize("sweep", FORWARD_SWEEPS)
def test_sweeps_take_symbols(sweep: str) -> None:
    q, v, tau = (sympy.symbols(f"{name}1:3") for name in ("q", "v", "tau"))
    result = FORWARD_SWEEPS[sweep](ROBOT.model, q, v, tau)
    a = sympy.lambdify([*q, *v, *tau], result if sweep == "fd1" else result[0])(*Q, *V, *TAU)
    assert np.allclose(a, ROBOT.forward_dynamics(Q, V, TAU))


def test_a_model_serves_as_well_as_a_robot() -> None:
    assert np.array_equal(spatial_operators(ROBOT.model, Q).D, spatial_operators(ROBOT, Q).D)
    assert np.array_equal(sweep_kernel(ROBOT.model, "fd1")(Q, V, TAU), sweep_kernel(ROBOT, "fd1")(Q, V, TAU))
    for call in (lambda: spatial_operators("panda", Q), lambda: sweep_kernel("panda", "fd1")):  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="panda"):
            call()


def test_positions_that_are_none() -> None:
    with pytest.raises(DtypeError, match=named("q")):
        spatial_operators(ROBOT, np.array(Q) + 1j)
    with pytest.raises(ShapeError, match=named("q", "ragged")):
        spatial_operators(ROBOT, [[1.0], [1.0, 2.0]])
    with pytest.raises(ShapeError, match=named("planar_2r", "q")):
        spatial_operators(ROBOT, np.zeros((3, 2)))


def test_what_is_wrong_with_a_kernel_is_said_when_it_is_built() -> None:
    with pytest.raises(ArgumentError, match="foo"):
        sweep_kernel(ROBOT, "fd4", external=["tip"], external_reference="foo")  # type: ignore[arg-type]
    with pytest.raises(FrameNotFound, match="tipp"):
        sweep_kernel(ROBOT, "fd4", external=["tipp"])


def test_operators_introduce_themselves_briefly() -> None:
    assert repr(spatial_operators(ROBOT, Q)) == "SpatialOperators(planar_2r, 3 links, nv=2)"


def test_random_forces_take_a_seed() -> None:
    o = spatial_operators(ROBOT, Q)
    assert np.array_equal(random_forces(o, 0, 5), random_forces(o, np.random.default_rng(0), 5))


def test_loops_raise_unless_they_are_left_out_on_purpose() -> None:
    robot = sixvec.load("four_bar")
    q = np.full(robot.nq, 0.3)
    with pytest.raises(ModelError, match=named("spatial_operators", "four_bar", "coupler_pin")):
        spatial_operators(robot, q)
    tree = without_closures(robot.model)
    assert np.allclose(spatial_operators(tree, q).mass_matrix, robot.mass_matrix(q))
