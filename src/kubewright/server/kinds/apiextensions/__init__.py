"""The rules of apiextensions.k8s.io: CustomResourceDefinitions.

What a definition's schema makes of custom resources is in `kubewright.crd`; the conditions that controllers
set on definitions are in `kubewright.server.customresources`.
"""

from __future__ import annotations

from typing import Final

from kubewright.server.kinds.lazy import LazyKinds

__all__ = ["KINDS"]

KINDS: Final = LazyKinds(__name__, {"customresourcedefinitions": "definition.CUSTOM_RESOURCE_DEFINITION"})
