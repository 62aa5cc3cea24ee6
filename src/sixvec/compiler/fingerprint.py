"""Names for compiled code: a hash of everything that determines its bytes."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from collections.abc import Iterator
from functools import cache

import numpy as np

import sixvec
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.target import host, llvm_version

_HERE = os.path.abspath(__file__)
_ROOT = os.path.dirname(os.path.dirname(_HERE))

_IMPORTED = sixvec._imported - 2_000_000_000
"""Two seconds before the first import: the clocks of file systems are coarse."""


def code_key(identity: str, lanes: Lanes) -> str:
    """The cache key of a program on this machine."""
    versions = (llvm_version(), np.__version__, platform.python_version())
    facts = (identity, lanes, host(), platform.system(), *versions, package_digest())
    return hashlib.sha256(repr(facts).encode()).hexdigest()


@cache
def package_digest() -> str:
    """A hash of all the library's own files, so that no edit or upgrade can use code compiled before it.

    Contents are hashed, not times: unpacking, copying or touching files changes nothing, and an edit that keeps the
    time does.  Every file counts, so no list of folders can be incomplete.  If the files do not determine what runs,
    the digest is one that no other process has.
    """
    if not files_are_what_runs():
        return secrets.token_hex(32)
    digest = hashlib.sha256()
    for file in sorted(_files(), key=lambda file: file.path):
        with open(file.path, "rb", buffering=0) as opened:
            content = opened.read()
        digest.update(f"{file.path[len(_ROOT) :]} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def files_are_what_runs() -> bool:
    """Whether the library's files can be read, and none has changed since this process imported it.

    After an edit, this process traces code that differs from the files.  The time of the last change of status cannot
    be set back, as `cp -p` does with that of the contents.
    """
    try:
        times = {file.path: file.stat() for file in _files()}
    except OSError:
        return False
    newest = max((max(status.st_mtime_ns, status.st_ctime_ns) for status in times.values()), default=_IMPORTED)
    return _HERE in times and newest < _IMPORTED  # a package inside an archive has no files


def _files(folder: str = _ROOT) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                yield entry
            elif entry.name != "__pycache__":
                yield from _files(entry.path)
