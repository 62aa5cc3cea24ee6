"""Where every stroke of the pictures is, its colour, width and layer, against tests/golden/drawings.txt.

`SIXVEC_WRITE_GOLDEN=1 pytest tests/viz/test_recorded_drawings.py` writes the file anew: look at the pictures then.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sixvec import Model, load, viz
from sixvec.demo.plot import PICTURES, _film
from sixvec.demo.release import Release
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.plane import Plane
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.geometry.screw import Screw
from sixvec.model import Body, Gear
from sixvec.model.joints import Revolute
from sixvec.parallel import Planar3RPR
from sixvec.spatial import Force, Motion, Pose, Rotation, Vec3
from sixvec.viz import film

pytest.importorskip("matplotlib")
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

FILE = Path(__file__).parent.parent / "golden/drawings.txt"
PLACE = Point(1.0, 2.0, 3.0)
SLANTED = Line(PLACE, Vec3(0.3, -0.4, 1.2))
BENT = Pose(Rotation.about_z(0.4) @ Rotation.about_x(0.7), Vec3(1.0, 2.0, 3.0))
TWIST = Motion(Vec3(0.2, -0.5, 1.1), Vec3(0.4, 0.9, -0.3))
ARM = load("planar_2r")
SWING = np.stack([np.linspace(-0.5, 1.0, 6), np.linspace(0.2, -0.9, 6)], axis=1)
FALL = Release(np.arange(6.0), SWING, *np.zeros((3, 6)))


def _identified(values: list[float], names: list[str]) -> Any:
    return SimpleNamespace(
        values=np.array(values), standard_errors=np.full(len(values), 0.1), base=SimpleNamespace(names=names)
    )


SOLID: dict[str, Callable[[Any], object]] = {
    "frame": lambda ax: viz.draw_frame(ax, BENT, "B", 0.7),
    "bare frame": lambda ax: viz.draw_frame(ax, BENT.inv(), axes=False),
    "point": lambda ax: viz.draw_point(ax, PLACE, "p"),
    "vector": lambda ax: viz.draw_vector(ax, Vec3(1.0, -2.0, 0.5), PLACE, "v", scale=0.4),
    "direction": lambda ax: viz.draw_direction(ax, Direction(0.0, 0.6, -0.8), PLACE, "n", length=1.3),
    "plane": lambda ax: viz.draw_plane(ax, Plane(Direction(0.36, 0.48, 0.8), 2.0), PLACE, "E", size=1.5),
    "line": lambda ax: viz.draw_line(ax, SLANTED, Point(0.5, -0.5, 0.2), "l", length=2.0),
    "plucker line": lambda ax: viz.draw_line(ax, PluckerLine.from_line(SLANTED), style=":"),
    "measure": lambda ax: viz.draw_measure(ax, PLACE, Point(-1.0, 0.5, 2.0), "d"),
    "screw": lambda ax: viz.draw_screw(ax, Screw.from_axis(SLANTED, -0.11), PLACE, "s", length=2.0, radius=0.2),
    "flat screw": lambda ax: viz.draw_screw(ax, Screw.from_axis(SLANTED, 0.0)),
    "steep screw": lambda ax: viz.draw_screw(ax, Screw.from_axis(SLANTED, 0.7)),
    "screw at infinity": lambda ax: viz.draw_screw(ax, Screw.at_infinity(Vec3(0.0, 0.6, 0.8)), PLACE, "s"),
    "twist": lambda ax: viz.draw_twist(ax, TWIST, PLACE, "t", 0.8, 2.0, 0.2),
    "opposed twist": lambda ax: viz.draw_twist(ax, Motion(TWIST.ang, -TWIST.lin)),
    "translation": lambda ax: viz.draw_twist(ax, Motion(Vec3.zero(), TWIST.lin), PLACE, "t"),
    "wrench": lambda ax: viz.draw_wrench(ax, Force(TWIST.lin, TWIST.ang), PLACE, "w", 0.8, 2.0, 0.2),
    "couple": lambda ax: viz.draw_wrench(ax, Force(TWIST.lin, Vec3.zero()), PLACE, "w"),
    "robot": lambda ax: viz.draw_robot(ARM, [0.3, 0.5], ax, alpha=0.7),
    "skeleton": lambda ax: viz.draw_robot(load("solo12"), load("solo12").random(1), ax, shapes=False),
    "velocities": lambda ax: viz.draw_manipulability(load("ur5e"), np.arange(6) * 0.3, "tool0", ax, size=0.4),
    "forces": lambda ax: viz.draw_manipulability(ARM, [0.3, 0.5], "tip", ax, kind="force"),
    "workspace": lambda ax: viz.draw_workspace(ax, [[0.0, 0.1, 0.2], [1.0, 0.3, -0.4]], [0.2, 0.7]),
    "bare workspace": lambda ax: viz.draw_workspace(ax, [[0.0, 0.1, 0.2], [1.0, 0.3, -0.4]]),
    "platform": lambda ax: viz.draw_platform(
        Planar3RPR([[0, 0], [4, 0], [2, 3]], [[0, 0], [1, 0], [0.5, 1]]), [1.5, 0.8, 0.3], ax
    ),
}
FLAT: dict[str, Callable[[Any], object]] = {
    "joint path": lambda ax: viz.draw_joint_path(load("panda"), np.linspace(-1.5, [0.1] * 7, 4), 0.2, ax),
    "one position": lambda ax: viz.draw_joint_path(ARM, SWING[:1], 0.2, ax, joints=["joint2"]),
    "phase": lambda ax: viz.draw_phase(SWING[:, 0], SWING[:, 1], ax, name="$swing"),
    "release": lambda ax: _film([ax] * PICTURES, ARM, "tip", FALL),
    "counts": lambda ax: viz.draw_operation_counts(ARM, ["pose", "mass_matrix"], ax),
    "mass matrix": lambda ax: viz.draw_mass_matrix(load("solo12"), load("solo12").random(2), ax),
    "tree": lambda ax: viz.draw_tree(load("four_bar"), ax),
    "gears": lambda ax: viz.draw_tree(_geared(), ax),
    "slice": lambda ax: viz.draw_workspace_slice(
        [[0.0, 0.1, 0.2], [1.0, 0.3, -0.4], [0.5, 0.26, 1.0]], [0.2, 0.7, 0.4], ax, at=0.3, thickness=0.12
    ),
    "parameters": lambda ax: viz.draw_base_parameters(_identified([1.0, -0.3, 0.19], ["m", "h" * 36, "I" * 37]), ax),
}


def _geared() -> Model:
    bodies = [Body("base"), *(Body(n, "base", Revolute(Vec3(0.0, 0.0, 1.0)), joint_name=n) for n in ("a", "b"))]
    return Model("geared", tuple(bodies), closures=(Gear("gear", "a", "b", ratio=2.0),))


def described(ax: Any) -> Iterator[str]:
    """A line for the axes, for their title and labels, and for each stroke."""
    box = [*ax.get_xlim(), *ax.get_ylim(), *(ax.get_zlim() if ax.name == "3d" else ())]
    yield f"box {_numbers(box)} {_numbers(ax._box_aspect if ax.name == '3d' else ax.margins())}"
    yield f"words {ax.get_title()!r} {ax.get_xlabel()!r} {ax.get_ylabel()!r}"
    ticks = [t.get_text() for t in ax.get_yticklabels() if not t.get_text().replace("−", "").replace(".", "").isdigit()]
    yield f"ticks {ticks} grid {ax.yaxis._major_tick_kw.get('gridOn')} legend {ax.get_legend() is not None}"
    for line in ax.lines:
        data = np.nan_to_num(np.array(line.get_data_3d() if ax.name == "3d" else line.get_data(), float))  # gaps: 0
        style = f"{line.get_linestyle()} {line.get_marker()} {line.get_linewidth():g} {line.get_markersize():g}"
        yield f"line {to_hex(line.get_color())} {style} {line.get_zorder():g} {_summary(data.T)}"
    for patch in ax.patches:
        bar = not hasattr(patch, "ends")
        data = [patch.get_xy(), (patch.get_width(), patch.get_height())] if bar else patch.ends
        style = f"{to_hex(patch.get_facecolor())} {patch.get_linewidth():g} {patch.get_hatch()}"
        yield f"patch {style} {patch.get_zorder():g} {_summary(data)}"
    for text in ax.texts:
        at = text.get_position_3d() if ax.name == "3d" else text.get_position()
        style = f"{text.get_text()!r} {to_hex(text.get_color())} {text.get_fontsize():g}"
        yield f"text {style} {text.get_zorder():g} {_numbers(at)}"
    for many in ax.collections:
        data = _places(many, ax.name)
        values = "" if many.get_array() is None else _numbers(many.get_array())
        style = f"{_numbers(many.get_linewidth())} {_numbers(many.get_sizes() if hasattr(many, 'get_sizes') else [])}"
        yield f"many {_summary(_colours(many))} {style} {many.get_zorder():g} {values} {_summary(data)}"
    for image in ax.images:
        shades = np.nan_to_num(image.get_array().filled(9.0))
        yield f"image {_numbers(image.get_clim())} {_numbers(shades.sum(axis=0))}"


def _colours(many: Any) -> Any:
    """Of faces in space without the light on them, which is matplotlib's, and as rounding decides on thin bodies."""
    colours = many.get_facecolor()
    if not hasattr(many, "_faces") or not len(colours):
        return colours
    hue = colours[:, :3] / np.maximum(colours[:, :3].max(1, keepdims=True), 1e-9)
    return np.concatenate([hue, colours[:, 3:]], axis=1)


def _places(many: Any, kind: str) -> Any:
    if hasattr(many, "_faces"):
        return np.concatenate([*many._faces])
    return np.transpose(many._offsets3d) if kind == "3d" else many.get_offsets()


def _numbers(values: Any) -> str:
    return "-" if values is None else ",".join(f"{float(x) + 0.0:.6g}" for x in np.ravel(values))


def _summary(points: Any) -> str:
    """How many, and two weighted means that every coordinate and its place change."""
    points = np.asarray(points, float)
    if len(points) <= 3:
        return _numbers(np.round(points, 9))
    weights = np.linspace(-0.4, 1.0, len(points))
    return f"{len(points)} of {_numbers(np.round(points.mean(axis=0), 9))} {_numbers(np.round(weights @ points, 9))}"


def text() -> str:
    """All pictures."""
    found = []
    for name, draw in SOLID.items():
        ax = viz.scene(Figure())
        draw(ax)
        found += [f"# {name}", *described(ax)]
    for name, draw in FLAT.items():
        ax = Figure().subplots()
        draw(ax)
        found += [f"# {name}", *described(ax)]
    return "\n".join(found) + "\n"


def _same(found: str, recorded: str) -> bool:
    """Equal words, or numbers that are equal up to rounding."""
    a, b = (line.replace(",", " ").split() for line in (found, recorded))
    return len(a) == len(b) and all(x == y or _close(x, y) for x, y in zip(a, b, strict=True))


def _close(x: str, y: str) -> bool:
    try:
        return bool(np.isclose(float(x), float(y), rtol=2e-5, atol=1e-7))
    except ValueError:
        return False


def test_every_stroke_is_where_it_was() -> None:
    found = text()
    if os.environ.get("SIXVEC_WRITE_GOLDEN"):
        FILE.write_text(found)
    picture = ""
    for line, recorded in zip_longest(found.splitlines(), FILE.read_text().splitlines(), fillvalue=""):
        picture = line if line.startswith("#") else picture
        assert _same(line, recorded), (
            f"{picture}\n{line}\nis not as recorded:\n{recorded}\nif meant: SIXVEC_WRITE_GOLDEN=1"
        )


def test_the_stages_of_a_film_share_a_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    figures: list[Any] = []
    saved: list[Any] = []
    monkeypatch.setattr(Figure, "savefig", lambda self, file, **how: (figures.append(self), saved.append(how)))
    film.film(ARM, np.repeat(SWING, 5, axis=0), 0.25)
    (figure,) = figures
    assert saved == [{"format": "png", "dpi": 120}] and figure.get_size_inches().tolist() == [15.0, 3.2]
    assert {ax.title.get_fontsize() for ax in figure.axes} == {9.0}
    assert [ax.get_title() for ax in figure.axes] == ["0.00 s", "1.75 s", "3.50 s", "5.50 s", "7.25 s"]
    places = [ax.get_subplotspec().get_geometry()[:3] for ax in figure.axes]
    assert places == [(1, 5, k) for k in range(5)]
    tips = ARM.pose(SWING[[0, 1, 2, 4, 5]], "tip")[:, :3, 3]
    for ax in figure.axes:
        low, high = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()]).T
        assert (low < tips).all() and (tips < high).all()
    assert film.film(ARM, SWING[:2], 0.25) == b"" and len(figures[1].axes) == 2
