"""The match conditions of webhooks and policies: expressions that all must hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubewright.server.admission.expressions import CONDITIONS_BUDGET, Activation, Expression, OutOfBudget

__all__ = ["ConditionError", "hold"]


class ConditionError(Exception):
    """Conditions that cannot be judged; the text is upstream's."""


def hold(
    conditions: Sequence[Expression],
    variables: Mapping[str, Expression],
    bindings: dict[str, object],
    *,
    ignores_failures: bool,
) -> bool:
    """Whether all conditions hold.

    One that does not hold settles it. Else one that fails means no where failures are ignored, and raises
    ConditionError where they are not.
    """
    activation = Activation(bindings, variables, CONDITIONS_BUDGET)
    errors: list[str] = []
    try:
        for condition in conditions:
            result = activation.run(condition)
            if result.error:
                errors.append(result.error)
            elif result.value is not True:
                return False
    except OutOfBudget as error:
        if ignores_failures:
            return False
        raise ConditionError(str(error)) from None
    if errors and not ignores_failures:
        told = list(dict.fromkeys(errors))
        raise ConditionError(told[0] if len(told) == 1 else f"[{', '.join(told)}]")
    return not errors
