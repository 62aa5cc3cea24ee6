"""A point mass: its momenta, Newton's law, and the fictitious forces in a moving frame."""

from __future__ import annotations

from dataclasses import dataclass

from sixvec.scalar import Scalar
from sixvec.spatial.force import Force
from sixvec.spatial.pose import Pose
from sixvec.spatial.vector import Vec3


@dataclass(frozen=True, slots=True)
class PointMass:
    """A particle: mass, position and velocity, in inertial axes.

    >>> from sixvec.geometry.rigid_body import PointMass
    >>> from sixvec.spatial import Vec3
    >>> PointMass(2.0, Vec3(1.0, 0.0, 0.0), Vec3(0.0, 3.0, 0.0)).angular_momentum().z
    6.0
    """

    mass: Scalar
    position: Vec3
    velocity: Vec3

    @property
    def momentum(self) -> Vec3:
        """p = m v."""
        p: Vec3 = self.velocity * self.mass
        return p

    def angular_momentum(self, about: Vec3 | None = None) -> Vec3:
        """l = (r - o) × m v about the point o, the origin unless given; dl/dt is the moment of the force about o.

        Bruyninckx §4.11.2.  Bruyninckx (4.42), (4.45).
        """
        arm = self.position if about is None else self.position - about
        return arm.cross(self.momentum)

    @property
    def momentum_screw(self) -> Force:
        """(l; p) about the origin: the momentum as a line vector."""
        return Force.at_point(self.momentum, self.position)

    @property
    def kinetic_energy(self) -> Scalar:
        """½ m v².  Bruyninckx (4.72)."""
        return self.velocity.dot(self.velocity) * self.mass * 0.5


def newton(mass: Scalar, acceleration: Vec3) -> Vec3:
    """f = m a.  Bruyninckx §4.11.

    Bruyninckx (4.35), (4.58).

    >>> from sixvec.geometry.rigid_body import newton
    >>> from sixvec.spatial import Vec3
    >>> newton(2.0, Vec3(0.0, 0.0, 3.0)).z
    6.0
    """
    f: Vec3 = acceleration * mass
    return f


def newton_variable_mass(mass: Scalar, mass_rate: Scalar, velocity: Vec3, acceleration: Vec3) -> Vec3:
    """f = d(m v)/dt = m a + ṁ v: the momentum form, where added mass was at rest before.  Bruyninckx §4.11.

    Bruyninckx (4.36).

    >>> from sixvec.geometry.rigid_body import newton_variable_mass
    >>> from sixvec.spatial import Vec3
    >>> newton_variable_mass(2.0, 0.5, Vec3(4.0, 0.0, 0.0), Vec3.zero()).x
    2.0
    """
    f: Vec3 = acceleration * mass + velocity * mass_rate
    return f


@dataclass(frozen=True, slots=True)
class PointMotion:
    """Position, velocity and acceleration of a point, for one observer, in the observer's axes."""

    position: Vec3
    velocity: Vec3
    acceleration: Vec3


@dataclass(frozen=True, slots=True)
class MovingFrame:
    """A frame M moving in an inertial frame W: its pose X_WM, and in W's axes its angular velocity and
    acceleration and the velocity and acceleration of its origin.
    """

    pose: Pose
    ang_velocity: Vec3
    ang_acceleration: Vec3
    velocity: Vec3
    acceleration: Vec3

    def from_inside(self, relative: PointMotion) -> PointMotion:
        """A point's motion relative to M, converted to its motion relative to W.

        With r, ṙ, r̈ *relative to M*, expressed in W's axes:
        velocity v_M + ω × r + ṙ, acceleration a_M + α × r + ω × (ω × r) + 2 ω × ṙ + r̈.  Bruyninckx §4.11.1.
        Bruyninckx (4.37)-(4.39).
        """
        R, w = self.pose.rot, self.ang_velocity
        r, v, a = R @ relative.position, R @ relative.velocity, R @ relative.acceleration
        return PointMotion(
            self.pose.pos + r,
            self.velocity + w.cross(r) + v,
            self.acceleration + self.ang_acceleration.cross(r) + w.cross(w.cross(r)) + w.cross(v) * 2.0 + a,
        )

    def from_outside(self, inertial: PointMotion) -> PointMotion:
        """A point's motion relative to W, converted to its motion relative to M: the inverse of `from_inside`."""
        back, w = self.pose.rot.inv(), self.ang_velocity
        r = inertial.position - self.pose.pos
        v = inertial.velocity - self.velocity - w.cross(r)
        carried = self.acceleration + self.ang_acceleration.cross(r) + w.cross(w.cross(r)) + w.cross(v) * 2.0
        return PointMotion(back @ r, back @ v, back @ (inertial.acceleration - carried))


@dataclass(frozen=True, slots=True)
class FictitiousForces:
    """The fictitious forces, in the axes of a moving frame, that make f = m a hold there."""

    centrifugal: Vec3
    coriolis: Vec3
    euler: Vec3
    translation: Vec3

    @property
    def total(self) -> Vec3:
        return self.centrifugal + self.coriolis + self.euler + self.translation


def fictitious_forces(mass: Scalar, frame: MovingFrame, relative: PointMotion) -> FictitiousForces:
    """-m ω × (ω × r), -2 m ω × ṙ, -m α × r and -m a_M, on a particle with the motion `relative` relative to the frame.

    The centrifugal force points outward and vanishes on the axis through the origin of the *moving* frame.  The last
    two are missing in Bruyninckx (4.40), which assumes a frame with constant ω about a fixed point.

    >>> from sixvec.geometry.rigid_body import MovingFrame, PointMotion, fictitious_forces
    >>> from sixvec.spatial import Pose, Vec3
    >>> turntable = MovingFrame(Pose.identity(), Vec3(0.0, 0.0, 2.0), Vec3.zero(), Vec3.zero(), Vec3.zero())
    >>> rider = PointMotion(Vec3(3.0, 0.0, 0.0), Vec3.zero(), Vec3.zero())
    >>> fictitious_forces(5.0, turntable, rider).centrifugal.x
    60.0
    """
    back = frame.pose.rot.inv()
    w, alpha, a = back @ frame.ang_velocity, back @ frame.ang_acceleration, back @ frame.acceleration
    r, v = relative.position, relative.velocity
    return FictitiousForces(
        centrifugal=w.cross(w.cross(r)) * -mass,
        coriolis=w.cross(v) * (-2.0 * mass),
        euler=alpha.cross(r) * -mass,
        translation=a * -mass,
    )
