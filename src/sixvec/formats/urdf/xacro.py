"""Xacro, the macro language in front of URDF: expanded by the optional package `xacro`, then read as URDF.

Only files named `*.xacro` are ever expanded, in a separate process with bounds on time, memory and size.  A file cannot
run code: its expressions are those of `xacro_expressions.py`, and it reads XML and YAML files in its own folder, in its
package, in the folders of the caller and in packages that `$(find NAME)` finds there, above the file or through
ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.  `trusted=True` hands the file to the package without these restrictions.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from sixvec.errors import FileFormatError, MissingExtra
from sixvec.formats.budget import budget, spend
from sixvec.formats.packages import own_folders
from sixvec.formats.xml import read_xml
from sixvec.quoting import quoted

SUFFIX = ".xacro"

LONGEST = 30.0
"""Seconds that expanding and parsing a file may take together; the largest published robots need two."""

LARGEST = 16 * 2**20
"""Bytes of an expanded file; the largest published robots have one MiB."""

TRUST = "if you trust the file as you would a script: sixvec.load(…, trusted=True), or --trusted"

_LONGEST_REASON = 300
_PROCESS = Path(__file__).with_name("xacro_process.py")


def expanded(
    source: Path,
    arguments: Mapping[str, str] | None = None,
    folders: Iterable[Path] = (),
    *,
    trusted: bool = False,
) -> str:
    """The text of the URDF that a xacro file expands to.

    The file is first parsed as a model file, with its bounds and without document types or entities.
    """
    start = time.monotonic()
    read_xml(source)
    _require_package()
    reply = _answer(source, {
        "path": sys.path,
        "file": str(source),
        "arguments": dict(arguments or {}),
        "folders": [str(Path(folder).absolute()) for folder in folders],
        "homes": [str(each) for home in (source, source.resolve()) for each in own_folders(home.parent)],
        "trusted": trusted,
    })  # fmt: skip
    budget().deadline = start + LONGEST
    if "text" in reply:
        return reply["text"]
    raise _problem(source, reply["error"], reply["reason"])


def _problem(source: Path, kind: str, reason: str) -> FileFormatError:
    if kind == "RecursionError":
        return FileFormatError("xacro cannot expand it: its macros call each other without end", file=str(source))
    advice = "check the names of properties, arguments and included files"
    why = f"xacro cannot expand it: {kind}: {quoted(reason, _LONGEST_REASON)}"
    if kind == "NotAllowed":
        why, advice = f"it contains {quoted(reason, _LONGEST_REASON)}, which is not allowed", TRUST
    elif "package" in reason and "is not found" in reason:
        advice = "give the folder that holds it: folders=[…], or list it in ROS_PACKAGE_PATH"
    return FileFormatError(why, advice=advice, file=str(source))


def _answer(source: Path, request: Mapping[str, object]) -> dict[str, str]:
    """The output of the process, of which no more is read than a robot needs; its errors are those of the file."""

    def problem_of(message: str, advice: str = "") -> FileFormatError:
        return FileFormatError(message, advice=advice, file=str(source))

    failed = "xacro cannot expand it: its process failed, for memory or by a crash; expand the file elsewhere"
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", str(_PROCESS)], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
    except OSError:
        raise problem_of(failed) from None
    late = threading.Event()

    def stop() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(LONGEST, stop)
    timer.start()
    try:
        data = _exchanged(process, json.dumps(request).encode())
    finally:
        timer.cancel()
        process.kill()
        process.wait()
    if late.is_set():
        raise problem_of(f"xacro does not come to an end within {LONGEST:g} s; robots need less")
    if len(data) > LARGEST:
        raise problem_of(f"xacro expands it to more than {LARGEST // 2**20} MiB", "robots need less")
    spend("bytes of files", len(data), problem_of)
    try:
        reply: dict[str, str] = json.loads(data)
    except ValueError:
        raise problem_of(failed) from None
    return reply


def _exchanged(process: subprocess.Popen[bytes], request: bytes) -> bytes:
    assert process.stdin is not None and process.stdout is not None
    with process.stdin, process.stdout:
        try:
            process.stdin.write(request)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has ended already, and its output says why
        return process.stdout.read(LARGEST + 1)


def _require_package() -> None:
    try:
        spec = importlib.util.find_spec("xacro")
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise MissingExtra(
            'expanding "*.xacro" needs the package xacro; expand the file elsewhere (xacro arm.xacro > arm.urdf) and '
            "load the URDF, or install it",
            extra="xacro",
        )
