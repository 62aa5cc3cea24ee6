"""Every route to an acceleration, to M, to C v and to g, on robots of every joint type: all lead to the same place.

The equations run on plain floats, uncompiled: that every target computes what they say is for another law.  Only the
derivatives of energies are compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec
from random_trees import JOINTS, random_inertia, random_pose, random_tree
from sixvec import Robot, large_trees
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.rotor_forces import rotor_bias
from sixvec.identification import inertial_parameters
from sixvec.large_trees import LargeTree
from sixvec.large_trees.constraint_force import ArrayChain, forward_dynamics
from sixvec.model import Body, JointDynamics, Model
from sixvec.model.canonical import canonical
from sixvec.theory.lagrange import EulerLagrange, StackedDynamics
from sixvec.theory.lagrange.christoffel import velocity_forces
from sixvec.theory.operators import FORWARD_SWEEPS, spatial_operators
from tolerances import SOLVED, assert_close


def _chain_of(kind: str) -> Robot:
    """Three bodies on joints of one type, a revolute one between them."""
    rng = np.random.default_rng(sum(map(ord, kind)))
    bodies: list[Body] = []
    for i, name in enumerate([kind, "revolute", kind]):
        parent = bodies[-1].name if bodies else None
        bodies.append(Body(f"b{i}", parent, JOINTS[name](rng), random_pose(rng), random_inertia(rng), f"j{i}"))
    return Robot(Model(kind, tuple(bodies)))


def _with_rotors(model: Model) -> Robot:
    """Armature at every coordinate, none like the other; on ball and free joints it turns with the body."""
    rng = np.random.default_rng(6)
    own = [JointDynamics(armature=tuple(rng.uniform(0.1, 1.0, b.joint.nv).tolist())) for b in model.bodies]
    return Robot(replace(model, bodies=tuple(replace(b, dynamics=d) for b, d in zip(model.bodies, own, strict=True))))


ROBOTS: dict[str, Callable[[], Robot]] = {
    **{kind: lambda kind=kind: _chain_of(kind) for kind in JOINTS if kind != "fixed"},
    "tree": lambda: Robot(random_tree(31, bodies=9)),
    "floating tree": lambda: Robot(random_tree(32, bodies=9, floating=True)),
    "rotors": lambda: _with_rotors(random_tree(33, bodies=9)),
    "rotors, floating": lambda: _with_rotors(random_tree(34, bodies=6, floating=True)),
    **{name: lambda name=name: sixvec.load(name) for name in ("panda", "ur5e", "stanford_arm", "cobra600", "iiwa14")},
}


class Case:
    """A robot in a state, and its algorithms on plain floats."""

    def __init__(self, robot: Robot) -> None:
        rng = np.random.default_rng(8)
        self.robot, self.n = robot, robot.nv
        self.q, (self.v, self.tau, self.zero) = robot.random(rng), (*rng.normal(size=(2, self.n)), np.zeros(self.n))

    def __call__(self, name: str, *inputs: Any, **options: Any) -> Any:
        result = self.robot.evaluate(name, *(np.asarray(x).tolist() for x in inputs), **options)
        return np.array(result, float) if not isinstance(result, tuple) else result

    def sweep(self, name: str) -> np.ndarray:
        model = canonical(self.robot.model)
        slices = (model.q_slices, model.v_slices, model.v_slices)
        arrays = [JointVector(x.tolist(), s) for x, s in zip((self.q, self.v, self.tau), slices, strict=True)]
        result = FORWARD_SWEEPS[name](model, *arrays)
        return np.array(result if name == "fd1" else result[0], float)


@pytest.fixture(scope="module", params=ROBOTS)
def case(request: pytest.FixtureRequest) -> Case:
    return Case(ROBOTS[request.param]())


def _scale(c: Case) -> float:
    """The least inertia decides what rounding of forces does to accelerations."""
    forces = np.abs(c.tau).max() + np.abs(c("bias_forces", c.q, c.v)).max()
    return float(forces / np.linalg.eigvalsh(c("mass_matrix", c.q))[0])


@pytest.mark.every(4)
@pytest.mark.covers("DYN-06", "DYN-24", "OP-03", "CFA-03")
def test_every_route_to_an_acceleration(case: Case) -> None:
    q, v, tau = case.q, case.v, case.tau
    expected = np.linalg.solve(case("mass_matrix", q), tau - case("bias_forces", q, v))
    tree = LargeTree.from_model(case.robot.model)
    routes = {
        "forward_dynamics": case("forward_dynamics", q, v, tau),
        "mass_matrix_solve": case("mass_matrix_solve", q, tau - case("bias_forces", q, v)),
        "mass_matrix_inverse": case("mass_matrix_inverse", q) @ (tau - case("bias_forces", q, v)),
        "hybrid_dynamics": np.array(case("hybrid_dynamics", q, v, case.zero, tau)[0], float),
        **{name: case.sweep(name) for name in FORWARD_SWEEPS},
        "large_trees": large_trees.forward_dynamics(tree, q, v, tau),
        "constraint_force": forward_dynamics(ArrayChain.from_model(case.robot.model), q, v, tau),
        "Euler-Lagrange": EulerLagrange(case.robot).forward_dynamics(q, v, tau),
    }
    for name, found in routes.items():
        error = np.abs(found - expected).max()
        assert error <= SOLVED * _scale(case), f"{name}: {error:.1e}"


@pytest.mark.every(3)
@pytest.mark.covers("DYN-09", "DYN-10", "DYN-17", "OP-02")
def test_every_route_to_the_mass_matrix(case: Case) -> None:
    q, n = case.q, case.n
    at_rest = case("inverse_dynamics", q, case.zero, case.zero)
    columns = [case("inverse_dynamics", q, case.zero, e) - at_rest for e in np.eye(n)]
    operators = spatial_operators(case.robot, q)
    L, D = (np.array(x, float) for x in case("mass_matrix_ltdl", q))
    tree = LargeTree.from_model(case.robot.model)
    expected = case("mass_matrix", q)
    routes = {
        "columns of inverse dynamics": np.column_stack(columns),
        "H φ M φᵀ Hᵀ": operators.mass_matrix,
        "(1 + HΦL) D (1 + HΦL)ᵀ": operators.factor @ operators.D @ operators.factor.T,
        "Euler-Lagrange": EulerLagrange(case.robot).mass_matrix(q),
        "stacked matrices": StackedDynamics.at(case.robot, q).mass_matrix,
        "Lᵀ D L": L.T @ np.diag(D) @ L,
        "large trees": np.column_stack([large_trees.mass_matrix_product(tree, q, e) for e in np.eye(n)]),
        "inverse of its inverse": np.linalg.inv(case("mass_matrix_inverse", q)),
    }
    size = max(np.abs(expected).max(), np.abs(at_rest).max())
    condition = np.linalg.cond(expected)
    for name, found in routes.items():
        error = np.abs(found - expected).max() / size
        assert error <= SOLVED * (condition if name == "inverse of its inverse" else 1.0), f"{name}: {error:.1e}"


@pytest.mark.every(3)
@pytest.mark.covers("DYN-05", "DYN-16", "DYN-20", "DYN-23")
def test_every_route_to_joint_forces_and_their_parts(case: Case) -> None:
    q, v, a = case.q, case.v, case.tau
    tau, g = case("inverse_dynamics", q, v, a), case("gravity_forces", q)
    M, C = case("mass_matrix", q), case("coriolis_matrix", q, v)
    tree = LargeTree.from_model(case.robot.model)
    everything = tuple(range(case.n))
    routes = {
        "M a + C v + g": M @ a + C @ v + g,
        "M a + bias": M @ a + case("bias_forces", q, v),
        "hybrid_dynamics": np.array(case("hybrid_dynamics", q, v, a, case.zero, prescribed=everything)[1], float),
        "regressor and rotors": case("inverse_dynamics_regressor", q, v, a)
        @ inertial_parameters(case.robot.model).ravel()
        + np.array([x for b in case.robot.model.moving for x in b.armature]) * a
        + np.array(rotor_bias(case.robot.model, v), float),
        "large_trees": large_trees.inverse_dynamics(tree, q, v, a),
        "Euler-Lagrange": EulerLagrange(case.robot).inverse_dynamics(q, v, a),
        "stacked matrices": StackedDynamics.at(case.robot, q).inverse_dynamics(v, a),
        "M a + Christoffel symbols + g": M @ a + velocity_forces(case("christoffel_symbols", q), v) + g,
    }
    for name, found in routes.items():
        error = np.abs(found - tau).max()
        assert error <= SOLVED * (np.abs(tau).max() + np.abs(g).max()), f"{name}: {error:.1e}"
    assert_close(case("inverse_dynamics", q, case.zero, case.zero), g, SOLVED, batched=False, scale=np.abs(tau).max())
