"""What the doctor says of models without a file: which bodies, how bad, and nothing of those that are sound."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sixvec.formats.doctor import Severity
from sixvec.formats.doctor.check import model_findings
from sixvec.model import Body, JointDynamics, Limits, Mimic, Model
from sixvec.model.joints import Joint, Prismatic, Revolute, Spherical
from sixvec.spatial import Pose, RigidInertia, Sym3, Vec3

SOUND = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
LIMITED = Limits((-1.0,), (1.0,))


def found(*bodies: Body) -> list[tuple[Severity, str, str]]:
    model = Model("arm", (Body("base", inertia=SOUND), *bodies))
    return [(f.severity, f.element, f.message) for f in model_findings(model)]


def moving(name: str = "tip", parent: str = "base", inertia: RigidInertia = SOUND, **more: object) -> Body:
    return Body(name, parent, Revolute(), inertia=inertia, **({"limits": LIMITED} | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mass", "moments", "severity", "words"),
    [
        (1.0, (1.0, 1.0, 3.0), Severity.WARNING, "triangle"),
        (0.0, (1.0, 1.0, 1.0), Severity.WARNING, "without mass"),
        (-1.0, (1.0, 1.0, 1.0), Severity.ERROR, "negative"),
        (1.0, (-1.0, -1.0, -1.0), Severity.ERROR, "not all positive"),
    ],
)
def test_inertias_that_no_body_has(mass: float, moments: tuple[float, ...], severity: Severity, words: str) -> None:
    bad = moving(inertia=RigidInertia(mass, Vec3.zero(), Sym3.diagonal(*moments)))
    first = found(bad, moving("sound", "tip"))[0]
    assert first[:2] == (severity, 'body "tip"') and words in first[2]
    assert not found(moving("sound"))


NOTHING = RigidInertia.zero()


@pytest.mark.parametrize(
    ("joint", "armature", "told"),
    [
        (Revolute(), (), True),
        (Revolute(), (0.0,), True),
        (Revolute(), (0.1,), False),
        (Prismatic(), (), True),
        (Spherical(), (), True),
        (Spherical(), (0.1, 0.1, 0.0), True),
        (Spherical(), (0.1, 0.1, 0.1), False),
    ],
)
def test_leaves_without_mass(joint: Joint, armature: tuple[float, ...], told: bool) -> None:
    limits = LIMITED if joint.nq == 1 else Limits()
    leaf = Body("leaf", "base", joint, joint_name="wrist", limits=limits, dynamics=JointDynamics(armature=armature))
    expected = 'moves "leaf", which has no mass, nor has anything that it carries'
    assert found(leaf) == ([(Severity.WARNING, 'joint "wrist"', expected)] if told else [])


def test_what_carries_mass_or_follows_needs_none() -> None:
    aside = replace(moving("tip", "link"), placement=Pose.translation(Vec3(0.3, 0.0, 0.0)))
    assert not found(moving("link", inertia=NOTHING), aside)
    assert not found(moving("link"), moving("finger", "link", NOTHING, mimic=Mimic("link")))
    assert not found(Body("frame", "base"))
    assert [element for _, element, _ in found(moving("a", inertia=NOTHING), moving("b", "a", NOTHING))] == [
        'joint "b"',
        'joint "a"',
    ]


@pytest.mark.parametrize(
    ("limits", "told"),
    [(Limits(), True), (LIMITED, False), (Limits(lower=(-1.0,)), False), (Limits(upper=(1.0,)), False)],
)
def test_missing_limits(limits: Limits, told: bool) -> None:
    assert found(moving(limits=limits)) == ([(Severity.NOTE, 'joint "tip"', "has no limits")] if told else [])
    assert not found(Body("ball", "base", Spherical(), inertia=SOUND))
