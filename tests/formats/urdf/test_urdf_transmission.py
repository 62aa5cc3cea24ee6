"""The gears of a URDF's transmissions, as ros_control understands them."""

from __future__ import annotations

import numpy as np
import pytest

from sixvec.errors import FileFormatError
from sixvec.formats.urdf.transmission import motors
from sixvec.formats.xml import parse_xml
from sixvec.model.motor import Motors

pytestmark = pytest.mark.covers("KIN-16")


def read(*transmissions: str) -> Motors:
    return motors(parse_xml(f'<robot><joint name="a"/><joint name="b"/>{"".join(transmissions)}</robot>', "arm.urdf"))


def part(tag: str, name: str, reduction: object = None, offset: object = None) -> str:
    inside = f"<mechanicalReduction>{reduction}</mechanicalReduction>" if reduction is not None else ""
    inside += f"<offset>{offset}</offset>" if offset is not None else ""
    return f'<{tag} name="{name}">{inside}</{tag}>'


def transmission(kind: str, *parts: str) -> str:
    return f'<transmission name="t"><type>transmission_interface/{kind}</type>{"".join(parts)}</transmission>'


SIMPLE = transmission("SimpleTransmission", part("joint", "a", offset=0.5), part("actuator", "m", -20.0))


def test_a_simple_transmission() -> None:
    drive = read(SIMPLE)
    assert (drive.joints, drive.matrix, drive.offset) == (("a",), ((-20.0,),), (0.5,))
    # ros_control: joint = actuator / reduction + offset
    assert drive.joint_positions([10.0]).tolist() == [10.0 / -20.0 + 0.5]


def test_the_old_form() -> None:
    old = (
        '<transmission name="t" type="SimpleTransmission"><actuator name="m"/><joint name="b"/>'
        "<mechanicalReduction>7</mechanicalReduction></transmission>"
    )
    assert read(old).matrix == ((7.0,),)


def test_a_differential() -> None:
    n, m, o = (50.0, -40.0), (2.0, 3.0), (0.1, -0.2)
    parts = [part("actuator", f"m{i}", n[i]) for i in (0, 1)] + [part("joint", "ab"[i], m[i], o[i]) for i in (0, 1)]
    drive = read(transmission("DifferentialTransmission", *parts))
    theta = np.array([3.0, 5.0])
    shares = theta / n
    # ros_control: half the sum and half the difference of the motors, behind their gears.
    expected = [(shares[0] + shares[1]) / (2.0 * m[0]) + o[0], (shares[0] - shares[1]) / (2.0 * m[1]) + o[1]]
    np.testing.assert_allclose(drive.joint_positions(theta), expected, rtol=1e-14)


def test_the_same_transmission_twice_counts_once() -> None:
    assert read(SIMPLE, SIMPLE).joints == ("a",)


def test_a_robot_without_transmissions_has_no_motors() -> None:
    assert read().joints == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (transmission("Belt", part("joint", "a")), ["Belt", "SimpleTransmission"]),
        (transmission("SimpleTransmission", part("joint", "c"), part("actuator", "m")), ['no joint "c"', "a, b"]),
        (transmission("SimpleTransmission", part("joint", "a"), part("actuator", "m", 0)), ["zero"]),
        (transmission("SimpleTransmission", part("joint", "a"), part("actuator", "m", "x")), ["not numbers"]),
        (transmission("SimpleTransmission", part("joint", "a"), part("actuator", "m", "nan")), ["not finite"]),
        (transmission("SimpleTransmission", part("joint", "a")), ["0 actuators and 1 joints"]),
        (SIMPLE + SIMPLE.replace("-20", "20"), ['"a" is already driven']),
    ],
)
def test_errors(text: str, words: list[str]) -> None:
    with pytest.raises(FileFormatError) as caught:
        read(text)
    for word in ["arm.urdf", 'transmission "t"', *words]:
        assert word in str(caught.value)
