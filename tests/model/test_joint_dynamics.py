"""What a joint feels besides the bodies is given as one number per freedom."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

import sixvec as sv
from sixvec.errors import ModelError
from sixvec.model import WORLD, Body, JointDynamics, Model
from sixvec.model.joints import Revolute


@pytest.mark.parametrize("name", [f.name for f in fields(JointDynamics)])
@pytest.mark.parametrize("value", [0.5, np.float64(0.5), np.array(0.5), "0.5"])
def test_a_number_alone_raises_and_is_named(name: str, value: object) -> None:
    with pytest.raises(ModelError, match=name):
        JointDynamics(**{name: value})  # type: ignore[arg-type]


def test_other_sequences_become_tuples() -> None:
    assert JointDynamics(armature=[0.5]) == JointDynamics(armature=(0.5,))  # type: ignore[arg-type]
    given = JointDynamics(armature=np.array([0.5]))  # type: ignore[arg-type]
    model = Model("arm", (Body("link", WORLD, Revolute(), dynamics=given),))
    assert sv.Robot(model).mass_matrix([0.0]).tolist() == [[0.5]]
    assert hash(given) == hash(JointDynamics(armature=(0.5,)))
