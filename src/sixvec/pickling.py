"""Pickling decorated functions by name, as Python pickles plain functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def by_name(made: Any, function: Callable[..., Any]) -> tuple[Any, ...]:
    """What `made.__reduce__` returns, if the module of the function has `made` under the function's name.

    >>> from sixvec.algorithms.pose import pose
    >>> by_name(pose, pose.function)[1]
    ('sixvec.algorithms.pose', 'pose')
    """
    module, name = function.__module__, function.__qualname__
    if _find(sys.modules.get(module), name) is not made:
        raise TypeError(
            f"{name} cannot be pickled: {module} does not have it under that name; decorate functions at the top "
            "level of a module"
        )
    return _import, (module, name)


def _import(module: str, name: str) -> Any:
    return _find(import_module(module), name)


def _find(found: Any, name: str) -> Any:
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
