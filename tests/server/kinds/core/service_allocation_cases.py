"""Cases of what the server gives out to services, with the answers of a real kube-apiserver to dry runs.

    python -m tests.server.kinds.core.service_allocation_cases URL TOKEN

records the answers; the server must have the default ranges of IPs and ports.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.server.kinds.harness import Case, _real_answer

ANSWERS = Path(__file__).with_name("service_allocation_answers.json")
IP = "10.0.0.233"


def service(**spec: Any) -> dict[str, Any]:
    spec.setdefault("ports", [{"port": 80}])
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "allocation-case"},
        "spec": {name: value for name, value in spec.items() if value is not None},
    }


def ports(*numbers: int, **fields: Any) -> list[dict[str, Any]]:
    """Ports 80, 81, ... with these node ports; 0 for none."""
    return [
        {"name": f"p{index}", "port": 80 + index, **({"nodePort": number} if number else {}), **fields}
        for index, number in enumerate(numbers)
    ]


def udp(number: int = 0) -> dict[str, Any]:
    return {"name": "udp", "port": 80, "protocol": "UDP", **({"nodePort": number} if number else {})}


FAMILIES: list[list[str] | None] = [
    None,
    ["IPv4"],
    ["IPv6"],
    ["IPv4", "IPv6"],
    ["IPv6", "IPv4"],
    ["x"],
    ["IPv4"] * 2,
]
POLICIES = [None, "SingleStack", "PreferDualStack", "RequireDualStack", "x"]
NODE_PORT = {"type": "NodePort", "clusterIP": IP}
LOCAL = {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "clusterIP": IP}
EXTERNAL = {"type": "ExternalName", "externalName": "a"}

CREATES = [
    Case("minimal", service()),
    *[
        Case(f"{name} {families} {policy}", service(**fields, ipFamilies=families, ipFamilyPolicy=policy))
        for name, fields in (
            ("any", {}),
            ("headless", {"clusterIP": "None"}),
            ("headless with selector", {"clusterIP": "None", "selector": {"a": "b"}}),
            ("ip", {"clusterIP": IP}),
            ("external name", EXTERNAL),
        )
        for families in FAMILIES
        for policy in POLICIES
    ],
    *[
        Case(f"cluster ip {index}", service(clusterIP=ip))
        for index, ip in enumerate(
            [
                "10.0.0.0",
                "10.0.0.255",
                "10.0.0.254",
                "10.0.1.5",
                "2001:db8::1",
                "x",
                "",
                "010.0.0.7",
                "::ffff:10.0.0.9",
            ]
        )
    ],
    *[
        Case(f"cluster ips {index}", service(clusterIP=ip, clusterIPs=ips, ipFamilyPolicy=policy))
        for index, (ip, ips, policy) in enumerate(
            [
                (None, [IP], None),
                (IP, [IP], None),
                ("None", [IP], None),
                (IP, ["None"], None),
                (IP, [IP, "2001:db8::1"], None),
                (IP, [IP, "2001:db8::1"], "PreferDualStack"),
                (IP, [IP, "10.0.0.234"], "PreferDualStack"),
                (IP, [IP, "x"], "PreferDualStack"),
                ("None", ["None", IP], None),
                (IP, [IP, "2001:db8::1", "2001:db8::2"], "PreferDualStack"),
            ]
        )
    ],
    *[
        Case(f"{kind} {index}", service(type=kind, ports=wanted))
        for kind in ("NodePort", "LoadBalancer", "ClusterIP")
        for index, wanted in enumerate(
            [
                ports(0),
                ports(31000),
                ports(0, 0, 0),
                ports(31000, 0, 31002),
                ports(31000, 31000),
                [*ports(0), udp()],
                [*ports(31000), udp()],
                [*ports(0), udp(31000)],
                [*ports(31000), udp(31000)],
                [*ports(31000), udp(31001)],
                [udp(31001), *ports(31001, 31001)],
            ]
        )
    ],
    Case(
        "no ports wanted",
        service(type="LoadBalancer", allocateLoadBalancerNodePorts=False, ports=ports(0, 31000)),
    ),
    Case("health check", service(**LOCAL)),
    Case("health check given", service(**LOCAL, healthCheckNodePort=31999)),
    Case("health check without ports", service(**LOCAL, allocateLoadBalancerNodePorts=False)),
    Case("health check twice", service(**LOCAL, ports=ports(31000), healthCheckNodePort=31000)),
    Case("bad ports", service(ports=[{"port": 0}])),
    Case("bad ip and ports", service(ports=[{"port": 0}], clusterIP="x")),
]
OLD = service(clusterIP=IP)
OLD_PORTS = service(**NODE_PORT, ports=ports(31990, 31991))
OLD_HEADLESS = service(clusterIP="None")
OLD_LOCAL = service(**LOCAL, ports=ports(31990), healthCheckNodePort=31995)
UPDATES = [
    Case("keeps ip", service(), OLD),
    Case("keeps ip given once", service(clusterIP=IP), OLD),
    Case("other ip", service(clusterIP="10.0.0.234"), OLD),
    Case("other ips", service(clusterIP="10.0.0.234", clusterIPs=[IP]), OLD),
    Case("other plural", service(clusterIPs=["10.0.0.234"]), OLD),
    Case("ip to none", service(clusterIP="None"), OLD),
    Case("none to ip", service(clusterIP=IP), OLD_HEADLESS),
    Case("headless stays", service(), OLD_HEADLESS),
    Case("headless with families", service(ipFamilies=["IPv6"]), OLD_HEADLESS),
    Case("headless to single", service(ipFamilyPolicy="SingleStack"), OLD_HEADLESS),
    *[Case(f"families {families}", service(ipFamilies=families), OLD) for families in FAMILIES],
    *[Case(f"policy {policy}", service(ipFamilyPolicy=policy), OLD) for policy in POLICIES],
    Case(
        "prefers stays",
        service(ipFamilyPolicy="PreferDualStack"),
        service(clusterIP=IP, ipFamilyPolicy="PreferDualStack"),
    ),
    Case(
        "prefers to single",
        service(ipFamilyPolicy="SingleStack"),
        service(clusterIP=IP, ipFamilyPolicy="PreferDualStack"),
    ),
    Case("to external name", service(**EXTERNAL), OLD),
    Case("from external name", service(), service(**EXTERNAL)),
    Case("from external name with ip", service(clusterIP=IP), service(**EXTERNAL)),
    Case("from external name with bad ip", service(clusterIP="10.9.9.9"), service(**EXTERNAL)),
    Case("from external name to headless", service(clusterIP="None"), service(**EXTERNAL)),
    Case("to node port", service(type="NodePort", ports=ports(0, 0)), OLD),
    Case("keeps ports", service(type="NodePort", ports=ports(0, 0)), OLD_PORTS),
    Case("keeps ports by name", service(type="NodePort", ports=list(reversed(ports(0, 0)))), OLD_PORTS),
    Case("swaps ports", service(type="NodePort", ports=ports(31991, 31990)), OLD_PORTS),
    Case("takes other's port", service(type="NodePort", ports=ports(31991, 0)), OLD_PORTS),
    Case("more ports", service(type="NodePort", ports=ports(0, 0, 0)), OLD_PORTS),
    Case("fewer ports", service(type="NodePort", ports=ports(0)), OLD_PORTS),
    Case("new port", service(type="NodePort", ports=ports(31992, 0)), OLD_PORTS),
    Case("same port for two", service(type="NodePort", ports=ports(31992, 31992)), OLD_PORTS),
    Case(
        "same port for two protocols", service(type="NodePort", ports=[*ports(31992), udp(31992)]), OLD_PORTS
    ),
    Case("node port to cluster ip", service(ports=ports(0)), OLD_PORTS),
    Case("node port to balancer", service(type="LoadBalancer", ports=ports(0)), OLD_PORTS),
    Case(
        "node port to bare balancer",
        service(type="LoadBalancer", ports=ports(0), allocateLoadBalancerNodePorts=False),
        OLD_PORTS,
    ),
    Case(
        "keeps health check",
        service(type="LoadBalancer", externalTrafficPolicy="Local", ports=ports(0)),
        OLD_LOCAL,
    ),
    Case(
        "changes health check",
        service(
            type="LoadBalancer", externalTrafficPolicy="Local", ports=ports(0), healthCheckNodePort=31996
        ),
        OLD_LOCAL,
    ),
    Case("loses health check", service(type="LoadBalancer", ports=ports(0)), OLD_LOCAL),
    Case(
        "gets health check",
        service(type="LoadBalancer", externalTrafficPolicy="Local", ports=ports(0)),
        OLD_PORTS,
    ),
    Case(
        "gets wanted health check",
        service(
            type="LoadBalancer", externalTrafficPolicy="Local", ports=ports(0), healthCheckNodePort=31996
        ),
        OLD_PORTS,
    ),
    Case(
        "gets taken health check",
        service(
            type="LoadBalancer", externalTrafficPolicy="Local", ports=ports(0), healthCheckNodePort=31990
        ),
        OLD_PORTS,
    ),
]
CASES = CREATES + UPDATES


def record(server: str, token: str) -> None:
    """Ask the real server all cases and write down what it says; a panic of the server is left out."""
    found = {}
    for case in CASES:
        try:
            found[case.name] = _real_answer(case, server, token)
        except ConnectionError:
            found[case.name] = {"code": 0, "message": "the server panics"}
    ANSWERS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    record(*sys.argv[1:3])
