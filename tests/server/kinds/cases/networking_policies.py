"""NetworkPolicies."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.cases.networking import make
from tests.server.kinds.harness import Case, Json

LABELS: Json = {"matchLabels": {"app": "web"}}
BAD_LABELS: Json = {"matchLabels": {"app": "?"}, "matchExpressions": [{"key": "", "operator": "Near"}]}


def policy(**spec: Any) -> Json:
    return make("NetworkPolicy", {"podSelector": {}, **spec})


def block(cidr: str, *excepts: str) -> Json:
    made: Json = {"cidr": cidr}
    return {"ipBlock": {**made, "except": list(excepts)} if excepts else made}


PORTS: dict[str, Json] = {
    "nothing": {},
    "number": {"port": 80},
    "name": {"port": "http", "protocol": "UDP"},
    "range": {"port": 80, "endPort": 90, "protocol": "SCTP"},
    "same": {"port": 80, "endPort": 80},
    "range backwards": {"port": 80, "endPort": 70},
    "range to nowhere": {"port": 80, "endPort": 70000},
    "range below": {"port": -2, "endPort": -3},
    "range of a name": {"port": "http", "endPort": 90},
    "range of nothing": {"endPort": 90},
    "bad name": {"port": "a_b"},
    "bad number": {"port": 0},
    "large number": {"port": 65536},
    "unknown protocol": {"protocol": "ICMP"},
    "empty protocol": {"protocol": ""},
}
PEERS: dict[str, Json] = {
    "nothing": {},
    "pods": {"podSelector": LABELS},
    "namespaces": {"namespaceSelector": {}},
    "both": {"podSelector": LABELS, "namespaceSelector": LABELS},
    "bad selectors": {"podSelector": BAD_LABELS, "namespaceSelector": BAD_LABELS},
    "block": block("10.0.0.0/8", "10.1.0.0/16"),
    "block and pods": {**block("10.0.0.0/8"), "podSelector": {}},
    "all": {**block("10.0.0.0/8"), "podSelector": {}, "namespaceSelector": {}},
    "empty block": {"ipBlock": {"cidr": ""}},
    "bad block": block("10.0.0.0", "10.1.0.0/16"),
    "bad exception": block("10.0.0.0/8", "x", "11.0.0.0/16", "10.0.0.0/8", "10.1.0.0/7"),
    "bits": block("10.0.0.1/8", "10.1.0.1/16"),
    "zeros": block("010.0.0.0/8", "10.01.0.0/16"),
    "zeros in length": block("10.0.0.0/08"),
    "ipv6": block("2001:DB8::/32", "2001:db8:1::/48"),
    "mapped": block("::ffff:10.0.0.0/104", "::ffff:10.1.0.0/112"),
    "mapped exception": block("10.0.0.0/8", "::ffff:10.1.0.0/112"),
    "other family": block("10.0.0.0/8", "2001:db8::/64"),
    "everything": block("0.0.0.0/0", "169.254.169.254/32"),
}
OLD = policy()

CASES = [
    Case("minimal", policy()),
    Case("selector", policy(podSelector=LABELS)),
    Case("bad selector", policy(podSelector=BAD_LABELS)),
    Case("ingress", policy(ingress=[{}])),
    Case("egress", policy(egress=[{}])),
    Case("types", policy(policyTypes=["Egress", "Egress"])),
    Case("three types", policy(policyTypes=["Egress", "Ingress", "Other"])),
    Case("unknown type", policy(policyTypes=["Egress", "Other"])),
    Case(
        "full",
        policy(
            podSelector=LABELS,
            ingress=[{"ports": [PORTS["number"], PORTS["name"]], "from": [PEERS["pods"], PEERS["block"]]}],
            egress=[{"ports": [PORTS["range"]], "to": [PEERS["both"]]}],
        ),
    ),
    *[Case(f"ingress port: {name}", policy(ingress=[{"ports": [port]}])) for name, port in PORTS.items()],
    *[
        Case(f"egress port: {name}", policy(egress=[{}, {"ports": [{}, port]}]))
        for name, port in PORTS.items()
    ],
    *[Case(f"from: {name}", policy(ingress=[{"from": [peer]}])) for name, peer in PEERS.items()],
    *[Case(f"to: {name}", policy(egress=[{"to": [peer]}])) for name, peer in PEERS.items()],
    *[Case(f"update: from: {name}", policy(ingress=[{"from": [peer]}]), OLD) for name, peer in PEERS.items()],
    Case("update: selector", policy(podSelector=LABELS), OLD),
    Case("update: bad selector", policy(podSelector=BAD_LABELS), OLD),
    Case("update: bad port", policy(egress=[{"ports": [PORTS["range backwards"]]}]), OLD),
]
