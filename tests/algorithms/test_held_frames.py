"""Held frames in one form: named kinds, rows in the frame's axes, wheels that are held as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.algorithms.parts.closure_rows import Shift, Spin
from sixvec.algorithms.parts.frame_pair import rows_in_frame
from sixvec.algorithms.parts.held_directions import directions_of
from sixvec.algorithms.parts.held_frames import held_frames
from sixvec.algorithms.parts.rolling_rows import RollingMotion, _Touch
from sixvec.errors import ArgumentError
from sixvec.model.held_frame import Held, Rolling, RollingFrame
from sixvec.spatial import Force, Motion, Rotation, Vec3

ARM = sixvec.load("panda").model
TIP, FOREARM = "panda_link8", "panda_link4"
X_AXIS, Y_AXIS, Z_AXIS = (Vec3.of(row) for row in np.eye(3).tolist())
TURNS, SHIFTS = ("turn x", "turn y", "turn z"), ("x", "y", "z")


def held(directions: Any) -> Held:
    (found,) = held_frames(ARM, {TIP: directions})
    return found


@pytest.mark.parametrize(
    ("kind", "directions"),
    [
        ("weld", (*TURNS, *SHIFTS)),
        ("point", SHIFTS),
        ("vertical", ("world x", "world y")),
        ("vertical slide", (*TURNS, "world x", "world y")),
        (("x", "turn z"), ("x", "turn z")),
        (("x", "z", "world y"), ("x", "z", "world y")),
    ],
)
def test_kinds_are_sets_of_directions(kind: Any, directions: tuple[str, ...]) -> None:
    found = held(kind)
    assert found == Held(TIP, None, directions_of(TIP, directions))
    assert tuple(map(str, found.directions)) == directions
    assert found.in_own_axes == (not any("world" in d for d in directions))


def test_directions_are_written_as_they_are_read() -> None:
    directions = ("x", "turn world y", "acceleration z", (0.6, 0.0, 0.8), ("turn world", (0.0, -0.6, 0.8)))
    found = held(directions).directions
    assert repr(found) == repr(directions)
    assert held(found).directions == found


def test_rows_are_in_the_axes_of_the_frame() -> None:
    R = Rotation.about_z(0.4)
    u = Vec3(0.6, 0.0, 0.8)
    kinds = ("y", "turn x", "world y", "turn world x", "world z", ("turn", [*u]), ("world", [*u]))
    rows = rows_in_frame(held(kinds), R)
    assert rows == (Shift(Y_AXIS), Spin(X_AXIS), Shift(R @ Y_AXIS), Spin(R @ X_AXIS), Shift(Z_AXIS),
                    Spin(u), Shift(R @ u))  # fmt: skip


def test_names_tell_frames_and_directions() -> None:
    assert held(("x", "turn z")).names == (f"{TIP}: x", f"{TIP}: turn about z")
    (pair,) = held_frames(ARM, {(TIP, FOREARM): ("turn y",)})
    assert pair.to == FOREARM and pair.names == (f"{TIP} to {FOREARM}: turn about y",)
    (wheel,) = held_frames(ARM, {TIP: Rolling(0.1, ("roller", "normal"), 0.3)})
    assert wheel == RollingFrame(TIP, None, ("roller", "normal"), 0.1, 0.3)
    assert wheel.names == (f"{TIP}: roller", f"{TIP}: normal")


def test_a_wheel_that_is_held_as_well_gains_rows() -> None:
    rolling = held_frames(ARM, {TIP: Rolling(0.1), FOREARM: Rolling(0.2, ("roller",), 0.5)})
    wheeled = replace(ARM, rolling=rolling)
    assert held_frames(wheeled, None) == () == held_frames(wheeled, {TIP: Rolling(0.1, ("side",))})
    assert held_frames(wheeled, rolling) == () and held_frames(ARM, rolling) == rolling
    more = held_frames(wheeled, {TIP: Rolling(0.1, ("side", "normal")), "panda_link2": ("x",)})
    assert more == (RollingFrame(TIP, None, ("normal",), 0.1, 0.0), *held_frames(ARM, {"panda_link2": ("x",)}))
    assert held_frames(wheeled, {TIP: ("z",)}) == (held(("z",)),)
    for other in (Rolling(0.11), Rolling(0.1, roller_angle=0.1)):
        with pytest.raises(ArgumentError, match=named("hold", "panda_link8")):
            held_frames(wheeled, {TIP: other})


@pytest.mark.parametrize(
    ("hold", "said"),
    [
        ({(TIP,) * 3: "weld"}, "frame"),
        ({(): "weld"}, "frame"),
        ({(TIP, "panda_link7"): "weld"}, named("panda_link8", "panda_link7")),
        ({(TIP, FOREARM): Rolling(0.1)}, named("panda_link8", "panda_link4")),
        ({TIP: "x"}, named("panda_link8", "x")),
        ({TIP: ()}, named("hold", "panda_link8")),
        ({TIP: ("x", "y", "x")}, named("panda_link8", "x")),
        ({TIP: 3}, named("hold", "panda_link8")),
        (3, "hold"),
    ],
)
def test_mistakes_are_named(hold: Any, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        held_frames(ARM, hold)


@pytest.mark.parametrize("radius", [-0.1, np.nan, np.inf])
def test_radii_are_lengths(radius: float) -> None:
    with pytest.raises(ArgumentError):
        Rolling(radius)
    assert Rolling(0.0).radius == 0.0  # a point that slides along no direction


def directions(touch: Any, wheel: RollingFrame) -> np.ndarray:
    return np.array([[*touch.point], *([*d] for d in touch.directions(wheel))], float)


@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_contacts_of_wheels_are_below_the_axle(tilt: float) -> None:
    """A wheel upright, or leaning about its heading x: the point is at the rim, ahead is x, left is level."""
    wheel = RollingFrame(TIP, None, ("roll", "side", "normal", "roller"), 0.2, 0.5)
    n = Rotation.about_x(tilt).inv() @ Z_AXIS
    found = directions(_Touch.of(n, wheel.radius), wheel)
    left = Rotation.about_x(tilt).inv() @ Y_AXIS
    roller = X_AXIS * np.cos(0.5) + left * np.sin(0.5)
    assert np.allclose(found, [[0.0, 0.0, -0.2], [*X_AXIS], [*left], [*n], [*roller]], atol=1e-15)


def test_contacts_of_wheels_change_as_their_differences_do() -> None:
    wheel, h = RollingFrame(TIP, None, ("roll", "side", "normal", "roller"), 0.2, 0.5), 1e-5
    n = Rotation.about_x(0.3) @ (Rotation.about_y(0.8) @ Z_AXIS)
    a, b = (n.cross(Vec3.of(x)) for x in ([0.3, -0.5, 0.7], [-0.2, 0.9, 0.4]))  # along the sphere of directions
    at = _Touch.of(n, wheel.radius)
    rate = directions(at.rate(n, a, wheel.radius), wheel)
    ahead, behind = (directions(_Touch.of(n + a * k, wheel.radius), wheel) for k in (h, -h))
    assert np.allclose(rate, (ahead - behind) / (2.0 * h), atol=1e-9)
    second = directions(at.second(n, a, b, wheel.radius), wheel)
    ahead, behind = (
        directions(_Touch.of(m, wheel.radius).rate(m, a, wheel.radius), wheel) for m in (n + b * h, n + b * -h)
    )
    assert np.allclose(second, (ahead - behind) / (2.0 * h), atol=1e-9)
    both = directions(at.rate(n, a, 0.2) + at.rate(n, b, 0.2), wheel)
    assert np.allclose(both, directions(at.rate(n, a + b, 0.2), wheel), atol=1e-14)


def test_accelerations_of_wheels_and_their_slopes_are_those_of_differences() -> None:
    wheel, h = RollingFrame(TIP, None, ("roll", "side", "normal", "roller"), 0.2, 0.5), 1e-5
    n = Rotation.about_x(0.3) @ (Rotation.about_y(0.8) @ Z_AXIS)
    V, C, dV, dC = (Motion.of(x) for x in np.random.default_rng(7).normal(size=(4, 6)).tolist())
    motion, about = RollingMotion(wheel, n, V, C), Vec3(0.4, -0.6, 0.9)

    def slip(k: float) -> np.ndarray:
        touch = _Touch.of(n - V.ang.cross(n) * k, wheel.radius)
        return np.array([d.dot((V + C * k).at(touch.point)) for d in touch.directions(wheel)])

    def moved(k: float) -> np.ndarray:
        return np.array(RollingMotion(wheel, n + about.cross(n) * k, V + dV * k, C + dC * k).accelerations())

    def wrenches(k: float) -> np.ndarray:
        touch = _Touch.of(n + about.cross(n) * k, wheel.radius)
        return np.array([[*Force.at_point(d, touch.point)] for d in touch.directions(wheel)])

    for found, f in (
        (motion.accelerations(), slip),
        (motion.slopes(about, dV, dC), moved),
        ([[*W] for W in motion.turned_wrenches(about)], wrenches),
    ):
        assert np.abs(np.array(found, float) - (f(h) - f(-h)) / (2.0 * h)).max() < 1e-8
