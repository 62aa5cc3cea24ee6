"""An error of the reader is reported once: by the rule that found it, or else by itself."""

from __future__ import annotations

import pytest

from sixvec.errors import FileFormatError, SixvecError
from sixvec.formats.doctor.check import _by_line, _is_found
from sixvec.formats.doctor.finding import Finding, Severity
from sixvec.formats.xml import parse_xml

FILE = "arm.xml"
TEXT = """<mujoco>
<default>
<geom size="1"/>
<joint/>
</default>
<worldbody>
<body name="a">
<geom/>
<joint/>
<body name="b">
<geom/>
<inertial>
<unit/>
</inertial>
</body>
</body>
</worldbody>
</mujoco>
"""
BODY_A, GEOM_A, JOINT_A, BODY_B, GEOM_B, INERTIAL, UNIT = 7, 8, 9, 10, 11, 12, 13
DEFAULT, DEFAULT_GEOM, DEFAULT_JOINT = 2, 3, 4

FOUND_AT = {
    GEOM_A: {GEOM_A, DEFAULT_GEOM},
    JOINT_A: {JOINT_A, DEFAULT_JOINT},
    GEOM_B: {GEOM_B, DEFAULT_GEOM},
    BODY_A: {BODY_A, GEOM_A, JOINT_A},
    BODY_B: {BODY_B, GEOM_B, INERTIAL, UNIT},
    INERTIAL: {INERTIAL, UNIT},
    UNIT: {UNIT},
}
"""For each element that the reader refuses, the lines at which an error of the rules is about the same thing."""


def finding(line: int | None, severity: Severity = Severity.ERROR, file: str = FILE) -> Finding:
    return Finding(severity, line, "", "wrong", "", file)


@pytest.mark.parametrize("refused", FOUND_AT)
def test_errors_that_are_about_the_same_element(refused: int) -> None:
    lines = _by_line(parse_xml(TEXT, FILE))
    problem = FileFormatError("refused", file=FILE, line=refused)
    assert {line for line in range(1, 20) if _is_found(problem, [finding(line)], lines)} == FOUND_AT[refused]
    assert not _is_found(problem, [finding(refused, Severity.WARNING), finding(refused, file="other.xml")], lines)
    problem.places = ((FILE, 1), ("other.xml", 5))  # elements that are involved, here and in another file
    assert _is_found(problem, [finding(5, file="other.xml")], lines)
    assert not _is_found(problem, [finding(5)], lines)


def test_without_a_line_any_error_may_be_the_same() -> None:
    for problem in (SixvecError("refused"), FileFormatError("refused", file=FILE)):
        assert _is_found(problem, [finding(None, Severity.WARNING), finding(3)], {})
        assert not _is_found(problem, [finding(3, Severity.WARNING)], {})
