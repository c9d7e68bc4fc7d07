"""The requests that functions of an operator send, read from their source.

A function is walked through with what is known of its arguments, and so are the functions that it calls, in
the operator's own package and in others, but not in Python's and the library's own. Where the walk loses
sight of a client or an object, it says so in a note, and the analysis is not complete.
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

from kubewright.codegen.rights.annotations import (
    annotated,
    annotations_of,
    class_annotation,
    is_followed,
    resolved,
)
from kubewright.codegen.rights.apis import api_attribute, api_call, client_call, group_call, is_api_method
from kubewright.codegen.rights.frames import (
    Call,
    Frame,
    FunctionNode,
    bound,
    cells_of,
    parameters,
    source_of,
    unwrapped,
)
from kubewright.codegen.rights.helpers import helper_call, owner_call
from kubewright.codegen.rights.needs import Need, helper_of, target_of
from kubewright.codegen.rights.values import (
    NOTHING,
    ApiValue,
    BoundFunction,
    ClientValue,
    Closure,
    ContextValue,
    EventsValue,
    GroupVersionValue,
    Instance,
    Items,
    Live,
    ManagerValue,
    Method,
    ObjectValue,
    PartialValue,
    ReviewValue,
    Target,
    Value,
    Values,
    gives_access,
)
from kubewright.codegen.rights.walking import evaluate, run
from kubewright.controllers.declared import Declarations
from kubewright.controllers.rbac import Permission, permissions_of

if TYPE_CHECKING:
    from kubewright.machinery.resource import Resource

__all__ = ["Analysis"]

_MOST_FUNCTIONS: Final = 5_000
"""Functions that are walked through before the analysis gives up; operators have some hundreds."""
_MOST_DEPTH: Final = 60
"""Calls within calls; a deeper one recurses with arguments that change."""


class Analysis:
    """What the functions that it was given request: `permissions`, and in `notes` what it could not tell."""

    def __init__(
        self, kinds: Iterable[type[Resource]] = (), *, folder: str = "", reconciled: Target | None = None
    ) -> None:
        """`kinds` are those of the program; files below `folder` are named by their paths in it.

        `reconciled` is the kind of the controller whose functions they are.
        """
        self.kinds: Final = tuple(kinds)
        self.reconciled: Final = reconciled
        self.permissions: Final[dict[Permission, None]] = {}
        self.notes: Final[dict[str, None]] = {}
        self.complete = True
        self._folder: Final = folder or os.getcwd()
        self._results: Final[dict[object, Values]] = {}
        self._attributes: Final[dict[tuple[type, str], Values]] = {}
        self._running: Final[set[object]] = set()
        self._walked = 0
        self._depth = 0

    def begin(self, function: object, *arguments: Value, what: str) -> None:
        """Walk through a function that the manager calls with these arguments."""
        frame = Frame(file="", name=what, namespace={})
        node = ast.Pass(lineno=0, col_offset=0)
        call = Call(node, frame, [frozenset({each}) for each in arguments], {})
        before = self._walked
        self.apply(Live(function), call)
        if self._walked == before and any(map(gives_access, arguments)):
            self.complete = False
            self._note(f"the source of {what} cannot be read; add @rbac(Kind, verbs=[...]) to it", frame)

    def need(self, target: Target, need: Need) -> None:
        """Add what a request needs."""
        resource = f"{target.resource}/{need.subresource}" if need.subresource else target.resource
        self.permissions[Permission(verbs=need.verbs, groups=(target.group,), resources=(resource,))] = None

    def unresolved(self, call: Call, what: str, needs: Iterable[Need], *, mark: str = "Kind") -> None:
        """Take note of a request whose kind cannot be told."""
        self.complete = False
        for need in needs:
            if self._has_mark(call.frame, need):
                continue
            verbs = ", ".join(f'"{verb}"' for verb in need.verbs)
            if mark == "Kind":
                part = f', subresource="{need.subresource}"' if need.subresource else ""
                shown = f"@rbac(Kind, verbs=[{verbs}]{part})"
            else:
                shown = f"@rbac({mark}, verbs=[{verbs}])"
            place = self._place(call.node, call.frame)
            self.notes[
                f"{place}: the kind of which {what} is cannot be told from the code; add {shown} to "
                f"{call.frame.name}"
            ] = None

    def escapes(self, values: Iterable[Value], node: ast.AST, frame: Frame, *, where: str) -> None:
        """Take note of a client that goes where its requests cannot be seen."""
        lost = [each for each in values if gives_access(each)]
        if not lost:
            return
        self.complete = False
        if frame.file:  # Without one it is what the manager calls, which `begin` reports.
            self._note(
                f"{self._place(node, frame)}: {_named(lost[0])} goes to {where}, whose requests cannot be "
                f"told from the code; add @rbac(Kind, verbs=[...]) to {frame.name} for them",
                frame,
            )

    def attribute(self, values: Values, name: str, node: ast.expr, frame: Frame) -> Values:
        """What an attribute of values may be."""
        if not values and name in {"api", "dynamic"}:
            # Of an object that is not known: what is asked of it tells what it is.
            return frozenset({Method(ClientValue(guessed=True), name)})
        result: set[Value] = set()
        for each in values:
            result |= self._attribute(each, name, node, frame)
        return frozenset(result)

    def _attribute(self, value: Value, name: str, node: ast.expr, frame: Frame) -> Values:  # noqa: PLR0911, PLR0912 - one case for each
        match value:
            case Live(owner):
                return self._live_attribute(owner, name, node, frame)
            case Instance(cls):
                known = self._attributes.get((cls, name), NOTHING)
                return known | self._class_attribute(cls, value, name, node, frame)
            case ContextValue(elsewhere):
                if name == "client":
                    return frozenset({ClientValue(cached=True, elsewhere=elsewhere)})
                if name == "events":
                    return frozenset({EventsValue(elsewhere)})
                return frozenset({Method(value, name)}) if name == "cluster" else NOTHING
            case ManagerValue():
                clients = {"client": ClientValue(), "cached": ClientValue(cached=True)}
                return frozenset({clients[name]}) if name in clients else NOTHING
            case ReviewValue(target):
                if name == "client":
                    return frozenset({ClientValue(cached=True)})
                return frozenset({ObjectValue(target)}) if name in {"object", "old"} else NOTHING
            case ClientValue() | GroupVersionValue() | ApiValue():
                return api_attribute(self, value, name, Call(node, frame, (), {}))
            case Items() | EventsValue():
                return frozenset({Method(value, name)})
            case ObjectValue():
                # `event.object` of a watch, and `obj.copy()`.
                return frozenset({value}) if name == "object" else frozenset({Method(value, name)})
            case PartialValue(function) if name == "func":
                return frozenset({function})
            case _:
                return NOTHING

    def _live_attribute(self, owner: Any, name: str, node: ast.expr, frame: Frame) -> Values:
        if isinstance(owner, Declarations):
            return self._attribute(ManagerValue(), name, node, frame)
        if isinstance(owner, ModuleType | type):
            try:
                found = getattr(owner, name)
            except Exception:
                return NOTHING
            return frozenset({Live(found)})
        attributes = getattr(owner, "__dict__", {})
        if name in attributes:
            return frozenset({Live(attributes[name])})
        return self._class_attribute(type(owner), Live(owner), name, node, frame)

    def _class_attribute(self, cls: type, receiver: Value, name: str, node: ast.expr, frame: Frame) -> Values:
        found = inspect.getattr_static(cls, name, None)
        match found:
            case None:
                hint = class_annotation(cls, name)
                return annotated(hint)
            case staticmethod():
                return frozenset({Live(found.__func__)})
            case classmethod():
                return frozenset({BoundFunction(Live(found.__func__), Live(cls))})
            case FunctionType():
                return frozenset({BoundFunction(Live(found), receiver)})
            case property() | functools.cached_property():
                getter = found.fget if isinstance(found, property) else found.func
                return self.apply(BoundFunction(Live(getter), receiver), Call(node, frame, (), {}))
            case _ if hasattr(found, "__get__") and not isinstance(found, type):
                return annotated(class_annotation(cls, name))
            case _:
                return frozenset({Live(found)})

    def store(self, values: Values, name: str, stored: Values, node: ast.expr, frame: Frame) -> None:
        """Take note of an attribute that is set."""
        if not stored:
            return
        for each in values:
            if isinstance(each, Instance):
                key = (each.cls, name)
                self._attributes[key] = self._attributes.get(key, NOTHING) | stored
        if not any(isinstance(each, Instance) for each in values):
            self.escapes(stored, node, frame, where=f"the attribute {name}")

    def call(self, node: ast.Call, frame: Frame) -> Values:
        """What a call may return."""
        functions = evaluate(self, node.func, frame)
        arguments: list[Values] = [evaluate(self, each, frame) for each in node.args]
        keywords = {each.arg or "**": evaluate(self, each.value, frame) for each in node.keywords}
        call = Call(node, frame, arguments, keywords)
        if not functions:
            self._apply_callbacks(call)
            self.escapes(call.values(), node, frame, where=f"{ast.unparse(node.func)}()")
            return NOTHING
        return frozenset(value for each in functions for value in self.apply(each, call))

    def apply(self, function: Value, call: Call) -> Values:  # noqa: PLR0911, PLR0912 - one case for each
        """What a value returns that is called, with its requests added."""
        match function:
            case Live(value):
                return self._apply_live(value, call)
            case BoundFunction(inner, receiver):
                bound = Call(call.node, call.frame, (frozenset({receiver}), *call.arguments), call.keywords)
                return self.apply(inner, bound)
            case PartialValue(inner, arguments, keywords):
                whole = (*arguments, *call.arguments)
                return self.apply(
                    inner, Call(call.node, call.frame, whole, {**dict(keywords), **call.keywords})
                )
            case Closure(node, outer):
                return self._walk_closure(node, outer, call)
            case Method(ContextValue(), "cluster"):
                own = all(isinstance(each, Live) and each.value == "" for each in call.argument(0, "which"))
                here = own and call.has(0, "which")
                return frozenset({ClientValue(cached=True, elsewhere=not here)})
            case Method(ClientValue() as client, name):
                return client_call(self, client, name, call)
            case Method(GroupVersionValue() as group, name):
                return group_call(group, name)
            case Method(ApiValue() as api, name):
                return api_call(self, api, name, call)
            case Method(EventsValue(elsewhere), "named"):
                if not elsewhere and Live("events.k8s.io") in call.argument(9, "api"):
                    self.need(Target("events.k8s.io", "events", "Event"), Need(("create", "patch")))
                return frozenset({EventsValue(elsewhere)})
            case Method(Items(values) as items, _):
                # `pop`, `values`, `to_list`: what is in it, one by one or together.
                self._apply_callbacks(call)
                added = frozenset(value for each in call.arguments for value in each if gives_access(value))
                return values | {items} | added
            case Method(ObjectValue() as obj, "copy"):
                return frozenset({obj})
            case Instance(cls):
                target = inspect.getattr_static(cls, "__call__", None)
                return NOTHING if target is None else self.apply(BoundFunction(Live(target), function), call)
            case _:
                self._apply_callbacks(call)
                return NOTHING

    def _apply_live(self, value: Any, call: Call) -> Values:
        if isinstance(value, functools.partial):
            return self.apply(
                PartialValue(
                    Live(value.func),
                    tuple(frozenset({Live(each)}) for each in value.args),
                    tuple((name, frozenset({Live(each)})) for name, each in value.keywords.items()),
                ),
                call,
            )
        if value is functools.partial:
            return self._partial(call)
        if inspect.ismethod(value):
            return self.apply(BoundFunction(Live(value.__func__), Live(value.__self__)), call)
        function = unwrapped(value)
        if (helper := helper_of(value) or helper_of(function)) is not None:
            return helper_call(self, helper, call, shown=getattr(value, "__name__", "it"))
        if owner_call(self, value, call):
            return NOTHING
        if isinstance(value, type):
            return self._construct(value, call)
        for permission in permissions_of(value):
            self.permissions[permission] = None
        module = getattr(function, "__module__", None)
        if isinstance(function, FunctionType):
            if is_followed(module):
                return self._walk_function(function, call)
            return self._apply_library(function, call)
        method = inspect.getattr_static(type(value), "__call__", None)
        if isinstance(method, FunctionType) and is_followed(type(value).__module__):
            return self.apply(BoundFunction(Live(method), Live(value)), call)
        return self._apply_library(value, call)

    def _partial(self, call: Call) -> Values:
        if not call.arguments:
            return NOTHING
        rest, keywords = call.arguments[1:], tuple(call.keywords.items())
        return frozenset(PartialValue(each, rest, keywords) for each in call.arguments[0])

    def _apply_library(self, function: Any, call: Call) -> Values:
        """A function of Python or of the library: what it returns is some of what it gets."""
        owner = getattr(function, "__self__", None)
        if isinstance(owner, type) and (target := target_of(owner)) is not None:
            return frozenset({ObjectValue(target)})  # Pod.from_dict(...)
        module = getattr(function, "__module__", None) or type(owner).__module__
        if function in (map, filter):
            inner = frozenset(
                value
                for each in call.arguments[1:]
                for items in each
                if isinstance(items, Items)
                for value in items.values
            )
            mapped = frozenset(
                value
                for each in call.arguments[:1]
                for called in each
                for value in self.apply(called, Call(call.node, call.frame, [inner], {}))
            )
            return frozenset({Items(mapped if function is map else inner)})
        if function is getattr and len(call.arguments) > 1:
            return self._getattr(call)
        self._apply_callbacks(call)
        if module is not None and module.partition(".")[0] == "kubewright" and not permissions_of(function):
            where = f"{getattr(function, '__name__', function)}()"
            self.escapes(call.values(), call.node, call.frame, where=where)
        return frozenset(call.values())

    def _getattr(self, call: Call) -> Values:
        names = [each.value for each in call.arguments[1] if isinstance(each, Live)]
        if not names or not all(isinstance(name, str) for name in names):
            self.escapes(call.arguments[0], call.node, call.frame, where="getattr()")
            return NOTHING
        node = call.node if isinstance(call.node, ast.expr) else ast.Constant(None)
        return frozenset(
            value for name in names for value in self.attribute(call.arguments[0], name, node, call.frame)
        )

    def _apply_callbacks(self, call: Call) -> None:
        """Walk through functions that are passed to what may call them, with what their annotations say."""
        for value in list(call.values()):
            match value:
                case Method(ApiValue() as api, name) if is_api_method(name):
                    api_call(self, api, name, Call(call.node, call.frame, (), {}))
                case Closure() | BoundFunction() | PartialValue():
                    self.apply(value, Call(call.node, call.frame, (), {}))
                case Live(function) if isinstance(function, FunctionType) and is_followed(
                    function.__module__
                ):
                    self.apply(value, Call(call.node, call.frame, (), {}))

    def _construct(self, cls: type, call: Call) -> Values:
        from kubewright.machinery.unstructured import Unstructured  # noqa: PLC0415 - as the client

        if (target := target_of(cls)) is not None:
            return frozenset({ObjectValue(target)})
        if issubclass(cls, Unstructured):
            return frozenset({ObjectValue(self._written_target(call))})
        for value in annotated(cls):
            if not isinstance(value, Instance):
                return frozenset({value})
        if not is_followed(cls.__module__):
            return self._apply_library(cls, call)
        instance = Instance(cls)
        init = inspect.getattr_static(cls, "__init__", None)
        if isinstance(init, FunctionType) and source_of(init):
            self.apply(BoundFunction(Live(init), instance), call)
        else:
            # Of a dataclass or a struct: the fields, in their order.
            names = list(getattr(cls, "__annotations__", {}))
            for name, values in (*zip(names, call.arguments, strict=False), *call.keywords.items()):
                self._attributes[cls, name] = self._attributes.get((cls, name), NOTHING) | values
        return frozenset({instance})

    def _written_target(self, call: Call) -> Target | None:
        """The kind of an object that is written out as a dictionary."""
        from kubewright.codegen.rights.needs import target_named  # noqa: PLC0415 - seldom used

        written = call.node.args[0] if isinstance(call.node, ast.Call) and call.node.args else None
        if not isinstance(written, ast.Dict):
            return None
        texts = {
            key.value: value.value
            for key, value in zip(written.keys, written.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
        }
        version, kind = texts.get("apiVersion"), texts.get("kind")
        return target_named(str(version), str(kind), self.kinds) if version and kind else None

    def _walk_function(self, function: FunctionType, call: Call) -> Values:
        nodes = source_of(function)
        if not nodes:
            self.escapes(call.values(), call.node, call.frame, where=f"{function.__qualname__}()")
            return NOTHING
        hints = annotations_of(function)
        result: set[Value] = set()
        for node in nodes:
            frame = Frame(
                file=function.__code__.co_filename,
                name=function.__qualname__.replace("<locals>.", ""),
                namespace=function.__globals__,
                cells=cells_of(function),
                marked=(*call.frame.marked, function, *_class_of(call)),
            )
            frame.variables = bound(node, call, hints)
            key = (node, frozenset(frame.variables.items()))
            if key in self._results:
                return self._results[key]
            self._results[key] = NOTHING
            result |= self._walk(node, frame)
            self._results[key] = frozenset(result)
        return frozenset(result)

    def _walk_closure(self, node: FunctionNode, outer: Frame, call: Call) -> Values:
        if node in self._running:
            return NOTHING
        frame = Frame(
            file=outer.file,
            name=outer.name,
            namespace=outer.namespace,
            outer=outer,
            marked=tuple({id(each): each for each in (*call.frame.marked, *outer.marked)}.values()),
        )
        hints = {
            each.arg: resolved(ast.unparse(each.annotation), outer.namespace)
            for each in parameters(node)
            if each.annotation is not None
        }
        frame.variables = bound(node, call, hints)
        self._running.add(node)
        try:
            return self._walk(node, frame)
        finally:
            self._running.discard(node)

    def _walk(self, node: FunctionNode, frame: Frame) -> Values:
        self._walked += 1
        if self._walked > _MOST_FUNCTIONS or self._depth > _MOST_DEPTH:
            self.complete = False
            self._note(
                f"the calls of {frame.name} are too many to follow; mark what it does with @rbac", frame
            )
            return NOTHING
        self._depth += 1
        try:
            if isinstance(node, ast.Lambda):
                return evaluate(self, node.body, frame)
            run(self, node.body, frame)
            return frozenset(frame.returned)
        finally:
            self._depth -= 1

    def _has_mark(self, frame: Frame, need: Need | None) -> bool:
        """Whether a function on the way has a mark that may be meant for a request."""
        marks = [mark for each in frame.marked for mark in permissions_of(each)]
        if need is None:
            return bool(marks)
        return any(
            set(need.verbs) <= {*mark.verbs} or "*" in mark.verbs
            for mark in marks
            if any(resource.partition("/")[2] == need.subresource for resource in mark.resources)
        )

    def _note(self, text: str, frame: Frame) -> None:
        if not self._has_mark(frame, None):
            self.notes[text] = None

    def _place(self, node: ast.AST, frame: Frame) -> str:
        file = os.path.relpath(frame.file, self._folder) if frame.file else ""
        shown = frame.file if file.startswith(os.pardir) else file
        return f"{shown}:{getattr(node, 'lineno', 0)}"


def _class_of(call: Call) -> tuple[object, ...]:
    """The class of the object whose method is called; its marks count for all its methods."""
    for value in call.arguments[0] if call.arguments else ():
        if isinstance(value, Instance):
            return (value.cls,)
        if isinstance(value, Live) and not isinstance(value.value, type):
            return (type(value.value),)
    return ()


def _named(value: Value) -> str:
    match value:
        case ContextValue():
            return "the context"
        case ApiValue(target) if target is not None:
            return f"the Api of {target.shown}"
        case ManagerValue():
            return "the manager"
        case ReviewValue():
            return "the review"
        case _:
            return "the client"
