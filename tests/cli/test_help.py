"""Help, examples, suggestions and completion of the command line."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import CompletionItem, ShellComplete

from sixvec.cli import main
from sixvec.cli.completion import SHELLS, VARIABLE
from sixvec.cli.main import sixvec as group
from sixvec.cli.status import Status

COMMANDS = [*group.commands]
EXAMPLES = [(name, line) for name in COMMANDS for line in getattr(group.commands[name], "examples", ())]
PAGE = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_sentence_an_example_and_a_row_in_the_docs(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == Status.FINE
    shown = capsys.readouterr().out
    assert "Examples:" in shown and (group.commands[name].help or "").strip()
    assert all(
        option.help or option.type.name == "choice" for option in group.commands[name].params if is_option(option)
    )
    assert f"| `sixvec {name}" in PAGE
    assert max(map(len, shown.splitlines())) <= 100


def is_option(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option)


@pytest.mark.parametrize(("name", "line"), EXAMPLES)
def test_examples_can_be_parsed(name: str, line: str) -> None:
    words = shlex.split(line.replace('eval "$(', "").replace(')"', ""), comments=True)
    words = words[: next((i for i, word in enumerate(words) if word in ("|", ">")), len(words))]
    assert words[:2] == ["sixvec", name]
    group.commands[name].make_context(name, words[2:])


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("chek arm.urdf", 'did you mean "check"'), ("verfy panda", 'did you mean "verify"'),
        ("show panda --jsn", 'did you mean "--json"'), ("check panda --trused", 'did you mean "--trusted"'),
        ("panda", "sixvec show panda"), ("arm.urdf", "sixvec view arm.urdf"), ("version", "sixvec --version"),
        ("simulate panda", "robot.rollout"), ("ik panda", "robot.ik"), ("animate panda", "robot.animate"),
        ("collisions panda", "sixvec distance"), ("toppra panda", "sixvec time"), ("fk panda", "robot.pose"),
        ("export panda --kernel mass_matrix", "functions are arguments: sixvec export panda"),
        ("show", "ROBOT"), ("emit panda", "FUNCTION"),
        ("emit panda mass_matrix --dtype float16", "float32"), ("verify panda --samples many", "many"),
        ("export panda mass_matrix", "--output"), ("robots panda", "panda"),
    ],
)  # fmt: skip
def test_mistakes_name_what_was_meant_in_one_line(line: str, named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == Status.USAGE
    shown = capsys.readouterr()
    assert named in shown.err and shown.err.count("\n") == 1 and shown.out == ""


def completions(*words: str, incomplete: str) -> list[CompletionItem]:
    return ShellComplete(group, {}, "sixvec", VARIABLE).get_completions([*words], incomplete)


@pytest.mark.parametrize(
    ("words", "incomplete", "offered"),
    [
        ([], "ve", {"verify"}),
        (["show"], "pan", {"panda"}),
        (["show", "panda"], "--j", {"--json"}),
        (["emit", "panda"], "gravity_f", {"gravity_forces"}),
        (["emit", "panda"], "pose:panda_link8", {"pose:panda_link8"}),
        (["emit", "panda", "pose:panda_link8", "--external"], "panda_link7", {"panda_link7"}),
        (["emit", "no_such_robot"], "pose:", set()),
        (["completion"], "z", {"zsh"}),
    ],
)
def test_completions(words: list[str], incomplete: str, offered: set[str]) -> None:
    assert {item.value for item in completions(*words, incomplete=incomplete)} == offered


def test_model_files_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("panda_arm.urdf", "panda.txt"):
        (tmp_path / name).touch()
    assert {item.value for item in completions("show", incomplete="panda")} == {"panda", "panda_arm.urdf"}
    assert [item.type for item in completions("show", incomplete="arm.u")] == ["file"]


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_of_shells_ask_this_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == Status.FINE
    assert VARIABLE in capsys.readouterr().out


def test_bash_completes(tmp_path: Path) -> None:
    """As the script of bash asks: the words in the environment, the answer in lines."""
    environment = {"COMP_WORDS": "sixvec conv", "COMP_CWORD": "1", VARIABLE: "bash_complete", "PATH": "/usr/bin:/bin"}
    code = "from sixvec.cli import main; import sys; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["plain,convert"], done.stderr


def test_json_of_show_and_verify(sixvec: Callable[..., Any]) -> None:
    robot = json.loads(sixvec("show", "four_bar", "--json").stdout)
    assert robot["nv"] == 3 and robot["closures"][0]["constraints"] == 5
    panda = json.loads(sixvec("show", "panda", "--json").stdout)
    first = panda["bodies"][1]
    assert (first["effort"], first["velocity"], first["q"]) == ([87.0], [2.175], [0])
    done = sixvec("verify", "planar_2r", "--json", "--no-peers", "--samples", 3)
    result = json.loads(done.stdout)
    assert done.returncode == 0 and result["holds"] and {f["verdict"] for f in result["findings"]} == {"holds"}
