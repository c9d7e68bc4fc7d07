"""From the text of an expression to a program, with the checks that upstream adds to the type checker's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from kubewright.crd.cel.ast import Call, Checked, Const, Expr, ListExpr, MapExpr, Type, children, walk
from kubewright.crd.cel.cost import estimate_cost
from kubewright.crd.cel.engine import CompileError, Environment
from kubewright.crd.cel.evaluator import Program, plan
from kubewright.crd.cel.functions.conversions import to_duration, to_timestamp
from kubewright.crd.cel.functions.format_string import clauses, wrong_type
from kubewright.crd.cel.functions.function import Function
from kubewright.crd.cel.functions.regex import compiled
from kubewright.crd.cel.go_errors import located
from kubewright.crd.cel.schema_types import SchemaType
from kubewright.crd.cel.values import CelError

__all__ = ["Compiled", "check_in", "compile_checked", "function_table"]


class Compiled(NamedTuple):
    """An expression that may be run: its program, the type of its result, and the most that it can cost."""

    program: Program
    result_type: str
    max_cost: int


def check_in(environment: Environment, expression: str) -> Checked:
    """Parse and check an expression. Raises CompileError with upstream's text."""
    checked = environment.compile(expression)
    wrong = sorted(_wrong(checked, expression), key=lambda entry: entry[0])
    if wrong:
        raise CompileError("\n".join(located(expression, place, said) for place, said in wrong))
    return checked


def compile_checked(checked: Checked, root: SchemaType | None = None) -> Compiled:
    """Make a program; `root` is the type of `self`, by which the cost is estimated.

    Raises ProgramError if it can be seen that the expression would never run.
    """
    program = plan(checked, function_table())
    return Compiled(program, str(checked.type_of(checked.expr)), estimate_cost(checked, root))


@lru_cache(maxsize=1)
def function_table() -> Mapping[str, Function]:
    """All functions by name."""
    from kubewright.crd.cel.functions import (  # noqa: PLC0415 - used only once expressions are compiled
        authorization,
        conversions,
        formats,
        json_patches,
        lists,
        network,
        operators,
        optionals,
        quantities,
        semver,
        strings,
        times,
        urls,
    )

    modules = (
        operators,
        conversions,
        times,
        strings,
        lists,
        optionals,
        network,
        quantities,
        semver,
        urls,
        formats,
        authorization,
        json_patches,
    )
    return {name: function for module in modules for name, function in module.FUNCTIONS.items()}


def _wrong(checked: Checked, source: str) -> Iterator[tuple[int, str]]:
    """What the checker lets pass and upstream's validators do not, and where."""
    tick = _backtick(source)
    if tick >= 0:
        yield tick, "unsupported syntax: '`'"
        return
    exempt: set[int] = set()
    for expr in walk(checked.expr):
        if isinstance(expr, Call):
            for node_id, message in _call_errors(checked, expr):
                yield checked.positions.get(node_id, 0), message
            if expr.function == "format":
                exempt.update(child.id for arg in expr.args for child in walk(arg))
        elif isinstance(expr, MapExpr) and expr.message:
            # Fields of messages have types of their own.
            continue
        elif expr.id not in exempt and isinstance(expr, ListExpr | MapExpr):
            for node_id, message in _mixed(checked, expr):
                yield checked.positions.get(node_id, 0), message


_LITERALS: Final = re.compile(
    r"[rRbB]{0,2}(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|\"(?:\\.|[^\\\"])*\"|'(?:\\.|[^\\'])*')|//[^\n]*|`",
    re.DOTALL,
)


def _backtick(source: str) -> int:
    """Where the first backtick stands outside of texts, or -1: Kubernetes does not switch their syntax on."""
    if "`" not in source:
        return -1
    return next((match.start() for match in _LITERALS.finditer(source) if match[0] == "`"), -1)


def _is_regex(pattern: object) -> object:
    return compiled(pattern) if isinstance(pattern, str) else None


_LITERAL_CHECKS: Final[Mapping[str, Callable[[object], object]]] = {
    "duration": to_duration,
    "timestamp": to_timestamp,
    "matches": _is_regex,
}


def _call_errors(checked: Checked, expr: Call) -> Iterator[tuple[int, str]]:
    check = _LITERAL_CHECKS.get(expr.function)
    if check is not None:
        args = expr.args[1:] if expr.is_member else expr.args
        if args and isinstance(args[0], Const):
            try:
                check(args[0].value)
            except CelError:
                yield args[0].id, f"invalid {expr.function} argument"
    elif expr.function == "flatten" and len(expr.args) == 1:
        # The checker flattens any list, cel-go only lists of lists.
        kind = checked.type_of(expr.args[0])
        if kind.params and kind.params[0].name not in {"list", "dyn"}:
            yield expr.id, f"found no matching overload for 'flatten' applied to '{_shown(kind)}.()'"
    elif expr.function == "format" and len(expr.args) == 2:
        target, args_expr = expr.args
        if isinstance(target, Const) and isinstance(args_expr, ListExpr) and isinstance(target.value, str):
            yield from _format_errors(checked, expr, target.value, args_expr)


_CLAUSE_TYPES: Final = {
    "d": {"int", "uint"},
    "f": {"double", "string"},
    "e": {"double", "string"},
    "b": {"int", "uint", "bool"},
    "x": {"int", "uint", "string", "bytes"},
    "o": {"int", "uint"},
    "s": {
        *("list", "map", "int", "uint", "double", "bool", "string", "bytes"),
        *("timestamp", "duration", "type", "null_type"),
    },
}


def _format_errors(checked: Checked, expr: Call, form: str, args: ListExpr) -> Iterator[tuple[int, str]]:
    try:
        found, _ = clauses(form, len(args.elements))
    except CelError as error:
        yield expr.id, str(error)
        return
    for clause, arg in zip(found, args.elements, strict=False):
        bad = _bad_argument(checked, clause.letter.lower(), arg)
        if bad is not None:
            kind = _shown(checked.type_of(bad)).partition("(")[0]
            yield bad.id, f"error during formatting: {wrong_type(clause.letter, kind)}"
            return
    if len(args.elements) > len(found):
        count = len(args.elements)
        yield (
            expr.id,
            f"too many arguments supplied to string.format (expected {len(found)}, got {count})",
        )


def _bad_argument(checked: Checked, letter: str, arg: Expr) -> Expr | None:
    name = checked.type_of(arg).name
    if name != "dyn" and name not in _CLAUSE_TYPES[letter]:
        return arg
    if letter == "s" and isinstance(arg, ListExpr | MapExpr):
        return next(
            (bad for child in children(arg) if (bad := _bad_argument(checked, letter, child)) is not None),
            None,
        )
    return None


def _mixed(checked: Checked, expr: ListExpr | MapExpr) -> Iterator[tuple[int, str]]:
    """The first element of a literal whose type is not that of those before it."""
    if isinstance(expr, ListExpr):
        typed = [
            (
                element.id,
                _unwrapped(checked.type_of(element)) if at in expr.optional else checked.type_of(element),
            )
            for at, element in enumerate(expr.elements)
        ]
        yield from _mismatch(typed)
        return
    keys = [(entry.key.id, checked.type_of(entry.key)) for entry in expr.entries]
    values = [
        (
            entry.value.id,
            _unwrapped(checked.type_of(entry.value)) if entry.optional else checked.type_of(entry.value),
        )
        for entry in expr.entries
    ]
    yield from _mismatch(keys)
    yield from _mismatch(values)


def _unwrapped(kind: Type) -> Type:
    return kind.params[0] if kind.name == "optional_type" and kind.params else kind


def _mismatch(typed: list[tuple[int, Type]]) -> Iterator[tuple[int, str]]:
    for node_id, kind in typed[1:]:
        if kind != typed[0][1]:
            yield node_id, f"expected type '{_shown(typed[0][1])}' but found '{_shown(kind)}'"
            return


def _shown(kind: Type) -> str:
    return str(kind).replace("null_type", "null")
