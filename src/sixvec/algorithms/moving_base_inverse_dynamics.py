"""Joint forces that produce given accelerations while the base moves in a given way."""

from __future__ import annotations

from typing import Any

from sixvec.algorithms.declaration import JointVector, kernel
from sixvec.algorithms.inverse_dynamics import body_forces, joint_forces
from sixvec.algorithms.parts.external import Wrenches, body_wrenches
from sixvec.algorithms.parts.joint_effects import with_joint_effects
from sixvec.algorithms.parts.reference import Reference
from sixvec.model import Model
from sixvec.spatial import AccelerationField, Motion


@kernel("q v a base_twist base_acceleration external -> tau", loops="unsupported")
@with_joint_effects
def moving_base_inverse_dynamics(
    model: Model,
    q: JointVector,
    v: JointVector,
    a: JointVector,
    base_twist: Any,
    base_acceleration: Any,
    external: Wrenches | None = None,
    external_reference: Reference = "local",
) -> Any:
    """Joint forces of a robot on a base that moves: a vehicle, a lift, a hand that holds it (Lynch-Park §9.3).

    The world frame of the model is the base here.  `base_twist` (ω; v) is its velocity and `base_acceleration` the
    rate of these six numbers, both at its origin and in its own axes; the model's gravity is in these axes too, so a
    base that tilts needs `robot.with_gravity`, or zero gravity and -g in `base_acceleration`.  The force on the base is
    not returned.  All else is as in `inverse_dynamics`, to which this reduces for a base at rest.

    Recursive Newton-Euler algorithm (RNEA), O(n): Featherstone (9)-(13), with the base's motion in place of
    v₀ = 0 and a₀ = -g.

    >>> import numpy, sixvec
    >>> robot = sixvec.load("panda")
    >>> q, v, a = robot.random(0), numpy.ones(7), numpy.zeros(7)
    >>> rising = numpy.array([0.0, 0.0, 0.0, 0.0, 0.0, 9.81])  # a lift at one g: everything weighs twice as much
    >>> still = numpy.zeros(7)
    >>> tau = robot.moving_base_inverse_dynamics(q, still, a, numpy.zeros(6), rising)
    >>> numpy.allclose(tau, 2.0 * robot.gravity_forces(q))
    True
    """
    carried = AccelerationField.from_motion(Motion.of(base_twist), Motion.of(base_acceleration))
    base = AccelerationField(carried.ang_velocity, carried.ang, carried.lin - model.gravity)
    F = body_forces(model, q, v, a, body_wrenches(model, q, external, external_reference), base)
    return joint_forces(model, q, a, F)
