"""Whole second derivatives of the dynamics, column by column: differences, automatic ones, and robots of every size."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import sixvec
from differences import gradient, tangent_gradient
from naming import named
from random_states import random_states
from sixvec import Robot
from sixvec.algorithms.parts.reference import Reference
from sixvec.compiler.interpret import interpret
from sixvec.errors import ArgumentError, DtypeError, FrameNotFound, ShapeError, SixvecError
from sixvec.kernels.second_derivatives import forward_dynamics_second_derivatives, inverse_dynamics_second_derivatives
from sixvec.spatial import RigidInertia, Sym3, Vec3
from subjects import tree
from tolerances import DIFFERENCE, IDENTITY, SINGLE, SOLVED, assert_close, solved

SAMPLES = 2
SECOND = {
    "inverse_dynamics": inverse_dynamics_second_derivatives,
    "forward_dynamics": forward_dynamics_second_derivatives,
}
THIRD = {"inverse_dynamics": "a", "forward_dynamics": "tau"}


def parts(answer: Any) -> list[Any]:
    """The parts of an answer, in order."""
    return [getattr(answer, f.name) for f in fields(answer)]


def check_by_differences(robot: Robot, algorithm: str, **options: Any) -> None:
    """Every block against central differences of the analytic first derivatives."""
    q, v, x, _ = random_states(robot, SAMPLES)
    found = SECOND[algorithm](robot, q, v, x, **options)

    def first(k: int) -> Any:
        return lambda q, v, x: getattr(robot, f"{algorithm}_derivatives")(q, v, x, **options)[k]

    by_q = [tangent_gradient(robot, first(k), q, v, x) for k in range(3)]
    dvdv = gradient(lambda v, q, x: first(1)(q, v, x), v, q, x)
    expected = [by_q[0], np.swapaxes(by_q[1], -1, -2), np.swapaxes(by_q[2], -1, -2), dvdv]
    size = np.abs(first(0)(q, v, x)).max()
    for second, slope in zip(parts(found), expected, strict=True):
        assert second.shape == (SAMPLES, robot.nv, robot.nv, robot.nv)
        assert_close(second, slope, DIFFERENCE, scale=np.abs(slope).reshape(SAMPLES, -1).max(axis=1) + size)


@pytest.mark.every(2)
@pytest.mark.parametrize("algorithm", list(SECOND))
@pytest.mark.parametrize("name", ["small", "solo12"])
def test_all_blocks_by_differences(name: str, algorithm: str) -> None:
    check_by_differences(sixvec.load(name) if name == "solo12" else tree(name), algorithm)


HUMANOID = pytest.param("humanoid", marks=pytest.mark.slow)


@pytest.mark.every(2)
@pytest.mark.parametrize("algorithm", list(SECOND))
@pytest.mark.parametrize("name", ["floating", HUMANOID])
@pytest.mark.slow
def test_large_robots_along_a_direction(name: str, algorithm: str) -> None:
    """Times a direction of q, and of v, they are what automatic differentiation of the first derivatives gives."""
    robot = sixvec.load(name) if name == "humanoid" else tree(name)
    q, v, x, direction = random_states(robot, SAMPLES)
    found = SECOND[algorithm](robot, q, v, x)
    by_q = [found.dqdq, np.swapaxes(found.dqdv, -1, -2), np.swapaxes(parts(found)[2], -1, -2)]
    by_v = [found.dqdv, found.dvdv]
    first = robot.kernel(f"{algorithm}_derivatives")
    tolerance = solved(SOLVED, robot.mass_matrix(q)) if algorithm == "forward_dynamics" else IDENTITY
    for wrt, blocks in (("q", by_q), ("v", by_v)):
        program = first.directional(wrt).program
        arrays = dict(zip((p.name for p in program.inputs), (q, v, x, direction), strict=True))
        for block, expected in zip(blocks, interpret(program, arrays), strict=False):
            size = np.abs(block).reshape(SAMPLES, -1).max(axis=1)
            assert_close(np.einsum("nijk,nk->nij", block, direction), expected, tolerance, scale=size)


@pytest.mark.every(2)
@pytest.mark.parametrize("reference", ["local", "world"])
@pytest.mark.parametrize("algorithm", list(SECOND))
def test_with_wrenches_by_differences(algorithm: str, reference: Reference) -> None:
    robot = tree("small")
    tip = robot.model.frames[-2].name
    check_by_differences(robot, algorithm, external={tip: np.arange(6.0)}, external_reference=reference)


@pytest.mark.parametrize("algorithm", list(SECOND))
def test_differentiating_the_plain_algorithm_twice_gives_the_same(algorithm: str) -> None:
    """The last axis is the first step also for turns that do not commute."""
    robot = tree("tiny")
    q, v, x, _ = random_states(robot, SAMPLES)
    found = SECOND[algorithm](robot, q, v, x)
    kernel = robot.kernel(algorithm)
    pairs = (("q", "q"), ("q", "v"), ("q", THIRD[algorithm]), ("v", "v"))
    for second, (one, two) in zip(parts(found), pairs, strict=True):
        twice = kernel.derivative(one).derivative(two)
        (expected,) = interpret(twice.program, {"q": q, "v": v, THIRD[algorithm]: x})
        assert_close(second, expected, SOLVED, scale=np.abs(expected).max() + 1.0)


def test_ball_joints_do_not_commute_and_plain_ones_do() -> None:
    q, v, a, _ = random_states(tree("small"), 1)
    H = inverse_dynamics_second_derivatives(tree("small"), q, v, a).dqdq
    assert np.abs(H - np.swapaxes(H, -1, -2)).max() > 0.1
    arm = sixvec.load("panda")
    q, v, a, _ = random_states(arm)
    H = forward_dynamics_second_derivatives(arm, q, v, a).dqdq
    assert_close(H, np.swapaxes(H, -1, -2), SOLVED)


def test_batches_single_states_precision_and_loads() -> None:
    robot = sixvec.load("panda")
    q, v, a, _ = random_states(robot)
    many, one = (inverse_dynamics_second_derivatives(robot, *x) for x in ((q, v, a), (q[3], v[3], a[3])))
    for block, single in zip(parts(many), parts(one), strict=True):
        assert np.array_equal(block[3], single)
    shared = inverse_dynamics_second_derivatives(robot, q, v[0], a[0])
    assert_close(shared.dqda, many.dqda, IDENTITY)
    narrow = inverse_dynamics_second_derivatives(robot, *(x.astype(np.float32) for x in (q, v, a)))
    assert narrow.dqdq.dtype == np.float32
    assert_close(narrow.dqdq, many.dqdq, SINGLE)
    ball = RigidInertia.from_center_of_mass(2.0, Vec3(0.0, 0.0, 0.1), Sym3.zero())
    check_by_differences(robot.with_payload("panda_link8", ball), "forward_dynamics")


@pytest.mark.parametrize("algorithm", list(SECOND))
def test_robots_have_them_as_methods(algorithm: str) -> None:
    robot = tree("tiny")
    q, v, x, wrench = *random_states(robot, SAMPLES)[:3], np.arange(6.0)
    options: dict[str, Any] = {"external": {robot.model.frames[0].name: wrench}, "external_reference": "world"}
    method = getattr(robot, f"{algorithm}_second_derivatives")
    found, expected = method(q, v, x, **options), SECOND[algorithm](robot, q, v, x, **options)
    assert all(map(np.array_equal, parts(found), parts(expected)))


ARM = "planar_2r"
FIT = np.zeros(2)
BAD = [
    ((FIT, np.zeros(3), FIT), None, ShapeError, r"v has shape \(3,\), but \(\.\.\., 2\) is needed"),
    ((1.0, FIT, FIT), None, ShapeError, r"q has shape \(\), but \(\.\.\., 2\) is needed"),
    ((FIT, FIT, [[0.0, 0.0], [0.0]]), None, ShapeError, "is ragged"),
    ((FIT * 1j, FIT, FIT), None, DtypeError, "q must hold real numbers, not complex128"),
    ((None, FIT, FIT), None, DtypeError, "q must hold real numbers"),
    ((np.zeros((3, 2)), np.zeros((4, 2)), FIT), None, ShapeError, r"do not broadcast: q \(3, 2\), v \(4, 2\)"),
    ((FIT, FIT, FIT), 1.0, ShapeError, r"external\[link2\] has shape \(\), but \(\.\.\., 6\) is needed"),
    ((FIT, FIT, FIT), np.zeros(5), ShapeError, r"external\[link2\] has shape \(5,\), but \(\.\.\., 6\) is needed"),
    ((FIT, FIT, FIT), np.zeros(6) * 1j, DtypeError, r"external\[link2\] must hold real numbers"),
    ((np.zeros((3, 2)), FIT, FIT), np.zeros((4, 6)), ShapeError, r"broadcast: .*external\[link2\] \(4, 6\)"),
]


@pytest.mark.parametrize(("arrays", "wrench", "kind", "message"), BAD)
@pytest.mark.parametrize("algorithm", list(SECOND))
def test_errors_name_the_function_that_was_called(
    algorithm: str, arrays: Any, wrench: Any, kind: type[SixvecError], message: str
) -> None:
    external = {} if wrench is None else {"link2": wrench}
    with pytest.raises(kind, match=f"^{algorithm}_second_derivatives: .*{message}"):
        SECOND[algorithm](sixvec.load(ARM), *arrays, external=external)


@pytest.mark.parametrize("algorithm", list(SECOND))
def test_names_of_frames_and_references_are_checked(algorithm: str) -> None:
    robot = sixvec.load(ARM)
    with pytest.raises(ArgumentError, match=named(f"{algorithm}_second_derivatives", "external")):
        SECOND[algorithm](robot, FIT, FIT, FIT, external=[np.zeros(6)])  # type: ignore[operator]
    with pytest.raises(FrameNotFound, match="nowhere"):
        SECOND[algorithm](robot, FIT, FIT, FIT, external={"nowhere": np.zeros(6)})
    with pytest.raises(ArgumentError, match="body"):
        SECOND[algorithm](robot, FIT, FIT, FIT, external_reference="body")
