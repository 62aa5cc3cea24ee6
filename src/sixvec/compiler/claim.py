"""Which process compiles an entry of the disk cache: the one that holds the lock of a file next to it.

The lock is the kernel's, of an open file that passes to a child: it ends with the last process that has the file open,
however that one ends.  So nobody waits for a process that was killed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from sixvec.compiler.cache import UNFINISHED
from sixvec.compiler.forks import building

try:
    import fcntl
except ImportError:  # Windows: nothing is claimed, so each process compiles for itself
    fcntl = None  # type: ignore[assignment]

_FLAGS = os.O_RDWR | sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_CLOEXEC"))


def claimed(folder: Path, key: str) -> int | None:
    """An open file that is this process' claim, until it is closed; None if another has one, or none is possible.

    To be called with `building`: a process forked meanwhile would have the file open, too.
    """
    if fcntl is None:
        return None
    try:
        file = os.open(_place(folder, key), _FLAGS | os.O_CREAT, 0o600)
    except OSError:
        return None
    if _can_lock(file, fcntl.LOCK_EX):
        return file
    os.close(file)
    return None


def is_claimed(folder: Path, key: str) -> bool:
    """Whether a process that lives is compiling the entry."""
    if fcntl is None:
        return False
    with building:  # a process forked meanwhile would have the file open, too
        try:
            file = os.open(_place(folder, key), _FLAGS)
        except OSError:
            return False
        try:
            return not _can_lock(file, fcntl.LOCK_SH)
        finally:
            os.close(file)


def forget(folder: Path, key: str) -> None:
    """Remove the file of a claim that has ended, or ends with this process."""
    with suppress(OSError):
        _place(folder, key).unlink()


def give_up(folder: Path, key: str, seconds: int) -> None:
    """Leave word, for an hour, that this much CPU time is not enough for the entry."""
    with suppress(OSError):
        _place(folder, key, "tried").write_text(str(seconds), encoding="ascii")


def tried(folder: Path, key: str) -> int:
    """The CPU seconds in which the entry could not be compiled, 0 if none are recorded."""
    try:
        return int(_place(folder, key, "tried").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


def _place(folder: Path, key: str, suffix: str = "claim") -> Path:
    return folder / UNFINISHED / f"{key}.{suffix}"


def _can_lock(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
