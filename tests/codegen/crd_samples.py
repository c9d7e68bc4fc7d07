"""Definitions with the defaults that well-known projects have, and objects as their users write them.

Made up in their style: what counts is which defaults there are (lists, objects, objects within objects,
elements of lists), and which of the fields a user leaves out.
"""

from __future__ import annotations

from typing import Any

from kubewright.machinery import yaml
from tests.codegen.crd_definitions import definition, whole
from tests.codegen.crd_shapes import (
    ANYTHING,
    EITHER,
    array,
    conditions,
    flag,
    mapping,
    number,
    record,
    resources,
    selector,
    text,
)

_REFERENCE = record({"name": text(), "namespace": text(), "kind": text(default="Secret")}, "name")
_STATUS = record(
    {"conditions": conditions(), "observedGeneration": number("int64")}, default={"observedGeneration": -1}
)


def _flux() -> dict[str, Any]:
    spec = record(
        {
            "interval": text(),
            "timeout": text(default="60s"),
            "url": text(),
            "ref": record({"branch": text(), "tag": text()}),
            "secretRef": _REFERENCE,
            "suspend": flag(),
            "verify": record({"mode": text(enum=["HEAD", "Tag"], default="HEAD"), "secretRef": _REFERENCE}),
            "include": array(record({"fromPath": text(), "repository": _REFERENCE}, "repository")),
            "sparseCheckout": array(text()),
        },
        "interval",
        "url",
    )
    return definition("source.flux.example", "GitRepository", "gitrepositories", {"v1": whole(spec, _STATUS)})


def _gateway() -> dict[str, Any]:
    path = record(
        {"type": text(default="PathPrefix"), "value": text(default="/")},
        default={"type": "PathPrefix", "value": "/"},
    )
    match = record(
        {"path": path, "method": text(), "headers": array(record({"name": text(), "value": text()}))}
    )
    backend = record(
        {
            "group": text(default=""),
            "kind": text(default="Service"),
            "name": text(),
            "port": number(),
            "weight": number(default=1),
        },
        "name",
    )
    rule = record(
        {
            "matches": array(match, default=[{"path": {"type": "PathPrefix", "value": "/"}}]),
            "backendRefs": array(backend),
        }
    )
    parent = record({"group": text(default="gateway.example"), "name": text()}, "name")
    spec = record(
        {
            "parentRefs": array(parent),
            "hostnames": array(text()),
            "rules": array(rule, default=[{"matches": [{"path": {"type": "PathPrefix", "value": "/"}}]}]),
        }
    )
    return definition("gateway.example", "HTTPRoute", "httproutes", {"v1": whole(spec, None, "spec")})


def _gateway_class() -> dict[str, Any]:
    allowed = record(
        {
            "namespaces": record(
                {"from": text(default="Same"), "selector": selector()}, default={"from": "Same"}
            ),
            "kinds": array(record({"group": text(default="gateway.example"), "kind": text()}, "kind")),
        },
        default={"namespaces": {"from": "Same"}},
    )
    listener = record({"name": text(), "port": number(), "allowedRoutes": allowed}, "name", "port")
    pending = {
        "lastTransitionTime": "1970-01-01T00:00:00Z",
        "message": "Waiting for controller",
        "reason": "Pending",
        "status": "Unknown",
        "type": "Accepted",
    }
    status = record({"conditions": {**conditions(), "default": [pending]}}, default={"conditions": [pending]})
    spec = record({"gatewayClassName": text(), "listeners": array(listener)}, "gatewayClassName", "listeners")
    return definition("gateway.example", "Gateway", "gateways", {"v1": whole(spec, status, "spec")})


def _crossplane() -> dict[str, Any]:
    policy = record(
        {
            "resolution": text(enum=["Required", "Optional"], default="Required"),
            "resolve": text(enum=["Always", "IfNotPresent"]),
        }
    )
    spec = record(
        {
            "deletionPolicy": text(enum=["Orphan", "Delete"], default="Delete"),
            "managementPolicies": array(text(), default=["*"]),
            "providerConfigRef": record(
                {"name": text(), "policy": policy}, "name", default={"name": "default"}
            ),
            "forProvider": record({"region": text(), "tags": mapping(text()), "rules": array(ANYTHING)}),
            "input": {"type": "object", "x-kubernetes-embedded-resource": True, **ANYTHING},
            "initProvider": record({"region": text()}, default={}),
        },
        "forProvider",
    )
    return definition("s3.crossplane.example", "Bucket", "buckets", {"v1": whole(spec, _STATUS, "spec")})


def _cluster_api() -> dict[str, Any]:
    rolling = record({"maxSurge": EITHER}, default={"maxSurge": 1})
    strategy = record(
        {"type": text(default="RollingUpdate"), "rollingUpdate": rolling},
        default={"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}},
    )
    machine = record({"infrastructureRef": ANYTHING, "nodeDrainTimeout": text()}, "infrastructureRef")
    spec = record(
        {
            "replicas": number(default=1),
            "rolloutStrategy": strategy,
            "machineTemplate": machine,
            "version": text(),
        },
        "machineTemplate",
        "version",
    )
    return definition(
        "controlplane.cluster.example", "ControlPlane", "controlplanes", {"v1beta1": whole(spec, _STATUS)}
    )


def _tekton() -> dict[str, Any]:
    parameter = record(
        {"name": text(), "type": text(default="string"), "value": ANYTHING, "enum": array(text())}, "name"
    )
    step = record(
        {
            "name": text(),
            "image": text(),
            "args": array(text()),
            "computeResources": {**resources(), "default": {}},
            "onError": text(default="stopAndFail"),
        },
        "name",
    )
    spec = record(
        {"params": array(parameter, default=[]), "steps": array(step), "workspaces": array(_REFERENCE)}
    )
    return definition("tekton.example", "Task", "tasks", {"v1": whole(spec)})


def _knative() -> dict[str, Any]:
    traffic = record({"latestRevision": flag(default=True), "percent": number("int64"), "tag": text()})
    spec = record(
        {
            "template": record(
                {"metadata": record({"labels": mapping(text())}), "spec": ANYTHING},
                default={"metadata": {"labels": {"app": "default"}}},
            ),
            "traffic": array(traffic, default=[{"latestRevision": True, "percent": 100}]),
        }
    )
    return definition("serving.knative.example", "Service", "services", {"v1": whole(spec)})


def _argo() -> dict[str, Any]:
    spec = record(
        {
            "podGC": record({"strategy": text(default="OnPodCompletion")}, nullable=True, default={}),
            "arguments": record({"parameters": array(ANYTHING)}, default={}),
            "priority": number(nullable=True, default=3),
            "hooks": mapping(record({"template": text()}), default={"exit": {"template": "cleanup"}}),
            "message": text(nullable=True),
            "entrypoint": text(),
        }
    )
    return definition("argo.example", "Workflow", "workflows", {"v1alpha1": whole(spec)})


def _prometheus() -> dict[str, Any]:
    spec = record(
        {
            "replicas": number(),
            "portName": text(default="web"),
            "evaluationInterval": text(default="30s"),
            "resources": {**resources(), "default": {"requests": {"memory": "400Mi"}}},
            "ruleSelector": selector(),
            "excludedFromEnforcement": array(
                record({"group": text(default="monitoring.example"), "resource": text()}, "resource"),
                default=[],
            ),
        }
    )
    return definition("monitoring.example", "Prometheus", "prometheuses", {"v1": whole(spec, _STATUS)})


def _cert_manager() -> dict[str, Any]:
    key = record(
        {
            "algorithm": text(enum=["RSA", "ECDSA"], default="RSA"),
            "rotationPolicy": text(default="Always"),
            "size": number(),
        },
        default={"algorithm": "RSA"},
    )
    spec = record(
        {
            "secretName": text(),
            "issuerRef": _REFERENCE,
            "privateKey": key,
            "usages": array(text(), default=["digital signature", "key encipherment"]),
            "dnsNames": array(text()),
        },
        "secretName",
        "issuerRef",
    )
    return definition("cert-manager.example", "Certificate", "certificates", {"v1": whole(spec, _STATUS)})


def _istio() -> dict[str, Any]:
    server = record(
        {
            "hosts": array(text(), default=["*"]),
            "port": record({"number": number(), "protocol": text(default="HTTP")}),
            "tls": record({"mode": text(default="SIMPLE")}),
        }
    )
    spec = record({"selector": mapping(text(), default={"istio": "ingress"}), "servers": array(server)})
    return definition("networking.istio.example", "Gateway", "gateways", {"v1": whole(spec)})


DEFINITIONS: dict[str, dict[str, Any]] = {
    "flux": _flux(),
    "gateway_route": _gateway(),
    "gateway": _gateway_class(),
    "crossplane": _crossplane(),
    "cluster_api": _cluster_api(),
    "tekton": _tekton(),
    "knative": _knative(),
    "argo": _argo(),
    "prometheus": _prometheus(),
    "cert_manager": _cert_manager(),
    "istio": _istio(),
}

_SAMPLES: dict[str, tuple[str, ...]] = {
    "flux": (
        "spec: {interval: 5m, url: 'https://git.example/a'}",
        "spec: {interval: 5m, url: x, verify: {}, secretRef: {name: s}, include: [{repository: {name: r}}]}",
        "spec: {interval: 5m, url: x, ref: {}, include: [], sparseCheckout: [], timeout: 60s}",
        "{spec: {interval: 5m, url: x}, status: {}}",
        "{spec: {interval: 5m, url: x}, status: {conditions: [], observedGeneration: -1}}",
    ),
    "gateway_route": (
        "spec: {}",
        "spec: {rules: []}",
        "spec: {parentRefs: [{name: g}], rules: [{backendRefs: [{name: web, port: 80}]}]}",
        "spec: {rules: [{matches: [{}]}, {matches: []}, {matches: [{path: {}}, {path: {value: /a}}]}]}",
        "spec: {rules: [{matches: [{headers: [{name: a, value: b}]}], backendRefs: []}], hostnames: []}",
    ),
    "gateway": (
        "spec: {gatewayClassName: c, listeners: [{name: http, port: 80}]}",
        "spec: {gatewayClassName: c, listeners: [{name: a, port: 80, allowedRoutes: {}}]}",
        "spec: {gatewayClassName: c, listeners: [{name: a, port: 1, allowedRoutes: {namespaces: {}}}]}",
        "{spec: {gatewayClassName: c, listeners: []}, status: {}}",
        "spec: {gatewayClassName: c, listeners: [{name: a, port: 1, allowedRoutes: {kinds: [{kind: A}]}}]}",
    ),
    "crossplane": (
        "spec: {forProvider: {}}",
        "spec: {forProvider: {region: eu, tags: {}, rules: [{a: []}, {}]}, managementPolicies: []}",
        "spec: {forProvider: {region: eu}, providerConfigRef: {name: other, policy: {}}, initProvider: {}}",
        "spec: {forProvider: {tags: {a: b}}, managementPolicies: ['*'], deletionPolicy: Delete}",
        "spec: {forProvider: {}, input: {apiVersion: a/v1, kind: Input, resources: []}}",
    ),
    "cluster_api": (
        "spec: {version: v1, machineTemplate: {infrastructureRef: {kind: A, spec: {}}}}",
        "spec: {version: v1, machineTemplate: {infrastructureRef: {}}, rolloutStrategy: {}, replicas: 1}",
        "spec: {version: v1, machineTemplate: {infrastructureRef: {}}, rolloutStrategy: {rollingUpdate: {}}}",
        "spec: {version: v1, machineTemplate: {infrastructureRef: []}, rolloutStrategy: {type: OnDelete}}",
    ),
    "tekton": (
        "spec: {steps: [{name: a, image: i}]}",
        "spec: {params: [], steps: [{name: a, computeResources: {}, args: []}], workspaces: []}",
        "spec: {params: [{name: p, value: [a]}, {name: q, enum: []}], steps: [{name: a}]}",
        "spec: {steps: [{name: a, computeResources: {limits: {cpu: 500m, memory: 1Gi}, requests: {}}}]}",
    ),
    "knative": (
        "spec: {}",
        "spec: {template: {spec: {containers: [{image: i}]}}}",
        "spec: {template: {}, traffic: []}",
        "spec: {template: {metadata: {}}, traffic: [{}, {percent: 100}]}",
    ),
    "argo": (
        "spec: {entrypoint: main}",
        "spec: {podGC: null, priority: null, message: null}",
        "spec: {podGC: {}, arguments: {}, hooks: {}, priority: 3, message: ''}",
        "spec: {arguments: {parameters: [{name: a, value: null}, {}]}, hooks: {exit: {}}}",
    ),
    "prometheus": (
        "spec: {}",
        "spec: {replicas: 0, resources: {}, ruleSelector: {}, excludedFromEnforcement: []}",
        "spec: {resources: {limits: {cpu: 500m}}, ruleSelector: {matchLabels: {}, matchExpressions: []}}",
        "spec: {portName: web, excludedFromEnforcement: [{resource: rules}]}",
    ),
    "cert_manager": (
        "spec: {secretName: s, issuerRef: {name: i}}",
        "spec: {secretName: s, issuerRef: {name: i}, privateKey: {}, usages: [], dnsNames: []}",
        "spec: {secretName: s, issuerRef: {name: i, kind: Issuer}, privateKey: {size: 2048}, usages: [any]}",
        "{spec: {secretName: s, issuerRef: {name: i}}, status: {observedGeneration: 1}}",
    ),
    "istio": (
        "spec: {}",
        "spec: {selector: {}, servers: []}",
        "spec: {servers: [{}, {port: {}, hosts: []}, {port: {number: 80}, tls: {}}]}",
    ),
}


def samples() -> list[tuple[str, dict[str, Any]]]:
    """Each sample as a whole object, with the name of its definition."""
    found = []
    for name, texts in _SAMPLES.items():
        spec = DEFINITIONS[name]["spec"]
        header = {
            "apiVersion": f"{spec['group']}/{spec['versions'][0]['name']}",
            "kind": spec["names"]["kind"],
            "metadata": {"name": "a", "labels": {}, "annotations": {"a": "b"}},
        }
        found += [(name, {**header, **yaml.load(text)}) for text in texts]
    return found
