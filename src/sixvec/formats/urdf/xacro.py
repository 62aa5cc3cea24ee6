"""Xacro, the macro language in front of URDF: expanded by the optional package `xacro`, then read as URDF.

A xacro file is a program: it evaluates expressions and reads the files that it names.  Only files named `*.xacro` are
ever expanded, in a separate process with bounds on time and memory; trust them as you would a script.  `$(find NAME)`
works without ROS: the package is searched for in the folders of the caller, in those listed in ROS_PACKAGE_PATH and
AMENT_PREFIX_PATH, and above the file.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from sixvec.errors import FileFormatError, MissingExtra
from sixvec.formats.xml import read_xml
from sixvec.quoting import quoted

SUFFIX = ".xacro"

LONGEST = 60.0
"""Seconds that an expansion may take; the largest published robots need two."""

_LONGEST_REASON = 300
_PROCESS = Path(__file__).with_name("xacro_process.py")


def expanded(source: Path, arguments: Mapping[str, str] | None = None, folders: Iterable[Path] = ()) -> str:
    """The text of the URDF that a xacro file expands to.

    The file is first parsed as a model file, with its bounds and without document types or entities.
    """
    read_xml(source)
    _require_package()
    answer = _answer(source, {
        "path": sys.path,
        "file": str(source),
        "arguments": dict(arguments or {}),
        "folders": [str(Path(folder).absolute()) for folder in folders],
    })  # fmt: skip
    if "text" in answer:
        return answer["text"]
    kind, reason = answer["error"], answer["reason"]
    if kind == "RecursionError":
        raise FileFormatError("xacro cannot expand it: its macros call each other without end", file=str(source))
    if "package" in reason and "is not found" in reason:
        advice = "give the folder that holds it: folders=[…], or list it in ROS_PACKAGE_PATH"
    else:
        advice = "check the names of properties, arguments and included files"
    why = f"xacro cannot expand it: {kind}: {quoted(reason, _LONGEST_REASON)}"
    raise FileFormatError(why, advice=advice, file=str(source))


def _answer(source: Path, request: Mapping[str, object]) -> dict[str, str]:
    """The output of the process; its errors are those of the file."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_PROCESS)],
            input=json.dumps(request),
            capture_output=True,
            encoding="utf-8",
            timeout=LONGEST,
            check=False,
        )
        answer: dict[str, str] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        problem = f"xacro does not come to an end within {LONGEST:g} s; robots need less"
        raise FileFormatError(problem, file=str(source)) from None
    except (OSError, ValueError):
        problem = "xacro cannot expand it: its process failed, for memory or by a crash; expand the file elsewhere"
        raise FileFormatError(problem, file=str(source)) from None
    return answer


def _require_package() -> None:
    try:
        found = importlib.util.find_spec("xacro")
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise MissingExtra(
            'expanding "*.xacro" needs the package xacro: pip install "sixvec[xacro]"; '
            "or expand the file elsewhere (xacro arm.xacro > arm.urdf) and load the URDF"
        )
