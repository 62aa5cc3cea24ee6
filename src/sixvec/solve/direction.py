"""Directions of a frame's motion by name: the rows of its Jacobian that a task uses."""

from __future__ import annotations

from collections.abc import Sequence

from sixvec.errors import ArgumentError, unknown

TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
"""The components of a twist: rotation about, then translation along, the axes of the reference."""

DIRECTIONS = ("rx", "ry", "rz", "x", "y", "z")
"""The same six in the vocabulary of tasks."""

GROUPS = {"pose": DIRECTIONS, "orientation": DIRECTIONS[:3], "position": DIRECTIONS[3:]}

_ROWS = {name: i for names in (DIRECTIONS, TWIST) for i, name in enumerate(names)}

Directions = str | Sequence[str]
"""Names in one string, "x y rz", or one by one, ("vx", "vy", "wz", "turn z"); shifts also as letters, "xyz"."""


def direction_rows(directions: Directions) -> list[int]:
    """Rows of a 6-row Jacobian: "pose", "position", "orientation", or names such as "x y rz" or ("vx", "vy", "wz").

    >>> direction_rows("position"), direction_rows("x y rz"), direction_rows(("vx", "vy", "wz"))
    ([3, 4, 5], [3, 4, 2], [3, 4, 2])
    >>> direction_rows("xz"), direction_rows(("turn y", "x"))
    ([3, 5], [1, 3])
    """
    if isinstance(directions, str):
        words = directions.replace(",", " ").split()
    elif isinstance(directions, Sequence) and all(isinstance(word, str) for word in directions):
        words = [part for word in directions for part in word.replace("turn ", "r").split()]
    else:
        raise ArgumentError(f"directions are names, not {directions!r}; {_offered()}")
    words = [part for word in words for part in (word if {*word} <= {*"xyz"} else (word,))]
    names = [name for word in words for name in GROUPS.get(word, (word,))]
    for name in names:
        if name not in _ROWS:
            raise ArgumentError(f"{unknown('direction', name, (*GROUPS, *DIRECTIONS))} or {', '.join(TWIST)}")
    rows = [_ROWS[name] for name in names]
    if not rows:
        raise ArgumentError(f"directions {directions!r} name none; {_offered()}")
    if len(set(rows)) < len(rows):
        twice = next(i for i in rows if rows.count(i) > 1)
        raise ArgumentError(
            f'directions {directions!r} ask twice for "{DIRECTIONS[twice]}", also called "{TWIST[twice]}"; {_offered()}'
        )
    return rows


def _offered() -> str:
    return f"give each once, of {', '.join((*GROUPS, *DIRECTIONS))} or {', '.join(TWIST)}"
