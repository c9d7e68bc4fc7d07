"""Request paths of the API: building them, and reading what a request asks for.

`ResourcePath` is a path to a resource as a value. Whatever it is made of, its text leads nowhere else: every
part is checked before it becomes a segment, and percent-encoded. `parse_request` reads a method, path and
query the way an API server does, for routing and authorization.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, final
from urllib.parse import quote, unquote

import msgspec

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_selectors import parse_field_selector
from kubewright.machinery.gvk import GroupVersion, GroupVersionResource
from kubewright.machinery.label_selectors import parse_int64, parse_label_selector
from kubewright.machinery.names import is_path_segment_name

__all__ = [
    "APIS_ROOT",
    "API_ROOT",
    "RequestInfo",
    "ResourcePath",
    "encode_segment",
    "group_path",
    "group_version_path",
    "parse_path",
    "parse_request",
]

API_ROOT: Final = "/api"
"""Where the versions of the core group are listed."""

APIS_ROOT: Final = "/apis"
"""Where all other groups are listed."""

# What Go's net/url leaves as it is in a path, so that paths are the same bytes as those client-go sends.
_SAFE: Final = "$&+,:;=@"
# Segments that can stand in a path as they are, which is what nearly all are.
_PLAIN: Final = re.compile(r"(?!\.\.?\Z)[A-Za-z0-9._~$&+,:;=@-]+")
_BROKEN_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")

_DOTS: Final = frozenset({".", ".."})
_NAMESPACES: Final = "namespaces"
# What follows /namespaces/{name}/ is a resource in that namespace, except for these.
_NAMESPACE_SUBRESOURCES: Final = frozenset({"status", "finalize"})
# What follows the version is a resource, except for these, which say what to do with it.
_LEGACY_PREFIXES: Final = frozenset({"watch", "proxy"})


def encode_segment(value: str, what: str = "name") -> str:
    """One segment of a path, percent-encoded; `what` says in the error what the segment is.

    Raises ParseError when `value` is empty, ".", "..", or has a "/" or "%" in it: no such name can exist, and
    some proxy or server on the way might read it as another path.
    """
    _check_segment(value, what)
    return _quote(value)


def group_path(group: str) -> str:
    """Where the versions of a group are listed: "/api" for the core group, or "/apis/apps"."""
    return f"{APIS_ROOT}/{encode_segment(group, 'group')}" if group else API_ROOT


def group_version_path(group_version: GroupVersion) -> str:
    """Where the resources of a group and version are listed, and start: "/api/v1" or "/apis/apps/v1"."""
    return f"{group_path(group_version.group)}/{encode_segment(group_version.version, 'version')}"


@final
class ResourcePath(msgspec.Struct, frozen=True, gc=False, kw_only=True, repr_omit_defaults=True):
    """The path of a resource, an object or a subresource; None stands for what the path has not.

    A path can be built from every one of them, and `parse_path` gives the same value again. Raises ParseError
    when a part cannot stand in a path (see `encode_segment`), when a subresource lacks its name, or when the
    path would read as another one: a resource "status" in a namespace, say.
    """

    group: str
    """Empty for the core group."""
    version: str
    resource: str
    namespace: str | None = None
    """None for resources of the cluster, and for those of all namespaces."""
    name: str | None = None
    """None for all objects."""
    subresource: str | None = None
    rest: tuple[str, ...] = ()
    """The segments after a subresource: ("a", "b") for ".../proxy/a/b", ("",) for ".../proxy/"."""
    legacy_watch: bool = False
    """Whether "/watch" stands before the resource, which was the way to watch before the query parameter."""

    def __post_init__(self) -> None:
        _check_segments(self)
        _check_meaning(self)

    @classmethod
    def of(
        cls,
        resource: GroupVersionResource,
        *,
        namespace: str | None = None,
        name: str | None = None,
        subresource: str | None = None,
    ) -> ResourcePath:
        """The path of a known resource."""
        return cls(
            group=resource.group,
            version=resource.version,
            resource=resource.resource,
            namespace=namespace,
            name=name,
            subresource=subresource,
        )

    @property
    def group_version_resource(self) -> GroupVersionResource:
        """The resource, wherever it is."""
        return GroupVersionResource(self.group, self.version, self.resource)

    def path(self) -> str:
        """The path, percent-encoded, from the leading slash on."""
        segments = ["", "apis", self.group] if self.group else ["", "api"]
        segments.append(self.version)
        if self.legacy_watch:
            segments.append("watch")
        if self.namespace is not None:
            segments += (_NAMESPACES, self.namespace)
        segments.append(self.resource)
        if self.name is not None:
            segments.append(self.name)
        if self.subresource is not None:
            segments.append(self.subresource)
        return "/".join(map(_quote, [*segments, *self.rest]))

    def __str__(self) -> str:
        return self.path()


def parse_path(path: str) -> ResourcePath | None:
    """Reads a percent-encoded path without its query; None when it is not the path of a resource.

    Discovery ("/apis/apps/v1") and whatever lies outside "/api" and "/apis" give None. A trailing slash is
    kept after a subresource, and has no meaning elsewhere. Raises ParseError for what `parse_request`
    refuses, and for the legacy prefix "/proxy".
    """
    segments = _segments(path)
    kept = _without_trailing_slashes(segments)
    place = _locate(path, kept)
    _check_tricks(path, kept, place)
    if not place.parts:
        return None
    if place.legacy_prefix == "proxy":
        raise ParseError(f"request path {path!r} has the legacy prefix '/proxy'; use the subresource 'proxy'")
    name, subresource = (*place.parts[1:3], None, None)[:2]
    return ResourcePath(
        group=place.group,
        version=place.version,
        resource=place.parts[0],
        namespace=place.namespace if place.moved else None,
        name=name,
        subresource=subresource,
        rest=(*place.parts[3:], *segments[len(kept) :]) if subresource is not None else (),
        legacy_watch=place.legacy_prefix == "watch",
    )


@final
class RequestInfo(msgspec.Struct, frozen=True, gc=False, kw_only=True, repr_omit_defaults=True):
    """What a request asks for, as the API server's authorization, audit and routing see it.

    Texts are empty where the request says nothing, as upstream's are.
    """

    is_resource_request: bool
    path: str
    """Decoded."""
    verb: str
    """get, list, watch, create, update, patch, delete, deletecollection or proxy for a resource (empty for an
    HTTP method that means none of them); for anything else the HTTP method in lower case."""
    api_prefix: str = ""
    """"api" or "apis"."""
    api_group: str = ""
    api_version: str = ""
    namespace: str = ""
    """For the resource "namespaces" itself its name."""
    resource: str = ""
    subresource: str = ""
    name: str = ""
    """From the path, or for list and watch from the field selector metadata.name=..."""
    parts: tuple[str, ...] = ()
    """Resource, name, subresource and whatever follows."""
    field_selector: str = ""
    """Unparsed; for list, watch and deletecollection only."""
    label_selector: str = ""
    """Unparsed; for list, watch and deletecollection only."""


_NO_QUERY: Final[Mapping[str, str]] = {}
_VERBS: Final = {
    "POST": "create",
    "GET": "get",
    "HEAD": "get",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}
_VERBS_WITH_SELECTORS: Final = frozenset({"list", "watch", "deletecollection"})


def parse_request(method: str, path: str, query: Mapping[str, str] = _NO_QUERY) -> RequestInfo:
    """Reads a request as upstream's RequestInfoFactory does.

    `path` is percent-encoded and is decoded once. Of a parameter that the query has more than once the first
    counts, which is what a MultiDict gives.

    Raises ParseError for a path that does not start with "/" or is not valid percent-encoded UTF-8, for one
    that ends at a legacy prefix ("/api/v1/watch"), and, where upstream takes them literally, for tricks: "."
    and ".." segments anywhere, and before the end of the subresource empty segments and encoded "/" or "%".
    """
    segments = _without_trailing_slashes(_segments(path))
    place = _locate(path, segments)
    _check_tricks(path, segments, place)
    decoded = _decode(path, path)
    if not place.parts:
        return RequestInfo(
            is_resource_request=False, path=decoded, verb=method.lower(), api_prefix=place.api_prefix
        )
    parts = tuple("/".join(place.parts).split("/"))
    resource, name, subresource = (*parts[:3], "", "")[:3]
    verb = place.legacy_prefix or _VERBS.get(method, "")
    if verb == "proxy":
        subresource = ""
    elif verb == "get" and not name:
        verb = "watch" if _is_true(query.get("watch")) else "list"
        name = _selected_name(query)
    elif verb == "delete" and not name:
        verb = "deletecollection"
    selects = verb in _VERBS_WITH_SELECTORS and not place.legacy_prefix
    return RequestInfo(
        is_resource_request=True,
        path=decoded,
        verb=verb,
        api_prefix=place.api_prefix,
        api_group=place.group,
        api_version=place.version,
        namespace=place.namespace,
        resource=resource,
        subresource=subresource,
        name=name,
        parts=parts,
        field_selector=query.get("fieldSelector", "") if selects else "",
        label_selector=query.get("labelSelector", "") if selects else "",
    )


class _Place(NamedTuple):
    """Where a path leads; without parts it leads to no resource."""

    api_prefix: str = ""
    group: str = ""
    version: str = ""
    legacy_prefix: str = ""
    namespace: str = ""
    moved: bool = False
    """Whether parts start behind /namespaces/{namespace}."""
    parts: tuple[str, ...] = ()


def _locate(path: str, segments: list[str]) -> _Place:
    if len(segments) < 3 or segments[0] not in {"api", "apis"}:
        return _Place()
    prefix, group, rest = segments[0], "", segments[1:]
    if prefix == "apis":
        if len(segments) < 4:
            return _Place(prefix)
        group, rest = segments[1], segments[2:]
    version, rest = rest[0], rest[1:]
    legacy_prefix = ""
    if rest[0] in _LEGACY_PREFIXES:
        legacy_prefix, rest = rest[0], rest[1:]
        if not rest:
            raise ParseError(f"request path {path!r} ends at {legacy_prefix!r}; a resource must follow")
    namespace, moved = "", False
    if rest[0] == _NAMESPACES and len(rest) > 1:
        namespace = rest[1]
        moved = len(rest) > 2 and rest[2] not in _NAMESPACE_SUBRESOURCES
    parts = tuple(rest[2:] if moved else rest)
    return _Place(prefix, group, version, legacy_prefix, namespace, moved, parts)


def _segments(path: str) -> list[str]:
    if not path.startswith("/"):
        raise ParseError(f"request path {path!r} must start with '/'")
    for char in "?#":
        if char in path:
            raise ParseError(f"request path {path!r} must not have {char!r} in it; the query is given apart")
    segments = path[1:].split("/")
    return [_decode(segment, path) for segment in segments] if "%" in path else segments


def _decode(text: str, path: str) -> str:
    if "%" not in text:
        return text
    if _BROKEN_ESCAPE.search(text) is not None:
        raise ParseError(f"request path {path!r} has a '%' that no two hexadecimal digits follow")
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise ParseError(f"request path {path!r} does not decode into UTF-8") from None


def _without_trailing_slashes(segments: list[str]) -> list[str]:
    end = len(segments)
    while end and not segments[end - 1]:
        end -= 1
    return segments[:end]


def _check_tricks(path: str, segments: list[str], place: _Place) -> None:
    if not place.parts:
        fixed = len(segments)
    else:
        interpreted = 2 if place.legacy_prefix == "proxy" else 3
        fixed = len(segments) - len(place.parts) + interpreted
    for segment in segments[:fixed]:
        if _PLAIN.fullmatch(segment) is None and (not segment or is_path_segment_name(segment)):
            raise ParseError(
                f"request path {path!r} has the segment {segment!r}; none may be empty, '.' or '..', "
                "or have an encoded '/' or '%' in it"
            )
    for segment in segments[fixed:]:
        if not _DOTS.isdisjoint(segment.split("/")):
            raise ParseError(f"request path {path!r} has the segment {segment!r}; none may be '.' or '..'")


def _check_segments(path: ResourcePath) -> None:
    if path.group:
        _check_segment(path.group, "group")
    _check_segment(path.version, "version")
    _check_segment(path.resource, "resource")
    if path.namespace is not None:
        _check_segment(path.namespace, "namespace")
    if path.name is not None:
        _check_segment(path.name, "name")
    if path.subresource is not None:
        _check_segment(path.subresource, "subresource")
    for segment in path.rest:
        _check_encodes(segment, "path after the subresource")
        if not _DOTS.isdisjoint(segment.split("/")):
            raise ParseError(f"{segment!r} in the path after a subresource must not be '.' or '..'")


def _check_meaning(path: ResourcePath) -> None:
    resource, subresource = path.resource, path.subresource
    if subresource is not None and path.name is None:
        raise ParseError(f"the path to {subresource!r} of {resource!r} needs the name of an object")
    if path.rest and subresource is None:
        raise ParseError(f"{'/'.join(path.rest)!r} in a path to {resource!r} must stand after a subresource")
    if path.namespace is not None:
        if resource in _NAMESPACE_SUBRESOURCES:
            raise ParseError(
                f"a path to the resource {resource!r} in a namespace would read as the namespace's own"
            )
    elif resource in _LEGACY_PREFIXES and not path.legacy_watch:
        raise ParseError(f"a path to the resource {resource!r} would read as the legacy prefix of that name")
    elif resource == _NAMESPACES and subresource is not None and subresource not in _NAMESPACE_SUBRESOURCES:
        raise ParseError(
            f"a path to {subresource!r} of a namespace would read as a resource in that namespace"
        )


def _check_segment(value: str, what: str) -> None:
    if _PLAIN.fullmatch(value) is not None:
        return
    if not value:
        raise ParseError(f"the {what} in a request path is empty; it must be given")
    if wrong := is_path_segment_name(value):
        raise ParseError(f"the {what} in a request path is {value!r}; it {' and '.join(wrong)}")
    _check_encodes(value, what)


def _check_encodes(value: str, what: str) -> None:
    if value.isascii():
        return
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ParseError(f"the {what} in a request path is {value!r}, which UTF-8 cannot encode") from None


def _quote(segment: str) -> str:
    return segment if _PLAIN.fullmatch(segment) is not None else quote(segment, safe=_SAFE)


def _is_true(value: str | None) -> bool:
    # Any other text counts as true, the empty one too.
    return value is not None and value != "0" and value.casefold() != "false"


def _selected_name(query: Mapping[str, str]) -> str:
    """The name that a list or watch is restricted to, if its options are valid at all."""
    fields = query.get("fieldSelector")
    if not fields or "metadata.name" not in fields:
        return ""
    if any(parse_int64(query.get(option, "0")) is None for option in ("limit", "timeoutSeconds")):
        return ""
    try:
        parse_label_selector(query.get("labelSelector", ""))
        name = parse_field_selector(fields).requires_exact_match("metadata.name")
    except ParseError:
        return ""
    return name if name and not is_path_segment_name(name) else ""
