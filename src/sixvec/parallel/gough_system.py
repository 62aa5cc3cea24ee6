"""The closure of a platform with six legs over the complex numbers."""

from __future__ import annotations

from typing import Any

from sixvec.kernels.function import compiled
from sixvec.parallel.complex_scalar import Complex, chosen, paired, total_squared
from sixvec.scalar import Scalar, sqrt
from sixvec.spatial.linear import eliminate

Vector = list[Complex]


class GoughSystem:
    """Points are (quaternion 4, position 3), parameters (base pivots 18, platform pivots 18, squared lengths 6).

    Leg i closes where d·d = s with d = p + R b - a, without conjugation; R is that of the quaternion, of length 1.  As
    for real poses, d (d·d)/2 is (R b × d; d) times the twist, so Newton's matrix is 6 x 6: the lines of the legs.
    """

    name = "gough"
    unknowns = 7
    parameters = 42

    def corrected(self, y: Vector, P: Vector) -> tuple[Vector, Vector]:
        R = rotation(y[:4])
        rows, errors, _ = _lines(R, y[4:], P)
        twist = [x[0] for x in _solved(rows, [[-e] for e in errors])]
        return _moved(y, twist), twist

    def corrected_and_rate(self, y: Vector, P: Vector, dP: Vector) -> tuple[Vector, Vector, Vector]:
        R = rotation(y[:4])
        rows, errors, d = _lines(R, y[4:], P)
        rates = []
        for k in range(6):
            turned = _times(R, dP[18 + 3 * k : 21 + 3 * k])
            moving = [x - a for x, a in zip(turned, dP[3 * k : 3 * k + 3], strict=True)]
            rates.append(dP[36 + k] * 0.5 - _dot(d[k], moving))
        both = _solved(rows, [[-e, r] for e, r in zip(errors, rates, strict=True)])
        twist = [x[0] for x in both]
        moved = _moved(y, twist)
        rate = [x[1] for x in both]
        return moved, twist, [*_turn(rate[:3], moved[:4]), *rate[3:]]

    def size(self, step: Vector, y: Vector) -> Scalar:
        """Rotations absolute, translations relative to the position."""
        return total_squared(step[:3]) + total_squared(step[3:]) / (1.0 + total_squared(y[4:]))


GOUGH = GoughSystem()


@compiled("y[14] P[84] -> least")
def least_value(y: Any, P: Any) -> Scalar:
    """A lower bound of the least singular value of the legs' lines at a solution, relative: 1 / |L⁻¹| by Frobenius.

    Rows of L are (R b × d; d) in lengths of the leg, moments in sizes of the platform.  At real poses these are unit
    forces, whose largest singular value is at most √12.
    """
    point, parameters = paired(y), paired(P)
    rows, _, _ = _lines(rotation(point[:4]), point[4:], parameters)
    arm = sqrt(total_squared(parameters[18:36]) * (1.0 / 6.0))
    lengths = [sqrt(s.re) for s in parameters[36:]]
    L = [[x * (1.0 / (arm * l)) if k < 3 else x * (1.0 / l) for k, x in enumerate(row)]
         for row, l in zip(rows, lengths, strict=True)]  # fmt: skip
    inverse = _solved(L, [[Complex(float(i == j), 0.0) for j in range(6)] for i in range(6)])
    return 1.0 / sqrt(12.0 * sum((total_squared(row) for row in inverse), 0.0))


def _lines(R: list[Vector], p: Vector, P: Vector) -> tuple[list[Vector], Vector, list[Vector]]:
    """For each leg (R b × d; d), half the error of its squared length, and d."""
    rows, errors, legs = [], [], []
    for k in range(6):
        arm = _times(R, P[18 + 3 * k : 21 + 3 * k])
        d = [x + y - a for x, y, a in zip(p, arm, P[3 * k : 3 * k + 3], strict=True)]
        rows.append([*_cross(arm, d), *d])
        errors.append((_dot(d, d) - P[36 + k]) * 0.5)
        legs.append(d)
    return rows, errors, legs


def _solved(A: list[Vector], B: list[Vector]) -> list[Vector]:
    return eliminate(A, B, size=lambda z: z.squared, choose=chosen)


def _moved(y: Vector, twist: Vector) -> Vector:
    """Point and small twist: e + ½ ω e, normalised to e·e = 1, and p + v.

    No equation fixes the length of e, and a predictor from two points would let it grow without bounds.
    """
    e = [a + b for a, b in zip(y[:4], _turn(twist[:3], y[:4]), strict=True)]
    k = 1.5 - 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])  # 1/√N near N = 1
    return [*(x * k for x in e), *(a + b for a, b in zip(y[4:], twist[3:], strict=True))]


def _turn(w: Vector, e: Vector) -> Vector:
    """½ ω e, quaternions with the scalar last."""
    v = _cross(w, e[:3])
    return [*((w[i] * e[3] + v[i]) * 0.5 for i in range(3)), -(_dot(w, e[:3]) * 0.5)]


def rotation(e: Vector) -> list[Vector]:
    """The rotation matrix of a quaternion of any length, scalar last."""
    x, y, z, w = e
    k = 2.0 / (x * x + y * y + z * z + w * w)
    xs, ys, zs = x * k, y * k, z * k
    xx, yy, zz = x * xs, y * ys, z * zs
    xy, xz, yz = x * ys, x * zs, y * zs
    wx, wy, wz = w * xs, w * ys, w * zs
    return [
        [1.0 - (yy + zz), xy - wz, xz + wy],
        [xy + wz, 1.0 - (xx + zz), yz - wx],
        [xz - wy, yz + wx, 1.0 - (xx + yy)],
    ]


def _times(M: list[Vector], x: Vector) -> Vector:
    return [_dot(row, x) for row in M]


def _dot(a: Any, b: Any) -> Complex:
    x, y, z = (p * q for p, q in zip(a, b, strict=True))
    result: Complex = x + y + z
    return result


def _cross(a: Vector, b: Vector) -> Vector:
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
