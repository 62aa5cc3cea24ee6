"""Modules of the library that can be imported here: those for other libraries need them."""

from __future__ import annotations

import importlib
from types import ModuleType


def installed(name: str) -> ModuleType | None:
    """A module, or None where it serves a library that is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        if name.startswith("sixvec.interop.") and not str(problem.name).startswith("sixvec"):
            return None
        raise
