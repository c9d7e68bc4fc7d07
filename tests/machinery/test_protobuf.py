"""The Kubernetes protobuf encoding: what it gives, that it loses nothing, what it says of broken bodies."""

from __future__ import annotations

import struct
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import DecodeError, EncodeError, ParseError
from kubewright.machinery.protobuf import (
    MAGIC,
    MAX_DEPTH,
    Messages,
    decode,
    decode_message,
    encode,
    encode_message,
)
from tests.machinery.protobuf_objects import (
    MANIFESTS,
    MESSAGES,
    PODS,
    RICH_POD,
    broken_bodies,
    message_objects,
    objects,
)

TOY = Messages(
    {
        "Toy": """
            1 text string omitempty
            2 name string
            3 count int32 omitempty
            4 replicas int32
            5 big int64
            6 ratio double
            7 flag bool
            8 toys []Toy
            9 byName map[string]Toy
            10 numbers []int32
            11 labels map[string]string
            12 raw bytes omitempty
            13 part Part inline
            14 either Either
            15 ratios []double
            16 unsigned uint32
            17 long uint64
            18 at Time
            19 created Time omitempty
            20 anything RawExtension
            21 counts map[string]int64
            22 child Toy
            23 many map[string]Many
            24 port IntOrString
            25 every Duration
            26 size Quantity
            27 sizes map[string]Quantity
            28 precise MicroTime
            29 ratioByName map[string]double
        """,
        "Part": "1 left string\n2 right string",
        "Either": "union\n1 allows bool\n2 toy Toy\n3 names []string",
        "Many": "union\n1 items []string",
    },
    {"toys/v1": {"Toy": "Toy"}, "": {"Any": "Part"}},
)


def read(*parts: bytes) -> dict[str, Any]:
    return decode_message(b"".join(parts), "Toy", TOY)


def field(number: int, wire_type: int, payload: bytes) -> bytes:
    tag = number << 3 | wire_type
    head = bytes([tag]) if tag < 0x80 else bytes([tag & 0x7F | 0x80, tag >> 7])
    return head + (bytes([len(payload)]) if wire_type == 2 else b"") + payload


class TestScalars:
    @pytest.mark.parametrize(
        ("wire", "plain"),
        [
            (field(3, 0, b"\x05"), {"count": 5}),
            (field(3, 0, b"\x00"), {}),
            (field(4, 0, b"\x00"), {"replicas": 0}),
            (field(4, 0, b"\xff" * 9 + b"\x01"), {"replicas": -1}),
            (field(4, 0, b"\xff\xff\xff\xff\x0f"), {"replicas": -1}),
            (field(4, 0, b"\x85\x80\x80\x00"), {"replicas": 5}),
            (field(5, 0, b"\x80" * 9 + b"\x01"), {"big": -(2**63)}),
            (field(16, 0, b"\xff\xff\xff\xff\x0f"), {"unsigned": 2**32 - 1}),
            (field(17, 0, b"\xff" * 9 + b"\x01"), {"long": 2**64 - 1}),
            (field(7, 0, b"\x00"), {"flag": False}),
            (field(7, 0, b"\x02"), {"flag": True}),
            (field(1, 2, b""), {}),
            (field(2, 2, b""), {"name": ""}),
            (field(2, 2, "é".encode()), {"name": "é"}),
            (field(12, 2, b"\x00\xff"), {"raw": "AP8="}),
            (field(12, 2, b""), {}),
            (field(6, 1, struct.pack("<d", 0.5)), {"ratio": 0.5}),
            (field(6, 1, struct.pack("<d", 1e300)), {"ratio": 1e300}),
        ],
    )
    def test_what_they_are(self, wire: bytes, plain: dict[str, Any]) -> None:
        assert read(wire) == plain

    def test_whole_floats_are_ints_as_in_upstreams_json(self) -> None:
        made = read(field(6, 1, struct.pack("<d", 2.0)))
        assert made == {"ratio": 2}
        assert type(made["ratio"]) is int
        assert str(read(field(6, 1, struct.pack("<d", -0.0)))["ratio"]) == "-0.0"

    def test_the_last_one_counts(self) -> None:
        assert read(field(4, 0, b"\1"), field(4, 0, b"\2")) == {"replicas": 2}
        assert read(field(3, 0, b"\1"), field(3, 0, b"\0")) == {}
        assert read(field(1, 2, b"a"), field(1, 2, b"")) == {}

    def test_repeated_numbers_packed_or_not(self) -> None:
        assert read(field(10, 0, b"\1"), field(10, 2, b"\2\x80\1"), field(10, 0, b"\0")) == {
            "numbers": [1, 2, 128, 0]
        }
        assert read(field(15, 2, struct.pack("<dd", 0.5, 1.5))) == {"ratios": [0.5, 1.5]}


class TestMessages:
    def test_messages_merge_and_lists_grow(self) -> None:
        first, second = field(2, 2, b"a"), field(4, 0, b"\1")
        assert read(field(22, 2, first), field(22, 2, second)) == {"child": {"name": "a", "replicas": 1}}
        assert read(field(8, 2, first), field(8, 2, b"")) == {"toys": [{"name": "a"}, {}]}

    def test_inlined_fields_stand_among_the_others(self) -> None:
        wire = field(2, 2, b"n") + field(13, 2, field(1, 2, b"l"))
        assert read(wire) == {"name": "n", "left": "l"}
        assert encode_message({"name": "n", "left": "l"}, "Toy", TOY) == wire
        assert encode_message({"name": "n"}, "Toy", TOY) == field(2, 2, b"n")

    def test_entries_of_maps_may_lack_either_part(self) -> None:
        assert read(field(11, 2, b""), field(11, 2, field(1, 2, b"k"))) == {"labels": {"": "", "k": ""}}
        assert read(field(9, 2, field(1, 2, b"k"))) == {"byName": {"k": {}}}
        assert read(field(21, 2, field(1, 2, b"k"))) == {"counts": {"k": 0}}
        assert read(field(23, 2, field(1, 2, b"k"))) == {"many": {"k": []}}
        assert read(field(27, 2, field(1, 2, b"k"))) == {"sizes": {"k": "0"}}
        assert read(field(29, 2, field(1, 2, b"k"))) == {"ratioByName": {"k": 0}}

    def test_unions(self) -> None:
        toy, names = field(2, 2, field(2, 2, b"x")), field(3, 2, b"a")
        assert read(field(14, 2, b"")) == {"either": False}
        assert read(field(14, 2, field(1, 0, b"\1"))) == {"either": True}
        assert read(field(14, 2, field(1, 0, b"\1") + toy)) == {"either": {"name": "x"}}
        assert read(field(14, 2, names + toy)) == {"either": ["a"]}
        for value in (True, False, {"name": "x"}, ["a"], {}):
            assert read(encode_message({"either": value}, "Toy", TOY)) == {"either": value}

    def test_unknown_fields_are_passed_over(self) -> None:
        group = field(100, 3, field(1, 0, b"\1") + field(101, 3, b"") + field(101, 4, b"")) + field(
            100, 4, b""
        )
        unknown = [
            field(90, 0, b"\xff\x01"),
            field(91, 1, b"8" * 8),
            field(92, 2, b"abc"),
            field(93, 5, b"4" * 4),
        ]
        assert read(*unknown, group, field(2, 2, b"n"), *unknown) == {"name": "n"}


class TestForms:
    @pytest.mark.parametrize(
        ("plain", "wire"),
        [
            ({"at": "1970-01-01T00:00:01Z"}, field(18, 2, b"\x08\x01\x10\x00")),
            ({"precise": "1970-01-01T00:00:01.000001Z"}, field(28, 2, b"\x08\x01\x10\xe8\x07")),
            ({"every": "1.5s"}, field(25, 2, b"\x08\x80\xde\xa0\xcb\x05")),
            ({"size": "1500m"}, field(26, 2, field(1, 2, b"1500m"))),
            ({"port": 80}, field(24, 2, b"\x08\x00\x10\x50\x1a\x00")),
            ({"port": "http"}, field(24, 2, b"\x08\x01\x10\x00\x1a\x04http")),
            ({"anything": {"a": [1, None]}}, field(20, 2, field(1, 2, b'{"a":[1,null]}'))),
        ],
    )
    def test_both_ways(self, plain: dict[str, Any], wire: bytes) -> None:
        assert read(wire) == plain
        assert encode_message(plain, "Toy", TOY) == wire

    def test_the_zero_time_is_null_or_absent(self) -> None:
        assert read(field(18, 2, b"")) == {"at": None}
        assert read(field(19, 2, b"")) == {}
        assert encode_message({"at": "0001-01-01T00:00:00Z"}, "Toy", TOY) == field(18, 2, b"")
        assert read(field(18, 2, field(2, 0, b"\7"))) == {"at": "1970-01-01T00:00:00Z"}

    def test_fractions_of_times_are_cut_off(self) -> None:
        assert read(field(18, 2, b"\x08\x01\x10\xff\x07")) == {"at": "1970-01-01T00:00:01Z"}
        negative = b"\x08\x01\x10\xe8" + b"\xff" * 8 + b"\x01"
        assert read(field(28, 2, negative)) == {"precise": "1970-01-01T00:00:01.000000Z"}

    def test_nothing_is_no_object(self) -> None:
        assert read(field(20, 2, b"")) == {"anything": None}
        assert read(field(26, 2, b"")) == {"size": "0"}

    def test_an_envelope_in_an_envelope(self) -> None:
        event = {
            "apiVersion": "v1",
            "kind": "WatchEvent",
            "type": "ADDED",
            "object": encode(RICH_POD, MESSAGES),
        }
        _, _, made = decode(encode(event, MESSAGES), MESSAGES)
        assert made["object"]["metadata"]["name"] == RICH_POD["metadata"]["name"]
        assert made["object"]["kind"] == "Pod"


def _without_null(value: Any) -> Any:
    """Null fields are not written: upstream would take what is there for a pointer that is set."""
    if isinstance(value, dict):
        return {name: _without_null(item) for name, item in value.items() if item is not None}
    return [_without_null(item) for item in value] if isinstance(value, list) else value


class TestRoundTrips:
    @pytest.mark.parametrize("plain", [RICH_POD, PODS], ids=["Pod", "PodList"])
    def test_pods(self, plain: dict[str, Any]) -> None:
        expected = (plain["apiVersion"], plain["kind"], _without_null(plain))
        assert decode(encode(plain, MESSAGES), MESSAGES) == expected

    @given(objects())
    def test_objects_of_all_kinds(self, plain: dict[str, Any]) -> None:
        assert decode(encode(plain, MESSAGES), MESSAGES)[2] == plain

    @given(message_objects(TOY["Toy"], TOY))
    def test_messages(self, plain: dict[str, Any]) -> None:
        assert decode_message(encode_message(plain, "Toy", TOY), "Toy", TOY) == plain

    def test_what_upstream_leaves_out_is_left_out(self) -> None:
        plain = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "", "labels": {}, "creationTimestamp": None},
        }
        plain |= {"spec": {"containers": [], "unknown": 5, "hostNetwork": False}, "unknown": {}}
        assert decode(encode(plain, MESSAGES), MESSAGES)[2] == {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {},
            "spec": {},
        }

    def test_options_come_with_the_version_of_their_group(self) -> None:
        for version in ("v1", "apps/v1", "policy/v1"):
            plain = {"apiVersion": version, "kind": "DeleteOptions", "gracePeriodSeconds": 0}
            assert decode(encode(plain, MESSAGES), MESSAGES)[2] == plain


class TestBrokenBodies:
    @pytest.mark.parametrize(
        ("wire", "message"),
        [
            (field(2, 2, b"abc")[:-1], "name: it says that it has 3 bytes, but 2 are left"),
            (
                b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                "name: it says that it has 18446744073709551615",
            ),
            (b"\x12", "name: the body ends in the middle of it"),
            (b"\xff", "the object itself: the body ends in the middle of it"),
            (b"\x20\xff", "replicas: the body ends in the middle of it"),
            (b"\x20" + b"\x80" * 10 + b"\x01", "replicas: a number has more than ten bytes"),
            (b"\xff" * 11, "the object itself: a number has more than ten bytes"),
            (field(4, 2, b"\1"), "replicas: field 4 has the wire type 2, but a int32 has 0"),
            (field(2, 0, b"\1"), "name: field 2 has the wire type 0, but a string has 2"),
            (b"\x02\x00", "a field has the number 0"),
            (b"\xf8\xff\xff\xff\xff\x0f\0", "past the largest number of a field"),
            (field(90, 6, b""), "field 90 has the wire type 6"),
            (field(90, 4, b""), "group 90 ends without having begun"),
            (field(90, 3, b"") + field(91, 4, b""), "group 91 ends without having begun"),
            (field(90, 3, b"") * 50, "ends in the middle"),
            (field(90, 1, b"8"), "its last field is longer than the message"),
            (field(6, 1, b"8"), "ratio: the body ends in the middle"),
            (field(6, 1, struct.pack("<d", float("nan"))), "ratio: nan is a number that JSON does not have"),
            (field(2, 2, b"a\xff"), "name: the text b'a\\xff' is no UTF-8"),
            (field(8, 2, b"") + field(8, 2, field(8, 2, b"\x12\x05")), "toys[1].toys[0].name: it says"),
            (field(11, 2, field(1, 2, b"\xff")), "labels.key: the text"),
            (field(10, 2, b"\x80"), "numbers[0]: the body ends in the middle"),
            (field(8, 2, field(10, 2, b"\x80")) + b"\x12\0", "its last number is longer than the list"),
            (
                field(18, 2, b"\x08" + b"\xff" * 8 + b"\x7f"),
                "at: 9223372036854775807 seconds since 1970 are outside",
            ),
            (field(26, 2, field(1, 2, b"1x")), "size: quantity '1x'"),
            (field(24, 2, b"\x08\x02"), "port: an IntOrString of type 2"),
            (field(20, 2, field(1, 2, b"{")), "anything: b'{' is no JSON"),
            (field(20, 2, field(1, 2, b'"\xff"')), "is no JSON"),
        ],
    )
    def test_one_sentence_names_the_place(self, wire: bytes, message: str) -> None:
        with pytest.raises(DecodeError) as caught:
            read(wire)
        assert str(caught.value).startswith("the protobuf message Toy is wrong at ")
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            (b"", "it starts with b'', not with the four bytes"),
            (b'{"kind":"Pod"}', "it starts with b'{\"ki', not with"),
            (MAGIC, "the envelope says apiVersion '' and kind ''; it needs both"),
            (MAGIC + field(1, 2, field(1, 2, b"v1")), "kind ''; it needs both"),
            (
                MAGIC + field(1, 2, field(1, 2, b"x/v1") + field(2, 2, b"Widget")),
                "'Widget' of 'x/v1' has no protobuf form here; send it as JSON",
            ),
            (MAGIC + field(1, 2, field(1, 2, b"v1") + field(2, 2, b"PodSpec")), "'PodSpec' of 'v1' has no"),
            (
                MAGIC + field(1, 2, field(1, 2, b"v1") + field(2, 2, b"Pod")) + field(3, 2, b"gzip"),
                "the contentEncoding 'gzip' is not known",
            ),
        ],
    )
    def test_envelopes(self, body: bytes, message: str) -> None:
        with pytest.raises(DecodeError) as caught:
            decode(body, MESSAGES)
        assert message in str(caught.value)

    def test_nesting_has_an_end(self) -> None:
        wire = b""
        for _ in range(MAX_DEPTH):
            wire = b"\xb2\x01" + _length(wire) + wire
        made: Any = read(wire)
        for _ in range(MAX_DEPTH):
            made = made["child"]
        assert made == {}
        with pytest.raises(DecodeError, match=f"nest deeper than {MAX_DEPTH} levels"):
            read(b"\xb2\x01" + _length(wire) + wire)

    def test_nested_json_has_an_end(self) -> None:
        raw = b"[" * 100_000
        inner = b"\x0a" + _length(raw) + raw
        with pytest.raises(DecodeError, match="anything"):
            read(b"\xa2\x01" + _length(inner) + inner)

    def test_nested_envelopes_are_not_copied(self) -> None:
        body = encode({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "x" * 1_000_000}}, MESSAGES)
        for _ in range(40):
            body = encode({"apiVersion": "v1", "kind": "WatchEvent", "object": body}, MESSAGES)
        tracemalloc.start()
        try:
            decode(body, MESSAGES)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 5_000_000

    def test_many_small_things_take_time_and_memory_in_proportion(self) -> None:
        started = time.process_time()
        groups = field(90, 3, b"") * 50_000 + field(90, 4, b"") * 50_000
        for wire in (b"\x42\0" * 100_000, b"\x5a\0" * 100_000, b"\x6a\0" * 100_000, groups):
            read(wire)
        assert time.process_time() - started < 5

    @given(st.binary(max_size=200))
    def test_random_bytes(self, data: bytes) -> None:
        for body in (data, MAGIC + data):
            _give_or_refuse(body)
        for name in ("core.v1.Pod", "apiextensions.v1.JSONSchemaProps", "meta.v1.ObjectMeta"):
            try:
                decode_message(data, name, MESSAGES)
            except DecodeError as error:
                assert "\n" not in str(error)  # noqa: PT017 - either outcome is right

    @pytest.mark.parametrize("plain", [RICH_POD, *MANIFESTS[:6]], ids=lambda plain: plain["kind"])
    def test_mutated_bodies(self, plain: dict[str, Any]) -> None:
        @given(broken_bodies(encode(plain, MESSAGES)))
        def run(body: bytes) -> None:
            _give_or_refuse(body)

        run()

    def test_every_beginning_of_a_body(self) -> None:
        body = encode(RICH_POD, MESSAGES)
        taken = [size for size in range(len(body) + 1) if _give_or_refuse(body[:size])]
        before_object = len(MAGIC) + 2 + len(b"\n\2v1\x12\3Pod")
        assert taken == [before_object, len(body) - 4, len(body) - 2, len(body)]


def _length(wire: bytes) -> bytes:
    size = len(wire)
    made = b""
    while size >= 0x80:
        made += bytes([size & 0x7F | 0x80])
        size >>= 7
    return made + bytes([size])


def _give_or_refuse(body: bytes) -> bool:
    """A body that is read can be written again, and gives the same then; one that is not has one sentence."""
    try:
        _, _, plain = decode(body, MESSAGES)
    except DecodeError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either outcome is right
        return False
    assert _without_null(decode(encode(plain, MESSAGES), MESSAGES)[2]) == _without_null(plain)
    return True


class TestWhatCannotBeWritten:
    @pytest.mark.parametrize(
        ("plain", "message"),
        [
            ({"name": 5}, "name: 5 is no text"),
            ({"name": "\ud800"}, "name: '\\ud800' has no UTF-8 form"),
            ({"replicas": 2**31}, "replicas: 2147483648 is no int32"),
            ({"replicas": True}, "replicas: True is no int32"),
            ({"replicas": 1.5}, "replicas: 1.5 is no int32"),
            ({"flag": 1}, "flag: 1 is neither true nor false"),
            ({"ratio": "x"}, "ratio: 'x' is no number"),
            ({"ratio": 10**400}, "ratio: a int is past"),
            ({"raw": "?"}, "raw: '?' is no base64"),
            ({"raw": "YQ"}, "raw: 'YQ' is no base64"),
            ({"toys": {}}, "toys: a dict is no list"),
            ({"toys": [{}, {"name": []}]}, "toys[1].name: a list is no text"),
            ({"labels": []}, "labels: a list is no object"),
            ({"labels": {1: "a"}}, "labels: a dict is no object whose keys are texts"),
            ({"labels": {"a": 1}}, "labels['a']: 1 is no text"),
            ({"child": "x"}, "child: 'x' is not the object that Toy is"),
            ({"either": "x"}, "either: 'x' is none of what Either may be"),
            ({"at": "yesterday"}, "at: time 'yesterday' is not RFC 3339"),
            ({"at": 5}, "at: 5 is no time"),
            ({"every": 5}, "every: 5 is no duration"),
            ({"size": []}, "size: a list is no quantity"),
            ({"size": "1x"}, "size: quantity '1x'"),
            ({"port": 2**31}, "port: 2147483648 is neither"),
            ({"anything": {1, object()}}, "anything: a set has no JSON form"),
        ],
    )
    def test_one_sentence_names_the_place(self, plain: dict[str, Any], message: str) -> None:
        with pytest.raises(EncodeError) as caught:
            encode_message(plain, "Toy", TOY)
        assert message in str(caught.value)

    def test_an_object_in_itself(self) -> None:
        endless: dict[str, Any] = {}
        endless["child"] = endless
        with pytest.raises(EncodeError, match="nest deeper"):
            encode_message(endless, "Toy", TOY)

    @pytest.mark.parametrize(
        ("plain", "message"),
        [
            ({}, "both must be texts"),
            ({"apiVersion": "v1", "kind": "Widget"}, "'Widget' of 'v1' has no protobuf form here"),
        ],
    )
    def test_kinds(self, plain: dict[str, Any], message: str) -> None:
        with pytest.raises(EncodeError, match=message):
            encode(plain, MESSAGES)

    def test_null_keeps_its_place_in_lists_and_maps(self) -> None:
        wire = encode_message(
            {"toys": [None, {"name": "a"}], "labels": {"a": None}, "name": None}, "Toy", TOY
        )
        assert read(wire) == {"toys": [{}, {"name": "a"}], "labels": {"a": ""}}


class TestTables:
    def test_kinds(self) -> None:
        assert TOY.of_kind("toys/v1", "Toy") is TOY["Toy"]
        assert TOY.of_kind("toys/v2", "Toy") is None
        assert TOY.of_kind("whatever/v1", "Any") is TOY["Part"]

    def test_a_message_that_is_not_there(self) -> None:
        with pytest.raises(ParseError, match="no protobuf message 'Gone'"):
            decode_message(b"", "Gone", TOY)

    @pytest.mark.parametrize("line", ["name string", "0 name string", "1 name", "1 name string sometimes"])
    def test_a_wrong_line(self, line: str) -> None:
        with pytest.raises(ParseError, match="is no field"):
            _ = Messages({"M": line}, {})["M"].fields
