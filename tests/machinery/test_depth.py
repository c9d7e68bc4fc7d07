"""How deep JSON may nest: the same on every Python, and refused before it takes time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright import Struct
from kubewright.machinery import codec
from kubewright.machinery.depth import (
    MAX_DEPTH,
    BoundedDecoder,
    TooDeep,
    check_depth,
    decode_json,
    make_decoder,
)
from kubewright.machinery.errors import DecodeError, NestedTooDeeply
from kubewright.models.apiextensions_v1 import JSONSchemaProps
from kubewright.models.core_v1 import Pod, PodList, PodSpec


class Note(Struct):
    text: str = ""
    more: list[Note] = []


class Open(Struct):
    data: dict[str, Any] = {}


def lists(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def objects(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


@pytest.mark.parametrize("nested", [lists, objects])
def test_the_limit_is_exact(nested: Any) -> None:
    decode_json(nested(MAX_DEPTH))
    with pytest.raises(TooDeep, match="the JSON nests deeper than 200 levels"):
        decode_json(nested(MAX_DEPTH + 1))
    assert codec.decode_plain(nested(MAX_DEPTH)) == json.loads(nested(MAX_DEPTH))
    with pytest.raises(DecodeError, match="nested too deeply"):
        codec.decode_plain(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, msgspec.Raw, bytes.decode])
def test_every_form_of_data(kind: Any) -> None:
    assert decode_json(kind(b'{"a":[1]}')) == {"a": [1]}
    with pytest.raises(TooDeep):
        decode_json(kind(lists(MAX_DEPTH + 1)))


def test_types_without_a_fixed_depth() -> None:
    below = (MAX_DEPTH - 2) // 2
    note = b'{"more":[' * below + b"{}" + b"]}" * below
    assert codec.decode(note, Note).more
    deeper = b'{"more":[' + note + b"]}"
    with pytest.raises(NestedTooDeeply, match="Note: the JSON is nested too deeply"):
        codec.decode(b'{"more":[' + deeper + b"]}", Note)
    with pytest.raises(NestedTooDeeply):
        codec.decode(b'{"data":%b}' % objects(MAX_DEPTH), Open)
    with pytest.raises(NestedTooDeeply):
        codec.decode(b'{"unknown":%b}' % objects(MAX_DEPTH + 1), Open)


def test_only_types_without_a_fixed_depth_are_counted() -> None:
    """Counting takes as long as decoding a pod, and lists of pods ten times as long."""
    for bounded in (PodSpec, Pod, PodList, dict[str, msgspec.Raw], list[int] | None, str):
        assert isinstance(codec.decoder_of(bounded), msgspec.json.Decoder)
    for free in (Any, object, dict, list[Any], Note, Open, JSONSchemaProps, dict[str, Open], Note | None):
        assert isinstance(make_decoder(free), BoundedDecoder)


_JSON = st.recursive(
    st.none() | st.integers(0, 9) | st.text(alphabet='{}[]"\\a', max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(alphabet='{}[]"\\a', max_size=3), inner, max_size=3)
    ),
    max_leaves=30,
)


def depth_of(value: object) -> int:
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth_of, value.values() if isinstance(value, dict) else value), default=0)


@given(value=_JSON, wrapped=st.integers(0, 30), limit=st.integers(1, 30))
def test_brackets_in_texts_do_not_count(value: object, wrapped: int, limit: int) -> None:
    for _ in range(wrapped):
        value = [value, "]"]
    data = json.dumps(value).encode()
    if depth_of(value) <= limit:
        check_depth(data, limit)
    else:
        with pytest.raises(TooDeep):
            check_depth(data, limit)


def test_nothing_is_decoded_that_nests_without_end() -> None:
    """With every decoder there is, and with little memory."""
    command = [sys.executable, "-m", "tests.machinery.deep_input"]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")
