"""Edits of a robot's model that give a new robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sixvec.arguments import positive_number
from sixvec.kernels.evaluate import require_entries
from sixvec.kernels.store import Kernels
from sixvec.model import Model
from sixvec.model.closure import Differential, Gear
from sixvec.model.edits import with_closure, with_frame, with_limits, with_tendons
from sixvec.model.edits.limits import Bound
from sixvec.model.joints import Joint
from sixvec.model.symbols import number_or_symbol
from sixvec.scalar import Scalar
from sixvec.spatial import Pose, RigidInertia, Vec3

if TYPE_CHECKING:
    from sixvec.kernels.payload import LoadedRobot
    from sixvec.model.tendon import Tendon
    from sixvec.robot import Robot


class Edits:
    """Methods that give another robot; `sixvec.model.edits` has more, for models."""

    _kernels: Kernels

    def _edited(self, model: Model) -> Robot:
        """The robot with an edited model; kinds of robots that are more than their model keep the rest."""
        from sixvec.robot import Robot

        return Robot(model)

    def with_payload(self, frame: str, load: RigidInertia | float) -> LoadedRobot:
        """This robot holding a load in a frame; another load there needs no new machine code.

        A load is an inertia in that frame, or a number: the mass (kg) of a point at the frame's origin.  A robot that
        already holds loads holds this one too; `unloaded` is the robot without loads.

        >>> import sixvec
        >>> from sixvec.spatial import RigidInertia, Sym3, Vec3
        >>> tool = RigidInertia.from_center_of_mass(2.0, Vec3(0.0, 0.0, 0.1), Sym3.zero())
        >>> robot = sixvec.load("panda").with_payload("panda_link8", tool)
        >>> round(robot.mass, 2)
        18.69
        >>> round(robot.with_payload("panda_link8", 1.5).mass, 2)
        20.19
        """
        from sixvec.kernels.payload import LoadedKernels, LoadedRobot, rigid_load

        self._kernels.model.frame(frame)
        return LoadedRobot.of(LoadedKernels(self._kernels, {frame: rigid_load(load)}))

    def with_gravity(self, gravity: Sequence[Scalar]) -> Robot:
        """The same robot under another gravity (m/s², world axes), as numbers or symbols.

        >>> import sixvec, sympy
        >>> sixvec.load("planar_2r").with_gravity([0, 0, -sympy.Symbol("g")]).symbolic("gravity_forces")[1]
        g*cos(q1 + q2)
        """
        require_entries("gravity", gravity, 3, "a vector in space")
        return self._edited(self._kernels.model.with_gravity(Vec3.of(number_or_symbol("gravity", x) for x in gravity)))

    def with_loop_tolerance(self, tolerance: float) -> Robot:
        """The same robot, whose loops have dimensions known to this fraction of their size, 1e-5 by default.

        Constraints that are dependent up to it count as dependent; above it a loop is what its numbers say.

        >>> import sixvec
        >>> sixvec.load("four_bar").with_loop_tolerance(1e-7).model.loop_tolerance
        1e-07
        """
        tolerance = positive_number("with_loop_tolerance: tolerance", tolerance)
        return self._edited(replace(self._kernels.model, loop_tolerance=tolerance))

    def with_frame(self, name: str, on: str, pose: Pose | Sequence[Sequence[Any]] | None = None) -> Robot:
        """The robot with one more frame, fixed to the frame `on` at a pose in it: a `Pose`, or its matrix (4, 4).

        >>> import numpy, sixvec
        >>> tool = numpy.eye(4)
        >>> tool[2, 3] = 0.1
        >>> robot = sixvec.load("panda").with_frame("tip", "panda_link8", tool)
        >>> q = robot.neutral()
        >>> numpy.allclose(robot.pose(q, "tip"), robot.pose(q, "panda_link8") @ tool)
        True
        """
        return self._edited(with_frame(self._kernels.model, name, on, pose))

    def with_closure(
        self,
        first: str | Gear | Differential,
        second: str | None = None,
        joint: Joint | None = None,
        name: str | None = None,
        q: Sequence[float] | None = None,
    ) -> Robot:
        """The robot with one more loop: a joint, by default a weld, between two frames, or a frame and the ground.

        With `q` the loop is closed at that position, whatever the frames are: `sixvec.model.edits.with_closure`.

        >>> import sixvec
        >>> from sixvec.model.joints import Spherical
        >>> robot = sixvec.load("panda")
        >>> robot.with_closure("panda_link8", joint=Spherical(), q=robot.random(0)).closure_error(robot.random(0)).size
        3
        """
        return self._edited(with_closure(self._kernels.model, first, second, joint, name, q))

    def with_limits(
        self, joint: str, *, lower: Bound = None, upper: Bound = None, velocity: Bound = None, effort: Bound = None
    ) -> Robot:
        """The robot with other limits of one joint; ±inf removes a limit, limits not given are unchanged.

        >>> import sixvec
        >>> sixvec.load("panda").with_limits("panda_joint1", velocity=1.0).velocity_limits[0].item()
        1.0
        """
        return self._edited(
            with_limits(self._kernels.model, joint, lower=lower, upper=upper, velocity=velocity, effort=effort)
        )

    def with_tendons(self, *tendons: Tendon) -> Robot:
        """The robot with more tendons, muscles or cables: `SpatialTendon` and `FixedTendon` of `sixvec.model`.

        >>> import sixvec
        >>> from sixvec.model import SpatialTendon, ViaPoint
        >>> cable = SpatialTendon("cable", (ViaPoint("panda_link0"), ViaPoint("panda_link8")))
        >>> robot = sixvec.load("panda").with_tendons(cable)
        >>> robot.tendon_jacobian(robot.neutral()).shape
        (1, 7)
        """
        return self._edited(with_tendons(self._kernels.model, *tendons))
