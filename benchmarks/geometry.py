"""Conversions of a million rotations and poses, side by side with SciPy on the same arrays (`make bench-geometry`).

Both use one thread.  Ours are functions of scalars from `sixvec.spatial`, compiled by `sixvec.compiled`, writing into
arrays given with out=; SciPy's take and return arrays through a `Rotation` object, whose construction is part of the
conversion (it is told to trust the matrices, as we do; SciPy 1.17).  Composition and application start from objects
that exist already.  Every pair is compared before it is timed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.spatial.transform import RigidTransform
from scipy.spatial.transform import Rotation as SciPy

import sixvec as sv
from sixvec.geometry.orientation.euler import EulerAngles
from sixvec.spatial import Motion, Pose, Quaternion, Rotation, Vec3, so3
from timing import Effort, interleaved

EFFORT = Effort(repeats=4, slice_seconds=0.1, batch=1_000_000)
AGREEMENT = 1e-12


@dataclass(frozen=True, slots=True)
class Pair:
    """One conversion: our compiled function with its arguments, and SciPy's."""

    name: str
    ours: sv.function.CompiledFunction
    arguments: tuple[np.ndarray, ...]
    theirs: Callable[[], np.ndarray]

    def difference_from_scipy(self, out: np.ndarray) -> float:
        """The largest difference from SciPy; quaternions agree up to sign."""
        difference = np.abs(out - self.theirs()).max(axis=-1)
        if self.name.endswith("quaternion") or self.name == "compose quaternions":
            difference = np.minimum(difference, np.abs(out + self.theirs()).max(axis=-1))
        return float(difference.max())


@sv.compiled("r[3] -> R[3,3]")
def vector_to_matrix(r):
    return so3.exp(Vec3.of(r)).as_matrix()


@sv.compiled("R[3,3] -> r[3]")
def matrix_to_vector(R):
    return so3.log(Rotation.from_matrix(R))


@sv.compiled("q[4] -> R[3,3]")
def quaternion_to_matrix(q):
    return Quaternion.of(q).as_rotation().as_matrix()


@sv.compiled("R[3,3] -> q[4]")
def matrix_to_quaternion(R):
    return Quaternion.from_rotation(Rotation.from_matrix(R))


@sv.compiled("angles[3] -> R[3,3]")
def euler_to_matrix(angles):
    return EulerAngles(*angles, "zyx").as_rotation().as_matrix()


@sv.compiled("R[3,3] -> angles[3]")
def matrix_to_euler(R):
    return EulerAngles.from_rotation(Rotation.from_matrix(R), "zyx")


@sv.compiled("a[4] b[4] -> c[4]")
def compose(a, b):
    return Quaternion.of(a) @ Quaternion.of(b)


@sv.compiled("q[4] v[3] -> w[3]")
def apply_quaternion(q, v):
    return Quaternion.of(q) @ Vec3.of(v)


@sv.compiled("R[3,3] v[3] -> w[3]")
def apply_matrix(R, v):
    return Rotation.from_matrix(R) @ Vec3.of(v)


@sv.compiled("t[6] -> X[4,4]")
def twist_to_pose(t):
    return Pose.exp(Motion.of(t)).as_matrix()


@sv.compiled("X[4,4] -> t[6]")
def pose_to_twist(X):
    return Pose.from_matrix(X).log()


@sv.compiled("A[4,4] B[4,4] -> C[4,4]")
def compose_poses(A, B):
    return (Pose.from_matrix(A) @ Pose.from_matrix(B)).as_matrix()


@sv.compiled("A[4,4] -> B[4,4]")
def invert_pose(A):
    return Pose.from_matrix(A).inv().as_matrix()


def pose_pairs(n: int) -> list[Pair]:
    """Conversions of n random poses."""
    rng = np.random.default_rng(2)
    t, u = (np.concatenate([SciPy.random(n, rng).as_rotvec(), rng.normal(size=(n, 3))], axis=-1) for _ in range(2))
    a, b = RigidTransform.from_exp_coords(t), RigidTransform.from_exp_coords(u)
    A, B = a.as_matrix(), b.as_matrix()
    from_twist, from_matrix = RigidTransform.from_exp_coords, RigidTransform.from_matrix
    return [
        Pair("twist -> pose", twist_to_pose, (t,), lambda: from_twist(t).as_matrix()),
        Pair("pose -> twist", pose_to_twist, (A,), lambda: from_matrix(A).as_exp_coords()),
        Pair("compose poses", compose_poses, (A, B), lambda: (a * b).as_matrix()),
        Pair("invert poses", invert_pose, (A,), lambda: a.inv().as_matrix()),
    ]


def pairs(n: int) -> list[Pair]:
    """All conversions on the same n random rotations."""
    rng = np.random.default_rng(1)
    a, b = SciPy.random(n, rng), SciPy.random(n, rng)
    r, R, q, angles, v = a.as_rotvec(), a.as_matrix(), a.as_quat(), a.as_euler("ZYX"), rng.normal(size=(n, 3))
    trusted = partial(SciPy.from_matrix, R, assume_valid=True)
    return [
        Pair("vector -> matrix", vector_to_matrix, (r,), lambda: SciPy.from_rotvec(r).as_matrix()),
        Pair("matrix -> vector", matrix_to_vector, (R,), lambda: trusted().as_rotvec()),
        Pair("quaternion -> matrix", quaternion_to_matrix, (q,), lambda: SciPy.from_quat(q).as_matrix()),
        Pair("matrix -> quaternion", matrix_to_quaternion, (R,), lambda: trusted().as_quat()),
        Pair("Euler zyx -> matrix", euler_to_matrix, (angles,), lambda: SciPy.from_euler("ZYX", angles).as_matrix()),
        Pair("matrix -> Euler zyx", matrix_to_euler, (R,), lambda: trusted().as_euler("ZYX")),
        Pair("compose quaternions", compose, (q, b.as_quat()), lambda: (a * b).as_quat()),
        Pair("apply to vectors", apply_quaternion, (q, v), lambda: a.apply(v)),
        Pair("apply matrices to vectors", apply_matrix, (R, v), lambda: a.apply(v)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=EFFORT.batch, help="rotations or poses per call")
    n = parser.parse_args().batch
    sv.set_threads(1)
    print(f"{n} rotations or poses, one thread, nanoseconds each; ratio = SciPy / sixvec")
    print(f"{'':28}{'sixvec':>10}{'SciPy':>10}{'ratio':>8}{'difference':>12}")
    for pair in [*pairs(n), *pose_pairs(n)]:
        out = pair.ours(*pair.arguments)
        difference = pair.difference_from_scipy(out)
        assert difference < AGREEMENT * max(1.0, float(np.abs(out).max())), pair.name
        calls = {"ours": lambda p=pair, out=out: p.ours(*p.arguments, out=out), "theirs": pair.theirs}
        seconds = interleaved(calls, EFFORT)
        ours, theirs = (1e9 * seconds[k] / n for k in ("ours", "theirs"))
        print(f"{pair.name:28}{ours:10.1f}{theirs:10.1f}{theirs / ours:8.1f}{difference:12.0e}")


if __name__ == "__main__":
    main()
