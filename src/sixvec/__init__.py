"""Robot kinematics and dynamics with 6-D vectors: textbook equations, compiled for one robot.

>>> import sixvec as sv
>>> robot = sv.load("panda")
>>> robot.mass_matrix(robot.neutral()).shape
(7, 7)
"""

from importlib import import_module
from types import ModuleType

from sixvec.compiler.input_checks import check_inputs
from sixvec.compiler.threads import set_threads
from sixvec.conventions import convert
from sixvec.errors import SixvecError
from sixvec.function import compiled
from sixvec.loaders.save import save
from sixvec.model import Model
from sixvec.robot import Robot, load

__version__ = "0.1.0"

__all__ = [
    "Model", "Robot", "SixvecError", "__version__", "check_inputs", "compiled", "convert", "load", "save",
    "set_threads",
]  # fmt: skip

_PACKAGES = (
    "analysis", "closed_form", "constraint_force", "constraints", "doctor", "geometry", "identification", "ik",
    "lagrange", "large_trees", "loaders", "model", "operators", "orientation", "redundancy", "rigid_body",
    "second_derivatives", "sim", "spatial", "task_space", "viz",
)  # fmt: skip
"""Imported when they are first asked for: most programs need few of them."""


def __getattr__(name: str) -> ModuleType:
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PACKAGES})
