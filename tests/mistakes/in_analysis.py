"""Analysis, identification and kinematic maps: positions, poses, metrics, counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import sixvec
from mistakes import Mistake, mistake
from sixvec.analysis import (
    chebyshev,
    configuration,
    distance_accuracy,
    dynamic_manipulability,
    force_manipulability,
    mobility,
    pose_accuracy,
    rate_demand,
    singularity,
    velocity_manipulability,
    workspace,
)
from sixvec.analysis.stacked import point_jacobian
from sixvec.errors import ArgumentError, CallError, ShapeError
from sixvec.identification import calibrate
from sixvec.ik import inverse_acceleration, inverse_position, inverse_velocity
from sixvec.solve import Metric

ARM = sixvec.load("panda")
TOOL = "panda_link8"
BENT = np.array([0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8])
FLAT = sixvec.load("planar_2r")
POSES = np.asarray(FLAT.pose(np.zeros((4, 2)), "tip"))
NAN = np.nan

WITH_METRIC: dict[str, Callable[[Any], Any]] = {
    "singularity": lambda m: singularity(ARM, BENT, TOOL, m),
    "rate_demand": lambda m: rate_demand(ARM, BENT, np.ones(6), TOOL, m),
    "velocity_manipulability": lambda m: velocity_manipulability(ARM, BENT, TOOL, m),
    "force_manipulability": lambda m: force_manipulability(ARM, BENT, TOOL, m),
    "dynamic_manipulability": lambda m: dynamic_manipulability(ARM, BENT, TOOL, m),
    "inverse_velocity": lambda m: inverse_velocity(ARM, BENT, np.ones(6), TOOL, metric=m),
    "inverse_acceleration": lambda m: inverse_acceleration(ARM, BENT, BENT, np.ones(6), TOOL, metric=m),
    "workspace": lambda m: workspace(ARM, TOOL, m, samples=10),
    "configuration": lambda m: configuration(ARM, BENT, TOOL, m),
}


def rows() -> Iterator[Mistake]:
    yield from _metrics()
    yield from _positions()
    yield from _calibration()
    yield mistake("pose_accuracy: matrices", lambda: pose_accuracy(np.eye(4), np.stack([2.0 * np.eye(4)] * 3)),
                  ArgumentError, "pose_accuracy", "attained[0]")  # fmt: skip
    yield mistake("distance_accuracy: NaN", lambda: distance_accuracy(np.zeros((2, 3)), np.full((3, 2, 3), NAN)),
                  ArgumentError, "positions")  # fmt: skip
    yield mistake("chebyshev: links", lambda: chebyshev(-1, 2, 2), ArgumentError, "links")
    yield mistake("point_jacobian: batches", lambda: point_jacobian(FLAT, np.zeros((3, 2)), "tip", np.zeros((4, 3))),
                  ShapeError, "point_jacobian")  # fmt: skip


def _metrics() -> Iterator[Mistake]:
    for name, call in WITH_METRIC.items():
        yield mistake(f"{name}: metric of six joints", lambda c=call: c(Metric.from_length(0.2, 6)), ShapeError,
                      "Metric.from_length")  # fmt: skip
        yield mistake(
            f"{name}: metric of three rows", lambda c=call: c(Metric(np.eye(3), np.eye(7))), ShapeError, "twist"
        )
    for name in ("singularity", "velocity_manipulability", "force_manipulability"):
        yield mistake(f"{name}: matrix as metric",
                      lambda n=name: WITH_METRIC[n](np.eye(6)), CallError, "metric", "Metric")  # fmt: skip


def _positions() -> Iterator[Mistake]:
    poses = np.stack([ARM.pose(BENT, TOOL)] * 3)
    poses[2, :3, 0] *= -1.0
    yield mistake("inverse_position: matrix", lambda: inverse_position(ARM, np.eye(4) * 3, TOOL, BENT), ArgumentError,
                  "inverse_position", "pose")  # fmt: skip
    yield mistake("inverse_position: third pose", lambda: inverse_position(ARM, poses, TOOL, BENT), ArgumentError,
                  "inverse_position", "pose[2]")  # fmt: skip
    yield mistake("inverse_position: q0", lambda: inverse_position(ARM, np.eye(4), TOOL, np.zeros(6)), ShapeError,
                  "inverse_position", "q0")  # fmt: skip
    for bad in (NAN, np.inf):
        q = np.where(np.arange(7) == 3, bad, BENT)
        yield mistake(f"singularity: {bad} in q", lambda q=q: singularity(ARM, q, TOOL, Metric.from_length(0.2, 7)),
                      ArgumentError, "singularity", "q")  # fmt: skip
        yield mistake(f"mobility: {bad} in q", lambda q=q: mobility(ARM, q), ArgumentError, "mobility", "q")


def _calibration() -> Iterator[Mistake]:
    q = ARM.random(0, 10)
    measured = ARM.pose(q, TOOL)

    def changed(index: Any, value: float, factor: float = 1.0) -> Any:
        X = measured.copy()
        X[index] = X[index] * factor if factor != 1.0 else value
        return X

    cases: dict[str, tuple[Any, Any, type[Exception], str]] = {
        "scaled rotations": (q, changed(np.s_[[4, 7], :3, :3], 0.0, 1.3), ArgumentError, "measured[4]"),
        "NaN in a pose": (q, changed(np.s_[3, 0, 3], NAN), ArgumentError, "measured"),
        "infinite poses": (q, changed(np.s_[[5, 7]], np.inf), ArgumentError, "measured"),
        "a NaN position": (q, changed(np.s_[3, 0, 3], NAN)[:, :3, 3], ArgumentError, "measured"),
        "NaN in q": (np.where(np.arange(70).reshape(10, 7) == 44, NAN, q), measured, ArgumentError, "q"),
        "no measurement": (q[:0], measured[:0], ShapeError, "q"),
    }  # fmt: skip
    for what, (positions, poses, error, name) in cases.items():
        yield mistake(
            f"calibrate: {what}", lambda a=positions, b=poses: calibrate(ARM, a, b, TOOL), error, "calibrate", name
        )
    still = np.zeros((4, 2))
    yield mistake("calibrate: a number as q", lambda: calibrate(FLAT, 0.0, POSES, "tip"), ShapeError, "calibrate", "q")
    yield mistake("calibrate: one sigma",
                  lambda: calibrate(FLAT, still, POSES, "tip", sigma=(1e-3,)), ShapeError,  # type: ignore[arg-type]
                  "calibrate", "sigma")  # fmt: skip
    yield mistake("calibrate: sigma of zero", lambda: calibrate(FLAT, still, POSES, "tip", sigma=(1e-3, 0.0)),
                  ArgumentError, "calibrate", "sigma[1]")  # fmt: skip
    yield mistake("calibrate: length", lambda: calibrate(FLAT, still, POSES, "tip", length=-1.0), ArgumentError,
                  "calibrate", "length")  # fmt: skip
