"""SDF, the format of Gazebo (SDFormat, sdformat.org): worlds of models, whose links are connected by joints.

Bodies are links with qualified names: `arm::hand` is the link of a nested model, or of one of several models; the name
of a single model is omitted.  A body has its origin at the joint that moves it; the *frame* with the link's name is the
frame of the file, and explicit frames are frames too.  The configuration of the file is q = 0.  A model without a joint
to the world is fixed at its pose in the file, like robots of URDF; with `floating=True` each of its roots gets a free
joint and is at the origin when q is neutral.  Links of static models are fixed to the world.  Joints that close loops
become closures.  Models may be included from other files.  Unsupported physics is listed in one `UnsupportedPhysics`
warning.
"""

from __future__ import annotations

from sixvec.formats.folders import Folders
from sixvec.formats.node import Node
from sixvec.formats.problems import attempt, raise_or_note, stop_if_noted
from sixvec.formats.sdf.elements import read_version, review
from sixvec.formats.sdf.include import with_includes
from sixvec.formats.sdf.mechanism import Mechanism
from sixvec.formats.sdf.world import Contents
from sixvec.formats.unsupported import Unsupported, located
from sixvec.model import STANDARD_GRAVITY, Model
from sixvec.model.coupling import coupling, is_coupled
from sixvec.spatial import Vec3

ROOT_TAG = "sdf"
NEWEST = (1, 12)
"""The version of the format that a check takes for one that cannot be read."""


def model_of(root: Node, folders: Folders, *, floating: bool = False, gravity: Vec3 | None = None) -> Model:
    """The robot that an <sdf> element of a file describes."""
    return finished(root, mechanism_of(root, folders), floating=floating, gravity=gravity)


def mechanism_of(root: Node, folders: Folders) -> Mechanism:
    """The links and joints of a file; its includes are replaced by the models."""
    version, unsupported = attempt(NEWEST, read_version, root), Unsupported()
    review(root, unsupported)
    worlds = list(root.children("world"))
    if len(worlds) > 1:
        raise_or_note(worlds[1].error("the file has several <world>s", "one robot is read, so leave one world"))
    if worlds and root.child("model"):
        raise_or_note(root.error("has a <world> and a <model> next to it", "put the model into the world"))
    outermost = worlds[0] if worlds else root
    if outermost.tag == ROOT_TAG and outermost.child("model") is None:
        raise root.error("has neither a <world> nor a <model>", "give one")
    contents = Contents(outermost, version, unsupported, with_includes(root, folders, unsupported))
    if not contents.links:
        stop_if_noted()  # they may have problems
        missing = unsupported.summary()
        raise outermost.error("has no <link>; a robot needs at least one" + (missing and f"; not read: {missing}"))
    return Mechanism(contents)


def finished(root: Node, mechanism: Mechanism, *, floating: bool = False, gravity: Vec3 | None = None) -> Model:
    """The robot of a mechanism."""
    down = gravity if gravity is not None else attempt(STANDARD_GRAVITY, _gravity, [*root.children("world")])
    links = {mechanism.name(link.key): link.node for link in mechanism.contents.links}
    with located(root, links, mechanism.title):
        model = mechanism.model(floating, down)
        if is_coupled(model):
            coupling(model)  # factors that cannot be multiplied are an error of the file, raised here
    mechanism.contents.unsupported.warn(root.where)
    return model


def _gravity(worlds: list[Node]) -> Vec3:
    """The <gravity> of a world; before version 1.6 it was in its <physics>."""
    for world in worlds:
        for place in (world, world.child("physics")):
            gravity = place.child("gravity") if place is not None else None
            if gravity is not None:
                return Vec3.of(gravity.content_numbers(3))
    return STANDARD_GRAVITY
