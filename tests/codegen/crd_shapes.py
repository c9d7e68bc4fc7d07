"""Parts of which the schemas of well-known operators are made: references, selectors, containers, pods.

Descriptions are made up; what counts is how many fields there are, how deep they nest, what restricts them.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

QUANTITY_PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
DNS_LABEL = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
EITHER = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
ANYTHING = {"x-kubernetes-preserve-unknown-fields": True}


def text(**rules: Any) -> Schema:
    return {"type": "string", **rules}


def number(format_: str = "int32", **rules: Any) -> Schema:
    return {"type": "integer", "format": format_, **rules}


def flag(**rules: Any) -> Schema:
    return {"type": "boolean", **rules}


def array(items: Schema, **rules: Any) -> Schema:
    return {"type": "array", "items": items, **rules}


def mapping(values: Schema, **rules: Any) -> Schema:
    return {"type": "object", "additionalProperties": values, **rules}


def record(properties: dict[str, Schema], *required: str, **rules: Any) -> Schema:
    """An object whose fields all have a description."""
    made: Schema = {
        "type": "object",
        "properties": {
            name: {"description": _description(name), **schema} for name, schema in properties.items()
        },
    }
    return {**made, **({"required": list(required)} if required else {}), **rules}


def _description(name: str) -> str:
    return (
        f'What "{name}" is for, said at some length so that its lines have to be wrapped: it ends here\n'
        f"and goes on there.\n\nMore of it:\n- one\n- two, with a back\\slash"
    )


def key_of(what: str) -> Schema:
    """A reference to a key of a secret or config map."""
    return record(
        {"key": text(), "name": text(default=""), "optional": flag()},
        "key",
        **{"x-kubernetes-map-type": "atomic"},
        description=f"A key of a {what}.",
    )


def selector() -> Schema:
    expression = record({"key": text(), "operator": text(), "values": array(text())}, "key", "operator")
    return record(
        {
            "matchExpressions": array(expression, **{"x-kubernetes-list-type": "atomic"}),
            "matchLabels": mapping(text()),
        },
        **{"x-kubernetes-map-type": "atomic"},
    )


def conditions() -> Schema:
    condition = record(
        {
            "lastTransitionTime": text(format="date-time"),
            "message": text(maxLength=32768),
            "observedGeneration": number("int64", minimum=0),
            "reason": text(maxLength=1024, minLength=1, pattern="^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"),
            "status": text(enum=["True", "False", "Unknown"]),
            "type": text(maxLength=316),
        },
        "lastTransitionTime",
        "message",
        "reason",
        "status",
        "type",
    )
    keys = {"x-kubernetes-list-map-keys": ["type"], "x-kubernetes-list-type": "map"}
    return array(condition, **keys)


def quantity() -> Schema:
    return {**EITHER, "pattern": QUANTITY_PATTERN}


def resources() -> Schema:
    claims = array(
        record({"name": text(), "request": text()}, "name"),
        **{"x-kubernetes-list-map-keys": ["name"], "x-kubernetes-list-type": "map"},
    )
    return record({"claims": claims, "limits": mapping(quantity()), "requests": mapping(quantity())})


def http_action() -> Schema:
    header = record({"name": text(), "value": text()}, "name", "value")
    return record(
        {"host": text(), "httpHeaders": array(header), "path": text(), "port": EITHER, "scheme": text()},
        "port",
    )


def probe() -> Schema:
    counts = (
        "failureThreshold",
        "initialDelaySeconds",
        "periodSeconds",
        "successThreshold",
        "timeoutSeconds",
    )
    return record(
        {
            "exec": record({"command": array(text(), **{"x-kubernetes-list-type": "atomic"})}),
            "grpc": record({"port": number(), "service": text(default="")}, "port"),
            "httpGet": http_action(),
            "tcpSocket": record({"host": text(), "port": EITHER}, "port"),
            "terminationGracePeriodSeconds": number("int64"),
            **{name: number() for name in counts},
        }
    )


def security_context() -> Schema:
    return record(
        {
            "allowPrivilegeEscalation": flag(),
            "capabilities": record({"add": array(text()), "drop": array(text())}),
            "privileged": flag(),
            "procMount": text(),
            "readOnlyRootFilesystem": flag(),
            "runAsGroup": number("int64"),
            "runAsNonRoot": flag(),
            "runAsUser": number("int64"),
            "seLinuxOptions": record({name: text() for name in ("level", "role", "type", "user")}),
            "seccompProfile": record({"localhostProfile": text(), "type": text()}, "type"),
            "sysctls": array(record({"name": text(), "value": text()}, "name", "value")),
        }
    )


def container() -> Schema:
    source = record(
        {
            "configMapKeyRef": key_of("config map"),
            "fieldRef": record({"apiVersion": text(), "fieldPath": text()}, "fieldPath"),
            "resourceFieldRef": record(
                {"containerName": text(), "divisor": quantity(), "resource": text()}, "resource"
            ),
            "secretKeyRef": key_of("secret"),
        }
    )
    hook = record(
        {
            "exec": record({"command": array(text())}),
            "httpGet": http_action(),
            "sleep": record({"seconds": number("int64")}, "seconds"),
        }
    )
    port = record(
        {
            "containerPort": number(),
            "hostIP": text(),
            "hostPort": number(),
            "name": text(),
            "protocol": text(default="TCP"),
        },
        "containerPort",
    )
    mount = record(
        {"mountPath": text(), "name": text(), "readOnly": flag(), "subPath": text(), "subPathExpr": text()},
        "mountPath",
        "name",
    )
    return record(
        {
            "args": array(text()),
            "command": array(text()),
            "env": array(record({"name": text(), "value": text(), "valueFrom": source}, "name")),
            "image": text(),
            "imagePullPolicy": text(),
            "lifecycle": record({"postStart": hook, "preStop": hook}),
            "livenessProbe": probe(),
            "name": text(),
            "ports": array(
                port,
                **{
                    "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
                    "x-kubernetes-list-type": "map",
                },
            ),
            "readinessProbe": probe(),
            "resources": resources(),
            "securityContext": security_context(),
            "startupProbe": probe(),
            "stdin": flag(),
            "volumeMounts": array(mount),
            "workingDir": text(),
        },
        "name",
    )


def affinity() -> Schema:
    match = record({"key": text(), "operator": text(), "values": array(text())}, "key", "operator")
    node_term = record({"matchExpressions": array(match), "matchFields": array(match)})
    pod_term = record(
        {
            "labelSelector": selector(),
            "matchLabelKeys": array(text()),
            "namespaceSelector": selector(),
            "namespaces": array(text()),
            "topologyKey": text(),
        },
        "topologyKey",
    )
    weighted_pod = record({"podAffinityTerm": pod_term, "weight": number()}, "podAffinityTerm", "weight")
    weighted_node = record({"preference": node_term, "weight": number()}, "preference", "weight")
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    terms = record({"nodeSelectorTerms": array(node_term)}, "nodeSelectorTerms")
    pods = {preferred: array(weighted_pod), required: array(pod_term)}
    return record(
        {
            "nodeAffinity": record({preferred: array(weighted_node), required: terms}),
            "podAffinity": record(pods),
            "podAntiAffinity": record(pods),
        }
    )


def volumes() -> Schema:
    item = record({"key": text(), "mode": number(), "path": text()}, "key", "path")
    files = {"defaultMode": number(), "items": array(item), "optional": flag()}
    token = record({"audience": text(), "expirationSeconds": number("int64"), "path": text()}, "path")
    projection = record(
        {
            "configMap": record({**files, "name": text(default="")}),
            "secret": record({**files, "name": text(default="")}),
            "serviceAccountToken": token,
        }
    )
    claim = record(
        {
            "accessModes": array(text()),
            "dataSource": record({"apiGroup": text(), "kind": text(), "name": text()}, "kind", "name"),
            "resources": resources(),
            "selector": selector(),
            "storageClassName": text(),
            "volumeMode": text(),
        }
    )
    volume = record(
        {
            "configMap": record({**files, "name": text(default="")}),
            "csi": record({"driver": text(), "volumeAttributes": mapping(text())}, "driver"),
            "emptyDir": record({"medium": text(), "sizeLimit": quantity()}),
            "ephemeral": record(
                {"volumeClaimTemplate": record({"metadata": {"type": "object"}, "spec": claim}, "spec")}
            ),
            "hostPath": record({"path": text(), "type": text()}, "path"),
            "name": text(),
            "nfs": record({"path": text(), "readOnly": flag(), "server": text()}, "path", "server"),
            "projected": record({"defaultMode": number(), "sources": array(projection)}),
            "secret": record({**files, "secretName": text()}),
        },
        "name",
    )
    return array(volume, **{"x-kubernetes-list-map-keys": ["name"], "x-kubernetes-list-type": "map"})


def pod_spec() -> dict[str, Schema]:
    """The fields of a pod that operators let their users set."""
    toleration = record(
        {name: text() for name in ("effect", "key", "operator", "value")}
        | {"tolerationSeconds": number("int64")}
    )
    spread = record(
        {
            "labelSelector": selector(),
            "maxSkew": number(),
            "topologyKey": text(),
            "whenUnsatisfiable": text(),
        },
        "maxSkew",
        "topologyKey",
        "whenUnsatisfiable",
    )
    return {
        "affinity": affinity(),
        "containers": array(container()),
        "dnsPolicy": text(enum=["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]),
        "hostAliases": array(record({"hostnames": array(text()), "ip": text()}, "hostnames", "ip")),
        "hostNetwork": flag(),
        "imagePullSecrets": array(record({"name": text(default="")}, **{"x-kubernetes-map-type": "atomic"})),
        "initContainers": array(container()),
        "nodeSelector": mapping(text()),
        "priorityClassName": text(),
        "securityContext": security_context(),
        "serviceAccountName": text(),
        "tolerations": array(toleration),
        "topologySpreadConstraints": array(spread),
        "volumes": volumes(),
    }
