"""Files written beside their place, so that the place holds the old file or the whole new one, never a part."""

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
    """A file beside `path`, of the same suffix, that takes its place when `place` is called and goes if it is not.

    A file that exists is replaced only with `overwrite`; of a link the link itself is replaced, not what it points to.
    Folders, pipes and devices are refused before anything is done.

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
        """Where the text stands until it is placed."""

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
        """Rename the finished file; this happens at once, or not at all."""
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
    """Write a whole file, or leave everything as it was."""
    with Draft(path, content, overwrite=overwrite) as draft:
        draft.place()


def require_writable(path: Path, overwrite: bool) -> int | None:
    """Refuse a place where no file can be written; the mode of the file that stands there, if one does."""
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
        raise OutputError(f'the output "{name}" is no plain file but a pipe or a device; choose another name')
    if not overwrite:
        what = "is a link" if stat.S_ISLNK(mode) else "exists"
        raise OutputError(
            f'the output "{name}" {what}; choose another name, or allow it to be replaced: '
            "overwrite=True, or --force on the command line"
        )
    return None if stat.S_ISLNK(mode) else stat.S_IMODE(mode) & 0o777


def _rename_to_new(file: Path, path: Path) -> None:
    """Rename to a name that nothing has, even if another process takes it in this moment."""
    try:
        os.link(file, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        require_writable(path, overwrite=False)
        os.rename(file, path)


def _keep(folder: Path) -> None:
    """Have the new name itself on the disk, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unwritable(path: Path, problem: OSError) -> OutputError:
    return OutputError(f'the output "{quoted(str(path), 200)}" cannot be written: {problem.strerror or problem}')
