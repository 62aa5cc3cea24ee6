"""Distances of an arm of spheres or capsules, and of a humanoid of convex hulls, to themselves: Pinocchio with coal.

The arm is the built-in Panda with 59 spheres (panda_spheres.txt), or with a capsule along each link; all pairs of links
are compared that are not neighbours.  The humanoid is a G1 with the hulls of its meshes.  Pinocchio gets the same file
and the same pairs, and is called for one state after another, on one core.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from contender import Unavailable
from ours import set_threads
from panda_shapes import arm_of
from result import Row, timing_row
from robots import ROBOTS, robots_folder
from selection import Selection
from state import Array
from targets import (
    CAPSULE_DISTANCE,
    CLEAR,
    CLEAR_ALONG_MOTIONS,
    DISTANCE_GRADIENT,
    HULL_DISTANCE,
    SELF_DISTANCE,
    SINGLE_DISTANCE,
)
from timing import Effort, interleaved

SECTION, ROBOT = "distances", "panda"
OURS, PINOCCHIO = "sixvec", "Pinocchio, computeDistances"
PEER_STATES = 64
AGREEMENT, OF_HULLS = 1e-9, 2e-6
HULLS = {"convex hulls, distance": 1.0, "convex hulls, distance near the middle": 0.3}
"""For each row with hulls, the part of the range of each joint in which states are."""


def rows(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    yield from _hulls(effort, selection, left_out)
    names = [*_QUESTIONS, "capsules, distance and gradient", "distance, one state"]
    wanted = [name for name in names if selection.wants(SECTION, ROBOT, name)]
    if not wanted:
        return
    set_threads(1)
    for kind in ("spheres", "capsules"):
        arm = arm_of(kind)
        rng = np.random.default_rng(0)
        q = arm.random(rng, effort.batch)
        try:
            theirs = _pinocchio(arm, q[:PEER_STATES])
        except Unavailable as error:
            left_out[f"{PINOCCHIO}, {SECTION}"] = str(error)
            theirs = None
        yield from (
            _row(name, arm, q, theirs, effort) for name in wanted if (name.startswith("caps")) == (kind[0] == "c")
        )


def _pinocchio(arm: Any, q: Array) -> Callable[[], Array]:
    try:
        import pinocchio as pin
    except ImportError as error:
        raise Unavailable(f"not installed ({error})") from None
    import sixvec as sv

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.urdf"
        sv.save(arm, path)
        model = pin.buildModelFromUrdf(str(path))
        geometry = pin.buildGeomFromUrdf(model, str(path), pin.GeometryType.COLLISION)
    return _all_distances(pin, model, geometry, arm, q)


def _pinocchio_hulls(path: Path, robot: Any, q: Array) -> Callable[[], Array]:
    try:
        import pinocchio as pin
    except ImportError as error:
        raise Unavailable(f"not installed ({error})") from None
    model = pin.buildModelFromUrdf(str(path))
    folder = robots_folder()
    geometry = pin.buildGeomFromUrdf(
        model, str(path), pin.GeometryType.COLLISION, package_dirs=[str(folder.parent.parent), str(folder)]
    )
    for g in geometry.geometryObjects:
        if hasattr(g.geometry, "buildConvexHull"):
            g.geometry.buildConvexHull(True, "Qt")
            g.geometry = g.geometry.convex
    return _all_distances(pin, model, geometry, robot, q)


def _all_distances(pin: Any, model: Any, geometry: Any, arm: Any, q: Array) -> Callable[[], Array]:
    compared = {frozenset(pair) for pair in arm.collision_pairs}
    frame = [model.frames[g.parentFrame].name for g in geometry.geometryObjects]
    for i in range(len(frame)):
        for j in range(i + 1, len(frame)):
            if frozenset((frame[i], frame[j])) in compared:
                geometry.addCollisionPair(pin.CollisionPair(i, j))
    data, geometry_data = model.createData(), geometry.createData()

    def call() -> Array:
        found = np.empty(len(q))
        for k, state in enumerate(q):
            least = pin.computeDistances(model, data, geometry, geometry_data, state)
            found[k] = geometry_data.distanceResults[least].min_distance
        return found

    return call


def _hulls(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    wanted = {name: part for name, part in HULLS.items() if selection.wants(SECTION, "g1", name)}
    if not wanted:
        return
    import sixvec as sv

    set_threads(1)
    path = robots_folder() / next(r.path for r in ROBOTS if r.name == "g1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its meshes are not convex
        robot = sv.load(path)
        pairs = len(robot.collision_pairs)
    for name, part in wanted.items():
        q = part * robot.random(np.random.default_rng(0), effort.batch)
        try:
            theirs = _pinocchio_hulls(path, robot, q[:PEER_STATES])
        except Unavailable as error:
            left_out[f"{PINOCCHIO}, {SECTION}"] = str(error)
            return
        expected = robot.distance(q[:PEER_STATES]).distance
        if (worst := float(np.abs(theirs() - expected).max())) > OF_HULLS:
            note = f"differs from Pinocchio by {worst:.1e} m"
            yield Row(SECTION, "g1", name, "x", None, note=note, failed=True)
            continue
        calls: dict[str, Callable[[], Any]] = {OURS: lambda q=q: robot.distance(q), PINOCCHIO: theirs}  # type: ignore[misc]
        counts = {OURS: len(q), PINOCCHIO: min(len(q), PEER_STATES)}
        seconds = {key: each / counts[key] for key, each in interleaved(calls, effort).items()}
        yield timing_row(SECTION, "g1", name, seconds, OURS, target=HULL_DISTANCE, note=f"{pairs} pairs of links")


_QUESTIONS: dict[str, tuple[Any, Callable[..., Callable[[], Any]]]] = {
    "distance": (SELF_DISTANCE, lambda arm, q: lambda: arm.distance(q)),
    "distance and gradient": (DISTANCE_GRADIENT, lambda arm, q: lambda: arm.distance(q, gradient=True)),
    "is_clear": (CLEAR[0], lambda arm, q: lambda: arm.is_clear(q)),
    "is_clear, float32": (CLEAR[1], lambda arm, q: _single(arm, q)),
    "is_clear, along motions": (CLEAR_ALONG_MOTIONS[0], lambda arm, q: _along(arm, q, np.float64)),
    "is_clear, along motions, float32": (CLEAR_ALONG_MOTIONS[1], lambda arm, q: _along(arm, q, np.float32)),
}
"""The target of each row, and the call that it measures."""


def _single(arm: Any, q: Array) -> Callable[[], Any]:
    states = q.astype(np.float32)
    return lambda: arm.is_clear(states)


def _along(arm: Any, q: Array, dtype: Any) -> Callable[[], Any]:
    """As many states on straight motions of 128 states each."""
    count = max(1, len(q) // 128)
    t = np.linspace(0.0, 1.0, max(1, len(q) // count))[:, None]
    states = np.concatenate([a + t * (b - a) for a, b in zip(q[:count], q[count : 2 * count], strict=True)]).astype(
        dtype
    )
    return lambda: arm.is_clear(states)


def _row(name: str, arm: Any, q: Array, theirs: Callable[[], Array] | None, effort: Effort) -> Row:
    expected = arm.distance(q[:PEER_STATES]).distance
    if theirs is not None and not np.allclose(theirs(), expected, atol=AGREEMENT):
        worst = float(np.abs(theirs() - expected).max())
        return Row(SECTION, ROBOT, name, "x", None, note=f"differs from Pinocchio by {worst:.1e} m", failed=True)
    count = len(q)
    if name in _QUESTIONS:
        target, ask = _QUESTIONS[name]
        ours = ask(arm, q)
    elif name.startswith("capsules"):
        target, ours = CAPSULE_DISTANCE, lambda: arm.distance(q, gradient=True)
    else:
        one, target, count = q[0].copy(), SINGLE_DISTANCE, 1
        ours = lambda: arm.distance(one)  # noqa: E731
    candidates: dict[str, Callable[[], Any]] = {OURS: ours}
    if theirs is not None:
        candidates[PINOCCHIO] = theirs
    counts = {OURS: count, PINOCCHIO: PEER_STATES}
    seconds = {key: each / counts[key] for key, each in interleaved(candidates, effort).items()}
    pairs = sum(len(between) for between in _pairs_of(arm))
    return timing_row(SECTION, ROBOT, name, seconds, OURS, target=target, note=f"{pairs} pairs of shapes")


def _pairs_of(arm: Any) -> list[Any]:
    on: dict[str, int] = {}
    for s in arm.collision_shapes:
        on[s.frame] = on.get(s.frame, 0) + 1
    return [range(on[a] * on[b]) for a, b in arm.collision_pairs]
