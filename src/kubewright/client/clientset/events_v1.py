"""The kinds of events.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.client.api import Api
from kubewright.client.has_api import HasApi
from kubewright.models.events_v1 import Event

__all__ = ["EventsV1"]


class EventsV1:
    """The kinds of events.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def events(self, namespace: str | None = None) -> Api[Event]:
        """`events` of a namespace."""
        return self._client.api(Event, namespace)
