"""What the compiler sees is the same robot: canonical form and regrouped inertias change no result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from matrices import cross_force, spatial_inertia
from random_states import States, base_motion, random_states
from sixvec.algorithms import REGISTRY, Algorithm
from sixvec.algorithms.declaration import flatten
from sixvec.kernels.kernel import Kernel
from sixvec.model.canonical import canonical, regrouped
from sixvec.model.joints import Fixed
from subjects import tree
from targets import OnTarget
from tolerances import IDENTITY, SOLVED, assert_close

CONSTANT_SUBSPACES = {
    "coriolis_matrix",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
    "jacobian_derivative",
    "kinematic_hessian",
    "christoffel_symbols",
    "centroidal_momentum_matrix_derivative",
    "constrained_dynamics_derivatives",
}
"""Algorithms written for joints whose subspace is constant in the body, as it is in every canonical model."""

LARGE = {
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
    "christoffel_symbols",
    "constrained_dynamics_derivatives",
}
SOLVES = {"forward_dynamics", "forward_dynamics_derivatives", "mass_matrix_inverse"}
TREE_NAMES = ("tree", "floating", "forest")
SAMPLES = 3


@pytest.mark.every(8)
@pytest.mark.parametrize("name", sorted(REGISTRY))
@pytest.mark.covers("CHAIN-13")
def test_the_equations_on_plain_floats_give_what_the_compiled_kernel_gives(name: str) -> None:
    robot, algorithm = tree("small" if name in LARGE else "floating"), REGISTRY[name]
    kernel, inputs = robot.kernel(name, **options(algorithm)), arrays(robot, algorithm)
    compiled = results(kernel, kernel(*inputs))
    for i in range(SAMPLES):
        plain = robot.evaluate(name, *(x[i].tolist() for x in inputs), **options(algorithm))
        compare(kernel, plain, [c[i] for c in compiled])


@pytest.mark.parametrize(
    "name", sorted(n for n in REGISTRY.keys() - CONSTANT_SUBSPACES if not REGISTRY[n].original_bodies)
)
@pytest.mark.parametrize("which", TREE_NAMES)
@pytest.mark.covers("CHAIN-13", "CHAIN-21")
def test_the_model_as_it_was_written_gives_what_its_canonical_form_gives(which: str, name: str) -> None:
    """Here the joints act with their own poses, subspaces and bias terms, not as chains of simple ones."""
    robot, algorithm = tree(which), REGISTRY[name]
    inputs = arrays(robot, algorithm)
    for i in range(SAMPLES):
        scalars = [x[i].tolist() for x in inputs]
        raw, simple = (algorithm(m, *scalars, **options(algorithm)) for m in (robot.model, canonical(robot.model)))
        kernel = robot.kernel(name, **options(algorithm))
        expected = [np.array(flatten(x, len(p.shape))) for x, p in zip(parts(kernel, simple), kernel.outputs)]
        compare(kernel, raw, expected)


@pytest.mark.every(4)
@pytest.mark.covers("DYN-05", "DYN-10")
def test_regrouped_inertias_leave_the_joints_dynamics_unchanged(robot: OnTarget, states: States) -> None:
    """The body forces differ, their work on the joints does not: M, C and g of the ungrouped model, from its bodies."""
    q, v, a, _ = states
    total = np.zeros_like(v)
    for b in robot.model.bodies:  # Σ Jᵀ (I A + V ×* I V), gravity as an upward acceleration of the base
        J, V = robot.jacobian(q, b.name, "local"), robot.velocity(q, v, b.name, "local")
        R = robot.pose(q, b.name)[:, :3, :3]
        A = robot.acceleration(q, v, a, b.name, "local")
        A[:, 3:] -= np.einsum("nji,j->ni", R, robot.gravity)
        I = spatial_inertia(b.inertia)
        total += np.einsum("nij,ni->nj", J, A @ I + cross_force(V, V @ I))
    assert_close(robot.inverse_dynamics(q, v, a), total, IDENTITY)


@pytest.mark.parametrize("which", TREE_NAMES)
def test_canonical_form_has_only_simple_joints_on_z(which: str) -> None:
    model = canonical(tree(which).model)
    assert model.nq == tree(which).nq and model.nv == tree(which).nv
    assert [f.name for f in model.frames] == list(tree(which).frame_names)
    for b in model.bodies:
        assert not isinstance(b.joint, Fixed)
        assert getattr(b.joint, "axis", None) in (None, type(b.placement.pos)(0.0, 0.0, 1.0))
    assert sum(b.inertia.mass for b in regrouped(model).bodies) <= sum(b.inertia.mass for b in model.bodies)


def options(algorithm: Algorithm) -> dict[str, Any]:
    return {"frame": "tool1"} if "frame" in algorithm.options else {}


def arrays(robot: Any, algorithm: Algorithm) -> list[np.ndarray]:
    here, there = random_states(robot, SAMPLES), random_states(robot, SAMPLES, seed=1)
    given = here._asdict() | {"q0": here.q, "q1": there.q} | base_motion(SAMPLES)
    return [given[name] for name in algorithm.arrays]


def parts(kernel: Kernel, result: Any) -> Any:
    return result if len(kernel.outputs) > 1 else (result,)


def results(kernel: Kernel, result: Any) -> list[np.ndarray]:
    return [np.asarray(x) for x in parts(kernel, result)]


def compare(kernel: Kernel, plain: Any, expected: list[np.ndarray]) -> None:
    tolerance = SOLVED if kernel.name in SOLVES else IDENTITY
    for port, x, e in zip(kernel.outputs, parts(kernel, plain), expected, strict=True):
        entries = np.array(flatten(x, len(port.shape)), float)
        assert_close(entries, e.ravel(), tolerance, batched=False)
