"""Webhook configurations as kubebuilder's config/ has them: what `kubewright manifests` writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kubewright.webhooks.configurations import WebhookConfiguration, make_configurations, service_at
from kubewright.webhooks.declaration import WebhookDeclaration

__all__ = ["SERVICE_NAME", "SERVICE_NAMESPACE", "WebhookConfiguration", "webhook_configurations"]

SERVICE_NAME: Final = "webhook-service"
"""The service of an operator's webhooks in kubebuilder's config/, whose kustomization renames it."""
SERVICE_NAMESPACE: Final = "system"
"""The namespace in kubebuilder's config/, likewise."""
_MUTATING: Final = "mutating-webhook-configuration"
_VALIDATING: Final = "validating-webhook-configuration"


def webhook_configurations(declared: Iterable[WebhookDeclaration]) -> list[WebhookConfiguration]:
    """A configuration of the mutating webhooks and one of the validating, each if there are any.

    Raises DeclarationError for two webhooks with one name or path, and for match conditions that are no CEL.
    """
    return make_configurations(
        declared,
        service_at(SERVICE_NAME, SERVICE_NAMESPACE),
        mutating_name=_MUTATING,
        validating_name=_VALIDATING,
    )
