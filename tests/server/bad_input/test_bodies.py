"""Bodies that are no objects, or objects that nobody would send."""

from __future__ import annotations

import json

import pytest

from kubewright.testing import Cluster
from tests.server.bad_input.conftest import CONFIG_MAPS, config_map, cpu_budget
from tests.server.raw_http import JSON, Connection, ask, failure

DRY = f"{CONFIG_MAPS}?dryRun=All"
LIMIT = 3 * 1024 * 1024
HEAD = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"'


def test_every_prefix_of_a_body_is_refused(server: Cluster) -> None:
    body = config_map("whole", data={"key": "välue \\ \n"}, immutable=True)
    with Connection(server) as connection:
        for end in range(len(body)):
            failure(connection.request("POST", DRY, body[:end]), 400)


@pytest.mark.parametrize(
    "body",
    [
        b"\x00",
        b"\xff\xfe",
        b"1",
        b'"text"',
        b"true",
        b"[]",
        b"<html>",
        b"{'a':1}",
        b'{"apiVersion":"v1",}',
        b"/* comment */ {}",
        b"\xef\xbb\xbf" + config_map("bom"),
        config_map("utf-16").decode().encode("utf-16"),
        config_map("two") + config_map("documents"),
        config_map("nul") + b"\x00",
        HEAD + b',"generation":NaN}}',
        HEAD + b',"generation":Infinity}}',
        HEAD + b',"generation":-Infinity}}',
        HEAD + b',"generation":01}}',
        HEAD + b',"generation":1e999}}',
        HEAD + b',"generation":1e999999999}}',
        HEAD + b',"generation":1.5}}',
        HEAD + b',"generation":' + b"9" * 1_000_000 + b"}}",
        HEAD + b',"labels":{"a":1}}}',
        HEAD + b',"creationTimestamp":"yesterday"}}',
        HEAD + b',"creationTimestamp":"9999-12-31T23:59:60Z"}}',
        HEAD + b'},"binaryData":{"k":"!!!"}}',
        HEAD + b'},"data":[]}',
        HEAD + b'},"data":{"k":{}}}',
        HEAD + b"\x00" + b"}}",
        b'{"apiVersion":"v1","kind":"ConfigMap","metadata":"x"}',
        b'{"apiVersion":"v1","kind":"ConfigMap","metadata":[]}',
        b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":1}}',
        b'{"apiVersion":"v1","kind":1}',
        b'{"apiVersion":[],"kind":"ConfigMap"}',
        b'{"apiVersion":"a/b/c/d","kind":"ConfigMap"}',
        b'{"apiVersion":"\\u0000","kind":"ConfigMap"}',
        b'{"apiVersion":"v1","kind":"\\ud800"}',
        b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}',
        b'{"apiVersion":"v1","kind":"ConfigMapList","items":[]}',
    ],
    ids=lambda body: repr(body[-40:]),
)
def test_what_does_not_decode(server: Cluster, body: bytes) -> None:
    failure(ask(server, "POST", DRY, body), 400)


@pytest.mark.parametrize(
    "body",
    [
        b"null",
        b"{}",
        b'{"apiVersion":"v1","kind":"ConfigMap","metadata":null}',
        b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"\xff"}}',
        b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"\\ud800"}}',
        b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a\\u0000"}}',
        b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"../../secrets/default/a"}}',
        b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"../"}}',
        HEAD + b',"labels":{"\xff":"x"}}}',
        HEAD + b'},"data":{"\\ud800":"x"}}',
        config_map("a" * 10_000),
        config_map("a" * 1_000_000),
        config_map("a", data={"k": "x" * 1_100_000}),
        config_map("a")[:-2] + b',"annotations":{"a":"' + b"x" * 300_000 + b'"}}}',
    ],
    ids=lambda body: repr(body[:90][-40:]),
)
def test_what_breaks_the_rules(server: Cluster, body: bytes) -> None:
    failure(ask(server, "POST", DRY, body), 422)


@pytest.mark.parametrize(
    ("member", "sent", "read"),
    [
        ("data", b'{"k":"a\xff\xfez"}', {"k": "a\ufffd\ufffdz"}),
        ("data", b'{"k":"\\ud800"}', {"k": "\ufffd"}),
        ("data", b'{"k":"\\udc00\\ud800"}', {"k": "\ufffd\ufffd"}),
        ("data", b'{"k":"\\u0000"}', {"k": "\0"}),
        ("data", b'{"k":"1"},"data":{"k":"2"}', {"k": "2"}),
        ("data", b'{"k":"1","k":"2"}', {"k": "2"}),
        ("unknown", b"9" * 1_000_000, None),
        ("unknown", b"1e999999999", None),
        ("unknown", b'"' + b"\\ud800" * 100_000 + b'"', None),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_strange_values_are_read_as_upstream_reads_them(
    server: Cluster, member: str, sent: bytes, read: object
) -> None:
    body = HEAD + b'},"' + member.encode() + b'":' + sent + b"}"
    answer = ask(server, "POST", DRY, body)
    assert answer is not None
    assert answer.status == 201
    assert answer.json().get(member) == read


@pytest.mark.parametrize(
    "body",
    [
        HEAD + b'},"data":{"k":"1"},"data":{"k":"2"}}',
        HEAD + b'},"data":{"k":"1","k":"2"}}',
        HEAD + b',"name":"b"}}',
        b'{"kind":"Pod",' + HEAD[1:] + b"}}",
        HEAD + b'},"Data":{}}',
        HEAD + b'},"\\ud800":1}',
        HEAD + b'},"a":1,"a":2}',
    ],
)
def test_duplicate_and_unknown_keys_are_warned_of_or_refused(server: Cluster, body: bytes) -> None:
    warned = ask(server, "POST", DRY, body)
    assert warned is not None
    assert warned.status == 201
    assert warned.headers.get_all("Warning")
    ignored = ask(server, "POST", f"{DRY}&fieldValidation=Ignore", body)
    assert ignored is not None
    assert ignored.status == 201
    assert not ignored.headers.get_all("Warning")
    message = failure(ask(server, "POST", f"{DRY}&fieldValidation=Strict", body), 400)
    assert "strict decoding error" in message


def test_warnings_do_not_flood_the_head_of_the_answer(server: Cluster) -> None:
    body = HEAD + b"}," + b",".join(b'"%s%d":1' % (b"x" * 60, number) for number in range(20_000)) + b"}"
    answer = ask(server, "POST", DRY, body)
    assert answer is not None
    assert answer.status == 201
    warnings = answer.headers.get_all("Warning", [])
    # Their texts have 4096 characters in all, but for the last of them, as upstream counts.
    texts = [each.removeprefix('299 - "').removesuffix('"').replace('\\"', '"') for each in warnings]
    assert 4096 <= sum(map(len, texts)) < 4096 + 256


class TestSize:
    def test_a_body_of_the_limit_is_read(self, server: Cluster) -> None:
        body = config_map("at-the-limit").ljust(LIMIT)
        answer = ask(server, "POST", DRY, body)
        assert answer is not None
        assert answer.status == 201

    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
    def test_a_larger_one_is_not(self, server: Cluster, existing: str, method: str) -> None:
        target = CONFIG_MAPS if method == "POST" else existing
        headers = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}
        message = failure(ask(server, method, target, config_map("a").ljust(LIMIT + 1), headers), 413)
        assert message == f"Request entity too large: limit is {LIMIT}"

    @pytest.mark.parametrize("announced", [LIMIT + 1, 2**31, 10**18])
    def test_nothing_of_it_need_arrive(self, server: Cluster, announced: int) -> None:
        with Connection(server) as connection:
            headers = {"Content-Type": JSON, "Content-Length": str(announced)}
            connection.send(connection.head("POST", CONFIG_MAPS, headers))
            failure(connection.receive(), 413)
            assert connection.is_closed()

    @pytest.mark.parametrize("size", [LIMIT + 1, 16 * LIMIT])
    def test_nor_need_its_size_be_announced(self, server: Cluster, size: int) -> None:
        with Connection(server) as connection:
            headers = {"Content-Type": JSON, "Transfer-Encoding": "chunked"}
            connection.send(connection.head("POST", CONFIG_MAPS, headers))
            chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
            for _ in range(size // 0x10000 + 1):
                if not connection.send(chunk):
                    break
            failure(connection.receive(), 413)

    def test_a_chunked_body_of_the_limit_is_read(self, server: Cluster) -> None:
        body = config_map("at-the-limit").ljust(LIMIT)
        with Connection(server) as connection:
            headers = {"Content-Type": JSON, "Transfer-Encoding": "chunked"}
            connection.send(connection.head("POST", DRY, headers))
            for start in range(0, LIMIT, 0x10000):
                connection.send(b"10000\r\n" + body[start : start + 0x10000] + b"\r\n")
            connection.send(b"0\r\n\r\n")
            answer = connection.receive()
            assert answer is not None
            assert answer.status == 201

    def test_the_next_request_on_the_connection_is_served_or_the_connection_closed(
        self, server: Cluster
    ) -> None:
        with Connection(server) as connection:
            failure(connection.request("POST", CONFIG_MAPS, b"x" * (LIMIT + 1)), 413)
            answer = connection.request("GET", "/readyz")
            assert answer is None or answer.status == 200


@pytest.mark.slow
class TestWork:
    """What 3 MiB can make the server do is bounded, as everybody else waits meanwhile."""

    def test_many_bad_labels(self, server: Cluster) -> None:
        labels = {f"not a label {number}": "x" for number in range(20_000)}
        body = config_map("a", metadata={"name": "a", "labels": labels})
        with cpu_budget(8):
            failure(ask(server, "POST", DRY, body), 422)

    def test_many_owner_references(self, server: Cluster) -> None:
        owner = {"apiVersion": "v1", "kind": "Pod", "name": "x"}
        owners = [{**owner, "uid": str(number)} for number in range(15_000)]
        body = config_map("a", metadata={"name": "a", "ownerReferences": owners})
        with cpu_budget(8):
            answer = ask(server, "POST", DRY, body)
        assert answer is not None
        assert answer.status == 201

    def test_many_managed_fields(self, server: Cluster) -> None:
        entries = [
            {
                "manager": f"m{number}",
                "operation": "Update",
                "apiVersion": "v1",
                "time": "2020-01-01T00:00:00Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:data": {f"f:k{number}": {}}},
            }
            for number in range(8_000)
        ]
        body = config_map("a", metadata={"name": "a", "managedFields": entries})
        with cpu_budget(8):
            answer = ask(server, "POST", DRY, body)
        assert answer is not None
        assert answer.status in {201, 400, 422}

    def test_many_unknown_fields(self, server: Cluster) -> None:
        body = HEAD + b"}," + b",".join(b'"k%d":1' % number for number in range(100_000)) + b"}"
        with cpu_budget(8):
            failure(ask(server, "POST", f"{DRY}&fieldValidation=Strict", body), 400)

    def test_many_empty_objects(self, server: Cluster) -> None:
        body = HEAD + b'},"x":[' + b"{}," * 500_000 + b"{}]}"
        with cpu_budget(8):
            answer = ask(server, "POST", DRY, body)
        assert answer is not None
        assert answer.status == 201

    def test_deep_nesting_again_and_again(self, server: Cluster) -> None:
        body = HEAD + b'},"x":[' + (b"[" * 190 + b"]" * 190 + b",") * 7_000 + b"{}]}"
        with cpu_budget(8):
            answer = ask(server, "POST", DRY, body)
        assert answer is not None
        assert answer.status == 201

    def test_escapes_only(self, server: Cluster) -> None:
        body = HEAD + b'},"x":"' + b"\\\\" * 1_400_000 + b'"}'
        with cpu_budget(8):
            answer = ask(server, "POST", DRY, body)
        assert answer is not None
        assert answer.status == 201

    @pytest.mark.parametrize("quantity", ["1e999999999", "9" * 100_000, "0." + "0" * 100_000 + "1"])
    def test_quantities(self, server: Cluster, quantity: str) -> None:
        resources = {"requests": {"cpu": quantity}}
        container = {"name": "c", "image": "i", "resources": resources}
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "a"},
            "spec": {"containers": [container]},
        }
        with cpu_budget(8):
            failure(
                ask(server, "POST", "/api/v1/namespaces/default/pods?dryRun=All", json.dumps(pod).encode()),
                400,
                422,
            )


class TestContentType:
    @pytest.mark.parametrize(
        "content_type",
        [
            "text/plain",
            "application/xml",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/cbor",
            "application/merge-patch+json",
            "application/",
            "/",
            "application/json, text/plain",
            "a" * 5_000,
            "\u00e9",
        ],
    )
    def test_unknown_ones_are_refused(self, server: Cluster, content_type: str) -> None:
        failure(ask(server, "POST", DRY, config_map("a"), {"Content-Type": content_type}), 415)

    @pytest.mark.parametrize("content_type", ["", JSON, "text/plain", "application/json-patch", "a" * 5_000])
    def test_of_patches_too(self, server: Cluster, existing: str, content_type: str) -> None:
        failure(ask(server, "PATCH", existing, b"{}", {"Content-Type": content_type}), 415)

    @pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zzz"])
    def test_compressed_bodies_are_not_decompressed(self, server: Cluster, encoding: str) -> None:
        """The real server does not either, so that no bomb can go off."""
        import gzip

        body = gzip.compress(b"{" * 10_000_000)
        with cpu_budget(8):
            failure(ask(server, "POST", DRY, body, {"Content-Encoding": encoding, "Content-Type": JSON}), 400)
