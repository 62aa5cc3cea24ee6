"""Limits of a process that compiles for another one: its priority, its CPU time, and its life after the other's end.

A program of a million operations would keep LLVM busy for hours, and nobody would notice: the process has no terminal.
"""

from __future__ import annotations

import os
import signal
import threading
import time

try:
    import resource
except ImportError:  # Windows, where no such process is started
    resource = None  # type: ignore[assignment]

NICENESS = 10
"""The process that waits for answers comes first."""

LONGEST = 600
"""CPU seconds; a program of 100 000 operations takes about ten."""

ALONE = 30
"""CPU seconds for the rest when nobody waits any more: what a script of a few seconds has begun serves its next run."""

BETWEEN_LOOKS = 0.5

TOO_LONG = -int(getattr(signal, "SIGXCPU", 0))
"""The return code of a process that has used up its time."""


def limit(parent: int) -> None:
    """Limit this process, which compiles for the process `parent`."""
    os.nice(NICENESS)
    _allow(LONGEST)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(BETWEEN_LOOKS)
    _allow(ALONE)


def _allow(seconds: int) -> None:
    """End this process, without a core dump, when it has used as many further seconds; a stricter limit stays."""
    if resource is None:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    end = int(time.process_time()) + seconds
    others = [x for x in (soft, hard) if x != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_CPU, (min([end, *others]), hard))
