"""Invalid input values, such as NaN: calls check for them only on request."""

from __future__ import annotations

from sixvec.compiler.runtime import call_stub
from sixvec.errors import ArgumentError

_checked = False


def check_inputs(on: bool) -> bool:
    """Enable or disable the check of input values in every call; returns the previous setting.

    Inputs that are not finite give results that are not finite, and quaternions without unit length give results
    without meaning.  By default calls do not check, for speed.  With checks enabled, they raise an error that names the
    input and the first invalid sample.

    >>> import numpy, sixvec
    >>> robot, before = sixvec.load("panda"), sixvec.check_inputs(True)
    >>> robot.gravity_forces([0.0, numpy.nan, 0.0, 0.0, 0.0, 0.0, 0.0])
    Traceback (most recent call last):
    sixvec.errors.ArgumentError: gravity_forces: q is not finite at [1]: nan
    >>> sixvec.check_inputs(before)
    True
    """
    global _checked
    if not isinstance(on, bool):
        raise ArgumentError(f"check_inputs takes True or False, not {on!r}")
    before, _checked = _checked, on
    call_stub.disable(on)
    return before


def are_checked() -> bool:
    return _checked
