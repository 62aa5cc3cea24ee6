"""Contacts of MJCF files: which geoms may touch, and with which parameters, as MuJoCo decides it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mjcf_peer import mujoco, quietly
from package_files import published_mjcf
from sixvec.errors import FileFormatError
from sixvec.formats import parse_model
from sixvec.formats.mjcf.write import write_mjcf
from sixvec.model import CollisionPair, Model, collision_pairs

FILES = {path.stem: path for path in published_mjcf() if "gymnasium" in path.parts}
COUNTS = {
    "ant": 13, "half_cheetah": 8, "walker2d": 7, "hopper": 7, "humanoid": 126, "reacher": 0, "point": 2,
    "inverted_double_pendulum": 0,
}  # fmt: skip
"""Pairs that touch when all geoms of a file are moved into one point."""

PLANE, FREE, BALL = 0, 0, 1


def gathered(spec: Any) -> tuple[Any, Any]:
    """MuJoCo's model and contacts with all bodies and geoms but planes at the origin, where every pair overlaps."""
    spec.memory = 2**28
    model = spec.compile()
    model.geom_pos[model.geom_type != PLANE] = 0.0
    model.body_pos[:] = model.body_ipos[:] = 0.0
    model.geom_margin[:] += 3.0  # boxes and capsules may surround a small sphere
    data = mujoco.MjData(model)
    data.qpos[:] = 0.0
    for kind, at in zip(model.jnt_type, model.jnt_qposadr, strict=True):
        if kind in (FREE, BALL):
            data.qpos[at + (3 if kind == FREE else 0)] = 1.0
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    return model, data.contact


@pytest.mark.filterwarnings("ignore:compiler attribute")
@pytest.mark.parametrize("name", COUNTS)
def test_pairs_are_those_that_mujoco_compares(name: str) -> None:
    if name not in FILES:
        pytest.skip("gymnasium is not installed")
    _, contacts = gathered(mujoco.MjSpec.from_file(str(FILES[name])))
    theirs = {tuple(sorted(c.geom.tolist())) for c in contacts}
    assert len(collision_pairs(quietly(FILES[name]))) == len(theirs) == COUNTS[name]


def random_file(rng: np.random.Generator) -> str:
    """Spheres on a random tree with fixed bodies, several joints on a body, masks, priorities, excludes and pairs."""

    def numbers(low: float, high: float, count: int) -> str:
        return " ".join(f"{x:.4g}" for x in rng.uniform(low, high, count))

    def geom(name: str) -> str:
        words = {
            "contype": rng.integers(4), "conaffinity": rng.integers(4), "condim": rng.choice([1, 3, 4, 6]),
            "priority": rng.integers(2), "friction": numbers(0.0, 2.0, rng.integers(1, 4)),
            "solref": numbers(0.01, 1.0, 2) if rng.random() < 0.7 else numbers(-100.0, -1.0, 2),
            "solimp": numbers(0.1, 0.9, rng.integers(1, 6)), "solmix": f"{max(0.0, rng.uniform(-0.3, 1.0)):.4g}",
            "margin": numbers(0.0, 0.1, 1), "gap": numbers(0.0, 0.1, 1),
        }  # fmt: skip
        chosen = {key: value for key, value in words.items() if rng.random() < 0.4}
        attributes = " ".join(f'{key}="{value}"' for key, value in chosen.items())
        return f'<geom name="{name}" size="0.1" {attributes}/>'

    count = int(rng.integers(3, 9))
    inside: list[list[str]] = [[] for _ in range(count)]
    tree = ""
    for i in reversed(range(count)):
        joints = "".join(["", "<joint/>", "<joint type='ball'/>", "<joint/><joint axis='1 0 0'/>"][rng.integers(4)])
        geoms = "".join(geom(f"g{i}_{k}") for k in range(rng.integers(1, 3)))
        text = f'<body name="b{i}">{joints}{geoms}{"".join(inside[i])}</body>'
        parent = int(rng.integers(-1, i)) if i else -1
        if parent < 0:
            tree = text + tree
        else:
            inside[parent].insert(0, text)
    bodies = [*(f"b{i}" for i in range(count)), "world"]
    rules = "".join(
        f'<exclude body1="{a}" body2="{b}"/>' for a, b in (rng.choice(bodies, 2, replace=False) for _ in range(2))
    )
    a, b = rng.choice(count, 2, replace=False)
    rules += f'<pair geom1="g{a}_0" geom2="g{b}_0" friction="{numbers(0.0, 1.0, 5)}" condim="6" margin="0.2"/>'
    flag = '<option><flag filterparent="disable"/></option>' if rng.random() < 0.3 else ""
    default = '<default><geom friction="0.3 0.2" solref="0.05"/><pair gap="0.1" solreffriction="0.1 1"/></default>'
    floor = '<geom name="floor" type="plane" size="1 1 1"/>'
    return f"<mujoco>{flag}{default}<worldbody>{floor}{tree}</worldbody><contact>{rules}</contact></mujoco>"


def table(pairs: tuple[CollisionPair, ...]) -> dict[frozenset[str], tuple[Any, ...]]:
    return {
        frozenset((p.first.name, p.second.name)): (
            p.parameters.dimension, *p.parameters.friction, p.parameters.margin, *p.parameters.solref,
            *p.parameters.solreffriction, *p.parameters.solimp,
        )
        for p in pairs
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_pairs_and_their_parameters_are_those_of_mujoco(seed: int) -> None:
    text = random_file(np.random.default_rng(seed))
    model, contacts = gathered(mujoco.MjSpec.from_string(text))
    ours = table(collision_pairs(parse_model(text, "random.xml")))
    theirs = {}
    for c in contacts:
        names = [model.geom(i).name for i in c.geom]
        explicit = any({*names} == {model.geom(a).name, model.geom(b).name} for a, b in _pairs(model))
        margin = c.includemargin - (0.0 if explicit else 6.0)
        theirs[frozenset(names)] = (c.dim, *c.friction, margin, *c.solref, *c.solreffriction, *c.solimp)
    assert ours.keys() == theirs.keys()
    smallest = 1e-5  # MuJoCo's least friction of a contact
    for key, expected in theirs.items():
        values = list(ours[key])
        values[1:6] = [max(x, smallest) for x in values[1:6]]
        np.testing.assert_allclose(values, expected, rtol=1e-12, atol=1e-12)


def _pairs(model: Any) -> list[tuple[int, int]]:
    return list(zip(model.pair_geom1.tolist(), model.pair_geom2.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(10))
def test_written_files_have_the_same_pairs(seed: int) -> None:
    model = parse_model(random_file(np.random.default_rng(seed)), "random.xml")
    again = parse_model(write_mjcf(model), "again.xml")
    assert table(collision_pairs(model)) == table(collision_pairs(again))


def body(text: str) -> Model:
    return parse_model(f'<mujoco><worldbody><body name="b"><joint/>{text}</body></worldbody></mujoco>', "robot.xml")


@pytest.mark.parametrize(
    ("attribute", "offender"),
    [
        ('condim="2"', "dimension 2"),
        ('friction="-1"', "negative"),
        ('friction="1 2 3 4"', "friction"),
        ('contype="1.5"', "contype"),
        ('contype="99999999999"', "contype"),
        ('solref="a"', "solref"),
    ],
)
@pytest.mark.filterwarnings("error::sixvec.formats.unsupported.UnsupportedPhysics")
def test_malformed_properties_of_a_surface_are_named(attribute: str, offender: str) -> None:
    with pytest.raises(UserWarning, match=offender):
        body(f'<geom name="g" size="0.1" {attribute}/>')


def test_files_name_what_their_contact_rules_refer_to() -> None:
    text = '<mujoco><worldbody><body name="b"><geom name="g" size="1"/></body></worldbody>{}</mujoco>'
    for rule, offender in (
        ('<exclude body1="b" body2="c"/>', 'no body "c"'),
        ('<pair geom1="g" geom2="h"/>', 'no geom "h"'),
        ('<pair geom1="g"/>', "geom2"),
    ):
        with pytest.raises(FileFormatError, match=offender):
            parse_model(text.format(f"<contact>{rule}</contact>"), "robot.xml")
