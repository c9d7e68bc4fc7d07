"""Bodies of custom resources: nothing is dropped, numbers are Go's, duplicates are told."""

# ruff: noqa: E501 - a message of the server stands on one line

from __future__ import annotations

from typing import Any

import pytest

from kubewright.server.wire import WireError, read_json, read_metadata

HEAD = b'{"apiVersion":"example.com/v1","kind":"Widget",'


def test_everything_is_kept() -> None:
    found = read_json(HEAD + b'"spec":{"a":null,"b":[],"c":"","d":0,"e":{}}}', strict=True)
    assert found.obj["spec"] == {"a": None, "b": [], "c": "", "d": 0, "e": {}}
    assert found.problems == ()


def test_numbers_are_as_go_has_them() -> None:
    numbers = b"[1,1.0,1e3,1.5,9223372036854775807,9223372036854775808,18446744073709551616,-0,1e21]"
    found = read_json(HEAD + b'"n":' + numbers + b"}", strict=True).obj["n"]
    assert repr(found) == (
        "[1, 1.0, 1000.0, 1.5, 9223372036854775807, 9.223372036854776e+18, 1.8446744073709552e+19, 0, 1e+21]"
    )


def test_duplicates() -> None:
    body = HEAD + b'"f":{"a":1,"a":[{"b":1,"b":2}]}}'
    found = read_json(body, strict=True)
    assert found.problems == ('duplicate field "f.a"', 'duplicate field "f.a[0].b"')
    assert found.obj["f"] == {"a": [{"b": 2}]}
    assert read_json(body, strict=False) == (found.obj, ())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            b'{"metadata":{"name":"a"}}',
            'the object provided is unrecognized (must be of type Widget): Object \'Kind\' is missing in \'{"metadata":{"name":"a"}}\' ({"metadata":{"name":"a"}})',
        ),
        (
            b"null",
            "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in 'null' (6e756c6c)",
        ),
        (
            HEAD + b'"i":1e400}',
            'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number 1e400 into Go value of type float64',
        ),
        (
            b'{"kind":"Widget","Kind":5}',
            'the object provided is unrecognized (must be of type Widget): couldn\'t get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":"Widget","Kind":5})',
        ),
    ],
)
def test_what_is_refused(body: bytes, message: str) -> None:
    with pytest.raises(WireError) as caught:
        read_json(body, strict=True)
    assert caught.value.bad_request("Widget") == message


def test_text_that_is_no_utf8() -> None:
    found = read_json(HEAD + b'"a":"\xff\\udc00"}', strict=True).obj
    assert found["a"] == "\ufffd\ufffd"


def test_depth_is_bounded() -> None:
    with pytest.raises(WireError, match="deeper than 200 levels"):
        read_json(HEAD + b'"a":' + b"[" * 300 + b"]" * 300 + b"}", strict=True)


def test_metadata_is_read_as_of_built_in_kinds() -> None:
    found = read_metadata(
        {"name": "a", "foo": 1, "labels": {}, "creationTimestamp": None, "ownerReferences": [{"x": 1}]},
        strict=True,
    )
    assert found.obj == {
        "name": "a",
        "ownerReferences": [{"apiVersion": "", "kind": "", "name": "", "uid": ""}],
    }
    assert found.problems == (
        'unknown field "metadata.foo"',
        'unknown field "metadata.ownerReferences[0].x"',
    )


@pytest.mark.parametrize(
    ("metadata", "text"),
    [
        (
            {"labels": {"a": 5}},
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
        ),
        (
            {"creationTimestamp": 5},
            "json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string",
        ),
        ([], "json: cannot unmarshal array into Go value of type v1.ObjectMeta"),
    ],
)
def test_metadata_that_does_not_decode(metadata: Any, text: str) -> None:
    with pytest.raises(WireError) as caught:
        read_metadata(metadata, strict=True)
    assert str(caught.value) == text
