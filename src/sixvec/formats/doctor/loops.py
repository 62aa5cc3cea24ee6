"""Loops cut by an exporter: a CAD program writes a four-bar to a tree format as two open chains.

Exporters mark the cut by a second link where the loop closed.  A pair of links is reported if all of this holds:

* the names match: they are equal except for a number, a letter or a word such as "loop", "cut" or "dummy" at the
  end, or one of them contains a telling word ("closing_knee_1", "rod_loop");
* one of the two is a leaf without mass, as for a copy (with a telling name it may also have mass);
* with all joints at zero the two origins coincide;
* they lie on different branches, with a joint that moves on each: a chain of joints through one point, such as a
  wrist, has coinciding links too, but each of them carries the next;
* no body carries both directly, like a clock its hands;
* the file does not close the loop itself, as formats with constraints can.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, product

from sixvec.formats.doctor.finding import Findings, warning
from sixvec.formats.doctor.outline import Joint, Link, Motion, Outline
from sixvec.model import Model
from sixvec.quoting import quoted
from sixvec.spatial import Pose, Vec3

CLEAR = frozenset({"loop", "loops", "cut", "closing", "closure", "loopclosure", "cutjoint"})
"""Words that mark the end of a loop."""

LIKELY = frozenset({"dummy", "duplicate", "dup", "copy", "ghost", "virtual", "constraint", "kinloop"})
"""Further words in the names of copies."""

COINCIDENT = 1e-4
"""Metres; exporters write six digits or more, and shorter links than this do not exist."""

FURTHEST = 1e6
"""Metres; positions beyond are mistakes, which have separate findings."""

_MOST_OF_A_NAME = 20
"""Links of one stem that are compared with each other; in a file with more the numbers count links, not loops."""

_MOST_PAIRS = 300
"""Pairs of coinciding links that are examined in detail."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def loops_are_not_cut(outline: Outline, model: Model) -> Findings:
    """Pairs of links that were one link before an exporter opened a loop."""
    places = _Places(outline, model)
    reported: set[Link] = set()
    coincident = (pair for pair in _pairs(outline, places) if places.coincide(*pair))
    for copy, original in islice(coincident, _MOST_PAIRS):
        if copy in reported or original in reported or _hang_side_by_side(outline, copy, original):
            continue
        if not _on_different_branches(outline, copy, original):
            continue
        reported.add(copy)
        name = f'"{quoted(original.name)}" (line {original.node.line})'
        message = f"coincides with {name} on another branch: a loop that an exporter cut?"
        advice = "the mechanism moves too freely without it; add a sixvec.model.Closure between the two frames"
        yield warning(copy.node, message, advice)


def words(name: str) -> list[str]:
    """The parts of a name, in lower case.

    >>> words("closingKnee_2"), words("ROD-loop")
    (['closing', 'knee', '2'], ['rod', 'loop'])
    """
    return [w.lower() for w in _WORD.findall(name)]


def stem(name: str) -> tuple[str, ...]:
    """The parts of a name without a trailing number, letter or mark of a copy.

    >>> stem("closing_knee_1") == stem("closing_knee_2"), stem("rod_loop") == stem("rod")
    (True, True)
    """
    parts = words(name)
    while len(parts) > 1 and (parts[-1].isdigit() or len(parts[-1]) == 1 or parts[-1] in CLEAR | LIKELY):
        parts.pop()
    return tuple(parts)


def _pairs(outline: Outline, places: _Places) -> Iterator[tuple[Link, Link]]:
    """Candidates for a copy, each with its possible originals."""
    leaves = [link for link in outline.links if not outline.joints_below.get(link.name)]
    candidates = {link: {*words(link.name)} for link in leaves if link.name not in outline.closed}
    candidates = {link: parts_of for link, parts_of in candidates.items() if not _has_mass(link) or parts_of & CLEAR}
    kin: dict[tuple[str, ...], list[Link]] = {}
    for link in outline.links if candidates else ():
        kin.setdefault(stem(link.name), []).append(link)
    for link, parts in candidates.items():
        telling = bool(parts & (CLEAR | LIKELY))
        for other in kin[stem(link.name)][:_MOST_OF_A_NAME]:
            # Without a telling word only a frame and a body of one name: frames may just be numbered.
            if other is not link and (telling or _has_mass(other)):
                yield link, other
        if parts & CLEAR:
            yield from ((link, other) for other in places.near(link))


def _has_mass(link: Link) -> bool:
    return any(link.inertia) if link.inertia is not None else link.heavy and link.inertial is None


class _Places:
    """The positions of the links with all joints at zero; computed only if a name suggests a loop."""

    def __init__(self, outline: Outline, model: Model) -> None:
        self.outline, self.model = outline, model

    @cached_property
    def origins(self) -> dict[str, Vec3]:
        known = neutral_origins(self.model)
        return {n: p for n, p in known.items() if n in self.outline.link_named and max(map(abs, p)) < FURTHEST}

    @cached_property
    def cells(self) -> dict[tuple[int, ...], list[str]]:
        groups: dict[tuple[int, ...], list[str]] = {}
        for name, p in self.origins.items():
            groups.setdefault(_cell(p), []).append(name)
        return groups

    def near(self, link: Link) -> Iterator[Link]:
        """The other links at the origin of this link."""
        p = self.origins.get(link.name)
        if p is not None:
            around = (tuple(map(sum, zip(_cell(p), step, strict=True))) for step in product((-1, 0, 1), repeat=3))
            names = (name for cell in around for name in self.cells.get(cell, ()) if name != link.name)
            yield from (self.outline.link_named[name] for name in islice(names, _MOST_OF_A_NAME))

    def coincide(self, a: Link, b: Link) -> bool:
        p, r = (self.origins.get(link.name) for link in (a, b))
        return p is not None and r is not None and math.dist([*p], [*r]) <= COINCIDENT


def neutral_origins(model: Model) -> dict[str, Vec3]:
    """The origin of each frame, with all joints neutral."""
    X: dict[str | None, Pose] = {None: Pose.identity()}
    for b in model.bodies:
        X[b.name] = X[b.parent] @ b.placement
    return {name: pose.pos for name, pose in X.items() if name} | {
        f.name: (X[f.body] @ f.placement).pos for f in model.frames
    }


def _cell(p: Vec3) -> tuple[int, ...]:
    return tuple(math.floor(x / COINCIDENT) for x in p)


def _hang_side_by_side(outline: Outline, a: Link, b: Link) -> bool:
    """Whether one body carries both, like a clock its hands: then the loop would be empty."""
    first, second = (outline.joint_above.get(link.name) for link in (a, b))
    return first is not None and second is not None and first.parent == second.parent


def _on_different_branches(outline: Outline, a: Link, b: Link) -> bool:
    """Whether each of the two moves relative to their last common ancestor."""
    first, second = ({*_above(outline, link.name)} for link in (a, b))
    differences = (first - second, second - first)
    return all(any(j.motion is not Motion.NONE for j in side) for side in differences)


def _above(outline: Outline, name: str) -> Iterator[Joint]:
    """The joints from a link to its root; in graph formats there may be a cycle."""
    for _ in range(len(outline.links) + 1):
        if name not in outline.joint_above:
            return
        yield outline.joint_above[name]
        name = outline.joint_above[name].parent
