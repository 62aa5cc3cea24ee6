"""The matrices that the map typesets, read as numbers: the products, inverses and determinants that they should be."""

from __future__ import annotations

import re
from functools import reduce

import numpy as np
import pytest

from sixvec.ik.closed_form import arm_321
from sixvec.textbook import formulas

ANGLES = {
    "alpha": 0.4, "beta": 0.7, "gamma": 1.1, "theta": 0.9, "varphi": 0.6, "sigma": 0.5, "r": 0.3, "p": 0.8, "y": 0.2,
    "1": 0.5, "2": 0.35, "3": 1.2, "4": 0.45, "5": 0.85, "6": 0.65, "23": 1.55,
}  # fmt: skip
LENGTHS = {"d": 0.7, "h": 0.3, "l_1": 0.2, "l_2": 0.5, "l_3": 0.6, "d_h": 0.8, "x": 0.25, "r": 1.3, "y": 0.55}


def number(cell: str) -> float:
    """The value of an entry: sums of products of sines, cosines and lengths, with fractions."""
    text = cell.replace("\\,", " ")
    while (longer := text) != (text := re.sub(r"\\frac\s*({[^{}]*}|\w)\s*({[^{}]*}|\w)", r"((\1)/(\2))", text)):
        assert longer
    text = text.replace("{", "").replace("}", "")
    text = re.sub(r"\\(cos|sin|tan)\s*\\(\w+)", lambda m: f"np.{m[1]}({ANGLES[m[2]]})", text)
    text = re.sub(r"\b([cs])_\\?(\w+)", lambda m: f"np.{'cos' if m[1] == 'c' else 'sin'}({ANGLES[m[2]]})", text)
    text = re.sub(r"\b[a-z](?:_\w)?\b(?!\.)", lambda m: str(LENGTHS[m[0]]), text)
    text = re.sub(r"(?<=[\w)])\s+(?=[\w(])", "*", text.strip())
    return float(eval(text, {"np": np, "__builtins__": {}}))


def matrices(place: str) -> list[np.ndarray]:
    """The matrices of numbers in a formula of Bruyninckx."""
    read = []
    for body in re.findall(r"\\begin{bmatrix}(.*?)\\end{bmatrix}", formulas()["Bruyninckx", place]):
        if not re.search(r"\^|dot", body):
            read.append(np.array([[number(cell) for cell in row.split("&")] for row in body.split(r"\\")]))
    return read


def turn(axis: str, angle: float) -> np.ndarray:
    c, s, k = np.cos(angle), np.sin(angle), "xyz".index(axis)
    R = np.eye(3)
    i, j = (k + 1) % 3, (k + 2) % 3
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def turns(axes: str, *names: str) -> np.ndarray:
    """Elementary rotations one after the other; a name with a minus turns the other way."""
    each = [turn(a, -ANGLES[n[1:]] if n[0] == "-" else ANGLES[n]) for a, n in zip(axes, names, strict=True)]
    return reduce(np.matmul, each)


@pytest.mark.parametrize(
    ("place", "axes", "names"),
    [
        ("3.12", "zy", ("alpha", "-beta")), ("3.26", "zxz", ("alpha", "beta", "gamma")),
        ("3.27", "zxz", ("alpha", "beta", "gamma")), ("3.32", "zxz", ("gamma", "beta", "alpha")),
        ("3.33", "zxz", ("gamma", "beta", "alpha")), ("3.36", "zyx", ("y", "p", "r")),
        ("7.2", "zxz", ("4", "-5", "6")), ("7.4", "zx", ("1", "-23")),
    ],
)  # fmt: skip
def test_rotations_are_products_of_elementary_turns(place: str, axes: str, names: tuple[str, ...]) -> None:
    assert np.allclose(reduce(np.matmul, matrices(place)), turns(axes, *names), atol=1e-14)


def test_the_two_maps_of_angular_velocity_undo_each_other() -> None:
    (forward,) = matrices("3.40")
    (back,) = matrices("3.41")
    assert np.allclose(back @ forward, np.sin(ANGLES["beta"]) * np.eye(3))


def test_the_frame_of_a_dh_line() -> None:
    X = np.eye(4)
    X[:3, :3] = turns("zx", "alpha", "theta")
    X[:3, 3] = turns("z", "alpha") @ [LENGTHS["d"], 0.0, LENGTHS["h"]]
    assert np.allclose(matrices("5.6")[0], X)


def test_the_jacobian_of_the_321_arm_is_that_of_the_function() -> None:
    wrist, arm = matrices("7.14")[0], matrices("7.15")[0]
    q = [ANGLES[k] for k in "123456"]
    computed = arm_321.WristJacobian(arm_321.Arm321(l1=0.2, l2=0.5, l3=0.6, l6=0.1), tuple(q))
    forward = 0.5 * np.sin(q[1]) + 0.6 * np.sin(q[1] + q[2])
    arm[3, 0] = -forward  # d_h is not a free length
    columns = np.array([[*c.ang, *c.lin] for c in computed.columns], float).T
    assert np.allclose(np.c_[arm, wrist], columns)
    B, C = (np.linalg.inv(M) for M in (wrist[:3], matrices("7.15")[0][3:]))
    printed_B, printed_C = matrices("7.36")
    assert np.allclose(printed_B / np.sin(q[4]), B) and np.allclose(printed_C, C)
    assert np.isclose(np.linalg.det(wrist[:3]), -np.sin(q[4]))


def test_maps_of_wheels_and_of_planar_twists_and_wrenches() -> None:
    shift, car = matrices("9.12")
    assert np.allclose(shift @ matrices("9.11")[0], car)
    inverses = matrices("9.16")
    assert np.allclose(inverses[0] @ matrices("9.10")[0], np.eye(3)) and np.allclose(inverses[1] @ car, np.eye(3))
    assert np.allclose(matrices("9.6")[0], np.linalg.inv(matrices("9.5")[0]).T)
