"""Object code on disk, so that a robot is compiled once per machine.

Entries are machine code that runs in this process, so the folder and each entry must belong to the user alone.
Writing is atomic (a temporary file, then a rename), so processes may share the folder; every entry carries the hash of
its key and contents, and a damaged one counts as missing.  Only files with the names given here are counted,
read or removed.  If the folder cannot be used, everything works without it, after one warning.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import time
import warnings
from functools import cache
from pathlib import Path

from sixvec.compiler.package_files import files_are_what_runs

LARGEST_TOTAL = 1 << 30
"""Bytes the folder may hold; the least recently used entries are removed first."""

BETWEEN_TRIMS = LARGEST_TOTAL // 16
"""Average number of bytes written between two scans of all entries."""

OURS = "kernels-2"
"""The library's own folder, inside the one that the user chose."""

SUFFIX, UNFINISHED = ".code", "unfinished"
ABANDONED = 3600.0
"""Age in seconds at which a temporary file is assumed to be left by a killed process."""

SELDOM = 86400.0
"""Seconds during which a time of use is not updated."""

_MAGIC = b"sixvec-cache-2\n"
_HEAD = len(_MAGIC) + 32
_ENTRY = re.compile(rf"[0-9a-f]{{64}}{re.escape(SUFFIX)}")
_TEMPORARY = re.compile(r"[0-9a-f]{64}\.([0-9a-f]{16}|claim|tried)")
_FOR_ALL, _FOR_OTHERS = 0o700, 0o022
_READ = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | sum(getattr(os, flag, 0) for flag in ("O_CLOEXEC", "O_BINARY"))
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Machine code kept by sixvec; it may be deleted at any time.\n"


def directory() -> Path | None:
    """Where entries are stored: below $SIXVEC_CACHE_DIR, else below the user's cache folder; None if there is none."""
    if chosen := os.environ.get("SIXVEC_CACHE_DIR"):
        base = Path(os.path.expanduser(chosen))
        return None if base.parts[0].startswith("~") else base.absolute() / OURS
    from platformdirs import user_cache_path

    try:
        base = user_cache_path("sixvec", appauthor=False)
    except (RuntimeError, KeyError, OSError):  # a user without a home; older releases return "~/.cache"
        return None
    return base / OURS if base.is_absolute() else None


def read(key: str, where: Path | None = None) -> bytes | None:
    """The entry's contents, or None if this user has no intact entry; `where` is the folder, if not the present one."""
    if (folder := _usable(where or directory())) is None:
        return None
    try:
        with open(os.open(folder / (key + SUFFIX), _READ), "rb", buffering=0) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not _is_private(status):
                return None
            raw = file.read()
            if time.time() - status.st_mtime > SELDOM and os.utime in os.supports_fd:
                os.utime(file.fileno())  # the time of use, which many file systems do not record
    except OSError:
        return None
    payload = raw[_HEAD:]
    return payload if raw[:_HEAD] == _head(key, payload) else None


def writable() -> Path | None:
    """The folder, if this process may store entries in it."""
    folder = _usable(directory())
    return folder if folder is not None and files_are_what_runs() else None


def write(key: str, payload: bytes) -> None:
    """Store an entry; failing to is not an error."""
    if (folder := writable()) is None:
        return
    temporary = folder / UNFINISHED / f"{key}.{secrets.token_hex(8)}"
    try:
        _remove_abandoned(folder)
        with open(os.open(temporary, _NEW, 0o600), "wb") as file:
            try:
                file.write(_head(key, payload) + payload)
                file.close()
                os.replace(temporary, folder / (key + SUFFIX))
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        if _is_due(key, len(payload)):
            trim(folder)
    except FileNotFoundError:
        _usable.cache_clear()  # the folder was removed; the next entry recreates it
    except OSError as problem:
        _warn_once(f"cannot write to {folder} ({problem})")


def trim(folder: Path) -> None:
    """Remove the least recently used entries until the rest is small enough."""
    entries = []
    with os.scandir(folder) as scanned:
        for file in scanned:
            if _ENTRY.fullmatch(file.name) and file.is_file(follow_symlinks=False):
                status = file.stat(follow_symlinks=False)
                entries.append((status.st_mtime, status.st_size, file.path))
    excess = sum(size for _, size, _ in entries) - LARGEST_TOTAL
    for _, size, path in sorted(entries):
        if excess <= 0:
            break
        Path(path).unlink(missing_ok=True)
        excess -= size


def _head(key: str, payload: bytes) -> bytes:
    return _MAGIC + hashlib.sha256(key.encode() + payload).digest()


def _is_due(key: str, size: int) -> bool:
    """Whether this write is one of the few that trim.

    Scanning all entries is slow, so only a few writes do it: each with a chance in proportion to its size, which
    needs no state between processes.  Keys are hashes, so their digits serve as random numbers.
    """
    return int(key[:12], 16) / 16**12 < size / BETWEEN_TRIMS


@cache
def _remove_abandoned(folder: Path) -> None:
    """Once per process: remove files left by killed processes."""
    with os.scandir(folder / UNFINISHED) as entries:
        old = [f.path for f in entries if _TEMPORARY.fullmatch(f.name) and f.is_file(follow_symlinks=False)]
    for path in old:
        try:
            if time.time() - os.lstat(path).st_mtime > ABANDONED:
                os.unlink(path)
        except FileNotFoundError:
            pass  # its owner has finished


@cache
def _usable(folder: Path | None) -> Path | None:
    """The folder if it exists (or can be created) and no other user can write to it."""
    if folder is None:
        _warn_once("this user has no home folder")
        return None
    try:
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        for place in (folder.parent, folder, folder / UNFINISHED):
            place.mkdir(mode=_FOR_ALL, exist_ok=True)
            status = place.stat()
            if not (_is_private(status) or (place == folder.parent and _is_safe_parent(status))):
                _warn_once(f"{place} can be written by others, or is theirs; chmod 700 it")
                return None
        if not os.path.lexists(tag := folder / "CACHEDIR.TAG"):
            tag.write_text(_TAG, encoding="ascii")
    except (OSError, ValueError) as problem:
        _warn_once(f"cannot create {folder} ({problem})")
        return None
    return folder


def _is_private(status: os.stat_result) -> bool:
    """Whether only this user can write there."""
    return os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & _FOR_OTHERS)


def _is_safe_parent(status: os.stat_result) -> bool:
    """Whether only the administrator can replace this user's files there, as in /tmp."""
    return status.st_uid in (0, os.geteuid()) and bool(
        not status.st_mode & _FOR_OTHERS or status.st_mode & stat.S_ISVTX
    )


_warned: set[str] = set()


def _warn_once(problem: str) -> None:
    if problem not in _warned:
        _warned.add(problem)  # first, since the warning may be an error
        message = f"compiled kernels are not kept: {problem}; set SIXVEC_CACHE_DIR to a folder of your own"
        warnings.warn(message, RuntimeWarning, stacklevel=4)
