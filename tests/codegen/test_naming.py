"""Names: wire to Python, and which of them `Struct` gets back by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.codegen.naming import module_name, python_name


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        ("clusterIP", "cluster_ip"),
        ("clusterIPs", "cluster_ips"),
        ("podIPs", "pod_ips"),
        ("httpGet", "http_get"),
        ("HTTPRoute", "http_route"),
        ("externalTrafficPolicy", "external_traffic_policy"),
        ("hostPID", "host_pid"),
        ("wwids", "wwids"),
        ("targetWWNs", "target_wwns"),
        ("fsGroup", "fs_group"),
        ("serverAddressByClientCIDRs", "server_address_by_client_cidrs"),
        ("x-kubernetes-list-type", "x_kubernetes_list_type"),
        ("$ref", "ref"),
        ("from", "from_"),
        ("continue", "continue_"),
        ("int", "int_"),
        ("field", "field_"),
        ("v1beta1Name", "v1beta1_name"),
        ("openAPIV3Schema", "open_api_v3_schema"),
        ("minK8sVersion", "min_k8s_version"),
        ("ipV4Addr", "ip_v4_addr"),
        ("supportIPv6", "support_ipv6"),
        ("isCA", "is_ca"),
        ("AToB", "a_to_b"),
        ("2ndChoice", "n2nd_choice"),
        ("$", "value"),
    ],
)
def test_python_names(wire: str, name: str) -> None:
    assert python_name(wire) == name


def test_taken_names() -> None:
    assert python_name("copy", taken={"copy"}) == "copy_"


@given(st.text(min_size=1))
def test_every_wire_name_becomes_an_identifier(wire: str) -> None:
    assert python_name(wire).isidentifier()


@pytest.mark.parametrize(
    ("group", "version", "module"),
    [
        ("", "v1", "core_v1"),
        ("apps", "v1", "apps_v1"),
        ("rbac.authorization.k8s.io", "v1", "rbac_v1"),
        ("cert-manager.io", "v1alpha2", "cert_manager_v1alpha2"),
    ],
)
def test_modules(group: str, version: str, module: str) -> None:
    assert module_name(group, version) == module
