"""Bodies, patches and selectors that nest as deep as they can: refused, or taken, but never a recursion."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from kubewright.testing import Cluster
from tests.server.bad_input.conftest import CONFIG_MAPS, config_map
from tests.server.raw_http import Connection, ask, failure

DRY = f"{CONFIG_MAPS}?dryRun=All"
REVISIONS = "/apis/apps/v1/namespaces/default/controllerrevisions"
"""Their `data` may be any object."""

DEPTHS = [201, 10_000, 500_000]
SHAPES = {"lists": ("[", "]"), "objects": ('{"a":', "}")}
PATCHES = ["merge-patch+json", "strategic-merge-patch+json", "json-patch+json", "apply-patch+yaml"]


def nested(depth: int, shape: str = "objects") -> bytes:
    """A value of that depth."""
    start, end = SHAPES[shape]
    return (start * depth + "1" + end * depth).encode()


def of_depth(value: object) -> int:
    """How deep a value of `nested` is, without recursion."""
    depth = 0
    while isinstance(value, dict):
        depth, value = depth + 1, next(iter(value.values()))
    return depth


@pytest.mark.parametrize("content_type", ["application/json", "application/yaml"])
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("shape", SHAPES)
def test_bodies(server: Cluster, shape: str, depth: int, content_type: str) -> None:
    start = SHAPES[shape][0].encode()
    within = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":%s}' % nested(
        depth, shape
    )
    with Connection(server) as connection:
        for body in (nested(depth, shape), start * depth, within):
            failure(connection.request("POST", DRY, body, {"Content-Type": content_type}), 400, 422)


@pytest.mark.parametrize("kind", PATCHES)
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("shape", SHAPES)
def test_patches(server: Cluster, existing: str, shape: str, depth: int, kind: str) -> None:
    body = b'{"apiVersion":"v1","kind":"ConfigMap","data":{"k":%s}}' % nested(depth, shape)
    if kind == "json-patch+json":
        body = b'[{"op":"add","path":"/data/k","value":%s}]' % nested(depth, shape)
    answer = ask(
        server, "PATCH", f"{existing}?fieldManager=me", body, {"Content-Type": f"application/{kind}"}
    )
    assert answer is not None
    # The real server says 500 when an applied object does not fit the schema; ours must not log one.
    failure(answer, 400, 422, *([500] if b"typed patch" in answer.body else []))


@pytest.mark.parametrize("depth", DEPTHS)
def test_options_of_deletes(server: Cluster, existing: str, depth: int) -> None:
    body = b'{"apiVersion":"v1","kind":"DeleteOptions","preconditions":%s}' % nested(depth)
    failure(ask(server, "DELETE", existing, body), 400)


@pytest.mark.parametrize("depth", [201, 10_000, 500_000])
def test_json_patch_paths(server: Cluster, existing: str, depth: int) -> None:
    patch = json.dumps([{"op": "add", "path": "/data" + "/a" * depth, "value": "x"}]).encode()
    failure(ask(server, "PATCH", existing, patch, {"Content-Type": "application/json-patch+json"}), 422)


@pytest.mark.parametrize("depth", [200, 3_000])
@pytest.mark.parametrize("text", ["(", "!", "a in (", "a=(", ",", "\\"])
def test_selectors(server: Cluster, text: str, depth: int) -> None:
    with Connection(server) as connection:
        for parameter in ("labelSelector", "fieldSelector"):
            answer = connection.request("GET", f"{CONFIG_MAPS}?{parameter}={quote(text * depth)[:8000]}")
            assert answer is not None
            assert answer.status in {200, 400}


class TestObjectsOfAnyShape:
    def test_what_is_stored_can_be_read_in_every_form(self, server: Cluster) -> None:
        body = b'{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"deep"},"revision":1,'
        body += b'"data":%s}' % nested(190)
        created = ask(server, "POST", REVISIONS, body)
        assert created is not None
        assert created.status == 201
        assert of_depth(created.json()["data"]) == 190
        accepts = [
            "application/json",
            "application/yaml",
            "application/vnd.kubernetes.protobuf",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
        ]
        with Connection(server) as connection:
            for accept in accepts:
                for path in (f"{REVISIONS}/deep", REVISIONS):
                    answer = connection.request("GET", path, headers={"Accept": accept})
                    assert answer is not None
                    assert answer.status == 200

    def test_patches_do_not_deepen_it_step_by_step(self, server: Cluster) -> None:
        """Each patch is shallow enough; what they make together must be, too."""
        body = (
            b'{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"deeper"},"revision":1,'
        )
        created = ask(server, "POST", REVISIONS, body + b'"data":%s}' % nested(150))
        assert created is not None
        assert created.status == 201
        path = "/data" + "/a" * 149
        with Connection(server) as connection:
            for _ in range(10):
                patch = b'[{"op":"add","path":"%s/a","value":%s}]' % (path.encode(), nested(150))
                headers = {"Content-Type": "application/json-patch+json"}
                answer = connection.request("PATCH", f"{REVISIONS}/deeper", patch, headers)
                assert answer is not None
                assert answer.status in {200, 422}
                path += "/a" * 150
            answer = connection.request("GET", f"{REVISIONS}/deeper")
            assert answer is not None
            assert answer.status == 200
            assert of_depth(answer.json()["data"]) <= 200

    def test_nor_within_one_patch(self, server: Cluster) -> None:
        created = ask(
            server,
            "POST",
            REVISIONS,
            b'{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"once"},"revision":1,'
            b'"data":{"a":1}}',
        )
        assert created is not None
        assert created.status == 201
        value = json.loads(nested(150))
        patch = [{"op": "add", "path": "/data/b" + "/a" * 150 * step, "value": value} for step in range(20)]
        body = json.dumps(patch).encode()
        headers = {"Content-Type": "application/json-patch+json"}
        failure(ask(server, "PATCH", f"{REVISIONS}/once", body, headers), 422)


def test_managed_fields_that_nest(server: Cluster) -> None:
    fields = json.loads(nested(150))
    entry = {"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1"}
    for wrong in (fields, {"f:a": fields}, {"k:{": {}}, {"v:[": {}}, {"i:x": {}}, {"": {}}):
        body = config_map("a", metadata={"name": "a", "managedFields": [{**entry, "fieldsV1": wrong}]})
        answer = ask(server, "POST", DRY, body)
        assert answer is not None
        assert answer.status in {201, 400, 422}
