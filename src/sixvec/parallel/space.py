"""The motions of a platform: in space, in a plane, by translation only, or about a point only."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sixvec.algorithms.parts.reference import Reference, check_reference
from sixvec.arguments import Array, real_array, require_shape
from sixvec.arguments.rigid_poses import ROTATION_DEVIATION, require_rotations
from sixvec.errors import ArgumentError
from sixvec.kernels import Port
from sixvec.kernels.devices import namespace
from sixvec.kernels.function import compiled
from sixvec.scalar import Scalar, cos, sin, where
from sixvec.spatial import Mat3, Pose, Rotation, Vec3
from sixvec.spatial.linear import dot

Branch: TypeAlias = "ArrayLike | None"
"""(..., n) of 0 and 1, which of its positions each leg takes; the usual one by default."""
Bounds: TypeAlias = "tuple[ArrayLike, ArrayLike] | None"
"""The smallest and the largest of some numbers, one for all legs or (n,)."""

SURELY_RIGID = (ROTATION_DEVIATION / 4.0) ** 2
"""The largest `deviation` of poses that are not looked at more closely: columns x, y and z = x × y deviate by at most
2.5 times the root of it from orthonormal."""


class Space:
    """The representation of a platform's pose, its pivots, and the wrench of a force along a line."""

    freedoms: ClassVar[int]
    turns: ClassVar[int]
    """The number of leading coordinates of a twist that are angular rates."""
    port: ClassVar[Port]
    shape: ClassVar[str]

    @property
    def only_turns(self) -> bool:
        """Whether a point of the platform stays where it is."""
        return self.turns == self.freedoms

    def pivot(self, X: Any, b: Vec3) -> Vec3:
        """A point of the platform in the base's frame."""
        raise NotImplementedError

    def force(self, X: Any, b: Vec3, e: Vec3, reference: Reference) -> list[Scalar]:
        """The wrench of a unit force along e at the pivot b: moment, then force."""
        raise NotImplementedError

    def moved(self, X: Any, twist: list[Scalar]) -> Any:
        """The pose after a small twist, rotation exact; first order in the twist."""
        raise NotImplementedError

    def between(self, X: Any, base: Vec3, platform: Vec3, scale: Scalar = 1.0) -> Any:
        """The pose of a point of the platform relative to one of the base, in the same axes: scale (p + R s - b)."""
        raise NotImplementedError

    def pose(self, X: Any) -> Pose:
        """The pose in space."""
        raise NotImplementedError

    def motion(self, twist: Any) -> tuple[Vec3, Vec3]:
        """Angular and linear velocity in space, or rates of them."""
        raise NotImplementedError

    def wrench(self, moment: Vec3, force: Vec3) -> list[Scalar]:
        """The part of a wrench in space that does work on the platform."""
        raise NotImplementedError

    def twist_from(self, X: Any, twist: list[Scalar], platform: Vec3, reference: Reference) -> list[Scalar]:
        """The twist of a map, from that of a point of the platform in the axes of the base: v + ω × r."""
        check_reference(reference)
        w, v = self.motion(twist)
        v = v + w.cross(self._to_reference(X, platform, reference))
        if reference == "local":
            back = self.pose(X).rot.inv()
            w, v = back @ w, back @ v
        return self.wrench(w, v)

    def wrench_to(self, X: Any, wrench: list[Scalar], platform: Vec3, reference: Reference) -> list[Scalar]:
        """The wrench about a point of the platform in the axes of the base, from that of a map: m + r × f."""
        check_reference(reference)
        m, f = self.motion(wrench)
        if reference == "local":
            R = self.pose(X).rot
            m, f = R @ m, R @ f
        return self.wrench(m + self._to_reference(X, platform, reference).cross(f), f)

    def _to_reference(self, X: Any, platform: Vec3, reference: Reference) -> Vec3:
        """From a point of the platform to the point that a map refers to, in the axes of the base."""
        pose = self.pose(X)
        arm: Vec3 = pose.rot @ platform
        return -(arm + pose.pos if reference == "world" else arm)

    def deviation(self, X: Any) -> Scalar:
        """The deviation of the numbers from a valid pose, squared; NaN if one is."""
        return 0.0

    def written_as(self, X: Any) -> Space:
        """The space with poses of the form of X: programs that only read a pose use it directly."""
        return self

    def shaped(self, X: Any, what: str) -> Array:
        """Poses of a user as an array for the kernels, of which only the shape was checked."""
        return real_array(what, X, *self.port.shape, why=self.shape)

    def checked(self, X: Any, what: str) -> Array:
        """Poses of a user as an array for the kernels."""
        return self.shaped(X, what)

    def one(self, X: Any, what: str) -> Array:
        """One pose of a user."""
        pose = self.checked(X, what)
        require_shape(what, pose, *self.port.shape, batch=False, why="one pose")
        return pose

    def entries(self, X: Any) -> Any:
        """The numbers of poses that kernels take, of arrays of any library."""
        return X

    def as_user_pose(self, X: Array) -> Array:
        """Poses of the kernels in the user's form."""
        return X


class Spatial(Space):
    """Poses (..., 4, 4), twists (ω; v), wrenches (moment; force)."""

    freedoms, turns, port, shape = 6, 3, Port("X", (4, 4)), "a homogeneous matrix"

    def between(self, X: Any, base: Vec3, platform: Vec3, scale: Scalar = 1.0) -> Any:
        p = (self.pivot(X, platform) - base) * scale
        return [[*row[:3], x] for row, x in zip(X, p, strict=False)] + [[*X[3]]]  # NaN stays NaN

    def pose(self, X: Any) -> Pose:
        return _pose(X)

    def motion(self, twist: Any) -> tuple[Vec3, Vec3]:
        return Vec3.of(twist[:3]), Vec3.of(twist[3:])

    def wrench(self, moment: Vec3, force: Vec3) -> list[Scalar]:
        return [*moment, *force]

    def pivot(self, X: Any, b: Vec3) -> Vec3:
        pose = _pose(X)
        return pose.pos + pose.rot @ b

    def force(self, X: Any, b: Vec3, e: Vec3, reference: Reference) -> list[Scalar]:
        check_reference(reference)
        pose = _pose(X)
        if reference == "local":
            e = pose.rot.inv() @ e
            return [*b.cross(e), *e]
        arm = pose.rot @ b + (pose.pos if reference == "world" else Vec3.zero())
        return [*arm.cross(e), *e]

    def moved(self, X: Any, twist: list[Scalar]) -> Any:
        """By the Cayley map, R ← (1 - ½ω×)⁻¹ (1 + ½ω×) R, a rotation for every ω."""
        pose = _pose(X)
        h = Vec3.of(twist[:3]) * 0.5
        k = 2.0 / (1.0 + h.dot(h))
        one = Rotation.identity().matrix * (1.0 - k * h.dot(h))
        turn = one + Mat3.cross_matrix(h * k) + Mat3.outer(h, h * k)
        R = turn.product(pose.rot.matrix)
        return Pose(Rotation(R), pose.pos + Vec3.of(twist[3:])).as_matrix()

    def deviation(self, X: Any) -> Scalar:
        """Of two axes from orthonormal, the third from their product, and the last row from (0, 0, 0, 1)."""
        x, y, z = (Vec3(X[0][k], X[1][k], X[2][k]) for k in range(3))
        axes = [x.dot(x) - 1.0, y.dot(y) - 1.0, x.dot(y), *(x.cross(y) - z)]
        return _squares([*axes, X[3][0], X[3][1], X[3][2], X[3][3] - 1.0])

    def checked(self, X: Any, what: str) -> Array:
        array = self.shaped(X, what)
        if deviation(array).max(initial=0.0) <= SURELY_RIGID:
            return array
        require_rotations(array, what)
        with np.errstate(invalid="ignore"):
            bad = (np.abs(array[..., 3, :] - [0.0, 0.0, 0.0, 1.0]) > ROTATION_DEVIATION).any(axis=-1)
        if not bad.any():  # a pose with one number that is not finite has none that is
            whole = np.asarray(np.isfinite(array).all(axis=(-1, -2)))
            return np.where(whole[..., None, None], array, np.nan)
        at = [int(i) for i in np.argwhere(bad)[0]]
        raise ArgumentError(f"{what}{at or ''} is not a rigid pose: its last row is not [0, 0, 0, 1]; "
                            "are rows and columns swapped?")  # fmt: skip


class Translational(Space):
    """Platforms that keep their orientation: positions; velocities and forces of three numbers.

    Poses (..., 4, 4) whose rotation is the identity are accepted as well, and returned.
    """

    freedoms, turns, port, shape = 3, 0, Port("p", (3,)), "or a homogeneous matrix (..., 4, 4) without rotation"

    def written_as(self, X: Any) -> Space:
        array = X if hasattr(X, "shape") else real_array("X", X)
        return TRANSLATION_MATRICES if array.shape[-2:] == (4, 4) else self

    def between(self, X: Any, base: Vec3, platform: Vec3, scale: Scalar = 1.0) -> Any:
        return [*((self.pivot(X, platform) - base) * scale)]

    def pose(self, X: Any) -> Pose:
        return Pose.translation(Vec3.of(X))

    def motion(self, twist: Any) -> tuple[Vec3, Vec3]:
        return Vec3.zero(), Vec3.of(twist)

    def wrench(self, moment: Vec3, force: Vec3) -> list[Scalar]:
        return [*force]

    def pivot(self, X: Any, b: Vec3) -> Vec3:
        return Vec3.of(X) + b

    def force(self, X: Any, b: Vec3, e: Vec3, reference: Reference) -> list[Scalar]:
        check_reference(reference)
        return [*e]

    def moved(self, X: Any, twist: list[Scalar]) -> Any:
        return [x + v for x, v in zip(X, twist, strict=True)]

    def shaped(self, X: Any, what: str) -> Array:
        array = real_array(what, X)
        if array.shape[-2:] != (4, 4):
            return super().shaped(array, what)
        p, off = position(array)
        if off.max(initial=0.0) <= SURELY_RIGID:
            return np.asarray(p)
        Spatial().checked(array, what)
        with np.errstate(invalid="ignore"):
            bad = (np.abs(array[..., :3, :3] - np.eye(3)) > ROTATION_DEVIATION).any(axis=(-1, -2))
        if not bad.any():
            return np.asarray(p)
        at = [int(i) for i in np.argwhere(bad)[0]]
        raise ArgumentError(f"{what}{at or ''} is turned; this platform keeps its orientation, the identity")

    def entries(self, X: Any) -> Any:
        if isinstance(X, list | tuple):  # numbers alone, which go with the arrays of every library
            return X if np.ndim(X[0]) == 0 else self.entries(np.asarray(X, float)).tolist()
        return X[..., :3, 3] if X.shape[-2:] == (4, 4) else X

    def as_user_pose(self, X: Array) -> Array:
        xp = namespace(X)
        poses: Array = xp.zeros((*X.shape[:-1], 4, 4))
        poses[...] = xp.eye(4)
        poses[..., :3, 3] = X
        return poses


class TranslationMatrices(Translational):
    """The same with poses (..., 4, 4) whose rotation is the identity."""

    port = Port("X", (4, 4))

    def between(self, X: Any, base: Vec3, platform: Vec3, scale: Scalar = 1.0) -> Any:
        return Pose.translation((self.pivot(X, platform) - base) * scale).as_matrix()

    def pose(self, X: Any) -> Pose:
        return Pose.translation(self.pivot(X, Vec3.zero()))

    def pivot(self, X: Any, b: Vec3) -> Vec3:
        whole = self.deviation(X) < math.inf  # a NaN in any entry makes the whole pose NaN
        return Vec3(*(where(whole, X[k][3], math.nan) for k in range(3))) + b

    def moved(self, X: Any, twist: list[Scalar]) -> Any:
        return [[*row[:3], row[3] + v] for row, v in zip(X, [*twist, 0.0], strict=True)]

    def deviation(self, X: Any) -> Scalar:
        return _squares([x - float(i == j) for i, row in enumerate(X) for j, x in enumerate(row) if j < 3 or i == 3])

    def shaped(self, X: Any, what: str) -> Array:
        return Space.shaped(self, X, what)

    def checked(self, X: Any, what: str) -> Array:
        return Translational.shaped(self, X, what)


TRANSLATION_MATRICES = TranslationMatrices()


class Planar(Space):
    """Poses (x, y, φ), twists (ω, v_x, v_y), wrenches (m, f_x, f_y); pivots have z = 0."""

    freedoms, turns, port, shape = 3, 1, Port("X", (3,)), "(x, y, φ)"

    def between(self, X: Any, base: Vec3, platform: Vec3, scale: Scalar = 1.0) -> Any:
        p = (self.pivot(X, platform) - base) * scale
        return [p.x, p.y, X[2]]

    def pose(self, X: Any) -> Pose:
        x, y, angle = X
        c, s = cos(angle), sin(angle)
        return Pose(Rotation(Mat3(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)), Vec3(x, y, 0.0))

    def motion(self, twist: Any) -> tuple[Vec3, Vec3]:
        w, x, y = twist
        return Vec3(0.0, 0.0, w), Vec3(x, y, 0.0)

    def wrench(self, moment: Vec3, force: Vec3) -> list[Scalar]:
        return [moment.z, force.x, force.y]

    def pivot(self, X: Any, b: Vec3) -> Vec3:
        x, y, _ = X
        arm = self._arm(X, b)
        return Vec3(x + arm.x, y + arm.y, 0.0)

    def force(self, X: Any, b: Vec3, e: Vec3, reference: Reference) -> list[Scalar]:
        check_reference(reference)
        if reference == "local":
            c, s = cos(X[2]), sin(X[2])
            e = Vec3(c * e.x + s * e.y, c * e.y - s * e.x, 0.0)
            return [b.x * e.y - b.y * e.x, e.x, e.y]
        arm = self.pivot(X, b) if reference == "world" else self._arm(X, b)
        return [arm.x * e.y - arm.y * e.x, e.x, e.y]

    def moved(self, X: Any, twist: list[Scalar]) -> Any:
        return [X[0] + twist[1], X[1] + twist[2], X[2] + twist[0]]

    def _arm(self, X: Any, b: Vec3) -> Vec3:
        c, s = cos(X[2]), sin(X[2])
        return Vec3(c * b.x - s * b.y, s * b.x + c * b.y, 0.0)


class Spherical(Space):
    """Platforms that turn about the origin of the base, which is that of the platform.

    Poses are rotation matrices (..., 3, 3), twists angular velocities ω, wrenches moments.
    """

    freedoms, turns, port, shape = 3, 3, Port("R", (3, 3)), "a rotation matrix"

    def between(self, X: Any, base: Vec3, platform: Vec3, scale: Scalar = 1.0) -> Any:
        return X

    def pose(self, X: Any) -> Pose:
        (a, b, c), (d, e, f), (g, h, i) = X
        return Pose(Rotation(Mat3(a, b, c, d, e, f, g, h, i)), Vec3.zero())

    def motion(self, twist: Any) -> tuple[Vec3, Vec3]:
        return Vec3.of(twist), Vec3.zero()

    def wrench(self, moment: Vec3, force: Vec3) -> list[Scalar]:
        return [*moment]

    def pivot(self, X: Any, b: Vec3) -> Vec3:
        return self.pose(X).rot @ b

    def force(self, X: Any, b: Vec3, e: Vec3, reference: Reference) -> list[Scalar]:
        check_reference(reference)
        R = self.pose(X).rot
        return [*(b.cross(R.inv() @ e) if reference == "local" else (R @ b).cross(e))]

    def moved(self, X: Any, twist: list[Scalar]) -> Any:
        turned = Spatial().moved([[*row, 0.0] for row in X] + [[0.0, 0.0, 0.0, 1.0]], [*twist, 0.0, 0.0, 0.0])
        return [row[:3] for row in turned[:3]]

    def deviation(self, X: Any) -> Scalar:
        x, y, z = (Vec3(X[0][k], X[1][k], X[2][k]) for k in range(3))
        return _squares([x.dot(x) - 1.0, y.dot(y) - 1.0, x.dot(y), *(x.cross(y) - z)])

    def checked(self, X: Any, what: str) -> Array:
        array = self.shaped(X, what)
        require_rotations(array, what)
        whole = np.asarray(np.isfinite(array).all(axis=(-1, -2)))
        return np.where(whole[..., None, None], array, np.nan)


def _squares(errors: list[Scalar]) -> Scalar:
    return dot(errors, errors)


def _pose(X: Any) -> Pose:
    """Of entries that were checked as arrays: in single precision they are not exact rotations."""
    (a, b, c, x), (d, e, f, y), (g, h, i, z) = X[:3]
    return Pose(Rotation(Mat3(a, b, c, d, e, f, g, h, i)), Vec3(x, y, z))


@compiled("X[4,4] -> off")
def deviation(X: Any) -> Scalar:
    """The deviation of a matrix from a rigid pose."""
    return Spatial().deviation(X)


@compiled("X[4,4] -> p[3] off")
def position(X: Any) -> tuple[list[Scalar], Scalar]:
    """The position of a pose, and the deviation of the rest from the identity."""
    return [*TRANSLATION_MATRICES.pivot(X, Vec3.zero())], TRANSLATION_MATRICES.deviation(X)
