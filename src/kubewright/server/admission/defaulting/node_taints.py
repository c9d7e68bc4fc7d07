"""New nodes are not ready until somebody says so: upstream's TaintNodesByCondition plugin."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from kubewright.server.admission.attributes import NOTHING, Attributes

__all__ = ["TaintNodesByCondition"]

_NOT_READY: Final = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


class TaintNodesByCondition:
    """Taints new nodes, so that nothing is scheduled to them before their first heartbeat."""

    def admit(self, attributes: Attributes) -> Awaitable[None]:
        """Complete a node."""
        served, obj = attributes.type.served, attributes.obj
        is_new = attributes.operation == "CREATE" and not attributes.write.subresource
        if is_new and served.resource == "nodes" and not served.group and obj is not None:
            spec = obj.setdefault("spec", {})
            taints = spec.get("taints") or []
            if not any(
                each.get("key") == _NOT_READY["key"] and each.get("effect") == _NOT_READY["effect"]
                for each in taints
            ):
                spec["taints"] = [*taints, dict(_NOT_READY)]
        return NOTHING

    def validate(self, attributes: Attributes) -> Awaitable[None]:
        """Nothing is refused."""
        return NOTHING
