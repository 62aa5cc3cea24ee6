"""The size of a loop is that of its links, whatever the last digits of placements that are meant to be zero."""

import time
from dataclasses import replace

import numpy as np
import pytest

import sixvec as sv
from sixvec.mechanism.loop_size import loop_sizes
from sixvec.mechanism.row_rank import RowRank, row_rank
from sixvec.model import Body, Closure, Frame, Model
from sixvec.model.joints import Joint, Revolute, Spherical
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

TURNS = (0.0, 0.5, 1.1, 0.8, 1.2)


def spherical(noise: float, scale: float = 1.0, joint: Joint = Revolute(), seed: int = 0) -> Model:  # noqa: B008
    """Four hinges whose axes meet in the origin up to `noise`, with links of 0.3 m times `scale`."""
    rng = np.random.default_rng(seed)
    link = RigidInertia.from_center_of_mass(
        1.0, Vec3(0.1, 0.1, 0.2) * scale, Sym3.diagonal(0.02, 0.03, 0.04) * scale**2
    )
    places = [Pose(Rotation.about_x(t), Vec3.of((noise * rng.uniform(-1.0, 1.0, 3)).tolist())) for t in TURNS]
    bodies, parent = [], None
    for k in range(3):
        bodies.append(Body(f"b{k}", parent, Revolute(), places[k], link))
        parent = f"b{k}"
    ends = (Frame("end", "b2", places[3]), Frame("pin", None, places[4]))
    return Model("spherical", tuple(bodies), ends, closures=(Closure("pin", "end", "pin", joint),))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("noise", [0.0, 1e-15, 1e-10, 1e-9, 1e-8, 1e-6, 1e-5])
def test_axes_that_miss_their_common_point_by_rounding_leave_two_rows(noise: float, scale: float) -> None:
    for seed in range(3):
        found = row_rank(spherical(noise * scale, scale, seed=seed))
        assert found.is_known and found.rank == 2 and found.used == (0, 1)
        assert 0.2 * scale < found.size[0] < 0.5 * scale
        assert max(found.deviation) < 10.0 * noise + 1e-15


@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-6])
def test_a_ball_at_the_common_point_constrains_nothing(noise: float) -> None:
    assert row_rank(spherical(noise, joint=Spherical())).rank == 0


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3])
def test_small_planar_loops_of_wide_bodies_have_the_size_of_their_bars(scale: float) -> None:
    """No rounding makes parallel axes meet."""
    model = sv.load("four_bar").model
    bodies = tuple(replace(b, placement=Pose(b.placement.rot, b.placement.pos * scale)) for b in model.bodies)
    frames = tuple(replace(f, placement=Pose(f.placement.rot, f.placement.pos * scale)) for f in model.frames)
    small = replace(model, bodies=bodies, frames=frames)
    assert np.isclose(*loop_sizes(small, small.closures), scale * loop_sizes(model, model.closures)[0])


def many_loops(n: int) -> Model:
    """Four-bars side by side, none of which shares a joint with another."""
    model = sv.load("four_bar").model
    bodies, frames, closures = [], [], []
    for k in range(n):
        for b in model.bodies:
            parent = None if b.parent is None else f"{b.parent}_{k}"
            bodies.append(replace(b, name=f"{b.name}_{k}", parent=parent, joint_name=f"{b.joint_name}_{k}"))
        frames += [replace(f, name=f"{f.name}_{k}", body=f.body and f"{f.body}_{k}") for f in model.frames]
        closures += [
            replace(c, name=f"{c.name}_{k}", first=f"{c.first}_{k}", second=f"{c.second}_{k}")
            for c in model.closures
            if isinstance(c, Closure)
        ]
    return replace(
        model, name=f"{n} loops", bodies=tuple(bodies), frames=tuple(frames), closures=tuple(closures), geoms=()
    )


def test_loops_that_share_no_joint_are_judged_alone_in_time_proportional_to_their_number() -> None:
    def timed(n: int) -> tuple[float, RowRank]:
        model, start = many_loops(n), time.process_time()
        found = row_rank(model)
        return time.process_time() - start, found

    (few, small), (long, large) = timed(3), timed(18)
    assert (small.rank, large.rank) == (6, 36)
    assert len(large.components) == 18 * len(small.components) // 3
    assert long < 15.0 * few
