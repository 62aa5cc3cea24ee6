"""Files written to a temporary neighbour, so that the target is the old file or the complete new one."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from sixvec.errors import OutputError
from sixvec.quoting import quoted

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_LONGEST_STEM = 100


class Draft:
    """A temporary file next to `path`, with the same suffix; `place` renames it to `path`, otherwise it is removed.

    A file that exists is replaced only with `overwrite`; a symbolic link itself is replaced, not its target.
    Folders, pipes and devices raise an error before anything is written.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "arm.urdf"
    >>> with Draft(path, "<robot/>") as draft:
    ...     draft.place()
    >>> path.read_text()
    '<robot/>'
    >>> Draft(path, "<robot/>")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    sixvec.errors.OutputError: the output "...arm.urdf" exists; ...
    """

    def __init__(self, path: str | Path, content: str | bytes, *, overwrite: bool = False) -> None:
        self.path, self._overwrite = Path(path), overwrite
        self._mode = require_writable(self.path, overwrite)
        self._content = content.encode() if isinstance(content, str) else content
        self.file = self.path.with_name(f".{self.path.stem[:_LONGEST_STEM]}-{secrets.token_hex(8)}{self.path.suffix}")
        """The path of the text until it is placed."""

    def __enter__(self) -> Draft:
        try:
            with open(os.open(self.file, _NEW, 0o666), "wb") as opened:
                opened.write(self._content)
                opened.flush()
                os.fsync(opened.fileno())
            if self._mode is not None:
                self.file.chmod(self._mode)
        except BaseException as problem:
            self._discard()
            if isinstance(problem, OSError):
                raise _unwritable(self.path, problem) from problem
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._discard()

    def place(self) -> None:
        """Rename the finished file; the rename is atomic."""
        try:
            if self._overwrite:
                os.replace(self.file, self.path)
            else:
                _rename_to_new(self.file, self.path)
        except OSError as problem:
            raise _unwritable(self.path, problem) from problem
        _keep(self.path.parent)

    def _discard(self) -> None:
        with suppress(OSError):
            self.file.unlink(missing_ok=True)


def write_file(path: str | Path, content: str | bytes, *, overwrite: bool = False) -> None:
    """Write a complete file, or change nothing."""
    with Draft(path, content, overwrite=overwrite) as draft:
        draft.place()


def require_writable(path: Path, overwrite: bool) -> int | None:
    """Raise an error for a path where no file can be written; return the mode of an existing file there."""
    name = quoted(str(path), 200)
    if not path.parent.is_dir():
        folder = quoted(str(path.parent), 200)
        raise OutputError(
            f'the output "{name}" is in the folder "{folder}", which does not exist; '
            "name a file in a folder that exists"
        )
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        raise OutputError(f'the output "{name}" cannot be written: {problem}') from problem
    if stat.S_ISDIR(mode):
        raise OutputError(f'the output "{name}" is a folder; name a file in a folder that exists')
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise OutputError(f'the output "{name}" is not a plain file but a pipe or a device; choose another name')
    if not overwrite:
        what = "is a link" if stat.S_ISLNK(mode) else "exists"
        raise OutputError(
            f'the output "{name}" {what}; choose another name, or allow it to be replaced with overwrite=True'
        )
    return None if stat.S_ISLNK(mode) else stat.S_IMODE(mode) & 0o777


def _rename_to_new(file: Path, path: Path) -> None:
    """Rename to an unused name, safe against a race with another process."""
    try:
        os.link(file, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        require_writable(path, overwrite=False)
        os.rename(file, path)


def _keep(folder: Path) -> None:
    """Flush the new directory entry to disk, where the system supports it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unwritable(path: Path, problem: OSError) -> OutputError:
    return OutputError(f'the output "{quoted(str(path), 200)}" cannot be written: {problem.strerror or problem}')
