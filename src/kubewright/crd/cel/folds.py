"""Comprehensions, which all macros over lists and maps become, and how the usual ones are folded."""

from __future__ import annotations

from typing import Final

from kubewright.crd.cel.ast import Call, Comprehension, Const, Expr, Ident
from kubewright.crd.cel.steps import LIST_COST, Frame, Step
from kubewright.crd.cel.values import CelError, ObjectValue, no_such_overload

__all__ = ["ACCUMULATOR", "appended", "bound", "folded", "inserted", "quantified", "quantifier"]

ACCUMULATOR: Final = "@result"
"""The name, which no expression can write, that the checker's macros give to what they make."""

_MISSING: Final = object()


def appended(element: Step) -> Step:
    def append(frame: Frame) -> object:
        made = frame.variables[ACCUMULATOR]
        if type(made) is CelError:
            raise made
        value = element(frame)
        # The variable, the list of one element, and the sum.
        frame.cost += 2 + LIST_COST
        if not isinstance(made, list):
            raise no_such_overload()
        made.append(value)
        return made

    return append


def inserted(parts: list[Step]) -> Step:
    def insert(frame: Frame) -> object:
        made = frame.variables[ACCUMULATOR]
        if type(made) is CelError:
            raise made
        values = [part(frame) for part in parts]
        frame.cost += 2
        added = values[0] if len(values) == 1 else {values[0]: values[1]}
        if not isinstance(made, dict) or not isinstance(added, dict):
            raise no_such_overload()
        for key in added:
            if key in made:
                raise CelError(f"insert failed: key {key} already exists")
        made.update(added)
        return made

    return insert


def bound(name: str, init: Step, result: Step) -> Step:
    """A fold over nothing, by which macros give a value a name."""

    def bind(frame: Frame) -> object:
        variables = frame.variables
        outer = variables.get(name, _MISSING)
        variables[name] = init(frame)
        try:
            return result(frame)
        finally:
            _restore(variables, name, outer)

    return bind


def _restore(variables: dict[str, object], name: str, outer: object) -> None:
    if outer is _MISSING:
        variables.pop(name, None)
    else:
        variables[name] = outer


def folded(
    expr: Comprehension, iter_range: Step, init: Step, condition: Step, step: Step, result: Step
) -> Step:
    first, second, accu = expr.iter_var, expr.iter_var2, expr.accu_var
    names = [name for name in (first, second, accu) if name]

    def fold(frame: Frame) -> object:
        over = iter_range(frame)
        items = _items(over) if second else _elements(over)
        variables = frame.variables
        outer = [variables.get(name, _MISSING) for name in names]
        start = init(frame)
        if accu == ACCUMULATOR and isinstance(start, list | dict):
            start = start.copy()
        try:
            variables[accu] = start
            for item in items:
                if second:
                    variables[first], variables[second] = item  # type: ignore[misc] # pairs
                else:
                    variables[first] = item
                if condition(frame) is False:
                    break
                try:
                    value = step(frame)
                except CelError as error:
                    value = CelError(*error.args)
                variables[accu] = value
                if frame.cost > frame.limit:
                    frame.check()
            return result(frame)
        finally:
            for name, before in zip(names, outer, strict=True):
                _restore(variables, name, before)

    return fold


def _elements(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    if type(value) is dict:
        return list(value)
    if type(value) is ObjectValue:
        return list(value.names())
    raise CelError("got a value that is no list or map, expected iterable type")


def _items(value: object) -> list[tuple[object, object]]:
    if isinstance(value, list):
        return list(enumerate(value))
    if type(value) is dict:
        return list(value.items())
    if type(value) is ObjectValue:
        return [(name, value.find(name)[1]) for name in value.names()]
    raise CelError("unsupported comprehension range type")


def quantifier(expr: Comprehension) -> Expr | None:
    """The predicate, if a comprehension over one variable is what `all` or `exists` becomes."""
    init, step = expr.accu_init, expr.loop_step
    if expr.iter_var2 or not isinstance(init, Const) or type(init.value) is not bool:
        return None
    operator = "_&&_" if init.value else "_||_"
    if not isinstance(step, Call) or step.function != operator or not _is_accumulator(step.args[0]):
        return None
    condition = expr.loop_condition
    if not isinstance(condition, Call) or condition.function != "@not_strictly_false":
        return None
    goes_on = condition.args[0]
    if not init.value:
        if not isinstance(goes_on, Call) or goes_on.function != "!_":
            return None
        goes_on = goes_on.args[0]
    if not _is_accumulator(goes_on) or not _is_accumulator(expr.result):
        return None
    return step.args[1]


def _is_accumulator(expr: Expr) -> bool:
    return isinstance(expr, Ident) and expr.name == ACCUMULATOR


def quantified(name: str, iter_range: Step, predicate: Step, *, start: bool) -> Step:
    """`all`, which starts with true, or `exists`, which starts with false; with the costs of the fold."""
    before, after = (2, 1) if start else (3, 1)

    def decide(frame: Frame) -> object:
        items = _elements(iter_range(frame))
        variables = frame.variables
        outer = variables.get(name, _MISSING)
        failure: CelError | None = None
        try:
            for item in items:
                frame.cost += before + after
                if frame.cost > frame.limit:
                    frame.check()
                variables[name] = item
                try:
                    value = predicate(frame)
                except CelError as error:
                    failure = failure or error
                    continue
                if value is start:
                    continue
                if type(value) is not bool:
                    failure = failure or no_such_overload()
                    continue
                frame.cost += before * (item is not items[-1]) + 1
                return value
        finally:
            _restore(variables, name, outer)
        frame.cost += 1
        if failure is not None:
            raise failure
        return start

    return decide
