"""The walk through statements and expressions of a function, which keeps track of what variables hold.

Statements are taken in order, both ways of a branch, and loops twice; a way that returns or raises does not
count for what comes after it. What calls and attributes mean is up to the `Meaning` that is passed in.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Protocol

from kubewright.codegen.rights.frames import Frame, join
from kubewright.codegen.rights.values import (
    NOTHING,
    Closure,
    Items,
    Live,
    Value,
    Values,
    elements,
    gives_access,
)

__all__ = ["Meaning", "evaluate", "run"]


class Meaning(Protocol):
    """What calls and attributes of values mean."""

    def attribute(self, values: Values, name: str, node: ast.expr, frame: Frame) -> Values:
        """The attribute of values."""

    def call(self, node: ast.Call, frame: Frame) -> Values:
        """The result of a call."""

    def store(self, values: Values, name: str, stored: Values, node: ast.expr, frame: Frame) -> None:
        """Take note of an attribute that is set."""

    def escapes(self, values: Iterable[Value], node: ast.AST, frame: Frame, *, where: str) -> None:
        """Take note of values that go where the walk cannot follow them."""


def run(meaning: Meaning, statements: Sequence[ast.stmt], frame: Frame) -> bool:
    """Walk through statements; whether what comes after them is reached."""
    return all(_statement(meaning, each, frame) for each in statements)


def _statement(meaning: Meaning, node: ast.stmt, frame: Frame) -> bool:  # noqa: PLR0912 - one case for each
    match node:
        case ast.Return(value):
            if value is not None:
                frame.returned |= evaluate(meaning, value, frame)
            return False
        case ast.Raise() | ast.Break() | ast.Continue():
            _evaluate_parts(meaning, node, frame)
            # Variables of a loop's pass that ends early count after the loop: see `_loop`.
            return not isinstance(node, ast.Raise)
        case ast.Assign(targets, value):
            values = evaluate(meaning, value, frame)
            for target in targets:
                _assign(meaning, target, values, frame, value)
        case ast.AnnAssign(target, _, value) if value is not None:
            _assign(meaning, target, evaluate(meaning, value, frame), frame, value)
        case ast.AugAssign(target, _, value):
            values = evaluate(meaning, value, frame) | evaluate(meaning, _loaded(target), frame)
            _assign(meaning, target, values, frame, value)
        case ast.If(test, body, orelse):
            evaluate(meaning, test, frame)
            return _branches(meaning, [body, orelse], frame)
        case ast.Match(subject, cases):
            values = evaluate(meaning, subject, frame)
            for case in cases:
                for pattern in ast.walk(case.pattern):
                    if isinstance(pattern, ast.MatchAs) and pattern.name is not None:
                        frame.variables[pattern.name] = values
            _branches(meaning, [*(case.body for case in cases), []], frame)
        case ast.For(target, iterable, body, orelse) | ast.AsyncFor(target, iterable, body, orelse):
            _loop(meaning, target, iterable, body, frame)
            return run(meaning, orelse, frame)
        case ast.While(test, body, orelse):
            _loop(meaning, None, test, body, frame)
            return run(meaning, orelse, frame)
        case ast.Try(body, handlers, orelse, final) | ast.TryStar(body, handlers, orelse, final):
            return _try(meaning, (body, handlers, orelse, final), frame)
        case ast.With(items, body) | ast.AsyncWith(items, body):
            for item in items:
                values = evaluate(meaning, item.context_expr, frame)
                if item.optional_vars is not None:
                    # What a generator yields that is a context manager, or the value itself.
                    entered = values | elements(values)
                    _assign(meaning, item.optional_vars, entered, frame, item.context_expr)
            before = dict(frame.variables)
            reached = run(meaning, body, frame)
            if not reached and isinstance(node, ast.With):
                # `with suppress(...)` goes on after what its block raises.
                frame.variables = join(before, frame.variables)
                return True
            return reached
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            frame.variables[node.name] = frozenset({Closure(node, frame)})
        case ast.Global(names) | ast.Nonlocal(names):
            for name in names:
                frame.variables.setdefault(name, frame.lookup(name))
        case ast.ClassDef() | ast.Import() | ast.ImportFrom() | ast.Pass():
            _imported(node, frame)
        case _:
            _evaluate_parts(meaning, node, frame)
    return True


def _branches(meaning: Meaning, blocks: Sequence[Sequence[ast.stmt]], frame: Frame) -> bool:
    before = dict(frame.variables)
    after: dict[str, Values] | None = None
    for block in blocks:
        frame.variables = dict(before)
        if run(meaning, block, frame):
            after = frame.variables if after is None else join(after, frame.variables)
    frame.variables = before if after is None else after
    return after is not None


def _loop(
    meaning: Meaning, target: ast.expr | None, node: ast.expr, body: Sequence[ast.stmt], frame: Frame
) -> None:
    # Twice, since the second pass sees what the first one has left.
    for _ in range(2):
        before = dict(frame.variables)
        values = evaluate(meaning, node, frame)
        if target is not None:
            _assign(meaning, target, elements(values), frame, node)
        run(meaning, body, frame)
        frame.variables = join(before, frame.variables)


def _try(
    meaning: Meaning,
    parts: tuple[Sequence[ast.stmt], Sequence[ast.ExceptHandler], Sequence[ast.stmt], Sequence[ast.stmt]],
    frame: Frame,
) -> bool:
    body, handlers, orelse, final = parts
    before = dict(frame.variables)
    reached = run(meaning, body, frame)
    after_body = frame.variables
    ends: list[dict[str, Values]] = []
    if reached and run(meaning, orelse, frame):
        ends.append(frame.variables)
    for handler in handlers:
        frame.variables = join(before, after_body)
        if run(meaning, handler.body, frame):
            ends.append(frame.variables)
    frame.variables = join(before, after_body)
    for end in ends[:1]:
        frame.variables = end
    for end in ends[1:]:
        frame.variables = join(frame.variables, end)
    return run(meaning, final, frame) and bool(ends)


def _imported(node: ast.stmt, frame: Frame) -> None:
    """Modules that a function imports are imported by now, or when it is first called."""
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        from importlib import import_module  # noqa: PLC0415 - for functions with imports of their own

        try:
            module = import_module(node.module)
        except Exception:
            return
        for alias in node.names:
            if hasattr(module, alias.name):
                frame.variables[alias.asname or alias.name] = frozenset({Live(getattr(module, alias.name))})


def _assign(meaning: Meaning, target: ast.expr, values: Values, frame: Frame, node: ast.expr) -> None:
    match target:
        case ast.Name(name):
            frame.variables[name] = values
        case ast.Tuple(targets) | ast.List(targets):
            written = node.elts if isinstance(node, ast.Tuple) and len(node.elts) == len(targets) else None
            for number, each in enumerate(targets):
                # Of a tuple that is written out, each part is known.
                part = elements(values) if written is None else evaluate(meaning, written[number], frame)
                _assign(meaning, each, part, frame, node)
        case ast.Starred(inner):
            _assign(meaning, inner, frozenset({Items(values)}), frame, node)
        case ast.Attribute(owner, name):
            meaning.store(evaluate(meaning, owner, frame), name, values, target, frame)
        case ast.Subscript(ast.Name(name)):
            frame.variables[name] = frame.lookup(name) | {Items(values)}
        case ast.Subscript(owner):
            if any(map(gives_access, values)):
                meaning.escapes(values, target, frame, where="a collection")
            evaluate(meaning, owner, frame)


def _loaded(target: ast.expr) -> ast.expr:
    return target if not isinstance(target, ast.Name) else ast.copy_location(ast.Name(target.id), target)


def evaluate(meaning: Meaning, node: ast.expr, frame: Frame) -> Values:  # noqa: PLR0911, PLR0912 - one case for each
    """What an expression may be."""
    match node:
        case ast.Name(name):
            return frame.lookup(name)
        case ast.Constant(value):
            return frozenset({Live(value)})
        case ast.Attribute(owner, name):
            return meaning.attribute(evaluate(meaning, owner, frame), name, node, frame)
        case ast.Call():
            return meaning.call(node, frame)
        case ast.Await(value) | ast.Starred(value) | ast.FormattedValue(value):
            return evaluate(meaning, value, frame)
        case ast.Yield(value) | ast.YieldFrom(value):
            values = NOTHING if value is None else evaluate(meaning, value, frame)
            frame.returned.add(Items(values if isinstance(node, ast.Yield) else elements(values)))
            return NOTHING
        case ast.NamedExpr(target, value):
            values = evaluate(meaning, value, frame)
            frame.variables[target.id] = values
            return values
        case ast.IfExp(test, body, orelse):
            evaluate(meaning, test, frame)
            return evaluate(meaning, body, frame) | evaluate(meaning, orelse, frame)
        case ast.BoolOp(_, parts):
            return frozenset(value for part in parts for value in evaluate(meaning, part, frame))
        case ast.BinOp(left, _, right):
            return evaluate(meaning, left, frame) | evaluate(meaning, right, frame)
        case ast.Tuple(parts) | ast.List(parts) | ast.Set(parts):
            inner = frozenset(
                value
                for part in parts
                for value in (
                    elements(evaluate(meaning, part.value, frame))
                    if isinstance(part, ast.Starred)
                    else evaluate(meaning, part, frame)
                )
            )
            return frozenset({Items(inner)})
        case ast.Dict(_, parts):
            return frozenset(
                {Items(frozenset(value for part in parts for value in evaluate(meaning, part, frame)))}
            )
        case ast.Subscript(owner, index):
            evaluate(meaning, index, frame)
            values = evaluate(meaning, owner, frame)
            return frozenset({Items(elements(values))}) if isinstance(index, ast.Slice) else elements(values)
        case ast.ListComp(part, loops) | ast.SetComp(part, loops) | ast.GeneratorExp(part, loops):
            return _comprehension(meaning, [part], loops, frame)
        case ast.DictComp(key, part, loops):
            return _comprehension(meaning, [key, part], loops, frame)
        case ast.Lambda():
            return frozenset({Closure(node, frame)})
        case _:
            _evaluate_parts(meaning, node, frame)
            return NOTHING


def _comprehension(
    meaning: Meaning, parts: Sequence[ast.expr], loops: Sequence[ast.comprehension], frame: Frame
) -> Values:
    outside = dict(frame.variables)
    for loop in loops:
        _assign(meaning, loop.target, elements(evaluate(meaning, loop.iter, frame)), frame, loop.iter)
        for test in loop.ifs:
            evaluate(meaning, test, frame)
    inner = frozenset(value for part in parts for value in evaluate(meaning, part, frame))
    frame.variables = outside
    return frozenset({Items(inner)})


def _evaluate_parts(meaning: Meaning, node: ast.AST, frame: Frame) -> None:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            evaluate(meaning, part, frame)
