"""The operations on a resource: which paths there are, and what each method on them takes and answers.

Independent of the version of OpenAPI; `v2` and `v3` write them down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from kubewright.machinery.gvk import GroupVersionKind
from kubewright.server.openapi import parameters
from kubewright.server.openapi.parameters import Parameter
from kubewright.server.registry.resource import ServedResource, ServedSubresource

__all__ = [
    "ALL_MEDIA",
    "META",
    "Operation",
    "PathItem",
    "definition_name",
    "operation_words",
    "resource_paths",
]

META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
"""Where the definitions are that all groups share."""

_JSON_YAML: Final = ("application/json", "application/yaml")
ALL_MEDIA: Final = (*_JSON_YAML, "application/vnd.kubernetes.protobuf")
"""In what built-in kinds and discovery are written."""

_STREAMS: Final = (
    *ALL_MEDIA,
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
)
_ANY_MEDIA: Final = ("*/*",)
_PATCHES: Final = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)
_CUSTOM_PATCHES: Final = tuple(item for item in _PATCHES if "strategic" not in item)

_CONNECT_METHODS: Final = {
    "create": "post",
    "delete": "delete",
    "get": "get",
    "patch": "patch",
    "update": "put",
}
"""By the verbs of discovery; a proxy, which has them all, is also asked for HEAD and OPTIONS."""

_PACKAGES: Final = {
    "": "io.k8s.api.core",
    "apiextensions.k8s.io": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
    "apiregistration.k8s.io": "io.k8s.kube-aggregator.pkg.apis.apiregistration",
}
"""Groups whose definitions are not named after the first part of the group."""


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One method on one path."""

    method: str
    id: str
    tag: str
    action: str = ""
    """What discovery and RBAC call a verb, in the words of OpenAPI: `put`, `watchlist`, `connect`."""
    kind: GroupVersionKind | None = None
    parameters: Sequence[Parameter] = ()
    body: str = ""
    """The definition of what is sent; empty where nothing is."""
    body_required: bool = True
    responses: Mapping[int, str] = {}
    """By status code, the definition of what is answered; empty for plain text."""
    consumes: Sequence[str] = _ANY_MEDIA
    produces: Sequence[str] = ALL_MEDIA


class PathItem(msgspec.Struct, frozen=True):
    """A path with all its methods."""

    path: str
    operations: Sequence[Operation]


def definition_name(kind: GroupVersionKind, *, custom: bool = False) -> str:
    """What the definition of a kind is called."""
    if custom:
        package = ".".join(reversed(kind.group.split(".")))
    else:
        package = _PACKAGES.get(kind.group) or f"io.k8s.api.{kind.group.partition('.')[0]}"
    return f"{package}.{kind.version}.{kind.kind}"


def operation_words(text: str, *, capital: bool) -> str:
    """A text as part of an operation's id or tag: letters, digits and underscores, each word capitalised."""
    made = []
    for position, char in enumerate(text):
        if char.isalpha() or char == "_" or (position and char.isdigit()):
            made.append(char.upper() if capital else char)
            capital = False
        else:
            capital = True
    return "".join(made)


def resource_paths(resource: ServedResource) -> Iterator[PathItem]:
    """Every path of a resource and its subresources."""
    found: dict[str, list[Operation]] = {}
    for path, operation in _Writer(resource).write():
        found.setdefault(path, []).append(operation)
    return (PathItem(path, operations) for path, operations in found.items())


class _Writer:
    """Writes the operations of one resource."""

    def __init__(self, resource: ServedResource) -> None:
        self._resource = resource
        group_version = resource.group_version
        self._root = f"/apis/{group_version}" if resource.group else f"/api/{group_version}"
        group = resource.group.removesuffix(".k8s.io") or "core"
        self._id = operation_words(group, capital=True) + operation_words(resource.version, capital=True)
        self._tag = (
            f"{operation_words(group, capital=False)}_{operation_words(resource.version, capital=False)}"
        )
        self._name = definition_name(resource.gvk, custom=resource.custom)
        self._scope = (parameters.NAMESPACE,) if resource.namespaced else ()
        self._scoped = "Namespaced" if resource.namespaced else ""
        self._produces = _JSON_YAML if resource.custom else ALL_MEDIA
        self._consumes = _JSON_YAML if resource.custom else _ANY_MEDIA

    def write(self) -> Iterator[tuple[str, Operation]]:
        resource = self._resource
        namespace = "/namespaces/{namespace}" if resource.namespaced else ""
        plain, scoped = f"/{resource.resource}", f"{namespace}/{resource.resource}"
        yield from self._collection(plain, scoped)
        yield from self._object(f"{self._root}{scoped}/{{name}}")
        if not resource.custom and "watch" in resource.verbs:
            yield from self._watches(plain, scoped)
        for name, subresource in resource.subresources.items():
            yield from self._subresource(f"{self._root}{scoped}/{{name}}/{name}", name, subresource)

    def _operation(
        self,
        method: str,
        verb: str,
        rest: str,
        action: str,
        takes: Sequence[Parameter],
        responses: Mapping[int, str],
        *,
        kind: GroupVersionKind | None = None,
        body: str = "",
        body_required: bool = True,
        consumes: Sequence[str] = (),
        produces: Sequence[str] = (),
    ) -> Operation:
        return Operation(
            method=method,
            id=f"{verb}{self._id}{operation_words(rest, capital=True)}",
            tag=self._tag,
            action=action,
            kind=kind or self._resource.gvk,
            parameters=takes,
            body=body,
            body_required=body_required,
            responses=responses,
            consumes=consumes or self._consumes,
            produces=produces or self._produces,
        )

    def _collection(self, plain: str, scoped: str) -> Iterator[tuple[str, Operation]]:
        resource, verbs = self._resource, self._resource.verbs
        path, common = f"{self._root}{scoped}", (*self._scope, parameters.PRETTY)
        if "create" in verbs or resource.custom:
            yield path, self._create(f"{self._scoped}{resource.kind}", common, resource.gvk)
        if "deletecollection" in verbs:
            yield path, self._delete_collection(common)
        if "list" not in verbs:
            return
        listed = definition_name(resource.group_version.with_kind(resource.list_kind), custom=resource.custom)
        produces = self._produces if resource.custom else _STREAMS
        takes = (*parameters.LIST_PARAMETERS, *common)
        rest = f"{self._scoped}{resource.kind}"
        yield path, self._operation("get", "list", rest, "list", takes, {200: listed}, produces=produces)
        if resource.namespaced:
            takes = (*parameters.LIST_PARAMETERS, parameters.PRETTY)
            rest = f"{resource.kind}ForAllNamespaces"
            yield (
                f"{self._root}{plain}",
                self._operation("get", "list", rest, "list", takes, {200: listed}, produces=produces),
            )

    def _delete_collection(self, common: Sequence[Parameter]) -> Operation:
        rest = f"collection{self._scoped}{self._resource.kind}"
        responses = {200: f"{META}Status"}
        if self._resource.custom:
            takes = (*parameters.LIST_PARAMETERS, *common)
            return self._operation("delete", "delete", rest, "deletecollection", takes, responses)
        return self._operation(
            "delete",
            "delete",
            rest,
            "deletecollection",
            (*parameters.DELETE_COLLECTION_PARAMETERS, *common),
            responses,
            body=f"{META}DeleteOptions",
            body_required=False,
        )

    def _create(self, rest: str, common: Sequence[Parameter], kind: GroupVersionKind) -> Operation:
        name = definition_name(kind, custom=self._resource.custom)
        takes = (*parameters.WRITE_PARAMETERS, *common)
        responses = dict.fromkeys((200, 201, 202), name)
        return self._operation("post", "create", rest, "post", takes, responses, kind=kind, body=name)

    def _object(self, path: str) -> Iterator[tuple[str, Operation]]:
        resource = self._resource
        rest = f"{self._scoped}{resource.kind}"
        # Upstream's OpenAPI of a custom resource lists all methods, also while its definition is deleted.
        verbs = ("get", "update", "patch", "delete") if resource.custom else resource.verbs
        for operation in self._reads_and_writes(rest, verbs, resource.gvk, self._name):
            yield path, operation
        if "delete" in verbs:
            deleted = self._name if resource.returned_when_deleted else f"{META}Status"
            operation = self._operation(
                "delete",
                "delete",
                rest,
                "delete",
                (*parameters.DELETE_PARAMETERS, *self._object_parameters()),
                {200: deleted, 202: deleted},
                body=f"{META}DeleteOptions",
                body_required=False,
            )
            yield path, operation

    def _object_parameters(self) -> tuple[Parameter, ...]:
        return (parameters.NAME, *self._scope, parameters.PRETTY)

    def _reads_and_writes(
        self, rest: str, verbs: Sequence[str], kind: GroupVersionKind, name: str
    ) -> Iterator[Operation]:
        common, custom = self._object_parameters(), self._resource.custom
        if "get" in verbs:
            takes = (*parameters.READ_PARAMETERS, *common) if custom else common
            yield self._operation("get", "read", rest, "get", takes, {200: name}, kind=kind)
        if "update" in verbs:
            takes = (*parameters.WRITE_PARAMETERS, *common)
            responses = dict.fromkeys((200, 201), name)
            yield self._operation("put", "replace", rest, "put", takes, responses, kind=kind, body=name)
        if "patch" in verbs:
            yield self._operation(
                "patch",
                "patch",
                rest,
                "patch",
                (*parameters.PATCH_PARAMETERS, *common),
                dict.fromkeys((200,) if custom else (200, 201), name),
                kind=kind,
                body=f"{META}Patch",
                consumes=_CUSTOM_PATCHES if custom else _PATCHES,
            )

    def _watches(self, plain: str, scoped: str) -> Iterator[tuple[str, Operation]]:
        """The deprecated paths under `/watch`."""
        kind = self._resource.kind
        takes = (*parameters.LIST_PARAMETERS, parameters.PRETTY)
        watched = [
            (f"{scoped}", f"{self._scoped}{kind}List", "watchlist", self._scope),
            (f"{scoped}/{{name}}", f"{self._scoped}{kind}", "watch", (parameters.NAME, *self._scope)),
        ]
        if self._resource.namespaced:
            watched.append((plain, f"{kind}ListForAllNamespaces", "watchlist", ()))
        for path, rest, action, more in watched:
            responses = {200: f"{META}WatchEvent"}
            operation = self._operation(
                "get", "watch", rest, action, (*takes, *more), responses, produces=_STREAMS
            )
            yield f"{self._root}/watch{path}", operation

    def _subresource(
        self, path: str, name: str, subresource: ServedSubresource
    ) -> Iterator[tuple[str, Operation]]:
        rest = f"{self._scoped}{self._resource.kind}{name.capitalize()}"
        if subresource.kind in parameters.CONNECT_PARAMETERS:
            yield from self._connections(path, rest, subresource)
            return
        answers = subresource.gvk
        if name == "log":
            takes = (*parameters.LOG_PARAMETERS, *self._object_parameters())
            produces = ("text/plain", *ALL_MEDIA)
            yield path, self._operation("get", "read", rest, "get", takes, {200: ""}, produces=produces)
            return
        own = answers == self._resource.gvk
        body = self._name if own else definition_name(answers)
        # A custom resource's scale is listed under the kind that it scales.
        kind = self._resource.gvk if self._resource.custom else answers
        if "create" in subresource.verbs:
            yield path, self._create(rest, self._object_parameters(), kind)
        for operation in self._reads_and_writes(rest, subresource.verbs, kind, body):
            yield path, operation

    def _connections(
        self, path: str, rest: str, subresource: ServedSubresource
    ) -> Iterator[tuple[str, Operation]]:
        takes = (*parameters.CONNECT_PARAMETERS[subresource.kind], parameters.NAME, *self._scope)
        methods = [method for verb, method in _CONNECT_METHODS.items() if verb in subresource.verbs]
        is_proxy = len(methods) == len(_CONNECT_METHODS)
        if is_proxy:
            methods += ["head", "options"]
        for method in methods:
            for suffix, more, tail in (("", (), ""), ("/{path}", (parameters.PATH,), "WithPath")):
                if suffix and not is_proxy:
                    continue
                operation = self._operation(
                    method,
                    "connect",
                    f"{method.capitalize()}{rest}{tail}",
                    "connect",
                    (*takes, *more),
                    {200: ""},
                    kind=subresource.gvk,
                    produces=_ANY_MEDIA,
                )
                yield f"{path}{suffix}", operation
