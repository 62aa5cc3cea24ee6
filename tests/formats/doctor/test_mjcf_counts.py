"""How many numbers an attribute of MJCF holds: the doctor's table against MuJoCo itself, at and beyond both ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import Severity, check_file
from sixvec.formats.mjcf.words import MJCF_WORDS

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is the oracle")

BODY = '<worldbody><body name="b"><joint name="j"/><geom size="0.1"/>{}</body></worldbody>'
PLACES = {  # of elements, and of attributes that some elements of a name lack
    "compiler": "<compiler {}/>" + BODY.format(""),
    "option": "<option {}/>" + BODY.format(""),
    "mesh": '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" {}/></asset>' + BODY.format(""),
    "body": '<worldbody><body {}><joint/><geom size="0.1"/></body></worldbody>',
    "frame": BODY.format('<frame {}><geom size="0.1"/></frame>'),
    "geom": BODY.format('<geom type="box" {}/>'),
    "inertial": "<worldbody><body><joint/><inertial {}/></body></worldbody>",
    "joint": '<worldbody><body><joint {}/><geom size="0.1"/></body></worldbody>',
    "camera": BODY.format("<camera {}/>"),
    "site": BODY.format('<site type="box" {}/>'),
    "polycoef": BODY.format("") + '<equality><joint joint1="j" {}/></equality>',
    "coef": BODY.format("") + '<tendon><fixed><joint joint="j" {}/></fixed></tendon>',
    "kp": BODY.format("") + '<actuator><position joint="j" {}/></actuator>',
    "actrange": BODY.format("") + '<actuator><general joint="j" dyntype="integrator" {}/></actuator>',
    "cranklength": BODY.format('<site name="s"/><site name="t"/>')
    + '<actuator><general cranksite="s" slidersite="t" {}/></actuator>',
    **{tag: BODY.format("") + f'<equality><{tag} body1="b" {{}}/></equality>' for tag in ("connect", "weld")},
}
ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "muscle")
INFINITE = ("ctrlrange", "forcerange", "actrange", "lengthrange")
PARENTS = {"joint": ("", "equality", "fixed"), "connect": ("equality",), "weld": ("equality",)}
OF_MECHANISMS = (*INFINITE, "actuatorfrcrange")


def numbers(tag: str) -> dict[str, tuple[int, int]]:
    """The attributes that hold numbers of the mechanism, of elements of that tag wherever they stand."""
    rows = [MJCF_WORDS.of(parent, tag) for parent in PARENTS.get(tag, ("actuator" if tag in ACTUATORS else "",))]
    found = {name: count for row in rows if row is not None for name, count in row.numbers.items()}
    return {name: c[:2] for name, c in found.items() if not c.infinite or name in OF_MECHANISMS}


ELEMENTS = [tag for tag in PLACES if numbers(tag)]
NUMBERS = {tag: numbers(tag) for tag in (*ELEMENTS, *ACTUATORS)}

ACTUATOR = BODY.format("") + '<actuator><{tag} joint="j" {{}}/></actuator>'
NEEDED = {
    "geom": {"size": "0.1 0.1 0.1"},
    "inertial": {"mass": "1", "pos": "0 0 0", "diaginertia": "1 1 1"},
    "connect": {"anchor": "0 0 0"},
    "damper": {"ctrlrange": "0 1"},
    "muscle": {"lengthrange": "0.1 1"},
}
"""What an element cannot be without, unless it is what is tried."""

INSTEAD = {"fullinertia": "diaginertia", "fromto": "size"}
SOUND = {
    "quat": "1 0 0 0", "refquat": "1 0 0 0", "axisangle": "1 0 0 0", "xyaxes": "1 0 0 0 1 0", "zaxis": "0 0 1",
    "fromto": "0 0 0 0 0 1", "range": "0 1", "ctrlrange": "0 1", "forcerange": "0 1", "actrange": "0 1",
    "lengthrange": "0 1", "actuatorfrcrange": "-1 1", "relpose": "0 0 0 1 0 0 0", "fullinertia": "1 1 1 0 0 0",
    "inertiagrouprange": "0 1",
}  # fmt: skip
"""Values that are right in everything but their number; others are ones."""


def written(tag: str, name: str, count: int) -> str:
    needed = {} if name in PLACES else NEEDED.get(tag, {})
    others = {key: value for key, value in needed.items() if key not in (name, INSTEAD.get(name))}
    values = [*SOUND.get(name, "").split(), *["1"] * 20][:count]
    given = " ".join(f'{key}="{value}"' for key, value in (others | {name: " ".join(values)}).items())
    place = PLACES.get(name) or PLACES.get(tag) or ACTUATOR.format(tag=tag)
    return f"<mujoco>{place.replace('{}', given)}</mujoco>"


def taken(text: str) -> bool:
    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("tag", NUMBERS)
def test_as_many_as_mujoco_takes(tag: str, tmp_path: Path) -> None:
    file, wrong = tmp_path / "robot.xml", []
    for name, (least, most) in NUMBERS[tag].items():
        for count in sorted({least - 1, least, most, most + 1} - {0}):
            file.write_text(written(tag, name, count))
            errors = [f.message for f in check_file(file).findings if f.severity is Severity.ERROR]
            if bool(errors) == taken(file.read_text()):
                wrong.append((name, count, errors))
    assert not wrong


def test_only_ranges_of_forces_are_infinite(tmp_path: Path) -> None:
    file, wrong = tmp_path / "robot.xml", []
    for tag, attributes in NUMBERS.items():
        for name, (count, _) in attributes.items():
            before, given, after = written(tag, name, count).partition(f'{name}="')
            values, _, rest = after.partition('"')
            file.write_text(f'{before}{given}{" ".join([*values.split()[:-1], "inf"])}"{rest}')
            words = [f.message for f in check_file(file).findings if name in f.message and "finite" in f.message]
            if bool(words) == (name in INFINITE) and name != "actuatorfrcrange":  # which the reader refuses
                wrong.append((tag, name, words))
    assert not wrong
