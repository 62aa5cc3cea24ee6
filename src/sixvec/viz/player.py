"""Playback of a motion in the viewer: play, pause, loop, speed, and a slider over time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from sixvec.viz.path import RATE

SPEEDS = (0.1, 4.0)
"""The slowest and the fastest playback, relative to real time."""


class Player:
    """Controls that show the pictures 0 … count - 1 of a motion, `dt` seconds apart, by calling `show(k)`.

    Playback begins when a page is connected, so that nobody misses the start.
    """

    def __init__(
        self,
        server: Any,
        show: Callable[[int], None],
        count: int,
        dt: float,
        lock: threading.RLock,
        *,
        loop: bool = False,
        speed: float = 1.0,
    ) -> None:
        self._server, self._show, self._lock = server, show, lock
        self._last, self._dt = count - 1, dt
        self._at, self._index, self._run, self._started = 0.0, -1, 0, False
        self.playing = False
        gui = server.gui
        self._folder = gui.add_folder("Motion", order=-1.0)
        with self._folder:
            self._button = gui.add_button("play")
            self._time = gui.add_slider("time [s]", 0.0, max(self.duration, 1e-6), dt, 0.0)
            low, high = SPEEDS
            self._speed = gui.add_slider("speed", low, high, 0.1, min(max(speed, low), high))
            self._loop = gui.add_checkbox("loop", loop)
        self._button.on_click(lambda _: self.pause() if self.playing else self.play())
        self._time.on_update(lambda _: self._slid())
        self._go(0)
        server.on_client_connect(lambda _: self._begin())
        if server.get_clients():
            self._begin()

    @property
    def duration(self) -> float:
        """The time of the last picture, in seconds."""
        return self._last * self._dt

    @property
    def time(self) -> float:
        """The time of the picture that is shown."""
        return self._index * self._dt

    def play(self) -> None:
        """Continue, or from the end begin again."""
        with self._lock:
            self._started = True
            if self.playing or not self._last:
                return
            if self._index == self._last:
                self._at = 0.0
                self._go(0)
            self.playing, self._run = True, self._run + 1
            self._button.label = "pause"
            threading.Thread(target=self._tick, args=(self._run,), daemon=True).start()

    def pause(self) -> None:
        """Stop at the picture that is shown."""
        with self._lock:
            self.playing = False
            self._button.label = "play"

    def advance(self, elapsed: float) -> None:
        """Show what comes `elapsed` seconds later, at the chosen speed; at the end pause, or begin again."""
        with self._lock:
            at = self._at + elapsed * float(self._speed.value)
            ends = at >= self.duration and not self._loop.value
            if ends:
                at = self.duration
            elif at > self.duration:
                at %= self.duration
            self._at = at
            self._go(min(int(at / self._dt + 1e-9), self._last))
            if ends:
                self.pause()  # only now: whoever waits for the end sees the last picture

    def remove(self) -> None:
        """Stop, and take the controls away."""
        with self._lock:
            self.pause()
            self._started = True
            self._folder.remove()

    def _begin(self) -> None:
        if not self._started:
            self.play()

    def _tick(self, run: int) -> None:
        before = time.monotonic()
        while True:
            time.sleep(max(1.0 / RATE, self._dt / SPEEDS[1]))
            with self._lock:
                if not self.playing or run != self._run:
                    return
                now = time.monotonic()
                self.advance(now - before)
                before = now

    def _slid(self) -> None:
        with self._lock:
            index = min(round(self._time.value / self._dt), self._last)
            if index != self._index:  # moved by the user, not by playback
                self._at = index * self._dt
                self._go(index)

    def _go(self, index: int) -> None:
        if index != self._index:
            self._index = index
            self._show(index)
            self._time.value = index * self._dt
