"""Lengths and moments of the transmissions of actuators: what an actuator moves, and how it acts on the joints.

An actuator with the force p along its transmission of length l exerts the joint forces  τ = mᵀ p  with the moment
m = ∂l/∂q, so its rate is  l̇ = m v.  Positions and moments are those of the robot with all joints independent.
"""

from __future__ import annotations

from sixvec.algorithms.declaration import JointVector
from sixvec.algorithms.parts.places import Places
from sixvec.algorithms.tendon_jacobian import tendon_columns
from sixvec.algorithms.tendon_lengths import tendon_length
from sixvec.model import Model
from sixvec.model.actuator import FrameTransmission, JointTransmission, TendonTransmission, Transmission
from sixvec.model.tendon import Tendon
from sixvec.scalar import Scalar, is_zero
from sixvec.spatial import Force, Vec3

Moment = dict[int, Scalar]
"""The entries of a moment that are not zero, by their places in v."""


class Transmissions:
    """Lengths and moments at one position of a model whose joints are independent."""

    def __init__(self, model: Model, q: JointVector) -> None:
        self._model, self._q, self._places = model, q, Places(model, q)

    def length(self, t: Transmission) -> Scalar:
        """l(q); a frame without a reference has none, so it is zero (MuJoCo, "actuator length")."""
        match t:
            case JointTransmission(joint, gear):
                b = self._model.joint_by_name[joint]
                turned = b.joint.difference(b.joint.neutral(), self._q[b]) if b.joint.nq != b.joint.nv else self._q[b]
                return sum((g * x for g, x in zip(gear, turned, strict=True) if g), 0.0)
            case TendonTransmission(name, gear):
                return gear * tendon_length(self._model, self._q, self._tendon(name))
            case FrameTransmission(frame, gear, str(reference)):
                X = self._places.pose(reference).inv() @ self._places.pose(frame)
                turned = X.log().ang if any(gear[:3]) else Vec3.zero()
                return sum((g * x for g, x in zip(gear, (*turned, *X.pos), strict=True) if g), 0.0)
        return 0.0

    def moment(self, t: Transmission) -> Moment:
        """∂l/∂q."""
        match t:
            case JointTransmission(joint, gear):
                places = self._indices(self._model.joint_by_name[joint].name)
                return {i: g for i, g in zip(places, gear, strict=True) if g}
            case TendonTransmission(name, gear):
                return {i: gear * x for i, x in tendon_columns(self._model, self._q, self._tendon(name)).items()}
            case FrameTransmission(frame, gear, reference):
                return self._wrench_moment(frame, gear, reference)
        return {}

    def _wrench_moment(self, frame: str, gear: tuple[float, ...], reference: str | None) -> Moment:
        """The joint forces of a unit force: a wrench on a frame, and the opposite forces at its reference.

        The reference feels its force at its own origin, as in MuJoCo, so joints before both are not driven.
        """
        X, axes = self._places.pose(frame), self._places.pose(reference or frame).rot
        torque, force = axes @ Vec3.of(gear[:3]), axes @ Vec3.of(gear[3:])
        path = self._model.path(self._model.frame(frame).body)
        other = self._model.path(self._model.frame(reference).body) if reference else ()
        shared = sum(a is b for a, b in zip(path, other, strict=False))
        moment: Moment = {}
        wrenches = [(path, X.pos, 1.0)]
        wrenches += [(other, self._places.pose(reference).pos, -1.0)] if reference else []
        for bodies, point, sign in wrenches:
            wrench = Force(torque + point.cross(force), force)
            for b in bodies[shared:]:
                for i, S in zip(self._indices(b.name), self._places.axes(b.name), strict=True):
                    moment[i] = moment.get(i, 0.0) + S.dot(wrench) * sign
        return {i: x for i, x in moment.items() if not is_zero(x)}

    def _tendon(self, name: str) -> Tendon:
        return next(t for t in self._model.tendons if t.name == name)

    def _indices(self, body: str) -> range:
        return range(*self._model.v_slices[body].indices(self._model.nv))
