"""The kinds of apiregistration.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.client.api import Api
from kubewright.client.has_api import HasApi
from kubewright.models.apiregistration_v1 import APIService

__all__ = ["ApiregistrationV1"]


class ApiregistrationV1:
    """The kinds of apiregistration.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def api_services(self) -> Api[APIService]:
        """`apiservices` of the cluster."""
        return self._client.api(APIService)
