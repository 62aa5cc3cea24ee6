"""Half a cheetah learns: speed and reward grow by a clear margin from a fixed seed."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/learn_to_run.py"


def test_two_iterations_change_the_policy_and_repeat() -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("gymnasium")
    example = runpy.run_path(str(EXAMPLE))
    learn = example["learn"]
    first, again = learn(2, count=16), learn(2, count=16)
    assert len(first["speed"]) == 2 and np.isfinite(first["reward"]).all()
    state = torch.ones(1, 17)
    assert abs(first["policy"](state)).max() > 0.0
    assert first["reward"] == pytest.approx(again["reward"], abs=1e-4)
    path = example["run"](first["policy"], 0.25)
    assert path.shape == (5, 9) and np.isfinite(path).all() and (path == example["run"](first["policy"], 0.25)).all()


def test_advantages_are_sums_to_the_end_of_the_episode() -> None:
    torch = pytest.importorskip("torch")
    example = runpy.run_path(str(EXAMPLE))
    rewards, values, following = (torch.rand(5, 1, generator=torch.Generator().manual_seed(k)) for k in range(3))
    ended = torch.tensor([0.0, 0.0, 1.0, 0.0, 0.0])[:, None]
    found = example["advantages"](rewards, values, ended, following)[:, 0]
    surprise = (rewards + example["DISCOUNT"] * following - values)[:, 0]
    fade = example["DISCOUNT"] * example["TRACE"]
    for k, last in ((0, 2), (1, 2), (2, 2), (3, 4), (4, 4)):
        expected = sum(fade ** (i - k) * surprise[i] for i in range(k, last + 1))
        assert float(found[k]) == pytest.approx(float(expected), abs=1e-6)


def test_without_torch_it_says_what_is_missing() -> None:
    learn = runpy.run_path(str(EXAMPLE))["learn"]
    learn.__globals__["torch"] = None
    with pytest.raises(SystemExit, match="pip install torch gymnasium"):
        learn(1)


@pytest.mark.slow
def test_it_learns_to_run() -> None:
    pytest.importorskip("torch")
    pytest.importorskip("gymnasium")
    history = runpy.run_path(str(EXAMPLE))["learn"](60)
    start, end = (np.mean(history["speed"][rows]) for rows in (slice(3), slice(-3, None)))
    assert abs(start) < 0.3 and end > start + 0.8
    assert np.mean(history["reward"][-3:]) > np.mean(history["reward"][:3]) + 0.8
