"""Which requests the viewer serves: those of the viewer's page, not those of other pages in the same browser.

A browser lets every page open a WebSocket to any address, and the server learns only where the page is from: `Origin`.
So that a name of another site cannot be made to point here (DNS rebinding), `Host` must be a name of this machine.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "::1")
WHY = "This is the viewer of sixvec; open its own address."

Result = Callable[[Any, Any], Any]
"""answer(connection, request): a response, or None to open the WebSocket."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def restricted(respond: Result | None, host: str) -> Result:
    """The responses of a server at `host`, to requests from its own page only."""

    def checked(connection: Any, request: Any) -> Any:
        if not is_own(request.headers, host):
            return connection.respond(HTTPStatus.FORBIDDEN, WHY)
        return None if respond is None else respond(connection, request)

    return checked


def is_own(headers: Any, host: str) -> bool:
    """Whether the headers are those of a request to this machine and, of a WebSocket, from the page that it serves."""
    named, origins = headers.get_all("Host"), headers.get_all("Origin")
    if len(named) != 1 or len(origins) > 1 or not _is_name_of_this_machine(named[0], host):
        return False
    if not origins:
        return not headers.get_all("Upgrade")
    return origins[0] in (f"http://{named[0]}", f"https://{named[0]}")


def _is_name_of_this_machine(named: str, host: str) -> bool:
    try:
        name = urlsplit(f"//{named}").hostname or ""
    except ValueError:
        return False
    if name in (*LOOPBACK, host.lower()):
        return True
    here = socket.gethostname().lower()
    # An address in numbers cannot be made to point elsewhere.
    return not is_loopback(host) and (_is_address(name) or name in (here, f"{here}.local", here.partition(".")[0]))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
