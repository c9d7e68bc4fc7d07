"""The rules of apiextensions.k8s.io: CustomResourceDefinitions.

What a definition's schema makes of custom resources is in `kubewright.crd`; the conditions that controllers
set on definitions are in `kubewright.server.customresources`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kubewright.server.kinds.apiextensions.definition import CUSTOM_RESOURCE_DEFINITION
from kubewright.server.kinds.kind import Kind

__all__ = ["KINDS"]

KINDS: Final[Mapping[str, Kind]] = {"customresourcedefinitions": CUSTOM_RESOURCE_DEFINITION}
