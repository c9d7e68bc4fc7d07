"""Answers to ConversionReviews: what an API server asks a webhook, answered with conversion functions."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Raw

from kubewright.crd.conversion import ConversionError, converted
from kubewright.crd.declaration import declaration_of
from kubewright.machinery import codec
from kubewright.machinery.depth import BoundedDecoder
from kubewright.machinery.errors import DeclarationError, DecodeError, KubewrightError, ParseError
from kubewright.machinery.gvk import GroupVersion, GroupVersionKind
from kubewright.machinery.resource import Resource
from kubewright.machinery.type_meta import read_gvk

if TYPE_CHECKING:
    from kubewright.machinery.deep import Cut

__all__ = ["Versions", "review", "versions_of"]

Versions = Mapping[GroupVersionKind, type[Resource]]
"""The classes between which a webhook converts."""

_API_VERSION: Final = "apiextensions.k8s.io/v1"
_KIND: Final = "ConversionReview"

_MAX_WHY: Final = 1024
"""How many characters of an exception reach the client: some carry the whole object."""

_log: Final = logging.getLogger("kubewright.crd.conversion")


class _Request(msgspec.Struct, rename={"desired": "desiredAPIVersion"}):
    uid: str = ""
    desired: str = ""
    objects: list[Raw] | None = None


class _Review(msgspec.Struct, rename="camel"):
    api_version: str = ""
    kind: str = ""
    request: _Request | None = None


class _Result(msgspec.Struct, omit_defaults=True):
    status: str
    message: str = ""


class _Response(msgspec.Struct, rename="camel"):
    uid: str
    converted_objects: list[Raw]
    result: _Result


class _Answer(msgspec.Struct, rename="camel"):
    api_version: str
    kind: str
    response: _Response


_decoder: Final[BoundedDecoder[_Review]] = BoundedDecoder(_Review)
_encoder: Final = msgspec.json.Encoder()


def versions_of(*hubs: type[Resource]) -> dict[GroupVersionKind, type[Resource]]:
    """All versions of kinds with conversion functions, each given by the class that lists the others.

    Raises DeclarationError for a class without conversion functions, and for one that is a spoke.
    """
    found: dict[GroupVersionKind, type[Resource]] = {}
    for hub in hubs:
        declaration = declaration_of(hub)
        if not declaration.has_conversions:
            raise DeclarationError(
                f"{hub.__name__} has no conversion functions; give its other versions to_hub and from_hub"
            )
        if not declaration.others:
            raise DeclarationError(
                f"{hub.__name__} is not the whole kind; give the class that has it in versions=[...]"
            )
        found |= {each.cls.gvk: each.cls for each in (declaration, *declaration.others)}
    return found


def review(versions: Versions, body: bytes) -> bytes:
    """The answer to a ConversionReview, both as JSON: all objects converted, in order, or none.

    Whatever goes wrong with an object, in its data or in a function, is a Failure with one sentence that
    names the object and both versions; exceptions that are no KubewrightErrors are logged with their
    traceback. Objects of the desired version come back byte for byte.

    Raises DecodeError for a body that is no ConversionReview at all.
    """
    asked, cut = _decoded(body)
    request = asked.request
    if asked.kind != _KIND or request is None:
        raise DecodeError(f"the body is no {_KIND} with a request; send one of {_API_VERSION}")
    objects: list[Raw] = []
    result = _Result("Success")
    try:
        _check_version(asked)
        objects = _converted(versions, request, cut)
    except ConversionError as error:
        result = _Result("Failure", str(error))
    return _encoder.encode(_Answer(asked.api_version, _KIND, _Response(request.uid, objects, result)))


def _decoded(body: bytes) -> tuple[_Review, Cut | None]:
    """A review, and what was cut out of its objects, if one is nested too deeply to be decoded.

    It may be so by its managed fields alone, and must not keep all others from being read.
    """
    try:
        return _decoder.decode(body), None
    except RecursionError:
        from kubewright.machinery.deep import cut_objects  # noqa: PLC0415 - hardly anybody meets one

        cut = cut_objects(body)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise codec.explained(error, _Review, _KIND) from None
    try:
        return _decoder.decode(cut.data), cut
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise codec.explained(error, _Review, _KIND) from None


def _check_version(asked: _Review) -> None:
    if asked.api_version != _API_VERSION:
        raise ConversionError(
            f"{_KIND} of {asked.api_version or 'no apiVersion'} is not spoken here; "
            'write conversionReviewVersions: ["v1"] in the definition'
        )


def _converted(versions: Versions, request: _Request, cut: Cut | None) -> list[Raw]:
    """The objects of a request. Raises ConversionError for the first that fails."""
    try:
        wanted = GroupVersion.parse(request.desired)
    except ParseError as error:
        raise ConversionError(f"desiredAPIVersion: {error}") from None
    return [
        _converted_object(versions, raw, wanted, f"objects[{index}]", cut)
        for index, raw in enumerate(request.objects or ())
    ]


def _converted_object(versions: Versions, raw: Raw, wanted: GroupVersion, place: str, cut: Cut | None) -> Raw:
    try:
        own = read_gvk(raw)
    except DecodeError as error:
        raise ConversionError(f"{place}: {error}") from None
    target = wanted.with_kind(own.kind)
    source, to = _known(versions, own, place), _known(versions, target, place)
    if source is to:
        return raw if cut is None else Raw(cut.whole(bytes(raw)))
    subject = place
    try:
        obj = codec.decode(raw, source, place=place)
        if cut is not None:
            cut.restore((obj,))
        subject = obj.key or place
        return Raw(codec.encode(converted(obj, to)))
    # SystemExit would end the server, and a conversion is nobody's reason to.
    except (Exception, SystemExit) as error:
        if not isinstance(error, KubewrightError):
            _log.warning("the conversion of %s %s failed", own.kind, subject, exc_info=error)
        way = f"from {own.api_version} to {target.api_version}"
        raise ConversionError(f"{own.kind} {subject} cannot be converted {way}: {_why(error)}") from None


def _known(versions: Versions, gvk: GroupVersionKind, place: str) -> type[Resource]:
    found = versions.get(gvk)
    if found is None:
        raise ConversionError(
            f"{place}: {gvk.api_version} {gvk.kind} is not converted here; "
            "add_conversion takes the class that lists all versions of the kind"
        )
    return found


def _why(error: BaseException) -> str:
    """The words of an exception, on one line; the type says what Python's own are about."""
    words = " ".join(str(error).split())
    name = type(error).__name__
    text = words if isinstance(error, KubewrightError) and words else f"{name}: {words}" if words else name
    return text if len(text) <= _MAX_WHY else f"{text[:_MAX_WHY]}..."
