"""Where in a file the mistake is that a model is refused for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sixvec.errors import FileFormatError, ModelError
from sixvec.formats.node import Node

_BODY = re.compile(r'"([^"]*)"|circle: (.+?) ->')
"""How the errors of models name bodies."""


@contextmanager
def located(root: Node, nodes: Mapping[str, Node]) -> Iterator[None]:
    """While a model is made: its errors become those of the file, at the element of the first body that they name.

    >>> from sixvec.formats.xml import parse_xml
    >>> robot = parse_xml("<robot>" + chr(10) + "<link name='a'/></robot>", "arm.urdf")
    >>> with located(robot, {"a": robot.required("link")}):
    ...     raise ModelError('arm: body "a" has mass nan')
    Traceback (most recent call last):
    sixvec.errors.FileFormatError: arm.urdf: link "a": body "a" has mass nan (line 2)
    """
    try:
        yield
    except FileFormatError:
        raise
    except ModelError as problem:
        text = str(problem)  # without the name of the model in front, which says less than the place in the file
        names = (first or second for first, second in _BODY.findall(text))
        node = next((nodes[name] for name in names if name in nodes), root)
        raise node.error(re.sub(r"^[^:]*: ", "", text, count=1)) from None
