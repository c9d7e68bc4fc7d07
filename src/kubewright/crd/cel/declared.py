"""Expressions of policies: environments with variables that have fields, and fields that are texts of CEL.

Besides `schema_environment`, which is for the one schema of a custom resource, policies have a request, a
namespace and variables of their own beside each other, each with declared fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from kubewright.crd.cel.ast import Type, parse_type
from kubewright.crd.cel.compiler import check_in, function_table
from kubewright.crd.cel.declarations import config
from kubewright.crd.cel.engine import CompileError, Environment
from kubewright.crd.cel.evaluator import Program, plan
from kubewright.crd.cel.go_errors import DESCRIPTOR_PACKAGE
from kubewright.crd.cel.message_values import fields_of_messages, with_plain_names
from kubewright.crd.cel.messages import Messages
from kubewright.crd.cel.schema_types import SchemaType

__all__ = [
    "CompiledDeclared",
    "Declared",
    "check_declared",
    "compile_declared",
    "fields",
    "list_of",
    "map_of",
    "plain",
    "type_of_result",
]

_TYPE_NAMES: Final = {name: Type("type", (Type(name),)) for name in ("net.IP", "net.CIDR")}
_NO_NAMES: Final[Mapping[str, str]] = {}
_SCALARS: Final = frozenset({"string", "int", "uint", "double", "bool", "bytes"})
_TIMES: Final = {
    "google.protobuf.Timestamp": "timestamp",
    "timestamp": "timestamp",
    "google.protobuf.Duration": "duration",
    "duration": "duration",
}


class Declared(NamedTuple):
    """A variable: its type, which is a name or that of fields, and how errors call the latter."""

    type: SchemaType | str
    shown: str = ""


class CompiledDeclared(NamedTuple):
    """An expression that may be run, and the type of its result."""

    program: Program
    result: Type


def plain(kind: str) -> SchemaType:
    """The type of a field that is a scalar, or anything: `dyn`."""
    return SchemaType(kind, min_size=0)


def list_of(element: SchemaType) -> SchemaType:
    """The type of a field that is a list."""
    return SchemaType("list", min_size=0, element=element)


def map_of(element: SchemaType) -> SchemaType:
    """The type of a field that is a map from texts."""
    return SchemaType("map", min_size=0, element=element)


def fields(members: Mapping[str, SchemaType]) -> SchemaType:
    """The type of a field or variable that has fields itself."""
    return SchemaType(
        "object", min_size=0, fields=lambda: {name: (name, kind) for name, kind in members.items()}
    )


def type_of_result(result: Type) -> SchemaType:
    """The type of a field whose value an expression makes; what has no such type is dyn, as upstream's."""
    if result.name in _SCALARS:
        return plain(result.name)
    if result.name in _TIMES:
        return plain(_TIMES[result.name])
    if result.name == "list" and len(result.params) == 1:
        return list_of(type_of_result(result.params[0]))
    if result.name == "map" and len(result.params) == 2 and result.params[0].name == "string":
        return map_of(type_of_result(result.params[1]))
    return plain("dyn")


def compile_declared(
    expression: str,
    variables: Mapping[str, Declared],
    *,
    patches: bool = False,
    shown: Mapping[str, str] = _NO_NAMES,
) -> CompiledDeclared:
    """Compile an expression; with `patches` it may make `Object` and `JSONPatch` messages.

    `shown` has the names by which errors call the types of fields that are at a path, which has the name of
    the variable's type and those of fields: `kubernetes.AdmissionRequest.kind`. Raises CompileError with
    upstream's text, ProgramError for what can never run, and CelUnavailableError.
    """
    source = with_plain_names(expression) if patches else expression
    environment, names = _environment(source, variables, shown, None, patches=patches)
    try:
        checked = check_in(environment, source)
    except CompileError as error:
        text = str(error)
        for name in sorted(names, key=len, reverse=True):
            text = text.replace(name, name.replace("_", "."))
        raise CompileError(text) from None
    return CompiledDeclared(plan(checked, function_table()), checked.type_of(checked.expr))


def check_declared(expression: str, variables: Mapping[str, Declared], words: frozenset[str]) -> Type:
    """The type of an expression's result, without a program.

    `words` are the names in all that is checked: fields with others are not declared, of which a template of
    pods has hundreds. Raises CompileError with upstream's text, and CelUnavailableError.
    """
    environment, _ = _environment(expression, variables, _NO_NAMES, words, patches=False)
    checked = check_in(environment, expression)
    return checked.type_of(checked.expr)


def _environment(
    source: str,
    variables: Mapping[str, Declared],
    shown: Mapping[str, str],
    words: frozenset[str] | None,
    *,
    patches: bool,
) -> tuple[Environment, list[str]]:
    """The environment, and the names of the messages that the expression can make."""
    messages = Messages(words)
    declared: dict[str, Type] = dict(_TYPE_NAMES)
    for name, (kind, called) in variables.items():
        if isinstance(kind, str):
            declared[name] = parse_type(kind)
            continue
        declared[name] = messages.type_of(kind, called)
        # The checker takes the test of a declared name for the name itself.
        declared |= {
            path: exact
            for path, exact in messages.nested_containers(name, kind)
            if not re.search(rf"\bhas\(\s*{re.escape(path)}\s*\)", source)
        }
    messages.shown = {name: shown.get(path, path) for name, path in messages.shown.items()}
    names: list[str] = []
    if patches:
        empty = Environment(_config(patches=True), declared, messages.descriptors())
        parsed = empty.parse(source)
        for name, members in () if parsed is None else fields_of_messages(parsed).items():
            messages.add(name, {member: plain(kind) for member, kind in members.items()})
            messages.shown[f"{DESCRIPTOR_PACKAGE}.{name}"] = name.replace("_", ".")
            names.append(name)
    return Environment(_config(patches=patches), declared, messages.descriptors(), messages.shown), names


@lru_cache(maxsize=2)
def _config(*, patches: bool) -> Mapping[str, object]:
    return config(patches=patches)
