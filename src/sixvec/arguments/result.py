"""Results with several parts: frozen dataclasses that print the shapes of arrays, and single numbers and words.

They are trees of arrays for `jax.tree_util` and `torch.utils._pytree`, from one table: `for_each_result` registers
every class, in whatever order the modules and libraries are imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any

import numpy as np

WORDS = frozenset(
    {
        "Bounds",
        "Callable[..., Any]",
        "Callable[..., Any] | None",
        "Model",
        "ParallelRobot | None",
        "Path",
        "Platform",
        "Robot",
        "StewartGough",
        "TimedPath",
        "Verdict",
        "bool",
        "str",
        "tuple[Kind, ...]",
        "tuple[Violation, ...]",
        "tuple[str, ...]",
        "tuple[tuple[str, str], ...]",
    }
)
"""Annotations of parts that say what a result is about; all other parts are numbers, arrays and results."""

_classes: list[type[Result]] = []
_registers: list[Callable[[type[Result]], None]] = []


class Result:
    """Base of dataclasses made with `frozen=True, eq=False, repr=False`: arrays cannot be compared as a whole.

    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False, repr=False)
    ... class State(Result):
    ...     q: Any
    ...     v: Any
    >>> State(np.zeros((10, 7)), np.zeros((10, 6)))
    <State: q (10, 7), v (10, 6)>
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("__repr__", "__str__"):
            if name in cls.__dict__:
                setattr(cls, name, _without_values(cls.__dict__[name]))
        _classes.append(cls)
        for register in _registers:
            register(cls)

    def __repr__(self) -> str:
        parts: Any = self
        values = {f.name: getattr(parts, f.name) for f in fields(parts)}
        shown = [f"{name} {tuple(x.shape)}" for name, x in values.items() if hasattr(x, "shape")]
        shown += [f"{name} {x}" for name, x in values.items() if isinstance(x, bool | int | float | str)]
        return f"<{type(self).__name__}: {', '.join(shown)}>"


def for_each_result(register: Callable[[type[Result]], None]) -> None:
    """Call a function with every class of results: those that exist, and those defined later."""
    _registers.append(register)
    for cls in _classes:
        register(cls)


def divided(cls: type[Result]) -> tuple[list[str], list[str]]:
    """The names of the parts that hold numbers, and of those that hold words."""
    parts: Any = cls
    names = {f.name: str(f.type) in WORDS for f in fields(parts)}
    return [name for name, is_word in names.items() if not is_word], [name for name in names if names[name]]


def numbers_of(result: Result) -> list[str]:
    """The names of the parts of a result that hold numbers; a part that is None is missing."""
    return [name for name in divided(type(result))[0] if getattr(result, name) is not None]


def taken_apart(result: Result) -> tuple[list[Any], tuple[Any, ...]]:
    """The parts of a result that hold numbers, and those that hold text, with the names of missing numbers behind."""
    names, (numbers, words) = numbers_of(result), divided(type(result))
    missing = tuple(name for name in numbers if name not in names)
    return [getattr(result, name) for name in names], (*(getattr(result, name) for name in words), missing)


def put_together(cls: type[Result], numbers: Sequence[Any], words: Sequence[Any]) -> Result:
    """A result from its parts, unchecked: libraries put placeholders in the place of arrays."""
    result: Result = object.__new__(cls)
    of_numbers, of_words = divided(cls)
    missing = words[len(of_words)] if len(words) > len(of_words) else ()
    result.__dict__.update(dict.fromkeys(missing))
    there = [name for name in of_numbers if name not in missing]
    result.__dict__.update(zip([*there, *of_words], [*numbers, *words[: len(of_words)]], strict=True))
    return result


def _without_values(shown: Callable[[Any], str]) -> Callable[[Any], str]:
    """A description that shows shapes alone where values are not known, as inside `jax.jit`."""

    @wraps(shown)
    def text(result: Any) -> str:
        try:
            return shown(result)
        except (TypeError, ValueError, RuntimeError, AttributeError):
            values = [getattr(result, name) for name in divided(type(result))[0]]
            if all(x is None or isinstance(x, np.ndarray | np.generic | int | float) for x in values):
                raise
            return Result.__repr__(result)

    return text
