"""Planar mechanisms from one drawing: every pin where it is in the position with all joints at zero."""

from __future__ import annotations

import math

from sixvec.model import Body, Frame, Limits
from sixvec.model.body import JointDynamics
from sixvec.model.joints import Joint, Prismatic, Revolute
from sixvec.model.joints.joint import X_AXIS
from sixvec.model.robots.shapes import along_x, uniform_rod
from sixvec.spatial import Pose, RigidInertia, Rotation, Vec3

Pin = tuple[float, float]
"""A point of the drawing, in metres."""

IDLE = Limits(effort=(0.0,))
"""Of a joint without a motor."""


class Drawing:
    """Bodies of a mechanism, each with its frame at a pin and its x axis towards another.

    `root` carries the drawing in its own frame, as `plane` gives it.

    >>> from sixvec.model.robots.drawn import Drawing
    >>> from sixvec.spatial import Pose
    >>> drawing = Drawing("base", Pose.identity())
    >>> drawing.rod("crank", "base", (1.0, 0.0), (1.0, 2.0), mass=1.0)
    >>> drawing.bodies[0].placement.pos
    Vec3(x=1.0, y=0.0, z=0.0)
    """

    def __init__(self, root: str, plane: Pose) -> None:
        self.bodies: list[Body] = []
        self.frames: list[Frame] = []
        self._poses = {root: plane.inv().as_pose()}

    def rod(
        self,
        name: str,
        parent: str,
        at: Pin,
        towards: Pin,
        *,
        mass: float,
        joint: Joint | None = None,
        limits: Limits = IDLE,
        inertia: RigidInertia | None = None,
        dynamics: JointDynamics | None = None,
        joint_name: str = "",
    ) -> None:
        """A uniform rod between two pins, which turns about the first, or moves by another joint in that frame."""
        dx, dy = towards[0] - at[0], towards[1] - at[1]
        place = Pose(Rotation.about_z(math.atan2(dy, dx)), Vec3(*at, 0.0))
        placement = (self._poses[parent].inv() @ place) if parent in self._poses else place
        self._poses[name] = place
        body = uniform_rod(mass, math.hypot(dx, dy)) if inertia is None else inertia
        self.bodies.append(
            Body(
                name, parent, joint or Revolute(), placement, body, joint_name or f"{name}_pin", limits,
                dynamics or JointDynamics(),
            )
        )  # fmt: skip
        self.frames.append(Frame(name, name))

    def cylinder(self, name: str, parent: str, at: Pin, end: Pin, *, mass: float, limits: Limits) -> None:
        """A hydraulic cylinder, "name_barrel" and "name_rod" of half the mass each; "name_eye" is the end."""
        length, barrel = math.dist(at, end), f"{name}_barrel"
        own = uniform_rod(mass / 2.0, length / 2.0)
        self.rod(barrel, parent, at, end, mass=mass, inertia=own, joint_name=f"{name}_base")
        half, placement = along_x(-length / 2.0) @ own, along_x(length)
        self.bodies.append(Body(f"{name}_rod", barrel, Prismatic(X_AXIS), placement, half, name, limits))
        self._poses[f"{name}_rod"] = self._poses[barrel] @ placement
        self.frames += [Frame(f"{name}_rod", f"{name}_rod"), Frame(f"{name}_eye", f"{name}_rod")]

    def pin(self, name: str, body: str, at: Pin) -> None:
        """A frame on a body, at a pin."""
        self.frames.append(Frame(name, body, self._poses[body].inv() @ Pose(Rotation.identity(), Vec3(*at, 0.0))))
