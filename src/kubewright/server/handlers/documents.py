"""What lies outside of the resources: discovery, OpenAPI, version and health."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from urllib.parse import quote

from kubewright.machinery.gvk import GroupVersion
from kubewright.machinery.status import StatusDetails
from kubewright.server.authentication.service_account_keys import ServiceAccountKey
from kubewright.server.discovery.aggregated import accepts_aggregated, aggregated_discovery
from kubewright.server.discovery.documents import (
    api_group,
    api_group_list,
    api_resource_list,
    api_versions,
)
from kubewright.server.discovery.root import root_paths, version_info
from kubewright.server.errors import method_not_allowed, no_such_resource, refusal
from kubewright.server.handlers.call import NO_SNIFFING, TEXT, Answer, Call
from kubewright.server.handlers.negotiation import JSON
from kubewright.server.handlers.resources import PageNotFound
from kubewright.server.openapi.documents import V2_PROTOBUF, V3_PROTOBUF, Document, OpenAPI
from kubewright.server.registry.registry import Registry

__all__ = ["Documents"]

_KEY_SET: Final = "application/jwk-set+json"

_KEPT: Final = {"Cache-Control": "public, max-age=3600"}
"""How long upstream lets others keep the documents of its issuer."""

_HEALTH: Final = frozenset({"healthz", "livez", "readyz"})


class Documents:
    """Serves the documents, made when they are first asked for and again when resources come and go."""

    def __init__(
        self,
        registry: Registry,
        openapi: OpenAPI,
        service_account_key: ServiceAccountKey,
        *,
        issuer: str,
        address: Callable[[], str],
        ready: Callable[[], bool],
    ) -> None:
        self._openapi: Final = openapi
        self._service_account_key: Final = service_account_key
        self._issuer: Final = issuer
        self._registry: Final = registry
        self._address: Final = address
        self._ready: Final = ready
        self._made: dict[str, tuple[int, bytes, str]] = {}

    def handle(self, call: Call) -> Answer:
        """The document at a path. Raises PageNotFound."""
        path = call.info.path
        if "//" in path:
            raise PageNotFound
        segments = [segment for segment in path.split("/") if segment]
        if not segments:
            return self._cached("/", lambda: root_paths(self._registry.served))
        if segments[0] in _HEALTH:
            return self._health(call, segments)
        if call.method != "GET":
            raise method_not_allowed()
        if segments == ["version"]:
            return Answer(version_info())
        if segments[0] in {"api", "apis"}:
            return self._discovery(call, segments)
        if segments[0] == "openapi":
            return self._described(call, segments[1:])
        if segments == [".well-known", "openid-configuration"]:
            configuration = self._service_account_key.configuration(self._issuer, self._address())
            return _published(call, configuration, JSON)
        if segments == ["openid", "v1", "jwks"]:
            return _published(call, self._service_account_key.key_set(), _KEY_SET)
        raise PageNotFound

    def _discovery(self, call: Call, segments: list[str]) -> Answer:
        resources = self._registry.served
        if len(segments) == 1:
            return self._roots(call, segments[0])
        if segments[0] == "api":
            document = (
                api_resource_list(resources, GroupVersion("", segments[1])) if len(segments) == 2 else None
            )
        elif len(segments) == 2:
            document = api_group(resources, segments[1])
        elif len(segments) == 3:
            document = api_resource_list(resources, GroupVersion(segments[1], segments[2]))
        else:
            document = None
        if document is None:
            if segments[0] == "api" or self._registry.has_builtin(segments[1]):
                raise no_such_resource()
            raise PageNotFound
        return Answer(document + b"\n")

    def _roots(self, call: Call, root: str) -> Answer:
        version = accepts_aggregated(call.headers.get("Accept", ""))
        if version is None:
            old = (
                api_versions(server_address=self._address())
                if root == "api"
                else api_group_list(self._registry.served)
            )
            return Answer(old + b"\n", headers={"Vary": "Accept"})
        found = aggregated_discovery(self._registry.served, core=root == "api")
        content_type = f"{JSON};g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
        etag = f'"{found.etag}"'
        headers = {"ETag": etag, "Vary": "Accept", "Cache-Control": "public"}
        if call.headers.get("If-None-Match", "") == etag:
            return Answer(b"", 304, content_type, headers)
        return Answer(found.body, 200, content_type, headers)

    def _described(self, call: Call, segments: list[str]) -> Answer:
        """The OpenAPI documents."""
        accept = call.headers.get("Accept", "")
        if segments == ["v2"]:
            wants = _accepts(accept, V2_PROTOBUF)
            document = self._openapi.v2_protobuf() if wants else self._openapi.v2()
            return _document(call, document, V2_PROTOBUF if wants else JSON)
        if segments == ["v3"]:
            return _document(call, self._openapi.index(), JSON)
        if segments[:1] != ["v3"]:
            raise PageNotFound
        name = "/".join(segments[1:])
        wants = _accepts(accept, V3_PROTOBUF)
        found = self._openapi.v3_protobuf(name) if wants else self._openapi.v3(name)
        if found is None:
            raise PageNotFound
        wanted = call.query.get("hash", "")
        if wanted and wanted != found.etag:
            location = f"/openapi/v3/{quote(name)}?hash={found.etag}"
            return Answer(b"", 301, "text/html; charset=utf-8", {"Location": location})
        return _document(call, found, V3_PROTOBUF if wants else JSON, immutable=bool(wanted))

    def _health(self, call: Call, segments: list[str]) -> Answer:
        name = segments[0]
        checks = ["ping", "etcd"] if name == "livez" else ["ping", "etcd", "poststarthook/start-registry"]
        if len(segments) > 1:
            if "/".join(segments[1:]) not in checks:
                raise PageNotFound
            return _text("ok")
        ok = self._ready() or name == "livez"
        status = 200 if ok else 500
        if "verbose" not in call.query and ok:
            return _text("ok")
        excluded = call.query.getall("exclude", [])
        lines = [_health_line(check, ok=ok, excluded=check in excluded) for check in checks]
        end = f"{name} check {'passed' if ok else 'failed'}"
        return _text("\n".join([*lines, end, ""]), status)

    def _cached(self, key: str, make: Callable[[], bytes]) -> Answer:
        made = self._made.get(key)
        if made is None or made[0] != self._registry.generation:
            made = self._made[key] = (self._registry.generation, make(), JSON)
        return Answer(made[1], content_type=made[2])


def _published(call: Call, document: bytes, content_type: str) -> Answer:
    """A document about the tokens' issuer, which anybody may keep for a while. Raises NotAcceptable."""
    accepted = {each.split(";")[0].strip() for each in call.headers.get("Accept", "").split(",")}
    if accepted.isdisjoint({"", "*/*", content_type.partition("/")[0] + "/*", content_type}):
        text = f"406: Not Acceptable\n\nAvailable representations: {content_type}"
        raise refusal(406, "NotAcceptable", text, StatusDetails())
    return Answer(document, content_type=content_type, headers=_KEPT)


def _accepts(accept: str, protobuf: str) -> bool:
    """Whether a caller asks for the protobuf form of a document, under either of its names."""
    first = accept.split(",", maxsplit=1)[0].split(";", maxsplit=1)[0].strip()
    return first in {protobuf, protobuf.replace(".v1.0+", "@v1.0+")}


def _document(call: Call, document: Document, content_type: str, *, immutable: bool = False) -> Answer:
    etag = f'"{document.etag}"'
    headers = {"ETag": etag, "Vary": "Accept"}
    if immutable:
        headers["Cache-Control"] = "public, immutable"
    if call.headers.get("If-None-Match", "") == etag:
        return Answer(b"", 304, content_type, headers)
    return Answer(document.body, 200, content_type, headers)


def _health_line(check: str, *, ok: bool, excluded: bool) -> str:
    if excluded:
        return f"[+]{check} excluded: ok"
    return f"[+]{check} ok" if ok else f"[-]{check} failed: reason withheld"


def _text(text: str, status: int = 200) -> Answer:
    return Answer(text.encode(), status, TEXT, NO_SNIFFING)
