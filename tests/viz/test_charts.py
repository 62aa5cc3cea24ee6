"""Charts show the numbers that they are given, and refuse what they cannot draw."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from naming import named
from sixvec import Model, Robot, convert, load, viz
from sixvec.errors import ArgumentError, DtypeError, ModelError, ShapeError
from sixvec.geometry.rigid_body.solids import Sphere
from sixvec.model.coordinate_names import coordinate_names
from sixvec.model.geom import Geom, Material
from sixvec.viz.path import pictures

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

ARM = load("planar_2r")


def axes() -> object:
    return Figure().subplots()


def test_a_joint_path_has_its_numbers_and_its_limits() -> None:
    panda = load("panda")
    q = np.linspace(panda.lower, panda.upper, 30)
    ax = viz.draw_joint_path(panda, q, 0.1, axes(), joints=["panda_joint2"])
    curve, low, high = ax.lines
    assert np.array_equal(curve.get_ydata(), q[:, 1]) and np.isclose(curve.get_xdata()[-1], 2.9)
    assert low.get_ydata()[0] == panda.lower[1] and high.get_ydata()[0] == panda.upper[1]
    with pytest.raises(ArgumentError, match=named("draw_joint_path", "panda", "elbow", "panda_joint1")):
        viz.draw_joint_path(panda, q, 0.1, axes(), joints=["elbow"])


def test_lines_differ_without_colour() -> None:
    panda = load("panda")
    ax = viz.draw_joint_path(panda, panda.random(0, 5), 0.1, axes())
    styles = {(line.get_linestyle(), line.get_color()) for line in ax.lines[:7]}
    assert len(styles) >= 4


def test_the_ellipsoid_has_the_singular_values_of_the_jacobian() -> None:
    panda = load("panda")
    q = panda.random(0)
    ax = viz.draw_manipulability(panda, q, "panda_link8", viz.scene(Figure()), size=0.5, figure=False)
    drawn = sorted(np.linalg.norm(np.ptp(np.array(line.get_data_3d()), axis=1)) / 2 for line in ax.lines)
    values = np.sort(np.linalg.svd(panda.jacobian(q, "panda_link8")[3:], compute_uv=False))
    assert np.allclose(drawn, 0.5 * values / values.max())
    forces = viz.draw_manipulability(panda, q, "panda_link8", viz.scene(Figure()), kind="force", figure=False)
    drawn = sorted(np.linalg.norm(np.ptp(np.array(line.get_data_3d()), axis=1)) / 2 for line in forces.lines)
    assert np.allclose(drawn, 0.3 * np.sort(1 / values) * values.min())
    with pytest.raises(ArgumentError, match=named("draw_manipulability", "kind", "velocity", "force")):
        viz.draw_manipulability(panda, q, "panda_link8", kind="speed")  # type: ignore[arg-type]


def test_operation_counts_are_those_of_the_kernels() -> None:
    ax = viz.draw_operation_counts(ARM, ["inverse_dynamics", "pose"], axes())
    count = ARM.kernel("inverse_dynamics").count()
    assert [bar.get_width() for bar in ax.patches[::2]] == [count["mul"], count["add"]]


def test_a_tree_has_its_bodies_and_loops() -> None:
    ax = viz.draw_tree(load("four_bar"), axes())
    assert {text.get_text() for text in ax.texts} == {"world", *(b.name for b in load("four_bar").model.bodies)}
    assert [line.get_linestyle() for line in ax.lines].count("--") == 1


def test_a_slice_keeps_what_is_near_the_plane() -> None:
    points = np.array([[0.0, 0.04, 1.0], [0.0, 0.06, 2.0], [3.0, -0.04, 0.0]])
    ax = viz.draw_workspace_slice(points, [1.0, 2.0, 3.0], axes())
    assert ax.collections[0].get_offsets().tolist() == [[0.0, 1.0], [3.0, 0.0]]
    for colours in (np.eye(3), np.c_[np.eye(3), [0.5, 0.6, 0.7]]):
        marks = viz.draw_workspace_slice(points, colours, axes()).collections[0]
        assert marks.get_facecolors()[:, : colours.shape[1]].tolist() == colours[[0, 2]].tolist()
    with pytest.raises(ShapeError, match=named("draw_workspace_slice", "values")):
        viz.draw_workspace_slice(points, np.ones((3, 2)), axes())
    with pytest.raises(ArgumentError, match=named("draw_workspace_slice", "across", "x", "y")):
        viz.draw_workspace_slice(points, across="w")
    with pytest.raises(ShapeError, match="centers"):
        viz.draw_workspace_slice([1.0, 2.0])


def test_bad_input_is_named() -> None:
    with pytest.raises(ShapeError, match=named("draw_phase", "v")):
        viz.draw_phase([0.0, 1.0], [0.0], axes())
    with pytest.raises(ArgumentError, match="chart"):
        viz.draw_phase([0.0], [0.0], viz.scene(Figure()))
    with pytest.raises(ShapeError, match=named("draw_robot", "q")):
        viz.draw_robot(ARM, [0.0, 0.0, 0.0])


def test_a_robot_is_drawn_where_its_kinematics_says() -> None:
    ax = viz.draw_robot(ARM, [0.3, 0.5], viz.scene(Figure()), shapes=False)
    tip = ARM.pose([0.3, 0.5], "tip")[:3, 3]
    ends = np.concatenate([np.array(line.get_data_3d()).T for line in ax.lines])
    assert np.abs(ends - tip).max(axis=1).min() < 1e-12
    shapes = viz.draw_robot(ARM, [0.3, 0.5], viz.scene(Figure()))
    assert len(shapes.collections[0].get_facecolor()) > 50


def test_a_ghost_of_a_robot_is_as_transparent_as_it_should_be() -> None:
    whole, ghost = (
        viz.draw_robot(ARM, [0.3, 0.5], viz.scene(Figure()), alpha=alpha).collections[0].get_facecolor()
        for alpha in (1.0, 0.4)
    )
    assert np.allclose(ghost[:, 3], 0.4 * whole[:, 3]) and np.array_equal(ghost[:, :3], whole[:, :3])


def test_what_is_not_a_robot_and_what_has_no_joints_raises() -> None:
    for draw in (viz.draw_tree, viz.draw_mass_matrix, viz.draw_operation_counts):
        with pytest.raises(ArgumentError, match=named(draw.__name__, "panda")):
            draw("panda")
    with pytest.raises(ArgumentError, match=named("convert", "panda")):
        convert(np.zeros(7), "panda", to="mujoco")  # type: ignore[arg-type]
    still = Robot(Model("still", bodies=()))
    with pytest.raises(ModelError, match="still"):
        viz.draw_mass_matrix(still)


def test_a_colour_of_bytes_is_shown_as_the_nearest_one() -> None:
    bright = Geom("link1", Sphere(0.1), material=Material("red", (255.0, 0.0, -1.0, 1.0)))
    robot = Robot(replace(ARM.model, geoms=(bright,)))
    (surface,) = viz.draw_robot(robot, [0.0, 0.0], viz.scene(Figure())).collections
    assert surface.get_facecolor().max() <= 1.0


def test_limits_are_shown_within_reach_of_the_motion() -> None:
    limited = load("planar_2r").with_limits(ARM.joint_names[0], lower=-1.0, upper=2.0)

    def shown(*q: float) -> list[float]:
        path = np.stack([q, np.zeros(len(q))], 1)
        ax = viz.draw_joint_path(limited, path, 0.1, axes(), joints=[ARM.joint_names[0]])
        return [float(line.get_ydata()[0]) for line in ax.lines[1:]]

    assert shown(0.0, 0.9) == [] and shown(0.0, 1.1) == [-1.0, 2.0] and shown(0.5, 1.4) == [2.0]
    assert shown(1.85, 1.85) == [2.0] and shown(1.75, 1.75) == [] and shown(-0.85, -0.85) == [-1.0]


def test_units_of_a_joint_path() -> None:
    cart = load("cart_pole")
    path = np.zeros((3, cart.nq))
    units = {n: viz.draw_joint_path(cart, path, 0.1, axes(), joints=[n]).get_ylabel() for n in cart.joint_names}
    assert sorted(units.values()) == ["position [m]", "position [rad]"]
    assert viz.draw_joint_path(cart, path, 0.1, axes()).get_ylabel() == "position [rad or m]"
    one = viz.draw_joint_path(cart, path[:1], 0.1, axes())
    assert one.get_xlim() == (0.0, 0.1) and one.get_legend() is not None
    humanoid = load("humanoid")
    names = coordinate_names(humanoid.model, "q")
    for count in (12, 13):
        ax = viz.draw_joint_path(humanoid, humanoid.neutral()[None], 0.1, axes(), joints=names[:count])
        assert (ax.get_legend() is not None) == (count == 12)


def test_slices_along_every_axis_and_workspaces_of_wrong_shapes() -> None:
    points = np.array([[0.1, 0.2, 0.3], [0.6, 0.7, 0.8]])
    seen = {"x": [0.2, 0.3], "y": [0.1, 0.3], "z": [0.1, 0.2]}
    for k, (across, offset) in enumerate(seen.items()):
        ax = viz.draw_workspace_slice(points, ax=axes(), across=across, at=points[0, k] + 0.1, thickness=0.3)
        assert ax.collections[0].get_offsets().tolist() == [offset]
        assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(f"{c} [m]" for c in "xyz" if c != across)
    for wrong in (points[:, :2], points[0], points[None], points[:0]):
        with pytest.raises(ShapeError, match="centers"):
            viz.draw_workspace(viz.scene(Figure()), wrong)
    for wrong in (points[:, :2], points[0], points[None]):
        with pytest.raises(ShapeError, match="centers"):
            viz.draw_workspace_slice(wrong)
    with pytest.raises(ArgumentError, match=named("draw_workspace", "centers")):
        viz.draw_workspace(viz.scene(Figure()), points * np.array([1.0, np.nan, 1.0]))
    with pytest.raises(ShapeError, match=named("draw_workspace", "values")):
        viz.draw_workspace(viz.scene(Figure()), points, [1.0])


@pytest.mark.parametrize(
    ("count", "dt", "kept", "between"),
    [
        (5, 0.1, [0, 1, 2, 3, 4], 0.1),
        (8, 0.01, [0, 4, 7], 0.035),
        (7, 0.01, [0, 3, 6], 0.03),
        (100, 0.001, [0, 33, 66, 99], 0.033),
        (2, 0.001, [0, 1], 0.001),
        (1, 0.001, [0], 0.001),
    ],
)
def test_pictures_at_the_rate_of_a_screen(count: int, dt: float, kept: list[int], between: float) -> None:
    shown, step = pictures(np.arange(count)[:, None], dt, "play")
    assert shown[:, 0].tolist() == kept and np.isclose(step, between)
    assert np.isclose(step * (len(kept) - 1), (count - 1) * dt), "the last picture is shown at its time"
    for wrong in (0.0, -0.1, np.nan, np.inf, "1"):
        with pytest.raises((ArgumentError, DtypeError), match=named("dt")):
            pictures(np.zeros((2, 1)), wrong, "play")  # type: ignore[arg-type]


def test_charts_in_figures_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their sizes in inches, and the style of new axes."""
    import matplotlib
    from matplotlib import pyplot

    opened: list[tuple[float, float]] = []
    style: dict[str, object] = {}

    def subplots(figsize: tuple[float, float], layout: str) -> tuple[Figure, object]:
        opened.append(figsize)
        style.update(matplotlib.rcParams)
        figure = Figure(figsize=figsize, layout=layout)
        return figure, figure.subplots()

    monkeypatch.setattr(pyplot, "subplots", subplots)
    viz.draw_joint_path(ARM, np.zeros((3, 2)), 0.1)
    viz.draw_phase([0.0, 1.0], [0.0, 1.0])
    viz.draw_operation_counts(ARM, ["pose", "mass_matrix"])
    viz.draw_mass_matrix(ARM)
    viz.draw_tree(ARM)
    viz.draw_tree(load("humanoid"))
    viz.draw_workspace_slice(np.zeros((2, 3)))
    values = np.ones(4)
    found = SimpleNamespace(values=values, standard_errors=values, base=SimpleNamespace(names=[*"abcd"]))
    viz.draw_base_parameters(found)  # type: ignore[arg-type]
    leaves = sum(not load("humanoid").model.children(b.name) for b in load("humanoid").model.bodies)
    levels = max(len(load("humanoid").model.path(b.name)) for b in load("humanoid").model.bodies)
    assert [tuple(round(x, 9) for x in size) for size in opened] == [
        (6.0, 3.6), (4.2, 3.8), (6.0, 1.3), (4.4, 4.2), (3.0, 2.5),
        (1.3 * leaves, round(0.55 * (1 + levels), 9)), (4.6, 4.2), (6.5, 1.68),
    ]  # fmt: skip
    for name, value in {
        "font.size": 9.0, "axes.titlesize": 9.5, "axes.titlelocation": "left", "axes.spines.top": False,
        "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True, "grid.linewidth": 0.7,
        "lines.linewidth": 1.6, "lines.solid_capstyle": "round", "legend.frameon": False, "legend.handlelength": 1.8,
        "legend.columnspacing": 1.4, "legend.borderaxespad": 0.0,
    }.items():  # fmt: skip
        assert style[name] == value, name


def test_given_axes_get_the_style() -> None:
    ax = viz.draw_phase([0.0, 1.0], [0.0, 1.0], axes())
    assert [ax.spines[side].get_visible() for side in ("left", "bottom", "top", "right")] == [True, True, False, False]
    (first, *_) = ax.get_xgridlines()
    assert first.get_visible() and first.get_linewidth() == 0.7 and ax.get_axisbelow() is True
