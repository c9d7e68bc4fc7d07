"""`OpenAPI`, which makes the documents when they are asked for and keeps what it made while it holds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import quote

import msgspec

from kubewright.server.kinds.kind import Object
from kubewright.server.openapi.custom import custom_definitions
from kubewright.server.openapi.definitions import Definitions
from kubewright.server.openapi.paths import path_item_v2, path_item_v3
from kubewright.server.openapi.sources import Source, sources
from kubewright.server.registry.resource import ServedResource

__all__ = ["V2_PROTOBUF", "V3_PROTOBUF", "Document", "OpenAPI"]

V2_PROTOBUF: Final = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
V3_PROTOBUF: Final = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
"""The content types of the protobuf forms. Clients also ask for them with `@` before the last version."""

_INFO: Final = {"title": "Kubernetes", "version": "1.36"}
_CUSTOM_INFO: Final = {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}
"""What the documents of kube-apiserver 1.36 say of themselves."""

_SECURITY: Final = {"BearerToken": {"type": "apiKey", "name": "authorization", "in": "header"}}


class Document(msgspec.Struct, frozen=True):
    """An encoded document and its hash, which is its ETag once it stands in quotes.

    The protobuf form of a document has the hash of its JSON form, as in upstream: they tell the same.
    """

    body: bytes
    etag: str


class _Made(msgspec.Struct):
    """A document with all that it was made from."""

    inputs: object
    json: Document
    protobuf: bytes | None = None


class OpenAPI:
    """The OpenAPI documents of what is served right now.

    `resources` and `crds` are asked on every call; a document is made anew when its own resources or their
    CustomResourceDefinitions (told apart by uid and resourceVersion) are others than before, and is the same
    bytes otherwise. Documents that nobody asks for are not made, except that the index needs the hashes of
    all documents of v3 and therefore makes them.
    """

    def __init__(
        self,
        resources: Callable[[], Sequence[ServedResource]],
        crds: Callable[[], Sequence[Object]],
    ) -> None:
        self._resources: Final = resources
        self._crds: Final = crds
        self._v3: dict[str, _Made] = {}
        self._v2: _Made | None = None

    def index(self) -> Document:
        """`/openapi/v3`: where each document is, with its hash, so that clients may keep it for good."""
        current = self._sources()
        definitions = Definitions() if any(source.name not in self._v3 for source, _ in current) else None
        paths = {}
        for source, crds in current:
            made = self._made_v3(source, crds, definitions)
            url = f"/openapi/v3/{quote(source.name)}?hash={made.json.etag}"
            paths[source.name] = {"serverRelativeURL": url}
        self._v3 = {name: self._v3[name] for name in paths}
        return _document({"paths": paths})

    def v3(self, name: str) -> Document | None:
        """`/openapi/v3/NAME`, such as `apis/apps/v1`; None when there is no such document."""
        found = self._find(name)
        return found.json if found is not None else None

    def v3_protobuf(self, name: str) -> Document | None:
        """The same in its protobuf form."""
        found = self._find(name)
        if found is None:
            return None
        if found.protobuf is None:
            found.protobuf = _v3_protobuf(found.json.body)
        return Document(found.protobuf, found.json.etag)

    def v2(self) -> Document:
        """`/openapi/v2`, with all that is served."""
        return self._made_v2().json

    def v2_protobuf(self) -> Document:
        """The same in its protobuf form."""
        made = self._made_v2()
        if made.protobuf is None:
            made.protobuf = _v2_protobuf(made.json.body)
        return Document(made.protobuf, made.json.etag)

    def _sources(self) -> list[tuple[Source, Mapping[str, Object]]]:
        """All documents, each with the CustomResourceDefinitions of its resources by plural."""
        resources = self._resources()
        custom = any(resource.custom for resource in resources)
        crds = {crd["metadata"]["name"]: crd for crd in self._crds()} if custom else {}
        # A definition may be gone while its resource is still served; there is nothing to say about it then.
        known = [item for item in resources if not item.custom or f"{item.resource}.{item.group}" in crds]
        return [
            (
                source,
                {
                    item.resource: crds[f"{item.resource}.{item.group}"]
                    for item in source.resources
                    if item.custom
                },
            )
            for source in sources(known)
        ]

    def _find(self, name: str) -> _Made | None:
        for source, crds in self._sources():
            if source.name == name:
                return self._made_v3(source, crds, None)
        self._v3.pop(name, None)
        return None

    def _made_v3(self, source: Source, crds: Mapping[str, Object], definitions: Definitions | None) -> _Made:
        inputs = _inputs(source, crds)
        made = self._v3.get(source.name)
        if made is None or made.inputs != inputs:
            made = _Made(inputs, _document(_v3_document(source, crds, definitions or Definitions())))
            self._v3[source.name] = made
        return made

    def _made_v2(self) -> _Made:
        current = self._sources()
        inputs = [_inputs(source, crds) for source, crds in current]
        if self._v2 is None or self._v2.inputs != inputs:
            self._v2 = _Made(inputs, _document(_v2_document(current, Definitions())))
        return self._v2


def _inputs(source: Source, crds: Mapping[str, Object]) -> object:
    """What tells whether a document still holds."""
    metadata = [crd["metadata"] for crd in crds.values()]
    versions = [(item.get("uid"), item.get("resourceVersion")) for item in metadata]
    return source.name, source.resources, versions


def _document(content: Object) -> Document:
    body = msgspec.json.encode(content)
    return Document(body, hashlib.sha512(body).hexdigest().upper())


def _encoded(value: Object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def _custom(source: Source, crds: Mapping[str, Object], *, v2: bool) -> dict[str, msgspec.Raw]:
    made = {}
    for resource in source.resources:
        if resource.custom:
            for name, schema in custom_definitions(crds[resource.resource], resource, v2=v2).items():
                made[name] = _encoded(schema)
    return made


def _v3_document(source: Source, crds: Mapping[str, Object], definitions: Definitions) -> Object:
    paths = {item.path: _encoded(path_item_v3(item)) for item in source.paths()}
    schemas = _custom(source, crds, v2=False)
    needed = definitions.needed_by(b"".join(map(bytes, (*paths.values(), *schemas.values()))))
    for name in needed:
        schemas[name] = definitions.v3(name, source.group_version, custom=source.custom)
    components: Object = {"schemas": dict(sorted(schemas.items()))} if schemas else {}
    if not source.custom:
        components["securitySchemes"] = _SECURITY
    return {
        "openapi": "3.0.0",
        "info": _CUSTOM_INFO if source.custom else _INFO,
        "paths": dict(sorted(paths.items())),
        "components": components,
    }


def _v2_document(current: Sequence[tuple[Source, Mapping[str, Object]]], definitions: Definitions) -> Object:
    shared: Object = {}
    paths: dict[str, msgspec.Raw] = {}
    schemas = {name: _encoded(definitions.v2(name)) for name in definitions}
    for source, crds in current:
        paths |= {item.path: _encoded(path_item_v2(item, shared)) for item in source.paths()}
        schemas |= _custom(source, crds, v2=True)
    return {
        "swagger": "2.0",
        "info": _INFO,
        "paths": dict(sorted(paths.items())),
        "definitions": dict(sorted(schemas.items())),
        "parameters": dict(sorted(shared.items())),
        "securityDefinitions": _SECURITY,
        "security": [{"BearerToken": []}],
    }


class _V2(msgspec.Struct):
    """The document of v2, its large parts still encoded."""

    swagger: str
    info: Object
    paths: dict[str, msgspec.Raw]
    definitions: dict[str, msgspec.Raw]
    parameters: Object
    securityDefinitions: Object  # noqa: N815 - the name on the wire
    security: list[Object]


class _V3Components(msgspec.Struct):
    schemas: dict[str, msgspec.Raw] = {}
    securitySchemes: Object = {}  # noqa: N815 - the name on the wire


class _V3(msgspec.Struct):
    """A document of v3, its large parts still encoded."""

    openapi: str
    info: Object
    paths: dict[str, msgspec.Raw]
    components: _V3Components


def _decoded(members: dict[str, msgspec.Raw]) -> Iterator[tuple[str, Object]]:
    return ((name, msgspec.json.decode(raw)) for name, raw in members.items())


def _v2_protobuf(body: bytes) -> bytes:
    from kubewright.server.openapi.gnostic_v2 import document_v2  # noqa: PLC0415 - few clients ask for it

    document = msgspec.json.decode(body, type=_V2)
    return document_v2(
        head=msgspec.structs.asdict(document),
        paths=_decoded(document.paths),
        definitions=_decoded(document.definitions),
    )


def _v3_protobuf(body: bytes) -> bytes:
    from kubewright.server.openapi.gnostic_v3 import document_v3  # noqa: PLC0415 - few clients ask for it

    document = msgspec.json.decode(body, type=_V3)
    return document_v3(
        head={"openapi": document.openapi, "info": document.info},
        paths=_decoded(document.paths),
        schemas=_decoded(document.components.schemas),
        security=document.components.securitySchemes,
    )
