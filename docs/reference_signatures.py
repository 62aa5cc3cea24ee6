"""Signatures of the reference: parameters with types and defaults, as Sphinx reads them."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sixvec.kernels import methods

UNNAMED = "..."
"""A default that no name leads to."""


@dataclass(frozen=True)
class Signature:
    """What stands behind the name, and the options below it."""

    arguments: str = ""
    options: str = ""


def signature(value: Any, kind: str, name: str, places: Mapping[str, str]) -> Signature:
    """The signature of a name of the reference; `places` are the full names of the classes that types link to."""
    if kind == "data":
        return Signature()
    if kind == "property":
        function = getattr(value, "fget", None) or getattr(value, "_function", None)
        found = getattr(function, "__annotations__", {}).get("return", "")
        return Signature("", f":type: {linked(_text(found), places)}\n" if found else "")
    options = ""
    if isinstance(value, classmethod | staticmethod):
        options, value = f":{type(value).__name__}:\n", value.__func__
    algorithm = _of_algorithms().get(name.removeprefix("Robot.")) if kind == "method" else None
    return Signature(linked(algorithm or _arguments(value, kind), places), options)


@cache
def _of_algorithms() -> dict[str, str]:
    """The signatures of the algorithms as methods of robots, which are written in the stubs."""
    tree = ast.parse(Path(methods.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    (owner,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Methods")
    found = {}
    for node in owner.body:
        if isinstance(node, ast.FunctionDef):
            arguments = ast.unparse(node.args).removeprefix("self, ")
            found[node.name] = f"({arguments}) -> {ast.unparse(node.returns) if node.returns else None}"
    return found


def _arguments(value: Any, kind: str) -> str:
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    hidden = {"self", "cls"} if kind == "method" else {"self"}
    given = [p for p in found.parameters.values() if p.name not in hidden]
    shown = [p.replace(annotation=_typed(p.annotation), default=_default(p.default)) for p in given]
    result = "" if inspect.isclass(value) else _text(found.return_annotation)
    arguments = str(found.replace(parameters=shown, return_annotation=found.empty))
    return f"{arguments} -> {result}" if result else arguments


class _Text:
    """A type or default that `inspect` prints as it is written."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _typed(annotation: Any) -> Any:
    return _Text(_text(annotation)) if _text(annotation) else annotation


def _text(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    if isinstance(annotation, str):
        return annotation.strip("\"'")
    return inspect.formatannotation(annotation)


def _default(value: Any) -> Any:
    """A default that can be read as Python: a literal, or the name of a function or class."""
    if value is inspect.Parameter.empty:
        return value
    text = getattr(value, "__name__", "") if callable(value) else re.sub(r"<(\w+\.\w+): .*>", r"\1", repr(value))
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        text = UNNAMED
    return _Text(text or UNNAMED)


def linked(text: str, places: Mapping[str, str]) -> str:
    """Types with the names under which the reference has them; the site shows the last part of each."""
    known = {"Robot": "sixvec.Robot", "T": "typing.T", **places}  # T is no transpose but any type
    text = re.sub(r"\bsixvec(?:\.\w+)*\.([A-Z]\w*)", r"\1", text)  # classes by their modules
    return re.sub(r"(?<![\w.'\"])[A-Z]\w*(?![\w.(=:])", lambda match: known.get(match[0], match[0]), text)
