"""Sampled workspaces against those that are known."""

from __future__ import annotations

import inspect
from dataclasses import replace

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import viz
from sixvec.analysis import Workspace, workspace
from sixvec.analysis.workspace import _best_cell, _sphere
from sixvec.errors import ArgumentError, ShapeError
from sixvec.model import Body, Frame, Limits, Model
from sixvec.model.joints import Revolute
from sixvec.solve import Metric
from sixvec.spatial import Pose, Vec3
from sixvec.viz.workspace import draw_workspace


@pytest.fixture(scope="module")
def disc() -> Workspace:
    """Two bars of length 1 reach a disc of radius 2, in one orientation for each elbow."""
    return workspace(sixvec.load("planar_2r"), "tip", Metric.from_length(1.0, 2), samples=20_000, cell=0.1)


@pytest.mark.covers("CHAIN-02")
def test_two_bars_reach_a_disc(disc: Workspace) -> None:
    low, high = disc.lower, disc.upper
    np.testing.assert_allclose(high[[0, 2]], 2.0, atol=1e-2)
    np.testing.assert_allclose(low[[0, 2]], -2.0, atol=1e-2)
    assert disc.volume / 0.1 == pytest.approx(np.pi * 4.0, rel=0.02)
    r = np.array([0.5, 1.0, 1.8, 2.2])
    assert disc.contains(np.stack([r, 0 * r, 0 * r], axis=1)).tolist() == [True, True, True, False]
    assert not disc.contains([1.0, 0.5, 0.0])  # off the plane


def spherical(upper: float, fore: float) -> sixvec.Robot:
    """Waist, shoulder and elbow: the tip reaches every point between two spheres, of volume 4/3 π (R³ - r³)."""
    waist, bend = Revolute(Vec3(0.0, 0.0, 1.0)), Revolute(Vec3(0.0, 1.0, 0.0))
    bodies = (
        Body("waist", None, waist), Body("upper", "waist", bend),
        Body("fore", "upper", bend, Pose.translation(Vec3(upper, 0.0, 0.0))),
    )  # fmt: skip
    return sixvec.Robot(Model("3r", bodies, (Frame("tip", "fore", Pose.translation(Vec3(fore, 0.0, 0.0))),)))


@pytest.mark.every(2)
@pytest.mark.covers("CHAIN-02")
@pytest.mark.parametrize(("upper", "fore"), [(1.0, 1.0), (1.2, 0.5), (0.3, 0.2), (0.003, 0.002)])
def test_the_volume_of_an_arm_with_three_joints_is_known_to_its_error(upper: float, fore: float) -> None:
    """Without being told the size of cells, whatever the size of the arm."""
    arm, metric = spherical(upper, fore), Metric.from_length(upper, 3)
    expected = 4.0 / 3.0 * np.pi * ((upper + fore) ** 3 - (upper - fore) ** 3)
    for samples, good in ((20_000, 0.15), (100_000, 0.1)):
        w = workspace(arm, "tip", metric, samples=samples)
        assert abs(w.volume - expected) < w.volume_error < good * expected
    assert inspect.signature(workspace).parameters["samples"].default == 100_000


@pytest.mark.covers("CHAIN-02")
def test_cells_too_small_for_the_samples_say_nothing_about_the_volume() -> None:
    w = workspace(spherical(1.0, 1.0), "tip", Metric.from_length(1.0, 3), samples=5000, cell=0.05)
    assert w.volume_error == np.inf and "± inf" in repr(w)


@pytest.mark.covers("CHAIN-02")
def test_samples_are_where_they_say(disc: Workspace) -> None:
    arm = sixvec.load("planar_2r")
    np.testing.assert_array_equal(disc.poses, arm.pose(disc.q, "tip"))
    assert disc.contains(disc.points).all()


@pytest.mark.covers("CHAIN-02")
def test_joint_limits_cut_a_hole_into_the_disc() -> None:
    """An elbow bent by at most a right angle keeps the tip √2 from the shoulder, and all samples within the limits."""
    arm = sixvec.load("planar_2r")
    limited = tuple(
        replace(b, limits=Limits((-np.pi / 2,), (np.pi / 2,))) if b.name == "link2" else b for b in arm.model.bodies
    )
    bent = sixvec.Robot(replace(arm.model, bodies=limited))
    ring = workspace(bent, "tip", Metric.from_length(1.0, 2), samples=5000, cell=0.1)
    assert (ring.q >= bent.lower).all() and (ring.q <= bent.upper).all()
    radius = np.linalg.norm(ring.points, axis=1)
    assert radius.min() == pytest.approx(np.sqrt(2), abs=1e-2) and radius.min() >= np.sqrt(2) - 1e-12
    assert not ring.contains([1.0, 0.0, 0.0]) and ring.contains([1.7, 0.0, 0.0])


@pytest.mark.covers("CHAIN-02")
def test_the_two_definitions_of_dexterity_differ() -> None:
    """Directions of approach lie in a plane for a planar arm; a 7-joint arm serves most where it is not stretched."""
    planar = sixvec.load("planar_2r")
    metric = Metric.from_length(1.0, 2)
    flat = workspace(planar, "tip", metric, samples=3000, cell=0.2)
    assert flat.service.max() < 0.5
    arm = sixvec.load("panda")
    space = workspace(arm, "panda_link8", Metric.from_length(0.2, 7), samples=30_000, cell=0.25)
    by_rank, by_service = space.dexterous(mobility=0.02), space.dexterous(service=0.8)
    assert by_rank.any() and by_service.any()
    assert (by_rank != by_service).any()
    best = space.centers[space.service == space.service.max()]
    radius = np.linalg.norm(best - [0.0, 0.0, 0.333], axis=1)
    assert radius.max() < np.linalg.norm(space.points - [0.0, 0.0, 0.333], axis=1).max() - 0.1
    with pytest.raises(ArgumentError, match="dexterous"):
        space.dexterous()


def test_more_samples_never_shrink_it() -> None:
    arm, metric = sixvec.load("panda"), Metric.from_length(0.2, 7)
    few, many = (workspace(arm, "panda_link8", metric, samples=n, cell=0.2) for n in (500, 5000))
    assert few.volume < many.volume


@pytest.mark.parametrize(("samples", "cell", "message"), [(0, 0.1, "sample"), (10, 0.0, "cell"), (10, 1e-9, "small")])
def test_impossible_grids_raise(samples: int, cell: float, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        workspace(sixvec.load("planar_2r"), "tip", Metric.from_length(1.0, 2), samples=samples, cell=cell)


def test_points_need_three_coordinates(disc: Workspace) -> None:
    with pytest.raises(ShapeError, match="points"):
        disc.contains([1.0, 2.0])


@pytest.mark.covers("CHAIN-02")
def test_the_picture_holds_every_cell(disc: Workspace) -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    ax = viz.scene(figure)
    marks = draw_workspace(ax, disc.centers, disc.mobility)
    np.testing.assert_array_equal(marks.get_array(), disc.mobility)
    low, high = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()]).T
    assert (disc.centers >= low).all() and (disc.centers <= high).all()
    figure.canvas.draw()
    with pytest.raises(ShapeError, match=named("draw_workspace", "values")):
        draw_workspace(ax, disc.centers, [1.0])
    with pytest.raises(ShapeError, match=named("draw_workspace", "centers")):
        draw_workspace(ax, [1.0, 2.0, 3.0])
    with pytest.raises(ArgumentError, match=named("draw_workspace", "centers")):
        draw_workspace(ax, [[np.nan, 0.0, 0.0]])


def counted(points: np.ndarray, hits: list[int], cell: float) -> Workspace:
    """Samples at the centres of cells, so many in each."""
    places = np.repeat(points, hits, axis=0) * cell
    poses = np.tile(np.eye(4), (len(places), 1, 1))
    poses[:, :3, 3] = places
    return Workspace(np.zeros((len(places), 1)), poses, np.arange(1.0, len(places) + 1.0), cell)


@pytest.mark.covers("CHAIN-02")
def test_volumes_of_a_few_cells_by_hand() -> None:
    """A cube of 27 cells has one inside; of those never hit, Chao expects  5·4 / (2·(3 + 1))."""
    cube = np.array([[x, y, z] for x in (-2, -1, 0) for y in (4, 5, 6) for z in (0, 1, 2)], float)
    w = counted(cube, [1] * 5 + [2] * 3 + [3] * 19, 0.5)
    assert w.volume == pytest.approx((27 - 13) * 0.125)
    assert w.volume_error == pytest.approx((2.5 + 26 / 4) * 0.125)
    assert w.centers.tolist() == (cube * 0.5).tolist()
    assert w.mobility[[0, 4, 5, 8, 26]].tolist() == [1.0, 5.0, 7.0, 14.0, 68.0]
    flat = np.array([[x, 0, z] for x in range(4) for z in range(4)], float)
    assert counted(flat, [3] * 16, 0.5).volume == pytest.approx((16 - 12 / 2) * 0.125)
    row = counted(np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 2]]), [1, 2, 1], 1.0)  # half are alone, not more
    assert row.volume_error == pytest.approx(2 * 1 / (2 * 2) + 2 / 4)
    assert counted(np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 2]]), [1, 1, 1], 1.0).volume_error == np.inf


@pytest.mark.covers("CHAIN-02")
def test_service_is_the_share_of_directions_spread_over_the_sphere() -> None:
    e = _sphere()
    z, angle = 1.0 - 1.0 / 32.0, np.pi * (3.0 - np.sqrt(5.0)) / 2.0
    first = [np.sqrt(1.0 - z * z) * np.cos(angle), np.sqrt(1.0 - z * z) * np.sin(angle), z]
    assert e.shape == (32, 3) and e[0] == pytest.approx(first) and e[:, 2].sum() == pytest.approx(0.0)
    assert np.linalg.norm(e, axis=1) == pytest.approx(1.0)
    assert np.sort(e @ e.T, axis=1)[:, -2].max() < np.cos(0.4)
    w = counted(np.array([[0.0, 0, 0], [0, 0, 1]]), [32, 8], 1.0)
    w.poses[:, :3, 2] = [*e, *e[:4], *e[:4]]
    assert w.service.tolist() == [1.0, 0.125]
    assert w.dexterous(service=1.0).tolist() == [True, False] and w.dexterous(service=0.0).all()
    assert w.dexterous(mobility=32.0).tolist() == [False, True]


@pytest.mark.covers("CHAIN-02")
def test_the_side_of_cells_is_the_best_of_thirteen() -> None:
    points = np.random.default_rng(0).uniform(-1.0, 1.0, (3000, 3))
    poses = np.tile(np.eye(4), (3000, 1, 1))
    poses[:, :3, 3] = points
    q, extent = np.zeros((3000, 1)), np.ptp(points, axis=0).max()
    tried = [Workspace(q, poses, q[:, 0], extent / 2.0 ** (2.0 + k / 2.0)) for k in range(13)]
    best = min(tried, key=lambda w: w.volume_error / w.volume)
    assert _best_cell(q, poses) == pytest.approx(best.cell) and 1 < tried.index(best) + 1 < 13
    assert _best_cell(q, np.tile(np.eye(4), (3, 1, 1))) == 1.0


def test_the_finest_grid() -> None:
    arm, metric = sixvec.load("planar_2r"), Metric.from_length(1.0, 2)
    farthest = np.abs(workspace(arm, "tip", metric, samples=5, cell=1.0).points).max()
    assert workspace(arm, "tip", metric, samples=5, cell=1.01 * farthest / 2**20).volume > 0.0
    with pytest.raises(ArgumentError, match="cells"):
        workspace(arm, "tip", metric, samples=5, cell=0.99 * farthest / 2**20)
