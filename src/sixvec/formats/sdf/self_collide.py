"""Which links of an SDF model collide with each other: `self_collide` of the model and of its links."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sixvec.formats.problems import attempt
from sixvec.formats.sdf.elements import flag
from sixvec.formats.sdf.places import NamedElement
from sixvec.model.contact_rules import ContactRules

TAG = "self_collide"


def self_collisions(links: Sequence[NamedElement], name: Callable[[str], str]) -> ContactRules:
    """Two links of a model collide if one of them does so with its model; what a link does not say, its model says.

    Simulators take false where neither says anything.  Such models have all pairs here: their files leave the
    question open, and distances between links are asked for.
    """
    models: dict[str, list[NamedElement]] = {}
    for link in links:
        models.setdefault(link.scope.path, []).append(link)
    groups = []
    for members in models.values():
        model = members[0].scope.node
        if any(node.child(TAG) is not None for node in (model, *(m.node for m in members))):
            usual = attempt(False, flag, model, TAG)
            apart = tuple(name(m.key) for m in members if not attempt(usual, flag, m.node, TAG, usual))
            groups += [apart] * (len(apart) > 1)
    return ContactRules(apart=tuple(groups))
