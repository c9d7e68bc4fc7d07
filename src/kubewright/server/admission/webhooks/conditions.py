"""The match conditions of webhooks: CEL expressions that all must hold, compiled once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from kubewright.server.admission.attributes import Attributes
from kubewright.server.kinds.kind import Object

if TYPE_CHECKING:
    from kubewright.server.admission.expressions import Expression
    from kubewright.server.authorization import Authorizer

__all__ = ["Conditions", "authorizer_for"]


class Conditions:
    """Conditions of one webhook, compiled when they are first judged."""

    def __init__(self, conditions: Sequence[Mapping[str, str]], *, ignores_failures: bool) -> None:
        self._texts: Final = [each.get("expression") or "" for each in conditions]
        self._ignores_failures: Final = ignores_failures
        self._compiled: Sequence[Expression] | None = None

    async def hold(
        self,
        obj: Object | None,
        old: Object | None,
        request: Object,
        authorizer: Callable[[], object],
    ) -> bool:
        """Whether all conditions hold for a write; `request` is the AdmissionRequest without its objects.

        One that does not hold settles it. Else one that fails means no where failures are ignored, and
        raises ConditionError of `policies.conditions` where they are not. `authorizer` makes what answers
        questions about rights, for conditions that ask.
        """
        from kubewright.server.admission.policies.conditions import hold  # noqa: PLC0415 - see _expressions
        from kubewright.server.expression_costs import evaluate  # noqa: PLC0415 - see _expressions

        expressions = self._expressions()
        # Upstream declares the object of the namespace too, and never gives webhooks one.
        bindings: dict[str, object] = {
            "object": obj,
            "oldObject": old,
            "request": request,
            "namespaceObject": {},
        }
        if any("authorizer" in each.uses for each in expressions):
            bindings["authorizer"] = authorizer()
        return await evaluate(
            lambda: hold(expressions, {}, bindings, ignores_failures=self._ignores_failures)
        )

    def _expressions(self) -> Sequence[Expression]:
        if self._compiled is None:
            # CEL is large, and most webhooks have no conditions.
            from kubewright.server.admission.expressions import Compiler  # noqa: PLC0415

            compiler = Compiler()
            self._compiled = [compiler.expression(text, ("bool",)) for text in self._texts]
        return self._compiled


def authorizer_for(attributes: Attributes, authorizer: Authorizer) -> object:
    """`authorizer`, as the conditions about a write know it."""
    from kubewright.server.admission.policies.variables import authorizer_value  # noqa: PLC0415 - see above

    return authorizer_value(attributes, authorizer)
