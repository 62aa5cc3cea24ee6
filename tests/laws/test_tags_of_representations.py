"""A quantity knows its axes, point, order and units; what a robot returns is one thing in all representations."""

from __future__ import annotations

import numpy as np
import pytest

import sixvec as sv
from naming import named
from sixvec.errors import ArgumentError, FrameError
from sixvec.spatial import Force, Motion, Pose, RigidInertia, Sym3, Tagged, TaggedPose, UnitSystem, Vec3
from sixvec.spatial.tagged import reference_tags
from tolerances import IDENTITY

FRAME = "panda_link8"
SHOP = UnitSystem("mm", "t")
REFERENCES = ("local", "world", "local_world_aligned")


@pytest.fixture(scope="module")
def arm() -> sv.Robot:
    return sv.load("panda")


@pytest.fixture(scope="module")
def state(arm: sv.Robot) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    return arm.random(rng), rng.normal(size=7)


def near(found: object, expected: object) -> None:
    np.testing.assert_allclose(np.array([*found], float), np.array([*expected], float), rtol=IDENTITY, atol=IDENTITY)  # type: ignore[misc]


@pytest.mark.covers("MODEL-02")
@pytest.mark.parametrize("reference", REFERENCES)
def test_velocities_of_a_robot_are_one_twist(arm: sv.Robot, state: tuple[np.ndarray, ...], reference: str) -> None:
    """In which axes, about which point, in which order, in which units: the same after conversion."""
    q, v = state
    here = Tagged.from_array(Motion, arm.velocity(q, v, FRAME, reference=reference), *reference_tags(FRAME, reference))
    X = TaggedPose(Pose.from_matrix(arm.pose(q, FRAME)), "world", FRAME)
    local = Tagged.from_array(Motion, arm.velocity(q, v, FRAME, reference="local"), FRAME, FRAME)
    there = {
        "local": lambda: local,
        "world": lambda: X @ local,
        "local_world_aligned": lambda: local.in_axes(X),
    }[reference]()
    assert (here.axes, here.point) == (there.axes, there.point)
    near(here, there)
    # The other order and other units give other numbers, and the same twist again.
    other = here.in_units(SHOP).in_order("linear_first")
    near(other.as_array(), np.r_[np.multiply(here.value.lin.x, 1e3), 1e3 * here.value.lin.y, 1e3 * here.value.lin.z,
                                 [*here.value.ang]])  # fmt: skip
    again = Tagged.from_array(Motion, other.as_array(), other.axes, other.point, "linear_first", SHOP)
    near(again.in_units(UnitSystem()).in_order("angular_first"), here)


@pytest.mark.covers("MODEL-02")
def test_power_is_the_same_in_every_representation(arm: sv.Robot, state: tuple[np.ndarray, ...]) -> None:
    q, v = state
    V = Tagged.from_array(Motion, arm.velocity(q, v, FRAME, reference="local"), FRAME, FRAME)
    w = Tagged.from_array(Force, [0.3, -1.0, 2.0, 5.0, 7.0, -4.0], FRAME, FRAME)
    X = TaggedPose(Pose.from_matrix(arm.pose(q, FRAME)), "world", FRAME)
    power = V.dot(w)
    assert power == pytest.approx(arm.jacobian(q, FRAME, reference="local") @ v @ np.array([*w]), rel=IDENTITY)
    assert (X @ V).dot(X @ w) == pytest.approx(power, rel=IDENTITY)
    in_shop = X.in_units(SHOP)
    watts = (in_shop @ V.in_units(SHOP)).dot(in_shop @ w.in_units(SHOP)) * 1e3 * 1e-6  # t mm²/s³
    assert watts == pytest.approx(power, rel=IDENTITY)
    swapped = V.in_order("linear_first").dot(w.in_order("linear_first"))
    assert swapped == power


@pytest.mark.covers("MODEL-02")
def test_inertias_and_kinetic_energy_in_other_units() -> None:
    body = RigidInertia.from_center_of_mass(2.0, Vec3(0.1, 0.2, 0.3), Sym3(0.3, 0.01, 0.02, 0.4, 0.03, 0.5))
    V = Motion.of([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    I_shop, V_shop = (Tagged(x, "B", "B").in_units(SHOP).value for x in (body, V))
    assert I_shop.kinetic_energy(V_shop) * 1e-3 == pytest.approx(body.kinetic_energy(V), rel=IDENTITY)
    near(I_shop @ V_shop, Tagged(body @ V, "B", "B").in_units(SHOP))


V = Motion.of([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
PLAIN = Tagged(V, "W", "W")


@pytest.mark.covers("MODEL-02")
@pytest.mark.parametrize(
    ("other", "word"),
    [
        (Tagged(V, "B", "W"), "axes"),
        (Tagged(V, "W", "B"), "point B"),
        (PLAIN.in_order("linear_first"), "linear first"),
        (PLAIN.in_units(SHOP), "mm"),
    ],
)
def test_every_tag_is_checked(other: Tagged[Motion], word: str) -> None:
    """The numbers of two representations never meet: sums, differences, powers and brackets name the tag."""
    for use in (PLAIN.__add__, PLAIN.__sub__, PLAIN.cross, PLAIN.dot):
        with pytest.raises(FrameError, match=word):
            use(other)
    assert word in str(other)


@pytest.mark.covers("MODEL-02")
def test_poses_have_units_too() -> None:
    X = TaggedPose(Pose.translation(Vec3(0.5, 0.0, 0.0)), "W", "B")
    local = Tagged(V, "B", "B")
    with pytest.raises(FrameError, match="in_units"):
        X @ local.in_units(SHOP)
    with pytest.raises(FrameError, match="in_units"):
        X.in_units(SHOP) @ X.inv()
    near((X.inv().in_units(SHOP) @ (X.in_units(SHOP) @ local.in_units(SHOP))).in_units(UnitSystem()), local)
    moved = X @ local.in_order("linear_first")
    assert moved.order == "linear_first" and moved.as_array() == [*(X.pose @ V).linear_first]


def test_what_has_no_such_tag_says_so() -> None:
    with pytest.raises(FrameError, match="Vec3"):
        Tagged(Vec3(1.0, 2.0, 3.0), "W").in_units(SHOP)
    with pytest.raises(FrameError, match="Vec3"):
        Tagged(Vec3(1.0, 2.0, 3.0), "W").in_order("linear_first")
    with pytest.raises(ArgumentError, match=named("angular", "angular_first")):
        Tagged(V, "W", "W", "angular")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="inch"):
        UnitSystem("inch")
    with pytest.raises(ArgumentError, match="body"):
        reference_tags("tool", "body")
