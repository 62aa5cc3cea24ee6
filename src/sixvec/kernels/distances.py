"""Distances of a robot to itself and to obstacles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, cast

from numpy.typing import ArrayLike

from sixvec.kernels.any_arrays import any_arrays, differentiable
from sixvec.kernels.devices import on_devices

if TYPE_CHECKING:
    from sixvec.distance.collision_pairs import CollisionPairs
    from sixvec.distance.result import Distance, Distances
    from sixvec.distance.shapes import CollisionShape
    from sixvec.robot import Robot


def _followed(robot: Robot, q: Any, world: Any, gradient: bool) -> Any:
    from sixvec.distance.derivative import followed

    return followed(robot, q, world, gradient)


class Distant:
    """The methods of `Robot` about distances: `sixvec.distance`."""

    @any_arrays
    @on_devices()
    @differentiable(lambda robot, q, world=None, gradient=False: _followed(robot, q, world, gradient))
    def distance(self, q: ArrayLike, world: Any = None, *, gradient: bool = False) -> Distance:
        """The smallest gap of the robot to itself, and to a world, at q (..., nq).

        The result has the gap, negative where shapes overlap, its pair of names, the nearest points and the normal.
        With `gradient=True` it has the derivative (..., nv) of the gap; where several pairs are nearest it is that of
        one of them.  torch and JAX use it as the derivative of the gap.  Meshes are represented by their convex hulls.

        >>> import sixvec
        >>> from dataclasses import replace
        >>> from sixvec.geometry.rigid_body import Sphere
        >>> from sixvec.model import Geom
        >>> panda = sixvec.load("panda")
        >>> shapes = Geom("panda_link0", Sphere(0.1)), Geom("panda_link8", Sphere(0.05))
        >>> robot = sixvec.Robot(replace(panda.model, geoms=shapes))
        >>> robot.distance(robot.neutral())
        <Distance: 0.7802 m between panda_link0 and panda_link8>
        """
        from sixvec.distance.robot_distance import distance

        return distance(cast("Robot", self), q, world, gradient)

    @any_arrays
    @on_devices()
    def distances(self, q: ArrayLike, world: Any = None) -> Distances:
        """The smallest gap of every pair of frames, and of every frame and obstacle: (..., pairs); names in `pairs`.

        >>> import sixvec
        >>> from dataclasses import replace
        >>> from sixvec.geometry.rigid_body import Sphere
        >>> from sixvec.model import Geom
        >>> panda = sixvec.load("panda")
        >>> shapes = Geom("panda_link0", Sphere(0.1)), Geom("panda_link8", Sphere(0.05))
        >>> robot = sixvec.Robot(replace(panda.model, geoms=shapes))
        >>> world = sixvec.World()
        >>> ball = world.sphere(0.1)
        >>> robot.distances(robot.neutral(), world).pairs
        (('panda_link0', 'panda_link8'), ('panda_link8', 'sphere 1'))
        """
        from sixvec.distance.robot_distance import distances

        return distances(cast("Robot", self), q, world)

    @any_arrays
    @on_devices()
    def is_clear(self, q: ArrayLike, world: Any = None, margin: float = 0.0) -> Any:
        """Whether all gaps are larger than a margin (m): booleans (...).  This is faster than their sizes.

        >>> import sixvec
        >>> from dataclasses import replace
        >>> from sixvec.geometry.rigid_body import Sphere
        >>> from sixvec.model import Geom
        >>> panda = sixvec.load("panda")
        >>> shapes = Geom("panda_link0", Sphere(0.1)), Geom("panda_link8", Sphere(0.05))
        >>> robot = sixvec.Robot(replace(panda.model, geoms=shapes))
        >>> world = sixvec.World()
        >>> ball = world.sphere(0.1)
        >>> robot.is_clear(robot.neutral(), world)
        np.True_
        """
        from sixvec.distance.robot_distance import is_clear

        return is_clear(cast("Robot", self), q, world, margin)

    @any_arrays
    def is_clear_between(self, q0: ArrayLike, q1: ArrayLike, world: Any = None) -> Any:
        """Whether the straight motion from q0 to q1 (..., nq) is certainly clear: booleans (...).

        All states of the motion are covered, by bounds of how far shapes move; nothing between samples is missed.
        A motion along which a gap is zero, or smaller than rounding, is not clear.

        >>> import sixvec
        >>> from dataclasses import replace
        >>> from sixvec.geometry.rigid_body import Sphere
        >>> from sixvec.model import Geom
        >>> panda = sixvec.load("panda")
        >>> robot = sixvec.Robot(replace(panda.model, geoms=(Geom("panda_link8", Sphere(0.05)),)))
        >>> world = sixvec.World()
        >>> plate = world.box((0.0001, 2.0, 2.0))
        >>> q = robot.neutral()
        >>> robot.is_clear_between(q, q + [3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], world)
        np.False_
        """
        from sixvec.distance.robot_distance import is_clear_between

        return is_clear_between(cast("Robot", self), q0, q1, world)

    @property
    def collision_pairs(self) -> CollisionPairs:
        """The pairs of frames whose shapes are compared; `omitted` has the reason for each of the others.

        >>> import sixvec
        >>> from dataclasses import replace
        >>> from sixvec.geometry.rigid_body import Sphere
        >>> from sixvec.model import Geom
        >>> panda = sixvec.load("panda")
        >>> shapes = Geom("panda_link0", Sphere(0.1)), Geom("panda_link8", Sphere(0.05))
        >>> robot = sixvec.Robot(replace(panda.model, geoms=shapes))
        >>> robot.collision_pairs
        <CollisionPairs: 1 compared, 0 omitted>
        """
        from sixvec.distance.robot_distance import comparison

        return comparison(cast("Robot", self)).pairs

    @property
    def collision_shapes(self) -> tuple[CollisionShape, ...]:
        """The shapes that are compared, with what they approximate.

        >>> import sixvec
        >>> from dataclasses import replace
        >>> from sixvec.geometry.rigid_body import Sphere
        >>> from sixvec.model import Geom
        >>> panda = sixvec.load("panda")
        >>> shapes = Geom("panda_link0", Sphere(0.1)), Geom("panda_link8", Sphere(0.05))
        >>> robot = sixvec.Robot(replace(panda.model, geoms=shapes))
        >>> robot.collision_shapes
        (<sphere 'panda_link0/1' on 'panda_link0': 0.1>, <sphere 'panda_link8/1' on 'panda_link8': 0.05>)
        """
        from sixvec.distance.robot_distance import shapes_of

        return shapes_of(cast("Robot", self))

    def with_collision_pairs(
        self, without: Iterable[tuple[str, str]] = (), also: Iterable[tuple[str, str]] = ()
    ) -> Robot:
        """The robot without some pairs of frames, or with some that are omitted otherwise.

        >>> import sixvec
        >>> from dataclasses import replace
        >>> from sixvec.geometry.rigid_body import Sphere
        >>> from sixvec.model import Geom
        >>> panda = sixvec.load("panda")
        >>> shapes = Geom("panda_link0", Sphere(0.1)), Geom("panda_link8", Sphere(0.05))
        >>> robot = sixvec.Robot(replace(panda.model, geoms=shapes))
        >>> robot.with_collision_pairs(without=[("panda_link8", "panda_link0")]).collision_pairs
        <CollisionPairs: 0 compared, 1 omitted (1 file)>
        """
        from sixvec.distance.robot_distance import with_collision_pairs

        return with_collision_pairs(cast("Robot", self), without, also)

    def with_shapes(self, kind: Literal["spheres", "capsules"], error: float = 0.01) -> Robot:
        """The robot with spheres or capsules as collision shapes, which contain the old shapes.

        They exceed these by at most `error` (m); a smaller error needs more of them.

        >>> import sixvec
        >>> from dataclasses import replace
        >>> from sixvec.geometry.rigid_body import Box
        >>> from sixvec.model import Geom
        >>> from sixvec.spatial import Vec3
        >>> panda = sixvec.load("panda")
        >>> robot = sixvec.Robot(replace(panda.model, geoms=(Geom("panda_link8", Box(Vec3(0.1, 0.1, 0.3))),)))
        >>> {shape.kind for shape in robot.with_shapes("spheres", error=0.02).collision_shapes}
        {'sphere'}
        """
        from sixvec.distance.robot_distance import with_shapes

        return with_shapes(cast("Robot", self), kind, error)
