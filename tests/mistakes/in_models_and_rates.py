"""Edits of models, theory, wheels and rates: what other tables have no place for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sixvec as sv
from mistakes import Mistake, mistake
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.ik.redundancy.limited_rates import rates_within_limits
from sixvec.model import Body, Limits, Mimic, Model
from sixvec.model.edits import attach, lock, mirror, rename
from sixvec.model.joints import Revolute
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3
from sixvec.theory.lagrange.stacked import StackedDynamics
from sixvec.theory.operators.link_blocks import link_blocks

ARM = sv.load("planar_2r")
SLAB = RigidInertia.from_center_of_mass(1.0, Vec3(0.0, 0.0, 0.1), Sym3.diagonal(0.2, 0.3, 0.4))
MOBILE = sv.mobile.mount(ARM, sv.mobile.differential_drive(0.5, 0.1), np.eye(4), inertia=SLAB)
TRUCK = sv.mobile.Truck(sv.mobile.differential_drive(0.5, 0.1), (sv.mobile.Trailer(0.0, 1.0),))
RATES: Any = ([[1.0, 1.0]], [0.1], ([-1.0, -1.0], [1.0, 1.0]))
STEP = Pose(Pose.identity().rot, Vec3(0.0, 0.0, 1.0))


def geared() -> Model:
    """j2 = -2 j1 + 0.1  and  j3 = 3 j2 + 0.2."""
    wide, x = Limits((-2.0,), (2.0,)), Revolute(Vec3(1.0, 0.0, 0.0))
    bodies = (
        Body("a", None, x, joint_name="j1", limits=wide),
        Body("b", "a", x, STEP, joint_name="j2", limits=wide, mimic=Mimic("a", -2.0, 0.1)),
        Body("c", "b", x, STEP, joint_name="j3", limits=wide, mimic=Mimic("b", 3.0, 0.2)),
        Body("d", "c", x, STEP, joint_name="j4", limits=wide),
    )
    return Model("geared", bodies)


def rows() -> Iterator[Mistake]:
    yield from _edits()
    yield mistake(
        "rates_within_limits: secondary",
        lambda: rates_within_limits(*RATES, secondary=np.eye(2)),
        ShapeError,
        "secondary",
    )
    yield mistake("rates_within_limits: weights",
                  lambda: rates_within_limits(*RATES, joint_weight=np.ones((3, 1, 1)) * np.eye(2)),
                  ShapeError, "weight")  # fmt: skip
    yield mistake("StackedDynamics.at: q", lambda: StackedDynamics.at(ARM, [np.inf, 0.0]), ArgumentError, "q")
    yield mistake("link_blocks: q", lambda: link_blocks(ARM.model, [0.0, np.inf]), ArgumentError, "q")
    yield mistake(
        "at_poses: batches", lambda: MOBILE.at_poses(np.zeros((3, 3)), np.zeros((2, MOBILE.nq))), ShapeError, "at_poses"
    )
    times: Any = [[1.0], [1.0, 2.0]]
    yield mistake("odometry: ragged dt", lambda: TRUCK.odometry(np.ones((3, 2)), times, np.zeros(3), [0.0]), ShapeError,
                  "dt", "ragged")  # fmt: skip


def _edits() -> Iterator[Mistake]:
    robot: Any = sv.Robot(geared())
    for name in ("j2", "j3"):
        yield mistake(
            f"lock: {name} without its leader", lambda n=name: lock(geared(), [n]), ModelError, "geared", "j1"
        )
    yield mistake("lock: another position than the leader implies",
                  lambda: lock(geared(), {"j1": 1.0, "j2": 0.5}), ModelError,
                  "geared", "j2", "j1")  # fmt: skip
    yield mistake("rename: a name twice", lambda: rename(geared(), {"j1": "j4"}), ModelError, "geared", "j4")
    other = Model("other", (Body("e", None, Revolute(), joint_name="j4"),))
    yield mistake("attach: a name twice", lambda: attach(geared(), other, "d"), ModelError, "geared", "j4")
    yield mistake("lock: a robot", lambda: lock(robot, ["j1"]), ArgumentError, "lock", "robot.model")
    yield mistake("attach: a robot", lambda: attach(geared(), robot, "d"), ArgumentError, "attach")
    for what, normal in (("zero", Vec3(0.0, 0.0, 0.0)), ("NaN", Vec3(0.0, np.nan, 0.0))):
        yield mistake(f"mirror: normal {what}", lambda n=normal: mirror(geared(), n), ModelError, "mirror")
