"""The viewer in a real browser: the page loads, a slider moves a link, the picture is not empty, nothing complains."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixvec import load
from sixvec.constraints.contacts import floor
from sixvec.geometry.rigid_body.solids import Sphere
from sixvec.parallel import StewartGough
from sixvec.viz.contact_arrows import force_arrows
from sixvec.viz.view_scene import EXTRAS
from sixvec.viz.viewer import Viewer

pytest.importorskip("viser")
import chromium

pytestmark = [
    pytest.mark.slow,  # rendering in software takes its time
    pytest.mark.skipif(chromium.CHROMIUM is None, reason="no chromium is installed"),
]

RENDERED = 3.0
"""Seconds for the picture to come to rest, which software rendering needs."""


SWITCHES = "[...document.querySelectorAll('input[type=checkbox]')].filter(e => e.id.length === 36)"
"""Those of the panel; the settings of the page have shorter names."""


PATIENCE = 60.0
"""Seconds for a picture to show what it should, on a busy machine."""

SCENE = slice(150, None), slice(0, 650)
"""Beside the panel and below the notice."""


def pixels(picture: bytes) -> np.ndarray:
    from matplotlib.image import imread

    return np.asarray(imread(io.BytesIO(picture)))[..., :3]


def wait_until(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.3)
    return found


class Pictures:
    """Pictures of a page, compared with the last one that was kept."""

    def __init__(self, page: chromium.Page, folder: Path) -> None:
        self.page, self.folder = page, folder
        self.last = self.take("start")
        wait_until(self.rests)

    def take(self, name: str) -> np.ndarray:
        return pixels(self.page.screenshot(self.folder / f"{name}.png"))[SCENE]

    def rests(self) -> bool:
        """Whether two pictures one after the other are equal, and not empty."""
        before, self.last = self.last, self.take("start")
        return np.array_equal(before, self.last) and self.last.std() > 0.02

    def changed(self, name: str) -> float:
        """The share of pixels that differ from the last picture."""
        return float((np.abs(self.take(name) - self.last).max(axis=-1) > 0.1).mean())

    def keep(self, name: str) -> None:
        self.last = self.take(name)
        wait_until(self.rests)


def test_a_slider_in_the_browser_moves_a_link(tmp_path: Path) -> None:
    robot = load("planar_2r")
    viewer = Viewer(port=0, browser=False)
    try:
        panel = viewer.add(robot, [0.3, 0.5])
        with chromium.page(viewer.url) as page:
            page.wait_for(
                "document.querySelectorAll('[role=slider]').length >= 2 && !!document.querySelector('canvas')"
            )
            time.sleep(RENDERED)
            before = pixels(page.screenshot(tmp_path / "before.png"))
            page.evaluate("document.querySelectorAll('[role=slider]')[0].focus()")
            for _ in range(40):
                page.command("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight",
                             windowsVirtualKeyCode=39)  # fmt: skip
            end = time.monotonic() + 20.0
            while panel.q[0] < 0.5 and time.monotonic() < end:
                time.sleep(0.1)
            assert panel.q[0] > 0.5, "the slider did not reach the robot"
            time.sleep(RENDERED)
            after = pixels(page.screenshot(tmp_path / "after.png"))
            assert page.complaints == []
    finally:
        viewer.close()
    scene = slice(150, None), slice(0, 650)  # beside the panel and below the notice
    assert before[scene].std() > 0.02, "the picture is empty"
    assert np.abs(before[scene] - after[scene]).max() > 0.2, "the link did not move"


def test_a_recorded_page_plays_from_a_file(tmp_path: Path) -> None:
    robot = load("planar_2r")
    file = robot.animate(np.linspace([0.0, 0.0], [3.0, 3.0], 200), tmp_path / "swing.html", 0.05)
    with chromium.page(file.as_uri()) as page:
        page.wait_for("!!document.querySelector('canvas')")
        time.sleep(RENDERED)
        first = pixels(page.screenshot(tmp_path / "first.png"))
        time.sleep(1.0)
        second = pixels(page.screenshot(tmp_path / "second.png"))
        assert page.complaints == []
    assert first.std() > 0.02
    assert np.abs(first - second).max() > 0.2, "nothing plays"


def test_a_slider_in_the_browser_lengthens_a_leg_and_the_platform_follows(tmp_path: Path) -> None:
    angles = np.repeat(2.0 * np.pi * np.arange(3) / 3.0, 2)

    def ring(radius: float, spread: float) -> np.ndarray:
        a = angles + spread * np.tile([-1.0, 1.0], 3)
        return np.stack([radius * np.cos(a), radius * np.sin(a), np.zeros(6)], axis=-1)

    hexapod, X = StewartGough(ring(1.0, 0.3), ring(0.6, 0.75), limits=(0.7, 1.5)), np.eye(4)
    X[2, 3] = 0.9
    viewer = hexapod.view(X, port=0, browser=False)
    try:
        panel = viewer.robots[0]
        legs = [panel.robot.model.q_slices[f"leg{k}_rod"].start for k in range(6)]
        start = panel.q[legs].copy()
        with chromium.page(viewer.url) as page:
            page.wait_for(
                "document.querySelectorAll('[role=slider]').length >= 6 && !!document.querySelector('canvas')"
            )
            time.sleep(RENDERED)
            before = pixels(page.screenshot(tmp_path / "before.png"))
            page.evaluate("document.querySelectorAll('[role=slider]')[0].focus()")
            for _ in range(60):
                page.command("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight",
                             windowsVirtualKeyCode=39)  # fmt: skip
            end = time.monotonic() + 20.0
            while panel.q[legs[0]] < start[0] + 0.1 and time.monotonic() < end:
                time.sleep(0.1)
            time.sleep(RENDERED)
            after = pixels(page.screenshot(tmp_path / "after.png"))
            assert page.complaints == []
    finally:
        viewer.close()
    assert panel.q[legs[0]] > start[0] + 0.1 and np.allclose(panel.q[legs[1:]], start[1:])
    assert np.allclose(hexapod.inverse_position(panel.robot.pose(panel.q, "platform")), panel.q[legs])
    scene = slice(150, None), slice(0, 650)
    assert before[scene].std() > 0.02 and np.abs(before[scene] - after[scene]).max() > 0.2


def test_buttons_of_the_page(tmp_path: Path) -> None:
    robot = load("planar_2r")
    viewer = Viewer(port=0, browser=False)
    try:
        panel = viewer.add(robot, [0.3, 0.5])
        button = "[...document.querySelectorAll('button')].find(b => b.textContent === '{}')"
        with chromium.page(viewer.url) as page:
            page.wait_for(f"!!{button.format('random')} && !!{button.format('copy q')}")
            page.evaluate(f"{button.format('copy q')}.click()")
            page.wait_for(f"!!({button.format('copied')} || {button.format('[0.3, 0.5]')})")
            for name, moved in (("random", True), ("start", False), ("zero", True), ("start", False)):
                page.evaluate(f"{button.format(name)}.click()")
                end = time.monotonic() + 20.0
                while np.array_equal(panel.q, [0.3, 0.5]) == moved and time.monotonic() < end:
                    time.sleep(0.1)
                assert np.array_equal(panel.q, [0.3, 0.5]) != moved
            assert page.complaints == []
    finally:
        viewer.close()


def test_opacity_goal_path_and_wrenches_are_seen(tmp_path: Path) -> None:
    robot = load("planar_2r")
    viewer = Viewer(port=0, browser=False)
    try:
        panel = viewer.add(robot, [0.3, 0.5])
        with chromium.page(viewer.url) as page:
            page.wait_for(f"{SWITCHES}.length === {len(EXTRAS) + 1} && !!document.querySelector('canvas')")
            pictures = Pictures(page, tmp_path)

            def appears(name: str) -> bool:
                found = wait_until(lambda: pictures.changed(name) > 0.0005)
                pictures.keep(name)
                return found

            viewer.goal([1.0, 0.2])
            assert appears("goal")
            viewer.wrenches({"tip": [0.0, 0.0, 1.0, 0.0, 5.0, 0.0]})
            assert appears("wrenches")
            panel.nodes.switch("tool path", True)
            viewer.play(np.linspace([0.3, 0.5], [1.0, 0.2], 30), 0.01)
            assert wait_until(lambda: np.allclose(panel.q, [1.0, 0.2]))
            assert appears("path")
            slider = (
                "[...document.querySelectorAll('[role=slider]')].find(e => e.getAttribute('aria-valuemin') === '0.1' "
            )
            page.evaluate(f"({slider} && e.getAttribute('aria-valuemax') === '1')).focus()")
            for _ in range(12):
                page.command("Input.dispatchKeyEvent", type="keyDown", key="ArrowLeft", code="ArrowLeft",
                             windowsVirtualKeyCode=37)  # fmt: skip
            assert wait_until(lambda: {mesh.opacity for mesh, _ in panel.nodes._surfaces} == {0.4})
            assert appears("opacity")
            assert page.complaints == []
    finally:
        viewer.close()


def test_contact_forces_of_a_rollout_are_seen(tmp_path: Path) -> None:
    """A dog lands and stands: the impact is eight times what its feet carry afterwards."""
    dog = load("solo12")
    ground = floor([name for name in dog.frame_names if name.endswith("FOOT")], Sphere(0.016))
    start = dog.neutral()
    start[7:] = np.tile([0.0, 0.8, -1.6], 4)
    start[2] = 0.3

    def servo(q: Any, v: Any, u: Any) -> Any:
        return np.concatenate([np.zeros(6), 30.0 * (u - q[7:]) - 0.5 * v[6:]])

    path = dog.rollout(start, np.zeros(18), start[7:], 0.002, steps=300, control=servo, contacts=ground)
    _, forces = force_arrows(dog, path, ground, np.arange(300))
    assert np.isclose(forces[-1, :, 2].sum(), 9.81 * dog.mass, rtol=0.2)
    assert np.linalg.norm(forces, axis=-1).max() > 8.0 * np.linalg.norm(forces[-1], axis=-1).max()
    viewer = Viewer(port=0, browser=False)
    try:
        viewer.add(dog, path.q[-1])
        viewer.play(path, contacts=ground)
        with chromium.page(viewer.url) as page:
            page.wait_for(f"{SWITCHES}.length >= {len(EXTRAS)} && !!document.querySelector('canvas')")

            def orange() -> float:
                picture = pixels(page.screenshot(tmp_path / "contacts.png"))[SCENE]
                return float(((picture[..., 0] > 0.4) & (picture[..., 0] - picture[..., 2] > 0.3)).mean())

            player = viewer.player
            assert player is not None and wait_until(lambda: player.time > 0.59 and not player.playing)
            assert wait_until(lambda: orange() > 0.001), "no arrow is seen"
            assert page.complaints == []
    finally:
        viewer.close()


def test_switches_clicked_all_at_once_are_all_seen(tmp_path: Path) -> None:
    robot = load("panda")
    viewer = Viewer(port=0, browser=False)
    try:
        panel = viewer.add(robot, [0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])
        with chromium.page(viewer.url) as page:
            page.wait_for(f"{SWITCHES}.length === {len(EXTRAS) + 1} && !!document.querySelector('canvas')")
            pictures = Pictures(page, tmp_path)
            for shown in (set(EXTRAS), set()):
                page.evaluate(f"{SWITCHES}.slice(0, {len(EXTRAS)}).forEach(e => e.click())")
                assert wait_until(lambda shown=shown: panel.nodes.extras == shown)  # type: ignore[misc]
                assert page.evaluate(f"{SWITCHES}.filter(e => e.checked).length") == len(shown)
                name = "on" if shown else "off"
                assert wait_until(lambda on=bool(shown), name=name: (pictures.changed(name) > 0.01) == on)  # type: ignore[misc]
            assert page.complaints == []
    finally:
        viewer.close()
