"""Every drawing function puts something finite into the axes, and says what is wrong with what it cannot draw."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from naming import named
from sixvec import viz
from sixvec.errors import ArgumentError, DegenerateError, MissingExtra, ShapeError
from sixvec.geometry.direction import Direction
from sixvec.geometry.line import Line
from sixvec.geometry.plane import Plane
from sixvec.geometry.plucker_line import PluckerLine
from sixvec.geometry.point import Point
from sixvec.geometry.screw import Screw
from sixvec.spatial import Force, Motion, Pose, Rotation, Vec3
from sixvec.viz.arrow import Arrow
from sixvec.viz.colors import ANGULAR, LINEAR

pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

X, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 0.0, 1.0)
NAN = float("nan")
PLACE = Point(1.0, 2.0, 3.0)
ON_X = Line(PLACE, X)

THINGS: dict[str, tuple[Callable[..., None], Any]] = {
    "frame": (viz.draw_frame, Pose(Rotation.about_z(0.4), Vec3(1.0, 2.0, 3.0))),
    "inverse pose": (viz.draw_frame, Pose.translation(X).inv()),
    "point": (viz.draw_point, PLACE),
    "vector": (viz.draw_vector, Vec3(1.0, 2.0, 3.0)),
    "direction": (viz.draw_direction, Direction(0.0, 1.0, 0.0)),
    "plane": (viz.draw_plane, Plane(Direction(0.0, 0.6, 0.8), 2.0)),
    "line": (viz.draw_line, ON_X),
    "plucker line": (viz.draw_line, PluckerLine.from_line(ON_X)),
    "screw": (viz.draw_screw, Screw.from_axis(ON_X, 0.2)),
    "left-handed screw": (viz.draw_screw, Screw.from_axis(ON_X, -0.2)),
    "screw of pitch 0": (viz.draw_screw, Screw.from_axis(ON_X, 0.0)),
    "steep screw": (viz.draw_screw, Screw.from_axis(ON_X, 1e6)),
    "screw of infinite pitch": (viz.draw_screw, Screw.at_infinity(Z)),
    "twist": (viz.draw_twist, Motion(Z, Vec3(0.0, -1.0, 0.5))),
    "rotation": (viz.draw_twist, Motion(Z, Vec3.zero())),
    "translation": (viz.draw_twist, Motion(Vec3.zero(), X)),
    "wrench": (viz.draw_wrench, Force(Vec3(1.0, 2.0, 3.0), X)),
    "pure force": (viz.draw_wrench, Force.at_point(Z, X)),
    "couple": (viz.draw_wrench, Force(Z, Vec3.zero())),
}


@pytest.fixture
def ax() -> Any:
    figure = Figure(figsize=(2.0, 2.0), dpi=50)
    FigureCanvasAgg(figure)
    return viz.scene(figure)


def ink(ax: Any) -> int:
    """How many pixels of the axes are not white."""
    ax.set_axis_off()
    ax.figure.canvas.draw()
    pixels = np.asarray(ax.figure.canvas.buffer_rgba())[..., :3]
    return int((pixels < 250).any(axis=-1).sum())


def limits(ax: Any) -> Any:
    return np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])


def arrows(ax: Any, color: str | None = None) -> list[Arrow]:
    from matplotlib.colors import to_hex

    found = [patch for patch in ax.patches if isinstance(patch, Arrow)]
    return [a for a in found if color is None or to_hex(a.get_edgecolor()).lower() == color.lower()]


@pytest.mark.parametrize("thing", THINGS)
def test_something_finite_is_drawn(ax: Any, thing: str) -> None:
    draw, value = THINGS[thing]
    draw(ax, value, name="name")
    assert np.isfinite(limits(ax)).all()
    assert [text.get_text() for text in ax.texts if text.get_text() == "name"]
    assert ink(ax) > 20


@pytest.mark.parametrize("thing", THINGS)
def test_all_axes_have_one_scale(ax: Any, thing: str) -> None:
    draw, value = THINGS[thing]
    draw(ax, value)
    ratio = np.ptp(limits(ax), axis=1) / ax._box_aspect
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-12)


def test_axes_grow_to_hold_everything(ax: Any) -> None:
    far = Point(-4.0, 5.0, 6.0)
    viz.draw_point(ax, PLACE)
    viz.draw_point(ax, far)
    viz.draw_measure(ax, PLACE, far, "d")
    for point in (PLACE, far):
        assert (limits(ax)[:, 0] < [*point]).all() and ([*point] < limits(ax)[:, 1]).all()


def test_the_first_drawing_alone_sets_the_limits(ax: Any) -> None:
    viz.draw_point(ax, Point(100.0, 100.0, 100.0))
    assert (limits(ax) > 90.0).all()


def test_a_twist_shows_both_parts_on_its_axis(ax: Any) -> None:
    viz.draw_twist(ax, Motion(Z * 2.0, Vec3(0.0, -2.0, 0.5)))  # about the line x = 1, rising 0.5
    turning = arrows(ax, ANGULAR)[-1]
    np.testing.assert_allclose(turning.ends, [[1.0, 0.0, 0.0], [1.0, 0.0, 2.0]], atol=1e-12)
    (rising,) = arrows(ax, LINEAR)
    np.testing.assert_allclose(rising.ends[1] - rising.ends[0], [0.0, 0.0, 0.5], atol=1e-12)


def test_a_wrench_shows_both_parts_on_its_axis(ax: Any) -> None:
    viz.draw_wrench(ax, Force(Vec3(0.0, -2.0, 0.5), Z * 2.0))
    (force,) = arrows(ax, LINEAR)
    np.testing.assert_allclose(force.ends, [[1.0, 0.0, 0.0], [1.0, 0.0, 2.0]], atol=1e-12)
    moment = arrows(ax, ANGULAR)[-1]
    np.testing.assert_allclose(moment.ends[1] - moment.ends[0], [0.0, 0.0, 0.5], atol=1e-12)


@pytest.mark.parametrize(
    ("draw", "value", "message"),
    [
        (viz.draw_frame, Vec3.zero(), named("draw_frame", "InversePose")),
        (viz.draw_point, Vec3.zero(), "draw_point"),
        (viz.draw_vector, PLACE, "draw_vector"),
        (viz.draw_direction, Vec3.zero(), "draw_direction"),
        (viz.draw_plane, ON_X, "draw_plane"),
        (viz.draw_line, Motion.zero(), named("draw_line", "PluckerLine")),
        (viz.draw_screw, Motion.zero(), "draw_screw"),
        (viz.draw_twist, Force.zero(), "draw_twist"),
        (viz.draw_wrench, Motion.zero(), "draw_wrench"),
    ],
)
def test_the_wrong_kind_is_named(ax: Any, draw: Callable[..., None], value: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        draw(ax, value)


@pytest.mark.parametrize(
    ("draw", "value", "message"),
    [
        (viz.draw_frame, Pose.translation(Vec3(0.0, NAN, 0.0)), "draw_frame"),
        (viz.draw_point, Point(0.0, 0.0, float("inf")), "draw_point"),
        (viz.draw_plane, Plane(Direction(0.0, 0.0, 1.0), NAN), "draw_plane"),
        (viz.draw_line, Line(Point(NAN, 0.0, 0.0), X), "draw_line"),
        (viz.draw_screw, Screw(X, Vec3(NAN, 0.0, 0.0)), "draw_screw"),
        (viz.draw_twist, Motion(X, Vec3(NAN, 0.0, 0.0)), "draw_twist"),
        (viz.draw_wrench, Force(X, Vec3(NAN, 0.0, 0.0)), "draw_wrench"),
        (viz.draw_point, Point("a", 0.0, 0.0), "draw_point"),
    ],
)
def test_numbers_that_cannot_be_drawn_are_named(ax: Any, draw: Callable[..., None], value: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        draw(ax, value)


def test_a_batch_raises(ax: Any) -> None:
    many = np.zeros(5)
    with pytest.raises(ShapeError, match="draw_point"):
        viz.draw_point(ax, Point(many, many, many))


@pytest.mark.parametrize("draw", [viz.draw_screw, viz.draw_twist, viz.draw_wrench])
def test_nothing_has_no_axis(ax: Any, draw: Callable[..., None]) -> None:
    zero = {viz.draw_screw: Screw(Vec3.zero(), Vec3.zero()), viz.draw_twist: Motion.zero()}.get(draw, Force.zero())
    with pytest.raises(DegenerateError, match="draw"):
        draw(ax, zero)


def test_sizes_are_positive(ax: Any) -> None:
    with pytest.raises(ArgumentError, match=named("draw_frame", "length")):
        viz.draw_frame(ax, Pose.identity(), length=-1.0)


@pytest.mark.parametrize("flat", [None, "axes"])
def test_flat_axes_raise(flat: str | None) -> None:
    ax = Figure().add_subplot() if flat else None
    with pytest.raises(ArgumentError, match=named("draw_point", "sixvec.viz.scene")):
        viz.draw_point(ax, PLACE)


def test_scene_without_a_figure_opens_one() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = viz.scene()
    assert ax.figure.number in pyplot.get_fignums()
    pyplot.close(ax.figure)


def test_without_matplotlib_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"\[viz\]"):
        viz.scene()


def test_importing_viz_does_not_import_matplotlib() -> None:
    code = "import sys, sixvec.viz; print('matplotlib' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_axes_of_a_scene(ax: Any) -> None:
    assert (ax.elev, ax.azim) == (22.0, -55.0) and ax._focal_length == 1.6 and ax.computed_zorder is False
    for axis, letter in zip((ax.xaxis, ax.yaxis, ax.zaxis), "xyz", strict=True):
        assert axis.label.get_text() == letter and axis.label.get_fontsize() == 8 and axis.labelpad == -6
        assert axis.pane.get_facecolor() == (1.0, 1.0, 1.0, 0.0)
        assert axis._axinfo["grid"]["linewidth"] == 0.6
        assert (axis._axinfo["tick"]["inward_factor"], axis._axinfo["tick"]["outward_factor"]) == (0.0, 0.0)
        settings = axis.get_tick_params()
        assert (settings["labelsize"], settings["pad"]) == (7, -2)
        assert len(axis.get_major_locator().tick_values(0.0, 4.0)) == 5  # by one
        assert axis.get_major_locator().tick_values(0.0, 20.0).tolist() == [0.0, 5.0, 10.0, 15.0, 20.0]


def test_arrows_end_where_they_are_said_to(ax: Any) -> None:
    viz.draw_vector(ax, X, PLACE)
    (arrow,) = arrows(ax)
    assert (arrow.shrinkA, arrow.shrinkB) == (0.0, 0.0)
    ax.figure.canvas.draw()
    depth = arrow.do_3d_projection()
    shown = ax.M @ np.column_stack([arrow.ends, np.ones(2)]).T
    start, end = (shown[:2] / shown[3]).T
    np.testing.assert_allclose([*arrow._posA_posB], [start, end])
    assert depth == pytest.approx(float((shown[2] / shown[3]).min()))


def test_figures_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib import pyplot

    opened: list[Any] = []
    monkeypatch.setattr(pyplot, "figure", lambda **given: opened.append(given) or Figure(**given))
    viz.scene()
    assert opened == [{"figsize": (6.0, 5.0)}]
