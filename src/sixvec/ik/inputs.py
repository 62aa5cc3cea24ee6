"""Checks of the inputs of inverse kinematics; code after this file relies on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sixvec.arguments import Array, one_number, real_array, require_shape, whole_number
from sixvec.arguments.rigid_poses import ROTATION_DEVIATION
from sixvec.compiler.input_checks import are_checked
from sixvec.errors import ArgumentError, ModelError
from sixvec.ik.levenberg_marquardt import target_shape
from sixvec.ik.machine import CPU, Machine
from sixvec.model.coordinate_names import coordinate_names
from sixvec.model.wrong_positions import require_unit_quaternions, warn_of_degrees
from sixvec.robot import Robot
from sixvec.spatial import Pose
from sixvec.tasks.held import ClosedLoops
from sixvec.tasks.task import Task


def checked_settings(tolerance: Any = 1e-6, starts: int = 1, iterations: int = 1) -> Array:
    """The tolerances of positions and of rotations, from one number for both or (rotation, position); all checked."""
    whole_number("starts", starts, 1)
    whole_number("iterations", iterations, 1)
    pair = tolerance if isinstance(tolerance, tuple | list) else (tolerance, tolerance)
    if len(pair) != 2:
        raise ArgumentError(f"tolerance={tolerance!r} must be one number or two, for rotations and positions")
    rotation, position = (one_number("tolerance", x) for x in pair)
    if not (0.0 < rotation < np.inf and 0.0 < position < np.inf):
        raise ArgumentError(f"tolerance must be positive, not {rotation} rad and {position} m")
    return np.array([position, rotation])


def checked_gain(gain: Any) -> None:
    if not 0.0 <= one_number("posture_gain", gain) <= 1.0:
        raise ArgumentError(f"posture_gain={gain!r} must be between 0 and 1: the part of the way to go in each step")


def checked_limits(limits: Any) -> None:
    """Raise unless the value is True or False: a pair of bounds would count as True."""
    if not isinstance(limits, bool | np.bool_):
        raise ArgumentError(
            f"limits is a {type(limits).__name__}, but must be True, for those of the robot, or False, for none; "
            "for other limits edit the model: dataclasses.replace(body, limits=…)"
        )


def require_solvable(robot: Robot) -> None:
    """Raise for robots that inverse kinematics cannot move."""
    if robot.nv == 0:
        raise ModelError(f"{robot.name} has no joint that moves, so there is nothing to solve for")


def with_loops_closed(robot: Robot, tasks: Mapping[Task, Any]) -> dict[Task, Any]:
    """The tasks, with the task of closed loops added if the robot has loops."""
    with_loops: dict[Task, Any] = dict(tasks)
    if robot.model.closures:
        with_loops[ClosedLoops()] = np.zeros(1)
    return with_loops


LOOP_ERROR = 1e-9
"""Largest total loop error of a solution in metres or radians, independent of the tolerance."""


def tolerances_of(robot: Robot, tolerances: Array) -> Array:
    """The tolerances of a search, including those of loops."""
    return np.minimum(tolerances, LOOP_ERROR) if robot.model.closures else tolerances


def require_tasks(robot: Robot, tasks: Any) -> None:
    if not isinstance(tasks, Mapping) or not tasks:
        raise ArgumentError("solve needs at least one task with its target, for example {tasks.Frame(frame): pose}")
    for task in tasks:
        if not isinstance(task, Task):
            raise ArgumentError(f"{task!r} is not a task; write for example {{tasks.Frame({task!r}): pose}}")
        if not task.is_of_positions:
            raise ArgumentError(f"{task!r} is about velocities, and positions cannot be sought for it")
        if not 0.0 < one_number(f"the weight of {type(task).__name__}", task.weight) < np.inf:
            raise ArgumentError(f"the weight of {task} must be a positive number")
        task.shape(robot.model)


def require_limits(robot: Robot, lower: Any, upper: Any) -> None:
    """Raise for limits with an empty range."""
    if (bad := np.flatnonzero(~(np.asarray(lower) <= np.asarray(upper)))).size:
        k = int(bad[0])
        name = coordinate_names(robot.model, "q")[k]
        raise ModelError(f"{robot.name}: {name} has the limits {lower[k]:g} and {upper[k]:g}; "
                         "the lower one must not be the greater")  # fmt: skip


def middle(robot: Robot, lower: Any, upper: Any) -> Array:
    """The middle of each coordinate's range; without a range the neutral position, as far as the limits allow."""
    lower, upper = np.asarray(lower), np.asarray(upper)
    finite = np.isfinite(lower) & np.isfinite(upper)
    with np.errstate(invalid="ignore"):
        return np.clip(np.where(finite, (lower + upper) / 2, robot.neutral()), lower, upper)


def angle_left(apart: Any) -> Array:
    """The angle θ of a squared chord 2 - 2 cos θ = 4 sin²(θ/2)."""
    return np.asarray(2.0 * np.arcsin(np.minimum(1.0, 0.5 * np.sqrt(np.maximum(apart, 0.0)))))


def as_position(robot: Robot, q: Any, name: str = "q0", machine: Machine = CPU) -> Any:
    """Positions (..., nq), checked and named in errors; of batches on a device only whether they are finite."""
    if machine.is_device:
        q = machine.xp.asarray(q, "float64")
        if q.ndim > 1 and bool(machine.xp.isfinite(q).all()):
            return q
        return machine.send(as_position(robot, machine.host(q), name))
    array = real_array(name, q, robot.nq, finite=True).copy()
    if are_checked():
        require_unit_quaternions(robot.model, array, name)
    warn_of_degrees(robot.model, array)
    return np.asarray(array)


def as_posture(robot: Robot, posture: Any) -> Array:
    """One position (nq), checked: the posture of all problems."""
    array: Array = as_position(robot, posture, "posture")
    require_shape("posture", array, robot.nq, batch=False, why="one for all problems")
    return array


INSTEAD_OF_POSES = {
    (3,): "for a position alone: sixvec.ik.solve(robot, {sixvec.tasks.Position(frame): position})",
    (7,): "a position and a quaternion make Pose(Quaternion(x, y, z, w).as_rotation(), Vec3(*position))",
}
"""What to write, by the last axis of what was given."""

ROTATIONS = "for an orientation alone: sixvec.ik.solve(robot, {sixvec.tasks.Orientation(frame): rotation})"


def as_target(robot: Robot, task: Task, target: Any, name: str = "", machine: Machine = CPU) -> Any:
    """The target as an array of the task's shape, under the name of an argument; rotations in it must be valid."""
    name = name or f"the target of {task}"
    if machine.is_device:
        if target_shape(task, robot.model) == (4, 4) and not isinstance(target, Pose):
            return _poses_on_device(robot, task, target, name, machine)
        return machine.send(as_target(robot, task, machine.host(target), name))
    pose = target.as_matrix() if isinstance(target, Pose) else target
    array, shape = real_array(name, pose).copy(), target_shape(task, robot.model)
    hint = ROTATIONS if array.shape[-2:] == (3, 3) else INSTEAD_OF_POSES.get(array.shape[-1:], "")
    hint = hint if shape == (4, 4) else ""
    require_shape(name, array, *shape, why=hint)
    return task.checked(array, name)


def _poses_on_device(robot: Robot, task: Task, pose: Any, name: str, machine: Machine) -> Any:
    """Poses in double precision; the first invalid one raises the same error as on the CPU."""
    xp = machine.xp
    pose = xp.asarray(pose)
    if pose.dtype.kind != "f" or pose.dtype.itemsize < 4:
        as_target(robot, task, machine.host(pose), name)
        raise ArgumentError(f"{name}: poses on the device must be float32 or float64, not {pose.dtype}")
    require_shape(name, pose, 4, 4)
    pose = pose.astype("float64")
    R = pose[..., :3, :3]
    off = xp.abs(R @ R.swapaxes(-1, -2) - xp.eye(3)).max(axis=(-2, -1))
    off = xp.maximum(off, xp.abs(pose[..., 3, :] - xp.asarray([0.0, 0.0, 0.0, 1.0])).max(axis=-1))
    if bool((off > 0.5 * ROTATION_DEVIATION).any()):  # the CPU decides, whose test differs
        as_target(robot, task, machine.host(pose[off > 0.5 * ROTATION_DEVIATION]), name)
    return pose
