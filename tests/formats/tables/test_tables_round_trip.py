"""An arm, its table, and the arm of the table: the same poses of all frames and the same dynamics."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from table_arms import deviation, matrix, poses, random_arm, subject

import sixvec
from naming import named
from sixvec.errors import ModelError
from sixvec.formats.tables import DHTable, HRTable, PCTable, PoETable
from sixvec.model import Model
from sixvec.model.edits import subchain
from tolerances import ROUNDING

PRECISE: dict[str, Callable[[Model], Model]] = {
    "Hayati-Roberts": lambda m: HRTable.from_model(m).as_model(),
    "parametrically continuous": lambda m: PCTable.from_model(m).as_model(),
    "space screws": lambda m: PoETable.from_model(m).as_model(),
    "body screws": lambda m: PoETable.from_model(m, form="body").as_model(),
    "link screws": lambda m: PoETable.from_model(m, form="link").as_model(),
}
DENAVIT_HARTENBERG: dict[str, Callable[[Model], Model]] = {
    "classic": lambda m: DHTable.from_model(m).as_model(),
    "modified": lambda m: DHTable.from_model(m, convention="modified").as_model(),
    "book": lambda m: DHTable.from_model(m, convention="book").as_model(),
}
ARMS, NEARLY_PARALLEL_ARMS = 200, 50
DH_LOSS = 2e-14
"""Rounding of a Denavit-Hartenberg table times the sine of its most parallel axes: lengths of some metres."""


def test_the_arms_have_parallel_and_intersecting_axes() -> None:
    """By the directions and distances of neighbouring axes, of all arms together."""
    parallel = intersecting = both = 0
    for seed in range(ARMS):
        found = {c.case for c in DHTable.from_model(subject(seed).arm).choices}
        parallel += "parallel axes" in found
        intersecting += "intersecting axes" in found
        both += {"parallel axes", "intersecting axes"} <= found
    assert min(parallel, intersecting) >= 100 and both >= 50, (parallel, intersecting, both)


@pytest.mark.every(4)
@pytest.mark.parametrize("kind", [*PRECISE, *DENAVIT_HARTENBERG])
@pytest.mark.covers("CHAIN-04", "CHAIN-05", "CHAIN-06", "CHAIN-23")
def test_random_arms_with_axes_in_every_special_position(kind: str) -> None:
    again = (PRECISE | DENAVIT_HARTENBERG)[kind]
    for seed in range(ARMS):
        off, wrong = deviation(subject(seed), again(subject(seed).arm))
        assert off < ROUNDING and wrong < ROUNDING, (seed, off, wrong)


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", PRECISE)
@pytest.mark.covers("CHAIN-05", "CHAIN-06", "CHAIN-23")
def test_nearly_parallel_axes_cost_these_nothing(kind: str) -> None:
    for seed in range(NEARLY_PARALLEL_ARMS):
        arm = subject(seed, nearly=True)
        off, wrong = deviation(arm, PRECISE[kind](arm.arm))
        assert off < ROUNDING and wrong < ROUNDING, (seed, off, wrong)


@pytest.mark.parametrize("kind", DENAVIT_HARTENBERG)
@pytest.mark.covers("CHAIN-04")
def test_nearly_parallel_axes_cost_denavit_hartenberg_the_digits_that_it_reports(kind: str) -> None:
    for seed in range(NEARLY_PARALLEL_ARMS):
        arm = subject(seed, nearly=True)
        reported = [c for c in DHTable.from_model(arm.arm).choices if c.case == "nearly parallel axes"]
        assert len(reported) == 1, seed
        off, _ = deviation(arm, DENAVIT_HARTENBERG[kind](arm.arm))
        assert off < DH_LOSS / reported[0].sine, (seed, off, reported)


@pytest.mark.every(4)
@pytest.mark.parametrize("name", ["panda", "puma560", "planar_2r", "double_pendulum", "acrobot", "cart_pole"])
@pytest.mark.parametrize("kind", [*PRECISE, *DENAVIT_HARTENBERG])
@pytest.mark.covers("CHAIN-04", "CHAIN-05", "CHAIN-06", "CHAIN-23")
def test_built_in_robots(name: str, kind: str) -> None:
    arm = sixvec.load(name).model
    off, wrong = deviation(arm, (PRECISE | DENAVIT_HARTENBERG)[kind](arm))
    assert off < ROUNDING and wrong < ROUNDING, (off, wrong)


@pytest.mark.covers("CHAIN-23")
def test_from_every_description_to_every_other() -> None:
    ways = list((PRECISE | DENAVIT_HARTENBERG).values())
    for seed in range(2):
        arm = subject(seed)
        for first in ways:
            there = first(arm.arm)
            for second in ways:
                off, wrong = deviation(arm, second(there))
                assert off < ROUNDING and wrong < ROUNDING, (seed, off, wrong)


@pytest.mark.covers(
    "CHAIN-23",
    "Bruyninckx (5.2)",
    "Bruyninckx (5.9)",
    "Bruyninckx (7.1)",
    "Featherstone (3)",
    "Featherstone (14)",
    "Lynch-Park (9.36)-(9.37)",
)
def test_the_product_of_exponentials_is_the_pose_of_the_tip() -> None:
    rng = np.random.default_rng(0)
    for seed in range(50):
        arm = random_arm(seed)
        table = PoETable.from_model(arm)
        q = rng.uniform(-3.0, 3.0, arm.nq)
        (expected,) = poses(arm, q, [table.tip])
        np.testing.assert_allclose(matrix(table.pose(q.tolist())), expected, atol=ROUNDING)


def test_the_compiled_robot_of_a_table_is_the_same_too() -> None:
    arm = sixvec.load("panda")
    again = sixvec.Robot(DHTable.from_model(arm.model, convention="modified").as_model())
    q = arm.random(np.random.default_rng(0), 20)
    np.testing.assert_allclose(again.pose(q, "panda_link8"), arm.pose(q, "panda_link8"), atol=ROUNDING)
    np.testing.assert_allclose(again.mass_matrix(q), arm.mass_matrix(q), atol=ROUNDING)


@pytest.mark.parametrize("file", [f"{name}.urdf" for name in ("ur5_robot", "kinova", "xarm7", "talos_left_arm")])
@pytest.mark.parametrize("kind", [*PRECISE, *DENAVIT_HARTENBERG])
@pytest.mark.covers("CHAIN-04", "CHAIN-05", "CHAIN-06", "CHAIN-23")
def test_arms_from_files(file: str, kind: str) -> None:
    arm = sixvec.load(published(file)).model
    off, wrong = deviation(arm, (PRECISE | DENAVIT_HARTENBERG)[kind](arm))
    assert off < ROUNDING and wrong < ROUNDING, (off, wrong)


def published(file: str) -> Path:
    """A file of the package example-robot-data."""
    files = metadata.files("example-robot-data") or []
    return next(Path(str(f.locate())) for f in files if f.name == file)


def test_an_arm_is_cut_out_of_a_larger_robot_first() -> None:
    robot = sixvec.load(published("panda.urdf")).model
    with pytest.raises(ModelError, match=named("panda_leftfinger", "panda_rightfinger")):
        DHTable.from_model(robot)
    arm = subchain(robot, "panda_link0", "panda_hand")
    off, wrong = deviation(arm, DHTable.from_model(arm, convention="modified").as_model())
    assert off < ROUNDING and wrong < ROUNDING
