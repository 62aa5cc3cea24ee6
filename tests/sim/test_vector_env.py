"""Batches as environments of Gymnasium: shapes, episodes, resets, seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec import sim
from sixvec.errors import SixvecError

gymnasium = pytest.importorskip("gymnasium")


def pendulums(count: int, **options: Any) -> sim.Batch:
    return sim.Batch(sv.load("double_pendulum"), count, dt=0.01, substeps=2, noise=0.1, **options)


def test_it_is_a_vector_env_with_spaces() -> None:
    envs = sim.vector_env(pendulums(3), reward=lambda env: -np.abs(env.v).sum(axis=1))
    assert isinstance(envs, gymnasium.vector.VectorEnv) and envs.num_envs == 3
    observation, _ = envs.reset(seed=1)
    assert observation.shape == envs.observation_space.shape == (3, 4)
    observation, reward, terminated, truncated, _ = envs.step(np.zeros((3, 2)))
    assert observation.shape == (3, 4) and reward.shape == terminated.shape == truncated.shape == (3,)
    assert (reward == -np.abs(envs.batch.v).sum(axis=1)).all()


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_episodes_end_after_max_steps_and_begin_again(mode: Any) -> None:
    envs = sim.vector_env(pendulums(2), max_steps=5, autoreset=mode)
    first, _ = envs.reset(seed=3)
    for k in range(1, 6):
        observation, _, _, truncated, infos = envs.step(np.zeros((2, 2)))
        assert truncated.all() == (k == 5)
    if mode == "same_step":
        assert infos["_final_obs"].all() and infos["final_obs"][0].shape == (4,)
        assert infos["_final_info"].all() and infos["final_info"] == {}
        assert np.abs(observation - first).max() < 0.5 and (envs.batch.time == 0.0).all()
    else:
        assert (envs.batch.time > 0.05).all()
        observation, reward, _, truncated, _ = envs.step(np.ones((2, 2)))
        assert (envs.batch.time == 0.0).all() and not truncated.any() and (reward == 0.0).all()


def test_environments_end_each_for_itself() -> None:
    envs = sim.vector_env(pendulums(2), done=lambda env: np.array([True, False]), autoreset="same_step")
    envs.reset(seed=0)
    _, _, terminated, truncated, _ = envs.step(np.zeros((2, 2)))
    assert terminated.tolist() == [True, False] and not truncated.any()
    assert envs.batch.time.tolist() == [0.0, 0.02]


def test_an_action_that_is_no_number_truncates_its_episode() -> None:
    envs = sim.vector_env(pendulums(2))
    envs.reset(seed=0)
    _, _, _, truncated, _ = envs.step(np.array([[0.0, 0.0], [np.nan, 0.0]]))
    assert truncated.tolist() == [False, True]


def test_seeds_repeat_episodes_and_wrappers_work() -> None:
    paths = []
    for _ in range(2):
        envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(sim.vector_env(pendulums(2), max_steps=20))
        observation, _ = envs.reset(seed=5)
        path = [observation]
        for k in range(50):
            path.append(envs.step(np.full((2, 2), np.sin(k)))[0])
        paths.append(np.array(path))
    assert (paths[0] == paths[1]).all()


def test_bad_laws_are_named() -> None:
    with pytest.raises(SixvecError, match="Batch"):
        sim.vector_env(sv.load("panda"))  # type: ignore[arg-type]
    with pytest.raises(SixvecError, match="reward"):
        sim.vector_env(pendulums(2), reward=1.0)  # type: ignore[arg-type]
    envs = sim.vector_env(pendulums(2), reward=lambda env: env.v)
    envs.reset()
    with pytest.raises(SixvecError, match="reward"):
        envs.step(np.zeros((2, 2)))
    with pytest.raises(SixvecError, match="autoreset"):
        sim.vector_env(pendulums(2), autoreset="never")  # type: ignore[arg-type]


def test_what_is_done_is_true_or_false() -> None:
    """A height is no answer: as a truth value it would end every episode."""
    for law in (lambda env: env.q[:, 0], lambda env: [1, 0]):
        envs = sim.vector_env(pendulums(2), done=law)
        with pytest.raises(SixvecError, match=r"done returned .*booleans"):
            envs.step(np.zeros((2, 2)))
