"""External wrenches at named frames as one array with a row per body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixvec.arguments import common_batch, real_array, require_shape
from sixvec.errors import FrameNotFound, unknown
from sixvec.model import WORLD, Frame
from sixvec.spatial import Force


def frame_wrenches(
    at: Mapping[str, ArrayLike], frames: Mapping[str, Frame], rows: Mapping[str, int], count: int, owner: Any
) -> NDArray[np.float64]:
    """(..., count, 6) from wrenches (..., 6), each (moment; force) at a frame's origin and in its axes.

    Several on one body add; `rows` are those of the bodies.
    """
    for name in at:
        if not frames:
            raise FrameNotFound(
                f'no frame "{name}" in {owner!r}, whose copied links have no named frames; give external wrenches '
                f"as an array ({count}, 6), a row per link"
            )
        if name not in frames:
            raise FrameNotFound(unknown("frame", name, frames, repr(owner)))
    wrenches_ = {name: real_array(f'the wrench at frame "{name}"', wrench) for name, wrench in at.items()}
    for name, wrench in wrenches_.items():
        require_shape(f'the wrench at frame "{name}"', wrench, 6)
    batch = common_batch("external", [wrench.shape[:-1] for wrench in wrenches_.values()], list(wrenches_))
    total = np.zeros((*batch, count, 6))
    for name, wrench in wrenches_.items():
        if (body := frames[name].body) is not WORLD:
            moved = frames[name].placement @ Force.of(np.moveaxis(wrench, -1, 0))
            total[..., rows[body], :] += np.stack(np.broadcast_arrays(*moved), axis=-1)
    return total
