"""Names in model files: valid names, and cyclic relations between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from sixvec.errors import ModelError
from sixvec.formats.node import Node
from sixvec.formats.problems import raise_or_note
from sixvec.model import Model
from sixvec.quoting import quoted

MOST_NAMES_SHOWN = 6


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the next longer one that is unused."""
    while name in taken:
        name += "_"
    return name


def check_names(model: Model, names: list[str], what: str) -> None:
    """Raise an error for names that a reader could not distinguish, or would change."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ModelError(f'{model.name}: {times} {what}s of the file would be named "{name}"; rename all but one')
        if not name or name != name.strip() or not name.isprintable():
            raise ModelError(f"{model.name}: the {what} name {name!r} is empty or has blanks at its ends; rename it")


def circles(steps: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Each cycle of a map once, by the name at which a walk reaches itself.

    >>> [*circles({"a": "b", "b": "c", "c": "b"})]
    [('b', ['b', 'c'])]
    """
    finished: set[str] = set()
    for start in steps:
        walk: dict[str, None] = {}
        name = start
        while name in steps and name not in finished and name not in walk:
            walk[name] = None
            name = steps[name]
        if name in walk:
            way = [*walk]
            yield name, way[way.index(name) :]
        finished.update(walk)


def in_words(circle: list[str]) -> str:
    """A cycle of names as text."""
    names = " -> ".join(quoted(n) for n in [*circle[:MOST_NAMES_SHOWN], circle[0]])
    return names + (f" ({len(circle)} in all)" if len(circle) > MOST_NAMES_SHOWN else "")


def require_no_circles(leaders: Mapping[str, tuple[Node, str]]) -> None:
    """Raise an error for joints that follow each other in a circle; given are the element and the leader of each."""
    for name, circle in circles({follower: leader for follower, (_, leader) in leaders.items()}):
        message = f"follows itself: {in_words(circle)}"
        raise_or_note(leaders[name][0].error(message, "let one joint of the circle go free"))
