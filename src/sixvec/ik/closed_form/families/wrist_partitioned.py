"""Three joints, revolute or prismatic, that position a point: alone, or before (or after) three axes through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sixvec.ik.closed_form.blocks import wrist
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.families.point import Carrier, Roots, moves_freely
from sixvec.ik.closed_form.families.two_angles import SOME_POSE
from sixvec.ik.closed_form.recognise import Triple, common_point, geometry
from sixvec.ik.closed_form.subproblems import Turn
from sixvec.ik.closed_form.target import Family, Joints, Target, constant
from sixvec.scalar import Scalar, cos, sin
from sixvec.spatial import Pose, Vec3


def wrist_partitioned(chain: SerialChain) -> Family | None:
    """Three joints of any kind and a spherical wrist, such as the Stanford arm; or both in the other order.

    The wrist does not move its centre, so the others must position it; the wrist adds the remaining
    rotation (Pieper 1968).
    """
    last, first = Triple(3, parallel=False), Triple(0, parallel=False)
    triples = geometry(chain).triples if len(chain) == 6 else ()
    if last not in triples and first not in triples:
        return None
    backwards = last not in triples
    arm = (chain.reversed() if backwards else chain).snapped()
    center = common_point(arm, (3, 4, 5))
    if center is None or not moves_freely(arm, center):
        return None
    carrier, h = Carrier.of(arm, center), [constant(a) for a in arm.axes]

    def problem(X: Pose) -> tuple[Target, list[Joints] | Roots]:
        G = Target.of(X.inv().as_pose() if backwards else X, arm)
        return G, carrier.to(G.carried(carrier.w))

    def complete(G: Target, placed: Joints) -> list[Joints]:
        joints = [[*placed, *hand] for hand in wrist(h[3:], partial(_left, arm.kinds, h, placed, G))]
        return [q[::-1] for q in joints] if backwards else joints

    names = [chain.names[i] for i in ((0, 1, 2) if backwards else (3, 4, 5))]
    return _family(f"{names[0]}, {names[1]} and {names[2]} meet in one point", chain, problem, complete, 2, "pose")


def placed_tip(chain: SerialChain) -> Family | None:
    """Three joints that reach positions; the orientation is not controlled."""
    if len(chain) != 3 or not moves_freely(chain, chain.tool_pos):
        return None
    carrier = Carrier.of(chain.snapped(), chain.snapped().tool_pos)

    def problem(X: Pose) -> tuple[Target, list[Joints] | Roots]:
        return Target.of(X, chain), carrier.to(X.pos)

    return _family("three joints that place the tip", chain, problem, lambda _, q: [q], 1, "position")


def _family(
    name: str, chain: SerialChain, problem: Callable[[Pose], tuple[Target, list[Joints] | Roots]],
    complete: Callable[[Target, Joints], list[Joints]], each: int, task: str,
) -> Family:  # fmt: skip
    """The family of arms in which `problem` positions a point and `complete` gives `each` solutions for each result."""

    def directly(X: Pose, _: Sequence[Scalar]) -> list[Joints]:
        G, placings = problem(X)
        assert not isinstance(placings, Roots)
        return [q for placed in placings for q in complete(G, placed)]

    def from_roots(X: Pose, roots: Sequence[Scalar]) -> list[Joints]:
        G, placings = problem(X)
        assert isinstance(placings, Roots)
        return [q for x in roots for q in complete(G, placings.complete(Turn(cos(x), sin(x))))]

    def series(X: Pose) -> list[Scalar]:
        _, placings = problem(X)
        assert isinstance(placings, Roots)
        return placings.series

    _, sample = problem(SOME_POSE)
    if isinstance(sample, Roots):
        return Family(name, chain.snapped(), from_roots, 4 * each, extra=4, series=series, task=task)
    return Family(name, chain.snapped(), directly, len(sample) * each, task=task)


def _left(kinds: str, h: Sequence[Vec3], placed: Joints, G: Target, v: Vec3) -> Vec3:
    """(R₁R₂R₃)ᵀ R v: v as the wrist must rotate it."""
    v = G.rot @ v
    for kind, axis, q in zip(kinds, h, placed, strict=False):
        v = q.inv().about(axis, v) if kind == "R" else v
    return v
