"""Webhooks that change objects: what is written then, and who is asked again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.admission.webhook import Answer, Webhooks, json_patch, respond, rule
from tests.conformance.client import Client
from tests.conformance.custom_resources import Widgets
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment, pod
from tests.conformance.statuses import assert_failure, assert_invalid, cause


def add(path: str, value: object) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def test_a_change_is_written(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    hooks.mutate(hooks.hook("a", json_patch(add("/data/z", "1"), {"op": "remove", "path": "/data/x"})))
    hooks.validate(hooks.hook("b"))
    made = namespace.create(namespace.config_maps, config_map("a", {"x": "y", "q": "r"}))
    assert made["data"] == {"q": "r", "z": "1"}
    assert client.get(f"{namespace.config_maps}/a").json() == made
    assert hooks.asked("b")[0]["object"]["data"] == {"q": "r", "z": "1"}


def test_nobody_owns_what_a_webhook_changes(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    hooks.mutate(hooks.hook("a", json_patch(add("/data/z", "1"))))
    made = namespace.create(namespace.config_maps, config_map("a", {"x": "y"}), fieldManager="me")
    (entry,) = made["metadata"]["managedFields"]
    assert (entry["manager"], entry["fieldsV1"]) == ("me", {"f:data": {".": {}, "f:x": {}}})
    hooks.clear()
    path = f"{namespace.config_maps}/a"
    assert client.patch(path, {"data": {"x": "z"}}, fieldManager="me").status == 200
    applied = client.apply(path, config_map("a", {"z": "2"}), manager="other")
    assert applied.status == 200
    assert applied.json()["data"] == {"x": "z", "z": "2"}


def test_an_update_a_patch_and_an_apply(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
    hooks.mutate(hooks.hook("a", json_patch(add("/data/z", "1"))))
    path = f"{namespace.config_maps}/a"
    for response in (
        client.put(path, config_map("a", {"x": "1"})),
        client.patch(path, {"data": {"x": "2", "z": "0"}}),
        client.apply(path, config_map("a", {"x": "3"}), force="true"),
    ):
        assert response.status == 200
        assert response.json()["data"]["z"] == "1"


def test_what_a_webhook_leaves_as_it_is_is_not_written(
    hooks: Webhooks, client: Client, namespace: Namespace
) -> None:
    made = namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
    hooks.mutate(hooks.hook("a", json_patch({"op": "replace", "path": "/data/x", "value": "y"})))
    changed = client.patch(f"{namespace.config_maps}/a", {"data": {"x": "z"}})
    assert changed.json()["data"] == {"x": "y"}
    assert changed.json()["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


def test_defaults_come_after_a_change(hooks: Webhooks, namespace: Namespace) -> None:
    container = {"name": "side", "image": "example.com/side"}
    hooks.mutate(hooks.hook("a", json_patch(add("/spec/containers/-", container)), rules=[rule("pods")]))
    made = namespace.create(namespace.pods, pod("a"))
    assert made["spec"]["containers"][1] == {
        **container,
        "imagePullPolicy": "Always",
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    }


def test_rules_of_the_kind_come_after_a_change(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    hooks.mutate(hooks.hook("a", json_patch(add("/metadata/labels", {"a b": "c"}))))
    response = client.post(namespace.config_maps, config_map("a"))
    assert response.status == 422
    assert response.json()["details"]["causes"][0]["field"] == "metadata.labels"


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (
            add("/data/z", 1),
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            add("/data", "s"),
            "json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string",
        ),
    ],
)
def test_a_change_that_is_no_object_of_the_kind(
    hooks: Webhooks, client: Client, namespace: Namespace, patch: dict[str, Any], message: str
) -> None:
    # The failure policy is not about what the webhook makes of the object.
    hooks.mutate(hooks.hook("a", json_patch(patch), failurePolicy="Ignore"))
    response = client.post(namespace.config_maps, config_map("a", {"x": "y"}))
    details = {"causes": [{"message": message}]}
    assert_failure(response, 500, "InternalError", f"Internal error occurred: {message}", details)


@pytest.mark.parametrize(
    "patch",
    [
        {"op": "frob", "path": "/data"},
        {"op": "remove", "path": "/data/no"},
        add("data", "x"),
        add("/a/b/c", "x"),
        {"op": "test", "path": "/data/x", "value": "q"},
        {"op": "replace", "path": "", "value": "s"},
        {"op": "replace", "path": "/kind", "value": "Secret"},
        {"op": "replace", "path": "/apiVersion", "value": "apps/v1"},
    ],
)
def test_a_patch_that_does_not_apply(
    hooks: Webhooks, client: Client, namespace: Namespace, patch: dict[str, Any]
) -> None:
    hooks.mutate(hooks.hook("a", json_patch(patch), failurePolicy="Ignore"))
    response = client.post(namespace.config_maps, config_map("a", {"x": "y"}))
    assert (response.status, response.json()["reason"]) == (500, "InternalError")
    assert response.json()["message"].startswith("Internal error occurred: ")
    assert client.get(f"{namespace.config_maps}/a").status == 404


def test_fields_that_nobody_knows_are_dropped(hooks: Webhooks, namespace: Namespace) -> None:
    hooks.mutate(hooks.hook("a", json_patch(add("/foo", "bar"), add("/data/z", "1"))))
    made = namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
    assert "foo" not in made
    assert made["data"] == {"x": "y", "z": "1"}


class TestMetadata:
    @pytest.mark.parametrize("field", ["uid", "creationTimestamp", "deletionTimestamp"])
    def test_what_the_server_writes(self, hooks: Webhooks, namespace: Namespace, field: str) -> None:
        value = "2001-01-01T00:00:00Z"
        hooks.mutate(hooks.hook("a", json_patch(add(f"/metadata/{field}", value))))
        made = namespace.create(namespace.config_maps, config_map("a"))
        if field == "deletionTimestamp":
            assert made["metadata"].get(field) in {None, value}
        else:
            assert made["metadata"][field] != value

    def test_the_name(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        hooks.mutate(hooks.hook("a", json_patch(add("/metadata/name", "other"))))
        assert namespace.create(namespace.config_maps, config_map("a"))["metadata"]["name"] == "other"
        assert client.get(f"{namespace.config_maps}/a").status == 404
        assert client.get(f"{namespace.config_maps}/other").status == 200

    def test_the_name_in_an_update(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        namespace.create(namespace.config_maps, config_map("a"))
        hooks.mutate(hooks.hook("a", json_patch(add("/metadata/name", "other"))))
        response = client.put(f"{namespace.config_maps}/a", config_map("a", {"x": "y"}))
        assert_invalid(
            response,
            "ConfigMap",
            "other",
            cause("FieldValueInvalid", 'Invalid value: "other": field is immutable', "metadata.name"),
            cause("FieldValueInvalid", 'Invalid value: "other": field is immutable', "metadata.name"),
        )

    def test_the_namespace(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        hooks.mutate(hooks.hook("a", json_patch(add("/metadata/namespace", "other"))))
        response = client.post(namespace.config_maps, config_map("a"))
        message = "the namespace of the provided object does not match the namespace sent on the request"
        assert_failure(response, 400, "BadRequest", message)

    def test_the_revision_of_a_create(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        hooks.mutate(hooks.hook("a", json_patch(add("/metadata/resourceVersion", "1"))))
        response = client.post(namespace.config_maps, config_map("a"))
        assert_failure(response, 500, None, "resourceVersion should not be set on objects to be created")

    def test_the_revision_of_an_update(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        namespace.create(namespace.config_maps, config_map("a"))
        hooks.mutate(hooks.hook("a", json_patch(add("/metadata/resourceVersion", "1"))))
        response = client.put(f"{namespace.config_maps}/a", config_map("a", {"x": "y"}))
        assert (response.status, response.json()["reason"]) == (409, "Conflict")

    def test_the_uid_of_an_update(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        namespace.create(namespace.config_maps, config_map("a"))
        hooks.mutate(hooks.hook("a", json_patch(add("/metadata/uid", "other"))))
        response = client.put(f"{namespace.config_maps}/a", config_map("a", {"x": "y"}))
        assert response.status in {409, 422}

    def test_no_metadata(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        hooks.mutate(hooks.hook("a", json_patch({"op": "remove", "path": "/metadata"})))
        response = client.post(namespace.config_maps, config_map("a"))
        assert response.status == 422
        assert response.json()["details"]["causes"][0]["field"] == "metadata.name"

    def test_managers_that_nobody_can_read(
        self, hooks: Webhooks, client: Client, namespace: Namespace
    ) -> None:
        bad = [{"manager": "x", "operation": "Foo"}]
        hooks.mutate(hooks.hook("a", json_patch(add("/metadata/managedFields", bad))))
        response = client.post(namespace.config_maps, config_map("a", {"x": "y"}), fieldManager="me")
        assert response.status == 201
        assert [each["manager"] for each in response.json()["metadata"]["managedFields"]] == ["me"]
        (warning,) = response.warnings
        assert warning.startswith(
            ".metadata.managedFields was in an invalid state after admission; this could be caused by an "
            "outdated mutating admission controller; please fix your requests: "
        )

    def test_owners_that_are_there_twice(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
        hooks.mutate(hooks.hook("a", json_patch(add("/metadata/ownerReferences", [owner, owner]))))
        response = client.post(namespace.config_maps, config_map("a"))
        assert response.json()["metadata"]["ownerReferences"] == [owner]
        (warning,) = response.warnings
        assert (
            ".metadata.ownerReferences contains duplicate entries after mutating admission happens" in warning
        )


class TestSubresources:
    def test_scale(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        namespace.create(namespace.deployments, deployment("a", 1))
        rules = [rule("deployments/scale", group="apps")]
        hooks.mutate(hooks.hook("a", json_patch(add("/spec/replicas", 7)), rules=rules))
        response = client.patch(f"{namespace.deployments}/a/scale", {"spec": {"replicas": 3}})
        assert response.json()["spec"] == {"replicas": 7}
        assert client.get(f"{namespace.deployments}/a").json()["spec"]["replicas"] == 7

    def test_a_scale_that_is_none(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        namespace.create(namespace.deployments, deployment("a", 1))
        rules = [rule("deployments/scale", group="apps")]
        hooks.mutate(hooks.hook("a", json_patch(add("/spec/replicas", -1)), rules=rules))
        response = client.patch(f"{namespace.deployments}/a/scale", {"spec": {"replicas": 3}})
        assert response.status == 422

    def test_binding(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        namespace.create(namespace.pods, pod("a"))
        hooks.mutate(hooks.hook("a", json_patch(add("/target/name", "n2")), rules=[rule("pods/binding")]))
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"}, "target": {"name": "n1"}}
        assert client.post(f"{namespace.pods}/a/binding", binding).status == 201
        assert client.get(f"{namespace.pods}/a").json()["spec"]["nodeName"] == "n2"

    def test_status(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        namespace.create(namespace.deployments, deployment("a", 1))
        rules = [rule("deployments/status", group="apps")]
        changes = json_patch(add("/status/replicas", 5), add("/spec/replicas", 9))
        hooks.mutate(hooks.hook("a", changes, rules=rules))
        response = client.patch(f"{namespace.deployments}/a/status", {"status": {"replicas": 3}})
        assert response.json()["status"]["replicas"] == 5
        assert response.json()["spec"]["replicas"] == 1

    def test_a_delete_cannot_be_changed(self, hooks: Webhooks, client: Client, namespace: Namespace) -> None:
        namespace.create(namespace.config_maps, config_map("a"))
        hooks.mutate(hooks.hook("a", json_patch(add("/data", {})), failurePolicy="Ignore"))
        message = (
            'admission webhook "a.example.com" attempted to modify the object, which is not supported for '
            "this operation"
        )
        response = client.delete(f"{namespace.config_maps}/a")
        details = {"causes": [{"message": message}]}
        assert_failure(response, 500, "InternalError", f"Internal error occurred: {message}", details)


def seen(hooks: Webhooks, path: str) -> list[dict[str, str]]:
    return [each["object"].get("data") or {} for each in hooks.asked(path)]


class TestReinvocation:
    def test_one_that_wants_to_be_asked_again(self, hooks: Webhooks, namespace: Namespace) -> None:
        hooks.mutate(
            hooks.hook("a", json_patch(add("/data/a", "1")), reinvocationPolicy="IfNeeded"),
            hooks.hook("b", json_patch(add("/data/b", "1"))),
        )
        namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
        first, second = {"x": "y"}, {"x": "y", "a": "1", "b": "1"}
        assert seen(hooks, "a") == [first, second]
        assert seen(hooks, "b") == [{"x": "y", "a": "1"}]

    def test_not_if_nothing_has_changed_since(self, hooks: Webhooks, namespace: Namespace) -> None:
        hooks.mutate(
            hooks.hook("a", json_patch(add("/data/a", "1")), reinvocationPolicy="IfNeeded"),
            hooks.hook("b", json_patch({"op": "replace", "path": "/data/x", "value": "y"})),
        )
        namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
        assert len(seen(hooks, "a")) == 1

    def test_never_is_the_default(self, hooks: Webhooks, namespace: Namespace) -> None:
        hooks.mutate(hooks.hook("a"), hooks.hook("b", json_patch(add("/data/b", "1"))))
        namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
        assert len(seen(hooks, "a")) == 1

    def test_all_before_a_change_are_asked_again_once(self, hooks: Webhooks, namespace: Namespace) -> None:
        def count(review: dict[str, Any]) -> dict[str, Any]:
            number = str(len(review["request"]["object"].get("data") or {}))
            return json_patch(add(f"/data/n{number}", number))(review)  # type: ignore[return-value]

        hooks.mutate(
            hooks.hook("a", count, reinvocationPolicy="IfNeeded"),
            hooks.hook("b", count, reinvocationPolicy="IfNeeded"),
            hooks.hook("c", count),
        )
        namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
        assert [len(seen(hooks, each)) for each in "abc"] == [2, 2, 1]

    def test_one_that_was_left_out_stays_out(self, hooks: Webhooks, namespace: Namespace) -> None:
        picked = {"matchLabels": {"later": "yes"}}
        hooks.mutate(
            hooks.hook("a", reinvocationPolicy="IfNeeded", objectSelector=picked),
            hooks.hook("b", json_patch(add("/metadata/labels", {"later": "yes"}))),
            hooks.hook("c", objectSelector=picked),
        )
        namespace.create(namespace.config_maps, config_map("a"))
        assert [len(seen(hooks, each)) for each in "abc"] == [0, 1, 1]


class TestCustomResources:
    def widget(self, widgets: Widgets, **spec: Any) -> dict[str, Any]:
        return {
            "apiVersion": f"{widgets.group}/v1",
            "kind": "Widget",
            "metadata": {"name": "a"},
            "spec": {"size": 1, **spec},
        }

    def create(self, hooks: Webhooks, widgets: Widgets, answer: Answer) -> Any:
        hooks.mutate(hooks.hook("a", answer, rules=[rule("widgets", group=widgets.group)]))
        path = f"/apis/{widgets.group}/v1/namespaces/{hooks.namespace.name}/widgets"
        return hooks.client.post(path, self.widget(widgets))

    def test_defaults(self, hooks: Webhooks, widgets: Widgets) -> None:
        made = self.create(hooks, widgets, json_patch(add("/spec/ports", [{"name": "p"}])))
        assert made.status == 201
        assert made.json()["spec"]["ports"] == [{"name": "p", "protocol": "TCP"}]

    def test_the_schema(self, hooks: Webhooks, widgets: Widgets) -> None:
        response = self.create(hooks, widgets, json_patch(add("/spec/size", "big")))
        assert response.status == 422
        assert response.json()["details"]["causes"][0]["field"] == "spec.size"

    def test_rules(self, hooks: Webhooks, widgets: Widgets) -> None:
        response = self.create(hooks, widgets, json_patch(add("/spec/size", 9)))
        assert response.status == 422
        assert "big ones are blue" in response.json()["message"]

    def test_another_kind(self, hooks: Webhooks, widgets: Widgets) -> None:
        response = self.create(hooks, widgets, json_patch(add("/kind", "Gadget")))
        assert response.status >= 400

    def test_fields_that_nobody_knows(self, hooks: Webhooks, widgets: Widgets) -> None:
        made = self.create(hooks, widgets, json_patch(add("/spec/foo", "bar"), add("/spec/title", "ab")))
        assert made.status == 201
        path = f"/apis/{widgets.group}/v1/namespaces/{hooks.namespace.name}/widgets/a"
        stored = hooks.client.get(path).json()
        assert stored["spec"] == {"size": 1, "color": "red", "title": "ab"}
        assert made.json()["spec"] == stored["spec"]


def test_a_webhook_may_say_everything_at_once(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    def answer(review: dict[str, Any]) -> dict[str, Any]:
        patched = json_patch(add("/data/z", "1"))(review)
        assert isinstance(patched, dict)
        return respond(review, **{**patched["response"], "warnings": ["w"], "auditAnnotations": {"k": "v"}})

    hooks.mutate(hooks.hook("a", answer))
    response = client.post(namespace.config_maps, config_map("a", {"x": "y"}))
    assert (response.status, response.warnings) == (201, ["w"])
    assert response.json()["data"] == {"x": "y", "z": "1"}
