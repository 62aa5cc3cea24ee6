"""Numbers that no edit takes: the error names what they are for, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import ArgumentError, ModelError, SixvecError
from sixvec.model import Body, JointDynamics, Mimic
from sixvec.model.edits import lock, payload, with_inertia
from sixvec.model.joints import Revolute
from sixvec.model.robots import BUILT_IN
from sixvec.spatial import Pose, RigidInertia, Rotation, Sym3, Vec3

PANDA = BUILT_IN["panda"]()
LIGHT = RigidInertia(1.0, Vec3.zero(), Sym3.diagonal(1.0, 1.0, 1.0))
FLANGE = "panda_link8"


def load(mass: float = 1.0, lever: float = 0.0, moment: float = 1.0) -> RigidInertia:
    return RigidInertia(mass, Vec3(0.0, 0.0, lever), Sym3.diagonal(1.0, 1.0, moment))


WRONG = {"mass is nan": load(math.nan), "first moment is 0, 0, inf": load(lever=math.inf), "nan": load(moment=math.nan)}
MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "lock": (lambda: lock(PANDA, {"panda_joint4": math.nan}), 'joint "panda_joint4" cannot be locked at nan'),
    **{f"payload {k}": (lambda x=x: payload(PANDA, FLANGE, x), k) for k, x in WRONG.items()},  # type: ignore[misc]
    **{
        f"with_payload {k}": (lambda x=x: sixvec.Robot(PANDA).with_payload(FLANGE, x), k)  # type: ignore[misc]
        for k, x in WRONG.items()
    },
    "with_inertia": (lambda: with_inertia(PANDA, "panda_link7", load(math.nan)), 'body "panda_link7": its mass is nan'),
    "negative payload": (lambda: payload(PANDA, FLANGE, load(-1.0)), "payload: its mass is -1; give 0 or more"),
    "negative load": (lambda: sixvec.Robot(PANDA).with_payload(FLANGE, load(-1.0)), "mass is -1"),
    "another load": (
        lambda: sixvec.Robot(PANDA).with_payload(FLANGE, LIGHT).with_payload(FLANGE, load(-1.0)),
        "mass is -1",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_error_says_which_number(name: str) -> None:
    act, words = MISTAKES[name]
    with pytest.raises(SixvecError) as caught:
        act()
    message = str(caught.value)
    assert words in message and len(message) < 120 and "Body(" not in message
    assert isinstance(caught.value, ValueError)
    assert name == "lock" or isinstance(caught.value, ArgumentError)


def test_a_load_without_mass_is_none() -> None:
    assert sixvec.Robot(PANDA).with_payload(FLANGE, RigidInertia.zero()).mass == sixvec.Robot(PANDA).mass


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (Body("a", placement=Pose(Rotation.identity(), Vec3(math.inf, 0.0, 0.0))), "its placement is 1, 0"),
        (Body("a", inertia=load(math.nan)), "its inertia.mass is nan"),
        (Body("a", inertia=load(moment=math.nan)), "its inertia.rot is 1, 0, 0, 1, 0, nan"),
        (Body("a", dynamics=JointDynamics(stiffness=(math.inf,))), "its dynamics.stiffness is inf"),
        (Body("a", joint=Revolute(), mimic=Mimic("b", 1.0, math.nan)), "its mimic.offset is nan"),
        (Body("a", joint=Revolute(), inertia=LIGHT), ""),
    ],
)
def test_a_body_names_its_field(body: Body, words: str) -> None:
    assert body.not_finite.startswith(words)
    assert body.is_finite == (body.not_finite == "")


def test_lock_takes_arrays_and_rejects_words() -> None:
    model = sixvec.load("panda", floating=True).model
    base = model.moving[0].joint_name
    assert lock(model, {base: np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])}).nv == 7
    with pytest.raises(ModelError, match=named(base, "here")):
        lock(model, {base: "here"})
