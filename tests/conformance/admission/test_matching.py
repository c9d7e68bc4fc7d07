"""Which writes webhooks are asked about: rules, scopes, selectors and conditions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.admission.webhook import Webhooks, caught_up, deny, json_patch, rule
from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace, unique
from tests.conformance.objects import config_map, deployment
from tests.conformance.statuses import assert_failure, assert_invalid, cause
from tests.conformance.waiting import eventually


def do_all(client: Client, namespace: Namespace) -> None:
    """Create, change, scale and delete a config map and a deployment, so that nothing is tried twice."""
    for path, obj in (
        (namespace.config_maps, config_map("a")),
        (namespace.deployments, deployment("a", 1)),
    ):
        assert client.post(path, obj).status == 201
        assert client.patch(f"{path}/a", {"metadata": {"labels": {"x": "y"}}}).status == 200
        caught_up(client, f"{path}/a")
    for subresource in ("scale", "status"):
        part = "spec" if subresource == "scale" else "status"
        path = f"{namespace.deployments}/a"
        assert client.patch(f"{path}/{subresource}", {part: {"replicas": 2}}).status == 200
        caught_up(client, path)
    for path in (namespace.config_maps, namespace.deployments):
        assert client.delete(f"{path}/a").status == 200


MAPS = ["CREATE configmaps", "UPDATE configmaps", "DELETE configmaps"]
DEPLOYMENTS = ["CREATE deployments", "UPDATE deployments", "DELETE deployments"]
SCALE, STATUS = "UPDATE deployments/scale", "UPDATE deployments/status"


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({"resources": ["configmaps"]}, MAPS),
        ({"resources": ["*"]}, [*MAPS, *DEPLOYMENTS]),
        ({"resources": ["*/*"]}, [*MAPS, *DEPLOYMENTS, SCALE, STATUS]),
        ({"resources": ["deployments/*"]}, [*DEPLOYMENTS, SCALE, STATUS]),
        ({"resources": ["*/scale"]}, [SCALE]),
        ({"resources": ["deployments/status", "configmaps"]}, [*MAPS, STATUS]),
        ({"resources": ["*/*"], "operations": ["DELETE"]}, ["DELETE configmaps", "DELETE deployments"]),
        (
            {"resources": ["*"], "operations": ["CREATE", "CONNECT"]},
            ["CREATE configmaps", "CREATE deployments"],
        ),
        ({"resources": ["*"], "apiGroups": [""]}, MAPS),
        ({"resources": ["*"], "apiGroups": ["apps"]}, DEPLOYMENTS),
        ({"resources": ["*"], "apiVersions": ["v2"]}, []),
        ({"resources": ["*"], "scope": "Namespaced"}, [*MAPS, *DEPLOYMENTS]),
        ({"resources": ["*"], "scope": "Cluster"}, []),
    ],
)
def test_rules(
    hooks: Webhooks, client: Client, namespace: Namespace, fields: dict[str, Any], asked: list[str]
) -> None:
    rules = [{**rule("x", group="*", versions=("*",)), **fields}]
    # Selectors of namespaces leave out nothing that is in none: the webhook also hears of what the server
    # itself writes in the cluster, which must go on when the webhook is gone.
    hooks.validate(hooks.hook("a", rules=rules, failurePolicy="Ignore"))
    do_all(client, namespace)
    found = [
        f"{each['operation']} {each['resource']['resource']}"
        + (f"/{each['subResource']}" if "subResource" in each else "")
        for each in hooks.asked("a")
        if each.get("namespace") == namespace.name
    ]
    assert sorted(found) == sorted(asked)


def test_any_rule_is_enough_and_counts_once(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    rules = [rule("secrets"), rule("configmaps"), rule("*")]
    hooks.mutate(hooks.hook("a", rules=rules))
    namespace.create(namespace.config_maps, config_map("a"))
    assert len(hooks.asked("a")) == 1


class TestSelectors:
    def test_the_namespace(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        hooks.validate(hooks.hook("a", namespaceSelector={"matchLabels": {"pick": namespace.name}}))
        namespace.create(namespace.config_maps, config_map("a"))
        assert hooks.asked("a") == []
        path = f"/api/v1/namespaces/{namespace.name}"
        assert client.patch(path, {"metadata": {"labels": {"pick": namespace.name}}}).status == 200

        def is_asked() -> bool:
            assert client.post(namespace.config_maps, config_map("b"), dryRun="All").status == 201
            return bool(hooks.asked("a"))

        # kube-apiserver learns of the label a little later.
        eventually(is_asked, "the webhook is asked about the namespace")

    def test_namespaces_themselves_by_their_own_labels(self, hooks: Webhooks, client: Client) -> None:
        name = unique("labelled")
        hooks.validate(
            hooks.hook("a", rules=[rule("namespaces")], namespaceSelector={"matchLabels": {"pick": name}})
        )
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"pick": name}}}
        assert client.post("/api/v1/namespaces", body).status == 201
        assert (
            client.patch(f"/api/v1/namespaces/{name}", {"metadata": {"labels": {"pick": None}}}).status == 200
        )
        operations = [(each["operation"], each["name"], each["namespace"]) for each in hooks.asked("a")]
        assert operations == [("CREATE", name, name)]

    @pytest.mark.parametrize(("scope", "count"), [("Cluster", 1), ("Namespaced", 0), ("*", 1)])
    def test_namespaces_are_of_the_cluster(
        self, hooks: Webhooks, client: Client, scope: str, count: int
    ) -> None:
        name = unique("scoped")
        selector = {"matchLabels": {"kubernetes.io/metadata.name": name}}
        hook = hooks.hook("a", rules=[rule("namespaces", scope=scope)], objectSelector=selector)
        hooks.validate({**hook, "namespaceSelector": {}})
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        assert client.post("/api/v1/namespaces", body).status == 201
        assert len(hooks.asked("a")) == count

    def test_what_is_in_no_namespace_is_never_left_out_by_it(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        picked = {"matchLabels": {"pick": namespace.name}}
        rules = [rule("clusterroles", group="rbac.authorization.k8s.io")]
        hooks.validate(
            hooks.hook(
                "a", rules=rules, objectSelector=picked, namespaceSelector={"matchLabels": {"no": "no"}}
            )
        )
        role = {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {"name": unique("role"), "labels": {"pick": namespace.name}},
        }
        assert client.post("/apis/rbac.authorization.k8s.io/v1/clusterroles", role).status == 201
        (request,) = hooks.asked("a")
        assert "namespace" not in request

    def test_the_object_new_or_old(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        hooks.validate(hooks.hook("a", objectSelector={"matchLabels": {"pick": "me"}}))
        path = f"{namespace.config_maps}/a"
        namespace.create(namespace.config_maps, config_map("a"))
        assert hooks.asked("a") == []
        for labels in ({"pick": "me"}, {"pick": "not"}, {"other": "x"}):
            assert client.patch(path, {"metadata": {"labels": labels}}).status == 200
            caught_up(client, path)
        assert [each["operation"] for each in hooks.asked("a")] == ["UPDATE", "UPDATE"]
        assert client.delete(path).status == 200
        assert len(hooks.asked("a")) == 2
        namespace.create(namespace.config_maps, config_map("b", labels={"pick": "me"}))
        assert client.delete(f"{namespace.config_maps}/b").status == 200
        assert [each["operation"] for each in hooks.asked("a")][2:] == ["CREATE", "DELETE"]

    def test_the_object_as_others_have_changed_it(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        picked = {"matchExpressions": [{"key": "made", "operator": "In", "values": ["by-a"]}]}
        hooks.mutate(
            hooks.hook("b", objectSelector=picked),
            hooks.hook("a", json_patch({"op": "add", "path": "/metadata/labels", "value": {"made": "by-a"}})),
            hooks.hook("c", objectSelector=picked),
        )
        namespace.create(namespace.config_maps, config_map("a"))
        assert [len(hooks.asked(each)) for each in "abc"] == [1, 0, 1]

    def test_connections_have_no_labels(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        none = {"matchExpressions": [{"key": "x", "operator": "DoesNotExist"}]}
        hooks.validate(
            hooks.hook("a", rules=[rule("pods/*")], objectSelector=none),
            hooks.hook("b", rules=[rule("pods/*")]),
        )
        assert client.post(f"{namespace.pods}/a/exec", None, command="x").status == 404
        assert [len(hooks.asked(each)) for each in "ab"] == [0, 1]


COMPILATION = "compilation failed: ERROR: <input>:"


class TestConditions:
    @pytest.mark.parametrize(
        ("expression", "holds"),
        [
            ("true", True),
            ("false", False),
            ("object.metadata.name == 'a'", True),
            ("object.data.x == 'z'", False),
            ("oldObject == null", True),
            ("request.operation == 'CREATE'", True),
            ("request.operation in ['UPDATE', 'DELETE']", False),
            ("request.userInfo.username == 'admin'", True),
            ("'system:masters' in request.userInfo.groups", True),
            ("request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap'", True),
            ("request.dryRun", False),
            ("has(request.subResource)", False),
            ("request.options.kind == 'CreateOptions'", True),
            ("object.metadata.managedFields[0].manager == 'me'", True),
            ("!has(object.metadata.labels)", True),
            ("object.metadata.namespace == request.namespace && !has(object.data.package)", True),
            ("object.metadata.?if.hasValue() || object.data.?const.orValue('') != ''", False),
        ],
    )
    @pytest.mark.parametrize("kind", ["mutate", "validate"])
    def test_they_decide(
        self, hooks: Webhooks, namespace: Namespace, kind: str, expression: str, holds: bool
    ) -> None:
        conditions = [{"name": "it", "expression": expression}]
        getattr(hooks, kind)(hooks.hook("a", matchConditions=conditions))
        namespace.create(namespace.config_maps, config_map("a", {"x": "y"}), fieldManager="me")
        assert len(hooks.asked("a")) == int(holds)

    def test_all_must_hold(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        conditions = [
            {"name": "one", "expression": "object.data.x == 'y'"},
            {"name": "two", "expression": "object.data.z == 'z'"},
        ]
        hooks.validate(hooks.hook("a", deny(), matchConditions=conditions))
        assert client.post(namespace.config_maps, config_map("a", {"x": "y", "z": "a"})).status == 201
        assert client.post(namespace.config_maps, config_map("b", {"x": "y", "z": "z"})).status == 400

    def test_of_a_delete(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        for name in ("a", "b"):
            namespace.create(namespace.config_maps, config_map(name))
        conditions = [{"name": "one", "expression": "object == null && oldObject.metadata.name == 'a'"}]
        hooks.validate(hooks.hook("a", matchConditions=conditions))
        for name in ("a", "b"):
            assert client.delete(f"{namespace.config_maps}/{name}").status == 200
        assert [each["name"] for each in hooks.asked("a")] == ["a"]

    @pytest.mark.parametrize(
        ("expression", "why"),
        [
            (
                "request.foo == 1",
                f"{COMPILATION}1:8: undefined field 'foo'\n | request.foo == 1\n | .......^",
            ),
            (
                "nope",
                f"{COMPILATION}1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^",
            ),
            ("object.data.x", "must evaluate to bool but got dyn"),
            ("'a'", "must evaluate to bool but got string"),
        ],
    )
    def test_expressions_are_checked_when_they_are_configured(
        self, hooks: Webhooks, client: Client, expression: str, why: str
    ) -> None:
        hook = hooks.hook("a", matchConditions=[{"name": "a", "expression": expression}])
        for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"):
            body = {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": kind,
                "metadata": {"name": "a"},
                "webhooks": [hook],
            }
            response = client.post(f"/apis/admissionregistration.k8s.io/v1/{kind.lower()}s", body)
            field = "webhooks[0].matchConditions[0].expression"
            wrong = cause("FieldValueInvalid", f'Invalid value: "{expression}": {why}', field)
            assert_invalid(response, f"{kind}.admissionregistration.k8s.io", "a", wrong)

    @pytest.mark.parametrize(
        ("expression", "holds"),
        [
            ("authorizer.group('').resource('pods').namespace('default').check('create').allowed()", True),
            ("authorizer.requestResource.check('update').allowed()", True),
            ("authorizer.serviceAccount('x', 'y').group('').resource('pods').check('get').allowed()", False),
            ("authorizer.path('/healthz').check('post').allowed()", True),
        ],
    )
    def test_the_authorizer(
        self, hooks: Webhooks, namespace: Namespace, expression: str, holds: bool
    ) -> None:
        hooks.validate(hooks.hook("a", matchConditions=[{"name": "a", "expression": expression}]))
        namespace.create(namespace.config_maps, config_map("a"))
        assert len(hooks.asked("a")) == int(holds)

    FAILS = [{"name": "one", "expression": "object.foo == 1"}]

    def test_one_that_fails_refuses(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        hooks.validate(hooks.hook("a", matchConditions=self.FAILS))
        response = client.post(namespace.config_maps, config_map("a"))
        why = "expression 'object.foo == 1' resulted in error: no such key: foo"
        details = {"name": "a", "kind": "configmaps"}
        assert_failure(response, 403, "Forbidden", f'configmaps "a" is forbidden: {why}', details)

    def test_two_that_fail(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        conditions = [*self.FAILS, {"name": "two", "expression": "object.bar == 1"}]
        hooks.mutate(hooks.hook("a", matchConditions=conditions))
        told = ", ".join(
            f"expression 'object.{name} == 1' resulted in error: no such key: {name}"
            for name in ("foo", "bar")
        )
        response = client.post(namespace.config_maps, config_map("a"))
        assert response.json()["message"] == f'configmaps "a" is forbidden: [{told}]'

    def test_where_failures_are_ignored_it_does_not_hold(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        hooks.validate(hooks.hook("a", deny(), matchConditions=self.FAILS, failurePolicy="Ignore"))
        namespace.create(namespace.config_maps, config_map("a"))
        assert hooks.asked("a") == []

    def test_one_that_does_not_hold_settles_it(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        conditions = [*self.FAILS, {"name": "two", "expression": "false"}]
        hooks.validate(hooks.hook("a", deny(), matchConditions=conditions))
        namespace.create(namespace.config_maps, config_map("a"))
        assert hooks.asked("a") == []
