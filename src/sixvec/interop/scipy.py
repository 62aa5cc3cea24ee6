"""Rotations to and from `scipy.spatial.transform.Rotation`.

A stack of n rotations in SciPy is one rotation here whose scalars are arrays of length n.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from sixvec.errors import MissingExtra
from sixvec.geometry.orientation.axis_angle import AxisAngle
from sixvec.geometry.orientation.euler import EulerAngles
from sixvec.spatial.matrix import Mat3
from sixvec.spatial.quaternion import Quaternion
from sixvec.spatial.rotation import PlaneRotation, Rotation


def as_scipy(rotation: Rotation | PlaneRotation | Quaternion | AxisAngle | EulerAngles) -> Any:
    """The same rotation for SciPy: one, or a stack if the scalars are arrays.

    Quaternions are passed directly (same order x, y, z, w); everything else as a matrix.  SciPy normalises both
    itself.

    >>> from sixvec.interop import as_scipy
    >>> from sixvec.spatial import Quaternion
    >>> as_scipy(Quaternion(1.0, 0.0, 0.0, 0.0)).as_quat().tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    scipy_rotation = _scipy_rotation()
    if isinstance(rotation, Quaternion):
        return scipy_rotation.from_quat(_stacked(rotation))
    R = rotation.as_rotation() if isinstance(rotation, AxisAngle | EulerAngles) else rotation
    entries = _stacked(R.matrix)
    return scipy_rotation.from_matrix(entries.reshape(*entries.shape[:-1], 3, 3))


def from_scipy(rotation: Any) -> Rotation:
    """A SciPy rotation, or a stack of them, as a rotation matrix.

    >>> import scipy.spatial.transform
    >>> from sixvec.interop import from_scipy
    >>> from_scipy(scipy.spatial.transform.Rotation.identity()).deviation()
    0.0
    """
    matrix = _expected(rotation).as_matrix()
    return Rotation(Mat3(*np.moveaxis(matrix.reshape(*matrix.shape[:-2], 9), -1, 0)))


def quaternion_from_scipy(rotation: Any) -> Quaternion:
    """A SciPy rotation, or a stack of them, as a quaternion, with SciPy's choice of sign.

    >>> import scipy.spatial.transform
    >>> from sixvec.interop import quaternion_from_scipy
    >>> [float(x) for x in quaternion_from_scipy(scipy.spatial.transform.Rotation.identity())]
    [0.0, 0.0, 0.0, 1.0]
    """
    return Quaternion(*np.moveaxis(_expected(rotation).as_quat(), -1, 0))


def _expected(rotation: Any) -> Any:
    """The argument, if it is a SciPy rotation."""
    if not isinstance(rotation, _scipy_rotation()):
        raise TypeError(f"expected a scipy.spatial.transform.Rotation, not a {type(rotation).__name__}")
    return rotation


def _stacked(values: Any) -> Any:
    """Scalars, some of them perhaps arrays, along a new last axis."""
    return np.stack(np.broadcast_arrays(*values), axis=-1)


def _scipy_rotation() -> Any:
    try:
        return importlib.import_module("scipy.spatial.transform").Rotation
    except ImportError as problem:
        raise MissingExtra("rotations of SciPy need scipy", extra="scipy") from problem
