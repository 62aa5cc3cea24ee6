"""The public names of the library with their docstrings, and the equations that these cite."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import reference_pages  # noqa: E402

from sixvec.textbook.citation import citations  # noqa: E402
from sixvec.textbook.inventory import numbers  # noqa: E402
from sixvec.textbook.where import resolved  # noqa: E402


def public_names(listed: frozenset[str]) -> dict[str, Any]:
    """Objects by dotted name below `sixvec`: the reference, what modules named in `listed` define, and all members."""
    names: dict[str, Any] = {}
    for entry in reference_pages.all_entries():
        package = {"robot": "", "top": ""}.get(entry.page, f"{entry.page.removeprefix('sixvec.')}.")
        names[package + entry.name] = entry.value
    for name in sorted(listed):
        value = resolved(name)
        names.update(_of_module(name, value) if isinstance(value, ModuleType) else {name: value})
    classes = {name: value for name, value in names.items() if inspect.isclass(value)}
    for name, value in classes.items():
        names |= {f"{name}.{member}": inspect.getattr_static(value, member) for member in _members(value)}
    return names


def _of_module(name: str, module: ModuleType) -> dict[str, Any]:
    return {
        f"{name}.{own}": value
        for own, value in vars(module).items()
        if not own.startswith("_") and getattr(value, "__module__", None) == module.__name__
    }


def _members(value: type) -> Iterator[str]:
    return (member for member in dir(value) if not member.startswith("_"))


def documented(value: Any) -> str:
    """A docstring of its own: instances of a class, such as constants, have none."""
    if isinstance(value, (*reference_pages.PLAIN, ModuleType)):
        return ""
    if str(getattr(_function(value), "__module__", "")).startswith("sixvec.textbook"):
        return ""  # it shows citations and computes none
    text = value.__doc__ if inspect.isclass(value) else inspect.getdoc(value)
    return text or ""


@cache
def cited(listed: frozenset[str]) -> dict[tuple[str, str], tuple[str, ...]]:
    """The public names whose docstrings cite each equation; an inherited method under its first class only."""
    names: dict[tuple[str, str], list[str]] = {}
    seen: set[int] = set()
    for name, value in sorted(public_names(listed).items(), key=lambda item: _rank(*item)):
        function = inspect.unwrap(_function(value)) if callable(_function(value)) else value
        if id(function) in seen:
            continue
        seen.add(id(function))
        for citation in citations(documented(value)):
            for number in (numbers(citation) or ()) if citation.kind == "equation" else ():
                where = names.setdefault((citation.document, number), [])
                where += [name] * (name not in where)
    return {key: tuple(sorted(where)) for key, where in names.items()}


def _rank(name: str, value: Any) -> tuple[bool, int, str]:
    """Members of the class that defines them come before inherited ones, short names before long ones."""
    parts = getattr(_function(value), "__qualname__", name).split(".")
    defined_here = len(parts) < 2 or name.split(".")[-2:-1] == parts[-2:-1] or name.startswith("Robot.")
    return (not defined_here, name.count("."), name)


def _function(value: Any) -> Any:
    value = getattr(value, "__func__", value)
    return getattr(value, "fget", None) or getattr(value, "_function", None) or value
