"""The kinds of apiextensions.k8s.io/v1. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from typing import Final

from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.sync.api import Api
from kubewright.sync.has_api import HasApi

__all__ = ["ApiextensionsV1"]


class ApiextensionsV1:
    """The kinds of apiextensions.k8s.io/v1; for namespaced ones no namespace stands for all."""

    def __init__(self, client: HasApi) -> None:
        self._client: Final = client

    def custom_resource_definitions(self) -> Api[CustomResourceDefinition]:
        """`customresourcedefinitions` of the cluster."""
        return self._client.api(CustomResourceDefinition)
