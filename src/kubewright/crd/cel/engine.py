"""The one door to cel-expr-python, Google's CEL for C++: its parser, its type checker and its RE2.

The package is large, so it is imported when the first expression is compiled. Its checker takes types of
objects only as protobuf messages, for which it wants the `protobuf` package beside it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import msgspec

from kubewright.crd.cel.ast import Checked, Type, decode_checked, decode_parsed
from kubewright.crd.cel.go_errors import DESCRIPTOR_PACKAGE, go_text

__all__ = ["CelUnavailableError", "CompileError", "Environment", "find_all", "load"]


DESCRIPTOR_FILE: Final = "kubewright.proto"
"""The name of the file that messages are declared in."""


_IN_CONTAINER: Final = f"(in container '{DESCRIPTOR_PACKAGE}')"
"""Upstream has no container; see `declarations.config`."""


_REMEDY: Final = (
    "pip install 'kubewright[cel]'"
    if sys.version_info < (3, 15)  # as in the extra `cel` of pyproject.toml
    else "it has no release for Python 3.15 yet, use Python 3.14"
)
UNAVAILABLE: Final = f"CEL expressions need the package cel-expr-python: {_REMEDY}"


class CelUnavailableError(ImportError):
    """CEL expressions are there to be compiled, but not what compiles them."""


class CompileError(Exception):
    """An expression that the parser or the checker refuses; the text is cel-go's, with the places marked."""


@lru_cache(maxsize=1)
def load() -> ModuleType:
    """Import the package. Raises CelUnavailableError if it is not installed."""
    try:
        # The package ends the process if it wants this module and it is not there, so look first.
        import_module("google.protobuf.message_factory")
        return import_module("cel_expr_python.cel")
    except ImportError as error:
        raise CelUnavailableError(UNAVAILABLE) from error


class Environment:
    """Variables and functions, with which expressions can be compiled."""

    def __init__(
        self,
        config: Mapping[str, object],
        variables: Mapping[str, Type],
        descriptors: bytes | None = None,
        shown: Mapping[str, str] | None = None,
    ) -> None:
        """`descriptors` is a FileDescriptorProto with the messages among the types of the variables.

        `shown` has the names by which errors call these messages. Raises CelUnavailableError.
        """
        cel = load()
        self._shown = dict(shown or {})
        self._names = re.compile("|".join(map(re.escape, sorted(self._shown, key=len, reverse=True))) or "$^")
        # The arguments of NewEnv lose the parameters of optionals and types, which a configuration keeps.
        written = {name: kind for name, kind in variables.items() if not _is_plain(kind)}
        if written:
            declared = [{"name": name, **_type_config(kind)} for name, kind in written.items()]
            config = {**config, "variables": declared}
        self._env = cel.NewEnv(
            descriptor_pool=_Pool(descriptors),
            config=_config(msgspec.json.encode(config).decode()),
            variables={name: _cel_type(cel, kind) for name, kind in variables.items() if name not in written},
        )

    def compile(self, expression: str) -> Checked:
        """Parse and check an expression. Raises CompileError."""
        try:
            compiled = self._env.compile(expression)
        except (RuntimeError, ValueError, UnicodeEncodeError) as error:
            said = str(error).replace(_IN_CONTAINER, "(in container '')")
            said = self._names.sub(lambda match: self._shown[match[0]], said)
            raise CompileError(go_text(said, expression, self.parse)) from None
        return decode_checked(compiled.serialize()).renamed(self._shown)

    def parse(self, expression: str) -> Checked | None:
        """An expression that is read and not checked; None if it cannot be read."""
        try:
            parsed = self._env.compile(expression, disable_check=True)
        except (RuntimeError, ValueError):
            return None
        return decode_parsed(parsed.serialize())


def _is_plain(kind: Type) -> bool:
    return kind.name in {"list", "map"} or not kind.params


def _type_config(kind: Type) -> dict[str, Any]:
    return {"type_name": kind.name, "params": [_type_config(param) for param in kind.params]}


def _cel_type(cel: ModuleType, kind: Type) -> Any:
    params = [_cel_type(cel, param) for param in kind.params]
    if kind.name == "list":
        return cel.Type.List(*params)
    return cel.Type.Map(*params) if kind.name == "map" else cel.Type(kind.name)


@lru_cache(maxsize=8)
def _config(text: str) -> Any:
    # JSON is YAML.
    return load().NewEnvConfigFromYaml(text)


class _File:
    def __init__(self, serialized: bytes) -> None:
        self.serialized_pb = serialized


class _Pool:
    """What the package asks for descriptors, in place of protobuf's own pool, which would keep them."""

    def __init__(self, descriptors: bytes | None) -> None:
        self._file = None if descriptors is None else _File(descriptors)

    def FindFileByName(self, name: str) -> _File:  # noqa: N802 - protobuf's name
        return self._found(is_ours=name == DESCRIPTOR_FILE)

    def FindFileContainingSymbol(self, name: str) -> _File:  # noqa: N802 - protobuf's name
        return self._found(is_ours=name.startswith(f"{DESCRIPTOR_PACKAGE}."))

    def FindMessageTypeByName(self, name: str) -> _File:  # noqa: N802 - protobuf's name
        raise KeyError(name)

    def _found(self, *, is_ours: bool) -> _File:
        if not is_ours or self._file is None:
            raise KeyError("no such descriptor")
        return self._file


_GROUP: Final = re.compile(
    r"\\Q.*?(?:\\E|$)|\\.|\[(?:\^?\])?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\((?!\?)|\(\?P?<\w+>", re.DOTALL
)


def find_all(text: str, pattern: str) -> list[str]:
    """All matches of a pattern, from left to right, as Go's FindAllString. The pattern must be valid."""
    whole = _GROUP.sub(lambda match: match[0] if match[0][0] in "\\[" else "(?:", pattern)
    result = _finder().eval(data={"text": text, "pattern": f"({whole})"}).plain_value()
    found: Sequence[str] = result
    return list(found)


@lru_cache(maxsize=1)
def _finder() -> Any:
    cel = load()
    config = json.dumps({"extensions": [{"name": "optional"}, {"name": "regex"}]})
    env = cel.NewEnv(config=_config(config), variables={"text": cel.Type.STRING, "pattern": cel.Type.STRING})
    return env.compile("regex.extractAll(text, pattern)")
