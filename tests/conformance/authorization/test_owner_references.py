"""Who may set owner references, with the plugin that asks; it is off by default on both servers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.conformance.authorization.policies import as_user, binding, create, in_force, role, rule, subject
from tests.conformance.client import Client, Response
from tests.conformance.namespaces import Namespace, new_namespace, unique
from tests.conformance.statuses import assert_failure

PLUGIN = "OwnerReferencesPermissionEnforcement"


@pytest.fixture(scope="module", params=["embedded", pytest.param("real", marks=pytest.mark.real)])
def enforcing(request: pytest.FixtureRequest) -> Iterator[Client]:
    """The administrator's client of a server with the plugin."""
    if request.param == "real":
        from tests.realcluster.server import RealServer

        with RealServer(fsync=False, flags=[f"--enable-admission-plugins={PLUGIN}"]) as real:
            client = Client(real)
            yield client
            client.close()
    else:
        from kubewright.testing import Cluster

        with Cluster.in_thread(controllers="none", admission_plugins=[PLUGIN]) as cluster:
            client = Client(cluster)
            yield client
            client.close()


@dataclass(frozen=True)
class Scene:
    """A namespace with an owner in it, and a caller."""

    client: Client
    namespace: Namespace
    user: str
    owner: dict[str, Any]

    def create(self, *references: dict[str, Any]) -> Response:
        return self.client.post(self.namespace.config_maps, owned(*references), headers=as_user(self.user))

    def created(self, *references: dict[str, Any]) -> str:
        """The path of an object that the administrator has made."""
        made = self.namespace.create(self.namespace.config_maps, owned(*references))
        return f"{self.namespace.config_maps}/{made['metadata']['name']}"

    def patch(self, path: str, *references: dict[str, Any]) -> Response:
        patch = {"metadata": {"ownerReferences": list(references)}}
        return self.client.patch(path, patch, headers=as_user(self.user))


def owned(*references: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": unique("owned"), "ownerReferences": list(references)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def scene(client: Client, *rules: dict[str, Any]) -> Scene:
    namespace, user = new_namespace(client), unique("user")
    held = [rule("get create update patch", "core", "configmaps"), *rules]
    create(
        client,
        role(user, *held),
        binding(user, user, subject("User", user)),
    )
    in_force(client, user, verb="create", resource="configmaps", namespace=namespace.name)
    made = namespace.create(namespace.path("secrets"), {"metadata": {"name": "owner"}})
    reference = {"apiVersion": "v1", "kind": "Secret", "name": "owner", "uid": made["metadata"]["uid"]}
    return Scene(client, namespace, user, reference)


def assert_refused(response: Response, why: str) -> None:
    name = response.json()["details"]["name"]
    message = f'configmaps "{name}" is forbidden: {why}'
    assert_failure(response, 403, "Forbidden", message, {"name": name, "kind": "configmaps"})


CANNOT_DELETE = "cannot set an ownerRef on a resource you can't delete: , <nil>"
CANNOT_BLOCK = (
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
    ": , <nil>"
)


def blocking(reference: dict[str, Any], value: bool | None = True) -> dict[str, Any]:
    return {**reference, "blockOwnerDeletion": value}


def test_a_new_object_may_have_any_owner(enforcing: Client) -> None:
    made = scene(enforcing)
    assert made.create(made.owner).status == 201
    assert made.create(blocking(made.owner, False)).status == 201
    assert made.create().status == 201


def test_changing_the_owner_takes_the_right_to_delete(enforcing: Client) -> None:
    made = scene(enforcing)
    path = made.created()
    assert_refused(made.patch(path, made.owner), CANNOT_DELETE)
    path = made.created(made.owner)
    assert_refused(made.patch(path), CANNOT_DELETE)
    assert_refused(made.patch(path, {**made.owner, "controller": True}), CANNOT_DELETE)
    response = enforcing.patch(path, {"data": {"a": "b"}}, headers=as_user(made.user))
    assert response.status == 200
    assert made.patch(path, made.owner).status == 200
    may = scene(enforcing, rule("delete", "core", "configmaps"))
    path = may.created()
    assert may.patch(path, may.owner).status == 200
    assert may.patch(path).status == 200


def test_holding_up_the_owner_takes_the_right_to_its_finalizers(enforcing: Client) -> None:
    made = scene(enforcing, rule("delete", "core", "configmaps"))
    assert_refused(made.create(blocking(made.owner)), CANNOT_BLOCK)
    path = made.created(made.owner)
    assert_refused(made.patch(path, blocking(made.owner)), CANNOT_BLOCK)
    path = made.created(blocking(made.owner))
    # It was so before.
    assert made.patch(path, {**blocking(made.owner), "controller": True}).status == 200
    assert made.patch(path).status == 200


@pytest.mark.parametrize(
    "right",
    [
        rule("update", "core", "secrets/finalizers"),
        rule("update", "core", "secrets/finalizers", "owner"),
        rule("update", "*", "*/finalizers"),
        rule("update", "*", "*"),
    ],
    ids=["finalizers", "of the owner", "of all", "everything"],
)
def test_who_may_set_the_finalizers(enforcing: Client, right: dict[str, Any]) -> None:
    made = scene(enforcing, right)
    assert made.create(blocking(made.owner)).status == 201


def test_a_right_in_the_namespace_is_enough(enforcing: Client) -> None:
    made = scene(enforcing)
    ns = made.namespace.name
    create(
        enforcing,
        role("finalizers", rule("update", "core", "secrets/finalizers"), namespace=ns),
        binding("finalizers", "finalizers", subject("User", made.user), namespace=ns, kind="Role"),
    )
    asked = {"verb": "update", "resource": "secrets", "subresource": "finalizers", "namespace": ns}
    in_force(enforcing, made.user, **asked)
    assert made.create(blocking(made.owner)).status == 201


def test_the_right_to_others_finalizers_is_not_enough(enforcing: Client) -> None:
    rights = [rule("update", "core", "secrets/finalizers", "other"), rule("update", "core", "secrets")]
    made = scene(enforcing, *rights)
    assert_refused(made.create(blocking(made.owner)), CANNOT_BLOCK)


def test_owners_of_kinds_that_nobody_serves(enforcing: Client) -> None:
    made = scene(enforcing)
    unheard = {"apiVersion": "example.com/v1", "kind": "Unheard", "name": "x", "uid": "y"}
    assert made.create(unheard).status == 201
    why = (
        "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion "
        'example.com/v1 Kind Unheard: no matches for kind "Unheard" in version "example.com/v1"'
    )
    assert_refused(made.create(blocking(unheard)), why)
    everything = scene(enforcing, rule("update", "*", "*/finalizers"))
    assert everything.create(blocking(unheard)).status == 201


def test_owners_without_a_namespace(enforcing: Client) -> None:
    made = scene(enforcing, rule("update", "core", "nodes/finalizers"))
    node = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}
    assert made.create(blocking(node)).status == 201
    # A right to them in a namespace is none.
    made = scene(enforcing)
    ns = made.namespace.name
    create(
        enforcing,
        role("finalizers", rule("update", "core", "nodes/finalizers"), namespace=ns),
        binding("finalizers", "finalizers", subject("User", made.user), namespace=ns, kind="Role"),
    )
    asked = {"verb": "update", "resource": "nodes", "subresource": "finalizers", "namespace": ns}
    in_force(enforcing, made.user, **asked)
    assert_refused(made.create(blocking(node)), CANNOT_BLOCK)


def test_administrators_may(enforcing: Client) -> None:
    made = scene(enforcing)
    response = enforcing.post(made.namespace.config_maps, owned(blocking(made.owner)))
    assert response.status == 201


def test_it_is_off_by_default(client: Client) -> None:
    made = scene(client)
    assert made.create(blocking(made.owner)).status == 201
    assert made.patch(made.created(), made.owner).status == 200
