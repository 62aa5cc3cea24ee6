"""Names for compiled code: everything that decides about its bytes."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from pathlib import Path

import sixvec
from sixvec.compiler.emit.llvm import Lanes
from sixvec.compiler.target import host, llvm_version

TRACED = ("algorithms", "compiler", "large_trees", "model", "orientation", "rigid_body", "sim", "ik", "spatial")
"""The folders whose code runs while a kernel of the library is traced and compiled.  Files of robots are not among
them, since the key holds the model itself; functions of other folders are known by their program."""


def code_key(identity: str, lanes: Lanes) -> str:
    """The cache key of a program on this machine."""
    facts = (identity, lanes, host(), platform.system(), llvm_version(), package_digest())
    return hashlib.sha256(repr(facts).encode()).hexdigest()


@cache
def package_digest() -> str:
    """A hash of the library's own files, so that no edit or upgrade can meet code compiled before it.

    Names, sizes and times of change are enough and cost a tenth of reading all the source.
    """
    root = Path(sixvec.__file__).parent
    traced = [file for folder in TRACED for file in (root / folder).rglob("*.py")]
    files = sorted((file.relative_to(root).as_posix(), file.stat()) for file in [*root.glob("*.py"), *traced])
    facts = [(name, status.st_size, status.st_mtime_ns) for name, status in files]
    return hashlib.sha256(repr(facts).encode()).hexdigest()
