"""What `manager.controller` is given, looked at before anything runs: a mistake is one sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from inspect import Signature, iscoroutine, iscoroutinefunction, isfunction, ismethod, signature, unwrap
from typing import Any

from kubewright.machinery.annotations import return_text
from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.names import is_dns1123_subdomain

__all__ = [
    "check_controller",
    "check_controller_options",
    "check_function",
    "check_indexes",
    "check_kind",
    "check_lists",
    "check_manager",
    "check_manager_options",
    "check_numbers",
    "shown",
]


def check_controller(
    kind: object, reconcile: object, *, owns: object = (), watches: object = (), predicates: object = ()
) -> None:
    """Raise DeclarationError for what a controller cannot be made of, with what to write instead."""
    check_kind("controller", kind)
    check_reconcile(f"controller({shown(kind)})", reconcile)
    check_lists(owns=owns, watches=watches, predicates=predicates)
    for each in _several(owns):
        check_kind("owns", each)
    for each in _several(watches):
        if not hasattr(each, "mapping"):
            raise DeclarationError(
                f"watches has {shown(each)}, which does not say what is to be reconciled; write "
                f"Source({shown(each)}, function), where the function returns Requests for an object"
            )
    for each in _several(predicates):
        if not callable(each):
            raise DeclarationError(
                f"predicates has {each!r}, which is no function of a Change; labels are has_labels({each!r})"
            )


def check_lists(**options: object) -> None:
    """Raise DeclarationError for options that are what should be in a list."""
    for option, value in options.items():
        if isinstance(value, str):
            raise DeclarationError(f"{option}={value!r} is a text; write {option}=[...]")
        if isinstance(value, type) or not isinstance(value, Iterable):
            raise DeclarationError(f"{option}={shown(value)} is one alone; write {option}=[{shown(value)}]")


def check_kind(option: str, value: object) -> None:
    """Raise DeclarationError for what is no kind, nor an `Api` or a source of one."""
    if not hasattr(value, "gvk") and not hasattr(value, "mapping"):
        raise DeclarationError(
            f"{option} has {shown(value)}, which is no kind of the API; give a class such as Pod, or one "
            "with @custom_resource"
        )


def check_function(where: str, value: object, wanted: str = "an async function") -> None:
    """Raise DeclarationError for what is no function, such as the coroutine of one that was called."""
    if iscoroutine(value):
        value.close()
        name = value.__qualname__
        raise DeclarationError(f"{where}: {name}() was called; give the function itself, {name}")
    if not callable(value):
        raise DeclarationError(f"{where}: {value!r} is no function; give {wanted}")


def check_indexes(kind: str, functions: object) -> None:
    """Raise DeclarationError for what are no index functions by name."""
    if not isinstance(functions, Mapping):
        raise DeclarationError(f"index({kind}): {functions!r} is no dict; write {{'name': function}}")
    for name, function in functions.items():
        check_function(f"index({kind})[{name!r}]", function, "one that returns a list of texts for an object")


def check_manager(
    *, client: object, uncached: object, stop_timeout: object, lease: str, blocked_after: object
) -> None:
    """Raise DeclarationError and ValueError for what a manager cannot be made of."""
    if isinstance(client, str):
        raise DeclarationError(f"Manager({client!r}): it is a text; give a Client, or none for the usual one")
    if client is not None and not _has(client, "api"):
        raise DeclarationError(
            f"Manager({shown(client)}): it is no Client; give Client(...), or none for the usual one"
        )
    check_lists(uncached=uncached)
    for each in _several(uncached):
        check_kind("uncached", each)
    if isinstance(stop_timeout, bool) or not isinstance(stop_timeout, int | float) or stop_timeout < 0:
        raise ValueError(f"stop_timeout is {stop_timeout!r}; give 0 seconds or more")
    if blocked_after is not None and not _is_seconds(blocked_after):
        raise ValueError(
            f"blocked_after is {blocked_after!r}; give more than 0 seconds, or None for no watch"
        )
    if lease and (wrong := is_dns1123_subdomain(lease)):
        raise ValueError(f"leader_election={lease!r} is no name of a Lease: {'; '.join(wrong)}")


def check_manager_options(
    *,
    leader_election: object,
    namespaces: object,
    signals: object,
    webhooks: object,
    addresses: Mapping[str, object],
    clock: object,
) -> None:
    """Raise DeclarationError for options of a manager that are of another type than they can be.

    What serves, elects or tells the time is known by what it can do, so that stand-ins of tests pass.
    """
    if leader_election is not None and not isinstance(leader_election, str):
        remedy = "the name of a Lease, LeaderElection(...), or None for no election"
        _require("leader_election", leader_election, "elector", remedy)
    if namespaces is None:
        raise DeclarationError("namespaces is None; give texts, or () for all")
    if not isinstance(namespaces, str):
        check_lists(namespaces=namespaces)
        for each in _several(namespaces):
            if not isinstance(each, str):
                raise DeclarationError(f"namespaces has {shown(each)}, which is no name; give texts")
    if not isinstance(signals, int) or signals not in (0, 1):
        raise DeclarationError(f"signals is {shown(signals)}; give True or False")
    if webhooks is not None and webhooks is not False:
        _require("webhooks", webhooks, "lend", "WebhookServer(...), or False to run without")
    for option, address in addresses.items():
        if not isinstance(address, str):
            raise DeclarationError(f"{option} is {shown(address)}; give a text such as '127.0.0.1:8080'")
    if clock is not None:
        _require("clock", clock, "now", "a WallClock such as ManualClock(), or None for the real time")


def check_controller_options(
    *, name: object, rate_limiter: object, priority: object, cluster: object
) -> None:
    """Raise DeclarationError for options of a controller that are of another type than they can be."""
    if name is not None and not isinstance(name, str):
        raise DeclarationError(f"name is {shown(name)}; give a text, for logs and metrics")
    if rate_limiter is not None:
        _require("rate_limiter", rate_limiter, "when", "one such as ExponentialBackoff(), or None")
    check_function("priority", priority, "a function that returns an int for a Change")
    if not isinstance(cluster, str):
        _require("cluster", cluster, "cache", "what manager.cluster(...) returned, or its name")


def check_reconcile(where: str, value: object) -> None:
    """Raise DeclarationError for what is no async function of a context and a request.

    What only turns out when it is called, as with a lambda or an object, is let pass.
    """
    check_function(where, value)
    function: Any = value
    name = shown(value).rpartition(".")[2]
    if isinstance(value, type):
        raise DeclarationError(f"{where}: {name} is a class; give a method of an object of it")
    if _is_sync(function):
        raise DeclarationError(f"{where}: {name} is no async function; write async def {name}")
    try:
        taken = _signature(function)
    except (TypeError, ValueError):  # Of what is written in C nobody knows.
        return
    try:
        taken.bind(None, None)
    except TypeError:
        raise DeclarationError(
            f"{where}: {name}({', '.join(taken.parameters)}) cannot be called with a context and a request; "
            f"write async def {name}(ctx, request)"
        ) from None


def _signature(function: Callable[..., object]) -> Signature:
    """Returns the parameters of a function; names in its annotations need not be defined."""
    if sys.version_info >= (3, 14):
        from annotationlib import Format  # noqa: PLC0415 - absent from older Pythons

        return signature(function, annotation_format=Format.STRING)
    else:  # noqa: RET505 - for mypy, which takes the code after a check of the version for unreachable
        return signature(function)


def check_numbers(*, workers: object, timeout: object, warn_after: object, resync: object) -> None:
    """Raise ValueError for numbers that a controller cannot work by."""
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise ValueError(f"workers is {workers!r}; a controller needs one at least")
    if not _is_seconds(warn_after):
        raise ValueError(f"warn_after is {warn_after!r}; give more than 0 seconds")
    for option, value, otherwise in (("timeout", timeout, "for no limit"), ("resync", resync, "for never")):
        if value is not None and not _is_seconds(value):
            raise ValueError(f"{option} is {value!r}; give more than 0 seconds, or None {otherwise}")


def _require(option: str, value: object, ability: str, remedy: str) -> None:
    """Raise DeclarationError for what lacks an ability; a class has it only once an object is made of it."""
    if not _has(value, ability):
        raise DeclarationError(f"{option} is {shown(value)}; give {remedy}")


def _has(value: object, ability: str) -> bool:
    return not isinstance(value, type) and hasattr(value, ability)


def _is_seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _is_sync(function: Any) -> bool:
    """Whether a function returns nothing to wait for, for all that can be told before it is called."""
    while isinstance(function, partial):
        function = function.func
    function = unwrap(function)
    if iscoroutinefunction(function) or not (isfunction(function) or ismethod(function)):
        return False
    returns = return_text(function)
    may_return_one = any(name in returns for name in ("Awaitable", "Coroutine", "Future", "Task", "Any"))
    return function.__name__ != "<lambda>" and not may_return_one


def shown(value: object) -> str:
    """A class or function by its name, anything else as it is written, or by its type."""
    name: Any = getattr(value, "__qualname__", None)
    if isinstance(name, str):
        return name
    return f"{type(value).__name__}(...)" if type(value).__repr__ is object.__repr__ else repr(value)


def _several(value: object) -> Collection[object]:
    """What is in a list; nothing of what can be read once only."""
    return value if isinstance(value, Collection) else ()
