"""How fast the kernels run on this machine."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from timeit import Timer
from typing import Any

from sixvec.compiler.threads import set_threads
from sixvec.robot import Robot
from sixvec.verify.state import random_states

TIMED = {
    "inverse_dynamics": ("q", "v", "a"),
    "forward_dynamics": ("q", "v", "tau"),
    "mass_matrix": ("q",),
    "jacobian": ("q", "frame"),
    "pose": ("q", "frame"),
}
"""The methods that are timed, with the names of their arguments."""

BATCH = 4096
"""Samples on one core."""

LARGE_BATCH = 65536
"""Samples on all cores: enough for many threads."""

REPEATS = 15
SLICE = 0.01
"""Seconds that one repeat lasts, about."""

METHOD = (
    f"Best of {REPEATS} repeats of about {1e3 * SLICE:.0f} ms each, after a first call; float64; different states "
    "in a batch. A single call is the line of Python, with its new result array; batches write to out=."
)


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds per sample of one method."""

    method: str
    single: float
    batch: float
    all_cores: float


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def speed(robot: Robot, frame: str, method: str) -> Speed:
    """Time one method: a single call, a batch on one core, a larger one on all cores."""
    with threads(1):
        single = _seconds(robot, frame, method, ())
        batch = _seconds(robot, frame, method, (BATCH,)) / BATCH
    with threads(cores()):
        return Speed(method, single, batch, _seconds(robot, frame, method, (LARGE_BATCH,)) / LARGE_BATCH)


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Bound the threads of batch calls for a while."""
    set_threads(n)
    try:
        yield
    finally:
        set_threads(os.cpu_count() or 1)


def _seconds(robot: Robot, frame: str, method: str, shape: tuple[int, ...]) -> float:
    """Seconds per call.  The call is written out in the timed loop, so only the loop adds overhead."""
    function, state = getattr(robot, method), random_states(robot, *shape)
    names: dict[str, Any] = {"f": function, "frame": frame, "q": state.q, "v": state.v, "a": state.a, "tau": state.a}
    names["out"] = function(*(names[each] for each in TIMED[method]))
    call = ", ".join([*TIMED[method], *(["out=out"] if shape else [])])
    timer = Timer(f"f({call})", globals=names)
    loops = max(1, math.ceil(SLICE / min(timer.repeat(2, number=3)) * 3))
    return min(timer.repeat(REPEATS, loops)) / loops
