"""The viewer and other people: names in files are text, other pages cannot connect, large files are not read."""

from __future__ import annotations

import http.client
import json
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from server_shim import Server

import sixvec as sv
from memory_peak import PRINT_PEAK
from sixvec.cli.main import main
from sixvec.viz.origin import is_loopback, is_own
from sixvec.viz.panel import Panel
from sixvec.viz.pieces import pieces
from sixvec.viz.server import serve, stop
from sixvec.viz.view_scene import RobotNodes
from sixvec.viz.viewer import Viewer

NAME = "<iframe srcdoc='<script src=//127.0.0.1:1/j></script>'> ![x](http://127.0.0.1:1/t) {alert(1)} **b**"
WRITTEN = NAME.replace("<", "&lt;").replace("'", "&apos;")
ARM = f"""<robot name="{WRITTEN}"><link name="base"/><link name="{WRITTEN} link"/>
<joint name="{WRITTEN}" type="revolute"><parent link="base"/><child link="{WRITTEN} link"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def test_names_are_never_markup(tmp_path: Path) -> None:
    import threading

    (tmp_path / "arm.urdf").write_text(ARM)
    robot = sv.load(tmp_path / "arm.urdf")
    server: Any = Server()
    panel = Panel(server, RobotNodes(server.scene, robot, "/robot"), robot.neutral(), threading.RLock())
    panel.say(f"beyond its limit: {NAME}")
    assert panel.verdict.endswith(NAME)
    (status,) = server.gui.of("text")
    assert status.value == panel.verdict and status.visible and status.named["disabled"]
    panel.say("")
    assert not status.visible
    markup = [*server.gui.of("markdown"), *server.gui.of("html")]
    assert not any("iframe" in str(node.content) for node in markup)


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    pytest.importorskip("viser")
    made = Viewer(port=0, browser=False)
    yield made
    made.close()


def status(port: int, **headers: str) -> int:
    """The status of a request with these headers; 101 for a WebSocket that is opened."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    line.putrequest("GET", "/", skip_host=True, skip_accept_encoding=True)
    for key, value in headers.items():
        line.putheader(key.replace("_", "-"), value)
    line.endheaders()
    answer = line.getresponse().status
    line.close()
    return answer


SOCKET = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def test_only_the_own_page_connects(viewer: Viewer) -> None:
    port = viewer.port
    for name in (f"localhost:{port}", f"127.0.0.1:{port}", "localhost:9000"):  # the last one through a tunnel
        assert status(port, Host=name) == 200
        assert status(port, Host=name, Origin=f"http://{name}", **SOCKET) == 101
        for origin in ("http://evil.example", f"http://localhost:{port + 1}", "null", f"http://{name}.evil.example"):
            assert status(port, Host=name, Origin=origin, **SOCKET) == 403
        assert status(port, Host=name, **SOCKET) == 403
    for name in ("evil.example", f"evil.example:{port}", f"localhost.evil.example:{port}", "192.168.1.5", "", "[::"):
        assert status(port, Host=name) == 403
        assert status(port, Host=name, Origin=f"http://{name}", **SOCKET) == 403
    assert status(port, Host="localhost", Upgrade="WebSocket", Origin="http://evil.example") == 403


class Headers:
    def __init__(self, *pairs: tuple[str, str]) -> None:
        self.pairs = pairs

    def get_all(self, name: str) -> list[str]:
        return [value for key, value in self.pairs if key == name]


def test_hosts_of_a_server_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "lab.example.org")
    for name in ("192.168.1.5:8080", "[fe80::1]:8080", "lab.example.org", "lab", "LAB.example.org:80", "localhost"):
        own = Headers(("Host", name), ("Origin", f"http://{name}"), ("Upgrade", "websocket"))
        assert is_own(own, "0.0.0.0") and is_own(own, "127.0.0.1") == (name == "localhost")
    for name in ("evil.example", "lab.evil.example", "192.168.1.5.evil.example"):
        assert not is_own(Headers(("Host", name)), "0.0.0.0")
    assert not is_own(Headers(("Host", "localhost"), ("Host", "evil.example")), "0.0.0.0")
    assert not is_own(Headers(), "0.0.0.0")
    assert is_loopback("::1") and is_loopback("127.0.0.9") and is_loopback("localhost")
    assert not is_loopback("lab") and not is_loopback("::") and not is_loopback("192.168.1.5")


def test_other_servers_of_viser_are_left_alone(viewer: Viewer) -> None:
    import viser

    other = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        assert status(int(other.get_port()), Host="evil.example", Origin="http://evil.example", **SOCKET) == 101
    finally:
        stop(other)


def test_a_viser_that_cannot_be_restricted_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("viser")
    monkeypatch.setattr("sixvec.viz.server.restrict", lambda _: None)
    monkeypatch.setattr("viser.infra._infra.websockets", __import__("websockets"))
    with pytest.raises(sv.errors.MissingExtra, match="viser"):
        serve("127.0.0.1", 0)


@pytest.mark.parametrize(("host", "warned"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_the_command_says_what_becomes_reachable(
    host: str, warned: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sixvec.viz.viewer.serve", lambda host, port: Server(host, port))
    monkeypatch.setattr("sixvec.viz.viewer.stop", lambda server: None)
    monkeypatch.setattr(Viewer, "wait", lambda self: None)
    assert main(["view", "planar_2r", "--host", host, "--port", "0", "--no-browser"]) == 0
    assert ("can move it: there is no password" in capsys.readouterr().out) is warned


def glb(folder: Path) -> str:
    text = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"count": 2_000_000_000, "type": "VEC3", "componentType": 5126}],
    }
    (folder / "m.gltf").write_text(json.dumps(text))
    return "m.gltf"


def instances(folder: Path) -> str:
    """A thousand triangles, drawn ten thousand times."""
    corners = np.random.default_rng(0).normal(size=(3000, 3)).astype("<f4").tobytes()
    (folder / "m.bin").write_bytes(corners)
    text = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [*range(10_000)]}],
        "nodes": [{"mesh": 0}] * 10_000,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"count": 3000, "type": "VEC3", "componentType": 5126, "bufferView": 0}],
        "bufferViews": [{"buffer": 0, "byteLength": len(corners)}],
        "buffers": [{"uri": "m.bin", "byteLength": len(corners)}],
    }
    (folder / "m.gltf").write_text(json.dumps(text))
    return "m.gltf"


def three_mf(folder: Path) -> str:
    """An archive of 230 KiB with three million triangles."""
    head = '<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources><object id="1"><mesh>'
    vertices = '<vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/></vertices>'
    triangles = '<triangle v1="0" v2="1" v3="2"/>' * 3_000_000
    tail = '</mesh></object></resources><build><item objectid="1"/></build></model>'
    with zipfile.ZipFile(folder / "m.3mf", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/3dmodel.model", f"{head}{vertices}<triangles>{triangles}</triangles>{tail}")
        archive.writestr("_rels/.rels", "")
    return "m.3mf"


def test_an_honest_collada_file_gives_no_warning(tmp_path: Path) -> None:
    trimesh, _ = pytest.importorskip("trimesh"), pytest.importorskip("collada")
    trimesh.creation.box().export(tmp_path / "m.dae")
    shape = '<visual><geometry><mesh filename="m.dae"/></geometry></visual>'
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm"><link name="a">{shape}</link></robot>')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (piece,) = pieces(sv.load(tmp_path / "arm.urdf").model)
    assert len(piece.surface.faces) == 12


def collada_nodes(folder: Path) -> str:
    """Thirty nodes, each of which contains the next one twice."""
    twice = '<instance_node url="#n{0}"/><instance_node url="#n{0}"/>'
    nodes = "".join(f'<node id="n{i}">{twice.format(i + 1)}</node>' for i in range(30)) + '<node id="n30"/>'
    (folder / "m.dae").write_text(
        f'<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><library_nodes>{nodes}'
        '</library_nodes><library_visual_scenes><visual_scene id="s"><node><instance_node url="#n0"/></node>'
        "</visual_scene></library_visual_scenes></COLLADA>"
    )
    return "m.dae"


def ply(folder: Path) -> str:
    (folder / "m.ply").write_text("ply\nformat ascii 1.0\nelement vertex 2000000000\nproperty float x\nend_header\n0\n")
    return "m.ply"


def many_geoms(folder: Path) -> str:
    count = 300_000
    data = np.zeros(count, [("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")])
    data["c"] = np.random.default_rng(0).normal(size=(count, 3, 3))
    (folder / "m.stl").write_bytes(bytes(80) + np.uint32(count).tobytes() + data.tobytes())
    return "m.stl"


ATTACKS = {
    "announced": (glb, 1, "announces"),
    "instances": (instances, 1, "more than|needs too much"),
    "nodes": (collada_nodes, 1, "repeats its nodes"),
    "vertices": (ply, 1, "announces more vertices"),
    "archive": (three_mf, 1, "unpacks to more than"),
    "many geoms": (many_geoms, 40, "drawn triangles"),
}
PROGRAM = """
import resource, sys, warnings
import sixvec as sv
from sixvec.viz.pieces import pieces
model = sv.load(sys.argv[1]).model
before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    pieces(model)
print(*(w.message for w in caught))
print(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)
"""


@pytest.mark.parametrize("name", ATTACKS)
def test_meshes_that_ask_for_much(name: str, tmp_path: Path) -> None:
    import re
    import subprocess
    import sys

    pytest.importorskip("trimesh")
    write, times, words = ATTACKS[name]
    file = write(tmp_path)
    shape = f'<visual><geometry><mesh filename="{file}"/></geometry></visual>' * times
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm"><link name="a">{shape}</link></robot>')
    command = [sys.executable, "-c", PROGRAM + PRINT_PEAK, str(tmp_path / "arm.urdf")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    *said, seconds, memory = done.stdout.strip().splitlines()
    assert re.search(words, " ".join(said)), said
    assert float(seconds) < 5.0 and int(memory) < 500, (seconds, memory)
