"""Draws the pictures of these pages: `python docs/concepts/draw.py` writes all of them, or those that are named."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from shapes import X, Y, Z, box, circle, curve, floor, globe, spring, text, turn

from sixvec import viz
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.line_pair import common_normal
from sixvec.geometry.orientation.euler import EulerAngles
from sixvec.geometry.orientation.slerp import slerp
from sixvec.geometry.plane import Plane
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.geometry.rigid_body.displacement import chasles
from sixvec.geometry.rigid_body.instantaneous import acceleration_pole
from sixvec.geometry.rigid_body.principal import principal_frame
from sixvec.geometry.rigid_body.solids import Box
from sixvec.geometry.rigid_body.wrench import resultant
from sixvec.geometry.screw import Screw
from sixvec.spatial import Pose, Quaternion, Rotation, Sym3, Vec3
from sixvec.spatial.acceleration import AccelerationField
from sixvec.viz.colors import ANGULAR, GREY, INK, LINEAR, X_AXIS, Y_AXIS, Z_AXIS

IMAGES = Path(__file__).parent / "images"
SIZE, DPI = (4.4, 3.5), 130

ORIGIN = Point.origin()
WORLD = Pose.identity()

PICTURES: dict[str, tuple[Callable[[Any], None], dict[str, float]]] = {}
"""Name of the page -> the function that draws its picture, and the view."""


def picture(name: str, **view: float) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    def register(draw: Callable[[Any], None]) -> Callable[[Any], None]:
        PICTURES[name] = draw, view
        return draw

    return register


def write(name: str) -> Path:
    """Draw one picture into its file."""
    draw, view = PICTURES[name]
    figure = Figure(figsize=SIZE, dpi=DPI)
    ax = viz.scene(figure, **view)
    figure.subplots_adjust(left=0.0, right=1.0, bottom=0.0, top=1.0)
    draw(ax)
    floor(ax)
    path = IMAGES / f"{name}.png"
    figure.savefig(path, pil_kwargs={"optimize": True})
    return path


@picture("points-and-vectors")
def points_and_vectors(ax: Any) -> None:
    p, q = Point(1.6, 0.2, 0.5), Point(0.6, 1.5, 1.5)
    viz.draw_frame(ax, WORLD, "W")
    for point in (p, q):
        viz.draw_measure(ax, ORIGIN, point)
    viz.draw_vector(ax, q - p, p)
    viz.draw_point(ax, p, "p", label_at=(0.14, 0.0, 0.0))
    viz.draw_point(ax, q, "q")
    text(ax, p + (q - p) * 0.5 + X * 0.3, "q − p", LINEAR)


@picture("directions")
def directions(ax: Any) -> None:
    globe(ax)
    a, b = (Direction.from_vector(v) for v in (Vec3(1.0, -0.35, 0.15), Vec3(0.35, 0.35, 0.95)))
    viz.draw_direction(ax, a, name="a", color=X_AXIS)
    viz.draw_direction(ax, b, name="b", color=Z_AXIS)
    normal = Direction.from_vector(a.cross(b))
    turn(ax, normal, ORIGIN, a.vec, a.angle_to(b), "θ")
    viz.draw_direction(ax, -a, name="−a", color=GREY)


@picture("planes", azimuth=-72.0, elevation=20.0)
def planes(ax: Any) -> None:
    ground = Plane(Direction(0.0, 0.0, 1.0), 0.0)
    ramp = Plane.from_point(ORIGIN, Direction.from_vector(Vec3(-0.6, 0.0, 1.0)))
    viz.draw_plane(ax, ground, size=2.6, color=GREY, name="n₁")
    viz.draw_plane(ax, ramp, size=2.6, name="n₂")
    viz.draw_line(ax, ground.meet(ramp), length=3.2, color=X_AXIS)
    p = Point(0.45, -0.5, 1.45)
    viz.draw_point(ax, p, "p")
    viz.draw_measure(ax, ramp.closest_point_to(p), p, color=LINEAR)
    text(ax, Vec3(1.1, -0.5, 1.6), "n₂·p − c₂", LINEAR)
    text(ax, Vec3(0.35, -1.55, -0.05), "n₁ × n₂", X_AXIS)


@picture("lines", azimuth=-62.0, elevation=24.0)
def lines(ax: Any) -> None:
    a = Line(Point(1.4, 0.0, 0.35), Vec3(0.0, 1.0, 0.25))
    b = Line(Point(0.4, 0.6, 1.9), Vec3(1.0, 0.3, 0.0))
    viz.draw_frame(ax, WORLD, length=0.6)
    viz.draw_line(ax, a, name="L₁ = (d; m)", near=Point(1.4, 0.9, 0.35), length=3.0)
    viz.draw_line(ax, b, name="L₂", near=Point(1.3, 0.8, 1.9), length=2.6)
    p = PluckerLine.from_line(a).closest_point()
    viz.draw_measure(ax, ORIGIN, p)
    viz.draw_point(ax, p, "p", label_at=(0.05, 0.0, -0.16))
    viz.draw_vector(ax, a.direction, p, color=LINEAR, name="d", scale=0.6)
    viz.draw_vector(ax, a.moment, name="m = p × d", color=ANGULAR, scale=0.85)
    normal = common_normal(a, b)
    viz.draw_measure(ax, normal.first, normal.second, color=Y_AXIS)
    text(ax, normal.second - Vec3(0.38, 0.0, 0.5), "distance", Y_AXIS, 9.0)


@picture("screws", azimuth=-70.0, elevation=16.0)
def screws(ax: Any) -> None:
    for x, pitch, name in ((0.0, 0.0, "h = 0"), (1.5, 0.12, "h > 0"), (3.0, -0.12, "h < 0")):
        viz.draw_screw(ax, Screw.from_axis(Line(Point(x, 0.0, 0.0), Z), pitch), length=2.4, name=name, radius=0.34)
    viz.draw_screw(ax, Screw.at_infinity(Z), Point(4.5, 0.0, 0.0), "h = ∞", LINEAR, length=2.0)


@picture("rotations")
def rotations(ax: Any) -> None:
    e = Direction.from_vector(Vec3(0.4, 0.2, 1.0))
    R = Rotation.about(e.vec, 1.1)
    viz.draw_direction(ax, e, length=1.5, name="e")
    viz.draw_frame(ax, WORLD, "A")
    for axis, color in ((X, X_AXIS), (Y, Y_AXIS), (Z, Z_AXIS)):
        curve(ax, [Rotation.about(e.vec, 1.1 * k / 30) @ axis for k in range(31)], color, 1.0, ":")
    for letter, axis, color in zip("xyz", R.axes, (X_AXIS, Y_AXIS, Z_AXIS), strict=True):
        viz.draw_direction(ax, Direction.of(axis), color=color, name=f"{letter}′")
    turn(ax, e, Point.of(e * 1.2), e.perpendicular() * 0.25, 1.7 * pi, "θ")


@picture("euler-angles", azimuth=4.0, elevation=26.0)
def euler_angles(ax: Any) -> None:
    angles = EulerAngles(0.7, 0.8, 0.9, "zxz")
    R = angles.as_rotation()
    turned = Rotation.about_z(angles.first)
    tilted = turned @ Rotation.about_x(angles.second)
    for color, frame in ((Z_AXIS, Rotation.identity()), (X_AXIS, turned @ Rotation.about_y(pi / 2)), (Y_AXIS, tilted)):
        curve(ax, [frame @ Vec3(cos(a), sin(a), 0.0) for a in circle()], color, 1.0, alpha=0.45)
    axes = angles.turning_axes()
    for axis, color, name in zip(axes, (Z_AXIS, X_AXIS, Y_AXIS), ("z", "x′", "z″"), strict=True):
        viz.draw_direction(ax, Direction.of(axis), length=1.35, color=color, name=name)
    viz.draw_measure(ax, ORIGIN, Point.of(X))
    turn(ax, Direction.of(Z), ORIGIN, X, angles.first, "α", Z_AXIS)
    turn(ax, Direction.of(axes[1]), ORIGIN, Z, angles.second, "β", X_AXIS)
    turn(ax, Direction.of(axes[2]), ORIGIN, axes[1], angles.third, "γ", Y_AXIS)
    viz.draw_measure(ax, ORIGIN, Point.of(R @ X))


@picture("quaternions", azimuth=-40.0)
def quaternions(ax: Any) -> None:
    globe(ax)
    start = Quaternion.exp(Vec3(0.2, -0.5, 0.0))
    end = Quaternion.exp(Vec3(-0.9, 0.9, 0.7))
    path = [slerp(start, end, k / 60).as_rotation() @ Z for k in range(61)]
    curve(ax, path, ANGULAR, 1.8)
    for k in range(6):
        R = slerp(start, end, k / 5).as_rotation()
        viz.draw_frame(ax, Pose(R, R @ Z), length=0.34, axes=False)
    text(ax, start.as_rotation() @ Z * 1.0 - X * 0.15 - Z * 0.22, "q₀")
    text(ax, end.as_rotation() @ Z + Y * 0.22 - Z * 0.15, "q₁")


@picture("poses")
def poses(ax: Any) -> None:
    X_WA = Pose(Rotation.about_z(0.5), Vec3(2.0, 0.2, 0.3))
    X_AB = Pose(Rotation.from_rpy(0.5, -0.4, 0.6), Vec3(0.5, 1.2, 1.1))
    X_WB = X_WA @ X_AB
    for frame, name in ((WORLD, "W"), (X_WA, "A"), (X_WB, "B")):
        viz.draw_frame(ax, frame, name, length=0.7)
    for a, b, name in ((WORLD, X_WA, "X_WA"), (X_WA, X_WB, "X_AB"), (WORLD, X_WB, "X_WA @ X_AB")):
        viz.draw_vector(ax, b.pos - a.pos, Point.of(a.pos), color=GREY)
        text(ax, (a.pos + b.pos) * 0.5 + Z * 0.16, name, size=9.0)


@picture("displacements", elevation=18.0)
def displacements(ax: Any) -> None:
    t = Screw.from_axis(Line(Point(0.8, 0.6, 0.0), Z), 0.35).as_motion() * 2.6
    start = Pose(Rotation.about_z(-0.6), Vec3(1.9, 0.0, 0.1))
    end = Pose.exp(t) @ start
    curve(ax, [(Pose.exp(t * (k / 80)) @ start).pos for k in range(81)], ANGULAR, 1.6)
    for k in range(5):
        viz.draw_frame(ax, Pose.exp(t * (k / 4)) @ start, length=0.42, axes=False)
    motion = chasles(end @ start.inv())
    axis = Line(Point.of(motion.point), motion.direction)
    viz.draw_line(ax, axis, near=Point(0.8, 0.6, 0.6), length=2.2, color=INK, style="-.", name="axis")
    viz.draw_measure(ax, axis.closest_point_to(Point.of(start.pos)), Point.of(start.pos))
    viz.draw_measure(ax, axis.closest_point_to(Point.of(end.pos)), Point.of(end.pos))
    low = axis.closest_point_to(Point.of(start.pos))
    viz.draw_vector(ax, motion.direction * motion.shift, low, color=LINEAR)
    text(ax, low + motion.direction * (motion.shift / 2) + Vec3(0.16, 0.16, 0.0), "d", LINEAR)
    text(ax, start.pos - Z * 0.22, "A")
    text(ax, end.pos + Vec3(0.0, 0.0, -0.25), "B")


@picture("twists", elevation=26.0)
def twists(ax: Any) -> None:
    V = Screw.from_axis(Line(Point(1.3, 1.3, 0.0), Z), 0.3).as_motion()
    viz.draw_twist(ax, V, name="ω", length=1.7, radius=0.2, scale=0.8)
    for radius, count in ((0.55, 7), (1.05, 12)):
        for a in circle(count)[:-1]:
            r = Vec3(1.3 + radius * cos(a), 1.3 + radius * sin(a), 0.0)
            viz.draw_vector(ax, V.at(r), Point.of(r), scale=0.5)
    viz.draw_frame(ax, WORLD, length=0.4, axes=False)
    viz.draw_vector(ax, V.lin, name="v", scale=0.5, color=INK)


@picture("wrenches", azimuth=-35.0, elevation=30.0)
def wrenches(ax: Any) -> None:
    size = Vec3(2.0, 1.4, 0.8)
    box(ax, WORLD, size)
    forces = [
        (Vec3(0.0, 0.0, 0.9), Vec3(1.0, 0.7, 0.4)),
        (Vec3(0.0, -0.6, 0.0), Vec3(-0.8, -0.7, 0.0)),
        (Vec3(0.0, 0.0, 0.7), Vec3(-0.9, 0.5, 0.4)),
    ]
    for f, r in forces:
        viz.draw_vector(ax, f, Point.of(r), color=GREY)
    total = resultant(forces)
    viz.draw_wrench(ax, total, name="f", length=2.8, scale=0.8, radius=0.3)


@picture("accelerations", azimuth=-75.0, elevation=52.0)
def accelerations(ax: Any) -> None:
    field = AccelerationField(Z, Z * 0.6, Vec3(0.7, 0.2, 0.0))
    pole = acceleration_pole(field)
    for radius, count in ((0.75, 8), (1.25, 12), (1.75, 16)):
        for a in circle(count)[:-1]:
            r = pole + Vec3(radius * cos(a), radius * sin(a), 0.0)
            viz.draw_vector(ax, field.at(r), Point.of(r), scale=0.28)
    turn(ax, Direction.of(Z), Point.of(pole), Vec3(0.0, -0.42, 0.0), 1.5 * pi, "ω, α")
    viz.draw_point(ax, Point.of(pole), "pole", label_at=(0.0, -0.2, 0.0))


@picture("inertia", azimuth=-60.0)
def inertia(ax: Any) -> None:
    size = Vec3(1.8, 1.1, 0.6)
    pose = Pose(Rotation.about_z(0.35), Vec3(1.5, 0.9, 0.6))
    box(ax, pose, size)
    frame = principal_frame(pose @ Box(size).inertia(2.0))
    u, v, w = (axis * length for axis, length in zip(frame.pose.rot.axes, _semi_axes(frame.moments), strict=True))
    for a, b in ((u, v), (v, w), (w, u)):
        ring = [frame.pose.pos + a * cos(s) + b * sin(s) for s in circle()]
        curve(ax, ring, ANGULAR, 1.0, alpha=0.6)
    viz.draw_frame(ax, frame.pose, length=0.75)
    viz.draw_frame(ax, WORLD, "O", length=0.6)
    viz.draw_measure(ax, ORIGIN, Point.of(frame.pose.pos), "c")


def _semi_axes(moments: Vec3) -> list[float]:
    """Of the surface ωᵀ I ω = constant, to the scale of the box."""
    return [0.75 * float(moments.x / m) ** 0.5 for m in moments]


@picture("newton-euler", azimuth=-58.0, elevation=18.0)
def newton_euler(ax: Any) -> None:
    rot = Sym3.diagonal(0.25, 0.9, 1.0)
    box(ax, WORLD, Vec3(2.2, 0.7, 0.45))
    w = Vec3(0.9, 0.0, 1.0)
    momentum = rot @ w
    viz.draw_vector(ax, w, name="ω", color=ANGULAR)
    viz.draw_vector(ax, momentum, name="I ω", color=Z_AXIS)
    viz.draw_vector(ax, w.cross(momentum), color=X_AXIS, scale=1.8)
    text(ax, w.cross(momentum) * 1.8 - X * 0.35, "ω × I ω", X_AXIS)
    viz.draw_measure(ax, Point.of(w * -0.9), Point.of(w * 1.35))
    curve(ax, [Rotation.about(w * (1.0 / w.norm()), a) @ momentum for a in circle()], Z_AXIS, 0.9, ":")


@picture("stiffness", azimuth=-62.0, elevation=14.0)
def stiffness(ax: Any) -> None:
    viz.draw_plane(ax, Plane(Direction(0.0, 0.0, 1.0), 0.0), size=2.6, color=GREY, normal=False)
    top = Pose(Rotation.about_y(0.13), Vec3(0.0, 0.0, 0.95))
    for x in (-0.8, 0.8):
        for y in (-0.5, 0.5):
            spring(ax, Vec3(x, y, 0.0), top * Vec3(x, y, -0.1))
    box(ax, top, Vec3(2.0, 1.4, 0.2))
    push = Vec3(0.6, 0.0, 0.1)
    viz.draw_vector(ax, Z * -0.8, Point.of(top * push + Z * 0.8), color=LINEAR)
    text(ax, top * push + Z * 0.95, "F = K t", LINEAR)


@picture("constraints", azimuth=-58.0, elevation=26.0)
def constraints(ax: Any) -> None:
    viz.draw_plane(ax, Plane(Direction(0.0, 0.0, 1.0), 0.0), size=3.0, color=GREY, normal=False)
    box(ax, Pose.translation(Z * 0.2), Vec3(1.0, 0.8, 0.4))
    for direction in (X, Y):
        viz.draw_vector(ax, direction * 1.0, Point.of(direction * 0.45), color=Y_AXIS)
    text(ax, X * 1.3 + Z * 0.22, "slides", Y_AXIS)
    turn(ax, Direction.of(Z), Point(0.0, 0.0, 0.4), Vec3(0.34, 0.0, 0.0), 1.6 * pi, "", Y_AXIS)
    text(ax, Vec3(0.3, 0.5, 0.75), "turns", Y_AXIS)
    viz.draw_vector(ax, Z * 1.0, Point(0.0, 0.0, 0.4), color=LINEAR, name="f")
    for at, sense in ((Point(0.85, -0.75, 0.0), X), (Point(-0.85, -0.75, 0.0), Y)):
        lift = Point(at.x, at.y, 0.0)
        turn(ax, Direction.of(sense), lift, Z * 0.28, 1.4 * pi, "", ANGULAR)
        text(ax, lift + Z * 0.42, "n", ANGULAR)


@picture("gauss", azimuth=-75.0, elevation=14.0)
def gauss(ax: Any) -> None:
    wire = [Vec3(s, 0.3 * sin(s), 0.28 * s * s) for s in np.linspace(-1.9, 1.9, 80)]
    curve(ax, wire, INK, 1.6)
    s = 1.05
    bead = Point(s, 0.3 * sin(s), 0.28 * s * s)
    tangent = Direction.from_vector(Vec3(1.0, 0.3 * cos(s), 0.56 * s))
    free = Z * -1.25
    held = tangent * tangent.dot(free)
    viz.draw_line(ax, Line(bead, tangent.vec), near=bead, length=2.6, color=GREY, style="--")
    viz.draw_vector(ax, free, bead, "a₀", GREY)
    viz.draw_vector(ax, held, bead, color=LINEAR)
    text(ax, bead + held + Z * 0.18, "a", LINEAR)
    viz.draw_vector(ax, held - free, bead + free, color=ANGULAR)
    text(ax, bead + (held + free) * 0.5 - X * 0.72 - Z * 0.15, "a − a₀ = A λ / m", ANGULAR, 9.0)
    viz.draw_point(ax, bead)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for each in sys.argv[1:] or PICTURES:
        print(write(each))
