"""Inverse dynamics of Pinocchio and MuJoCo for the same robot, if they are installed.

They read the robot's own file if it has their format, so that the reader is compared too; otherwise a temporary one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from sixvec.analysis.verify.check import MeasuredStatement, Subject, row_sizes, size
from sixvec.analysis.verify.state import Array, State
from sixvec.errors import SixvecError
from sixvec.formats.coordinate_places import places
from sixvec.formats.load import load_model
from sixvec.formats.save import writer
from sixvec.interop.conventions import convert
from sixvec.model import Model
from sixvec.model.edits import without_closures
from sixvec.model.geom import Mesh, Polyhedron
from sixvec.robot import Robot

SAME = 1e-8
"""Two libraries on one file: their readers round angles and inertias differently."""

MESHES = 5e-7
"""MuJoCo has the vertices of meshes in single precision, from which masses and inertias of bodies may follow."""


def peer_findings(robot: Robot, s: Subject) -> list[MeasuredStatement]:
    """One finding for each peer: the difference of inverse dynamics, or the reason why it was not compared.

    The subject is the open tree.
    """
    findings = []
    for name, package, suffix, evaluate in PEERS:
        statement, meaning = f"ID = {name}", "inverse dynamics of another library"
        try:
            residual, note = _difference(package, suffix, evaluate, robot, s), ""
        except ImportError:
            residual, note = None, f"{name} is not installed"
        except (SixvecError, ValueError, RuntimeError, KeyError) as problem:
            residual, note = None, (str(problem).splitlines() or [type(problem).__name__])[0]
        meshes = any(isinstance(g.shape, Mesh | Polyhedron) for g in robot.model.geoms)
        tolerance = MESHES if meshes and name == "MuJoCo" else SAME
        findings.append(MeasuredStatement(statement, meaning, residual, tolerance, note))
    return findings


def _difference(package: str, suffix: str, evaluate: Callable[..., Array], robot: Robot, s: Subject) -> float:
    """The largest difference of inverse dynamics, relative to the largest forces of the same joint."""
    if robot.parameters:
        raise ValueError("the load is not part of a file")
    if suffix == ".urdf" and any(any(b.armature) for b in robot.model.bodies):
        raise ValueError("URDF cannot hold the inertia of rotors")
    peer, tree, (q, v, a) = import_module(package), s.robot, s.state
    with _file(tree.model, robot.source, suffix) as file:
        read, floating = _read(file, tree)
        to_q, to_v = (places(tree.model, read.model, slices) for slices in ("q_slices", "v_slices"))
        theirs = evaluate(peer, file, read, floating, State(q[:, to_q], v[:, to_v], a[:, to_v]))
    ours = tree.inverse_dynamics(q, v, a)
    scale = row_sizes(ours, -1)[..., to_v]
    return size((ours[:, to_v] - theirs) / np.where(scale > 0.0, scale, 1.0))


def _read(file: Path, tree: Robot) -> tuple[Robot, bool]:
    """The robot of a file as a tree, and whether that needs a free joint under its root."""
    gravity = tree.gravity.tolist()
    likely = file.suffix == ".urdf" and tree.model.moving[0].joint.is_free  # other formats have free joints
    for floating in (likely, not likely):
        model = load_model(file, floating=floating, gravity=gravity)
        if model.nv == tree.nv:
            break
    return Robot(without_closures(model)), floating


def _pinocchio(pin: Any, file: Path, robot: Robot, floating: bool, s: State) -> Array:
    root = (pin.JointModelFreeFlyer(),) if floating else ()
    model = pin.buildModelFromUrdf(str(file), *root)
    model.gravity.linear = np.array(robot.gravity)
    model.armature[:] = 0.0
    data = model.createData()

    def tau(q: Array, v: Array, a: Array) -> Any:
        return pin.rnea(model, data, q, v, a)

    return _rows("pinocchio", robot, s, tau)


def _mujoco(mujoco: Any, file: Path, robot: Robot, floating: bool, s: State) -> Array:
    if floating:
        raise ValueError("the file has no free joint")
    model = mujoco.MjModel.from_xml_path(str(file))
    if np.any(getattr(model, "tendon_armature", 0.0)):
        raise ValueError("the inertia of tendons is not part of a robot")
    _switch_off(mujoco, model)
    model.opt.gravity[:] = robot.gravity
    data = mujoco.MjData(model)

    def tau(q: Array, v: Array, a: Array) -> Any:
        data.qpos, data.qvel, data.qacc = q, v, a
        mujoco.mj_inverse(model, data)
        return data.qfrc_inverse

    return _rows("mujoco", robot, s, tau)


OFF = ("CONSTRAINT", "CONTACT", "LIMIT", "ACTUATION", "PASSIVE", "SPRING", "DAMPER")
ZERO = ("frictionloss", "damping", "dampingpoly", "stiffness", "stiffnesspoly")


def _switch_off(mujoco: Any, model: Any) -> None:
    """Leave rigid bodies only: no springs, dampers, friction, fluid or compensation of weight.

    Each version of MuJoCo has some of these flags and fields.
    """
    for name in OFF:
        model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", 0)
    for name in ("body_gravcomp", *(f"{kind}_{name}" for kind in ("dof", "jnt", "tendon") for name in ZERO)):
        if (field := getattr(model, name, None)) is not None:
            field[:] = 0.0
    model.opt.density = model.opt.viscosity = 0.0
    model.opt.wind[:] = 0.0


def _rows(layout: str, robot: Robot, s: State, tau: Callable[..., Any]) -> Array:
    """Their joint forces for each of our states, in our layout; theirs depends on q where they use world axes."""
    q, v, a = s
    theirs = zip(
        convert(q, robot, to=layout),
        convert(v, robot, to=layout, what="v", q=q),
        convert(a, robot, to=layout, what="a", q=q, v=v),
        strict=True,
    )
    return convert([tau(*each).copy() for each in theirs], robot, source=layout, what="tau", q=q)


PEERS: tuple[tuple[str, str, str, Callable[..., Array]], ...] = (
    ("Pinocchio", "pinocchio", ".urdf", _pinocchio),
    ("MuJoCo", "mujoco", ".xml", _mujoco),
)


@contextmanager
def _file(model: Model, source: str | None, suffix: str) -> Iterator[Path]:
    """The model as a file of that suffix: its own, or one in a temporary folder."""
    if source and Path(source).suffix == suffix and Path(source).is_file():
        yield Path(source)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"robot{suffix}"
        file.write_text(writer(file)(replace(model, geoms=())), encoding="utf-8")
        yield file
