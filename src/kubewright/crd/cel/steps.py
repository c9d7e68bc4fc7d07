"""What an expression's nodes become: functions that take a frame, and give a value or raise CelError."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from kubewright.crd.cel.functions.function import Cost, Function
from kubewright.crd.cel.values import (
    NONE,
    CelError,
    Computed,
    CostExceededError,
    ObjectValue,
    Optional,
    Uint,
    equal,
    find_key,
    no_such_overload,
    size_of,
    type_name,
)

__all__ = [
    "LIST_COST",
    "Frame",
    "Step",
    "called",
    "chosen",
    "constant",
    "indexed",
    "listed",
    "local",
    "logical",
    "mapped",
    "member",
    "message",
    "not_strictly_false",
    "presence",
    "selection",
    "variable",
]

LIST_COST: Final = 10
_MAP_COST: Final = 30
_MESSAGE_COST: Final = 40
"""What making a list, a map and a message costs, of cel-go's common/cost.go."""

_KEY_TYPES: Final = frozenset({str, int, bool, Uint})


class Frame:
    """One evaluation: the values of the variables, and what has been spent."""

    __slots__ = ("cost", "limit", "variables")

    def __init__(self, variables: dict[str, object], limit: int) -> None:
        self.variables = variables
        self.cost = 0
        self.limit = limit

    def check(self) -> None:
        """Raise CostExceededError if more was spent than may be."""
        if self.cost > self.limit:
            raise CostExceededError("operation cancelled: actual cost limit exceeded")


Step: TypeAlias = Callable[[Frame], object]


def constant(value: object) -> Step:
    return lambda _frame: value


def variable(name: str) -> Step:
    def read(frame: Frame) -> object:
        frame.cost += 1
        try:
            value = frame.variables[name]
        except KeyError:
            raise CelError(f"no such attribute(s): {name}") from None
        if type(value) is CelError:
            raise value
        return value

    return read


def local(name: str) -> Step:
    def read(frame: Frame) -> object:
        frame.cost += 1
        value = frame.variables[name]
        if type(value) is CelError:
            raise value
        return value

    return read


def selection(operand: Step, field: str, cost: int) -> Step:
    missing = f"no such key: {field}"

    def select(frame: Frame) -> object:
        owner = operand(frame)
        frame.cost += cost
        if type(owner) is ObjectValue:
            entry = owner.fields.get(field)
            if entry is not None:
                value = owner.raw.get(entry[0])
                if value is not None:
                    return value if entry[1] is None else entry[1](value)
            else:
                is_set, value = owner.find(field)
                if is_set:
                    return value
        elif type(owner) is dict:
            if field in owner:
                return owner[field]
        elif type(owner) is Optional:
            return _optional_field(owner, field)
        elif isinstance(owner, list):
            raise CelError("unsupported index type 'string' in list")
        elif isinstance(owner, Computed):
            return owner.select(field)
        raise CelError(missing)

    return select


def _optional_field(owner: Optional, field: object) -> Optional:
    if not owner.has_value:
        return owner
    found, value = _found(owner.value, field)
    return Optional(True, value) if found else NONE


def _found(owner: object, key: object) -> tuple[bool, object]:
    """Look a field, a key or an index up. Raises CelError for a key that the owner cannot have."""
    if type(owner) is ObjectValue:
        if type(key) is not str:
            raise no_such_overload()
        return owner.find(key)
    if type(owner) is dict:
        return find_key(owner, key)
    if isinstance(owner, list):
        at = _position(key)
        return (True, owner[at]) if 0 <= at < len(owner) else (False, None)
    return False, None


def _position(key: object) -> int:
    if type(key) is float:
        if key.is_integer():
            return int(key)
        raise CelError(f"unsupported index value {key} in list")
    if isinstance(key, int) and type(key) is not bool:
        return key
    raise CelError(f"unsupported index type '{type_name(key)}' in list")


def presence(operand: Step, field: str, cost: int) -> Step:
    def test(frame: Frame) -> object:
        owner = operand(frame)
        frame.cost += cost
        if type(owner) is ObjectValue:
            entry = owner.fields.get(field)
            if entry is None:
                return owner.find(field)[0]
            return owner.raw.get(entry[0]) is not None
        if type(owner) is Optional:
            return owner.has_value and _found(owner.value, field)[0]
        if type(owner) is dict:
            return field in owner
        if isinstance(owner, list):
            raise CelError("unsupported index type 'string' in list")
        return isinstance(owner, Computed) and owner.has(field)

    return test


def indexed(operand: Step, index: Step, cost: int, *, optional: bool) -> Step:
    def look_up(frame: Frame) -> object:
        owner = operand(frame)
        key = index(frame)
        frame.cost += cost
        if type(owner) is dict and type(key) is str and key in owner:
            return Optional(True, owner[key]) if optional else owner[key]
        if type(owner) is Optional:
            return _optional_field(owner, key)
        found, value = _found(owner, key)
        if optional:
            return Optional(True, value) if found else NONE
        if found:
            return value
        if isinstance(owner, list):
            raise CelError(f"index out of bounds: {key}")
        raise CelError(f"no such key: {'true' if key is True else 'false' if key is False else key}")

    return look_up


def logical(left: Step, right: Step, *, absorbing: bool) -> Step:
    """`&&` and `||`: the absorbing value on either side decides, whatever goes wrong on the other."""

    def decide(frame: Frame) -> object:
        try:
            one = left(frame)
        except CelError:
            if right(frame) is absorbing:
                return absorbing
            raise
        if one is absorbing:
            return one
        other = right(frame)
        if other is absorbing:
            return other
        if type(one) is not bool or type(other) is not bool:
            raise no_such_overload()
        return other

    return decide


def not_strictly_false(operand: Step) -> Step:
    def test(frame: Frame) -> object:
        try:
            value = operand(frame)
        except CelError:
            frame.cost += 1
            return True
        frame.cost += 1
        return value is not False

    return test


def called(call: Callable[..., object], function: Function, args: tuple[Step, ...]) -> Step:
    """A call of a function, `call` being its implementation."""
    cost = function.cost
    if len(args) == 2 and call is equal:
        return _equality(args[0], args[1])
    if cost is None:
        return _called_for_one(call, args)
    if function.by_result:
        return _called_before_cost(call, cost, args)
    if len(args) == 2:
        return _called_with_two(call, function, cost, args[0], args[1])

    def invoke(frame: Frame) -> object:
        values = [arg(frame) for arg in args]
        frame.cost += cost(values, None)
        if frame.cost > frame.limit:
            frame.check()
        return call(*values)

    return invoke


def _called_with_two(
    call: Callable[..., object], function: Function, cost: Cost, left: Step, right: Step
) -> Step:
    of_ints = function.of_ints

    def invoke(frame: Frame) -> object:
        one, other = left(frame), right(frame)
        if of_ints is not None and type(one) is int and type(other) is int:
            frame.cost += 1
            return of_ints(one, other)
        frame.cost += cost((one, other), None)
        if frame.cost > frame.limit:
            frame.check()
        return call(one, other)

    return invoke


def _called_before_cost(call: Callable[..., object], cost: Cost, args: tuple[Step, ...]) -> Step:
    def invoke(frame: Frame) -> object:
        values = [arg(frame) for arg in args]
        result = call(*values)
        frame.cost += cost(values, result)
        if frame.cost > frame.limit:
            frame.check()
        return result

    return invoke


def _called_for_one(call: Callable[..., object], args: tuple[Step, ...]) -> Step:
    if len(args) == 1:
        only = args[0]

        def unary(frame: Frame) -> object:
            value = only(frame)
            frame.cost += 1
            return call(value)

        return unary
    if len(args) == 2:
        left, right = args

        def binary(frame: Frame) -> object:
            one, other = left(frame), right(frame)
            frame.cost += 1
            return call(one, other)

        return binary

    def invoke(frame: Frame) -> object:
        values = [arg(frame) for arg in args]
        frame.cost += 1
        return call(*values)

    return invoke


def _equality(left: Step, right: Step) -> Step:
    def compare(frame: Frame) -> object:
        one, other = left(frame), right(frame)
        size = size_of(one)
        frame.cost += 1 if size <= 10 else -(-min(size, size_of(other)) // 10)
        return equal(one, other)

    return compare


def member(operand: Step, members: frozenset[object]) -> Step:
    def test(frame: Frame) -> object:
        value = operand(frame)
        if type(value) is bool:
            return False
        try:
            return value in members
        except TypeError:
            return False

    return test


def _unwrapped(value: object) -> Optional:
    if type(value) is not Optional:
        raise CelError(f"cannot initialize optional list element from non-optional value {value}")
    return value


def chosen(condition: Step, yes: Step, no: Step, discounts: tuple[int, int]) -> Step:
    """`condition ? yes : no`; the discounts are what upstream does not count of the branches."""

    def choose(frame: Frame) -> object:
        decision = condition(frame)
        if decision is True:
            frame.cost -= discounts[0]
            return yes(frame)
        if decision is False:
            frame.cost -= discounts[1]
            return no(frame)
        raise no_such_overload()

    return choose


def listed(elements: Sequence[Step], optional: frozenset[int]) -> Step:
    """A list literal, without the elements at `optional` places that are empty optionals."""

    def make(frame: Frame) -> object:
        made: list[object] = []
        for at, element in enumerate(elements):
            value = element(frame)
            if at in optional:
                wrapped = _unwrapped(value)
                if not wrapped.has_value:
                    continue
                value = wrapped.value
            made.append(value)
        frame.cost += LIST_COST
        return made

    return make


def mapped(entries: Sequence[tuple[Step, Step, bool]]) -> Step:
    """A map literal: keys, values, and whether a value is an optional that leaves its entry out if empty."""

    def make(frame: Frame) -> object:
        made: dict[object, object] = {}
        for key, value, optional in entries:
            name, found = key(frame), value(frame)
            if type(name) not in _KEY_TYPES:
                raise CelError(f"unsupported key type: {name}")
            if optional:
                wrapped = _unwrapped(found)
                if not wrapped.has_value:
                    made.pop(name, None)
                    continue
                found = wrapped.value
            made[name] = found
        frame.cost += _MAP_COST
        return made

    return make


def message(make: Callable[[dict[str, object]], object], entries: Sequence[tuple[str, Step, bool]]) -> Step:
    """A message literal: the names of fields, their values, and whether a value is an optional."""

    def build(frame: Frame) -> object:
        made: dict[str, object] = {}
        for name, value, optional in entries:
            found = value(frame)
            if optional:
                wrapped = _unwrapped(found)
                if not wrapped.has_value:
                    continue
                found = wrapped.value
            made[name] = found
        frame.cost += _MESSAGE_COST
        return make(made)

    return build
