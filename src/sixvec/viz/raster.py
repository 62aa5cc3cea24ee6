"""Shaded pictures of a robot as pixels: a camera, flat shading, a shadow, and the nearest surface at each pixel.

Matplotlib's three-dimensional axes order whole surfaces by depth, so limbs that touch hide each other wrongly, and they
take ten times as long.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixvec.arguments import Array
from sixvec.errors import MissingExtra
from sixvec.formats.mesh_triangles import Triangles
from sixvec.robot import Robot
from sixvec.viz.pieces import pieces

Pixels = NDArray[np.uint8]

OVERSAMPLING = 2
"""Pictures are painted larger by this factor and averaged: edges become smooth."""

FINEST = 1.0 / 250.0
"""Corners closer than this fraction of the robot are merged: meshes of scanners have more triangles than pixels."""

LONGEST = 1.0 / 24.0
"""Edges longer than this fraction of the robot are split: the search for the pixels of a triangle covers its box."""

VIEW = np.array([1.1, -1.3, 0.62])
"""From the robot to the camera."""

DISTANCE = 3.2
"""From the middle of the motion to the camera, in radii of the motion: nearer ones distort."""

LIGHT = np.array([0.35, -0.5, 0.79])
AMBIENT = 0.42
"""The brightness of a surface that the light does not reach."""

BACKGROUND, GRID, SHADOW = (255, 255, 255), (228, 231, 236), (216, 220, 227)


class Surface(NamedTuple):
    """Triangles (m, 3) of indices into corners (n, 3); each corner has a frame and each triangle a colour."""

    corners: Array
    frames: NDArray[np.int64]
    faces: NDArray[np.int64]
    colors: Array


class Camera(NamedTuple):
    """A perspective view: rows are right, up and backward; `middle` is in the middle of the picture."""

    axes: Array
    middle: Array
    distance: float
    pixels_per_metre: float
    width: int
    height: int

    def project(self, points: Array) -> tuple[Array, Array]:
        """Pixels (..., 2) of points (..., 3), and their distance from the camera."""
        right, up, back = np.moveaxis((points - self.middle) @ self.axes.T, -1, 0)
        depth = self.distance - back
        scale = self.pixels_per_metre * self.distance / np.maximum(depth, 0.05 * self.distance)
        return np.stack([self.width / 2 + right * scale, self.height / 2 - up * scale], axis=-1), depth


def require_pillow() -> None:
    """An error that names the package to install."""
    try:
        import PIL  # noqa: F401
    except ImportError as problem:
        raise MissingExtra("films and pictures of motions need Pillow", extra="film") from problem


def surface(robot: Robot) -> Surface:
    """All visible triangles of a robot, of large meshes simplified ones."""
    shown = pieces(robot.model)
    places = {name: i for i, name in enumerate(robot.frame_names)}
    size = float(np.ptp(robot.poses(robot.neutral())[:, :3, 3], axis=0).max())
    size = max([size, *(float(np.ptp(p.surface.vertices, axis=0).max(initial=0.0)) for p in shown)])
    corners, frames, faces, colors, start = [], [], [], [], 0
    for piece in shown:
        vertices, triangles = split(simplified(piece.surface, size * FINEST), size * LONGEST)
        corners.append(vertices)
        frames.append(np.full(len(vertices), places[piece.frame]))
        faces.append(triangles + start)
        colors.append(np.tile(piece.color[:3], (len(triangles), 1)))
        start += len(vertices)
    return Surface(np.concatenate(corners), np.concatenate(frames), np.concatenate(faces), np.concatenate(colors))


def split(triangles: Triangles, longest: float) -> Triangles:
    """The same surface with edges halved until none is longer than `longest`.

    >>> split(Triangles(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]])), 0.8).faces.shape
    (4, 3)
    """
    vertices, faces = triangles
    for _ in range(16):  # halvings: a floor of a kilometre
        ends = vertices[faces] - vertices[np.roll(faces, -1, axis=1)]
        lengths = np.linalg.norm(ends, axis=2)
        long = lengths.max(axis=1, initial=0.0) > longest
        if not long.any():
            break
        # Put the longest edge first, and cut it in the middle.
        turn = (np.arange(3) + lengths[long].argmax(axis=1)[:, None]) % 3
        a, b, c = np.take_along_axis(faces[long], turn, axis=1).T
        middle = len(vertices) + np.arange(len(a))
        vertices = np.concatenate([vertices, (vertices[a] + vertices[b]) / 2])
        faces = np.concatenate([faces[~long], np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)])
    return Triangles(vertices, faces)


def simplified(triangles: Triangles, cell: float) -> Triangles:
    """The triangles with corners in the same cell of a grid merged, without those that vanish.

    >>> flat = Triangles(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1.001, 0]]), np.array([[0, 1, 2], [0, 2, 3]]))
    >>> simplified(flat, 0.1).faces.shape
    (1, 3)
    """
    keys = np.round(triangles.vertices / max(cell, 1e-12)).astype(np.int64)
    _, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    faces = np.asarray(place).reshape(-1)[triangles.faces]
    distinct = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return Triangles(triangles.vertices[first], faces[distinct])


def moved(shape: Surface, poses: Array) -> Array:
    """The corners (n, 3) for poses (frames, 4, 4)."""
    X = poses[shape.frames]
    corners: Array = np.einsum("nij,nj->ni", X[:, :3, :3], shape.corners) + X[:, :3, 3]
    return corners


def camera(points: Array, width: int, height: int) -> Camera:
    """A view of all points (n, 3), in pixels of the painted picture."""
    back = VIEW / np.linalg.norm(VIEW)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(back, right), back])
    low, high = points.min(axis=0), points.max(axis=0)
    middle, radius = (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 0.05)
    width, height = OVERSAMPLING * width, OVERSAMPLING * height
    whole = Camera(axes, middle, DISTANCE * radius, 1.0, width, height)
    centred = whole.project(points)[0] - [width / 2, height / 2]
    low, high = centred.min(axis=0), centred.max(axis=0)
    scale = 0.9 * float(np.min([width, height] / np.maximum(high - low, 1e-9)))
    # Shift the middle so that the motion, not its bounding box in space, is centred.
    shift = ((low + high) / 2) * [1.0, -1.0] @ axes[:2]
    return whole._replace(pixels_per_metre=scale, middle=middle + shift)


def painted(shape: Surface, corners: Array, view: Camera, floor: float) -> Any:
    """The picture of moved corners, with a grid and a shadow at the height `floor`; an image of Pillow."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (view.width, view.height), BACKGROUND)
    _paint_floor(ImageDraw.Draw(image), view, floor)
    pixels = np.array(image).reshape(-1, 3)
    triangles = corners[shape.faces]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    toward_light = normals @ (LIGHT / np.linalg.norm(LIGHT))
    high = triangles[toward_light > 0.0]  # these alone have the whole shadow of a closed surface
    lit = high[:, :, :2] - (high[:, :, 2:] - floor) * (LIGHT[:2] / LIGHT[2])
    shadow = view.project(np.concatenate([lit, np.full((*lit.shape[:2], 1), floor)], axis=2))[0]
    pixels[covered(shadow, view).pixel] = SHADOW
    eye = view.middle + view.distance * view.axes[2]
    front = np.flatnonzero(np.einsum("ij,ij->i", normals, eye - triangles[:, 0]) > 0.0)
    bright = AMBIENT + (1.0 - AMBIENT) * (0.5 + 0.5 * toward_light[front])
    fills = (255 * np.clip(shape.colors[front] * bright[:, None], 0.0, 1.0)).astype(np.uint8)
    places, depth = view.project(triangles[front])
    visible = covered(places, view)
    # 1 / depth is linear in the picture.  Of fragments in one pixel the nearest is written last.
    nearness = np.einsum("ij,ij->i", visible.weights, 1.0 / depth[visible.triangle])
    order = np.argsort(nearness, kind="stable")
    pixels[visible.pixel[order]] = fills[visible.triangle[order]]
    image = Image.fromarray(pixels.reshape(view.height, view.width, 3))
    return image.resize((view.width // OVERSAMPLING, view.height // OVERSAMPLING), Image.Resampling.BOX)


class Fragments(NamedTuple):
    """Pixels inside triangles: the triangle, the pixel (row times width plus column), the weights of the corners."""

    triangle: NDArray[np.int64]
    pixel: NDArray[np.int64]
    weights: Array


def covered(places: Array, view: Camera) -> Fragments:
    """The pixels whose centres are inside triangles (m, 3, 2)."""
    low = np.clip(np.floor(places.min(axis=1)), 0, [view.width, view.height]).astype(np.int64)
    high = np.clip(np.ceil(places.max(axis=1)), 0, [view.width, view.height]).astype(np.int64)
    columns, rows = np.maximum(high - low, 0).T
    counts = columns * rows
    triangle = np.repeat(np.arange(len(places)), counts)
    place = np.arange(len(triangle)) - np.repeat(np.cumsum(counts) - counts, counts)
    x = low[triangle, 0] + place % np.maximum(columns, 1)[triangle]
    y = low[triangle, 1] + place // np.maximum(columns, 1)[triangle]
    a, ab, ac = places[:, 0], places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]
    area = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]
    area = np.where(np.abs(area) > 1e-12, area, np.inf)
    dx, dy = x + 0.5 - a[triangle, 0], y + 0.5 - a[triangle, 1]
    u = (dx * (ac[:, 1] / area)[triangle]) - dy * (ac[:, 0] / area)[triangle]
    v = (dy * (ab[:, 0] / area)[triangle]) - dx * (ab[:, 1] / area)[triangle]
    inside = np.flatnonzero((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0))
    u, v = u[inside], v[inside]
    return Fragments(triangle[inside], (y * view.width + x)[inside], np.stack([1.0 - u - v, u, v], axis=1))


def _paint_floor(pen: Any, view: Camera, floor: float) -> None:
    """A grid with whole multiples of a round number of metres between its lines."""
    reach = 1.1 * view.distance / DISTANCE
    step = 10.0 ** np.floor(np.log10(reach))
    step = step / 2 if reach / step < 4 else step
    lines = np.arange(-4, 5) * step
    centre = np.round(view.middle[:2] / step) * step
    for x in lines:
        for start, end in (((x, lines[0]), (x, lines[-1])), ((lines[0], x), (lines[-1], x))):
            ends = np.array([[*(centre + start), floor], [*(centre + end), floor]])
            pen.line(view.project(ends)[0].reshape(-1).tolist(), fill=GRID, width=OVERSAMPLING)
