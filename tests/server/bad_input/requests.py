"""A strategy of requests: methods, paths, queries, headers and bodies, right, nearly right and wrong."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

__all__ = ["DEFINITION", "Sent", "sent_requests"]

JUNK: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    2**63,
    -(10**30),
    1e300,
    "",
    " ",
    "a",
    "x" * 300,
    "\0",
    "\ufffd\u2028",
    "../..",
    "1e9999",
    "2020-01-01T00:00:00Z",
    "99999-99-99T99:99:99Z",
    "$(rm)",
    "\ud83d\ude00",
    [],
    {},
    [None],
    [[]],
    [{}],
    {"": {}},
    {"a": None},
    {"$patch": "delete"},
    [1, "a", {"b": [2]}],
    ["a", "a"],
]

DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"},
                },
                "additionalPrinterColumns": [{"name": "N", "type": "integer", "jsonPath": ".spec.n"}],
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {
                                    "n": {"type": "integer", "minimum": 0, "default": 1},
                                    "names": {
                                        "type": "array",
                                        "items": {"type": "string"},
                                        "x-kubernetes-list-type": "set",
                                    },
                                    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                                },
                            },
                            "status": {"type": "object", "properties": {"n": {"type": "integer"}}},
                        },
                    }
                },
            }
        ],
    },
}

_POD = {
    "containers": [
        {"name": "c", "image": "i", "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "b"}]}
    ]
}

OBJECTS: dict[str, dict[str, Any]] = {
    "/api/v1/namespaces/default/configmaps": {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "a",
            "labels": {"app": "x"},
            "annotations": {"a/b": "c"},
            "finalizers": ["a.b/c"],
        },
        "data": {"k": "v"},
        "binaryData": {"b": "AAAA"},
    },
    "/api/v1/namespaces/default/secrets": {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "a"},
        "type": "Opaque",
        "stringData": {"k": "v"},
        "data": {"d": "AAAA"},
    },
    "/api/v1/namespaces/default/pods": {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "generateName": "a-"},
        "spec": _POD,
    },
    "/api/v1/namespaces/default/services": {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "a"},
        "spec": {
            "selector": {"a": "b"},
            "ports": [{"port": 80, "targetPort": "http", "protocol": "TCP"}],
            "clusterIP": "None",
        },
    },
    "/api/v1/namespaces": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}},
    "/api/v1/nodes": {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "a"},
        "spec": {"podCIDR": "10.0.0.0/24"},
    },
    "/api/v1/namespaces/default/events": {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "a"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "a"},
        "reason": "R",
        "count": 1,
        "firstTimestamp": "2020-01-01T00:00:00Z",
    },
    "/apis/apps/v1/namespaces/default/deployments": {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a"},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": _POD},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
        },
    },
    "/apis/batch/v1/namespaces/default/cronjobs": {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "a"},
        "spec": {
            "schedule": "* * * * *",
            "jobTemplate": {"spec": {"template": {"spec": {**_POD, "restartPolicy": "Never"}}}},
        },
    },
    "/apis/rbac.authorization.k8s.io/v1/clusterroles": {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "a"},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    },
    "/apis/coordination.k8s.io/v1/namespaces/default/leases": {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "a"},
        "spec": {
            "holderIdentity": "x",
            "leaseDurationSeconds": 15,
            "renewTime": "2020-01-01T00:00:00.000000Z",
        },
    },
    "/apis/networking.k8s.io/v1/namespaces/default/ingresses": {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "a"},
        "spec": {"defaultBackend": {"service": {"name": "a", "port": {"number": 80}}}},
    },
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices": {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "a"},
        "addressType": "IPv4",
        "endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": True}}],
        "ports": [{"name": "", "port": 80}],
    },
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions": {
        **DEFINITION,
        "metadata": {"name": "gadgets.example.com"},
        "spec": {
            **DEFINITION["spec"],
            "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
        },
    },
    "/apis/example.com/v1/namespaces/default/widgets": {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "a"},
        "spec": {"n": 3, "names": ["a", "b"], "any": {"x": [1, {"y": None}]}},
    },
}
"""A valid object for each collection."""

_SUFFIXES = [
    "",
    "/a",
    "/a",
    "/a",
    "/other",
    "/a/status",
    "/a/scale",
    "/a/log",
    "/a/binding",
    "/a/eviction",
    "/a/nope",
]
_SUFFIXES += ["/a/token", "/a/proxy/x", "/%00", "/..", "/a%2fb", "//a", "/a/", "/" + "a" * 300]

_OTHER_PATHS = [
    "/",
    "/api",
    "/apis",
    "/api/v1",
    "/apis/apps",
    "/apis/apps/v1",
    "/version",
    "/readyz",
    "/livez?verbose",
]
_OTHER_PATHS += [
    "/openapi/v3",
    "/healthz",
    "/nope",
    "/api/v1/pods",
    "/api/v1/configmaps",
    "/api/v2/pods",
    "/api/v1/x",
]
_OTHER_PATHS += [
    "/apis/apps/v1/deployments",
    "/apis/nope/v1/x",
    "//api",
    "/api/v1/bindings",
]
_OTHER_PATHS += [
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "/apis/authentication.k8s.io/v1/tokenreviews",
]
_OTHER_PATHS += ["/apis/example.com/v1/widgets", "/apis/example.com/v2/widgets", "/apis/example.com"]

_METHODS = ["GET"] * 4 + ["POST"] * 6 + ["PUT"] * 4 + ["PATCH"] * 8 + ["DELETE"] * 2 + ["OPTIONS", "HEAD"]

_QUERIES = [
    "",
    "",
    "",
    "dryRun=All",
    "dryRun=x",
    "fieldManager=me",
    "fieldManager=me&force=true",
    "fieldManager=%00",
]
_QUERIES += [
    "fieldValidation=Strict",
    "fieldValidation=Ignore",
    "fieldValidation=x",
    "limit=1",
    "limit=-1",
    "limit=x",
]
_QUERIES += [
    "labelSelector=a%3Db",
    "labelSelector=a%20in%20(b,c),!d",
    "labelSelector=((",
    "labelSelector=%ff",
]
_QUERIES += ["fieldSelector=metadata.name%3Da", "fieldSelector=nope%3Da", "fieldSelector=%5C", "continue=zzz"]
_QUERIES += ["continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYVx1MDAwMCJ9", "resourceVersion=1"]
_QUERIES += [
    "resourceVersion=x",
    "resourceVersion=0&resourceVersionMatch=Exact",
    "resourceVersionMatch=Exact",
]
_QUERIES += ["gracePeriodSeconds=-1", "propagationPolicy=Orphan", "propagationPolicy=x", "orphanDependents=x"]
_QUERIES += [
    "pretty=1",
    "a=b&a=c",
    "%00=%ff",
    "&&=&",
    "includeObject=x",
    "watch=x&timeoutSeconds=x",
    "timeoutSeconds=1",
]

_ACCEPTS = [
    "",
    "",
    "",
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "text/html",
    "*/*",
]
_ACCEPTS += [
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
]
_ACCEPTS += [
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
    ";;",
    "a/b;c=d",
]

_PATCHES = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
]
_PATCHES += ["application/apply-patch+yaml"]
_TYPES = ["application/json"] * 6 + [
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "text/plain",
    "",
]

_RAW = [
    b"",
    b"{}",
    b"[]",
    b"null",
    b"1",
    b'"',
    b"{",
    b"\xff\xfe",
    b"\x00",
    b"k8s\x00",
    b"k8s\x00\x0a\x05",
    b"a: &a [*a]",
]
_RAW += [
    b'{"kind":"DeleteOptions","apiVersion":"v1"}',
    b'{"propagationPolicy":"x"}',
    b'{"preconditions":{"uid":"x"}}',
]
_RAW += [
    b'[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]',
    b'[{"op":"remove","path":"/spec"}]',
    b"[" * 500,
]
_RAW += [
    b'[{"op":"copy","from":"","path":"/data/x"}]',
    b'[{"op":"test","path":"/a","value":[]}]',
    b'[{"op":"move"}]',
]


@dataclass(frozen=True)
class Sent:
    """A request."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@st.composite
def _paths(draw: st.DrawFn, method: str) -> str:
    choice = draw(st.integers(0, 19))
    if choice == 0:
        return draw(st.sampled_from(_OTHER_PATHS))
    collection = draw(st.sampled_from(list(OBJECTS)))
    if choice < 7:
        return collection + draw(st.sampled_from(_SUFFIXES))
    return collection + ("" if method == "POST" or (method == "GET" and choice < 12) else "/a")


@st.composite
def _bodies(draw: st.DrawFn, path: str) -> bytes:
    if draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(_RAW))
    fitting = next((obj for prefix, obj in OBJECTS.items() if path.startswith(prefix)), None)
    if fitting is None or draw(st.integers(0, 9)) == 0:
        fitting = draw(st.sampled_from(list(OBJECTS.values())))
    obj = copy.deepcopy(fitting)
    if number := draw(st.integers(0, 50)):
        obj["metadata"]["name"] = f"a{number}" if number > 10 else "a"
    for _ in range(draw(st.sampled_from((0, 0, 1, 1, 1, 2, 3)))):
        places = list(_places(obj))
        container, key = places[draw(st.integers(0, len(places) - 1))]
        junk = copy.deepcopy(draw(st.sampled_from(JUNK)))
        what = draw(st.integers(0, 3))
        if what == 0:
            del container[key]
        elif what == 1 and isinstance(container, dict):
            container[str(junk)[:20]] = junk
        else:
            container[key] = junk
        if not obj:
            break
    body = json.dumps(obj).encode()
    if draw(st.integers(0, 9)) == 0:
        position = draw(st.integers(0, len(body)))
        inserted = bytes((draw(st.integers(0, 255)),))
        body = body[:position] + inserted + body[position + draw(st.integers(0, 3)) :]
    return body


def _places(value: Any) -> Any:
    """Every container and key within a value."""
    for key, member in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(member, dict | list):
            yield from _places(member)


@st.composite
def sent_requests(draw: st.DrawFn) -> Sent:
    """A request, as good or bad as may be."""
    method = draw(st.sampled_from(_METHODS))
    path = draw(_paths(method))
    plain = draw(st.integers(0, 3))
    query = draw(st.sampled_from(_QUERIES)) if plain in {0, 1} else ""
    target = f"{path}{'&' if '?' in path else '?'}{query}" if query else path
    body = b""
    headers = {"Accept": draw(st.sampled_from(_ACCEPTS)) if plain in {1, 2} else ""}
    if method in {"POST", "PUT", "PATCH"} or (method == "DELETE" and draw(st.booleans())):
        body = draw(_bodies(path))
        fits = method == "PATCH" and draw(st.integers(0, 9)) > 0
        headers["Content-Type"] = draw(st.sampled_from(_PATCHES if fits else _TYPES))
    return Sent(method, target, tuple(headers.items()), body)
