"""The same SDF file here and in Drake, whose parser is the format's own library (pip install drake)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec
from sixvec.model import Model
from sixvec.model.edits import without_closures
from sixvec.spatial import Vec3
from tolerances import PEER, assert_close

parsing = pytest.importorskip("pydrake.multibody.parsing")
plants = pytest.importorskip("pydrake.multibody.plant")
trees = pytest.importorskip("pydrake.multibody.tree")


class Peer:
    """The same file in Drake, asked in our order of joints and by our names."""

    def __init__(self, source: str | Path, packages: dict[str, Path] | None = None) -> None:
        self.plant = plants.MultibodyPlant(0.0)
        parser = parsing.Parser(self.plant)
        for name, folder in (packages or {}).items():
            parser.package_map().Add(name, str(folder))
        if isinstance(source, Path):
            parser.AddModels(str(source))
        else:
            parser.AddModelsFromString(source, "sdf")
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()

    def _named(self, name: str, things: list[Any]) -> Any:
        """The joint or frame that we call so: its own name, in the model instance that the rest names."""
        scope, _, last = name.rpartition("::")
        instance = self.plant.GetModelInstanceName
        (found,) = [t for t in things if t.name() == last and instance(t.model_instance()).endswith(scope)]
        return found

    def columns(self, joints: list[str]) -> list[int]:
        things = [self.plant.get_joint(i) for i in self.plant.GetJointIndices()]
        found = [self._named(name, things) for name in joints]
        return [j.velocity_start() + i for j in found for i in range(j.num_velocities())]

    def pose(self, name: str) -> Any:
        things = [self.plant.get_frame(trees.FrameIndex(i)) for i in range(self.plant.num_frames())]
        return self._named(name, things).CalcPoseInWorld(self.context).GetAsMatrix4()

    def inverse_dynamics(self, a: Any) -> Any:
        forces = trees.MultibodyForces(self.plant)
        self.plant.CalcForceElementsContribution(self.context, forces)
        return self.plant.CalcInverseDynamics(self.context, a, forces)


def assert_same(model: Model, peer: Peer) -> None:
    """Poses of all frames, mass matrix and inverse dynamics at random states."""
    rng = np.random.default_rng(7)
    # Drake leaves the gravity of a world aside.
    gravity = Vec3.of(map(float, peer.plant.gravity_field().gravity_vector()))
    robot = sixvec.Robot(without_closures(model).with_gravity(gravity))
    assert (robot.nq, robot.nv) == (peer.plant.num_positions(), peer.plant.num_velocities())
    at = peer.columns([b.joint_name for b in model.moving])
    for _ in range(3):
        q, v, a = rng.uniform(-1.0, 1.0, (3, robot.nv))
        back = np.argsort(at)  # at is a permutation, so this is its inverse
        peer.plant.SetPositions(peer.context, q[back])
        peer.plant.SetVelocities(peer.context, v[back])
        for frame in robot.frame_names:
            assert_close(robot.pose(q, frame), peer.pose(frame), PEER, batched=False)
        M = peer.plant.CalcMassMatrix(peer.context)[np.ix_(at, at)]
        assert_close(robot.mass_matrix(q), M, PEER, batched=False)
        assert_close(robot.inverse_dynamics(q, v, a), peer.inverse_dynamics(a[back])[at], PEER, batched=False)
