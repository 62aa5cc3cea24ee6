"""Programs as data: what is read is the program that was written, and changed data are an error, never a crash."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import numpy as np
import pytest

import sixvec as sv
from sixvec.compiler.program_text import as_data, from_data
from sixvec.errors import ArgumentError, SixvecError
from sixvec.kernels.function import CompiledProgram

DATA = as_data(sv.load("planar_2r").kernel("gravity_forces").program)


def test_a_program_that_was_read_is_the_one_that_was_written() -> None:
    program = sv.load("panda").kernel("mass_matrix").program
    assert from_data(json.loads(json.dumps(as_data(program)))).digest == program.digest


def test_a_program_without_results_raises() -> None:
    with pytest.raises(ArgumentError):
        from_data({**DATA, "outputs": [], "results": []})


def changed(data: Any, rng: random.Random) -> Any:
    """The data with one entry, somewhere inside, that is another."""
    if isinstance(data, list) and data:
        i = rng.randrange(len(data))
        if rng.random() < 0.2:
            del data[i]
        else:
            data[i] = changed(data[i], rng)
        return data
    if isinstance(data, dict):
        key = rng.choice([*data])
        data[key] = changed(data[key], rng)
        return data
    return rng.choice(
        [0, 1, -1, 7, 10**30, 0.5, 1e308, float("nan"), True, None, "", "sin", "input", "q", "nope", [], {}]
    )


@pytest.mark.parametrize("seed", range(300))
def test_changed_data_are_another_program_or_an_error(seed: int) -> None:
    try:
        program = from_data(changed(copy.deepcopy(DATA), random.Random(seed)))
    except SixvecError:
        return
    q = [np.ones((2, *port.shape)) for port in program.inputs]
    if seed % 30 == 0:
        CompiledProgram(program).call_numpy(*q)
