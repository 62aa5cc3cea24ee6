"""Which axes of an arm intersect and which are parallel (Pieper 1968; Bruyninckx §7.1)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sixvec.arguments import Array
from sixvec.ik.closed_form.chain import SerialChain

PARALLEL = 1e-8
"""Sine of the largest angle between axes that count as parallel."""

MEETING = 1e-8
"""Largest distance, in arm lengths, between axes that count as intersecting."""


@dataclass(frozen=True)
class Triple:
    """Three adjacent axes, from joint `first`, that all intersect in one point or are all parallel."""

    first: int
    parallel: bool


@dataclass(frozen=True, eq=False)
class Geometry:
    """The result of Pieper's test for an arm; str() gives the report.

    >>> import sixvec
    >>> from sixvec.ik.closed_form import SerialChain, geometry
    >>> chain = SerialChain.of(sixvec.load("puma560").model, "link6")
    >>> print(geometry(chain))
    joints RRRRRR; joint1 and joint2 meet; joint2 and joint3 parallel; joint4 and joint5 meet; joint5 and joint6 meet; \
joint4, joint5 and joint6 meet in one point
    """

    chain: SerialChain
    pairs: tuple[str, ...]
    """For each joint but the last its relation to the next: "meet", "parallel", "coincide" or "skew"."""
    triples: tuple[Triple, ...]

    def __str__(self) -> str:
        names = self.chain.names
        sentences = [f"{a} and {b} {kind}" for (a, b), kind in zip(pairwise(names), self.pairs, strict=True)]
        sentences = [sentence for sentence in sentences if not sentence.endswith("skew")]
        for t in self.triples:
            a, b, c = names[t.first : t.first + 3]
            sentences.append(f"{a}, {b} and {c} " + ("parallel" if t.parallel else "meet in one point"))
        return "; ".join([f"joints {self.chain.kinds}", *(sentences or ["no neighbouring axes meet or are parallel"])])


def geometry(chain: SerialChain) -> Geometry:
    """The relations of neighbouring axes."""
    pairs = tuple(relation(chain, i, i + 1) for i in range(len(chain) - 1))
    triples = []
    for i in range(len(chain) - 2):
        if chain.kinds[i : i + 3] != "RRR" or "coincide" in pairs[i : i + 2]:
            continue
        if pairs[i : i + 2] == ("parallel", "parallel"):
            triples.append(Triple(i, parallel=True))
        elif common_point(chain, (i, i + 1, i + 2)) is not None and "parallel" not in pairs[i : i + 2]:
            triples.append(Triple(i, parallel=False))
    return Geometry(chain, pairs, tuple(triples))


def relation(chain: SerialChain, i: int, j: int) -> str:
    """How two axes lie: "coincide", "parallel", "meet" or "skew"; a prismatic joint has a direction but no position."""
    parallel = bool(np.linalg.norm(np.cross(chain.axes[i], chain.axes[j])) < PARALLEL)
    if "P" in chain.kinds[i] + chain.kinds[j]:
        return "parallel" if parallel else "skew"
    meets = common_point(chain, (i, j)) is not None
    return {(True, True): "coincide", (True, False): "parallel", (False, True): "meet"}.get((parallel, meets), "skew")


def common_point(chain: SerialChain, joints: tuple[int, ...]) -> Array | None:
    """The point nearest to these axes (least squares), if it lies on all of them."""
    center, off = spread(chain, joints)
    return center if off < MEETING * chain.size else None


def spread(chain: SerialChain, joints: tuple[int, ...]) -> tuple[Array, float]:
    """The point nearest to these axes (least squares), and its distance from the farthest of them."""
    return nearest_point(chain.axes[list(joints)], chain.points[list(joints)], 1e-12)


def nearest_point(h: Array, p: Array, rounding: float) -> tuple[Array, float]:
    """The point nearest to lines with unit directions h and points p, and its distance from the farthest of them."""
    across = np.eye(3) - h[:, :, None] * h[:, None, :]
    c = np.linalg.lstsq(across.sum(0), np.einsum("nij,nj->i", across, p), rcond=rounding)[0]
    off = np.linalg.norm(np.einsum("nij,nj->ni", across, c - p), axis=1)
    return np.asarray(c), float(off.max())


def foot(chain: SerialChain, i: int, point: Array) -> Array:
    """The point of axis i nearest to a given point."""
    h, p = chain.axes[i], chain.points[i]
    return np.asarray(p + h * h.dot(point - p))


def normal_foot(chain: SerialChain, i: int, j: int) -> Array:
    """The point of axis j nearest to axis i; for parallel axes the one nearest to the point given on axis i."""
    h, g = chain.axes[i], chain.axes[j]
    n = np.cross(h, g)
    if np.linalg.norm(n) < PARALLEL:
        return foot(chain, j, chain.points[i])
    gap = chain.points[j] - chain.points[i]
    return np.asarray(chain.points[j] + g * (np.cross(gap, h) @ n) / (n @ n))


def freedoms(chain: SerialChain, *, position: bool = False) -> int:
    """In how many directions the joints move the frame, or only its position, at the positions of highest rank."""
    q = np.random.default_rng(0).uniform(-2.0, 2.0, (_SAMPLES, len(chain)))
    return int(np.linalg.matrix_rank(chain.moved(q)[2][:, 3 if position else 0 :], tol=PARALLEL).max())


_SAMPLES = 3
"""Positions at which the rank is computed: one generic position would suffice, but none is known to be generic."""
