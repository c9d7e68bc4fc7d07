"""Ingresses, IngressClasses, IPAddresses and ServiceCIDRs."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.apps import changed
from tests.server.kinds.harness import Case, Json

SERVICE: Json = {"service": {"name": "web", "port": {"number": 80}}}
PATH: Json = {"path": "/a", "pathType": "Prefix", "backend": SERVICE}
RULE: Json = {"host": "example.com", "http": {"paths": [PATH]}}
RESOURCE: Json = {"resource": {"apiGroup": "example.com", "kind": "Bucket", "name": "b"}}
CLASS: Json = {"controller": "example.com/ingress"}
PARAMETERS: Json = {"kind": "Config", "name": "c"}


def make(kind: str, spec: Json, /, name: str = "", **fields: Any) -> Json:
    obj: Json = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name or f"case-{kind.lower()}"},
        "spec": spec,
    }
    return {**obj, **fields}


def ingress(**spec: Any) -> Json:
    status = spec.pop("status", {"loadBalancer": {}})
    annotations = spec.pop("annotations", None)
    obj = make("Ingress", spec, status=status)
    if annotations:
        obj["metadata"]["annotations"] = annotations
    return obj


SPECS: dict[str, Json] = {
    "nothing": {},
    "default backend": {"defaultBackend": SERVICE},
    "resource backend": {"defaultBackend": RESOURCE},
    "core resource backend": {"defaultBackend": changed(RESOURCE, resource__apiGroup=None)},
    "bad resource backend": {"defaultBackend": {"resource": {"apiGroup": "?", "kind": "a/b", "name": "%"}}},
    "empty resource backend": {"defaultBackend": {"resource": {"kind": "", "name": ""}}},
    "both backends": {"defaultBackend": {**SERVICE, **RESOURCE}},
    "no backend": {"defaultBackend": {}},
    "no service name": {"defaultBackend": {"service": {"name": "", "port": {"number": 80}}}},
    "bad service name": {"defaultBackend": {"service": {"name": "Web.x", "port": {"number": 80}}}},
    "digits in service name": {"defaultBackend": {"service": {"name": "1web", "port": {"number": 80}}}},
    "no port": {"defaultBackend": {"service": {"name": "web", "port": {}}}},
    "port by name": {"defaultBackend": {"service": {"name": "web", "port": {"name": "http"}}}},
    "bad port name": {"defaultBackend": {"service": {"name": "web", "port": {"name": "--"}}}},
    "bad port number": {"defaultBackend": {"service": {"name": "web", "port": {"number": 70000}}}},
    "both ports": {"defaultBackend": {"service": {"name": "web", "port": {"number": 80, "name": "http"}}}},
    "rule": {"rules": [RULE]},
    "rule without http": {"rules": [{"host": "example.com"}]},
    "empty rule": {"rules": [{}]},
    "rule without paths": {"rules": [{"http": {"paths": []}}]},
    "wildcard": {"rules": [{**RULE, "host": "*.example.com"}]},
    "bad wildcard": {"rules": [{**RULE, "host": "a.*.example.com"}]},
    "bad host": {"rules": [{**RULE, "host": "Example_com"}]},
    "host is an address": {"rules": [{**RULE, "host": "1.2.3.4"}, {**RULE, "host": "::1"}]},
    "wildcard without paths": {"rules": [{"host": "*.example.com", "http": {"paths": []}}]},
    "no path type": {"rules": [changed(RULE, http__paths__0__pathType=None)]},
    "unknown path type": {"rules": [changed(RULE, http__paths__0__pathType="Regex")]},
    "implementation specific": {
        "rules": [changed(RULE, http__paths__0__pathType="ImplementationSpecific", http__paths__0__path=None)]
    },
    "implementation specific, relative": {
        "rules": [
            changed(RULE, http__paths__0__pathType="ImplementationSpecific", http__paths__0__path="a//")
        ]
    },
    "no path": {"rules": [changed(RULE, http__paths__0__path=None)]},
    "relative path": {"rules": [changed(RULE, http__paths__0__path="a", http__paths__0__pathType="Exact")]},
    **{
        f"path {path}": {"rules": [changed(RULE, http__paths__0__path=path)]}
        for path in ("/a//b", "/./", "/../", "/%2f", "/%2Fb", "/a/..", "/a/.", "/a//./../%2f%2F/..")
    },
    "path without backend": {"rules": [changed(RULE, http__paths__0__backend={})]},
    "tls": {"rules": [RULE], "tls": [{"hosts": ["example.com", "*.example.com"], "secretName": "cert"}]},
    "bad tls hosts": {"rules": [RULE], "tls": [{}, {"hosts": ["?", "a.*", ""], "secretName": "Cert!"}]},
    "class": {"rules": [RULE], "ingressClassName": "nginx"},
    "bad class": {"rules": [RULE], "ingressClassName": "Nginx!"},
    "empty class": {"rules": [RULE], "ingressClassName": ""},
}
ANNOTATED = {"kubernetes.io/ingress.class": "old"}
POINTS: dict[str, list[Json]] = {
    "ip": [{"ip": "1.2.3.4"}, {"hostname": "lb.example.com"}],
    "ipv6": [{"ip": "2001:0DB8::1"}],
    "bad ip": [{"ip": "1.2.3"}],
    "zeros": [{"ip": "01.2.3.4"}],
    "mapped": [{"ip": "::ffff:1.2.3.4"}],
    "bad host": [{"hostname": "Lb!"}],
    "host is an address": [{"ip": "1.2.3.4", "hostname": "1.2.3.4"}],
    "ports": [{"ip": "1.2.3.4", "ports": [{"port": 80, "protocol": "TCP"}]}],
    "odd ports": [{"ip": "1.2.3.4", "ports": [{"port": 0, "protocol": "?", "error": "a b"}]}],
}
CLASSES: dict[str, Json] = {
    "minimal": CLASS,
    "nothing": {},
    "full": {**CLASS, "parameters": {**PARAMETERS, "apiGroup": "example.com", "scope": "Cluster"}},
    "parameters": {**CLASS, "parameters": PARAMETERS},
    "namespace": {**CLASS, "parameters": {**PARAMETERS, "scope": "Namespace", "namespace": "default"}},
    "no namespace": {**CLASS, "parameters": {**PARAMETERS, "scope": "Namespace"}},
    "bad namespace": {**CLASS, "parameters": {**PARAMETERS, "scope": "Namespace", "namespace": "a.b"}},
    "cluster with namespace": {**CLASS, "parameters": {**PARAMETERS, "namespace": "default"}},
    "unknown scope": {**CLASS, "parameters": {**PARAMETERS, "scope": "World", "namespace": "?"}},
    "empty parameters": {**CLASS, "parameters": {"kind": "", "name": ""}},
    "bad parameters": {**CLASS, "parameters": {"apiGroup": "", "kind": "a/b", "name": "a%"}},
    "long": {"controller": "example.com/" + "a" * 240},
    "no domain": {"controller": "ingress"},
    "empty path": {"controller": "example.com/"},
    "bad domain": {"controller": "Example/x"},
    "bad path": {"controller": "example.com/a b"},
    "both bad": {"controller": "E/a b"},
    "odd path": {"controller": "example.com/a/b~%!$&'()*+,;=:"},
}
PARENT: Json = {"resource": "services", "namespace": "default", "name": "web"}
PARENTS: dict[str, Json | None] = {
    "minimal": PARENT,
    "none": None,
    "empty": {},
    "group": {**PARENT, "group": "example.com"},
    "all bad": {"group": "?", "resource": "a/b", "namespace": "a%", "name": ".."},
}
RANGES: dict[str, list[str]] = {
    "one": ["10.77.0.0/24"],
    "ipv6": ["2001:db8::/64"],
    "both": ["10.77.0.0/24", "2001:db8::/64"],
    "none": [],
    "three": ["10.77.0.0/24", "2001:db8::/64", "10.78.0.0/24"],
    "same family": ["10.77.0.0/24", "10.78.0.0/24"],
    "same family of ipv6": ["2001:db8::/64", "2001:db9::/64"],
    "bad": ["10.77.0.0", "x"],
    "bits": ["10.77.0.1/24"],
    "zeros": ["010.77.0.0/24"],
    "not canonical": ["2001:DB8::/64"],
    "mapped": ["::ffff:10.77.0.0/120"],
}


def address(parent: Json | None) -> Json:
    return make("IPAddress", {} if parent is None else {"parentRef": parent}, "203.0.113.77")


def cidr(*ranges: str, **fields: Any) -> Json:
    return make("ServiceCIDR", {"cidrs": list(ranges)} if ranges else {}, **fields)


def condition(**fields: Any) -> Json:
    made = {"type": "Ready", "status": "?", "reason": "", "message": ""}
    return {**made, "lastTransitionTime": "2026-01-01T00:00:00Z", **fields}


OLD = ingress(rules=[RULE])
CASES = [
    *[Case(f"ingress: {name}", ingress(**spec)) for name, spec in SPECS.items()],
    *[Case(f"ingress: update: {name}", ingress(**spec), OLD) for name, spec in SPECS.items()],
    Case(
        "ingress: status is dropped",
        ingress(rules=[RULE], status={"loadBalancer": {"ingress": POINTS["ip"]}}),
    ),
    Case("ingress: annotation", ingress(rules=[RULE], annotations=ANNOTATED)),
    Case(
        "ingress: annotation and class", ingress(rules=[RULE], annotations=ANNOTATED, ingressClassName="new")
    ),
    Case(
        "ingress: annotation as class", ingress(rules=[RULE], annotations=ANNOTATED, ingressClassName="old")
    ),
    Case(
        "ingress: update: annotation and class",
        ingress(rules=[RULE], annotations=ANNOTATED, ingressClassName="new"),
        OLD,
    ),
    Case("ingress: update: annotation", ingress(rules=[RULE], annotations=ANNOTATED), OLD),
    Case(
        "ingress: update: status is kept",
        ingress(rules=[RULE], status={"loadBalancer": {"ingress": POINTS["ip"]}}),
        OLD,
    ),
    *[
        Case(f"ingress: status: {name}", ingress(status={"loadBalancer": {"ingress": points}}), OLD, "status")
        for name, points in POINTS.items()
    ],
    *[Case(f"class: {name}", make("IngressClass", spec)) for name, spec in CLASSES.items()],
    *[
        Case(f"class: update: {name}", make("IngressClass", spec), make("IngressClass", CLASS))
        for name, spec in CLASSES.items()
    ],
    *[Case(f"address: {name}", address(parent)) for name, parent in PARENTS.items()],
    *[Case(f"address: update: {name}", address(each), address(PARENT)) for name, each in PARENTS.items()],
    *[Case(f"cidr: {name}", cidr(*ranges)) for name, ranges in RANGES.items()],
    *[Case(f"cidr: update: {name}", cidr(*ranges), cidr("10.77.0.0/24")) for name, ranges in RANGES.items()],
    Case("cidr: update: fewer", cidr("10.77.0.0/24"), cidr("10.77.0.0/24", "2001:db8::/64")),
    Case(
        "cidr: update: others", cidr("10.78.0.0/24", "2001:db9::/64"), cidr("10.77.0.0/24", "2001:db8::/64")
    ),
    Case("cidr: update: other first", cidr("10.78.0.0/24", "2001:db9::/64"), cidr("10.77.0.0/24")),
    Case("cidr: update: bad second", cidr("10.77.0.0/24", "x"), cidr("10.77.0.0/24")),
    Case("cidr: status is dropped", cidr("10.77.0.0/24", status={"conditions": [condition()]})),
    Case(
        "cidr: update: status is kept",
        cidr("10.77.0.0/24", status={"conditions": [condition()]}),
        cidr("10.77.0.0/24"),
    ),
    Case(
        "cidr: status: odd condition",
        cidr("10.79.0.0/24", status={"conditions": [condition()]}),
        cidr("10.77.0.0/24"),
        "status",
    ),
]
