"""The protobuf encoding against upstream's own: both directions, objects of all kinds, broken bodies.

Known differences, which `_same` allows and nothing else: a list, map or bytes without omitempty that is nil
or empty in Go is null or empty in upstream's JSON, but not on the wire, so it is absent here.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from kubewright.machinery.errors import DecodeError
from kubewright.machinery.protobuf import decode, encode
from tests.conftest import Oracle, OracleRefusal
from tests.machinery.protobuf_objects import (
    MANIFESTS,
    MESSAGES,
    PODS,
    RICH_POD,
    broken_bodies,
    objects,
    objects_of,
)

pytestmark = pytest.mark.oracle

generated = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


def _is_nothing(value: Any) -> bool:
    return value in (None, [], {})


def _is_zero(value: Any) -> bool:
    """Whether a field has this value when it is not on the wire; upstream's encoders always write some."""
    if isinstance(value, dict):
        return all(_is_zero(item) for item in value.values())
    return value in (None, [], "", 0, "0")


def _same(ours: Any, theirs: Any, place: str = "", absent: Callable[[Any], bool] = _is_nothing) -> None:
    """Fail where our data differ from upstream's JSON, other than by the known differences."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in ours.keys() | theirs.keys():
            if name not in ours:
                assert absent(theirs[name]), f"{place}.{name} is missing"
            else:
                assert name in theirs, f"{place}.{name} is too much: {ours[name]!r}"
                _same(ours[name], theirs[name], f"{place}.{name}", absent)
    elif isinstance(ours, list) and isinstance(theirs, list):
        assert len(ours) == len(theirs), place
        for index, (mine, yours) in enumerate(zip(ours, theirs, strict=True)):
            _same(mine, yours, f"{place}[{index}]", absent)
    else:
        assert ours == theirs, place
        assert type(ours) is type(theirs) or {type(ours), type(theirs)} == {int, float}, place


def _compare(oracle: Oracle, plain: dict[str, Any]) -> None:
    asked = oracle.ask("protobuf.encode", plain)
    theirs = asked["json"]
    api_version, kind, ours = decode(base64.b64decode(asked["protobuf"]), MESSAGES)
    assert (api_version, kind) == (plain["apiVersion"], plain["kind"])
    _same(ours, theirs)
    for source in (plain, ours, theirs):
        back = oracle.ask("protobuf.decode", base64.b64encode(encode(source, MESSAGES)).decode())
        assert _without_empty(back) == _without_empty(theirs)


def _without_empty(value: Any) -> Any:
    """Without null and empty lists, which Go tells apart in memory but protobuf does not."""
    if isinstance(value, dict):
        return {name: _without_empty(item) for name, item in value.items() if item is not None and item != []}
    return [_without_empty(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("plain", [RICH_POD, PODS, *MANIFESTS], ids=lambda plain: plain["kind"])
def test_handwritten_objects(oracle: Oracle, plain: dict[str, Any]) -> None:
    _compare(oracle, plain)


@generated
@given(plain=objects())
def test_objects_of_all_kinds(oracle: Oracle, plain: dict[str, Any]) -> None:
    _compare(oracle, plain)


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "Pod"),
        ("apps/v1", "Deployment"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("resource.k8s.io/v1", "ResourceClaim"),
    ],
)
def test_objects_of_one_kind(oracle: Oracle, api_version: str, kind: str) -> None:
    @generated
    @given(plain=objects_of(api_version, kind))
    def compare(plain: dict[str, Any]) -> None:
        _compare(oracle, plain)

    compare()


# What only this side refuses: upstream does not look, or fails later when it makes JSON of it.
_STRICTER = (
    "is no UTF-8",
    "years 1 to 9999",
    "contentEncoding",
    "is no JSON",
    "has no protobuf form here",
    "past the largest number of a field",
    "without having begun",
    "a field has the number 0",
    # Upstream checks the lengths in a map's entry against the message around it, and no wire types there.
    ".key: it says that it has",
    ".value: it says that it has",
    ".key: field 1 has the wire type",
    ".value: field 2 has the wire type",
)


def _decoded(body: bytes) -> dict[str, Any] | DecodeError:
    try:
        return decode(body, MESSAGES)[2]
    except DecodeError as error:
        return error


@pytest.mark.parametrize("plain", [RICH_POD, *MANIFESTS], ids=lambda plain: plain["kind"])
def test_broken_bodies(oracle: Oracle, plain: dict[str, Any]) -> None:
    body = base64.b64decode(oracle.ask("protobuf.encode", plain)["protobuf"])

    @settings(generated, max_examples=40)
    @given(broken=broken_bodies(body))
    def compare(broken: bytes) -> None:
        try:
            theirs = oracle.ask("protobuf.decode", base64.b64encode(broken).decode())
        except OracleRefusal as refusal:
            theirs = refusal
        ours = _decoded(broken)
        if isinstance(ours, DecodeError):
            told = str(ours)
            assert isinstance(theirs, OracleRefusal) or any(reason in told for reason in _STRICTER), told
        elif isinstance(theirs, OracleRefusal):
            assert "no JSON form" in str(theirs) or "no kind" in str(theirs), (ours, theirs)
        else:
            _same(ours, theirs, absent=_is_zero)

    compare()
