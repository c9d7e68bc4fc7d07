"""In which form an answer is wanted, and in which a body is sent."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = ["JSON", "PROTOBUF", "YAML", "Media", "Output", "input_media", "names_known_media", "negotiate"]

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"

Media: TypeAlias = Literal["json", "yaml", "protobuf"]

_MEDIA: Final[dict[str, Media]] = {JSON: "json", YAML: "yaml", PROTOBUF: "protobuf"}

_TRANSFORMS: Final = frozenset({"Table", "PartialObjectMetadata", "PartialObjectMetadataList"})
_META_GROUP: Final = "meta.k8s.io"
_META_VERSIONS: Final = frozenset({"v1", "v1beta1"})

_MAX_ACCEPT: Final = 4096
"""Longer headers are cut, as they are remembered; kubectl's longest has some 150 characters."""


class Output(NamedTuple):
    """The form of an answer."""

    media: Media
    transform: str = ""
    """`Table`, `PartialObjectMetadata` or `PartialObjectMetadataList`; empty for the object itself."""
    version: str = ""
    """Of meta.k8s.io, for a transform."""
    stream: bool = False
    pretty: bool = False


class _Clause(NamedTuple):
    type: str
    quality: float
    parameters: dict[str, str]


def negotiate(accept: str, *, protobuf: bool, transforms: bool = True) -> Output | None:
    """The form that an Accept header prefers; None when there is none that can be made.

    JSON is what objects are stored in, so callers who take it as well as protobuf get it.
    """
    return _negotiate(accept[:_MAX_ACCEPT], protobuf, transforms)


@lru_cache(512)
def _negotiate(accept: str, protobuf: bool, transforms: bool) -> Output | None:
    acceptable = [
        output
        for clause in _clauses(accept)
        if (output := _output(clause, protobuf=protobuf, transforms=transforms)) is not None
    ]
    if not acceptable:
        return None
    best = acceptable[0]
    if best.media != "protobuf":
        return best
    return next(
        (other for other in acceptable if other.media == "json" and other.transform == best.transform), best
    )


def names_known_media(accept: str) -> bool:
    """Whether an Accept header names a form that there is, whatever it asks of it."""
    return any(_media(clause.type) is not None for clause in _clauses(accept[:_MAX_ACCEPT]))


def input_media(content_type: str) -> Media | None:
    """The form of a body by its Content-Type, which may be missing; None when it is not known."""
    if not content_type or content_type == JSON:
        return "json"
    return _MEDIA.get(content_type.partition(";")[0].strip().lower())


def _clauses(accept: str) -> list[_Clause]:
    clauses = []
    for part in accept.split(",") if accept.strip() else ["*/*"]:
        name, *rest = (piece.strip() for piece in part.split(";"))
        parameters = {
            key.strip().lower(): value.strip() for key, _, value in (piece.partition("=") for piece in rest)
        }
        try:
            quality = float(parameters.pop("q", "1"))
        except ValueError:
            quality = 1.0
        # Like upstream, which takes a weight of nothing for very little.
        if name:
            clauses.append(_Clause(name.lower(), quality, parameters))
    return sorted(clauses, key=lambda clause: -clause.quality)


def _output(clause: _Clause, *, protobuf: bool, transforms: bool) -> Output | None:
    media = _media(clause.type)
    if media is None or (media == "protobuf" and not protobuf):
        return None
    transform = clause.parameters.get("as", "")
    version = clause.parameters.get("v", "")
    if transform and (
        not transforms
        or (transform == "Table" and media == "protobuf")
        or transform not in _TRANSFORMS
        or clause.parameters.get("g") != _META_GROUP
        or version not in _META_VERSIONS
    ):
        return None
    stream = clause.parameters.get("stream")
    if stream not in {None, "watch"}:
        return None
    pretty = clause.parameters.get("pretty") == "1"
    return Output(media, transform, version, stream is not None, pretty)


def _media(name: str) -> Media | None:
    if name == "*/*":
        return "json"
    return _MEDIA.get(name)
