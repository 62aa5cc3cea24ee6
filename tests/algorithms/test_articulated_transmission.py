"""What joints let through: numbers on paper, projectors, and forward dynamics put together from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from naming import named
from random_states import random_states
from random_trees import random_axis, random_inertia, random_pose, random_tree
from sixvec import Robot
from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.rotor_forces import rotor_bias
from sixvec.algorithms.parts.transmission import Transmission
from sixvec.errors import ModelError
from sixvec.model import WORLD, Body, Frame, JointDynamics, Mimic, Model
from sixvec.model.canonical import canonical
from sixvec.model.joints import Free, Joint, Revolute, Spherical
from sixvec.spatial import ArticulatedInertia, Force, Motion, Pose, RigidInertia, Sym3, Vec3
from tolerances import SOLVED, assert_close

UNITS = [Motion.of(row) for row in np.eye(6).tolist()]


def matrix(inertia: ArticulatedInertia) -> np.ndarray:
    return np.array([list(inertia @ e) for e in UNITS]).T


def projector(joint: Transmission) -> np.ndarray:
    """P, whose columns are the unit forces after the joint."""
    return np.array([list(joint.force_inward(Force.of(row))) for row in np.eye(6).tolist()]).T


def random_joint(seed: int, freedoms: int, shaft: bool) -> Transmission:
    rng = np.random.default_rng(seed)
    carried = ArticulatedInertia.of(random_pose(rng) @ random_inertia(rng))
    axes = tuple(random_pose(rng) @ Motion(random_axis(rng), Vec3.zero()) for _ in range(freedoms))
    return Transmission(carried, axes, tuple(rng.uniform(0.1, 0.5, freedoms).tolist()) if shaft else ())


@pytest.mark.covers("DYN-01", "DYN-02", "Bruyninckx (6.10)-(6.11)", "Bruyninckx (6.16)-(6.17)", "Bruyninckx (6.22)")
@pytest.mark.parametrize(("shaft", "felt"), [(0.0, 0.0946143), (0.2, 0.3664036)])
def test_lateral_mass_of_a_hinged_bar(shaft: float, felt: float) -> None:
    """m - (m a)² / (d + I + m a²) with m = 1.3, a = 0.7, I = 0.05; along the bar the whole mass is felt."""
    bar = RigidInertia.from_center_of_mass(1.3, Vec3(0.7, 0.0, 0.0), Sym3.diagonal(0.0, 0.0, 0.05))
    hinge = Transmission(ArticulatedInertia.of(bar), (Motion(Vec3(0.0, 0.0, 1.0), Vec3.zero()),), (shaft,))
    assert hinge.inertia.lin.yy == pytest.approx(felt, abs=5e-8)
    assert hinge.inertia.lin.xx == pytest.approx(1.3)


@pytest.mark.covers("DYN-01")
def test_a_hinged_point_mass_is_not_felt_sideways() -> None:
    mass = RigidInertia.from_center_of_mass(1.3, Vec3(0.7, 0.0, 0.0), Sym3.zero())
    hinge = Transmission(ArticulatedInertia.of(mass), (Motion(Vec3(0.0, 0.0, 1.0), Vec3.zero()),))
    assert hinge.inertia.lin.yy == pytest.approx(0.0, abs=1e-15)


@pytest.mark.covers("DYN-01")
def test_a_ball_transmits_only_linear_inertia() -> None:
    """P M = diag(0, m 1 + m² r× I⁻¹ r×): a 3x3 matrix is all that is felt through a ball."""
    body = random_inertia(np.random.default_rng(3))
    ball = Transmission(ArticulatedInertia.of(body), tuple(UNITS[:3]))
    r = np.array([*body.moment]) / body.mass
    cross = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    expected = np.zeros((6, 6))
    inertia = np.array([list(row) for row in body.rot.full.rows])
    expected[3:, 3:] = body.mass * np.eye(3) + body.mass**2 * cross @ np.linalg.inv(inertia) @ cross
    np.testing.assert_allclose(matrix(ball.inertia), expected, atol=1e-13)


@pytest.mark.covers("DYN-02")
@pytest.mark.parametrize("freedoms", [1, 2, 3])
@pytest.mark.parametrize("shaft", [False, True])
def test_projector_identities(freedoms: int, shaft: bool) -> None:
    """P = 1 - M S D⁻¹ Sᵀ; PP = P only without shafts; P M is symmetric and, by Joseph, P M Pᵀ + M S D⁻¹ d D⁻¹ Sᵀ M."""
    for seed in range(5):
        joint = random_joint(seed, freedoms, shaft)
        M, S = matrix(joint.carried), np.array([list(s) for s in joint.axes]).T
        d = np.diag(joint.shaft or (0.0,) * freedoms)
        D_inverse = np.linalg.inv(S.T @ M @ S + d)
        P = projector(joint)
        np.testing.assert_allclose(P, np.eye(6) - M @ S @ D_inverse @ S.T, atol=1e-11)
        assert np.allclose(P @ P, P, atol=1e-10) is not shaft
        felt = matrix(joint.inertia)
        np.testing.assert_allclose(felt, P @ M, atol=1e-11)
        np.testing.assert_allclose(felt, P @ M @ P.T + M @ S @ D_inverse @ d @ D_inverse @ S.T @ M, atol=1e-11)
        assert np.linalg.eigvalsh(felt).min() > -1e-12


@pytest.mark.covers("DYN-02", "Bruyninckx (6.6)", "Bruyninckx (6.9)", "Bruyninckx (6.12)", "Bruyninckx (6.24)-(6.25)")
@pytest.mark.parametrize("freedoms", [1, 2, 3])
def test_transmitted_accelerations_and_forces(freedoms: int) -> None:
    """The carried side takes Pᵀ A, needs M Pᵀ A for it, and that force has no part along the axes."""
    joint = random_joint(1, freedoms, shaft=False)
    A = Motion.of(np.random.default_rng(2).normal(size=6).tolist())
    P, M = projector(joint), matrix(joint.carried)
    np.testing.assert_allclose([*joint.acceleration(A)], P.T @ [*A], atol=1e-12)
    np.testing.assert_allclose([*joint.force_outward(A)], M @ P.T @ [*A], atol=1e-12)
    assert [s.dot(joint.force_outward(A)) for s in joint.axes] == pytest.approx([0.0] * freedoms, abs=1e-11)
    moved = np.array([*joint.acceleration(A)]) - [*A]
    rates = joint.joint_acceleration(A)
    np.testing.assert_allclose(moved, np.array([list(s) for s in joint.axes]).T @ rates, atol=1e-12)


def forward_dynamics(robot: Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Corrected (6.28)-(6.30) of Bruyninckx in spatial form, with the c and p of the book: not our own recursion.

    F_i = V ×* I V + Σ X [P (F_c + I^A_c c_c) + I^A_c S D⁻¹ τ_c]
    q̈_i = D⁻¹ (τ - Sᵀ (F_i + I^A (X A_P + c)))     A_i = X A_P + c + S q̈
    """
    model = canonical(robot.model)
    Q, V_J = JointVector(q.tolist(), model.q_slices), JointVector(v.tolist(), model.v_slices)
    T = JointVector((tau - rotor_bias(model, v)).tolist(), model.v_slices)
    V, c, F, IA = {WORLD: Motion.zero()}, {}, {}, {}
    for b in model.bodies:
        vJ = b.joint_velocity(Q, V_J)
        V[b.name] = b.pose_in_parent(Q).inv() @ V[b.parent] + vJ
        c[b.name] = V[b.name].cross(vJ)
        IA[b.name] = ArticulatedInertia.of(b.inertia)
        F[b.name] = V[b.name].cross(b.inertia @ V[b.name])
    joints = {}
    for b in reversed(model.bodies):
        joint = joints[b.name] = Transmission(IA[b.name], b.subspace(Q), b.armature)
        if b.parent is not WORLD:
            X_PB = b.pose_in_parent(Q)
            IA[b.parent] = IA[b.parent] + X_PB @ joint.inertia
            F[b.parent] = F[b.parent] + X_PB @ joint.force_inward(F[b.name] + IA[b.name] @ c[b.name], T[b])
    A, found = {WORLD: Motion(Vec3.zero(), -model.gravity)}, np.zeros(model.nv)
    for b in model.bodies:
        arriving = b.pose_in_parent(Q).inv() @ A[b.parent] + c[b.name]
        S = b.subspace(Q)
        own = joints[b.name].joint_acceleration(arriving, [t - s.dot(F[b.name]) for t, s in zip(T[b], S, strict=True)])
        found[model.v_slices[b.name]] = own
        A[b.name] = sum((s * x for s, x in zip(S, own, strict=True)), arriving)
    return found


@pytest.mark.covers("DYN-01", "DYN-03", "DYN-04")
@pytest.mark.parametrize("floating", [False, True])
def test_bias_force_recursion_on_trees_gives_forward_dynamics(floating: bool) -> None:
    model = random_tree(6, bodies=9, floating=floating)
    rotors = tuple(replace(b, dynamics=JointDynamics(armature=(0.2,) * b.joint.nv)) for b in model.bodies)
    robot = Robot(replace(model, bodies=rotors))
    for q, v, _, tau in zip(*random_states(robot, 3), strict=True):
        assert_close(forward_dynamics(robot, q, v, tau), robot.forward_dynamics(q, v, tau), SOLVED, batched=False)


@pytest.mark.covers("DYN-01", "DYN-04")
def test_articulated_inertia_of_a_floating_base_is_a_schur_complement() -> None:
    """I^A = M_bb - M_bj M_jj⁻¹ M_jb of the mass matrix whose first six coordinates are the base's own."""
    robot = Robot(random_tree(2, bodies=9, floating=True))
    q = random_states(robot).q
    M = robot.mass_matrix(q)
    schur = M[:, :6, :6] - M[:, :6, 6:] @ np.linalg.solve(M[:, 6:, 6:], M[:, 6:, :6])
    root = robot.model.bodies[0].name
    assert_close(robot.articulated_inertia(q, root, reference="local"), schur, SOLVED)


@pytest.mark.covers("DYN-01", "Bruyninckx (6.21)")
def test_articulated_inertia_in_every_reference() -> None:
    """The inertia that a free frame feels: (J M⁻¹ Jᵀ)⁻¹ of the root, in the axes and at the point asked for."""
    robot = Robot(random_tree(2, bodies=6, floating=True))
    q, root = random_states(robot).q, robot.model.bodies[0].name
    for reference in ("local", "world", "local_world_aligned"):
        J = robot.jacobian(q, root, reference=reference)
        mobility = J @ robot.mass_matrix_inverse(q) @ np.swapaxes(J, -1, -2)
        assert_close(robot.articulated_inertia(q, root, reference=reference), np.linalg.inv(mobility), 10 * SOLVED)


def test_joints_that_follow_others_raise() -> None:
    model = random_tree(4, bodies=4)
    led = [b for b in model.moving if b.joint.nv == 1 and not b.mimic]
    bodies = tuple(replace(b, mimic=Mimic(led[0].name)) if b.name == led[-1].name else b for b in model.bodies)
    robot = Robot(replace(model, bodies=bodies))
    with pytest.raises(ModelError, match=named(led[-1].name, led[0].name)):
        robot.articulated_inertia(robot.neutral(), "ground")


def test_carried_joints_that_lead_others_raise() -> None:
    """The force of a follower outside acts on the body of the frame too, through its leader."""
    rng = np.random.default_rng(0)

    def body(name: str, parent: str | None, joint: Joint, mimic: Mimic | None = None) -> Body:
        return Body(name, parent, joint, random_pose(rng), random_inertia(rng), mimic=mimic)

    bodies = (body("F", None, Free()), body("L", "F", Revolute()), body("W", None, Revolute(), Mimic("L", 3.0, 0.1)))
    robot = Robot(Model("pair", bodies, (Frame("F", "F"), Frame("L", "L"))))
    with pytest.raises(ModelError, match=named("W", "L", "F")):
        robot.articulated_inertia(robot.neutral(), "F")
    q = robot.neutral()  # neither of the joints is carried by L
    alone = Robot(Model("alone", bodies[:2], (Frame("L", "L"),)))
    expected = alone.articulated_inertia(alone.neutral(), "L")
    assert np.array_equal(robot.articulated_inertia(q, "L"), expected)


def test_the_world_carries_what_its_joints_transmit() -> None:
    """A point mass at (l, 0, 0) on a hinge along z resists motion along x and z, and along y not at all."""
    m, l = 2.0, 0.5
    bob = RigidInertia.from_center_of_mass(m, Vec3(l, 0.0, 0.0), Sym3.zero())
    ground = Frame("ground", None, Pose.identity())
    robot = Robot(Model("pendulum", (Body("arm", joint=Revolute(), inertia=bob),), (ground,)))
    expected = np.zeros((6, 6))
    expected[3, 3] = expected[5, 5] = m
    expected[1, 1], expected[1, 5], expected[5, 1] = m * l * l, -m * l, -m * l
    assert np.abs(robot.articulated_inertia([0.0], "ground") - expected).max() < 1e-12


def test_rotors_of_ball_joints_in_the_coriolis_matrix() -> None:
    """C v = ω × A ω, and C is skew-symmetric, as M of a massless ball is A."""
    A = np.array([0.1, 0.2, 0.4])
    ball = Body("ball", joint=Spherical(), dynamics=JointDynamics(armature=tuple(A)))
    robot = Robot(Model("rotors", (ball,)))
    q, w = robot.random(3), np.array([1.0, -2.0, 0.5])
    C = np.asarray(robot.coriolis_matrix(q, w))
    assert np.abs(C @ w - np.cross(w, A * w)).max() < 1e-14 and np.abs(C + C.T).max() < 1e-15
    assert np.abs(C - np.array([[0, 0.2, 0.4], [-0.2, 0, 0.1], [-0.4, -0.1, 0]])).max() < 1e-15


@pytest.mark.parametrize("frame", ["on the follower", "beyond"])
@pytest.mark.parametrize("reference", ["local", "world", "local_world_aligned"])
def test_a_frame_behind_a_follower_has_the_inertia_of_the_robot_without_coupling(frame: str, reference: str) -> None:
    place, inertia = Pose.translation(Vec3(0.3, 0.1, 0.2)), RigidInertia.from_center_of_mass(
        1.0, Vec3(0.1, 0.2, 0.3), Sym3.diagonal(1.0, 1.1, 1.2)
    )  # fmt: skip
    follower = Body("b", "a", Revolute(Vec3(0.0, 1.0, 0.0)), place, inertia, mimic=Mimic("a", 2.0, 0.5))
    tip = Body("c", "b", Revolute(Vec3(1.0, 0.0, 0.0)), place, inertia)
    frames = (Frame("on the follower", "b", place), Frame("beyond", "c", place))
    first = Body("a", None, Revolute(), place, inertia)
    coupled, free = (
        Robot(Model("arm", (first, second, tip), frames)) for second in (follower, replace(follower, mimic=None))
    )
    found = coupled.articulated_inertia([0.1, 0.4], frame, reference)
    assert np.array_equal(found, free.articulated_inertia([0.1, 0.7, 0.4], frame, reference))
