"""What a command may write: not its own input, and an existing file only with `--force`."""

from __future__ import annotations

import os
from pathlib import Path

from sixvec.errors import ArgumentError, OutputError
from sixvec.formats.draft import require_writable

MARK = b"enerated by sixvec"
"""Words at the head of files whose names the user does not choose."""


def require_output(output: Path, force: bool, *inputs: str | Path) -> None:
    """Raise an error before any work is done."""
    for source in inputs:
        if os.path.exists(output) and os.path.exists(source) and os.path.samefile(output, source):
            raise ArgumentError(f"{output} is a file that is read; choose another name for the output")
    require_writable(output, force)


def require_own(output: Path, force: bool) -> None:
    """As `require_output`, for a name that is not the user's choice: only a file that we wrote may be replaced."""
    require_writable(output, force)
    if output.is_file():
        with output.open("rb") as file:
            if MARK not in file.read(400):
                raise OutputError(f'the output "{output}" exists and is not of sixvec; choose another folder')
