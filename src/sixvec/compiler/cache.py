"""Object code on disk, so that a robot is compiled once per machine.

Entries are machine code that will run in this process, so the folder must belong to the user alone.  Writing is
atomic (a temporary file, then a rename), so processes may share the folder; every entry carries the hash of its
contents, and a damaged one counts as missing.  If the folder cannot be used, everything works without it.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import warnings
from functools import cache
from pathlib import Path

MAGIC = b"sixvec-cache-1\n"
LARGEST_TOTAL = 1 << 30
"""Bytes the folder may hold; the entries longest unused go first."""


def directory() -> Path:
    """Where entries live: $SIXVEC_CACHE_DIR, else the user's cache folder."""
    if chosen := os.environ.get("SIXVEC_CACHE_DIR"):
        return Path(chosen)
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "sixvec" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sixvec"


def read(key: str) -> bytes | None:
    """The entry's contents, or None if there is no intact entry."""
    folder = _usable(directory())
    if folder is None:
        return None
    try:
        raw = (folder / key).read_bytes()
    except OSError:
        return None
    payload = raw[len(MAGIC) + 32 :]
    if raw[: len(MAGIC)] != MAGIC or raw[len(MAGIC) : len(MAGIC) + 32] != hashlib.sha256(payload).digest():
        return None
    return payload


def write(key: str, payload: bytes) -> None:
    """Store an entry; failing to is not an error."""
    folder = _usable(directory())
    if folder is None:
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")  # mode 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(MAGIC + hashlib.sha256(payload).digest() + payload)
            os.replace(temporary, folder / key)
        except OSError:
            os.unlink(temporary)
            raise
        _trim(folder)
    except OSError as problem:
        _warn_once(f"compiled kernels are not kept: cannot write to {folder} ({problem})")


@cache
def _usable(folder: Path) -> Path | None:
    """The folder if it exists (or can be made) and nobody else can put code there."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as problem:
        _warn_once(f"compiled kernels are not kept: cannot create {folder} ({problem})")
        return None
    if os.name == "posix" and (status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o022):
        _warn_once(f"compiled kernels are not kept: {folder} can be written by others; chmod 700 it")
        return None
    return folder


def _trim(folder: Path) -> None:
    entries = [(file.stat(), file) for file in folder.iterdir() if not file.name.startswith(".")]
    excess = sum(status.st_size for status, _ in entries) - LARGEST_TOTAL
    for status, file in sorted(entries, key=lambda e: e[0].st_atime):
        if excess <= 0:
            break
        file.unlink(missing_ok=True)
        excess -= status.st_size


@cache
def _warn_once(message: str) -> None:
    warnings.warn(message + "; set SIXVEC_CACHE_DIR to a folder of your own", RuntimeWarning, stacklevel=4)
