"""Within the limits of the coordinates every joint is within its own; beyond them one is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sixvec as sv
from sixvec.model import Body, Limits, Mimic, Model
from sixvec.model.joints import Prismatic, Revolute, Spherical
from sixvec.model.position_limits import position_limits, velocity_limits

RNG = np.random.default_rng(3)


def limited(rng: np.random.Generator) -> Limits:
    """Limits about zero, one of them missing now and then."""
    low, high = rng.uniform(-3.0, -0.2), rng.uniform(0.2, 3.0)
    return [Limits((low,), (high,)), Limits((low,), (math.inf,)), Limits((-math.inf,), (high,)), Limits()][
        rng.integers(4)
    ]


@pytest.mark.parametrize("seed", range(25))
def test_the_range_of_a_leader_is_the_widest_that_its_followers_allow(seed: int) -> None:
    rng = np.random.default_rng(seed)
    laws = [(1.0, 0.0), *((float(rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 3.0)), float(rng.uniform(-0.1, 0.1)))
                          for _ in range(2))]  # fmt: skip
    bodies = [Body("other", None, Prismatic(), limits=Limits((-0.3,), (0.4,)))]
    for k, (factor, offset) in enumerate(laws):
        mimic = Mimic("b0", factor, offset) if k else None
        bodies.append(Body(f"b{k}", "other", Revolute(), limits=limited(rng), mimic=mimic))
    lower, upper = position_limits(Model("m", tuple(bodies)))
    assert (lower[0], upper[0]) == (-0.3, 0.4) and len(lower) == len(upper) == 2

    def fits(q: float) -> bool:
        return all(
            (b.limits.lower or (-math.inf,))[0] - 1e-9 <= f * q + o <= (b.limits.upper or (math.inf,))[0] + 1e-9
            for b, (f, o) in zip(bodies[1:], laws, strict=True)
        )

    for end, beyond in ((lower[1], -1e-6), (upper[1], 1e-6)):
        if math.isfinite(end):
            assert fits(end) and not fits(end + beyond)
        else:
            assert fits(math.copysign(1e6, end))


def test_followers_that_contradict_their_leader_or_do_not_move_are_ignored() -> None:
    leader = Body("a", None, Revolute(), limits=Limits((-1.0,), (1.0,)))
    apart = Body("b", "a", Revolute(), limits=Limits((2.0,), (3.0,)), mimic=Mimic("a", 1.0, 0.0))
    touching = Body("b", "a", Revolute(), limits=Limits((1.0,), (3.0,)), mimic=Mimic("a", 1.0, 0.0))
    still = Body("b", "a", Revolute(), limits=Limits((0.4,), (0.6,)), mimic=Mimic("a", 0.0, 0.5))
    for follower in (apart, touching, still):
        assert position_limits(Model("m", (leader, follower))) == ([-1.0], [1.0])
    ball = Model("m", (Body("ball", None, Spherical()), Body("a", "ball", Revolute(), limits=Limits((-1.0,), (2.0,)))))
    assert position_limits(ball) == ([-math.inf] * 4 + [-1.0], [math.inf] * 4 + [2.0])


def test_a_leader_is_as_slow_as_its_slowest_follower() -> None:
    speeds, factors = ([2.0], [1.0], [0.0], [3.0], None), (None, -2.0, 0.5, 0.25, 5.0)
    bodies = [
        Body(f"b{k}", f"b{k - 1}" if k else None, Revolute(), limits=Limits(velocity=tuple(v) if v else None),
             mimic=None if factor is None else Mimic("b0", factor, 0.3))
        for k, (v, factor) in enumerate(zip(speeds, factors, strict=True))
    ]  # fmt: skip
    bodies.append(Body("last", "b4", Spherical(), limits=Limits(velocity=(1.0, 2.0, 3.0))))
    assert velocity_limits(Model("m", tuple(bodies))) == [0.5, 1.0, 2.0, 3.0]
    assert sv.Robot(Model("m", tuple(bodies))).velocity_limits.tolist() == [0.5, 1.0, 2.0, 3.0]
