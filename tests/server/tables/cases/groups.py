"""The groups that have few kinds each."""

from __future__ import annotations

from typing import Any

from tests.server.tables.harness import NAMESPACE, Case, Existing

Json = dict[str, Any]

_REQUEST = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISE1IQUNBUUF3RGpFTU1Bb0dBMVVFQXd3RGQyVmlNRmt3RXdZ"
    "SEtvWkl6ajBDQVFZSUtvWkl6ajBEQVFjRApRZ0FFbU1zaGVuTlhRaGc0bGhGeHZyZE9jNnlqeEZoNk1oZi96WjVidWt1SkpQTTFJ"
    "cVQ1a0h0b3FYU29KWVlnCnlIRjRCczBBK2ZhdmhQVHJTSE1VdHFKMG5xQUFNQW9HQ0NxR1NNNDlCQU1DQTBjQU1FUUNJQS9xOHc1"
    "VlVEaEQKNkx1bzZNVzJGRDgvNTUzRHRuRVpSZGVwWVk4ODAwVVZBaUF0R01wcGtHVy9sUG9vT25PK3FmVGdHM3NLVnhRcwp6ZmNo"
    "UDBpRkR0R2QzUT09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="
)
_CERTIFICATE = (
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJjekNDQVJtZ0F3SUJBZ0lVVTR4dmxXQ01GbUo3NGNqZ09udXJNY0FiRERv"
    "d0NnWUlLb1pJemowRUF3SXcKRGpFTU1Bb0dBMVVFQXd3RGQyVmlNQ0FYRFRJMk1URXhOVEV4TlRjeU4xb1lEekl4TWpZeE1ESXlN"
    "VEUxTnpJMwpXakFPTVF3d0NnWURWUVFEREFOM1pXSXdXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQ0FBU1l5eUY2CmMx"
    "ZENHRGlXRVhHK3QwNXpyS1BFV0hveUYvL05ubHU2UzRrazh6VWlwUG1RZTJpcGRLZ2xoaURJY1hnR3pRRDUKOXErRTlPdEljeFMy"
    "b25TZW8xTXdVVEFkQmdOVkhRNEVGZ1FVbVhiWnN4SUJQeDc4TE5lU2lNOTk5OVZSdXY0dwpId1lEVlIwakJCZ3dGb0FVbVhiWnN4"
    "SUJQeDc4TE5lU2lNOTk5OVZSdXY0d0R3WURWUjBUQVFIL0JBVXdBd0VCCi96QUtCZ2dxaGtqT1BRUURBZ05JQURCRkFpRUFpaExU"
    "NTY3S2VyVVl6UjdZdisyczlVZ1ZzR0lCdTg4bmhSMEgKeEI4bjF2b0NJQ3VsSmJ1eHQrTXBDc09GclhWQ2tUblZUSVFrVjVMS1Js"
    "ZGMxQ2pjbFRhdwotLS0tLUVORCBDRVJUSUZJQ0FURS0tLS0tCg=="
)


def _of(api_version: str, kind: str, **more: Any) -> Json:
    return {"apiVersion": api_version, "kind": kind, **more}


_ADMISSION = "admissionregistration.k8s.io/v1"
_STORAGE = "storage.k8s.io/v1"
_NETWORK = "networking.k8s.io/v1"
_RBAC = "rbac.authorization.k8s.io/v1"
_DEVICES = "resource.k8s.io/v1"
_FLOW = "flowcontrol.apiserver.k8s.io/v1"


def _webhooks(kind: str, count: int) -> Json:
    """Webhooks that are never called: there is no such group."""
    rule = {
        "apiGroups": ["none.example.com"],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["x"],
    }
    hooks = [
        {
            "name": f"w{n}.example.com",
            "rules": [rule],
            "failurePolicy": "Ignore",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            "clientConfig": {"url": "https://none.example.com/"},
        }
        for n in range(count)
    ]
    return _of(_ADMISSION, kind, webhooks=hooks)


_MATCH = {
    "resourceRules": [
        {
            "apiGroups": ["none.example.com"],
            "apiVersions": ["v1"],
            "operations": ["CREATE"],
            "resources": ["x"],
        }
    ]
}


def _policy(kind: str, **spec: Any) -> Json:
    return _of(_ADMISSION, kind, spec={"matchConstraints": _MATCH, **spec})


def _binding(kind: str, **spec: Any) -> Json:
    if kind.startswith("Validating"):
        spec["validationActions"] = ["Deny"]
    return _of(_ADMISSION, kind, spec={"policyName": "none.example.com", **spec})


_PARAM_REFS: list[Json] = [
    {},
    {"paramRef": {"name": "n", "parameterNotFoundAction": "Allow"}},
    {"paramRef": {"name": "n", "namespace": "ns", "parameterNotFoundAction": "Allow"}},
    {"paramRef": {"selector": {}, "parameterNotFoundAction": "Allow"}},
    {
        "paramRef": {
            "selector": {
                "matchLabels": {"b": "2", "a": "1"},
                "matchExpressions": [
                    {"key": "k", "operator": "In", "values": ["x", "y"]},
                    {"key": "l", "operator": "Exists"},
                ],
            },
            "parameterNotFoundAction": "Allow",
        }
    },
]


def _request(**more: Any) -> Json:
    spec = {"request": _REQUEST, "signerName": "example.com/signer", "usages": ["client auth"], **more}
    return _of("certificates.k8s.io/v1", "CertificateSigningRequest", spec=spec)


def _conditions(*kinds: str, **more: Any) -> Json:
    return {"conditions": [{"type": kind, "status": "True", "reason": "R"} for kind in kinds], **more}


def _slice(addresses: list[list[str]], ports: list[Json], kind: str = "IPv4") -> Json:
    endpoints = [{"addresses": group} for group in addresses]
    return _of("discovery.k8s.io/v1", "EndpointSlice", addressType=kind, endpoints=endpoints, ports=ports)


def _ingress(*rules: Json, **spec: Any) -> Json:
    backend = {"service": {"name": "s", "port": {"number": 80}}}
    return _of(_NETWORK, "Ingress", spec={"defaultBackend": backend, "rules": list(rules), **spec})


def _hosts(*names: str) -> list[Json]:
    return [{"host": name} if name else {} for name in names]


def _subjects(*subjects: tuple[str, str]) -> list[Json]:
    groups = {"apiGroup": "rbac.authorization.k8s.io"}
    return [
        {"kind": kind, "name": name, **({"namespace": "ns"} if kind == "ServiceAccount" else groups)}
        for kind, name in subjects
    ]


def _roles(kind: str, *subjects: tuple[str, str]) -> Json:
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    return _of(_RBAC, kind, roleRef=role, subjects=_subjects(*subjects))


def _class(**more: Any) -> Json:
    return _of(_STORAGE, "StorageClass", **{"provisioner": "example.com/p", **more})


def _driver(**spec: Any) -> Json:
    return _of(_STORAGE, "CSIDriver", spec=spec)


_ANY = ("User", "u"), ("Group", "g"), ("ServiceAccount", "s"), ("User", "v")
_ALLOCATION = {
    "devices": {"results": [{"request": "r", "driver": "d.example.com", "pool": "p", "device": "d"}]}
}
_CLAIM = _of(
    _DEVICES,
    "ResourceClaim",
    spec={"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c.example.com"}}]}},
)

CASES = [
    *[
        Case(f"{kind.lower()[:10]} {count}", _webhooks(kind, count))
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
        for count in (0, 2)
    ],
    Case("validating policy", _policy("ValidatingAdmissionPolicy", validations=[{"expression": "true"}])),
    Case(
        "validating policy of params",
        _policy(
            "ValidatingAdmissionPolicy",
            paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
            validations=[{"expression": "true"}, {"expression": "false"}],
        ),
    ),
    Case(
        "mutating policy",
        _policy(
            "MutatingAdmissionPolicy",
            reinvocationPolicy="Never",
            paramKind={"apiVersion": "apps/v1", "kind": "Deployment"},
            mutations=[
                {
                    "patchType": "JSONPatch",
                    "jsonPatch": {"expression": "[JSONPatch{op: 'remove', path: '/a'}]"},
                }
            ],
        ),
    ),
    *[
        Case(f"{kind.lower()[:10]} binding {n}", _binding(kind, **ref))
        for kind in ("ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding")
        for n, ref in enumerate(_PARAM_REFS)
    ],
    Existing("/apis/apiregistration.k8s.io/v1/apiservices/v1.apps"),
    Case(
        "api service",
        _of(
            "apiregistration.k8s.io/v1",
            "APIService",
            metadata={"name": "v1.tables.example.com"},
            spec={
                "group": "tables.example.com",
                "version": "v1",
                "groupPriorityMinimum": 1,
                "versionPriority": 1,
                "insecureSkipTLSVerify": True,
                "service": {"namespace": NAMESPACE, "name": "none"},
            },
        ),
        {"conditions": [{"type": "Available", "status": "False", "reason": "ServiceNotFound"}]},
    ),
    Case("request", _request()),
    Case("request of a duration", _request(expirationSeconds=86400)),
    Case("request of a short duration", _request(expirationSeconds=600)),
    Case("request approved", _request(), _conditions("Approved"), written_through="approval"),
    Case("request denied", _request(), _conditions("Denied"), written_through="approval"),
    Case("request failed", _request(), _conditions("Failed")),
    Case("request issued", _request(), _conditions("Failed", certificate=_CERTIFICATE)),
    Case("lease", _of("coordination.k8s.io/v1", "Lease", spec={"holderIdentity": "me"})),
    Case("lease free", _of("coordination.k8s.io/v1", "Lease", spec={})),
    Case("slice empty", _slice([], [])),
    Case("slice", _slice([["10.9.0.1"], ["10.9.0.2"]], [{"port": 80}])),
    Case(
        "slice of many",
        _slice(
            [["10.9.0.1"], ["10.9.0.2"], ["10.9.0.3"], ["10.9.0.4"], ["10.9.0.5"]],
            [{"name": f"p{n}", "port": n} for n in range(1, 6)],
        ),
    ),
    Case("slice of odd ports", _slice([["fd00::1"]], [{"name": "web"}, {"name": "x", "port": 5}], "IPv6")),
    Case("slice of all ports", _slice([["fd00::1"]], [{}], "IPv6")),
    Existing(f"/apis/{_FLOW}/flowschemas"),
    Existing(f"/apis/{_FLOW}/prioritylevelconfigurations"),
    Case(
        "flow schema",
        _of(
            _FLOW,
            "FlowSchema",
            spec={
                "matchingPrecedence": 9000,
                "priorityLevelConfiguration": {"name": "none"},
                "distinguisherMethod": {"type": "ByUser"},
                "rules": [],
            },
        ),
        {"conditions": [{"type": "Other", "status": "True"}]},
    ),
    Case(
        "priority level",
        _of(
            _FLOW,
            "PriorityLevelConfiguration",
            spec={
                "type": "Limited",
                "limited": {"nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"}},
            },
        ),
    ),
    Case("ingress", _ingress()),
    Case("ingress of a class", _ingress(*_hosts("a.example.com"), ingressClassName="c", tls=[{}])),
    Case("ingress of three", _ingress(*_hosts("a.example.com", "b.example.com", "c.example.com"))),
    Case(
        "ingress of four",
        _ingress(*_hosts("a.example.com", "b.example.com", "c.example.com", "d.example.com")),
    ),
    Case("ingress of any", _ingress(*_hosts("", ""))),
    Case(
        "ingress of some",
        _ingress(*_hosts("", "a.example.com", "", "b.example.com", "c.example.com", "", "d.example.com")),
        {"loadBalancer": {"ingress": [{"hostname": "long.long.example.com"}, {"ip": "1.2.3.4"}]}},
    ),
    Case("ingress class", _of(_NETWORK, "IngressClass", spec={"controller": "example.com/c"})),
    Case(
        "ingress class default",
        _of(
            _NETWORK,
            "IngressClass",
            metadata={"annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
            spec={
                "controller": "example.com/c",
                "parameters": {"apiGroup": "example.com", "kind": "P", "name": "p"},
            },
        ),
    ),
    Case(
        "ingress class of core parameters",
        _of(
            _NETWORK,
            "IngressClass",
            metadata={"annotations": {"ingressclass.kubernetes.io/is-default-class": "false"}},
            spec={
                "controller": "example.com/c",
                "parameters": {"kind": "ConfigMap", "name": "p", "scope": "Namespace", "namespace": "ns"},
            },
        ),
    ),
    Case("network policy", _of(_NETWORK, "NetworkPolicy", spec={"podSelector": {}})),
    Case(
        "network policy of pods",
        _of(
            _NETWORK,
            "NetworkPolicy",
            spec={
                "podSelector": {
                    "matchLabels": {"b": "2", "a": "1"},
                    "matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["z", "y"]}],
                }
            },
        ),
    ),
    Existing(f"/apis/{_NETWORK}/servicecidrs"),
    Existing(f"/apis/{_NETWORK}/ipaddresses/10.0.0.1"),
    *[
        Case(
            f"address {n}",
            _of(_NETWORK, "IPAddress", metadata={"name": f"192.168.77.{n}"}, spec={"parentRef": ref}),
        )
        for n, ref in enumerate(
            [
                {"resource": "nodes", "name": "n"},
                {"group": "example.com", "resource": "things", "namespace": "ns", "name": "n"},
            ],
            start=1,
        )
    ],
    Case("runtime class", _of("node.k8s.io/v1", "RuntimeClass", handler="runc")),
    Case("role", _of(_RBAC, "Role")),
    Case("cluster role", _of(_RBAC, "ClusterRole")),
    *[
        Case(f"{kind.lower()} {len(subjects)}", _roles(kind, *subjects))
        for kind in ("RoleBinding", "ClusterRoleBinding")
        for subjects in ((), _ANY)
    ],
    Case("device class", _of(_DEVICES, "DeviceClass", spec={})),
    Case("claim pending", _CLAIM),
    Case("claim deleted", _CLAIM, deleted=True),
    Case("claim allocated", _CLAIM, {"allocation": _ALLOCATION}),
    Case(
        "claim reserved",
        _CLAIM,
        {"allocation": _ALLOCATION, "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}]},
    ),
    Case("claim deleted allocated", _CLAIM, {"allocation": _ALLOCATION}, deleted=True),
    Case("claim template", _of(_DEVICES, "ResourceClaimTemplate", spec={"spec": _CLAIM["spec"]})),
    *[
        Case(
            f"resource slice {n}",
            _of(
                _DEVICES,
                "ResourceSlice",
                spec={
                    "driver": "d.example.com",
                    "pool": {"name": "pool", "generation": 1, "resourceSliceCount": 1},
                    **where,
                },
            ),
        )
        for n, where in enumerate(({"nodeName": "n"}, {"allNodes": True}))
    ],
    Existing("/apis/scheduling.k8s.io/v1/priorityclasses"),
    Case(
        "priority class",
        _of("scheduling.k8s.io/v1", "PriorityClass", value=-5, globalDefault=True, preemptionPolicy="Never"),
    ),
    Case("driver", _driver()),
    Case(
        "driver of all",
        _driver(
            attachRequired=False,
            podInfoOnMount=True,
            storageCapacity=True,
            requiresRepublish=True,
            volumeLifecycleModes=["Ephemeral", "Persistent"],
            tokenRequests=[{"audience": ""}, {"audience": "a"}],
        ),
    ),
    Case("csi node", _of(_STORAGE, "CSINode", spec={"drivers": []})),
    Case("csi node of one", _of(_STORAGE, "CSINode", spec={"drivers": [{"name": "d", "nodeID": "n"}]})),
    Case("capacity", _of(_STORAGE, "CSIStorageCapacity", storageClassName="c", capacity="1Gi")),
    Case("storage class", _class()),
    *[
        Case(
            f"storage class default {value} {group}",
            _class(
                metadata={
                    "name": f"class-{value}-{len(group)}",
                    "annotations": {f"storageclass.{group}/is-default-class": value},
                },
                reclaimPolicy="Retain",
                volumeBindingMode="WaitForFirstConsumer",
                allowVolumeExpansion=value == "true",
            ),
        )
        for group in ("kubernetes.io", "beta.kubernetes.io")
        for value in ("true", "false")
    ],
    Case(
        "attachment",
        _of(
            _STORAGE,
            "VolumeAttachment",
            spec={"attacher": "a.example.com", "nodeName": "n", "source": {"persistentVolumeName": "pv"}},
        ),
        {"attached": True},
    ),
    Case(
        "attachment inline",
        _of(
            _STORAGE,
            "VolumeAttachment",
            spec={"attacher": "a.example.com", "nodeName": "n", "source": {"persistentVolumeName": "pv"}},
        ),
    ),
    Case(
        "attributes class",
        _of(_STORAGE, "VolumeAttributesClass", driverName="d.example.com", parameters={"a": "b"}),
    ),
    Case(
        "definition",
        _of(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            metadata={"name": "things.tables.example.com"},
            spec={
                "group": "tables.example.com",
                "scope": "Namespaced",
                "names": {"plural": "things", "kind": "Thing"},
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": True,
                        "schema": {"openAPIV3Schema": {"type": "object"}},
                    }
                ],
            },
        ),
    ),
]
