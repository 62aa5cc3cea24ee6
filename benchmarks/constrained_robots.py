"""Robots with held frames or loops, the same in sixvec and in Pinocchio, with states that keep the constraints."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from closed_mechanisms import MECHANISMS
from robots import Robot, write_clean_urdf
from state import Array

LEGGED = {
    "solo12": (
        Robot("solo12", "solo_description/robots/solo12.urdf", "base_link", floating=True),
        {f"{leg}_FOOT": "point" for leg in ("FL", "FR", "HL", "HR")},
    ),
    "g1": (
        Robot("g1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", "right_rubber_hand", floating=True),
        {"left_ankle_roll_link": "weld", "right_ankle_roll_link": "weld"},
    ),
    "talos_reduced": (
        Robot("talos_reduced", "talos_data/robots/talos_reduced.urdf", "gripper_right_base_link", floating=True),
        {"left_sole_link": "weld", "right_sole_link": "weld"},
    ),
    "talos": (
        Robot("talos", "talos_data/robots/talos_full_v2.urdf", "gripper_right_base_link", floating=True),
        {"left_sole_link": "weld", "right_sole_link": "weld"},
    ),
}
"""Four feet of a quadruped, two of a humanoid; Talos also with all joints of its hands."""

SWAPPED = [3, 4, 5, 0, 1, 2]


@dataclass
class Constrained:
    """A robot in both libraries: states in our order, `order` leads to Pinocchio's."""

    name: str
    robot: Any
    hold: dict[str, str]
    model: Any
    constraints: Any
    order: list[int]
    positions: list[int]
    data: Any = field(init=False)
    datas: Any = field(init=False)

    def __post_init__(self) -> None:
        self.data, self.datas = self.model.createData(), pin.StdVec_RigidConstraintData()
        for constraint in self.constraints:
            self.datas.append(constraint.createData())
        pin.initConstraintDynamics(self.model, self.data, self.constraints, self.datas)
        pin.computeJointMinimalOrdering(self.model, self.data, self.constraints)

    def states(self, count: int) -> tuple[Array, Array, Array]:
        """Positions with closed loops, velocities that keep what is constrained, joint forces."""
        rng = np.random.default_rng(0)
        near = rng.normal(0.0, 0.3, (count, self.robot.nv))
        q = self.robot.integrate(np.broadcast_to(self.robot.neutral(), (count, self.robot.nq)), near)
        v, tau = rng.normal(size=(2, count, self.robot.nv))
        if self.robot.model.closures:
            q = self.robot.assemble(q).q
        A = self.robot.constraint_jacobian(q, hold=self.hold)
        v -= (np.linalg.pinv(A) @ (A @ v[..., None]))[..., 0]
        return q, v, tau

    def theirs(self, q: Array, v: Array, tau: Array) -> list[tuple[Any, ...]]:
        """Arguments of their functions, state by state."""
        rest = (self.constraints, self.datas, pin.ProximalSettings(1e-10, 1e-10, 10))
        return [
            (self.model, self.data, x[self.positions], y[self.order], z[self.order], *rest)
            for x, y, z in zip(q, v, tau, strict=True)
        ]


def build(name: str, folder: Path) -> Constrained:
    """A robot by its name."""
    return _legged(name, folder) if name in LEGGED else _mechanism(name)


def _legged(name: str, folder: Path) -> Constrained:
    import sixvec as sv

    robot, hold = LEGGED[name]
    file = write_clean_urdf(robot, folder)
    ours, model = sv.load(str(file), floating=True), pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    constraints = pin.StdVec_RigidConstraintModel()
    for frame, kind in hold.items():
        F = model.frames[model.getFrameId(frame)]
        contact = pin.ContactType.CONTACT_6D if kind == "weld" else pin.ContactType.CONTACT_3D
        constraints.append(pin.RigidConstraintModel(contact, model, F.parentJoint, F.placement, pin.LOCAL))
    order, positions = _orders(ours.model, list(model.names)[1:], lambda b: b.joint_name or b.name)
    return Constrained(name, ours, hold, model, constraints, order, positions)


def _orders(model: Any, names: list[str], called: Any) -> tuple[list[int], list[int]]:
    """Coordinates of v and q in the order of their joints; a free root has its linear part first there."""
    by_name = {called(b): b for b in model.moving}
    order: list[int] = []
    positions: list[int] = []
    for name in names:
        body = by_name[name] if name in by_name else model.moving[0]
        own = list(range(model.nv))[model.v_slices[body.name]]
        order += [own[i] for i in SWAPPED] if len(own) == 6 else own
        positions += list(range(model.nq))[model.q_slices[body.name]]
    return order, positions


def _mechanism(name: str) -> Constrained:
    import sixvec as sv
    from sixvec.model.canonical import canonical

    robot = sv.Robot(MECHANISMS[name]())
    tree, model = canonical(robot.model), pin.Model()
    place = {None: 0}
    for b in tree.bodies:
        joint = model.addJoint(place[b.parent], pin.JointModelRZ(), _se3(b.placement), b.name)
        center = b.inertia.moment * (1.0 / b.inertia.mass) if b.inertia.mass else None
        if center is not None:
            about = np.array([[*row] for row in b.inertia.about_center.full.rows])
            model.appendBodyToJoint(joint, pin.Inertia(b.inertia.mass, np.array([*center]), about), pin.SE3.Identity())
        place[b.name] = joint
    constraints = pin.StdVec_RigidConstraintModel()
    for c in tree.closures:
        A, B = tree.frame(c.first), tree.frame(c.second)
        ends = (place[A.body], _se3(A.placement), place[B.body], _se3(B.placement))
        constraints.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, pin.LOCAL))
    order, positions = _orders(tree, list(model.names)[1:], lambda b: b.name)
    return Constrained(name, robot, {}, model, constraints, order, positions)


def _se3(X: Any) -> Any:
    return pin.SE3(np.array([[*row] for row in X.rot.matrix.rows]), np.array([*X.pos]))
