"""The values of `hold=` of a rollout: frames that are held throughout, or for some of the steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.algorithms.constraint_terms import row_names
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.arguments import Array, common_batch, require_shape
from sixvec.constraints.closed_state import OPEN
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model.held_frame import Held, Rolling, RollingFrame
from sixvec.model.spanning_tree import without_rolling
from sixvec.sim.touch_down import BEGINS, GOES_ON

if TYPE_CHECKING:
    from sixvec.robot import Robot

Kind = str | Rolling | Sequence[Any]
Phase = tuple[int, int | None, Mapping[Any, Kind]]
"""From which step on, before which one (None: to the end), and what is held."""

Hold = Mapping[Any, Kind] | Sequence[Phase]


@dataclass(frozen=True)
class HoldSchedule:
    """The wheels that always roll, then frames and wheels with flags (..., steps, entries): when they are on."""

    always: tuple[Held, ...]
    flagged: tuple[Held, ...]
    flags: Array | None = None

    @property
    def hold(self) -> tuple[Held, ...]:
        return (*self.always, *self.flagged)

    @property
    def changing(self) -> bool:
        """Whether something is held for a part of the steps only."""
        return self.flags is not None and not bool((self.flags > 0.0).all())


def hold_schedule(robot: Robot, hold: Hold | None, holding: ArrayLike | None, steps: int) -> HoldSchedule:
    """`hold` and `holding` of a rollout, checked."""
    if holding is not None and not (isinstance(hold, Mapping) and hold):
        raise ArgumentError("rollout: holding= says when the frames of hold= are held; give them as a dictionary")
    if hold is not None and not isinstance(hold, Mapping):
        return _phases(robot, hold, steps)
    if holding is not None:
        assert hold is not None
        flagged = held_frames(without_rolling(robot.model), _not_rolling_anyway(robot, hold))
        return HoldSchedule(robot.model.rolling, flagged, _flags(holding, flagged, steps))
    every = (*robot.model.rolling, *held_frames(robot.model, hold))
    wheels = tuple(h for h in every if isinstance(h, RollingFrame))
    frames = tuple(h for h in every if not isinstance(h, RollingFrame))
    return HoldSchedule(wheels, frames, _with_starts(np.ones((steps, len(frames)), bool)) if frames else None)


def _phases(robot: Robot, hold: Any, steps: int) -> HoldSchedule:
    """Of a list of (start, stop, {frame: kind})."""
    if not isinstance(hold, Sequence) or isinstance(hold, str):
        raise ArgumentError(
            "rollout: hold must be a dictionary from frame to kind, or a list of (start, stop, dictionary) by steps, "
            f"not a {type(hold).__name__}"
        )
    entries: dict[Held, NDArray[np.bool_]] = {}
    for n, phase in enumerate(hold):
        if not isinstance(phase, Sequence) or len(phase) != 3 or not isinstance(phase[2], Mapping):
            raise ArgumentError(f'rollout: hold[{n}] must be (start, stop, {{"frame": kind}}), not {phase!r}')
        start, stop, frames = phase
        stop = steps if stop is None else stop
        for name, k in (("start", start), ("stop", stop)):
            if isinstance(k, bool) or not isinstance(k, int | np.integer):
                raise ArgumentError(f"rollout: the {name} of hold[{n}] must be the number of a step, not {k!r}")
        if not 0 <= start < stop <= steps:
            raise ArgumentError(
                f"rollout: hold[{n}] goes from step {start} to before {stop}; it must be a part of 0 to {steps}"
            )
        for h in held_frames(without_rolling(robot.model), _not_rolling_anyway(robot, frames)):
            entries.setdefault(h, np.zeros(steps, bool))[start:stop] = True
    if not entries:
        return HoldSchedule(robot.model.rolling, ())
    return HoldSchedule(robot.model.rolling, tuple(entries), _with_starts(np.stack([*entries.values()], axis=-1)))


def _not_rolling_anyway(robot: Robot, hold: Mapping[Any, Kind]) -> Mapping[Any, Kind]:
    for frame, kind in hold.items():
        if isinstance(kind, Rolling) and frame in robot.rolling:
            raise ArgumentError(f'rollout: the wheel "{frame}" of {robot.name} always rolls; leave it out of hold')
    return hold


def _flags(holding: ArrayLike, flagged: Sequence[Held], steps: int) -> Array:
    on = np.asarray(holding)
    if on.dtype != bool:
        if on.dtype.kind not in "iuf" or not np.isin(on, (0, 1)).all():
            raise ArgumentError("rollout: holding must have booleans: whether a frame is held in a step")
        on = on.astype(bool)
    if on.ndim < 2 or on.shape[-2:] != (steps, len(flagged)):
        raise ShapeError(
            f"rollout: holding has shape {on.shape}, but (..., {steps}, {len(flagged)}) is needed: for each step and "
            "each frame of hold, in its order"
        )
    return _with_starts(on)


def _with_starts(on: NDArray[np.bool_]) -> Array:
    """Flags (..., steps, entries) from booleans: where one was off in the step before, it begins."""
    before = np.zeros_like(on)
    before[..., 1:, :] = on[..., :-1, :]
    return np.asarray(np.where(on, np.where(before, GOES_ON, BEGINS), 0.0))


def require_rolling(robot: Robot, hold: tuple[Held, ...], q: Array, v: Array, where: str = "rollout") -> None:
    """Raise an error for a start at which a wheel slips that always rolls."""
    if not hold:
        return
    q, v, least = np.asarray(q, float), np.asarray(v, float), max(OPEN[x.dtype] for x in (q, v))
    for name, x, n in (("q", q, robot.nq), ("v", v, robot.nv)):
        require_shape(f"{where}: {name}", x, n)
    common_batch(where, [q.shape[:-1], v.shape[:-1]], ["q", "v"], [q.shape, v.shape])
    with np.errstate(invalid="ignore"):
        rows: Any = robot.kernel("constraint_jacobian", hold=hold)(q)
        slip = np.abs((rows @ v[..., None])[..., 0])
        fastest = 1.0 + np.abs(v).max(axis=-1, keepdims=True, initial=0.0)
    slips = slip > least * fastest
    if slips.any():
        row = int(np.argwhere(slips)[0][-1])
        name = row_names(without_rolling(robot.model), hold)[row]
        raise ArgumentError(
            f"{where}: at the start {name} slips with {slip[..., row].max():.3g} m/s; "
            "rolling_velocity of a robot on wheels gives the nearest velocity that rolls"
        )
