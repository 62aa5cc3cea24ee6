"""The demo: everything in the report is there, and the report is honest."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixvec import Robot, load
from sixvec.cli import main
from sixvec.cli.status import Status
from sixvec.demo import plot as demo_plot
from sixvec.demo import speed as demo_speed
from sixvec.demo import tables
from sixvec.demo.plot import plot
from sixvec.demo.release import Release, _finite_rows, release
from sixvec.demo.report import Report
from sixvec.demo.speed import TIMED
from sixvec.demo.tour import KERNELS, story, tour
from sixvec.demo.tour import _vector as tour_vector
from sixvec.errors import ArgumentError, MissingExtra
from sixvec.verify.check import Subject
from sixvec.verify.identities import IDENTITIES
from sixvec.verify.state import end_frame, middle, random_states
from sixvec.viz.colors import INK
from sixvec.viz.robot_drawing import skeleton
from sixvec.viz.style import COLORS

SECTIONS = ("The robot", "Pose, Jacobian", "Inverse and forward", "Identities", "operations", "Speed", "let go")

WRONG_BY = 1.0 + 1e-5
"""A factor that no identity may overlook; differences are good to 1e-7."""


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times do not matter here."""
    monkeypatch.setattr(demo_speed, "REPEATS", 1)
    monkeypatch.setattr(demo_speed, "SLICE", 1e-4)


def spoil(monkeypatch: pytest.MonkeyPatch, name: str, method: str) -> None:
    """Make one method of that robot return results that are a little too large."""
    right = getattr(load(name), method)  # found before the class is changed
    monkeypatch.setattr(Robot, method, lambda robot, *args, **options: right(*args, **options) * WRONG_BY)


def test_whole_report(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    picture = tmp_path / "arm.png"
    environment = os.environ | {"SIXVEC_CACHE_DIR": str(tmp_path / "cache")}
    done = sixvec("demo", "--plot", picture, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for i, section in enumerate(SECTIONS, start=1):
        assert re.search(rf"^{i}  .*{section}", done.stdout, re.MULTILINE), section
    for name in (*load("panda").joint_names, *KERNELS, *TIMED, *(i.equation for i in IDENTITIES)):
        assert name in done.stdout, name
    assert done.stdout.count("✓ holds") == len(IDENTITIES)
    assert "\x1b" not in done.stdout, "control codes outside a terminal"
    assert all(line == line.rstrip() for line in done.stdout.splitlines())
    assert str(picture) in done.stdout
    assert_is_picture(picture)
    assert any((tmp_path / "cache").iterdir())


def test_the_bar_of_the_report_counts_its_steps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in a terminal
    monkeypatch.setenv("TERM", "xterm")
    with Report(3) as report:
        assert [*report.steps("step {}".format, "abc")] == [*"abc"]
    counted = re.findall(r"(\d+)/3", capsys.readouterr().out)
    assert sorted({*map(int, counted)}) == [0, 1, 2, 3]


def test_states_of_the_demo_go_both_ways_within_their_bounds() -> None:
    robot = load("panda")
    q, v, a = random_states(robot, 50)
    assert ((robot.lower <= q) & (q <= robot.upper)).all()
    for rates in (v, a):
        assert -1.0 <= rates.min() < -0.9 and 0.9 < rates.max() <= 1.0


def assert_is_picture(path: Path) -> None:
    from matplotlib.image import imread

    pixels = imread(path)
    assert pixels.shape[0] > 500
    assert pixels.shape[1] > 800
    assert np.ptp(pixels[..., :3]) > 0.9, "nothing is drawn"


def test_numbers_of_the_report_are_the_robots(brief: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--robot", "puma560", "--plot", str(tmp_path / "arm.png")]) == 0
    shown, robot = capsys.readouterr().out, load("puma560")
    q, v, a = middle(robot)
    for x in robot.inverse_dynamics(q, v, a):
        assert f"{x:.4f}" in shown
    counted = robot.kernel("forward_dynamics").count()
    assert re.search(rf"forward_dynamics +{counted['mul']} +{counted['add']} +{counted['div']}", shown)


@pytest.mark.parametrize("method", [*KERNELS, "integrate"])
def test_every_kernel_is_tied_to_another(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, "panda", method)
    robot = load("panda")
    subject = Subject(robot, end_frame(robot), random_states(robot, 50))
    assert not all(i.evaluate(subject).holds for i in IDENTITIES)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_a_number_does_not_hold(value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Robot, "kinetic_energy", lambda robot, q, v: np.full(np.shape(q)[:-1], value))
    robot = load("double_pendulum")
    subject = Subject(robot, end_frame(robot), random_states(robot, 5))
    with np.errstate(invalid="ignore"):
        held = {i.meaning: i.evaluate(subject).holds for i in IDENTITIES}
    assert not held["kinetic energy"]
    assert not held["power balance"]


def test_a_failed_identity_is_the_exit_status(
    brief: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(monkeypatch, "double_pendulum", "gravity_forces")
    assert main(["demo", "--robot", "double_pendulum", "--plot", str(tmp_path / "arm.png")]) == 1
    shown = capsys.readouterr().out
    assert shown.count("✗ fails") == 1
    assert "1 of 9 identities fail: ∂U/∂q = g" in shown


def test_terminal_gets_a_bar_and_colour(
    brief: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    arguments = ["demo", "--robot", "double_pendulum", "--plot", str(tmp_path / "arm.png")]
    green = "\x1b[32m"
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "compiling inverse_dynamics" in shown
    assert green in shown
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(arguments) == Status.UNWRITABLE and "exists" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0
    assert green not in capsys.readouterr().out


def test_without_matplotlib_all_but_the_plot(
    brief: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [m for m in sys.modules if m.partition(".")[0] == "matplotlib"] + ["matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    picture = tmp_path / "arm.png"
    assert main(["demo", "--robot", "double_pendulum", "--plot", str(picture)]) == 0
    assert "pip install 'sixvec[viz]'" in capsys.readouterr().out
    assert not picture.exists()
    robot = load("double_pendulum")
    with pytest.raises(MissingExtra, match="matplotlib"):
        plot(robot, "tip", release(robot, robot.neutral()), picture)


@pytest.mark.slow
def test_terminal_without_greek_letters(sixvec: Callable[..., Any], tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = sixvec("demo", "--robot", "double_pendulum", "--plot", tmp_path / "arm.png", env=environment)
    assert done.returncode == 0, done.stderr
    assert "ok holds" in done.stdout and "tau" in done.stdout and "?" not in done.stdout


def test_released_robot_keeps_its_energy() -> None:
    robot = load("panda")
    fallen = release(robot, middle(robot).q)
    assert fallen.kinetic.max() > 10.0, "it did not fall"
    assert fallen.drift < 1e-6 * fallen.kinetic.max()


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--robot", "pandda"], 3, 'did you mean "panda"?'),
        (["--plot", "no/such/folder/arm.png"], 4, "which does not exist"),
    ],
)
def test_bad_arguments(arguments: list[str], status: int, words: str, sixvec: Callable[..., Any]) -> None:
    done = sixvec("demo", *arguments)
    assert done.returncode == status
    assert done.stdout == ""
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def synthetic(robot: Robot, total: float = 3.0) -> Release:
    """A path of 41 rows in a plane, with energies that are known: kinetic 2 t, and a total that grows by 0.1 t J."""
    t = np.linspace(0.0, 4.4, 41)
    q = np.stack([0.3 + 0.2 * t, 1.0 - 0.03 * t**2], axis=1)
    return Release(t, q, np.zeros_like(q), 2.0 * t, total - 1.9 * t)


def drawn(monkeypatch: pytest.MonkeyPatch, path: Path, robot: Robot, frame: str, moved: Release) -> tuple[Any, Any]:
    """The figure that `plot` makes, and the options with which it is written."""
    from matplotlib.figure import Figure

    saved: list[tuple[Any, Any]] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, file, **options: saved.append((figure, options)))
    plot(robot, frame, moved, path)
    return saved[0]


def rgb(color: Any) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return to_rgb(color)


def test_the_plot_draws_the_film_of_the_motion(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    robot = load("planar_2r")
    moved = synthetic(robot)
    figure, options = drawn(monkeypatch, tmp_path / "arm.PDF", robot, "tip", moved)
    assert options == {"format": "pdf", "dpi": 160}
    assert figure.get_size_inches().tolist() == [11.0, 6.8]
    heading, film, _ = figure.subfigs
    points = robot.poses(moved.q)[..., :3, 3]
    across = int(np.argmax(np.ptp(points[..., :2].reshape(-1, 2), axis=0)))
    side = points[..., [across, 2]]
    tip, links = robot.frame_names.index("tip"), skeleton(robot)
    assert len(film.axes) == 4
    for i, axes in enumerate(film.axes):
        first, last = 10 * i, 10 * i + 10
        *exposures, path, end = axes.lines
        assert len(exposures) == 12
        for k, line in enumerate(exposures):
            row = first + round(10 * k / 11)
            x, y = line.get_data()
            for j, link in enumerate(links):
                np.testing.assert_array_equal(x[3 * j : 3 * j + 2], side[row, link, 0])
                np.testing.assert_array_equal(y[3 * j : 3 * j + 2], side[row, link, 1])
                assert np.isnan([x[3 * j + 2], y[3 * j + 2]]).all()
            assert (line.get_marker(), line.get_linestyle()) == ("o", "-")
            assert (line.get_linewidth(), line.get_markersize()) == (2.3, 2.8)
            assert line.get_zorder() == pytest.approx(2.0 + k / 11)
        np.testing.assert_allclose(exposures[0].get_color(), (0.81, 0.89, 0.96))
        np.testing.assert_allclose(exposures[-1].get_color(), (0.03, 0.19, 0.42))
        share = 2 * 3 / 11  # of the way from the first colour to the second
        between = [a + share * (b - a) for a, b in zip((0.81, 0.89, 0.96), (0.35, 0.64, 0.86), strict=True)]
        np.testing.assert_allclose(exposures[3].get_color(), between)
        np.testing.assert_array_equal(np.transpose(path.get_data()), side[first : last + 1, tip])
        np.testing.assert_array_equal(np.ravel(end.get_data()), side[last, tip])
        assert rgb(path.get_color()) == rgb(end.get_color()) == rgb("#E69F00")
        assert (path.get_linewidth(), path.get_zorder()) == (1.3, 4)
        assert (end.get_marker(), end.get_markersize(), end.get_zorder()) == ("o", 5, 5)
        assert axes.get_title("left") == f"{1.1 * i:.2f} to {1.1 * (i + 1):.2f} s"
        assert axes.get_xlabel() == f"{'xy'[across]} [m]"
        assert axes.get_aspect() == 1.0
        assert axes.get_xlim() == film.axes[0].get_xlim() and axes.get_ylim() == film.axes[0].get_ylim()
    low, high = side.reshape(-1, 2).min(axis=0), side.reshape(-1, 2).max(axis=0)
    for found, a, b in zip((axes.get_xlim(), axes.get_ylim()), low, high, strict=True):
        assert np.mean(found) == pytest.approx((a + b) / 2)
        assert np.ptp(found) == pytest.approx(1.08 * max(high - low))
    title, note = heading.texts
    assert title.get_text() == "planar_2r, let go at rest"
    assert note.get_text().endswith("Runge-Kutta steps at 1000 Hz; an exposure every 100 ms")  # 1.1 s in 11 parts
    assert (title.get_position(), note.get_position()) == ((0.012, 0.9), (0.012, 0.1))
    assert title.get_fontsize() == 13 and (title.get_va(), note.get_va()) == ("top", "bottom")
    pads = figure.get_layout_engine().get()
    assert (pads["w_pad"], pads["h_pad"]) == (0.09, 0.07)
    grid = heading.get_subplotspec() if hasattr(heading, "get_subplotspec") else heading._subplotspec
    assert [*grid.get_gridspec().get_height_ratios()] == [0.17, 1.0, 0.95]
    assert all(len(axes.get_xticks()) <= 8 for axes in film.axes)
    (legend,) = heading.legends
    assert [x.get_text() for x in legend.get_texts()] == ["early", "late", "path of tip"]
    corner = legend.get_bbox_to_anchor().transformed(heading.transSubfigure.inverted())
    assert (corner.x0, corner.y0) == pytest.approx((0.99, 0.92)) and {
        x.get_linewidth() for x in legend.get_lines()
    } == {2.4}
    shades = [rgb(line.get_color()) for line in legend.get_lines()]
    assert shades == [(0.81, 0.89, 0.96), (0.03, 0.19, 0.42), rgb("#E69F00")]


def test_the_plot_draws_energies_and_joints(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    robot = load("planar_2r")
    moved = synthetic(robot)
    figure, options = drawn(monkeypatch, tmp_path / "arm", robot, "tip", moved)
    assert options["format"] == "png"
    energies, change, joints = figure.subfigs[2].axes
    t = moved.t
    curves = {line.get_label(): line for line in energies.lines}
    wanted = {"kinetic": (2.0 * t, "#E69F00"), "potential": (-1.9 * t, "#0072B2"), "total": (0.1 * t, INK)}
    assert [*curves] == [*wanted]
    for name, (values, color) in wanted.items():
        np.testing.assert_array_equal(curves[name].get_xdata(), t)
        np.testing.assert_allclose(curves[name].get_ydata(), values, atol=1e-14)
        assert rgb(curves[name].get_color()) == rgb(color)
    (line,) = change.lines
    np.testing.assert_allclose(line.get_ydata(), 100.0 * t, atol=1e-11)  # 440 mJ at the end
    assert change.get_ylabel() == "energy [mJ]"
    for i, line in enumerate(joints.lines):
        np.testing.assert_array_equal(line.get_ydata(), moved.q[:, i])
        assert rgb(line.get_color()) == rgb(COLORS[i])
    names = robot.joint_names
    assert len(joints.lines) == len(names) == 2
    assert joints.get_ylabel() == "position [rad]"
    legend = joints.get_legend()
    shown = [x.get_text() for x in legend.get_texts()]
    assert (legend.get_title().get_text(), shown) == ("joint", ["1", "2"])
    for axes in (energies, change, joints):
        assert axes.get_xlabel() == "time [s]" and axes.get_xlim() == (0.0, 4.4)
        box = axes.get_legend().get_bbox_to_anchor().transformed(axes.transAxes.inverted())
        if axes is joints:
            assert 1.0 < box.x0 < 1.1 and box.y0 == pytest.approx(0.5)
        else:
            assert box.x0 == pytest.approx(0.0, abs=1e-9) and 1.0 < box.y0 < 1.1
    widths = [axes.get_subplotspec().get_gridspec().get_width_ratios() for axes in (energies, change, joints)]
    assert [*widths[0]] == [1.0, 0.8, 1.0]


@pytest.mark.parametrize(
    ("energy", "factor", "unit"),
    [
        (999.0, 1.0, "J"),
        (1.0, 1.0, "J"),
        (0.999, 1e3, "mJ"),
        (2e-4, 1e6, "µJ"),
        (1e-6, 1e6, "µJ"),
        (5e-9, 1e9, "nJ"),
        (1e-12, 1e12, "pJ"),
        (0.0, 1e12, "pJ"),
    ],
)
def test_units_of_small_energies(energy: float, factor: float, unit: str) -> None:
    found = demo_plot._unit(energy)
    assert found == (pytest.approx(factor), unit)


def test_names_of_joints_in_the_legend_share_their_start_once() -> None:
    assert demo_plot._common_start(["joint"]) == ""
    assert demo_plot._common_start(["arm_joint1", "arm_joint2"]) == "arm_joint"
    assert demo_plot._common_start(["joint11", "joint12"]) == "joint"
    assert demo_plot._common_start(["left", "right"]) == ""
    assert demo_plot._common_start(["knee", "kn"]) == "kn"


@pytest.mark.parametrize(
    ("name", "unit"), [("planar_2r", "rad"), ("cart_pole", "rad or m"), ("slider_crank", "rad or m")]
)
def test_units_of_positions(name: str, unit: str) -> None:
    assert demo_plot._position_unit(load(name)) == unit


def test_a_plot_of_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    robot = load("planar_2r")
    with pytest.raises(ArgumentError, match="cannot draw the plot"):
        plot(robot, "tip", synthetic(robot), tmp_path / "arm.nothing")


def test_rows_of_a_release_end_before_the_first_that_overflows() -> None:
    q, v = np.zeros((5, 2)), np.zeros((5, 2))
    assert _finite_rows(q, v) == 5
    v[3, 1] = np.inf
    assert _finite_rows(q, v) == 3
    q[2, 0] = np.nan
    assert _finite_rows(q, v) == 2


def test_a_release_begins_at_rest_and_lasts_two_seconds() -> None:
    robot = load("planar_2r")
    q = np.array([0.4, 0.2])
    fallen = release(robot, q)
    assert len(fallen.t) == len(fallen.q) == len(fallen.v) == 2001
    assert (fallen.t[0], fallen.t[1], fallen.t[-1]) == (0.0, 0.001, 2.0)
    np.testing.assert_array_equal(fallen.q[0], q)
    assert not fallen.v[0].any()
    a = robot.forward_dynamics(q, np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(fallen.q[1], q + 5e-7 * a, rtol=0, atol=1e-10)
    np.testing.assert_allclose(fallen.total, fallen.kinetic + fallen.potential)
    assert story(fallen).startswith(
        "From rest at q, without motors, friction or joint stops, for 2 s: 2000 Runge-Kutta"
    )


def test_numbers_in_tables() -> None:
    assert [tables.number(x).plain for x in (np.inf, -np.inf, 0.0, -0.0004, 0.0005001, 1.23456)] == [
        "∞", "-∞", "0", "0", "0.001", "1.235",
    ]  # fmt: skip
    assert tables.number(12.0, 0).plain == "12"
    assert [tables._joined(x).plain for x in ([1.0, 1.0], [1.0, 2.0], [np.inf], [-np.inf, -np.inf], [np.pi])] == [
        "1", "…", "∞", "-∞", "3.142",
    ]  # fmt: skip


def cells(table: Any) -> list[list[str]]:
    """Headings and rows of a table, as plain text."""
    columns = [[str(x) for x in column.cells] for column in table.columns]
    return [[str(column.header) for column in table.columns], *map(list, zip(*columns, strict=True))]


def test_large_matrices_are_shown_by_their_corner() -> None:
    M = np.arange(81.0).reshape(9, 9) + 1.0
    names = [*"abcdefghi"]
    small, large = (
        cells(tables.matrix_table(M[:8, :8], names[:8], names[:8])),
        cells(tables.matrix_table(M, names, names)),
    )
    assert small[0] == ["", *"abcdefgh"] and len(small) == 9
    assert small[8] == ["h", *(f"{x:.3f}" for x in M[7, :8])]
    assert large[0] == ["", *"abcdefgh", "…"] and len(large) == 10
    assert large[2] == ["b", *(f"{x:.3f}" for x in M[1, :8]), "…"]
    assert large[9][0] == "…"
    vectors = cells(tables.columns_table(["1", "2"], {"v": np.array([0.5, 0.0]), "a": np.array([1.0, 2.00004])}))
    assert vectors == [["", "v", "a"], ["1", "0.5000", "1.0000"], ["2", "0", "2.0000"]]
    assert tour_vector(np.arange(1.0, 9.0)) == "1, 2, 3, 4, 5, 6, 7, 8"
    assert tour_vector(np.arange(1.0, 10.0)) == "1, 2, 3, 4, 5, 6, 7, 8, …"


def test_tables_of_joints_counts_and_speeds() -> None:
    robot = load("cart_pole")
    shown = cells(tables.robot_table(robot))
    assert shown[0] == ["#", "joint", "kind", "lower", "upper", "speed", "effort"]
    for i, row in enumerate(shown[1:]):
        joint = robot.model.moving[i].joint
        assert row[:3] == [str(i + 1), robot.joint_names[i], type(joint).__name__.lower()]
        limits = (robot.lower[i], robot.upper[i], robot.velocity_limits[i], robot.effort_limits[i])
        assert row[3:] == [f"{x:.4g}" if np.isfinite(x) else "∞" if x > 0 else "-∞" for x in limits]
    kernel = robot.kernel("mass_matrix")
    count = kernel.count()
    (_, row) = cells(tables.counts_table([kernel], {"mass_matrix": 0.012}))
    assert row[0] == "mass_matrix" and row[-1] == "12"
    assert row[1:6] == [str(count.get(kind, 0)) for kind in ("mul", "add", "div", "sin", "cos")]
    one = demo_speed.Speed("pose", 1.5e-6, 2.5e-8, 4e-9)
    for cores, words in ((1, "1 core\n"), (2, "2 cores\n")):
        heading, row = cells(tables.speed_table([one], cores))
        assert words in heading[3]
        assert row == ["pose", "1500", "25.0", "250.0"]
    table = tables.robot_table(robot)
    assert [c.justify for c in table.columns] == ["left"] * 3 + ["right"] * 4
    assert [c.no_wrap for c in table.columns] == [False] * 3 + [True] * 4
    assert [c.justify for c in tables.columns_table(["1"], {"v": np.ones(1)}).columns] == ["left", "right"]


def test_a_robot_without_joints_is_refused_by_the_demo(tmp_path: Path) -> None:
    file = tmp_path / "still.urdf"
    file.write_text('<robot name="still"><link name="base"/></robot>')
    with pytest.raises(ArgumentError, match="no joint that moves"):
        tour(str(file), tmp_path / "arm.png")


def test_times_of_the_demo_are_per_sample_and_threads_are_given_back(
    brief: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_speed, "BATCH", 4)
    monkeypatch.setattr(demo_speed, "LARGE_BATCH", 8)
    bounds: list[int] = []
    monkeypatch.setattr(demo_speed, "set_threads", bounds.append)
    monkeypatch.setattr(demo_speed, "_seconds", lambda robot, frame, method, shape: 6.0 * (1 + len(shape)))
    found = demo_speed.speed(load("planar_2r"), "tip", "pose")
    assert found == demo_speed.Speed("pose", 6.0, 3.0, 1.5)
    assert bounds == [1, os.cpu_count() or 1, demo_speed.cores(), os.cpu_count() or 1]


def test_a_call_is_repeated_until_it_lasts_a_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_speed, "SLICE", 1.0)
    monkeypatch.setattr(demo_speed, "REPEATS", 4)
    asked: list[tuple[str, int, int]] = []

    class Clock:
        def __init__(self, text: str, globals: dict[str, Any]) -> None:
            self.text = text

        def repeat(self, repeat: int, number: int) -> list[float]:
            asked.append((self.text, repeat, number))
            return [0.25 * number * (1 + i) for i in range(repeat)]

    monkeypatch.setattr(demo_speed, "Timer", Clock)
    robot = load("planar_2r")
    assert demo_speed._seconds(robot, "tip", "pose", ()) == 0.25
    assert asked == [("f(q, frame)", 2, 3), ("f(q, frame)", 4, 4)]
    asked.clear()
    monkeypatch.setattr(demo_speed, "SLICE", 0.01)
    assert demo_speed._seconds(robot, "tip", "mass_matrix", (2,)) == 0.25
    assert asked == [("f(q, out=out)", 2, 3), ("f(q, out=out)", 4, 1)]


def test_the_table_of_identities() -> None:
    robot = load("double_pendulum")
    subject = Subject(robot, end_frame(robot), random_states(robot, 5))
    good = IDENTITIES[0].evaluate(subject)
    bad = replace(good, residual=1.0)
    heading, *rows = cells(tables.identities_table([good, bad]))
    assert heading == ["identity", "what it says", "residual", "bound", "verdict"]
    assert [row[-1] for row in rows] == ["✓ holds", "✗ fails"]
    assert rows[1][:4] == [good.statement, good.meaning, "1.0e+00", f"{good.tolerance:.0e}"]


def test_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3, 5} if process == 0 else set(), raising=False)
    assert demo_speed.cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert demo_speed.cores() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert demo_speed.cores() == 1
