"""Robot kinematics and dynamics with 6-D vectors: textbook equations, compiled for one robot.

>>> import sixvec as sv
>>> robot = sv.load("panda")
>>> robot.mass_matrix(robot.neutral()).shape
(7, 7)
"""

from importlib import import_module
from time import time_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sixvec.compiler.input_checks import check_inputs
    from sixvec.compiler.threads import set_threads
    from sixvec.distance.world import World
    from sixvec.errors import SixvecError
    from sixvec.formats.save import save
    from sixvec.formats.tables.columns import from_dh, from_screws
    from sixvec.interop.conventions import convert
    from sixvec.kernels.function import compiled
    from sixvec.model import Model
    from sixvec.robot import Robot, load
    from sixvec.textbook.where import where

__version__ = "0.2.0"

__all__ = [
    "Model", "Robot", "SixvecError", "World", "__version__", "check_inputs", "compiled", "convert", "from_dh",
    "from_screws", "load", "save", "set_threads", "where",
]  # fmt: skip

_imported = time_ns()
"""Before any other module was: compiled code is kept only if no file is newer (compiler/package_files.py)."""

_HOMES = {
    "Model": "model", "Robot": "robot", "SixvecError": "errors", "World": "distance.world",
    "check_inputs": "compiler.input_checks", "compiled": "kernels.function", "convert": "interop.conventions",
    "from_dh": "formats.tables.columns", "from_screws": "formats.tables.columns", "load": "robot",
    "save": "formats.save", "set_threads": "compiler.threads", "where": "textbook.where",
}  # fmt: skip
"""The module of each name.  It is imported on first use: `import sixvec` and `sixvec --help` wait for nothing."""

_PACKAGES = (
    "algorithms", "analysis", "compiler", "constraints", "distance", "formats", "geometry", "identification", "ik",
    "interop", "kernels", "large_trees", "mobile", "model", "motion", "muscles", "parallel", "sim", "solve", "spatial",
    "tasks", "textbook", "theory", "viz",
)  # fmt: skip
"""Imported on first use, too: most programs need few of them."""

_INSIDE = {"arguments", "compiler", "errors", "kernels", "robot", "scalar", "verdict"}
"""Modules that users reach through others, and that `dir` omits."""


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return globals().setdefault(name, getattr(import_module(f"{__name__}.{_HOMES[name]}"), name))
    if name in _PACKAGES or name in _INSIDE:
        return import_module(f"{__name__}.{name}")
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    from sixvec.arguments.misspelt import no_member
    from sixvec.model.robots import BUILT_IN
    from sixvec.robot import Robot

    if name in BUILT_IN:
        message = f"module {__name__!r} has no attribute {name!r}; write {__name__}.load({name!r})"
        raise AttributeError(message, name=name)
    raise AttributeError(no_member(__name__, name, __dir__(), Robot), name=name)


def __dir__() -> list[str]:
    return sorted({*__all__, *_PACKAGES} - _INSIDE)
