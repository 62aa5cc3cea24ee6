"""Curves over time that grow with a film, as pixels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.viz.colors import GREY, INK, PALE
from sixvec.viz.style import COLORS

MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 46, 14, 46, 36
OVERSAMPLING = 2
MOST_NAMES = 8
"""Lines of a legend."""


@dataclass(frozen=True)
class StripChart:
    """Values (n, k) over time t (n,), with their names; `picture(time)` shows them until that time."""

    title: str
    names: tuple[str, ...]
    t: Array
    values: Array
    width: int = 400
    height: int = 400

    def picture(self, time: float) -> Any:
        """The curves until `time`, pale beyond it; an image of Pillow."""
        from PIL import Image, ImageDraw

        image = self._empty.copy()
        pen = ImageDraw.Draw(image)
        points = self._points()
        done = int(np.searchsorted(self.t, time, side="right"))
        for k in range(self.values.shape[1]):
            past = points[: max(done, 1), k].reshape(-1).tolist()
            if len(past) >= 4:
                pen.line(past, fill=COLORS[k % len(COLORS)], width=2 * OVERSAMPLING, joint="curve")
        x = float(points[min(done, len(self.t) - 1), 0, 0])
        pen.line([x, OVERSAMPLING * MARGIN_TOP, x, self._bottom], fill=INK, width=OVERSAMPLING)
        return image.resize((self.width, self.height), Image.Resampling.BOX)

    @property
    def _bottom(self) -> int:
        return OVERSAMPLING * (self.height - MARGIN_BOTTOM)

    @cached_property
    def _range(self) -> tuple[float, float]:
        low, high = float(np.nanmin(self.values)), float(np.nanmax(self.values))
        margin = 0.06 * (high - low) or 1.0
        return low - margin, high + margin

    def _points(self) -> Array:
        """Pixels (n, k, 2) of all values."""
        low, high = self._range
        last = max(float(self.t[-1]), 1e-9)
        x = OVERSAMPLING * (MARGIN_LEFT + self.t / last * (self.width - MARGIN_LEFT - MARGIN_RIGHT))
        y = self._bottom - (self.values - low) / (high - low) * (self._bottom - OVERSAMPLING * MARGIN_TOP)
        return np.stack([np.broadcast_to(x[:, None], y.shape), y], axis=-1)

    @cached_property
    def _empty(self) -> Any:
        """Axes, numbers, names, and all curves in pale colours."""
        from PIL import Image, ImageDraw

        n = OVERSAMPLING
        image = Image.new("RGB", (n * self.width, n * self.height), (255, 255, 255))
        pen = ImageDraw.Draw(image)
        left, right, low, high = n * MARGIN_LEFT, n * (self.width - MARGIN_RIGHT), *self._range
        for value in ticks(low, high):
            y = self._bottom - (value - low) / (high - low) * (self._bottom - n * MARGIN_TOP)
            pen.line([left, y, right, y], fill=PALE, width=n)
            pen.text((left - 6 * n, y), f"{value:g}", fill=GREY, font_size=11 * n, anchor="rm")
        for value in ticks(0.0, float(self.t[-1])):
            x = left + value / max(float(self.t[-1]), 1e-9) * (right - left)
            pen.text((x, self._bottom + 6 * n), f"{value:g}", fill=GREY, font_size=11 * n, anchor="mt")
        pen.text((right, n * (self.height - 6)), "time [s]", fill=GREY, font_size=11 * n, anchor="rb")
        pen.text((left, n * 8), self.title, fill=INK, font_size=13 * n)
        self._legend(pen, left, n)
        points = self._points()
        for k in range(self.values.shape[1]):
            pen.line(points[:, k].reshape(-1).tolist(), fill=PALE, width=n, joint="curve")
        return image

    def _legend(self, pen: Any, x: float, n: int) -> None:
        for k, name in enumerate(self.names[:MOST_NAMES]):
            pen.line([x, n * 34, x + 12 * n, n * 34], fill=COLORS[k % len(COLORS)], width=3 * n)
            pen.text((x + 15 * n, n * 34), name, fill=GREY, font_size=11 * n, anchor="lm")
            x += (15 + 9) * n + pen.textlength(name, font_size=11 * n)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers between two values.

    >>> ticks(-0.3, 2.1)
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    span = max(high - low, 1e-12)
    power = 10.0 ** np.floor(np.log10(span / most))
    step = next(power * m for m in (1.0, 2.0, 5.0, 10.0) if span / (power * m) <= most)
    return [round(float(x), 10) + 0.0 for x in np.arange(np.ceil(low / step) * step, high + 1e-9 * span, step)]
