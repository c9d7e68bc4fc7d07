"""`@defaulting` and `@validating`: async functions as admission webhooks of a kind.

    @defaulting(App)
    async def complete(review: Review[App]) -> None:
        review.object.spec.replicas = review.object.spec.replicas or 1

    @validating(App, operations=["CREATE", "UPDATE", "DELETE"], failure_policy="Ignore")
    async def check(review: Review[App]) -> None:
        if review.operation == "DELETE" and review.object.spec.protected:
            raise Denied("it is protected")

They say what a webhook configuration has to say of the function and leave it as it is; `kubewright manifests`
writes the configuration, and a `WebhookServer` serves the function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, get_args

import msgspec

from kubewright.machinery.errors import DeclarationError, ParseError, quoted
from kubewright.machinery.names import is_dns1123_subdomain, is_qualified_name

if TYPE_CHECKING:
    from kubewright.machinery.meta import LabelSelector
    from kubewright.machinery.resource import Resource
    from kubewright.webhooks.review import Review

__all__ = [
    "MARK",
    "FailurePolicy",
    "MatchPolicy",
    "Operation",
    "ReinvocationPolicy",
    "SideEffects",
    "WebhookDeclaration",
    "defaulting",
    "validating",
    "webhook_of",
]

K = TypeVar("K", bound="Resource")

Operation: TypeAlias = Literal["CREATE", "UPDATE", "DELETE", "CONNECT", "*"]
FailurePolicy: TypeAlias = Literal["Fail", "Ignore"]
SideEffects: TypeAlias = Literal["None", "NoneOnDryRun"]
"""What v1 of the API still takes: webhooks with other effects are refused by servers."""
MatchPolicy: TypeAlias = Literal["Exact", "Equivalent"]
ReinvocationPolicy: TypeAlias = Literal["Never", "IfNeeded"]

MARK: Final = "__kubewright_webhook__"
"""The attribute in which a function has its declaration."""

_NO_CONDITIONS: Final[Mapping[str, str]] = {}
_MAX_CONDITIONS: Final = 64
"""How many match conditions a server takes: its validation of webhook configurations."""


class WebhookDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """What a webhook configuration says of one function; empty and None leave it to the server's default."""

    kind: type[Resource]
    """The kind of the objects that the function gets."""
    mutating: bool
    operations: tuple[Operation, ...]
    path: str
    name: str
    failure_policy: FailurePolicy
    side_effects: SideEffects
    timeout_seconds: int | None = None
    match_policy: MatchPolicy | Literal[""] = ""
    reinvocation_policy: ReinvocationPolicy | Literal[""] = ""
    object_selector: LabelSelector | None = None
    namespace_selector: LabelSelector | None = None
    match_conditions: Mapping[str, str] = _NO_CONDITIONS
    """Expressions in CEL by their names; requests for which one is false are not sent."""
    subresource: str = ""
    parent: type[Resource] | None = None
    """Whose subresource it is, where that is not the kind itself."""

    @property
    def resources(self) -> str:
        """What a rule calls it: `pods`, `pods/status`."""
        resource = (self.parent or self.kind).gvr.resource
        return f"{resource}/{self.subresource}" if self.subresource else resource


_Function: TypeAlias = "Callable[[Review[K]], Coroutine[Any, Any, None]]"


def defaulting(  # noqa: PLR0913 - all that a configuration can say
    kind: type[K],
    *,
    operations: Sequence[Operation] = ("CREATE", "UPDATE"),
    failure_policy: FailurePolicy = "Fail",
    timeout_seconds: int | None = None,
    side_effects: SideEffects = "None",
    match_policy: MatchPolicy | None = None,
    reinvocation_policy: ReinvocationPolicy | None = None,
    object_selector: LabelSelector | None = None,
    namespace_selector: LabelSelector | None = None,
    match_conditions: Mapping[str, str] = _NO_CONDITIONS,
    subresource: str = "",
    parent: type[Resource] | None = None,
    name: str = "",
    path: str = "",
) -> Callable[[_Function[K]], _Function[K]]:
    """A decorator: the async function changes objects of the kind in place before they are stored.

    Without `subresource` it is asked about the objects themselves, and with it about that alone, as "status".
    Where the objects of a subresource are of another kind, `parent` is whose it is:
    `@defaulting(Scale, parent=Deployment, subresource="scale")`.

    The other options are those of a MutatingWebhookConfiguration; `path` is `/mutate-example-com-v1-app` and
    `name` `mapp-v1.example.com` unless they are given.

    Raises DeclarationError for what a server would refuse.
    """
    return _decorator(
        "@defaulting",
        kind,
        WebhookDeclaration(
            kind=kind,
            mutating=True,
            operations=_operations("@defaulting", kind, parent, operations),
            path=path or _usual_path("mutate", parent or kind, subresource),
            name=name or _usual_name("m", parent or kind, subresource),
            failure_policy=failure_policy,
            side_effects=side_effects,
            timeout_seconds=timeout_seconds,
            match_policy=match_policy or "",
            reinvocation_policy=reinvocation_policy or "",
            object_selector=object_selector,
            namespace_selector=namespace_selector,
            match_conditions=dict(match_conditions),
            subresource=subresource,
            parent=parent,
        ),
    )


def validating(  # noqa: PLR0913 - all that a configuration can say
    kind: type[K],
    *,
    operations: Sequence[Operation] = ("CREATE", "UPDATE"),
    failure_policy: FailurePolicy = "Fail",
    timeout_seconds: int | None = None,
    side_effects: SideEffects = "None",
    match_policy: MatchPolicy | None = None,
    object_selector: LabelSelector | None = None,
    namespace_selector: LabelSelector | None = None,
    match_conditions: Mapping[str, str] = _NO_CONDITIONS,
    subresource: str = "",
    parent: type[Resource] | None = None,
    name: str = "",
    path: str = "",
) -> Callable[[_Function[K]], _Function[K]]:
    """A decorator: the async function says whether objects of the kind may be stored, changed or deleted.

    `subresource` and `parent` are those of `defaulting`. The other options are those of a
    ValidatingWebhookConfiguration; `path` is `/validate-example-com-v1-app` and `name` `vapp-v1.example.com`
    unless they are given.

    Raises DeclarationError for what a server would refuse.
    """
    return _decorator(
        "@validating",
        kind,
        WebhookDeclaration(
            kind=kind,
            mutating=False,
            operations=_operations("@validating", kind, parent, operations),
            path=path or _usual_path("validate", parent or kind, subresource),
            name=name or _usual_name("v", parent or kind, subresource),
            failure_policy=failure_policy,
            side_effects=side_effects,
            timeout_seconds=timeout_seconds,
            match_policy=match_policy or "",
            object_selector=object_selector,
            namespace_selector=namespace_selector,
            match_conditions=dict(match_conditions),
            subresource=subresource,
            parent=parent,
        ),
    )


def webhook_of(function: object) -> WebhookDeclaration | None:
    """What `@defaulting` or `@validating` said of a function; None for others."""
    found: WebhookDeclaration | None = getattr(function, "__dict__", {}).get(MARK)
    return found


def _decorator(what: str, kind: type[K], made: WebhookDeclaration) -> Callable[[_Function[K]], _Function[K]]:
    where = f"{what}({kind.__name__})"
    _check(where, made)

    def decorate(function: _Function[K]) -> _Function[K]:
        shown = getattr(function, "__qualname__", repr(function))
        if not inspect.iscoroutinefunction(function):
            raise DeclarationError(f"{where}: {shown} is no async function; write async def {shown}(...)")
        if webhook_of(function) is not None:
            raise DeclarationError(f"{where}: {shown} is a webhook already; write a function for each")
        setattr(function, MARK, made)
        return function

    return decorate


def _usual_path(verb: str, kind: type[Resource], subresource: str) -> str:
    """Where controller-runtime serves such a webhook, so that its configurations fit."""
    gvk = kind.gvk
    path = f"/{verb}-{gvk.group.replace('.', '-')}-{gvk.version}-{gvk.kind.lower()}"
    return f"{path}-{subresource}" if subresource else path


def _usual_name(first: str, kind: type[Resource], subresource: str) -> str:
    """A name of at least three segments, as servers demand; built-in groups without a domain get theirs."""
    gvk = kind.gvk
    domain = gvk.group if "." in gvk.group else f"{gvk.group or 'core'}.k8s.io"
    what = f"{gvk.kind.lower()}-{subresource}" if subresource else gvk.kind.lower()
    return f"{first}{what}-{gvk.version}.{domain}"


def _operations(
    what: str, kind: type[Resource], parent: type[Resource] | None, operations: Sequence[Operation]
) -> tuple[Operation, ...]:
    missing = kind if not hasattr(kind, "gvk") else None
    served = kind if parent is None else parent
    if missing is None and not hasattr(served, "gvr"):
        missing = served
    if missing is not None:
        shown = getattr(missing, "__name__", repr(missing))
        raise DeclarationError(
            f"{what}: {shown} is no kind of the API; give a class such as Pod, or one with @custom_resource"
        )
    where, known = f"{what}({kind.__name__})", get_args(Operation)
    if isinstance(operations, str):
        raise DeclarationError(f"{where}: operations is one text; write operations=[{operations!r}]")
    if not operations:
        raise DeclarationError(f"{where}: operations is empty; name some of {', '.join(known)}")
    for each in operations:
        if each not in known:
            raise DeclarationError(
                f"{where}: there is no operation {quoted(str(each))}; there are {', '.join(known)}"
            )
    # One order, whatever the order in the code; "*" stands for all.
    return ("*",) if "*" in operations else tuple(each for each in known if each in operations)


def _check(where: str, made: WebhookDeclaration) -> None:
    _check_subresource(where, made)
    _check_one_of(where, "failure_policy", made.failure_policy, get_args(FailurePolicy))
    _check_one_of(where, "side_effects", made.side_effects, get_args(SideEffects))
    _check_one_of(where, "match_policy", made.match_policy, ("", *get_args(MatchPolicy)))
    _check_one_of(where, "reinvocation_policy", made.reinvocation_policy, ("", *get_args(ReinvocationPolicy)))
    if made.timeout_seconds is not None and not 1 <= made.timeout_seconds <= 30:
        raise DeclarationError(
            f"{where}: timeout_seconds={made.timeout_seconds} is refused by servers; give 1 to 30"
        )
    if is_dns1123_subdomain(made.name) or made.name.count(".") < 2:
        raise DeclarationError(
            f"{where}: name={quoted(made.name)} is refused by servers; give a domain of at least three "
            "segments, such as check.apps.example.com"
        )
    # Each segment is such a name for servers too.
    if not made.path.startswith("/") or any(map(is_dns1123_subdomain, made.path[1:].split("/"))):
        raise DeclarationError(
            f"{where}: path={quoted(made.path)} is refused by servers; write it in lower case, as "
            "/validate-app"
        )
    _check_selectors(where, made)
    _check_conditions(where, made.match_conditions)


def _check_subresource(where: str, made: WebhookDeclaration) -> None:
    if made.parent is not None and not made.subresource:
        raise DeclarationError(
            f"{where}: parent={made.parent.__name__} says whose subresource it is; give subresource= as well"
        )
    if "/" in made.subresource:
        raise DeclarationError(
            f"{where}: subresource={quoted(made.subresource)} has a slash; write it as 'status'"
        )


def _check_one_of(where: str, option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        shown = " or ".join(each for each in known if each)
        raise DeclarationError(f"{where}: {option}={quoted(str(value))} is refused by servers; give {shown}")


def _check_selectors(where: str, made: WebhookDeclaration) -> None:
    selectors = (("object_selector", made.object_selector), ("namespace_selector", made.namespace_selector))
    for option, selector in selectors:
        if selector is None:
            continue
        try:
            selector.to_selector()
        except ParseError as error:
            raise DeclarationError(f"{where}: {option}: {error}") from None


def _check_conditions(where: str, conditions: Mapping[str, str]) -> None:
    if len(conditions) > _MAX_CONDITIONS:
        raise DeclarationError(
            f"{where}: {len(conditions)} match conditions, and servers take {_MAX_CONDITIONS}"
        )
    for name, expression in conditions.items():
        if wrong := is_qualified_name(name):
            raise DeclarationError(
                f"{where}: match_conditions has the name {quoted(name)}: {'; '.join(wrong)}"
            )
        if not expression.strip():
            raise DeclarationError(f"{where}: the match condition {quoted(name)} is empty; write it in CEL")
