"""Pickling decorated functions as their names, as Python pickles plain functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def by_name(decorated: Any, function: Callable[..., Any]) -> tuple[Any, ...]:
    """What `made.__reduce__` returns, if the module of the function has `decorated` under the function's name.

    >>> from sixvec.algorithms.pose import pose
    >>> by_name(pose, pose.function)[1]
    ('sixvec.algorithms.pose', 'pose')
    """
    module, name = function.__module__, function.__qualname__
    if _find(sys.modules.get(module), name) is not decorated:
        raise TypeError(
            f"{name} cannot be pickled: {module} does not have it under that name; decorate functions at the top "
            "level of a module"
        )
    return _import, (module, name)


def _import(module: str, name: str) -> Any:
    return _find(import_module(module), name)


def _find(value: Any, name: str) -> Any:
    for part in name.split("."):
        value = getattr(value, part, None)
    return value
