"""Products of exponentials: screws in space, in the tip and in the links."""

from __future__ import annotations

import math

import numpy as np
import pytest
from table_arms import deviation, matrix, poses, random_arm

import sixvec
from naming import named
from random_trees import random_inertia, random_pose
from sixvec.errors import ArgumentError, ModelError, ShapeError
from sixvec.formats.tables import DHRow, Link, PoERow, PoETable
from sixvec.model import Body, Model
from sixvec.model.joints import Helical, Revolute
from sixvec.spatial import Motion, Pose, RigidInertia, Sym3, Vec3
from tolerances import ROUNDING

Z = Vec3(0.0, 0.0, 1.0)


@pytest.mark.covers("CHAIN-23")
def test_screws_are_the_columns_of_the_jacobian_at_home() -> None:
    for seed in range(3):
        robot = sixvec.Robot(random_arm(seed))
        table = PoETable.from_model(robot.model)
        for screws, reference in ((table.space_screws, "world"), (table.body_screws, "local")):
            J = robot.jacobian(robot.neutral(), table.tip, reference)
            np.testing.assert_allclose(np.array([[*S.ang, *S.lin] for S in screws]).T, J, atol=1e-11)


@pytest.mark.covers("CHAIN-23", "Lynch-Park (9.40)")
def test_link_screws_are_in_link_coordinates() -> None:
    """In frames whose z is the axis they are the unit screw of the joint, by M_i and not by M_{i-1}."""
    for seed in range(20):
        table = PoETable.from_model(random_arm(seed))
        for A, row in zip(table.link_screws, table.rows, strict=True):
            slide = row.screw.ang.norm() == 0.0
            expected = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0] if slide else [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
            np.testing.assert_allclose([*A.ang, *A.lin], expected, atol=ROUNDING)


@pytest.mark.covers("CHAIN-23", "Lynch-Park (9.38)-(9.39)")
def test_forms_there_and_back() -> None:
    table = PoETable.from_model(random_arm(3))
    for first in ("body", "link"):
        for second in ("space", "body", "link"):
            back = table.in_form(first).in_form(second).in_form("space")
            for S, row in zip(back.space_screws, table.rows, strict=True):
                np.testing.assert_allclose([*S.ang, *S.lin], [*row.screw.ang, *row.screw.lin], atol=ROUNDING)


@pytest.mark.covers("CHAIN-23")
def test_the_body_formula() -> None:
    """T(q) = M exp(B_1 q_1) … exp(B_n q_n)."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        table = PoETable.from_model(random_arm(seed))
        q = rng.uniform(-2.0, 2.0, len(table.rows)).tolist()
        T = table.home
        for B, angle in zip(table.body_screws, q, strict=True):
            T = T @ Pose.exp(B * angle)
        np.testing.assert_allclose(matrix(T), matrix(table.pose(q)), atol=ROUNDING)


@pytest.mark.covers("CHAIN-23")
def test_a_table_by_hand_with_offsets_slides_and_screws() -> None:
    tilted = Vec3(0.6, 0.0, 0.8)
    rows = (
        PoERow(Motion(Z, Vec3(0.1, -0.5, 0.0)), offset=0.3),
        PoERow(Motion(Vec3.zero(), tilted), offset=-0.1),
        PoERow(Motion(tilted, Vec3(0.0, 0.3, 0.0) + tilted * 0.05), offset=0.7),
    )
    table = PoETable(rows, home=random_pose(np.random.default_rng(1)))
    model = table.as_model()
    assert [type(b.joint).__name__ for b in model.moving] == ["Revolute", "Prismatic", "Helical"]
    q = np.array([0.4, 0.5, -0.6])
    np.testing.assert_allclose(poses(model, q, ["tip"])[0], matrix(table.pose(q.tolist())), atol=ROUNDING)


@pytest.mark.covers("CHAIN-23")
def test_inertias_stand_in_the_home_frames_of_the_links() -> None:
    """Lynch and Park's planar arm of two point masses: M at q2 = 0 is m1 L1² + m2 (L1 + L2)² and so on."""
    L1, L2, m1, m2 = 0.5, 0.3, 2.0, 1.0
    masses = [Link(inertia=RigidInertia.from_center_of_mass(m, Vec3.zero(), Sym3.zero())) for m in (m1, m2)]
    rows = (
        PoERow(Motion(Z, Vec3.zero()), Pose.translation(Vec3(L1, 0.0, 0.0)), link=masses[0]),
        PoERow(Motion(Z, Vec3(0.0, -L1, 0.0)), Pose.translation(Vec3(L1 + L2, 0.0, 0.0)), link=masses[1]),
    )
    M = sixvec.Robot(PoETable(rows, home=rows[1].home).as_model()).mass_matrix([0.7, 0.0])
    coupled = m2 * L2 * (L1 + L2)
    expected = [[m1 * L1**2 + m2 * (L1 + L2) ** 2, coupled], [coupled, m2 * L2**2]]
    np.testing.assert_allclose(M, expected, atol=ROUNDING)


@pytest.mark.covers("CHAIN-23")
def test_helical_joints_survive() -> None:
    rng = np.random.default_rng(2)
    bodies = [Body("a", None, Helical(Vec3(1.0, 2.0, 3.0), 0.05), random_pose(rng), random_inertia(rng), "j0")]
    bodies.append(Body("b", "a", Revolute(Z), random_pose(rng), random_inertia(rng), "j1"))
    arm = Model("screws", tuple(bodies))
    for form in ("space", "body", "link"):
        off, wrong = deviation(arm, PoETable.from_model(arm, form=form).as_model())
        assert off < ROUNDING and wrong < ROUNDING


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (PoETable(()), "at least one row"),
        (PoETable((PoERow(Motion(Z, Vec3.zero())), PoERow(Motion(Z * 2.0, Vec3.zero())))), "row 2: screw with |ω| = 2"),
        (PoETable((PoERow(Motion.zero()),)), "row 1: screw with |ω| = 0, |v| = 0"),
        (PoETable((PoERow(Motion(Vec3.zero(), Z * math.nan)),)), "row 1: screw with |ω| = 0, |v| = nan"),
        (PoETable((PoERow(Motion(Z, Vec3.zero()), offset=math.nan),)), "row 1: offset = nan"),
        (PoETable((PoERow((0, 0, 1, 0, 0, 0)),)), "row 1: screw = (0, 0, 1, 0, 0, 0) is not a Motion"),  # type: ignore[arg-type]
        (PoETable((PoERow(Motion(Z, Vec3.zero()), home=None),)), "row 1: home = None is not a Pose"),  # type: ignore[arg-type]
        (PoETable((DHRow(),)), "row 1 is a DHRow"),  # type: ignore[arg-type]
    ],
)
def test_errors_name_the_row_and_the_offender(table: PoETable, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        table.as_model()
    assert message in str(caught.value)


def test_other_mistakes() -> None:
    with pytest.raises(ArgumentError, match=named("spatial", "link")):
        PoETable((), "spatial")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=named("q")):
        PoETable((PoERow(Motion(Z, Vec3.zero())),) * 2).pose([0.1])
