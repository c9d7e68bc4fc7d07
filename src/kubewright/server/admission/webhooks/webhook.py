"""One webhook of a configuration, prepared for many writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kubewright.machinery.errors import ParseError
from kubewright.machinery.label_selectors import Selector
from kubewright.server.admission.webhooks.conditions import Conditions
from kubewright.server.admission.webhooks.rules import Rule, make_rule
from kubewright.server.kinds.kind import Object

__all__ = ["Webhook", "prepare"]

_REVIEW_VERSIONS: Final = ("v1", "v1beta1")
"""The versions of an AdmissionReview that are spoken; the first of a webhook's that is one of them counts."""

_DEFAULT_SECONDS: Final = 10
"""How long a webhook may take that does not say; upstream's default."""


class Webhook:
    """A webhook as the configuration says, with its rules, selectors and conditions read.

    `uid` is unique among all webhooks of a kind: two may have the same name.
    """

    def __init__(self, configuration: str, uid: str, hook: Object) -> None:
        self.configuration: Final = configuration
        self.uid: Final = uid
        self.name: Final[str] = hook.get("name") or ""
        self.rules: Final[Sequence[Rule]] = tuple(make_rule(rule) for rule in hook.get("rules") or ())
        self.namespaces: Final = _selector(hook.get("namespaceSelector"))
        self.objects: Final = _selector(hook.get("objectSelector"))
        self.takes_equivalent: Final = hook.get("matchPolicy") != "Exact"
        self.ignores_failures: Final = hook.get("failurePolicy") == "Ignore"
        self.is_reinvoked: Final = hook.get("reinvocationPolicy") == "IfNeeded"
        self.allows_dry_run: Final = hook.get("sideEffects") in {"None", "NoneOnDryRun"}
        self.seconds: Final[int] = hook.get("timeoutSeconds") or _DEFAULT_SECONDS
        self.client_config: Final[Mapping[str, Any]] = hook.get("clientConfig") or {}
        spoken = hook.get("admissionReviewVersions") or ()
        self.review_version: Final = next((each for each in spoken if each in _REVIEW_VERSIONS), "")
        conditions = hook.get("matchConditions")
        self.conditions: Final = (
            Conditions(conditions, ignores_failures=self.ignores_failures) if conditions else None
        )


def prepare(configuration: Object) -> Sequence[Webhook]:
    """The webhooks of a stored configuration."""
    name = configuration["metadata"]["name"]
    seen: dict[str, int] = {}
    made = []
    for hook in configuration.get("webhooks") or ():
        called = hook.get("name") or ""
        position = seen[called] = seen.get(called, -1) + 1
        made.append(Webhook(name, f"{name}/{called}/{position}", hook))
    return made


def _selector(selector: Object | None) -> Selector | str:
    """A selector; the reason why it is none for one that is stored from before it was checked."""
    try:
        return Selector.from_label_selector(selector if selector is not None else {})
    except ParseError as error:
        return str(error)
