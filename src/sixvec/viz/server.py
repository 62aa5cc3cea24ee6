"""viser, which draws in the browser, without its own messages and warnings, and for its own page only."""

from __future__ import annotations

import io
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import rich

from sixvec.errors import ArgumentError, MissingExtra
from sixvec.viz.origin import restricted


def serve(host: str, port: int) -> Any:
    """A server on that address; on the next free port if that one is taken, on any for port 0."""
    try:
        with _quiet():
            import viser
    except ImportError as problem:
        raise MissingExtra("the viewer needs viser", extra="view") from problem
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.bind((host, 0))  # an address of another machine would make viser try ports forever
    except OSError as problem:
        raise ArgumentError(f"view: no server can be started on {host!r}: {problem.strerror or problem}") from problem
    restrict(import_module("viser.infra._infra"))
    guarded = Guarded(host)
    with _quiet():
        server = viser.ViserServer(host=guarded, port=port, label="sixvec", verbose=False)
    if not guarded.used:
        stop(server)
        raise MissingExtra("this version of viser cannot be restricted to its own page; install another: viser 1.1")
    return server


class Guarded(str):
    """The address of a server of ours; others in the same process are left alone."""

    used = False


def restrict(infrastructure: Any) -> None:
    """Make viser pass the requests to our servers through `origin.restricted`: it has no option for that."""
    websockets = infrastructure.websockets
    if isinstance(websockets, SimpleNamespace):
        return
    serve = websockets.asyncio.server.serve

    def serve_restricted(handler: Any, host: Any = None, *more: Any, **options: Any) -> Any:
        if isinstance(host, Guarded):
            options["process_request"] = restricted(options.get("process_request"), host)
            host.used = True
        return serve(handler, host, *more, **options)

    server = SimpleNamespace(**(vars(websockets.asyncio.server) | {"serve": serve_restricted}))
    asyncio = SimpleNamespace(**(vars(websockets.asyncio) | {"server": server}))
    infrastructure.websockets = SimpleNamespace(**(vars(websockets) | {"asyncio": asyncio}))


def stop(server: Any) -> None:
    """End a server."""
    with _quiet():
        server.stop()


@contextmanager
def _quiet() -> Iterator[None]:
    console = rich.get_console()  # in a notebook it displays, and does not write to stdout
    before, console.quiet = console.quiet, True
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        console.quiet = before
