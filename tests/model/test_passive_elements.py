"""Friction as a function of q and v, and springs of 6x6 numbers between bodies, in the model and in every dynamics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from naming import named
from random_trees import random_tree
from sixvec.errors import ModelError
from sixvec.model import Body, BodySpring, Frame, FrictionLaw, JointDynamics, Mimic, Model
from sixvec.model.edits import attach, lock, mirror, rename, reroot, subchain
from sixvec.model.joints import Cylindrical, Free, Prismatic, Revolute, Spherical
from sixvec.scalar import cos, sqrt
from sixvec.spatial import Motion, Pose, RigidInertia, Rotation, Sym3, Vec3
from tolerances import DIFFERENCE, IDENTITY, SINGLE, SOLVED, assert_close

LOAD = RigidInertia.from_center_of_mass(2.0, Vec3(0.05, 0.02, 0.1), Sym3(0.05, 0.001, 0.0, 0.06, 0.0, 0.04))
PLACE = Pose(Rotation.from_rpy(0.3, -0.2, 0.9), Vec3(0.1, 0.2, 0.3))


def stribeck(q: Any, v: Any) -> list[Any]:
    """Viscous, a smooth Coulomb part that fades with speed, and more of it where the joint is bent."""
    s = v[0] / sqrt(v[0] * v[0] + 1e-3)
    return [0.3 * v[0] + s * (0.5 + 0.2 / (1.0 + v[0] * v[0])) * (1.2 - cos(q[0]))]


def arm(*laws: FrictionLaw | BodySpring, dynamics: JointDynamics | None = None) -> Model:
    bodies = (
        Body("a", None, Revolute(Vec3(0.0, 1.0, 0.0)), PLACE, LOAD, "ja", dynamics=dynamics or JointDynamics()),
        Body("b", "a", Cylindrical(Vec3(1.0, 0.0, 0.0)), PLACE, LOAD, "jb"),
        Body("c", "b", Revolute(Vec3(0.0, 0.0, 1.0)), PLACE, LOAD, "jc"),
    )
    frames = (Frame("ground", None), *(Frame(n, n) for n in "abc"), Frame("tip", "c", PLACE))
    return Model("arm", bodies, frames, passive=tuple(laws))


def floating() -> Model:
    """The arm on a free body, with a ball instead of a hinge."""
    ball = Body("b", "a", Spherical(), PLACE, LOAD, "jb")
    bodies = (Body("base", None, Free(), PLACE, LOAD), replace(arm().bodies[0], parent="base"), ball, arm().bodies[2])
    return replace(arm(), name="floating", bodies=bodies)


def states(robot: sv.Robot, count: int = 6) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(1)
    return robot.random(rng, count), rng.normal(size=(count, robot.nv)), rng.normal(size=(count, robot.nv))


@pytest.mark.covers("MODEL-01")
def test_a_friction_law_acts_in_all_dynamics() -> None:
    plain, rubbing = sv.Robot(arm()), sv.Robot(arm(FrictionLaw("c", stribeck)))
    q, v, a = states(plain)
    expected = np.zeros((6, 4))
    expected[:, 3] = [-stribeck([x], [y])[0] for x, y in zip(q[:, 3].tolist(), v[:, 3].tolist(), strict=True)]
    assert_close(rubbing.passive_forces(q, v), expected, IDENTITY)
    tau = rubbing.inverse_dynamics(q, v, a, passive=True)
    assert_close(tau, plain.inverse_dynamics(q, v, a) - expected, IDENTITY)
    assert_close(rubbing.forward_dynamics(q, v, tau, passive=True), a, SOLVED)
    assert_close(rubbing.inverse_dynamics(q, v, a), plain.inverse_dynamics(q, v, a), IDENTITY)
    single = rubbing.passive_forces(q.astype(np.float32), v.astype(np.float32))
    assert single.dtype == np.float32
    assert_close(single, expected, SINGLE)


@pytest.mark.covers("MODEL-01")
def test_a_law_of_plain_damping_is_damping() -> None:
    law = sv.Robot(arm(FrictionLaw("a", lambda q, v: [0.7 * v[0]])))
    number = sv.Robot(arm(dynamics=JointDynamics(damping=(0.7,))))
    q, v, _ = states(law)
    assert_close(law.passive_forces(q, v), number.passive_forces(q, v), IDENTITY)
    options = {"passive": True, "integrator": "semi_implicit_euler"}  # the default takes numbers implicitly
    paths = [r.rollout(q, v, np.zeros((20, 4)), 1e-3, **options).v for r in (law, number)]
    assert_close(paths[0], paths[1], SOLVED)


@pytest.mark.covers("MODEL-01")
def test_a_law_is_part_of_a_kernels_identity() -> None:
    """Two laws with one name, in one place: neither the door nor the cache takes one for the other."""
    q, v, _ = states(sv.Robot(arm()), 1)
    found = []
    for k in (1.0, 2.0, 3.0):

        def law(q: Any, v: Any, k: float = k) -> list[Any]:
            return [k * v[0]]

        found.append(sv.Robot(arm(FrictionLaw("a", law))).passive_forces(q[0], v[0])[0] / v[0, 0])
    assert found == pytest.approx([-1.0, -2.0, -3.0])


@pytest.mark.covers("MODEL-01")
def test_a_joint_of_several_freedoms_has_one_law() -> None:
    """A cylinder in its sleeve: turning and sliding share one friction, against the direction of the slip."""

    def slip(q: Any, v: Any) -> list[Any]:
        r = 0.02
        size = sqrt(v[0] * r * v[0] * r + v[1] * v[1] + 1e-6)
        return [3.0 * r * r * v[0] / size, 3.0 * v[1] / size]

    robot = sv.Robot(arm(FrictionLaw("b", slip)))
    q, v, _ = states(robot)
    expected = [[-x for x in slip(None, row)] for row in v[:, 1:3].tolist()]
    assert_close(robot.passive_forces(q, v)[:, 1:3], expected, IDENTITY)
    with pytest.raises(ModelError, match=named("arm", "b")):
        sv.Robot(arm(FrictionLaw("b", lambda q, v: [v[0]]))).passive_forces(q, v)


def stiffness(seed: int = 0) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(6, 6))
    return A @ A.T * 10.0


def energy(robot: sv.Robot, q: np.ndarray, spring: BodySpring) -> float:
    """½ tᵀ K t, from the robot's own poses."""
    X = [Pose.from_matrix(robot.pose(q, name)) for name in (spring.first, spring.second)]
    t = np.array([*(spring.rest.inv() @ (X[0].inv() @ X[1])).log()], float)
    return float(0.5 * t @ np.array(spring.stiffness) @ t)


@pytest.mark.covers("MODEL-01")
@pytest.mark.parametrize("ends", [("ground", "tip"), ("a", "tip"), ("tip", "a"), ("c", "ground")])
def test_a_spring_pulls_along_the_gradient_of_its_energy(ends: tuple[str, str]) -> None:
    spring = BodySpring(*ends, stiffness(), Pose.exp(Motion.of([0.1, -0.2, 0.3, 0.2, 0.1, 0.4])))
    robot = sv.Robot(arm(spring))
    q, v, a = states(robot, 3)
    h = 1e-3
    for x in q:
        slope = []
        for step in np.eye(4) * h:
            e = [energy(robot, x + k * step, spring) for k in (-2, -1, 1, 2)]
            slope.append((e[0] - 8.0 * e[1] + 8.0 * e[2] - e[3]) / (12.0 * h))
        assert_close(robot.passive_forces(x, np.zeros(4)), -np.array(slope), DIFFERENCE, batched=False)
    tau = robot.inverse_dynamics(q, v, a, passive=True)
    assert_close(robot.forward_dynamics(q, v, tau, passive=True), a, SOLVED)


@pytest.mark.covers("MODEL-01")
def test_a_flexible_link_gives_way_by_its_compliance() -> None:
    """Two halves of a beam, free against each other but for a spring: under a small load the second moves by K⁻¹ w."""
    K = stiffness(3) + 200.0 * np.eye(6)
    halves = (Body("root", inertia=LOAD), Body("tip", "root", Free(), PLACE, LOAD))
    beam = Model(
        "beam", halves, (Frame("root", "root"), Frame("bend", "root", PLACE), Frame("tip", "tip")),
        gravity=Vec3.zero(), passive=(BodySpring("bend", "tip", K),),
    )  # fmt: skip
    robot = sv.Robot(beam)
    w = 1e-4 * np.array([1.0, -2.0, 0.5, 3.0, 1.0, -1.0])
    q = robot.integrate(robot.neutral(), np.linalg.solve(K, w))
    found = robot.passive_forces(q, np.zeros(6))
    assert_close(found, -w, 1e-5, batched=False)
    # At larger deflections the spring still conserves energy: kinetic and elastic energy keep their sum.
    start = robot.integrate(robot.neutral(), [0.2, -0.1, 0.3, 0.05, 0.02, -0.04])
    path = robot.rollout(start, np.zeros(6), np.zeros((400, 6)), 1e-4, passive=True, integrator="rk4")
    spring = beam.passive[0]
    assert isinstance(spring, BodySpring)
    total = [
        energy(robot, x, spring) + robot.kinetic_energy(x, y) for x, y in zip(path.q[::100], path.v[::100], strict=True)
    ]
    assert np.ptp(total) < 1e-6 * total[0]


@pytest.mark.covers("MODEL-01")
def test_edits_keep_passive_elements() -> None:
    law, spring = FrictionLaw("c", stribeck), BodySpring("a", "tip", stiffness())
    model = arm(law, spring)
    here = sv.Robot(model)
    q, v, _ = states(here)
    tau = here.passive_forces(q, v)
    renamed = rename(model, {"c": "see", "tip": "end", "a": "eh"})
    assert_close(sv.Robot(renamed).passive_forces(q, v), tau, IDENTITY)
    twice = sv.Robot(attach(model, model, "tip", prefix="second "))
    assert_close(twice.passive_forces(np.hstack([q, q]), np.hstack([v, v])), np.hstack([tau, tau]), IDENTITY)
    locked = sv.Robot(lock(model, {"jc": 0.0}))
    assert locked.model.passive == (spring,)
    on_one_body = replace(
        arm(law), bodies=tuple(b if b.name != "b" else replace(b, joint=Prismatic()) for b in model.bodies)
    )
    turned = sv.Robot(reroot(on_one_body, "c"))
    x, y = (z[:, :3] for z in (q, v))
    assert_close(turned.passive_forces(x, y), sv.Robot(on_one_body).passive_forces(x, y), IDENTITY)
    short = subchain(model, "b", "c")
    assert short.passive == (law,)
    straight = replace(arm(law, spring), bodies=on_one_body.bodies)
    image = sv.Robot(mirror(straight, Vec3(1.0, 2.0, -1.0)))
    assert_close(image.passive_forces(x, y), sv.Robot(straight).passive_forces(x, y), IDENTITY)


@pytest.mark.covers("MODEL-01")
def test_what_cannot_be_raises() -> None:
    with pytest.raises(ModelError, match=named("d")):
        arm(FrictionLaw("d", stribeck))
    with pytest.raises(KeyError, match="nowhere"):
        arm(BodySpring("a", "nowhere", stiffness()))
    with pytest.raises(ModelError, match=named("a", "b")):
        BodySpring("a", "b", np.triu(np.ones((6, 6))))
    with pytest.raises(ModelError, match=named("a", "b")):
        BodySpring("a", "b", np.eye(3))
    with pytest.raises(ModelError, match=named("a", "b")):
        BodySpring("a", "b", np.full((6, 6), np.nan))
    bodies = arm().bodies
    follower = replace(bodies[2], mimic=Mimic("a", 2.0))
    with pytest.raises(ModelError, match=named("c")):
        Model("arm", (*bodies[:2], follower), passive=(FrictionLaw("c", stribeck),))
    for base in (arm(), floating()):
        spring = BodySpring("ground", "tip", stiffness(), Pose.translation(Vec3(0.1, 0.0, 0.2)))
        robot = sv.Robot(replace(base, passive=(FrictionLaw("c", stribeck), spring)))
        q, v, a = states(robot, 2)
        found = robot.inverse_dynamics_derivatives(q, v, a, passive=True)
        kernel, h = robot.kernel("inverse_dynamics", passive=True), 1e-6
        assert_close(found.dq, kernel.derivative("q")(q, v, a), SOLVED)
        assert_close(found.dv, kernel.derivative("v")(q, v, a), SOLVED)
        for k, step in enumerate(np.eye(robot.nv) * h):
            ends = [kernel(robot.integrate(q, s * step), v, a) for s in (1.0, -1.0)]
            assert_close(found.dq[..., k], (ends[0] - ends[1]) / (2 * h), DIFFERENCE)
        tau = kernel(q, v, a)
        forward = robot.forward_dynamics_derivatives(q, v, tau, passive=True)
        M = robot.mass_matrix(q)
        assert_close(M @ forward.dq, -found.dq, SOLVED)
        assert_close(M @ forward.dv, -found.dv, SOLVED)


@pytest.mark.covers("MODEL-01")
def test_springs_store_potential_energy() -> None:
    """Minus the slope of the energy along each coordinate are the forces at rest; damped motion only loses energy."""
    springs = JointDynamics(stiffness=(3.0,), rest=(0.2,), damping=(0.5,))
    base = arm(dynamics=springs)
    for model in (base, replace(floating(), passive=())):
        robot = sv.Robot(replace(model, passive=(BodySpring("ground", "tip", stiffness()),)))
        q, _, _ = states(robot, 3)
        still, h = np.zeros((3, robot.nv)), 1e-4
        slope = [
            (robot.potential_energy(robot.integrate(q, s), passive=True)
             - robot.potential_energy(robot.integrate(q, -s), passive=True)) / (2 * h)
            for s in np.eye(robot.nv) * h
        ]  # fmt: skip
        forces = robot.passive_forces(q, still) - robot.gravity_forces(q)
        assert_close(-np.stack(slope, axis=-1), forces, DIFFERENCE)
        assert_close(robot.energy(q, still, passive=True), robot.potential_energy(q, passive=True), IDENTITY)
    arm_robot = sv.Robot(base)
    q, v, _ = (x[0] for x in states(arm_robot, 1))
    path = arm_robot.rollout(q, v, np.zeros(4), 1e-3, steps=300, passive=True, integrator="rk4")
    power = 0.5 * path.v[:, 0] ** 2
    lost = np.cumsum(0.5e-3 * (power[1:] + power[:-1]))
    energy = arm_robot.energy(path.q, path.v, passive=True)
    assert np.abs(energy[1:] - energy[0] + lost).max() < 1e-4 * lost[-1]


@pytest.mark.covers("MODEL-01")
def test_couplings_hand_on_what_followers_feel() -> None:
    """A spring on a body that follows another acts on the leader, by the gradient."""
    bodies = arm().bodies
    follower = replace(bodies[2], mimic=Mimic("a", -1.5, 0.2))
    spring = BodySpring("ground", "tip", stiffness())
    model = replace(arm(spring), bodies=(*bodies[:2], follower))
    robot = sv.Robot(model)
    assert robot.nv == 3
    q, h = robot.random(2), 1e-3
    slope = []
    for step in np.eye(3) * h:
        e = [energy(robot, q + k * step, spring) for k in (-2, -1, 1, 2)]
        slope.append((e[0] - 8.0 * e[1] + 8.0 * e[2] - e[3]) / (12.0 * h))
    assert_close(robot.passive_forces(q, np.zeros(3)), -np.array(slope), DIFFERENCE, batched=False)


def test_random_trees_with_laws_on_every_joint() -> None:
    model = random_tree(6, bodies=7)
    laws = tuple(
        FrictionLaw(b.name, lambda q, v: [0.4 * x + 0.1 * x * x * x for x in v]) for b in model.moving if not b.mimic
    )
    robot = sv.Robot(replace(model, passive=laws))
    plain = sv.Robot(model)
    q, v, a = states(robot)
    own = plain.passive_forces(q, v) - 0.4 * v - 0.1 * v**3
    assert_close(robot.passive_forces(q, v), own, IDENTITY)
    tau = robot.inverse_dynamics(q, v, a, passive=True)
    assert_close(robot.forward_dynamics(q, v, tau, passive=True), a, SOLVED)


def test_how_symmetric_a_stiffness_must_be() -> None:
    """Up to 1e-9 of its largest entry, above and below one."""
    for size in (1e-3, 1e3):
        K = size * np.eye(6)
        K[1, 4] = 0.5e-9 * size
        BodySpring("a", "b", K)  # type: ignore[arg-type]
        K[1, 4] = 2e-9 * size
        with pytest.raises(ModelError, match=named("a", "b")):
            BodySpring("a", "b", K)  # type: ignore[arg-type]
