"""The source of functions, and the variables of a function while it is analysed."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType
from typing import Any, Final, TypeAlias

from kubewright.codegen.rights.annotations import annotated
from kubewright.codegen.rights.values import NOTHING, Items, Live, Value, Values

__all__ = [
    "Call",
    "Frame",
    "FunctionNode",
    "bound",
    "cells_of",
    "join",
    "parameters",
    "source_of",
    "unwrapped",
]

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(slots=True, eq=False)
class Frame:
    """One function that is being analysed."""

    file: str
    name: str
    """Of the function, for messages."""
    namespace: dict[str, Any]
    """The globals of its module."""
    cells: dict[str, Any] = field(default_factory=dict)
    """What a function of the imported program has captured."""
    outer: Frame | None = None
    """The function in which it is defined, if that is analysed as well."""
    marked: tuple[object, ...] = ()
    """The function and its class, which may have marks, and so those of the functions that called it."""
    variables: dict[str, Values] = field(default_factory=dict)
    returned: set[Value] = field(default_factory=set)

    def lookup(self, name: str) -> Values:
        """The values of a variable."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.variables:
                return frame.variables[name]
            if name in frame.cells:
                return frozenset({Live(frame.cells[name])})
            frame = frame.outer
        for names in (self.namespace, vars(builtins)):
            if name in names:
                return frozenset({Live(names[name])})
        return NOTHING


class Call:
    """A call, with what is known of its arguments."""

    def __init__(
        self, node: ast.AST, frame: Frame, arguments: Sequence[Values], keywords: Mapping[str, Values]
    ) -> None:
        self.node: Final = node
        self.frame: Final = frame
        self.arguments: Final = tuple(arguments)
        self.keywords: Final = dict(keywords)

    def argument(self, position: int, name: str) -> Values:
        """One argument, wherever it stands."""
        if name in self.keywords:
            return self.keywords[name]
        return self.arguments[position] if position < len(self.arguments) else NOTHING

    def has(self, position: int, name: str) -> bool:
        """Whether an argument is given."""
        return name in self.keywords or position < len(self.arguments)

    def values(self) -> Iterable[Value]:
        """Everything that is passed."""
        for each in (*self.arguments, *self.keywords.values()):
            yield from each


def join(one: dict[str, Values], other: dict[str, Values]) -> dict[str, Values]:
    """The variables where two ways through a function meet."""
    return {name: one.get(name, NOTHING) | other.get(name, NOTHING) for name in one.keys() | other.keys()}


def parameters(node: FunctionNode) -> list[ast.arg]:
    """The parameters of a function that have names of their own."""
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def bound(node: FunctionNode, call: Call, hints: Mapping[str, Any]) -> dict[str, Values]:
    """The variables with which a function begins: what is passed, else what its annotations say."""
    positional = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    variables = {each.arg: annotated(hints.get(each.arg)) for each in parameters(node)}
    passed = [*zip(positional, call.arguments, strict=False), *call.keywords.items()]
    variables |= {name: values for name, values in passed if values and name in variables}
    rest = call.arguments[len(positional) :]
    if node.args.vararg is not None:
        variables[node.args.vararg.arg] = frozenset({Items(frozenset(v for each in rest for v in each))})
    if node.args.kwarg is not None:
        more = frozenset(v for name, each in call.keywords.items() if name not in variables for v in each)
        variables[node.args.kwarg.arg] = frozenset({Items(more)})
    return variables


def source_of(function: FunctionType) -> list[FunctionNode]:
    """The definition of a function; several lambdas of one line, if it is one; none without its source."""
    code = function.__code__
    index = _index(code.co_filename)
    return index.get((code.co_name, code.co_firstlineno), [])


def cells_of(function: FunctionType) -> dict[str, Any]:
    """What a function has captured; a variable that has no value yet is left out."""
    captured: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            captured[name] = cell.cell_contents
        except ValueError:
            continue
    return captured


def unwrapped(function: object) -> object:
    """What decorators that use `functools.wraps` have around a function."""
    try:
        return inspect.unwrap(function)  # type: ignore[arg-type]
    except ValueError:  # It wraps itself.
        return function


@cache
def _index(file: str) -> dict[tuple[str, int], list[FunctionNode]]:
    """The functions of a file by their names and first lines, as code objects have them."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return {}
    index: dict[tuple[str, int], list[FunctionNode]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            index.setdefault(("<lambda>", node.lineno), []).append(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            line = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            index.setdefault((node.name, line), []).append(node)
    return index
