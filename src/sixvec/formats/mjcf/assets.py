"""The <asset> sections of MJCF: objects that geoms refer to by name."""

from __future__ import annotations

from pathlib import PurePosixPath

from sixvec.errors import unknown
from sixvec.formats.mjcf.defaults import Defaults
from sixvec.formats.mjcf.tree import sections
from sixvec.formats.node import Node

KINDS = {"mesh": "meshes", "hfield": "hfields", "material": "materials", "texture": "textures"}
"""The kinds of assets that are used, and their plurals."""


class Assets:
    """The assets of a file by kind and name; an asset without a name is named after its file.

    >>> from sixvec.formats.xml import parse_xml
    >>> text = "<mujoco><asset><mesh file='arm/hand.stl'/></asset></mujoco>"
    >>> [*Assets(parse_xml(text, "arm.xml"), Defaults()).found["mesh"]]
    ['hand']
    """

    def __init__(self, root: Node, defaults: Defaults) -> None:
        self.found: dict[str, dict[str, Node]] = {kind: {} for kind in KINDS}
        for _, node in sections(root, "asset"):
            if node.tag in KINDS:
                self._add(node, defaults.resolved(node))

    def _add(self, node: Node, full: Node) -> None:
        name = full.attributes.get("name") or PurePosixPath(full.attributes.get("file", "")).stem
        named = self.found[node.tag]
        if name in named:
            raise node.error(f'two {KINDS[node.tag]} are named "{name}"', "names must differ")
        named[name] = full

    def of(self, geom: Node, kind: str) -> Node:
        """The asset that an attribute of a geom names."""
        name = geom.text(kind)
        if name not in self.found[kind]:
            raise geom.error(unknown(kind, name, self.found[kind]))
        return self.found[kind][name]
