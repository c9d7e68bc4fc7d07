"""Services, with all that the server would give out given; see test_service_allocation for the rest.

A change from a cluster IP to "None" along with a second family is missing: it makes the real server panic.
"""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case

PORT = {"port": 80}
GIVEN = {
    "clusterIP": "10.0.0.231",
    "clusterIPs": ["10.0.0.231"],
    "ipFamilies": ["IPv4"],
    "ipFamilyPolicy": "SingleStack",
    "ports": [PORT],
}


def service(
    metadata: dict[str, Any] | None = None, status: dict[str, Any] | None = None, **spec: Any
) -> dict[str, Any]:
    merged = {name: value for name, value in {**GIVEN, **spec}.items() if value is not None}
    named = {"name": "core-case", **(metadata or {})}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": named,
        "spec": merged,
        "status": {"loadBalancer": {}, **(status or {})},
    }


def node_port(number: int = 31998, **fields: Any) -> dict[str, Any]:
    return {"type": "NodePort", "ports": [{"port": 80, "nodePort": number}], **fields}


def balancer(**fields: Any) -> dict[str, Any]:
    return {"type": "LoadBalancer", "ports": [{"port": 80, "nodePort": 31998}], **fields}


def local(port: int | None = 31999, **fields: Any) -> dict[str, Any]:
    return balancer(externalTrafficPolicy="Local", healthCheckNodePort=port, **fields)


EXTERNAL: dict[str, Any] = {
    "type": "ExternalName",
    "externalName": "a.b",
    **dict.fromkeys(["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"], None),
}
HEADLESS: dict[str, Any] = {
    "clusterIP": "None",
    "clusterIPs": ["None"],
    "ipFamilies": ["IPv4", "IPv6"],
    "ipFamilyPolicy": "RequireDualStack",
}
RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"
HINTS = "service.kubernetes.io/topology-aware-hints"
MODE = "service.kubernetes.io/topology-mode"


def notes(**annotations: str) -> dict[str, Any]:
    names = {"ranges": RANGES, "hints": HINTS, "mode": MODE}
    return {"annotations": {names[name]: value for name, value in annotations.items()}}


PORTS: list[Any] = [
    None,
    [{"port": 0}],
    [{"port": 65536}],
    [{"port": -1, "targetPort": -1}],
    [{"port": 80, "protocol": "UDP"}],
    [{"port": 80, "protocol": "SCTP"}],
    [{"port": 80, "protocol": "x"}],
    [{"port": 80, "name": "a"}],
    [{"port": 80, "name": "A b"}],
    [{"port": 80, "name": "a" * 64}],
    [{"port": 80, "targetPort": 8080}],
    [{"port": 80, "targetPort": 70000}],
    [{"port": 80, "targetPort": "http"}],
    [{"port": 80, "targetPort": "-x--y!"}],
    [{"port": 80, "targetPort": "1234567890123456"}],
    [{"port": 80, "appProtocol": "kubernetes.io/h2c"}],
    [{"port": 80, "appProtocol": "a b"}],
    [{"port": 80, "appProtocol": ""}],
    [{"port": 80, "name": "a"}, {"port": 81}],
    [{"port": 80, "name": "a"}, {"port": 81, "name": "a"}],
    [{"port": 80, "name": "a"}, {"port": 80, "name": "b"}],
    [{"port": 80, "name": "a"}, {"port": 80, "name": "b", "protocol": "UDP", "targetPort": "x"}],
    [{"port": 80, "nodePort": 31000}],
]
AFFINITIES: list[dict[str, Any]] = [
    {"sessionAffinity": "ClientIP"},
    {"sessionAffinity": "x"},
    {"sessionAffinity": "None", "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 5}}},
    *[
        {"sessionAffinity": "ClientIP", "sessionAffinityConfig": config}
        for config in (
            {},
            {"clientIP": {}},
            {"clientIP": {"timeoutSeconds": 5}},
            {"clientIP": {"timeoutSeconds": 0}},
            {"clientIP": {"timeoutSeconds": 86400}},
            {"clientIP": {"timeoutSeconds": 86401}},
        )
    ],
]
EXTERNAL_IPS = ["1.2.3.4", "x", "127.0.0.1", "0.0.0.0", "01.2.3.4", "2001:DB8::1", "::ffff:1.2.3.4", ""]  # noqa: S104
CIDRS = ["10.0.0.0/8", " 10.0.0.0/8 ", "10.0.0.1/8", "x", "010.0.0.0/8", "2001:DB8::/64", "10.0.0.0", ""]

CREATES = [
    Case("minimal", service()),
    Case("status is reset", service(status={"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}, **balancer())),
    Case("selector", service(selector={"a": "b"}, publishNotReadyAddresses=True)),
    Case("bad selector", service(selector={"a b": "c d"})),
    *[Case(f"ports {index}", service(ports=ports)) for index, ports in enumerate(PORTS)],
    *[Case(f"affinity {index}", service(**fields)) for index, fields in enumerate(AFFINITIES)],
    Case("type", service(type="x")),
    Case("node port", service(**node_port())),
    Case("balancer", service(**balancer())),
    Case("balancer without ports", service(**balancer(ports=[PORT], allocateLoadBalancerNodePorts=False))),
    Case("allocate for others", service(allocateLoadBalancerNodePorts=True)),
    Case("external name", service(**EXTERNAL)),
    Case("external name with ports", service(**EXTERNAL, selector={"a": "b"})),
    Case("external name without ports", service(**{**EXTERNAL, "ports": None})),
    *[
        Case(f"external name {index}", service(**{**EXTERNAL, "externalName": name}))
        for index, name in enumerate([None, "", ".", "a.b.", "A.b", "a_b", "1.2.3.4", "a" * 254])
    ],
    Case("external name with ips", service(type="ExternalName", externalName="a")),
    Case("external name with policy", service(**{**EXTERNAL, "ipFamilyPolicy": "SingleStack"})),
    Case("external name with external ips", service(**EXTERNAL, externalIPs=["1.2.3.4"])),
    Case("external name with traffic policy", service(**EXTERNAL, externalTrafficPolicy="Cluster")),
    Case("external name with internal policy", service(**EXTERNAL, internalTrafficPolicy="Local")),
    Case("external name with bad internal policy", service(**EXTERNAL, internalTrafficPolicy="x")),
    Case("ignored external name", service(externalName="a")),
    Case("headless", service(**HEADLESS)),
    Case("headless without ports", service(**{**HEADLESS, "ports": None})),
    Case("headless node port", service(**{**HEADLESS, **node_port()})),
    Case("headless balancer", service(**{**HEADLESS, **balancer()})),
    Case(
        "headless warns",
        service(**HEADLESS, loadBalancerIP="1.2.3.4", externalIPs=["1.2.3.4"], sessionAffinity="ClientIP"),
    ),
    *[Case(f"external ip {index}", service(externalIPs=[ip])) for index, ip in enumerate(EXTERNAL_IPS)],
    Case("external ips with policy", service(externalIPs=["1.2.3.4"], externalTrafficPolicy="Local")),
    *[
        Case(f"balancer ip {index}", service(**balancer(loadBalancerIP=ip)))
        for index, ip in enumerate(["1.2.3.4", "x", "01.2.3.4"])
    ],
    *[
        Case(f"source range {index}", service(**balancer(loadBalancerSourceRanges=[cidr])))
        for index, cidr in enumerate(CIDRS)
    ],
    *[
        Case(f"annotated range {index}", service(notes(ranges=cidr), **balancer()))
        for index, cidr in enumerate([*CIDRS, "10.0.0.0/8, x ,11.0.0.0/8"])
    ],
    Case("source range of others", service(loadBalancerSourceRanges=["10.0.0.0/8"])),
    Case("annotated range of others", service(notes(ranges="x"))),
    Case("both ranges", service(notes(ranges="x"), **balancer(loadBalancerSourceRanges=["10.0.0.0/8"]))),
    Case("class", service(**balancer(loadBalancerClass="example.com/a"))),
    Case("bad class", service(**balancer(loadBalancerClass="a b"))),
    Case("class of others", service(loadBalancerClass="a")),
    *[
        Case(f"traffic {kind} {policy}", service(**fields, externalTrafficPolicy=policy))
        for kind, fields in (("cluster", {}), ("node", node_port()))
        for policy in ("Cluster", "Local", "x")
    ],
    Case("local", service(**local())),
    Case("local with bad port", service(**local(70000))),
    Case("health check of others", service(healthCheckNodePort=31999)),
    Case("health check of cluster policy", service(**balancer(healthCheckNodePort=31999))),
    *[
        Case(f"internal {policy}", service(internalTrafficPolicy=policy))
        for policy in ("Cluster", "Local", "x", "")
    ],
    *[
        Case(f"distribution {value}", service(trafficDistribution=value))
        for value in ("PreferClose", "PreferSameZone", "PreferSameNode", "x", "")
    ],
    Case("hints", service(notes(hints="Auto"))),
    Case("mode", service(notes(mode="Auto"))),
    Case("hints and mode", service(notes(hints="Auto", mode="Auto"))),
    Case("hints and other mode", service(notes(hints="Auto", mode="x"))),
    Case(
        "duplicate node port",
        service(
            type="NodePort",
            ports=[
                {"port": 80, "name": "a", "nodePort": 31998},
                {"port": 80, "name": "b", "protocol": "UDP", "nodePort": 31998},
            ],
        ),
    ),
]


def ingress(**fields: Any) -> dict[str, Any]:
    return {"loadBalancer": {"ingress": [fields]}}


BALANCER = service(**balancer())
UPDATES = [
    Case("update", service({"labels": {"a": "b"}}, ports=[{"port": 81}]), service()),
    Case("change ip", service(clusterIP="10.0.0.232", clusterIPs=["10.0.0.232"]), service()),
    Case("from headless", service(), service(**HEADLESS)),
    Case("to external name", service(**EXTERNAL), service()),
    Case("to external name keeping all", service(type="ExternalName", externalName="a"), service()),
    Case(
        "to external name with other ip",
        service(type="ExternalName", externalName="a", clusterIP="10.0.0.99"),
        service(),
    ),
    Case("node port to cluster ip", service(ports=[{"port": 80, "nodePort": 31998}]), service(**node_port())),
    Case(
        "node port to cluster ip with other port",
        service(ports=[{"port": 80, "nodePort": 31997}]),
        service(**node_port()),
    ),
    Case(
        "node port to external name",
        service(**{**EXTERNAL, "ports": [{"port": 80, "nodePort": 31998}]}),
        service(**node_port()),
    ),
    Case(
        "balancer to cluster ip",
        service(allocateLoadBalancerNodePorts=True, externalTrafficPolicy="Cluster"),
        BALANCER,
    ),
    Case(
        "balancer to cluster ip changing all",
        service(allocateLoadBalancerNodePorts=False, externalTrafficPolicy="Local"),
        BALANCER,
    ),
    Case("balancer to node port", service(**node_port(allocateLoadBalancerNodePorts=True)), BALANCER),
    Case("class to none", service(loadBalancerClass="a"), service(**balancer(loadBalancerClass="a"))),
    Case(
        "change class", service(**balancer(loadBalancerClass="b")), service(**balancer(loadBalancerClass="a"))
    ),
    Case("remove class", BALANCER, service(**balancer(loadBalancerClass="a"))),
    Case("set class", service(**balancer(loadBalancerClass="a")), BALANCER),
    Case("local to cluster", service(**balancer(healthCheckNodePort=31999)), service(**local())),
    Case(
        "local to cluster with other port", service(**balancer(healthCheckNodePort=31996)), service(**local())
    ),
    Case("change health check", service(**local(31996)), service(**local())),
    Case("bad update", service(ports=[{"port": 0}], sessionAffinity="x", type="y"), service()),
    Case("external ips to none", service(externalTrafficPolicy="Cluster"), service(externalIPs=["1.2.3.4"])),
    Case("status of cluster ip", service(status=ingress(ip="1.2.3.4")), service(), "status"),
    Case("status", service(status=ingress(ip="1.2.3.4"), **balancer()), BALANCER, "status"),
    Case("status takes no spec", service(ports=None), service(), "status"),
    *[
        Case(f"status {index}", service(status=ingress(**fields), **balancer()), BALANCER, "status")
        for index, fields in enumerate(
            [
                {},
                {"ip": "x"},
                {"ip": "01.2.3.4"},
                {"ip": "2001:DB8::1"},
                {"ip": "1.2.3.4", "ipMode": "Proxy"},
                {"ip": "1.2.3.4", "ipMode": "x"},
                {"hostname": "a.b"},
                {"hostname": "a_b"},
                {"hostname": "1.2.3.4"},
                {"hostname": "a.b", "ipMode": "VIP"},
                {"hostname": "a", "ports": [{"port": 80, "protocol": "TCP"}]},
            ]
        )
    ],
]
CASES = CREATES + UPDATES
