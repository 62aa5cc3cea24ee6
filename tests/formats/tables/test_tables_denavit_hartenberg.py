"""Denavit-Hartenberg tables: the transform, the three conventions, the choices, and what no row can describe."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from table_arms import deviation, forces, matrix, poses

import sixvec
from naming import named
from random_trees import random_pose
from sixvec.errors import ArgumentError, DegenerateError, ModelError
from sixvec.formats.tables import (
    BookRow,
    DHRow,
    DHTable,
    Link,
    PoERow,
    PoETable,
    dh_row_of,
    dh_transform,
    modified_dh_transform,
)
from sixvec.geometry.dh_line import DHLine
from sixvec.geometry.line import Line
from sixvec.geometry.point import Point
from sixvec.model import Body, Frame, Mimic, Model
from sixvec.model.edits import reorder
from sixvec.model.joints import Helical, Revolute
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3
from tolerances import ROUNDING

QUARTER = math.pi / 2

PUMA = (
    (0.0, 0.0, 0.0, QUARTER),
    (0.0, 0.0, 0.4318, 0.0),
    (0.0, 0.15005, 0.0203, -QUARTER),
    (0.0, 0.4318, 0.0, QUARTER),
    (0.0, 0.0, 0.0, -QUARTER),
    (0.0, 0.0, 0.0, 0.0),
)
"""θ, d, a, α of the Puma 560, classic (Corke and Armstrong-Hélouvry 1994)."""

PANDA = (
    (0.0, 0.333, 0.0, 0.0),
    (0.0, 0.0, 0.0, -QUARTER),
    (0.0, 0.316, 0.0, QUARTER),
    (0.0, 0.0, 0.0825, QUARTER),
    (0.0, 0.384, -0.0825, -QUARTER),
    (0.0, 0.0, 0.0, QUARTER),
    (0.0, 0.0, 0.088, QUARTER),
)
"""θ, d, a, α of the Panda, modified (the maker's documentation); the flange is 0.107 m further along z."""

FLANGE = Pose.translation(Vec3(0.0, 0.0, 0.107))


def turn(axis: int, angle: float) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = [Rotation.about_x, Rotation.about_y, Rotation.about_z][axis](angle).as_matrix()
    return T


def shift(axis: int, by: float) -> np.ndarray:
    T = np.eye(4)
    T[axis, 3] = by
    return T


@pytest.mark.covers("CHAIN-04")
def test_the_transforms_are_the_four_elementary_motions() -> None:
    rng = np.random.default_rng(0)
    for theta, d, a, alpha in rng.uniform(-3.0, 3.0, (50, 4)).tolist():
        classic = turn(2, theta) @ shift(2, d) @ shift(0, a) @ turn(0, alpha)
        np.testing.assert_allclose(matrix(dh_transform(theta, d, a, alpha)), classic, atol=ROUNDING)
        craig = turn(0, alpha) @ shift(0, a) @ turn(2, theta) @ shift(2, d)
        np.testing.assert_allclose(matrix(modified_dh_transform(alpha, a, theta, d)), craig, atol=ROUNDING)
        frame = DHLine(d=a, h=d, alpha=theta, theta=alpha).frame()
        np.testing.assert_allclose(matrix(frame), classic, atol=ROUNDING)


@pytest.mark.covers("CHAIN-04")
def test_the_y_of_the_position_is_d_sin_alpha_where_the_book_prints_zero() -> None:
    assert dh_transform(0.7, 0.1, 0.5, 0.3).pos.y == pytest.approx(0.5 * math.sin(0.7))


@pytest.mark.covers("CHAIN-04")
def test_the_books_letters_swap_the_angles() -> None:
    theirs = BookRow(alpha=0.1, h=0.2, d=0.3, theta=0.4)
    assert theirs.in_usual_letters() == DHRow(theta=0.1, d=0.2, a=0.3, alpha=0.4)
    assert theirs.in_usual_letters().in_book_letters() == theirs
    book = DHTable((theirs, theirs), "book").as_model()
    usual = DHTable((theirs.in_usual_letters(),) * 2, "classic").as_model()
    assert book == usual


@pytest.mark.covers("CHAIN-04", "Bruyninckx (5.5)-(5.6)")
def test_a_row_and_its_transform() -> None:
    rng = np.random.default_rng(1)
    for theta, d, a, alpha in rng.uniform(-3.0, 3.0, (50, 4)).tolist():
        row = dh_row_of(dh_transform(theta, d, a, alpha))
        np.testing.assert_allclose((row.theta, row.d, row.a, row.alpha), (theta, d, a, alpha), atol=ROUNDING)


@pytest.mark.covers("CHAIN-04")
def test_most_poses_have_no_row() -> None:
    X = random_pose(np.random.default_rng(2))
    with pytest.raises(DegenerateError, match="R_zx"):
        dh_row_of(X)
    with pytest.raises(DegenerateError, match="frame"):
        dh_row_of(Pose.translation(Vec3(0.1, 0.2, 0.3)))


@pytest.mark.covers("CHAIN-04")
def test_the_published_tables_are_the_built_in_robots() -> None:
    rng = np.random.default_rng(3)
    puma = DHTable(tuple(DHRow(*row) for row in PUMA)).as_model()
    panda = DHTable(tuple(DHRow(*row) for row in PANDA), "modified", tool=FLANGE).as_model()
    for made, name, frame in ((puma, "puma560", "link6"), (panda, "panda", "panda_link8")):
        arm = sixvec.load(name).model
        q = rng.uniform(-3.0, 3.0, arm.nq)
        np.testing.assert_allclose(poses(made, q, ["tip"]), poses(arm, q, [frame]), atol=ROUNDING)


@pytest.mark.covers("CHAIN-04")
def test_the_table_of_the_puma_is_the_published_one() -> None:
    table = DHTable.from_model(sixvec.load("puma560").model)
    np.testing.assert_allclose([(r.theta, r.d, r.a, r.alpha) for r in table.rows], PUMA, atol=ROUNDING)
    for X in (table.base, table.tool):
        np.testing.assert_allclose(matrix(X), np.eye(4), atol=ROUNDING)
    cases = [(c.row, c.case) for c in table.choices]
    assert cases == [(1, "intersecting axes"), (2, "parallel axes"), (4, "intersecting axes"), (5, "intersecting axes")]


@pytest.mark.covers("CHAIN-04")
def test_the_table_of_the_panda_has_the_published_lengths() -> None:
    """Its a = -0.0825 comes out positive, with x reversed; the flange goes into the last d."""
    table = DHTable.from_model(sixvec.load("panda").model, convention="modified")
    np.testing.assert_allclose([abs(r.a) for r in table.rows], [abs(row[2]) for row in PANDA], atol=ROUNDING)
    expected = [row[1] for row in PANDA[:-1]] + [0.107]
    np.testing.assert_allclose([r.d for r in table.rows], expected, atol=ROUNDING)


def parallel_arm(*places: tuple[Vec3, Vec3]) -> Model:
    """Revolute joints about given axes (point, direction), all frames parallel to the world."""
    bodies, last = [Body("base")], Vec3.zero()
    for i, (at, axis) in enumerate(places):
        bodies.append(Body(f"b{i}", bodies[-1].name, Revolute(axis), Pose.translation(at - last)))
        last = at
    return Model("arm", tuple(bodies))


X, Y, Z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)


@pytest.mark.covers("CHAIN-04")
def test_choices_at_parallel_coincident_and_nearly_parallel_axes() -> None:
    o = Vec3.zero()
    arm = parallel_arm((o, Z), (Vec3(0.5, 0.0, 0.2), Z), (Vec3(0.5, 0.0, 0.9), Z), (Vec3(0.5, 0.0, 1.0), -Z))
    table = DHTable.from_model(arm)
    assert [c.case for c in table.choices[:3]] == ["parallel axes", "coincident axes", "coincident axes"]
    assert [(r.a, r.d) for r in table.rows[:3]] == [(0.5, 0.0), (0.0, 0.0), (0.0, 0.0)]
    assert table.rows[2].alpha == pytest.approx(math.pi)
    near = parallel_arm((o, Z), (Vec3(0.5, 0.0, 0.2), Vec3(0.0, 1e-6, 1.0)))
    (choice,) = DHTable.from_model(near).choices
    assert choice.case == "nearly parallel axes" and choice.sine == pytest.approx(1e-6)
    neglected = DHTable.from_model(near, parallel=1e-5)
    assert "1.0e-06 rad is neglected" in str(neglected.choices[0])
    assert neglected.rows[0].alpha == 0.0


@pytest.mark.covers("CHAIN-04", "CHAIN-23")
def test_frames_from_a_list_of_axes() -> None:
    """Two skew axes: the origin of frame 1 is the foot of their common normal on the second, x points along it."""
    axes = [Line(Point(0.0, 0.0, 0.1), Z), Line(Point(0.3, 0.7, 0.5), Y), Line(Point(0.3, 0.0, 0.9), X)]
    table = DHTable.from_model(PoETable(tuple(PoERow.from_line(axis) for axis in axes)).as_model())
    one = dh_transform(table.rows[0].theta, table.rows[0].d, table.rows[0].a, table.rows[0].alpha)
    np.testing.assert_allclose([*one.pos], [0.3, 0.0, 0.5], atol=ROUNDING)
    np.testing.assert_allclose(np.array(one.rot.as_matrix()).T, [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=ROUNDING)
    assert table.rows[1].a == pytest.approx(0.4)


@pytest.mark.covers("CHAIN-04")
def test_where_axes_intersect_both_senses_of_x_are_the_same_arm() -> None:
    """(θ, α) and (θ + π, -α), with the next θ turned back."""
    table = DHTable.from_model(sixvec.load("puma560").model)
    first, second, *rest = table.rows
    assert isinstance(first, DHRow) and isinstance(second, DHRow)
    half = Pose(Rotation.about_z(math.pi), Vec3.zero())
    other = replace(
        first, theta=first.theta + math.pi, alpha=-first.alpha, a=-first.a, link=first.link.seen_from(half)
    )  # fmt: skip
    turned = replace(table, rows=(other, replace(second, theta=second.theta - math.pi), *rest))
    off, wrong = deviation(table.as_model(), turned.as_model())
    assert off < ROUNDING and wrong < ROUNDING


@pytest.mark.covers("CHAIN-04")
def test_conventions_there_and_back() -> None:
    rng = np.random.default_rng(4)
    for given in ("classic", "modified"):
        inertia = RigidInertia.from_center_of_mass(2.0, Vec3(0.1, 0.2, 0.3), Sym3.diagonal(0.1, 0.2, 0.25))
        rows = tuple(
            DHRow(
                *rng.uniform(-1.0, 1.0, 4).tolist(), "prismatic" if i == 1 else "revolute", 0.3, Link(inertia=inertia)
            )
            for i in range(4)
        )
        table = DHTable(rows, given, random_pose(rng), random_pose(rng))
        link_frames = [f.name for f in table.as_model().frames]
        book = table.in_convention("book")
        assert book.convention == "book" and all(isinstance(row, BookRow) for row in book.rows)
        for other in ("classic", "modified"):
            assert book.in_convention(other) == table.in_convention("classic").in_convention(other)
        for convention in ("classic", "modified", "book"):
            again = table.in_convention(convention).as_model()
            q, v, a = rng.uniform(-1.0, 1.0, (3, 4))
            names = ["tip"] if convention != given else link_frames
            np.testing.assert_allclose(poses(again, q, names), poses(table.as_model(), q, names), atol=ROUNDING)
            np.testing.assert_allclose(forces(again, q, v, a), forces(table.as_model(), q, v, a), atol=1e-11)


def test_an_offset_is_where_the_joint_stands_at_zero() -> None:
    rows = (DHRow(0.2, 0.1, 0.3, 0.4, "revolute", 0.5), DHRow(0.2, 0.1, 0.3, 0.4, "prismatic", 0.5))
    plain = tuple(replace(row, offset=0.0) for row in rows)
    q = np.array([0.1, 0.2])
    for convention in ("classic", "modified"):
        off, straight = (DHTable(r, convention).as_model() for r in (rows, plain))
        np.testing.assert_allclose(poses(off, q, ["tip"]), poses(straight, q + 0.5, ["tip"]), atol=ROUNDING)


@pytest.mark.covers("CHAIN-04")
def test_inertias_stand_in_the_frames_of_the_table() -> None:
    """A mass at the far end of a classic link of length a turns with m a²; in a modified table it sits at the joint."""
    mass = Link(inertia=RigidInertia.from_center_of_mass(2.0, Vec3.zero(), Sym3.zero()))
    classic = sixvec.Robot(DHTable((DHRow(a=0.5, link=mass),)).as_model())
    assert classic.mass_matrix([0.3])[0, 0] == pytest.approx(0.5)
    modified = sixvec.Robot(DHTable((DHRow(), DHRow(a=0.5, link=mass)), "modified").as_model())
    np.testing.assert_allclose(modified.mass_matrix([0.3, 0.2]), [[0.5, 0.0], [0.0, 0.0]], atol=ROUNDING)


def test_the_order_of_joints_survives() -> None:
    arm = sixvec.load("puma560").model
    mixed = reorder(arm, [b.joint_name for b in arm.moving][::-1])
    for table in (DHTable.from_model(mixed), PoETable.from_model(mixed)):
        off, wrong = deviation(mixed, table.as_model())
        assert off < ROUNDING and wrong < ROUNDING


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (DHTable(()), "at least one row"),
        (DHTable((DHRow(), DHRow(d=math.nan))), "row 2: d = nan is not a finite number"),
        (DHTable((DHRow(theta="left"),)), "row 1: theta = 'left' is not a number"),  # type: ignore[arg-type]
        (DHTable((DHRow(joint="ball"),)), "row 1: joint = 'ball'; valid: revolute, prismatic"),  # type: ignore[arg-type]
        (DHTable((DHRow(), DHRow(offset=math.inf))), "row 2: offset = inf"),
        (DHTable((DHRow(), BookRow())), "row 2 is a BookRow"),
        (DHTable((DHRow(),), "book"), "row 1 is a DHRow"),
        (DHTable((BookRow(h=math.inf),), "book"), "row 1: h = inf"),
        (DHTable(((0.0, 0.0, 0.0, 0.0),)), "row 1 is a tuple"),  # type: ignore[arg-type]
        (DHTable((DHRow(),), tool=np.eye(4)), "is not a Pose"),  # type: ignore[arg-type]
        (DHTable((DHRow(),), base=Pose.translation(Vec3(0.0, math.nan, 0.0))), "base = "),
        (DHTable((DHRow(link="hand"),)), "row 1: link = 'hand' is not a Link"),  # type: ignore[arg-type]
        (DHTable((DHRow(link=Link("a")), DHRow(link=Link("a")))), 'two bodies are named "a"'),
    ],
)
def test_errors_name_the_row_and_the_offender(table: DHTable, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        table.as_model()
    assert message in str(caught.value)


def test_unknown_conventions_raise() -> None:
    for attempt in (
        lambda: DHTable((DHRow(),), "craig"),  # type: ignore[arg-type]
        lambda: DHTable.from_model(sixvec.load("panda").model, convention="paul"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ArgumentError, match=named("convention", "modified")):
            attempt()


def test_only_serial_arms_have_tables() -> None:
    forked = Model("fork", (Body("a", None, Revolute()), Body("b", "a", Revolute()), Body("c", "a", Revolute())))
    with pytest.raises(ModelError, match=named("c", "b")):
        DHTable.from_model(forked, "b")
    with pytest.raises(ModelError, match=named("b")):
        DHTable.from_model(Model("screw", (Body("b", None, Helical(pitch=0.1)),)))
    follows = Body("b", "a", Revolute(), mimic=Mimic("a", -1.0))
    with pytest.raises(ModelError, match=named("b", "a")):
        DHTable.from_model(Model("pair", (Body("a", None, Revolute()), follows)))
    with pytest.raises(ModelError, match=named("a")):
        DHTable.from_model(Model("stone", (Body("a"),)))
    with pytest.raises(sixvec.SixvecError, match="hand"):
        DHTable.from_model(forked, "hand")


POINT = RigidInertia.from_center_of_mass(2.0, Vec3(0.1, 0.2, 0.3), Sym3.zero())


def test_an_arm_without_a_fixed_base_gets_a_ground() -> None:
    arm = Model("arm", (Body("ground", None, Revolute(X), inertia=POINT),), (Frame("hand", "ground", FLANGE),))
    again = DHTable.from_model(arm).as_model()
    assert again.bodies[0].name == "ground_"
    assert deviation(arm, again)[0] < ROUNDING
