"""What every function accepts as an array, a number or a whole number, and what it says otherwise."""

from __future__ import annotations

import importlib
import math
from typing import Any

import numpy as np
import pytest

from naming import named
from sixvec.arguments import (
    common_batch,
    one_number,
    positive_number,
    real_array,
    real_number,
    require_distinct,
    require_unmasked,
    whole_number,
    wrenches_by_frame,
)
from sixvec.arguments.binding import REQUIRED, bound
from sixvec.arguments.misspelt import no_attribute, no_member
from sixvec.arguments.signature import named_shape, two_sides
from sixvec.errors import ArgumentError, CallError, DtypeError, ShapeError
from sixvec.quoting import LONGEST_LINE, LONGEST_QUOTE, message, plain, plain_text, printable, quoted
from sixvec.verdict import Verdict, tally, verdicts

NUMBERS = [1.5, -2, np.float32(0.5), np.int8(3), np.array(0.25), np.array(4), 0.0, math.inf]
NO_NUMBERS = [True, np.bool_(True), "1", None, [1.0], np.array([1.0]), np.array(True), 1j, np.array("x")]


@pytest.mark.parametrize("given", NUMBERS, ids=repr)
def test_numbers(given: Any) -> None:
    assert one_number("x", given) == float(given) and type(one_number("x", given)) is float
    if math.isfinite(given):
        assert real_number("x", given) == float(given)
    else:
        with pytest.raises(ArgumentError, match=named("x")):
            real_number("x", given, "metres")
    if 0.0 < given < math.inf:
        assert positive_number("x", given) == float(given)
    else:
        with pytest.raises(ArgumentError, match=named("x")):
            positive_number("x", given)


@pytest.mark.parametrize("given", NO_NUMBERS, ids=repr)
def test_what_is_no_number(given: Any) -> None:
    for check in (one_number, real_number, positive_number):
        with pytest.raises(DtypeError, match=named("x")):
            check("x", given)
        with pytest.raises(DtypeError, match=named("x")):
            check("x", given, "metres")


def test_whole_numbers() -> None:
    assert [whole_number("n", n) for n in (0, 7, np.int32(5))] == [0, 7, 5]
    assert whole_number("n", 3, 3) == 3 and type(whole_number("n", np.int8(3))) is int
    for given, least in ((2, 3), (-1, 0), (True, 0), (1.0, 0), ("1", 0), (None, 0), (np.bool_(True), 0)):
        with pytest.raises(ArgumentError, match=named("n", str(least))):
            whole_number("n", given, least)


@pytest.mark.parametrize(
    "given", [[1, 2], np.arange(3, dtype=np.uint8), [[True]], np.float32(1.0), [], np.zeros((0, 3))]
)
def test_arrays_of_any_real_kind_are_floats(given: Any) -> None:
    found = real_array("x", given)
    assert found.dtype == float and found.shape == np.shape(given) and np.array_equal(found, np.asarray(given, float))


def test_arrays_of_floats_are_not_copied() -> None:
    x = np.zeros(3)
    assert real_array("x", x) is x


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ([1.0, "a"], DtypeError, named("x", "a")), ("a", DtypeError, named("x", "a")),
        ([1j], DtypeError, named("x", "complex128")),
        (None, DtypeError, named("x", "NoneType")), ([None, 1.0], DtypeError, named("x", "NoneType")),
        ([{}, 1.0], DtypeError, named("x", "dict")), ([[1.0], [1.0, 2.0]], ShapeError, named("x")),
        (np.array(["2020"], "datetime64[Y]"), DtypeError, named("x")),
        (np.ma.array([0.0, 1.0], mask=[False, True]), ArgumentError, named("x")),
    ],
)  # fmt: skip
def test_what_is_no_array_of_numbers(given: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        real_array("x", given)


def test_masks_that_hide_nothing_and_wrenches() -> None:
    whole = np.ma.array([0.0, 1.0], mask=[False, False])
    require_unmasked("x", whole)
    require_unmasked("x", [0.0])
    assert wrenches_by_frame("f", None) == {} and wrenches_by_frame("f", {"tip": 1}) == {"tip": 1}
    given = {"tip": 1}
    assert wrenches_by_frame("f", given) is not given
    require_distinct("x", ["a", "b"])
    require_distinct("x", [])
    with pytest.raises(ArgumentError, match=named("x", "b")):
        require_distinct("x", ["a", "b", "c", "b"])


def test_batches() -> None:
    assert common_batch("f", [], []) == () and common_batch("f", [(2, 1), (), (3,)], ["a", "b", "c"]) == (2, 3)
    with pytest.raises(ShapeError, match=named("b")):
        common_batch("f", [(2,), (3,)], ["a", "b"])


def test_arguments_by_name() -> None:
    known = {"a": REQUIRED, "b": REQUIRED, "c": 3}
    assert bound("f", known, (1, 2)) == {"a": 1, "b": 2, "c": 3}
    assert bound("f", known, (1,), {"c": 5, "b": None}) == {"a": 1, "b": None, "c": 5}
    assert bound("f", {}) == {}
    for args, keywords, names in (
        ((1, 2, 3, 4), {}, named("f")),
        ((1,), {"a": 2}, named("a")),
        ((1,), {"d": 2}, named("f", "d")),
        ((), {}, named("f", "a", "b")),
    ):
        with pytest.raises(CallError, match=names):
            bound("f", known, args, keywords, also=["e"])
    with pytest.raises(CallError, match=named("f")):
        bound("f", {"a": 1}, (1, 2))
    with pytest.raises(CallError, match=named("f", "a")):
        bound("f", {}, (), {"a": 1})


def test_signatures() -> None:
    assert named_shape("x[]") == ("x", ()) and named_shape("A[2,n,3]") == ("A", (2, "n", 3))
    assert two_sides("->") == ([], []) and two_sides(" a  b->c ") == (["a", "b"], ["c"])
    for text in ("[3]", "x[3", "x[3]y"):
        with pytest.raises(ArgumentError, match=named(text)):
            named_shape(text)
    with pytest.raises(ArgumentError, match=named("->")):
        two_sides("a b")


def test_quotations_are_cut_at_their_longest() -> None:
    for longest in (LONGEST_QUOTE, LONGEST_LINE):
        assert quoted("a" * longest, longest) == "a" * longest
        assert quoted("a" * (longest + 1), longest) == "a" * longest + "…"
        assert quoted("\t" + "a" * (longest - 1), longest) == " " + "a" * (longest - 1)
    assert quoted("") == "" and printable("a\nb\x1b") == "a\nb "
    brief, long = "b" * LONGEST_QUOTE, "b" * (2 * LONGEST_QUOTE)
    assert message(f'"{brief}" x') == f'"{brief}" x'
    assert message(f'"{long}" x "{long}" y') == f'"{brief}…" x "{brief}…" y'
    assert plain_text("τ ≤ 3°") == "tau <= 3 deg" and plain("Σ") == "Sigma" and plain_text("plain\n") == "plain "


def test_verdicts_in_words() -> None:
    assert tally(verdicts(1)) == "at limit" and tally(verdicts([])) == "nothing to solve"
    assert tally(verdicts([[3, 0], [0, 3]])) == "2 solved, 2 unreachable"
    assert [v.value for v in Verdict] == [*range(len(Verdict))] and str(
        Verdict.INSIDE_SHOULDER_CYLINDER
    ) == "inside shoulder cylinder"
    assert verdicts([0]).dtype == np.int8


def test_names_that_are_not_there() -> None:
    class Thing:
        speed = velocity = 1

    assert no_attribute(Thing(), "_hidden") == "Thing has no attribute '_hidden'"
    assert no_attribute(Thing(), "sped") == "Thing has no attribute 'sped'; did you mean speed?"
    assert no_attribute(Thing(), "qqq") == "Thing has no attribute 'qqq'; dir(robot) lists what it has"
    assert no_attribute(Thing(), "createData").endswith("; there is no data object: every method takes the state")
    assert no_member("m", "speed", ["load"], Thing).endswith('; robots have it: m.load("panda").speed')
    assert no_member("m", "laod", ["load"], Thing).endswith("; did you mean load?")
    assert no_member("m", "fkine", ["load"], Thing).endswith("; write robot.pose(q, frame)")
    assert no_member("m", "_speed", ["load"], Thing) == "module 'm' has no attribute '_speed'"


@pytest.mark.parametrize("package", ["constraints.contacts", "constraints.grasps", "mobile", "parallel", "viz"])
def test_packages_list_their_names_and_advise(package: str) -> None:
    module = importlib.import_module(f"sixvec.{package}")
    assert dir(module) == sorted(module.__all__)
    longest = max(module.__all__, key=len)
    with pytest.raises(AttributeError, match=named(f"sixvec.{package}", longest)):
        getattr(module, longest[:-1])
