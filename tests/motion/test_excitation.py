"""Motions for identification: within limits, from rest to rest, and better than others of the same kind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import motion
from sixvec.errors import SixvecError
from sixvec.identification import base_parameters
from sixvec.model import ContactRules

ARM = sv.load("planar_2r")
LIMITS: dict[str, Any] = {"velocity": 3.0, "torque": None}


def condition(move: motion.FourierMotion, count: int = 500) -> float:
    t = np.linspace(0.0, move.duration, count, endpoint=False)
    Y = base_parameters(move.robot).regressor(move.q(t), move.v(t), move.a(t))
    Y = Y.reshape(-1, Y.shape[-1])
    return float(np.linalg.cond(Y / np.linalg.norm(Y, axis=0)))


@pytest.mark.covers("TIME-06")
def test_the_search_finds_better_motions_and_keeps_the_limits() -> None:
    first, last = (motion.excitation(ARM, 5.0, 4, **LIMITS, rounds=r) for r in (1, 15))
    assert last.condition < 0.9 * first.condition
    assert condition(last) == pytest.approx(last.condition, rel=0.05)
    t = np.linspace(0.0, 5.0, 4001)
    assert 2.5 < abs(last.v(t)).max() <= 3.0 and ARM.check_motion(last)
    assert abs(last.q(0.0) - last.q(5.0)).max() < 1e-12
    assert abs(last.v(0.0)).max() < 1e-12 and abs(last.a(0.0)).max() < 1e-9
    h = 1e-6
    assert abs((last.q(t[1:-1] + h) - last.q(t[1:-1] - h)) / (2 * h) - last.v(t[1:-1])).max() < 1e-7
    assert abs((last.v(t[1:-1] + h) - last.v(t[1:-1] - h)) / (2 * h) - last.a(t[1:-1])).max() < 1e-7


def test_the_condition_is_that_of_the_regressor_along_the_motion() -> None:
    for rounds in (1, 5):
        move = motion.excitation(ARM, 5.0, 4, **LIMITS, rounds=rounds)
        assert move.condition == pytest.approx(condition(move, 60), rel=1e-9)


def test_robots_with_rules_about_contacts_have_base_parameters() -> None:
    """Rules about pairs of shapes name links and frames that the model of a regressor does not have."""
    frames = ARM.frame_names[0], ARM.frame_names[-1]
    robot = sv.Robot(replace(ARM.model, contact=ContactRules(excluded=(frames,))))
    assert base_parameters(robot).names == base_parameters(ARM).names


def test_the_same_seed_gives_the_same_motion() -> None:
    moves = [motion.excitation(ARM, 5.0, 3, **LIMITS, rounds=2, seed=seed) for seed in (1, 1, 2)]
    assert np.array_equal(moves[0].sines, moves[1].sines) and not np.array_equal(moves[0].sines, moves[2].sines)


def test_torques_and_their_friction_stay_within_limits() -> None:
    arm = sv.load("panda")
    move = motion.excitation(arm, 8.0, 5, torque=0.8 * arm.effort_limits, rounds=2)
    t = np.linspace(0.0, 8.0, 1000)
    assert (abs(move.tau(t)) <= 0.8 * arm.effort_limits).all() and arm.check_motion(move)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"duration": 0.0}, "duration"),
        ({"harmonics": 2}, "harmonics"),
        ({"share": 1.5}, "share"),
        ({"acceleration": True}, "acceleration"),
        ({"velocity": [1.0, 2.0, 3.0]}, "velocity"),
        ({"margin": -1.0}, "margin"),
        ({"torque": 1e-9, "rounds": 1}, "limits"),
        ({"robot": sv.load("planar_2r", floating=True)}, "quaternions"),
    ],
)
def test_wrong_arguments_are_named(change: dict[str, Any], name: str) -> None:
    arguments = {"robot": sv.load("panda") if "torque" in change else ARM} | change
    with pytest.raises(SixvecError, match=name):
        motion.excitation(**arguments)
