"""Rounded dimensions of loops that move by the grace of them are made exact by a change of the size of the rounding."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from loop_samples import MECHANISMS, rounded, three_cranks
from sixvec.mechanism.change_points import search_of
from sixvec.mechanism.exact_dimensions import with_exact_dimensions
from sixvec.mechanism.row_rank import row_rank
from sixvec.model import Model
from sixvec.model.canonical import canonical


def spoilt(model: Model) -> tuple[int, ...]:
    rank = row_rank(model)
    return tuple(n for n, part in enumerate(rank.components) if sum(r in rank.used for r in part.rows) > part.rank)


def gaps(model: Model, component: int) -> float:
    """The largest error along the motion that independent rows leave, in metres."""
    search = search_of(model, component)
    q, _, closed = search.sampling.closed_states()
    regular = search.decomposed(q)[1][:, search.rank - 1] > 0.1 * row_rank(model).typical[component]
    return float(np.abs(search.left_open(q[:, closed.all(axis=1) & regular])[1]).max())


@pytest.mark.every(3)
@pytest.mark.parametrize("noise", [1e-8, 1e-6, 1e-5])
@pytest.mark.parametrize("name", ["Bennett", "Bennett, ball", "Sarrus", "three cranks"])
def test_loops_move_exactly_after_a_change_of_the_size_of_the_rounding(name: str, noise: float) -> None:
    model = rounded(three_cranks() if name == "three cranks" else MECHANISMS[name][0](), noise, seed=3).model
    (component,) = spoilt(model)
    size = row_rank(model).size[0]
    found = with_exact_dimensions(model, (), (component,))
    assert found is not None
    assert gaps(model, component) > 0.1 * noise
    assert gaps(found, component) < 1e-10 * size
    assert row_rank(found).rank == row_rank(model).rank
    robot, exact = sv.Robot(model), sv.Robot(found)
    rng = np.random.default_rng(1)
    for q in rng.uniform(-1.0, 1.0, (5, robot.nq)):
        for f in model.frames:
            here, there = (np.asarray(r.pose(q, f.name)) for r in (robot, exact))
            assert np.abs(here - there).max() < 30.0 * noise


@pytest.mark.parametrize("name", ["Bennett", "Sarrus"])
def test_exact_dimensions_are_left_alone(name: str) -> None:
    model = MECHANISMS[name][0]()
    (component,) = spoilt(model)
    assert with_exact_dimensions(model, (), (component,)) == canonical(model)
