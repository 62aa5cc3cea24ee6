"""Frames that a rollout holds: throughout, or for some of the steps, with an impact where a hold begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from sixvec import Robot
from sixvec.errors import ArgumentError, ShapeError
from sixvec.mobile import Rolling
from sixvec.model import Body, Frame, Model
from sixvec.model.joints import Free, Prismatic, Revolute, Spherical
from sixvec.sim import INTEGRATORS
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from sixvec.verdict import Verdict

RNG = np.random.default_rng(29)
PANDA = sixvec.load("panda")
HAND = "panda_link8"
SHORT = 1e-9
"""A time step in which nothing but the impact happens."""


def stick(mass: float = 2.0, length: float = 0.6) -> Robot:
    """A free body with a frame at each end."""
    J = mass * length**2 / 12.0
    inertia = RigidInertia.from_center_of_mass(mass, Vec3.zero(), Sym3.diagonal(J, J, 0.01))
    ends = [Frame(name, "rod", Pose.translation(Vec3(0.0, 0.0, z))) for name, z in (("low", -0.3), ("high", 0.3))]
    return Robot(Model("stick", (Body("rod", joint=Free(), inertia=inertia),), (Frame("rod", "rod"), *ends)))


STICK = stick()


def walker() -> Robot:
    """A trunk in a vertical plane with two legs of two links."""
    y, x, z = (Vec3(*axis) for axis in np.eye(3)[[1, 0, 2]])
    light = RigidInertia.from_center_of_mass(0.01, Vec3.zero(), Sym3.diagonal(1e-4, 1e-4, 1e-4))
    trunk = RigidInertia.from_center_of_mass(8.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.2, 0.2, 0.1))
    leg = RigidInertia.from_center_of_mass(1.0, Vec3(0.0, 0.0, -0.15), Sym3.diagonal(0.01, 0.01, 0.002))
    bodies = [Body("forth", joint=Prismatic(x), inertia=light), Body("up", "forth", Prismatic(z), inertia=light)]
    bodies += [Body("trunk", "up", Revolute(y), inertia=trunk)]
    down, frames = Pose.translation(Vec3(0.0, 0.0, -0.3)), []
    for side, at in (("left", 0.1), ("right", -0.1)):
        bodies += [Body(f"{side} thigh", "trunk", Revolute(y), Pose.translation(Vec3(at, 0.0, 0.0)), leg)]
        bodies += [Body(f"{side} shank", f"{side} thigh", Revolute(y), down, leg)]
        frames += [Frame(side, f"{side} shank", down)]
    return Robot(Model("walker", tuple(bodies), tuple(frames)))


WALKER = walker()


def held_rows(robot: Robot, q: Any, hold: Any) -> Any:
    return robot.constraint_jacobian(q, hold=hold)


def energy(robot: Robot, path: Any) -> Any:
    return robot.kinetic_energy(path.q, path.v) + robot.potential_energy(path.q)


@pytest.mark.covers("CON-14")
@pytest.mark.parametrize("kind", ["weld", ("x", "world z", "turn y")])
def test_a_hold_throughout_is_constrained_dynamics_integrated(kind: Any) -> None:
    """Against small steps of the classical Runge-Kutta method on `constrained_dynamics`, in NumPy."""
    q, hold, tau = PANDA.random(np.random.default_rng(3)), {HAND: kind}, np.ones(7)
    A = held_rows(PANDA, q, hold)
    v = 0.5 * (np.eye(7) - np.linalg.pinv(A) @ A) @ RNG.normal(size=7)
    path = PANDA.rollout(q, v, tau, 0.001, steps=40, hold=hold, integrator="rk4")
    x, h = np.concatenate([q, v]), 0.001

    def slope(x: Any) -> Any:
        return np.concatenate([x[7:], PANDA.constrained_dynamics(x[:7], x[7:], tau, hold=hold).a])

    for _ in range(40):
        a = slope(x)
        b = slope(x + h / 2 * a)
        c = slope(x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + slope(x + h * c))
    assert np.allclose(path.q[-1], x[:7], atol=1e-9)
    assert np.allclose(path.v[-1], x[7:], atol=1e-7)
    assert np.abs(held_rows(PANDA, path.q, hold) @ path.v[..., None]).max() < 1e-12


@pytest.mark.covers("CON-14")
@pytest.mark.parametrize("integrator", sorted(INTEGRATORS))
def test_a_held_frame_stays_where_it_was_with_every_integrator(integrator: str) -> None:
    q = WALKER.integrate(WALKER.neutral(), 0.3 * RNG.normal(size=7))
    path = WALKER.rollout(q, np.zeros(7), np.zeros(7), 0.002, steps=100, hold={"left": "point"}, integrator=integrator)
    assert path and np.abs(WALKER.pose(path.q, "left")[:, :3, 3] - WALKER.pose(q, "left")[:3, 3]).max() < 1e-12


def test_a_hold_is_a_closure_with_the_ground() -> None:
    """The same mechanism by an edit of the model, whose equations are those of loops."""
    q, v, tau = PANDA.random(np.random.default_rng(3)), np.zeros(7), np.ones(7)
    for kind, joint in (("point", Spherical()),):
        closed = PANDA.with_closure(HAND, joint=joint, q=q)
        assert np.abs(closed.closure_error(q)).max() < 1e-12
        paths = [
            robot.rollout(q, v, tau, 0.0005, steps=100, hold=hold)
            for robot, hold in ((PANDA, {HAND: kind}), (closed, None))
        ]
        assert np.allclose(paths[0].q, paths[1].q, atol=1e-9)


@pytest.mark.covers("CON-14", "MODEL-04")
def test_feet_come_and_go() -> None:
    robot, feet = WALKER, ("left", "right")
    q = robot.neutral() + 0.3 * RNG.normal(size=7)
    v, tau, steps = 0.5 * RNG.normal(size=7), np.zeros(7), 60
    on = np.zeros((3, steps, 2), bool)
    on[0] = True
    on[1, 10:40, :1] = on[1, 20:30, 1:] = True
    path = robot.rollout(q, v, tau, 0.001, steps=steps, hold=dict.fromkeys(feet, "point"), holding=on)
    assert path
    for k, foot in enumerate(feet):
        places, rates = robot.pose(path.q, foot)[..., :3, 3], robot.velocity(path.q, path.v, foot)[..., 3:]
        assert np.abs(rates[on[..., k]]).max() < 1e-10
        stays = on[:, 1:, k] & on[:, :-1, k]
        assert np.abs(np.diff(places, axis=1)[stays]).max() < 1e-10
        assert np.abs(np.diff(places, axis=1)[~stays]).max() > 1e-5
    free = robot.rollout(q, v, tau, 0.001, steps=steps)
    assert np.allclose(path.q[1, :10], free.q[:10], atol=1e-13)
    assert np.allclose(path.q[2], free.q, atol=1e-13)
    assert np.allclose(path.q[0], robot.rollout(q, v, tau, 0.001, steps=steps, hold=dict.fromkeys(feet, "point")).q)
    lifted = robot.rollout(path.q[1, 39], path.v[1, 39], tau, 0.001, steps=20)
    assert np.allclose(lifted.q, path.q[1, 40:], atol=1e-12)
    front = dict.fromkeys(feet[:1], "point")
    phases = [(10, 20, front), (20, 30, dict.fromkeys(feet, "point")), (30, 40, front)]
    assert np.allclose(robot.rollout(q, v, tau, 0.001, steps=steps, hold=phases).q, path.q[1], atol=1e-12)


@pytest.mark.covers("CON-14")
def test_touch_down_balances_impulse_and_momentum() -> None:
    """M Δv = Aᵀ p and A v₁ = 0: about the place of the foot the angular momentum stays, the energy does not grow."""
    q = STICK.integrate(STICK.neutral(), 0.4 * RNG.normal(size=6))
    v = RNG.normal(size=6)
    path = STICK.rollout(q, v, np.zeros(6), SHORT, steps=1, hold={"low": "point"})
    after, M, A = path.v[0], STICK.mass_matrix(q), held_rows(STICK, q, {"low": "point"})
    assert np.abs(A @ after).max() < 1e-8
    impulse, *_ = np.linalg.lstsq(A.T, M @ (after - v), rcond=None)
    assert np.allclose(A.T @ impulse, M @ (after - v), atol=1e-7)
    place = STICK.pose(q, "low")[:3, 3]
    centre = STICK.center_of_mass(q)
    spins = [h[:3] + np.cross(centre - place, h[3:]) for h in (STICK.momentum(q, x) for x in (v, after))]
    assert np.allclose(*spins, atol=1e-7)
    lost = STICK.kinetic_energy(q, v) - STICK.kinetic_energy(q, after)
    assert lost > 0.0 and np.isclose(lost, 0.5 * (v - after) @ M @ (v - after))


def test_a_falling_rod_turns_about_the_end_that_is_caught() -> None:
    """In the plane: ω = m (l/2) u / (J + m l²/4) for a level rod that falls with speed u."""
    level = STICK.integrate(STICK.neutral(), [0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0])
    fall = np.array([0.0, 0.0, 0.0, 1.5, 0.0, 0.0])  # along its own x, which points down
    after = STICK.rollout(level, fall, np.zeros(6), SHORT, steps=1, hold={"high": "point"}).v[0]
    assert np.isclose(abs(after[1]), 2.0 * 0.3 * 1.5 / (2.0 * 0.6**2 / 3.0), atol=1e-7)


def test_energy_never_grows_where_holds_begin() -> None:
    steps, n = 40, 6
    on = RNG.random((n, steps, 2)) < 0.5
    hold = {"low": "point", "high": ("world z", "turn z")}
    quiet = STICK.with_gravity([0.0, 0.0, 0.0])
    q, v = quiet.integrate(quiet.neutral(), 0.5 * RNG.normal(size=(n, 6))), RNG.normal(size=(n, 6))
    path = quiet.rollout(q, v, np.zeros(6), 1e-4, steps=steps, hold=hold, holding=on)
    e = np.concatenate([quiet.kinetic_energy(q, v)[:, None], quiet.kinetic_energy(path.q, path.v)], axis=1)
    begins = np.zeros_like(on)
    begins[:, 0], begins[:, 1:] = on[:, 0], on[:, 1:] & ~on[:, :-1]
    change = np.diff(e, axis=1)
    assert (change < 1e-6).all() and change[begins.any(axis=-1)].min() < -1e-3
    assert np.abs(change[~begins.any(axis=-1)]).max() < 1e-6
    one = quiet.rollout(q[2], v[2], np.zeros(6), 1e-4, steps=steps, hold=hold, holding=on[2])
    assert np.array_equal(one.q, path.q[2])


def test_loops_and_holds_together() -> None:
    bars = sixvec.load("four_bar")
    q = bars.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    B = bars.closure_jacobian(q)
    v = np.linalg.svd(B)[2][-1] * 2.0
    held = [(30, 60, {bars.frame_names[-1]: "point"})]
    for integrator in ("semi_implicit_euler", "rk4"):
        path = bars.rollout(q, v, np.zeros(3), 0.002, steps=100, hold=held, integrator=integrator)
        assert path and np.abs(bars.closure_error(path.q)).max() < 1e-9
        moved = np.abs(np.diff(path.q, axis=0)).max(axis=-1)
        assert moved[30:59].max() < 1e-9 < 1e-5 < moved[:28].min()
        assert np.abs(path.v[59]).max() < 1e-9
    swinging = bars.rollout(path.q[59], np.zeros(3), np.zeros(3), 0.002, steps=40, integrator="rk4")
    assert np.allclose(swinging.q, path.q[60:], atol=1e-9)


def test_a_pair_of_frames_meets_and_parts() -> None:
    """Two pendulums whose ends are joined for a while, at the distance that they have then."""
    bob = RigidInertia.from_center_of_mass(1.0, Vec3(0.0, 0.0, -0.5), Sym3.diagonal(0.02, 0.02, 0.01))
    y = Revolute(Vec3(0.0, 1.0, 0.0))
    left = Body("left", joint=y, inertia=bob)
    right = Body("right", joint=y, inertia=bob, placement=Pose.translation(Vec3(0.2, 0.0, 0.0)))
    pair = Robot(Model("pair", (left, right)))
    hold = [(50, 150, {("left", "right"): ("turn y",)})]
    path = pair.rollout([0.5, -0.3], [1.0, 0.0], np.zeros(2), 0.001, steps=200, hold=hold, integrator="rk4")
    together = path.q[49:150, 0] - path.q[49:150, 1]
    assert np.abs(path.v[50:150, 0] - path.v[50:150, 1]).max() < 1e-12 and np.ptp(together) < 1e-9
    mass = pair.mass_matrix(path.q[49])
    assert np.isclose(path.v[50, 0], (mass @ path.v[49]).sum() / mass.sum(), atol=0.02)  # one step of gravity


def test_driven_joints_stay_driven_at_touch_down() -> None:
    arm = sixvec.load("panda")
    q, v = arm.random(np.random.default_rng(5)), 0.1 * RNG.normal(size=7)
    drive = 0.3 * np.ones((40, 7))
    drive[:, 1:] = 0.0
    held = [(10, 30, {HAND: ("world z",)})]
    path = arm.rollout(q, v, drive, 0.001, prescribed=(0,), hold=held)
    assert np.allclose(np.diff(np.r_[v[0], path.v[:, 0]]), 0.3e-3, atol=1e-12)
    rest = [(0, 30, held[0][2])]
    driven = arm.rollout(q, np.zeros(7), drive, 0.001, prescribed=(0,), hold=rest)
    again = arm.rollout(q, np.zeros(7), driven.tau, 0.001, hold=rest)
    assert np.allclose(driven.q, again.q, atol=1e-6)


def test_a_law_reads_the_state_before_the_impact() -> None:
    path = STICK.rollout(
        STICK.neutral(), np.ones(6), np.zeros(6), 1e-3, steps=2, control=lambda q, v, u: v, hold={"low": "point"}
    )
    assert np.allclose(path.tau[0], np.ones(6))


def test_friction_of_joints_holds_next_to_held_frames() -> None:
    from dataclasses import replace

    from sixvec.model import JointDynamics

    model = PANDA.model
    rough = replace(
        model,
        bodies=tuple(replace(b, dynamics=JointDynamics(friction=(500.0,))) if b.joint.nv else b for b in model.bodies),
    )
    q = PANDA.random(np.random.default_rng(3))
    path = Robot(rough).rollout(
        q, np.zeros(7), np.ones(7), 0.001, steps=20, passive=True, hold=[(5, 15, {HAND: "point"})]
    )
    assert np.abs(path.q - q).max() < 1e-9


def test_what_cannot_be_held_is_reported() -> None:
    """A driven joint carries the hand away, or a step is too long for the place to be found again."""
    arm, q = sixvec.load("planar_2r"), [0.4, 0.8]
    frame = arm.frame_names[-1]
    drive = {"q": q, "v": [0.0, 0.0], "tau": np.ones((200, 2)), "dt": 0.01, "prescribed": (0, 1)}
    for hold, step in (({frame: "point"}, 0), ([(3, 150, {frame: "point"})], 3)):
        with pytest.warns(RuntimeWarning, match="not finite"):
            path = arm.rollout(**drive, hold=hold)
        assert path.verdict == Verdict.DIVERGED and path.stopped == step
    with pytest.warns(RuntimeWarning, match="held frame"):
        path = STICK.rollout(
            STICK.neutral(), [0.0, 300.0, 0.0, 0.0, 0.0, 0.0], np.zeros(6), 0.3, steps=9, hold={"low": "point"}
        )
    assert path.verdict == Verdict.OPEN


def test_wheels_may_be_put_down() -> None:
    coin = sixvec.mobile.wheeled_robot(
        sixvec.mobile.differential_drive(0.5, 0.1),
        RigidInertia.from_center_of_mass(20.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.5, 0.5, 0.8)),
        1.0,
    )
    with pytest.raises(ArgumentError, match='"left"'):
        coin.rollout(np.zeros(5), np.zeros(5), np.zeros(5), 0.01, steps=4, hold=[(1, 2, {"left": Rolling(0.1)})])
    body = coin.sliding
    v = np.array([0.0, 1.0, 0.2, 0.0, 0.0])
    path = body.rollout(
        np.zeros(5), v, np.zeros(5), 0.01, steps=6, hold=[(3, None, {"left": Rolling(0.1), "right": Rolling(0.1)})]
    )
    rows = body.constraint_jacobian(path.q, hold={"left": Rolling(0.1), "right": Rolling(0.1)})
    slip = np.abs((rows @ path.v[..., None])[..., 0]).max(axis=-1)
    assert slip[:3].min() > 0.1 and slip[3:].max() < 1e-9


def test_single_precision() -> None:
    single = [np.asarray(x, np.float32) for x in (STICK.neutral(), np.ones(6), np.zeros(6))]
    path = STICK.rollout(*single, 1e-3, steps=20, hold=[(5, 10, {"low": "weld"})])
    exact = STICK.rollout(*(x.astype(float) for x in single), 1e-3, steps=20, hold=[(5, 10, {"low": "weld"})])
    assert path.q.dtype == np.float32 and np.allclose(path.q, exact.q, atol=1e-5)


def test_gradients_of_held_paths() -> None:
    jax = pytest.importorskip("jax")
    arm = sixvec.load("planar_2r")
    frame, start = arm.frame_names[-1], np.array([0.5, -0.3])
    hold = [(2, 4, {frame: ("world x",)})]

    def end(v: Any) -> Any:
        return arm.rollout(start, v, np.zeros(2), 0.05, steps=6, hold=hold).q[-1]

    w, h = np.array([0.3, 0.8]), 1e-6
    with jax.enable_x64(True):
        found = jax.grad(lambda v: end(v)[0])(jax.numpy.array(w))
    slope = [(end(w + h * e)[0] - end(w - h * e)[0]) / (2 * h) for e in np.eye(2)]
    assert np.allclose(np.asarray(found), slope, atol=1e-7)


BAD = [
    ({"hold": {"low": "pin"}}, ArgumentError, 'no kind "pin"'),
    ({"hold": 3}, ArgumentError, "hold must be a dictionary from frame to kind, or a list"),
    ({"hold": [(0, 3)]}, ArgumentError, r"hold\[0\] must be \(start, stop"),
    ({"hold": [(0.5, 3, {"low": "point"})]}, ArgumentError, r"the start of hold\[0\] must be the number of a step"),
    ({"hold": [(2, 2, {"low": "point"})]}, ArgumentError, r"hold\[0\] goes from step 2 to before 2"),
    ({"hold": [(0, 9, {"low": "point"})]}, ArgumentError, r"hold\[0\] goes from step 0 to before 9.* 0 to 5"),
    ({"holding": np.ones((5, 1), bool)}, ArgumentError, "holding= says when the frames of hold= are held"),
    ({"hold": {"low": "point"}, "holding": np.ones((5, 2), bool)}, ShapeError, r"holding has shape \(5, 2\)"),
    ({"hold": {"low": "point"}, "holding": np.full((5, 1), 0.5)}, ArgumentError, "holding must have booleans"),
]


@pytest.mark.parametrize(("wrong", "kind", "message"), BAD)
def test_mistakes_are_named(wrong: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        STICK.rollout(STICK.neutral(), np.zeros(6), np.zeros(6), 0.01, steps=5, **wrong)


def test_one_bad_sample_spoils_no_other() -> None:
    q, v = np.stack([STICK.neutral()] * 3), np.ones((3, 6))
    v[1, 2] = np.nan
    path = STICK.rollout(q, v, np.zeros(6), 0.01, steps=5, hold={"low": "point"})
    assert path.verdict.tolist() == [Verdict.SOLVED, Verdict.INVALID, Verdict.SOLVED]
    assert np.array_equal(path.q[0], path.q[2]) and np.isfinite(path.q[0]).all()
    empty = STICK.rollout(q[:0], v[:0], np.zeros(6), 0.01, steps=5, hold={"low": "point"})
    assert empty.q.shape == (0, 5, 7)
