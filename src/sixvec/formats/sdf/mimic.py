"""Joints of SDF that follow others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sixvec.formats.node import Node
from sixvec.formats.sdf.pose import number
from sixvec.formats.sdf.world import Contents
from sixvec.model import Mimic

if TYPE_CHECKING:
    from sixvec.formats.sdf.mechanism import Connection


def followers(
    order: Sequence[tuple[str, Connection]], contents: Contents, name: Callable[[str], str]
) -> dict[str, Mimic]:
    """For each link whose joint follows another, that law:  q = multiplier (q_leader - reference) + offset.

    A law that involves joints with several axes, or one that closes a loop, is noted as unsupported.
    """
    moved_by = {c.found.key: (link, c) for link, c in order if c.found}
    found: dict[str, Mimic] = {}
    for link, c in order:
        mimic = _mimic(c.found.node) if c.found else None
        if mimic is None or c.found is None:
            continue
        leader = contents.places.find(c.found.scope, mimic.text("joint"), mimic)
        carried, leading = moved_by.get(leader, ("", None))
        if leading is None or leading.motion.joint.nv != 1 or c.motion.joint.nv != 1:
            contents.unsupported.add("mimic of a joint that has not one axis or is not in the tree", mimic)
            continue
        multiplier, offset = number(mimic, "multiplier", 1.0), number(mimic, "offset", 0.0)
        found[link] = Mimic(name(carried), multiplier, offset - multiplier * number(mimic, "reference", 0.0))
    return found


def _mimic(joint: Node) -> Node | None:
    axis = joint.child("axis")
    return None if axis is None else axis.child("mimic")
