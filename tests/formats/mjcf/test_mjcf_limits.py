"""Limits of joints in MJCF: those that the format has words for, and those in its <custom> section."""

from __future__ import annotations

import math

import pytest

from mjcf_peer import mujoco
from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats import parse_model
from sixvec.formats.mjcf.joint import FAR
from sixvec.formats.mjcf.write import write_mjcf
from sixvec.model import Body, Limits, Model
from sixvec.model.joints import Free, Prismatic, Universal
from sixvec.spatial import RigidInertia, Sym3, Vec3


def ball() -> RigidInertia:
    return RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(0.1, 0.1, 0.1))


def written(model: Model) -> Model:
    return parse_model(write_mjcf(model), "written.xml")


LIMITS = [
    Limits((-1.0,), (2.0,), (3.0,), (4.0,)),
    Limits((-1.0,), (math.inf,)),
    Limits((-math.inf,), (0.1 + 0.2,)),
    Limits((0.5,), (0.5,), effort=(0.0,)),
    Limits((2.0,), (1.0,)),
    Limits(velocity=(1e-7,), effort=(1.7976931348623157e308,)),
]


@pytest.mark.covers("MODEL-03")
@pytest.mark.parametrize("limits", LIMITS)
def test_limits_to_the_last_bit(limits: Limits) -> None:
    model = Model("r", (Body("b", None, Prismatic(), inertia=ball(), limits=limits),))
    assert written(model).bodies[0].limits == limits
    theirs = mujoco.MjModel.from_xml_string(write_mjcf(model)).joint("b")
    lower, upper = (*limits.lower, -math.inf)[0], (*limits.upper, math.inf)[0]
    is_limited = (math.isfinite(lower) or math.isfinite(upper)) and lower <= upper
    assert bool(theirs.limited[0]) == is_limited
    if is_limited:
        ends = [math.copysign(min(abs(x), FAR), x) for x in (lower, upper)]
        assert [*theirs.range] == pytest.approx(ends, rel=1e-15, abs=1e-8)


def test_limits_of_joints_with_several_freedoms() -> None:
    limits = Limits((-1.0, -2.0), (1.0, math.inf), (3.0, 4.0), (5.0, 0.0))
    free = Limits(effort=(0.0,) * 6)
    again = written(
        Model("r", (Body("a", None, Free(), limits=free), Body("u", "a", Universal(), inertia=ball(), limits=limits)))
    )
    first, second = (b.limits for b in again.bodies[1:])
    assert first == Limits((-1.0,), (1.0,), (3.0,), (5.0,))
    assert second == Limits((-2.0,), (math.inf,), (4.0,), (0.0,))
    assert again.bodies[0].limits == free


ARM = '<body name="a"><joint name="a"/><geom size="1"/></body>'


@pytest.mark.parametrize(
    ("numeric", "limits"),
    [
        ('name="limit/velocity/a" data="3"', Limits(velocity=(3.0,))),
        ('name="limit/lower/a" data="-1"', Limits((-1.0,), (math.inf,))),
        ('name="limit/effort/a" data="0"', Limits(effort=(0.0,))),
        ('name="other" data="0 1 2"', Limits()),
    ],
)
def test_limits_in_the_custom_section(numeric: str, limits: Limits) -> None:
    text = f"<mujoco><custom><numeric {numeric}/></custom><worldbody>{ARM}</worldbody></mujoco>"
    assert parse_model(text, "arm.xml").by_name["a"].limits == limits
    for wrong, words in (
        ("limit/speed/a", "velocity"),
        ("limit/lower/c", named("limit/lower/c", "c")),
        ("limit/lower/a", named("limit/lower/a")),
    ):
        bad = text.replace(numeric, f'name="{wrong}" data="1 2"')
        with pytest.raises(FileFormatError, match=words):
            parse_model(bad, "arm.xml")
