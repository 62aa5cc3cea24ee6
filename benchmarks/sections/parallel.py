"""Parallel robots: all assembly modes, one pose, inverse position; the Delta against visual-kinematics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from contender import Unavailable
from ours import set_threads
from result import Row, Target, timing_row
from selection import Selection
from state import Array
from targets import (
    PARALLEL_321,
    PARALLEL_DELTA,
    PARALLEL_DELTA_SPEED_UP,
    PARALLEL_INVERSE,
    PARALLEL_MODES_BATCH,
    PARALLEL_MODES_SINGLE,
    PARALLEL_NEAR,
)
from timing import Effort, interleaved, sweep

SECTION = "parallel"
OURS, VISUAL = "sixvec", "visual-kinematics"
GENERAL, THREE_TWO_ONE, DELTA = "general 6-6", "321", "delta"
PLATFORMS = 16
"""Random platforms whose single calls are averaged: the number of steps differs from one to another."""
BATCH = 64
CLOSED = 1e-13
"""Largest error of a leg, relative to the mechanism of size one."""
ARITHMETIC = ("add", "mul", "div", "sqrt", "neg")
LANES = 8
"""Paths in a vector register of 512 bits."""
SHAPE_321 = [[1, 0, 0], [-0.5, 0, 0.9], [-0.5, 0, -0.9], [1.5, 0, 1.2], [0.2, 0, 1.9], [1.6, 0, -1.1]]


def rows(effort: Effort, selection: Selection, left_out: dict[str, str]) -> Iterator[Row]:
    set_threads(1)
    for robot, makers in MAKERS.items():
        for kernel, make in makers.items():
            if selection.wants(SECTION, robot, kernel):
                yield from make(effort, left_out, kernel)


def _platforms(count: int) -> list[tuple[Any, Array]]:
    """Random platforms with 6-6 pivots, and lengths that a pose has."""
    import sixvec as sv

    rng = np.random.default_rng(3)
    poses = _poses(rng, count)
    found = []
    for X in poses:
        hexapod = sv.parallel.StewartGough(rng.normal(size=(6, 3)), 0.6 * rng.normal(size=(6, 3)))
        found.append((hexapod, hexapod.inverse_position(X)))
    return found


def _poses(rng: Any, count: int, shift: float = 1.0) -> Array:
    R = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    X = np.tile(np.eye(4), (count, 1, 1))
    X[:, :3, :3] = R * np.linalg.det(R)[:, None, None]
    X[:, :3, 3] = shift * rng.normal(size=(count, 3))
    return X


def _modes(effort: Effort, left_out: dict[str, str], kernel: str) -> Iterator[Row]:
    """One call for each of several platforms."""
    given = _platforms(PLATFORMS)
    counts = []
    for hexapod, q in given:
        modes = hexapod.assembly_modes(q)
        off = np.abs(hexapod.inverse_position(modes.poses) - q).max()
        if not (modes.certified and modes.complex_count == 40 and off < CLOSED * (1.0 + q.max())):
            note = f"{modes}, legs off by {off:.1e} m: not timed"
            yield Row(SECTION, GENERAL, kernel, "us", None, PARALLEL_MODES_SINGLE, note=note, failed=True)
            return
        counts.append(modes.count)
    call = sweep(lambda hexapod, q: hexapod.assembly_modes(q), given)
    seconds = interleaved({OURS: call}, effort)[OURS] / PLATFORMS
    note = (f"{PLATFORMS} random platforms, {min(counts)} to {max(counts)} real poses, polished and certified; "
            "fkSGP's authors give 6600 µs, not polished")  # fmt: skip
    yield Row(SECTION, GENERAL, kernel, "us", 1e6 * seconds, PARALLEL_MODES_SINGLE, note=note)


def _modes_batch(effort: Effort, left_out: dict[str, str], kernel: str) -> Iterator[Row]:
    """Many lengths of one platform in one call."""
    hexapod = _platforms(1)[0][0]
    rng = np.random.default_rng(5)
    X = _poses(rng, BATCH)
    q = hexapod.inverse_position(X)
    modes = hexapod.assembly_modes(q)
    gaps = np.nan_to_num(np.abs(modes.poses - X[:, None]).max(axis=(-1, -2)), nan=np.inf).min(axis=-1)
    sure = float(np.mean(modes.certified))
    if gaps.max() > 1e-6 or modes.residual.max() > CLOSED * (1.0 + q.max()) or sure < 0.95:
        note = f"{modes}, a known pose is off by {gaps.max():.1e}: not timed"
        yield Row(SECTION, GENERAL, kernel, "us", None, PARALLEL_MODES_BATCH, note=note, failed=True)
        return
    seconds = interleaved({OURS: lambda: hexapod.assembly_modes(q)}, effort)[OURS] / BATCH
    note = f"{BATCH} samples in one call, {100 * sure:.0f} % certified"
    yield Row(SECTION, GENERAL, kernel, "us", 1e6 * seconds, PARALLEL_MODES_BATCH, note=note)


def _operations(effort: Effort, left_out: dict[str, str], kernel: str) -> Iterator[Row]:
    """Steps of a path times operations of a step; what the vector registers do beyond that is waiting."""
    from sixvec.parallel.gough_system import GOUGH
    from sixvec.parallel.path_tracking import tracker

    steps = np.stack([_steps(hexapod, q) for hexapod, q in _platforms(4)])
    spent = steps.reshape(len(steps), -1, LANES).max(axis=-1).mean()
    operations = sum(n for name, n in tracker(GOUGH).step.count().items() if name in ARITHMETIC)
    note = (f"{steps.mean():.0f} steps of {operations} on average, {spent:.0f} where {LANES} paths share a register "
            "until the longest ends; arithmetic in these lanes is the limit")  # fmt: skip
    yield Row(SECTION, GENERAL, kernel, "count", steps.mean() * operations, note=note)


def _steps(hexapod: Any, q: Array) -> Array:
    """How many steps each path takes."""
    from sixvec.parallel.gough_system import GOUGH
    from sixvec.parallel.homotopy import normalised
    from sixvec.parallel.path_tracking import ACCURACY, TRACKING, tracker
    from sixvec.parallel.start_system import start_system

    start = start_system(tuple(range(6)), tuple(range(6)))
    target = normalised(hexapod, hexapod.roots[None], q[None])[0][0]
    y = start.solutions.view(float)
    state: list[Any] = [y, np.zeros_like(y), y, np.zeros_like(y), np.zeros((len(y), 4))]
    way = start.parameters.view(float), (target - start.parameters).view(float)
    steps = np.zeros(len(y))
    while (running := np.asarray(state[4])[:, 3] == TRACKING).any():
        steps += running
        *state, _ = tracker(GOUGH).step(*state, ACCURACY, *way)
    return steps


def _near(effort: Effort, left_out: dict[str, str], kernel: str) -> Iterator[Row]:
    """Newton from a pose a few millimetres and milliradians away."""
    hexapod, X = _hexapod(effort.batch)
    q = hexapod.inverse_position(X)
    rng = np.random.default_rng(7)
    start = X.copy()
    start[:, :3, 3] += 5e-3 * rng.uniform(-1.0, 1.0, size=(len(X), 3))
    found = hexapod.forward_position(q, start)
    yield from _timed(
        kernel, GENERAL, effort, len(X), lambda: hexapod.forward_position(q, start), PARALLEL_NEAR,
        bool(found) and float(np.abs(found.pose - X).max()) < 1e-9, "starts up to 5 mm away",
    )  # fmt: skip


def _inverse(effort: Effort, left_out: dict[str, str], kernel: str) -> Iterator[Row]:
    hexapod, X = _hexapod(effort.batch)
    legs = np.einsum("kij,nj->kni", X[:, :3, :3], hexapod.platform) + X[:, None, :3, 3] - hexapod.roots
    good = np.allclose(hexapod.inverse_position(X), np.linalg.norm(legs, axis=-1), rtol=1e-14)
    yield from _timed(
        kernel, GENERAL, effort, len(X), lambda: hexapod.inverse_position(X), PARALLEL_INVERSE, good,
        "whether poses are rigid is checked",
    )  # fmt: skip


def _modes_321(effort: Effort, left_out: dict[str, str], kernel: str) -> Iterator[Row]:
    import sixvec as sv
    from sixvec.spatial import Quaternion, Vec3

    robot = sv.parallel.Parallel321(SHAPE_321, [[0, 0, 0], [0.7, 0, 0.35], [0.55, 0, -0.45]])
    X = np.tile(np.eye(4), (effort.batch, 1, 1))
    X[:, :3, :3] = np.reshape([*Quaternion.exp(Vec3(0.2, 0.3, -0.1)).as_rotation().matrix], (3, 3))
    X[:, :3, 3] = [0.1, 1.4, 0.05] + 0.02 * np.random.default_rng(2).uniform(-1.0, 1.0, size=(len(X), 3))
    q = robot.inverse_position(X)
    modes = robot.assembly_modes(q)
    off = np.nan_to_num(robot.inverse_position(np.where(np.isfinite(modes.poses), modes.poses, np.eye(4))) - q[:, None])
    real = np.isfinite(modes.poses).all(axis=(-1, -2))
    gaps = np.nan_to_num(np.abs(modes.poses - X[:, None]).max(axis=(-1, -2)), nan=np.inf).min(axis=-1)
    good = bool(modes.certified.all()) and np.abs(off[real]).max() < 1e-9 and gaps.max() < 1e-9
    counts = np.bincount(modes.count, minlength=9)
    note = f"{', '.join(f'{n} with {k} real ones' for k, n in enumerate(counts) if n)}"
    yield from _timed(kernel, THREE_TWO_ONE, effort, len(X), lambda: robot.assembly_modes(q), PARALLEL_321, good, note)


def _delta(effort: Effort, left_out: dict[str, str], kernel: str) -> Iterator[Row]:
    """Forward or inverse position, and the same beside visual-kinematics one by one, as it has no batches."""
    import sixvec as sv

    shape = (0.2, 0.05, 0.25, 0.6)
    delta = sv.parallel.Delta(*shape)
    rng = np.random.default_rng(4)
    X = np.tile(np.eye(4), (effort.batch, 1, 1))
    X[:, :3, 3] = [0.0, 0.0, -0.5] + 0.08 * rng.uniform(-1.0, 1.0, size=(len(X), 3))
    q = delta.inverse_position(X).q
    forward = kernel == "forward position"
    call: Callable[[], Any] = (lambda: delta.forward_position(q)) if forward else (lambda: delta.inverse_position(X))
    good = np.allclose(delta.forward_position(q).pose, X, atol=1e-12)
    yield from _timed(kernel, DELTA, effort, len(X), call, PARALLEL_DELTA, good, "")
    if not good:
        return
    candidates: dict[str, Callable[[], object]] = {OURS: call}
    few, errors = min(64, len(X)), dict[str, float]()
    try:
        one, differs = _visual(shape, q[:few], X[:few], forward)
        candidates[VISUAL], errors[VISUAL] = one, differs
    except Unavailable as error:
        left_out[f"{VISUAL}, {SECTION}"] = str(error)
    share = {OURS: len(X), VISUAL: few}
    seconds = {name: each / share[name] for name, each in interleaved(candidates, effort).items()}
    yield timing_row(SECTION, DELTA, kernel, seconds, OURS, target=PARALLEL_DELTA_SPEED_UP, errors=errors)


def _visual(shape: tuple[float, ...], q: Array, X: Array, forward: bool) -> tuple[Callable[[], None], float]:
    """Its calls for each sample, after its answers were compared with ours."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from visual_kinematics.Frame import Frame
        from visual_kinematics.RobotDelta import RobotDelta
    except ImportError as error:
        raise Unavailable(f"not installed ({error})") from None
    robot = RobotDelta(np.array(shape))
    if forward:
        found = np.stack([robot.forward(x).t_4_4 for x in q])
        difference = float(np.abs(found - X).max())
    else:
        found = np.stack([robot.inverse(Frame(x)) for x in X])
        difference = float(np.abs(np.remainder(found - q + np.pi, 2.0 * np.pi) - np.pi).max())
    if difference > 1e-9:
        raise Unavailable(f"answers differ by {difference:.1e}")
    return sweep(robot.forward, [(x,) for x in q]) if forward else sweep(
        robot.inverse, [(Frame(x),) for x in X]
    ), difference  # fmt: skip


def _hexapod(count: int) -> tuple[Any, Array]:
    import sixvec as sv

    def ring(radius: float, spread: float) -> Array:
        angles = np.repeat(2.0 * np.pi * np.arange(3) / 3.0, 2) + spread * np.tile([-1.0, 1.0], 3)
        return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(6)], axis=-1)

    rng = np.random.default_rng(6)
    hexapod = sv.parallel.StewartGough(ring(1.0, 0.3), ring(0.6, 0.75) + 0.05 * rng.normal(size=(6, 3)))
    X = np.tile(np.eye(4), (count, 1, 1))
    X[:, :3, 3] = [0.0, 0.0, 0.9] + 0.1 * rng.uniform(-1.0, 1.0, size=(count, 3))
    return hexapod, X


def _timed(
    kernel: str, robot: str, effort: Effort, n: int, call: Callable[[], Any], target: Target, good: bool, note: str
) -> Iterator[Row]:
    if not good:
        yield Row(SECTION, robot, kernel, "us", None, target, note="a wrong answer: not timed", failed=True)
        return
    seconds = interleaved({OURS: call}, effort)[OURS] / n
    yield Row(SECTION, robot, kernel, "us", 1e6 * seconds, target, note=f"{note}{', ' * bool(note)}{n} in one call")


MAKERS: dict[str, dict[str, Callable[[Effort, dict[str, str], str], Iterator[Row]]]] = {
    GENERAL: {
        "all modes, single": _modes,
        "all modes, batch": _modes_batch,
        "operations a path": _operations,
        "one pose from a near start": _near,
        "inverse position": _inverse,
    },
    THREE_TWO_ONE: {"all modes, batch": _modes_321},
    DELTA: {"forward position": _delta, "inverse position": _delta},
}
