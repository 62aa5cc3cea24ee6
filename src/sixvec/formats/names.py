"""Names that a model file can hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from sixvec.errors import ModelError
from sixvec.model import Model


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the next longer one that nothing has.

    >>> free_name("world", {"world"})
    'world_'
    """
    while name in taken:
        name += "_"
    return name


def check_names(model: Model, names: list[str], what: str) -> None:
    """Raise for names that a reader could not tell apart, or would change."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ModelError(f'{model.name}: {times} {what}s of the file would be named "{name}"; rename all but one')
        if not name or name != name.strip() or not name.isprintable():
            raise ModelError(f"{model.name}: the {what} name {name!r} is empty or has blanks at its ends; rename it")
