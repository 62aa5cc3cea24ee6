"""A planar robot with two legs learns to run: proximal policy optimization (PPO) on 256 simulated robots.

Every robot is one environment of `sim.Batch`, whose contacts are rigid.  A policy maps what a robot measures to the
mean of a normal distribution of controls; a second network predicts the reward still to come.  One iteration

* drives all robots for 64 steps with controls from that distribution,
* computes how much better each control was than predicted (generalized advantage estimation, Schulman et al. 2016),
* changes both networks by a few passes of gradient steps; ratios of probabilities outside 1 ± 0.2 gain nothing
  (Schulman et al. 2017).

    python examples/learn_to_run.py                    # about a minute on one core, 2.9 m/s
    python examples/learn_to_run.py 5                  # five iterations

It needs torch and gymnasium: pip install torch gymnasium
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import sixvec as sv
from sixvec import sim
from sixvec.formats import parse_model

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]

LEG = """
<body name="{name}_thigh" pos="{x} 0 0">
  <joint name="{name}_hip" range="-60 60"/> <geom fromto="0 0 0 .1 0 -.25" size=".03" mass=".6"/>
  <body name="{name}_shank" pos=".1 0 -.25">
    <joint name="{name}_knee" range="-50 50"/> <geom fromto="0 0 0 -.1 0 -.25" size=".025" mass=".3"/>
    <geom type="sphere" pos="-.1 0 -.25" size=".03" mass=".1" contype="1" conaffinity="1"/>
  </body>
</body>"""

RUNNER = f"""
<mujoco model="runner">
  <default>
    <joint type="hinge" axis="0 1 0" limited="true" damping=".3" armature=".01"/>
    <geom type="capsule" contype="0" conaffinity="0"/>
    <motor ctrlrange="-1 1" ctrllimited="true"/>
  </default>
  <worldbody>
    <geom type="plane" size="50 5 .1" contype="1" conaffinity="1"/>
    <body name="torso" pos="0 0 .53">
      <joint name="x" type="slide" axis="1 0 0" limited="false" damping="0" armature="0"/>
      <joint name="z" type="slide" axis="0 0 1" limited="false" damping="0" armature="0"/>
      <joint name="pitch" limited="false" damping="0" armature="0"/>
      <geom fromto="-.3 0 0 .3 0 0" size=".05" mass="4" contype="1" conaffinity="1"/>
      {LEG.format(name="hind", x=-0.3)} {LEG.format(name="front", x=0.3)}
    </body>
  </worldbody>
  <actuator>
    <motor joint="hind_hip" gear="30"/> <motor joint="hind_knee" gear="20"/>
    <motor joint="front_hip" gear="30"/> <motor joint="front_knee" gear="20"/>
  </actuator>
</mujoco>"""
"""A torso in the vertical plane, and two legs with motors at hips and knees; only torso and feet touch the floor."""

ITERATIONS, STEPS, EPISODE = 180, 64, 250
PASSES, BATCHES, RATE = 5, 8, 1e-3
DISCOUNT, TRACE, CLIP, EFFORT, STEEP = 0.99, 0.95, 0.2, 0.05, 1.0


def observed(batch: sim.Batch) -> Any:
    """Height, pitch and joint angles, and all velocities: everything but how far it has come."""
    return np.concatenate([batch.q[:, 1:], 0.1 * batch.v], axis=1)


def reward(batch: sim.Batch) -> Any:
    """Speed in m/s, less the effort."""
    return batch.v[:, 0] - EFFORT * (batch.action**2).sum(axis=1)


def toppled(batch: sim.Batch) -> Any:
    """Where the torso has turned by more than `STEEP`, in rad."""
    return abs(batch.q[:, 2]) > STEEP


def environments(count: int, seed: int) -> Any:
    """Robots that start near their upright posture; a control lasts 20 ms, four steps of the simulation."""
    robot = sv.Robot(parse_model(RUNNER, "runner.xml"))
    options: dict[str, Any] = {"contacts": "file", "actuators": "file", "noise": 0.05, "dtype": "float32"}
    batch = sim.Batch(robot, count, dt=0.005, substeps=4, seed=seed, **options)
    return sim.vector_env(
        batch, observation=observed, reward=reward, done=toppled, max_steps=EPISODE, autoreset="same_step"
    )


def network(inputs: int, outputs: int, last: float) -> Any:
    """Two hidden layers of 64; the last layer starts small by the factor `last`."""
    layers = [torch.nn.Linear(a, b) for a, b in ((inputs, 64), (64, 64), (64, outputs))]
    with torch.no_grad():
        layers[-1].weight.mul_(last)
        layers[-1].bias.zero_()
    return torch.nn.Sequential(layers[0], torch.nn.Tanh(), layers[1], torch.nn.Tanh(), layers[2])


def advantages(rewards: Any, values: Any, ended: Any, following: Any) -> Any:
    """How much better each step was than predicted, (steps, count).

    Sum of  δ + γ λ δ' + (γ λ)² δ'' + …  to the end of the episode, with  δ = r + γ V' - V;  `following` are the
    values V' of the states that were reached, zero where the robot toppled.
    """
    result, later = torch.zeros_like(rewards), torch.zeros_like(rewards[0])
    for k in reversed(range(len(rewards))):
        surprise = rewards[k] + DISCOUNT * following[k] - values[k]
        later = surprise + DISCOUNT * TRACE * (1.0 - ended[k]) * later
        result[k] = later
    return result


def learn(iterations: int = ITERATIONS, count: int = 256, seed: int = 0) -> dict[str, Any]:
    """Mean speed and reward of all robots in every iteration, the seconds that passed, and the policy."""
    if torch is None:
        raise SystemExit("learn_to_run needs torch and gymnasium: pip install torch gymnasium")
    torch.manual_seed(seed)
    envs = environments(count, seed)
    size, controls = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    policy, value = network(size, controls, 0.01), network(size, 1, 1.0)
    spread = torch.nn.Parameter(torch.full((controls,), -0.5))  # logarithm of the standard deviations
    weights = [*policy.parameters(), *value.parameters(), spread]
    optimizer = torch.optim.Adam(weights, lr=RATE)
    history: dict[str, Any] = {"speed": [], "reward": [], "seconds": [], "policy": policy}
    seen = torch.as_tensor(envs.reset(seed=seed)[0], dtype=torch.float32)
    start = time.perf_counter()
    for iteration in range(iterations):
        optimizer.param_groups[0]["lr"] = RATE * (1.0 - iteration / iterations)
        rows: list[Any] = []
        speeds = []
        for _ in range(STEPS):
            with torch.no_grad():
                normal = torch.distributions.Normal(policy(seen), spread.exp())
                action = normal.sample()
                chance, predicted = normal.log_prob(action).sum(dim=1), value(seen)[:, 0]
            speeds.append(envs.batch.v[:, 0].mean())
            after, gained, fell, late, infos = envs.step(action.clamp(-1.0, 1.0).numpy())
            reached = np.array(after)  # before those that ended were put back
            for k in np.flatnonzero(fell | late):
                reached[k] = infos["final_obs"][k]
            with torch.no_grad():
                following = value(torch.as_tensor(reached, dtype=torch.float32))[:, 0]
            flags = [torch.as_tensor(x, dtype=torch.float32) for x in (gained, fell | late, fell)]
            rows.append([seen, action, chance, predicted, flags[0], flags[1], following * (1.0 - flags[2])])
            seen = torch.as_tensor(after, dtype=torch.float32)
        states, actions, chances, values, rewards, ended, following = (torch.stack(x) for x in zip(*rows, strict=True))
        better = advantages(rewards, values, ended, following)
        data = [x.flatten(0, 1) for x in (states, actions, chances, better, better + values)]
        improve(optimizer, weights, policy, value, spread, data)
        history["speed"].append(float(np.mean(speeds)))
        history["reward"].append(float(rewards.mean()))
        history["seconds"].append(time.perf_counter() - start)
    return history


def improve(optimizer: Any, weights: Any, policy: Any, value: Any, spread: Any, data: list[Any]) -> None:
    """Gradient steps on random parts of the data."""
    for _ in range(PASSES):
        for part in torch.randperm(len(data[0])).chunk(BATCHES):
            state, action, chance, better, goal = (x[part] for x in data)
            better = (better - better.mean()) / (better.std() + 1e-6)
            ratio = (torch.distributions.Normal(policy(state), spread.exp()).log_prob(action).sum(1) - chance).exp()
            gain = torch.minimum(ratio * better, ratio.clamp(1.0 - CLIP, 1.0 + CLIP) * better).mean()
            loss = 0.5 * (value(state)[:, 0] - goal).square().mean() - gain
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 0.5)
            optimizer.step()


def main() -> None:
    if torch is not None:
        torch.set_num_threads(1)  # the networks are small
    history = learn(int(sys.argv[1]) if len(sys.argv) > 1 else ITERATIONS)
    for k in range(0, len(history["speed"]), 10):
        print(f"iteration {k:3}: {history['speed'][k]:5.2f} m/s, reward {history['reward'][k]:5.2f} per step")
    print(f"at the end: {history['speed'][-1]:.2f} m/s after {history['seconds'][-1]:.0f} s")


if __name__ == "__main__":
    main()
