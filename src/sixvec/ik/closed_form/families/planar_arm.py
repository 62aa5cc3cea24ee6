"""Planar arms: parallel revolute axes and slides normal to them; SCARA, which also slides along the axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sixvec.ik.closed_form.blocks import angle_about, planar
from sixvec.ik.closed_form.chain import SerialChain
from sixvec.ik.closed_form.families.point import coordinates
from sixvec.ik.closed_form.recognise import PARALLEL, foot
from sixvec.ik.closed_form.subproblems import Turn, slides_to, square, turn_onto
from sixvec.ik.closed_form.target import Family, Joints, Target, constant
from sixvec.scalar import Scalar, where
from sixvec.spatial import Pose, Vec3


def planar_arm(chain: SerialChain) -> Family | None:
    """Two or three joints that move in a plane, and at most one that slides across it, in any order.

    With three, the pose is reached if it lies in the arm's plane; with two, only the position is considered.  The slide
    across the plane commutes with everything, so it provides the remaining displacement (SCARA: Bruyninckx §7.1).
    """
    normal = _normal(chain)
    if normal is None:
        return None
    across = [i for i, kind in enumerate(chain.kinds) if kind == "P" and abs(chain.axes[i] @ normal) > 0.5]
    inside = [i for i in range(len(chain)) if i not in across]
    kinds = "".join(chain.kinds[i] for i in inside)
    if len(inside) not in (2, 3) or len(across) > 1 or kinds == "PPP":
        return None
    # The last of three joints must be revolute: it leaves a point fixed that the other two position.
    backwards = len(inside) == 3 and kinds[-1] == "P" and kinds[0] == "R"
    arm, flipped = _upright(chain.reversed() if backwards else chain, normal)
    if backwards:
        inside, across = ([len(chain) - 1 - i for i in some[::-1]] for some in (inside, across))
    plane = Plane.of(arm, inside)

    def solve(X: Pose, _: Sequence[Scalar]) -> list[Joints]:
        Y = X.inv().as_pose() if backwards else X
        solutions = []
        for placed in plane.solved(Y, Target.of(Y, arm)):
            joints: Joints = [0.0] * len(arm)
            for i, q in zip(inside, placed, strict=True):
                joints[i] = q.inv() if i in flipped else q
            for i in across:
                joints[i] = plane.h[i].dot(Y.pos - plane.tip)
            solutions.append(joints[::-1] if backwards else joints)
        return solutions

    slide = " with a slide along the axes" if across else ""
    name = f"planar arm with {len(inside)} joints{slide}"
    count = 1 if kinds.count("P") == 2 else 2
    return Family(name, chain.snapped(), solve, count, task="pose" if len(inside) == 3 else "position")


def _normal(chain: SerialChain) -> np.ndarray | None:
    """The direction of all turns (of two slides, their normal) that every slide is along or at right angles to."""
    turning = [i for i, kind in enumerate(chain.kinds) if kind == "R"]
    if turning:
        normal = chain.axes[turning[0]]
    elif len(chain) == 2:
        normal = np.cross(*chain.axes)
        if np.linalg.norm(normal) < PARALLEL:
            return None
        normal = normal / np.linalg.norm(normal)
    else:
        return None
    for kind, h in zip(chain.kinds, chain.axes, strict=True):
        along = np.linalg.norm(np.cross(h, normal)) < PARALLEL
        if not along and (kind == "R" or abs(h @ normal) > PARALLEL):
            return None
    return np.asarray(normal)


def _upright(chain: SerialChain, normal: np.ndarray) -> tuple[SerialChain, tuple[int, ...]]:
    """The chain with all turns about one axis in one sense and points in one plane, and which were reversed."""
    turning = [i for i, kind in enumerate(chain.kinds) if kind == "R"]
    axes, points = chain.axes.copy(), chain.points.copy()
    if not turning:
        return chain.snapped(), ()
    up = axes[turning[0]]
    flipped = tuple(i for i in turning if axes[i] @ up < 0.0)
    for i in turning:
        axes[i], points[i] = up, foot(chain, i, points[turning[0]])
    return replace(chain, axes=axes, points=points).snapped(), flipped


@dataclass(frozen=True)
class Plane:
    """The joints that move in the plane, by their number in the chain."""

    kinds: str
    inside: tuple[int, ...]
    h: list[Vec3]
    p: list[Vec3]
    tip: Vec3
    up: Vec3

    @classmethod
    def of(cls, arm: SerialChain, inside: Sequence[int]) -> Plane:
        h, p = [constant(a) for a in arm.axes], [constant(a) for a in arm.points]
        turns = [h[i] for i in inside if arm.kinds[i] == "R"]
        up = turns[0] if turns else h[inside[0]].cross(h[inside[1]])
        return cls("".join(arm.kinds[i] for i in inside), tuple(inside), h, p, constant(arm.tool_pos), up)

    def solved(self, X: Pose, G: Target) -> list[Joints]:
        """All solutions of two joints for a position, of three for a pose."""
        if len(self.inside) == 2:
            return self._placed(self.tip, X.pos)
        total = angle_about(self.up, lambda v: G.rot @ v)
        if self.kinds == "PRP":
            return [self._slid(total, X.pos)]
        end = self.p[self.inside[2]]
        solutions = []
        for pair in self._placed(end, G.carried(end)):
            remaining = total
            for q, kind in zip(pair, self.kinds, strict=False):
                remaining = remaining @ q.inv() if kind == "R" else remaining
            solutions.append([*pair, remaining])
        return solutions

    def _placed(self, point: Vec3, place: Vec3) -> list[Joints]:
        """The first two joints bring a point to a place of the plane."""
        (i, j), kinds = self.inside[:2], self.kinds[:2]
        (h, g), (p, r) = (self.h[i], self.h[j]), (self.p[i], self.p[j])
        if kinds == "RR":
            return [q[:2] for q in planar(self.up, r - p, point - r, place - p, Turn(1.0, 0.0))]
        if kinds == "PP":
            return [coordinates((h, g), place - point)]
        if kinds == "RP":  # R₁ (u + g s) = v
            u, v = self._flat(point - p), self._flat(place - p)
            slides = slides_to(u.dot(g) * 2.0, square(u) - square(v))
            return [[turn_onto(self.up, u + g * s, v), s] for s in slides]
        u, v = self._flat(point - r), self._flat(place - r)  # R₂ u = v - h s
        slides = slides_to(v.dot(h) * -2.0, square(v) - square(u))
        return [[s, turn_onto(self.up, u, v - h * s)] for s in slides]

    def _slid(self, turn: Turn, place: Vec3) -> Joints:
        """A rotation between two slides is the angle of the pose: the equations of the slides are linear."""
        i, j, k = self.inside
        first, last = self.h[i], turn.about(self.up, self.h[k])
        missing = place - self.p[j] - turn.about(self.up, self.tip - self.p[j])
        area = self.up.dot(first.cross(last))
        solvable = area * area > PARALLEL * PARALLEL
        scale = 1.0 / where(solvable, area, 1.0)
        slides = (self.up.dot(missing.cross(last)) * scale, self.up.dot(first.cross(missing)) * scale)
        return [slides[0], turn, slides[1]]

    def _flat(self, v: Vec3) -> Vec3:
        horizontal: Vec3 = v - self.up * self.up.dot(v)
        return horizontal
