"""Endpoints: addresses and ports."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case


def endpoints(*subsets: dict[str, Any], metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    named = {"name": "core-case", **(metadata or {})}
    rest = {"subsets": list(subsets)} if subsets else {}
    return {"apiVersion": "v1", "kind": "Endpoints", "metadata": named, **rest}


def subset(ip: str = "10.1.2.3", *ports: dict[str, Any], **address: Any) -> dict[str, Any]:
    rest = {"ports": list(ports)} if ports else {}
    return {"addresses": [{"ip": ip, **address}], **rest}


IPS = [
    "",
    "x",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "1.2.3.-4",
    "1.2.3. 4",
    "010.001.002.003",
    "0000000000010.1.2.3",
    "1.2.3.0x4",
    "0.0.0.0",  # noqa: S104 - no binding
    "127.0.0.1",
    "127.255.0.1",
    "169.254.1.2",
    "224.0.0.1",
    "224.0.1.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "ff12::1",
    "ff01::1",
    "2001:db8::1",
    "2001:DB8::1",
    "2001:db8:0:0:0:0:0:1",
    "2001:0db8::0001",
    "2001:00db8::1",
    "2001:db8::g",
    "2001:db8::1%eth0",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7",
    "1:2:3:4::5:6:7:8",
    "1:2:3:4:5:6:7::",
    "1::2::3",
    ":1:2:3:4:5:6:7",
    "::ffff:1.2.3.4",
    "::ffff:0102:0304",
    "::ffff:127.0.0.1",
    "::ffff:1.2.3.04",
    "::1.2.3.4",
    "64:ff9b::1.2.3.4",
    "64:ff9b::1.2.3.4.5",
    "1.2.3.4:5",
    "1.2.3.4/24",
    "\uff11.2.3.4",
    ":::",
    ":",
]
PORT = {"port": 80}
PORTS = [
    [],
    [{"port": 0}],
    [{"port": -1}],
    [{"port": 65535}],
    [{"port": 65536}],
    [{"port": 80, "protocol": "UDP"}],
    [{"port": 80, "protocol": "SCTP"}],
    [{"port": 80, "protocol": "tcp"}],
    [{"port": 80, "name": "a"}],
    [{"port": 80, "name": "A"}],
    [{"port": 80, "name": "a.b"}],
    [{"port": 80, "name": "a" * 64}],
    [{"port": 80}, {"port": 81}],
    [{"port": 80, "name": "a"}, {"port": 80, "name": "a"}],
    [{"port": 80, "appProtocol": "kubernetes.io/h2c"}],
    [{"port": 80, "appProtocol": "a b"}],
    [{"port": 80, "appProtocol": ""}],
]
NOT_READY = {"notReadyAddresses": [{"ip": "010.1.2.3"}], "ports": [{"port": 1}]}
BY_CONTROLLER = {"labels": {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}}

CASES = [
    Case("minimal", endpoints()),
    Case("empty subset", endpoints({})),
    Case("only ports", endpoints({"ports": [PORT]})),
    Case("not ready", endpoints(NOT_READY)),
    Case("not ready and bad", endpoints({"notReadyAddresses": [{"ip": "x"}]})),
    Case(
        "full",
        endpoints(
            subset("1.2.3.4", PORT, hostname="a", nodeName="b.c", targetRef={"kind": "Pod", "name": "p"}),
            subset("5.6.7.8", PORT),
        ),
    ),
    *[Case(f"ip {index} {ip}", endpoints(subset(ip))) for index, ip in enumerate(IPS)],
    *[Case(f"ports {index}", endpoints(subset("1.2.3.4", *ports))) for index, ports in enumerate(PORTS)],
    Case("hostname", endpoints(subset(hostname="a.b"))),
    Case("long hostname", endpoints(subset(hostname="a" * 64))),
    Case("node name", endpoints(subset(nodeName="a_b"))),
    Case("empty node name", endpoints(subset(nodeName=""))),
    Case("no warnings for the controller", endpoints(subset("01.2.3.4"), metadata=BY_CONTROLLER)),
    Case("update", endpoints(subset("1.2.3.4", PORT)), endpoints(subset())),
    Case("bad update", endpoints(subset("1.2.3.400", PORT)), endpoints(subset())),
    Case("same update", endpoints(subset()), endpoints(subset())),
]
