"""The examples in the docstrings of algorithms, which pytest does not find behind their declarations."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import sixvec
from sixvec.algorithms import REGISTRY


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_the_example_of_an_algorithm_is_true(name: str) -> None:
    function = REGISTRY[name].function
    (test,) = doctest.DocTestFinder(recurse=False).find(function, name, globs=dict(function.__globals__))
    assert test.examples, f"{name} has no example"
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not failed, "".join(report)


def test_dir_shows_what_is_meant_for_users() -> None:
    assert set(dir(sixvec)) >= {"Robot", "load", "save", "ik", "model"}
    assert not [name for name in dir(sixvec) if name in ("import_module", "ModuleType", "compiler", "kernels")]


def test_stubs_carry_the_first_sentence_of_each_algorithm() -> None:
    stub = " ".join((Path(sixvec.__file__).parent / "kernels/methods.pyi").read_text().split())
    for name in ("inverse_dynamics", "mass_matrix", "jacobian"):
        sentence = " ".join((REGISTRY[name].function.__doc__ or "").split(".  ")[0].split("\n\n")[0].split())
        assert sentence[:60] in stub, name
