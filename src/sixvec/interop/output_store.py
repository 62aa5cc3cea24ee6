"""The zarr group that a batch writes: next to its final place until it is complete, and never over foreign data.

A store is replaced only if `batch` wrote it: it carries `MARK`, and contains the arrays that it lists and nothing else.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from sixvec.errors import ArgumentError, OutputError
from sixvec.quoting import quoted

MARK = "sixvec batch"
"""The value of the attribute `written_by` of every output."""

DONE = "done"
"""The array in an unfinished output that records which blocks are written: the digest of a block's states, else 0."""

PART = ".part"
"""The ending of an unfinished output's name."""

LOCAL = ("file", "local")
"""Schemes of addresses that are paths."""

_CHUNKS = "c"
_METADATA = "zarr.json"
_CHUNK = re.compile(r"\d+|(?:\d+|zarr)\.[0-9a-f]{32}\.partial")
"""The names of chunks, and of files that zarr was writing when it was killed."""


def address(store: str | os.PathLike[str]) -> str:
    """Where a store is: a path without links and `..`, or the address of a store elsewhere.

    >>> address("file:///tmp/../tmp/out.zarr") == address("/tmp/out.zarr"), address("s3://bucket/a/../b/")
    (True, 's3://bucket/b')
    """
    text = os.fspath(store)
    if "://" not in text:
        return os.path.realpath(text)
    parts = urlsplit(text)
    if parts.scheme.lower() in LOCAL:
        if parts.netloc.lower() not in ("", "localhost"):
            raise ArgumentError(
                f"{quoted(text)} names the machine {quoted(parts.netloc)}; write file:///PATH, or a path"
            )
        return os.path.realpath(unquote(parts.path))
    if "::" in text:
        raise ArgumentError(f"{quoted(text)} is a chain of addresses; name one store")
    return f"{parts.scheme.lower()}://{parts.netloc}{posixpath.normpath(parts.path or '/').rstrip('/')}"


LONGEST_PATH = 300


def shown(store: str) -> str:
    """The address of a store in a message."""
    return quoted(store, LONGEST_PATH)


def is_path(store: str) -> bool:
    return "://" not in store


def require_apart(source: str, target: str) -> None:
    """Raise an error if the output is the store of the states, contains it, or is inside it; both are addresses."""
    if _is_inside(source, target) and _is_inside(target, source):
        raise ArgumentError(f"the output {shown(target)} is the store of the states; choose another")
    if _is_inside(source, target):
        raise ArgumentError(f"the output {shown(target)} contains the states {shown(source)}; choose another")
    if _is_inside(target, source):
        raise ArgumentError(f"the output {shown(target)} is inside the states {shown(source)}; choose another")


def _is_inside(inner: str, outer: str) -> bool:
    if is_path(inner) != is_path(outer):
        return False
    if not is_path(inner):
        return f"{inner}/".startswith(f"{outer}/")
    return any(_is_same(folder, Path(outer)) for folder in (Path(inner), *Path(inner).parents))


def _is_same(a: Path, b: Path) -> bool:
    """Two names may be those of one folder: the case of letters, or a folder that is mounted twice."""
    try:
        return a == b or os.path.samefile(a, b)
    except OSError:
        return False


@dataclass(frozen=True)
class Output:
    """The final place of an output, and the contents that it shall have."""

    zarr: Any
    target: str
    arrays: dict[str, tuple[int, ...]]
    rows: int
    dtype: str
    about: dict[str, Any]

    @property
    def part(self) -> str:
        """Where it is written; a store elsewhere cannot be renamed, and is written in place."""
        return f"{self.target}{PART}" if is_path(self.target) else self.target

    def prepared(self, blocks: int, overwrite: bool, resume: bool) -> Any:
        """The array of finished blocks of an unfinished or new output; only an unfinished one is ever deleted."""
        about = json.loads(json.dumps({"written_by": MARK, "arrays": [*self.arrays], **self.about}))
        self._require_free(overwrite, resume)
        group = self._group(self.part)
        if resume and group is not None:
            attributes = group.attrs.asdict()
            if attributes.pop("complete", None) or attributes != about or DONE not in group:
                raise OutputError(
                    f"{shown(self.part)} is complete, or of other work; leave --resume out, or choose another"
                )
            return group[DONE]
        if group is not None or _exists(self.part):
            if not overwrite or not is_path(self.part):
                raise OutputError(
                    f"{shown(self.part)} is an unfinished output; complete it: --resume, or start again: --force"
                )
            require_ours(self.zarr, self.part)
            shutil.rmtree(self.part)
        try:
            return self._created(about, blocks)
        except OSError as problem:
            why = problem.strerror or problem
            raise OutputError(f"the output {shown(self.part)} cannot be written: {why}") from problem

    def _require_free(self, overwrite: bool, resume: bool) -> None:
        """Raise an error for a target that would be lost, or that exists, unless it may be replaced at the end."""
        if self.target.startswith("memory://"):
            raise OutputError(f"the output {shown(self.target)} ends with this process; name a folder or another store")
        if is_path(self.target):
            if _exists(self.target) and not os.path.isdir(self.target):
                raise OutputError(f"the output {shown(self.target)} is a file; name a store")
            if not _exists(self.target):
                return
            if overwrite:
                require_ours(self.zarr, self.target)
                return
        elif (group := self._group(self.target)) is None or (resume and not group.attrs.get("complete")):
            return
        elif overwrite:
            raise OutputError(f"the output {shown(self.target)} exists, and is not on this machine; delete it first")
        if resume and (not is_path(self.target) or self._group(self.part) is None):
            raise OutputError(f"{shown(self.target)} is complete, or of other work; leave --resume out")
        ways = "--force together with --resume" if resume else "--force"
        raise OutputError(f"the output {shown(self.target)} exists; choose another, or replace it: {ways}")

    def _group(self, store: str) -> Any:
        try:
            return self.zarr.open_group(store, mode="r+")
        except (FileNotFoundError, ValueError):
            return None

    def _created(self, about: dict[str, Any], blocks: int) -> Any:
        group = self.zarr.create_group(self.part, attributes={**about, "complete": False})
        for name, shape in self.arrays.items():
            chunks = (self.rows, *shape[1:])
            group.create_array(name, shape=shape, chunks=chunks, dtype=self.dtype, fill_value=np.nan)
        return group.create_array(DONE, shape=(blocks,), chunks=(blocks,), dtype="uint64")

    def finish(self) -> None:
        """Mark the output as complete and put it in its place; an older one is deleted last."""
        group = self.zarr.open_group(self.part, mode="r+")
        group.attrs["complete"] = True
        del group[DONE]
        if self.part == self.target:
            return
        if not _exists(self.target):
            os.rename(self.part, self.target)
            return
        require_ours(self.zarr, self.target)  # again: it may have changed meanwhile
        aside = _free_name(f"{self.target}.old")
        os.rename(self.target, aside)
        try:
            os.rename(self.part, self.target)
        except BaseException:
            os.rename(aside, self.target)
            raise
        shutil.rmtree(aside)


def _exists(path: str) -> bool:
    return os.path.lexists(path)


def _free_name(path: str) -> str:
    name, k = path, 1
    while _exists(name):
        name, k = f"{path}{k}", k + 1
    return name


def require_ours(zarr: Any, store: str) -> None:
    """Raise an error instead of replacing a folder that `batch` has not written, or that contains anything else."""
    try:
        group = zarr.open_group(store, mode="r")
        attributes = group.attrs.asdict()
    except (FileNotFoundError, ValueError, KeyError, OSError):
        attributes = {}
    arrays = attributes.get("arrays")
    if attributes.get("written_by") != MARK or not isinstance(arrays, list):
        raise OutputError(f"{shown(store)} is not an output of `sixvec batch`; delete it yourself, or choose another")
    foreign = next(_foreign(Path(store), {*map(str, arrays), DONE}), None)
    if foreign is not None:
        raise OutputError(
            f"{shown(str(foreign))} is not a part of an output of `sixvec batch`; move it, or choose another output"
        )


def _foreign(store: Path, arrays: set[str]) -> Iterator[Path]:
    """The files in a store that are not those of its arrays."""
    for entry in _entries(store):
        if entry.name in arrays and entry.is_dir(follow_symlinks=False):
            for inner in _entries(Path(entry.path)):
                if inner.name == _CHUNKS and inner.is_dir(follow_symlinks=False):
                    yield from _not_chunks(Path(inner.path))
                elif not _is_file(inner, _METADATA):
                    yield Path(inner.path)
        elif not _is_file(entry, _METADATA):
            yield Path(entry.path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return [*entries]


def _is_file(entry: os.DirEntry[str], name: str) -> bool:
    return entry.is_file(follow_symlinks=False) and (entry.name == name or _CHUNK.fullmatch(entry.name) is not None)


def _not_chunks(folder: Path) -> Iterator[Path]:
    for entry in _entries(folder):
        if entry.is_symlink() or _CHUNK.fullmatch(entry.name) is None:
            yield Path(entry.path)
        elif entry.is_dir(follow_symlinks=False):
            yield from _not_chunks(Path(entry.path))
