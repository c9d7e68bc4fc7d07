"""A pod through time, without a cluster."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from kubewright.cluster.kubelet.pod_life import Addresses, Life, live
from kubewright.cluster.kubelet.script import PREFIX
from kubewright.models.core_v1 import Pod

__all__ = ["ADDRESSES", "START", "Played"]

START = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)
ADDRESSES = Addresses("172.18.0.2", "10.244.1.5")


class Played:
    """A pod through time: what was told is read back as the server would give it."""

    def __init__(self, **spec: Any) -> None:
        script = {PREFIX + name: text for name, text in spec.pop("script", {}).items()}
        containers = spec.pop("containers", [{"name": "main", "image": "nginx"}])
        self.pod = Pod.from_dict(
            {
                "metadata": {"name": "web", "namespace": "default", "uid": "u", "annotations": script},
                "spec": {"containers": containers, **spec},
            }
        )
        self.times: dict[str, datetime] = {}
        self.told: list[str] = []

    def at(self, seconds: float) -> Life:
        life = live(self.pod, START + timedelta(seconds=seconds), self.times, ADDRESSES)
        self.times = life.times
        self.told += [notice.reason for notice in life.notices]
        self.pod.status = life.status
        # As stored: times lose their fractions.
        self.pod = Pod.from_json(self.pod.to_json())
        return life

    def delete(self, seconds: float, grace: int) -> None:
        self.pod.metadata.deletion_timestamp = START + timedelta(seconds=seconds + grace)
        self.pod.metadata.deletion_grace_period_seconds = grace

    @property
    def phase(self) -> str:
        return self.pod.status.phase

    @property
    def ready(self) -> bool:
        return any(each.type == "Ready" and each.status == "True" for each in self.pod.status.conditions)

    def state(self, name: str = "main") -> str:
        statuses = (*self.pod.status.init_container_statuses, *self.pod.status.container_statuses)
        found = next(each for each in statuses if each.name == name)
        if found.state.running is not None:
            return "running"
        if found.state.terminated is not None:
            return f"terminated {found.state.terminated.exit_code} {found.state.terminated.reason}"
        assert found.state.waiting is not None
        return found.state.waiting.reason
