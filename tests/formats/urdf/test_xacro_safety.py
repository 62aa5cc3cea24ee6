"""A xacro file cannot run code, read other files or the environment; honest ones expand as the package does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sixvec as sv
from command_line import sixvec
from memory_peak import PRINT_PEAK
from naming import named
from published import folder
from sixvec.errors import FileFormatError
from sixvec.formats.doctor import check_file
from sixvec.formats.urdf import xacro as module
from sixvec.formats.urdf.xacro import expanded
from sixvec.formats.urdf.xacro_expressions import NotAllowed, evaluated

__all__ = ["sixvec"]

pytest.importorskip("xacro", reason="the package xacro (pip install xacro) expands the files")

NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
FRAMES = (
    "${(lambda a: (a.append((x.gi_frame.f_back.f_back.f_back.f_builtins for x in a)), [*a[0]][0])[1])([])"
    "['_'*2+'import'+'_'*2]('os').system('touch ran')}"
)
ESCAPES = {
    "frames of a generator": FRAMES,
    "lambda": "${(lambda: 1)()}",
    "list comprehension": "${[x for x in [1, 2]]}",
    "generator": "${list(x for x in [1, 2])}",
    "dictionary comprehension": "${dict(a=1) if True else [x for x in (1,)]}".replace("dict(a=1) if True else ", ""),
    "class of a tuple": "${().__class__}",
    "class without underscores": "${''.join}",
    "method of a text": "${'touch'.upper()}",
    "format of a text": "${'%s'.format(1)}",
    "format with an attribute": "${'%s'.format_map(1)}",
    "format string": "${f'(1)'}",
    "attribute of a number": "${(1).real}",
    "attribute of a function": "${len.func}",
    "attribute of a module": "${math.sin.self}",
    "class by subscript": "${xacro['__class__']}",
    "members by subscript": "${python['vars']}",
    "vars": "${python.vars()}",
    "type": "${python.type(1)}",
    "hash": "${python.hash('a')}",
    "types of subclasses": "${python.type(1).mro()}",
    "type of a list with an entry": "${list[0]}",
    "union of types": "${int | str}",
    "comparison of functions": "${len == str}",
    "starred argument": "${max(*[1, 2])}",
    "starred list": "${[*[1, 2]]}",
    "starred keywords": "${dict(**xacro)}",
    "call of a result": "${(len if True else str)('a')}",
    "call of an entry": "${[len][0]('a')}",
    "assignment in an expression": "${(x := 1)}",
    "bytes": "${b'abc'}",
    "import": "${__import__('os').system('touch ran')}",
    "builtins": "${__builtins__}",
    "eval": "${eval('1')}",
    "open": "${open('secret.yaml')}",
    "yield": "${(yield)}",
    "await": "${await x}",
    "ellipsis": "${...}",
    "complex": "${1j}",
    "variable width": "${'%*d' % (9, 1)}",
    "wide text": "${'%99999999d' % 1}",
    "long text": "${'a' * 300000000}",
    "long list": "${[0] * 10**9}",
    "large power": "${9**9**9}",
    "large shift": "${1 << 10**9}",
    "large factorial": "${math.factorial(10**9)}",
    "map of a large factorial": "${list(map(math.factorial, [10**7]))}",
    "large factorial as a key": "${max([10**7], key=math.factorial)}",
    "large factorial by subscript": "${math['factorial'](10**7)}",
    "large product": "${math.prod(range(1, 200000))}",
    "large product of a map": "${math.prod(map(int, range(1, 200000)))}",
    "map of a product": "${list(map(math.prod, [range(1, 200000)]))}",
    "long range": "${list(range(10**9))}",
    "rounding to very many digits": "${round(5, -10**9)}",
    "rounding by another name": "${list(map(round, [5], [-10**9]))}",
    "eval of an argument": "$(eval [x for x in [1]])",
    "attribute in eval": "$(eval 'a'.upper)",
    "environment": "$(env HOME)",
    "environment with a default": "$(optenv HOME x)",
    "environment in eval": "$(eval env['HOME'])",
    "a YAML file elsewhere": "${xacro.load_yaml('../secret.yaml')['a']}",
    "a YAML file at the root": "${xacro.load_yaml('/etc/hostname')}",
    "a YAML file through a link": "${xacro.load_yaml('link.yaml')}",
    "map over a file": "${list(map(xacro.load_yaml, ['../secret.yaml']))}",
}


def written(folder: Path, inside: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder.parent / "secret.yaml").write_text("a: secret\n")
    link = folder / "link.yaml"
    if not link.is_symlink():
        link.symlink_to(folder.parent / "secret.yaml")
    path = folder / "arm.xacro"
    path.write_text(f'<robot name="arm" {NAMESPACE}>{inside}</robot>')
    return path


def test_there_are_enough_attempts() -> None:
    assert len(ESCAPES) >= 30


@pytest.mark.parametrize("name", ESCAPES)
def test_escapes_fail(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    text = ESCAPES[name].replace("<", "&lt;").replace('"', "&quot;")
    path = written(tmp_path / "arm", f'<xacro:property name="p" value="{text}"/><link name="L${{p}}"/>')
    with pytest.raises(FileFormatError) as caught:
        sv.load(path)
    assert "secret" not in str(caught.value).replace("secret.yaml", "")
    assert not (tmp_path / "ran").exists() and not (path.parent / "ran").exists()
    if name not in ("open", "eval", "await", "environment in eval", "starred keywords"):
        assert "trusted=True" in str(caught.value) and "--trusted" in str(caught.value)


@pytest.mark.parametrize("command", ["show", "check", "verify", "convert", "emit", "export", "batch", "view"])
def test_no_command_runs_code(command: str, tmp_path: Path, sixvec: Callable[..., Any]) -> None:
    path = written(tmp_path / "arm", f'<xacro:property name="p" value="{FRAMES}"/><link name="L${{p}}"/>')
    more = {"convert": ["out.urdf"], "emit": ["mass_matrix"], "export": ["mass_matrix", "--output", "lib"]}
    more["batch"] = ["mass_matrix", "in.zarr", "out.zarr"]
    done = sixvec(command, str(path), *more.get(command, []), cwd=tmp_path)
    assert done.returncode == 3 and "--trusted" in done.stdout + done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_trusted_file_may_do_all_of_this(tmp_path: Path, sixvec: Callable[..., Any]) -> None:
    path = written(tmp_path / "arm", "<link name=\"${[x for x in [1, 2]][1]}${xacro.load_yaml('../secret.yaml').a}\"/>")
    assert [b.name for b in sv.load(path, trusted=True).model.bodies] == ["2secret"]
    assert check_file(path, trusted=True).status == 0 and check_file(path).status == 2
    assert "2secret" in sixvec("show", str(path), "--trusted").stdout


HONEST = """
  <xacro:arg name="side" default="left"/>
  <xacro:arg name="count" default="3"/>
  <xacro:property name="limits" value="${xacro.load_yaml('limits.yaml')}"/>
  <xacro:property name="files" value="${load_yaml('limits.yaml')['files']}"/>
  <xacro:include filename="parts.xacro" ns="parts"/>
  <xacro:property name="half" value="${limits.arm.length / 2.0}"/>
  <xacro:property name="name" value="$(arg side)_${'%02d' % (2 ** 3)}"/>
  <xacro:if value="${'$(arg side)' == 'left' and half &lt; 1 and not (2 in [1, 3])}">
    <link name="${name}" x="${half:=}" />
  </xacro:if>
  <xacro:unless value="${limits['arm']['moving']}"><link name="never"/></xacro:unless>
  <link name="a" numbers="${sin(pi/4)} ${math.cos(radians(30))} ${-limits.arm.angle} ${7 // 2} ${7 % 3} ${~1}"/>
  <link name="b" lists="${limits.files[1:]} ${[1, 2] + [3]} ${len(files)} ${max(1, min(2, 3))} ${'a,b'}"/>
  <link name="c" more="${parts.width} ${str(1.50)} ${int('7')} ${round(2.567, 2)} ${sorted([3, 1])} ${list(range(3))}"/>
  <link name="d" maps="${list(map(float, ['1', '2']))} ${dict(a=1, b=2)} ${xacro.tokenize('a b')} ${python.abs(-1)}"/>
  <link name="e" args="$(eval arg['x'] if False else count + 1) $(optenv NOBODY_SETS_THIS 5) ${xacro.arg('side')}"/>
  <link name="f" text="${'x' if half > 0.1 else 'y'} ${limits.files[0] * 2} ${1 &lt; 2 &lt; 3} ${None is None}"/>
  <parts.link/>
"""
LIMITS = "arm: {length: !inches 10, angle: !degrees 90, moving: true}\nfiles: [one, two, three]\n"
PARTS = (
    f'<robot {NAMESPACE}><xacro:property name="width" value="0.25"/><xacro:macro name="m" params="n:=1">'
    '<link name="part${n}"/></xacro:macro></robot>'
)


def test_honest_expressions_have_the_values_of_the_package(tmp_path: Path) -> None:
    inside = HONEST.replace(' x="${half:=}"', "").replace("arg['x'] if False else ", "")
    path = written(tmp_path / "arm", inside.replace("<parts.link/>", '<xacro:parts.m n="4"/>'))
    (path.parent / "limits.yaml").write_text(LIMITS)
    (path.parent / "parts.xacro").write_text(PARTS)
    text = expanded(path)
    assert text == expanded(path, trusted=True)
    assert 'name="left_08"' in text and 'name="part4"' in text and 'args="4 5 left"' in text


def test_published_files_expand_as_the_package_does() -> None:
    """Those of all installed packages; files of macros alone, or with missing packages, expand in neither way."""
    files = [*folder().rglob("*.xacro"), *Path(sysconfig.get_path("purelib")).rglob("*.xacro")]
    assert len(files) >= 2
    for file in dict.fromkeys(map(Path.resolve, files)):
        assert outcome(file, trusted=False) == outcome(file, trusted=True), file


def outcome(file: Path, *, trusted: bool) -> str:
    try:
        return expanded(file, trusted=trusted)
    except FileFormatError as problem:
        return "not allowed" if "trusted=True" in str(problem) else "cannot be expanded"


def test_only_folders_of_the_file_its_package_and_the_caller_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "package" / "urdf", "") if (tmp_path / "package").mkdir() is None else tmp_path
    path = written(path.parent, '<xacro:include filename="../parts/p.xacro"/><xacro:m n="1"/>')
    (tmp_path / "package" / "parts").mkdir()
    (tmp_path / "package" / "parts" / "p.xacro").write_text(PARTS)
    with pytest.raises(FileFormatError, match=named("p.xacro", "trusted")):
        sv.load(path)
    assert sv.load(path, folders=[tmp_path / "package" / "parts"]).model.bodies
    (tmp_path / "package" / "package.xml").touch()
    assert sv.load(path).model.bodies
    (tmp_path / "package" / "parts" / "p.xacro").write_text(f"<!DOCTYPE r [<!ENTITY x 'y'>]>{PARTS}")
    with pytest.raises(FileFormatError, match="type"):
        sv.load(path)


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path / "arm", '<xacro:include filename="pipe.xacro"/>')
    os.mkfifo(path.parent / "pipe.xacro")
    start = time.monotonic()
    with pytest.raises(FileFormatError, match="device"):
        sv.load(path)
    assert time.monotonic() - start < 5.0


BOMB = "x0: &a0 [y, y, y, y, y, y, y, y, y, y]\n" + "".join(
    f"x{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10)
)


def test_aliases_of_yaml_are_errors(tmp_path: Path) -> None:
    path = written(tmp_path / "arm", "<link name=\"${xacro.load_yaml('bomb.yaml')['x9']}\"/>")
    (path.parent / "bomb.yaml").write_text(BOMB)
    start = time.monotonic()
    with pytest.raises(FileFormatError, match=named("*a0", "allowed")):
        sv.load(path)
    assert time.monotonic() - start < 5.0


LARGE = {
    "a long text": ("${'a' * 900000}" * 40, "more than 16 MiB"),
    "texts that double": (
        "</p>"
        + '<xacro:property name="d0" value="abcdefgh"/>'
        + "".join(f'<xacro:property name="d{i}" value="${{d{i - 1}}}${{d{i - 1}}}"/>' for i in range(1, 40))
        + "<p>${d39}",
        "a str of more than 1000000 entries",
    ),
    "lists that double": (
        "</p>"
        + "".join(f'<xacro:property name="{x}0" value="${{[1]}}"/>' for x in "ab")
        + "".join(
            f'<xacro:property name="{x}{i}" value="${{[{x}{i - 1}, {x}{i - 1}]}}"/>' for i in range(1, 40) for x in "ab"
        )
        + "<p>${a39 == b39}",
        "a list of more than 1000000 entries, with those inside",
    ),
    "a factorial by another name": (
        '</p><xacro:property name="f" value="${math.factorial}"/><p>${f(10**7)}',
        "factorial of a number above 1000",
    ),
    "macros that double": (
        "".join(f'<xacro:macro name="m{i}"><xacro:m{i + 1}/><xacro:m{i + 1}/></xacro:macro>' for i in range(40))
        + '<xacro:macro name="m40"><a/></xacro:macro><xacro:m0/>',
        "more than 10000 calls of macros",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_limits_cover_expansion_and_parsing(name: str, tmp_path: Path) -> None:
    inside, words = LARGE[name]
    path = written(tmp_path / "arm", f"<link name='l'/><p>{inside}</p>")
    program = f"import sixvec as sv\ntry: sv.load({str(path)!r})\nexcept sv.SixvecError as e: print(e)\n{PRINT_PEAK}"
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert time.monotonic() - start < 15.0  # of which most is the time to start two processes on a busy machine
    assert re.search(words, done.stdout), done.stdout
    assert int(done.stdout.split()[-1]) < 500  # the process of the expansion has a limit of its own


def test_a_deadline_counts_for_the_parser_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "arm", "<link name='l'/>")
    text = json.dumps({"text": '<robot name="r"><link name="l"/></robot>'})
    late = f"import sys, time; sys.stdin.read(); time.sleep(0.2); print({text!r})"
    (tmp_path / "late.py").write_text(late)
    monkeypatch.setattr(module, "_PROCESS", tmp_path / "late.py")
    assert sv.load(path).model.bodies
    monkeypatch.setattr(module, "LONGEST", 0.1)
    monkeypatch.setattr(module.threading, "Timer", lambda *_: threading.Event())  # which never ends the process
    monkeypatch.setattr(threading.Event, "start", lambda self: None, raising=False)
    monkeypatch.setattr(threading.Event, "cancel", lambda self: None, raising=False)
    with pytest.raises(FileFormatError, match=named("arm.xacro")):
        sv.load(path)


def test_names_and_values_of_expressions() -> None:
    names = {"a": 2, "f": len}
    assert evaluated("a + f('abc') * 2", names) == 8
    assert evaluated("sum([1, 2.5], 3) + sum([True])", {"sum": sum}) == 7.5
    start = time.monotonic()
    assert evaluated("f(sum([(1,)] * 200000, ()))", {"f": len, "sum": sum}) == 200000  # Python's own copies 160 GB
    assert time.monotonic() - start < 5.0
    with pytest.raises(TypeError, match=named("tuple", "list")):
        evaluated("sum([(1,)], [])", {"sum": sum})
    with pytest.raises(NameError, match=named("b")):
        evaluated("b", names)
    for text in ("__a", "f.__self__", "(" * 150 + "1" + "+1)" * 150):
        with pytest.raises(NotAllowed):
            evaluated(text, names)
    assert "PATH" in os.environ
