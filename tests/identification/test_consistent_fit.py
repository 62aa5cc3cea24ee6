"""What a consistent fit shows, and what it accepts as a prior and as its weight."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError, DtypeError, MissingExtra, ShapeError
from sixvec.identification import consistent_parameters, identify, inertial_parameters
from sixvec.identification.consistent import _scipy_optimize
from sixvec.identification.least_squares import Identification

STRONG = 10.0
"""A weight that ends the search after a few steps."""


@cache
def fit() -> Identification:
    robot, rng = sixvec.load("iiwa14"), np.random.default_rng(0)
    q, v, a = robot.random(rng, 60), *rng.normal(size=(2, 60, 7))
    return identify(robot, q, v, a, robot.inverse_dynamics(q, v, a) + rng.normal(size=(60, 7)))


def test_each_parameter_is_shown_with_its_standard_error() -> None:
    bodies = consistent_parameters(fit(), weight=STRONG)
    lines = str(bodies).splitlines()[2:]
    assert len(lines) == 14
    shown = [float(x) for line in lines[1::2] for x in re.findall(r"± (\S+)", line)]
    assert shown == pytest.approx(bodies.standard_errors.tolist(), rel=0.051)  # two digits
    values = [float(x) for line in lines[::2] for x in line.split()[:10]]
    assert values == pytest.approx(bodies.parameters.tolist(), abs=0.51e-4)
    assert lines[0].endswith("iiwa_link_1") and lines[12].endswith("iiwa_link_7")


def test_a_prior_may_have_a_row_per_body() -> None:
    prior = 1.2 * inertial_parameters(fit().base.robot)
    own, flat, rows = (consistent_parameters(fit(), x, weight=STRONG) for x in (None, prior, prior.reshape(7, 10)))
    assert np.array_equal(flat.parameters, rows.parameters)
    assert not np.array_equal(flat.parameters, own.parameters)


@pytest.mark.parametrize("weight", ["a", None, np.array([0.3, 0.3]), 1j, 0.0, -1.0, np.nan, np.inf], ids=repr)
def test_a_weight_is_a_positive_number(weight: Any) -> None:
    with pytest.raises(ArgumentError, match=named("weight", "a")):
        consistent_parameters(fit(), weight=weight)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (np.ones(69), "prior"),
        (np.ones((10, 7)), "prior"),
        ("heavy", named("prior", "heavy")),
        (np.full((7, 10), np.nan), "iiwa_link_1"),
    ],
    ids=["short", "transposed", "text", "nan"],
)
def test_a_wrong_prior_raises(prior: Any, message: str) -> None:
    with pytest.raises((ArgumentError, DtypeError, ShapeError), match=message):
        consistent_parameters(fit(), prior)


def test_without_scipy_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(MissingExtra, match=r"\[scipy\]"):
        _scipy_optimize()
