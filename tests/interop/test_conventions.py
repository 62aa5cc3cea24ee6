"""`sixvec.convert` against the live libraries: their answers for the converted state are ours, converted."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from naming import named
from published import ARMS, BRANCHED, HUMANOIDS, LEGGED, Published
from random_states import random_states
from random_trees import random_inertia, random_pose, random_tree
from sixvec.interop.conventions import KINDS, LAYOUTS
from sixvec.model import Body, Model
from sixvec.model.joints import Free, Planar, Revolute, Spherical
from tolerances import IDENTITY, PEER, assert_close

ROBOTS = (ARMS[1], ARMS[3], ARMS[9], BRANCHED[2], LEGGED[0], LEGGED[3], HUMANOIDS[0])


def published_name(published: Published) -> str:
    return published.name


@pytest.mark.parametrize("published", ROBOTS, ids=published_name)
def test_pinocchio(published: Published) -> None:
    bridge = pytest.importorskip("pinocchio_bridge")
    robot, peer = published.load(), bridge.peer(published)
    q, v, a, _ = random_states(robot)
    Q, V, A = (sv.convert(x, robot, to="pinocchio", what=k) for x, k in ((q, "q"), (v, "v"), (a, "a")))
    theirs = np.array([bridge.pin.rnea(peer.model, peer.data, *row) for row in zip(Q, V, A, strict=True)])
    ours = robot.inverse_dynamics(q, v, a)
    assert_close(sv.convert(ours, robot, to="pinocchio", what="tau"), theirs, PEER)
    assert_close(sv.convert(theirs, robot, source="pinocchio", what="tau"), ours, PEER)


@pytest.mark.parametrize("published", [ARMS[1], ARMS[9], LEGGED[0], LEGGED[3], HUMANOIDS[0]], ids=published_name)
def test_mujoco(published: Published) -> None:
    bridge = pytest.importorskip("mujoco_bridge")
    robot, peer = published.load(), bridge.peer(published)
    q, v, a, _ = random_states(robot)
    Q = sv.convert(q, robot, to="mujoco")
    V = sv.convert(v, robot, to="mujoco", what="v", q=q)
    A = sv.convert(a, robot, to="mujoco", what="a", q=q, v=v)
    theirs = []
    for position, velocity, acceleration in zip(Q, V, A, strict=True):
        peer.data.qpos, peer.data.qvel, peer.data.qacc = position, velocity, acceleration
        bridge.mujoco.mj_inverse(peer.model, peer.data)
        theirs.append(peer.data.qfrc_inverse.copy())
    ours = robot.inverse_dynamics(q, v, a)
    assert_close(sv.convert(ours, robot, to="mujoco", what="tau", q=q), np.array(theirs), PEER)


@pytest.mark.parametrize("library", LAYOUTS)
@pytest.mark.parametrize("floating", [False, True])
def test_there_and_back(library: str, floating: bool) -> None:
    """On trees of every joint type."""
    robot = sv.Robot(random_tree(11, bodies=9, floating=floating))
    q, v, a, tau = random_states(robot)
    state = {"q": q, "v": v}
    back = sv.convert(sv.convert(q, robot, to=library), robot, source=library)
    gap = robot.difference(q, back)
    assert_close(np.cos(gap), np.ones_like(gap), IDENTITY)  # angles come back up to whole turns
    assert_close(np.sin(gap), np.zeros_like(gap), IDENTITY, scale=1.0)
    for what, x in (("v", v), ("a", a), ("tau", tau)):
        there = sv.convert(x, robot, to=library, what=what, **state)
        assert_close(sv.convert(there, robot, source=library, what=what, **state), x, IDENTITY)
    # power is the same in every layout
    V, T = (sv.convert(x, robot, to=library, what=k, **state) for x, k in ((v, "v"), (tau, "tau")))
    assert_close(np.sum(V * T, axis=-1), np.sum(v * tau, axis=-1), IDENTITY)


@pytest.mark.parametrize("library", LAYOUTS)
@pytest.mark.parametrize("floating", [False, True])
def test_accelerations_are_the_derivatives_of_velocities(library: str, floating: bool) -> None:
    """d/dt of the converted velocity along a motion is the converted acceleration, on trees of every joint type."""
    robot = sv.Robot(random_tree(12, bodies=9, floating=floating))
    q, v, a, _ = random_states(robot)

    def velocity(t: float) -> np.ndarray:
        # q ⊕ (v t + a t²/2) leaves the motion with acceleration a only by terms of t³.
        return sv.convert(v + a * t, robot, to=library, what="v", q=robot.integrate(q, v * t + a * (0.5 * t * t)))

    step = 1e-4
    rate = (velocity(step) - velocity(-step)) / (2.0 * step)
    assert_close(sv.convert(a, robot, to=library, what="a", q=q, v=v), rate, 10.0 * step * step)


def test_planar_and_ball_joints_of_pinocchio() -> None:
    """A planar joint has its velocity in the axes of the body there, and (x, y, cos θ, sin θ) for a position."""
    pin = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(3)
    inertias = [random_inertia(rng) for _ in range(2)]
    placement = random_pose(rng)
    robot = sv.Robot(
        Model(
            "cart",
            (
                Body("cart", None, Planar(), placement, inertias[0], "cart"),
                Body("load", "cart", Spherical(), placement, inertias[1], "load"),
            ),
        )
    )
    model, parent = pin.Model(), 0
    X = pin.SE3(np.array(placement.as_matrix(), float))
    for name, joint, inertia in (
        ("cart", pin.JointModelPlanar(), inertias[0]),
        ("load", pin.JointModelSpherical(), inertias[1]),
    ):
        parent = model.addJoint(parent, joint, X, name)
        xx, xy, xz, yy, yz, zz = inertia.about_center
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        model.appendBodyToJoint(
            parent, pin.Inertia(inertia.mass, np.array([*inertia.center]), tensor), pin.SE3.Identity()
        )
    q, v, a, _ = random_states(robot)
    Q = sv.convert(q, robot, to="pinocchio")
    V = sv.convert(v, robot, to="pinocchio", what="v", q=q)
    A = sv.convert(a, robot, to="pinocchio", what="a", q=q, v=v)
    theirs = np.array([pin.rnea(model, model.createData(), *row) for row in zip(Q, V, A, strict=True)])
    tau = robot.inverse_dynamics(q, v, a)
    assert_close(sv.convert(tau, robot, to="pinocchio", what="tau", q=q), theirs, PEER)
    assert_close(sv.convert(theirs, robot, source="pinocchio", what="tau", q=q), tau, PEER)
    assert_close(sv.convert(A, robot, source="pinocchio", what="a", q=q, v=v), a, IDENTITY)


def test_six_vectors_of_pinocchio() -> None:
    bridge = pytest.importorskip("pinocchio_bridge")
    robot, peer = ARMS[1].load(), bridge.peer(ARMS[1])
    q, v, _, _ = random_states(robot)
    tip = robot.frame_names[-1]
    frame, wrench = peer.model.getFrameId(tip), np.random.default_rng(5).normal(size=6)
    for i in range(3):
        Q, V = (sv.convert(x[i], robot, to="pinocchio", what=k) for x, k in ((q, "q"), (v, "v")))
        bridge.pin.forwardKinematics(peer.model, peer.data, Q, V)
        theirs = bridge.pin.getFrameVelocity(peer.model, peer.data, frame, bridge.REFERENCES["local"]).vector
        ours = robot.velocity(q[i], v[i], tip, "local")
        assert_close(sv.convert(ours, robot, to="pinocchio", what="twist"), theirs, PEER, batched=False)
        power = bridge.pin.Force(sv.convert(wrench, robot, to="pinocchio", what="wrench")).dot(
            bridge.pin.Motion(theirs)
        )
        assert power == pytest.approx(float(wrench @ ours), rel=1e-12)


def test_six_vectors_of_mujoco() -> None:
    """`mj_objectVelocity` gives (ω, v), `xfrc_applied` takes (force, torque) at the centre of mass."""
    bridge = pytest.importorskip("mujoco_bridge")
    robot, peer = ARMS[1].load(), bridge.peer(ARMS[1])
    lib, model = bridge.mujoco, peer.model
    data = lib.MjData(model)  # other tests share the peer's
    q, v, _, _ = random_states(robot)
    name = robot.model.moving[-1].name
    body, wrench, twist = model.body(name).id, np.random.default_rng(5).normal(size=6), np.zeros(6)
    for i in range(3):
        data.qpos = sv.convert(q[i], robot, to="mujoco")
        data.qvel = sv.convert(v[i], robot, to="mujoco", what="v", q=q[i])
        forces = []
        for applied in (0.0 * wrench, sv.convert(wrench, robot, to="mujoco", what="wrench")):
            data.xfrc_applied[body] = applied
            lib.mj_forward(model, data)
            forces.append(data.qfrc_smooth.copy())
        lib.mj_objectVelocity(model, data, lib.mjtObj.mjOBJ_XBODY, body, twist, 0)
        ours = robot.velocity(q[i], v[i], name, "local_world_aligned")
        assert_close(sv.convert(ours, robot, to="mujoco", what="twist"), twist, PEER, batched=False)
        arm = data.xipos[body] - data.xpos[body]
        at_center = np.concatenate([ours[:3], ours[3:] + np.cross(ours[:3], arm)])
        assert (forces[1] - forces[0]) @ data.qvel == pytest.approx(float(wrench @ at_center), rel=1e-10)


def test_drake_by_its_documented_layout() -> None:
    """Positions (w x y z, x y z), velocities (ω, v), both in world axes.

    Drake's `QuaternionFloatingJoint` documents q = (qw, qx, qy, qz, px, py, pz) and v = (ω, v), the velocity of the
    body measured and expressed in the frame of its parent; its `SpatialVelocity` and `SpatialForce` have the rotational
    part first.
    """
    robot = sv.load("panda", floating=True)
    q, v, _, _ = random_states(robot)
    assert np.array_equal(sv.convert(q, robot, to="drake")[:, :7], q[:, [6, 3, 4, 5, 0, 1, 2]])
    spatial = robot.velocity(q, v, robot.model.bodies[0].name, "local_world_aligned")
    assert_close(sv.convert(v, robot, to="drake", what="v", q=q)[:, :6], spatial, IDENTITY)


def test_six_vectors_and_quaternions() -> None:
    robot, six, turn = sv.load("panda"), np.arange(6.0), np.array([0.1, 0.2, 0.3, 0.9])
    assert sv.convert(six, robot, to="ros", what="wrench").tolist() == [3, 4, 5, 0, 1, 2]
    assert sv.convert(six, robot, to="drake", what="wrench").tolist() == six.tolist()
    assert sv.convert(turn, robot, to="mujoco", what="quaternion").tolist() == [0.9, 0.1, 0.2, 0.3]
    assert sv.convert(turn[[3, 0, 1, 2]], robot, source="mujoco", what="quaternion").tolist() == turn.tolist()


def test_mistakes() -> None:
    robot, floating = sv.load("panda"), sv.load("panda", floating=True)
    with pytest.raises(sv.SixvecError, match=named("pinochio", "pinocchio")):
        sv.convert(np.zeros(7), robot, to="pinochio")
    with pytest.raises(sv.SixvecError, match=named("to")):
        sv.convert(np.zeros(7), robot)
    with pytest.raises(sv.SixvecError, match=named("x")):
        sv.convert(np.zeros(7), robot, to="ros", what="x")
    with pytest.raises(ValueError, match=named("convert", "q")):
        sv.convert(np.zeros(6), robot, to="ros")
    with pytest.raises(sv.SixvecError, match=named("q")):
        sv.convert(np.zeros(13), floating, to="mujoco", what="v")
    assert set(KINDS) >= {"q", "v", "wrench", "quaternion"}


S = np.sqrt(0.5)
BASE, CART, BALL, HINGE = (7.0, 8.0, 9.0, 0.0, 0.0, S, S), (1.0, 2.0, np.pi / 2), (S, 0.0, 0.0, S), (0.5,)
"""A free body turned by 90° about z, a cart turned by 90°, a ball by 90° about x, and an angle without limits."""

BY_HAND: dict[str, dict[str, list[tuple[float, ...]]]] = {
    "pinocchio": {  # children by the names of their joints: the ball before the cart
        "q": [BASE, BALL, (1.0, 2.0, 0.0, 1.0), (np.cos(0.5), np.sin(0.5))],
        "v": [(4.0, 5.0, 6.0, 1.0, 2.0, 3.0), (7.0, 8.0, 9.0), (4.0, -3.0, 5.0), (6.0,)],
        "a": [(0.4, 0.5, 0.6, 0.1, 0.2, 0.3), (0.7, 0.8, 0.9), (-14.8, -20.1, 0.3), (0.6,)],
    },
    "mujoco": {
        "q": [(7.0, 8.0, 9.0, S, 0.0, 0.0, S), CART, (S, S, 0.0, 0.0), HINGE],
        "v": [(-5.0, 4.0, 6.0, 1.0, 2.0, 3.0), (3.0, 4.0, 5.0), (7.0, 8.0, 9.0), (6.0,)],
        "a": [(-6.5, -2.6, -2.4, 0.1, 0.2, 0.3), (0.1, 0.2, 0.3), (0.7, 0.8, 0.9), (0.6,)],
    },
    "drake": {
        "q": [(S, 0.0, 0.0, S, 7.0, 8.0, 9.0), CART, (np.pi / 2, 0.0, 0.0), HINGE],
        "v": [(-2.0, 1.0, 3.0, -5.0, 4.0, 6.0), (3.0, 4.0, 5.0), (7.0, -9.0, 8.0), (6.0,)],
        "a": [(-0.2, 0.1, 0.3, -6.5, -2.6, -2.4), (0.1, 0.2, 0.3), (0.7, -0.9, 0.8), (0.6,)],
    },
    "ros": {
        "q": [BASE, CART, BALL, HINGE],
        "v": [(4.0, 5.0, 6.0, 1.0, 2.0, 3.0), (3.0, 4.0, 5.0), (7.0, 8.0, 9.0), (6.0,)],
        "a": [(0.4, 0.5, 0.6, 0.1, 0.2, 0.3), (0.1, 0.2, 0.3), (0.7, 0.8, 0.9), (0.6,)],
    },
}  # fmt: skip


def every_joint() -> sv.Robot:
    rng = np.random.default_rng(0)
    plan = [
        ("base", None, Free(), "root"),
        ("cart", "base", Planar(), "rail"),
        ("ball", "base", Spherical(), "neck"),
        ("hinge", "cart", Revolute(), "elbow"),
    ]
    return sv.Robot(
        Model("kinds", tuple(Body(b, p, j, random_pose(rng), random_inertia(rng), name) for b, p, j, name in plan))
    )


@pytest.mark.parametrize("library", BY_HAND)
def test_every_layout_by_hand(library: str) -> None:
    """Turned by 90°, axes are exchanged; accelerations of points have ω × v in addition, (1,2,3) × (4,5,6)."""
    robot = every_joint()
    ours = {
        "q": np.concatenate([BASE, CART, BALL, HINGE]),
        "v": np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.0, 4.0, 5.0, 7.0, 8.0, 9.0, 6.0]),
        "a": np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 0.6]),
    }
    for what, parts in BY_HAND[library].items():
        there = sv.convert(ours[what], robot, to=library, what=what, q=ours["q"], v=ours["v"])
        np.testing.assert_allclose(there, np.concatenate(parts), rtol=0, atol=1e-14)
        back = sv.convert(there, robot, source=library, what=what, q=ours["q"], v=ours["v"])
        np.testing.assert_allclose(back, ours[what], rtol=0, atol=1e-13)
    six = np.arange(6.0)
    swapped = {
        "pinocchio": ("wrench", "twist"), "mujoco": ("wrench",), "drake": (), "ros": ("wrench", "twist"),
    }  # fmt: skip
    for what in ("wrench", "twist"):
        wanted = [3, 4, 5, 0, 1, 2] if what in swapped[library] else [*range(6)]
        assert sv.convert(six, robot, to=library, what=what).tolist() == wanted


def test_angles_of_drakes_ball_joints() -> None:
    turns = pytest.importorskip("scipy.spatial.transform").Rotation
    rng = np.random.default_rng(0)
    robot = sv.Robot(Model("ball", (Body("b", None, Spherical(), random_pose(rng), random_inertia(rng), "j"),)))
    angles = np.array([[0.3, 0.4, 0.5], [-2.0, -1.2, 3.0], [1.0, 1.5, -2.5]])
    theirs = turns.from_euler("xyz", angles)
    quaternion = sv.convert(angles, robot, source="drake")
    np.testing.assert_allclose(np.abs(np.sum(quaternion * theirs.as_quat(), axis=-1)), 1.0, atol=1e-14)
    np.testing.assert_allclose(sv.convert(theirs.as_quat(), robot, to="drake"), angles, atol=1e-12)
    omega = rng.normal(size=(3, 3))
    there = sv.convert(omega, robot, to="drake", what="v", q=theirs.as_quat())
    np.testing.assert_allclose(there, theirs.apply(omega), atol=1e-13)
