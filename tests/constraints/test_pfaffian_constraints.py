"""Velocity constraints: their forces do no work, and Frobenius tells which of them are position constraints."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import sixvec
from sixvec.constraints import Holonomy, is_holonomic, numeric_holonomy, symbolic_holonomy
from sixvec.constraints.holonomy import curvature
from sixvec.constraints.pfaffian import PfaffianConstraint, stacked
from sixvec.errors import DegenerateError, ShapeError
from sixvec.scalar import cos, sin
from tolerances import IDENTITY, assert_close

RNG = np.random.default_rng(6)


def skate(q: list[object]) -> list[list[object]]:
    """(x, y, heading): no motion across the blade."""
    return [[sin(q[2]), -cos(q[2]), 0.0]]


def rolling_disc(q: list[object]) -> list[list[object]]:
    """(x, y, heading, roll) of an upright disc of radius 1 that rolls without slipping."""
    return [[1.0, 0.0, 0.0, -cos(q[2])], [0.0, 1.0, 0.0, -sin(q[2])]]


def vertex_on_face(q: list[object]) -> list[list[object]]:
    """A corner (1, 2) of a planar body (x, y, heading) stays on the line y = 0: the rate of y + sin h + 2 cos h."""
    return [[0.0, 1.0, cos(q[2]) - 2.0 * sin(q[2])]]


def circle(q: list[object]) -> list[list[object]]:
    return [[q[0], q[1]]]


def scaled_gradient(q: list[object]) -> list[list[object]]:
    """An integrating factor hides the gradient of x y + z: integrable although not exact."""
    factor = 2.0 + sin(q[0] * q[2])
    return [[q[1] * factor, q[0] * factor, factor]]


def rolling_on_a_rail(q: list[object]) -> list[list[object]]:
    """A wheel that cannot turn its heading: the same forms, one more condition, and all becomes holonomic."""
    return [*rolling_disc(q), [0.0, 0.0, 1.0, 0.0]]


def mixed(q: list[object]) -> list[list[object]]:
    """A skate on a lift that is bound to the height z = x² / 2: one condition of each sort."""
    return [[sin(q[2]), -cos(q[2]), 0.0, 0.0], [q[0], 0.0, 0.0, -1.0]]


def two_trailers(q: list[object]) -> list[list[object]]:
    """Headings of a car's front and of two trailers, a metre apart each: brackets of up to four fields are needed."""
    x = [sin(q[2]), -cos(q[2]), 0.0, 0.0, 0.0]
    first = [sin(q[3]), -cos(q[3]), 0.0, 1.0, 0.0]
    second = [sin(q[4]), -cos(q[4]), 0.0, cos(q[3] - q[4]), 1.0]
    return [x, first, second]


def chart(q: list[object]) -> list[list[object]]:
    """A skate with two bars that are tied to it by products and sines: two conditions on position beside its own."""
    return [
        [sin(q[2]), -cos(q[2]), 0.0, 0.0, 0.0],
        [q[1], q[0], 0.0, cos(q[3]), 0.0],
        [0.0, 0.0, 2.0 * q[4], 0.0, 2.0 * q[2] + cos(q[4])],
    ]


CASES = {
    "skate": (skate, 3, 1, 0),
    "rolling disc": (rolling_disc, 4, 2, 0),
    "vertex on face": (vertex_on_face, 3, 1, 1),
    "circle": (circle, 2, 1, 1),
    "scaled gradient": (scaled_gradient, 3, 1, 1),
    "wheel on a rail": (rolling_on_a_rail, 4, 3, 3),
    "mixed": (mixed, 4, 2, 1),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.covers("BODY-32")
def test_symbolic_and_numeric_verdicts(name: str) -> None:
    forms, n, constraints, integrable = CASES[name]
    verdict = symbolic_holonomy(forms, sympy.symbols(f"q:{n}", real=True))
    assert verdict == Holonomy(n, constraints, integrable)
    q = np.random.default_rng(0).normal(size=(20, n))
    assert is_holonomic(forms, q) == verdict.holonomic == (integrable == constraints)
    assert numeric_holonomy(forms, q[:3]) == verdict
    if not verdict.holonomic:
        assert (curvature(forms, q) > 1e-3).any()


@pytest.mark.covers("BODY-32")
def test_numbers_count_conditions_that_are_known() -> None:
    """A car with two trailers reaches all positions; a skate with two ties keeps the conditions of these."""
    assert numeric_holonomy(two_trailers, RNG.uniform(0.2, 0.9, 5)) == Holonomy(5, 3, 0)
    assert numeric_holonomy(chart, RNG.uniform(0.2, 0.9, (2, 5))) == Holonomy(5, 3, 2)


@pytest.mark.covers("BODY-32")
def test_dependent_forms_count_once() -> None:
    def twice(q: list[object]) -> list[list[object]]:
        (form,) = skate(q)
        return [form, [2.0 * a for a in form]]

    verdict = symbolic_holonomy(twice, sympy.symbols("x y h", real=True))
    assert verdict == Holonomy(3, 1, 0)
    assert "non-holonomic: 0 of 1" in str(verdict)
    assert not is_holonomic(twice, [0.1, 0.2, 0.3])
    assert numeric_holonomy(twice, [0.1, 0.2, 0.3]) == verdict
    with pytest.raises(ShapeError, match="coefficients"):
        curvature(lambda q: [[1.0, 2.0]], [0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("forms", "there", "integrable"),
    [
        (lambda q: [[0.0, q[0]]], [0.0, 0.7], True),  # x dy = 0: lines y = const, wherever the form is not zero
        (lambda q: [[q[0] * q[1], q[0] * q[0]]], [0.0, 0.7], True),  # x (y dx + x dy) = x d(x y)
        (lambda q: [[0.0, q[0] * q[0], 0.0], [1.0, q[0], 0.0]], [0.0, 0.7, 0.2], True),  # dependent at x = 0
        (lambda q: [[-q[1] * q[0], 0.0, q[0]]], [0.0, 0.4, 0.3], False),  # x (dz - y dx): a contact form times x
    ],
)
def test_where_forms_lose_rank_they_say_nothing(forms, there, integrable) -> None:
    """Frobenius needs a constant rank: the curl of x dy is 1 at x = 0 though its integral curves are lines."""
    n = len(there)
    assert symbolic_holonomy(forms, sympy.symbols(f"q:{n}", real=True)).holonomic == integrable
    assert np.isnan(curvature(forms, there)).all()
    with pytest.raises(DegenerateError, match="position"):
        is_holonomic(forms, there)
    with pytest.raises(DegenerateError, match="position"):
        numeric_holonomy(forms, there)
    beside = np.add(there, [0.3, *[0.0] * (n - 1)])
    assert is_holonomic(forms, [there, beside]) == is_holonomic(forms, beside) == integrable


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
@pytest.mark.covers("BODY-31", "Bruyninckx (4.91)-(4.92)")
def test_constraint_forces_do_no_work(seed: int) -> None:
    """τ = A λ: power zero on every allowed velocity; printed Bruyninckx (4.92) would put τ among the velocities."""
    rng = np.random.default_rng(seed)
    n, m = 5, 2
    A = rng.normal(size=(m, n))
    constraint = PfaffianConstraint(tuple(map(tuple, A.tolist())))
    allowed = np.linalg.svd(A)[2][m:].T @ rng.normal(size=n - m)
    multipliers = rng.normal(size=m).tolist()
    tau = constraint.force(multipliers)
    assert abs(np.dot(tau, allowed)) < 1e-12 and max(map(abs, constraint.violation(allowed))) < 1e-12
    assert abs(constraint.power(multipliers, allowed)) < 1e-12
    assert_close(tau, A.T @ multipliers, IDENTITY, batched=False)
    assert max(map(abs, constraint.violation(tau))) > 1e-3


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
@pytest.mark.covers("BODY-31")
def test_admitted_velocity_is_the_nearest_in_energy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root, A, v = rng.normal(size=(4, 4)), rng.normal(size=(2, 4)), rng.normal(size=4)
    M = root @ root.T + 0.5 * np.eye(4)
    constraint = PfaffianConstraint(tuple(map(tuple, A.tolist())))
    after = np.array(constraint.admitted(M.tolist(), v.tolist()))
    assert max(map(abs, constraint.violation(after))) < 1e-9
    null = np.linalg.svd(A)[2][2:]
    # Stationary: the change M (v - after) has no component along allowed motions.
    assert abs(null @ M @ (v - after)).max() < 1e-9
    assert after @ M @ after <= v @ M @ v + 1e-9


@sixvec.compiled("q[3] v[3] M[3,3] -> after[3]")
def compiled_admitted(q: list[object], v: list[object], M: list[list[object]]) -> object:
    return PfaffianConstraint(tuple(map(tuple, skate(q)))).admitted(M, v)


@pytest.mark.covers("BODY-31")
def test_compiled_and_batched() -> None:
    rng = np.random.default_rng(1)
    q, v, root = rng.normal(size=(8, 3)), rng.normal(size=(8, 3)), rng.normal(size=(8, 3, 3))
    M = root @ root.transpose(0, 2, 1) + np.eye(3)
    result = compiled_admitted(q, v, M)
    batch = PfaffianConstraint(tuple(map(tuple, skate(q.T)))).admitted(np.moveaxis(M, 0, -1), v.T)
    assert_close(np.stack(batch, axis=-1), result, IDENTITY)
    for k in range(8):
        one = PfaffianConstraint(tuple(map(tuple, skate(q[k].tolist())))).admitted(M[k].tolist(), v[k].tolist())
        assert_close(result[k], one, IDENTITY, batched=False)


@pytest.mark.covers("BODY-31")
def test_bad_constraints_raise() -> None:
    with pytest.raises(ShapeError, match="forms"):
        PfaffianConstraint(((1.0, 2.0), (1.0,)))
    twice = stacked([PfaffianConstraint(((1.0, 2.0),)), PfaffianConstraint(((2.0, 4.0),))])
    with pytest.raises(DegenerateError, match="rows"):
        twice.multipliers([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0])


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_curvature_is_the_bracket_relative_to_the_forms(scale: float) -> None:
    """dz - y dx: at y = 0 the allowed x and y have bracket z; at y = 2 they are (1, 0, 2)/√5 and y, the form 2."""
    found = curvature(lambda q: [[-scale * q[1], 0.0, scale]], [[0.3, 0.0, 0.1], [0.3, 2.0, 0.1]])
    assert found == pytest.approx([1.0, 0.5 / 5.0**0.5], rel=1e-12)


def test_verdicts_in_words() -> None:
    assert str(Holonomy(3, 2, 2)) == "holonomic: 2 of 2 independent constraints on 3 coordinates can be integrated"
    assert str(Holonomy(4, 2, 1)).startswith("non-holonomic: 1 of 2 independent constraints on 4 coordinates")
    constant = curvature(lambda q: [[1.0, 2.0, 3.0]], [0.1, 0.2, 0.3])
    assert constant.tolist() == [0.0] and curvature(lambda q: [[0.0, 0.0]], [0.1, 0.2]).tolist() == [0.0]
