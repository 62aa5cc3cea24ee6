"""Descriptions of results: without values they show shapes, and a mistake in one of NumPy arrays is an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from sixvec.arguments.result import Result


class Unknown:
    """An array whose values are not known, as inside `jax.jit`."""

    shape = (3,)


@dataclass(frozen=True, eq=False, repr=False)
class Reach(Result):
    lengths: Any
    label: str = "far"

    def __repr__(self) -> str:
        if isinstance(self.lengths, Unknown) or self.label == "wrong":
            raise ValueError("no values")
        return f"<{self.label}>"


def test_results_without_values_show_shapes() -> None:
    assert repr(Reach(Unknown())) == "<Reach: lengths (3,), label far>"


@pytest.mark.parametrize("lengths", [np.zeros(3), np.float64(1.0), 1, 1.0, None])
def test_a_description_that_fails_on_known_values_raises(lengths: Any) -> None:
    assert repr(Reach(lengths)) == "<far>"
    with pytest.raises(ValueError, match="no values"):
        repr(Reach(lengths, "wrong"))
