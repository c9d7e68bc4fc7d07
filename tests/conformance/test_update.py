"""PUT: what changes, what cannot, and when it conflicts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment, lease, pod, service
from tests.conformance.statuses import assert_conflict, assert_failure, assert_invalid, cause, not_found


def created(namespace: Namespace, data: dict[str, str] | None = None, **fields: Any) -> tuple[str, Any]:
    """A config map "a": its path, and itself."""
    made = namespace.create(namespace.config_maps, config_map("a", data, **fields))
    return f"{namespace.config_maps}/a", made


def test_the_whole_object_is_replaced(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace, {"old": "1"}, labels={"x": "y"})
    response = client.put(path, config_map("a", {"new": "2"}))
    assert response.status == 200
    changed = response.json()
    assert changed["data"] == {"new": "2"}
    assert "labels" not in changed["metadata"]
    assert changed["metadata"]["uid"] == made["metadata"]["uid"]
    assert changed["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]
    assert int(changed["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])
    assert client.get(path).json() == changed


def test_with_the_right_revision(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    response = client.put(path, {**made, "data": {"k": "v"}})
    assert response.json()["data"] == {"k": "v"}


@pytest.mark.parametrize("revision", ["", "0"])
def test_without_a_revision(client: Client, namespace: Namespace, revision: str) -> None:
    path, _ = created(namespace)
    response = client.put(path, config_map("a", {"k": "v"}, resourceVersion=revision))
    assert response.status == 200


def test_with_an_old_revision(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    client.put(path, config_map("a", {"k": "v"}))
    assert_conflict(client.put(path, {**made, "data": {"k": "w"}}), "configmaps", "a")


def test_with_an_old_revision_in_a_group(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    response = client.put(f"{namespace.deployments}/a", deployment("a", resourceVersion="1"))
    assert_conflict(response, "deployments.apps", "a")


def test_kinds_that_must_be_written_with_a_revision(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.leases, lease("a"))
    response = client.put(f"{namespace.leases}/a", lease("a"))
    message = "Invalid value: 0: must be specified for an update"
    expected = cause("FieldValueInvalid", message, "metadata.resourceVersion")
    # Here, and only here, the resource stands where the kind should.
    assert_invalid(response, "leases.coordination.k8s.io", "a", expected)


def test_a_revision_that_is_none(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    response = client.put(path, config_map("a", resourceVersion="abc"))
    assert_failure(response, 500, None, 'strconv.ParseUint: parsing "abc": invalid syntax')


def test_the_uid_is_a_precondition(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace)
    uid = made["metadata"]["uid"]
    assert client.put(path, config_map("a", uid=uid)).status == 200
    response = client.put(path, config_map("a", uid="another"))
    why = (
        f"StorageError: invalid object, Code: 4, Key: /registry/configmaps/{namespace.name}/a, "
        f"ResourceVersion: 0, "
        f"AdditionalErrorMsg: Precondition failed: UID in precondition: another, UID in object meta: {uid}"
    )
    assert_conflict(response, "configmaps", "a", why)


def test_a_write_of_the_same_keeps_the_revision(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace, {"k": "v"})
    assert client.put(path, made).json() == made
    assert client.put(path, config_map("a", {"k": "v"})).json() == made
    assert client.get(path).json() == made


def test_dry_run(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace, {"k": "v"})
    response = client.put(path, config_map("a", {"k": "dry"}), dryRun="All")
    assert response.json()["data"] == {"k": "dry"}
    assert response.json()["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    assert client.get(path).json() == made


def test_what_is_not_there(client: Client, namespace: Namespace) -> None:
    cases: list[dict[str, Any]] = [{}, {"resourceVersion": "5"}, {"uid": "some"}]
    for fields in cases:
        response = client.put(f"{namespace.config_maps}/a", config_map("a", **fields))
        assert response.status == 404
        assert response.json() == not_found("configmaps", "a")


def test_another_name_in_the_body(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    message = "the name of the object (b) does not match the name on the URL (a)"
    assert_failure(client.put(path, config_map("b")), 400, "BadRequest", message)


def test_no_name_in_the_body(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}
    message = "the name of the object (a based on URL) was undeterminable: name must be provided"
    assert_failure(client.put(path, body), 400, "BadRequest", message)


def test_another_namespace_in_the_body(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    message = "the namespace of the provided object does not match the namespace sent on the request"
    assert_failure(client.put(path, config_map("a", namespace="other")), 400, "BadRequest", message)


def test_another_kind_in_the_body(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    message = (
        'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to '
        "(core.ConfigMap): unknown conversion"
    )
    assert_failure(client.put(path, {**config_map("a"), "kind": "Secret"}), 400, "BadRequest", message)


def test_metadata_that_only_the_server_writes_is_kept(client: Client, namespace: Namespace) -> None:
    path, made = created(namespace, {"k": "v"}, generateName="old-")
    sent = {"creationTimestamp": "2001-01-01T00:00:00Z", "generation": 9, "selfLink": "/mine"}
    meta = client.put(path, config_map("a", {"k": "v"}, **sent)).json()["metadata"]
    assert meta["creationTimestamp"] == made["metadata"]["creationTimestamp"]
    assert "selfLink" not in meta


def test_deletion_cannot_be_written(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace)
    sent: dict[str, Any] = {"deletionTimestamp": "2001-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3}
    time = cause(
        "FieldValueInvalid",
        'Invalid value: "2001-01-01T00:00:00Z": field is immutable',
        "metadata.deletionTimestamp",
    )
    seconds = cause(
        "FieldValueInvalid", "Invalid value: 3: field is immutable", "metadata.deletionGracePeriodSeconds"
    )
    assert_invalid(client.put(path, config_map("a", **sent)), "ConfigMap", "a", time, seconds, time, seconds)


@pytest.mark.parametrize(
    ("resource", "group_version", "body"),
    [
        ("leases", "coordination.k8s.io/v1", lease("a")),
        ("services", "v1", service("a")),
        ("limitranges", "v1", {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "a"}}),
        (
            "roles",
            "rbac.authorization.k8s.io/v1",
            {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "a"}},
        ),
    ],
    ids=["leases", "services", "limitranges", "roles"],
)
def test_kinds_that_put_creates(
    client: Client, namespace: Namespace, resource: str, group_version: str, body: dict[str, Any]
) -> None:
    path = f"{namespace.path(resource, group_version)}/a"
    response = client.put(path, body)
    assert response.status == 201
    assert client.get(path).json() == response.json()
    assert client.put(path, response.json()).status == 200


@pytest.mark.parametrize(
    ("resource", "kind"),
    [("secrets", "Secret"), ("serviceaccounts", "ServiceAccount"), ("resourcequotas", "ResourceQuota")],
)
def test_kinds_that_put_does_not_create(
    client: Client, namespace: Namespace, resource: str, kind: str
) -> None:
    body = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "a"}}
    assert client.put(f"{namespace.path(resource)}/a", body).json() == not_found(resource, "a")


def test_creating_by_put_does_not_look_at_the_revision(client: Client, namespace: Namespace) -> None:
    response = client.put(f"{namespace.leases}/a", lease("a", resourceVersion="5"))
    assert response.status == 201
    assert_conflict(
        client.put(f"{namespace.leases}/a", lease("a", resourceVersion="5")),
        "leases.coordination.k8s.io",
        "a",
    )


def test_creating_by_put_dry(client: Client, namespace: Namespace) -> None:
    response = client.put(f"{namespace.leases}/a", lease("a"), dryRun="All")
    assert response.status == 201
    assert "resourceVersion" not in response.json()["metadata"]
    assert client.get(f"{namespace.leases}/a").status == 404


def test_an_immutable_config_map(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, {**config_map("a", {"k": "v"}), "immutable": True})
    response = client.put(f"{namespace.config_maps}/a", config_map("a", {"k": "w"}))
    message = "Forbidden: field is immutable when `immutable` is set"
    assert_invalid(
        response,
        "ConfigMap",
        "a",
        cause("FieldValueForbidden", message, "immutable"),
        cause("FieldValueForbidden", message, "data"),
    )


def test_a_field_that_may_not_change(client: Client, namespace: Namespace) -> None:
    path = namespace.path("secrets")
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "type": "example.com/a"}
    namespace.create(path, body)
    response = client.put(f"{path}/a", {**body, "type": "example.com/b"})
    expected = cause("FieldValueInvalid", 'Invalid value: "example.com/b": field is immutable', "type")
    assert_invalid(response, "Secret", "a", expected)


def test_a_deployment_keeps_its_selector(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.deployments, deployment("a"))
    body = deployment("a")
    body["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    assert_invalid(
        client.put(f"{namespace.deployments}/a", body),
        "Deployment.apps",
        "a",
        cause(
            "FieldValueInvalid",
            'Invalid value: {"app":"a"}: `selector` does not match template `labels`',
            "spec.template.metadata.labels",
        ),
        cause(
            "FieldValueInvalid",
            'Invalid value: {"matchLabels":{"app":"other"}}: field is immutable',
            "spec.selector",
        ),
    )


def test_most_of_a_pod_may_not_change(client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.pods, pod("a"))
    response = client.put(f"{namespace.pods}/a", pod("a", {"restartPolicy": "Never"}))
    assert response.status == 422
    told = response.json()["message"]
    start = (
        'Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than '
        "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
        "`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` "
        "(allow it to be set to 1 if it was previously negative)\n"
    )
    assert told.startswith(start)
    assert '- "RestartPolicy": "Always",\n+ "RestartPolicy": "Never",\n' in told
    assert response.json()["details"]["causes"][0]["field"] == "spec"


def test_the_image_of_a_pod_may_change(client: Client, namespace: Namespace) -> None:
    made = namespace.create(namespace.pods, pod("a"))
    made["spec"]["containers"][0]["image"] = "example.com/main:2"
    response = client.put(f"{namespace.pods}/a", made)
    assert response.status == 200
    assert response.json()["metadata"]["generation"] == 2


def test_no_finalizer_can_be_added_to_what_is_being_deleted(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace, finalizers=["example.com/a"])
    client.delete(path)
    response = client.put(path, config_map("a", finalizers=["example.com/a", "example.com/b"]))
    expected = cause(
        "FieldValueForbidden",
        (
            "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers "
            '[]string{"example.com/b"}'
        ),
        "metadata.finalizers",
    )
    assert_invalid(response, "ConfigMap", "a", expected, expected)


def test_what_is_being_deleted_can_be_written(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace, finalizers=["example.com/a"])
    marked = client.delete(path).json()["metadata"]
    changed = client.put(path, config_map("a", {"k": "v"}, finalizers=["example.com/a"])).json()
    assert changed["data"] == {"k": "v"}
    assert changed["metadata"]["deletionTimestamp"] == marked["deletionTimestamp"]


def test_taking_the_last_finalizer_away_deletes(client: Client, namespace: Namespace) -> None:
    path, _ = created(namespace, finalizers=["example.com/a"])
    client.delete(path)
    revision = client.get(path).json()["metadata"]["resourceVersion"]
    response = client.put(path, config_map("a", {"k": "v"}))
    assert response.status == 200
    gone = response.json()
    assert gone["data"] == {"k": "v"}
    assert "finalizers" not in gone["metadata"]
    # What is not stored gets no revision of its own.
    assert gone["metadata"]["resourceVersion"] == revision
    assert client.get(path).json() == not_found("configmaps", "a")
