"""A robot as nodes of a viser scene: surfaces on frames, and optional extras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.errors import SixvecError
from sixvec.geometry.rigid_body import principal_frame
from sixvec.geometry.rigid_body.solids import Ellipsoid
from sixvec.quoting import quoted
from sixvec.robot import Robot
from sixvec.spatial import Quaternion, Rotation, Vec3
from sixvec.viz.closest_pair import closest_pair, collision_surfaces
from sixvec.viz.colors import ANGULAR, LINEAR, X_AXIS
from sixvec.viz.pieces import Piece, pieces
from sixvec.viz.triangles import triangles

EXTRAS = (
    "frames", "frame names", "tool path", "inertia ellipsoids", "centre of mass", "Jacobian", "gravity forces",
    "collision shapes", "closest pair",
)  # fmt: skip
"""The optional extras."""

BALL = 0.04
"""The radius of marks, as a fraction of the robot's size."""


class RobotNodes:
    """The nodes of one robot below a name in the scene; `show(q)` moves them."""

    def __init__(self, scene: Any, robot: Robot, name: str, base: Array | None = None, opacity: float = 1.0) -> None:
        self._scene, self.robot, self.name = scene, robot, name
        self._root = scene.add_frame(name, show_axes=False)
        self.base = np.eye(4) if base is None else base
        _place(self._root, self.base)
        self.size = 1.0
        self.extras: set[str] = set()
        self.frame = ""
        self._arrows: dict[str, Any] = {}
        self._moved: dict[str, Any] = {}
        self._axes: list[Any] = []
        self._labels: list[Any] = []
        self._ellipsoids: list[Any] = []
        self._surfaces: list[tuple[Any, Piece]] = []
        self.motion: Array | None = None
        self.q: Array = robot.neutral()
        shown = pieces(robot.model)
        self.size = _extent(robot)
        for i, piece in enumerate(shown):
            r, g, b, alpha = piece.color
            mesh = scene.add_mesh_simple(
                f"{self._node(piece.frame)}/{i}", piece.surface.vertices.astype(np.float32),
                piece.surface.faces.astype(np.uint32), color=(int(255 * r), int(255 * g), int(255 * b)),
                opacity=_opacity(alpha * opacity), side="double",
            )  # fmt: skip
            self._surfaces.append((mesh, piece))

    def fade(self, opacity: float) -> None:
        """Make all surfaces transparent, from 1 (as they are) to 0."""
        for mesh, piece in self._surfaces:
            mesh.opacity = _opacity(piece.color[3] * opacity)

    def lowest(self, q: Array) -> float:
        """The height of the lowest point of the surfaces at q, in the robot's world."""
        names, poses = self.robot.frame_names, self.robot.poses(q)
        rows = ((poses[names.index(piece.frame), 2], piece.surface.vertices) for _, piece in self._surfaces)
        return min((float((at @ z[:3]).min() + z[3]) for z, at in rows if len(at)), default=0.0)

    def _node(self, frame: str) -> str:
        """The node of a frame, created on first use."""
        if frame not in self._moved:
            index = self.robot.frame_names.index(frame)  # names from files may contain slashes, node names not
            self._moved[frame] = self._scene.add_frame(f"{self.name}/frame{index}", show_axes=False)
        return str(self._moved[frame].name)

    def show(self, q: Array) -> None:
        """Move everything to the position q."""
        self.q = np.asarray(q, float)
        poses = self.robot.poses(self.q)
        for frame, node in self._moved.items():
            _place(node, poses[self.robot.frame_names.index(frame)])
        self._marks()

    def origins(self) -> Array:
        """The origins of all frames in the scene (n, 3)."""
        at = self.base @ self.robot.poses(self.q)
        return np.asarray(at[:, :3, 3])

    def switch(self, extra: str, on: bool) -> None:
        """Show one of `EXTRAS`, or hide it."""
        (self.extras.add if on else self.extras.discard)(extra)
        if extra == "frames":
            for frame in self.robot.frame_names if on and not self._axes else ():
                node = f"{self._node(frame)}/axes"
                length = 2.5 * BALL * self.size
                self._axes.append(self._scene.add_frame(node, axes_length=length, axes_radius=0.06 * length))
            for node in self._axes:
                node.visible = on
        if extra == "frame names":
            for frame in self.robot.frame_names if on and not self._labels else ():
                self._labels.append(self._scene.add_label(f"{self._node(frame)}/name", quoted(frame)))
            for node in self._labels:
                node.visible = on
        if extra == "tool path":
            self.trace()
        if extra == "inertia ellipsoids":
            if on and not self._ellipsoids:
                self._add_ellipsoids()
            for node in self._ellipsoids:
                node.visible = on
        if extra == "collision shapes":
            old = self._arrows.pop(extra, None)
            if old is not None:
                old.remove()
            if on:
                self._arrows[extra] = collision_surfaces(self._scene, self.robot, self._node)
        self.show(self.q)

    def trace(self) -> None:
        """The path of the chosen frame in the motion that is played, if it is switched on."""
        old = self._arrows.pop("tool path", None)
        if old is not None:
            old.remove()
        if "tool path" in self.extras and self.motion is not None and len(self.motion) > 1:
            at = self.robot.pose(self.motion, self.frame or self.robot.frame_names[-1])[:, :3, 3]
            segments = np.stack([at[:-1], at[1:]], axis=1).astype(np.float32)
            self._arrows["tool path"] = self._scene.add_line_segments(
                f"{self.name}/path", segments, _rgb(LINEAR), thickness=0.006 * self.size
            )

    def push(self, wrenches: Mapping[str, Array]) -> None:
        """Arrows of wrenches (moment; force) on frames, in their axes; the longest have a fixed length."""
        for name, rows, color in (("moment", slice(0, 3), ANGULAR), ("force", slice(3, 6), X_AXIS)):
            longest = max((float(np.linalg.norm(w[rows])) for w in wrenches.values()), default=0.0) or 1.0
            for frame, w in wrenches.items():
                ends = np.array([[np.zeros(3), 0.4 * self.size * w[rows] / longest]])
                self._add_arrows(name, ends, color, below=self._node(frame))
        self.show(self.q)

    def forces(self, points: Array, forces: Array, full: float) -> None:
        """Arrows of forces (n, 3) at points (n, 3) of the world: long for the force `full`, at most twice as long."""
        size = np.linalg.norm(forces, axis=-1, keepdims=True)
        ends = points + 0.5 * self.size * forces / np.maximum(full or 1.0, 0.5 * size)
        self._arrows["contacts"] = self._add_arrows("contacts", np.stack([points, ends], axis=1), X_AXIS)

    def _add_ellipsoids(self) -> None:
        """For each body the uniform ellipsoid with its mass and moments of inertia."""
        at = {f.body: f for f in reversed(self.robot.model.frames)}
        for b in self.robot.model.bodies:
            if b.inertia.mass <= 0.0 or b.name not in at:
                continue
            principal = principal_frame(b.inertia)
            a, c, d = (float(m) for m in principal.moments)
            axes = [np.sqrt(max(2.5 * x / b.inertia.mass, 1e-8)) for x in (c + d - a, a + d - c, a + c - d)]
            X = np.array(principal.pose.as_matrix(), float)
            frame = at[b.name]
            X = np.linalg.inv(np.array(frame.placement.as_matrix(), float)) @ X
            surface = triangles(Ellipsoid(Vec3(*map(float, axes))))
            node = self._scene.add_mesh_simple(
                f"{self._node(frame.name)}/inertia", surface.vertices.astype(np.float32),
                surface.faces.astype(np.uint32), color=_rgb(ANGULAR), opacity=0.45, side="double",
            )  # fmt: skip
            _place(node, X)
            self._ellipsoids.append(node)

    def _marks(self) -> None:
        """Centre of mass and arrows, which change with q."""
        for name, draw in (
            ("centre of mass", self._com),
            ("Jacobian", self._jacobian),
            ("gravity forces", self._gravity),
            ("closest pair", self._closest_pair),
        ):
            old = self._arrows.pop(name, None)
            if name in self.extras:
                try:
                    self._arrows[name] = draw()
                except SixvecError:
                    continue  # a robot without moving mass has no centre of mass, one without shapes no distance
            if old is not None and name not in self._arrows:
                old.remove()

    def _com(self) -> Any:
        at = tuple(float(x) for x in self.robot.center_of_mass(self.q))
        return self._scene.add_icosphere(f"{self.name}/com", radius=BALL * self.size, color=_rgb(X_AXIS), position=at)

    def _jacobian(self) -> Any:
        """The velocity of the chosen frame's origin for a unit rate of each joint."""
        frame = self.frame or self.robot.frame_names[-1]
        J = self.robot.jacobian(self.q, frame)[3:].T
        start = self.robot.pose(self.q, frame)[:3, 3]
        longest = float(np.abs(J).max(initial=0.0)) or 1.0
        arrows = np.stack([np.broadcast_to(start, J.shape), start + 0.4 * self.size * J / longest], axis=1)
        return self._add_arrows("jacobian", arrows, LINEAR)

    def _gravity(self) -> Any:
        """The weight of each body at its centre of mass; the longest arrow has a fixed length."""
        at = {f.body: f for f in reversed(self.robot.model.frames)}
        poses, arrows = self.robot.poses(self.q), []
        heaviest = max((b.inertia.mass for b in self.robot.model.bodies), default=0.0) or 1.0
        g = self.robot.gravity / (np.linalg.norm(self.robot.gravity) or 1.0)
        for b in self.robot.model.bodies:
            if b.inertia.mass > 0.0 and b.name in at:
                frame = at[b.name]
                X = poses[self.robot.frame_names.index(frame.name)] @ np.linalg.inv(
                    np.array(frame.placement.as_matrix(), float)
                )
                c = X[:3, :3] @ [*b.inertia.center] + X[:3, 3]
                arrows.append([c, c + 0.4 * self.size * g * b.inertia.mass / heaviest])
        return self._add_arrows("weights", np.array(arrows).reshape(-1, 2, 3), ANGULAR)

    def _closest_pair(self) -> Any:
        return closest_pair(self._scene, self.robot, self.q, self.name, self.size)

    def _add_arrows(self, name: str, arrows: Array, color: str, below: str = "") -> Any:
        thin = 0.008 * self.size
        return self._scene.add_arrows(
            f"{below or self.name}/{name}", arrows.astype(np.float32), _rgb(color), shaft_radius=thin,
            head_radius=2.5 * thin, head_length=6 * thin,
        )  # fmt: skip

    def remove(self) -> None:
        self._root.remove()


def _opacity(value: float) -> float | None:
    return value if value < 1.0 else None


def quaternion_wxyz(R: Array) -> Array:
    """The quaternion of a rotation matrix with its scalar first, as viser writes it.

    >>> quaternion_wxyz(np.diag([-1.0, -1.0, 1.0])).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    quaternion = Quaternion.from_rotation(Rotation.from_matrix(R.tolist()))
    return np.array([float(quaternion.w), float(quaternion.x), float(quaternion.y), float(quaternion.z)])


def _place(node: Any, X: Array) -> None:
    node.wxyz, node.position = quaternion_wxyz(X[:3, :3]), X[:3, 3]


def _extent(robot: Robot) -> float:
    points = robot.poses(robot.neutral())[:, :3, 3]
    return float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
