"""Which fields a rule in CEL reads whether or not they are there.

An expression that selects an absent field fails, and a rule that fails refuses the object. So a rule that
reads an optional field without `has()` refuses all objects that leave the field out, which is never meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubewright.crd.cel.ast import Expr

__all__ = ["mentions_unguarded", "unguarded_reads"]

Schema = Mapping[str, Any]
Path = tuple[str, ...]

_HEADER: Final = frozenset({"apiVersion", "kind", "metadata"})
"""Fields that each object has."""


def mentions_unguarded(name: str, expressions: Sequence[str]) -> bool:
    """Whether expressions read `self.name`, and none of them cares whether it is there.

    It goes by the text alone, so that schemas can be made without a parser of CEL.
    """
    field = re.escape(name)
    read = re.compile(rf"\bself\s*\.\s*{field}\b")
    guard = re.compile(rf"\bhas\s*\(\s*self\s*\.\s*{field}\b|\bself\s*\.\s*\?\s*{field}\b")
    return any(map(read.search, expressions)) and not any(map(guard.search, expressions))


def unguarded_reads(expression: str, schema: Schema, *, is_root: bool = False) -> list[str]:
    """The optional fields without which a rule on a schema cannot hold: `self.a.b`, as they are written.

    Only what is certain is returned: not what is read in one branch, in one operand of `||` or in a macro.
    Raises CelUnavailableError.
    """
    from kubewright.crd.cel.ast import walk  # noqa: PLC0415 - large, and most kinds have no rules
    from kubewright.crd.cel.environment import environment_of  # noqa: PLC0415 - as above

    parsed = environment_of({"self": "dyn", "oldSelf": "dyn"}).parse(expression)
    if parsed is None:
        return []
    guarded = {path for each in walk(parsed.expr) for path in _guards(each)}
    found: dict[str, None] = {}
    for path in _certain(parsed.expr):
        if any(path[: len(guard)] == guard for guard in guarded):
            continue
        end = _first_absent(path, schema, is_root=is_root)
        if end:
            found[".".join(("self", *path[:end]))] = None
    return list(found)


def _certain(expr: Expr, *, holds: bool = True) -> Iterator[Path]:
    """What is read whenever the expression has a value, or, where it has to hold, whenever it does."""
    from kubewright.crd.cel.ast import Call, Comprehension, Select, children  # noqa: PLC0415 - see above

    path = _path(expr)
    if path:
        yield path
        return
    if isinstance(expr, Select) and expr.test_only:
        yield from _certain(expr.operand, holds=False)
    elif isinstance(expr, Comprehension):
        yield from _certain(expr.iter_range, holds=False)
    elif isinstance(expr, Call) and expr.function == "_?_:_":
        yield from _certain(expr.args[0], holds=False)
    elif isinstance(expr, Call) and expr.function == "_&&_" and holds:
        for arg in expr.args:
            yield from _certain(arg)
    elif isinstance(expr, Call) and expr.function in ("_&&_", "_||_", "@not_strictly_false"):
        return
    else:
        for child in children(expr):
            yield from _certain(child, holds=False)


def _guards(expr: Expr) -> Iterator[Path]:
    """The field that `has(self.x)`, `self.?x` or `self[?"x"]` asks for."""
    from kubewright.crd.cel.ast import Call, Const, Select  # noqa: PLC0415 - see above

    if isinstance(expr, Select) and expr.test_only:
        path = _path(expr.operand, is_operand=True)
        if path is not None:
            yield (*path, expr.field)
    elif isinstance(expr, Call) and expr.function in ("_?._", "_[?_]") and len(expr.args) == 2:
        operand, name = expr.args
        path = _path(operand, is_operand=True)
        if path is not None and isinstance(name, Const) and isinstance(name.value, str):
            yield (*path, name.value)


def _path(expr: Expr, *, is_operand: bool = False) -> Path | None:
    """The fields from `self` to an expression; None for one that begins elsewhere."""
    from kubewright.crd.cel.ast import Ident, Select  # noqa: PLC0415 - see above

    if isinstance(expr, Ident):
        return () if expr.name == "self" and is_operand else None
    if not isinstance(expr, Select) or expr.test_only:
        return None
    before = _path(expr.operand, is_operand=True)
    return None if before is None else (*before, expr.field)


def _first_absent(path: Path, schema: Schema, *, is_root: bool) -> int:
    """How many steps of a path lead to its first field that may be absent; 0 if all are there."""
    from kubewright.crd.cel.escaping import escape  # noqa: PLC0415 - see above

    for at, step in enumerate(path):
        properties: Mapping[str, Schema] = schema.get("properties") or {}
        name = next((name for name in properties if step in (name, escape(name))), None)
        if name is None or (is_root and at == 0 and name in _HEADER):
            return 0
        if name not in (schema.get("required") or ()) and "default" not in properties[name]:
            return at + 1
        schema = properties[name]
    return 0
