"""What webhooks are asked: an AdmissionReview for each write, the same from both servers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conformance.admission.reviews import expected, request_of
from tests.conformance.admission.webhook import Webhooks, caught_up, deny, rule
from tests.conformance.client import Client
from tests.conformance.custom_resources import Widgets
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map, deployment, pod

STORED = {"uid": "uid", "resourceVersion": "revision", "creationTimestamp": "time"}
NEW = {"uid": "uid", "creationTimestamp": "time"}


def ask_about(hooks: Webhooks, *resources: str, group: str = "") -> None:
    """Have one webhook of each kind asked about all that is done to resources."""
    rules = [rule(*resources, group=group, versions=("*",))]
    hooks.mutate(hooks.hook("mutate", rules=rules))
    hooks.validate(hooks.hook("validate", rules=rules))


def told(hooks: Webhooks, path: str) -> list[dict[str, Any]]:
    return [request_of(each) for each in hooks.asked(path)]


def named(name: str, hooks: Webhooks, data: dict[str, str], **metadata: str) -> dict[str, Any]:
    made = config_map(name, data)
    return {**made, "metadata": {"name": name, "namespace": hooks.namespace.name, **metadata}}


@pytest.fixture
def asked(hooks: Webhooks) -> Webhooks:
    """Webhooks that are asked about config maps."""
    ask_about(hooks, "configmaps", "configmaps/*")
    return hooks


def test_how_it_is_sent(asked: Webhooks, client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
    (review,) = [each for each in asked.reviews if each["path"] == "/mutate?timeout=10s"]
    assert review["headers"] == {
        "Content-Type": "application/json",
        "Accept": "application/json, */*",
        "User-Agent": "kube-apiserver-admission",
    }
    body = json.loads(review["raw"])
    assert list(body) == ["kind", "apiVersion", "request"]
    assert (body["kind"], body["apiVersion"]) == ("AdmissionReview", "admission.k8s.io/v1")
    order = "uid kind resource requestKind requestResource name namespace operation userInfo object oldObject"
    assert list(body["request"]) == [*order.split(), "dryRun", "options"]
    assert list(body["request"]["object"]) == ["kind", "apiVersion", "metadata", "data"]
    managers = body["request"]["object"]["metadata"]["managedFields"]
    assert [each["fieldsV1"] for each in managers] == [{"f:data": {".": {}, "f:x": {}}}]


def test_v1beta1(hooks: Webhooks, namespace: Namespace) -> None:
    hooks.validate(hooks.hook("a", admissionReviewVersions=["v7", "v1beta1", "v1"]))
    namespace.create(namespace.config_maps, config_map("a"))
    (review,) = [each for each in hooks.reviews if each["path"] == "/a?timeout=10s"]
    assert review["apiVersion"] == "admission.k8s.io/v1beta1"
    obj = {**config_map("a"), "metadata": {"name": "a", "namespace": namespace.name, **NEW}}
    place: dict[str, Any] = {"namespace": namespace.name, "name": "a"}
    assert told(hooks, "a") == [expected("CREATE", "v1:configmaps", "v1/ConfigMap", obj=obj, **place)]


def test_create(asked: Webhooks, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
    place: dict[str, Any] = {"namespace": namespace.name, "name": "a"}
    before, after = named("a", asked, {"x": "y"}), named("a", asked, {"x": "y"}, **NEW)
    assert told(asked, "mutate") == [expected("CREATE", "v1:configmaps", "v1/ConfigMap", obj=before, **place)]
    assert told(asked, "validate") == [
        expected("CREATE", "v1:configmaps", "v1/ConfigMap", obj=after, **place)
    ]


def test_a_name_that_the_server_makes(asked: Webhooks, client: Client, namespace: Namespace) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "made-"}}
    made = namespace.create(namespace.config_maps, body)
    metadata = {"generateName": "made-", "namespace": namespace.name}
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    assert told(asked, "mutate") == [
        expected("CREATE", "v1:configmaps", "v1/ConfigMap", obj=obj, namespace=namespace.name)
    ]
    name = made["metadata"]["name"]
    obj = {**obj, "metadata": {"name": name, **metadata, **NEW}}
    assert told(asked, "validate") == [
        expected("CREATE", "v1:configmaps", "v1/ConfigMap", obj=obj, namespace=namespace.name, name=name)
    ]


def test_options_and_dry_run(asked: Webhooks, client: Client, namespace: Namespace) -> None:
    response = client.post(
        namespace.config_maps, config_map("a"), dryRun="All", fieldManager="me", fieldValidation="Strict"
    )
    assert response.status == 201
    assert client.get(f"{namespace.config_maps}/a").status == 404
    for path in ("mutate", "validate"):
        (request,) = told(asked, path)
        assert request["dryRun"] is True
        assert request["options"] == {
            "kind": "CreateOptions",
            "apiVersion": "meta.k8s.io/v1",
            "dryRun": ["All"],
            "fieldManager": "me",
            "fieldValidation": "Strict",
        }


def test_update(asked: Webhooks, client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
    asked.reviews.clear()
    assert (
        client.put(f"{namespace.config_maps}/a", config_map("a", {"x": "z"}), fieldManager="me").status == 200
    )
    old = named("a", asked, {"x": "y"}, **STORED)
    place: dict[str, Any] = {
        "namespace": namespace.name,
        "name": "a",
        "old": old,
        "options": {"fieldManager": "me"},
    }
    before, after = named("a", asked, {"x": "z"}), named("a", asked, {"x": "z"}, **STORED)
    assert told(asked, "mutate") == [expected("UPDATE", "v1:configmaps", "v1/ConfigMap", obj=before, **place)]
    assert told(asked, "validate") == [
        expected("UPDATE", "v1:configmaps", "v1/ConfigMap", obj=after, **place)
    ]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("merge-patch+json", {"data": {"x": "z"}}),
        ("strategic-merge-patch+json", {"data": {"x": "z"}}),
        ("json-patch+json", [{"op": "replace", "path": "/data/x", "value": "z"}]),
    ],
)
def test_patch(asked: Webhooks, client: Client, namespace: Namespace, kind: str, body: object) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
    asked.reviews.clear()
    assert client.patch(f"{namespace.config_maps}/a", body, kind=kind).status == 200
    old, obj = (named("a", asked, {"x": value}, **STORED) for value in "yz")
    wanted = expected(
        "UPDATE", "v1:configmaps", "v1/ConfigMap", obj=obj, old=old, namespace=namespace.name, name="a"
    )
    assert told(asked, "mutate") == told(asked, "validate") == [wanted]


def test_apply(asked: Webhooks, client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    assert client.apply(path, config_map("a", {"x": "y"}), manager="me", force="true").status == 201
    place: dict[str, Any] = {"namespace": namespace.name, "name": "a", "options": {"fieldManager": "me"}}
    before, after = named("a", asked, {"x": "y"}), named("a", asked, {"x": "y"}, **NEW)
    assert told(asked, "mutate") == [expected("CREATE", "v1:configmaps", "v1/ConfigMap", obj=before, **place)]
    assert told(asked, "validate") == [
        expected("CREATE", "v1:configmaps", "v1/ConfigMap", obj=after, **place)
    ]
    asked.reviews.clear()
    assert client.apply(path, config_map("a", {"x": "z"}), manager="me").status == 200
    old, obj = (named("a", asked, {"x": value}, **STORED) for value in "yz")
    wanted = expected("UPDATE", "v1:configmaps", "v1/ConfigMap", obj=obj, old=old, **place)
    assert told(asked, "mutate") == told(asked, "validate") == [wanted]


def test_what_an_update_creates(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    ask_about(hooks, "leases", group="coordination.k8s.io")
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a"}}
    assert client.put(f"{namespace.leases}/a", lease).status == 201
    for path in ("mutate", "validate"):
        (request,) = told(hooks, path)
        assert (request["operation"], request["oldObject"]) == ("CREATE", None)
        assert request["options"]["kind"] == "CreateOptions"


def test_delete(asked: Webhooks, client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"x": "y"}))
    asked.reviews.clear()
    options = {"gracePeriodSeconds": 5, "propagationPolicy": "Background"}
    assert client.delete(f"{namespace.config_maps}/a", options).status == 200
    old = named("a", asked, {"x": "y"}, **STORED)
    wanted = expected(
        "DELETE",
        "v1:configmaps",
        "v1/ConfigMap",
        old=old,
        options=options,
        namespace=namespace.name,
        name="a",
    )
    assert told(asked, "mutate") == told(asked, "validate") == [wanted]


def test_delete_of_a_collection(asked: Webhooks, client: Client, namespace: Namespace) -> None:
    for name in ("a", "b"):
        namespace.create(namespace.config_maps, config_map(name, {"x": "y"}, labels={"pick": "me"}))
    namespace.create(namespace.config_maps, config_map("c"))
    asked.reviews.clear()
    assert client.delete(namespace.config_maps, labelSelector="pick=me").status == 200
    for path in ("mutate", "validate"):
        requests = sorted(told(asked, path), key=lambda each: each["oldObject"]["metadata"]["name"])
        assert requests == [
            expected(
                "DELETE",
                "v1:configmaps",
                "v1/ConfigMap",
                old=named(name, asked, {"x": "y"}, **STORED, labels={"pick": "me"}),  # type: ignore[arg-type]
                namespace=namespace.name,
            )
            for name in ("a", "b")
        ]


def test_a_pod_that_is_gone_at_once_is_asked_about_before_and_after_it_is_marked(
    hooks: Webhooks, client: Client, namespace: Namespace
) -> None:
    ask_about(hooks, "pods")
    namespace.create(namespace.pods, pod("a"))
    hooks.reviews.clear()
    assert client.delete(f"{namespace.pods}/a").status == 200
    for path in ("mutate", "validate"):
        requests = hooks.asked(path)
        assert {each["operation"] for each in requests} == {"DELETE"}
        assert {each["options"]["gracePeriodSeconds"] for each in requests} == {0}
        marks = ["deletionTimestamp" in each["oldObject"]["metadata"] for each in requests]
        assert list(dict.fromkeys(marks)) == [False, True]


def test_namespaces_pin_what_is_deleted(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    selector = {"matchLabels": {"kubernetes.io/metadata.name": namespace.name}}
    rules = [rule("namespaces")]
    hooks.validate(hooks.hook("a", rules=rules, objectSelector=selector))
    assert client.delete(f"/api/v1/namespaces/{namespace.name}").status == 200
    (request,) = told(hooks, "a")
    assert (request["name"], request["namespace"]) == (namespace.name, namespace.name)
    assert request["options"]["preconditions"] == {"uid": "uid"}
    assert client.delete(f"/api/v1/namespaces/{namespace.name}").status == 409 or len(hooks.asked("a")) == 1


def test_status(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    ask_about(hooks, "deployments/status", group="apps")
    namespace.create(namespace.deployments, deployment("a", 1))
    patch = {"status": {"replicas": 3}}
    assert client.patch(f"{namespace.deployments}/a/status", patch).status == 200
    for path in ("mutate", "validate"):
        (request,) = told(hooks, path)
        assert (
            request["kind"]
            == request["requestKind"]
            == {"group": "apps", "version": "v1", "kind": "Deployment"}
        )
        assert request["subResource"] == request["requestSubResource"] == "status"
        assert request["object"]["status"] == {"replicas": 3}
        assert request["oldObject"]["status"] == {}


def test_scale(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    ask_about(hooks, "*/scale", group="apps")
    namespace.create(namespace.deployments, deployment("a", 2))
    patch = {"spec": {"replicas": 3}}
    assert client.patch(f"{namespace.deployments}/a/scale", patch).status == 200
    metadata = {"name": "a", "namespace": namespace.name, **STORED}
    old, obj = (
        {
            "kind": "Scale",
            "apiVersion": "autoscaling/v1",
            "metadata": metadata,
            "spec": {"replicas": count},
            "status": {"replicas": 0, "selector": "app=a"},
        }
        for count in (2, 3)
    )
    wanted = expected(
        "UPDATE",
        "apps/v1:deployments/scale",
        "autoscaling/v1/Scale",
        obj=obj,
        old=old,
        namespace=namespace.name,
        name="a",
    )
    assert told(hooks, "mutate") == told(hooks, "validate") == [wanted]


def test_binding(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.pods, pod("a"))
    ask_about(hooks, "pods/*")
    binding = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "a"},
        "target": {"kind": "Node", "name": "n1"},
    }
    assert client.post(f"{namespace.pods}/a/binding", binding).status == 201
    obj = {**binding, "metadata": {"name": "a", "namespace": namespace.name}}
    wanted = expected("CREATE", "v1:pods/binding", "v1/Binding", obj=obj, namespace=namespace.name, name="a")
    assert told(hooks, "mutate") == told(hooks, "validate") == [wanted]


def test_eviction(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.pods, pod("a"))
    ask_about(hooks, "pods", "pods/*")
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "a"}}
    assert client.post(f"{namespace.pods}/a/eviction", eviction).status == 201
    obj = {**eviction, "metadata": {"name": "a", "namespace": namespace.name}}
    wanted = expected(
        "CREATE", "v1:pods/eviction", "policy/v1/Eviction", obj=obj, namespace=namespace.name, name="a"
    )
    # Nobody is asked about the delete that an eviction comes to.
    assert told(hooks, "mutate") == told(hooks, "validate") == [wanted]


def test_token_request(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    accounts = namespace.path("serviceaccounts")
    namespace.create(accounts, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}})
    ask_about(hooks, "serviceaccounts/token")
    request = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {"audiences": ["me"]},
    }
    assert client.post(f"{accounts}/a/token", request).status == 201
    spec = {"audiences": ["me"], "expirationSeconds": 3600, "boundObjectRef": None}
    obj = {**request, "spec": spec, "status": {"token": "", "expirationTimestamp": None}}
    kind = "authentication.k8s.io/v1/TokenRequest"
    for path, metadata in (("mutate", {}), ("validate", {"name": "a", **NEW})):
        wanted = {**obj, "metadata": {"namespace": namespace.name, **metadata}}
        assert told(hooks, path) == [
            expected(
                "CREATE", "v1:serviceaccounts/token", kind, obj=wanted, namespace=namespace.name, name="a"
            )
        ]


def test_questions_about_rights(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    ask_about(hooks, "localsubjectaccessreviews", group="authorization.k8s.io")
    asked = {"namespace": namespace.name, "verb": "get", "resource": "pods"}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "LocalSubjectAccessReview",
        "metadata": {},
        "spec": {"user": "nobody", "resourceAttributes": asked},
    }
    path = f"/apis/authorization.k8s.io/v1/namespaces/{namespace.name}/localsubjectaccessreviews"
    assert client.post(path, review).status == 201
    obj = {**review, "metadata": {"namespace": namespace.name}, "status": {"allowed": False}}
    kind = "authorization.k8s.io/v1/LocalSubjectAccessReview"
    resource = "authorization.k8s.io/v1:localsubjectaccessreviews"
    wanted = expected("CREATE", resource, kind, obj=obj, namespace=namespace.name)
    assert told(hooks, "mutate") == told(hooks, "validate") == [wanted]


@pytest.mark.parametrize(
    ("method", "subresource", "kind", "options"),
    [
        (
            "POST",
            "exec?command=a&command=b&stdout=true&stdin=false&container=main",
            "PodExecOptions",
            {"stdout": True, "container": "main", "command": ["a", "b"]},
        ),
        ("GET", "attach?stderr=1&tty=true", "PodAttachOptions", {"stderr": True, "tty": True}),
        ("POST", "portforward?ports=80", "PodPortForwardOptions", {"ports": [80]}),
        ("GET", "proxy/some/where", "PodProxyOptions", {"path": "/some/where"}),
        ("DELETE", "proxy", "PodProxyOptions", {}),
    ],
)
def test_connect(
    hooks: Webhooks,
    client: Client,
    namespace: Namespace,
    method: str,
    subresource: str,
    kind: str,
    options: dict[str, Any],
) -> None:
    ask_about(hooks, "pods/*")
    # There need not be such a pod: who may connect is asked first.
    assert client.request(method, f"{namespace.pods}/a/{subresource}").status == 404
    obj = {"kind": kind, "apiVersion": "v1", **options}
    name = subresource.partition("?")[0].partition("/")[0]
    wanted = expected("CONNECT", f"v1:pods/{name}", f"v1/{kind}", obj=obj, namespace=namespace.name, name="a")
    assert told(hooks, "mutate") == told(hooks, "validate") == [wanted]


def test_connections_to_services(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    ask_about(hooks, "services/proxy")
    assert client.get(f"{namespace.services}/https:a:443/proxy/some/where/").status == 404
    obj = {"kind": "ServiceProxyOptions", "apiVersion": "v1", "path": "/some/where/"}
    wanted = expected(
        "CONNECT",
        "v1:services/proxy",
        "v1/ServiceProxyOptions",
        obj=obj,
        namespace=namespace.name,
        name="https:a:443",
    )
    assert told(hooks, "mutate") == told(hooks, "validate") == [wanted]


def test_a_refused_connection(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.pods, pod("a"))
    hooks.validate(hooks.hook("no", deny(message="no"), rules=[rule("pods/exec", operations=["CONNECT"])]))
    response = client.post(f"{namespace.pods}/a/exec", None, command="id")
    message = 'admission webhook "no.example.com" denied the request: no'
    assert (response.status, response.json()["message"]) == (400, message)


def test_logs_are_no_connection(hooks: Webhooks, client: Client, namespace: Namespace) -> None:
    ask_about(hooks, "pods", "pods/*")
    assert client.get(f"{namespace.pods}/a/log").status == 404
    assert hooks.asked() == []


def test_custom_resources(hooks: Webhooks, client: Client, namespace: Namespace, widgets: Widgets) -> None:
    ask_about(hooks, "widgets", "widgets/*", group=widgets.group)
    path = f"/apis/{widgets.group}/v1/namespaces/{namespace.name}/widgets"
    widget = {
        "apiVersion": f"{widgets.group}/v1",
        "kind": "Widget",
        "metadata": {"name": "a"},
        "spec": {"size": 1, "replicas": 1},
    }
    assert client.post(path, widget).status == 201
    kind = f"{widgets.group}/v1/Widget"
    spec = {"size": 1, "replicas": 1, "color": "red"}
    place: dict[str, Any] = {"name": "a", "namespace": namespace.name}
    for asked, metadata in (("mutate", {}), ("validate", {**NEW, "generation": 1})):
        obj = {**widget, "metadata": {**place, **metadata}, "spec": spec}
        wanted = expected("CREATE", f"{widgets.group}/v1:widgets", kind, obj=obj, **place)
        assert told(hooks, asked) == [wanted]
    hooks.reviews.clear()
    assert client.patch(f"{path}/a/status", {"status": {"phase": "on"}}).status == 200
    caught_up(client, f"{path}/a")
    assert client.patch(f"{path}/a/scale", {"spec": {"replicas": 2}}).status == 200
    for asked in ("mutate", "validate"):
        status, scale = told(hooks, asked)
        assert status["object"]["status"] == {"phase": "on"}
        assert (status["kind"]["kind"], status["subResource"]) == ("Widget", "status")
        assert scale["object"]["spec"] == {"replicas": 2}
        assert (scale["kind"], scale["subResource"]) == (
            {"group": "autoscaling", "version": "v1", "kind": "Scale"},
            "scale",
        )
