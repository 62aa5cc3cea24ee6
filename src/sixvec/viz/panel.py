"""The controls of one robot in the viewer: sliders, switches, a target for inverse kinematics."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sixvec.arguments import Array
from sixvec.constraints.loop_equations import closure_rows
from sixvec.errors import SixvecError
from sixvec.model import Body
from sixvec.model.actuation import active_joints, has_motor
from sixvec.quoting import quoted
from sixvec.robot import Robot
from sixvec.solve.decomposition import rank
from sixvec.viz.spaced_clicks import SPACED_CLICKS
from sixvec.viz.view_scene import EXTRAS, RobotNodes, quaternion_wxyz

STEPS = 400
"""Positions of a slider."""

_COPY = (
    '<button style="margin: 0 1em 0.6em; width: calc(100% - 2em); cursor: pointer; user-select: text" title="[{0}]" '
    "onclick=\"const write = navigator.clipboard ? navigator.clipboard.writeText('[{0}]') : Promise.reject();"
    "write.then(() => this.textContent = 'copied', () => this.textContent = '[{0}]')\">copy q</button>"
)
"""A button of the page itself: the server cannot reach the clipboard.  It contains numbers only.

Browsers do not give pages from other machines access to the clipboard; then the button shows the
numbers, which can be selected."""

MOST_SLIDERS = 60
"""A robot with more coordinates has sliders for the first ones."""


class Panel:
    """The controls and the robot that they move: `show(q)` sets both."""

    def __init__(
        self, server: Any, nodes: RobotNodes, q: Array, lock: threading.RLock, zero: Callable[[], Array] | None = None
    ) -> None:
        self._server, self._nodes, self._lock = server, nodes, lock
        self.robot: Robot = nodes.robot
        self.q = self.start = q
        self._zero = zero
        self._rng = np.random.default_rng()
        self._quiet = False
        self.nodes = nodes
        self._sliders: list[tuple[Any, Body, int]] = []
        gui = server.gui
        with gui.add_folder(quoted(self.robot.name)):
            # Not Markdown: the names of a file are text, whatever they contain.
            self._verdict = gui.add_text("status", "", multiline=True, disabled=True, visible=False)
            with gui.add_folder("Joints"):
                gui.add_button("zero").on_click(lambda _: self.zero())
                if zero is not None:
                    gui.add_button("start").on_click(lambda _: self.show(self.start))
                gui.add_button("random").on_click(lambda _: self.randomize())
                self._copy = gui.add_html("")
                self._add_sliders()
            with gui.add_folder("Show"):
                gui.add_html(SPACED_CLICKS)
                for extra in EXTRAS:
                    self._add_switch(extra)
                opacity = gui.add_slider("opacity", 0.1, 1.0, 0.05, 1.0)
                opacity.on_update(lambda _: nodes.fade(float(opacity.value)))
            with gui.add_folder("Inverse kinematics"):
                names = tuple(map(quoted, self.robot.frame_names))
                self._frame = gui.add_dropdown("frame", names, initial_value=names[-1])
                self._frame.on_update(lambda _: self._choose_frame())
                self._dragging = gui.add_checkbox("drag", False)
                self._dragging.on_update(lambda _: self._choose_frame())
        self._target: Any = None
        self.show(q)

    @property
    def size(self) -> float:
        """The largest extent of the robot, m."""
        return self._nodes.size

    def points(self) -> Array:
        """The origins of all frames in the scene (n, 3)."""
        return self._nodes.origins()

    def show(self, q: Array) -> None:
        """Move the robot and its sliders to q."""
        with self._lock:
            self.q = np.array(q, float)
            self._nodes.show(self.q)
            self._copy.content = _COPY.format(", ".join(f"{x:.6g}" for x in self.q))
            self._quiet = True
            try:
                for slider, body, k in self._sliders:
                    slider.value = self._coordinates(body)[k]
            finally:
                self._quiet = False

    def zero(self) -> None:
        """Move to zero, or to the middle of ranges without it; a base stays where it is at the start."""
        if self._zero is None:  # the page starts there
            self.show(self.start)
            return
        q = self._zero()
        for body in self.robot.model.moving:
            if body.joint.nq != body.joint.nv:
                at = self.robot.model.q_slices[body.name]
                q[at] = self.start[at]
        self.show(q)

    def randomize(self) -> None:
        """Move to a random position within the limits, with closed loops if they can be closed."""
        q = self.robot.random(self._rng)
        free = [b.name for b in self.robot.model.moving if b.joint.nq != b.joint.nv]
        for name in free:  # a base stays where it is
            at = self.robot.model.q_slices[name]
            q[at] = self.q[at]
        if self.robot.model.closures:
            closed = self.robot.assemble(q)
            self.say("" if closed else "the loops do not close near this position; press again")
            q = np.asarray(closed.q, float) if closed else self.q
        self.show(q)

    def say(self, text: str) -> None:
        """A status line, for example the verdict of inverse kinematics."""
        self._verdict.value, self._verdict.visible = text, bool(text)

    @property
    def verdict(self) -> str:
        """The current text of the status line."""
        return str(self._verdict.value)

    def _add_sliders(self) -> None:
        model = self.robot.model
        driven = [b for b in model.moving if has_motor(b)]
        if not model.closures or not driven:
            self._add_sliders_of(model.moving)
            return
        self._add_sliders_of(driven)
        passive = [b for b in model.moving if not has_motor(b)]
        if passive:  # in a mechanism with loops they only follow
            with self._server.gui.add_folder("Passive joints", expand_by_default=False):
                self._add_sliders_of(passive)

    def _add_sliders_of(self, bodies: Sequence[Body]) -> None:
        for body in bodies:
            for k, here in enumerate(self._coordinates(body)):
                if len(self._sliders) == MOST_SLIDERS:
                    self._server.gui.add_markdown(f"The first {MOST_SLIDERS} of {self.robot.nv} coordinates.")
                    return
                lowest, highest = self._range(body, k, here)
                name = quoted(body.joint_name or body.name) + _suffix(body, k)
                slider = self._server.gui.add_slider(
                    name, lowest, max(highest, lowest + 1e-6), max((highest - lowest) / STEPS, 1e-9),
                    here, hint=f"{lowest:.4g} to {highest:.4g}",
                )  # fmt: skip
                slider.on_update(lambda _, body=body, k=k, slider=slider: self._slid(body, k, float(slider.value)))
                self._sliders.append((slider, body, k))

    def _range(self, body: Body, k: int, here: float) -> tuple[float, float]:
        """The limits of a coordinate, or where it has none, a range around its present value."""
        if body.joint.angular and not body.joint.angular[k]:
            reach = max(1.0, abs(here))  # a leg longer than 1 m does not become negative
            lowest, highest = here - reach, here + reach
        else:
            middle = here if abs(here) > math.pi else 0.0
            lowest, highest = middle - math.pi, middle + math.pi
        if body.joint.nq == body.joint.nv:
            at = self.robot.model.q_slices[body.name].start + k
            low, high = float(self.robot.lower[at]), float(self.robot.upper[at])
            lowest, highest = low if math.isfinite(low) else lowest, high if math.isfinite(high) else highest
        return min(lowest, here), max(highest, here)

    def _coordinates(self, body: Body) -> list[float]:
        """The values of a joint's sliders: q, or the displacement from neutral if q contains a quaternion."""
        model = self.robot.model
        if body.joint.nq == body.joint.nv:
            return [float(x) for x in self.q[model.q_slices[body.name]]]
        way = self.robot.difference(self.robot.neutral(), self.q)
        return [float(x) for x in way[model.v_slices[body.name]]]

    def _slid(self, body: Body, k: int, value: float) -> None:
        with self._lock:
            if self._quiet or abs(self._coordinates(body)[k] - value) < 1e-12:
                return
            q, model = self.q.copy(), self.robot.model
            if body.joint.nq == body.joint.nv:
                q[model.q_slices[body.name].start + k] = value
            else:
                way = np.zeros(self.robot.nv)
                way[model.v_slices[body.name]] = self._coordinates(body)
                way[model.v_slices[body.name].start + k] = value
                at = model.q_slices[body.name]
                q[at] = self.robot.integrate(self.robot.neutral(), way)[at]
            self.show(self._closed(q, body))

    def _closed(self, q: Array, moved: Body) -> Array:
        """The position with closed loops near q, the joint that was moved held; the last one if there is none."""
        if not self.robot.model.closures:
            return q
        try:
            assembly = self.robot.assemble(q, fixed=self._held(moved))
        except SixvecError as problem:
            self.say(str(problem))
            return self.q
        self.say("" if assembly else f"loops cannot be closed there ({float(assembly.residual):.2g} m or rad apart)")
        return np.asarray(assembly.q, float) if assembly else self.q

    def _held(self, moved: Body) -> list[str]:
        """The joints that are held: all motors if one was moved, and if the others can be held."""
        name, motors = moved.joint_name or moved.name, active_joints(self.robot.model)
        freedoms = self.robot.nv - int(rank(closure_rows(self.robot, self.q)))
        return [*motors] if name in motors and len(motors) <= freedoms else [name]

    def _add_switch(self, extra: str) -> None:
        box = self._server.gui.add_checkbox(extra, False)

        def switched(_: Any) -> None:
            with self._lock:
                self._nodes.switch(extra, bool(box.value))

        box.on_update(switched)

    def _choose_frame(self) -> None:
        """Move the target to the chosen frame, if it is enabled."""
        with self._lock:
            shown = [quoted(name) for name in self.robot.frame_names]
            self._nodes.frame = self.robot.frame_names[shown.index(self._frame.value)]
            self._nodes.show(self.q)
            self._nodes.trace()
            if self._target is not None:
                self._target.remove()
                self._target = None
            if not self._dragging.value:
                return
            X = self.robot.pose(self.q, self._nodes.frame)
            self._target = self._server.scene.add_transform_controls(
                f"{self._nodes.name}/target", scale=0.3 * self._nodes.size, position=X[:3, 3],
                wxyz=quaternion_wxyz(X[:3, :3]), depth_test=False,
            )  # fmt: skip
            self._target.on_update(lambda _: self.reach(self._target.wxyz, self._target.position))

    def reach(self, wxyz: Any, position: Any) -> None:
        """Move the chosen frame to a pose by inverse kinematics, and show the verdict."""
        from sixvec.spatial import Quaternion

        with self._lock:
            w, x, y, z = (float(e) for e in wxyz)
            X = np.eye(4)
            X[:3, :3] = np.reshape([*Quaternion(x, y, z, w).as_rotation().matrix], (3, 3))
            X[:3, 3] = position
            try:
                solution = self.robot.ik(X, self._nodes.frame or self.robot.frame_names[-1], q0=self.q)
            except SixvecError as problem:
                self.say(str(problem))
                return
            self.say(solution.explain())
            self.show(np.asarray(solution.q, float))


def _suffix(body: Body, k: int) -> str:
    """What distinguishes the sliders of one joint."""
    if body.joint.nv == 1:
        return ""
    names = body.joint.freedoms
    return f" {names[k]}" if names else f" [{k}]"
