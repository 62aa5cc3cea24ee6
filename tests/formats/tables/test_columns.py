"""Robots from columns: the pose of the tip is the product of the printed transforms, multiplied out by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, CallError, SixvecError
from sixvec.formats.tables import DHTable, Link, PoETable
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3


def turn_x(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def turn_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def shift(x: float, z: float) -> np.ndarray:
    X = np.eye(4)
    X[0, 3], X[2, 3] = x, z
    return X


def wedge(S: np.ndarray) -> np.ndarray:
    (a, b, c), v = S[:3], S[3:]
    return np.block([[np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]]), v[:, None]], [np.zeros((1, 4))]])


def test_a_call_without_the_convention_lists_the_arguments() -> None:
    with pytest.raises(CallError, match=named("convention", "a", "alpha")):
        sv.from_dh(a=[1.0, 1.0])  # type: ignore[call-arg]
    with pytest.raises(CallError, match=named("screws", "home", "form")):
        sv.from_screws([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=r"sixvec\.from_dh"):
        sv.load([[0.0, 0.0, 0.3, 0.0]])  # type: ignore[arg-type]


@pytest.mark.covers("CHAIN-04")
@pytest.mark.parametrize("convention", ["classic", "modified"])
@pytest.mark.parametrize("joints", [None, "RPRRP", ["revolute", "prismatic", "P", "R", "R"]])
def test_the_tip_is_where_the_printed_product_puts_it(convention: str, joints: Any) -> None:
    rng = np.random.default_rng(5)
    table = {key: rng.normal(size=5) for key in ("theta", "d", "a", "alpha")}
    base, tool = (turn_x(x) @ turn_z(y) @ shift(x, y) for x, y in rng.normal(size=(2, 2)))
    robot = sv.from_dh(convention=convention, joints=joints, base=base, tool=tool, **table)
    q, T = rng.normal(size=5), base
    for i in range(5):
        turns = joints is None or joints[i][0].upper() == "R"
        theta, d = table["theta"][i] + q[i] * turns, table["d"][i] + q[i] * (not turns)
        link = shift(table["a"][i], 0) @ turn_x(table["alpha"][i])
        screw = turn_z(theta) @ shift(0, d)
        T = T @ (screw @ link if convention == "classic" else link @ screw)
    assert np.allclose(robot.pose(q, "tip"), T @ tool, atol=1e-12)


def test_a_scalar_applies_to_all_joints() -> None:
    some = sv.from_dh(convention="classic", a=[0.5, 0.5, 0.5], alpha=0.1, d=0.2)
    other = sv.from_dh(convention="classic", a=0.5, alpha=[0.1] * 3, d=[0.2] * 3, joints="RRR")
    q = [0.1, 0.2, 0.3]
    assert some.nv == other.nv == 3 and np.array_equal(some.pose(q, "tip"), other.pose(q, "tip"))


@pytest.mark.covers("CHAIN-23")
@pytest.mark.parametrize("form", ["space", "body"])
def test_screws_and_home_give_the_product_of_exponentials(form: str) -> None:
    rng = np.random.default_rng(7)
    screws = rng.normal(size=(4, 6))
    screws[0, 3:] -= screws[0, :3] * (screws[0, :3] @ screws[0, 3:]) / (screws[0, :3] @ screws[0, :3])
    screws[1, :3] = 0.0
    lengths = np.linalg.norm(screws[:, :3], axis=1)
    lengths[1] = np.linalg.norm(screws[1, 3:])
    screws /= lengths[:, None]
    home = turn_x(0.3) @ turn_z(0.4) @ shift(0.5, 0.6)
    q = rng.normal(size=4)
    exponentials = np.linalg.multi_dot([expm(wedge(S) * x) for S, x in zip(screws, q, strict=True)])
    robot = sv.from_screws(screws, home, form=form)
    assert np.allclose(
        robot.pose(q, "tip"), exponentials @ home if form == "space" else home @ exponentials, atol=1e-12
    )


def test_columns_of_an_extracted_table_give_the_arm_back() -> None:
    """With its inertias, for both forms."""
    arm = sv.load("puma560")
    q, v, a = np.random.default_rng(2).normal(size=(3, 6))
    table = DHTable.from_model(arm.model, convention="modified")
    columns = {key: [getattr(row, key) for row in table.rows] for key in ("theta", "d", "a", "alpha")}
    links = [row.link for row in table.rows]
    again = sv.from_dh(convention="modified", base=table.base, tool=table.tool, links=links, name="again", **columns)
    assert np.allclose(again.inverse_dynamics(q, v, a), arm.inverse_dynamics(q, v, a), atol=1e-9)
    assert again.joint_names == arm.joint_names and again.model.name == "again"
    product = PoETable.from_model(arm.model)
    screws = [[*row.screw.ang, *row.screw.lin] for row in product.rows]
    moved = [row.link.seen_from(row.home) for row in product.rows]
    once_more = sv.from_screws(screws, product.home.as_matrix(), links=moved)
    assert np.allclose(once_more.inverse_dynamics(q, v, a), arm.inverse_dynamics(q, v, a), atol=1e-9)


def test_gravity_and_links() -> None:
    rod = Link(
        "rod", "hinge", RigidInertia.from_center_of_mass(2.0, Vec3(-0.5, 0.0, 0.0), Sym3.diagonal(0.1, 0.1, 0.1))
    )
    arm = sv.from_dh(convention="classic", a=[1.0], links=[rod], gravity=(0.0, -1.0, 0.0), tip="end")
    assert arm.joint_names == ("hinge",) and np.allclose(arm.gravity_forces([0.0]), [2.0 * 0.5])
    assert np.allclose(arm.pose([0.0], "end")[:3, 3], [1.0, 0.0, 0.0])


MIRROR = np.diag([1.0, 1.0, -1.0, 1.0])
MISTAKES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "an unknown convention": (sv.from_dh, {"convention": "craig", "a": [1.0]}, "convention"),
    "columns of other lengths": (sv.from_dh, {"convention": "classic", "a": [1.0, 2.0], "d": [1.0]}, "d has 1"),
    "joints of another length": (sv.from_dh, {"convention": "classic", "a": [1.0], "joints": "RR"}, "joints has 2"),
    "an unknown joint": (sv.from_dh, {"convention": "classic", "joints": "RX"}, "joints[1]"),
    "no number of joints": (sv.from_dh, {"convention": "classic", "a": 1.0}, "joints"),
    "no joints": (sv.from_dh, {"convention": "classic", "a": []}, "row"),
    "a matrix as a column": (sv.from_dh, {"convention": "classic", "alpha": [[1.0]]}, "alpha"),
    "a number that is none": (sv.from_dh, {"convention": "classic", "theta": [0.0, np.nan]}, "theta"),
    "a word": (sv.from_dh, {"convention": "classic", "d": ["x"]}, "d"),
    "a mirror": (sv.from_dh, {"convention": "classic", "a": [1.0], "tool": MIRROR}, "tool"),
    "too many links": (sv.from_dh, {"convention": "classic", "a": [1.0], "links": [Link(), Link()]}, "links"),
    "screws of five numbers": (sv.from_screws, {"screws": [[0.0] * 5], "home": np.eye(4)}, "screws"),
    "a screw of length 2": (sv.from_screws, {"screws": [[0, 0, 2.0, 0, 0, 0]], "home": np.eye(4)}, "row 1"),
    "a home of three rows": (sv.from_screws, {"screws": [[0, 0, 1.0, 0, 0, 0]], "home": np.eye(3)}, "home"),
    "an unknown form": (sv.from_screws, {"screws": [[0, 0, 1.0, 0, 0, 0]], "home": np.eye(4), "form": "x"}, "form"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named(mistake: str) -> None:
    function, given, offender = MISTAKES[mistake]
    with pytest.raises(SixvecError, match=named(offender)):
        function(**given)


def test_poses_may_be_given_as_such() -> None:
    X = Pose.translation(Vec3(0.0, 0.0, 1.0))
    assert sv.from_dh(convention="modified", a=[0.5], base=X).pose([0.0], "tip")[2, 3] == 1.0
