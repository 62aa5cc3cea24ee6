"""Loops added to a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec import Robot
from sixvec.errors import ArgumentError, FrameNotFound, ModelError
from sixvec.model import Gear
from sixvec.model.edits import with_closure, without_closures
from sixvec.model.joints import Revolute, Spherical

PANDA = sixvec.load("panda")
BARS = sixvec.load("four_bar")


@pytest.mark.covers("CON-14", "MODEL-04")
def test_the_four_bar_is_closed_again() -> None:
    """Its own closure, cut and added: the same motion."""
    c = BARS.model.closures[0]
    again = Robot(without_closures(BARS.model)).with_closure(c.second, c.first, c.joint, c.name)
    q = BARS.assemble([0.7, 0.0, 1.0], fixed=["drive"]).q
    v, tau = np.linalg.svd(BARS.closure_jacobian(q))[2][-1], np.array([1.0, 0.0, 0.0])
    assert np.allclose(again.forward_dynamics(q, v, tau), BARS.forward_dynamics(q, v, tau), atol=1e-10)


@pytest.mark.parametrize("second", [None, "panda_link2"])
def test_the_loop_is_closed_at_the_position_given(second: str | None) -> None:
    q, v = PANDA.random(np.random.default_rng(1)), np.zeros(7)
    closed = PANDA.with_closure("panda_link8", second, q=q)
    assert closed.closure_error(q).size == 6 and np.abs(closed.closure_error(q)).max() < 1e-12
    held: Any = {"panda_link8" if second is None else ("panda_link8", second): "weld"}
    tau = np.ones(7)
    assert np.allclose(
        closed.forward_dynamics(q, v, tau), PANDA.constrained_dynamics(q, v, tau, hold=held).a, atol=1e-6
    )


def test_several_loops_have_names_of_their_own() -> None:
    twice = PANDA.with_closure("panda_link8", joint=Spherical(), name="pin").with_closure("panda_link4", name="pin 2")
    assert [c.name for c in twice.model.closures] == ["pin", "pin 2"]
    with pytest.raises(ModelError, match=named("pin")):
        twice.with_closure("panda_link3", name="pin")


def test_joints_may_be_geared() -> None:
    geared = Robot(with_closure(PANDA.model, Gear("pair", "panda_link1", "panda_link2", 2.0)))
    q = PANDA.neutral()
    a = geared.forward_dynamics(q, np.zeros(7), np.ones(7))
    assert np.isclose(a[1], 2.0 * a[0])


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"first": "hand"}, FrameNotFound, 'no frame "hand" in panda'),
        ({"first": "panda_link8", "second": "x"}, FrameNotFound, 'no frame "x" in panda'),
        ({"first": "panda_link8", "joint": Revolute}, ArgumentError, "joint must be a joint of sixvec.model.joints"),
        ({"first": "panda_link8", "q": [0.0]}, ArgumentError, "q must hold 7 finite numbers"),
        ({"first": "panda_link8", "q": [np.nan] * 7}, ArgumentError, "q must hold 7 finite numbers"),
        ({"first": Gear("g", "a", "b"), "second": "x"}, ArgumentError, "a gear couples joints, not frames"),
        ({"first": Gear("g", "a", "b")}, ModelError, 'no body "a" in panda'),
    ],
)
def test_mistakes_are_named(arguments: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        PANDA.with_closure(**arguments)
