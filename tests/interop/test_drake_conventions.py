"""`sixvec.convert` against Drake itself: the same mechanisms there, asked for the converted states."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from random_states import random_states
from random_trees import random_inertia, random_pose
from sixvec.formats.urdf.write import write_urdf
from sixvec.model import WORLD, Body, Model
from sixvec.model.joints import Free, Planar, Prismatic, Revolute, Spherical
from sixvec.spatial import Vec3
from tolerances import PEER, assert_close

parsing = pytest.importorskip("pydrake.multibody.parsing")
plants = pytest.importorskip("pydrake.multibody.plant")
trees = pytest.importorskip("pydrake.multibody.tree")
transforms = pytest.importorskip("pydrake.math")
maths = pytest.importorskip("pydrake.multibody.math")


def branched(seed: int, root: str) -> Model:
    """A tree whose branches start in the middle of others: orders by depth, by level and by name all differ."""
    rng = np.random.default_rng(seed)
    first = {"floating": Free(), "fixed": Revolute(Vec3(0.0, 1.0, 0.0)), "planar": Planar()}[root]
    plan = {
        "a": (WORLD, first),
        "b": ("a", Revolute(Vec3(1.0, 2.0, 3.0))),
        "c": ("b", Prismatic(Vec3(0.0, 1.0, 1.0))),
        "f": ("c", Revolute()),
        "aa": ("b", Revolute(Vec3(1.0, 0.0, 0.0))),
        "d": ("a", Revolute(Vec3(0.0, 0.0, 1.0))),
        "e": ("d", Planar()),
    }
    bodies = [
        Body(name, parent, joint, random_pose(rng), random_inertia(rng), f"j{name}")
        for name, (parent, joint) in plan.items()
    ]
    return Model("tree", tuple(bodies))


class Peer:
    """The mechanism of a model, built joint by joint in Drake."""

    def __init__(self, model: Model) -> None:
        self.plant = plants.MultibodyPlant(0.0)
        self.plant.mutable_gravity_field().set_gravity_vector(np.array([*model.gravity], float))
        for b in model.bodies:
            self._add(b)
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()

    def _add(self, b: Body) -> None:
        center = np.array([*b.inertia.center], float)
        xx, xy, xz, yy, yz, zz = b.inertia.rot
        inertia = trees.SpatialInertia(
            b.inertia.mass, center,
            trees.UnitInertia(*(np.array([xx, yy, zz, xy, xz, yz]) / b.inertia.mass)),
        )  # fmt: skip
        body = self.plant.AddRigidBody(b.name, trees.default_model_instance(), inertia)
        parent = self.plant.world_body() if b.parent is WORLD else self.plant.GetBodyByName(b.parent)
        X = transforms.RigidTransform(np.array(b.placement.as_matrix(), float))
        frame = self.plant.AddFrame(trees.FixedOffsetFrame(f"at {b.name}", parent.body_frame(), X))
        ends = b.joint_name, frame, body.body_frame()
        match b.joint:
            case Free():
                self.plant.AddJoint(trees.QuaternionFloatingJoint(*ends))
            case Spherical():
                self.plant.AddJoint(trees.BallRpyJoint(*ends))
            case Planar():
                self.plant.AddJoint(trees.PlanarJoint(*ends, np.zeros(3)))
            case Revolute(axis):
                self.plant.AddJoint(trees.RevoluteJoint(*ends, np.array([*axis], float)))
            case Prismatic(axis):
                self.plant.AddJoint(trees.PrismaticJoint(*ends, np.array([*axis], float)))

    def at(self, q: np.ndarray, v: np.ndarray) -> None:
        self.plant.SetPositions(self.context, q)
        self.plant.SetVelocities(self.context, v)

    def inverse_dynamics(self, a: np.ndarray, wrench: np.ndarray | None = None, on: str = "") -> np.ndarray:
        forces = trees.MultibodyForces(self.plant)
        self.plant.CalcForceElementsContribution(self.context, forces)
        if wrench is not None:
            body = self.plant.GetBodyByName(on)
            body.AddInForceInWorld(self.context, maths.SpatialForce(wrench), forces)
        return np.array(self.plant.CalcInverseDynamics(self.context, a, forces))


def both(root: str) -> tuple[sv.Robot, Peer]:
    model = branched(4, root)
    return sv.Robot(model), Peer(model)


@pytest.mark.parametrize("root", ["fixed", "floating", "planar"])
def test_drakes_states(root: str) -> None:
    robot, peer = both(root)
    assert (robot.nq, robot.nv) == (peer.plant.num_positions(), peer.plant.num_velocities())
    q, v, a, _ = random_states(robot)
    Q = sv.convert(q, robot, to="drake")
    V = sv.convert(v, robot, to="drake", what="v", q=q)
    A = sv.convert(a, robot, to="drake", what="a", q=q, v=v)
    tau = robot.inverse_dynamics(q, v, a)
    T = sv.convert(tau, robot, to="drake", what="tau", q=q)
    wrench = np.random.default_rng(1).normal(size=6)
    for i in range(3):
        peer.at(Q[i], V[i])
        for b in robot.model.bodies:
            frame = peer.plant.GetBodyByName(b.name).body_frame()
            X = frame.CalcPoseInWorld(peer.context).GetAsMatrix4()
            assert_close(robot.pose(q[i], b.name), X, PEER, batched=False)
            twist = frame.CalcSpatialVelocityInWorld(peer.context).get_coeffs()
            ours = robot.velocity(q[i], v[i], b.name)
            assert_close(sv.convert(ours, robot, to="drake", what="twist"), twist, PEER, batched=False)
        theirs = peer.inverse_dynamics(A[i])
        assert_close(T[i], theirs, PEER, batched=False)
        assert_close(sv.convert(theirs, robot, source="drake", what="tau", q=q[i]), tau[i], PEER, batched=False)
        pushed = peer.inverse_dynamics(A[i], sv.convert(wrench, robot, to="drake", what="wrench"), "f")
        external = robot.inverse_dynamics(
            q[i], v[i], a[i], external={"f": wrench}, external_reference="local_world_aligned"
        )
        assert_close(sv.convert(external, robot, to="drake", what="tau", q=q[i]), pushed, PEER, batched=False)


@pytest.mark.parametrize("root", ["fixed", "floating", "planar"])
def test_drakes_results_come_back(root: str) -> None:
    """States chosen by Drake, read here: the same kinetic and potential energy up to a constant, the same motion."""
    robot, peer = both(root)
    rng = np.random.default_rng(2)
    for _ in range(3):
        Q, V = rng.normal(size=peer.plant.num_positions()), rng.normal(size=peer.plant.num_velocities())
        if root == "floating":
            start = peer.plant.GetJointByName("ja").position_start()
            Q[start : start + 4] /= np.linalg.norm(Q[start : start + 4])
        peer.at(Q, V)
        q = sv.convert(Q, robot, source="drake")
        v = sv.convert(V, robot, source="drake", what="v", q=q)
        assert_close(robot.kinetic_energy(q, v), peer.plant.CalcKineticEnergy(peer.context), PEER, batched=False)
        M = peer.plant.CalcMassMatrix(peer.context)
        assert_close(0.5 * V @ M @ V, robot.kinetic_energy(q, v), PEER, batched=False)


def test_drakes_ball_joints() -> None:
    """Roll, pitch and yaw there, a quaternion here; velocities in the parent's axes there, in the body's here."""
    rng = np.random.default_rng(3)
    plan = {"a": (WORLD, Revolute(Vec3(0.0, 1.0, 0.0))), "b": ("a", Spherical()), "c": ("b", Spherical())}
    model = Model(
        "balls", tuple(Body(n, p, j, random_pose(rng), random_inertia(rng), f"j{n}") for n, (p, j) in plan.items())
    )
    robot, peer = sv.Robot(model), Peer(model)
    q, v, a, _ = random_states(robot)
    Q = sv.convert(q, robot, to="drake")
    V = sv.convert(v, robot, to="drake", what="v", q=q)
    A = sv.convert(a, robot, to="drake", what="a", q=q, v=v)
    tau = robot.inverse_dynamics(q, v, a)
    back = sv.convert(Q, robot, source="drake")
    for i in range(3):
        peer.at(Q[i], V[i])
        X = peer.plant.GetBodyByName("c").body_frame().CalcPoseInWorld(peer.context).GetAsMatrix4()
        assert_close(robot.pose(q[i], "c"), X, PEER, batched=False)
        assert_close(robot.pose(back[i], "c"), X, PEER, batched=False)
        theirs = peer.inverse_dynamics(A[i])
        assert_close(sv.convert(theirs, robot, source="drake", what="tau", q=q[i]), tau[i], PEER, batched=False)
    assert_close(sv.convert(V, robot, source="drake", what="v", q=q), v, PEER)
    assert_close(sv.convert(A, robot, source="drake", what="a", q=q, v=v), a, PEER)


def test_the_urdf_that_is_written_is_drakes_too() -> None:
    robot = sv.load("panda", floating=True)
    plant = plants.MultibodyPlant(0.0)
    parsing.Parser(plant).AddModelsFromString(write_urdf(sv.load("panda").model), "urdf")
    plant.Finalize()
    context = plant.CreateDefaultContext()
    q, v, _, _ = random_states(robot)
    for i in range(3):
        plant.SetPositions(context, sv.convert(q[i], robot, to="drake"))
        plant.SetVelocities(context, sv.convert(v[i], robot, to="drake", what="v", q=q[i]))
        X = plant.GetBodyByName("panda_link8").body_frame().CalcPoseInWorld(context).GetAsMatrix4()
        assert_close(robot.pose(q[i], "panda_link8"), X, PEER, batched=False)
        energy = plant.CalcKineticEnergy(context)
        assert_close(robot.kinetic_energy(q[i], v[i]), energy, PEER, batched=False)
