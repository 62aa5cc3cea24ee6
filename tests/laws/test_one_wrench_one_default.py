"""The same numbers are the same wrench in every function: in frame axes at the frame's origin, or as a word says."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import sixvec
from installed_modules import installed
from random_states import random_states
from sixvec.algorithms import REGISTRY
from sixvec.algorithms.declaration import EXTERNAL
from sixvec.algorithms.parts.reference import REFERENCES, Reference
from sixvec.analysis import force_manipulability
from sixvec.constraints import WrenchSpace, contact_rows
from sixvec.ik import forward_force, hybrid_force, inverse_force
from sixvec.ik.redundancy import rest_torque
from sixvec.large_trees import LargeTree, constraint_force, forward_dynamics
from sixvec.large_trees.constraint_force import ArrayChain
from sixvec.solve import Metric
from sixvec.spatial import Force
from sixvec.theory.lagrange import collocated
from subjects import TREES, tree
from tolerances import IDENTITY, SOLVED, assert_close

PANDA, FRAME = sixvec.load("panda"), "panda_link8"
WRENCH = np.array([0.3, -0.2, 0.5, 3.0, 7.0, -2.0])
COMPONENTS = ("mx", "my", "mz", "fx", "fy", "fz")


@pytest.mark.every(2)
@pytest.mark.parametrize("name", TREES)
def test_what_holds_a_wrench_cancels_it(name: str) -> None:
    robot = tree(name)
    q, v, _, _ = random_states(robot, 5)
    frame, w = robot.frame_names[-1], np.random.default_rng(0).normal(size=(5, 6))
    free = robot.forward_dynamics(q, v, np.zeros(robot.nv))
    held = inverse_force(robot, q, w, frame, acting="on_robot")
    assert_close(robot.forward_dynamics(q, v, held, external={frame: w}), free, SOLVED)
    with_words = inverse_force(robot, q, w, frame, acting="on_robot", reference="world")
    a = robot.forward_dynamics(q, v, with_words, external={frame: w}, external_reference="world")
    assert_close(a, free, SOLVED)


def taken(reference: dict[str, Reference]) -> dict[str, Callable[[np.ndarray], Any]]:
    """-Jᵀ f of one wrench on the Panda by every function that takes a wrench; `reference` is the word, or nothing."""
    words = {f"external_{word}": r for word, r in reference.items()}
    still = np.zeros(7)
    M = PANDA.mass_matrix
    return {
        "inverse_force": lambda q: inverse_force(PANDA, q, WRENCH, FRAME, acting="on_robot", **reference),
        "inverse_dynamics": lambda q: (
            PANDA.inverse_dynamics(q, still, still, external={FRAME: WRENCH}, **words) - PANDA.gravity_forces(q)
        ),
        "wrench_response": lambda q: -M(q) @ (PANDA.wrench_response(q, FRAME, **reference) @ WRENCH),
        "hybrid_force": lambda q: (
            hybrid_force(
                PANDA, q, FRAME, {}, dict(zip(COMPONENTS, WRENCH, strict=True)), acting="on_robot", **reference
            ).tau
        ),
        "contact_rows": lambda q: (
            -contact_rows(PANDA, q, FRAME, WrenchSpace((Force.of(WRENCH.tolist()),)), **reference)[0]
        ),
        "collocated": lambda q: (
            collocated(PANDA, q, still, still, external={FRAME: WRENCH}, **words).tau - PANDA.gravity_forces(q)
        ),
        "rollout": lambda q: (
            PANDA.gravity_forces(q) * 0.0
            - M(q)
            @ PANDA.rollout(
                q,
                still,
                PANDA.gravity_forces(q)[None],
                1e-3,
                external={FRAME: WRENCH},
                integrator="semi_implicit_euler",
                **words,
            ).v[0]
            / 1e-3
        ),
    }


@pytest.mark.parametrize("name", taken({}))
@pytest.mark.parametrize("reference", REFERENCES)
def test_every_function_takes_the_same_wrench(name: str, reference: Reference) -> None:
    q = PANDA.random(1)
    J = PANDA.jacobian(q, FRAME, reference)
    assert_close(taken({"reference": reference})[name](q), -J.T @ WRENCH, SOLVED, batched=False)
    if reference == "local":
        assert_close(taken({})[name](q), -J.T @ WRENCH, SOLVED, batched=False)


@pytest.mark.covers("Lynch-Park (9.97)")
@pytest.mark.parametrize("reference", REFERENCES)
def test_every_function_gives_the_same_wrench(reference: Reference) -> None:
    q = PANDA.random(1)
    tau = PANDA.jacobian(q, FRAME, reference).T @ WRENCH
    assert_close(forward_force(PANDA, q, tau, FRAME, acting="by_robot", reference=reference).wrench, WRENCH, SOLVED,
                 batched=False)  # fmt: skip
    metric = Metric(np.diag([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), np.eye(7))
    strong = force_manipulability(PANDA, q, FRAME, metric, reference)
    for axis, radius in zip(strong.axes.T, strong.radii, strict=True):
        torque = inverse_force(PANDA, q, radius * axis, FRAME, acting="by_robot", reference=reference)
        assert np.linalg.norm(torque) == pytest.approx(1.0, rel=1e-9)
    if reference == "local":
        assert_close(forward_force(PANDA, q, tau, FRAME, acting="by_robot").wrench, WRENCH, SOLVED, batched=False)
        assert_close(force_manipulability(PANDA, q, FRAME, metric).radii, strong.radii, IDENTITY, batched=False)


def test_trees_and_chains_of_arrays_take_it_in_frame_axes_too() -> None:
    q, still = PANDA.random(1), np.zeros(7)
    expected = PANDA.forward_dynamics(q, still, still, external={FRAME: WRENCH})
    big, chain = LargeTree.from_model(PANDA.model), ArrayChain.from_model(PANDA)
    assert_close(forward_dynamics(big, q, still, still, big.wrenches({FRAME: WRENCH})), expected, SOLVED, batched=False)
    a = constraint_force.forward_dynamics(chain, q, still, still, external=chain.wrenches({FRAME: WRENCH}))
    assert_close(a, expected, SOLVED, batched=False)


@pytest.mark.parametrize("reference", REFERENCES)
def test_torque_at_rest(reference: Reference) -> None:
    q, still = PANDA.random(1), np.zeros(7)
    tau = PANDA.inverse_dynamics(q, still, still, external={FRAME: WRENCH}, external_reference=reference)
    cost = rest_torque(PANDA, external={FRAME: WRENCH}, external_reference=reference, scale=1.0).value(q)
    assert float(cost) == pytest.approx(0.5 * tau @ tau, rel=1e-12)


def wrench_takers() -> Iterator[tuple[str, Any]]:
    """Public functions with a wrench among their arguments and a word for its reference."""
    for algorithm in REGISTRY.values():
        if EXTERNAL in algorithm.inputs or "wrench" in algorithm.name:
            yield algorithm.name, algorithm.function
    for found in pkgutil.walk_packages(sixvec.__path__, "sixvec."):
        module = None if found.name.endswith("__main__") else installed(found.name)
        if module is None:
            continue
        for name in getattr(module, "__all__", ()):
            public = getattr(module, name)
            if inspect.isfunction(public) and (
                {"wrench", "wrenches", "external"} & {*inspect.signature(public).parameters} or "force" in name
            ):
                yield name, public


def test_no_function_has_another_default() -> None:
    found = {
        name: default.default
        for name, function in wrench_takers()
        for word, default in inspect.signature(function).parameters.items()
        if word in ("reference", "external_reference")
    }
    others = {name: default for name, default in found.items() if default != "local"}
    assert others == {"joint_wrenches": "joint"}  # its wrenches are results, one per joint and in that joint's frame
    assert {"inverse_force", "forward_force", "hybrid_force", "forward_dynamics", "rollout", "contact_rows"} <= {*found}
