"""Paths, motions, worlds, batches and stacks answer for names that people try."""

from __future__ import annotations

import copy
import functools
import pickle
import re
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.arguments.answering import OF_BATCHES, OF_MOTIONS, OF_PATHS, OF_STACKS, OF_WORLDS
from sixvec.errors import ArgumentError, CallError

ARM = sv.load("planar_2r")
ZERO = np.zeros(2)


@functools.cache
def objects() -> dict[str, tuple[Any, dict[str, str]]]:
    return {
        "path": (ARM.rollout(ZERO, ZERO, ZERO, 0.01, steps=3), OF_PATHS),
        "move": (sv.motion.rest_to_rest(ARM, ZERO, ZERO + 0.5, "cubic", velocity=1.0), OF_MOTIONS),
        "world": (sv.World(), OF_WORLDS),
        "env": (sv.sim.Batch(ARM, 2, dt=0.01), OF_BATCHES),
        "stack": (sv.tasks.Stack(ARM, sv.tasks.Posture(ZERO)), OF_STACKS),
    }


@pytest.mark.parametrize("kind", ["path", "move", "world", "env", "stack"])
def test_each_answer_is_given_and_names_what_exists(kind: str) -> None:
    owner, table = objects()[kind]
    roots = {"sixvec": sv, "robot": ARM, "path": objects()["path"][0], kind: owner}
    for name, advice in table.items():
        with pytest.raises(AttributeError) as told:
            getattr(owner, name)
        assert told.value.name == name and str(told.value).endswith(advice)
        for root, rest in re.findall(rf"\b({'|'.join(roots)})((?:\.\w+)+)", advice):
            functools.reduce(getattr, rest.strip(".").split("."), roots[root])


@pytest.mark.parametrize("kind", ["path", "move", "world", "env", "stack"])
def test_other_names_get_near_ones_or_all_and_private_ones_nothing(kind: str) -> None:
    owner = objects()[kind][0]
    with pytest.raises(AttributeError, match=r"; it has "):
        _ = owner.xyzzy
    with pytest.raises(AttributeError) as told:
        _ = owner.__array_of_another_library__
    assert ";" not in str(told.value)


def test_slips_of_the_pen() -> None:
    path, world = objects()["path"][0], objects()["world"][0]
    with pytest.raises(AttributeError, match="did you mean verdict"):
        _ = path.verdit
    with pytest.raises(AttributeError, match="did you mean sphere"):
        _ = world.sphre


def test_paths_and_worlds_are_copied_and_pickled() -> None:
    path, world = objects()["path"][0], objects()["world"][0]
    assert np.array_equal(copy.deepcopy(pickle.loads(pickle.dumps(path))).q, path.q)
    assert len(copy.deepcopy(world)) == 0


def test_plot_of_a_file_and_of_one_joint() -> None:
    pytest.importorskip("matplotlib").use("agg")
    path = objects()["path"][0]
    with pytest.raises(ArgumentError, match="savefig"):
        path.plot("motion.png")
    with pytest.raises(CallError, match=r"plot: .*it takes joints"):
        path.plot("motion.png", overwrite=True)
    assert len(path.plot(ARM.joint_names[0])[0].lines) >= 1


def test_calls_without_their_arguments_name_the_class() -> None:
    with pytest.raises(CallError, match=r"Batch: .*it takes robot, count"):
        sv.sim.Batch(ARM)  # type: ignore[call-arg]
    with pytest.raises(CallError, match=r"Stack: .*'dt'; it takes q, targets, dt"):
        objects()["stack"][0](ZERO, {})
    with pytest.raises(ArgumentError, match=r"time_optimal .*motion\.spline\(robot, waypoints\).* list"):
        sv.motion.time_optimal([ZERO, ZERO])  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"planar_2r.*contacts\.floor\(frames, shape\)"):
        ARM.rollout(ZERO, ZERO, ZERO, 0.01, steps=1, contacts="floor")
    for name in ("world", "obstacles"):
        with pytest.raises(CallError, match=f"{name}.*clearance="):
            ARM.ik(np.eye(4), "tip", **{name: sv.World()})


def test_all_missing_limits_are_named_at_once() -> None:
    with pytest.raises(ArgumentError, match="acceleration and a finite jerk"):
        sv.motion.rest_to_rest(ARM, ZERO, ZERO + 0.5)


def test_an_obstacle_at_a_position_says_how_to_make_its_pose() -> None:
    with pytest.raises(sv.errors.ShapeError, match=r"pose\[:3, 3\] = p"):
        sv.World().sphere(0.1, [0.5, 0.0, 0.3])
