"""Long histories of poses, cut into pieces that run in parallel lanes.

Motions compose, so a piece from its start is the piece from zero, transformed.  Pieces are integrated from zero
together, their starts follow from their ends one by one, and transforming a pose needs no sine.  The cuts are at the
same steps in every history of a length, so the result does not depend on the batch of a history.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.kernels import Iterated, Port
from sixvec.kernels.function import CompiledFunction, compiled
from sixvec.mobile.kernels import looped
from sixvec.scalar import Scalar, cos, sin

LONG = 4096
"""Steps from which a history is cut; shorter ones usually come in batches, and cutting has a cost."""

_PIECE = 256
_AT_ONCE = 512
"""Pieces that are integrated and transformed before the next ones, so that their poses are still in a cache."""

_local = threading.local()
"""Memory of a thread for the poses of pieces: allocating it would take longer than the integration."""

Roll = Callable[[int, Array, list[Array], Array | None], Array]
"""A number of steps, poses (..., 3) to start from, the inputs of each step, and memory, to poses (..., steps, 3)."""


def in_pieces(roll: Roll, steps: int, start: Array, each: Sequence[Array]) -> Array:
    """The poses (..., steps, 3) of histories from poses `start` (..., 3); arrays of `each` are (..., steps, …)."""
    batch, n = start.shape[:-1], len(start.shape) - 1
    poses = np.empty((*batch, steps, 3))
    if not poses.size:
        return poses
    pose, whole = start, steps - steps % _PIECE
    owned = _local.__dict__.pop("memory", None)  # a signal handler that calls this finds it taken
    needed = math.prod(batch) * min(_AT_ONCE, steps // _PIECE)
    memory = np.empty((max(needed, _AT_ONCE), _PIECE, 3)) if owned is None or len(owned) < needed else owned
    for first in range(0, whole, _PIECE * _AT_ONCE):
        stop = min(whole, first + _PIECE * _AT_ONCE)
        count = (stop - first) // _PIECE
        parts = [x[(slice(None),) * n + (slice(first, stop),)] for x in each]
        parts = [x.reshape(*batch, count, _PIECE, *x.shape[n + 1 :]) for x in parts]
        rolled = roll(_PIECE, np.zeros(3), parts, memory[: math.prod(batch) * count])
        pose, starts = looped(_next_start(), count, 1, 1)(pose, rolled[..., -1, :])
        _mover()(starts, rolled, out=poses[..., first:stop, :].reshape(*batch, count, _PIECE, 3))
    if whole < steps:
        remainder = [x[(slice(None),) * n + (slice(whole, None),)] for x in each]
        poses[..., whole:, :] = roll(steps - whole, pose, remainder, None)
    if len(memory) == _AT_ONCE:
        _local.memory = memory
    return poses


@compiled("pose[3] -> start[5]")
def with_direction(pose: Sequence[Scalar]) -> Any:
    """(x, y, φ, cos φ, sin φ)."""
    return [*pose, cos(pose[2]), sin(pose[2])]


@lru_cache(1)
def _mover() -> Iterated:
    start, pose = Port("start", (5,)), Port("pose", (3,))
    return Iterated(CompiledFunction(moved, (start, pose), (pose,)), _PIECE, 0, 1)


def moved(start: Sequence[Scalar], pose: Sequence[Scalar]) -> Any:
    """A pose of a piece integrated from zero, transformed to the start of the piece (`with_direction`)."""
    x, y, angle, c, s = start
    return [x + c * pose[0] - s * pose[1], y + s * pose[0] + c * pose[1], angle + pose[2]]


@lru_cache(1)
def _next_start() -> CompiledFunction:
    def next_start(pose: Sequence[Scalar], end: Sequence[Scalar]) -> Any:
        start = with_direction.function(pose)
        return moved(start, end), start

    state = Port("pose", (3,))
    return CompiledFunction(next_start, (state, Port("end", (3,))), (state, Port("start", (5,))))
