"""How a robot is connected: its graph of links and joints, as sets and as matrices.

The vertices are the world and the bodies, the edges are the joints and, where a mechanism has loops, the joints that
were cut to leave a tree (`cuts`, pairs of body names; Bruyninckx §5.3.7).  By default these are the closures of the
model.  A free joint constrains nothing: it gives coordinates to a body that floats, and is not an edge.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ArgumentError, ModelError, unknown
from sixvec.model.body import WORLD
from sixvec.model.closure import Closure, JointLaw
from sixvec.model.model import Model

Cuts = Sequence[tuple[str | None, str | None]]
Kind = Literal["serial", "tree", "graph"]
Serialization = Literal["breadth_first", "depth_first"]


def topology(model: Model, cuts: Cuts | None = None) -> Kind:
    """Serial if the joints form one line, tree if they branch, graph if they also close loops (Bruyninckx §1.2).

    Welded bodies count as one: an arm with a tool and a camera on its flange is still serial.

    >>> from sixvec.model.robots import BUILT_IN
    >>> arm = BUILT_IN["panda"]()
    >>> topology(arm), topology(arm, [("panda_link0", "panda_link8")])
    ('serial', 'graph')
    >>> topology(BUILT_IN["four_bar"]())
    'graph'
    """
    if independent_loops(model, cuts):
        return "graph"
    island: dict[str | None, str | None] = {WORLD: WORLD}
    above: set[str | None] = set()
    for b in model.bodies:
        island[b.name] = b.name if b.joint.nv else island[b.parent]
        if b.joint.nv and island[b.parent] in above:
            return "tree"
        if b.joint.nv:
            above.add(island[b.parent])
    return "serial"


def closing_cuts(model: Model) -> Cuts:
    """The two bodies that each closure of the model joins; for a gear those whose joints it couples.

    >>> from sixvec.model.robots import BUILT_IN
    >>> closing_cuts(BUILT_IN["four_bar"]())
    (('coupler', 'rocker'),)
    """
    return tuple(
        (model.frame(c.first).body, model.frame(c.second).body) if isinstance(c, Closure) else _tied(c)
        for c in model.closures
    )


def _tied(law: JointLaw) -> tuple[str | None, str]:
    """The first and the last body of a law; a single fixed joint is tied to the world."""
    return law.terms[0][0] if len(law.terms) > 1 else WORLD, law.terms[-1][0]


def kappa(model: Model, name: str) -> frozenset[str]:
    """κ(i): the bodies whose joints move body i, itself included (Featherstone §Connectivity).

    >>> from sixvec.model.robots import BUILT_IN
    >>> sorted(kappa(BUILT_IN["planar_2r"](), "link1"))
    ['base', 'link1']
    """
    return frozenset(b.name for b in model.path(_known(model, name)))


def mu(model: Model, name: str | None) -> frozenset[str]:
    """μ(i): the children of body i; those of the world are the roots.

    >>> from sixvec.model.robots import BUILT_IN
    >>> sorted(mu(BUILT_IN["planar_2r"](), "link1"))
    ['link2']
    """
    return frozenset(b.name for b in model.children(name if name is WORLD else _known(model, name)))


def nu(model: Model, name: str) -> frozenset[str]:
    """ν(i): the bodies that the joint of body i moves, itself included.

    >>> from sixvec.model.robots import BUILT_IN
    >>> sorted(nu(BUILT_IN["planar_2r"](), "link1"))
    ['link1', 'link2']
    """
    return frozenset(b.name for b in model.subtree(_known(model, name)))


def path_between(model: Model, first: str, second: str) -> tuple[str, ...]:
    """The unique path through the tree from one body to another, both included (Bruyninckx §5.3.4).

    >>> from sixvec.model.robots import BUILT_IN
    >>> path_between(BUILT_IN["planar_2r"](), "link2", "base")
    ('link2', 'link1', 'base')
    """
    up = [b.name for b in reversed(model.path(_known(model, first)))]
    down = [b.name for b in reversed(model.path(_known(model, second)))]
    while up and down and up[-1] == down[-1]:
        meeting = up.pop()
        down.pop()
    # Bodies on different roots are connected through the world, which has no name.
    common = [meeting] if len(model.path(first)) > len(up) else []
    return (*up, *common, *reversed(down))


def serialization(model: Model, order: Serialization) -> tuple[str, ...]:
    """All bodies in a sequence, each after its parent, whatever their order in the model (Bruyninckx §5.3.4).

    Breadth first numbers the bodies next to the root before their descendants; depth first completes a branch before
    the next, so that every subtree is contiguous.  Siblings keep the model's order.  `edits.serialize` gives the model
    with its bodies in that order.

    >>> from sixvec.model.robots import BUILT_IN
    >>> dog = BUILT_IN["solo12"]()
    >>> serialization(dog, "breadth_first")[1:5]
    ('FL_SHOULDER', 'FR_SHOULDER', 'HL_SHOULDER', 'HR_SHOULDER')
    >>> serialization(dog, "depth_first")[1:4]
    ('FL_SHOULDER', 'FL_UPPER_LEG', 'FL_LOWER_LEG')
    """
    if order not in get_args(Serialization):
        raise ArgumentError(unknown("serialisation", order, get_args(Serialization)))
    row: list[str] = []
    waiting = deque(model.children(WORLD))
    while waiting:
        b = waiting.popleft()
        row.append(b.name)
        children = model.children(b.name)
        if order == "breadth_first":
            waiting.extend(children)
        else:
            waiting.extendleft(reversed(children))
    return tuple(row)


def vertices(model: Model) -> tuple[str | None, ...]:
    """The world and the bodies, in the order of the rows of the matrices below."""
    return (WORLD, *(b.name for b in model.bodies))


def edges(model: Model, cuts: Cuts | None = None) -> tuple[tuple[str | None, str | None], ...]:
    """The two sides (parent, child) of every joint but free ones, in the order of the bodies, then of every cut."""
    cuts = closing_cuts(model) if cuts is None else cuts
    for cut in cuts:
        for name in cut:
            if name is not WORLD:
                _known(model, name)
    return (*((b.parent, b.name) for b in model.bodies if not b.joint.is_free), *((a, b) for a, b in cuts))


def incidence(model: Model, cuts: Cuts | None = None) -> NDArray[np.int_]:
    """Vertices x edges: -1 at the parent of a joint, +1 at its child; every column sums to zero.

    >>> from sixvec.model.robots import BUILT_IN
    >>> incidence(BUILT_IN["planar_2r"]()).tolist()
    [[-1, 0, 0], [1, -1, 0], [0, 1, -1], [0, 0, 1]]
    """
    row = {name: i for i, name in enumerate(vertices(model))}
    joints = edges(model, cuts)
    matrix = np.zeros((len(row), len(joints)), int)
    for column, (start, end) in enumerate(joints):
        matrix[row[start], column] -= 1
        matrix[row[end], column] += 1
    return matrix


def adjacency(model: Model, cuts: Cuts | None = None) -> NDArray[np.int_]:
    """Vertices x vertices, symmetric: how many joints connect two of them.

    Its k-th power counts the walks of k joints.  With the incidence matrix B and the diagonal matrix D of its row
    sums,  B Bᵀ = D - A.

    >>> from sixvec.model.robots import BUILT_IN
    >>> adjacency(BUILT_IN["planar_2r"]()).tolist()
    [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    """
    row = {name: i for i, name in enumerate(vertices(model))}
    matrix = np.zeros((len(row), len(row)), int)
    for start, end in edges(model, cuts):
        matrix[row[start], row[end]] += 1
        matrix[row[end], row[start]] += 1
    return matrix


def independent_loops(model: Model, cuts: Cuts | None = None) -> int:
    """Joints - vertices + 1, the dimension of the null space of the incidence matrix (Bruyninckx §5.3.7).

    With floating bodies it is joints - vertices + the number of parts that no joint connects.

    >>> from sixvec.model.robots import BUILT_IN
    >>> independent_loops(BUILT_IN["planar_2r"](), [("link2", "base")])
    1
    """
    joints = edges(model, cuts)
    return len(joints) - len(vertices(model)) + _parts(vertices(model), joints)


def _parts(nodes: Sequence[str | None], joints: Cuts) -> int:
    """The number of parts of a graph that no edge connects."""
    component: dict[str | None, str | None] = {name: name for name in nodes}

    def first(name: str | None) -> str | None:
        while component[name] != name:
            component[name] = component[component[name]]
            name = component[name]
        return name

    for a, b in joints:
        component[first(a)] = first(b)
    return sum(component[name] == name for name in nodes)


def _known(model: Model, name: str) -> str:
    if name not in model.by_name:
        raise ModelError(unknown("body", name, model.by_name, model.name))
    return name
