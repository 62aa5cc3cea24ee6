"""Names for compiled code: a hash of everything that determines its bytes."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from collections.abc import Iterable
from functools import cache

import numpy as np

from sixvec.compiler import cache as disk
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.package_files import ROOT, unchanged_files
from sixvec.compiler.target import host, llvm_version


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

    The digest is stored under the status of all files, and only processes that meet another status read the files.
    On POSIX systems no file changes without its status: programs cannot choose the time of the last change of status,
    and files that changed less than two seconds before they were imported do not count as unchanged.
    """
    if (statuses := unchanged_files()) is None:
        return secrets.token_hex(32)
    if os.name != "posix":
        return _digest_of_contents(sorted(statuses))
    facts = [(path, s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns) for path, s in statuses.items()]
    key = hashlib.sha256(repr(sorted(facts)).encode()).hexdigest()
    if (stored := disk.read(key)) is not None:
        return stored.decode()
    digest = _digest_of_contents(sorted(statuses))
    disk.write(key, digest.encode())
    return digest


def _digest_of_contents(paths: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb", buffering=0) as opened:
            content = opened.read()
        digest.update(f"{path[len(ROOT) :]} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
