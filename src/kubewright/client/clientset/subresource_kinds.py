"""The kinds of subresources. Generated; see CONTRIBUTING.md."""

from __future__ import annotations

from kubewright.models.authentication_v1 import TokenRequest
from kubewright.models.autoscaling_v1 import Scale

__all__ = ["Scale", "TokenRequest"]
