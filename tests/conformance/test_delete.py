"""DELETE of one object: what comes back, what stays, and for how long."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from tests.conformance.client import Client, Response
from tests.conformance.namespaces import Namespace, new_namespace, unique
from tests.conformance.objects import config_map, deployment, node, pod, service
from tests.conformance.statuses import assert_conflict, assert_failure, assert_invalid, cause, not_found


def created(namespace: Namespace, **fields: Any) -> tuple[str, Any]:
    """A config map "a": its path, and itself."""
    made = namespace.create(namespace.config_maps, config_map("a", {"k": "v"}, **fields))
    return f"{namespace.config_maps}/a", made


def assert_deleted(response: Response, uid: str, **details: str) -> None:
    """200 with a Status that says what is gone."""
    assert response.status == 200
    assert response.json() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {**details, "uid": uid},
    }


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def assert_marked(meta: dict[str, Any], seconds: int, asked: dt.datetime) -> None:
    """It is to go so many seconds after it was deleted, which was between then and now."""
    period = dt.timedelta(seconds=seconds)
    time = dt.datetime.fromisoformat(meta["deletionTimestamp"])
    assert asked.replace(microsecond=0) + period <= time <= now() + period
    assert meta["deletionGracePeriodSeconds"] == seconds


def test_a_status_comes_back(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    assert_deleted(client.delete(path), made["metadata"]["uid"], name="a", kind="configmaps")
    assert client.get(path).json() == not_found("configmaps", "a")


def test_a_status_comes_back_with_the_group(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.deployments, deployment("a"))
    response = client.delete(f"{namespace.deployments}/a")
    assert_deleted(response, made["metadata"]["uid"], name="a", group="apps", kind="deployments")


def test_what_is_not_there(client: Client, namespace: Namespace) -> None:
    response = client.delete(f"{namespace.config_maps}/a")
    assert (response.status, response.json()) == (404, not_found("configmaps", "a"))


def test_a_node(client: Client) -> None:
    name = unique("node")
    made = client.post("/api/v1/nodes", node(name)).json()
    response = client.delete(f"/api/v1/nodes/{name}")
    assert_deleted(response, made["metadata"]["uid"], name=name, kind="nodes")


def test_services_and_service_accounts_come_back_themselves(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.services, service("a"))
    path = namespace.path("serviceaccounts")
    account = namespace.create(path, {"metadata": {"name": "a"}})
    for place, before in ((f"{namespace.services}/a", made), (f"{path}/a", account)):
        gone = client.delete(place).json()
        # The revision is that of the deletion.
        assert int(gone["metadata"].pop("resourceVersion")) > int(before["metadata"].pop("resourceVersion"))
        assert gone == before


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kind": "DeleteOptions", "apiVersion": "v1"},
        {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1"},
        {"kind": "DeleteOptions", "apiVersion": "apps/v1"},
        {"propagationPolicy": "Background"},
        {"gracePeriodSeconds": 5},
        {"gracePeriodSeconds": -1},
        {"unheard": "of"},
    ],
    ids=str,
)
def test_options_with_which_it_goes_at_once(
    client: Client, namespace: Namespace, options: dict[str, Any]
) -> None:
    path, made = created(namespace)
    response = client.delete(path, options)
    assert_deleted(response, made["metadata"]["uid"], name="a", kind="configmaps")
    assert client.get(path).status == 404


def test_preconditions_that_hold(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    meta = made["metadata"]
    conditions = {"uid": meta["uid"], "resourceVersion": meta["resourceVersion"]}
    assert client.delete(path, {"preconditions": conditions}).status == 200


def test_a_uid_that_does_not_hold(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    why = (
        f"the UID in the precondition (x) does not match the UID in record "
        f"({made['metadata']['uid']}). The object might have been deleted and then recreated"
    )
    response = client.delete(path, {"preconditions": {"uid": "x"}})
    assert_conflict(response, "ConfigMap", "a", why)
    assert client.get(path).json() == made


def test_a_revision_that_does_not_hold(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    why = (
        f"the ResourceVersion in the precondition (1) does not match the ResourceVersion in record "
        f"({made['metadata']['resourceVersion']}). The object might have been modified"
    )
    response = client.delete(path, {"preconditions": {"resourceVersion": "1"}})
    assert_conflict(response, "ConfigMap", "a", why)


@pytest.mark.parametrize("where", ["query", "body"])
def test_dry_run(client: Client, namespace: Namespace, where: str) -> None:
    path, made = created(namespace)
    response = (
        client.delete(path, dryRun="All") if where == "query" else client.delete(path, {"dryRun": ["All"]})
    )
    assert_deleted(response, made["metadata"]["uid"], name="a", kind="configmaps")
    assert client.get(path).json() == made


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            {"dryRun": "x"},
            cause("FieldValueNotSupported", 'Unsupported value: ["x"]: supported values: "All"', "dryRun"),
        ),
        (
            {"propagationPolicy": "x"},
            cause(
                "FieldValueNotSupported",
                'Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
                "propagationPolicy",
            ),
        ),
        (
            {"propagationPolicy": "Orphan", "orphanDependents": "true"},
            cause(
                "FieldValueInvalid",
                'Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
                "propagationPolicy",
            ),
        ),
    ],
    ids=["dryRun", "policy", "both"],
)
def test_options_that_cannot_be(
    client: Client, namespace: Namespace, query: dict[str, Any], expected: dict[str, str]
) -> None:
    path, _ = created(namespace)
    assert_invalid(client.delete(path, **query), "DeleteOptions.meta.k8s.io", "", expected)


@pytest.mark.parametrize("where", ["body", "query"])
def test_an_empty_policy_is_none(client: Client, namespace: Namespace, where: str) -> None:
    path, _ = created(namespace)
    policy: dict[str, Any] = {"propagationPolicy": ""}
    response = client.delete(path, policy) if where == "body" else client.delete(path, **policy)
    message = 'Unsupported value: "": supported values: "Foreground", "Background", "Orphan", "nil"'
    expected = cause("FieldValueNotSupported", message, "propagationPolicy")
    assert_invalid(response, "DeleteOptions.meta.k8s.io", "", expected)


@pytest.mark.parametrize("field", ["uid", "resourceVersion"])
def test_an_empty_precondition_holds_for_nothing(client: Client, namespace: Namespace, field: str) -> None:
    path, _ = created(namespace)
    assert client.delete(path, {"preconditions": {field: ""}}).status == 409


@pytest.mark.parametrize(
    ("body", "query", "message"),
    [
        (
            {"kind": "Pod", "apiVersion": "v1"},
            {},
            'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
        ),
        ("{", {}, "couldn't get version/kind; json parse error: unexpected end of JSON input"),
        (None, {"gracePeriodSeconds": "x"}, 'strconv.ParseInt: parsing "x": invalid syntax'),
    ],
    ids=["kind", "half", "number"],
)
def test_options_that_are_none(
    client: Client, namespace: Namespace, body: object, query: dict[str, Any], message: str
) -> None:
    path, _ = created(namespace)
    assert_failure(client.delete(path, body, **query), 400, "BadRequest", message)


def test_finalizers_hold_it(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace, finalizers=["example.com/hold"])
    asked = now()
    response = client.delete(path)
    assert response.status == 200
    marked = response.json()
    meta = marked["metadata"]
    assert_marked(meta, 0, asked)
    assert meta["finalizers"] == ["example.com/hold"]
    assert int(meta["resourceVersion"]) > int(made["metadata"]["resourceVersion"])
    assert client.get(path).json() == marked


def test_deleting_twice_changes_nothing(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace, finalizers=["example.com/hold"])
    first = client.delete(path).json()
    assert client.delete(path).json() == first


def test_the_name_is_taken_until_it_is_gone(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace, finalizers=["example.com/hold"])
    client.delete(path)
    response = client.post(namespace.config_maps, config_map("a"))
    message = 'object is being deleted: configmaps "a" already exists'
    assert_failure(response, 409, "AlreadyExists", message, {"name": "a", "kind": "configmaps"})


def test_a_patch_takes_the_last_finalizer_away(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace, finalizers=["example.com/hold"])
    revision = client.delete(path).json()["metadata"]["resourceVersion"]
    gone = client.patch(path, {"metadata": {"finalizers": []}})
    assert gone.status == 200
    assert gone.json()["metadata"]["resourceVersion"] == revision
    assert client.get(path).status == 404


@pytest.mark.parametrize(
    ("options", "finalizer"),
    [
        ({"propagationPolicy": "Orphan"}, "orphan"),
        ({"propagationPolicy": "Foreground"}, "foregroundDeletion"),
        ({"orphanDependents": True}, "orphan"),
    ],
    ids=["orphan", "foreground", "orphanDependents"],
)
def test_policies_are_finalizers(
    client: Client, namespace: Namespace, options: dict[str, Any], finalizer: str
) -> None:
    path, _ = created(namespace)
    meta = client.delete(path, options).json()["metadata"]
    assert meta["finalizers"] == [finalizer]
    assert meta["deletionGracePeriodSeconds"] == 0


def test_a_policy_in_the_query(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    meta = client.delete(path, propagationPolicy="Foreground").json()["metadata"]
    assert meta["finalizers"] == ["foregroundDeletion"]


def test_the_last_policy_counts(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace, finalizers=["example.com/hold"])
    client.delete(path, propagationPolicy="Orphan")
    meta = client.delete(path, propagationPolicy="Foreground").json()["metadata"]
    assert sorted(meta["finalizers"]) == ["example.com/hold", "foregroundDeletion"]
    meta = client.delete(path, propagationPolicy="Background").json()["metadata"]
    assert meta["finalizers"] == ["example.com/hold"]
    assert meta["uid"] == made["metadata"]["uid"]


def test_a_generation_counts_deleting(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    meta = client.delete(f"{namespace.deployments}/a", propagationPolicy="Foreground").json()["metadata"]
    assert meta["generation"] == 2


def test_a_pod_without_a_node_goes_at_once(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.pods, pod("a"))
    asked = now()
    response = client.delete(f"{namespace.pods}/a")
    meta = response.json()["metadata"]
    assert (response.status, response.json()["kind"]) == (200, "Pod")
    assert_marked(meta, 0, asked)
    assert meta["generation"] == 2
    assert client.get(f"{namespace.pods}/a").json() == not_found("pods", "a")


def test_a_pod_on_a_node_has_time(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.pods, pod("a", {"nodeName": "somewhere"}))
    asked = now()
    response = client.delete(f"{namespace.pods}/a")
    assert_marked(response.json()["metadata"], 30, asked)
    assert client.get(f"{namespace.pods}/a").json() == response.json()


def test_the_time_of_a_pod_can_be_shortened_only(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.pods}/a"
    namespace.create(namespace.pods, pod("a", {"nodeName": "somewhere"}))
    asked = now()
    client.delete(path)
    shorter = client.delete(path, {"gracePeriodSeconds": 5}).json()["metadata"]
    assert_marked(shorter, 5, asked)
    assert client.delete(path, gracePeriodSeconds=50).json()["metadata"] == shorter
    assert client.delete(path, gracePeriodSeconds=0).status == 200
    assert client.get(path).status == 404


def test_no_time_at_all_for_a_pod(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.pods, pod("a", {"nodeName": "somewhere"}))
    meta = client.delete(f"{namespace.pods}/a", gracePeriodSeconds=0).json()["metadata"]
    assert meta["deletionGracePeriodSeconds"] == 0
    assert client.get(f"{namespace.pods}/a").status == 404


def test_a_pods_own_time(client: Client, namespace: Namespace) -> None:
    spec = {"nodeName": "somewhere", "terminationGracePeriodSeconds": 7}
    namespace.create(namespace.pods, pod("a", spec))
    assert client.delete(f"{namespace.pods}/a").json()["metadata"]["deletionGracePeriodSeconds"] == 7


def test_a_namespace_goes_through_terminating(client: Client) -> None:
    namespace = new_namespace(client)
    path = f"/api/v1/namespaces/{namespace.name}"
    namespace.create(namespace.config_maps, config_map("a", finalizers=["example.com/hold"]))
    marked = client.delete(path).json()
    assert marked["status"] == {"phase": "Terminating"}
    assert marked["spec"] == {"finalizers": ["kubernetes"]}
    assert "deletionTimestamp" in marked["metadata"]
    assert "deletionGracePeriodSeconds" not in marked["metadata"]


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
def test_namespaces_that_stay(client: Client, name: str) -> None:
    response = client.delete(f"/api/v1/namespaces/{name}")
    message = f'namespaces "{name}" is forbidden: this namespace may not be deleted'
    assert_failure(response, 403, "Forbidden", message, {"name": name, "kind": "namespaces"})
