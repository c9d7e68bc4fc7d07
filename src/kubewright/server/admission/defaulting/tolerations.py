"""Pods stay five minutes on nodes that have gone silent: upstream's DefaultTolerationSeconds plugin."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from kubewright.server.admission.attributes import NOTHING, Attributes
from kubewright.server.kinds.kind import Object

__all__ = ["DefaultTolerationSeconds"]

_TAINTS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")

_SECONDS: Final = 300
"""The default of kube-apiserver's --default-not-ready-toleration-seconds and its like."""


class DefaultTolerationSeconds:
    """Adds tolerations of nodes that are not ready or cannot be reached, where a pod says nothing of them."""

    def admit(self, attributes: Attributes) -> Awaitable[None]:
        """Complete a pod."""
        served, obj = attributes.type.served, attributes.obj
        if (
            obj is not None
            and served.resource == "pods"
            and not served.group
            and not attributes.write.subresource
            and attributes.operation in {"CREATE", "UPDATE"}
        ):
            _tolerate(obj["spec"])
        return NOTHING

    def validate(self, attributes: Attributes) -> Awaitable[None]:
        """Nothing is refused."""
        return NOTHING


def _tolerate(spec: Object) -> None:
    there = spec.get("tolerations") or []
    missing = [taint for taint in _TAINTS if not any(_tolerates(each, taint) for each in there)]
    if missing:
        added = [
            {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _SECONDS}
            for key in missing
        ]
        spec["tolerations"] = [*there, *added]


def _tolerates(toleration: Object, taint: str) -> bool:
    return toleration.get("key", "") in {taint, ""} and toleration.get("effect", "") in {"NoExecute", ""}
