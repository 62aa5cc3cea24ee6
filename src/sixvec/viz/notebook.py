"""Files of films and pictures that notebooks show."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from pathlib import Path

_HEIGHT = 420
"""Of a page in a notebook, in pixels."""


class Film(type(Path())):  # type: ignore[misc]  # before Python 3.12, Path itself cannot be extended
    """The path of a file that `animate` wrote; as the last line of a cell in a notebook it plays."""

    def _repr_html_(self) -> str:
        """The contents themselves, so that a saved or remote notebook shows them, too."""
        data, suffix = self.read_bytes(), self.suffix.lower()
        if suffix in (".html", ".htm"):
            text = escape(data.decode(), quote=True)
            return f'<iframe srcdoc="{text}" style="width: 100%; height: {_HEIGHT}px; border: none"></iframe>'
        coded = b64encode(data).decode()
        if suffix == ".mp4":
            return f'<video controls loop src="data:video/mp4;base64,{coded}"></video>'
        return f'<img src="data:image/{suffix[1:]};base64,{coded}">'
