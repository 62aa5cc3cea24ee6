"""Models of other files in SDF: as Drake reads them, from allowed folders only, within bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from naming import named
from sdf_files import HOLD, joint, link, model, sdf
from sixvec.errors import FileFormatError
from sixvec.formats import load_model, parse_model
from sixvec.formats.unsupported import UnsupportedPhysics

GRIPPER = model(
    "\n<pose>0 0 0.9 0 0 0.3</pose>"
    + link("palm", "0.1 0.2 0.3 0.1 0.2 0.3")
    + link("finger", "1 0 0 0 0 0", "__model__")
    + '<frame name="f" attached_to="palm"><pose>0 0 0.5 0 0 0.4</pose></frame>'
    + '<frame name="loose"><pose>0 1 0 0 0 0</pose></frame>'
    + joint("j", "palm", "finger", axis="", inside='<axis><xyz expressed_in="__model__">1 2 3</xyz></axis>'),
    "gripper",
    ' placement_frame="f"',
)
OLD = model(
    link("stem")
    + link("leaf", "0 0 1 0.4 0 0")
    + joint("bend", "stem", "leaf", axis="1 2 3", inside="<pose>0 0 0 0.5 0 0</pose>"),
    "plant",
    version="1.4",
)
NEAR = "<include><uri>model://gripper/model.sdf</uri>{}</include>"
OUTER = link("base", "0 0 0.2 0.1 0 0") + HOLD
ON = joint("mount", "base", "{}", "revolute", "0 1 0")

WAYS = {
    "as it is": NEAR.format("") + ON.format("gripper::palm"),
    "named": NEAR.format("<name>hand</name>") + ON.format("hand::f"),
    "placed": NEAR.format('<pose relative_to="base">1 2 3 0.1 0.2 0.3</pose>') + ON.format("gripper::palm"),
    "placed by a frame": NEAR.format("<pose>1 2 3 0.3 0 0</pose><placement_frame>finger</placement_frame>")
    + ON.format("gripper::finger"),
    "twice": NEAR.format("<name>left</name><pose>0 1 0 0 0 0</pose>")
    + NEAR.format("<name>right</name><pose>0 -1 0 0 0 0</pose>")
    + ON.format("left::palm")
    + joint("other", "left::finger", "right::palm"),
    "merged": NEAR.replace("<include", '<include merge="true"').format("") + ON.format("palm"),
    "merged and placed": NEAR.replace("<include", '<include merge="true"').format(
        '<name>hand</name><pose relative_to="base">1 2 3 0.1 0.2 0.3</pose>'
    )
    + ON.format("f"),
    "merged by a frame": NEAR.replace("<include", '<include merge="1"').format(
        "<pose>1 2 3 0.3 0 0</pose><placement_frame>finger</placement_frame>"
    )
    + ON.format("loose"),
    "of another version": "<include><uri>model://plant/model.sdf</uri><pose>1 0 0 0.3 0.2 0.1</pose></include>"
    + ON.format("plant::stem"),
    "of another version, merged": '<include merge="true"><uri>model://plant/model.sdf</uri>'
    "<pose>1 0 0 0.3 0.2 0.1</pose></include>" + ON.format("stem"),
    "with includes of its own": "<include><uri>model://pair/model.sdf</uri></include>" + ON.format("pair::one::palm"),
}


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder of models side by side, as Gazebo has them; files are written to the one named arm."""
    pair = model(
        NEAR.format("<name>one</name>")
        + '<include merge="true"><uri>model://plant/model.sdf</uri></include>'
        + joint("both", "one::finger", "stem"),
        "pair",
    )
    for name, text in (("gripper", GRIPPER), ("plant", OLD), ("pair", pair), ("arm", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.sdf").write_text(text)
        (tmp_path / name / "model.config").write_text(
            f'<model><name>{name}</name><sdf version="1.9">model.sdf</sdf></model>'
        )
    return tmp_path


def written(models: Path, text: str) -> Path:
    file = models / "arm" / "robot.sdf"
    file.write_text(text)
    return file


@pytest.mark.parametrize("way", WAYS)
def test_included_models_are_drakes(way: str, models: Path) -> None:
    peer = pytest.importorskip("sdf_peer")
    file = written(models, model(OUTER + WAYS[way]))
    packages = {name: models / name for name in ("gripper", "plant", "pair")}
    peer.assert_same(load_model(file), peer.Peer(file, packages))


MERGED = (
    link("a", "1 2 3 0.1 0.2 0.3", "__model__")
    + '<frame name="loose"><pose>0 1 0 0 0 0.5</pose></frame>'
    + '<frame name="own" attached_to="__model__"><pose>1 1 0 0.2 0 0.5</pose></frame>'
    + link("b", "0 0 1 0 0.4 0", "loose")
    + link("c", "0 0 1 0 0.4 0", "own")
    + '<model name="inner"><pose>0.5 0 0 0 0 1</pose>'
    + link("d", "0 2 0 0.3 0 0")
    + "</model>"
    + joint("ab", "a", "b", axis="", inside='<axis><xyz expressed_in="__model__">1 2 3</xyz></axis>')
    + joint("bc", "b", "c", "prismatic", "1 0 2")
    + joint("cd", "c", "inner::d", axis="0 1 2", inside='<pose relative_to="__model__">1 0 0 0.1 0 0</pose>')
)


@pytest.mark.parametrize("placed", ["", "<placement_frame>own</placement_frame>"])
def test_a_merged_model_is_where_it_would_be_by_itself(models: Path, placed: str) -> None:
    """All but its names: poses, axes and inertias are those of the same model in a scope of its own."""
    (models / "gripper" / "model.sdf").write_text(
        model("<pose>0 0 0.9 0 0 0.3</pose>" + MERGED, "gripper", ' canonical_link="b"')
    )
    place = f'<pose relative_to="base">1 2 3 0.1 0.2 0.3</pose>{placed}'
    found = []
    for merge, scope in (("", "gripper::"), (' merge="true"', "")):
        text = OUTER + NEAR.replace("<include", f"<include{merge}").format(place) + ON.format(f"{scope}b")
        read = load_model(written(models, model(text)))
        named = {f.name.removeprefix(scope): f for f in read.frames}
        found.append((
            {b.name.removeprefix(scope): (b.joint, b.placement, b.inertia) for b in read.bodies},
            {name: f.placement for name, f in named.items() if not name.startswith(("_merged", "gripper"))},
        ))  # fmt: skip
    (bodies, frames), (others, merged) = found
    assert (
        bodies.keys() == others.keys()
        and len(bodies) == 5
        and {"loose", "own", "a", "inner::d"} <= {*frames} & {*merged}
    )
    for name, parts in bodies.items():
        for x, y in zip(parts, others[name], strict=True):
            assert _numbers(x) == pytest.approx(_numbers(y), abs=1e-12), name
    for name in {*frames} & {*merged}:
        assert _numbers(frames[name]) == pytest.approx(_numbers(merged[name]), abs=1e-12), name


def _numbers(value: object) -> list[float]:
    if isinstance(value, int | float):
        return [float(value)]
    if is_dataclass(value):
        return [x for f in fields(value) for x in _numbers(getattr(value, f.name))]
    return [x for part in value for x in _numbers(part)] if isinstance(value, Iterable) else []


URIS = {
    "relative": "parts/gripper.sdf",
    "a folder": "parts",
    "file": "file://parts/gripper.sdf",
    "absolute": "file://{}/arm/parts/gripper.sdf",
    "model beside": "model://gripper",
    "model inside": "model://parts/gripper.sdf",
    "escaped": "file://{}/arm/parts/grip%70er.sdf",
}


@pytest.mark.parametrize("uri", URIS.values(), ids=URIS)
def test_every_way_to_name_a_file(uri: str, models: Path) -> None:
    (models / "arm" / "parts").mkdir()
    for name in ("gripper.sdf", "model.sdf"):
        (models / "arm" / "parts" / name).write_text(GRIPPER)
    file = written(models, model(f"<include><uri>{uri.format(models)}</uri></include>"))
    assert [b.name for b in load_model(file).bodies] == ["gripper::palm", "gripper::finger"]


def test_the_newest_file_of_a_models_folder_is_read(models: Path) -> None:
    files = {"1.2": "nothing.sdf", "1.10": "../secret.sdf", "1.9": "new.sdf", "1.4": "model.sdf"}
    config = "".join(f'<sdf version="{version}">{name}</sdf>' for version, name in files.items())
    (models / "gripper" / "model.config").write_text(f"<model>{config}</model>")
    (models / "gripper" / "new.sdf").write_text(model(link("new"), "new"))
    near = NEAR.replace("/model.sdf", "").format("")
    assert load_model(written(models, model(near))).bodies[0].name == "new::new"


def test_folders_that_the_caller_trusts(models: Path, tmp_path: Path) -> None:
    world = tmp_path / "elsewhere" / "worlds" / "w.sdf"
    world.parent.mkdir(parents=True)
    inside = f"<include><uri>{{}}</uri></include>{NEAR.format('<static>true</static>')}"
    world.write_text(sdf(f'<world name="w">{inside.format("model://pair")}</world>'))
    with pytest.raises(FileFormatError, match=named("link", "include", "model:", "pair")):
        load_model(world)
    assert load_model(world, folders=[models]).nv == 3  # the gripper by the wall is static
    world.write_text(sdf(f'<world name="w">{inside.format(f"file://{models}/pair/model.sdf")}</world>'))
    assert load_model(world, folders=[models]).nv == 3


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<include><uri>../gripper/model.sdf</uri></include>", named("folders", "model:", "line 3")),
        ("<include><uri>file:///etc/hostname</uri></include>", "folders"),
        ("<include><uri>/etc/hostname</uri></include>", "folders"),
        ("<include><uri>link.sdf</uri></include>", "folders"),
        ("<include><uri>nothing.sdf</uri></include>", named("nothing.sdf", "line 3")),
        ("<include><uri>robot.sdf</uri></include>", named("robot.sdf")),
        ("<include><uri>first.sdf</uri></include>", named("first.sdf")),
        ("<include><uri>two.sdf</uri></include>", named("arm", "include", "line 3")),
        ("<include><uri>robot.urdf</uri></include>", "SDF"),
        ("<include><uri>broken.sdf</uri></include>", named("broken.sdf", "sdf:")),
        ("<include><uri>wrong.sdf</uri></include>", named("wrong.sdf", "sdf:", "m", "link")),
        ("<include/>", "uri"),
        ("<include><uri>\0</uri></include>".replace("\0", "%00"), named("arm", "include", "uri", "%00")),
        (NEAR.format("<placement_frame>palm</placement_frame>"), named("arm", "include", "placement_frame", "pose")),
        (NEAR.format("") * 2, named("include", "gripper", "something", "give")),
        (NEAR.replace("<include", '<include merge="perhaps"').format(""), "perhaps"),
    ],
)
def test_includes_that_raise(inside: str, words: str, models: Path) -> None:
    here = models / "arm"
    (here / "first.sdf").write_text(model("<include><uri>second.sdf</uri></include>"))
    (here / "second.sdf").write_text(model("<include><uri>first.sdf</uri></include>"))
    (here / "two.sdf").write_text(sdf('<model name="a"/><model name="b"/>'))
    (here / "robot.urdf").write_text('<robot name="r"/>')
    (here / "broken.sdf").write_text("<sdf>")
    (here / "wrong.sdf").write_text(model("<link name='a'>\n<pose>1 2</pose></link>", "m").replace("?>\n", "?>"))
    (here / "link.sdf").symlink_to(models / "gripper" / "model.sdf")
    with pytest.raises(FileFormatError, match=words):
        load_model(written(models, model(f"\n{inside}{link('base')}")))


def test_a_text_has_no_files_next_to_it() -> None:
    with pytest.raises(FileFormatError, match=named("b.sdf")):
        parse_model(model(link("a") + "<include><uri>b.sdf</uri></include>"), "a.sdf")
    with pytest.warns(UnsupportedPhysics, match=named("include", "model:")):
        parse_model(model(link("a") + "<include><uri>model://sub</uri></include>"), "a.sdf")
    with pytest.warns(UnsupportedPhysics, match="include"):
        parse_model(model(link("a") + "<include><uri>https://fuel/hand</uri></include>"), "a.sdf")


def test_includes_that_grow_without_end(models: Path) -> None:
    """Ten files, each of which includes the next one ten times."""
    for i in range(10):
        inner = "".join(
            f"<include><uri>f{i + 1}.sdf</uri><name>n{k}</name></include>" for k in range(10 if i < 9 else 0)
        )
        (models / "arm" / f"f{i}.sdf").write_text(model(link("a") + inner))
    with pytest.raises(FileFormatError, match="arm"):
        load_model(models / "arm" / "f0.sdf")


@pytest.mark.parametrize("nested", [False, True])
def test_a_frame_places_its_model(nested: bool) -> None:
    """It is where the pose of the model says; the origin of the model is elsewhere."""
    inside = link("base", "0.1 0 0 0 0 0.3") + '<frame name="f" attached_to="base"><pose>0.5 0 0 0 0 0.2</pose></frame>'
    placed = "<pose>1 2 3 0 0 0.7</pose>" + inside
    text = model(placed, more=' placement_frame="f"')
    if nested:
        text = model(f'<model name="inner" placement_frame="f">{placed}</model>')
    found = parse_model(text, "robot.sdf")
    (f,) = [frame for frame in found.frames if frame.name.endswith("f")]
    (body,) = found.bodies
    X = body.placement @ f.placement
    assert [*X.pos] == pytest.approx([1.0, 2.0, 3.0]) and X.rot.matrix.yx == pytest.approx(math.sin(0.7))
