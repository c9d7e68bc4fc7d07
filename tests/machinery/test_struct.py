"""Structs: names, defaults, what is sent and what is kept."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.machinery.errors import DecodeError, ParseError
from kubewright.machinery.field import EMPTY, OpenEnum, field
from kubewright.machinery.quantity import Quantity
from kubewright.machinery.struct import Struct, is_set
from kubewright.machinery.time import Duration, MicroTime, Time
from kubewright.machinery.unstructured import Unstructured
from kubewright.models.authentication_v1 import TokenRequest, TokenReview
from kubewright.models.core_v1 import Secret


class Port(Struct):
    port: int
    name: str = ""
    protocol: str = "TCP"
    node_port: int | None = None


class Limits(Struct):
    cpu: Quantity | None = None
    extra: dict[str, Quantity] = {}


class Thing(Struct):
    name: str
    cluster_ip: str = field(default="", name="clusterIP")
    ports: list[Port] = []
    labels: dict[str, str] = {}
    limits: Limits = EMPTY
    parent: Thing | None = None
    on: bool | None = None
    data: dict[str, bytes] = {}
    required_list: list[str]
    anything: Any = None
    policy: OpenEnum[Any] = ""


class Times(Struct):
    at: Time | None = None
    exactly: MicroTime | None = None
    lasts: Duration | None = None


def thing(**values: Any) -> Thing:
    return Thing(**{"name": "a", "required_list": [], **values})


class TestNamesAndDefaults:
    def test_only_what_is_set_is_sent(self) -> None:
        assert thing().to_json() == b'{"name":"a","requiredList":[]}'

    def test_exact_wire_names(self) -> None:
        assert thing(cluster_ip="10.0.0.1").to_dict()["clusterIP"] == "10.0.0.1"
        assert Thing.from_json('{"name":"a","requiredList":[],"clusterIP":"x"}').cluster_ip == "x"

    def test_unset_reads_as_its_default(self) -> None:
        port = Port(port=80)
        assert (port.protocol, port.name, port.node_port) == ("TCP", "", None)
        assert port.to_json() == b'{"port":80}'

    @pytest.mark.parametrize(
        ("values", "wire"),
        [
            ({"protocol": "TCP"}, b'{"port":80,"protocol":"TCP"}'),
            ({"name": ""}, b'{"port":80,"name":""}'),
            ({"node_port": 0}, b'{"port":80,"nodePort":0}'),
        ],
    )
    def test_what_is_set_is_sent_also_when_it_is_the_default(
        self, values: dict[str, Any], wire: bytes
    ) -> None:
        assert Port(port=80, **values).to_json() == wire
        assert Port.from_json(wire).to_json() == wire

    def test_setting_and_deleting_a_field(self) -> None:
        port = Port(port=80)
        port.protocol = "UDP"
        assert port.protocol == "UDP"
        del port.protocol
        assert port.protocol == "TCP"
        assert not is_set(port, "protocol")

    def test_an_empty_struct_can_be_written_through(self) -> None:
        made = thing()
        made.limits.cpu = Quantity("1")
        assert made.to_dict()["limits"] == {"cpu": "1"}

    def test_empty_structs_are_not_shared(self) -> None:
        one, two = thing(), thing()
        one.limits.extra["x"] = Quantity("1")
        one.ports.append(Port(port=1))
        assert two.limits.extra == {}
        assert two.ports == []

    def test_reading_changes_nothing_that_is_sent(self) -> None:
        made = thing()
        assert (made.ports, made.labels, made.limits.extra, made.data) == ([], {}, {}, {})
        assert made.to_json() == thing().to_json()
        assert made.to_dict() == thing().to_dict()
        made.ports.append(Port(port=1))
        made.limits.extra["x"] = Quantity("1")
        assert made.to_dict() == {
            "name": "a",
            "requiredList": [],
            "ports": [{"port": 1}],
            "limits": {"extra": {"x": "1"}},
        }

    def test_what_was_read_before_it_was_sent_can_still_be_changed(self) -> None:
        made = thing()
        ports, limits = made.ports, made.limits
        assert made.to_json() == thing().to_json()
        ports.append(Port(port=1))
        limits.cpu = Quantity("1")
        assert made.to_dict()["ports"] == [{"port": 1}]
        assert made.to_dict()["limits"] == {"cpu": "1"}

    def test_required_and_pointed_to_empties_are_sent(self) -> None:
        parent = Thing(name="p", required_list=[])
        made = thing(parent=parent, anything={"a": [], "b": {}})
        sent = made.to_dict()
        assert sent["parent"] == {"name": "p", "requiredList": []}
        assert sent["anything"] == {"a": [], "b": {}}
        assert sent["requiredList"] == []

    def test_required_fields_are_required(self) -> None:
        with pytest.raises(TypeError, match="port"):
            Port()  # type: ignore[call-arg]

    def test_unknown_arguments_are_refused(self) -> None:
        with pytest.raises(TypeError, match="prot"):
            Port(port=1, prot="x")  # type: ignore[call-arg]


class TestUnknownFields:
    WIRE = {
        "name": "a",
        "requiredList": [],
        "ports": [{"port": 1}, {"port": 2, "newPort": {"deep": [1, None]}}],
        "limits": {"newLimit": "1"},
        "newTop": True,
    }

    def test_they_are_kept(self) -> None:
        assert Thing.from_dict(self.WIRE).to_dict() == self.WIRE

    def test_they_follow_the_struct_they_came_with(self) -> None:
        read = Thing.from_dict(self.WIRE)
        del read.ports[0]
        other = thing(ports=[Port(port=9), *read.ports])
        assert other.to_dict()["ports"] == [{"port": 9}, {"port": 2, "newPort": {"deep": [1, None]}}]

    def test_they_survive_changes_of_known_fields(self) -> None:
        read = Thing.from_dict(self.WIRE)
        read.ports[1].port = 3
        read.limits.cpu = Quantity("1")
        sent = read.to_dict()
        assert sent["ports"][1] == {"port": 3, "newPort": {"deep": [1, None]}}
        assert sent["limits"] == {"cpu": "1", "newLimit": "1"}

    def test_they_count_in_comparisons(self) -> None:
        other = {**self.WIRE, "newTop": False}
        assert Thing.from_dict(self.WIRE) == Thing.from_dict(self.WIRE)
        assert Thing.from_dict(self.WIRE) != Thing.from_dict(other)

    def test_they_survive_copies_and_pickles(self) -> None:
        read = Thing.from_dict(self.WIRE)
        for copied in (read.copy(), copy.deepcopy(read), copy.copy(read), pickle.loads(pickle.dumps(read))):  # noqa: S301
            assert copied == read
            assert copied.to_dict() == self.WIRE
            copied.ports[1].port = 77
            assert read.ports[1].port == 2

    def test_an_object_with_them_is_of_its_type(self) -> None:
        read = Thing.from_dict(self.WIRE)
        assert isinstance(read, Thing)
        assert isinstance(read.ports[1], Port)
        assert "newPort" in repr(read)

    json = st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    )
    unknown = st.dictionaries(st.text(max_size=6).map(lambda name: f"x{name}"), json, max_size=3)

    @given(st.lists(unknown, max_size=4), unknown, unknown)
    def test_preserved_over_random_objects(
        self, ports: list[dict[str, Any]], limits: dict[str, Any], top: dict[str, Any]
    ) -> None:
        wire = {
            **top,
            "name": "a",
            "requiredList": ["x"],
            "ports": [{**extra, "port": number} for number, extra in enumerate(ports)],
            "limits": {**limits, "cpu": "100m"},
            "parent": {**top, "name": "b", "requiredList": [], "limits": {**limits, "cpu": "1"}},
        }
        if not ports:
            del wire["ports"]
        read = Thing.from_dict(wire)
        assert read.to_dict() == wire
        for port in read.ports:
            port.node_port = 1
        sent = read.to_dict()
        for port in sent.get("ports", []):
            assert port.pop("nodePort") == 1
        assert sent == wire


class TestLeniency:
    def test_null_is_absent(self) -> None:
        read = Thing.from_json('{"name":"a","requiredList":null,"ports":null,"limits":null,"clusterIP":null}')
        assert read == thing()
        assert read.ports == []

    def test_a_required_list_may_be_absent(self) -> None:
        assert Thing.from_json('{"name":"a"}').required_list == []

    def test_base64_with_line_ends(self) -> None:
        assert Thing.from_dict({"name": "a", "data": {"k": "aGVs\nbG8=\r\n"}}).data == {"k": b"hello"}

    @pytest.mark.parametrize(
        ("wire", "message"),
        [
            ("{}", "Thing: object missing required field name"),
            ('{"name": null}', "Thing: object missing required field name"),
            ('{"name": 3}', "Thing name: expected str, got int"),
            ('{"name":"a","ports":[{"port":1},{"port":"x"}]}', "Thing ports[1].port: expected int, got str"),
            (
                '{"name":"a","ports":[{"port":1},{"port":"x"}],"new":1}',
                "Thing ports[1].port: expected int, got str",
            ),
            ('{"name":"a","limits":{"cpu":"1.2.3"}}', "Thing limits.cpu: quantity '1.2.3'"),
            ('{"name":"a","labels":[]}', "Thing labels: expected object, got array"),
            ('{"name":"a"', "Thing: input data was truncated"),
            ("[]", "Thing: expected object, got array"),
            ('{"name":"\\ud800"}', "Thing"),
        ],
    )
    def test_errors_name_the_place(self, wire: str, message: str) -> None:
        with pytest.raises(DecodeError) as caught:
            Thing.from_json(wire)
        assert str(caught.value).startswith(message)

    def test_invalid_utf_8(self) -> None:
        with pytest.raises(DecodeError, match="UTF-8"):
            Thing.from_json(b'{"name":"\xff"}')

    def test_deep_nesting(self) -> None:
        with pytest.raises(DecodeError, match="nested too deeply"):
            Thing.from_json(b'{"name":"a","anything":' + b"[" * 100_000 + b"]" * 100_000 + b"}")

    def test_what_is_not_plain_data(self) -> None:
        with pytest.raises(DecodeError, match="object has no JSON form"):
            Thing.from_dict({"name": object()})
        with pytest.raises(DecodeError, match="expected a mapping, got list"):
            Thing.from_dict([])  # type: ignore[arg-type]


class TestTimes:
    def test_precision_of_the_wire(self) -> None:
        moment = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
        times = Times(at=moment, exactly=moment.replace(microsecond=0))  # type: ignore[arg-type]
        assert times.to_json() == b'{"at":"2026-01-02T03:04:05Z","exactly":"2026-01-02T03:04:05.000000Z"}'
        assert Times.from_json(times.to_json()) == times

    def test_assignment_is_the_same(self) -> None:
        times = Times()
        times.exactly = datetime(2026, 1, 2, tzinfo=timezone(timedelta(hours=2)))  # type: ignore[assignment]
        times.at = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
        assert times.to_dict() == {"at": "2026-01-02T03:04:05Z", "exactly": "2026-01-01T22:00:00.000000Z"}

    def test_naive_times_are_refused(self) -> None:
        naive = datetime(2026, 1, 2)  # noqa: DTZ001
        with pytest.raises(ParseError, match=r"datetime\.now\(UTC\)"):
            Times(at=naive)
        with pytest.raises(ParseError, match=r"datetime\.now\(UTC\)"):
            Times().exactly = naive  # type: ignore[assignment]

    def test_durations(self) -> None:
        assert Times(lasts=Duration("90s")).to_json() == b'{"lasts":"1m30s"}'
        with pytest.raises(DecodeError, match="Times lasts: "):
            Times.from_json('{"lasts":"soon"}')


class TestComparing:
    def test_unset_equals_its_default(self) -> None:
        assert Port(port=1) == Port(port=1, protocol="TCP", name="")
        assert Port(port=1) != Port(port=1, protocol="UDP")
        assert thing() == thing(limits=Limits())
        assert thing(limits=Limits(cpu=Quantity("1"))) != thing()

    def test_quantities_compare_by_value(self) -> None:
        assert Limits(cpu=Quantity("1000m")) == Limits(cpu=Quantity("1"))

    def test_other_types_differ(self) -> None:
        assert Port(port=1) != Limits()
        assert Port(port=1) != {"port": 1}

    def test_comparing_changes_nothing(self) -> None:
        one, two = thing(), thing(limits=Limits())
        assert one == two
        assert not is_set(one, "limits")


def test_repr_shows_what_is_set() -> None:
    assert repr(Port(port=1, name="x")) == "Port(port=1, name='x')"


def test_repr_shows_no_secrets() -> None:
    """It is in logs, in reports of errors, and in what debuggers send somewhere."""
    applied = '{"stringData":{"extra":"s3cret"}}'
    wire = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "a",
            "namespace": "b",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied},
        },
        "data": {"password": "czNjcmV0"},
        "stringData": {"extra": "s3cret"},
        "unknown": 1,
    }
    read = Secret.from_dict(wire)
    assert "data={'password': ...}, string_data={'extra': ...}" in repr(read)
    assert "s3cret" not in repr(read)
    assert read.data["password"] == b"s3cret"
    assert read.metadata.annotations
    assert "last-applied-configuration': '...'" in repr(read)
    assert "s3cret" not in repr(read)
    shown = repr(Unstructured.from_dict(wire))
    assert shown == "Unstructured('v1', 'Secret b/a', data={'password': ...})"
    assert repr(Unstructured.from_dict({**wire, "data": "s3cret"})).endswith("data=...)")
    issued = TokenRequest.from_dict({"spec": {"audiences": []}, "status": {"token": "s3cret"}})
    assert "token=..." in repr(issued)
    assert "s3cret" not in repr(issued)
    assert "s3cret" not in repr(TokenReview.from_dict({"spec": {"token": "s3cret"}}))


def test_quantities_keep_their_text_until_they_are_changed() -> None:
    read = Limits.from_json('{"cpu":"1000m","extra":{"memory":"0.5Gi"}}')
    assert read.to_json() == b'{"cpu":"1000m","extra":{"memory":"0.5Gi"}}'
    assert read.cpu == Quantity("1")
