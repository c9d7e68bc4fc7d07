"""Paths, queries, revisions and continue tokens that nobody would send."""

from __future__ import annotations

import base64
import json
import random
from urllib.parse import quote

import pytest

from kubewright.testing import Cluster
from tests.server.bad_input.conftest import CONFIG_MAPS, config_map, cpu_budget
from tests.server.raw_http import Answer, Connection, ask, failure

NAMESPACES = "/api/v1/namespaces"
SECRETS = f"{NAMESPACES}/default/secrets"


def refused(answer: Answer | None, *codes: int) -> None:
    """Fail unless the answer is a Status with one of the codes, or the real server's plain text 404."""
    assert answer is not None
    if answer.body == b"404 page not found\n":
        assert 404 in codes
        assert answer.status == 404
        return
    failure(answer, *codes)


class TestPaths:
    @pytest.mark.parametrize(
        "path",
        [
            "//",
            "/./",
            "/..",
            "//api/v1/pods",
            "/api//v1/pods",
            "/api/v1//pods",
            "/api/v1/./pods",
            "/api/v1/../v1/pods",
            "/api/%2e%2e/api/v1/pods",
            "/api/v1/..",
            f"{NAMESPACES}/../../v1/pods",
            f"{NAMESPACES}/default%2fpods",
            f"{NAMESPACES}/default/pods/..",
            f"{NAMESPACES}/default/pods/%2e%2e",
            f"{NAMESPACES}/default/pods/%2e%2e%2fsecrets",
            f"{NAMESPACES}/default/pods/a%2fb",
            f"{NAMESPACES}/default/pods/%00",
            f"{NAMESPACES}/default/pods/a%00b",
            f"{NAMESPACES}/default/pods/%",
            f"{NAMESPACES}/default/pods/%zz",
            f"{NAMESPACES}/default/pods/%25",
            f"{NAMESPACES}/default/pods/%252e%252e",
            f"{NAMESPACES}/default/pods/%ff",
            f"{NAMESPACES}/default/pods/%0d%0aX:y",
            f"{NAMESPACES}/default/pods/a;b",
            f"{NAMESPACES}/default/pods/a\\b",
            f"{NAMESPACES}/default/configmaps/a/status",
            f"{NAMESPACES}/default/configmaps/a/b/c/d",
            f"{NAMESPACES}/default/pods/a/" + "b/" * 2_000,
            "/api/v1/proxy/pods",
            "/api/v1/NAMESPACES",
            "/API/v1/pods",
            "/api/v2/pods",
            "/apis/apps/v9",
            "/apis/apps/v1/nope",
            "/apis/nope/v1/x",
            "/healthz/../api/v1/pods",
            "/openapi/v3/../v2",
            "/openapi/v3/..%2f..%2fetc%2fpasswd",
            "/readyz/nope",
            "/nope",
        ],
    )
    @pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
    def test_there_is_nothing(self, server: Cluster, method: str, path: str) -> None:
        answer = ask(server, method, path, b"{}" if method == "PUT" else b"")
        assert answer is not None
        if path.startswith("/openapi") and not answer.body:
            assert answer.status == 404
            return
        refused(answer, 400, 404, 405)

    @pytest.mark.parametrize("path", ["/api/v1/watch", "/api/v1/watch/", "/api/v1/proxy"])
    def test_ends_too_early(self, server: Cluster, path: str) -> None:
        """The real server gives a 500 here, for no good reason."""
        failure(ask(server, "GET", path), 400, 404)

    @pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    @pytest.mark.parametrize("path", ["pods", "pods/x", "namespaces/default/pods/x", "namespaces"])
    def test_old_paths_of_watches_are_for_reading(self, server: Cluster, method: str, path: str) -> None:
        target = f"/api/v1/watch/{path}?timeoutSeconds=1"
        failure(ask(server, method, target, b"" if method == "OPTIONS" else b"{}"), 405)

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            (f"{NAMESPACES}/default/pods/" + "a" * 10_000, 404),
            (f"{NAMESPACES}/" + "a" * 10_000 + "/pods", 200),
            ("/" + "a" * 60_000, 404),
            ("/" + "a/" * 30_000, 404),
            ("/api/v1/" + "x/" * 5_000, 404),
            (f"{CONFIG_MAPS}?labelSelector=" + ",".join(f"k{number}=v" for number in range(5_000)), 200),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_long_ones_are_served_as_any_other(self, server: Cluster, path: str, status: int) -> None:
        answer = ask(server, "GET", path)
        assert answer is not None
        assert answer.status == status

    def test_the_root_of_names_is_never_left(self, server: Cluster) -> None:
        """A secret stays unseen through whatever looks like the way to it."""
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hidden"}}
        created = ask(server, "POST", SECRETS, json.dumps({**secret, "stringData": {"k": "v"}}).encode())
        assert created is not None
        assert created.status == 201
        uid = created.json()["metadata"]["uid"].encode()
        with Connection(server) as connection:
            for trick in (
                f"{CONFIG_MAPS}/..%2f..%2fsecrets%2fdefault%2fhidden",
                f"{CONFIG_MAPS}/../secrets/hidden",
                f"{CONFIG_MAPS}?fieldSelector=metadata.name%3D..%2F..%2Fsecrets%2Fdefault%2Fhidden",
                f"{CONFIG_MAPS}?fieldSelector=metadata.namespace%3D..%2Fsecrets%2Fdefault",
                "/api/v1/configmaps?fieldSelector=metadata.namespace%3D..%2Fsecrets%2Fdefault",
                f"{NAMESPACES}/..%2fsecrets%2fdefault/configmaps/hidden",
                f"{NAMESPACES}/%2e%2e/secrets/default/hidden",
                f"{CONFIG_MAPS}?continue={token(start='../../secrets/default/hidden', rv=-1)}",
                f"{CONFIG_MAPS}?continue={token(start='/registry/secrets/default/hidden', rv=-1)}",
            ):
                answer = connection.request("GET", trick)
                assert answer is not None
                assert uid not in answer.body


class TestQueries:
    @pytest.mark.parametrize(
        "query",
        [
            "limit=",
            "limit=abc",
            "limit=1.5",
            "limit=1_0",
            "limit=%201",
            "limit=%D9%A1",
            "limit=" + "9" * 20,
            "limit=" + "9" * 5_000,
            "watch=1&timeoutSeconds=x",
            "labelSelector=(((",
            "labelSelector=a%20in%20(",
            "labelSelector=a%3E1e9",
            "labelSelector=" + "a" * 400,
            "fieldSelector=nope%3Dx",
            "fieldSelector=%00",
            "fieldSelector=metadata.name%3D%5C",
            "continue=abc&resourceVersion=5",
            "resourceVersion=abc",
            "resourceVersion=-1",
            "resourceVersion=1.0",
            "resourceVersion=%00",
            "resourceVersion=%D9%A1",
            "resourceVersion=1%0A",
            "resourceVersion=%2B1",
            "resourceVersion=" + "9" * 400,
        ],
    )
    def test_lists_that_cannot_be(self, server: Cluster, query: str) -> None:
        failure(ask(server, "GET", f"{CONFIG_MAPS}?{query}"), 400)

    @pytest.mark.parametrize(
        "query",
        [
            "resourceVersionMatch=Exact",
            "resourceVersion=1&resourceVersionMatch=zzz",
            "resourceVersion=0&resourceVersionMatch=Exact",
            "sendInitialEvents=true",
            "watch=1&sendInitialEvents=true",
        ],
    )
    def test_options_that_do_not_go_together(self, server: Cluster, query: str) -> None:
        failure(ask(server, "GET", f"{CONFIG_MAPS}?{query}"), 422)

    @pytest.mark.parametrize(
        "query",
        [
            "&".join(f"a{number}=1" for number in range(10_000)),
            "&".join(["limit=1"] * 10_000),
            "limit=1&limit=x",
            "limit=-1",
            "limit=9223372036854775807",
            "limit[]=1",
            "a=%",
            "%00=%00",
            "%ff=%ff",
            "&&&&&",
            "=",
            "watch=0&watch=1",
            "pretty=%00",
            "labelSelector=" + "!k," * 1_000 + "!k",
            "labelSelector=" + quote("a in (" + ",".join(f"v{number}" for number in range(1_000)) + ")"),
        ],
        ids=lambda query: query[:30],
    )
    def test_what_is_served_all_the_same(self, server: Cluster, query: str) -> None:
        with cpu_budget(8):
            answer = ask(server, "GET", f"{CONFIG_MAPS}?{query}")
        assert answer is not None
        assert answer.status == 200

    @pytest.mark.parametrize("limit", ["-1", "0", "1", "9223372036854775807", "-9223372036854775808"])
    def test_collections_are_deleted_whatever_the_limit(self, server: Cluster, limit: str) -> None:
        answer = ask(server, "DELETE", f"{CONFIG_MAPS}?labelSelector=nobody&limit={limit}")
        assert answer is not None
        assert answer.status == 200
        failure(ask(server, "DELETE", f"{CONFIG_MAPS}?labelSelector=nobody&limit=x"), 400)

    @pytest.mark.parametrize("revision", [2**63 - 1])
    def test_revisions_of_the_future(self, server: Cluster, revision: int) -> None:
        message = failure(ask(server, "GET", f"{CONFIG_MAPS}?resourceVersion={revision}"), 504)
        assert "Too large resource version" in message
        exact = f"{CONFIG_MAPS}?resourceVersion={revision}&resourceVersionMatch=Exact"
        assert "Too large resource version" in failure(ask(server, "GET", exact), 504)

    def test_watches_of_the_future(self, server: Cluster) -> None:
        answer = ask(server, "GET", f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion={10**12}")
        assert answer is not None
        assert answer.status == 200
        if answer.body:
            event = json.loads(answer.body)
            assert (event["type"], event["object"]["code"]) == ("ERROR", 504)

    @pytest.mark.parametrize(
        ("query", "code"),
        [
            ("dryRun=x", 422),
            ("dryRun=All&dryRun=x", 422),
            ("dryRun=All&fieldManager=" + "a" * 200, 422),
            ("dryRun=All&fieldManager=%00", 422),
            ("dryRun=All&fieldValidation=zzz", 422),
        ],
    )
    def test_writes_that_cannot_be(self, server: Cluster, existing: str, query: str, code: int) -> None:
        with Connection(server) as connection:
            failure(connection.request("POST", f"{CONFIG_MAPS}?{query}", config_map("a")), code)
            failure(connection.request("PUT", f"{existing}?{query}", config_map("a")), code, 400)
            headers = {"Content-Type": "application/merge-patch+json"}
            failure(connection.request("PATCH", f"{existing}?{query}", b"{}", headers), code)

    @pytest.mark.parametrize(
        "body",
        [
            b'{"gracePeriodSeconds":99999999999999999999}',
            b'{"gracePeriodSeconds":"x"}',
            b'{"preconditions":[]}',
            b'{"preconditions":{"uid":1}}',
            b'{"kind":"Pod","apiVersion":"v1"}',
            b"[]",
            b"zzz",
            b"\x00",
        ],
        ids=repr,
    )
    def test_options_of_deletes(self, server: Cluster, existing: str, body: bytes) -> None:
        with Connection(server) as connection:
            failure(connection.request("DELETE", existing, body), 400)
            failure(connection.request("DELETE", f"{CONFIG_MAPS}?labelSelector=nobody", body), 400)
            answer = connection.request("GET", existing)
            assert answer is not None
            assert answer.status == 200


def token(**members: object) -> str:
    """A continue token that says so."""
    return encoded(json.dumps({"v": "meta.k8s.io/v1", **members}))


def encoded(text: str) -> str:
    """As tokens are encoded."""
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


class TestContinueTokens:
    @pytest.mark.parametrize(
        "bad",
        [
            "zzz",
            "%ff%00",
            "a" * 7_000,
            encoded("[1]"),
            encoded("null"),
            encoded("[" * 2_000),
            encoded('{"v":1,"rv":"x","start":[]}'),
            encoded('{"v":"meta.k8s.io/v2","rv":1,"start":"a"}'),
            encoded('{"v":"meta.k8s.io/v1","rv":-1,"start":"\\ud800"}x'),
            token(start="a\0"),
            token(rv=-1, start=""),
            token(rv=10**30, start="a\0"),
            token(rv=-1, start="../../secrets/default/a\0"),
            token(rv=1.5, start="a\0"),
        ],
        ids=lambda bad: bad[:30],
    )
    def test_bogus(self, server: Cluster, bad: str) -> None:
        failure(ask(server, "GET", f"{CONFIG_MAPS}?limit=1&continue={bad}"), 400)

    def test_of_the_future(self, server: Cluster) -> None:
        failure(ask(server, "GET", f"{CONFIG_MAPS}?continue={token(rv=10**12, start='a' + chr(0))}"), 504)

    def test_random_ones(self, server: Cluster) -> None:
        source = random.Random(7)  # noqa: S311 - no secret, and the same in every run
        with Connection(server) as connection:
            for _ in range(200):
                text = base64.urlsafe_b64encode(source.randbytes(source.randrange(1, 60))).decode()
                failure(connection.request("GET", f"{CONFIG_MAPS}?limit=1&continue={quote(text)}"), 400)

    def test_cut_and_changed_ones(self, server: Cluster, existing: str) -> None:
        with Connection(server) as connection:
            connection.request("POST", CONFIG_MAPS, config_map("zz-second"))
            page = connection.request("GET", f"{CONFIG_MAPS}?limit=1")
            assert page is not None
            good = page.json()["metadata"]["continue"]
            for end in range(1, len(good)):
                answer = connection.request("GET", f"{CONFIG_MAPS}?limit=1&continue={good[:end]}")
                failure(answer, 400)
            for position in range(len(good)):
                changed = good[:position] + ("A" if good[position] != "A" else "B") + good[position + 1 :]
                answer = connection.request("GET", f"{CONFIG_MAPS}?limit=1&continue={changed}")
                assert answer is not None
                # A changed revision or start may be a good one, too.
                assert answer.status in {200, 400, 410, 504}

    def test_of_another_resource(self, server: Cluster, existing: str) -> None:
        with Connection(server) as connection:
            page = connection.request("GET", f"{NAMESPACES}?limit=1")
            assert page is not None
            foreign = page.json()["metadata"]["continue"]
            answer = connection.request("GET", f"{CONFIG_MAPS}?continue={foreign}")
            assert answer is not None
            assert answer.status in {200, 400}
            if answer.status == 200:
                assert {item["metadata"]["namespace"] for item in answer.json()["items"]} <= {"default"}
