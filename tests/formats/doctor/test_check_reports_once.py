"""A problem is reported once, whoever finds it, and a reader that notes problems goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.errors import FileFormatError
from sixvec.formats.doctor import check_file
from sixvec.formats.load import load_model
from sixvec.formats.problems import MOST_NOTED, attempt, noting, raise_or_note, stop_if_noted

BODY = '<body name="{}"><joint name="j{}" {}/><geom size="1"/></body>'
FILES = {
    "of a class": ("r.xml", '<default><geom size="x"/></default><worldbody><geom/><geom/></worldbody>'),
    "of rule and reader": ("r.xml", '<worldbody><geom type="capsule" size="1"/></worldbody>'),
    "of an orientation": ("r.xml", '<worldbody><body quat="0 0 0 0"><geom size="1"/></body></worldbody>'),
    "of the compiler": ("r.xml", '<compiler angle="turn"/><worldbody/>'),
    "of an equality": (
        "r.xml", f"<worldbody>{BODY.format('a', 'a', '')}</worldbody><equality><joint joint1='q'/></equality>"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_one_problem_is_one_error(tmp_path: Path, name: str) -> None:
    file, inside = FILES[name]
    path = tmp_path / file
    path.write_text(f"<mujoco>\n{inside}</mujoco>")
    errors = [f for f in check_file(path).findings if f.severity.word == "error"]
    assert len(errors) == 1 and errors[0].line == 2


def test_the_sentence_of_the_check_is_that_of_the_reader(tmp_path: Path) -> None:
    broken = {
        "a.urdf": "<robot name='r'>\n<link name='a'/><link name='a'/></robot>",
        "b.xml": "<mujoco><worldbody>\n<body name='a'><joint type='hing'/></body></worldbody></mujoco>",
        "c.sdf": "<sdf version='1.9'><model name='m'>\n<link name='a'><pose relative_to='b'/></link></model></sdf>",
        "d.urdf": "<robot name='r'>\n<link name='a'><inertial><mass value='-1'/>"
        "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>",
    }
    for name, text in broken.items():
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(FileFormatError) as caught:
            load_model(path)
        (found,) = [f for f in check_file(path).findings if f.severity.word == "error"]
        problem = caught.value
        assert (found.line, found.message, found.advice) == (problem.line, problem.message, problem.advice)


def test_a_function_that_fails_often_is_not_called_again() -> None:
    calls: list[int] = []

    def read(k: int) -> int:
        calls.append(k)
        raise FileFormatError(f"wrong {k % 7}")

    with noting() as noted:
        assert {attempt(-1, read, k) for k in range(2 * MOST_NOTED)} == {-1}
        assert len(noted) == 7 and len(calls) == MOST_NOTED
        assert attempt(-1, int, "5") == 5
    with noting():
        attempt(-1, read, 3)
        with pytest.raises(FileFormatError):
            stop_if_noted()


def test_readers_stop_at_the_first_problem_or_note_all() -> None:
    problem = FileFormatError("wrong")
    with pytest.raises(FileFormatError):
        raise_or_note(problem)
    stop_if_noted()
    with noting() as noted:
        raise_or_note(problem)
        assert attempt(7, int, "5") == 5 and noted == [problem]
        with pytest.raises(FileFormatError):
            stop_if_noted()
        for k in range(MOST_NOTED - 1):
            raise_or_note(FileFormatError(f"more {k}"))
        raise_or_note(FileFormatError("more 0"))  # known
        raise_or_note(FileFormatError("last"))
    assert len(noted) == MOST_NOTED and "last" not in map(str, noted)
    with pytest.raises(FileFormatError):
        attempt(7, raise_or_note, problem)
