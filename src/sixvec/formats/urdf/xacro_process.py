"""The process that expands a xacro file: third-party code, run separately so that it can be stopped.

Standard input contains a request as JSON, standard output the URDF or the error.  The package `xacro` finds ROS
packages through the module `ament_index_python`; its replacement here finds them without ROS.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
import types
from pathlib import Path
from typing import Any

MOST_MEMORY = 2 * 2**30
"""Memory limit of the expansion in bytes, where the system supports it."""


def main() -> None:
    request = json.load(sys.stdin)
    sys.path[:] = request["path"]
    _limit_memory()
    _offer_packages(request)
    answer: dict[str, str]
    with contextlib.redirect_stdout(sys.stderr):  # the package prints its own error report
        try:
            import xacro  # type: ignore[import-untyped, unused-ignore]

            document = xacro.process_file(request["file"], mappings=request["arguments"])
            answer = {"text": document.toprettyxml(indent="  ")}
        except Exception as problem:  # expressions of the file may raise anything
            answer = {"error": type(problem).__name__, "reason": str(problem)[:10_000]}
    json.dump(answer, sys.stdout)


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def _offer_packages(request: dict[str, Any]) -> None:
    """Install a module in place of ROS's index of packages."""
    spec = importlib.util.spec_from_file_location("packages", Path(__file__).parents[1] / "packages.py")
    assert spec is not None and spec.loader is not None
    packages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(packages)

    def share_directory(name: str) -> str:
        found = packages.package_folder(name, Path(request["file"]), map(Path, request["folders"]))
        if found is None:
            raise LookupError(f'the package "{name}" is not found')
        return str(found)

    index: Any = types.ModuleType("ament_index_python.packages")
    index.get_package_share_directory = share_directory
    whole: Any = types.ModuleType("ament_index_python")
    whole.packages = index
    sys.modules |= {"ament_index_python": whole, "ament_index_python.packages": index}


if __name__ == "__main__":
    main()
