"""How this copy of the library was installed, and the command that adds an extra to it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def install_command(extra: str) -> str:
    """The command that installs an extra for the running interpreter: in a clone, from the clone.

    >>> "[view]'" in install_command("view")
    True
    """
    clone = clone_folder()
    what = f"'sixvec[{extra}]'" if clone is None else f"-e '{_from_here(clone)}[{extra}]'"
    return f"{_pip()} install {what}"


def clone_folder() -> Path | None:
    """The clone that the library is imported from; None for an installed package."""
    package = Path(__file__).resolve().parent
    root = package.parents[1]
    return root if package.parent.name == "src" and (root / "pyproject.toml").is_file() else None


def _pip() -> str:
    """`pip` if the shell finds that of the running interpreter, else the interpreter with its module."""
    path = shutil.which("pip")
    beside = Path(sys.executable).parent
    return "pip" if path and Path(path).parent == beside else f"{_from_here(Path(sys.executable))} -m pip"


def _from_here(path: Path) -> str:
    """A path as a shell in the current folder would write it."""
    try:
        here = os.path.relpath(path)
    except (OSError, ValueError):  # a current folder that was deleted
        return str(path)
    return str(path) if here.startswith("..") else here
