"""Loops that no position closes: one of the links is longer than all others together.

The joints of a loop that only turn, and the point at which it closes, are the corners of a polygon whose sides have
constant lengths.  If one side is longer than the sum of the others, the polygon has a gap of at least the difference.
Limits of the joints and directions of their axes are ignored, so a loop without a finding may be impossible as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from sixvec.formats.doctor.finding import Finding, Findings, Severity
from sixvec.formats.doctor.loops import COINCIDENT
from sixvec.formats.node import Node
from sixvec.model import Body, Closure, Model
from sixvec.quoting import quoted
from sixvec.spatial import Pose

ELEMENTS = ("joint", "connect", "weld", "loop", "constraint")
"""Tags of the elements that close loops, in all formats; in MJCF a joint may have the name of a connect."""


def loops_can_close(model: Model, root: Node | None = None) -> Findings:
    """Closures with a gap at every position; their elements are sought under `root`."""
    nodes = elements_of_loops(root)
    for c in model.closures:
        gap = least_gap(model, c) if isinstance(c, Closure) else 0.0
        if gap > COINCIDENT:
            node = nodes.get(c.name)
            line, file = (None, "") if node is None else (node.line, node.file)
            message = f"cannot be closed: its ends are {gap:.3g} m or more apart at every position"
            advice = (
                "one link is longer than all others of the loop together; correct its length, or where the ends are"
            )
            yield Finding(Severity.WARNING, line, f'loop "{quoted(c.name)}"', message, advice, file)


def elements_of_loops(root: Node | None) -> dict[str | None, Node]:
    """The elements under `root` that may close loops, under their names."""
    written = [] if root is None else [n for n in root.iter() if n.tag in ELEMENTS]
    return {n.attributes.get("name"): n for n in sorted(written, key=lambda n: n.tag != "joint")}


def least_gap(model: Model, closure: Closure) -> float:
    """A lower bound, in metres, on the distance between the two ends over all positions; 0 where a joint slides."""
    first, second = (model.frame(name) for name in (closure.first, closure.second))
    paths = [model.path(end.body) for end in (first, second)]
    shared = sum(a is b for a, b in zip(*paths, strict=False))
    branches = [path[shared:] for path in paths]
    if not all(joint.keeps_origin for joint in (closure.joint, *(b.joint for path in branches for b in path))):
        return 0.0
    lengths: list[float] = []
    ends = []
    for end, path in zip((first, second), branches, strict=True):
        *links, last = _links(end.placement, path)
        lengths += (float(X.pos.norm()) for X in links)
        ends.append(last.pos)
    lengths.append(float((ends[0] - ends[1]).norm()))
    return max(0.0, 2.0 * max(lengths) - sum(lengths))


def _links(X: Pose, path: tuple[Body, ...]) -> Iterator[Pose]:
    """The pose of each corner in the link that carries it, from the end of the loop to the link of both branches."""
    for b in reversed(path):
        if b.joint.is_fixed:
            X = b.placement @ X
        else:
            yield X
            X = b.placement
    yield X
