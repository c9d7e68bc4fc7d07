"""Requests of all sorts, by name, and the policy by which a server tells of them.

Each is sent with its name as Audit-ID, so that its events can be found in a log.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.conformance.client import Client, ServerUnderTest
from tests.conformance.objects import config_map, deployment, pod
from tests.conformance.waiting import eventually

__all__ = ["LAST", "POLICY", "send_all"]

POLICY: dict[str, Any] = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitManagedFields": True,
    "rules": [
        {"level": "None", "nonResourceURLs": ["/livez*"]},
        {
            "level": "None",
            "resources": [{"group": "", "resources": ["configmaps"], "resourceNames": ["quiet"]}],
        },
        {"level": "Metadata", "namespaces": ["metadata"], "omitStages": ["RequestReceived"]},
        {"level": "Request", "namespaces": ["request"], "verbs": ["create", "update", "patch", "delete"]},
        {
            "level": "RequestResponse",
            "namespaces": ["managed"],
            "omitManagedFields": False,
            "omitStages": ["RequestReceived"],
        },
        {"level": "Metadata", "resources": [{"group": "apps", "resources": ["*/scale"]}]},
        {"level": "Request", "resources": [{"group": "apps"}]},
        {"level": "Metadata", "users": ["system:anonymous"], "resources": [{"group": "*"}]},
        {"level": "None", "namespaces": ["request"]},
        {"level": "RequestResponse"},
    ],
}

AGENT = "audit-requests/1"
LAST = "last"
"""The name of the request that is sent after all others."""

NAMESPACES = ("audited", "metadata", "request", "managed")
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class _Sender:
    """Sends as several callers, each request under a name."""

    def __init__(self, server: ServerUnderTest) -> None:
        self.admin = Client(server)
        self.anonymous = Client(server, authenticated=False)
        self.stranger = Client(server, token="nobody-knows-it")  # noqa: S106 - nobody has it
        self.by_certificate = Client(server, client_certificate=True)

    def named(self, name: str, **headers: str) -> dict[str, str]:
        """The headers of a request; underscores stand for hyphens."""
        others = {key.replace("_", "-"): value for key, value in headers.items()}
        return {"Audit-ID": name, "User-Agent": AGENT, **others}

    def close(self) -> None:
        for client in (self.admin, self.anonymous, self.stranger, self.by_certificate):
            client.close()


def send_all(server: ServerUnderTest) -> None:
    """Sends all requests, one after the other."""
    sender = _Sender(server)
    try:
        for name in NAMESPACES:
            sender.admin.post("/api/v1/namespaces", {"metadata": {"name": name}}, headers=sender.named(name))
        for send in _PARTS:
            send(sender)
        sender.admin.get("/version", headers=sender.named(LAST))
    finally:
        sender.close()


def path(resource: str, namespace: str = "audited", group_version: str = "") -> str:
    root = f"/apis/{group_version}" if group_version else "/api/v1"
    return f"{root}/namespaces/{namespace}/{resource}"


MAPS = path("configmaps")
PODS = path("pods")


def _creates(sender: _Sender) -> None:
    client, named = sender.admin, sender.named
    client.post(MAPS, config_map("one", {"a": "b"}), headers=named("create"))
    client.post(MAPS, {"metadata": {"generateName": "made-"}}, headers=named("dry-run"), dryRun="All")
    client.post(MAPS, config_map("one"), headers=named("create-existing"))
    client.post(MAPS, "{bad", headers=named("create-bad-json"))
    client.post(MAPS, "{bad", headers=named("create-bad-type", Content_Type="text/x"))
    client.post(MAPS, config_map("BAD NAME"), headers=named("create-invalid"))
    client.post(MAPS, config_map("x", namespace="other"), headers=named("create-elsewhere"))
    client.post(
        MAPS,
        "metadata: {name: of-yaml}\n",
        headers=named("create-yaml", Content_Type="application/yaml"),
    )
    client.post(path("endpoints"), {"metadata": {"name": "old"}}, headers=named("create-deprecated"))


def _reads(sender: _Sender) -> None:
    client, named = sender.admin, sender.named
    client.get(f"{MAPS}/one", headers=named("get"))
    client.get(f"{MAPS}/one", headers=named("get-unacceptable", Accept="image/png"))
    client.get(f"{MAPS}/one", headers=named("get-yaml", Accept="application/yaml"))
    client.get(f"{MAPS}/one", headers=named("get-protobuf", Accept="application/vnd.kubernetes.protobuf"))
    client.get(f"{MAPS}/one", headers=named("get-pretty"), pretty="true")
    client.get(f"{MAPS}/one", headers=named("get-table", Accept=TABLE), includeObject="Object")
    client.get(f"{MAPS}/none", headers=named("get-missing"))
    client.get(path("nothing"), headers=named("list-unknown-resource"))
    client.get("/apis/no.such/v1/things", headers=named("list-unknown-group"))
    client.get(MAPS, headers=named("list"), labelSelector="a in (b, c)", fieldSelector="metadata.name=one")
    client.get(MAPS, headers=named("list-badly"), fieldSelector="spec.nope=1")
    client.get("/api/v1/namespaces/a%20b/configmaps/%7Ex~", headers=named("get-escaped"))
    client.request("HEAD", f"{MAPS}/one", headers=named("head"))
    client.request("OPTIONS", MAPS, headers=named("options"))
    client.get(
        f"{MAPS}/none",
        headers=named("get-forwarded", X_Forwarded_For="1.2.3.4, bad, ::1", X_Real_Ip="5.6.7.8"),
    )
    client.get(f"{MAPS}/none", headers=named("get-agent", User_Agent="x" * 2000))


def _updates(sender: _Sender) -> None:
    client, named = sender.admin, sender.named
    live = client.get(f"{MAPS}/one").json()
    client.put(f"{MAPS}/one", {**live, "data": {"x": "y"}}, headers=named("update"))
    client.put(f"{MAPS}/one", live, headers=named("update-conflict"))
    client.put(f"{MAPS}/none", config_map("one"), headers=named("update-wrong-name"))
    client.patch(f"{MAPS}/one", {"data": {"p": "q"}}, headers=named("patch"))
    client.patch(
        f"{MAPS}/one",
        '[ {"op": "remove",\n "path": "/data/p"} ]',
        kind="json-patch+json",
        headers=named("patch-json"),
    )
    client.apply(f"{MAPS}/two", config_map("two"), headers=named("apply"))
    client.apply(f"{MAPS}/two", config_map("two"), manager=None, headers=named("apply-nobody"))


def _watches(sender: _Sender) -> None:
    client, named = sender.admin, sender.named
    client.get(MAPS, headers=named("watch"), watch="1", timeoutSeconds="1")
    client.get(MAPS, headers=named("watch-badly"), watch="1", resourceVersion="x")
    client.get(path("nothing"), headers=named("watch-unknown"), watch="1")
    old = MAPS.replace("/v1/", "/v1/watch/")
    client.get(old, headers=named("watch-old-path"), timeoutSeconds="1")


def _callers(sender: _Sender) -> None:
    admin, named = sender.admin, sender.named
    sender.anonymous.get(MAPS, headers=named("anonymous-list"))
    sender.anonymous.post(MAPS, config_map("x"), headers=named("anonymous-create"))
    sender.anonymous.get(MAPS, headers=named("anonymous-watch"), watch="1")
    sender.anonymous.get("/healthz", headers=named("anonymous-health"))
    sender.anonymous.get("/metrics", headers=named("anonymous-metrics"))
    sender.stranger.get(MAPS, headers=named("stranger-list"))
    sender.stranger.get("/healthz", headers=named("stranger-health"))
    sender.anonymous.get("/metrics", headers=named("anonymous-unacceptable", Accept="image/png"))
    sender.by_certificate.get(f"{MAPS}/one", headers=named("certificate"))
    one = f"{MAPS}/one"
    admin.get(
        one,
        headers=named("acting-denied", Impersonate_User="alice", Impersonate_Group="g", Impersonate_Uid="7"),
    )
    admin.get(
        one,
        headers=named(
            "acting",
            Impersonate_User="alice",
            Impersonate_Group="system:masters",
            Impersonate_Extra_Scope="x",
        ),
    )
    admin.get(one, headers=named("acting-for-nobody", Impersonate_Group="g"))
    sender.anonymous.get(one, headers=named("acting-refused", Impersonate_User="alice"))


def _subresources(sender: _Sender) -> None:
    client, named = sender.admin, sender.named
    client.post(PODS, pod("p"), headers=named("create-pod"))
    live = client.get(f"{PODS}/p").json()
    client.put(f"{PODS}/p/status", {**live, "status": {"phase": "Running"}}, headers=named("update-status"))
    client.get(f"{PODS}/p/log", headers=named("log"))
    client.post(f"{PODS}/p/exec?command=ls&stdout=1", None, headers=named("exec"))
    client.get(f"{PODS}/none/exec?command=ls&stdout=1", headers=named("exec-missing"))
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    client.post(f"{PODS}/p/eviction", eviction, headers=named("evict"), dryRun="All")
    binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
    client.post(f"{PODS}/p/binding", binding, headers=named("bind"))
    accounts = path("serviceaccounts")
    client.post(accounts, {"metadata": {"name": "robot"}}, headers=named("create-account"))
    client.post(f"{accounts}/robot/token", {"spec": {"audiences": ["x"]}}, headers=named("token"))
    client.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, headers=named("review-self"))
    asked = {"spec": {"user": "u", "nonResourceAttributes": {"path": "/x", "verb": "get"}}}
    client.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", asked, headers=named("review-access"))
    client.post(
        "/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": "z"}}, headers=named("review-token")
    )
    deployments = path("deployments", group_version="apps/v1")
    client.post(deployments, deployment("d", 1), headers=named("create-deployment"))
    scale: dict[str, Any] = {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": "d", "namespace": "audited"},
        "spec": {"replicas": 3},
    }
    client.put(f"{deployments}/d/scale", scale, headers=named("update-scale"))
    client.patch(f"{deployments}/d/scale", {"spec": {"replicas": 2}}, headers=named("patch-scale"))


def _levels(sender: _Sender) -> None:
    client, named = sender.admin, sender.named
    for namespace in ("metadata", "request", "managed"):
        maps = path("configmaps", namespace)
        client.post(maps, config_map("one", {"a": "b"}), headers=named(f"{namespace}-create"))
        live = client.get(f"{maps}/one", headers=named(f"{namespace}-get")).json()
        client.put(f"{maps}/one", {**live, "data": {}}, headers=named(f"{namespace}-update"))
        client.patch(f"{maps}/one", {"data": {"s": "t"}}, headers=named(f"{namespace}-patch"))
        client.post(maps, config_map("one"), headers=named(f"{namespace}-existing"))
        client.get(maps, headers=named(f"{namespace}-list"))
        client.delete(f"{maps}/one", {"propagationPolicy": "Orphan"}, headers=named(f"{namespace}-delete"))
    client.get(f"{MAPS}/quiet", headers=named("quiet-get"))
    client.post(MAPS, config_map("quiet"), headers=named("quiet-create"))
    client.get("/livez/ping", headers=named("quiet-path"))


def _deletes(sender: _Sender) -> None:
    client, named = sender.admin, sender.named
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
    client.delete(f"{MAPS}/two", options, headers=named("delete"))
    client.delete(f"{MAPS}/one", headers=named("delete-dry-run"), dryRun="All")
    client.delete(f"{MAPS}/one", {"preconditions": {"uid": "z"}}, headers=named("delete-other"))
    client.delete(f"{MAPS}/one", {"propagationPolicy": "Nope"}, headers=named("delete-badly"))
    client.delete(f"{MAPS}/one", "{bad", headers=named("delete-bad-json"))
    client.delete(f"{MAPS}/none", headers=named("delete-missing"))
    client.delete(f"{PODS}/p", {"gracePeriodSeconds": 0}, headers=named("delete-pod"))
    client.delete(MAPS, headers=named("delete-none"), labelSelector="no=such")
    client.delete(MAPS, {"gracePeriodSeconds": 0}, headers=named("delete-collection"))


def _custom_resources(sender: _Sender) -> None:
    client, named = sender.admin, sender.named
    spec = {"type": "object", "properties": {"size": {"type": "integer", "default": 1}}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "deprecated": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
    }
    group = "audit.example.com"
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"boxes.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "boxes", "kind": "Box"},
            "versions": [version],
        },
    }
    client.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    boxes = path("boxes", group_version=f"{group}/v1")
    eventually(lambda: client.get(boxes).status == 200, "the definition is served")
    box = {"apiVersion": f"{group}/v1", "kind": "Box", "metadata": {"name": "b"}, "spec": {"other": 1}}
    client.post(boxes, box, headers=named("custom-create"))
    client.post(boxes, {**box, "spec": {"size": "x"}}, headers=named("custom-create-badly"))
    live = client.get(f"{boxes}/b", headers=named("custom-get")).json()
    client.put(f"{boxes}/b", {**live, "spec": {"size": 2}}, headers=named("custom-update"))
    client.patch(f"{boxes}/b", {"spec": {"size": "x"}}, headers=named("custom-patch-badly"))
    client.get(boxes, headers=named("custom-list"))
    client.delete(f"{boxes}/b", headers=named("custom-delete"))


def _documents(sender: _Sender) -> None:
    for name, where in (
        ("version", "/version"),
        ("resources", "/apis/apps/v1"),
        ("health", "/readyz?verbose"),
        ("openapi", "/openapi/v3"),
        ("keys", "/openid/v1/jwks"),
        ("nowhere", "/nowhere"),
    ):
        sender.admin.get(where, headers=sender.named(name))
    sender.admin.post("/version", {}, headers=sender.named("version-post"))


_PARTS: tuple[Callable[[_Sender], None], ...] = (
    _creates,
    _reads,
    _updates,
    _watches,
    _callers,
    _subresources,
    _levels,
    _deletes,
    _custom_resources,
    _documents,
)
