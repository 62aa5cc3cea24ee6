"""Several arms that hold one object: their accelerations.

Rodriguez and Kreutz announce this problem for the second part of their paper; the equations here are derived from those
of each arm and of the object, joined by the rows of the grasps (`carried_motion.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from sixvec.arguments import Array
from sixvec.arguments.result import Result
from sixvec.constraints.grasps.carried_motion import Hand, carried_motion
from sixvec.constraints.grasps.grasp import Grasp
from sixvec.errors import ArgumentError
from sixvec.kernels import Port
from sixvec.kernels.closed_loops import require_closed_loops
from sixvec.kernels.function import CompiledFunction
from sixvec.lazy import lazy
from sixvec.model import Model
from sixvec.model.canonical import canonical
from sixvec.model.spanning_tree import require_sliding
from sixvec.robot import Robot
from sixvec.spatial import Pose, RigidInertia

Method = Literal["saddle", "object"]


@dataclass(frozen=True)
class Arm:
    """A robot on a base in the world, whose frame `frame` holds the object by `grasp`."""

    robot: Robot
    frame: str
    grasp: Grasp = field(default_factory=Grasp)
    base: Pose = field(default_factory=Pose.identity)


@dataclass(frozen=True, eq=False, repr=False)
class CarriedMotion(Result):
    """Accelerations of the arms' joints and of the object, and the forces of each grasp on the object.

    `a` and `force` have an array for each arm, (..., nv) and (..., rows of its grasp), the latter in the axes of the
    grasp.  `acceleration` (..., 6) is the object's, spatial, in its own frame.  `residual` is the largest difference of
    accelerations along the rows of a grasp, as a measure of opening.
    """

    a: tuple[Array, ...]
    acceleration: Array
    force: tuple[Array, ...]
    residual: Array

    def __repr__(self) -> str:
        return f"<CarriedMotion of {len(self.a)} arms: residual {np.max(self.residual, initial=0.0):.2g}>"


class Carriers:
    """Arms that hold one object with an inertia `load` in its own frame, compiled into one program.

    >>> import numpy as np, sixvec
    >>> from sixvec.constraints.grasps import Arm, Carriers
    >>> from sixvec.geometry.rigid_body import Sphere
    >>> panda = sixvec.load("panda")
    >>> pair = Carriers([Arm(panda, "panda_link8"), Arm(panda, "panda_link8")], Sphere(0.1).inertia(1.0))
    >>> pair
    <Carriers: 2 arms, 14 joints, 12 rows>
    """

    def __init__(self, arms: Sequence[Arm], load: RigidInertia) -> None:
        if not arms:
            raise ArgumentError("no arms: give at least one Arm(robot, frame)")
        for arm in arms:
            require_sliding(arm.robot.model, "Carriers")
            arm.robot.model.frame(arm.frame)
        if not float(load.mass) > 0.0:
            raise ArgumentError(f"the object has mass {load.mass}; an object that is carried has mass")
        self.arms, self.load = tuple(arms), load
        self._programs: dict[str, CompiledFunction] = {}

    def __repr__(self) -> str:
        joints, rows = sum(a.robot.nv for a in self.arms), sum(g.rows for g in self.grasps)
        return f"<Carriers: {len(self.arms)} arms, {joints} joints, {rows} rows>"

    @property
    def grasps(self) -> tuple[Grasp, ...]:
        return tuple(arm.grasp for arm in self.arms)

    @lazy
    def _gravity(self) -> Any:
        """In world axes; that of the first arm applies to all arms and to the object."""
        return self.arms[0].robot.model.gravity

    def forward_dynamics(
        self,
        q: Sequence[ArrayLike],
        v: Sequence[ArrayLike],
        tau: Sequence[ArrayLike],
        pose: ArrayLike,
        twist: ArrayLike,
        *,
        method: Method = "saddle",
    ) -> CarriedMotion:
        """Accelerations under joint forces tau, one array for each arm; the object at `pose` (..., 4, 4).

        `twist` (..., 6) is the object's velocity in its own axes.  The state must be consistent: hands at the grasps,
        and moving with them along the rows of the grasps, and arms with loops closed (`robot.assemble`).

        Every arm needs three sweeps, O(N) in total and in parallel: its accelerations without the
        object, the mobility Ω of its hand, and its response to the force of its grasp.  They are coupled by one small
        system.  "saddle" solves it for the forces, by proximal steps: this also works if arms are singular or grasps
        constrain the same motions, and then the forces have least norm.  "object" solves it for the six accelerations
        of the object, from inertias Λ = Ω⁻¹ of hands that can move in all directions of their grasps.
        """
        if method not in get_args(Method):
            raise ArgumentError(f'no method "{method}"; methods: {", ".join(get_args(Method))}')
        n = len(self.arms)
        for name, arrays in (("q", q), ("v", v), ("tau", tau)):
            if len(arrays) != n:
                raise ArgumentError(f"Carriers: {name} holds {len(arrays)} arrays; there are {n} arms")
        for arm, angles in zip(self.arms, q, strict=True):
            require_closed_loops(arm.robot._kernels, "forward_dynamics", angles, {})
        results = self._program(method).call(*q, *v, *tau, pose, twist)
        return CarriedMotion(tuple(results[:n]), results[n], tuple(results[n + 1 : 2 * n + 1]), results[-1])

    def squeeze(self, q: Sequence[ArrayLike], pose: ArrayLike, force: Sequence[ArrayLike]) -> tuple[Array, ...]:
        """Joint forces (..., nv) of each arm that balance the forces `force` of the grasps, at rest: Jᵀ W f.

        With forces of `internal_forces` they press the hands on the object without motion.  In an arm with loops the
        joints with a motor balance them.
        """
        answers = []
        X_WC = np.asarray(pose, float)
        for arm, angles, f in zip(self.arms, q, force, strict=True):
            X_WE = np.array(arm.base.as_matrix(), float) @ arm.robot.pose(angles, arm.frame)
            X_WK = X_WC @ np.array(arm.grasp.pose.as_matrix(), float)
            W = np.array([[*map(float, w)] for w in arm.grasp.wrenches]).T
            wrench = (W @ np.asarray(f, float)[..., None])[..., 0]
            R = np.swapaxes(X_WE[..., :3, :3], -1, -2) @ X_WK[..., :3, :3]
            p = (np.swapaxes(X_WE[..., :3, :3], -1, -2) @ (X_WK[..., :3, 3] - X_WE[..., :3, 3])[..., None])[..., 0]
            push = (R @ wrench[..., 3:, None])[..., 0]
            turn = (R @ wrench[..., :3, None])[..., 0] + np.cross(p, push)
            at_hand = np.concatenate([turn, push], axis=-1)
            answers.append(_balancing(arm, angles, at_hand))
        return tuple(answers)

    def _program(self, method: Method) -> CompiledFunction:
        if method not in self._programs:
            self._programs[method] = _compiled(self, method)
        return self._programs[method]


def _balancing(arm: Arm, q: ArrayLike, wrench: Array) -> Array:
    """Joint forces at rest that make the hand exert a wrench, in its own axes."""
    robot = arm.robot
    if not robot.model.closures:
        J = robot.jacobian(q, arm.frame, "local")
        return np.asarray((np.swapaxes(J, -1, -2) @ wrench[..., None])[..., 0])
    still = np.zeros(robot.nv)
    loaded = robot.inverse_dynamics(q, still, still, external={arm.frame: -wrench})
    return np.asarray(loaded - robot.inverse_dynamics(q, still, still))


def _compiled(carriers: Carriers, method: Method) -> CompiledFunction:
    arms, n, gravity = carriers.arms, len(carriers.arms), carriers._gravity
    hands = [Hand(_placed(a, gravity), a.frame, a.grasp, a.base) for a in arms]

    def carried(*inputs: Any) -> Any:
        q, v, tau = inputs[:n], inputs[n : 2 * n], inputs[2 * n : 3 * n]
        X, V = inputs[-2:]
        return carried_motion(hands, carriers.load, gravity, q, v, tau, X, V, method)

    models = [a.robot.model for a in arms]
    inputs = (
        *(Port(f"q{i}", (m.nq,)) for i, m in enumerate(models)),
        *(Port(f"v{i}", (m.nv,)) for i, m in enumerate(models)),
        *(Port(f"tau{i}", (m.nv,)) for i, m in enumerate(models)), Port("pose", (4, 4)), Port("twist", (6,)),
    )  # fmt: skip
    outputs = (
        *(Port(f"a{i}", (m.nv,)) for i, m in enumerate(models)), Port("acceleration", (6,)),
        *(Port(f"force{i}", (a.grasp.rows,)) for i, a in enumerate(arms)), Port("residual", ()),
    )  # fmt: skip
    function = CompiledFunction(carried, inputs, outputs)
    function.needs_double = True
    return function


def _placed(arm: Arm, gravity: Any) -> Model:
    """The arm's model with gravity in the axes of its base."""
    return canonical(replace(arm.robot.model, gravity=arm.base.rot.inv() @ gravity))
