"""Which velocity coordinates move each body."""

from __future__ import annotations

from sixvec.model import WORLD, Model
from sixvec.model.coupling import coupling


def supports(model: Model) -> dict[str, tuple[int, ...]]:
    """For each body whose joint moves, the coordinates of the joints on its path κ(i), ascending.

    A joint that mimics another moves its body with the coordinates of its leader.

    >>> import sixvec
    >>> supports(sixvec.load("planar_2r").model)
    {'link1': (0,), 'link2': (0, 1)}
    """
    c = coupling(model)
    leaders = [i for i, _, _ in c.v]
    moved_by: dict[str | None, frozenset[int]] = {WORLD: frozenset()}
    for b in c.free.bodies:  # root to tips
        moved_by[b.name] = moved_by[b.parent].union(leaders[c.free.v_slices[b.name]])
    return {b.name: tuple(sorted(moved_by[b.name])) for b in c.free.bodies if b.joint.nv}
