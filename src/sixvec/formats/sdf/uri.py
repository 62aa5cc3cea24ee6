"""The file of a URI in an SDF file: always on this machine, and only in allowed folders.

Relative paths and `file://` are restricted to the folder of the file that contains them, that of the outermost file,
and the folders that the caller trusts.  `model://NAME` is searched for in the folder of the outermost file, in its
parent folder (Gazebo keeps models side by side) and in the caller's.  Nothing is downloaded.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from sixvec.errors import FileFormatError
from sixvec.formats.file_uri import path_of_uri
from sixvec.formats.folders import OUTSIDE, Folders, permission
from sixvec.formats.node import Node
from sixvec.formats.xml import read_xml
from sixvec.quoting import quoted

MODEL = "model"
LOCAL = ("", "file")
CONFIG, USUAL_NAME = "model.config", "model.sdf"


def uri_file(uri: Node, here: Path | None, folders: Folders) -> Path | None:
    """The SDF file of a <uri> in a file in the folder `here`; None if it is on another machine or does not exist.

    >>> from sixvec.formats.xml import parse_xml
    >>> uri_file(parse_xml("<uri>../secret.sdf</uri>", "arm.sdf"), Path("/robots"), Folders(Path("/robots")))
    Traceback (most recent call last):
    sixvec.errors.FileFormatError: arm.sdf: "../secret.sdf" leads out of the folders that may be read; if it is \
to be trusted, allow its folder: folders=["/"], or use model://NAME for a model beside this one
    """
    address = uri.content()
    try:
        parts = urlsplit(address)
        if parts.scheme == MODEL:
            return _beside(f"{parts.netloc}{unquote(parts.path)}", folders)
        if parts.scheme not in LOCAL:
            return None
        name = path_of_uri(f"{parts.netloc}{parts.path}") if parts.scheme else address
        return _inside(name, uri, here, folders)
    except FileFormatError:
        raise  # our own error, which gives the reason
    except (OSError, ValueError, RuntimeError):
        raise uri.error(f'"{quoted(address)}" is not the name of a file') from None


def _beside(name: str, folders: Folders) -> Path | None:
    """A model in the first of the model folders that contains it."""
    around = () if folders.home is None else (folders.home, folders.home.resolve().parent)
    for folder in (*around, *folders.trusted):
        path = (folder.resolve() / name.lstrip("/")).resolve()
        if path != folder.resolve() and path.is_relative_to(folder.resolve()):
            found = _sdf_of(path)
            if found is not None:
                return found
    return None


def _inside(name: str, uri: Node, here: Path | None, folders: Folders) -> Path:
    if here is None:
        raise uri.error(f'"{quoted(name)}" is another file, and this model is only a text', "load its file")
    path = (here.resolve() / name).resolve()
    if not folders.allow(path, here):
        advice = f"{permission(path)}, or use model://NAME for a model beside this one"
        raise uri.error(OUTSIDE.format(quoted(name)), advice)
    found = _sdf_of(path)
    if found is None:
        raise uri.error(f'the file "{quoted(name)}" does not exist in {here}')
    return found


def _sdf_of(path: Path) -> Path | None:
    """The file itself, or that of a model's folder: the newest that its model.config names, else model.sdf."""
    if path.is_file():
        return path
    if not path.is_dir():
        return None
    names = [USUAL_NAME]
    if (path / CONFIG).is_file():
        found = [node for node in read_xml(path / CONFIG).children("sdf") if node.value]
        found.sort(key=lambda node: node.attributes.get("version", "").zfill(8), reverse=True)
        names = [*(node.content() for node in found), *names]
    for name in names:
        file = (path / name).resolve()
        if file.is_relative_to(path) and file.is_file():
            return file
    return None
