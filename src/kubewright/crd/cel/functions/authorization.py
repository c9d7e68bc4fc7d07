"""`authorizer`: asking in an expression whether somebody may do something.

Who is asked is given with the variable: see `AuthorizerValue`. A question costs so much that an expression
may put two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from kubewright.crd.cel.functions.function import Cost, Function, ceil_tenths
from kubewright.crd.cel.values import CelError, Computed, no_such_overload, size_of
from kubewright.machinery.names import is_dns1123_label, is_dns1123_subdomain

__all__ = ["FUNCTIONS", "AuthorizerValue", "Check", "DecisionValue", "PathCheck", "ResourceCheck"]

_CHECK_COST: Final = 350_000
"""What a question costs; of upstream's library/cost.go."""


class DecisionValue(NamedTuple):
    """The answer to a question; `error` is empty when it could be found."""

    allowed: bool
    reason: str
    error: str = ""

    @property
    def cel_type(self) -> str:
        return "kubernetes.authorization.Decision"


class ResourceCheck(NamedTuple):
    """A question about a resource, but for the verb."""

    authorizer: AuthorizerValue
    group: str
    resource: str
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    field_selector: str = ""
    label_selector: str = ""

    @property
    def cel_type(self) -> str:
        return "kubernetes.authorization.ResourceCheck"


class PathCheck(NamedTuple):
    """A question about a path outside of the resources, but for the verb."""

    authorizer: AuthorizerValue
    path: str

    @property
    def cel_type(self) -> str:
        return "kubernetes.authorization.PathCheck"


class _GroupCheck(NamedTuple):
    authorizer: AuthorizerValue
    group: str

    @property
    def cel_type(self) -> str:
        return "kubernetes.authorization.GroupCheck"


class Check(Protocol):
    """Decides; `service_account` is its namespace and name, or None for who sends the request."""

    def __call__(
        self, question: ResourceCheck | PathCheck, verb: str, service_account: tuple[str, str] | None
    ) -> DecisionValue: ...


class AuthorizerValue(Computed):
    """The value of `authorizer`."""

    __slots__ = ("check", "request_resource", "service_account")
    cel_type = "kubernetes.authorization.Authorizer"

    def __init__(
        self,
        check: Check,
        *,
        request_resource: Callable[[AuthorizerValue], ResourceCheck] | None = None,
        service_account: tuple[str, str] | None = None,
    ) -> None:
        """`request_resource` makes the question about what the request itself is for."""
        self.check = check
        self.request_resource = request_resource
        self.service_account = service_account

    def select(self, field: str) -> object:
        if field != "requestResource" or self.request_resource is None:
            raise CelError(f"no such key: {field}")
        return self.request_resource(self)


def _path(authorizer: object, path: object) -> PathCheck:
    if not isinstance(authorizer, AuthorizerValue) or not isinstance(path, str):
        raise no_such_overload("path", authorizer, path)
    if not path.strip():
        raise CelError("path must not be empty")
    return PathCheck(authorizer, path)


def _group(authorizer: object, group: object) -> _GroupCheck:
    if not isinstance(authorizer, AuthorizerValue) or not isinstance(group, str):
        raise no_such_overload("group", authorizer, group)
    return _GroupCheck(authorizer, group)


def _service_account(authorizer: object, namespace: object, name: object) -> AuthorizerValue:
    if not (isinstance(authorizer, AuthorizerValue) and isinstance(namespace, str) and isinstance(name, str)):
        raise no_such_overload("serviceAccount", authorizer, namespace, name)
    if is_dns1123_subdomain(name):
        raise CelError("Invalid service account name")
    if is_dns1123_label(namespace):
        raise CelError("Invalid service account namespace")
    return AuthorizerValue(authorizer.check, service_account=(namespace, name))


def _resource(group: object, resource: object) -> ResourceCheck:
    if not isinstance(group, _GroupCheck) or not isinstance(resource, str):
        raise no_such_overload("resource", group, resource)
    if not resource.strip():
        raise CelError("resource must not be empty")
    return ResourceCheck(group.authorizer, group.group, resource)


def _narrowed(
    function: str, narrow: Callable[[ResourceCheck, str], ResourceCheck], cost: Cost | None = None
) -> Function:
    def call(question: object, value: object) -> ResourceCheck:
        if not isinstance(question, ResourceCheck) or not isinstance(value, str):
            raise no_such_overload(function, question, value)
        return narrow(question, value)

    return Function(call, cost)


def _per_selector(args: Sequence[object], _result: object) -> int:
    return ceil_tenths(size_of(args[1]))


def _check(question: object, verb: object) -> DecisionValue:
    if not isinstance(question, ResourceCheck | PathCheck) or not isinstance(verb, str):
        raise no_such_overload("check", question, verb)
    return question.authorizer.check(question, verb, question.authorizer.service_account)


def _told(function: str, tell: Callable[[DecisionValue], object]) -> Function:
    def call(decision: object) -> object:
        if not isinstance(decision, DecisionValue):
            raise no_such_overload(function, decision)
        return tell(decision)

    return Function(call)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "path": Function(_path),
    "group": Function(_group),
    "serviceAccount": Function(_service_account),
    "resource": Function(_resource),
    "subresource": _narrowed("subresource", lambda asked, text: asked._replace(subresource=text)),
    "namespace": _narrowed("namespace", lambda asked, text: asked._replace(namespace=text)),
    "name": _narrowed("name", lambda asked, text: asked._replace(name=text)),
    "fieldSelector": _narrowed(
        "fieldSelector", lambda asked, text: asked._replace(field_selector=text), _per_selector
    ),
    "labelSelector": _narrowed(
        "labelSelector", lambda asked, text: asked._replace(label_selector=text), _per_selector
    ),
    "check": Function(_check, lambda _args, _result: _CHECK_COST),
    "allowed": _told("allowed", lambda decision: decision.allowed),
    "reason": _told("reason", lambda decision: decision.reason),
    "errored": _told("errored", lambda decision: bool(decision.error)),
    "error": _told("error", lambda decision: decision.error),
}
