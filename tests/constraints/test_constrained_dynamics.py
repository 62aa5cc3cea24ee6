"""Loops and held frames in dynamics, against the dense KKT system, Gauss' principle, reduced coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_tree
from sixvec.constraints import velocity_map
from sixvec.errors import ArgumentError
from sixvec.model import Body, Closure, Frame, Gear, JointDynamics, Mimic, Model
from sixvec.model.joints import Cylindrical, Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from sixvec.spatial import RigidInertia, Sym3, Vec3

DIRECTIONS = ("turn x", "turn y", "turn z", "x", "y", "z")


def dense(robot: sv.Robot, q, v, tau, hold=None, target=None, external=None):
    """The whole KKT system by NumPy: a, and the forces of least norm."""
    M, A = robot.mass_matrix(q), robot.constraint_jacobian(q, hold=hold)
    b = -robot.constraint_bias(q, v, hold=hold) + (0.0 if target is None else target)
    c = robot.bias_forces(q, v)
    for frame, w in (external or {}).items():
        c = c - robot.jacobian(q, frame, "local").T @ w
    free = np.linalg.solve(M, tau - c)
    G = A @ np.linalg.solve(M, A.T)
    force = np.linalg.pinv(G, rcond=1e-10, hermitian=True) @ (b - A @ free)
    return free + np.linalg.solve(M, A.T @ force), force


def with_loops(seed: int) -> Model:
    """A random tree whose branches are joined by closures that hold at a random position, which is returned too."""
    model = random_tree(seed, 8, floating=bool(seed % 2))
    robot, rng = sv.Robot(model), np.random.default_rng(seed)
    q = robot.random(rng)
    tips = [b.name for b in model.bodies if not model.children(b.name)] + ["ground"]
    joints = [Fixed(), Revolute(), Spherical(), Universal(), Prismatic(), Cylindrical(), Planar()]
    closures, frames = [], list(model.frames)
    for k in range(2):
        first, second = rng.choice(tips, 2, replace=False) if len(tips) > 2 else tips[:2]
        A, B = robot.pose(q, first), robot.pose(q, second)
        frame = Frame(f"end{k}", model.frame(second).body, _pose(model, second, np.linalg.inv(B) @ A))
        frames.append(frame)
        closures.append(Closure(f"loop{k}", first, frame.name, joints[rng.integers(len(joints))]))
    return replace(model, frames=tuple(frames), closures=tuple(closures)), q


def _pose(model: Model, name: str, X: np.ndarray):
    from sixvec.spatial import Pose

    return model.frame(name).placement @ Pose.from_matrix(X.tolist())


@pytest.mark.every(4)
@pytest.mark.covers("CON-02", "CON-05", "CON-06", "Bruyninckx (6.36)-(6.39)", "Bruyninckx (6.45)", "Featherstone (34)")
@pytest.mark.parametrize("seed", range(6))
def test_held_frames_on_random_trees(seed: int) -> None:
    robot, rng = sv.Robot(random_tree(seed, 9, floating=bool(seed % 2))), np.random.default_rng(seed)
    frames = rng.choice(robot.frame_names[:-1], 2, replace=False)
    some = tuple(rng.permutation(DIRECTIONS)[: rng.integers(1, 5)])
    q, v, tau = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
    for hold in (
        {frames[0]: some},
        {frames[0]: "point", frames[1]: some},
        {(frames[0], "ground"): "point"},
        {tuple(frames): some} if robot.model.frame(frames[0]).body != robot.model.frame(frames[1]).body else {},
    ):
        wrench = {robot.frame_names[-2]: rng.normal(size=6)}
        possible = robot.constraint_jacobian(q, hold=hold) @ rng.normal(size=robot.nv)
        target = possible + robot.constraint_bias(q, v, hold=hold)
        found = robot.constrained_dynamics(q, v, tau, hold=hold, target=target, external=wrench)
        a, force = dense(robot, q, v, tau, hold, target, wrench)
        scale = 1.0 + np.abs(a).max()
        assert np.abs(found.a - a).max() < 1e-9 * scale
        assert found.residual < 1e-9 * scale
        if np.linalg.cond(robot.constraint_jacobian(q, hold=hold)) < 1e6:
            assert np.abs(found.force - force).max(initial=0.0) < 1e-7 * (1.0 + np.abs(force).max(initial=0.0))


@pytest.mark.every(4)
@pytest.mark.covers("CON-13")
@pytest.mark.parametrize("seed", range(8))
def test_loops_on_random_trees(seed: int) -> None:
    model, q = with_loops(seed)
    robot, rng = sv.Robot(model), np.random.default_rng(seed)
    assert np.abs(robot.closure_error(q)).max() < 1e-9
    A = robot.closure_jacobian(q)
    v = rng.normal(size=robot.nv)
    v -= np.linalg.pinv(A) @ (A @ v)  # velocities that keep the loops closed
    h = 1e-5
    differences = (
        robot.closure_jacobian(robot.integrate(q, h * v)) @ v - robot.closure_jacobian(robot.integrate(q, -h * v)) @ v
    ) / (2.0 * h)
    gamma = robot.constraint_bias(q, v)
    assert np.abs(differences - gamma).max() < 1e-6 * (1.0 + np.abs(gamma).max())
    tau = rng.normal(size=robot.nv)
    a, force = dense(robot, q, v, tau)
    found = robot.constrained_dynamics(q, v, tau)
    scale = 1.0 + np.abs(a).max()
    assert np.abs(found.a - a).max() < 1e-9 * scale
    assert np.array_equal(robot.forward_dynamics(q, v, tau), found.a)
    assert abs(force @ A @ v) < 1e-9 * (1.0 + np.abs(force).max())  # constraints do no work
    again = robot.inverse_dynamics(q, v, found.a)
    assert np.abs(robot.forward_dynamics(q, v, again) - found.a).max() < 1e-7 * scale


def test_gauss_no_other_acceleration_does_better() -> None:
    robot, rng = sv.load("panda"), np.random.default_rng(0)
    q, v, tau = robot.random(0), rng.normal(size=7), rng.normal(size=7)
    hold = {"panda_link8": ("x", "y", "turn z")}
    a = robot.constrained_dynamics(q, v, tau, hold=hold).a
    free, M, A = robot.forward_dynamics(q, v, tau), robot.mass_matrix(q), robot.constraint_jacobian(q, hold=hold)
    null = np.linalg.svd(A)[2][3:]
    compulsion = (a - free) @ M @ (a - free)
    for _ in range(50):
        other = a + rng.normal(size=4) @ null
        assert (other - free) @ M @ (other - free) > compulsion


@pytest.mark.parametrize("name", ["four_bar", "slider_crank"])
def test_linkages_in_their_independent_coordinate(name: str) -> None:
    robot, rng = sv.load(name), np.random.default_rng(0)
    q = robot.assemble(robot.random(3)).q
    K = velocity_map(robot, q)
    rate = rng.normal(size=1)
    v, h = K @ rate, 1e-6
    ahead, back = (velocity_map(robot, robot.assemble(robot.integrate(q, s * h * v)).q) for s in (1.0, -1.0))
    K_rate = (ahead - back) / (2.0 * h)
    tau = np.array([0.3, 0.0, 0.0])
    M = robot.mass_matrix(q)
    force = K.T @ (tau - robot.bias_forces(q, v) - M @ K_rate @ rate)
    expected = K @ np.linalg.solve(K.T @ M @ K, force) + K_rate @ rate
    a = robot.forward_dynamics(q, v, tau)
    assert np.allclose(a, expected, rtol=1e-7, atol=1e-7)
    assert np.allclose(robot.inverse_dynamics(q, v, a), tau, atol=1e-12)
    moved = robot.hybrid_dynamics(q, v, a, np.zeros(3), prescribed=(0,))
    assert np.allclose(moved.a, a, rtol=1e-9, atol=1e-9)
    assert np.allclose(moved.tau, tau, atol=1e-9)


def test_a_follower_in_a_loop_brings_its_force_to_the_motor() -> None:
    model = sv.load("four_bar").model
    wheel = Body("wheel", "base", Revolute(), inertia=rod(0.5, 0.1), mimic=Mimic("rocker", -1.5))
    robot = sv.Robot(replace(model, bodies=(*model.bodies, wheel), frames=(*model.frames, Frame("wheel", "wheel"))))
    q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    v = velocity_map(robot, q)[:, 0] * 2.0
    lists = [x.tolist() for x in (q, v)]
    a = robot.evaluate("forward_dynamics", *lists, [0.3, 0.0, 0.0])
    tau = np.array(robot.evaluate("inverse_dynamics", *lists, list(a)))
    assert np.allclose(tau, [0.3, 0.0, 0.0], atol=1e-10)
    bare = sv.load("four_bar").evaluate("forward_dynamics", *lists, [0.3, 0.0, 0.0])
    assert abs(a[0] - bare[0]) > 1e-2  # the wheel is felt


def test_redundant_rows_give_the_unique_acceleration_and_forces_of_least_norm() -> None:
    robot, rng = sv.load("panda"), np.random.default_rng(1)
    q, v, tau = robot.random(1), np.zeros(7), rng.normal(size=7)
    once = robot.constrained_dynamics(q, v, tau, hold={"panda_link8": "point"})
    model = robot.model
    twin = replace(model, frames=(*model.frames, replace(model.frame("panda_link8"), name="twin")))
    twice = sv.Robot(twin).constrained_dynamics(q, v, tau, hold={"panda_link8": "point", "twin": "point"})
    assert np.abs(once.a - twice.a).max() < 1e-10 * (1.0 + np.abs(once.a).max())
    assert np.allclose(twice.force[:3], twice.force[3:], atol=1e-6)
    assert np.allclose(twice.force[:3] + twice.force[3:], once.force, atol=1e-6)


def test_constraints_that_cannot_be_met_leave_a_residual() -> None:
    robot = sv.load("planar_2r")
    q = np.array([0.3, 0.7])
    zeros = np.zeros(2)
    found = robot.constrained_dynamics(q, zeros, zeros, hold={"tip": "weld"}, target=np.ones(6))
    assert np.isfinite(found.a).all() and np.isfinite(found.force).all()
    assert 0.1 < found.residual < 10.0


@pytest.mark.parametrize(("hold", "message"), [
    ({"panda_link9": "weld"}, "panda_link9"),
    ({"panda_link8": "wled"}, named("panda_link8", "weld")),
    ({"panda_link8": "x"}, named("panda_link8", "x")),
    ({"panda_link8": ("x", "w")}, "panda_link8"),
    ({"panda_link8": ("x", "x")}, "twice"),
    ({"panda_link8": ()}, named("hold", "panda_link8")),
    ({("panda_link8",) * 3: "weld"}, "hold"),
    ({("panda_link8", "panda_link7"): "weld"}, "hold"),
    ("panda_link8", "hold"),
])  # fmt: skip
def test_mistakes_in_hold_are_named(hold, message: str) -> None:
    robot = sv.load("panda")
    zeros = np.zeros(7)
    with pytest.raises(sv.SixvecError, match=message):
        robot.constrained_dynamics(zeros, zeros, zeros, hold=hold)


def test_a_dictionary_of_held_frames_that_was_changed_since() -> None:
    robot = sv.load("panda")
    q, zeros = robot.random(0), np.zeros(7)
    hold = {"panda_link8": "point"}
    assert robot.constrained_dynamics(q, zeros, zeros, hold=hold).force.shape == (3,)
    hold["panda_link8"] = "weld"
    assert robot.constrained_dynamics(q, zeros, zeros, hold=hold).force.shape == (6,)


class TestRollouts:
    @pytest.fixture
    def start(self):
        robot = sv.load("four_bar")
        q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
        return robot, q, velocity_map(robot, q)[:, 0] * 2.0

    @pytest.mark.covers("DYN-15")
    @pytest.mark.parametrize(
        "integrator", ["bounded_leapfrog", "rk4", "midpoint", "semi_implicit_euler", "symplectic_euler", "euler"]
    )
    def test_a_driven_four_bar_stays_closed(self, start, integrator: str) -> None:
        robot, q, v = start
        t = np.arange(10_000) * 1e-3
        tau = np.stack([0.02 * np.sin(2.0 * t) - 0.002, 0 * t, 0 * t], axis=-1)

        def damped(q, v, u):
            return [u[0] - 0.003 * v[0], u[1], u[2]]

        path = robot.rollout(q, v, tau, 1e-3, integrator=integrator, control=damped)
        assert np.abs(robot.closure_error(path.q)).max() < 1e-9
        assert np.abs(robot.closure_jacobian(path.q) @ path.v[..., None]).max() < 1e-9
        if integrator == "rk4":  # the motor's force is held for each step, so its work is force times path
            Q, V = np.vstack([q, path.q]), np.vstack([v, path.v])
            force = tau[:, 0] - 0.003 * V[:-1, 0]
            work = np.append(0.0, np.cumsum(force * np.diff(Q[:, 0])))
            energy = robot.kinetic_energy(Q, V) + robot.potential_energy(Q)
            assert np.abs(energy - energy[0] - work).max() < 1e-8 * np.abs(work).max()

    def test_the_loops_take_no_energy(self, start) -> None:
        robot, q, v = start
        weightless = robot.with_gravity([0.0, 0.0, 0.0])
        path = weightless.rollout(q, v, np.zeros((10_000, 3)), 1e-3, integrator="rk4")
        energy = weightless.kinetic_energy(path.q, path.v)
        assert np.ptp(energy) < 1e-8 * energy[0]

    def test_the_symplectic_method_keeps_the_energy_of_a_loop(self, start) -> None:
        """An error of first order that comes and goes: in the last second it is what it was in the first."""
        robot, q, v = start
        path = robot.rollout(q, v, np.zeros(3), 1e-3, steps=8000, integrator="symplectic_euler")
        kinetic = robot.kinetic_energy(path.q, path.v)
        energy = (kinetic + robot.potential_energy(path.q)) / kinetic.max()
        first, last = energy[:1000], energy[-1000:]
        assert np.ptp(first) < 0.03
        assert abs(first.min() - last.min()) < 0.02 * np.ptp(first) > abs(first.max() - last.max())

    @pytest.mark.parametrize(
        ("integrator", "most"),
        [("bounded_leapfrog", 0.001), ("semi_implicit_euler", 0.01), ("symplectic_euler", 0.001)],
    )
    def test_a_fast_loop_gains_no_energy(self, integrator: str, most: float) -> None:
        """Released, the four-bar turns at up to 34 rad/s; energies are of order 1 J."""
        robot = sv.load("four_bar")
        q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
        path = robot.rollout(q, np.zeros(3), [0.0005, 0.0, 0.0], 1e-3, steps=10_000, integrator=integrator)
        assert np.abs(robot.closure_error(path.q)).max() < 1e-12
        energy = robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q)
        assert np.abs(energy - robot.potential_energy(q) - 0.0005 * (path.q[:, 0] - q[0])).max() < most
        assert np.abs(path.v).max() > 30.0

    @pytest.mark.parametrize(("friction", "stands"), [(0.2, True), (0.002, False)])
    def test_coulomb_friction_in_a_loop(self, start, friction: float, stands: bool) -> None:
        robot, q, v = start
        rubbing = tuple(
            replace(b, dynamics=JointDynamics(friction=(friction,))) if b.joint.nv else b for b in robot.model.bodies
        )
        rough = sv.Robot(replace(robot.model, bodies=rubbing))
        push = np.array([0.1, 0.0, 0.0])
        path = rough.rollout(q, 0.0 * v, push, 1e-3, steps=50, passive=True)
        if stands:
            assert np.abs(path.v).max() < 1e-9 and np.abs(path.q - q).max() < 1e-9
        else:
            free = robot.rollout(q, 0.0 * v, push, 1e-3, steps=50)
            assert 0.1 < np.abs(path.v[-1]).max() < np.abs(free.v[-1]).max()
        weightless = rough.with_gravity([0.0, 0.0, 0.0])
        slowing = weightless.rollout(q, v, np.zeros(3), 1e-3, steps=400, passive=True)
        energy = weightless.kinetic_energy(slowing.q, slowing.v)
        first = weightless.kinetic_energy(q, v)
        assert (np.diff(energy) < 1e-4 * first).all() and energy[-1] < 0.9 * first
        assert np.abs(rough.closure_error(slowing.q)).max() < 1e-9

    def test_a_start_with_an_open_loop_raises(self, start) -> None:
        robot, q, v = start
        with pytest.raises(ArgumentError, match=named("rollout", "coupler_pin", "x")):
            robot.rollout(robot.neutral(), v, np.zeros((2, 3)), 1e-3)
        with pytest.raises(ArgumentError, match="rollout"):
            robot.rollout(q, np.ones(3), np.zeros((2, 3)), 1e-3)


class TestAssembly:
    def test_batches_fixed_joints_and_verdicts(self) -> None:
        robot = sv.load("four_bar")
        starts = np.stack([np.linspace(0.2, 2.5, 7), np.zeros(7), np.ones(7)], axis=-1)
        starts[3, 1] = np.nan
        answer = robot.assemble(starts, fixed=["drive"])
        good = np.arange(7) != 3
        assert (answer.verdict[good] == sv.ik.Verdict.SOLVED).all() and answer.verdict[3] == sv.ik.Verdict.INVALID
        assert np.array_equal(answer.q[good, 0], starts[good, 0])
        assert np.abs(robot.closure_error(answer.q[good])).max() < 1e-12
        assert np.array_equal(robot.assemble(starts[0], fixed=["drive"]).q, answer.q[0])

    @pytest.mark.parametrize("name", ["four_bar", "slider_crank"])
    def test_far_starts_and_bars_in_line(self, name: str) -> None:
        robot = sv.load(name)
        starts = np.random.default_rng(1).uniform(-3.0, 3.0, (300, robot.nv))
        starts[0] = robot.neutral()
        answer = robot.assemble(starts)
        assert answer and np.abs(robot.closure_error(answer.q)).max() < 1e-12
        with pytest.raises(sv.SixvecError, match=named("assemble", "q")):
            robot.assemble(starts[:, :2])

    def test_a_loop_that_cannot_close_says_so(self) -> None:
        robot = sv.load("four_bar")
        answer = robot.assemble([0.7, 2.0, 1.0], fixed=["drive", "crank_pin"])
        assert not answer and answer.residual > 1e-3 and answer.verdict == sv.ik.Verdict.UNREACHABLE

    @pytest.mark.parametrize("joint", [Revolute(), Cylindrical(), Planar(), Helical(pitch=0.1)], ids=repr)
    def test_axes_point_the_same_way_and_what_is_not_a_number_is_not_closed(self, joint) -> None:
        body = RigidInertia.from_center_of_mass(1.0, Vec3.zero(), Sym3.diagonal(0.1, 0.2, 0.25))
        bodies = (Body("base"), Body("part", "base", Free(), inertia=body))
        robot = sv.Robot(Model("one loop", bodies, closures=(Closure("hold", "base", "part", joint),)))
        rng = np.random.default_rng(0)
        starts = robot.integrate(np.array([0.2, 0.1, 0.3, 0, 0, 0, 1.0]), rng.normal(size=(60, 6)) * 1.5)
        starts[0] = np.zeros(7)
        starts[1, :3] = 1e300
        answer = robot.assemble(starts)
        solved = answer.verdict == sv.ik.Verdict.SOLVED
        assert np.isfinite(answer.q[solved]).all() and solved.sum() > 40
        assert answer.verdict[0] == sv.ik.Verdict.INVALID and not solved[1]
        assert (robot.pose(answer.q[solved], "part")[:, 2, 2] > 0.999999).all()
        assert np.abs(robot.closure_error(answer.q[solved])).max() < 1e-12

    def test_held_frames_stay_where_they_are(self) -> None:
        robot, rng = sv.load("panda"), np.random.default_rng(0)
        q = robot.random(0, 5)
        assert np.array_equal(robot.assemble(q, hold={"panda_link8": "weld"}).q, q)
        with pytest.raises(ArgumentError, match="elbow"):
            robot.assemble(q, fixed=["elbow"])
        del rng


@pytest.mark.parametrize("directions", [("x",), ("y", "z"), ("x", "turn z"), ("x", "world z")])
def test_axes_that_turn_with_a_frame_that_moves_on(directions) -> None:
    """γ is Ȧ v, and what is held stays held: the bias by differences of A, and by the same rows as a pair of frames."""
    robot, hold = sv.load("panda"), {"panda_link8": directions}
    q = robot.random(0)
    A = robot.constraint_jacobian(q, hold=hold)
    v = np.linalg.svd(A)[2][len(A) :].T @ np.random.default_rng(1).normal(size=7 - len(A))
    ends = [robot.constraint_jacobian(q + h * v, hold=hold) for h in (1e-6, -1e-6)]
    assert np.allclose(robot.constraint_bias(q, v, hold=hold), (ends[0] - ends[1]) @ v / 2e-6, atol=1e-8)
    if "world z" not in directions:
        pair = robot.constrained_dynamics(q, v, np.zeros(7), hold={("panda_link8", "panda_link0"): directions})
        for method in ("kkt", "recursion"):
            found = robot.constrained_dynamics(q, v, np.zeros(7), hold=hold, method=method)
            assert np.allclose(found.a, pair.a, rtol=1e-9, atol=1e-9)


def test_gears_are_rows_too() -> None:
    model = sv.load("planar_2r").model
    geared = sv.Robot(replace(model, closures=(Gear("pair", "link1", "link2", ratio=-0.5),)))
    q, v, tau = np.array([0.4, -0.2]), np.array([1.0, -0.5]), np.array([0.3, 0.1])
    assert geared.constraint_names() == ("gear pair",)
    a = geared.forward_dynamics(q, v, tau)
    assert abs(a[1] + 0.5 * a[0]) < 1e-12
    G = np.array([1.0, -0.5])
    tree = sv.Robot(model)
    assert np.isclose(a[0], G @ (tau - tree.bias_forces(q, v)) / (G @ tree.mass_matrix(q) @ G))


def test_report_names_the_rows_that_depend_on_others() -> None:
    robot = sv.load("four_bar")
    found = sv.constraints.report(robot, robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q)
    assert (found.rank, found.freedoms) == (2, 1)
    assert set(found.redundant) == {"loop coupler_pin: turn about x", "loop coupler_pin: turn about y",
                                    "loop coupler_pin: z"} and not any(found.redundant.values())  # fmt: skip
    held = sv.constraints.report(robot, robot.neutral(), hold={"rocker_end": "point"})
    assert len(held.names) == 8


def turned_four_bar() -> tuple[sv.Robot, np.ndarray]:
    """The same mechanism, with the frames of its hinge turned: rows that say nothing are rounding, not zero."""
    from sixvec.spatial import Pose, Quaternion

    plain = sv.load("four_bar")
    turn = Pose(Quaternion(0.3, -0.5, 0.2, 0.8).normalized().as_rotation(), Vec3.zero())
    frames = tuple(
        replace(f, placement=f.placement @ turn) if f.name in ("coupler_end", "rocker_end") else f
        for f in plain.model.frames
    )
    axis = turn.rot.inv() @ Vec3(0.0, 0.0, 1.0)
    closures = (replace(plain.model.closures[0], joint=Revolute(axis)),)
    q = plain.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    return sv.Robot(replace(plain.model, frames=frames, closures=closures)), q


def test_rows_that_are_rounding_do_not_count() -> None:
    acrobot = sv.load("acrobot")  # the tip keeps its distance from the first joint's axis: the row is zero but for bits
    found = sv.constraints.report(acrobot, [0.4, 0.9], hold={("tip", "link1"): ("x",)})
    assert found.rank == 0 and found.freedoms == 2
    plain, (turned, q) = sv.load("four_bar"), turned_four_bar()
    v = velocity_map(plain, q)[:, 0] * 3.0
    tau = np.array([0.1, 0.0, 0.0])
    expected = plain.forward_dynamics(q, v, tau)
    assert np.allclose(turned.forward_dynamics(q, v, tau), expected, rtol=1e-9)
    assert np.allclose(turned.inverse_dynamics(q, v, expected), tau, atol=1e-9)
    moved = turned.hybrid_dynamics(q, v, [1.0, 0.0, 0.0], np.zeros(3), prescribed=("drive",))
    assert moved.a[0] == pytest.approx(1.0, abs=1e-9)
    assert turned.assemble([0.7, 0.0, 1.0], fixed=["drive"])


def test_light_and_heavy_parts_are_constrained_alike() -> None:
    sizes = {"a": (1000.0, 1.0), "b": (1000.0, 1.0), "c": (1e-3, 0.01), "d": (1e-3, 0.01)}
    rods = [Body(name, None, Revolute(), inertia=rod(*size)) for name, size in sizes.items()]
    gears = (Gear("big", "a", "b", -2.0), Gear("small", "c", "d", -2.0))
    robot = sv.Robot(Model("clock", tuple(rods), closures=gears))
    q = np.array([0.1, -0.2, 0.3, -0.6])
    a = robot.forward_dynamics(q, np.zeros(4), [1.0, 0.0, 1e-6, 0.0])
    assert np.allclose(a[[1, 3]], -2.0 * a[[0, 2]], rtol=1e-9, atol=1e-9 * np.abs(a).max())


def rod(mass: float, length: float) -> RigidInertia:
    moment = mass * length**2 / 12.0
    return RigidInertia.from_center_of_mass(
        mass, Vec3(0.5 * length, 0.0, 0.0), Sym3(moment, 0.0, 0.0, moment, 0.0, moment)
    )


def test_single_precision_is_computed_in_double() -> None:
    robot = sv.load("panda")
    q = robot.random(0, 20)
    hold = {"panda_link8": "point", ("panda_link8", "panda_link0"): "point"}
    zeros = np.zeros(7, np.float32)
    found = robot.constrained_dynamics(q.astype(np.float32), zeros, zeros, hold=hold)
    expected = robot.constrained_dynamics(q.astype(np.float32).astype(float), zeros, zeros, hold=hold)
    assert found.a.dtype == np.float32
    assert np.array_equal(found.a, expected.a.astype(np.float32))
    kernel = robot.kernel("constrained_dynamics", hold=hold)
    with pytest.raises(sv.SixvecError, match="float32"):
        kernel.source("c", "float32")
    with pytest.raises(sv.SixvecError, match="float32"):
        kernel.in_place(3, "float32")
    bars = sv.load("four_bar")
    q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    state = [x.astype(np.float32) for x in (q, velocity_map(bars, q)[:, 0] * 3.0)]
    for _ in range(3):  # what a rollout gives is a start for the next
        path = bars.rollout(*state, np.zeros((20, 3), np.float32), 1e-3, integrator="rk4")
        state = [path.q[-1], path.v[-1]]
        assert path.q.dtype == np.float32


def test_a_prescribed_joint_in_a_loop_moves_as_it_should() -> None:
    robot = sv.load("four_bar")
    q = robot.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    v = velocity_map(robot, q)[:, 0] * 10.0
    path = robot.rollout(q, v, np.zeros((2000, 3)), 1e-3, prescribed=("drive",))
    assert np.abs(path.v[:, 0] - 10.0).max() < 1e-9
    assert np.abs(robot.closure_error(path.q)).max() < 1e-9
    impossible = robot.hybrid_dynamics(q, v, [1.0, 0.0, 0.0], np.zeros(3), prescribed=("drive", "crank_pin"))
    assert np.isnan(impossible.a).all()
