"""CustomResourceDefinitions of the size and shape of those that clusters have: the facts, not the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.codegen.crd_definitions import LIST_MAP, definition, whole
from tests.codegen.crd_network_fixtures import gateway_api, istio
from tests.codegen.crd_shapes import (
    ANYTHING,
    EITHER,
    array,
    conditions,
    container,
    flag,
    key_of,
    mapping,
    number,
    pod_spec,
    quantity,
    record,
    resources,
    selector,
    text,
)


def cert_manager() -> list[dict[str, Any]]:
    private_key = record(
        {
            "algorithm": text(enum=["RSA", "ECDSA", "Ed25519"]),
            "encoding": text(enum=["PKCS1", "PKCS8"]),
            "rotationPolicy": text(enum=["Never", "Always"], default="Always"),
            "size": {"type": "integer"},
        }
    )
    store = record({"alias": text(), "create": flag(), "passwordSecretRef": key_of("secret")}, "create")
    issuer_ref = record({"group": text(), "kind": text(), "name": text()}, "name")
    certificate = record(
        {
            "additionalOutputFormats": array(record({"type": text(enum=["DER", "CombinedPEM"])}, "type")),
            "commonName": text(),
            "dnsNames": array(text()),
            "duration": text(),
            "ipAddresses": array(text()),
            "issuerRef": issuer_ref,
            "keystores": record({"jks": store, "pkcs12": store}),
            "privateKey": private_key,
            "renewBeforePercentage": number("int32", minimum=1, maximum=100, exclusiveMaximum=True),
            "revisionHistoryLimit": number("int32", minimum=1),
            "secretName": text(minLength=1),
            "subject": record({name: array(text()) for name in ("countries", "organizations", "provinces")}),
            "usages": array(text(enum=["signing", "digital signature", "key encipherment", "any"])),
        },
        "issuerRef",
        "secretName",
    )
    template = record(
        {
            "metadata": record({"annotations": mapping(text()), "labels": mapping(text())}),
            "spec": record(pod_spec()),
        }
    )
    solver = record(
        {
            "dns01": record(
                {
                    "route53": record(
                        {"accessKeyIDSecretRef": key_of("secret"), "hostedZoneID": text(), "region": text()}
                    ),
                    "webhook": record({"config": ANYTHING, "groupName": text()}, "groupName"),
                }
            ),
            "http01": record(
                {
                    "ingress": record(
                        {"class": text(), "podTemplate": template, "serviceType": text()},
                    )
                }
            ),
            "selector": record({"dnsNames": array(text()), "matchLabels": mapping(text())}),
        }
    )
    acme = record(
        {
            "caBundle": text(format="byte"),
            "email": text(),
            "externalAccountBinding": record(
                {
                    "keyAlgorithm": text(enum=["HS256", "HS384"]),
                    "keyID": text(),
                    "keySecretRef": key_of("secret"),
                },
                "keyID",
                "keySecretRef",
            ),
            "privateKeySecretRef": key_of("secret"),
            "server": text(),
            "solvers": array(solver),
        },
        "server",
    )
    status = record(
        {
            "conditions": conditions(),
            "failedIssuanceAttempts": {"type": "integer"},
            "notAfter": text(format="date-time"),
        }
    )
    columns = [
        {"jsonPath": '.status.conditions[?(@.type == "Ready")].status', "name": "Ready", "type": "string"},
        {"jsonPath": ".spec.secretName", "name": "Secret", "type": "string", "priority": 1},
        {
            "jsonPath": ".metadata.creationTimestamp",
            "name": "Age",
            "type": "date",
            "description": "How old it is.",
        },
    ]
    common = {"additionalPrinterColumns": columns, "subresources": {"status": {}}}
    issuer = record({"acme": acme, "selfSigned": record({"crlDistributionPoints": array(text())})})
    names = {"shortNames": ["cert", "certs"], "categories": ["cert-manager"]}
    return [
        definition(
            "cert-manager.io",
            "Certificate",
            "certificates",
            {"v1": whole(certificate, status)},
            names=names,
            selectableFields=[{"jsonPath": ".spec.issuerRef.group"}, {"jsonPath": ".spec.issuerRef.kind"}],
            **common,
        ),
        definition("cert-manager.io", "Issuer", "issuers", {"v1": whole(issuer, status, "spec")}, **common),
        definition(
            "cert-manager.io",
            "ClusterIssuer",
            "clusterissuers",
            {"v1": whole(issuer, status, "spec")},
            scope="Cluster",
            **common,
        ),
    ]


def prometheus_operator() -> list[dict[str, Any]]:
    tls = record(
        {
            "ca": record({"configMap": key_of("config map"), "secret": key_of("secret")}),
            "cert": record({"configMap": key_of("config map"), "secret": key_of("secret")}),
            "insecureSkipVerify": flag(),
            "keySecret": key_of("secret"),
            "maxVersion": text(enum=["TLS10", "TLS11", "TLS12", "TLS13"]),
        }
    )
    duration = text(pattern="^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?)$")
    relabel = record(
        {
            "action": text(default="replace", enum=["replace", "Replace", "keep", "Keep", "drop", "Drop"]),
            "modulus": number("int64"),
            "regex": text(),
            "sourceLabels": array(text(pattern="^[a-zA-Z_][a-zA-Z0-9_]*$")),
        }
    )
    http = {"authorization": record({"credentials": key_of("secret"), "type": text()}), "tlsConfig": tls}
    remote = record(
        {
            **http,
            "headers": mapping(text()),
            "queueConfig": record(
                {name: {"type": "integer"} for name in ("capacity", "maxShards", "minShards", "maxRetries")}
                | {"batchSendDeadline": duration}
            ),
            "remoteTimeout": duration,
            "url": text(minLength=1),
            "writeRelabelConfigs": array(relabel, minItems=1),
        },
        "url",
    )
    spec = {
        **pod_spec(),
        "additionalArgs": array(record({"name": text(minLength=1), "value": text()}, "name")),
        "alerting": record(
            {"alertmanagers": array(record({**http, "name": text(), "port": EITHER}, "name", "port"))},
            "alertmanagers",
        ),
        "arbitraryFSAccessThroughSMs": record({"deny": flag()}),
        "enforcedKeepDroppedTargets": number("int64"),
        "evaluationInterval": {**duration, "default": "30s"},
        "externalLabels": mapping(text()),
        "portName": text(default="web"),
        "remoteRead": array(remote),
        "remoteWrite": array(remote),
        "replicas": number(),
        "resources": resources(),
        "retentionSize": text(pattern="(^0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$"),
        "scrapeProtocols": array(
            text(enum=["PrometheusProto", "OpenMetricsText1.0.0"]),
            minItems=1,
            **{"x-kubernetes-list-type": "set"},
        ),
        "serviceMonitorSelector": selector(),
        "storage": record({"disableMountSubPath": flag(), "emptyDir": record({"sizeLimit": quantity()})}),
        "tracingConfig": record(
            {"endpoint": text(minLength=1), "samplingFraction": {**EITHER, "pattern": "^[0-9.]+$"}},
            "endpoint",
        ),
        "web": record({"maxConnections": number(minimum=0), "pageTitle": text()}),
    }
    thanos = record({**pod_spec(), "image": text(), "resources": resources()})
    endpoint = record(
        {
            **http,
            "interval": duration,
            "params": mapping(array(text())),
            "relabelings": array(relabel),
            "targetPort": EITHER,
        }
    )
    monitor = record(
        {
            "attachMetadata": record({"node": flag()}),
            "endpoints": array(endpoint),
            "namespaceSelector": record({"any": flag(), "matchNames": array(text())}),
            "sampleLimit": number("int64"),
            "selector": selector(),
        },
        "endpoints",
        "selector",
    )
    scale = {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }
    status = record({"conditions": conditions(), "replicas": number(), "selector": text()}, "replicas")
    agent = record({**spec, "mode": text(enum=["StatefulSet", "DaemonSet"])})
    both = {"subresources": {"scale": scale, "status": {}}}
    group = "monitoring.coreos.com"
    prometheus = whole(record({**spec, "thanos": thanos}), status, "spec")
    return [
        definition(group, "Prometheus", "prometheuses", {"v1": prometheus}, **both),
        definition(
            group, "PrometheusAgent", "prometheusagents", {"v1alpha1": whole(agent, status, "spec")}, **both
        ),
        definition(group, "ServiceMonitor", "servicemonitors", {"v1": whole(monitor, None, "spec")}),
    ]


def argo() -> list[dict[str, Any]]:
    artifact = record(
        {
            "archive": record({"none": {"type": "object"}, "tar": record({"compressionLevel": number()})}),
            "from": text(),
            "name": text(),
            "s3": record({"accessKeySecret": key_of("secret"), "bucket": text(), "insecure": flag()}),
        },
        "name",
    )
    parameter = record({"default": text(), "enum": array(text()), "name": text(), "value": text()}, "name")
    arguments = record({"artifacts": array(artifact), "parameters": array(parameter)})
    step = record(
        {
            "arguments": arguments,
            "continueOn": record({"error": flag(), "failed": flag()}),
            "template": text(),
            "withItems": array(ANYTHING),
            "withParam": text(),
        }
    )
    template = record(
        {
            "activeDeadlineSeconds": EITHER,
            "container": container(),
            "dag": record(
                {"tasks": array(record({"arguments": arguments, "name": text()}, "name"))}, "tasks"
            ),
            "http": record({"body": text(), "url": text()}, "url"),
            "inputs": arguments,
            "plugin": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "resource": record({"action": text(), "manifest": text()}, "action"),
            "steps": array(array(step)),
            "suspend": record({"duration": text()}),
            **{name: pod_spec()[name] for name in ("affinity", "tolerations", "volumes")},
        }
    )
    template["properties"]["suspended"] = {"type": "object"}
    workflow = record(
        {
            "arguments": arguments,
            "entrypoint": text(),
            "podGC": record({"deleteDelayDuration": text(), "strategy": text()}, nullable=True),
            "templateDefaults": template,
            "templates": array(template, **{"x-kubernetes-list-map-keys": ["name"], **LIST_MAP}),
            "ttl-strategy": record({"secondsAfter_completion": number(), "SecondsAfterFailure": number()}),
            "volumeClaimTemplates": array(
                {"type": "object", "x-kubernetes-embedded-resource": True, **ANYTHING}
            ),
        }
    )
    template["properties"]["name"] = text()
    template["required"] = ["name"]
    nodes = mapping(
        record(
            {
                "children": array(text()),
                "phase": text(nullable=True),
                "startedAt": text(format="date-time", nullable=True),
            }
        )
    )
    status = record({"nodes": nodes, "storedTemplates": mapping(ANYTHING)}, **ANYTHING)
    source = record(
        {
            "chart": text(),
            "helm": record({"valuesObject": {"type": "object", **ANYTHING}}),
            "repoURL": text(),
        },
        "repoURL",
    )
    application = record(
        {
            "destination": record({"name": text(), "server": text()}),
            "ignoreDifferences": array(record({"jsonPointers": array(text()), "kind": text()}, "kind")),
            "source": source,
            "sources": array(source),
        },
        "destination",
    )
    return [
        definition(
            "argoproj.io",
            "Workflow",
            "workflows",
            {"v1alpha1": whole(workflow, status, "metadata", "spec")},
            names={"shortNames": ["wf"]},
        ),
        definition(
            "argoproj.io",
            "Application",
            "applications",
            {
                "v1alpha1": whole(
                    application, record({"health": record({"status": text()})}), "metadata", "spec"
                )
            },
        ),
    ]


FAMILIES: dict[str, Sequence[dict[str, Any]]] = {
    "cert_manager": cert_manager(),
    "prometheus_operator": prometheus_operator(),
    "argo": argo(),
    "istio": istio(),
    "gateway_api": gateway_api(),
}
