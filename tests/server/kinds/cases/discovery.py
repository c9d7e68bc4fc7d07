"""EndpointSlices."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case, Json


def endpoint(*addresses: str, **fields: Any) -> Json:
    return {"addresses": list(addresses), "conditions": {}, **fields}


def made(kind: str = "IPv4", /, *endpoints: Json, labels: Json | None = None, **fields: Any) -> Json:
    obj: Json = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "case-slice"},
        "addressType": kind,
        "endpoints": list(endpoints),
        **fields,
    }
    if labels:
        obj["metadata"]["labels"] = labels
    return obj


ONE = endpoint("10.1.2.3")
ADDRESSES = {
    "ipv4": ("10.1.2.3", "1.2.3.4"),
    "ipv6": ("2001:db8::1",),
    "ipv6, odd": ("2001:DB8::1", "2001:db8:0::1"),
    "mapped": ("::ffff:10.1.2.3",),
    "zeros": ("010.1.2.3",),
    "bad": ("10.1.2", "x", ""),
    "none": (),
    "domain": ("example.com", "example.com."),
    "short domain": ("localhost",),
    "bad domain": ("Example.com", "a..b", "-.x"),
    "long label": ("a" * 64 + ".com",),
    "loopback": ("127.0.0.1",),
    "loopback of ipv6": ("::1",),
    "link-local": ("169.254.1.1", "224.0.0.1"),
    "link-local of ipv6": ("fe80::1", "ff02::1"),
    "unspecified": ("0.0.0.0",),  # noqa: S104 - an address to refuse
    "unspecified ipv6": ("::",),
}
ENDPOINTS: dict[str, Json] = {
    "full": endpoint(
        "10.1.2.3",
        conditions={"ready": True, "serving": True, "terminating": False},
        hostname="web-0",
        nodeName="node-1",
        zone="a",
        hints={"forZones": [{"name": "a"}], "forNodes": [{"name": "node-1"}]},
        targetRef={"kind": "Pod", "name": "web-0", "namespace": "default"},
    ),
    "bad node": endpoint("10.1.2.3", nodeName="Node!"),
    "bad host": endpoint("10.1.2.3", hostname="web.0"),
    "empty host": endpoint("10.1.2.3", hostname=""),
    "empty hints": endpoint("10.1.2.3", hints={}),
    "zones twice": endpoint("10.1.2.3", hints={"forZones": [{"name": "a"}, {"name": "a"}]}),
    "bad zone": endpoint("10.1.2.3", hints={"forZones": [{"name": "?"}, {"name": ""}]}),
    "nodes twice": endpoint("10.1.2.3", hints={"forNodes": [{"name": "a"}, {"name": "a"}]}),
    "bad node hint": endpoint("10.1.2.3", hints={"forNodes": [{"name": "?"}, {"name": ""}]}),
    "many zones": endpoint(
        "10.1.2.3", hints={"forZones": [{"name": f"{n}"} for n in range(9)], "forNodes": [{"name": "?"}]}
    ),
    "many nodes": endpoint(
        "10.1.2.3", hints={"forZones": [{"name": "?"}], "forNodes": [{"name": f"{n}"} for n in range(9)]}
    ),
    "many addresses": endpoint(*[f"10.1.2.{n}" for n in range(101)]),
    "topology is dropped": endpoint("10.1.2.3", deprecatedTopology={"a": "b", "kubernetes.io/hostname": "n"}),
}
PORTS: dict[str, list[Json]] = {
    "default": [{}],
    "full": [{"name": "http", "port": 80, "protocol": "UDP", "appProtocol": "example.com/http"}],
    "names twice": [{"name": "a"}, {"name": "a"}, {}, {}],
    "bad name": [{"name": "A_b"}],
    "unknown protocol": [{"protocol": "ICMP"}],
    "empty protocol": [{"protocol": ""}],
    "bad application": [{"appProtocol": "a b"}],
    "empty application": [{"appProtocol": ""}],
    "odd number": [{"port": -1}],
}
OLD = made("IPv4", ONE)
CASES = [
    Case("minimal", made()),
    Case("no type", made("", ONE)),
    Case("unknown type", made("IPv5", ONE)),
    Case("many endpoints", made("IPv4", *[ONE] * 1001)),
    *[
        Case(f"{kind}: {name}", made(kind, endpoint(*addresses)))
        for kind in ("IPv4", "IPv6", "FQDN", "Other")
        for name, addresses in ADDRESSES.items()
    ],
    *[Case(f"endpoint: {name}", made("IPv4", ONE, each)) for name, each in ENDPOINTS.items()],
    *[Case(f"ports: {name}", made("IPv4", ONE, ports=ports)) for name, ports in PORTS.items()],
    *[Case(f"update: ports: {name}", made("IPv4", ONE, ports=ports), OLD) for name, ports in PORTS.items()],
    *[Case(f"update: endpoint: {name}", made("IPv4", each), OLD) for name, each in ENDPOINTS.items()],
    *[Case(f"update: {name}", made("IPv4", endpoint(*each)), OLD) for name, each in ADDRESSES.items()],
    Case("update: other type", made("IPv6", ONE), OLD),
    Case("update: other type, other endpoints", made("FQDN", endpoint("example.com")), OLD),
    Case("update: no type", made(""), OLD),
    Case("update: nothing left", made("IPv4"), OLD),
    Case(
        "no warnings for the controller",
        made(
            "FQDN",
            endpoint("example.com"),
            labels={"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"},
        ),
    ),
]
