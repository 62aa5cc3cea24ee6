"""Directions along which a frame is held: the entries of `hold=`.  There are no kernels here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass
from numbers import Real
from typing import Any

from sixvec.algorithms.parts.closure_rows import AXES, Row, Shift, Spin, axis_name
from sixvec.errors import ArgumentError, unknown
from sixvec.spatial import PlaneRotation, Rotation, Vec3


@dataclass(frozen=True, slots=True, repr=False)
class Direction:
    """An axis along which a frame may not shift, or about which it may not turn.

    The row is the velocity along the axis,  ė = A v,  and its acceleration is the derivative of that,  Ȧ v + A a.  An
    axis of the frame turns with it, an axis of the world does not.  With `of_point` the acceleration of the row is
    that of the frame's origin along the axis instead, which for an axis of the frame is larger by  axis · (ω × v).
    """

    axis: tuple[float, float, float]
    """Of length 1."""
    turns: bool = False
    in_world: bool = False
    of_point: bool = False

    def row(self, R_FW: Rotation | PlaneRotation) -> Row:
        """The equation, in the axes of the frame F; R_FW takes world coordinates to those of F."""
        u = self.axis_in(R_FW)
        return Spin(u) if self.turns else Shift(u)

    def axis_in(self, R_FW: Rotation | PlaneRotation) -> Vec3:
        """The axis in F: an axis of the world is turned by R_FW."""
        u = Vec3(*self.axis)
        return R_FW @ u if self.in_world else u

    @property
    def turns_with_frame(self) -> bool:
        """Whether the row accelerates as the velocity does in axes that turn with the frame."""
        return not (self.in_world or self.of_point)

    @property
    def letter(self) -> str | None:
        """x, y or z, if it is that axis."""
        return next((name for name, u in _LETTERS.items() if u == self.axis), None)

    @property
    def words(self) -> str:
        """What `hold` says before the axis."""
        words = (("acceleration", self.of_point), ("turn", self.turns), ("world", self.in_world))
        return " ".join(word for word, is_said in words if is_said)

    @property
    def name(self) -> str:
        """In the names of constraint rows."""
        return f"{self.words.replace('turn', 'turn about')} {axis_name(Vec3(*self.axis))}".strip()

    def __str__(self) -> str:
        return f"{self.words} {self.letter or self.axis}".strip()

    def __repr__(self) -> str:
        """As `hold` takes it."""
        if self.letter is not None:
            return repr(str(self))
        return repr((self.words, self.axis) if self.words else self.axis)


_LETTERS = {letter: (float(u.x), float(u.y), float(u.z)) for letter, u in zip("xyz", AXES, strict=True)}

WORDS: dict[str, dict[str, bool]] = {
    "turn": {"turns": True},
    "": {},
    "turn world": {"turns": True, "in_world": True},
    "world": {"in_world": True},
    "acceleration": {"of_point": True},
}
"""What may precede an axis."""

DIRECTIONS = {
    f"{words} {letter}".strip(): Direction(axis, **meaning)
    for words, meaning in WORDS.items()
    for letter, axis in _LETTERS.items()
}

_TURNS, _SHIFTS = ("turn x", "turn y", "turn z"), ("x", "y", "z")

KINDS: dict[str, tuple[Direction, ...]] = {
    kind: tuple(DIRECTIONS[name] for name in names)
    for kind, names in {
        "weld": (*_TURNS, *_SHIFTS),
        "point": _SHIFTS,
        "vertical": ("world x", "world y"),
        "vertical slide": (*_TURNS, "world x", "world y"),
    }.items()
}
"""Named sets of directions: a body that does not move, one whose origin does not, one whose origin
moves up and down, and one that moves up and down without turning (Bruyninckx (6.37)-(6.39))."""


def directions_of(key: Any, kind: Any) -> tuple[Direction, ...]:
    """The value of `hold[key]` checked: a kind, or a sequence of directions.

    >>> directions_of("hand", ("turn z", (3.0, 0.0, 4.0), ("world", (0.0, 2.0, 0.0))))
    ('turn z', (0.6, 0.0, 0.8), 'world y')
    """
    if isinstance(kind, str):
        if kind not in KINDS:
            hint = f'; one direction is written ("{kind}",)' if kind in DIRECTIONS else ""
            raise ArgumentError(f"hold[{key!r}]: {unknown('kind', kind, KINDS)}{hint}")
        return KINDS[kind]
    if not isinstance(kind, Sequence) or not kind:
        raise ArgumentError(f'hold[{key!r}] must be "weld", "point" or a tuple of directions, not {kind!r}')
    if _is_vector(kind) or (_is_pair(kind) and kind[0] not in DIRECTIONS):
        raise ArgumentError(f"hold[{key!r}]: one direction is written ({kind!r},)")
    directions = tuple(_direction(key, d) for d in kind)
    if twice := [d for n, d in enumerate(directions) if d in directions[:n]]:
        raise ArgumentError(f"hold[{key!r}] names a direction twice: {twice[0]!r}")
    return directions


def _direction(key: Any, direction: Any) -> Direction:
    if isinstance(direction, Direction):
        return direction
    if isinstance(direction, str):
        if direction in WORDS:
            raise ArgumentError(
                f'hold[{key!r}]: "{direction}" has no axis; write "{direction} x" or ("{direction}", (1.0, 1.0, 0.0))'
            )
        if direction not in DIRECTIONS:
            raise ArgumentError(f"hold[{key!r}]: {unknown('direction', direction, DIRECTIONS)}")
        return DIRECTIONS[direction]
    words, vector = direction if _is_pair(direction) else ("", direction)
    if words not in WORDS:
        raise ArgumentError(f"hold[{key!r}]: {unknown('direction', words, [*filter(None, WORDS)])} of a vector")
    if not _is_vector(vector):
        raise ArgumentError(
            f"hold[{key!r}]: {direction!r} is not a direction; one is an axis such as "
            '"turn world x", a vector such as (1.0, 1.0, 0.0) or a pair such as ("turn", (1.0, 1.0, 0.0))'
        )
    x, y, z = (float(x) for x in vector)
    length = math.hypot(x, y, z)
    if not 0.0 < length < math.inf:
        raise ArgumentError(f"hold[{key!r}]: the direction ({x}, {y}, {z}) must be finite and not zero")
    return Direction((x / length + 0.0, y / length + 0.0, z / length + 0.0), **WORDS[words])  # + 0.0: no -0.0


def _is_pair(value: Any) -> bool:
    """Whether it is a word and a vector."""
    return isinstance(value, Sequence) and len(value) == 2 and isinstance(value[0], str) and _is_vector(value[1])


def _is_vector(value: Any) -> bool:
    """Whether it is three numbers."""
    if not (isinstance(value, Iterable) and isinstance(value, Sized) and len(value) == 3):
        return False
    return all(isinstance(x, Real) and not isinstance(x, bool) for x in value)
