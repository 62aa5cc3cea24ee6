"""Which bodies of an MJCF file must have mass: those that a joint moves, alone or with what is fixed to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixvec.formats.doctor import check_file

JOINT, GEOM = '<joint name="{}"/>', '<geom size="0.1"/>'


@pytest.mark.parametrize(
    ("inside", "joints"),
    [
        (JOINT.format("a"), ["a"]),
        (JOINT.format("a") + GEOM, []),
        (JOINT.format("a") + f"<body>{GEOM}</body>", []),
        (JOINT.format("a") + f"<body><body>{GEOM}</body></body>", []),
        (JOINT.format("a") + f"<body>{JOINT.format('b')}{GEOM}</body>", ["a"]),
        (JOINT.format("a") + GEOM + f"<body>{JOINT.format('b')}</body>", ["b"]),
        (JOINT.format("a") + f"<body>{JOINT.format('b')}<body>{GEOM}</body></body>", ["a"]),
        (JOINT.format("a") + '<geom size="0.1" mass="0"/>', ["a"]),
        (JOINT.format("a") + '<geom size="0.1" group="5"/>', ["a"]),
        (JOINT.format("a") + '<geom type="box"/>', []),  # the geom has the error
        ("", []),
    ],
)
def test_what_moves_has_mass(tmp_path: Path, inside: str, joints: list[str]) -> None:
    file = tmp_path / "r.xml"
    groups = '<compiler inertiagrouprange="0 3"/>'
    file.write_text(f"<mujoco>{groups}<worldbody><body>{inside}</body></worldbody></mujoco>")
    found = [f.element for f in check_file(file).findings if "has no mass" in f.message]
    assert found == [f'joint "{name}"' for name in joints]
