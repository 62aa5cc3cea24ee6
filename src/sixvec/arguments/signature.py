"""Names with shapes, written `R[3,3]`, and the two sides of an arrow: signatures of functions of arrays."""

from __future__ import annotations

from sixvec.errors import ArgumentError

Dimension = int | str
"""A number, or the name of one: `nv`."""


def named_shape(text: str) -> tuple[str, tuple[Dimension, ...] | None]:
    """`R[3,3]` as its name and shape; without brackets the shape is None.

    >>> named_shape("J[6,nv]"), named_shape("x")
    (('J', (6, 'nv')), ('x', None))
    """
    name, bracket, inside = text.partition("[")
    if not bracket:
        return name, None
    if not name or not inside.endswith("]"):
        raise ArgumentError(f'"{text}" is not a name with a shape; write it like "R[3,3]"')
    return name, tuple(int(d) if d.isdigit() else d for d in inside[:-1].split(",") if d)


def two_sides(spec: str) -> tuple[list[str], list[str]]:
    """The words left and right of the arrow.

    >>> two_sides("q v -> a")
    (['q', 'v'], ['a'])
    """
    left, arrow, right = spec.partition("->")
    if not arrow:
        raise ArgumentError(f'"{spec}" has no "->"; write "inputs -> outputs", for example "R[3,3] -> q[4]"')
    return left.split(), right.split()
