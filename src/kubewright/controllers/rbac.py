"""`@rbac`: the rights that a function or class needs, said where they are used.

    @rbac(Pod, verbs=["get", "list", "create"])
    @rbac(groups=["apps"], resources=["deployments"], verbs=["get"], names=["web"], namespace="shop")
    async def reconcile(ctx, request): ...

`kubewright manifests` collects the marks of a project and makes Roles of them (see `roles`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

import msgspec

from kubewright.machinery.errors import DeclarationError, quoted

if TYPE_CHECKING:
    from kubewright.machinery.type_meta import TypeMeta

__all__ = ["MARKS", "Permission", "allow", "permissions_of", "rbac"]

T = TypeVar("T")

MARKS: Final = "__kubewright_rbac__"
"""The attribute in which a marked object has its permissions."""

_VERBS: Final = (
    *("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"),
    *("use", "bind", "escalate", "impersonate", "approve", "sign", "attest", "*"),
)
"""The verbs of requests, and those that Kubernetes' own admission and authorization ask for besides."""
_URL_VERBS: Final = ("get", "head", "post", "put", "patch", "delete", "options", "*")
"""The verbs of requests that are for no resource: the HTTP methods."""
_UNNAMED: Final = frozenset({"create", "deletecollection"})
"""Requests that name no object, so that a rule with resourceNames never allows them."""
_RESOURCE: Final = re.compile(r"(?:\*|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?:/(?:\*|[a-z0-9-]+))?").fullmatch
_GROUP: Final = re.compile(r"|\*|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?").fullmatch
_NAMESPACE: Final = re.compile(r"|[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?").fullmatch
_URL: Final = re.compile(r"/[^*]*\*?|\*").fullmatch


class Permission(msgspec.Struct, frozen=True, kw_only=True):
    """Verbs on resources, or on URLs; with a namespace, there alone."""

    verbs: tuple[str, ...]
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """The objects that it is about; none means all."""
    urls: tuple[str, ...] = ()
    namespace: str = ""


@overload
def rbac(
    kind: type[TypeMeta],
    /,
    *,
    verbs: Sequence[str],
    subresource: str = "",
    names: Sequence[str] = (),
    namespace: str = "",
) -> Callable[[T], T]: ...
@overload
def rbac(
    *,
    groups: Sequence[str],
    resources: Sequence[str],
    verbs: Sequence[str],
    names: Sequence[str] = (),
    namespace: str = "",
) -> Callable[[T], T]: ...
@overload
def rbac(*, urls: Sequence[str], verbs: Sequence[str]) -> Callable[[T], T]: ...
def rbac(
    kind: type[TypeMeta] | None = None,
    /,
    *,
    verbs: Sequence[str],
    subresource: str = "",
    groups: Sequence[str] = (),
    resources: Sequence[str] = (),
    names: Sequence[str] = (),
    urls: Sequence[str] = (),
    namespace: str = "",
) -> Callable[[T], T]:
    """A decorator: the function or class needs these rights. It stays as it is; several marks add up.

    What it is about is a kind, with `subresource="log"` a part of it; or `groups` and `resources`, as RBAC
    has them ("" is the core group); or `urls` such as "/healthz". `names` are the only objects it is about.
    With a `namespace` the rights hold there alone, else everywhere.

    Raises DeclarationError, with the remedy, for rights that no server would grant as they are written.
    """
    if kind is not None:
        if groups or resources or urls:
            raise DeclarationError(
                f"@rbac({_named(kind)}): a kind says its group and resource itself; give groups, resources "
                "or urls to a mark of their own"
            )
        made = allow(kind, verbs=verbs, subresource=subresource, names=names, namespace=namespace)
    elif subresource:
        raise DeclarationError(
            f"@rbac: subresource={quoted(subresource)} needs a kind; write resources=['pods/{subresource}']"
        )
    else:
        made = _checked(
            "@rbac",
            Permission(
                verbs=_listed("verbs", verbs),
                groups=tuple("" if each == "core" else each for each in _listed("groups", groups)),
                resources=_listed("resources", resources),
                names=_listed("names", names),
                urls=_listed("urls", urls),
                namespace=namespace,
            ),
        )

    def decorate(marked: T) -> T:
        known: Any = marked
        try:
            setattr(known, MARKS, (made, *permissions_of(known)))
        except (AttributeError, TypeError):
            raise DeclarationError(f"@rbac cannot mark {marked!r}; put it on a function or a class") from None
        return marked

    return decorate


def allow(
    kind: type[TypeMeta],
    *,
    verbs: Sequence[str],
    subresource: str = "",
    names: Sequence[str] = (),
    namespace: str = "",
) -> Permission:
    """Verbs on a kind, or on a part of it. Raises DeclarationError as `rbac` does."""
    resource = getattr(kind, "gvr", None)
    if resource is None:
        raise DeclarationError(
            f"@rbac: {_named(kind)} is no kind that a server has a resource for; give a class such as Pod, "
            "or groups= and resources="
        )
    where = f"@rbac({kind.__name__})"
    if namespace and not kind.namespaced:
        raise DeclarationError(
            f"{where}: {kind.__name__} has no namespace, so that a Role in {quoted(namespace)} never allows "
            "anything; take namespace= away"
        )
    if "/" in subresource:
        raise DeclarationError(f"{where}: subresource={quoted(subresource)} must be one word, such as 'log'")
    return _checked(
        where,
        Permission(
            verbs=_listed("verbs", verbs),
            groups=(resource.group,),
            resources=(f"{resource.resource}/{subresource}" if subresource else resource.resource,),
            names=_listed("names", names),
            namespace=namespace,
        ),
    )


def permissions_of(marked: object) -> tuple[Permission, ...]:
    """The marks of a function or class, its own and not those of a base."""
    found: tuple[Permission, ...] = getattr(marked, "__dict__", {}).get(MARKS, ())
    return found


def _named(kind: object) -> str:
    return str(getattr(kind, "__name__", repr(kind)))


def _listed(option: str, values: Sequence[str]) -> tuple[str, ...]:
    if isinstance(values, str):
        raise DeclarationError(f"@rbac: {option}={values!r} is one text; write {option}=[{values!r}]")
    found = tuple(values)
    for each in found:
        if not isinstance(each, str):
            raise DeclarationError(f"@rbac: {option} has {each!r}, which is no text")
    return found


def _checked(where: str, made: Permission) -> Permission:
    """The permission, if a server would take it and it can ever allow something."""
    if not made.verbs:
        raise DeclarationError(f"{where}: verbs is empty; name at least one, such as 'get'")
    if not _NAMESPACE(made.namespace):
        raise DeclarationError(f"{where}: namespace={quoted(made.namespace)} is no name of a namespace")
    if made.urls:
        _check_urls(where, made)
    else:
        _check_resources(where, made)
    return made


def _check_urls(where: str, made: Permission) -> None:
    if made.groups or made.resources or made.names or made.namespace:
        raise DeclarationError(
            f"{where}: urls are for no resource and no namespace; give them a mark of their own"
        )
    for url in made.urls:
        if not _URL(url):
            raise DeclarationError(
                f"{where}: urls has {quoted(url)}; a URL begins with / and may have * at its end alone"
            )
    _check_verbs(where, made.verbs, _URL_VERBS)


def _check_resources(where: str, made: Permission) -> None:
    if not made.groups or not made.resources:
        raise DeclarationError(
            f"{where}: it is about nothing; give a kind, or groups (the core group is '') and resources, or "
            "urls"
        )
    for group in made.groups:
        if not _GROUP(group):
            raise DeclarationError(
                f"{where}: groups has {quoted(group)}; write the group alone, such as 'apps', without a "
                "version"
            )
    for resource in made.resources:
        if not _RESOURCE(resource):
            raise DeclarationError(
                f"{where}: resources has {quoted(resource)}; write the plural in lower case, such as 'pods' "
                "or 'pods/log'"
            )
    _check_verbs(where, made.verbs, _VERBS)
    # Requests for a subresource name the object also when they create, as `pods/exec` does.
    whole = [resource for resource in made.resources if "/" not in resource]
    never = sorted(_UNNAMED.intersection(made.verbs))
    if "" in made.names:
        raise DeclarationError(f"{where}: names has an empty one; leave names out for all objects")
    if made.names and whole and never:
        raise DeclarationError(
            f"{where}: names cannot restrict {' and '.join(never)}, whose requests name no object, so that "
            f"it would never be allowed; give {' and '.join(never)} a mark of its own, without names"
        )


def _check_verbs(where: str, verbs: tuple[str, ...], known: tuple[str, ...]) -> None:
    for verb in verbs:
        # Those of constrained impersonation have a colon: impersonate:user-info.
        if verb not in known and not verb.startswith(("impersonate:", "impersonate-on:")):
            raise DeclarationError(
                f"{where}: there is no verb {quoted(verb)}; there are {', '.join(known)}; rights for verbs "
                "of an authorizer of your own belong into a Role of your own"
            )
