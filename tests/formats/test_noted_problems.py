"""Noted problems belong to one check: not to loads beside it, to other threads, or to what follows an interrupt."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path

import pytest

from naming import named
from sixvec.errors import FileFormatError
from sixvec.formats import load_model, parse_model, problems
from sixvec.formats.doctor.check import MOST_OF_A_KIND, check_file
from sixvec.formats.unsupported import UnsupportedPhysics

GOOD = '<robot name="good"><link name="a"/></robot>'
BAD = '<robot name="bad"><link name="a"/><link name="a"/></robot>'
TENDON = (
    '<mujoco><worldbody><body name="b"><joint name="j"/><geom size=".1"/></body></worldbody>'
    '<tendon><fixed name="t" stiffness="1"><joint joint="j" coef="1"/></fixed></tendon></mujoco>'
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "good.urdf").write_text(GOOD)
    (tmp_path / "bad.urdf").write_text(BAD)
    (tmp_path / "tendon.xml").write_text(TENDON)
    return tmp_path


def test_an_interrupt_at_the_start_of_a_check_ends_the_noting(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        problems._NOTED.set([])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("sixvec.formats.doctor.check._examined", interrupted)
        with pytest.raises(KeyboardInterrupt):
            check_file(file / "good.urdf")
    with pytest.raises(FileFormatError, match=named("a")):
        load_model(file / "bad.urdf")
    assert load_model(file / "good.urdf").name == "good"


def test_a_load_inside_a_check_is_strict(file: Path) -> None:
    with problems.noting([]) as noted:
        for read in (lambda: load_model(file / "bad.urdf"), lambda: parse_model(BAD, "bad.urdf")):
            with pytest.raises(FileFormatError, match=named("a")):
                read()
        with pytest.warns(UnsupportedPhysics):
            load_model(file / "tendon.xml")
        problems.raise_or_note(FileFormatError("of the check"))
        assert load_model(file / "good.urdf").name == parse_model(GOOD, "good.urdf").name == "good"
    assert [str(p) for p in noted] == ["of the check"]


def test_warnings_of_other_threads_are_not_findings(file: Path) -> None:
    stop, shown = threading.Event(), warnings._showwarnmsg_impl  # type: ignore[attr-defined]

    def load() -> None:
        while not stop.is_set():
            load_model(file / "tendon.xml")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        others = [threading.Thread(target=load), threading.Thread(target=lambda: check_file(file / "tendon.xml"))]
        for thread in others:
            thread.start()
        found = {check_file(file / "good.urdf").status for _ in range(100)}
        stop.set()
        for thread in others:
            thread.join()
    assert found == {0} and warnings._showwarnmsg_impl is shown  # type: ignore[attr-defined]
    assert check_file(file / "tendon.xml").status == 1


def test_many_problems_are_cut_and_nothing_raises(tmp_path: Path) -> None:
    many = "\n".join(f'<link name="a{i}"><pose>x</pose></link>' for i in range(3 * MOST_OF_A_KIND))
    (tmp_path / "many.sdf").write_text(f'<sdf version="1.9"><model name="m">\n{many}</model></sdf>')
    report = check_file(tmp_path / "many.sdf")
    assert report.status == 2 and len(report.findings) <= 2 * MOST_OF_A_KIND + 2
    assert any(f.message.startswith("and more of the kind") for f in report.findings)
    (tmp_path / "many.urdf").write_text('<robot name="r">' + '<link name="a"/>\n' * 400 + "</robot>")
    assert len(check_file(tmp_path / "many.urdf").findings) <= MOST_OF_A_KIND + 1


def test_equal_words_at_two_lines_are_two_problems(tmp_path: Path) -> None:
    bodies = '<mujoco><worldbody>\n<body><joint type="abc"/>\n<geom type="abc" size=".1"/></body></worldbody></mujoco>'
    masses = (
        '<mujoco><worldbody>\n<body><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/></body>\n'
        '<body><geom size=".1" mass="-1"/></body></worldbody></mujoco>'
    )
    for text in (bodies, masses):
        (tmp_path / "two.xml").write_text(text)
        assert [f.line for f in check_file(tmp_path / "two.xml").findings if f.severity.word == "error"] == [2, 3]


def test_copies_of_a_mistake_hide_no_other(tmp_path: Path) -> None:
    copies = '<replicate count="500"><body><joint range="2 1" limited="true"/><geom size=".1"/></body></replicate>'
    text = f'<mujoco><worldbody>\n{copies}\n<body><joint type="abc"/><geom size=".1"/></body></worldbody></mujoco>'
    (tmp_path / "copies.xml").write_text(text)
    found = [f.line for f in check_file(tmp_path / "copies.xml").findings if f.severity.word == "error"]
    assert found == [2, 3]
