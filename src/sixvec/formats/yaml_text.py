"""YAML without aliases: a few hundred bytes of them can describe a list without end.

This file imports nothing from the library, because another process uses it too.
"""

from __future__ import annotations

from typing import Any


def parsed_yaml(stream: Any) -> Any:
    """The content of a YAML text or file; an alias (*NAME) is an error."""
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc, unused-ignore]
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                event = self.peek_event()
                problem = f'the alias "*{event.anchor[:40]}" is not allowed; write its value'
                raise yaml.composer.ComposerError(None, None, problem, event.start_mark)
            return super().compose_node(parent, index)

    return yaml.load(stream, Loader)
