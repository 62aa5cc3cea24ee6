"""Argument checks shared by all functions, with one message for each mistake."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixvec.errors import ArgumentError, DtypeError, ShapeError

Array = NDArray[Any]
"""An array of numbers; which ones and how many, the docstrings say."""

Axis = int | str
"""The length of an axis, or a word for it: `"steps"`, `"steps ≥ 2"`."""

Why = str | Callable[[], str]
"""The reason for a shape; a function where writing it takes time, called only for an error."""

_FLOAT = np.dtype(float)


def common_batch(
    where: str, leads: Sequence[tuple[int, ...]], names: Sequence[str], shapes: Sequence[tuple[int, ...]] | None = None
) -> tuple[int, ...]:
    """The shape to which batch axes broadcast, or an error that lists the shape of each argument.

    >>> common_batch("pose", [(3, 1), (4,)], ["q", "v"])
    (3, 4)
    >>> common_batch("pose", [(3,), (4,)], ["q", "v"], [(3, 7), (4, 7)])
    Traceback (most recent call last):
    sixvec.errors.ShapeError: pose: the batch shapes do not broadcast: q (3, 7), v (4, 7)
    """
    if len(leads) and leads.count(leads[0]) == len(leads):
        return leads[0]
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        pairs = zip(names, leads if shapes is None else shapes, strict=True)
        listed = ", ".join(f"{name} {tuple(shape)}" for name, shape in pairs)
        raise ShapeError(f"{where}: the batch shapes do not broadcast: {listed}") from None


def wrenches_by_frame(where: str, external: Any) -> dict[str, Any]:
    """External wrenches as a dictionary from frame to wrench, empty for None.

    >>> wrenches_by_frame("rollout", [0.0] * 6)
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: rollout: external must be a dictionary from frame name to wrench, not a list
    """
    if external is None:
        return {}
    if not isinstance(external, Mapping):
        raise ArgumentError(
            f"{where}: external must be a dictionary from frame name to wrench, not a {type(external).__name__}"
        )
    return dict(external)


def require_distinct(what: str, names: Sequence[str]) -> None:
    """Raise an error for a name given twice: one of the two values would be lost.

    >>> require_distinct("external", ["tip", "tip"])
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: external has "tip" more than once; give each name once
    """
    if twice := [name for name in names if list(names).count(name) > 1]:
        raise ArgumentError(f'{what} has "{twice[0]}" more than once; give each name once')


def require_unmasked(what: str, x: Any) -> None:
    """Raise an error for an array with masked entries: the numbers behind a mask have no meaning.

    >>> require_unmasked("pose: q", np.ma.array([0.0, 1.0], mask=[False, True]))
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: pose: q has masked entries; fill them first: q.filled(value)
    """
    # Without the module there are no such arrays; NumPy would import it now, and a child forked meanwhile would hang.
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    if masked is not None and isinstance(x, masked) and np.any(x.mask):
        raise ArgumentError(f"{what} has masked entries; fill them first: {what.split()[-1]}.filled(value)")


def real_array(
    name: str, x: Any, *shape: Axis, batch: bool = True, finite: bool = False, why: Why = "", keep_single: bool = False
) -> Array:
    """An argument as an array of floats, of any shape or with these last axes (see `require_shape`).

    In double precision; with `keep_single` numbers of single precision stay so.

    >>> real_array("rates", [1.0, "fast"])
    Traceback (most recent call last):
    sixvec.errors.DtypeError: rates must hold real numbers, not 'fast'
    >>> real_array("rates", [1.0, 2.0], 3, why="one for each wheel")
    Traceback (most recent call last):
    sixvec.errors.ShapeError: rates has shape (2,), but (..., 3) is needed: one for each wheel
    """
    # An array of floats, the usual argument, is taken as it is; a masked array is of another type.
    array = x if type(x) is np.ndarray and x.dtype is _FLOAT else _floats(name, x, keep_single)
    if shape and array.shape != shape:
        require_shape(name, array, *shape, batch=batch, why=why)
    if finite:
        require_finite(name, array)
    return array


def _floats(name: str, value: Any, keep_single: bool = False) -> Array:
    if hasattr(value, "units"):
        raise DtypeError(
            f"{name} is in {value.units}, and plain numbers are needed; "
            "convert to metres, radians, kilograms and seconds first, with pint by .m_as(unit)"
        )
    require_unmasked(name, value)
    try:
        array = np.asarray(value)
    except ValueError:
        raise ShapeError(f"{name} is ragged: its rows differ in length") from None
    except (TypeError, RuntimeError) as problem:  # foreign arrays that NumPy cannot convert: their message says why
        raise DtypeError(f"{name} cannot be read as a NumPy array: {problem}") from problem
    if keep_single and array.dtype == np.float32:
        return array
    if keep_single and array.dtype.kind == "O" and array.size:  # kernels take no Python numbers in object arrays
        raise DtypeError(f"{name} must hold real numbers, not object")
    if array.dtype.kind in "fiub" or not array.size:
        return array.astype(float, copy=False)
    if array.dtype.kind != "O":
        words = [x for x in np.asarray(value, object).flat if isinstance(x, str)]
        raise DtypeError(f"{name} must hold real numbers, not {repr(words[0]) if words else array.dtype}")
    for x in array.flat:  # fractions, integers beyond 64 bits: real numbers, though not of NumPy
        if not isinstance(x, Real):
            raise DtypeError(f"{name} must hold real numbers, not a {type(x).__name__}")
    try:
        return array.astype(float)
    except OverflowError:
        raise ArgumentError(f"{name} holds an integer beyond the largest float, 1.8e308") from None


def require_shape(name: str, x: Any, *shape: Axis, batch: bool = True, why: Why = "") -> None:
    """Raise an error for an array whose last axes do not have that shape; without `batch` these are all its axes.

    An axis is a number, or a word for one of any length, or of a least one: `"steps"`, `"steps ≥ 2"`.

    >>> require_shape("pose: q", np.zeros((5, 3)), 7)
    Traceback (most recent call last):
    sixvec.errors.ShapeError: pose: q has shape (5, 3), but (..., 7) is needed
    >>> require_shape("path", np.zeros((1, 7)), "n ≥ 2", 7, batch=False, why="a path has two ends")
    Traceback (most recent call last):
    sixvec.errors.ShapeError: path has shape (1, 7), but (n ≥ 2, 7) is needed: a path has two ends
    """
    actual = tuple(x.shape)
    if actual == shape:
        return
    more = len(actual) - len(shape)
    if more == 0 or (batch and more > 0):
        last = actual[more:]
        if last == shape or all(map(_fits, last, shape)):
            return
    axes = [*(["..."] if batch else []), *map(str, shape)]
    needed = f"({axes[0]},)" if len(axes) == 1 else f"({', '.join(axes)})"
    reason = why if isinstance(why, str) else why()
    joined = "" if not reason else f", {reason}" if reason.startswith("or ") else f": {reason}"
    raise ShapeError(f"{name} has shape {actual}, but {needed} is needed{joined}")


def _fits(length: int, axis: Axis) -> bool:
    return length >= _least(axis) if isinstance(axis, str) else bool(length == axis)


@lru_cache(maxsize=128)
def _least(axis: str) -> int:
    return int(axis.partition(" ≥ ")[2] or 0)


def require_all(name: str, array: Array, good: Array, must: str) -> None:
    """Raise an error for an array in which an entry is not good, and name the first.

    >>> require_all("rates", np.array([1.0, -2.0]), np.array([True, False]), "positive")
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: rates[1] is -2.0; it must be positive
    """
    if not good.all():
        at = tuple(map(int, np.argwhere(~good)[0]))
        entry = f"{name}[{', '.join(map(str, at))}]" if at else name
        raise ArgumentError(f"{entry} is {array[at]}; it must be {must}")


def require_finite(name: str, x: Array, why: str = "") -> None:
    """Raise an error for an array with entries that are not finite.

    >>> require_finite("report: q", np.array([0.0, np.nan]))
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: report: q is not finite at [1]: nan
    """
    if not (finite := np.isfinite(x)).all():
        at = tuple(map(int, np.argwhere(~finite)[0]))
        raise ArgumentError(f"{name} is not finite{f' at {list(at)}' if at else ''}: {x[at]}{why and f'; {why}'}")


def number_for_each(name: str, x: Any, count: int, what: str, positive: bool = False) -> Array:
    """An argument as `count` numbers, from as many or from one for all, with an axis or without.

    >>> number_for_each("stiffness: k", 2.0, 3, "legs").tolist()
    [2.0, 2.0, 2.0]
    >>> number_for_each("stiffness: k", [1.0, 2.0], 3, "legs")
    Traceback (most recent call last):
    sixvec.errors.ShapeError: stiffness: k has shape (2,); give one number, or one for each of 3 legs
    """
    numbers = real_array(name, x)
    if numbers.shape not in ((), (1,), (count,)):
        raise ShapeError(f"{name} has shape {numbers.shape}; give one number, or one for each of {count} {what}")
    if positive and not (numbers.ndim == 0 and 0.0 < numbers.item() < math.inf):
        require_all(name, numbers, np.isfinite(numbers) & (numbers > 0.0), "positive and finite")
    if numbers.shape == (count,):
        return numbers
    each = np.empty(count)
    each.fill(numbers.item())
    return each


def one_number(name: str, x: Any, unit: str = "") -> float:
    """An argument as one number, finite or not.

    >>> one_number("the track", None, "metres")
    Traceback (most recent call last):
    sixvec.errors.DtypeError: the track must be one real number, in metres, not None
    """
    if isinstance(x, float | int | np.floating | np.integer) and not isinstance(x, bool):
        return float(x)
    if hasattr(x, "__array__") and not hasattr(x, "units"):  # without axes: of NumPy, PyTorch, JAX
        try:
            number = np.asarray(x)
        except (TypeError, RuntimeError) as problem:
            raise DtypeError(f"{name} cannot be read as a number: {problem}") from problem
        if number.ndim == 0 and number.dtype.kind in "fiu":
            return float(number)
    raise DtypeError(f"{name} must be one real number{f', in {unit}' if unit else ''}, not {x!r}")


def real_number(name: str, x: Any, unit: str = "") -> float:
    """An argument as one finite number."""
    number = one_number(name, x, unit)
    if not math.isfinite(number):
        raise ArgumentError(f"{name} is {x}; it must be finite{f', in {unit}' if unit else ''}")
    return number


def positive_number(name: str, x: Any, unit: str = "") -> float:
    """An argument as one finite number above zero."""
    number = real_number(name, x, unit)
    if not number > 0.0:
        raise ArgumentError(f"{name} is {x}; it must be positive{f', in {unit}' if unit else ''}")
    return number


def number_from_zero(name: str, x: Any, unit: str = "") -> float:
    """An argument as one finite number that is not negative."""
    number = real_number(name, x, unit)
    if number < 0.0:
        raise ArgumentError(f"{name} is {x}; it must be finite, and 0 or more{f', in {unit}' if unit else ''}")
    return number


def whole_number(name: str, x: Any, least: int = 0) -> int:
    """An argument as an integer of at least `least`."""
    if isinstance(x, bool) or not isinstance(x, int | np.integer) or x < least:
        raise ArgumentError(f"{name} must be a whole number from {least}, not {x!r}")
    return int(x)
