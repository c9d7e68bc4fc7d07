"""Evaluation of checked expressions, with the cost of what was done.

A syntax tree becomes nested Python functions once (`steps`); running an expression calls them. The evaluator
that cel-expr-python brings along is not used: it tells no cost and takes no limit, holds the interpreter's
lock for as long as an expression runs, converts whole objects before it starts, and cannot hold values of
one's own types, such as quantities. The costs are those of upstream's interpreter, in which the limits of
Kubernetes are set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple

from kubewright.crd.cel import folds, steps
from kubewright.crd.cel.ast import (
    Call,
    Checked,
    Comprehension,
    Const,
    Entry,
    Expr,
    Ident,
    ListExpr,
    MapExpr,
    Select,
)
from kubewright.crd.cel.functions.function import Function
from kubewright.crd.cel.message_values import message_maker
from kubewright.crd.cel.steps import Frame, Step
from kubewright.crd.cel.values import (
    CelError,
    CostExceededError,
    TypeValue,
)

__all__ = ["CostLimitReached", "Evaluated", "Program", "ProgramError", "limit_cost", "plan"]

_CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)
"""Conversions of literals are done once, when the program is made, and cost nothing afterwards."""


class ProgramError(Exception):
    """The expression is well typed, but cannot be made into a program."""


class Evaluated(NamedTuple):
    """What an evaluation came to: its value or its error, and its cost."""

    value: object
    error: str
    cost: int


class CostLimitReached(Exception):
    """The evaluations within `limit_cost` have cost as much as they may; none of their results counts."""


class _SharedLimit:
    """What the evaluations within `limit_cost` may still cost."""

    __slots__ = ("_left",)

    def __init__(self, cost: int) -> None:
        self._left = cost

    def run(self, program: Program, variables: dict[str, object], cost_limit: int) -> Evaluated:
        result = program._run(variables, min(cost_limit, self._left))
        self._left -= result.cost
        if self._left < 0:
            raise CostLimitReached
        return result


_shared_limit: Final[ContextVar[_SharedLimit | None]] = ContextVar("cost limit", default=None)


@contextmanager
def limit_cost(cost: int) -> Iterator[None]:
    """Raise CostLimitReached when the evaluations in the block together cost more than this.

    For work that is done again elsewhere if it turns out to take long.
    """
    token = _shared_limit.set(_SharedLimit(cost))
    try:
        yield
    finally:
        _shared_limit.reset(token)


class Program:
    """An expression ready to run. It holds no state, so one may run in several threads at once."""

    __slots__ = ("_binds", "_step", "uses")

    def __init__(self, step: Step, uses: frozenset[str], *, binds: bool) -> None:
        self._step = step
        self._binds = binds
        self.uses = uses
        """The names of the variables that the expression refers to."""

    def run(self, variables: dict[str, object], *, cost_limit: int) -> Evaluated:
        """Evaluate. An error of the expression is told in the result and never raised.

        An `error` that begins with "operation cancelled" says that the limit was exceeded.
        """
        shared = _shared_limit.get()
        if shared is not None:
            return shared.run(self, variables, cost_limit)
        return self._run(variables, cost_limit)

    def _run(self, variables: dict[str, object], cost_limit: int) -> Evaluated:
        # Comprehensions set variables of their own.
        frame = Frame(dict(variables) if self._binds else variables, cost_limit)
        try:
            value = self._step(frame)
            if frame.cost > cost_limit:
                frame.check()
        except (CelError, CostExceededError) as error:
            return Evaluated(None, str(error) or "error", frame.cost)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            # Upstream tells what its functions did not expect in the same words.
            return Evaluated(None, f"internal error: {error}", frame.cost)
        return Evaluated(value, "", frame.cost)


def plan(checked: Checked, functions: Mapping[str, Function]) -> Program:
    """Make a program of a checked expression. Raises ProgramError if that cannot be."""
    planner = _Planner(checked, functions)
    step = planner.plan(checked.expr)
    return Program(step, frozenset(planner.uses), binds=planner.binds)


class _Planner:
    def __init__(self, checked: Checked, functions: Mapping[str, Function]) -> None:
        self._references = checked.references
        self._functions = functions
        self._locals: list[str] = []
        self._constants: dict[Step, object] = {}
        self.uses: set[str] = set()
        self.binds = False

    def plan(self, expr: Expr) -> Step:
        if isinstance(expr, Const):
            return self._constant(expr.value)
        if isinstance(expr, Ident):
            return self._ident(expr)
        if isinstance(expr, Select):
            return self._select(expr)
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, ListExpr):
            return self._list(expr)
        if isinstance(expr, MapExpr):
            return self._map(expr)
        return self._comprehension(expr)

    def _constant(self, value: object) -> Step:
        step = steps.constant(value)
        self._constants[step] = value
        return step

    def _ident(self, expr: Ident) -> Step:
        name = expr.name
        if name in self._locals:
            return steps.local(name)
        if "." in name:
            return self._qualified(name)
        if name in _TYPES:
            return steps.constant(TypeValue(_TYPES[name]))
        self.uses.add(name)
        return steps.variable(name)

    def _qualified(self, name: str) -> Step:
        """`self.a.b` in one name, which is how fields of types that messages cannot have are declared."""
        if name in _TYPES:
            return steps.constant(TypeValue(_TYPES[name]))
        root, *fields = name.split(".")
        step = self._ident(Ident(0, root))
        for field in fields:
            step = steps.selection(step, field, 1)
        return step

    def _select(self, expr: Select) -> Step:
        operand = self.plan(expr.operand)
        extra = 0 if _is_attribute(expr.operand) else 1
        if expr.test_only:
            return steps.presence(operand, expr.field, extra)
        return steps.selection(operand, expr.field, 1 + extra)

    def _call(self, expr: Call) -> Step:
        function, args = expr.function, expr.args
        if function == "_&&_":
            return steps.logical(self.plan(args[0]), self.plan(args[1]), absorbing=False)
        if function == "_||_":
            return steps.logical(self.plan(args[0]), self.plan(args[1]), absorbing=True)
        if function == "_?_:_":
            return self._conditional(args)
        if function == "@not_strictly_false":
            return steps.not_strictly_false(self.plan(args[0]))
        if function in {"_[_]", "_[?_]", "_?._"}:
            return self._index(function, args)
        return self._function(expr)

    def _conditional(self, args: tuple[Expr, ...]) -> Step:
        condition, yes, no = map(self.plan, args)
        # Upstream does not count the access to a variable that is a branch by itself.
        discounts = (int(_is_attribute(args[1])), int(_is_attribute(args[2])))
        return steps.chosen(condition, yes, no, discounts)

    def _index(self, function: str, args: tuple[Expr, ...]) -> Step:
        operand, index = self.plan(args[0]), self.plan(args[1])
        cost = 0 if _is_attribute(args[0]) else 1
        if not _is_attribute(args[1]):
            cost += 1
        return steps.indexed(operand, index, cost, optional=function != "_[_]")

    def _function(self, expr: Call) -> Step:
        if len(expr.args) > 1 and isinstance(expr.args[0], Ident) and expr.args[0].name == folds.ACCUMULATOR:
            step = self._accumulation(expr)
            if step is not None:
                return step
        function = self._functions.get(expr.function)
        if function is None:
            raise ProgramError(f"no such overload: {expr.function}")
        args = tuple(map(self.plan, expr.args))
        if expr.function in _CONVERSIONS and len(args) == 1 and args[0] in self._constants:
            return self._converted(function, self._constants[args[0]])
        if expr.function == "@in" and isinstance(expr.args[1], ListExpr):
            members = _literal_members(expr.args[1])
            if members is not None:
                return steps.member(args[0], members)
        call = function.call
        if function.prepare is not None and args[1] in self._constants:
            try:
                call = function.prepare(self._constants[args[1]]) or call
            except CelError as error:
                raise ProgramError(str(error)) from None
        return steps.called(call, function, args)

    def _accumulation(self, expr: Call) -> Step | None:
        """The step of `map`, `filter` and `transformMap`, which adds to what it made itself.

        Making each list and map anew would take time that grows with the square of their size.
        """
        added = expr.args[1]
        if expr.function == "_+_" and isinstance(added, ListExpr) and len(added.elements) == 1:
            return None if added.optional else folds.appended(self.plan(added.elements[0]))
        if expr.function == "cel.@mapInsert":
            return folds.inserted([self.plan(arg) for arg in expr.args[1:]])
        return None

    def _converted(self, function: Function, value: object) -> Step:
        try:
            return self._constant(function.call(value))
        except CelError as error:
            raise ProgramError(str(error)) from None

    def _list(self, expr: ListExpr) -> Step:
        elements = tuple(map(self.plan, expr.elements))
        if not expr.optional and all(element in self._constants for element in elements):
            return self._constant([self._constants[element] for element in elements])
        return steps.listed(elements, expr.optional)

    def _map(self, expr: MapExpr) -> Step:
        if expr.message:
            return self._message(expr)
        return steps.mapped([(self.plan(e.key), self.plan(e.value), e.optional) for e in expr.entries])

    def _message(self, expr: MapExpr) -> Step:
        make = message_maker(expr.message)
        if make is None:
            raise ProgramError(f"undeclared reference to '{expr.message}' (in container '')")
        entries = [(str(_key(e)), self.plan(e.value), e.optional) for e in expr.entries]
        return steps.message(make, entries)

    def _comprehension(self, expr: Comprehension) -> Step:
        self.binds = True
        iter_range, init = self.plan(expr.iter_range), self.plan(expr.accu_init)
        names = [name for name in (expr.iter_var, expr.iter_var2) if name]
        self._locals.append(expr.accu_var)
        self._locals.extend(names)
        predicate = folds.quantifier(expr)
        if predicate is not None:
            tested = self.plan(predicate)
            del self._locals[-2:]
            start = isinstance(expr.accu_init, Const) and expr.accu_init.value is True
            return folds.quantified(expr.iter_var, iter_range, tested, start=start)
        condition, step = self.plan(expr.loop_condition), self.plan(expr.loop_step)
        del self._locals[len(self._locals) - len(names) :]
        result = self.plan(expr.result)
        self._locals.pop()
        never = isinstance(expr.loop_condition, Const) and expr.loop_condition.value is False
        if never:
            return folds.bound(expr.accu_var, init, result)
        return folds.folded(expr, iter_range, init, condition, step, result)


_TYPES: Final = {
    "bool": "bool",
    "bytes": "bytes",
    "double": "double",
    "int": "int",
    "list": "list",
    "map": "map",
    "null_type": "null_type",
    "string": "string",
    "type": "type",
    "uint": "uint",
    "optional_type": "optional_type",
    "google.protobuf.Timestamp": "google.protobuf.Timestamp",
    "google.protobuf.Duration": "google.protobuf.Duration",
    "net.IP": "net.IP",
    "net.CIDR": "net.CIDR",
}
"""The types that have a name in expressions."""


def _key(entry: Entry) -> object:
    return entry.key.value if isinstance(entry.key, Const) else ""


def _is_attribute(expr: Expr) -> bool:
    """Whether upstream sees a variable with selections, whose access is counted once."""
    if isinstance(expr, Ident):
        return True
    if isinstance(expr, Select):
        return not expr.test_only
    return isinstance(expr, Call) and expr.function in {"_[_]", "_[?_]", "_?._", "_?_:_"}


def _literal_members(expr: ListExpr) -> frozenset[object] | None:
    """The members of a list of literals of one hashable type, for a quick `in`."""
    values = [element.value for element in expr.elements if isinstance(element, Const)]
    kinds = {type(value) for value in values}
    if len(values) != len(expr.elements) or len(kinds) > 1 or not kinds <= {str, int}:
        return None
    return frozenset(values)
