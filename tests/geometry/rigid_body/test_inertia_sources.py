"""Inertia from particles, density, standard solids and triangle meshes: each source against another."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloud import random_cloud, vec
from sixvec.errors import DegenerateError, ModelError
from sixvec.geometry.rigid_body.mesh_inertia import mesh_inertia, shell_inertia, tetrahedron_inertia
from sixvec.geometry.rigid_body.particles import (
    ball_region,
    box_region,
    cylinder_region,
    gauss_legendre,
    inertia_of_density,
    inertia_of_particles,
)
from sixvec.geometry.rigid_body.solids import (
    Box,
    Capsule,
    Cone,
    ConicalShell,
    Cylinder,
    Ellipsoid,
    Hemisphere,
    HollowCylinder,
    HollowSphere,
    Solid,
    Sphere,
    Torus,
    uniform,
)
from sixvec.spatial import Pose, Quaternion, RigidInertia, Vec3
from tolerances import ROUNDING, assert_close

lengths = st.floats(0.1, 3.0)
points = st.builds(Vec3, *[st.floats(-2.0, 2.0)] * 3)


@pytest.mark.covers("BODY-21", "BODY-36", "Bruyninckx (4.53)", "Bruyninckx (4.70)")
def test_particles_by_the_definition() -> None:
    cloud = random_cloud(1)
    body = inertia_of_particles(zip(cloud.masses.tolist(), map(vec, cloud.points), strict=True))
    assert_close([*body], [*cloud.inertia], ROUNDING, batched=False)
    center = cloud.masses @ cloud.points / cloud.masses.sum()
    assert_close([*body.center], center, ROUNDING, batched=False)
    # Bruyninckx (4.57): no first moment about the centre of mass.
    about = inertia_of_particles(zip(cloud.masses.tolist(), map(vec, cloud.points - center), strict=True))
    assert max(abs(x) for x in about.moment) < 1e-15


@pytest.mark.covers("BODY-21")
def test_no_mass_has_no_centre() -> None:
    with pytest.raises(DegenerateError, match="moment"):
        _ = RigidInertia.zero().center


@pytest.mark.covers("BODY-21", "BODY-36", "Bruyninckx (4.55)-(4.56)")
def test_density_that_varies() -> None:
    """ρ = x y² on a box is a polynomial, so few points are exact: m = ∫ x ∫ y² ∫ dz."""
    box = inertia_of_density(lambda r: r.x * r.y * r.y, box_region(Vec3.zero(), Vec3(2.0, 3.0, 4.0)), points=3)
    assert box.mass == pytest.approx(2.0 * 9.0 * 4.0, rel=1e-14)
    assert_close([*box.center], [4.0 / 3.0, 9.0 / 4.0, 2.0], ROUNDING, batched=False)
    # A ball that is denser inside: ρ = 1 - r², I = (8π/3) ∫ (r⁴ - r⁶) dr.
    ball = inertia_of_density(lambda r: 1.0 - r.dot(r), ball_region(1.0), points=20)
    assert_close([ball.rot.xx, ball.rot.yy, ball.rot.zz], [8.0 * math.pi / 3.0 * (1 / 5 - 1 / 7)] * 3, 1e-10,
                 batched=False)  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_gauss_legendre_is_exact_for_polynomials(n: int) -> None:
    for degree in range(2 * n):
        integral = sum(w * x**degree for x, w in gauss_legendre(n))
        assert integral == pytest.approx(1.0 / (degree + 1), rel=1e-13)


def chart(r: float, h: float, profile: object) -> object:
    """The solid of revolution whose radius at height h u is r · profile(u)."""
    flat = cylinder_region(1.0, 1.0)

    def region(s: float, t: float, u: float) -> tuple[Vec3, float]:
        at, volume = flat(s, t, u)
        k = r * profile(u)
        return Vec3(at.x * k, at.y * k, h * u), volume * k * k * h

    return region


def ring(R: float, r: float) -> object:
    flat = cylinder_region(1.0, 1.0)

    def region(s: float, t: float, u: float) -> tuple[Vec3, float]:
        at, volume = flat(s, t, 0.5)
        rho, angle = R + r * at.x, 2.0 * math.pi * u
        return Vec3(rho * math.cos(angle), rho * math.sin(angle), r * at.y), volume * r * r * 2.0 * math.pi * rho

    return region


REVOLVED = {
    "cylinder": (Cylinder(0.7, 1.5), cylinder_region(0.7, 1.5)),
    "ball": (Sphere(1.2), ball_region(1.2)),
    "cone": (Cone(0.8, 1.7), chart(0.8, 1.7, lambda u: 1.0 - u)),
    "hemisphere": (Hemisphere(1.3), chart(1.3, 1.3, lambda u: math.sqrt(1.0 - u * u))),
    "torus": (Torus(1.5, 0.4), ring(1.5, 0.4)),
    "box": (Box(Vec3(1.0, 2.0, 3.0)), box_region(Vec3(-0.5, -1.0, -1.5), Vec3(0.5, 1.0, 1.5))),
}


@pytest.mark.parametrize("name", REVOLVED)
@pytest.mark.covers("BODY-36", "BODY-21")
def test_solid_is_its_integral(name: str) -> None:
    solid, region = REVOLVED[name]
    expected = inertia_of_density(lambda r: 2.5, region, points=20)
    # Twenty points leave 1e-11 of the trigonometric charts.
    assert_close([*uniform(solid, 2.5)], [*expected], 1e-10, batched=False)


@pytest.mark.covers("BODY-36")
def test_ellipsoid_is_a_stretched_ball() -> None:
    flat, axes = ball_region(1.0), Vec3(0.5, 1.0, 2.0)

    def region(s: float, t: float, u: float) -> tuple[Vec3, float]:
        at, volume = flat(s, t, u)
        return Vec3(at.x * axes.x, at.y * axes.y, at.z * axes.z), volume * axes.x * axes.y * axes.z

    expected = inertia_of_density(lambda r: 1.0, region, points=20)
    assert_close([*uniform(Ellipsoid(axes), 1.0)], [*expected], 1e-10, batched=False)
    assert_close([*Ellipsoid(Vec3(2.0, 2.0, 2.0)).inertia(3.0)], [*Sphere(2.0).inertia(3.0)], ROUNDING, batched=False)


@given(lengths, lengths, lengths)
@settings(deadline=None, max_examples=20)
@pytest.mark.covers("BODY-36")
def test_hollow_is_outer_minus_inner(a: float, wall: float, length: float) -> None:
    ball = uniform(Sphere(a + wall), 1.0) - uniform(Sphere(a), 1.0)
    assert_close([*uniform(HollowSphere(a + wall, a), 1.0)], [*ball], 1e-11, batched=False)
    tube = uniform(Cylinder(a + wall, length), 1.0) - uniform(Cylinder(a, length), 1.0)
    assert_close([*uniform(HollowCylinder(a + wall, a, length), 1.0)], [*tube], 1e-11, batched=False)


@pytest.mark.covers("BODY-36")
def test_textbook_values() -> None:
    """Thin sphere 2/3 m r², ring m r², rod m l²/12, disc m r²/4, cylinder about its axis m r²/2."""
    assert HollowSphere(2.0, 2.0).inertia(3.0).rot.yy == pytest.approx(8.0, rel=1e-15)
    ring_ = HollowCylinder(2.0, 2.0, 0.0).inertia(3.0).rot
    assert (ring_.zz, ring_.xx) == (12.0, 6.0)
    assert Cylinder(0.0, 2.0).inertia(3.0).rot.xx == pytest.approx(1.0, rel=1e-15)
    assert Cylinder(2.0, 0.0).inertia(3.0).rot.xx == 3.0
    assert Cylinder(2.0, 5.0).inertia(3.0).rot.zz == 6.0
    # A cone about its tip: 3/20 m r² + 3/5 m h².
    tip = Pose(Quaternion.identity().as_rotation(), Vec3(0.0, 0.0, -4.0)) @ Cone(2.0, 4.0).inertia(1.0)
    assert tip.rot.xx == pytest.approx(0.6 + 9.6, rel=1e-14)


@given(lengths, lengths)
@settings(deadline=None, max_examples=20)
@pytest.mark.covers("BODY-36")
def test_capsule_is_cylinder_and_half_balls(radius: float, length: float) -> None:
    turn_over = Quaternion(1.0, 0.0, 0.0, 0.0).as_rotation()
    cap = uniform(Hemisphere(radius), 1.0)
    upper = Pose(Quaternion.identity().as_rotation(), Vec3(0.0, 0.0, length / 2.0)) @ cap
    lower = Pose(turn_over, Vec3(0.0, 0.0, -length / 2.0)) @ cap
    parts = uniform(Cylinder(radius, length), 1.0) + upper + lower
    assert_close([*uniform(Capsule(radius, length), 1.0)], [*parts], ROUNDING, batched=False)


BOX_FACES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]


def box_mesh(size: Vec3) -> tuple[list[Vec3], list[tuple[int, int, int]]]:
    corners = [Vec3(size.x * (i & 1), size.y * (i >> 1 & 1), size.z * (i >> 2 & 1)) for i in range(8)]
    centered = [c - size * 0.5 for c in corners]
    return centered, [t for a, b, c, d in BOX_FACES for t in ((a, b, c), (a, c, d))]


@given(lengths, lengths, lengths, points, st.tuples(*[st.floats(-1.0, 1.0)] * 3))
@settings(deadline=None, max_examples=25)
@pytest.mark.covers("BODY-36")
def test_mesh_of_a_box_anywhere(a: float, b: float, c: float, at: Vec3, turn: tuple[float, ...]) -> None:
    size = Vec3(a, b, c)
    corners, triangles = box_mesh(size)
    X = Pose(Quaternion.exp(Vec3(*turn)).as_rotation(), at * 100.0)
    placed = mesh_inertia([X * v for v in corners], triangles, density=3.0)
    # Vertices 200 m away are rounded to 3e-14 m, which the central inertia of a small box feels.
    assert_close([*placed], [*(X @ uniform(Box(size), 3.0))], 1e-11, batched=False)


@pytest.mark.covers("BODY-36")
def test_mesh_of_a_cone_and_its_side_converge() -> None:
    """Triangles around a circle: the polyhedron of n sides differs from the cone by O(1/n²), to second order known."""
    errors = []
    for n in (50, 100):
        rim = [Vec3(math.cos(2 * math.pi * k / n), math.sin(2 * math.pi * k / n), 0.0) for k in range(n)]
        vertices = [*rim, Vec3(0.0, 0.0, 2.0), Vec3.zero()]
        side = [(k, (k + 1) % n, n) for k in range(n)]
        base = [((k + 1) % n, k, n + 1) for k in range(n)]
        solid, shell = mesh_inertia(vertices, [*side, *base]), shell_inertia(vertices, side)
        expected = (uniform(Cone(1.0, 2.0), 1.0), ConicalShell(1.0, 2.0).inertia(ConicalShell(1.0, 2.0).area))
        errors.append([abs(x.rot.xx / y.rot.xx - 1.0) for x, y in zip((solid, shell), expected, strict=True)])
    ratio = np.array(errors[0]) / np.array(errors[1])
    assert np.allclose(ratio, 4.0, rtol=0.02)
    assert max(errors[1]) < 3e-3


@pytest.mark.covers("BODY-36")
def test_hole_in_a_mesh() -> None:
    outer, triangles = box_mesh(Vec3(2.0, 2.0, 2.0))
    inner, _ = box_mesh(Vec3(1.0, 1.0, 1.0))
    inside_out = [(i + 8, k + 8, j + 8) for i, j, k in triangles]
    hollow = mesh_inertia([*outer, *inner], [*triangles, *inside_out])
    expected = uniform(Box(Vec3(2.0, 2.0, 2.0)), 1.0) - uniform(Box(Vec3(1.0, 1.0, 1.0)), 1.0)
    assert_close([*hollow], [*expected], ROUNDING, batched=False)


@pytest.mark.covers("BODY-36")
def test_bad_meshes_raise() -> None:
    corners, triangles = box_mesh(Vec3(1.0, 1.0, 1.0))
    with pytest.raises(ModelError, match="surface"):
        mesh_inertia(corners, triangles[:-1])
    with pytest.raises(ModelError, match="triangles"):
        mesh_inertia(corners, [*triangles[:-1], triangles[-1][::-1]])
    with pytest.raises(DegenerateError, match="surface"):
        mesh_inertia(corners, [t[::-1] for t in triangles])
    with pytest.raises(ModelError, match="vertices"):
        shell_inertia([], [])


@pytest.mark.covers("BODY-36")
def test_whole_mesh_in_one_batch() -> None:
    corners, triangles = box_mesh(Vec3(1.0, 2.0, 3.0))
    array = np.array([[*c] for c in corners])[np.array(triangles)]
    a, b, c = (Vec3(*array[:, k].T) for k in range(3))
    total = [x.sum() for x in tetrahedron_inertia(a, b, c)]
    assert_close(total, [*Box(Vec3(1.0, 2.0, 3.0)).inertia(6.0)], ROUNDING, batched=False)


def test_every_solid_is_a_solid() -> None:
    shapes: list[Solid] = [ConicalShell(1.0, 2.0), Capsule(1.0, 2.0), Torus(1.0, 0.2), HollowCylinder(1.0, 0.5, 2.0)]
    assert [s.volume > 0.0 for s in shapes] == [False, True, True, True]
