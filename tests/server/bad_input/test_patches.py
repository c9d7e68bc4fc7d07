"""Patches that are none, that do not fit, and that explode."""

from __future__ import annotations

import json

import pytest

from kubewright.testing import Cluster
from tests.server.bad_input.conftest import CONFIG_MAPS, cpu_budget
from tests.server.raw_http import Answer, Connection, ask, failure

JSON_PATCH = {"Content-Type": "application/json-patch+json"}
MERGE = {"Content-Type": "application/merge-patch+json"}
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
REVISIONS = "/apis/apps/v1/namespaces/default/controllerrevisions"
PODS = "/api/v1/namespaces/default/pods"


def json_patch(server: Cluster, path: str, *operations: object) -> Answer | None:
    """The answer to a JSON patch."""
    return ask(server, "PATCH", path, json.dumps(operations).encode(), JSON_PATCH)


def unchanged(server: Cluster, path: str) -> None:
    """Fail unless the object is as it was made."""
    answer = ask(server, "GET", path)
    assert answer is not None
    assert answer.json()["data"] == {"k": "v"}


@pytest.mark.parametrize("headers", [JSON_PATCH, MERGE, STRATEGIC], ids=["json", "merge", "strategic"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"1",
        b'"x"',
        b"\x00",
        b"\xff\xfe",
        b'{"data":{"k":NaN}}',
        b'{"data":{"k":1e999}}',
        b"{",
        b'{"a":1}{"b":2}',
        b'{"metadata":{"labels":',
    ],
    ids=repr,
)
def test_what_does_not_decode(server: Cluster, existing: str, headers: dict[str, str], body: bytes) -> None:
    failure(ask(server, "PATCH", existing, body, headers), 400)
    unchanged(server, existing)


@pytest.mark.parametrize(
    ("headers", "status"),
    [(JSON_PATCH, 200), (MERGE, 400), (STRATEGIC, 200)],
    ids=["json", "merge", "strategic"],
)
def test_null(server: Cluster, existing: str, headers: dict[str, str], status: int) -> None:
    answer = ask(server, "PATCH", existing, b"null", headers)
    assert answer is not None
    assert answer.status == status
    unchanged(server, existing)


@pytest.mark.parametrize("headers", [MERGE, STRATEGIC], ids=["merge", "strategic"])
@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'{"metadata":null}',
        b'{"metadata":[]}',
        b'{"metadata":"x"}',
        b'{"metadata":{"name":null}}',
        b'{"metadata":{"name":"other"}}',
        b'{"metadata":{"namespace":"other"}}',
        b'{"metadata":{"uid":"other"}}',
        b'{"metadata":{"labels":{"a":1}}}',
        b'{"metadata":{"ownerReferences":[1,null]}}',
        b'{"kind":[]}',
        b'{"data":[]}',
        b'{"data":{"k":1}}',
        b'{"data":{"k":{"a":{}}}}',
        b'{"binaryData":{"x":"!"}}',
    ],
    ids=repr,
)
def test_what_does_not_fit(server: Cluster, existing: str, headers: dict[str, str], body: bytes) -> None:
    failure(ask(server, "PATCH", existing, body, headers), 400, 409, 422)
    unchanged(server, existing)


def test_another_kind(server: Cluster, existing: str) -> None:
    failure(ask(server, "PATCH", existing, b'{"kind":"Pod"}', MERGE), 422)
    # A strategic merge patch is merged into the object's type, where the kind is not a field.
    answer = ask(server, "PATCH", existing, b'{"kind":"Pod"}', STRATEGIC)
    assert answer is not None
    assert (answer.status, answer.json()["kind"]) == (200, "ConfigMap")


@pytest.mark.parametrize("version", ["abc", "-1", "1.0", " 1", "9" * 30, "\u0000"])
def test_revisions_that_are_no_numbers(server: Cluster, existing: str, version: str) -> None:
    """The real server answers with a 500, too."""
    body = json.dumps({"metadata": {"resourceVersion": version}}).encode()
    assert failure(ask(server, "PATCH", existing, body, MERGE), 500).startswith("strconv.ParseUint: ")


@pytest.mark.parametrize(
    "body",
    [
        b'{"$patch":{}}',
        b'{"$patch":"zzz"}',
        b'{"$retainKeys":1}',
        b'{"$retainKeys":["data"],"metadata":{}}',
        b'{"metadata":{"$setElementOrder/finalizers":{}}}',
        b'{"metadata":{"$setElementOrder/finalizers":[1]}}',
        b'{"metadata":{"$deleteFromPrimitiveList/finalizers":{}}}',
        b'{"metadata":{"ownerReferences":[{"$patch":"zzz"}]}}',
        b'{"metadata":{"ownerReferences":[{"name":"no key"}]}}',
        b'{"metadata":{"finalizers":[{"$patch":"zzz"}]}}',
    ],
    ids=repr,
)
def test_directives_that_make_no_sense(server: Cluster, existing: str, body: bytes) -> None:
    """The real server refuses most of these with a 500 that says what is wrong."""
    answer = ask(server, "PATCH", existing, body, STRATEGIC)
    assert answer is not None
    if answer.status != 200:
        failure(answer, 400, 422, 500)


@pytest.mark.parametrize(
    "operation",
    [
        1,
        None,
        [],
        {},
        {"op": 1, "path": 2, "value": 3},
        {"op": "zzz", "path": "/data"},
        {"op": "add", "path": "data", "value": 1},
        {"op": "add", "path": None, "value": 1},
        {"op": "add", "path": "/a/b/c", "value": 1},
        {"op": "add", "path": "/metadata/finalizers/7", "value": "a.b/c"},
        {"op": "copy", "from": [], "path": "/data/x"},
        {"op": "copy", "path": "/data/x"},
        {"op": "move", "from": "/data", "path": "/data/x"},
        {"op": "move", "from": "/metadata", "path": "/data"},
        {"op": "remove", "path": ""},
        {"op": "remove", "path": "/data/nope"},
        {"op": "remove", "path": "/metadata"},
        {"op": "remove", "path": "/metadata/name"},
        {"op": "replace", "path": "", "value": [1]},
        {"op": "replace", "path": "", "value": None},
        {"op": "replace", "path": "/metadata", "value": [1]},
        {"op": "replace", "path": "/kind", "value": "Pod"},
        {"op": "test", "path": "/data/k", "value": "other"},
        {"op": "test", "path": "/data/k"},
        {"op": "add", "path": "/data/~2", "value": "x"},
        {"op": "add", "path": "/data/a b", "value": "x"},
        {"op": "add", "path": "/metadata/managedFields/" + "9" * 5_000, "value": {}},
        {"op": "remove", "path": "/metadata/managedFields/99"},
    ],
    ids=lambda operation: json.dumps(operation)[:60],
)
def test_operations_that_make_no_sense(server: Cluster, existing: str, operation: object) -> None:
    failure(json_patch(server, existing, operation), 400, 409, 422)
    unchanged(server, existing)


@pytest.mark.parametrize("headers", [JSON_PATCH, MERGE, STRATEGIC], ids=["json", "merge", "strategic"])
@pytest.mark.parametrize(
    "collection",
    [
        CONFIG_MAPS,
        PODS,
        "/apis/coordination.k8s.io/v1/namespaces/default/leases",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        "/api/v1/namespaces/default/services",
    ],
)
def test_of_what_is_not_there(server: Cluster, collection: str, headers: dict[str, str]) -> None:
    """Also where an update may create: only apply makes an object of a patch."""
    body = b"[]" if headers is JSON_PATCH else b"{}"
    failure(ask(server, "PATCH", f"{collection}/not-there", body, headers), 404)


class TestExplosions:
    def test_too_many_operations(self, server: Cluster, existing: str) -> None:
        test = {"op": "test", "path": "/data/k", "value": "v"}
        failure(json_patch(server, existing, *[test] * 10_001), 413)
        with cpu_budget(8):
            answer = json_patch(server, existing, *[test] * 10_000)
        assert answer is not None
        assert answer.status == 200

    def test_copies_of_what_holds_the_copies(self, server: Cluster, existing: str) -> None:
        copies = [{"op": "copy", "from": "/data", "path": f"/data/x{number}"} for number in range(60)]
        with cpu_budget(8):
            failure(json_patch(server, existing, *copies), 413)
        unchanged(server, existing)

    def test_many_copies_of_something_large(self, server: Cluster, existing: str) -> None:
        large = {"op": "add", "path": "/data/x", "value": "y" * 2_000_000}
        copies = [{"op": "copy", "from": "/data/x", "path": f"/data/x{number}"} for number in range(9_000)]
        with cpu_budget(8):
            failure(json_patch(server, existing, large, *copies), 413)
        unchanged(server, existing)

    def test_many_insertions_at_the_start_of_a_long_list(self, server: Cluster) -> None:
        body = {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": {"name": "long"}}
        created = ask(server, "POST", REVISIONS, json.dumps({**body, "revision": 1, "data": {}}).encode())
        assert created is not None
        assert created.status == 201
        long_list = {"op": "add", "path": "/data/l", "value": [0] * 100_000}
        inserts = [{"op": "add", "path": "/data/l/0", "value": 1}] * 9_000
        with cpu_budget(12):
            answer = json_patch(server, f"{REVISIONS}/long", long_list, *inserts)
        assert answer is not None
        # The data of a revision never changes.
        failure(answer, 422)

    def test_strategic_merges_of_long_lists(self, server: Cluster) -> None:
        containers = [{"name": f"c{number}", "image": "old"} for number in range(4_000)]
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "crowd"},
            "spec": {"containers": containers},
        }
        created = ask(server, "POST", PODS, json.dumps(pod).encode())
        assert created is not None
        assert created.status == 201
        changed = [{"name": f"c{number}", "image": "new"} for number in reversed(range(4_000))]
        removed = [{"name": f"c{number}", "$patch": "delete"} for number in range(1, 4_000)]
        with cpu_budget(12), Connection(server) as connection:
            for part in (changed, removed):
                patch = json.dumps({"spec": {"containers": part}}).encode()
                answer = connection.request("PATCH", f"{PODS}/crowd?dryRun=All", patch, STRATEGIC)
                assert answer is not None
                assert answer.status in {200, 422}

    def test_strategic_merges_of_long_sets(self, server: Cluster) -> None:
        finalizers = [f"example.com/{number}" for number in range(20_000)]
        body = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "finalized", "finalizers": finalizers},
        }
        created = ask(server, "POST", CONFIG_MAPS, json.dumps(body).encode())
        assert created is not None
        assert created.status == 201
        patch = {"metadata": {"finalizers": [f"example.org/{number}" for number in range(20_000)]}}
        with cpu_budget(8):
            answer = ask(
                server, "PATCH", f"{CONFIG_MAPS}/finalized?dryRun=All", json.dumps(patch).encode(), STRATEGIC
            )
        assert answer is not None
        assert answer.status == 200
