"""The location in a file of the mistake for which a model is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sixvec.errors import FileFormatError, ModelError
from sixvec.formats.node import Node


@contextmanager
def located(root: Node, nodes: Mapping[str, Node], name: str) -> Iterator[None]:
    """While the model of that name is created, its errors become errors of the file, at the element of their body.

    >>> from sixvec.formats.xml import parse_xml
    >>> robot = parse_xml("<robot>" + chr(10) + "<link name='a'/></robot>", "arm.urdf")
    >>> with located(robot, {"a": robot.required("link")}, "arm"):
    ...     raise ModelError('arm: body "a" has mass nan', body="a")
    Traceback (most recent call last):
    sixvec.errors.FileFormatError: arm.urdf: link "a": body "a" has mass nan (line 2)
    """
    try:
        yield
    except FileFormatError:
        raise
    except ModelError as problem:
        # Without the prefix of the model's name, which is less precise than the location in the file.
        raise nodes.get(problem.body, root).error(str(problem).removeprefix(f"{name}: ")) from None
