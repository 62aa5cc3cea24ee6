"""The examples in the docstrings of algorithms, which pytest does not find behind their declarations."""

from __future__ import annotations

import doctest

import pytest

from sixvec.algorithms import REGISTRY


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_the_example_of_an_algorithm_is_true(name: str) -> None:
    function = REGISTRY[name].function
    (test,) = doctest.DocTestFinder(recurse=False).find(function, name, globs=dict(function.__globals__))
    assert test.examples, f"{name} has no example"
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not failed, "".join(report)
