"""A headless Chromium, driven over its own protocol: enough to load a page, look at it and move its sliders."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--window-size=1000,700", "--remote-debugging-port=0", "--disable-dev-shm-usage",
)  # fmt: skip
PATIENCE = 120.0


class Page:
    """One page: `evaluate` runs JavaScript in it, `complaints` are its errors on the console."""

    def __init__(self, socket: Any) -> None:
        self._socket, self._count = socket, 0
        self.complaints: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.command(f"{domain}.enable")

    def command(self, method: str, **parameters: Any) -> Any:
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("id") == self._count:
                assert "error" not in message, message
                return message["result"]
            self._note(message)

    def _note(self, message: Any) -> None:
        details = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(details["exceptionDetails"]))
        if message.get("method") == "Runtime.consoleAPICalled" and details["type"] == "error":
            self.complaints.append(str(details["args"]))
        if message.get("method") == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.complaints.append(str(details["entry"]))

    def evaluate(self, script: str) -> Any:
        answer = self.command("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return answer["result"].get("value")

    def wait_for(self, script: str) -> Any:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := self.evaluate(script):
                return found
            time.sleep(0.2)
        raise TimeoutError(script)

    def screenshot(self, path: Path) -> bytes:
        picture = base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"])
        path.write_bytes(picture)
        return picture


@contextmanager
def page(url: str) -> Iterator[Page]:
    """The page at an address, in a browser of its own."""
    from websockets.sync.client import connect

    folder = tempfile.mkdtemp(prefix="sixvec-chromium-")
    process = subprocess.Popen(
        [str(CHROMIUM), *FLAGS, f"--user-data-dir={folder}", "about:blank"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"HOME": folder},
    )  # fmt: skip
    try:
        ready = Path(folder) / "DevToolsActivePort"
        end = time.monotonic() + PATIENCE
        while not (ready.exists() and ready.read_text().count("\n")) and time.monotonic() < end:
            time.sleep(0.1)
        port = ready.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            target = next(t for t in json.load(answer) if t["type"] == "page")
        with connect(target["webSocketDebuggerUrl"], max_size=None) as socket:
            found = Page(socket)
            found.command("Page.navigate", url=url)
            yield found
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(folder, ignore_errors=True)
