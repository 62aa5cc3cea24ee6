"""The process that expands a xacro file: third-party code, run separately so that it can be stopped.

Standard input contains a request as JSON, standard output the URDF or the error.  The package `xacro` finds ROS
packages through the module `ament_index_python`; its replacement here finds them without ROS.  Unless the file is
trusted, its expressions are evaluated by `xacro_expressions.py`, and only files in allowed folders are read.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import io
import json
import os
import sys
import types
from pathlib import Path
from typing import Any
from xml.parsers import expat

MOST_MEMORY = 512 * 2**20
"""Memory limit of the expansion in bytes, where the system supports it."""

LARGEST_FILES = 32 * 2**20
"""Bytes of all files that one expansion reads; those of the largest published robots have one tenth of a MiB."""

MOST_CALLS = 10_000
"""Calls of macros in one expansion; the largest published robots have some hundred."""


def main() -> None:
    request = json.load(sys.stdin)
    sys.path[:] = request["path"]
    _limit_memory()
    folders = [Path(folder).resolve() for folder in (*request["homes"], *request["folders"])]
    _offer_packages(request, folders)
    reply: dict[str, str]
    with contextlib.redirect_stdout(sys.stderr):  # the package prints its own error report
        try:
            import xacro  # type: ignore[import-untyped, unused-ignore]

            _count_calls(xacro)
            if not request["trusted"]:
                _restrict(xacro, folders)
            document = xacro.process_file(request["file"], mappings=request["arguments"])
            reply = {"text": document.toprettyxml(indent="  ")}
        except Exception as problem:  # expressions of the file may raise anything
            cause, reason = _cause(problem), str(problem)
            # Errors inside of $(…) are reported twice, with the class.
            reason = str(cause) if reason.startswith(str(type(cause))) else reason
            reply = {"error": type(cause).__name__, "reason": reason[:10_000]}
    json.dump(reply, sys.stdout)


def _cause(problem: BaseException) -> BaseException:
    """The error inside those with which the package adds the place."""
    while isinstance(inner := getattr(problem, "exc", None), BaseException):
        problem = inner
    return problem


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def _module(name: str, path: Path) -> Any:
    """A file of this library as a separate module: to import the library would take longer than most expansions."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _offer_packages(request: dict[str, Any], folders: list[Path]) -> None:
    """Install a module in place of ROS's index of packages; the files of a package may be read once it is found."""
    packages = _module("packages", Path(__file__).parents[1] / "packages.py")

    def share_directory(name: str) -> str:
        folder = packages.package_folder(name, Path(request["file"]), map(Path, request["folders"]))
        if folder is None:
            raise LookupError(f'the package "{name}" is not found')
        folders.append(folder.resolve())
        return str(folder)

    index: Any = types.ModuleType("ament_index_python.packages")
    index.get_package_share_directory = share_directory
    whole: Any = types.ModuleType("ament_index_python")
    whole.packages = index
    sys.modules |= {"ament_index_python": whole, "ament_index_python.packages": index}


def _count_calls(xacro: Any) -> None:
    """Bound the calls of macros, which can double at each level."""
    expand, calls = xacro.handle_macro_call, [0]

    def counted(node: Any, macros: Any, symbols: Any) -> Any:
        if node.tagName.startswith("xacro:"):
            calls[0] += 1
            if calls[0] > MOST_CALLS:
                raise OverflowError(f"more than {MOST_CALLS} calls of macros")
        return expand(node, macros, symbols)

    xacro.handle_macro_call = counted


def _restrict(xacro: Any, folders: list[Path]) -> None:
    """Replace the functions of the package that evaluate expressions and read files or the environment."""
    import yaml
    from xacro import substitution_args

    expressions = _module("xacro_expressions", Path(__file__).with_name("xacro_expressions.py"))
    texts = _module("yaml_text", Path(__file__).parents[1] / "yaml_text.py")

    def expression(text: str, names: Any, locals: Any = None) -> Any:
        return expressions.evaluated(str(text), names)

    def argument(text: str, context: Any) -> str:
        return str(expressions.evaluated(text, _Arguments(substitution_args, context)))

    def variable(name: str) -> str:
        if name in os.environ:
            raise expressions.NotAllowed(f'the variable "{name}" of the environment')
        raise substitution_args.SubstitutionException(f"environment variable {name!r} is not set")

    def variable_or_default(name: str, default: str = "") -> str:
        return variable(name) if name in os.environ else default

    xacro.safe_eval, xacro.open = expression, _Files(folders, expressions.NotAllowed).open
    xacro._global_symbols = expressions.only_allowed(xacro._global_symbols)
    substitution_args._eval = argument
    substitution_args._eval_env, substitution_args._eval_optenv = variable, variable_or_default
    substitution_args._eval_dict |= {"env": variable, "optenv": variable_or_default}
    yaml.safe_load = texts.parsed_yaml


class _Arguments:
    """The names in `$(eval …)`: arguments of the file, and functions."""

    def __init__(self, package: Any, context: Any) -> None:
        self.package, self.values = package, context.get("arg", {})
        self.functions = {key: value for key, value in package._eval_dict.items() if not key.startswith("_")}
        self.functions |= package._eval_dict["__builtins__"]
        self.functions["arg"] = self.argument

    def argument(self, name: str) -> Any:
        if name not in self.values:
            raise self.package.ArgException(name)
        return self.package.convert_value(self.values[name], "auto")

    def __getitem__(self, name: str) -> Any:
        return self.functions[name] if name in self.functions else self.argument(name)


class _Files:
    """The files that an expansion reads: in allowed folders, small, without document types."""

    def __init__(self, folders: list[Path], error_type: type[Exception]) -> None:
        self.folders, self.error_type, self.bytes = folders, error_type, 0

    def open(self, name: str) -> Any:
        path = Path(name).resolve()
        if not any(path.is_relative_to(folder) for folder in self.folders):
            raise self.error_type(f'to read "{name}", which leads out of the folders that may be read')
        if path.exists() and not path.is_file():
            raise self.error_type(f'to read "{name}", a folder, a pipe or a device')
        with builtins.open(str(name), "rb") as stream:
            data = stream.read(LARGEST_FILES - self.bytes + 1)
        self.bytes += len(data)
        if self.bytes > LARGEST_FILES:
            raise self.error_type(f"to read more than {LARGEST_FILES // 2**20} MiB of files")
        text = data.decode("utf-8")
        if "<!DOCTYPE" in text:
            _require_no_document_type(text, self.error_type)
        return io.StringIO(text, newline=None)


def _require_no_document_type(text: str, error_type: type[Exception]) -> None:
    def raise_or_note(*declared: object) -> None:
        raise error_type("a document type declaration (<!DOCTYPE …>, entities)")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = raise_or_note
    with contextlib.suppress(expat.error):  # a YAML file, or an error that the package reports
        parser.Parse(text, True)


if __name__ == "__main__":
    main()
