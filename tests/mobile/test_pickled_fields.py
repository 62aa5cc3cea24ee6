"""Motion operators, their brackets and chained forms travel to other processes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from sixvec.mobile import bicycle, car, chained_form, differential_drive, lie_bracket

Q = np.array([0.1, 0.2, 0.3, 0.4])
TRUCK = differential_drive(0.5, 0.1).with_trailer(length=0.8)
FIELDS = {
    **{f"car {name}": f for name, f in car(1.3, 0.8).operators.items()},
    **{f"bicycle {name}": f for name, f in bicycle(1.3).operators.items()},
    **{f"truck {name}": f for name, f in TRUCK.operators.items()},
    "bracket": lie_bracket(*car(1.3, 0.8).operators.values()),
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields_are_the_same_after_pickling(name: str) -> None:
    field = FIELDS[name]
    expected = field(Q)  # compiled, which is not pickled
    assert np.array_equal(pickle.loads(pickle.dumps(field))(Q), expected)


def test_flows_and_chained_forms_are_the_same_after_pickling() -> None:
    drive = differential_drive(0.5, 0.1).operators["drive"]
    assert np.array_equal(pickle.loads(pickle.dumps(drive)).move(Q[:3], 0.7), drive.move(Q[:3], 0.7))
    form = chained_form(*bicycle(1.3).operators.values(), 4)
    assert np.array_equal(pickle.loads(pickle.dumps(form)).inputs(Q, 0.2, 0.3), form.inputs(Q, 0.2, 0.3))
