"""Equations on plain numbers take every option of the method, and refuse what the method refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sixvec
from naming import named
from sixvec.errors import CallError, ShapeError, SixvecError

ARM = sixvec.load("planar_2r")
STATE = [[0.3, -0.7], [0.5, 0.2], [1.0, -2.0]]
WRENCH = [0.1, 0.2, 0.3, 4.0, 5.0, 6.0]


def test_external_wrenches_are_those_of_the_method() -> None:
    for reference in ("local", "world"):
        found = ARM.evaluate("inverse_dynamics", *STATE, external={"tip": WRENCH}, external_reference=reference)
        J = np.array(ARM.evaluate("jacobian", STATE[0], frame="tip", reference=reference), float)
        free = np.array(ARM.evaluate("inverse_dynamics", *STATE), float)
        assert np.allclose(np.array(found, float), free - J.T @ WRENCH, atol=1e-12)


def test_held_frames_and_options_in_order() -> None:
    held = ARM.evaluate("constrained_dynamics", *STATE, hold={"tip": ("x",)})
    A = np.array(ARM.evaluate("constraint_jacobian", STATE[0], hold={"tip": ("x",)}), float)
    gamma = np.array(ARM.evaluate("constraint_bias", *STATE[:2], hold={"tip": ("x",)}), float)
    assert np.allclose(A @ np.array(held[0], float) + gamma, 0.0, atol=1e-12)
    assert ARM.evaluate("jacobian", STATE[0], "tip", "local") == ARM.evaluate(
        "jacobian", STATE[0], frame="tip", reference="local"
    )


@pytest.mark.parametrize(
    ("name", "scalars", "options", "kind", "said"),
    [
        ("inverse_dynamics", STATE, {"external": {"tip": WRENCH[:5]}}, ShapeError, "external"),
        ("inverse_dynamics", STATE, {"external": {"tip": [*WRENCH, 0.0]}}, ShapeError, "external"),
        ("inverse_dynamics", [[0.0], [0.0], [0.0]], {}, ShapeError, named("q", "planar_2r")),
        ("inverse_dynamics", [0.0, [0.0, 0.0], [0.0, 0.0]], {}, ShapeError, named("q")),
        ("inverse_dynamics", STATE[:2], {}, CallError, "inverse_dynamics"),
        ("mass_matrix", [*STATE], {}, CallError, "mass_matrix"),
        ("jacobian", STATE[:1], {"frame": "tip", "reference": "there"}, SixvecError, "there"),
    ],
)  # fmt: skip
def test_what_evaluate_does_not_support(
    name: str, scalars: list[Any], options: dict[str, Any], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        ARM.evaluate(name, *scalars, **options)
