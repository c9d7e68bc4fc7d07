"""Cluster roles that gather the rules of others; a real kube-apiserver leaves that to another program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from kubewright.machinery.label_selectors import Selector
from kubewright.server.authorization.aggregation import Role, gathered
from kubewright.testing import Cluster
from tests.conformance.authorization.policies import RBAC, ask, binding, create, in_force, role, rule, subject
from tests.conformance.client import Client
from tests.conformance.namespaces import unique
from tests.conformance.waiting import eventually


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Cluster.in_thread(controllers="none") as cluster:
        made = Client(cluster)
        yield made
        made.close()


def rules_of(client: Client, name: str) -> Any:
    return client.get(f"{RBAC}/clusterroles/{name}").json()["rules"]


def unrepeated(rules: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for each in rules:
        if each not in kept:
            kept.append(each)
    return kept


def selecting(**labels: str) -> dict[str, Any]:
    return {"clusterRoleSelectors": [{"matchLabels": labels}]}


def test_the_roles_of_users(client: Client) -> None:
    view = rules_of(client, "system:aggregate-to-view")
    edit = unrepeated([*rules_of(client, "system:aggregate-to-edit"), *view])
    admin = unrepeated([*edit, *rules_of(client, "system:aggregate-to-admin")])
    assert rules_of(client, "view") == view
    assert rules_of(client, "edit") == edit
    assert rules_of(client, "admin") == admin


def test_who_wrote_them(client: Client) -> None:
    entries = client.get(f"{RBAC}/clusterroles/view").json()["metadata"]["managedFields"]
    found = {(each["manager"], each["operation"]): each["fieldsV1"] for each in entries}
    assert found["clusterrole-aggregation-controller", "Apply"] == {"f:rules": {}}
    assert sorted(found["kube-apiserver", "Update"]) == ["f:aggregationRule", "f:metadata"]


def test_a_role_of_a_custom_resource_joins_the_roles_of_users(client: Client) -> None:
    user, name = unique("user"), unique("widgets")
    create(client, binding(name, "edit", subject("User", user)))
    asked = {"verb": "create", "group": "example.com", "resource": name}
    assert ask(client, user, **asked) == {"allowed": False}
    made = role(name, rule("create", "example.com", name))
    made["metadata"]["labels"] = {"rbac.authorization.k8s.io/aggregate-to-edit": "true"}
    create(client, made)
    in_force(client, user, **asked)
    # Edit is a part of admin.
    eventually(lambda: made["rules"][0] in rules_of(client, "admin"), "admin has not got it")
    assert made["rules"][0] not in rules_of(client, "view")
    assert client.delete(f"{RBAC}/clusterroles/{name}").status == 200
    eventually(lambda: not ask(client, user, **asked)["allowed"], "the right is not taken back")


def test_changes_are_followed(client: Client) -> None:
    label, all_of, part = unique("label"), unique("all"), unique("part")
    create(client, role(all_of, aggregationRule=selecting(**{label: "yes"})))
    made = role(part, rule("get", "core", "pods"))
    made["metadata"]["labels"] = {label: "yes"}
    create(client, made)
    eventually(lambda: rules_of(client, all_of) == made["rules"], "it has not gathered")
    path = f"{RBAC}/clusterroles/{part}"
    client.patch(path, {"rules": [rule("list", "core", "pods"), rule("list", "core", "pods")]})
    eventually(lambda: rules_of(client, all_of) == [rule("list", "core", "pods")], "it has not followed")
    # What somebody else writes there does not stay.
    client.patch(f"{RBAC}/clusterroles/{all_of}", {"rules": [rule("*", "*", "*")]})
    eventually(lambda: rules_of(client, all_of) == [rule("list", "core", "pods")], "it was not put right")
    client.patch(path, {"metadata": {"labels": {label: "no"}}})
    eventually(lambda: not rules_of(client, all_of), "it has not let go")


def test_roles_that_gather_from_each_other(client: Client) -> None:
    label, one, two = unique("label"), unique("one"), unique("two")
    for name in (one, two):
        made = role(name, aggregationRule=selecting(**{label: "yes"}))
        made["metadata"]["labels"] = {label: "yes"}
        create(client, made)
    part = role(unique("part"), rule("get", "core", "pods"))
    part["metadata"]["labels"] = {label: "yes"}
    create(client, part)
    for name in (one, two):
        eventually(lambda name=name: rules_of(client, name) == part["rules"], "it has not gathered")  # type: ignore[misc]
    revision = client.get(f"{RBAC}/clusterroles/{one}").json()["metadata"]["resourceVersion"]
    create(client, role(unique("other"), rule("get", "core", "pods")))
    assert client.get(f"{RBAC}/clusterroles/{one}").json()["metadata"]["resourceVersion"] == revision


def made(name: str, *rules: Any, by: list[Any] | None = None, **labels: str) -> Role:
    selectors = None if by is None else [Selector.from_label_selector(each) for each in by]
    return Role(name, labels, list(rules), selectors)


def test_the_order_of_rules() -> None:
    a, b, c = rule("get", "core", "a"), rule("get", "core", "b"), rule("get", "core", "c")
    roles = [made("z", c, a, x="1"), made("y", b, a, x="1", y="1"), made("self", rule("*", "*", "*"), x="1")]
    by = [{"matchLabels": {"x": "1"}}, {"matchExpressions": [{"key": "y", "operator": "Exists"}]}]
    assert gathered(made("self", by=by), roles) == [b, a, c]
    assert gathered(made("self", by=[*by[1:], by[0]]), roles) == [b, a, c]
    assert gathered(made("other", by=by), roles) == [rule("*", "*", "*"), b, a, c]
    assert gathered(made("self", by=[]), roles) == []
