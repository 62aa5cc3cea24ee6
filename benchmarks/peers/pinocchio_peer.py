"""Pinocchio: the reference of every check, one state at a time and in its native batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from convention import Base, Convention
from kernels import Kernel
from robots import STANDARD_GRAVITY, Robot
from state import Array, State

LWA = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Pinocchio:
    """Pinocchio's `Model` and `Data` of one robot."""

    name = "Pinocchio"
    gravity = STANDARD_GRAVITY

    def __init__(self, robot: Robot, urdf: Path) -> None:
        build = (str(urdf), pin.JointModelFreeFlyer()) if robot.floating else (str(urdf),)
        self.model = pin.buildModelFromUrdf(*build)
        self.data = self.model.createData()
        self.frame = self.model.getFrameId(robot.frame, pin.FrameType.BODY)
        self.bodies = [i for i, frame in enumerate(self.model.frames) if frame.type == pin.FrameType.BODY]
        self.frame_names = [self.model.frames[i].name for i in self.bodies]
        self.joint_names = list(self.model.names)[2 if robot.floating else 1 :]
        self.nq, self.nv = self.model.nq, self.model.nv
        base: Base = "linear body, angular body" if robot.floating else "fixed"
        self.convention = Convention(tuple(range(len(self.joint_names))), base, angular_first=False)

    def set_gravity(self, gravity: float) -> None:
        """Answer as a library with this gravity would; the way back is `set_gravity(self.gravity)`."""
        self.model.gravity.linear = np.array([0.0, 0.0, -gravity])

    def order(self, names: Sequence[str]) -> tuple[int, ...]:
        """The indices here of joints named in another library's order."""
        return tuple(self.joint_names.index(name) for name in names)

    def function(self, kernel: Kernel) -> Callable[..., Any] | None:
        """The free function of `pin`, or a short chain of them."""
        return FUNCTIONS[kernel.name]

    def arguments(self, kernel: Kernel, state: State) -> tuple[Any, ...]:
        """(model, data, *inputs) and, where a frame is wanted, its index (and the reference frame)."""
        inputs = tuple(getattr(state, name) for name in kernel.inputs)
        match kernel.name:
            case "jacobian":
                frame: tuple[Any, ...] = (self.frame, LWA)
            case "pose" | "jacobian_derivative":
                frame = (self.frame,)
            case "poses":
                frame = (self.bodies,)
            case _:
                frame = ()
        return (self.model, self.data, *inputs, *frame)

    def unpack(self, kernel: Kernel, raw: Any) -> Sequence[Array]:
        """Copies, since some answers live in `Data`."""
        if kernel.name == "momentum":
            return [np.array(raw.vector)]
        return [np.array(x) for x in raw] if isinstance(raw, tuple) else [np.array(raw)]

    def native_batch(self, kernel: Kernel, states: State, threads: int) -> Callable[[], None]:
        """A whole batch by `rneaInParallel` or `abaInParallel`, in place, on Pinocchio's column-major arrays."""
        pool = pin.ModelPool(self.model, threads)
        function = {"inverse_dynamics": pin.rneaInParallel, "forward_dynamics": pin.abaInParallel}[kernel.name]
        columns = [np.asfortranarray(getattr(states, name).T) for name in kernel.inputs]
        out = np.zeros((self.nv, len(states)), order="F")
        return lambda: function(threads, pool, *columns, out)


def _pose(model: Any, data: Any, q: Array, frame: int) -> Any:
    pin.forwardKinematics(model, data, q)
    return pin.updateFramePlacement(model, data, frame).homogeneous


def _poses(model: Any, data: Any, q: Array, frames: Sequence[int]) -> Array:
    """All poses as one array, which is the answer asked for; Pinocchio itself leaves them as objects in `data`."""
    pin.framesForwardKinematics(model, data, q)
    out = np.empty((len(frames), 4, 4))
    for k, i in enumerate(frames):
        out[k] = data.oMf[i].homogeneous
    return out


def _jacobian_derivative(model: Any, data: Any, q: Array, v: Array, frame: int) -> Any:
    pin.computeJointJacobiansTimeVariation(model, data, q, v)
    pin.updateFramePlacement(model, data, frame)
    return pin.getFrameJacobianTimeVariation(model, data, frame, LWA)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": pin.rnea,
    "forward_dynamics": pin.aba,
    "mass_matrix": pin.crba,  # returns both triangles
    "jacobian": pin.computeFrameJacobian,
    "pose": _pose,
    "poses": _poses,
    "jacobian_derivative": _jacobian_derivative,
    "mass_matrix_inverse": pin.computeMinverse,
    "bias_forces": pin.nonLinearEffects,
    "gravity_forces": pin.computeGeneralizedGravity,
    "coriolis_matrix": pin.computeCoriolisMatrix,
    "kinetic_energy": pin.computeKineticEnergy,
    "potential_energy": pin.computePotentialEnergy,
    "center_of_mass": pin.centerOfMass,
    "momentum": pin.computeCentroidalMomentum,
    "centroidal_momentum_matrix": pin.computeCentroidalMap,
    "inverse_dynamics_regressor": pin.computeJointTorqueRegressor,
    "inverse_dynamics_regressor_entries": pin.computeJointTorqueRegressor,  # the dense matrix holds them
    "inverse_dynamics_derivatives": pin.computeRNEADerivatives,
    "forward_dynamics_derivatives": pin.computeABADerivatives,
}


def build(robot: Robot, urdf: Path, reference: Pinocchio | None = None) -> Pinocchio:
    """Pinocchio holding `robot`; the reference is itself."""
    return reference or Pinocchio(robot, urdf)
