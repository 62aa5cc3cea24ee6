"""Limits of a process that compiles for another one: its priority, its CPU time, and its life after the other's end.

A program of a million operations would keep LLVM busy for hours, and nobody would notice: the process has no terminal.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

try:
    import resource
except ImportError:  # Windows, where no such process is started
    resource = None  # type: ignore[assignment]

NICENESS = 10
"""The process that waits for the result comes first."""

LONGEST = 600
"""CPU seconds; a program of 100 000 operations takes about ten."""

ALONE = 30
"""CPU seconds for the rest when nobody waits any more: what a script of a few seconds has begun serves its next run."""

BETWEEN_LOOKS = 0.5

TOO_LONG = -int(getattr(signal, "SIGXCPU", 0))
"""The return code of a process that has used up its time."""

give_up: Callable[[int], object] | None = None
"""To be called, with its CPU seconds, before a process ends that has used them up."""


def allowed() -> int:
    """The CPU seconds of a process that is started now: before a limit of others, which may kill without a word."""
    if resource is None:
        return LONGEST
    soft, hard = (LONGEST + 1 if x == resource.RLIM_INFINITY else x for x in resource.getrlimit(resource.RLIMIT_CPU))
    return min(LONGEST, soft, hard - 1)


def limit(parent: int) -> None:
    """Limit this process, which compiles for the process `parent`."""
    os.nice(NICENESS)
    threading.Thread(target=_watch, args=(parent, _allow(LONGEST)), daemon=True).start()


def _watch(parent: int, end: int) -> None:
    """LLVM lets other threads run: one of them sees the end come, and the parent's."""
    alone = False
    while time.process_time() + 2.0 * BETWEEN_LOOKS < end:
        time.sleep(BETWEEN_LOOKS)
        if not alone and os.getppid() != parent:
            alone, end = True, _allow(ALONE)
    if give_up is not None:
        give_up(end)
    os.kill(os.getpid(), -TOO_LONG or signal.SIGTERM)


def _allow(seconds: int) -> int:
    """The CPU time at which this process ends, without a core dump: after as many further seconds, or `allowed`."""
    end = int(time.process_time()) + seconds
    if resource is None:
        return end
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    end = min([end, *(x for x in (soft, hard - 1) if x >= 0)])
    resource.setrlimit(resource.RLIMIT_CPU, (end, hard))
    return end
