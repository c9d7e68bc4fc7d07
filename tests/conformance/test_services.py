"""Addresses and ports of services, which the server gives out and takes back."""

from __future__ import annotations

import ipaddress
from typing import Any

from tests.conformance.client import Client
from tests.conformance.namespaces import Namespace
from tests.conformance.statuses import assert_invalid, cause


def service(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"ports": [{"port": 80}], **spec},
    }


def created(namespace: Namespace, name: str = "a", **spec: Any) -> tuple[str, Any]:
    """A service: its path, and its spec."""
    made = namespace.create(namespace.services, service(name, **spec))
    return f"{namespace.services}/{name}", made["spec"]


def test_an_address_is_given(client: Client, namespace: Namespace) -> None:
    path, spec = created(namespace)
    address = spec["clusterIP"]
    assert ipaddress.ip_address(address) in ipaddress.ip_network("10.0.0.0/24")
    assert spec == {
        "ports": [{"protocol": "TCP", "port": 80, "targetPort": 80}],
        "clusterIP": address,
        "clusterIPs": [address],
        "type": "ClusterIP",
        "sessionAffinity": "None",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "internalTrafficPolicy": "Cluster",
    }
    assert client.get(path).json()["status"] == {"loadBalancer": {}}


def test_addresses_differ(client: Client, namespace: Namespace) -> None:
    addresses = {created(namespace, name)[1]["clusterIP"] for name in ("a", "b", "c")}
    assert len(addresses) == 3


def test_an_address_that_is_taken(client: Client, namespace: Namespace) -> None:
    _, spec = created(namespace)
    address = spec["clusterIP"]
    response = client.post(namespace.services, service("b", clusterIP=address))
    message = (
        f'Invalid value: ["{address}"]: failed to allocate IP {address}: provided IP is already allocated'
    )
    assert_invalid(response, "Service", "b", cause("FieldValueInvalid", message, "spec.clusterIPs"))


def test_addresses_that_cannot_be(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.services, service("a", clusterIP="192.168.1.1"))
    message = (
        'Invalid value: ["192.168.1.1"]: failed to allocate IP 192.168.1.1: the provided network '
        "does not match the current range"
    )
    assert_invalid(response, "Service", "a", cause("FieldValueInvalid", message, "spec.clusterIPs"))
    response = client.post(namespace.services, service("a", clusterIP="x"))
    message = 'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
    assert_invalid(response, "Service", "a", cause("FieldValueInvalid", message, "spec.clusterIPs[0]"))


def test_an_address_is_free_again_when_its_service_is_gone(client: Client, namespace: Namespace) -> None:
    path, spec = created(namespace)
    client.delete(path)
    _, again = created(namespace, "b", clusterIP=spec["clusterIP"])
    assert again["clusterIP"] == spec["clusterIP"]


def test_an_update_need_not_say_the_address(client: Client, namespace: Namespace) -> None:
    path, spec = created(namespace)
    changed = client.put(path, service("a", selector={"x": "y"})).json()["spec"]
    assert changed == {**spec, "selector": {"x": "y"}}


def test_but_it_may_not_change_it(client: Client, namespace: Namespace) -> None:
    path, spec = created(namespace)
    other = "10.0.0.99" if spec["clusterIP"] != "10.0.0.99" else "10.0.0.98"
    response = client.put(path, service("a", clusterIP=other))
    message = f'Invalid value: ["{other}"]: may not change once set'
    assert_invalid(response, "Service", "a", cause("FieldValueInvalid", message, "spec.clusterIPs[0]"))


def test_a_dry_run_takes_no_address(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.services, service("a"), dryRun="All")
    assert response.json()["spec"]["clusterIP"] == "10.0.0.0"


def test_a_port_of_the_nodes_is_given(client: Client, namespace: Namespace) -> None:
    _, spec = created(namespace, type="NodePort")
    (port,) = spec["ports"]
    assert 30000 <= port["nodePort"] <= 32767
    assert spec["externalTrafficPolicy"] == "Cluster"


def test_a_load_balancer_has_a_port_as_well(client: Client, namespace: Namespace) -> None:
    _, spec = created(namespace, type="LoadBalancer")
    assert 30000 <= spec["ports"][0]["nodePort"] <= 32767
    assert spec["allocateLoadBalancerNodePorts"] is True


def test_a_port_that_is_taken(client: Client, namespace: Namespace) -> None:
    _, spec = created(namespace, type="NodePort")
    taken = spec["ports"][0]["nodePort"]
    body = service("b", type="NodePort", ports=[{"port": 80, "nodePort": taken}])
    message = f"Invalid value: {taken}: provided port is already allocated"
    expected = cause("FieldValueInvalid", message, "spec.ports[0].nodePort")
    assert_invalid(client.post(namespace.services, body), "Service", "b", expected)


def test_a_port_out_of_range(client: Client, namespace: Namespace) -> None:
    body = service("a", type="NodePort", ports=[{"port": 80, "nodePort": 80}])
    message = (
        "Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767"
    )
    expected = cause("FieldValueInvalid", message, "spec.ports[0].nodePort")
    assert_invalid(client.post(namespace.services, body), "Service", "a", expected)


def test_what_a_type_does_not_need_goes(client: Client, namespace: Namespace) -> None:
    path, spec = created(namespace, type="NodePort")
    changed = client.patch(path, {"spec": {"type": "ClusterIP"}}).json()["spec"]
    assert "nodePort" not in changed["ports"][0]
    assert "externalTrafficPolicy" not in changed
    assert changed["clusterIP"] == spec["clusterIP"]
    patch = {"spec": {"type": "ExternalName", "externalName": "example.com"}}
    assert "clusterIP" not in client.patch(path, patch).json()["spec"]
    # The address is free again.
    created(namespace, "b", clusterIP=spec["clusterIP"])


def test_ports(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.services, service("a", ports=[]))
    assert_invalid(response, "Service", "a", cause("FieldValueRequired", "Required value", "spec.ports"))
    response = client.post(namespace.services, service("a", ports=[{"port": 80}, {"port": 81}]))
    causes = [cause("FieldValueRequired", "Required value", f"spec.ports[{index}].name") for index in (0, 1)]
    assert_invalid(response, "Service", "a", *causes)


def test_one_family_of_addresses_only(client: Client, namespace: Namespace) -> None:
    response = client.post(namespace.services, service("a", ipFamilyPolicy="RequireDualStack"))
    message = 'Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services'
    assert_invalid(response, "Service", "a", cause("FieldValueInvalid", message, "spec.ipFamilyPolicy"))
