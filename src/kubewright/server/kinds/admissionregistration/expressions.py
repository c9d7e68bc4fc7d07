"""Whether the CEL expressions of webhooks and policies compile.

CEL is an extra of kubewright: without it expressions are taken as they are, and what they are for tells so
when a write comes that they would judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from kubewright.machinery.field_errors import internal, invalid
from kubewright.server.kinds.kind import Errors

if TYPE_CHECKING:
    from kubewright.server.admission.expressions import Compiler, Expression

__all__ = ["ExpressionChecker"]


class ExpressionChecker:
    """Compiles the expressions of one object, each with the variables that stand before it."""

    def __init__(self, *, has_params: bool = False, is_composite: bool = False) -> None:
        """`is_composite` says that there are variables, which expressions may then name."""
        self._has_params: Final = has_params
        self._is_composite: Final = is_composite
        self._made: Compiler | None = None

    def variable_errors(self, name: str, text: str, path: str) -> Errors:
        """What is wrong with a variable, which expressions after it may name."""
        return _errors(self._compiler().variable(name, text), text, path)

    def errors(
        self,
        text: str,
        path: str,
        returns: Sequence[str] = (),
        *,
        authorizer: bool = True,
        patches: bool = False,
        shown: str | None = None,
    ) -> Errors:
        """What is wrong with an expression; `shown` is its text as the object has it, if that is another."""
        made = self._compiler().expression(text, returns, authorizer=authorizer, patches=patches)
        return _errors(made, text if shown is None else shown, path)

    def _compiler(self) -> Compiler:
        if self._made is None:
            # CEL is large, and few write policies.
            from kubewright.server.admission.expressions import Compiler  # noqa: PLC0415

            self._made = Compiler(has_params=self._has_params, is_composite=self._is_composite)
        return self._made


def _errors(expression: Expression, shown: str, path: str) -> Errors:
    if not expression.error or expression.is_unavailable:
        return []
    if expression.is_internal:
        return [internal(path, expression.error)]
    return [invalid(path, shown, expression.error)]
