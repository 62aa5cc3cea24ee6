"""What can be the inertia of a distribution of mass, and why something cannot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sixvec
from cloud import full, random_cloud
from random_trees import random_pose
from sixvec.geometry.rigid_body.consistency import (
    central_second_moments,
    inconsistencies,
    inertia_of_pseudo_inertia,
    is_physical,
    margin,
    pseudo_inertia,
)
from sixvec.geometry.rigid_body.particles import inertia_of_particles
from sixvec.spatial import RigidInertia, Sym3, Vec3
from tolerances import ROUNDING, assert_close

coordinates = st.floats(-3.0, 3.0)
particles = st.tuples(st.floats(0.01, 5.0), st.builds(Vec3, coordinates, coordinates, coordinates))


@given(st.lists(particles, min_size=1, max_size=6))
@settings(deadline=None, max_examples=100)
@pytest.mark.covers("BODY-36", "BODY-21")
def test_particles_are_possible(cloud: list[tuple[float, Vec3]]) -> None:
    """Points, lines and planes too, whose central inertia is only semidefinite."""
    assert inconsistencies(inertia_of_particles(cloud)) == ()


@given(st.floats(0.1, 5.0), st.lists(st.floats(-1.0, 3.0), min_size=3, max_size=3), st.integers(0, 1000))
@settings(deadline=None, max_examples=100)
@pytest.mark.covers("BODY-36")
def test_verdict_is_the_sign_of_the_pseudo_inertia(mass: float, moments: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    body = random_pose(rng) @ RigidInertia(mass, Vec3.zero(), Sym3.diagonal(*moments))
    smallest = np.linalg.eigvalsh(np.array(pseudo_inertia(body)))[0]
    if abs(smallest) > 1e-9:
        assert is_physical(body) == (smallest > 0.0)
        assert (margin(body) > 0.0) == (smallest > 0.0)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (RigidInertia(-1.0, Vec3.zero(), Sym3.zero()), "mass -1 kg is negative"),
        (RigidInertia(0.0, Vec3(1.0, 0.0, 0.0), Sym3.zero()), "without mass"),
        (RigidInertia(1.0, Vec3(1.0, 0.0, 0.0), Sym3.zero()), "not all positive"),
        (RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(0.1, 0.2, 0.5)), r"0.1 \+ 0.2 < 0.5"),
        (RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(float("nan"), 0.2, 0.5)), "finite"),
    ],
)
@pytest.mark.covers("BODY-36")
def test_reasons(body: RigidInertia, reason: str) -> None:
    import re

    assert any(re.search(reason, text) for text in inconsistencies(body))
    assert not is_physical(body)


def test_nothing_is_possible() -> None:
    assert is_physical(RigidInertia.zero())


@pytest.mark.covers("BODY-36")
def test_second_moments_are_the_variances_of_the_mass() -> None:
    cloud = random_cloud(4)
    centered = cloud.points - cloud.masses @ cloud.points / cloud.masses.sum()
    variances = np.linalg.eigvalsh(np.einsum("n,ni,nj->ij", cloud.masses, centered, centered))
    assert_close([*central_second_moments(cloud.inertia)], variances, ROUNDING, batched=False)
    assert margin(cloud.inertia) == pytest.approx(variances[0], rel=1e-11)
    raw = np.einsum("n,ni,nj->ij", cloud.masses, cloud.points, cloud.points)
    assert_close(np.array(pseudo_inertia(cloud.inertia))[:3, :3], raw, ROUNDING, batched=False)
    back = inertia_of_pseudo_inertia(pseudo_inertia(cloud.inertia))
    assert_close([*back], [*cloud.inertia], ROUNDING, batched=False)
    assert full(back.rot).shape == (3, 3)


def test_margin_can_be_compiled_and_differentiated() -> None:
    @sixvec.compiled("body[10] -> margin")
    def compiled_margin(body: list[object]) -> object:
        m, cx, cy, cz, *rot = body
        return margin(RigidInertia(m, Vec3(cx, cy, cz), Sym3(*rot)))

    body = [*random_cloud(4).inertia]
    assert float(compiled_margin(body)) == pytest.approx(margin(random_cloud(4).inertia), rel=1e-11)
    assert np.isfinite(compiled_margin.derivative("body")(body)).all()
