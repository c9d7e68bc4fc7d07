"""Webhook configurations, and admission policies with their bindings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from kubewright.server.kinds.kind import Object
from kubewright.server.tables.durations import age
from kubewright.server.tables.fields import UNSET, items, name_of, part
from kubewright.server.tables.printer import AGE, NAME, Printer, columns, integers

__all__ = ["PRINTERS"]


def _webhooks(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), len(items(obj, "webhooks")), age(obj, now)]


def _validating_policy(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), len(items(part(obj, "spec"), "validations")), _param_kind(obj), age(obj, now)]


def _mutating_policy(obj: Object, now: datetime) -> list[Any]:
    return [name_of(obj), len(items(part(obj, "spec"), "mutations")), _param_kind(obj), age(obj, now)]


def _param_kind(obj: Object) -> str:
    found = part(obj, "spec").get("paramKind")
    return UNSET if found is None else f"{found.get('apiVersion') or ''}/{found.get('kind') or ''}"


def _binding(obj: Object, now: datetime) -> list[Any]:
    spec = part(obj, "spec")
    return [name_of(obj), spec.get("policyName") or "", _param_ref(part(spec, "paramRef")), age(obj, now)]


def _param_ref(ref: Object) -> str:
    if ref.get("name"):
        return f"{ref.get('namespace') or '*'}/{ref['name']}"
    selector = ref.get("selector")
    return UNSET if selector is None else _go_text(selector)


def _go_text(selector: Object) -> str:
    """A selector as upstream prints it here: the fields of Go's struct."""
    labels = part(selector, "matchLabels")
    shown_labels = "".join([f"{key}: {labels[key]}," for key in sorted(labels)])
    expressions = "".join(
        [
            f"LabelSelectorRequirement{{Key:{one.get('key') or ''},Operator:{one.get('operator') or ''},"
            f"Values:[{' '.join(items(one, 'values'))}],}},"
            for one in items(selector, "matchExpressions")
        ]
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{shown_labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )


_WEBHOOKS: Final = Printer(columns(NAME, *integers("Webhooks"), AGE), _webhooks)
_BINDINGS: Final = Printer(columns(NAME, "PolicyName", "ParamRef", AGE), _binding)

PRINTERS: Final[Mapping[str, Printer]] = {
    "mutatingadmissionpolicies": Printer(
        columns(NAME, *integers("Mutations"), "ParamKind", AGE), _mutating_policy
    ),
    "mutatingadmissionpolicybindings": _BINDINGS,
    "mutatingwebhookconfigurations": _WEBHOOKS,
    "validatingadmissionpolicies": Printer(
        columns(NAME, *integers("Validations"), "ParamKind", AGE), _validating_policy
    ),
    "validatingadmissionpolicybindings": _BINDINGS,
    "validatingwebhookconfigurations": _WEBHOOKS,
}
