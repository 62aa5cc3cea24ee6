"""Analytic derivatives under wrenches and passive forces are the automatic ones, also for joints that mimic others."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import sixvec
from differences import gradient, tangent_gradient
from naming import named
from random_states import random_states
from sixvec import Robot
from sixvec.algorithms.parts.reference import REFERENCES
from sixvec.compiler.interpret import interpret
from sixvec.errors import ArgumentError
from sixvec.identification import inertial_parameters, with_parameters
from sixvec.model import JointDynamics, Mimic, Model
from sixvec.model.joints import Joint
from subjects import tree
from tolerances import DIFFERENCE, IDENTITY, SOLVED, assert_close

SAMPLES = 3
THIRD = {"inverse_dynamics": "a", "forward_dynamics": "tau"}
TOLERANCE = {"inverse_dynamics": IDENTITY, "forward_dynamics": SOLVED}


@cache
def sprung(name: str) -> Robot:
    """A tree in which every joint has damping, friction and a spring with a random position of rest."""
    model, rng = tree(name).model, np.random.default_rng(8)
    return Robot(replace(model, bodies=tuple(replace(b, dynamics=_dynamics(b.joint, rng)) for b in model.bodies)))


def _dynamics(joint: Joint, rng: np.random.Generator) -> JointDynamics:
    damping, friction, stiffness = rng.uniform(0.5, 2.0, size=(3, joint.nv)).tolist()
    unlimited = np.full(joint.nq, np.inf)
    rest = joint.sample(rng, -unlimited, unlimited, ())
    return JointDynamics((), tuple(damping), tuple(friction), tuple(stiffness), tuple(rest.tolist()))


@cache
def following() -> Robot:
    """A Panda whose joint 4 follows joint 2 and joint 6 joint 4; both followers have springs of their own."""
    spring = JointDynamics((0.2,), (1.0,), (0.5,), (3.0,), (0.1,))
    changes = {
        "panda_link4": {"mimic": Mimic("panda_link2", -0.7, 0.2), "dynamics": spring},
        "panda_link5": {"dynamics": spring},
        "panda_link6": {"mimic": Mimic("panda_link4", 2.0, -0.1), "dynamics": spring},
    }
    panda: Model = sixvec.load("panda").model
    return Robot(replace(panda, bodies=tuple(replace(b, **changes.get(b.name, {})) for b in panda.bodies)))


SUBJECTS = {"tree": lambda: sprung("tree"), "floating": lambda: sprung("floating"), "following": following}
CASES = [(subject, "inverse_dynamics", reference) for subject in SUBJECTS for reference in REFERENCES]
CASES += [(subject, "forward_dynamics", reference) for subject, reference in zip(SUBJECTS, REFERENCES, strict=True)]
"""Forward dynamics takes its derivatives from inverse dynamics, so one reference for each subject will do."""


def wrenches(robot: Robot) -> dict[str, np.ndarray]:
    """On two bodies in the tree, twice on one of them, and on the world, where they do nothing."""
    carried = [f.name for f in robot.model.frames if f.body is not None]
    ground = [f.name for f in robot.model.frames if f.body is None]
    names = [carried[-1], carried[-2], carried[len(carried) // 2], *ground[:1]]
    rng = np.random.default_rng(5)
    return {name: rng.normal(size=(SAMPLES, 6)) for name in dict.fromkeys(names)}


@pytest.mark.every(6)
@pytest.mark.covers("DYN-05", "DYN-06")
@pytest.mark.parametrize(("subject", "algorithm", "reference"), CASES)
def test_analytic_derivatives_are_the_automatic_ones(subject: str, algorithm: str, reference: str) -> None:
    robot = SUBJECTS[subject]()
    q, v, x, _ = random_states(robot, SAMPLES)
    external = wrenches(robot)
    options = {"external": tuple(external), "external_reference": reference, "passive": True}
    analytic, plain = robot.kernel(f"{algorithm}_derivatives", **options), robot.kernel(algorithm, **options)
    arrays = [q, v, x, *external.values()]
    found = _interpreted(analytic, arrays)
    for actual, wrt in zip(found, ("q", "v", THIRD[algorithm]), strict=True):
        (expected,) = _interpreted(plain.derivative(wrt), arrays)
        assert_close(actual, expected, TOLERANCE[algorithm])


def _interpreted(function: object, arrays: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """By the reference interpreter: these programs are long, and each is needed once."""
    ports = function.inputs  # type: ignore[attr-defined]
    return interpret(function.program, {p.name: x for p, x in zip(ports, arrays, strict=True)})  # type: ignore[attr-defined]


@pytest.mark.every(2)
@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("algorithm", list(THIRD))
def test_compiled_methods_by_differences(algorithm: str, reference: str) -> None:
    robot = Robot(sprung("small").model)
    q, v, x, _ = random_states(robot, SAMPLES)
    # The same wrench for all samples, so that the steps of the differences can be one batch.
    external = {name: w[0] for name, w in wrenches(robot).items()}
    options = {"external": external, "external_reference": reference, "passive": True}

    def plain(q: np.ndarray, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        return getattr(robot, algorithm)(q, v, x, **options)

    found = getattr(robot, f"{algorithm}_derivatives")(q, v, x, **options)
    scale = max(np.abs(d).max() for d in found)
    assert_close(found.dq, tangent_gradient(robot, plain, q, v, x), DIFFERENCE, scale=scale)
    assert_close(found.dv, gradient(lambda v, q, x: plain(q, v, x), v, q, x), DIFFERENCE, scale=scale)
    assert_close(found[2], gradient(lambda x, q, v: plain(q, v, x), x, q, v), DIFFERENCE, scale=scale)


def test_a_steady_force_and_a_following_one_differ() -> None:
    """A test that cannot fail is none: the three references give three derivatives, and springs a fourth."""
    robot = sixvec.load("panda")
    q, v, a, _ = random_states(robot, 1)
    push = {"panda_link8": np.arange(6.0)}
    slopes = [robot.inverse_dynamics_derivatives(q, v, a, external=push, external_reference=r).dq for r in REFERENCES]
    slopes.append(robot.inverse_dynamics_derivatives(q, v, a).dq)
    for i, one in enumerate(slopes):
        for other in slopes[:i]:
            assert np.abs(one - other).max() > 0.1


def test_parameters_change_the_acceleration_of_a_pushed_robot() -> None:
    """Central differences of order 4 in some inertial parameters, with wrench and springs."""
    robot = sprung("small")
    q, v, _, tau = random_states(robot, 1)
    external = {name: w[:1] for name, w in wrenches(robot).items()}
    options = {"external_reference": "world", "passive": True}
    D = robot.forward_dynamics_parameter_derivative(q, v, tau, external=external, **options)
    pi = inertial_parameters(robot.model)
    state = [x[0].tolist() for x in (q, v, tau)]
    plain = {name: w[0].tolist() for name, w in external.items()}
    for k in (0, 5, len(pi) - 1):
        step = 1e-3 * np.eye(len(pi))[k]

        def acceleration(t: int, step: np.ndarray = step) -> np.ndarray:
            other = Robot(with_parameters(robot.model, pi + t * step))
            return np.array(other.evaluate("forward_dynamics", *state, external=plain, **options))

        slope = (8.0 * (acceleration(1) - acceleration(-1)) - (acceleration(2) - acceleration(-2))) / 12e-3
        assert_close(D[..., k], slope[None], DIFFERENCE, scale=np.abs(D).max())


def test_wrong_references_are_named() -> None:
    robot = sixvec.load("panda")
    zero = np.zeros(7)
    with pytest.raises(ArgumentError, match=named("body", "local_world_aligned")):
        robot.inverse_dynamics_derivatives(zero, zero, zero, external={"panda_link8": np.ones(6)},
                                           external_reference="body")  # fmt: skip
    with pytest.raises(sixvec.errors.FrameNotFound, match="panda_link8"):
        robot.forward_dynamics_derivatives(zero, zero, zero, external={"panda_link9": np.ones(6)})
