"""Input checks and warnings of parallel robots."""

from __future__ import annotations

import warnings

import numpy as np

from sixvec.arguments import Array


class SingularPose(UserWarning):
    """A map does not exist at some poses: its results are NaN there.  `samples` are their flat indices."""

    def __init__(self, message: str, samples: Array) -> None:
        super().__init__(message)
        self.samples = samples


def without_singular(result: Array, singular: Array, what: str, why: str) -> Array:
    """The results, NaN where a sample is singular, with a warning."""
    if not singular.any():
        return result
    samples = np.flatnonzero(singular)
    which = "" if result.ndim == 1 else f" at {len(samples)} of {singular.size} poses, first number {samples[0]},"
    warnings.warn(SingularPose(f"{what} does not exist{which} {why}; see singularity(X)", samples), stacklevel=4)
    return np.where(singular[..., None], np.nan, result)
