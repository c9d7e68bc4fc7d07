"""The kind Network, `networks.samplecrd.k8s.io`."""

from __future__ import annotations

from typing import Annotated

from kubewright import Condition, Field, PrinterColumn, Resource, Rule, Struct, custom_resource, rule


@rule(
    "!isCIDR(self.cidr) || !isIP(self.gateway) || cidr(self.cidr).containsIP(self.gateway)",
    message="the gateway must lie in the cidr",
    message_expression="'the gateway ' + self.gateway + ' does not lie in ' + self.cidr",
    field_path=".gateway",
)
class NetworkSpec(Struct):
    """What is wanted of a network."""

    # The lengths are those of the longest addresses; they bound what the rules may cost.
    cidr: Annotated[
        str, Field(max_length=49, rules=(Rule("isCIDR(self)", "must be a CIDR, such as 10.0.0.0/16"),))
    ]
    """Its addresses, such as 10.0.0.0/16."""
    gateway: Annotated[
        str, Field(max_length=45, rules=(Rule("isIP(self)", "must be an IP address, such as 10.0.0.1"),))
    ]
    """The address of its gateway, which lies in the cidr."""


class NetworkStatus(Struct):
    """What there is of a network."""

    cidr: str = ""
    """The addresses that it holds; while others hold what it wants, those that it held before, or none."""
    observed_generation: int = 0
    """The generation of the spec that this is about."""
    conditions: list[Condition] = []


@custom_resource(
    group="samplecrd.k8s.io",
    version="v1",
    subresources=["status"],
    columns=[
        PrinterColumn("CIDR", ".spec.cidr"),
        PrinterColumn("Gateway", ".spec.gateway"),
        PrinterColumn("Ready", '.status.conditions[?(@.type=="Ready")].status', type="string"),
        PrinterColumn("Age", ".metadata.creationTimestamp"),
    ],
    # Groups below k8s.io belong to the Kubernetes community; samples say that nobody approved of them.
    annotations={"api-approved.kubernetes.io": "unapproved, a sample"},
)
class Network(Resource):
    """A network, with a gateway in it."""

    spec: NetworkSpec
    status: NetworkStatus | None = None
