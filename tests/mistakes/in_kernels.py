"""Loading a robot and calling its methods: names, shapes, types, results in place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import sixvec as sv
from mistakes import Mistake, mistake
from sixvec.errors import (
    ArgumentError,
    CallError,
    DtypeError,
    FrameNotFound,
    KernelNotFound,
    ModelError,
    RobotNotFound,
    ShapeError,
)
from sixvec.model import Body, Model
from sixvec.model.joints import Revolute
from sixvec.spatial import Force, Motion, Pose, RigidInertia, Rotation, Sym3, Vec3

PANDA: Any = sv.load("panda")
Z = np.zeros(7)
FRAME = "panda_link8"
NAN = math.nan


def rows() -> Iterator[Mistake]:
    yield mistake("load: robot", lambda: sv.load("pandda"), RobotNotFound, "pandda", "panda")
    yield mistake("load: file", lambda: sv.load("nowhere/arm.urdf"), RobotNotFound, "nowhere/arm.urdf", "arm.urdf")
    yield mistake("set_threads: 0", lambda: sv.set_threads(0), ArgumentError, "threads")
    yield mistake("Motion + Force", lambda: Motion.zero() + Force.zero(), TypeError, "Motion", "Force")
    yield mistake("Motion.dot: Motion", lambda: Motion.zero().dot(Motion.zero()), TypeError, "Motion", "Force")
    yield from _frames()
    yield from _shapes()
    yield from _results_in_place()
    yield from _options()
    yield from _models()


def _frames() -> Iterator[Mistake]:
    wrong = "panda_link9"
    calls: dict[str, Callable[[], Any]] = {
        "pose": lambda: PANDA.pose(Z, wrong),
        "jacobian": lambda: PANDA.jacobian(Z, wrong),
        "inverse_dynamics: external": lambda: PANDA.inverse_dynamics(Z, Z, Z, external={wrong: np.zeros(6)}),
        "kernel": lambda: PANDA.kernel("pose", frame=wrong),
    }
    for name, call in calls.items():
        yield mistake(f"{name}: frame", call, FrameNotFound, wrong, "panda_link0")
    yield mistake("pose: a number as frame", lambda: PANDA.pose(Z, 3), FrameNotFound, "3")
    yield mistake("pose: a list as frame", lambda: PANDA.pose(Z, [FRAME]), FrameNotFound, FRAME)


def _shapes() -> Iterator[Mistake]:
    yield mistake("inverse_dynamics: length of v", lambda: PANDA.inverse_dynamics(Z, Z[:6], Z), ShapeError,
                  "inverse_dynamics", "v")  # fmt: skip
    yield mistake("gravity_forces: a number as q", lambda: PANDA.gravity_forces(1.0), ShapeError, "gravity_forces", "q")
    yield mistake("inverse_dynamics: batches", lambda: PANDA.inverse_dynamics(np.zeros((3, 7)), np.zeros((4, 7)), Z),
                  ShapeError, "inverse_dynamics", "q", "v")  # fmt: skip
    yield mistake("gravity_forces: ragged q", lambda: PANDA.gravity_forces([[1.0] * 7, [2.0] * 6]), ShapeError,
                  "gravity_forces", "q", "ragged")  # fmt: skip
    yield mistake("inverse_dynamics: short wrench", lambda: PANDA.inverse_dynamics(Z, Z, Z, external={FRAME: Z[:3]}),
                  ShapeError, "inverse_dynamics", f"external[{FRAME}]")  # fmt: skip
    yield mistake("inverse_dynamics: array as external",
                  lambda: PANDA.inverse_dynamics(Z, Z, Z, np.zeros(6)), ArgumentError,
                  "inverse_dynamics", "external")  # fmt: skip
    values: dict[str, Any] = {
        "text": ["a"] * 7, "complex": np.zeros(7, complex), "None": [None] * 7, "digits": np.array(["1"] * 7)
    }  # fmt: skip
    for what, q in values.items():
        yield mistake(
            f"gravity_forces: {what} in q", lambda q=q: PANDA.gravity_forces(q), DtypeError, "gravity_forces", "q"
        )


def _results_in_place() -> Iterator[Mistake]:
    q, frozen = np.zeros((5, 7)), np.empty((5, 7))
    frozen.flags.writeable = False
    results: dict[str, tuple[Any, type[Exception]]] = {
        "columns": (np.empty((5, 6)), ShapeError),
        "float32": (np.empty((5, 7), np.float32), ShapeError),
        "list": ([0.0] * 7, ShapeError),
        "one row": (np.empty(7), ShapeError),
        "read-only": (frozen, ShapeError),
    }
    for what, (out, error) in results.items():
        yield mistake(f"gravity_forces: out, {what}", lambda o=out: PANDA.gravity_forces(q, out=o), error,
                      "gravity_forces", "out")  # fmt: skip


def _options() -> Iterator[Mistake]:
    yield mistake(
        "inverse_dynamics: one argument", lambda: PANDA.inverse_dynamics(Z), CallError, "inverse_dynamics", "v", "a"
    )
    yield mistake("pose: frames=", lambda: PANDA.pose(Z, frames=FRAME), CallError, "pose", "frames")
    yield mistake("gravity_forces: q twice", lambda: PANDA.gravity_forces(Z, q=Z), CallError, "gravity_forces", "q")
    yield mistake("gravity_forces: two arguments", lambda: PANDA.gravity_forces(Z, Z), CallError, "gravity_forces")
    yield mistake("jacobian: reference", lambda: PANDA.jacobian(Z, FRAME, reference="wrld"), ArgumentError, "reference",
                  "wrld", "local_world_aligned")  # fmt: skip
    yield mistake("kernel: name", lambda: PANDA.kernel("mas_matrix"), KernelNotFound, "mas_matrix", "mass_matrix")
    for name, call in (("kernel", PANDA.kernel), ("evaluate", PANDA.evaluate)):
        yield mistake(
            f"{name}: option", lambda c=call: c("mass_matrix", frame=FRAME), CallError, "mass_matrix", "frame"
        )
        yield mistake(f"{name}: missing option", lambda c=call: c("pose"), CallError, "pose", "frame")
    yield mistake("source: language", lambda: PANDA.kernel("mass_matrix").source("fortran"), ArgumentError, "fortran")
    yield mistake("derivative: input", lambda: PANDA.kernel("inverse_dynamics").derivative("w"), ArgumentError, "w")


def _models() -> Iterator[Mistake]:
    for value in (NAN, math.inf):
        mass, place = RigidInertia(value, Vec3.zero(), Sym3.zero()), Pose(Rotation.identity(), Vec3(value, 0.0, 0.0))
        yield mistake(f"Model: mass {value}", lambda m=mass: Model("arm", (Body("link", None, Revolute(), inertia=m),)),
                      ModelError, "link")  # fmt: skip
        yield mistake(f"Model: placement {value}", lambda p=place: Model("arm", (Body("link", None, Revolute(), p),)),
                      ModelError, "link")  # fmt: skip
        yield mistake(
            f"load: gravity {value}", lambda x=value: sv.load("panda", gravity=(0.0, 0.0, x)), ArgumentError, "gravity"
        )
        yield mistake(f"Revolute: axis {value}", lambda x=value: Revolute(Vec3(x, 0.0, 0.0)), ModelError, "axis")
    yield mistake("Model: a ring",
                  lambda: Model("loop", (Body("a", "b", Revolute()), Body("b", "a", Revolute()))), ModelError,
                  "a", "b")  # fmt: skip
    yield mistake("Model: a name twice", lambda: Model("twice", (Body("a"), Body("a"))), ModelError, "a")
    yield mistake("Revolute: no axis", lambda: Revolute(Vec3(0.0, 0.0, 0.0)), ModelError, "axis")
