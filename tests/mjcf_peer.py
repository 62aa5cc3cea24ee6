"""The same MJCF file here and in MuJoCo, at the same states."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixvec
from sixvec.formats import load_model
from sixvec.formats.unsupported import UnsupportedPhysics
from sixvec.model import JointDynamics, Model
from sixvec.model.edits import without_closures
from sixvec.robot import Robot
from sixvec.spatial import Pose
from tolerances import error

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is the oracle")

SAMPLES = 3


def quietly(path: Path, **options: Any) -> Model:
    """The model of a file, without the list of what it cannot hold."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnsupportedPhysics)
        return load_model(path, **options)


def bare(model: Model) -> Model:
    """The mechanism alone: rotors stay, friction and springs go."""
    stripped = (replace(b, dynamics=JointDynamics(armature=b.dynamics.armature)) for b in model.bodies)
    return replace(model, bodies=tuple(stripped))


def mechanism(path: Path) -> Any:
    """MuJoCo's model without contacts, motors, friction, springs and fluid."""
    model = mujoco.MjModel.from_xml_path(str(path))
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_ACTUATION
    model.dof_damping[:] = model.jnt_stiffness[:] = model.dof_frictionloss[:] = 0.0
    model.tendon_stiffness[:] = model.tendon_damping[:] = 0.0
    model.opt.density = model.opt.viscosity = 0.0
    return model


def compare(path: Path) -> dict[str, float]:
    """The largest relative errors at random states: poses of bodies and sites, mass matrix, inverse dynamics."""
    ours, theirs = bare(quietly(path)), mechanism(path)
    robot, data = Robot(without_closures(ours)), mujoco.MjData(theirs)
    assert (robot.nq, robot.nv) == (theirs.nq, theirs.nv)
    assert len(ours.frames) >= theirs.nbody
    worst = {"pose": 0.0, "mass_matrix": 0.0, "inverse_dynamics": 0.0}
    rng = np.random.default_rng(3)
    for _ in range(SAMPLES):
        q, v, a = robot.random(rng), rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        data.qpos = sixvec.convert(q, robot, to="mujoco")
        data.qvel = sixvec.convert(v, robot, to="mujoco", what="v", q=q)
        data.qacc = sixvec.convert(a, robot, to="mujoco", what="a", q=q, v=v)
        mujoco.mj_inverse(theirs, data)
        tau = sixvec.convert(data.qfrc_inverse, robot, source="mujoco", what="tau", q=q)
        # Uncompiled: the models are many, and what is asked is what was read.
        found = {
            "pose": _poses(ours, theirs, data, q),
            "mass_matrix": _error(robot.evaluate("mass_matrix", [*q]), _mass_matrix(robot, theirs, data, q)),
            "inverse_dynamics": _error(robot.evaluate("inverse_dynamics", [*q], [*v], [*a]), tau),
        }
        worst = {key: max(worst[key], found[key]) for key in worst}
    return worst


def _error(actual: Any, expected: Any) -> float:
    return error(np.array(actual, float), expected, batched=False)


def _mass_matrix(robot: Robot, theirs: Any, data: Any, q: np.ndarray) -> np.ndarray:
    T = np.array([sixvec.convert(e, robot, to="mujoco", what="v", q=q) for e in np.eye(robot.nv)]).T
    columns = np.zeros((theirs.nv, theirs.nv))
    for column, e in zip(columns, np.eye(theirs.nv), strict=True):
        mujoco.mj_mulM(theirs, data, column, e)
    return T.T @ columns.T @ T


def _poses(ours: Model, theirs: Any, data: Any, q: np.ndarray) -> float:
    """Bodies by number, for they need no name; sites by name."""
    X: dict[str | None, Pose] = {None: Pose.identity()}
    for b in ours.bodies:
        X[b.name] = X[b.parent] @ b.placement @ b.joint.pose(q[ours.q_slices[b.name]])
    worst, bodies = 0.0, theirs.nbody
    for number, f in enumerate(ours.frames):
        if number < bodies:
            place = data.xpos[number], data.xmat[number]
        else:
            site = data.site(f.name.removesuffix(" (site)"))
            place = site.xpos, site.xmat
        H = np.array((X[f.body] @ f.placement).as_matrix(), float)
        worst = max(worst, np.abs(H[:3, 3] - place[0]).max() / (1.0 + np.abs(place[0]).max()))
        worst = max(worst, np.abs(H[:3, :3] - place[1].reshape(3, 3)).max())
    return float(worst)
