"""A stand-in for the server of the viewer, which records what is put into the scene and beside it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any


class Node(SimpleNamespace):
    """Something in the scene or a control; `update(value)` is the hand of the user."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.removed, self.visible, self.update = False, True, self._set
        self._called: Callable[[Any], None] = lambda _: None

    def on_update(self, call: Callable[[Any], None]) -> None:
        self._called = call

    on_click = on_update

    def remove(self) -> None:
        self.removed = True

    def __enter__(self) -> Node:
        self.named["inside_of"].append(self.name)
        return self

    def __exit__(self, *_: Any) -> None:
        self.named["inside_of"].pop()

    def _set(self, value: Any) -> None:
        self.value = value
        self._called(self)


class Recorder:
    """`add_x(name, …)` makes a node of kind x, kept in `made`."""

    def __init__(self) -> None:
        self.made: list[Node] = []
        self.inside: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., Node]:
        if not name.startswith("add_"):
            raise AttributeError(name)

        def add(label: str, *given: Any, **named: Any) -> Node:
            node = Node(kind=name[4:], name=label, given=given, named=named, inside=tuple(self.inside))
            node.value = named.get("initial_value", given[-1] if given else None)
            node.position, node.content = named.get("position"), label
            self.made.append(node)
            return node

        return add

    def add_folder(self, name: str, **named: Any) -> Node:
        named["inside_of"] = self.inside
        self.made.append(Node(kind="folder", name=name, given=(), named=named, inside=tuple(self.inside)))
        return self.made[-1]

    def of(self, kind: str) -> list[Node]:
        return [node for node in self.made if node.kind == kind]

    def named(self, name: str) -> list[Node]:
        return [node for node in self.made if node.name == name]


class Server:
    def __init__(self, host: str = "127.0.0.1", port: int = 8080) -> None:
        self.asked = host, port
        self.scene, self.gui = Recorder(), Recorder()
        self.initial_camera = SimpleNamespace(look_at=None, position=None)
        self.stopped, self.pauses = False, []
        self.clients: dict[int, Any] = {}
        self.connected: list[Callable[[Any], None]] = []

    def on_client_connect(self, call: Callable[[Any], None]) -> None:
        self.connected.append(call)

    def get_clients(self) -> dict[int, Any]:
        return self.clients

    def get_port(self) -> int:
        return self.asked[1] or 12345

    def stop(self) -> None:
        self.stopped = True

    def get_scene_serializer(self) -> Server:
        return self

    def insert_sleep(self, dt: float) -> None:
        self.pauses.append(dt)

    def as_html(self) -> str:
        return "<page>"
