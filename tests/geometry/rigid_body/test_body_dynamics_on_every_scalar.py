"""The same equations on plain numbers, in a batch, compiled, differentiated and with symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

import sixvec
from cloud import random_cloud
from differences import gradient
from sixvec.geometry.rigid_body.mesh_inertia import mesh_inertia, shell_inertia, tetrahedron_inertia
from sixvec.geometry.rigid_body.newton_euler import (
    bias_force,
    euler_acceleration,
    euler_moment,
    free_acceleration,
    newton_euler,
    newton_euler_material,
)
from sixvec.geometry.rigid_body.particles import ball_region, inertia_of_density, inertia_of_particles
from sixvec.geometry.rigid_body.point_mass import MovingFrame, PointMotion, fictitious_forces
from sixvec.geometry.rigid_body.principal import principal_frame
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
    Sphere,
    Torus,
    uniform,
)
from sixvec.spatial import AccelerationField, Force, Motion, Pose, Quaternion, RigidInertia, Sym3, Vec3
from sixvec.spatial.linear import solve_symmetric
from tolerances import DIFFERENCE, IDENTITY, assert_close

FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def body(x: Any) -> RigidInertia:
    """A body that can be, from ten numbers of any size."""
    a, b, c = (0.1 + y * y for y in x[4:7])
    at_center = RigidInertia(1.0 + x[0] * x[0], Vec3.zero(), Sym3.diagonal(b + c, a + c, a + b))
    return Pose(Quaternion.exp(Vec3.of(x[7:10])).as_rotation(), Vec3.of(x[1:4])) @ at_center


def field(x: Any) -> AccelerationField:
    return AccelerationField(*(Vec3.of(x[k : k + 3]) for k in (0, 3, 6)))


def frame(x: Any) -> MovingFrame:
    pose = Pose(Quaternion.exp(Vec3.of(x[:3])).as_rotation(), Vec3.of(x[3:6]))
    return MovingFrame(pose, *(Vec3.of(x[k : k + 3]) for k in (6, 9, 0, 3)))


def tetrahedron(x: Any) -> list[Vec3]:
    """Four corners, in general position and the right way round near the ones of a unit tetrahedron."""
    corners = [Vec3.zero(), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)]
    return [c + Vec3.of(x[3 * k : 3 * k + 3]) * 0.05 for k, c in enumerate(corners)]


EQUATIONS: dict[str, Callable[[Any], Any]] = {
    "momentum": lambda x: body(x) @ Motion.of(x[:6]),
    "kinetic energy": lambda x: [body(x).kinetic_energy(Motion.of(x[:6]))],
    "potential energy": lambda x: [body(x).potential_energy(Vec3.of(x[9:12]))],
    "mass matrix": lambda x: [a for row in body(x).as_matrix() for a in row],
    "about the centre": lambda x: body(x).about_center,
    "Euler moment": lambda x: euler_moment(body(x).rot, Vec3.of(x[:3]), Vec3.of(x[3:6])),
    "Euler acceleration": lambda x: euler_acceleration(body(x).rot, Vec3.of(x[:3]), Vec3.of(x[3:6])),
    "Newton-Euler": lambda x: newton_euler(body(x), Motion.of(x[:6]), Motion.of(x[6:])),
    "material form": lambda x: newton_euler_material(body(x), field(x)),
    "free acceleration": lambda x: free_acceleration(body(x), Motion.of(x[:6]), Force.of(x[6:])),
    "principal moments": lambda x: principal_frame(body(x)).moments,
    "particles": lambda x: inertia_of_particles([(x[0], Vec3.of(x[1:4])), (x[4], Vec3.of(x[5:8]))]),
    "density": lambda x: inertia_of_density(lambda r: x[0] + r.x * x[1] + r.z, ball_region(x[2]), points=2),
    "box": lambda x: uniform(Box(Vec3.of(lengths(x[:3]))), x[3]),
    "ellipsoid": lambda x: uniform(Ellipsoid(Vec3.of(lengths(x[:3]))), x[3]),
    "sphere": lambda x: uniform(Sphere(*lengths(x[:1])), x[1]),
    "hollow sphere": lambda x: uniform(HollowSphere(1.0 + x[0] * x[0], 0.5), x[1]),
    "hemisphere": lambda x: uniform(Hemisphere(*lengths(x[:1])), x[1]),
    "cylinder": lambda x: uniform(Cylinder(*lengths(x[:2])), x[2]),
    "hollow cylinder": lambda x: uniform(HollowCylinder(2.0 + x[0] * x[0], 0.5, 1.0 + x[2] * x[2]), x[3]),
    "cone": lambda x: uniform(Cone(*lengths(x[:2])), x[2]),
    "conical shell": lambda x: ConicalShell(*lengths(x[:2])).inertia(x[2]),
    "capsule": lambda x: uniform(Capsule(1.0 + x[0] * x[0], 1.0 + x[1] * x[1]), x[2]),
    "torus": lambda x: uniform(Torus(2.0 + x[0] * x[0], 1.0), x[2]),
    "mesh": lambda x: mesh_inertia(tetrahedron(x), FACES, 2.0),
    "shell": lambda x: shell_inertia(tetrahedron(x), FACES, 2.0),
    "fictitious forces": lambda x: fictitious_forces(x[0], frame(x), _seen(x)).total,
    "seen from inside": lambda x: [a for v in _fields(frame(x).from_inside(_seen(x))) for a in v],
    "seen from outside": lambda x: [a for v in _fields(frame(x).from_outside(_seen(x))) for a in v],
}


def lengths(x: Any) -> list[Any]:
    """Positive numbers of any numbers."""
    return [0.5 + a * a for a in x]


def _seen(x: Any) -> PointMotion:
    return PointMotion(*(Vec3.of(x[k : k + 3]) for k in (1, 4, 7)))


def _fields(p: PointMotion) -> tuple[Vec3, Vec3, Vec3]:
    return p.position, p.velocity, p.acceleration


@pytest.mark.every(2)
@pytest.mark.parametrize("name", EQUATIONS)
@pytest.mark.covers("BODY-19", "BODY-21", "BODY-22", "BODY-23", "BODY-24", "BODY-25", "BODY-26", "BODY-27", "BODY-36")
def test_plain_batched_compiled_and_differentiated(name: str) -> None:
    equation = EQUATIONS[name]
    x = np.random.default_rng(20).normal(size=(5, 12))
    plain = np.array([[*equation(row)] for row in x.tolist()], float)
    batch = np.stack(np.broadcast_arrays(*equation(x.T), np.zeros(5))[:-1], axis=-1)
    compiled = sixvec.compiled(f"x[12] -> y[{plain.shape[1]}]")(lambda x: equation(x))
    assert_close(batch, plain, IDENTITY)
    assert_close(compiled(x), plain, IDENTITY)
    derivative = compiled.derivative("x")(x)
    assert_close(derivative, gradient(compiled, x), DIFFERENCE * 100, scale=1.0 + abs(derivative).max(axis=(1, 2)))


def test_both_forms_agree_symbolically() -> None:
    """SymPy: M A + V ×* M V = M (A + (0; ω × v)) + F_b, for all symbols."""
    m = sympy.Symbol("m")
    c, I, w, v, al, a = (sympy.symbols(name) for name in ("c:3", "I:6", "w:3", "v:3", "x:3", "a:3"))
    thing = RigidInertia(m, Vec3(*c), Sym3(*I))
    V, A = Motion(Vec3(*w), Vec3(*v)), Motion(Vec3(*al), Vec3(*a))
    material = Motion(A.ang, A.lin + V.ang.cross(V.lin))
    difference = newton_euler(thing, V, A) - (thing @ material + bias_force(thing, V.ang))
    assert [sympy.expand(x) for x in difference] == [0] * 6


def test_tetrahedron_is_the_integral_symbolically() -> None:
    """SymPy: ∫ over r = s a + t b + u c with s + t + u ≤ 1, for one tetrahedron with symbols in it."""
    s, t, u, p, q = sympy.symbols("s t u p q", positive=True)
    a, b, c = Vec3(p, 0, 0), Vec3(1, q, 0), Vec3(0, 2, 3)
    r = a * s + b * t + c * u
    volume = a.dot(b.cross(c))

    def integral(f: Any) -> Any:
        return sympy.integrate(sympy.expand(f * volume), (u, 0, 1 - s - t), (t, 0, 1 - s), (s, 0, 1))

    result = tetrahedron_inertia(a, b, c, sympy.Integer(1))
    xx, yy, zz = r.x**2, r.y**2, r.z**2
    rot = (yy + zz, -r.x * r.y, -r.x * r.z, xx + zz, -r.y * r.z, xx + yy)
    for x, f in zip(result, (1, *r, *rot), strict=True):
        assert sympy.simplify(sympy.nsimplify(x, rational=True, tolerance=1e-12) - integral(f)) == 0


def test_systems_of_an_inertia_are_solved() -> None:
    S = random_cloud(0).inertia.rot
    x = Vec3(1.0, -2.0, 0.5)
    assert_close([*solve_symmetric(S, S @ x)], [*x], IDENTITY, batched=False)
