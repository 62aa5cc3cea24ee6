"""A robot whose parameters are inputs of the machine code: they change without recompilation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sixvec.arguments import require_shape
from sixvec.compiler.call import as_array
from sixvec.compiler.program import Port
from sixvec.errors import ArgumentError, unknown
from sixvec.kernels.portable import library_of
from sixvec.kernels.store import Kernels
from sixvec.model import Model
from sixvec.model.edits.vary import KINDS, nominal, varied_bodies
from sixvec.robot import Robot


class VariedKernels(Kernels):
    """The kernels that take parameters as their last input; robots with other values share them."""

    def __init__(self, fixed: Kernels, kind: str, bodies: tuple[str, ...], values: Any = None) -> None:
        super().__init__(fixed.model)
        self.fixed, self.kind, self.bodies, self.varied = fixed, kind, bodies, (kind, bodies)
        nominal_ = np.array(nominal(fixed.model, kind, bodies), float)
        nominal_.flags.writeable = False
        self.nominal = nominal_
        self.parameters = (nominal_ if values is None else values,)
        self._made = fixed.carrying(("parameters", kind, *bodies))

    def __reduce__(self) -> Any:
        return VariedKernels, (self.fixed, self.kind, self.bodies, self.parameters[0])

    def robot(self) -> VariedRobot:
        return VariedRobot.of(self)


class VariedRobot(Robot):
    """A robot with parameters as inputs: `at(values)` is the same with other values, (n,) or batches (..., n).

    Every kernel takes the parameters as its last input and can be differentiated with respect to them.  Functions that
    are not kernels need the model, which has no numbers here; `fixed` is the robot from which this one was made.

    >>> import numpy, sixvec
    >>> arm = sixvec.load("panda")
    >>> varied = arm.with_parameters("inertia", bodies=["panda_link7"])
    >>> varied.parameter_names[:4]
    ('m(panda_link7)', 'mx(panda_link7)', 'my(panda_link7)', 'mz(panda_link7)')
    >>> q = arm.random(0)
    >>> numpy.allclose(varied.gravity_forces(q), arm.gravity_forces(q))
    True
    >>> some = varied.parameter_values * numpy.linspace(0.5, 1.5, 1000)[:, None]
    >>> varied.at(some).gravity_forces(q).shape
    (1000, 7)
    >>> varied.kernel("gravity_forces").derivative("parameters[inertia]")(q, varied.parameter_values).shape
    (7, 10)
    """

    _kernels: VariedKernels

    @property
    def model(self) -> Model:
        raise ArgumentError(
            f"{self.name} has its {self._kernels.kind} as inputs, so kernels are all that it computes; `fixed` is the "
            "robot with the numbers of its model"
        )

    def _no_edit(self, *args: Any, **kwargs: Any) -> Any:
        raise ArgumentError(
            f"{self.name} has its {self._kernels.kind} as inputs and cannot be edited; edit first: "
            "robot.with_frame(…).with_parameters(…)"
        )

    with_payload = with_gravity = with_closure = with_frame = with_limits = with_parameters = _no_edit

    @property
    def fixed(self) -> Robot:
        """The robot with the numbers of its model."""
        return self._kernels.fixed.robot()

    @property
    def parameter_values(self) -> Any:
        """The parameter values used by calls."""
        return self._kernels.parameters[0]

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """A name for each parameter."""
        kernels = self._kernels
        return tuple(f"{name}({body})" for body in kernels.bodies for name in KINDS[kernels.kind])

    def at(self, values: Any) -> VariedRobot:
        """The same robot with other values, of any array library, without tracing or compilation."""
        kernels = self._kernels
        if library_of(values) in (None, "numpy"):
            port = Port(f"parameters[{kernels.kind}]", kernels.nominal.shape)
            values = np.array(as_array(values, port, self.name))
            values.flags.writeable = False
        else:
            require_shape(f"{self.name}: parameters", values, *kernels.nominal.shape)
            if library_of(values) == "torch":
                values = values.clone()  # a tensor is mutable, but the robot must not change; gradients pass through
        return VariedRobot.of(VariedKernels(kernels.fixed, kernels.kind, kernels.bodies, values))

    def __repr__(self) -> str:
        kernels = self._kernels
        return f"<VariedRobot {self.name}: {kernels.kind} of {len(kernels.bodies)} bodies as inputs>"


def _of_the_fixed(name: str) -> property:
    return property(lambda self: getattr(self.fixed, name), doc=getattr(Robot, name).__doc__)


for _name in (
    "name", "nq", "nv", "joint_names", "frame_names", "gravity", "lower", "upper", "velocity_limits", "effort_limits",
    "neutral", "random",
):  # fmt: skip
    setattr(VariedRobot, _name, _of_the_fixed(_name))


def with_parameters(robot: Robot, kind: str, bodies: Sequence[str] | None = None) -> VariedRobot:
    """As `Robot.with_parameters`."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise ArgumentError(unknown("kind of parameters", kind, KINDS))
    if robot.parameters:
        raise ArgumentError(f"{robot.name} takes loads or parameters as inputs already; begin with the robot without")
    return VariedRobot.of(VariedKernels(robot._kernels, kind, varied_bodies(robot.model, bodies)))
