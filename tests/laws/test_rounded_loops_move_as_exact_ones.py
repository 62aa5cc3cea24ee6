"""A loop whose dimensions are rounded moves as the exact mechanism does, up to the rounding.

Every placement of a mechanism is turned and shifted by up to 1e-5 of its size, in random directions.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import sixvec as sv
from sixvec.constraints import report, velocity_map
from sixvec.mechanism.row_rank import gap_limits, row_rank
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.body import Mimic
from sixvec.model.joints import Fixed, Joint, Prismatic, Revolute, Spherical
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
NOISE = (0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5)
INTEGRATORS = ("semi_implicit_euler", "symplectic_euler", "euler", "midpoint", "rk4")


def at(p: Vec3, R: Rotation | None = None) -> Pose:
    return Pose(R or Rotation.identity(), p)


def rod(p: Vec3) -> RigidInertia:
    return RigidInertia.from_center_of_mass(1.0, p * 0.5, Sym3.diagonal(0.02, 0.03, 0.04))


def planar(lengths: list[float], ground: float, joint: Joint, name: str) -> Model:
    """Hinges about z in a chain of these lengths, whose end is joined to the ground."""
    bodies, parent = [], None
    for k, length in enumerate(lengths):
        before = lengths[k - 1] if k else 0.0
        bodies.append(Body(f"b{k}", parent, Revolute(), at(X * before), rod(X * length), f"j{k}"))
        parent = f"b{k}"
    frames = (Frame("end", parent, at(X * lengths[-1])), Frame("pin", None, at(X * ground)))
    return Model(name, tuple(bodies), frames, closures=(Closure("pin", "end", "pin", joint),))


def four_bar(joint: Joint = Revolute()) -> Model:  # noqa: B008
    return planar([0.3, 0.8, 0.5], 0.9, joint, "four_bar")


def welded_four_bar() -> Model:
    """The last link is cut in two, which a weld joins."""
    model = planar([0.3, 0.8, 0.25], 0.9, Fixed(), "welded")
    rest = Body("rest", None, Revolute(), at(X * 0.9), rod(X * 0.25), "j3")
    frames = (model.frames[0], Frame("half", "rest", at(X * 0.25, Rotation.about_z(math.pi))))
    return replace(model, bodies=(*model.bodies, rest), frames=frames, closures=(Closure("w", "end", "half", Fixed()),))


def slider_crank() -> Model:
    slide = Body("slide", None, Prismatic(X), at(X * 0.9), rod(X * 0.1), "s")
    model = planar([0.3, 0.8], 0.0, Revolute(), "slider_crank")
    frames = (model.frames[0], Frame("block", "slide", Pose.identity()))
    return replace(
        model, bodies=(*model.bodies, slide), frames=frames, closures=(Closure("p", "end", "block", Revolute()),)
    )


def six_bar() -> Model:
    """A four-bar with a dyad between its coupler and the ground."""
    first = four_bar()
    bodies = (
        *first.bodies,
        Body("dyad", "b1", Revolute(), at(X * 0.4 + Y * 0.2), rod(X * 0.6), "d"),
        Body("rocker", None, Revolute(), at(X * 0.4 + Y * 1.0), rod(X * 0.5), "r"),
    )
    frames = (*first.frames, Frame("d_end", "dyad", at(X * 0.6)), Frame("r_end", "rocker", at(X * 0.5)))
    return replace(first, name="six_bar", bodies=bodies, frames=frames,
                   closures=(*first.closures, Closure("q", "d_end", "r_end", Revolute())))  # fmt: skip


def parallelogram() -> Model:
    model = planar([0.3, 0.8], 0.0, Revolute(), "parallelogram")
    rocker = Body("rocker", None, Revolute(), at(X * 0.8), rod(X * 0.3), "r")
    ends = (model.frames[0], Frame("r_end", "rocker", at(X * 0.3)))
    closure = Closure("pin", "end", "r_end", Revolute())
    return replace(model, bodies=(*model.bodies, rocker), frames=ends, closures=(closure,), gravity=Vec3.zero())


def spherical(joint: Joint = Revolute()) -> Model:  # noqa: B008
    """Four hinges whose axes meet in the origin of every frame."""
    heavy = RigidInertia.from_center_of_mass(1.0, Vec3(0.1, 0.1, 0.2), Sym3.diagonal(0.02, 0.03, 0.04))
    turns = [at(Vec3.zero(), Rotation.about_x(angle)) for angle in (0.5, 1.1, 0.8, 1.2)]
    bodies, parent = [], None
    for k, place in enumerate([Pose.identity(), *turns[:2]]):
        bodies.append(Body(f"b{k}", parent, Revolute(), place, heavy, f"j{k}"))
        parent = f"b{k}"
    ends = (Frame("end", "b2", turns[2]), Frame("pin", None, turns[3]))
    return Model("spherical", tuple(bodies), ends, closures=(Closure("pin", "end", "pin", joint),))


def bennett(joint: Joint = Revolute()) -> Model:  # noqa: B008
    a, alpha, beta = 0.3, 0.6, 1.3
    links = [(a, alpha), (a * math.sin(beta) / math.sin(alpha), beta)] * 2
    steps = [Pose(Rotation.about_x(twist), X * length) for length, twist in links]
    bodies, parent, place = [], None, Pose.identity()
    for k in range(3):
        bodies.append(Body(f"b{k}", parent, Revolute(), place, rod(steps[k].pos), f"j{k}"))
        parent, place = f"b{k}", steps[k]
    last = steps[3].inv().as_pose()
    frames = (Frame("end", "b2", steps[2]), Frame("pin", None, last))
    return Model("bennett", tuple(bodies), frames, closures=(Closure("pin", "end", "pin", joint),))


def sarrus() -> Model:
    up = Z * 1.0
    bodies = (
        Body("a1", None, Revolute(Y), at(X * 0.5), rod(up), "a1"),
        Body("a2", "a1", Revolute(Y), at(up), rod(up), "a2"),
        Body("top", "a2", Revolute(Y), at(up), rod(X * -1.0), "top"),
        Body("b1", None, Revolute(X), at(Y * 0.5), rod(up), "b1"),
        Body("b2", "b1", Revolute(X), at(up), rod(up), "b2"),
    )
    frames = (Frame("b_end", "b2", at(up)), Frame("b_top", "top", at(X * -0.5 + Y * 0.5)))
    return Model("sarrus", bodies, frames, closures=(Closure("pin", "b_end", "b_top", Revolute(X)),))


MECHANISMS: dict[str, tuple[Callable[[], Model], list[float]]] = {
    "four-bar, hinge": (four_bar, [1.0, -0.7, -1.6]),
    "four-bar, ball": (lambda: four_bar(Spherical()), [1.0, -0.7, -1.6]),
    "four-bar, weld": (welded_four_bar, [1.0, -0.7, -1.6, 1.2]),
    "slider-crank": (slider_crank, [0.9, -1.2, 0.0]),
    "five-bar": (lambda: planar([0.3, 0.6, 0.7, 0.4], 0.5, Revolute(), "five_bar"), [1.2, -0.6, -1.4, -0.9]),
    "six-bar": (six_bar, [1.0, -0.7, -1.6, 1.4, 0.3]),
    "parallelogram": (parallelogram, [0.7, -0.7, 0.7]),
    "spherical": (spherical, [0.9, -0.4, 0.8]),
    "Bennett": (bennett, [0.7, -0.9, 0.3]),
    "Bennett, ball": (lambda: bennett(Spherical()), [-2.8, -0.77, -3.48]),
    "Sarrus": (sarrus, [0.5, -1.0, 0.5, -0.5, 1.0]),
}


def rounded(model: Model, noise: float, seed: int = 0) -> sv.Robot:
    """The mechanism with every placement turned and shifted by up to `noise` in each direction."""
    rng = np.random.default_rng(seed)

    def moved(pose: Pose) -> Pose:
        axis, shift = rng.uniform(-noise, noise, (2, 3))
        angle = float(np.linalg.norm(axis))
        turn = Rotation.about(Vec3.of(axis / angle), angle) if angle else Rotation.identity()
        return Pose(pose.rot @ turn, pose.pos + Vec3.of(shift.tolist()))

    bodies = tuple(replace(b, placement=moved(b.placement)) for b in model.bodies)
    frames = tuple(replace(f, placement=moved(f.placement)) for f in model.frames)
    return sv.Robot(replace(model, bodies=bodies, frames=frames))


@cache
def state(name: str) -> tuple[sv.Robot, np.ndarray, np.ndarray, np.ndarray]:
    """The exact mechanism, a closed position, a velocity that keeps it closed, and joint forces."""
    make, guess = MECHANISMS[name]
    robot = sv.Robot(make())
    found = robot.assemble(guess)
    assert found, name
    rng = np.random.default_rng(1)
    freedoms = np.linalg.svd(robot.closure_jacobian(found.q))[2][row_rank(robot.model).rank :]
    assert len(freedoms), name
    return robot, found.q, freedoms.T @ rng.uniform(0.5, 1.5, len(freedoms)), rng.normal(size=robot.nv)


def state_of(other: sv.Robot, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The nearest closed state of a rounded mechanism."""
    robot, q, v, _ = state(name)
    near = other.assemble(q)
    assert near, (name, near.residual)
    K = sv.constraints.loop_equations.feasible_basis(other, near.q, sv.solve.Metric.from_length(1.0, robot.nv))
    return near.q, K @ (K.T @ v)


def dynamics(robot: sv.Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray, method: str) -> list[np.ndarray]:
    found = robot.evaluate("constrained_dynamics", *map(list, (q, v, tau)), method=method)
    return [np.array(x, float) for x in found]


@pytest.mark.parametrize("name", MECHANISMS)
def test_rounding_changes_no_rank_and_dynamics_by_as_much(name: str) -> None:
    robot, q, v, tau = state(name)
    a, force, _ = dynamics(robot, q, v, tau, "kkt")
    exact = row_rank(robot.model)
    for noise in NOISE:
        other = rounded(robot.model, noise)
        q1, v1 = state_of(other, name)
        allowed = 100.0 * noise + 1e-9
        assert row_rank(other.model).rank == exact.rank, noise
        assert np.abs(q1 - q).max() <= allowed
        found, forces, residual = dynamics(other, q1, v1, tau, "kkt")
        again, others, _ = dynamics(other, q1, v1, tau, "recursion")
        assert np.abs(found - a).max() <= allowed * np.abs(a).max(), noise
        assert np.abs(forces).max() <= 3.0 * np.abs(force).max() + 1.0, noise
        assert np.abs(found - again).max() <= 1e-9 * np.abs(a).max()
        assert np.abs(forces - others).max() <= 1e-9 * (1.0 + np.abs(force).max())
        assert residual <= allowed * (1.0 + np.abs(a).max())
        said = report(other, q1)
        D = np.array(other.evaluate("delassus", list(q1))[2], float)
        assert said.rank == exact.rank == (D != 0.0).sum(), noise


@pytest.mark.parametrize("name", MECHANISMS)
def test_prescribed_joints_need_the_forces_of_the_exact_mechanism(name: str) -> None:
    robot, q, v, tau = state(name)
    freedoms = robot.nv - row_rank(robot.model).rank
    driven = tuple(range(freedoms))
    a = np.array(robot.evaluate("forward_dynamics", *map(list, (q, v, tau))), float)
    rest = np.where(np.arange(robot.nv) < freedoms, 0.0, tau)
    expected = np.array(robot.evaluate("hybrid_dynamics", *map(list, (q, v, a, rest)), prescribed=driven)[1], float)
    assert np.allclose(expected, tau, atol=1e-8)
    for noise in NOISE[1:]:
        other = rounded(robot.model, noise)
        q1, v1 = state_of(other, name)
        found = np.array(other.evaluate("hybrid_dynamics", *map(list, (q1, v1, a, rest)), prescribed=driven)[1], float)
        assert np.abs(found - expected).max() <= (300.0 * noise + 1e-9) * max(1.0, np.abs(tau).max()), noise


@pytest.mark.parametrize("name", MECHANISMS)
def test_derivatives_are_those_along_closed_motions(name: str) -> None:
    """Against central differences along the motion, of rounded mechanisms as of exact ones."""
    robot, *_, tau = state(name)
    for noise in (0.0, 1e-7, 1e-5):
        other = rounded(robot.model, noise)
        q, v = state_of(other, name)
        K = sv.constraints.loop_equations.feasible_basis(other, q, sv.solve.Metric.from_length(1.0, robot.nv))
        d = [np.array(x, float) for x in other.evaluate("constrained_dynamics_derivatives", *map(list, (q, v, tau)))]
        y, h = K[:, 0], 1e-2

        def a(speed: np.ndarray, other: sv.Robot = other, q: np.ndarray = q) -> np.ndarray:
            return dynamics(other, q, speed, tau, "kkt")[0]

        along_v = (a(v + h * y) - a(v - h * y)) / (2.0 * h)  # exact: a is quadratic in v
        assert np.abs(d[1] @ y - along_v).max() <= 1e-6 * (1.0 + np.abs(along_v).max()), (name, noise)
        assert max(np.abs(x).max() for x in d[3:]) < 1e6  # forces of dependent rows stay bounded


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", ["four-bar, hinge", "four-bar, ball", "Bennett"])
def test_rollouts_stay_on_the_branch_of_the_exact_mechanism(name: str, integrator: str) -> None:
    robot, q, v, _ = state(name)
    other = rounded(robot.model, 1e-6)
    ends = []
    for each, (q0, v0) in ((robot, (q, v)), (other, state_of(other, name))):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            path = each.rollout(q0, v0, np.zeros(robot.nv), 1e-3, steps=500, integrator=integrator)
        assert path and path.stopped == -1
        assert (np.abs(each.closure_error(path.q)) <= gap_limits(each.model)).all()
        ends.append(path.q)
    assert np.abs(ends[0] - ends[1]).max() < 1e-3


def test_a_mimic_joint_that_repeats_a_loop_is_the_same_by_both_methods() -> None:
    bodies = (
        Body("crank", None, Revolute(), at(X * 0.0), rod(X * 0.3)),
        Body("coupler", "crank", Revolute(), at(X * 0.3), rod(X * 0.8)),
        Body("rocker", None, Revolute(), at(X * 0.8), rod(X * 0.3)),
    )
    frames = (Frame("a", "coupler", at(X * 0.8)), Frame("b", "rocker", at(X * 0.3)))
    free = Model("parallelogram", bodies, frames, closures=(Closure("pin", "a", "b", Revolute()),))
    expected = np.array(
        sv.Robot(free).evaluate("forward_dynamics", [0.7, -0.7, 0.7], [0.0] * 3, [1.0, 0.0, 0.0]), float
    )
    for off in (0.0, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5):
        tied = replace(bodies[2], mimic=Mimic("crank", 1.0 + off, 0.0))
        robot = sv.Robot(replace(free, bodies=(*bodies[:2], tied)))
        for method in ("kkt", "recursion"):
            a = dynamics(robot, np.array([0.7, -0.7]), np.zeros(2), np.array([1.0, 0.0]), method)[0]
            assert np.abs(a - expected[:2]).max() <= (100.0 * off + 1e-9) * np.abs(expected).max(), (off, method)


def test_velocity_maps_of_rounded_loops_are_those_of_exact_ones() -> None:
    robot, q, *_ = state("four-bar, hinge")
    exact = velocity_map(robot, q, ["j0"])
    for noise in NOISE[1:]:
        other = rounded(robot.model, noise)
        assert np.abs(velocity_map(other, other.assemble(q).q, ["j0"]) - exact).max() <= 100.0 * noise


def test_loops_above_the_tolerance_are_what_their_numbers_say() -> None:
    model = four_bar()
    tilted = replace(model.bodies[2], placement=at(X * 0.8, Rotation.about_x(1e-3)))
    robot = sv.Robot(replace(model, bodies=(*model.bodies[:2], tilted)))
    assert row_rank(robot.model).rank == 3 and row_rank(robot.with_loop_tolerance(2e-4).model).rank == 2
