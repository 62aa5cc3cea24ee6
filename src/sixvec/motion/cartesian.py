"""Paths of joints on which a frame moves along a line, a circle or a screw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array, positive_number, real_array, real_number
from sixvec.arguments.rigid_poses import require_poses
from sixvec.errors import ArgumentError
from sixvec.ik.track import Track, track
from sixvec.model.spanning_tree import require_tree
from sixvec.motion.cubic import cubic_pieces
from sixvec.motion.exponential import unwrapped
from sixvec.motion.path import Path, derivative
from sixvec.robot import Robot
from sixvec.spatial import Motion, Pose, Vec3
from sixvec.tolerances import ROUNDING
from sixvec.verdict import Verdict

FEWEST, MOST = 33, 2049
"""Poses at which the joints are solved for; doubled until the frame stays close enough to its path in between."""

WITHIN = np.arange(1, 8) / 8.0
"""Fractions of each piece at which positions are compared with their limits."""

INWARD, ROUNDS = 1.5, 3
"""Joints that exceed a limit between poses are kept so many times that far within it, again and again."""

Poses = Callable[[Array], Array]
"""Poses (m, 4, 4) at fractions (m,) of a path."""


@dataclass(frozen=True, eq=False, repr=False)
class CartesianPath(Path):
    """A path of joints on which a frame moves as requested, to within `deviation` (m and rad).

    `verdict` is SOLVED, or that of the first pose that cannot be reached; `reached` is the fraction of the way that
    can. Without a solution the path is not a number.
    """

    verdict: Verdict = Verdict.SOLVED
    reached: float = 1.0
    deviation: float = 0.0
    track: Track | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.verdict == Verdict.SOLVED

    def __repr__(self) -> str:
        if not self:
            return f"<CartesianPath of {self.robot.name}: {self.verdict} after {self.reached:.0%} of the way>"
        return f"<CartesianPath of {self.robot.name}: length {self.length:.4g}, within {self.deviation:.2g} m and rad>"


def line(
    robot: Robot, X0: ArrayLike, X1: ArrayLike, frame: str, q0: ArrayLike | None = None, *, deviation: float = 1e-4
) -> CartesianPath:
    """The path on which the origin of a frame moves on a straight line between two poses (4, 4), and turns about one
    axis.

    The joints start at the solution nearest to `q0`, and follow without a jump.  Between solutions the frame deviates
    from the line by at most `deviation`, in m and rad.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("panda")
    >>> q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> start = arm.pose(q, "panda_link8")
    >>> goal = start + np.array([[0, 0, 0, 0.1], [0, 0, 0, 0.2], [0, 0, 0, 0], [0, 0, 0, 0]])
    >>> path = motion.line(arm, start, goal, "panda_link8", q)
    >>> bool(path), round(float(path.length), 6), motion.time_optimal(path, acceleration=10.0, torque=None)
    (True, 0.223607, <TimedPath: solved, 0.4419 s>)
    """
    A, B = _pose("line: X0", X0), _pose("line: X1", X1)
    turn, way = _between(A, B), B[:3, 3] - A[:3, 3]
    turn[3:] = 0.0

    def poses(s: Array) -> Array:
        X = _exp(np.outer(s, turn))
        X[:, :3, :3] = A[:3, :3] @ X[:, :3, :3]
        X[:, :3, 3] = A[:3, 3] + np.outer(s, way)
        return X

    size = float(np.linalg.norm(way)) or float(np.linalg.norm(turn))
    return _path("line", robot, frame, poses, size, q0, deviation)


def screw(
    robot: Robot, X0: ArrayLike, X1: ArrayLike, frame: str, q0: ArrayLike | None = None, *, deviation: float = 1e-4
) -> CartesianPath:
    """The path on which a frame moves between two poses (4, 4) with one screw: it turns about a fixed axis and slides
    along it.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("panda")
    >>> q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> start, goal = arm.pose(np.array([q, q + 0.2]), "panda_link8")
    >>> bool(motion.screw(arm, start, goal, "panda_link8", q))
    True
    """
    A = _pose("screw: X0", X0)
    twist = _between(A, _pose("screw: X1", X1))
    size = float(np.linalg.norm(twist[3:])) or float(np.linalg.norm(twist[:3]))

    def poses(s: Array) -> Array:
        return np.asarray(A @ _exp(np.outer(s, twist)))

    return _path("screw", robot, frame, poses, size, q0, deviation)


def circle(
    robot: Robot,
    X0: ArrayLike,
    centre: ArrayLike,
    axis: ArrayLike,
    angle: float,
    frame: str,
    q0: ArrayLike | None = None,
    *,
    turns: bool = True,
    deviation: float = 1e-4,
) -> CartesianPath:
    """The path on which the origin of a frame moves from pose X0 (4, 4) on a circle about an axis through a centre.

    The frame turns with it, or keeps its orientation with turns=False.  The angle is in rad; 2π closes the circle.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("panda")
    >>> q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> start = arm.pose(q, "panda_link8")
    >>> round_ = motion.circle(arm, start, start[:3, 3] + [0.0, 0.1, 0.0], [1, 0, 0], 2 * np.pi, "panda_link8", q,
    ...                        turns=False)
    >>> bool(round_), round(float(round_.length), 4)
    (True, 0.6283)
    """
    A = _pose("circle: X0", X0)
    point = real_array("circle: centre", centre, 3, batch=False, finite=True)
    along = real_array("circle: axis", axis, 3, batch=False, finite=True)
    length = float(np.linalg.norm(along))
    if not length > 0.0:
        raise ArgumentError("circle: the axis has no direction; it is zero")
    angle = real_number("circle: angle", angle, "rad")
    arm = A[:3, 3] - point
    radius = float(np.linalg.norm(np.cross(along / length, arm)))

    def poses(s: Array) -> Array:
        R = _exp(np.outer(s, np.concatenate([angle * along / length, np.zeros(3)])))[:, :3, :3]
        X = np.tile(A, (len(s), 1, 1))
        X[:, :3, 3] = point + R @ arm
        if turns:
            X[:, :3, :3] = R @ A[:3, :3]
        return X

    return _path("circle", robot, frame, poses, radius * abs(angle) or abs(angle) * turns, q0, deviation)


def pose_spline(
    robot: Robot, poses: ArrayLike, frame: str, q0: ArrayLike | None = None, *, deviation: float = 1e-4
) -> CartesianPath:
    """The path on which a frame goes through poses (k, 4, 4) without stopping, with continuous accelerations.

    The origin moves on a natural cubic spline, and so does the rotation vector from the first orientation.

    >>> import numpy as np, sixvec as sv
    >>> from sixvec import motion
    >>> arm = sv.load("panda")
    >>> q = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
    >>> poses = arm.pose(np.array([q, q + 0.1, q + [0.3, 0.2, 0, 0, 0, 0, 0]]), "panda_link8")
    >>> bool(motion.pose_spline(arm, poses, "panda_link8", q))
    True
    """
    X = real_array("pose_spline: poses", poses, "poses ≥ 2", 4, 4, batch=False, finite=True)
    require_poses(X, "pose_spline: poses")
    start = X[0, :3, :3]
    turns = unwrapped(f"pose_spline: {frame}", np.array([_between(X[0], Y)[:3] for Y in X]))
    values = np.concatenate([turns, X[:, :3, 3]], axis=1)
    steps = np.linalg.norm(np.diff(values, axis=0), axis=1)
    if not (steps > ROUNDING * steps.sum()).all():
        k = int(np.argmin(steps))
        raise ArgumentError(f"pose_spline: poses {k} and {k + 1} are the same; leave one out")
    knots = np.concatenate([[0.0], np.cumsum(steps)])
    C = cubic_pieces(knots, values, "natural")

    def through(s: Array) -> Array:
        at = s * knots[-1]
        piece = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(steps) - 1)
        z = derivative(C[piece], at - knots[piece], 0)
        Y = _exp(np.concatenate([z[:, :3], np.zeros((len(s), 3))], axis=1))
        Y[:, :3, :3], Y[:, :3, 3] = start @ Y[:, :3, :3], z[:, 3:]
        return Y

    return _path("pose_spline", robot, frame, through, float(knots[-1]), q0, deviation)


def _path(
    name: str, robot: Robot, frame: str, poses: Poses, size: float, q0: ArrayLike | None, deviation: float
) -> CartesianPath:
    """Joint positions at more and more poses, until the spline through them is close enough."""
    positive_number(f"{name}: deviation", deviation, "m and rad")
    if not size > 0.0:
        raise ArgumentError(f"{name}: it ends where it starts, so there is no path")
    require_tree(robot.model, name)
    if robot.nq != robot.nv:
        raise ArgumentError(f"{name}: {robot.name} has joints with quaternions, which paths do not support")
    first = poses(np.zeros(1))[0]
    start = robot.ik(first, frame) if q0 is None else robot.ik(first, frame, q0)
    count = FEWEST
    while True:
        s = np.linspace(0.0, 1.0, count)
        steps = track(robot, start.q, poses(s), frame, tolerance=min(1e-6, 0.1 * deviation))
        bad = (steps.verdict != Verdict.SOLVED) | steps.switched
        if bad.any() or start.verdict != Verdict.SOLVED:
            k = int(np.argmax(bad)) if bad.any() else 0
            verdict = Verdict(int(steps.verdict[k])) if steps.verdict[k] != Verdict.SOLVED else Verdict.SINGULAR
            nothing = np.full((1, 2, robot.nq), np.nan)
            return CartesianPath(
                robot, np.array([0.0, size]), nothing, 2, None, verdict, max(k - 1, 0) / (count - 1), np.nan, steps
            )
        C, over = _within_limits(robot, s * size, np.asarray(steps.q))
        off = _deviation(robot, frame, poses, s, size, C)
        if (off <= deviation and not over.any()) or count >= MOST:
            break
        count = 2 * count - 1
    verdict = Verdict.SOLVED if off <= deviation else Verdict.NOT_CONVERGED
    return CartesianPath(robot, s * size, C, 2, None, verdict, 1.0, off, steps)


def _within_limits(robot: Robot, knots: Array, q: Array) -> tuple[Array, Array]:
    """The spline through positions, and by how much joints exceed their limits on it.

    A joint that reaches its limit stays there while others go on: a kink, beside which a spline overshoots.
    """
    inward = np.zeros(robot.nq)
    for _ in range(ROUNDS):
        C = cubic_pieces(knots, np.clip(q, robot.lower + inward, robot.upper - inward), "not-a-knot")
        values = derivative(C[:, None], WITHIN * np.diff(knots)[:, None], 0)
        over = np.maximum(robot.lower - values, values - robot.upper).max(axis=(0, 1))
        over = np.where(over > ROUNDING * (robot.upper - robot.lower), over, 0.0)
        if not over.any():
            break
        inward += INWARD * over
    return C, over


def _deviation(robot: Robot, frame: str, poses: Poses, s: Array, size: float, C: Array) -> float:
    """How far the frame is from its path in the middle of each piece."""
    h = np.diff(s)
    X, Y = robot.pose(derivative(C, 0.5 * h * size, 0), frame), poses(s[:-1] + 0.5 * h)
    off = np.abs(X[..., :3, 3] - Y[..., :3, 3]).max(), np.abs(X[..., :3, :3] - Y[..., :3, :3]).max()
    return float(max(off))


def _pose(name: str, X: ArrayLike) -> Array:
    X = real_array(name, X, 4, 4, batch=False, finite=True)
    require_poses(X, name)
    return X


def _between(A: Array, B: Array) -> Array:
    """The twist that takes a pose to another one, in its own axes."""
    R = A[:3, :3].T
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R @ B[:3, :3], R @ (B[:3, 3] - A[:3, 3])
    return _log(X)


def _log(X: Array) -> Array:
    """The twist (6,) that reaches a pose in unit time: angular, then linear."""
    return np.array([*Pose.from_matrix(X.tolist()).log()], float)


def _exp(twists: Array) -> Array:
    """The poses (m, 4, 4) that twists (m, 6) reach in unit time."""
    return np.array([Pose.exp(Motion(Vec3(*t[:3]), Vec3(*t[3:]))).as_matrix() for t in twists.tolist()], float)
