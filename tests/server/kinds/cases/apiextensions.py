"""CustomResourceDefinitions that are created. Updates are in tests/server/customresources: on a real server
the controllers change a definition as soon as it is there."""

from __future__ import annotations

import copy
from typing import Any

from tests.server.kinds.harness import Case

GROUP = "cases.kubewright.test"
OBJECT = {"type": "object"}


def crd(schema: Any = None, *, version: Any = None, name: str | None = None, **spec: Any) -> dict[str, Any]:
    """A definition with one version of this schema, and what else is given."""
    one: dict[str, Any] = {"name": "v1", "served": True, "storage": True}
    one["schema"] = {"openAPIV3Schema": OBJECT if schema is None else schema}
    one.update(version or {})
    whole: dict[str, Any] = {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": "things", "kind": "Thing"},
        "versions": [{key: value for key, value in one.items() if value is not None}],
    }
    whole.update(spec)
    whole = {key: value for key, value in whole.items() if value is not None}
    return copy.deepcopy(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name or f"things.{GROUP}"},
            "spec": whole,
        }
    )


def prop(schema: Any, **more: Any) -> dict[str, Any]:
    """A definition whose spec.field has this schema."""
    return crd({"type": "object", "properties": {"field": schema}}, **more)


def v(name: str, **more: Any) -> dict[str, Any]:
    one = {"name": name, "served": True, "storage": False, "schema": {"openAPIV3Schema": OBJECT}, **more}
    return {key: value for key, value in one.items() if value is not None}


def webhook(**client: Any) -> dict[str, Any]:
    return {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}}


SPECS: dict[str, dict[str, Any]] = {
    "minimal": crd(),
    "cluster": crd(scope="Cluster"),
    "names": crd(
        names={
            "plural": "things",
            "kind": "Thing",
            "singular": "thing",
            "listKind": "ThingList",
            "shortNames": ["t"],
            "categories": ["all"],
        }
    ),
    "no group": crd(group=None, name="things.x"),
    "bad group": crd(group="Bad_Group.x", name="things.bad"),
    "group without dot": crd(group="short", name="things.short"),
    "name does not fit": crd(name="other.cases.kubewright.test"),
    "no scope": crd(scope=None),
    "bad scope": crd(scope="Galaxy"),
    "bad names": crd(
        names={
            "plural": "Things",
            "kind": "Th ing",
            "singular": "Thi_ng",
            "listKind": "List!",
            "shortNames": ["ok", "No"],
            "categories": ["a", "B"],
        },
        name="things.cases.kubewright.test",
    ),
    "kind is listKind": crd(names={"plural": "things", "kind": "Thing", "listKind": "Thing"}),
    "no kind": crd(names={"plural": "things", "kind": ""}),
    "no plural": crd(names={"plural": "", "kind": "Thing"}, name="x.cases.kubewright.test"),
    "no versions": crd(versions=[]),
    "not stored": crd(version={"storage": False}),
    "two stored": crd(versions=[v("v1", storage=True), v("v2", storage=True)]),
    "two versions": crd(versions=[v("v1", storage=True), v("v2")]),
    "same version twice": crd(versions=[v("v1", storage=True), v("v1")]),
    "bad version name": crd(version={"name": "V 1"}),
    "not served": crd(version={"served": False}),
    "two schemas": crd(
        versions=[
            v("v1", storage=True),
            v("v2", schema={"openAPIV3Schema": {"type": "object", "properties": {"a": {"type": "foo"}}}}),
        ]
    ),
    "two stored with schemas": crd(
        versions=[
            v("v1", storage=True),
            v(
                "v2",
                storage=True,
                schema={
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "a": {
                                "type": "array",
                                "items": {"type": "integer", "minimum": 1.5, "enum": [1]},
                                "default": [1],
                            }
                        },
                        "required": ["a"],
                    }
                },
                subresources={
                    "status": {},
                    "scale": {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.b"},
                },
                additionalPrinterColumns=[{"name": "A", "type": "string", "jsonPath": ".a", "priority": 1}],
            ),
        ]
    ),
    "no schema": crd(version={"schema": None}),
    "empty schema": crd(version={"schema": {}}),
    "one of two without schema": crd(versions=[v("v1", storage=True), v("v2", schema=None)]),
    "preserveUnknownFields": crd(preserveUnknownFields=True),
    "preserveUnknownFields with default": prop(
        {"type": "string", "default": "a"}, preserveUnknownFields=True
    ),
    "preserveUnknownFields not structural": prop({}, preserveUnknownFields=True),
    "preserveUnknownFields and webhook": crd(preserveUnknownFields=True, conversion=webhook(url="https://a")),
    "deprecated": crd(version={"deprecated": True, "deprecationWarning": "use v2"}),
    "warning without deprecation": crd(version={"deprecationWarning": "use v2"}),
    "empty warning": crd(version={"deprecated": True, "deprecationWarning": ""}),
    "long warning": crd(version={"deprecated": True, "deprecationWarning": "x" * 257}),
    "unprintable warning": crd(version={"deprecated": True, "deprecationWarning": "\u00e9a\tb"}),
    "columns": crd(
        version={
            "additionalPrinterColumns": [
                {"name": "A", "type": "string", "jsonPath": ".spec.a"},
                {
                    "name": "B",
                    "type": "date",
                    "jsonPath": ".metadata.creationTimestamp",
                    "priority": 1,
                    "format": "date",
                },
            ]
        }
    ),
    "bad columns": crd(
        version={
            "additionalPrinterColumns": [
                {"name": "", "type": "", "jsonPath": ""},
                {"name": "B", "type": "text", "jsonPath": "spec", "format": "x"},
            ]
        }
    ),
    "column root path": crd(
        version={"additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": "."}]}
    ),
    "columns per version": crd(
        versions=[
            v("v1", storage=True),
            v("v2", additionalPrinterColumns=[{"name": "A", "type": "x", "jsonPath": ".a"}]),
        ]
    ),
    "subresources": crd(
        version={
            "subresources": {
                "status": {},
                "scale": {
                    "specReplicasPath": ".spec.replicas",
                    "statusReplicasPath": ".status.replicas",
                    "labelSelectorPath": ".status.selector",
                },
            }
        }
    ),
    "bad scale": crd(version={"subresources": {"scale": {"specReplicasPath": "", "statusReplicasPath": ""}}}),
    "scale elsewhere": crd(
        version={
            "subresources": {
                "scale": {
                    "specReplicasPath": ".status.a",
                    "statusReplicasPath": ".spec.a",
                    "labelSelectorPath": ".metadata.x",
                }
            }
        }
    ),
    "scale without dot": crd(
        version={
            "subresources": {
                "scale": {
                    "specReplicasPath": "spec.a",
                    "statusReplicasPath": "status.a",
                    "labelSelectorPath": "status.b",
                }
            }
        }
    ),
    "subresources per version": crd(
        versions=[
            v("v1", storage=True),
            v("v2", subresources={"scale": {"specReplicasPath": "", "statusReplicasPath": ".status.x"}}),
        ]
    ),
    "status and root clauses": crd(
        {"type": "object", "anyOf": [{"required": ["a"]}]}, version={"subresources": {"status": {}}}
    ),
    "status and root map type": crd(
        {"type": "object", "x-kubernetes-map-type": "atomic"}, version={"subresources": {"status": {}}}
    ),
    "status and root of another type": crd({"type": "string"}, version={"subresources": {"status": {}}}),
    "status and allowed": crd(
        {
            "type": "object",
            "required": ["spec"],
            "description": "d",
            "properties": {"spec": OBJECT},
            "x-kubernetes-preserve-unknown-fields": True,
        },
        version={"subresources": {"status": {}}},
    ),
    "status of one version": crd(
        versions=[
            v("v1", storage=True),
            v(
                "v2",
                subresources={"status": {}},
                schema={"openAPIV3Schema": {"type": "object", "maxProperties": 3}},
            ),
        ]
    ),
    "root nullable": crd({"type": "object", "nullable": True}),
    "root array": crd({"type": "array", "items": OBJECT}),
    "root without type": crd({"properties": {"a": {"type": "string"}}}),
    "root additionalProperties": crd({"type": "object", "additionalProperties": {"type": "string"}}),
    "protected group": crd(group="x.k8s.io", name="things.x.k8s.io"),
    "kubernetes.io": crd(group="kubernetes.io", name="things.kubernetes.io"),
}

APPROVALS = {
    "approved": "https://github.com/kubernetes/kubernetes/pull/1",
    "unapproved": "unapproved, experimental-only",
    "not a url": "yes",
    "path only": "/a/b",
}
for key, value in APPROVALS.items():
    SPECS[f"protected {key}"] = crd(group="x.k8s.io", name="things.x.k8s.io")
    SPECS[f"protected {key}"]["metadata"]["annotations"] = {"api-approved.kubernetes.io": value}

CONVERSIONS: dict[str, Any] = {
    "none": {"strategy": "None"},
    "unknown": {"strategy": "Magic"},
    "webhook alone": {"strategy": "Webhook"},
    "none with webhook": {**webhook(url="https://a"), "strategy": "None"},
    "url": webhook(url="https://example.com/convert"),
    "service": webhook(service={"namespace": "ns", "name": "svc"}),
    "service with port": webhook(
        service={"namespace": "ns", "name": "svc", "port": 8443, "path": "/convert"}
    ),
    "both": webhook(url="https://a", service={"namespace": "ns", "name": "svc"}),
    "neither": webhook(),
    "http": webhook(url="http://example.com"),
    "no host": webhook(url="https:///path"),
    "user": webhook(url="https://u:p@example.com/"),
    "fragment and query": webhook(url="https://example.com/?a=b#c"),
    "bad url": webhook(url="https://[::1"),
    "bad escape": webhook(url="https://a/%zz"),
    "bad service": webhook(service={"namespace": "", "name": "", "port": 0}),
    "bad port": webhook(service={"namespace": "ns", "name": "svc", "port": 70000}),
    "no slash": webhook(service={"namespace": "ns", "name": "svc", "path": "convert"}),
    "empty step": webhook(service={"namespace": "ns", "name": "svc", "path": "/a//b"}),
    "two slashes": webhook(service={"namespace": "ns", "name": "svc", "path": "//"}),
    "bad step": webhook(service={"namespace": "ns", "name": "svc", "path": "/a_b/C/"}),
    "bad bundle": webhook(url="https://a", caBundle="Cg=="),
    "no review versions": {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"url": "https://a"}, "conversionReviewVersions": []},
    },
    "unknown review versions": {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"url": "https://a"}, "conversionReviewVersions": ["v7", "v8"]},
    },
    "review versions twice": {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"url": "https://a"}, "conversionReviewVersions": ["v1", "v1", "V 2"]},
    },
}
for key, value in CONVERSIONS.items():
    SPECS[f"conversion {key}"] = crd(conversion=value)

SELECTABLE_SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "b": {"type": "integer"},
                "c": {"type": "boolean"},
                "d": {"type": "number"},
                "e": {"type": "array", "items": {"type": "string"}},
                "f": {"x-kubernetes-int-or-string": True},
                "m": {"type": "object", "additionalProperties": {"type": "string"}},
                **{f"x{index}": {"type": "string"} for index in range(9)},
            },
        },
        "metadata": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
}
SELECTABLE: dict[str, list[str]] = {
    "good": [".spec.a", ".spec.b", ".spec.c"],
    "number": [".spec.d"],
    "array": [".spec.e"],
    "intOrString": [".spec.f"],
    "unknown": [".spec.z"],
    "no dot": ["spec.a"],
    "brackets": [".spec['a']"],
    "metadata": [".metadata.name"],
    "twice": [".spec.a", ".spec.a"],
    "empty": [""],
    "object": [".spec"],
    "end": [".spec."],
    "too deep": [".spec.a.b"],
    "map": [".spec.m.key"],
    "too many": [f".spec.x{index}" for index in range(9)],
    "double dot": [".spec..a"],
}
for key, paths in SELECTABLE.items():
    SPECS[f"selectable {key}"] = crd(
        SELECTABLE_SCHEMA, version={"selectableFields": [{"jsonPath": path} for path in paths]}
    )
SPECS["selectable without schema"] = crd(version={"schema": None, "selectableFields": [{"jsonPath": ".a"}]})
SPECS["selectable per version"] = crd(
    versions=[v("v1", storage=True), v("v2", selectableFields=[{"jsonPath": ".spec.a"}])]
)

CASES = [Case(name, obj) for name, obj in SPECS.items()]
