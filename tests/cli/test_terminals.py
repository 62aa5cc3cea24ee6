"""Every command on terminals that know only ASCII; names of others reach no terminal raw."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sixvec.cli import main
from sixvec.cli.terminal import as_printed, prepare_streams, say
from sixvec.formats.urdf.write import write_urdf
from sixvec.model.robots import BUILT_IN
from sixvec.model.text_tree import text_tree
from sixvec.quoting import PLAIN

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ODD = "\x9b31mred\x7f\u202eevil\u2028line&#10;second"
"""What XML allows in a name: a control sequence of eight bits, a delete, an override of direction, two line ends."""


OTHERS = ({"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1:strict"})
COMMANDS = ("help", "show", "check", "convert", "emit", "robots", "wrong")


@pytest.mark.parametrize(
    ("command", "setting"), [*((c, ASCII) for c in COMMANDS), *(("convert", s) for s in OTHERS), ("wrong", OTHERS[0])]
)
def test_commands_without_unicode(
    command: str, setting: dict[str, str], sixvec: Callable[..., Any], tmp_path: Path
) -> None:
    name = "bras_à_moteur_中"
    path = tmp_path / "arm.urdf"
    path.write_text(write_urdf(BUILT_IN["planar_2r"]()).replace("link2", name), encoding="utf-8")
    arguments = {
        "help": ("convert", "--help"),
        "show": ("show", path),
        "check": ("check", path),
        "convert": ("convert", path, tmp_path / "b.xml"),
        "emit": ("emit", path, "pose:base"),
        "robots": ("robots",),
        "wrong": ("emit", path, "pose:bras"),
    }[command]
    done = sixvec(*arguments, env=os.environ | setting, errors="replace")
    assert done.returncode == (2 if command == "wrong" else 0), done.stderr
    assert "Traceback" not in done.stderr and (done.stdout + done.stderr)
    if setting is ASCII:
        assert done.stdout.isascii() and done.stderr.isascii()


def test_signs_have_other_letters() -> None:
    assert all(sign.isprintable() and plain.isascii() for sign, plain in PLAIN.items())


@pytest.mark.parametrize("command", ["show", "check", "convert", "emit", "json"])
def test_odd_names_are_not_printed_raw(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "arm.urdf"
    long = "n" * 100_000
    text = write_urdf(BUILT_IN["planar_2r"]()).replace("link2", ODD).replace("joint2", long)
    path.write_text(text, encoding="utf-8")
    main({
        "show": ["show", str(path)],
        "check": ["check", str(path)],
        "json": ["check", "--json", str(path)],
        "convert": ["convert", str(path), str(tmp_path / "b.xml")],
        "emit": ["emit", str(path), "pose:tool\x1b[2J\n" + "f" * 5000],
    }[command])  # fmt: skip
    shown = capsys.readouterr()
    for text in (shown.out, shown.err):
        assert all(line.isprintable() for line in text.split("\n"))
        assert max(map(len, text.split("\n"))) < 2100 or command == "json"
    assert shown.err.count("\n") <= 2


def test_odd_arguments_are_not_printed_raw(sixvec: Callable[..., Any]) -> None:
    done = sixvec("show", "panda", "--\x1b[31m")
    assert done.returncode == 2 and "\x1b" not in done.stderr
    done = sixvec("show", "no\x1b[31m.urdf")
    assert done.returncode == 3 and "\x1b" not in done.stderr


def test_a_tree_of_odd_names_has_a_line_per_body() -> None:
    model = BUILT_IN["planar_2r"]()
    named = replace(model, name="two\nlines", bodies=tuple(replace(b, joint_name="a\nb") for b in model.bodies))
    assert len(text_tree(named).splitlines()) == 2 + len(model.bodies)


def test_characters_that_a_stream_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are replaced by those that say the same; what is no problem of writing stays an error."""
    prepare_streams()
    text = "τ ≤ 3 ✓"
    for encoding in ("utf-8", "ascii", "latin-1"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        prepare_streams()
        assert stream.errors == "sixvec-plain"
        say(text)
        stream.flush()
        written = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
        assert written == as_printed(text) + os.linesep
        assert (written.strip() == text) == (encoding == "utf-8") and (encoding != "ascii" or written.isascii())
    monkeypatch.setattr(sys, "stdout", None)
    assert as_printed(text) == text
    with pytest.raises(UnicodeDecodeError):
        codecs.lookup_error("sixvec-plain")(UnicodeDecodeError("ascii", b"\xff", 0, 1, "odd"))


def test_streams_that_are_closed_take_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    prepare_streams()
    said = sys.stdout
    say("nothing")
    assert said is not None and said.name == os.devnull
    said.close()
