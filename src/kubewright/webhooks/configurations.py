"""Webhook configurations: what an API server must know to ask `@defaulting` and `@validating` functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from kubewright.machinery.errors import DeclarationError
from kubewright.machinery.meta import ObjectMeta
from kubewright.webhooks.declaration import WebhookDeclaration

if TYPE_CHECKING:
    from kubewright.models.admissionregistration_v1 import (
        MutatingWebhook,
        MutatingWebhookConfiguration,
        ValidatingWebhook,
        ValidatingWebhookConfiguration,
        WebhookClientConfig,
    )

__all__ = ["ClientConfigOf", "WebhookConfiguration", "make_configurations", "service_at"]

WebhookConfiguration: TypeAlias = "MutatingWebhookConfiguration | ValidatingWebhookConfiguration"

ClientConfigOf: TypeAlias = "Callable[[str], WebhookClientConfig]"
"""How an API server calls the webhook at a path."""

_REVIEWS: Final = ["v1"]
"""The versions of an AdmissionReview that API servers shall send; v1beta1 is gone since Kubernetes 1.22."""
_VARIABLES: Final = {
    "object": "dyn",
    "oldObject": "dyn",
    "request": "dyn",
    "authorizer": "kubernetes.authorization.Authorizer",
    "authorizer.requestResource": "kubernetes.authorization.ResourceCheck",
}
"""What match conditions see. A server knows the fields of `request` too, so it may refuse a few more."""


def service_at(
    name: str, namespace: str, *, port: int | None = None, ca_bundle: bytes = b""
) -> ClientConfigOf:
    """Webhooks behind a service of the cluster; without a port it is 443."""
    from kubewright.models.admissionregistration_v1 import (  # noqa: PLC0415 - most programs have no webhooks
        ServiceReference,
        WebhookClientConfig,
    )

    def client_config(path: str) -> WebhookClientConfig:
        made = WebhookClientConfig(
            service=ServiceReference(name=name, namespace=namespace, path=path, port=port)
        )
        if ca_bundle:
            made.ca_bundle = ca_bundle
        return made

    return client_config


def make_configurations(
    declared: Iterable[WebhookDeclaration],
    client_config: ClientConfigOf,
    *,
    mutating_name: str,
    validating_name: str,
) -> list[WebhookConfiguration]:
    """A configuration of the mutating webhooks and one of the validating, each if there are any.

    Raises DeclarationError for two webhooks with one name or path, and for match conditions that are no CEL.
    """
    from kubewright.models.admissionregistration_v1 import (  # noqa: PLC0415 - as above
        MutatingWebhook,
        MutatingWebhookConfiguration,
        ValidatingWebhook,
        ValidatingWebhookConfiguration,
    )

    ordered = sorted(declared, key=lambda each: (each.name, each.path))
    _check_distinct(ordered)
    for each in ordered:
        _check_conditions(each)
    mutating = [_webhook(MutatingWebhook, each, client_config) for each in ordered if each.mutating]
    validating = [_webhook(ValidatingWebhook, each, client_config) for each in ordered if not each.mutating]
    made: list[WebhookConfiguration] = []
    if mutating:
        made.append(MutatingWebhookConfiguration(metadata=ObjectMeta(name=mutating_name), webhooks=mutating))
    if validating:
        made.append(
            ValidatingWebhookConfiguration(metadata=ObjectMeta(name=validating_name), webhooks=validating)
        )
    return made


W = TypeVar("W", "MutatingWebhook", "ValidatingWebhook")


def _webhook(cls: type[W], declared: WebhookDeclaration, client_config: ClientConfigOf) -> W:
    from kubewright.models.admissionregistration_v1 import (  # noqa: PLC0415 - as above
        MatchCondition,
        RuleWithOperations,
    )

    resource = (declared.parent or declared.kind).gvr
    # Those that are not said are left out, so that a server's default holds.
    optional: dict[str, Any] = {
        "match_policy": declared.match_policy,
        "reinvocation_policy": declared.reinvocation_policy,
        "match_conditions": [
            MatchCondition(name=name, expression=expression)
            for name, expression in declared.match_conditions.items()
        ],
    }
    return cls(
        name=declared.name,
        admission_review_versions=list(_REVIEWS),
        client_config=client_config(declared.path),
        rules=[
            RuleWithOperations(
                api_groups=[resource.group],
                api_versions=[resource.version],
                operations=list(declared.operations),
                resources=[declared.resources],
            )
        ],
        failure_policy=declared.failure_policy,
        side_effects=declared.side_effects,
        timeout_seconds=declared.timeout_seconds,
        object_selector=declared.object_selector,
        namespace_selector=declared.namespace_selector,
        **{option: value for option, value in optional.items() if value},
    )


def _check_distinct(declared: list[WebhookDeclaration]) -> None:
    names: set[tuple[bool, str]] = set()
    paths: set[str] = set()
    for each in declared:
        if each.path in paths:
            raise DeclarationError(
                f"two webhooks are served at {each.path}; give one of those of {each.kind.__name__} another "
                "path=..., or make them one function"
            )
        if (each.mutating, each.name) in names:
            raise DeclarationError(f"two webhooks are called {each.name}; give one of them another name=...")
        paths.add(each.path)
        names.add((each.mutating, each.name))


def _check_conditions(declared: WebhookDeclaration) -> None:
    """Raises DeclarationError for conditions that do not compile, if what compiles them is installed."""
    if not declared.match_conditions:
        return
    from kubewright.crd.cel import CelUnavailableError, CompileError  # noqa: PLC0415 - large
    from kubewright.crd.cel.compiler import check_in  # noqa: PLC0415 - as above
    from kubewright.crd.cel.environment import environment_of  # noqa: PLC0415 - as above

    try:
        environment = environment_of(_VARIABLES)
    except CelUnavailableError:
        return
    for name, expression in declared.match_conditions.items():
        where = f"{declared.name}: the match condition {name!r}"
        try:
            checked = check_in(environment, expression)
        except CompileError as error:
            said = " ".join(str(error).split())
            raise DeclarationError(f"{where} is refused: {said}") from None
        kind = checked.type_of(checked.expr).name
        if kind not in ("bool", "dyn"):
            raise DeclarationError(f"{where} is refused: it is {kind}, and must be bool")
