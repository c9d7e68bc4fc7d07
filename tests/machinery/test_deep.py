"""Objects that are nested deeper than can be decoded, among others that are not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright import Resource, Struct, custom_resource
from kubewright.client.forms import METADATA, form_of
from kubewright.machinery.deep import cut_items, cut_object
from kubewright.machinery.errors import DecodeError, NestedTooDeeply
from kubewright.machinery.kept import keep, private
from kubewright.machinery.unstructured import Unstructured
from kubewright.machinery.watch import WatchDecoder

LEVELS = 3000
DEEP = b'{"a":[' * (LEVELS // 2) + b"1" + b"]}" * (LEVELS // 2)
FIELDS = b'[{"manager":"m","fieldsV1":' + b'{"f:a":' * LEVELS + b"{}" + b"}" * LEVELS + b"}]"


class SackSpec(Struct):
    size: int = 0


@custom_resource(group="deep.example.com", version="v1")
class Sack(Resource):
    spec: SackSpec
    status: SackSpec | None = None


def sack(name: str, *, spec: bytes = b'{"size":1}', fields: bytes = b"[]", more: bytes = b"") -> bytes:
    metadata = b'{"name":"%b","namespace":"default","managedFields":%b,"labels":{"a":"}"}}' % (
        name.encode(),
        fields,
    )
    head = b'{"apiVersion":"deep.example.com/v1","kind":"Sack","metadata":%b,"spec":%b' % (metadata, spec)
    return head + more + b',"status":{"size":2}}'


def listed(*items: bytes, kind: bytes = b"SackList") -> bytes:
    head = (
        b'{"apiVersion":"deep.example.com/v1","kind":"%b","metadata":{"resourceVersion":"7"},"items":[' % kind
    )
    return head + b",".join(items) + b"]}"


CASES = {
    "field": sack("deep", spec=DEEP),
    "managed fields": sack("deep", fields=FIELDS),
    "unknown field": sack("deep", more=b',"data":' + DEEP),
    "all": sack("deep", spec=DEEP, fields=FIELDS, more=b',"data":' + DEEP),
}


@pytest.mark.parametrize("case", CASES)
def test_others_are_read(case: str) -> None:
    page = listed(sack("a"), CASES[case], sack("b"))
    found = form_of(Sack).read_list(page)
    assert (found.resource_version, [each.key for each in found.items]) == (
        "7",
        ["default/a", "default/deep", "default/b"],
    )
    assert [found.items[0].spec.size, found.items[2].spec.size] == [1, 1]
    deep = found.items[1]
    assert deep.metadata.labels == {"a": "}"}
    assert deep.status is not None
    assert deep.status.size == 2
    event = WatchDecoder(Sack).decode(b'{"type":"MODIFIED","object":' + CASES[case] + b"}")
    assert (event.type, event.object.key) == ("MODIFIED", "default/deep")


def test_what_is_too_deep_is_refused_when_it_is_read_and_stays_what_it_is() -> None:
    for obj in (
        form_of(Sack).read_list(listed(CASES["all"])).items[0],
        WatchDecoder(Sack).decode(b'{"type":"ADDED","object":' + CASES["all"] + b"}").object,
    ):
        kept = keep(obj, managed_fields=False)
        for each in (private(kept), private(kept).copy()):
            with pytest.raises(DecodeError, match="Sack default/deep spec: the JSON is nested too deeply"):
                _ = each.spec
            assert "spec=..." in repr(each)
            sent = each.to_json()
            assert b'"spec":' + DEEP in sent
            assert b'"data":' + DEEP in sent
            assert b"managedFields" not in sent


def test_without_a_type() -> None:
    page = listed(sack("a"), CASES["all"])
    found = form_of(Unstructured).read_list(page)
    first, deep = found.items
    assert first["spec"] == {"size": 1}
    assert deep.key == "default/deep"
    with pytest.raises(DecodeError, match=r"Sack default/deep spec does not decode: .* nested too deeply"):
        _ = deep["spec"]
    assert b'"data":' + DEEP in deep.copy().to_json()
    event = WatchDecoder(Unstructured).decode(b'{"type":"ADDED","object":' + CASES["all"] + b"}")
    assert event.object["status"] == {"size": 2}


def test_metadata_alone() -> None:
    page = listed(CASES["managed fields"])
    for before, after in (
        (b'"deep.example.com/v1"', b'"meta.k8s.io/v1"'),
        (b'"Sack"', b'"PartialObjectMetadata"'),
        (b'"SackList"', b'"PartialObjectMetadataList"'),
    ):
        page = page.replace(before, after)
    assert [each.key for each in METADATA.read_list(page).items] == ["default/deep"]


def test_what_is_wrong_elsewhere_is_told_as_ever() -> None:
    with pytest.raises(NestedTooDeeply):
        form_of(Sack).read_list(
            b'{"kind":"SackList","apiVersion":"deep.example.com/v1","metadata":' + DEEP + b"}"
        )
    for broken in (listed(CASES["all"])[:-1], listed(CASES["all"]) + b"]}}", b"}" + listed(CASES["all"])):
        with pytest.raises(DecodeError):
            form_of(Sack).read_list(broken)


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(
    items=st.lists(
        st.dictionaries(st.text(max_size=4) | st.just("metadata"), _PLAIN, max_size=4), max_size=3
    ),
    deep=st.integers(0, 2),
)
def test_what_is_not_deep_is_not_touched(items: list[dict[str, Any]], deep: int) -> None:
    """Whatever brackets and quotes there are in texts, and whatever is cut out beside it."""
    page = json.dumps({"items": items, "metadata": {}, "object": items}).encode()
    assert cut_items(page).data == page
    assert cut_object(page).data == page
    mark = "[" * 150 + "]" * 150
    given = [json.dumps({**each, "x": "DEEP"}) for each in items]
    with_deep = [each.replace('"DEEP"', mark, 1) if i == deep else each for i, each in enumerate(given)]
    made = json.loads(cut_items(f'{{"items":[{",".join(with_deep)}]}}'.encode()).data)
    for i, each in enumerate(made["items"]):
        put = each.pop("x")
        assert (put == "DEEP") is (i != deep)
        assert each == {name: value for name, value in items[i].items() if name != "x"}
