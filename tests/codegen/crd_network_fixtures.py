"""Definitions of the size and shape of those of Istio and the Gateway API: the facts, not the text."""

from __future__ import annotations

from typing import Any

from tests.codegen.crd_definitions import LIST_MAP, definition, whole
from tests.codegen.crd_shapes import (
    ANYTHING,
    DNS_LABEL,
    Schema,
    array,
    conditions,
    flag,
    mapping,
    number,
    record,
    text,
)


def istio() -> list[dict[str, Any]]:
    match = record(
        {"exact": text(), "prefix": text(), "regex": text()},
        oneOf=[
            {"not": {"anyOf": [{"required": [name]} for name in ("exact", "prefix", "regex")]}},
            *({"required": [name]} for name in ("exact", "prefix", "regex")),
        ],
    )
    destination = record(
        {
            "host": text(),
            "port": record({"number": {"type": "integer", "minimum": 0, "maximum": 4294967295}}),
            "subset": text(),
        },
        "host",
    )
    percent = record({"value": {"type": "number", "format": "double"}})
    route = record(
        {
            "corsPolicy": record({"allowCredentials": flag(nullable=True), "allowOrigins": array(match)}),
            "fault": record(
                {
                    "abort": record(
                        {"grpcStatus": text(), "httpStatus": number("int32"), "percentage": percent},
                        oneOf=[
                            {"not": {"anyOf": [{"required": ["httpStatus"]}, {"required": ["grpcStatus"]}]}},
                            {"required": ["httpStatus"]},
                            {"required": ["grpcStatus"]},
                        ],
                    )
                }
            ),
            "match": array(record({"headers": mapping(match), "ignoreUriCase": flag(), "uri": match})),
            "retries": record(
                {
                    "attempts": number("int32"),
                    "perTryTimeout": text(
                        **{
                            "x-kubernetes-validations": [
                                {
                                    "rule": "duration(self) >= duration('1ms')",
                                    "message": "must be a valid duration greater than 1ms",
                                }
                            ]
                        }
                    ),
                }
            ),
            "route": array(record({"destination": destination, "weight": number("int32")}, "destination")),
        }
    )
    service = record(
        {"exportTo": array(text()), "gateways": array(text()), "hosts": array(text()), "http": array(route)}
    )
    limits = {"type": "integer", "format": "int32", "minimum": -2147483648}
    policy = record(
        {
            "connectionPool": record(
                {"http": record({"maxRetries": limits}), "tcp": record({"connectTimeout": text()})}
            ),
            "loadBalancer": record(
                {
                    "simple": text(enum=["UNSPECIFIED", "LEAST_CONN", "RANDOM", "ROUND_ROBIN"]),
                    "warmup": record(
                        {"aggression": {"type": "number", "format": "double", "minimum": 1, "nullable": True}}
                    ),
                },
                allOf=[{"anyOf": [{"required": ["simple"]}, {"required": ["warmup"]}]}],
            ),
        }
    )
    rule = record(
        {
            "host": text(),
            "subsets": array(
                record({"labels": mapping(text()), "name": text(), "trafficPolicy": policy}, "name")
            ),
            "trafficPolicy": policy,
        },
        "host",
    )
    group = "networking.istio.io"
    common = {"subresources": {"status": {}}}
    status: Schema = {"type": "object", **ANYTHING}
    versions = ("v1", "v1alpha3", "v1beta1")
    categories = {"categories": ["istio-io", "networking-istio-io"], "shortNames": ["vs"]}
    return [
        definition(
            group,
            "VirtualService",
            "virtualservices",
            {name: whole(service, status) for name in versions},
            storage="v1beta1",
            names=categories,
            **common,
        ),
        definition(
            group,
            "DestinationRule",
            "destinationrules",
            {name: whole(rule, status) for name in versions},
            storage="v1beta1",
            **common,
        ),
    ]


def gateway_api() -> list[dict[str, Any]]:
    name = text(maxLength=253, minLength=1)
    parent = record(
        {
            "group": text(default="gateway.networking.k8s.io", maxLength=253),
            "kind": text(default="Gateway", maxLength=63),
            "name": name,
            "namespace": text(maxLength=63, pattern=DNS_LABEL),
            "port": number(minimum=1, maximum=65535),
            "sectionName": name,
        },
        "name",
    )
    header = record(
        {
            "name": text(maxLength=256, pattern=r"^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$"),
            "value": text(maxLength=4096, minLength=1),
        },
        "name",
        "value",
    )
    headers = array(header, maxItems=16, **{"x-kubernetes-list-map-keys": ["name"], **LIST_MAP})
    filters = record(
        {
            "requestHeaderModifier": record(
                {
                    "add": headers,
                    "remove": array(text(), maxItems=16, **{"x-kubernetes-list-type": "set"}),
                    "set": headers,
                }
            ),
            "requestRedirect": record(
                {
                    "port": number(minimum=1, maximum=65535),
                    "scheme": text(enum=["http", "https"]),
                    "statusCode": {"type": "integer", "enum": [301, 302], "default": 302},
                }
            ),
            "type": text(enum=["RequestHeaderModifier", "RequestRedirect"]),
        },
        "type",
        **{
            "x-kubernetes-validations": [
                {
                    "message": "requestHeaderModifier must be nil for another type",
                    "rule": "!(has(self.requestHeaderModifier) && self.type != 'RequestHeaderModifier')",
                },
                {
                    "messageExpression": "'redirect is missing for ' + self.type",
                    "reason": "FieldValueRequired",
                    "fieldPath": ".requestRedirect",
                    "rule": "!(!has(self.requestRedirect) && self.type == 'RequestRedirect')",
                },
            ]
        },
    )
    match = record(
        {
            "headers": headers,
            "method": text(
                enum=["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]
            ),
            "path": record(
                {
                    "type": text(default="PathPrefix", enum=["Exact", "PathPrefix", "RegularExpression"]),
                    "value": text(default="/", maxLength=1024),
                },
                default={"type": "PathPrefix", "value": "/"},
                **{
                    "x-kubernetes-validations": [
                        {
                            "message": "value must start with '/' when type is 'Exact' or 'PathPrefix'",
                            "rule": "!(self.type in ['Exact','PathPrefix']) || self.value.startsWith('/')",
                        }
                    ]
                },
            ),
        }
    )
    rule = record(
        {
            "backendRefs": array(
                record(
                    {
                        "filters": array(filters, maxItems=16),
                        "name": name,
                        "weight": number(default=1, maximum=1000000, minimum=0),
                    },
                    "name",
                ),
                maxItems=16,
            ),
            "filters": array(filters, maxItems=16),
            "matches": array(match, maxItems=8, default=[{"path": {"type": "PathPrefix", "value": "/"}}]),
            "timeouts": record({"request": text(pattern="^([0-9]{1,5}(h|m|s|ms)){1,4}$")}),
        }
    )
    immutable = {"x-kubernetes-validations": [{"message": "Value is immutable", "rule": "self == oldSelf"}]}
    route = record(
        {
            "hostnames": array(text(maxLength=253, minLength=1), maxItems=16),
            "parentRefs": array(parent, maxItems=32),
            "rules": array(
                rule, maxItems=16, default=[{"matches": [{"path": {"type": "PathPrefix", "value": "/"}}]}]
            ),
            "useDefault": flag(default=False),
            "tries": number(default=0),
            "tags": array(text(), default=[]),
            "note": text(default="", maxLength=20, **immutable),
        }
    )
    statuses = record(
        {
            "parents": array(
                record(
                    {
                        "conditions": conditions(),
                        "controllerName": text(minLength=1, maxLength=253),
                        "parentRef": parent,
                    },
                    "controllerName",
                    "parentRef",
                ),
                maxItems=32,
            )
        },
        "parents",
    )
    whole_route = whole(route, statuses, "spec")
    grant = whole(
        record(
            {"from": array(parent, minItems=1, maxItems=16), "to": array(parent, minItems=1, maxItems=16)},
            "from",
            "to",
        )
    )
    grant["properties"]["metadata"] = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 63}},
    }
    grant["x-kubernetes-validations"] = [
        {"rule": "size(self.metadata.name) < 60", "message": "the name is too long"}
    ]
    grant["minProperties"] = 1
    status = {"subresources": {"status": {}}}
    group = "gateway.networking.k8s.io"
    return [
        definition(
            group,
            "HTTPRoute",
            "httproutes",
            {"v1": whole_route, "v1beta1": whole_route},
            names={"categories": ["gateway-api"]},
            **status,
        ),
        definition(
            group,
            "ReferenceGrant",
            "referencegrants",
            {"v1": grant, "v1beta1": grant},
            storage="v1beta1",
            deprecated=True,
            deprecationWarning="use another",
            names={"shortNames": ["refgrant"]},
        ),
    ]
