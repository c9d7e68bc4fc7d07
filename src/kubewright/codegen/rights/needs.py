"""The rights that requests need: those of the methods of `Api`, and those of the helpers of controllers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubewright.codegen.rights.values import Target
from kubewright.machinery.gvk import GroupVersion

if TYPE_CHECKING:
    from kubewright.machinery.resource import Resource

__all__ = ["API_METHODS", "READ", "Helper", "Need", "helper_of", "target_named", "target_of"]

READ: Final = ("get", "list", "watch")
"""What a cache of a kind needs; it gets single objects where an answer to a write was lost."""


class Need(NamedTuple):
    """Verbs on a kind, or on a subresource of it."""

    verbs: tuple[str, ...]
    subresource: str = ""


_STREAM: Final = ("create", "get")
"""A WebSocket is opened with GET, and Kubernetes asks for `create` as well since 1.35."""

API_METHODS: Final[dict[str, tuple[Need, ...]]] = {
    "get": (Need(("get",)),),
    "list": (Need(("list",)),),
    "by": (Need(READ),),
    "watch": (Need(("list", "watch")),),
    "watch_loop": (Need(("list", "watch")),),
    "wait_for": (Need(("list", "watch")),),
    "create": (Need(("create",)),),
    "update": (Need(("update",)),),
    "update_status": (Need(("update",), "status"),),
    "patch": (Need(("patch",)),),
    # An object that is not there is created, for which the server asks for `create` besides.
    "apply": (Need(("create", "patch")),),
    "delete": (Need(("delete",)),),
    "delete_collection": (Need(("deletecollection",)),),
    "retry_on_conflict": (Need(("get",)), Need(("update",))),
    "scale": (Need(("get",), "scale"),),
    "set_scale": (Need(("patch",), "scale"),),
    "evict": (Need(("create",), "eviction"),),
    "bind": (Need(("create",), "binding"),),
    "create_token": (Need(("create",), "token"),),
    "logs": (Need(("get",), "log"),),
    "log_text": (Need(("get",), "log"),),
    "exec": (Need(_STREAM, "exec"),),
    "exec_stream": (Need(_STREAM, "exec"),),
    "copy_from": (Need(_STREAM, "exec"),),
    "copy_to": (Need(_STREAM, "exec"),),
    "attach": (Need(_STREAM, "attach"),),
    "port_forward": (Need(_STREAM, "portforward"),),
}
"""What the methods of `Api` request. A test compares the names with those that `Api` has."""


class Helper(NamedTuple):
    """A function of `kubewright.controllers` that sends requests about its second argument."""

    needs: tuple[Need, ...]
    reads: bool = False
    """Whether it reads the object first, through the cache if its target has one."""
    callback: str = ""
    """The parameter that is a function of the object."""


@cache
def _helpers() -> dict[Callable[..., Any], Helper]:
    from kubewright.controllers import finalizers, status, writes  # noqa: PLC0415 - with the client

    # After a Conflict the object is read again, from the server.
    drop = (Need(("get", "patch")),)
    return {
        finalizers.finalize: Helper(drop, callback="cleanup"),
        finalizers.ensure_finalizer: Helper((Need(("patch",)),)),
        finalizers.drop_finalizer: Helper(drop),
        status.patch_status: Helper((Need(("patch",), "status"),), callback="change"),
        status.status_of: Helper((Need(("patch",), "status"),)),
        writes.create_or_update: Helper((Need(("create", "update")),), reads=True, callback="change"),
        # Which of the two patches it sends depends on what `change` does.
        writes.create_or_patch: Helper(
            (Need(("create", "patch")), Need(("patch",), "status")), reads=True, callback="change"
        ),
        writes.apply: Helper((Need(("create", "patch")),)),
    }


def helper_of(function: object) -> Helper | None:
    """What a helper needs; None for other functions."""
    try:
        return _helpers().get(function)  # type: ignore[call-overload, no-any-return]
    except TypeError:  # not hashable
        return None


def target_of(kind: object) -> Target | None:
    """The resource of a class; None for what is not a kind of the API."""
    resource: Any = getattr(kind, "gvr", None) if isinstance(kind, type) else None
    return None if resource is None else Target(resource.group, resource.resource, kind.__name__)  # type: ignore[attr-defined]


def target_named(api_version: str, kind: str, kinds: Iterable[type[Resource]]) -> Target | None:
    """The resource of a kind by its name, among the program's own and the built-in ones."""
    for each in kinds:
        if (each.gvk.api_version, each.gvk.kind) == (api_version, kind):
            return target_of(each)
    from kubewright.models.served import RESOURCES  # noqa: PLC0415 - large, and seldom used

    for row in RESOURCES:
        if (row.api_version, row.kind) == (api_version, kind):
            return Target(GroupVersion.parse(api_version).group, row.plural, kind)
    return None


def has_subresource(target: Target, name: str, kinds: Iterable[type[Resource]]) -> bool:
    """Whether a server has a subresource for a kind: by its declaration, or among the built-in ones."""
    for kind in kinds:
        declared: Any = getattr(kind, "__custom_resource__", None)
        if declared is not None and target_of(kind) == target:
            return name in declared.version.subresources
    from kubewright.models.served import RESOURCES  # noqa: PLC0415 - as above

    rows = [
        row
        for row in RESOURCES
        if (GroupVersion.parse(row.api_version).group, row.plural) == (target.group, target.resource)
    ]
    return not rows or any(sub.name == name for row in rows for sub in row.subresources)
