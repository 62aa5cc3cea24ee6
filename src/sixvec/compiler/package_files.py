"""The library's own files, and whether they are what this process runs."""

from __future__ import annotations

import os
from collections.abc import Iterator

import sixvec

_HERE = os.path.abspath(__file__)
ROOT = os.path.dirname(os.path.dirname(_HERE))

_IMPORTED = sixvec._imported - 2_000_000_000
"""Two seconds before the first import: the clocks of file systems are coarse."""


def unchanged_files() -> dict[str, os.stat_result] | None:
    """The status of every file by its path; None if one cannot be read or has changed since this process imported it.

    After an edit, this process traces code that differs from the files.  The time of the last change of status cannot
    be set back, as `cp -p` does with that of the contents.
    """
    try:
        statuses = {file.path: file.stat() for file in files()}
    except OSError:
        return None
    newest = max((max(status.st_mtime_ns, status.st_ctime_ns) for status in statuses.values()), default=_IMPORTED)
    unchanged = _HERE in statuses and newest < _IMPORTED  # a package inside an archive has no files
    return statuses if unchanged else None


def files_are_what_runs() -> bool:
    return unchanged_files() is not None


def files(folder: str = ROOT) -> Iterator[os.DirEntry[str]]:
    """All of them, in all folders."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                yield entry
            elif entry.name != "__pycache__":
                yield from files(entry.path)
