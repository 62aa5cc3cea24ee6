"""viser, which draws in the browser, without its own messages and warnings."""

from __future__ import annotations

import io
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from sixvec.errors import ArgumentError, MissingExtra


def serve(host: str, port: int) -> Any:
    """A server on that address; on the next free port if that one is taken, on any for port 0."""
    try:
        with _quiet():
            import viser
    except ImportError as problem:
        raise MissingExtra("the viewer needs viser: pip install 'sixvec[view]'") from problem
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.bind((host, 0))  # an address of another machine would make viser try ports forever
    except OSError as problem:
        raise ArgumentError(f"view: no server can be started on {host!r}: {problem.strerror or problem}") from problem
    with _quiet():
        return viser.ViserServer(host=host, port=port, label="sixvec", verbose=False)


def stop(server: Any) -> None:
    """End a server."""
    with _quiet():
        server.stop()


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
