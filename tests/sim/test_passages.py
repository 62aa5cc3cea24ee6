"""Past change points, where branches cross, a motion goes on along its velocity, whatever the last digits."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from loop_samples import INTEGRATORS, Y, Z, rod, sarrus, three_cranks
from loop_samples import rounded as rounded_robot
from sixvec.mechanism.change_points import change_points
from sixvec.mechanism.exact_dimensions import with_exact_dimensions
from sixvec.mechanism.row_rank import row_rank
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3
from sixvec.verdict import Verdict

FLAT = np.array([1.0, -1.0, 1.0])


def at(x: float) -> Pose:
    return Pose(Rotation.identity(), Vec3(x, 0.0, 0.0))


def bar(length: float) -> RigidInertia:
    turning = Sym3.diagonal(1e-4, length**2 / 12.0, length**2 / 12.0)
    return RigidInertia.from_center_of_mass(1.0, Vec3(length / 2, 0.0, 0.0), turning)


def parallelogram(longer: float = 0.0, rocker: float = 0.3) -> Model:
    bodies = (
        Body("ground"),
        Body("crank", "ground", Revolute(), at(0.0), bar(0.3)),
        Body("coupler", "crank", Revolute(), at(0.3), bar(0.8)),
        Body("rocker", "ground", Revolute(), at(0.8), bar(0.3)),
    )
    ends = Frame("a", "coupler", at(0.8 + longer)), Frame("b", "rocker", at(rocker))
    closure = Closure("pin", "a", "b", Revolute())
    return Model("parallelogram", bodies, ends, gravity=Vec3(0.0, 0.0, 0.0), closures=(closure,))


def rounded(model: Model, noise: float, seed: int) -> Model:
    """Every placement turned and shifted by up to `noise`."""
    rng = np.random.default_rng(seed)

    def moved(X: Pose) -> Pose:
        axis, shift = rng.uniform(-noise, noise, (2, 3))
        angle = float(np.linalg.norm(axis))
        return Pose(X.rot @ Rotation.about(Vec3.of(axis / angle), angle), X.pos + Vec3.of(shift.tolist()))

    bodies = tuple(replace(b, placement=moved(b.placement)) for b in model.bodies)
    frames = tuple(replace(f, placement=moved(f.placement)) for f in model.frames)
    return replace(model, bodies=bodies, frames=frames)


def start(robot: sv.Robot, angle: float, speed: float) -> tuple[np.ndarray, np.ndarray]:
    near = robot.assemble(angle * FLAT)
    assert near
    K = sv.constraints.loop_equations.feasible_basis(robot, near.q, sv.solve.Metric.from_length(1.0, 3))
    return near.q, speed * K @ (K.T @ FLAT)


def energies(robot: sv.Robot, path: sv.sim.Trajectory) -> np.ndarray:
    return np.asarray(robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("noise", [1e-9, 1e-7, 1e-5])
def test_a_rounded_parallelogram_turns_as_the_exact_one(noise: float, integrator: str) -> None:
    """Three times past the flat positions: on its branch, with its energy."""
    robot = sv.Robot(rounded(parallelogram(), noise, seed=int(1e10 * noise) % 7))
    q, v = start(robot, 0.7, 3.0)
    path = robot.rollout(q, v, np.zeros(3), 1e-3, steps=3000, integrator=integrator)
    assert path and path.stopped == -1
    assert np.abs(path.q[-1] - q - 9.0 * FLAT).max() < 300.0 * noise + 1e-7
    E = energies(robot, path)
    assert np.abs(E - robot.kinetic_energy(q, v)).max() < (10.0 * noise + 1e-8) * E[0]
    assert np.abs(robot.closure_error(path.q)[:, [2, 3]]).max() < 1e-11  # for the dimensions as they are
    assert np.abs(robot.closure_error(path.q)).max() < 10.0 * noise


@pytest.mark.slow
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("speed", [0.05, 0.5, 3.0, 10.0])
@pytest.mark.parametrize("noise", [0.0, 1e-7, 1e-5])
def test_any_speed(noise: float, speed: float, seed: int, integrator: str) -> None:
    robot = sv.Robot(rounded(parallelogram(), noise, seed) if noise else parallelogram())
    q, v = start(robot, 0.2, -speed)
    steps = int(400 / speed)
    path = robot.rollout(q, v, np.zeros(3), 0.4 / speed / steps, steps=steps, integrator=integrator)
    if path.verdict == Verdict.SOLVED:
        assert np.abs(path.q[-1] - q + 0.4 * FLAT).max() < 1e3 * noise + 1e-6
    else:
        assert path.verdict == Verdict.SINGULAR


@pytest.mark.parametrize("longer", [-1e-6, 3e-7, 1e-5])
def test_lengths_that_are_off_with_axes_that_are_parallel(longer: float) -> None:
    """No row shows this rounding: all are exactly dependent."""
    robot = sv.Robot(parallelogram(longer))
    q, v = start(robot, 0.7, 3.0)
    path = robot.rollout(q, v, np.zeros(3), 1e-3, steps=1500)
    assert path
    assert np.abs(path.q[-1] - q - 4.5 * FLAT).max() < 300.0 * abs(longer)


def three_legs() -> Model:
    """A platform on three legs of two hinged links, which are straight all at once: two singular values vanish."""
    bodies, frames, pins = [], [], []
    turns = [Rotation.about_z(2.0 * math.pi * k / 3.0) for k in range(3)]
    out, up = Vec3(0.5, 0.0, 0.0), Z * 0.8
    for k, turn in enumerate(turns):
        bodies.append(Body(f"a{k}", None, Revolute(Y), Pose(turn, turn @ out), rod(up), f"a{k}"))
        bodies.append(Body(f"b{k}", f"a{k}", Revolute(Y), Pose(Rotation.identity(), up), rod(up), f"b{k}"))
        if k:
            frames.append(Frame(f"end{k}", f"b{k}", Pose(Rotation.identity(), up)))
            frames.append(Frame(f"corner{k}", "top", Pose(turn, (turn @ out) - out)))
            pins.append(Closure(f"pin{k}", f"end{k}", f"corner{k}", Revolute(Y)))
        else:
            bodies.append(Body("top", "b0", Revolute(Y), Pose(Rotation.identity(), up), rod(out * -1.0), "top"))
    return Model("three_legs", tuple(bodies), tuple(frames), gravity=Vec3.zero(), closures=tuple(pins))


LOCKED = {
    "three legs": (three_legs(), [0.5, -1.0, 0.5, 0.5, -1.0, 0.5, -1.0], [1.0, -2.0, 1.0, 1.0, -2.0, 1.0, -2.0]),
    "three cranks": (three_cranks(), [0.8, -0.8, 0.8, 0.8], [1.0, -1.0, 1.0, 1.0]),
    "Sarrus": (replace(sarrus(), gravity=Vec3.zero()), [0.5, -1.0, 0.5, -0.5, 1.0], [1.0, -2.0, 1.0, -1.0, 2.0]),
}
"""Loops with rows that depend on others, a position, and the direction of the joints through the flat one."""

NOISES = (1e-12, 1e-9, 1e-7, 1e-6, 1e-5)
"""Where two singular values vanish, the exact loops too are open by 1e-7 after one step: three legs have more noise."""


def turned_through(name: str, noise: float, seed: int, integrator: str) -> None:
    model, angles, way = LOCKED[name]
    robot, u = rounded_robot(model, noise, seed), np.array(way)
    near = robot.assemble(angles)
    assert near
    K = sv.constraints.loop_equations.feasible_basis(robot, near.q, sv.solve.Metric.from_length(1.0, robot.nv))
    v = K @ (K.T @ (-2.0 * u))
    exact = sv.Robot(model)
    paths = [
        r.rollout(q, rates, np.zeros(r.nv), 1e-3, steps=1000, integrator=integrator)
        for r, q, rates in ((robot, near.q, v), (exact, np.array(angles), -2.0 * u))
    ]
    assert all(path.verdict == Verdict.SOLVED and path.stopped == -1 for path in paths)
    assert np.abs(paths[0].q[-1] - paths[1].q[-1]).max() < 100.0 * noise + 1e-7
    turned = paths[0].q[-1] - near.q
    assert np.abs(turned - turned[0] * u).max() < 30.0 * noise + 1e-7  # on its branch, past the flat position
    assert abs(turned[0]) > 0.6
    drift = [np.abs(energies(r, p) - energies(r, p)[0]).max() for r, p in zip((robot, exact), paths, strict=True)]
    assert abs(drift[0] - drift[1]) < 100.0 * noise + 1e-7
    assert np.abs(robot.closure_error(paths[0].q)).max() < 10.0 * noise + 1e-8


@pytest.mark.filterwarnings("error")
@pytest.mark.every(2)
@pytest.mark.parametrize(("name", "noise"), [("three cranks", 1e-6), ("Sarrus", 1e-5), ("three legs", 1e-6)])
def test_loops_that_rounding_locks_pass_their_flat_position(name: str, noise: float) -> None:
    turned_through(name, noise, 1, "semi_implicit_euler")


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("name", "noise"), [(n, x) for n in LOCKED for x in NOISES if n != "three legs" or x >= 1e-7])
def test_loops_that_rounding_locks_pass_with_every_integrator(name: str, noise: float, integrator: str) -> None:
    turned_through(name, noise, 5, integrator)


def test_lengths_beyond_the_tolerance_are_what_they_say() -> None:
    """A crank that is 1 % too short to be a parallelogram's: branches do not meet."""
    robot = sv.Robot(parallelogram(0.0, rocker=0.303))
    q, v = start(robot, 0.7, 3.0)
    path = robot.rollout(q, v, np.zeros(3), 1e-4, steps=15000, integrator="rk4")
    assert path
    assert np.abs(np.sin(path.q[-1, 0] + path.q[-1, 1])) > 0.1
    E = energies(robot, path)
    assert np.ptp(E) < 1e-3 * E[0]


def test_samples_do_not_depend_on_others_and_laws_may_act() -> None:
    robot = sv.Robot(rounded(parallelogram(), 1e-6, 1))
    starts = [start(robot, angle, speed) for angle, speed in ((0.7, 3.0), (0.7, -3.0), (0.1, -0.2))]
    q, v = (np.array(x) for x in zip(*starts, strict=True))

    def law(q: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
        return -0.02 * v + u

    together = robot.rollout(q, v, np.zeros(3), 1e-3, steps=1000, control=law)
    assert together.verdict.tolist() == [0, 0, 0]
    for k in range(3):
        alone = robot.rollout(q[k], v[k], np.zeros(3), 1e-3, steps=1000, control=law)
        assert np.array_equal(alone.q, together.q[k])
    assert np.abs(together.q[:, :, 0] + together.q[:, :, 1]).max() < 3e-3  # all stay parallelograms


def test_a_start_at_rest_where_branches_meet_is_singular() -> None:
    """A torque at the crank of a flat parallelogram: it may open either way."""
    robot = sv.Robot(parallelogram())
    q = robot.assemble(np.zeros(3)).q
    with pytest.warns(RuntimeWarning, match="branches"):
        path = robot.rollout(q, np.zeros(3), [1.0, 0.0, 0.0], 1e-3, steps=20)
    assert path.verdict == Verdict.SINGULAR and not path
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert robot.rollout(q, np.zeros(3), np.zeros(3), 1e-3, steps=20)  # no force: it stays where it is


def test_a_start_at_rest_between_rounded_branches_warns() -> None:
    """The last digits decide, as they do in the position itself."""
    robot = sv.Robot(rounded(parallelogram(), 1e-6, 0))
    q = robot.assemble(np.zeros(3)).q
    with pytest.warns(RuntimeWarning, match="digits"):
        path = robot.rollout(q, np.zeros(3), [1.0, 0.0, 0.0], 1e-3, steps=20)
    assert path and np.isfinite(path.q).all()


def test_change_points_are_found_and_made_exact() -> None:
    model = parallelogram(2e-6)
    component = next(n for n, part in enumerate(row_rank(model).components) if part.rank)
    states = np.array([[0.05, -0.05, 0.05], [3.1, -3.1, 3.1], [6.3, -6.3, 6.3], [0.06, -0.06, 0.06]])
    found = change_points(model, component, states)
    assert [None if x is None else np.round(x.q, 2).tolist() for x in found] == [
        [0.0, 0.0, 0.0],
        [3.14, 3.14, 3.14],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
    ]
    assert found[0] == found[2] == found[3] and found[0] is not None and found[1] is not None
    size = row_rank(model).size[0]
    assert abs(found[0].gap) == pytest.approx(2e-6 / size, rel=1e-3)
    exact = with_exact_dimensions(model, (found[0], found[1]))
    assert exact is not None
    again = change_points(exact, component, states[:2])
    assert all(x is not None and x.is_exact for x in again)
    assert math.isclose(sum(abs(float(f.placement.pos.x)) for f in exact.frames if f.name in "ab"), 1.1, rel_tol=1e-5)
