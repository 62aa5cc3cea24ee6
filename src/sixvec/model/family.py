"""Names of families of robots, determined from the structure."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from sixvec.model.body import WORLD, Body
from sixvec.model.closure import Closure
from sixvec.model.joints import Joint
from sixvec.model.model import Model
from sixvec.model.require import require_model
from sixvec.model.topology import Kind, topology
from sixvec.tolerances import EQUAL

if TYPE_CHECKING:
    from sixvec.robot import Robot

Family = Kind | Literal["gantry", "parallel", "mobile", "legged", "humanoid", "musculoskeletal"]

Edge = tuple[str | None, str | None]

_LIMB = 2
"""A limb has at least this many freedoms: a finger or a sensor on a hinge is not a limb."""


def families(robot: Robot | Model) -> tuple[Family, ...]:
    """The families that a robot or model belongs to, the kind of its graph first (Bruyninckx §1.2).

    Two robots of one family can share their algorithms; a family depends on the structure alone, not on lengths and
    masses.

    | family | what makes it |
    |---|---|
    | `serial`, `tree`, `graph` | the joints form one line; they branch; they close loops (`topology`) |
    | `gantry` | its first two or three joints slide along axes at right angles |
    | `parallel` | two or more legs join one platform with one base, and no loop is elsewhere |
    | `mobile` | a root body moves on the ground or freely: a planar or free joint carries it |
    | `legged` | a mobile tree with two or more limbs, branches that end freely after two or more freedoms |
    | `humanoid` | legged, with a pair of equal limbs on the root and another pair above |
    | `musculoskeletal` | muscles drive it, each from body to body along a path, or a joint |

    >>> import sixvec
    >>> from sixvec.model import families
    >>> families(sixvec.load("panda")), families(sixvec.load("four_bar"))
    (('serial',), ('graph', 'parallel'))
    >>> families(sixvec.load("humanoid"))
    ('tree', 'mobile', 'legged', 'humanoid')
    """
    model = require_model(robot, "families")
    names: list[Family] = [topology(model)]
    names += ["gantry"] if _is_gantry(model) else []
    names += ["parallel"] if legs(model) else []
    if any(_drives_about(b.joint) for b in model.children(WORLD)):
        names.append("mobile")
        limbs = _limbs(model)
        names += ["legged"] if len(limbs) > 1 else []
        names += ["humanoid"] if _has_arms_and_legs(model, limbs) else []
    names += ["musculoskeletal"] if any(a.muscle is not None for a in model.actuators) else []
    return tuple(names)


def legs(robot: Robot | Model) -> tuple[tuple[str, str], ...]:
    """Where the legs of a parallel robot are joined to its platform: (platform, last body of the leg), or nothing.

    A body is a platform if without it no loop is left.  Of several candidates (every moving body of a single loop is
    one), the one with the most legs is chosen, and among those the one farthest from the base.

    >>> import sixvec
    >>> legs(sixvec.load("four_bar"))
    (('coupler', 'crank'), ('coupler', 'rocker'))
    """
    model = require_model(robot, "legs")
    island = _islands(model)
    edges: list[Edge] = [(island[b.parent], b.name) for b in model.bodies if b.joint.nv and not b.joint.is_free]
    for c in model.closures:
        if isinstance(c, Closure):
            edges.append((island[model.frame(c.first).body], island[model.frame(c.second).body]))
    if not _loops(edges, set(island.values())):
        return ()
    depth = {WORLD: 0} | {b.name: len(model.path(b.name)) for b in model.bodies}
    best: tuple[int, int, Any] | None = None
    for platform in (b.name for b in model.bodies if island[b.name] == b.name):
        others = [e for e in edges if platform not in e]
        if not _loops(others, set(island.values()) - {platform}):
            joined = sum(platform in e for e in edges)
            best = max(best or (0, 0, None), (joined, depth[platform], platform), key=lambda x: x[:2])
    if best is None:
        return ()
    platform = best[2]
    ends = (a if b == platform else b for a, b in edges if platform in (a, b))
    return tuple((platform, str(end)) for end in ends)


def _islands(model: Model) -> dict[str | None, str | None]:
    """For each body the one that it is welded to, nearest to the root; bodies welded to the world map to the world."""
    island: dict[str | None, str | None] = {WORLD: WORLD}
    for b in model.bodies:
        island[b.name] = b.name if b.joint.nv else island[b.parent]
    return island


def _loops(edges: list[Edge], vertices: set[str | None]) -> bool:
    """Whether a graph has a loop: an edge that joins two vertices already connected."""
    root = {v: v for v in vertices}

    def top(v: str | None) -> str | None:
        while root[v] != v:
            v = root[v]
        return v

    for a, b in edges:
        if top(a) == top(b):
            return True
        root[top(a)] = top(b)
    return False


def _is_gantry(model: Model) -> bool:
    axes = []
    for b in model.path(model.moving[-1].name) if model.moving else ():
        if not b.joint.nv:
            continue
        if not b.joint.is_translation:
            break
        X = b.placement  # sliding does not rotate: the fixed placements alone give the axis in the world
        for above in reversed(model.path(b.parent)):
            X = above.placement @ X
        axes.append(X.rot @ b.joint.screws[0].lin)
    first = axes[:3]
    return len(first) > 1 and all(abs(a.dot(b)) < EQUAL * a.norm() * b.norm() for a, b in combinations(first, 2))


def _drives_about(joint: Joint) -> bool:
    """Whether a joint lets its body move and turn in a plane."""
    return joint.nv > len(joint.rotation_axes) + 1 and bool(joint.rotation_axes)


def _limbs(model: Model) -> list[tuple[Body, ...]]:
    """The moving bodies of each branch with a free end, from its branching point."""
    moving = {b.name for b in model.bodies if b.joint.nv}
    carried = Counter(_carrier(model, b.parent, moving) for b in model.bodies if b.name in moving)
    limbs = []
    for tip in (b for b in model.bodies if b.name in moving and not carried[b.name]):
        chain = [tip]
        while (above := _carrier(model, chain[-1].parent, moving)) is not WORLD and carried[above] == 1:
            chain.append(model.by_name[above])
        if above is not WORLD and sum(b.joint.nv for b in chain) >= _LIMB:
            limbs.append(tuple(reversed(chain)))
    return limbs


def _carrier(model: Model, name: str | None, moving: set[str]) -> str | None:
    """The nearest body at or above this one whose joint moves."""
    while name is not WORLD and name not in moving:
        name = model.by_name[name].parent
    return name


def _has_arms_and_legs(model: Model, limbs: list[tuple[Body, ...]]) -> bool:
    """A pair of equal limbs on the root, and a pair of equal ones on a body above it."""
    moving = {b.name for b in model.bodies if b.joint.nv}
    root = next(b.name for b in model.bodies if b.joint.nv)
    pairs = Counter((_carrier(model, limb[0].parent, moving), tuple(b.joint.kind for b in limb)) for limb in limbs)
    below = any(n == 2 for (where, _), n in pairs.items() if where == root)
    return below and any(n == 2 for (where, _), n in pairs.items() if where != root)
